/* learner_frank.c -- FRank: steps on single features, on the fidelity loss of pairs.
 *
 *   F = 1 - P^(1/2),  P = 1 / (1 + e^-o),  o = H_i - H_j: between 0 and 1 for each pair
 *   W(i, j) = -dF/do / #pairs of the query = 1/2 e^-o (1 + e^-o)^(-3/2) / #pairs
 *   step      [x_f > theta] with the largest |sum over pairs W(i, j)(h_i - h_j)|
 *   height    1/2 ln(W+ / W-): the weights of the pairs that the step sets right, wrong
 *
 * A pair that is hopelessly wrong weighs little again, unlike in RankBoost.  Tsai, Liu,
 * Qin, Chen and Ma, "FRank: a ranking method with fidelity loss", SIGIR 2007.         */
#include "stump_boost.h"

#include "../base/alloc.h"
#include "../base/vec.h"
#include "../model/stumps.h"

#include <math.h>

struct frank_config {
    struct stump_boost_config boost;
    int balance;
};

enum { BY_QUERIES, BY_PAIRS };

static const struct param frank_params[] = {
    STUMP_BOOST_PARAMS(struct frank_config, boost),
    { "balance", PARAM_CHOICE, "queries", "queries|pairs",
      "what counts the same: each query with all its pairs, or each pair",
      offsetof(struct frank_config, balance) },
    { 0 }
};

#define FAR 80.0 /* differences of scores beyond it weigh nothing */

/* What pairs weigh for and against a step. */
struct frank_sides {
    double right, wrong;
};

struct frank {
    struct stump_boost boost;
    const struct frank_config *config;
    struct pool *pool;
    struct query_scratch *scratch; /* one a worker */
    struct pair *drawn;        /* of queries whose pairs are drawn: once, for all rounds */
    uint64_t *drawn_at;        /* n_queries + 1; NULL: no pairs are drawn */
    float **weight;            /* one a worker: max_docs */
    double *loss;              /* n_queries */
    struct frank_sides *sides; /* n_queries */
    float *above;              /* n_docs: 1 where the step at hand applies */
};

/* A query while its pairs are gone through. */
struct frank_query {
    const struct query_pairs *pairs;
    size_t first, query; /* its first row */
    float *weight;
};

static float bounded(double d)
{
    return (float)(d < -FAR ? -FAR : d > FAR ? FAR : d);
}

/* weight[t] = -dF/do of the pairs (i, lo + t); returns the sum of F. */
static double frank_weigh(const double *h, uint32_t i, uint32_t lo, size_t n, float *weight)
{
    double loss = 0.0;

    for (size_t t = 0; t < n; t++)
        weight[t] = bounded(h[lo + t] - h[i]);
    vec_exp(weight, n);
    for (size_t t = 0; t < n; t++) {
        const float e = weight[t], root = 1.0f / sqrtf(1.0f + e);

        loss += (double)(1.0f - root);
        weight[t] = 0.5f * e * root * root * root;
    }
    return loss;
}

static double pair_share(const struct frank *f, const struct query_pairs *q)
{
    return (double)q->weight / (f->config->balance == BY_QUERIES ? q->n_all : 1.0);
}

/* What to do with a run of pairs (i, lo + t), whose weights are at hand; `first` is the
 * query's first row. */
typedef void take_run(const struct frank *f, size_t first, size_t query, uint32_t i,
                      uint32_t lo, size_t n, const float *weight);

static void take_potential(const struct frank *f, size_t first, size_t query, uint32_t i,
                           uint32_t lo, size_t n, const float *weight)
{
    float *const potential = f->boost.potential + first;

    (void)query;
    potential[i] += (float)vec_sum(weight, n);
    vec_axpy(n, -1.0f, weight, potential + lo);
}

/* Of a document above the threshold, the pairs with those below are right; of one below,
 * those with the ones above are wrong. */
static void take_sides(const struct frank *f, size_t first, size_t query, uint32_t i,
                       uint32_t lo, size_t n, const float *weight)
{
    const float *const above = f->above + first;
    const double higher = vec_dot(weight, above + lo, n);

    if (above[i] > 0.0f)
        f->sides[query].right += vec_sum(weight, n) - higher;
    else
        f->sides[query].wrong += higher;
}

/* The pairs (i, lo + t) of a query, each of which counts `share`; returns their loss. */
static double weigh_run(const struct frank *f, const struct frank_query *at, uint32_t i,
                        uint32_t lo, size_t n, double share, take_run *take)
{
    float *const weight = at->weight;
    const float *const c = at->pairs->doc_weight;
    const double loss = frank_weigh(f->boost.height + at->first, i, lo, n, weight);

    for (size_t t = 0; t < n; t++)
        weight[t] *= (float)share;
    for (size_t t = 0; at->pairs->below != NULL && c != NULL && t < n; t++)
        weight[t] *= c[i] * c[lo + t];
    take(f, at->first, at->query, i, lo, n, weight);
    return share * loss;
}

/* Listed pairs, some at a time: who should be before whom, and what that counts. */
enum { SOME = 256 };

