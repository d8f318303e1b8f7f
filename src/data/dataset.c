/* dataset.c -- the one in-memory form; see dataset.h. */
#include "dataset.h"

#include "../base/alloc.h"

#include <math.h>

struct peck_dataset *dataset_new(const char *name)
{
    struct peck_dataset *const d = mem_new(1, sizeof *d);
    const size_t n = strlen(name) + 1;

    if (d == NULL || (d->name = mem_new(n, 1)) == NULL) {
        mem_free(d);
        return NULL;
    }
    memcpy(d->name, name, n);
    return d;
}

/* Frees what is ours: an array inside `mapped` goes with it. */
static void drop(const struct peck_dataset *d, void *array)
{
    const uintptr_t at = (uintptr_t)array, first = (uintptr_t)d->mapped.data;

    if (at < first || at >= first + d->mapped.size)
        mem_free(array);
}

void peck_dataset_free(peck_dataset *d)
{
    if (d == NULL)
        return;
    strings_free(&d->query_id);
    strings_free(&d->doc_id);
    strings_free(&d->feature_name);
    mem_free(d->missing_in);
    mem_free(d->x_owned);
    if (!d->is_view) {
        drop(d, d->label);
        drop(d, d->start);
        drop(d, d->doc_weight);
        drop(d, d->query_weight);
        drop(d, d->file_row);
        mem_free(d->name);
        input_close(&d->mapped);
    }
    mem_free(d);
}

struct rows dataset_rows(const struct peck_dataset *d, size_t query)
{
    const size_t first = d->start[query], n = d->start[query + 1] - first;

    return (struct rows){ d->x + first * d->dim, n, d->dim, d->dim };
}

void dataset_count_labels(struct peck_dataset *d)
{
    float top = 0.0f;
    size_t judged = 0;

    for (size_t i = 0; i < d->n_docs; i++) {
        judged += d->label[i] >= 0.0f;
        top = d->label[i] > top ? d->label[i] : top;
    }
    d->n_judged = judged;
    d->max_label = top;
}

/* Finite features ----------------------------------------------------------------- */

enum { SHARD = 1 << 16 }; /* floats a task looks at */

struct finite_check {
    const float *x;
    size_t n;
    bool may_miss; /* NaN is good */
    size_t *bad;   /* per shard: index of the first bad one in it, or n */
};

static size_t first_bad(const float *x, size_t lo, size_t hi, bool may_miss, size_t none)
{
    size_t n_bad = 0;

    for (size_t i = lo; i < hi; i++)
        n_bad += !(fabsf(x[i]) <= 3.402823466e38f);
    for (; n_bad > 0 && lo < hi; lo++)
        if (!isfinite(x[lo]) && !(may_miss && isnan(x[lo])))
            return lo;
    return none;
}

static void check_shard(void *ctx, size_t i, int worker)
{
    struct finite_check *const c = ctx;
    const size_t lo = i * SHARD, hi = lo + SHARD < c->n ? lo + SHARD : c->n;

    (void)worker;
    c->bad[i] = first_bad(c->x, lo, hi, c->may_miss, c->n);
}

static peck_status refuse_feature(const struct peck_dataset *d, size_t at, peck_error *err)
{
    const bool is_missing = isnan(d->x[at]) && d->keeps_missing;
    const bool is_cache = d->reader != NULL && strcmp(d->reader, "cache") == 0;
    const peck_span name = peck_dataset_feature_name(d, at % d->dim);
    char number[32];

    /* In a view it may stand elsewhere than in the file: there names tell which it is. */
    snprintf(number, sizeof number, "%zu", at % d->dim + 1);
    const peck_span which = d->is_view && name.n > 0 ? name : span_of(number);

    return fail(err, PECK_FORMAT, "%s: feature %.*s of document %zu (counted from 1) is %s",
                d->name, SPAN_ARGS(which), at / d->dim + 1,
                is_missing ? "missing; only trees (lambdamart, mart) over norm none, query "
                             "or query-zscore can do with that: say --missing zero or mean"
                : isnan(d->x[at]) && is_cache ? "missing (NaN); " MISSING_ADVICE
                : isnan(d->x[at])             ? "NaN; features must be finite"
                                              : "infinite; features must be finite");
}

