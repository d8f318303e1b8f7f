/* columns.c -- a subset of the features: "1-40,bm25".
 *
 * What has the form of a number or a range is one; anything else is a name.         */
#include "reader.h"

#include "../base/alloc.h"
#include "../base/number.h"

struct choice {
    uint32_t *keep; /* dim long: nothing is taken twice */
    size_t n, dim;
    bool *is_taken;
    const struct strings *names;
};

static peck_status take_columns(struct choice *c, size_t first, size_t last, peck_span item,
                                peck_error *err)
{
    for (size_t i = first; i <= last; i++) {
        if (c->is_taken[i])
            return fail(err, PECK_ARG, "--features takes feature %zu twice ('%.*s')", i + 1,
                        SPAN_ARGS(item));
        c->is_taken[i] = true;
        c->keep[c->n++] = (uint32_t)i;
    }
    return PECK_OK;
}

/* "3" or "3-7": true when the item has that form, whatever the numbers are. */
static bool parse_range(peck_span item, uint64_t *first, uint64_t *last)
{
    const char *const dash = memchr(item.s, '-', item.n);
    const size_t n_first = dash != NULL ? (size_t)(dash - item.s) : item.n;
    const peck_span a = span_trim((peck_span){ item.s, n_first });

    if (!number_parse_u64(a, first))
        return false;
    *last = *first;
    return dash == NULL ||
           number_parse_u64(span_trim((peck_span){ dash + 1, item.n - n_first - 1 }), last);
}

/* The names as C strings in one block of pointers and bytes; NULL: no memory. */
static const char **list_names(const struct strings *names)
{
    const size_t n_bytes = names->n > 0 ? names->at[names->n] + names->n : 0;
    const char **const known =
        mem_new(names->n * sizeof *known + n_bytes, 1); /* calloc ends each name */

    if (known == NULL)
        return NULL;
    char *to = (char *)(known + names->n);

    for (size_t i = 0; i < names->n; i++) {
        const peck_span name = strings_get(names, i);

        known[i] = to;
        memcpy(to, name.s, name.n);
        to += name.n + 1;
    }
    return known;
}

static peck_status fail_unknown(const struct choice *c, peck_span item, peck_error *err)
{
    char typed[SPAN_SHOWN + 1] = { 0 };

    if (c->names->n == 0)
        return fail(err, PECK_ARG,
                    "--features: '%.*s' is not a number, and the features have no names; "
                    "--feature-names gives them some",
                    SPAN_ARGS(item));
    const char **const known = list_names(c->names);

    if (known == NULL)
        return fail_memory(err, "the list of feature names", c->names->n, sizeof *known);
    snprintf(typed, sizeof typed, "%.*s", SPAN_ARGS(item));
    const char *const near = peck_nearest(typed, known, c->names->n);

    fail(err, PECK_ARG, "--features: no feature is called '%s'%s%.*s%s", typed,
         near != NULL ? ", did you mean '" : "", SPAN_SHOWN, near != NULL ? near : "",
         near != NULL ? "'?" : "");
    mem_free(known);
    return PECK_ARG;
}

static peck_status take_named(struct choice *c, peck_span item, peck_error *err)
{
    size_t found = c->dim;

    for (size_t i = 0; i < c->names->n && i < c->dim; i++) {
        if (!span_equal(strings_get(c->names, i), item))
            continue;
        if (found < c->dim)
            return fail(err, PECK_ARG,
                        "--features: both feature %zu and feature %zu are called '%.*s'; "
                        "ask by number",
                        found + 1, i + 1, SPAN_ARGS(item));
        found = i;
    }
    if (found == c->dim)
        return fail_unknown(c, item, err);
    return take_columns(c, found, found, item, err);
}

static peck_status take_item(struct choice *c, peck_span item, peck_error *err)
{
    uint64_t first, last;

    if (item.n == 0)
        return fail(err, PECK_ARG, "--features has an empty item; write it as '1-40,bm25'");
    if (!parse_range(item, &first, &last))
        return take_named(c, item, err);
    if (first < 1 || last < first)
        return fail(err, PECK_ARG, "--features: '%.*s' is no range; features count from 1",
                    SPAN_ARGS(item));
    if (last > c->dim)
        return fail(err, PECK_ARG, "--features: '%.*s' goes beyond the %zu features",
                    SPAN_ARGS(item), c->dim);
    return take_columns(c, (size_t)first - 1, (size_t)last - 1, item, err);
}

static peck_status take_items(struct choice *c, const char *features, peck_error *err)
{
    const char *p = features;

    for (;;) {
        const size_t n = strcspn(p, ",");

        TRY(take_item(c, span_trim((peck_span){ p, n }), err));
        if (p[n] == '\0')
            return PECK_OK;
        p += n + 1;
    }
}

peck_status columns_parse(uint32_t **keep, size_t *n_kept, const char *features,
                          const struct strings *names, size_t dim, peck_error *err)
{
    *keep = NULL;
    *n_kept = dim;
    if (features == NULL)
        return PECK_OK;
    struct choice c = { .keep = mem_new(dim, sizeof *c.keep),
                        .is_taken = mem_new(dim, sizeof *c.is_taken),
                        .dim = dim,
                        .names = names };
    peck_status st = c.keep != NULL && c.is_taken != NULL
                         ? take_items(&c, features, err)
                         : fail_memory(err, "the list of features", dim, sizeof *c.keep);

    if (st == PECK_OK) {
        *keep = c.keep;
        *n_kept = c.n;
    } else {
        mem_free(c.keep);
    }
    mem_free(c.is_taken);
    return st;
}
