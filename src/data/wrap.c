/* wrap.c -- a dataset over arrays that a program already has. */
#include "dataset.h"

#include "../base/alloc.h"
#include "../base/spec.h"

#include <math.h>

const struct text_rule feature_names = { "name", "a name", "feature", "features", false };

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

peck_status take_texts(struct strings *to, const char *const *from, size_t n,
                       const struct text_rule *rule, peck_error *err)
{
    struct index distinct = { 0 };

    for (size_t i = 0; from == NULL && i < n; i++)
        if (!strings_add_number(to, i + 1))
            return fail_memory(err, rule->many, n, sizeof(uint64_t));
    if (from == NULL)
        return PECK_OK;
    for (size_t i = 0; i < n; i++) {
        const peck_span s = span_of(from[i]);

        if ((s.n == 0 && !rule->may_be_empty) || s.n > MAX_ID || !span_is_one_line(s))
            return fail(err, PECK_ARG, "the %s of %s %zu is %s; %s is one line of text",
                        rule->what, rule->one, i + 1,
                        s.n == 0       ? "empty"
                        : s.n > MAX_ID ? "too long"
                                       : "no line",
                        rule->a_what);
        if (!strings_add(to, s))
            return fail_memory(err, rule->many, n, sizeof(uint64_t));
    }
    if (rule->may_be_empty)
        return PECK_OK;
    const int64_t n_distinct = index_distinct(&distinct, to);

    index_free(&distinct);
    if (n_distinct == INDEX_FULL)
        return fail_memory(err, rule->many, n, sizeof(uint64_t));
    return (size_t)n_distinct == n
               ? PECK_OK
               : fail(err, PECK_ARG, "two %s are called '%.*s'", rule->many,
                      SPAN_ARGS(strings_get(to, (size_t)n_distinct)));
}

/* Weights of `what`; NULL stays NULL. */
static peck_status copy_weights(float **to, const float *from, size_t n, const char *what,
                                peck_error *err)
{
    if (from == NULL)
        return PECK_OK;
    if ((*to = mem_new(n, sizeof **to)) == NULL)
        return fail_memory(err, "weights", n, sizeof **to);
    for (size_t i = 0; i < n; i++) {
        if (!(from[i] > 0.0f && from[i] <= FLT_MAX))
            return fail(err, PECK_FORMAT,
                        "weight %g of %s %zu (counted from 1): weights are finite and "
                        "above 0",
                        (double)from[i], what, i + 1);
        (*to)[i] = from[i];
    }
    return PECK_OK;
}

/* Features that are the dataset's own, where the caller wants that, and NaN for those that
 * are missing. */
static peck_status take_features(struct peck_dataset *d, const peck_arrays *a,
                                 peck_error *err)
{
    size_t n;

    if (mul_overflow(d->n_docs, d->dim, &n))
        return fail_memory(err, d->name, d->n_docs, d->dim * sizeof *d->x);
    d->x = a->x;
    if (a->copies_x) {
        if ((d->x_owned = mem_new(n, sizeof *d->x_owned)) == NULL)
            return fail_memory(err, d->name, n, sizeof *d->x_owned);
        if (n > 0)
            memcpy(d->x_owned, a->x, n * sizeof *d->x_owned);
        d->x = d->x_owned;
    }
    for (size_t i = 0; a->keep_missing && i < n; i++)
        d->n_missing += isnan(d->x[i]) != 0;
    d->keeps_missing = d->n_missing > 0;
    return PECK_OK;
}

static peck_status fill_wrapped(struct peck_dataset *d, const peck_arrays *a,
                                peck_error *err)
{
    static const struct text_rule query = { "id", "an id", "query", "queries", false },
                                  doc = { "id", "an id", "document", "documents", true };

    TRY(take_features(d, a, err));
    d->label = mem_new(d->n_docs, sizeof *d->label);
    d->start = mem_new(d->n_queries + 1, sizeof *d->start);
    if (d->label == NULL || d->start == NULL)
        return fail_memory(err, d->name, d->n_docs, sizeof *d->label);
    TRY(copy_labels(d, a->label, err));
    for (size_t q = 0; q < d->n_queries; q++)
        d->start[q + 1] = d->start[q] + a->docs_in_query[q];
    TRY(take_texts(&d->query_id, a->query_id, d->n_queries, &query, err));
    if (a->doc_id != NULL)
        TRY(take_texts(&d->doc_id, a->doc_id, d->n_docs, &doc, err));
    if (a->feature_name != NULL)
        TRY(take_texts(&d->feature_name, a->feature_name, d->dim, &feature_names, err));
    TRY(copy_weights(&d->doc_weight, a->doc_weight, d->n_docs, "document", err));
    TRY(copy_weights(&d->query_weight, a->query_weight, d->n_queries, "query", err));
    dataset_count_labels(d);
    return PECK_OK;
}

peck_status peck_dataset_make(peck_dataset **out, const peck_arrays *arrays,
                              peck_error *err)
{
    peck_arrays a;

    *out = NULL;
    TRY(SPEC_TAKE(peck_arrays, &a, keep_missing, arrays, err));
    if (a.n_docs == 0 || a.n_queries == 0)
        return fail(err, PECK_SHAPE, "there is no document; give at least one");
    TRY(check_sizes(a.docs_in_query, a.n_queries, a.n_docs, err));
    struct peck_dataset *const d = dataset_new("the wrapped data");

    if (d == NULL)
        return fail_memory(err, "the wrapped data", 1, sizeof *d);
    d->n_docs = a.n_docs;
    d->n_queries = a.n_queries;
    d->dim = a.n_features;
    d->reader = "wrap";
    const peck_status st = fill_wrapped(d, &a, err);

    if (st != PECK_OK)
        peck_dataset_free(d);
    else
        *out = d;
    return st;
}

peck_status peck_dataset_wrap(peck_dataset **out, const float *x, size_t n_docs,
                              size_t n_features, const float *label,
                              const uint32_t *docs_in_query, size_t n_queries,
                              peck_error *err)
{
    return peck_dataset_make(out,
                             &(peck_arrays){ .x = x,
                                             .n_docs = n_docs,
                                             .n_features = n_features,
                                             .label = label,
                                             .docs_in_query = docs_in_query,
                                             .n_queries = n_queries },
                             err);
}
