/* dataset.c -- the one in-memory form; see dataset.h. */
#include "dataset.h"

#include "../base/alloc.h"
#include "../base/rng.h"

#include <assert.h>
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

/* An array of a cache lies in the mapped file, which goes as a whole. */
void dataset_free_array(const struct peck_dataset *d, void *array)
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
    if (!d->is_view || d->has_own_labels)
        dataset_free_array(d, d->label);
    if (!d->is_view) {
        mem_free(d->share);
        dataset_free_array(d, d->start);
        dataset_free_array(d, d->doc_weight);
        dataset_free_array(d, d->query_weight);
        dataset_free_array(d, d->file_row);
        mem_free(d->place);
        mem_free(d->name);
    }
    if (!d->is_view && !d->is_part)
        input_close(&d->mapped);
    mem_free(d);
}

struct rows dataset_rows(const struct peck_dataset *d, size_t query)
{
    const size_t n = dataset_query_size(d, query);
    const size_t first = d->place != NULL ? d->place[query] : d->start[query];

    return (struct rows){ d->x + first * d->dim, n, d->dim, d->dim };
}

/* The last query that begins at a row or before it. */
static size_t query_of_row(const struct peck_dataset *d, size_t row)
{
    size_t low = 0, high = d->n_queries;

    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;

        if (d->start[middle] <= row)
            low = middle;
        else
            high = middle;
    }
    return low;
}

const float *dataset_row(const struct peck_dataset *d, size_t row)
{
    const size_t q = d->place != NULL ? query_of_row(d, row) : 0;

    return d->x + (d->place != NULL ? d->place[q] + row - d->start[q] : row) * d->dim;
}

void dataset_forget(const struct peck_dataset *d)
{
    input_forget(&d->mapped, d->mapped.data, d->mapped.size);
}

void dataset_forget_queries(const struct peck_dataset *d, size_t first, size_t end)
{
    const struct rows from = dataset_rows(d, first), to = dataset_rows(d, end - 1);

    if (from.x <= to.x)
        input_forget(&d->mapped, from.x,
                     ((size_t)(to.x - from.x) + to.n * d->dim) * sizeof *from.x);
}

void dataset_scatter(const struct peck_dataset *d, bool is_scattered)
{
    input_scatter(&d->mapped, is_scattered);
}

void dataset_expect_query(const struct peck_dataset *d, size_t q)
{
    const struct rows x = dataset_rows(d, q);

    input_expect(&d->mapped, x.x, x.n * d->dim * sizeof *x.x);
}