struct frank_batch {
    size_t n;
    uint32_t i[SOME], j[SOME];
    double share[SOME];
};

/* As weigh_run of each; `take` says which of the two is done. */
static double weigh_some(const struct frank *f, const struct frank_query *at,
                         const struct frank_batch *s, take_run *take)
{
    const double *const h = f->boost.height + at->first;
    float *const potential = f->boost.potential + at->first, weight[SOME];
    const float *const above = f->above + at->first;
    struct frank_sides *const sides = &f->sides[at->query];
    double loss = 0.0;

    for (size_t k = 0; k < s->n; k++)
        weight[k] = bounded(h[s->j[k]] - h[s->i[k]]);
    vec_exp(weight, s->n);
    for (size_t k = 0; k < s->n; k++) {
        const float e = weight[k], root = 1.0f / sqrtf(1.0f + e);
        const float w = 0.5f * e * root * root * root * (float)s->share[k];
        const uint32_t i = s->i[k], j = s->j[k];

        loss += s->share[k] * (double)(1.0f - root);
        if (take == take_potential) {
            potential[i] += w;
            potential[j] -= w;
        } else if (above[i] > 0.0f) {
            sides->right += (double)w - (double)w * (double)above[j];
        } else {
            sides->wrong += (double)w * (double)above[j];
        }
    }
    return loss;
}

/* A preference of probability p counts p one way and 1 - p the other. */
static double each_listed(const struct frank *f, const struct frank_query *at, double share,
                          take_run *take)
{
    const struct query_pairs *const query = at->pairs;
    struct frank_batch s = { 0 };
    double loss = 0.0;

    for (size_t k = 0; k < query->n_pairs; k++) {
        const struct pair *const pair = &query->pair[k];
        const double all = share * (double)pair->weight, p = (double)pair->probability;

        for (int side = 0; side < 2; side++) {
            const double own = all * (side == 0 ? p : 1.0 - p);

            if (own == 0.0)
                continue;
            s.i[s.n] = side == 0 ? pair->i : pair->j;
            s.j[s.n] = side == 0 ? pair->j : pair->i;
            s.share[s.n++] = own;
        }
        if (s.n + 2 > SOME || k + 1 == query->n_pairs) {
            loss += weigh_some(f, at, &s, take);
            s.n = 0;
        }
    }
    return loss;
}

/* The pairs of a query; those that are drawn are kept, and drawn but once. */
static struct query_pairs pairs_at(struct frank *f, size_t q, int worker)
{
    const struct train_set *const l = f->boost.task->train_data->train_set;
    const bool is_drawn = f->drawn_at != NULL && f->drawn_at[q] < f->drawn_at[q + 1];
    struct query_pairs query = { 0 };

    if (!is_drawn)
        return train_set_query(l, q, f->boost.task->seed, 0, &f->scratch[worker]);
    query.n = (uint32_t)(l->start[q + 1] - l->start[q]);
    query.weight = l->weight != NULL ? l->weight[q] : 1.0f;
    query.n_all = l->plan[q].n_all;
    query.pair = f->drawn + f->drawn_at[q];
    query.n_pairs = (size_t)(f->drawn_at[q + 1] - f->drawn_at[q]);
    return query;
}

/* Goes over the pairs of a query; returns its loss. */
static double each_run(struct frank *f, size_t q, int worker, take_run *take)
{
    const struct train_set *const l = f->boost.task->train_data->train_set;
    const struct query_pairs query = pairs_at(f, q, worker);
    const struct frank_query at = { &query, (size_t)l->start[q], q, f->weight[worker] };
    const double share = query.n_all > 0.0 ? pair_share(f, &query) : 0.0;
    double loss = 0.0;

    for (uint32_t i = 0; query.below != NULL && i < query.n_judged; i++)
        if (query.below[i] < query.until[i])
            loss += weigh_run(f, &at, i, query.below[i], query.until[i] - query.below[i],
                              share, take);
    return loss + each_listed(f, &at, share, take);
}

static void query_potential(void *ctx, size_t q, int worker)
{
    struct frank *const f = ctx;
    const struct train_set *const l = f->boost.task->train_data->train_set;

    memset(f->boost.potential + l->start[q], 0,
           (size_t)(l->start[q + 1] - l->start[q]) * sizeof *f->boost.potential);
    f->loss[q] = each_run(f, q, worker, take_potential);
}

static void side_query(void *ctx, size_t q, int worker)
{
    struct frank *const f = ctx;

    f->sides[q] = (struct frank_sides){ 0.0, 0.0 };
    (void)each_run(f, q, worker, take_sides);
}

