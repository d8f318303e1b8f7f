/* write_csv.c -- CSV (RFC 4180) and TSV with a header:
 * label,query[,doc][,weight][,query_weight], then the features by name, or f1, f2, ...
 * A cell that holds the delimiter, a quote or blanks around it is quoted.            */
#include "cells.h"
#include "writer.h"

#include "../base/alloc.h"
#include "../base/number.h"

struct csv_writer {
    char delimiter;
    const char *format;
    char *line;
    size_t cap;
};

/* Room for a cell of n bytes, were every one a quote. */
static size_t room_for(size_t n)
{
    return 2 * n + 3;
}

/* Quoted where it must be; returns its end. */
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

/* A feature without a name is f1, f2, ... */
static peck_status write_csv_header(struct csv_writer *s, struct output *o,
                                    const struct layout *l, peck_error *err)
{
    struct index seen = { 0 };
    const char d = s->delimiter;
    peck_status st = PECK_OK;

    output_printf(o, "label%cquery", d);
    if (l->has_doc_ids)
        output_printf(o, "%cdoc", d);
    if (l->has_doc_weights)
        output_printf(o, "%cweight", d);
    if (l->has_query_weights)
        output_printf(o, "%cquery_weight", d);
    for (size_t i = 0; i < l->dim && st == PECK_OK; i++) {
        char spare[24];
        peck_span name = { spare, 0 };

        if (l->feature_name != NULL && l->feature_name->n > 0)
            name = strings_get(l->feature_name, i);
        if (name.n == 0)
            name =
                (peck_span){ spare, (size_t)snprintf(spare, sizeof spare, "f%zu", i + 1) };
        const bool is_free = span_is_one_line(name) && !column_has_role(name);
        const int64_t at = is_free ? index_put(&seen, name) : 0;

        if (at == INDEX_FULL)
            st = fail_memory(err, "feature names", i, sizeof name);
        else if (!is_free || (size_t)at != i)
            st = fail(
                err, PECK_ARG,
                "feature %zu is called '%.*s', which cannot head a column of %s (taken, "
                "or a line break); give other names, or write the cache",
                i + 1, SPAN_ARGS(name), s->format);
        else if (!mem_reserve(&s->line, &s->cap, room_for(name.n), 1))
            st = fail_memory(err, "a line", room_for(name.n), 1);
        if (st == PECK_OK) {
            output_write(o, &d, 1);
            output_write(o, s->line, (size_t)(put_cell(s->line, name, d) - s->line));
        }
    }
    output_write(o, "\n", 1);
    index_free(&seen);
    return st;
}

static peck_status open_csv(void *state, struct output *o, const struct layout *l,
                            peck_error *err)
{
    struct csv_writer *const s = state;

    s->delimiter = ',';
    s->format = "csv";
    return write_csv_header(s, o, l, err);
}

static peck_status open_tsv(void *state, struct output *o, const struct layout *l,
                            peck_error *err)
{
    struct csv_writer *const s = state;

    s->delimiter = '\t';
    s->format = "tsv";
    return write_csv_header(s, o, l, err);
}

/* A delimiter and a number. */
static char *put_number(char *p, float value, char delimiter)
{
    *p++ = delimiter;
    return p + number_write(p, value);
}

static peck_status write_csv_block(void *state, struct output *o, const struct layout *l,
                                   const struct query_block *b, peck_error *err)
{
    struct csv_writer *const s = state;
    const char d = s->delimiter;
    const size_t dim = l->dim;
    const size_t fixed = room_for(b->query.n) + (dim + 4) * (NUMBER_MAX + 1);

    if (b->query.n == 0 || !span_is_one_line(b->query))
        return fail(err, PECK_ARG,
                    "query '%.*s': %s cannot hold such an id; write the cache",
                    SPAN_ARGS(b->query), s->format);
    for (size_t r = 0; r < b->docs.n; r++) {
        const float *const x = b->docs.x + r * b->docs.stride;
        const peck_span id = block_doc_id(b, r);

        if (!span_is_one_line(id))
            return fail(
                err, PECK_ARG,
                "document '%.*s': %s cannot hold an id with a line break; write the "
                "cache",
                SPAN_ARGS(id), s->format);
        if (!mem_reserve(&s->line, &s->cap, fixed + room_for(id.n), 1))
            return fail_memory(err, "a line", fixed + room_for(id.n), 1);
        char *p = put_label(s->line, b->label[r]);

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
        for (size_t i = 0; i < dim; i++)
            p = put_number(p, x[i], d);
        *p++ = '\n';
        output_write(o, s->line, (size_t)(p - s->line));
    }
    return PECK_OK;
}

static void close_csv(void *state)
{
    struct csv_writer *const s = state;

    mem_free(s->line);
}

#define COLUMNS_DOC                                                                    \
    "The header names label, query, then doc, weight and query_weight where the data " \
    "has them, then the features by name (f1, f2, ... without names).  Quotes follow " \
    "RFC 4180; '?' is the label of an unjudged document."

const struct writer_kind writer_csv = {
    .plug = { .about = { "csv", "comma-separated values with a header", COLUMNS_DOC } },
    .endings = (const char *const[]){ ".csv", NULL },
    .state_size = sizeof(struct csv_writer),
    .open = open_csv,
    .block = write_csv_block,
    .close = close_csv,
};

const struct writer_kind writer_tsv = {
    .plug = { .about = { "tsv", "tab-separated values with a header", COLUMNS_DOC } },
    .endings = (const char *const[]){ ".tsv", NULL },
    .state_size = sizeof(struct csv_writer),
    .open = open_tsv,
    .block = write_csv_block,
    .close = close_csv,
};