peck_status dataset_check_features(const struct peck_dataset *d, bool may_miss,
                                   struct pool *pool, peck_error *err)
{
    const size_t n = d->n_docs * d->dim, n_shards = (n + SHARD - 1) / SHARD;
    size_t at = n;

    if (d->is_checked || n == 0)
        return PECK_OK;
    struct finite_check c = { d->x, n, may_miss && d->keeps_missing,
                              mem_new(n_shards, sizeof *c.bad) };

    if (c.bad == NULL)
        return fail_memory(err, d->name, n_shards, sizeof *c.bad);
    pool_run(pool, n_shards, check_shard, &c);
    for (size_t i = 0; i < n_shards && at == n; i++)
        at = c.bad[i];
    mem_free(c.bad);
    return at == n ? PECK_OK : refuse_feature(d, at, err);
}

/* Views --------------------------------------------------------------------------- */

void peck_dataset_describe(const peck_dataset *d, peck_dataset_info *info)
{
    *info = (peck_dataset_info){
        .n_docs = d->n_docs,
        .n_queries = d->n_queries,
        .n_features = d->dim,
        .n_judged = d->n_judged,
        .n_missing = d->n_missing,
        .max_label = d->max_label,
        .has_doc_ids = d->doc_id.n > 0,
        .has_doc_weights = d->doc_weight != NULL,
        .has_query_weights = d->query_weight != NULL,
        .has_feature_names = d->feature_name.n > 0,
        .was_gathered = d->file_row != NULL,
        .reader = d->reader,
    };
}

void peck_dataset_query(const peck_dataset *d, size_t query, peck_query *out)
{
    const struct rows docs = dataset_rows(d, query);
    const size_t first = d->start[query];

    *out = (peck_query){
        .id = strings_get(&d->query_id, query),
        .x = docs.x,
        .label = d->label + first,
        .doc_weight = d->doc_weight != NULL ? d->doc_weight + first : NULL,
        .n_docs = docs.n,
        .stride = docs.stride,
        .first = first,
        .weight = d->query_weight != NULL ? d->query_weight[query] : 1.0f,
    };
}

peck_span peck_dataset_doc_id(const peck_dataset *d, size_t row)
{
    return d->doc_id.n > 0 ? strings_get(&d->doc_id, row) : (peck_span){ "", 0 };
}

peck_span peck_dataset_feature_name(const peck_dataset *d, size_t i)
{
    return d->feature_name.n > 0 ? strings_get(&d->feature_name, i) : (peck_span){ "", 0 };
}

/* Parts of a dataset -------------------------------------------------------------- */

static bool copy_strings(struct strings *to, const struct strings *from)
{
    if (!strings_reserve(to, from->n, from->n > 0 ? from->at[from->n] : 0))
        return false;
    for (size_t i = 0; i < from->n; i++)
        if (!strings_add(to, strings_get(from, i)))
            return false;
    return true;
}

/* All of t's memory, for n_docs documents in n_queries queries of d's shape. */
static bool take_memory(struct peck_dataset *t, const struct peck_dataset *d)
{
    size_t cells;

    if (mul_overflow(t->n_docs, d->dim, &cells))
        return false;
    t->x = t->x_owned = mem_new(cells, sizeof *t->x_owned);
    t->label = mem_new(t->n_docs, sizeof *t->label);
    t->start = mem_new(t->n_queries + 1, sizeof *t->start);
    if (d->doc_weight != NULL)
        t->doc_weight = mem_new(t->n_docs, sizeof *t->doc_weight);
    if (d->query_weight != NULL)
        t->query_weight = mem_new(t->n_queries, sizeof *t->query_weight);
    return t->x != NULL && t->label != NULL && t->start != NULL &&
           (d->doc_weight == NULL || t->doc_weight != NULL) &&
           (d->query_weight == NULL || t->query_weight != NULL) &&
           copy_strings(&t->feature_name, &d->feature_name);
}

