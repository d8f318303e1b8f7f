/* locate.c -- see locate.h. */
#include "locate.h"

#include "../base/alloc.h"
#include "../base/number.h"

#define AMBIGUOUS UINT64_MAX

peck_status locator_add_queries(struct locator *l, peck_error *err)
{
    for (size_t q = 0; q < l->d->n_queries; q++)
        if (index_put(&l->query, strings_get(&l->d->query_id, q)) == INDEX_FULL)
            return fail_memory(err, l->d->name, l->d->n_queries, sizeof(peck_span));
    return PECK_OK;
}

static peck_status add_doc(struct locator *l, size_t query, size_t row, peck_error *err)
{
    const peck_span id = strings_get(&l->d->doc_id, row);
    const size_t n_before = l->doc.names.n;

    if (id.n == 0 || id.n > MAX_ID)
        return PECK_OK;
    const int64_t i = index_put(&l->doc, pair_key(&l->key, query, id));

    if (i == INDEX_FULL)
        return fail_memory(err, l->d->name, l->d->n_docs, sizeof(peck_span));
    l->doc_row[i] = (size_t)i == n_before ? row : AMBIGUOUS;
    return PECK_OK;
}

peck_status locator_add_docs(struct locator *l, peck_error *err)
{
    if (l->d->doc_id.n == 0)
        return PECK_OK;
    l->doc_row = mem_new(l->d->n_docs, sizeof *l->doc_row);
    if (l->doc_row == NULL)
        return fail_memory(err, l->d->name, l->d->n_docs, sizeof *l->doc_row);
    for (size_t q = 0; q < l->d->n_queries; q++)
        for (size_t r = l->d->start[q]; r < l->d->start[q + 1]; r++)
            TRY(add_doc(l, q, r, err));
    return PECK_OK;
}

peck_status locator_add_file_rows(struct locator *l, peck_error *err)
{
    const struct peck_dataset *const d = l->d;

    if (d->file_row == NULL)
        return PECK_OK;
    l->row_of_file = mem_new(d->n_docs, sizeof *l->row_of_file);
    if (l->row_of_file == NULL)
        return fail_memory(err, d->name, d->n_docs, sizeof *l->row_of_file);
    for (size_t r = 0; r < d->n_docs; r++)
        l->row_of_file[d->file_row[r]] = r;
    return PECK_OK;
}

void locator_free(struct locator *l)
{
    index_free(&l->query);
    index_free(&l->doc);
    mem_free(l->doc_row);
    mem_free(l->row_of_file);
}

peck_status locate_query(const struct locator *l, struct place at, peck_span name,
                         size_t *query, peck_error *err)
{
    const int64_t q = index_find(&l->query, name);

    if (q < 0)
        return fail(err, PECK_FORMAT, "%s:%zu: the data has no query '%.*s'", at.file,
                    at.line, SPAN_ARGS(name));
    *query = (size_t)q;
    return PECK_OK;
}

peck_status locate_row(const struct locator *l, struct place at, size_t query,
                       peck_span name, size_t *row, peck_error *err)
{
    const size_t first = l->d->start[query], n = l->d->start[query + 1] - first;
    uint64_t in_query;

    if (!number_parse_u64(name, &in_query) || in_query >= n)
        return fail(
            err, PECK_FORMAT,
            "%s:%zu: query '%.*s' has no document '%.*s'; its %zu rows count from 0",
            at.file, at.line, SPAN_ARGS(strings_get(&l->query.names, query)),
            SPAN_ARGS(name), n);
    *row = first + in_query;
    return PECK_OK;
}

peck_status locate_doc(struct locator *l, struct place at, size_t query, peck_span name,
                       size_t *row, peck_error *err)
{
    const int64_t i =
        name.n <= MAX_ID ? index_find(&l->doc, pair_key(&l->key, query, name)) : -1;

    if (i < 0)
        return locate_row(l, at, query, name, row, err);
    if (l->doc_row[i] == AMBIGUOUS)
        return fail(err, PECK_FORMAT,
                    "%s:%zu: query '%.*s' has several documents '%.*s'; name them by row",
                    at.file, at.line, SPAN_ARGS(strings_get(&l->query.names, query)),
                    SPAN_ARGS(name));
    *row = l->doc_row[i];
    return PECK_OK;
}

peck_status locate_file_row(const struct locator *l, struct place at, peck_span name,
                            size_t *row, peck_error *err)
{
    uint64_t in_file;

    if (!number_parse_u64(name, &in_file) || in_file >= l->d->n_docs)
        return fail(err, PECK_FORMAT,
                    "%s:%zu: '%.*s' is no row of %s, whose %zu documents count from 0",
                    at.file, at.line, SPAN_ARGS(name), l->d->name, l->d->n_docs);
    *row = l->row_of_file != NULL ? l->row_of_file[in_file] : in_file;
    return PECK_OK;
}

size_t locate_query_of(const struct peck_dataset *d, size_t row)
{
    size_t lo = 0, hi = d->n_queries;

    while (hi - lo > 1) {
        const size_t mid = lo + (hi - lo) / 2;

        if (d->start[mid] <= row)
            lo = mid;
        else
            hi = mid;
    }
    return lo;
}
