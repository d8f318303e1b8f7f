/* score.c -- a model and documents in, scores and orders out.
 *
 * Queries are dealt to the workers.  Where a comparator is heard by all pairs, a long list
 * that is more than one worker's share of them has all workers to itself.            */
#include "query_error.h"
#include "score.h"

#include "../base/alloc.h"
#include "../base/finite.h"
#include "../base/sort.h"
#include "../base/spec.h"

#include <math.h>

/* Queries that fail ----------------------------------------------------------------- */

bool query_error_is_past(const struct query_error *m, size_t query)
{
    return m->why.status != PECK_OK && m->query < query;
}

void query_error_keep(struct query_error *m, size_t query, const peck_error *why)
{
    *m = (struct query_error){ query, *why };
}

peck_status query_error_tell(const struct query_error *error, size_t n,
                             const struct peck_dataset *d, peck_error *err)
{
    const struct query_error *first = NULL;

    for (size_t i = 0; i < n; i++)
        if (error[i].why.status != PECK_OK &&
            (first == NULL || error[i].query < first->query))
            first = &error[i];
    if (first == NULL)
        return PECK_OK;
    if (strchr(first->why.text, '\n') != NULL) /* it shows its place, and names the query */
        return fail_again(err, &first->why);
    const peck_span id = strings_get(&d->query_id, first->query);

    return fail(err, first->why.status, "%.200s: query %.*s: %s", d->name, SPAN_ARGS(id),
                first->why.text);
}

/* Scores of a dataset -------------------------------------------------------------- */

/* Documents from which on the pairs of a list are worth all workers. */
enum { LONG_LIST = 256 };

/* Queries of a dataset, dealt to workers. */
struct scoring {
    const struct peck_dataset *data;
    struct peck_scorer **scorer; /* one a worker */
    float **query_scores;        /* one a worker: a query's scores */
    struct query_error *error;   /* one a worker */
    uint64_t share;              /* of the pairs of all lists, for each worker */
    double *score;
};

/* Unordered pairs of its documents. */
static uint64_t pairs_of_query(const struct peck_dataset *d, size_t query)
{
    const uint64_t n = dataset_query_size(d, query);

    return n * (n - 1) / 2;
}

/* Whether a list is worth all workers. */
static bool is_long(const struct scoring *w, size_t query)
{
    const size_t n = dataset_query_size(w->data, query);

    return n >= LONG_LIST && pairs_of_query(w->data, query) > w->share;
}

/* pool: helps with the pairs of a long list; NULL: none. */
static void score_query(const struct scoring *w, size_t query, int worker,
                        struct pool *pool)
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
    const struct scoring *const w = ctx;

    query += dataset_own_first(w->data);
    if (!is_long(w, query))
        score_query(w, query, worker, NULL);
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
    return peck_model_score_watched(m, d, &(peck_work){ .threads = threads }, score, err);
}

/* Match the columns, check the features, open a scorer for each worker; then short lists side
 * by side, and long ones, each with all workers.  A model that compares ranks instead.  Ranks
 * score their own queries, and exchange the scores. */