static peck_status frank_draw(struct frank *f, const struct train_set *l, uint64_t seed,
                              peck_error *err)
{
    size_t n = 0;

    if (l->max_sampled == 0)
        return PECK_OK;
    f->drawn_at = mem_new(l->n_queries + 1, sizeof *f->drawn_at);
    for (size_t q = 0; f->drawn_at != NULL && q < l->n_queries; q++) {
        n += (size_t)l->plan[q].n_sampled;
        f->drawn_at[q + 1] = n;
    }
    f->drawn = mem_new(n, sizeof *f->drawn);
    if (f->drawn_at == NULL || f->drawn == NULL)
        return fail_memory(err, "pairs", n, sizeof *f->drawn);
    for (size_t q = 0; q < l->n_queries; q++)
        if (l->plan[q].n_sampled > 0) {
            const struct query_pairs query = train_set_query(l, q, seed, 0, &f->scratch[0]);

            memcpy(f->drawn + f->drawn_at[q], query.pair,
                   query.n_pairs * sizeof *query.pair);
        }
    return PECK_OK;
}

static peck_status frank_open(void *self, const struct task *task,
                              struct stopping *stopping, peck_error *err)
{
    struct frank *const f = self;
    const struct train_set *const l = task->train_data->train_set;
    const size_t workers = (size_t)pool_size(task->pool);

    f->config = task->plan->learner;
    f->pool = task->pool;
    f->scratch = mem_new(workers, sizeof *f->scratch);
    f->weight = mem_new(workers, sizeof *f->weight);
    f->loss = mem_new(l->n_queries, sizeof *f->loss);
    f->sides = mem_new(l->n_queries, sizeof *f->sides);
    f->above = mem_new(l->n_docs, sizeof *f->above);
    if (!f->scratch || !f->weight || !f->loss || !f->sides || !f->above)
        return fail_memory(err, "queries", l->n_queries, sizeof *f->sides);
    for (size_t i = 0; i < workers; i++) {
        TRY(query_scratch_init(&f->scratch[i], l, err));
        if ((f->weight[i] = mem_new((size_t)l->max_docs + 1, sizeof **f->weight)) == NULL)
            return fail_memory(err, "weights of pairs", l->max_docs, sizeof **f->weight);
    }
    TRY(frank_draw(f, l, task->seed, err));
    return stump_boost_open(&f->boost, task, &f->config->boost, stopping, err);
}

static double frank_height_of(const struct frank *f)
{
    const size_t n = f->boost.task->train_data->train_set->n_queries;
    struct frank_sides all = { 0.0, 0.0 };

    for (size_t q = 0; q < n; q++) {
        all.right += f->sides[q].right;
        all.wrong += f->sides[q].wrong;
    }
    if (!(all.right + all.wrong > 0.0)) /* it parts no pair */
        return 0.0;
    /* A side that is empty counts a little: a step that errs nowhere is not infinite. */
    const double little = 1e-6 * (all.right + all.wrong);

    return 0.5 * log((all.right + little) / (all.wrong + little));
}

static peck_status frank_epoch(void *self, size_t number, struct epoch_stats *stats,
                               peck_error *err)
{
    struct frank *const f = self;
    struct stump_boost *const b = &f->boost;
    const size_t n = b->task->train_data->train_set->n_queries;
    float *const step = stump_boost_step(b, number);

    (void)err;
    stump_boost_build(b, number - 1);
    pool_run(f->pool, n, query_potential, f);
    for (size_t q = 0; q < n; q++)
        stats->loss += f->loss[q];
    if (!stump_boost_find(b, step))
        return PECK_OK;
    for (size_t i = 0; i < b->task->train_data->train_set->n_docs; i++)
        f->above[i] = stump_boost_is_above(b, step, i) ? 1.0f : 0.0f;
    pool_run(f->pool, n, side_query, f);
    step[STUMP_HEIGHT] = (float)(b->config->shrinkage * frank_height_of(f));
    stats->rate = (double)step[STUMP_HEIGHT];
    stats->is_last = step[STUMP_HEIGHT] == 0.0f; /* the next one would be the same */
    return PECK_OK;
}

static void frank_close(void *self)
{
    struct frank *const f = self;

    stump_boost_close(&f->boost);
    for (int i = 0; f->scratch != NULL && i < pool_size(f->pool); i++)
        query_scratch_free(&f->scratch[i]);
    for (int i = 0; f->weight != NULL && i < pool_size(f->pool); i++)
        mem_free(f->weight[i]);
    mem_free(f->scratch);
    mem_free(f->drawn);
    mem_free(f->drawn_at);
    mem_free(f->weight);
    mem_free(f->loss);
    mem_free(f->sides);
    mem_free(f->above);
}

static peck_status frank_check(void *self, size_t epochs, peck_error *err)
{
    return stump_boost_check(&((struct frank *)self)->boost, epochs, err);
}

const struct learner learner_frank = {
    .plug = { { "frank", "boosting of steps on the fidelity loss of pairs",
                "As RankBoost, with a loss that lets hopeless pairs be (Tsai et al. "
                "2007)." },
              frank_params },
    .config_size = sizeof(struct frank_config),
    .is_pairwise = true,
    .samples_pairs = true,
    .is_scale_free = true,
    .self_size = sizeof(struct frank),
    .trial = { .has_outgrown_small = true },
    .open = frank_open,
    .epoch = frank_epoch,
    .check = frank_check,
    .close = frank_close,
};
