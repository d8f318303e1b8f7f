/* score.c -- a model and documents in, scores and orders out.
 *
 * Queries are dealt to the workers.  Where a comparator is heard by all pairs, a long list
 * that is more than one worker's share of them has all workers to itself.            */
#include "query_error.h"
#include "score.h"

#include "../base/alloc.h"
#include "../base/finite.h"
#include "../base/sort.h"

#include <math.h>

/* Scores of a dataset -------------------------------------------------------------- */

/* Documents from which on the pairs of a list are worth all workers. */
enum { LONG_LIST = 256 };

struct work {
    const struct peck_dataset *data;
    struct peck_scorer **scorer; /* one a worker */
    float **query_scores;        /* one a worker: a query's scores */
    struct query_error *error;   /* one a worker */
    int n_workers;
    uint64_t share; /* of the pairs of all lists, for each worker */
    double *score;
};

static uint64_t count_pairs(const struct peck_dataset *d, size_t query)
{
    const uint64_t n = d->start[query + 1] - d->start[query];

    return n * (n - 1) / 2;
}

static uint64_t share_pairs(const struct work *w, const struct peck_model *m)
{
    uint64_t sum = 0;

    if (!model_hears_pairs(m))
        return UINT64_MAX;
    for (size_t q = 0; q < w->data->n_queries; q++)
        sum += count_pairs(w->data, q);
    return sum / (uint64_t)w->n_workers;
}

static bool is_long(const struct work *w, size_t query)
{
    const uint64_t n = w->data->start[query + 1] - w->data->start[query];

    return n >= LONG_LIST && count_pairs(w->data, query) > w->share;
}

static void score_query(const struct work *w, size_t query, int worker, struct pool *pool)
{
    const struct rows docs = dataset_rows(w->data, query);
    const float *const from = w->query_scores[worker];
    double *const to = w->score + w->data->start[query];
    peck_error why;

    if (query_error_is_past(&w->error[worker], query))
        return;
    if (scorer_run(w->scorer[worker], docs, pool, w->query_scores[worker], &why) !=
        PECK_OK) {
        query_error_keep(&w->error[worker], query, &why);
        return;
    }
    for (size_t i = 0; i < docs.n; i++)
        to[i] = from[i];
}

static void score_short(void *ctx, size_t query, int worker)
{
    const struct work *const w = ctx;

    if (!is_long(w, query))
        score_query(w, query, worker, NULL);
}

static peck_status score_queries(struct work *w, struct pool *pool, peck_error *err)
{
    pool_run(pool, w->data->n_queries, score_short, w);
    for (size_t q = 0; q < w->data->n_queries; q++)
        if (is_long(w, q))
            score_query(w, q, 0, pool);
    return query_error_tell(w->error, (size_t)w->n_workers, w->data, err);
}

size_t longest_query(const struct peck_dataset *d)
{
    uint64_t longest = 0;

    for (size_t q = 0; q < d->n_queries; q++)
        if (d->start[q + 1] - d->start[q] > longest)
            longest = d->start[q + 1] - d->start[q];
    return (size_t)longest;
}

static peck_status work_open(struct work *w, const struct peck_model *m, peck_error *err)
{
    const size_t longest = longest_query(w->data), n = (size_t)w->n_workers;

    w->scorer = mem_new(n, sizeof(struct peck_scorer *));
    w->query_scores = mem_new(n, sizeof *w->query_scores);
    w->error = mem_new(n, sizeof *w->error);
    if (w->scorer == NULL || w->query_scores == NULL || w->error == NULL)
        return fail_memory(err, "scorers", n, sizeof *w->query_scores);
    TRY(model_prepare(m, n, err));
    for (size_t i = 0; i < n; i++) {
        TRY(peck_scorer_new(&w->scorer[i], m, err));
        TRY(scorer_reserve(w->scorer[i], longest, err));
        if ((w->query_scores[i] = mem_new(longest, sizeof(float))) == NULL)
            return fail_memory(err, "scores of a query", longest, sizeof(float));
    }
    return PECK_OK;
}

static void work_close(struct work *w)
{
    for (int i = 0; i < w->n_workers; i++) {
        if (w->scorer != NULL)
            peck_scorer_free(w->scorer[i]);
        if (w->query_scores != NULL)
            mem_free(w->query_scores[i]);
    }
    mem_free(w->scorer);
    mem_free(w->query_scores);
    mem_free(w->error);
}

static peck_status score_all(const struct peck_model *m, const struct peck_dataset *d,
                             struct pool *pool, double *score, peck_error *err)
{
    struct work w = { .data = d, .n_workers = pool_size(pool), .score = score };