peck_status peck_model_score_watched(const peck_model *m, const peck_dataset *d,
                                     const peck_work *work, double *score, peck_error *err)
{
    struct arena arena = { 0 };
    struct scoring w = { .share = UINT64_MAX, .score = score };
    struct peck_dataset *fit = NULL;
    struct pool *pool = NULL;
    peck_work how;

    TRY(SPEC_TAKE(peck_work, &how, ctx, work, err));
    const peck_decode_spec usual = { .threads = how.threads,
                                     .progress = how.progress,
                                     .ctx = how.ctx };
    struct watch watch = { .progress = how.progress, .ctx = how.ctx };
    const size_t longest = dataset_longest_query(d);

    if (model_compares(m))
        return peck_model_rank(m, d, &usual, score, NULL, err);
    TRY(pool_new(&pool, how.threads, err));
    peck_status st = peck_dataset_match(&fit, d, m, NULL, NULL, err);

    if (st == PECK_OK)
        st = dataset_check_shared(fit, model_may_miss(m), pool, err);
    const size_t n_workers = (size_t)pool_size(pool);

    if (st == PECK_OK && model_hears_pairs(m)) {
        w.share = 0;
        for (size_t q = 0; q < fit->n_queries; q++)
            w.share += pairs_of_query(fit, q);
        w.share /= n_workers;
    }
    if (st == PECK_OK) {
        w.data = fit;
        w.scorer = arena_new(&arena, "scorers", n_workers, sizeof *w.scorer);
        w.query_scores = arena_new(&arena, "scorers", n_workers, sizeof *w.query_scores);
        w.error = arena_new(&arena, "scorers", n_workers, sizeof *w.error);
        for (size_t i = 0; w.query_scores != NULL && i < n_workers; i++)
            w.query_scores[i] =
                arena_new(&arena, "scores of a query", longest, sizeof **w.query_scores);
        st = arena_check(&arena, err);
    }
    if (st == PECK_OK)
        st = scorers_open(w.scorer, n_workers, m, longest, err);
    const size_t first = dataset_own_first(d), end = dataset_own_end(d);

    if (st == PECK_OK)
        st = watch_run(&watch, pool, end - first, score_short, &w, err);
    for (size_t q = first; st == PECK_OK && q < end; q++)
        if (is_long(&w, q)) {
            score_query(&w, q, 0, pool);
            st = watch_step(&watch, 1, 1, err);
        }
    scorers_close(w.scorer, n_workers);
    if (st == PECK_OK)
        st = query_error_tell(w.error, n_workers, fit, err);
    if (comm_is_shared(d->comm)) {
        st = comm_agree(d->comm, st, err);
        if (st == PECK_OK)
            st = dataset_share_rows(d, score, sizeof *score, err);
    }
    arena_free(&arena);
    peck_dataset_free(fit);
    pool_free(pool);
    return st;
}

peck_status measure_scale(struct scale *out, const struct peck_model *m,
                          const struct peck_dataset *d, int threads, peck_error *err)
{
    const size_t n = d->n_docs;
    double *const score = mem_new(n, sizeof *score);
    double total = 0.0, squares = 0.0;
    bool is_constant = true;

    if (score == NULL)
        return fail_memory(err, "the scores", n, sizeof *score);
    const peck_status st = peck_model_score(m, d, threads, score, err);

    for (size_t i = 0; st == PECK_OK && i < n; i++) {
        total += score[i];
        is_constant &= score[i] == score[0];
    }
    const double mean = is_constant && n > 0 ? score[0] : total / (double)n;

    for (size_t i = 0; st == PECK_OK && i < n; i++)
        squares += (score[i] - mean) * (score[i] - mean);
    if (st == PECK_OK)
        *out = (struct scale){ mean, is_constant ? 1.0 : sqrt(squares / (double)n) };
    mem_free(score);
    return st;
}

peck_status check_rows(const struct peck_model *m, struct rows docs, peck_error *err)
{
    if (docs.stride < docs.dim)
        return fail(err, PECK_SHAPE,
                    "rows are %zu floats apart, but the model was trained on %zu features",
                    docs.stride, docs.dim);
    for (size_t i = 0; i < docs.n; i++) {
        const float *const x = docs.x + i * docs.stride;
        bool is_fine = floats_are_finite(x, docs.dim);

        if (!is_fine && model_may_miss(m)) { /* then NaN is fine, infinity is not */
            is_fine = true;
            for (size_t k = 0; k < docs.dim; k++)
                is_fine &= !isinf(x[k]);
        }
        if (!is_fine)
            return fail(err, PECK_FORMAT,
                        "a feature of document %zu (counted from 1) is not finite", i + 1);
    }
    return PECK_OK;
}

peck_status peck_score(peck_scorer *s, const float *x, size_t n_docs, size_t stride,
                       double *score, peck_error *err)
{
    const size_t dim = peck_model_features(scorer_model(s));
    const struct rows docs = { x, n_docs, dim, stride };

    TRY(check_rows(scorer_model(s), docs, err));
    return scorer_run_wide(s, docs, score, err);
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