size_t dataset_longest_query(const struct peck_dataset *d)
{
    size_t longest = 0;

    for (size_t q = 0; q < d->n_queries; q++)
        if (dataset_query_size(d, q) > longest)
            longest = dataset_query_size(d, q);
    return longest;
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

enum { SHARD = 1 << 18 }; /* floats a task looks at */

struct finite_check {
    const struct peck_dataset *d;
    size_t first, end; /* queries that are looked at */
    bool may_miss;     /* NaN is good */
    size_t *bad;       /* per shard: index in x of the first bad one in it, or SIZE_MAX */
};

/* A shard of x, or a query of a part.  Counts first, without a branch: good data holds no
 * surprise. */
static void check_shard(void *ctx, size_t i, int worker)
{
    struct finite_check *const c = ctx;
    const float *const x = c->d->x;
    const size_t n = c->d->start[c->end] * c->d->dim;
    size_t lo = c->d->start[c->first] * c->d->dim + i * SHARD,
           hi = lo + SHARD < n ? lo + SHARD : n, n_bad = 0;

    (void)worker;
    if (c->d->place != NULL) {
        lo = c->d->place[c->first + i] * c->d->dim;
        hi = lo + dataset_query_size(c->d, c->first + i) * c->d->dim;
    }
    const size_t from = lo;

    for (size_t k = lo; k < hi; k++)
        n_bad += !(fabsf(x[k]) <= FLT_MAX);
    while (n_bad > 0 && lo < hi && (isfinite(x[lo]) || (c->may_miss && isnan(x[lo]))))
        lo++;
    c->bad[i] = n_bad > 0 && lo < hi ? lo : SIZE_MAX;
    input_forget(&c->d->mapped, x + from, (hi - from) * sizeof *x);
}

/* Says which value it is, x[at] of a document, and what can be done about it. */
static peck_status refuse_feature(const struct peck_dataset *d, size_t at, size_t row,
                                  peck_error *err)
{
    const bool is_missing = isnan(d->x[at]) && d->keeps_missing;
    const bool is_cache = d->reader != NULL && strcmp(d->reader, "cache") == 0;
    const peck_span name = peck_dataset_feature_name(d, at % d->dim);
    char number[32];

    /* In a view it may stand elsewhere than in the file: there names tell which it is. */
    snprintf(number, sizeof number, "%zu", at % d->dim + 1);
    const peck_span which = d->is_view && name.n > 0 ? name : span_of(number);

    return fail(err, PECK_FORMAT, "%s: feature %.*s of document %zu (counted from 1) is %s",
                d->name, SPAN_ARGS(which), row + 1,
                is_missing ? "missing; only trees (lambdamart, mart) with norm none, "
                             "query or query-zscore can use that: use --missing zero or "
                             "mean"
                : isnan(d->x[at]) && is_cache ? "missing (NaN); " MISSING_ADVICE
                : isnan(d->x[at])             ? "NaN; features must be finite"
                                              : "infinite; features must be finite");
}

/* Of the queries from first to the one before the end. */
static peck_status check_queries(const struct peck_dataset *d, size_t first, size_t end,
                                 bool may_miss, struct pool *pool, peck_error *err)
{
    const size_t n = (size_t)(d->start[end] - d->start[first]) * d->dim;
    const size_t n_shards = d->place != NULL ? end - first : (n + SHARD - 1) / SHARD;
    size_t at = SIZE_MAX, ahead = 0; /* rows by which x is ahead of the dataset's */

    if (d->is_checked || n == 0)
        return PECK_OK;
    struct finite_check c = { d, first, end, may_miss && d->keeps_missing,
                              mem_new(n_shards, sizeof *c.bad) };

    if (c.bad == NULL)
        return fail_memory(err, d->name, n_shards, sizeof *c.bad);
    pool_run(pool, n_shards, check_shard, &c);
    for (size_t i = 0; i < n_shards && at == SIZE_MAX; i++) {
        at = c.bad[i];
        ahead = d->place != NULL ? d->place[first + i] - d->start[first + i] : 0;
    }
    mem_free(c.bad);
    return at == SIZE_MAX ? PECK_OK : refuse_feature(d, at, at / d->dim - ahead, err);
}

peck_status dataset_check_features(const struct peck_dataset *d, bool may_miss,
                                   struct pool *pool, peck_error *err)
{
    return check_queries(d, 0, d->n_queries, may_miss, pool, err);
}

peck_status dataset_check_shared(const struct peck_dataset *d, bool may_miss,
                                 struct pool *pool, peck_error *err)
{
    const peck_status st =
        check_queries(d, dataset_own_first(d), dataset_own_end(d), may_miss, pool, err);

    return comm_is_shared(d->comm) ? comm_agree(d->comm, st, err) : st;
}

/* What others see ----------------------------------------------------------------- */

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
        .id = dataset_query_id(d, query),
        .x = docs.x,
        .label = dataset_labels(d, query),
        .doc_weight = d->doc_weight != NULL ? d->doc_weight + first : NULL,
        .n_docs = docs.n,
        .stride = docs.stride,
        .first = first,
        .weight = dataset_query_weight(d, query),
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

/* Datasets made of others ---------------------------------------------------------- */

struct peck_dataset *dataset_view(const struct peck_dataset *d)
{
    struct peck_dataset *const v = mem_new(1, sizeof *v);

    if (v == NULL)
        return NULL;
    *v = *d;
    v->is_view = true;
    v->has_own_labels = false;
    v->query_id.borrowed = v->doc_id.borrowed = v->feature_name.borrowed = true;
    v->x_owned = NULL;
    v->missing_in = NULL;
    return v;
}

peck_status dataset_with_labels(struct peck_dataset **out, const struct peck_dataset *d,
                                const float *label, peck_error *err)
{
    struct peck_dataset *const v = dataset_view(d);

    *out = NULL;
    if (v == NULL || (v->label = mem_new(d->n_docs, sizeof *v->label)) == NULL) {
        mem_free(v);
        return fail_memory(err, d->name, d->n_docs, sizeof *label);
    }
    v->has_own_labels = true;
    memcpy(v->label, label, d->n_docs * sizeof *label);
    dataset_count_labels(v);
    *out = v;
    return PECK_OK;
}

/* A dataset of d's shape with room for n_docs documents in n_queries queries, to be taken by
 * take_query in order, features too or, of a part, where they lie; NULL: no memory. */
static struct peck_dataset *dataset_like(const struct peck_dataset *d, size_t n_queries,
                                         size_t n_docs, bool is_part)
{
    struct peck_dataset *const t = dataset_new(d->name);
    size_t cells;

    if (t == NULL)
        return NULL;
    t->n_queries = n_queries;
    t->n_docs = n_docs;
    t->dim = d->dim;
    t->reader = d->reader;
    t->is_checked = d->is_checked;
    t->keeps_missing = d->keeps_missing;
    t->is_sparse = d->is_sparse;
    t->is_part = is_part;
    if (is_part) {
        t->x = d->x;
        t->mapped = d->mapped;
        t->place = mem_new(n_queries, sizeof *t->place);
    } else if (!mul_overflow(n_docs, d->dim, &cells)) {
        t->x = t->x_owned = mem_new(cells, sizeof *t->x_owned);
    }
    t->label = mem_new(n_docs, sizeof *t->label);
    t->start = mem_new(n_queries + 1, sizeof *t->start);
    if (d->doc_weight != NULL)
        t->doc_weight = mem_new(n_docs, sizeof *t->doc_weight);
    if (d->query_weight != NULL)
        t->query_weight = mem_new(n_queries, sizeof *t->query_weight);
    if (t->x != NULL && t->label != NULL && t->start != NULL &&
        (!is_part || t->place != NULL) &&
        (d->doc_weight == NULL || t->doc_weight != NULL) &&
        (d->query_weight == NULL || t->query_weight != NULL) &&
        strings_add_from(&t->feature_name, &d->feature_name, NULL, d->feature_name.n))
        return t;
    peck_dataset_free(t);
    return NULL;
}

/* Copies query `from` of d to be query `to` of t, whose start[to] is set; unjudged: its
 * features and its name alone. */
static bool take_query(struct peck_dataset *t, size_t to, const struct peck_dataset *d,
                       size_t from, bool unjudged)
{
    const struct rows docs = dataset_rows(d, from);
    const size_t src = d->start[from], dst = t->start[to];
    const bool is_own = dataset_own_first(d) <= from && from < dataset_own_end(d);
    const peck_span none = { "", 0 };
    bool fits = strings_add(&t->query_id, strings_get(&d->query_id, from));

    t->start[to + 1] = dst + docs.n;
    if (t->place != NULL)
        t->place[to] = d->place != NULL ? d->place[from] : src;
    else if (d->dim > 0 && is_own)
        memcpy(t->x_owned + dst * d->dim, docs.x, docs.n * d->dim * sizeof *docs.x);
    if (t->query_weight != NULL)
        t->query_weight[to] = unjudged ? 1.0f : d->query_weight[from];
    for (size_t i = 0; i < docs.n; i++) {
        t->label[dst + i] = unjudged ? PECK_UNJUDGED : d->label[src + i];
        if (t->doc_weight != NULL)
            t->doc_weight[dst + i] = unjudged ? 1.0f : d->doc_weight[src + i];
    }
    if (unjudged ? t->doc_id.n > 0 : d->doc_id.n > 0)
        for (size_t i = 0; i < docs.n && fits; i++)
            fits =
                strings_add(&t->doc_id, unjudged ? none : strings_get(&d->doc_id, src + i));
    return fits;
}

/* Queries `query` of d, in rising order, stay with the ranks that have them. */
static peck_status deal_as(struct peck_dataset *t, const struct peck_dataset *d,
                           const uint32_t *query, peck_error *err)
{
    const size_t ranks = comm_ranks(d->comm);

    t->share = mem_new(ranks + 1, sizeof *t->share);
    if (t->share == NULL)
        return fail_memory(err, d->name, ranks + 1, sizeof *t->share);
    t->comm = d->comm;
    for (size_t rank = 0, q = 0; rank <= ranks; rank++) {
        for (; q < t->n_queries && query[q] < d->share[rank]; q++)
            assert(q == 0 || query[q - 1] < query[q]);
        t->share[rank] = q;
    }
    return PECK_OK;
}

static peck_status take_queries(struct peck_dataset **out, const struct peck_dataset *d,
                                const uint32_t *query, size_t n_queries, bool is_part,
                                peck_error *err)
{
    size_t n_docs = 0;

    *out = NULL;
    for (size_t q = 0; q < n_queries; q++)
        n_docs += dataset_query_size(d, query[q]);
    struct peck_dataset *const t = dataset_like(d, n_queries, n_docs, is_part);
    bool fits = t != NULL;

    for (size_t q = 0; q < n_queries && fits; q++)
        fits = take_query(t, q, d, query[q], false);
    if (!fits) {
        peck_dataset_free(t);
        return fail_memory(err, d->name, n_docs * (is_part ? 1 : d->dim), sizeof(float));
    }
    dataset_count_labels(t);
    *out = t;
    return d->share != NULL ? deal_as(t, d, query, err) : PECK_OK;
}

peck_status dataset_take(struct peck_dataset **out, const struct peck_dataset *d,
                         const uint32_t *query, size_t n_queries, peck_error *err)
{
    return take_queries(out, d, query, n_queries, false, err);
}

peck_status dataset_part(struct peck_dataset **out, const struct peck_dataset *d,
                         const uint32_t *query, size_t n_queries, peck_error *err)
{
    return take_queries(out, d, query, n_queries, true, err);
}

peck_status dataset_join(struct peck_dataset **out, const struct peck_dataset *d,
                         const struct peck_dataset *more, peck_error *err)
{
    const size_t n_docs = d->n_docs + more->n_docs;
    struct peck_dataset *const t =
        dataset_like(d, d->n_queries + more->n_queries, n_docs, false);
    bool fits = t != NULL;

    *out = NULL;
    for (size_t q = 0; q < d->n_queries && fits; q++)
        fits = take_query(t, q, d, q, false);
    for (size_t q = 0; q < more->n_queries && fits; q++)
        fits = take_query(t, d->n_queries + q, more, q, true);
    if (!fits) {
        peck_dataset_free(t);
        return fail_memory(err, more->name, n_docs * d->dim, sizeof(float));
    }
    t->is_checked = d->is_checked && more->is_checked;
    dataset_count_labels(t);
    *out = t;
    return PECK_OK;
}

/* Click-through rates become labels (Papini and Diligenti 2012, section 5):
 *     label = floor(7 rate) / 2, rate in [0,1]; 1 belongs to the last part             */
peck_status peck_dataset_clicks(peck_dataset **out, const peck_dataset *d, peck_error *err)
{
    enum { N_PARTS = 7 };
    uint32_t *const all = mem_new(d->n_queries, sizeof *all);

    *out = NULL;
    if (all == NULL)
        return fail_memory(err, d->name, d->n_queries, sizeof *all);
    for (size_t q = 0; q < d->n_queries; q++)
        all[q] = (uint32_t)q;
    const peck_status st = dataset_take(out, d, all, d->n_queries, err);

    mem_free(all);
    for (size_t i = 0; st == PECK_OK && i < d->n_docs; i++) {
        const double rate = (double)d->label[i];

        if (d->label[i] == PECK_UNJUDGED)
            continue;
        if (rate > 1.0) {
            peck_dataset_free(*out);
            *out = NULL;
            return fail(err, PECK_FORMAT,
                        "%s: document %zu has the label %g, which is not a click rate; "
                        "those are in [0,1]",
                        d->name, i + 1, rate);
        }
        const int part = (int)(N_PARTS * rate);

        (*out)->label[i] = (float)(part < N_PARTS ? part : N_PARTS - 1) / 2.0f;
    }
    if (st == PECK_OK)
        dataset_count_labels(*out);
    return st;
}

/* Parts and ranks --------------------------------------------------------------------- */

size_t dataset_first_dealt(const struct peck_dataset *d, size_t i, size_t n)
{
    const uint64_t row = d->n_docs / n * i + (i < d->n_docs % n ? i : d->n_docs % n);
    size_t low = 0, high = d->n_queries;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (d->start[middle] < row)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static peck_status take_shard(peck_dataset **out, const peck_dataset *d, size_t n_shards,
                              size_t shard, peck_error *err)
{
    if (n_shards < 1 || shard >= n_shards)
        return fail(err, PECK_ARG, "shard %zu of %zu does not exist; shards count from 0",
                    shard, n_shards);
    const size_t first = dataset_first_dealt(d, shard, n_shards),
                 n = dataset_first_dealt(d, shard + 1, n_shards) - first;

    if (n == 0)
        return fail(err, PECK_SHAPE,
                    "%s: %zu shards of %zu queries would leave some empty; take fewer",
                    d->name, n_shards, d->n_queries);
    uint32_t *const query = mem_new(n, sizeof *query);

    if (query == NULL)
        return fail_memory(err, d->name, n, sizeof *query);
    for (size_t q = 0; q < n; q++)
        query[q] = (uint32_t)(first + q);
    const peck_status st = dataset_take(out, d, query, n, err);

    mem_free(query);
    return st;
}

peck_status dataset_share_rows(const struct peck_dataset *d, void *all, size_t size,
                               peck_error *err)
{
    const size_t ranks = comm_ranks(d->comm);

    if (d->share == NULL)
        return PECK_OK;
    size_t *const first = mem_new(ranks + 1, sizeof *first);

    if (first == NULL)
        return fail_memory(err, "what ranks exchange", ranks + 1, sizeof *first);
    for (size_t i = 0; i <= ranks; i++)
        first[i] = (size_t)d->start[d->share[i]];
    const peck_status st = comm_share(d->comm, all, first, size, err);

    mem_free(first);
    return st;
}

peck_status dataset_deal(struct peck_dataset *d, const peck_comm *comm, peck_error *err)
{
    const size_t ranks = comm_ranks(comm);
    char text[sizeof err->text];

    snprintf(text, sizeof text,
             "%.200s: ranks see different data under this name; give all of them the same "
             "file",
             d->name);
    TRY(comm_compare(comm, frame_fingerprint(d), text, err));
    d->comm = comm;
    d->share = mem_new(ranks + 1, sizeof *d->share);
    const peck_status st =
        d->share != NULL ? PECK_OK : fail_memory(err, d->name, ranks + 1, sizeof *d->share);

    for (size_t rank = 0; st == PECK_OK && rank <= ranks; rank++)
        d->share[rank] = dataset_first_dealt(d, rank, ranks);
    return comm_agree(comm, st, err);
}

/* Folds and hold-outs --------------------------------------------------------------- */

/* By query, seeded: the queries are shuffled (Fisher and Yates) once per seed and dealt round
 * robin, so the parts of all folds come from the same deal: the test parts partition the
 * data.  A part keeps the dataset's order of queries. */

/* Streams of the seed, so that a fold and a hold-out of it do not share a shuffle. */
enum { STREAM_FOLD = 1, STREAM_HOLDOUT = 2 };

/* Of a fold. */
enum part { PART_TRAIN, PART_VALID, PART_TEST, N_PARTS };

/* A seeded permutation of the queries; NULL: no memory. */
static uint32_t *shuffle_queries(size_t n, uint64_t seed, uint64_t stream)
{
    uint32_t *const query = mem_new(n, sizeof *query);
    struct rng rng;

    if (query == NULL)
        return NULL;
    for (size_t i = 0; i < n; i++)
        query[i] = (uint32_t)i;
    rng_seed(&rng, seed, stream);
    rng_shuffle(&rng, query, n);
    return query;
}

static peck_status take_marked(struct peck_dataset **out, const struct peck_dataset *d,
                               const bool *mark, bool wanted, bool is_part, peck_error *err)
{
    uint32_t *const query = mem_new(d->n_queries, sizeof *query);
    size_t n = 0;

    if (query == NULL)
        return fail_memory(err, d->name, d->n_queries, sizeof *query);
    for (size_t q = 0; q < d->n_queries; q++)
        if (mark[q] == wanted)
            query[n++] = (uint32_t)q;
    const peck_status st = take_queries(out, d, query, n, is_part, err);

    mem_free(query);
    return st;
}

peck_status dataset_take_marked(struct peck_dataset **out, const struct peck_dataset *d,
                                const bool *mark, bool wanted, peck_error *err)
{
    return take_marked(out, d, mark, wanted, false, err);
}

peck_status dataset_part_marked(struct peck_dataset **out, const struct peck_dataset *d,
                                const bool *mark, bool wanted, peck_error *err)
{
    return take_marked(out, d, mark, wanted, true, err);
}

/* Queries are dealt to n_folds hands: those of hand `fold` are its test part, those of the
 * next one valid (with 3 folds or more), the others train. */
peck_status dataset_mark_fold(const struct peck_dataset *d, size_t n_folds, size_t fold,
                              const char *part, uint64_t seed, bool *mark, peck_error *err)
{
    static const char *const parts[N_PARTS] = { "train", "valid", "test" };
    size_t wanted = 0;

    if (n_folds < 2)
        return fail(err, PECK_ARG, "%zu folds make no split; take 2 or more", n_folds);
    if (fold >= n_folds)
        return fail(err, PECK_ARG, "fold %zu of %zu does not exist; folds count from 0",
                    fold, n_folds);
    if (n_folds > d->n_queries)
        return fail(
            err, PECK_SHAPE,
            "%s: %zu folds of %zu queries would leave some empty; take %zu or fewer",
            d->name, n_folds, d->n_queries, d->n_queries);
    while (wanted < N_PARTS && strcmp(part, parts[wanted]) != 0)
        wanted++;
    if (wanted == N_PARTS) {
        const char *const near = peck_nearest(part, parts, N_PARTS);

        return fail(err, PECK_ARG,
                    "a fold has no part '%.60s'%s%s%s; it has train, valid and test", part,
                    near != NULL ? ", did you mean '" : "", near != NULL ? near : "",
                    near != NULL ? "'?" : "");
    }
    if (wanted == PART_VALID && n_folds == 2)
        return fail(err, PECK_ARG, "with 2 folds there is no part 'valid'; take 3 or more");
    uint32_t *const dealt = shuffle_queries(d->n_queries, seed, STREAM_FOLD);
    const size_t next = n_folds > 2 ? (fold + 1) % n_folds : n_folds;

    if (dealt == NULL)
        return fail_memory(err, d->name, d->n_queries, sizeof *dealt);
    for (size_t i = 0; i < d->n_queries; i++) {
        const size_t hand = i % n_folds;

        mark[dealt[i]] = wanted == (hand == fold   ? PART_TEST
                                    : hand == next ? PART_VALID
                                                   : PART_TRAIN);
    }
    mem_free(dealt);
    return PECK_OK;
}

peck_status peck_dataset_fold(peck_dataset **out, const peck_dataset *d, size_t n_folds,
                              size_t fold, const char *part, uint64_t seed, peck_error *err)
{
    *out = NULL;
    if (strcmp(part, "shard") == 0)
        return take_shard(out, d, n_folds, fold, err);
    bool *const mark = mem_new(d->n_queries, sizeof *mark);
    peck_status st = mark != NULL
                         ? dataset_mark_fold(d, n_folds, fold, part, seed, mark, err)
                         : fail_memory(err, d->name, d->n_queries, sizeof *mark);

    if (st == PECK_OK)
        st = dataset_take_marked(out, d, mark, true, err);
    mem_free(mark);
    return st;
}

peck_status dataset_mark_holdout(const struct peck_dataset *d, double share, uint64_t seed,
                                 bool *is_held, peck_error *err)
{
    const size_t n = d->n_queries;

    if (!(share > 0 && share < 1))
        return fail(err, PECK_ARG,
                    "a hold-out of %g of the queries is none; it must lie "
                    "between 0 and 1",
                    share);
    if (n < 2)
        return fail(err, PECK_SHAPE, "%s: a hold-out needs at least 2 queries", d->name);
    size_t n_held = (size_t)(share * (double)n + 0.5);

    n_held = n_held < 1 ? 1 : n_held > n - 1 ? n - 1 : n_held;
    uint32_t *const dealt = shuffle_queries(n, seed, STREAM_HOLDOUT);

    if (dealt == NULL)
        return fail_memory(err, d->name, n, sizeof *dealt);
    memset(is_held, 0, n * sizeof *is_held);
    for (size_t i = 0; i < n_held; i++)
        is_held[dealt[i]] = true;
    mem_free(dealt);
    return PECK_OK;
}

peck_status peck_dataset_holdout(peck_dataset **kept, peck_dataset **held,
                                 const peck_dataset *d, double share, uint64_t seed,
                                 peck_error *err)
{
    bool *const is_held = mem_new(d->n_queries, sizeof *is_held);

    *kept = *held = NULL;
    peck_status st = is_held != NULL
                         ? dataset_mark_holdout(d, share, seed, is_held, err)
                         : fail_memory(err, d->name, d->n_queries, sizeof *is_held);

    if (st == PECK_OK)
        st = dataset_take_marked(kept, d, is_held, false, err);
    if (st == PECK_OK)
        st = dataset_take_marked(held, d, is_held, true, err);
    if (st != PECK_OK) {
        peck_dataset_free(*kept);
        *kept = NULL;
    }
    mem_free(is_held);
    return st;
}
