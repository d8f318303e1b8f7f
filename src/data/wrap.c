/* wrap.c -- a dataset over arrays that a program already has. */
#include "dataset.h"

#include "../base/alloc.h"

static peck_status check_sizes(const uint32_t *docs_in_query, size_t n_queries,
                               size_t n_docs, peck_error *err)
{
    size_t sum = 0;

    for (size_t q = 0; q < n_queries; q++) {
        if (docs_in_query[q] == 0)
            return fail(err, PECK_SHAPE, "query %zu (counted from 1) has no document",
                        q + 1);
        sum += docs_in_query[q];
    }
    if (sum != n_docs)
        return fail(err, PECK_SHAPE, "the queries hold %zu documents, but there are %zu",
                    sum, n_docs);
    return PECK_OK;
}

static peck_status copy_labels(struct peck_dataset *d, const float *label, peck_error *err)
{
    for (size_t i = 0; i < d->n_docs; i++) {
        const float y = label != NULL ? label[i] : PECK_UNJUDGED;

        if (!is_label(y))
            return fail(
                err, PECK_FORMAT,
                "label %g of document %zu (counted from 1): labels are finite and 0 "
                "or more, or PECK_UNJUDGED",
                (double)y, i + 1);
        d->label[i] = y;
    }
    return PECK_OK;
}

static peck_status fill(struct peck_dataset *d, const float *label,
                        const uint32_t *docs_in_query, peck_error *err)
{
    char id[32];

    d->label = mem_new(d->n_docs, sizeof *d->label);
    d->start = mem_new(d->n_queries + 1, sizeof *d->start);
    if (d->label == NULL || d->start == NULL)
        return fail_memory(err, d->name, d->n_docs, sizeof *d->label);
    TRY(copy_labels(d, label, err));
    for (size_t q = 0; q < d->n_queries; q++) {
        const int n = snprintf(id, sizeof id, "%zu", q + 1);

        d->start[q + 1] = d->start[q] + docs_in_query[q];
        if (!strings_add(&d->query_id, (peck_span){ id, (size_t)n }))
            return fail_memory(err, d->name, d->n_queries, sizeof id);
    }
    dataset_count_labels(d);
    return PECK_OK;
}

peck_status peck_dataset_wrap(peck_dataset **out, const float *x, size_t n_docs,
                              size_t n_features, const float *label,
                              const uint32_t *docs_in_query, size_t n_queries,
                              peck_error *err)
{
    *out = NULL;
    if (n_docs == 0 || n_queries == 0)
        return fail(err, PECK_SHAPE, "there is no document; give at least one");
    TRY(check_sizes(docs_in_query, n_queries, n_docs, err));
    struct peck_dataset *const d = dataset_new("the wrapped data");

    if (d == NULL)
        return fail_memory(err, "the wrapped data", 1, sizeof *d);
    d->n_docs = n_docs;
    d->n_queries = n_queries;
    d->dim = n_features;
    d->x = x;
    d->reader = "wrap";
    const peck_status st = fill(d, label, docs_in_query, err);

    if (st != PECK_OK)
        peck_dataset_free(d);
    else
        *out = d;
    return st;
}
