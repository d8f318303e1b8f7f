/* write_csv.c -- CSV (RFC 4180) and TSV with a header:
 * label,query[,doc][,weight][,query_weight], then the features by name, or f1, f2, ...
 * A cell that holds the delimiter, a quote or blanks around it is quoted.            */
#include "cells.h"
#include "writer.h"

#include "../base/alloc.h"
#include "../base/number.h"

struct state {
    char delimiter;
    const char *format;
    char *line;
    size_t cap;
};

static const char *const csv_endings[] = { ".csv", NULL };
static const char *const tsv_endings[] = { ".tsv", NULL };

static bool has_line_break(peck_span s)
{
    return memchr(s.s, '\n', s.n) != NULL || memchr(s.s, '\r', s.n) != NULL;
}

/* Room for a cell of n bytes, were every one a quote. */
static size_t room_for(size_t n)
{
    return 2 * n + 3;
}

static char *put_cell(char *p, peck_span s, char delimiter)
{
    const bool is_plain = memchr(s.s, delimiter, s.n) == NULL &&
                          memchr(s.s, '"', s.n) == NULL && span_trim(s).n == s.n;

    if (is_plain) {
        if (s.n > 0)
            memcpy(p, s.s, s.n);
        return p + s.n;
    }
    *p++ = '"';
    for (size_t i = 0; i < s.n; i++) {
        if (s.s[i] == '"')
            *p++ = '"';
        *p++ = s.s[i];
    }
    *p++ = '"';
    return p;
}

static bool reserve(struct state *s, size_t n)
{
    return mem_reserve(&s->line, &s->cap, n, 1);
}

/* The header cell of feature i; `spare` holds it when it has no name. */
static peck_span name_of(const struct layout *l, size_t i, char spare[24])
{
    if (l->feature_name != NULL && l->feature_name->n > 0) {
        const peck_span name = strings_get(l->feature_name, i);

        if (name.n > 0)
            return name;
    }
    return (peck_span){ spare, (size_t)snprintf(spare, 24, "f%zu", i + 1) };
}

static peck_status check_name(const struct state *s, struct index *seen, peck_span name,
                              size_t i, peck_error *err)
{
    const bool is_free = !has_line_break(name) && !column_has_role(name);
    const int64_t at = is_free ? index_put(seen, name) : 0;

    if (at == INDEX_FULL)
        return fail_memory(err, "feature names", i, sizeof name);
    if (!is_free || (size_t)at != i)
        return fail(
            err, PECK_ARG,
            "feature %zu is called '%.*s', which cannot head a column of %s (taken, "
            "or a line break); give other names, or write the cache",
            i + 1, SPAN_ARGS(name), s->format);
    return PECK_OK;
}

static peck_status write_names(struct state *s, struct output *o, const struct layout *l,
                               struct index *seen, peck_error *err)
{
    for (size_t i = 0; i < l->dim; i++) {
        char spare[24];
        const peck_span name = name_of(l, i, spare);

        TRY(check_name(s, seen, name, i, err));
        if (!reserve(s, room_for(name.n)))
            return fail_memory(err, "a line", room_for(name.n), 1);
        output_write(o, &s->delimiter, 1);
        output_write(o, s->line, (size_t)(put_cell(s->line, name, s->delimiter) - s->line));
    }
    return PECK_OK;
}

static peck_status write_header(struct state *s, struct output *o, const struct layout *l,
                                peck_error *err)
{
    struct index seen = { 0 };
    const char d = s->delimiter;

    output_printf(o, "label%cquery", d);
    if (l->has_doc_ids)
        output_printf(o, "%cdoc", d);
    if (l->has_doc_weights)
        output_printf(o, "%cweight", d);
    if (l->has_query_weights)
        output_printf(o, "%cquery_weight", d);
    const peck_status st = write_names(s, o, l, &seen, err);

    output_write(o, "\n", 1);
    index_free(&seen);
    return st;
}

static peck_status open_csv(void *state, struct output *o, const struct layout *l,
                            peck_error *err)
{
    struct state *const s = state;

    s->delimiter = ',';
    s->format = "csv";
    return write_header(s, o, l, err);
}

static peck_status open_tsv(void *state, struct output *o, const struct layout *l,
                            peck_error *err)
{
    struct state *const s = state;

    s->delimiter = '\t';
    s->format = "tsv";
    return write_header(s, o, l, err);
}

static char *put_number(char *p, float value, char delimiter)
{
    *p++ = delimiter;
    return p + number_write(p, value);
}

/* One document; s->line has the room. */
static char *put_row(struct state *s, const struct layout *l, const struct block *b,
                     size_t r, peck_span id)
{
    const float *const x = b->docs.x + r * b->docs.stride;
    const char d = s->delimiter;
    char *p = s->line;

    if (b->label[r] == PECK_UNJUDGED)
        *p++ = '?';
    else
        p += number_write(p, b->label[r]);
    *p++ = d;
    p = put_cell(p, b->query, d);
    if (l->has_doc_ids) {
        *p++ = d;
        p = put_cell(p, id, d);
    }
    if (l->has_doc_weights)
        p = put_number(p, b->doc_weight != NULL ? b->doc_weight[r] : 1.0f, d);
    if (l->has_query_weights)
        p = put_number(p, b->query_weight, d);
    for (size_t i = 0; i < l->dim; i++)
        p = put_number(p, x[i], d);
    *p++ = '\n';
    return p;
}

static peck_status block(void *state, struct output *o, const struct layout *l,
                         const struct block *b, peck_error *err)
{
    struct state *const s = state;
    const size_t fixed = room_for(b->query.n) + (l->dim + 4) * (NUMBER_MAX + 1);

    if (b->query.n == 0 || has_line_break(b->query))
        return fail(err, PECK_ARG,
                    "query '%.*s': %s cannot hold such an id; write the cache",
                    SPAN_ARGS(b->query), s->format);
    for (size_t r = 0; r < b->docs.n; r++) {
        const peck_span id = b->doc_id != NULL ? strings_get(b->doc_id, b->first_id + r)
                                               : (peck_span){ "", 0 };

        if (has_line_break(id))
            return fail(
                err, PECK_ARG,
                "document '%.*s': %s cannot hold an id with a line break; write the "
                "cache",
                SPAN_ARGS(id), s->format);
        if (!reserve(s, fixed + room_for(id.n)))
            return fail_memory(err, "a line", fixed + room_for(id.n), 1);
        output_write(o, s->line, (size_t)(put_row(s, l, b, r, id) - s->line));
    }
    return PECK_OK;
}

static void close(void *state)
{
    struct state *const s = state;

    mem_free(s->line);
}

#define COLUMNS_DOC                                                                    \
    "The header names label, query, then doc, weight and query_weight where the data " \
    "has them, then the features by name (f1, f2, ... without names).  Quotes follow " \
    "RFC 4180; '?' is the label of a document that nobody judged."

const struct writer_kind writer_csv = {
    .plug = { .about = { "csv", "comma-separated values with a header", COLUMNS_DOC } },
    .endings = csv_endings,
    .state_size = sizeof(struct state),
    .open = open_csv,
    .block = block,
    .close = close,
};

const struct writer_kind writer_tsv = {
    .plug = { .about = { "tsv", "tab-separated values with a header", COLUMNS_DOC } },
    .endings = tsv_endings,
    .state_size = sizeof(struct state),
    .open = open_tsv,
    .block = block,
    .close = close,
};
