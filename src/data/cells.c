/* cells.c -- see cells.h. */
#include "cells.h"

#include "../base/alloc.h"
#include "../base/number.h"
#include "../base/zip.h"

#include <ctype.h>

bool cell_is(peck_span cell, const char *word)
{
    size_t i = 0;

    while (i < cell.n && word[i] != '\0' && tolower((unsigned char)cell.s[i]) == word[i])
        i++;
    return i == cell.n && word[i] == '\0';
}

bool file_is_called(const char *name, const char *ending)
{
    const size_t n = zip_stem(name), m = strlen(ending);

    return n >= m && cell_is((peck_span){ name + n - m, m }, ending);
}

/* The high bit of every zero byte; above the lowest one there may be false ones. */
static inline uint64_t zero_bytes(uint64_t v)
{
    return (v - 0x0101010101010101ULL) & ~v & 0x8080808080808080ULL;
}

/* The end where there is none. */
static const char *find_newline(const char *p, const char *end)
{
    const char *const nl = p < end ? memchr(p, '\n', (size_t)(end - p)) : NULL;

    return nl != NULL ? nl : end;
}

/* Leaves the record that holds p: the next one begins after the coming newline. */
static void skip_record(struct cells *c, const char *p)
{
    const char *const nl = find_newline(p, c->end);

    c->p = nl < c->end ? nl + 1 : c->end;
    c->next_line++;
}

/* The cell whose opening quote is at *at; *at moves to what ends it.  Where quotes were doubled
 * it is a copy in which each is one. */
static peck_status take_quoted_cell(struct cells *c, const char **at, peck_span *cell,
                                    peck_error *err)
{
    const char *const open = *at + 1;
    const char *q = open;
    bool has_doubled = false;

    for (;; q += 2) {
        q = memchr(q, '"', (size_t)(c->end - q));
        if (q == NULL || (size_t)(q - c->p) > MAX_LINE) {
            c->is_broken = true;
            return fail(err, PECK_FORMAT, "%s:%zu: a quote opens in this record and %s",
                        c->in->name, c->line,
                        q == NULL ? "never closes"
                                  : "the limit on a line is reached first");
        }
        if (q[1] != '"' || q + 1 == c->end)
            break;
        has_doubled = true;
    }
    *cell = (peck_span){ open, (size_t)(q - open) };
    for (const char *p = open; (p = find_newline(p, q)) < q; p++)
        c->next_line++;
    for (q++; *q == ' ' || *q == '\r' || (*q == '\t' && c->delimiter != '\t');)
        q++;
    *at = q;
    if (q < c->end && *q != c->delimiter && *q != '\n') {
        skip_record(c, q);
        return fail(err, PECK_FORMAT,
                    "%s:%zu: text follows a closing quote; write a quote "
                    "inside a quoted cell twice",
                    c->in->name, c->line);
    }
    if (!has_doubled)
        return PECK_OK;
    if (c->plain == NULL && (c->plain = mem_new(c->in->size + INPUT_PADDING, 1)) == NULL)
        return fail_memory(err, c->in->name, c->in->size, 1);
    char *to = c->plain + c->plain_used;
    const peck_span raw = *cell;

    cell->s = to;
    for (size_t i = 0; i < raw.n; i++) {
        *to++ = raw.s[i];
        i += raw.s[i] == '"';
    }
    cell->n = (size_t)(to - cell->s);
    c->plain_used += cell->n;
    return PECK_OK;
}

/* One more cell, from *at on; *at moves to what ends it: a delimiter, a newline or the end of
 * the input, looked for eight bytes at a time (the padding lets the last load run over). */
static peck_status take_cell(struct cells *c, const char **at, peck_error *err)
{
    const uint64_t ones = 0x0101010101010101ULL;
    const uint64_t cut = ones * (unsigned char)c->delimiter, newline = ones * '\n';

    if (!mem_reserve(&c->cell, &c->cap, c->n + 1, sizeof *c->cell))
        return fail_memory(err, c->in->name, c->n, sizeof *c->cell);
    peck_span *const cell = &c->cell[c->n++];
    const char *p = *at;

    while (*p == ' ')
        p++;
    if (*p == '"') {
        TRY(take_quoted_cell(c, &p, cell, err));
    } else {
        const char *const first = p;

        for (; p < c->end; p += 8) {
            const uint64_t bytes = load8(p);
            const uint64_t found = zero_bytes(bytes ^ cut) | zero_bytes(bytes ^ newline);

            if (found != 0) {
                p += __builtin_ctzll(found) >> 3;
                break;
            }
        }
        p = p < c->end ? p : c->end;
        *cell = span_trim((peck_span){ first, (size_t)(p - first) });
    }
    const bool is_wide = c->n > MAX_CELLS;

    if (is_wide || (size_t)(p - c->p) > MAX_LINE) {
        skip_record(c, p);
        return fail(err, PECK_FORMAT, "%s:%zu: the line has more than %d %s", c->in->name,
                    c->line, is_wide ? MAX_CELLS : MAX_LINE, is_wide ? "cells" : "bytes");
    }
    *at = p;
    return PECK_OK;
}

void cells_open(struct cells *c, const struct input *in, char delimiter)
{
    *c = (struct cells){ .in = in,
                         .p = lines_of(in).p,
                         .end = in->data + in->size,
                         .delimiter = delimiter,
                         .next_line = 1 };
}

peck_status cells_next(struct cells *c, peck_error *err)
{
    const char *p = c->p;

    c->n = 0;
    while (c->p < c->end) { /* blank lines */
        for (p = c->p; *p == ' ' || *p == '\r';)
            p++;
        if (p < c->end && *p != '\n')
            break;
        skip_record(c, p);
    }
    c->line = c->next_line;
    p = c->p;
    if (p >= c->end)
        return PECK_OK;
    do {
        p += c->n > 0;
        TRY(take_cell(c, &p, err));
    } while (p < c->end && *p == c->delimiter);
    skip_record(c, p);
    return PECK_OK;
}

void cells_close(struct cells *c)
{
    mem_free(c->cell);
    mem_free(c->plain);
    *c = (struct cells){ 0 };
}