    w.share = share_pairs(&w, m);
    peck_status st = work_open(&w, m, err);

    if (st == PECK_OK)
        st = score_queries(&w, pool, err);
    work_close(&w);
    return st;
}

peck_status peck_dataset_match(peck_dataset **out, const peck_dataset *d,
                               const peck_model *m, const char *how, peck_match_info *info,
                               peck_error *err)
{
    const struct wanted w = { &m->feature_name, peck_model_features(m),
                              "the model was trained on" };

    return dataset_match(out, d, &w, how, info, err);
}

peck_status peck_model_score(const peck_model *m, const peck_dataset *d, int threads,
                             double *score, peck_error *err)
{
    const peck_decode_spec usual = { .threads = threads };
    struct peck_dataset *fit = NULL;
    struct pool *pool = NULL;

    if (model_compares(m))
        return peck_model_rank(m, d, &usual, score, NULL, err);
    TRY(pool_new(&pool, threads, err));
    peck_status st = peck_dataset_match(&fit, d, m, NULL, NULL, err);

    if (st == PECK_OK)
        st = dataset_check_features(fit, model_may_miss(m), pool, err);
    if (st == PECK_OK)
        st = score_all(m, fit, pool, score, err);
    peck_dataset_free(fit);
    pool_free(pool);
    return st;
}

static struct scale scale_of(const double *score, size_t n)
{
    double total = 0.0, squares = 0.0;
    bool is_constant = true;

    for (size_t i = 0; i < n; i++) {
        total += score[i];
        is_constant &= score[i] == score[0];
    }
    const double mean = is_constant && n > 0 ? score[0] : total / (double)n;

    for (size_t i = 0; i < n; i++)
        squares += (score[i] - mean) * (score[i] - mean);
    return (struct scale){ mean, is_constant ? 1.0 : sqrt(squares / (double)n) };
}

peck_status measure_scale(struct scale *out, const struct peck_model *m,
                          const struct peck_dataset *d, int threads, peck_error *err)
{
    double *const score = mem_new(d->n_docs, sizeof *score);

    if (score == NULL)
        return fail_memory(err, "the scores", d->n_docs, sizeof *score);
    const peck_status st = peck_model_score(m, d, threads, score, err);

    if (st == PECK_OK)
        *out = scale_of(score, d->n_docs);
    mem_free(score);
    return st;
}

/* Scores of one query -------------------------------------------------------------- */

/* Every one that is not finite is NaN. */
static bool are_missing(const float *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (isinf(x[i]))
            return false;
    return true;
}

peck_status check_rows(const struct peck_model *m, struct rows docs, peck_error *err)
{
    if (docs.stride < docs.dim)
        return fail(err, PECK_SHAPE,
                    "rows are %zu floats apart, but the model was trained on %zu features",
                    docs.stride, docs.dim);
    for (size_t i = 0; i < docs.n; i++)
        if (!floats_are_finite(docs.x + i * docs.stride, docs.dim) &&
            !(model_may_miss(m) && are_missing(docs.x + i * docs.stride, docs.dim)))
            return fail(err, PECK_FORMAT,
                        "a feature of document %zu (counted from 1) is not finite", i + 1);
    return PECK_OK;
}

peck_status peck_score(peck_scorer *s, const float *x, size_t n_docs, size_t stride,
                       float *score, peck_error *err)
{
    const size_t dim = peck_model_features(scorer_model(s));
    const struct rows docs = { x, n_docs, dim, stride };

    TRY(check_rows(scorer_model(s), docs, err));
    return scorer_run(s, docs, NULL, score, err);
}

/* Orders --------------------------------------------------------------------------- */

peck_status peck_order(const double *score, size_t n, uint32_t *order, peck_error *err)
{
    if (n > MAX_DOCS_IN_QUERY)
        return fail(err, PECK_ARG, "a list of %zu documents; at most %d can be ordered", n,
                    MAX_DOCS_IN_QUERY);
    for (size_t i = 0; i < n; i++)
        if (isnan(score[i]))
            return fail(err, PECK_FORMAT,
                        "the score of document %zu (counted from 1) is not a number",
                        i + 1);
    struct sort_item *const scratch = mem_new(2 * n, sizeof *scratch);

    if (scratch == NULL)
        return fail_memory(err, "an order", 2 * n, sizeof *scratch);
    order_desc(score, (uint32_t)n, order, scratch);
    mem_free(scratch);
    return PECK_OK;
}
