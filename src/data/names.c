/* names.c -- column names out of the remarks above the first document. */
#include "reader.h"

#include "../base/alloc.h"
#include "../base/number.h"

bool name_split(peck_span line, uint64_t *number, peck_span *name)
{
    size_t n = 0;

    while (n < line.n && is_digit(line.s[n]))
        n++;
    const peck_span digits = { line.s, n };

    if (n == line.n || (line.s[n] != ':' && line.s[n] != ' ' && line.s[n] != '\t'))
        return false;
    *name = span_trim((peck_span){ line.s + n + 1, line.n - n - 1 });
    return name->n > 0 && number_parse_u64(digits, number);
}

/* Puts every "N name" at name[N - first]; false when a line is of another form, or a number
 * is out of range or comes twice. */
static bool place_numbered(peck_span *name, const struct strings *lines, size_t first,
                           size_t dim)
{
    for (size_t i = 0; i < lines->n; i++) {
        uint64_t number;
        peck_span text;

        if (!name_split(strings_get(lines, i), &number, &text) || number < first ||
            number - first >= dim || name[number - first].n > 0)
            return false;
        name[number - first] = text;
    }
    return true;
}

peck_status names_of_lines(struct strings *names, const struct strings *lines, size_t first,
                           size_t dim, const char *name, peck_error *err)
{
    peck_span *const place = mem_new(dim, sizeof *place);

    if (place == NULL)
        return fail_memory(err, name, dim, sizeof *place);
    const bool is_numbered = place_numbered(place, lines, first, dim);
    bool fits = true;

    for (size_t i = 0; i < dim && fits && (is_numbered || lines->n == dim); i++)
        fits = strings_add(names, is_numbered ? place[i] : strings_get(lines, i));
    mem_free(place);
    return fits ? PECK_OK : fail_memory(err, name, dim, sizeof *place);
}

peck_status names_fit(struct strings *names, size_t dim, const char *name, peck_error *err)
{
    if (names->n > dim)
        return fail(err, PECK_SHAPE, "%s: has %zu features, but there are names for %zu",
                    name, dim, names->n);
    while (names->n > 0 && names->n < dim)
        if (!strings_add(names, (peck_span){ "", 0 }))
            return fail_memory(err, name, dim, 1);
    return PECK_OK;
}