/* Copies query `from` of d to be query `to` of t, whose start[to] is set. */
static bool take_query(struct peck_dataset *t, size_t to, const struct peck_dataset *d,
                       size_t from)
{
    const struct rows docs = dataset_rows(d, from);
    const size_t src = d->start[from], dst = t->start[to];

    t->start[to + 1] = dst + docs.n;
    if (d->dim > 0)
        memcpy(t->x_owned + dst * d->dim, docs.x, docs.n * d->dim * sizeof *docs.x);
    memcpy(t->label + dst, d->label + src, docs.n * sizeof *d->label);
    if (d->doc_weight != NULL)
        memcpy(t->doc_weight + dst, d->doc_weight + src, docs.n * sizeof *d->doc_weight);
    if (d->query_weight != NULL)
        t->query_weight[to] = d->query_weight[from];
    for (size_t i = 0; i < docs.n && d->doc_id.n > 0; i++)
        if (!strings_add(&t->doc_id, strings_get(&d->doc_id, src + i)))
            return false;
    return strings_add(&t->query_id, strings_get(&d->query_id, from));
}

peck_status dataset_take(struct peck_dataset **out, const struct peck_dataset *d,
                         const uint32_t *query, size_t n_queries, peck_error *err)
{
    struct peck_dataset *const t = dataset_new(d->name);

    *out = NULL;
    if (t == NULL)
        return fail_memory(err, d->name, 1, sizeof *t);
    t->dim = d->dim;
    t->reader = d->reader;
    t->is_checked = d->is_checked;
    t->keeps_missing = d->keeps_missing;
    t->is_sparse = d->is_sparse;
    t->n_queries = n_queries;
    for (size_t q = 0; q < n_queries; q++)
        t->n_docs += d->start[query[q] + 1] - d->start[query[q]];
    bool fits = take_memory(t, d);

    for (size_t q = 0; q < n_queries && fits; q++)
        fits = take_query(t, q, d, query[q]);
    if (!fits) {
        const size_t n_docs = t->n_docs;

        peck_dataset_free(t);
        return fail_memory(err, d->name, n_docs * d->dim, sizeof(float));
    }
    dataset_count_labels(t);
    *out = t;
    return PECK_OK;
}

/* Query `from` of d as query `to` of t: its features and its name alone. */
static bool take_unjudged(struct peck_dataset *t, size_t to, const struct peck_dataset *d,
                          size_t from)
{
    const struct rows docs = dataset_rows(d, from);
    const size_t dst = t->start[to];

    t->start[to + 1] = dst + docs.n;
    if (d->dim > 0)
        memcpy(t->x_owned + dst * d->dim, docs.x, docs.n * d->dim * sizeof *docs.x);
    for (size_t i = 0; i < docs.n; i++) {
        t->label[dst + i] = PECK_UNJUDGED;
        if (t->doc_weight != NULL)
            t->doc_weight[dst + i] = 1.0f;
        if (t->doc_id.n > 0 && !strings_add(&t->doc_id, (peck_span){ "", 0 }))
            return false;
    }
    if (t->query_weight != NULL)
        t->query_weight[to] = 1.0f;
    return strings_add(&t->query_id, strings_get(&d->query_id, from));
}

peck_status dataset_join(struct peck_dataset **out, const struct peck_dataset *d,
                         const struct peck_dataset *more, peck_error *err)
{
    struct peck_dataset *const t = dataset_new(d->name);

    *out = NULL;
    if (t == NULL)
        return fail_memory(err, d->name, 1, sizeof *t);
    t->dim = d->dim;
    t->reader = d->reader;
    t->is_checked = d->is_checked && more->is_checked;
    t->keeps_missing = d->keeps_missing;
    t->is_sparse = d->is_sparse;
    t->n_queries = d->n_queries + more->n_queries;
    t->n_docs = d->n_docs + more->n_docs;
    bool fits = take_memory(t, d);

    for (size_t q = 0; q < d->n_queries && fits; q++)
        fits = take_query(t, q, d, q);
    for (size_t q = 0; q < more->n_queries && fits; q++)
        fits = take_unjudged(t, d->n_queries + q, more, q);
    if (!fits) {
        peck_dataset_free(t);
        return fail_memory(err, more->name, (d->n_docs + more->n_docs) * d->dim,
                           sizeof(float));
    }
    dataset_count_labels(t);
    *out = t;
    return PECK_OK;
}
