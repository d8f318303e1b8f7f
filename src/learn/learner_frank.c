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

#include "../base/maths.h"
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
    struct arena arena;
    struct query_scratch *scratch; /* one a worker */
    struct pair *drawn;        /* of queries whose pairs are drawn: once, for all rounds */
    uint64_t *drawn_at;        /* n_queries + 1; NULL: no pairs are drawn */
    float *weight;             /* [workers][2][max_docs]: weights and losses of a run */
    double *loss;              /* n_queries */
    struct frank_sides *sides; /* n_queries */
    float *above;              /* n_docs: 1 where the step at hand applies */
};

static float bounded(double d)
{
    return (float)(d < -FAR ? -FAR : d > FAR ? FAR : d);
}

/* d[n], differences H_j - H_i of pairs (i, j), become their -dF/do; loss[n] their F.
 * With e = e^-o and P = 1 / (1 + e): F = 1 - P^(1/2), -dF/do = e P^(3/2) / 2. */
static void fidelity(float *d, float *loss, size_t n)
{
    vec_exp(d, n);
    for (size_t t = 0; t < n; t++) {
        const float e = d[t], root = 1.0f / sqrtf(1.0f + e);

        loss[t] = 1.0f - root;
        d[t] = 0.5f * e * root * root * root;
    }
}

/* As go_through of the listed pairs of query q: a preference of probability p counts p one
 * way and 1 - p the other. */
static double go_through_listed(const struct frank *f, const struct query_pairs *query,
                                size_t q, double share, bool has_step)
{
    enum { SOME = 256 }; /* pairs at a time */
    const size_t first = (size_t)f->boost.task->train_data->train_set->start[q];
    const double *const h = f->boost.height + first;
    float *const potential = f->boost.potential + first, *const above = f->above + first;
    struct frank_sides *const sides = &f->sides[q];
    uint32_t i[SOME], j[SOME];
    double part[SOME], sum = 0.0;
    float weight[SOME], loss[SOME];
    size_t n = 0;

    for (size_t k = 0; k < query->n_pairs; k++) {
        const struct pair *const pair = &query->pair[k];
        const double all = share * (double)pair->weight, p = (double)pair->probability;
        double some = 0.0;

        for (int side = 0; side < 2; side++) {
            const double own = all * (side == 0 ? p : 1.0 - p);

            if (own == 0.0)
                continue;
            i[n] = side == 0 ? pair->i : pair->j;
            j[n] = side == 0 ? pair->j : pair->i;
            weight[n] = bounded(h[j[n]] - h[i[n]]);
            part[n++] = own;
        }
        if (n + 2 <= SOME && k + 1 < query->n_pairs)
            continue;
        fidelity(weight, loss, n);
        for (size_t t = 0; t < n; t++) {
            const float w = weight[t] * (float)part[t];

            some += part[t] * (double)loss[t];
            if (!has_step) {
                potential[i[t]] += w;
                potential[j[t]] -= w;
            } else if (above[i[t]] > 0.0f) {
                sides->right += (double)w - (double)w * (double)above[j[t]];
            } else {
                sides->wrong += (double)w * (double)above[j[t]];
            }
        }
        sum += some;
        n = 0;
    }
    return sum;
}

/* Goes through the pairs of query q and returns their loss.  Their weights add to the
 * potential of documents or, where there is a step, to its sides: of a document above the
 * threshold, the pairs with those below are right; of one below, those with the ones above
 * are wrong. */
static double go_through(const struct frank *f, size_t q, int worker, bool has_step)
{
    const struct train_set *const l = f->boost.task->train_data->train_set;
    const size_t first = (size_t)l->start[q];
    const uint64_t *const at = f->drawn_at;
    const struct query_pairs query =
        at != NULL && at[q] < at[q + 1]
            ? (struct query_pairs){ .weight = l->weight != NULL ? l->weight[q] : 1.0f,
                                    .n_all = l->plan[q].n_all,
                                    .pair = f->drawn + at[q],
                                    .n_pairs = (size_t)(at[q + 1] - at[q]) }
            : train_set_query(l, q, f->boost.task->seed, 0, &f->scratch[worker]);
    const double share =
        query.n_all > 0.0
            ? (double)query.weight / (f->config->balance == BY_QUERIES ? query.n_all : 1.0)
            : 0.0;
    const double *const h = f->boost.height + first;
    float *const potential = f->boost.potential + first, *const above = f->above + first;
    float *const weight = f->weight + 2 * (size_t)l->max_docs * (size_t)worker;
    float *const loss = weight + l->max_docs;
    double sum = 0.0;

    for (uint32_t i = 0; query.below != NULL && i < query.n_judged; i++) {
        const uint32_t lo = query.below[i];
        const size_t n = query.until[i] > lo ? query.until[i] - lo : 0;
        double run = 0.0;

        for (size_t t = 0; t < n; t++)
            weight[t] = bounded(h[lo + t] - h[i]);
        fidelity(weight, loss, n);
        for (size_t t = 0; t < n; t++) {
            run += (double)loss[t];
            weight[t] *= (float)share;
        }
        for (size_t t = 0; query.doc_weight != NULL && t < n; t++)
            weight[t] *= query.doc_weight[i] * query.doc_weight[lo + t];
        sum += share * run;
        if (!has_step) {
            potential[i] += (float)vec_sum(weight, n);
            vec_axpy(n, -1.0f, weight, potential + lo);
        } else if (above[i] > 0.0f) {
            f->sides[q].right += vec_sum(weight, n) - vec_dot(weight, above + lo, n);
        } else {
            f->sides[q].wrong += vec_dot(weight, above + lo, n);
        }
    }
    return sum + go_through_listed(f, &query, q, share, has_step);
}

static void query_potential(void *ctx, size_t q, int worker)
{
    struct frank *const f = ctx;
    const struct train_set *const l = f->boost.task->train_data->train_set;

    memset(f->boost.potential + l->start[q], 0,
           (size_t)(l->start[q + 1] - l->start[q]) * sizeof *f->boost.potential);
    f->loss[q] = go_through(f, q, worker, false);
}

static void side_query(void *ctx, size_t q, int worker)
{
    struct frank *const f = ctx;

    f->sides[q] = (struct frank_sides){ 0.0, 0.0 };
    (void)go_through(f, q, worker, true);
}

static peck_status frank_open(void *self, const struct task *task,
                              struct stopping *stopping, peck_error *err)
{
    struct frank *const f = self;
    const struct train_set *const l = task->train_data->train_set;
    const size_t workers = (size_t)pool_size(task->pool), n = l->n_queries;
    size_t n_drawn = 0;

    f->config = task->plan->learner;
    f->boost.task = task; /* for closing, whatever fails */
    f->scratch = arena_new(&f->arena, "queries", workers, sizeof *f->scratch);
    f->loss = arena_new(&f->arena, "queries", n, sizeof *f->loss);
    f->sides = arena_new(&f->arena, "queries", n, sizeof *f->sides);
    f->above = arena_new(&f->arena, "queries", l->n_docs, sizeof *f->above);
    f->weight = arena_new(&f->arena, "weights of pairs", workers * l->max_docs,
                          2 * sizeof *f->weight);
    if (l->max_sampled > 0) {
        for (size_t q = 0; q < n; q++)
            n_drawn += (size_t)l->plan[q].n_sampled;
        f->drawn_at = arena_new(&f->arena, "pairs", n + 1, sizeof *f->drawn_at);
        f->drawn = arena_new(&f->arena, "pairs", n_drawn, sizeof *f->drawn);
    }
    TRY(arena_check(&f->arena, err));
    for (size_t i = 0; i < workers; i++)
        TRY(query_scratch_init(&f->scratch[i], l, NULL, err));
    for (size_t q = 0; f->drawn_at != NULL && q < n; q++) {
        f->drawn_at[q + 1] = f->drawn_at[q] + l->plan[q].n_sampled;
        if (l->plan[q].n_sampled > 0) {
            const struct query_pairs query =
                train_set_query(l, q, task->seed, 0, &f->scratch[0]);

            memcpy(f->drawn + f->drawn_at[q], query.pair,
                   query.n_pairs * sizeof *query.pair);
        }
    }
    return stump_boost_open(&f->boost, task, &f->config->boost, stopping, err);
}

static peck_status frank_epoch(void *self, size_t number, struct epoch_stats *stats,
                               peck_error *err)
{
    struct frank *const f = self;
    struct stump_boost *const b = &f->boost;
    const size_t n = b->task->train_data->train_set->n_queries;
    float *const step = stump_boost_step(b, number);
    struct frank_sides all = { 0.0, 0.0 };

    (void)err;
    stump_boost_build(b, number - 1);
    pool_run(b->task->pool, n, query_potential, f);
    for (size_t q = 0; q < n; q++)
        stats->loss += f->loss[q];
    if (!stump_boost_find(b, step))
        return PECK_OK;
    stump_boost_above(b, step, f->above);
    pool_run(b->task->pool, n, side_query, f);
    for (size_t q = 0; q < n; q++) {
        all.right += f->sides[q].right;
        all.wrong += f->sides[q].wrong;
    }
    /* A side that is empty counts a little: a step that errs nowhere is not infinite. */
    const double little = 1e-6 * (all.right + all.wrong);

    if (little > 0.0) /* else it parts no pair */
        step[STUMP_HEIGHT] = (float)(b->config->shrinkage * 0.5 *
                                     math_log((all.right + little) / (all.wrong + little)));
    stats->rate = (double)step[STUMP_HEIGHT];
    stats->is_last = step[STUMP_HEIGHT] == 0.0f; /* the next one would be the same */
    return PECK_OK;
}

static void frank_close(void *self)
{
    struct frank *const f = self;

    for (int i = 0; f->scratch != NULL && i < pool_size(f->boost.task->pool); i++)
        query_scratch_free(&f->scratch[i]);
    stump_boost_close(&f->boost);
    arena_free(&f->arena);
}

static peck_status frank_check(void *self, size_t epochs, peck_error *err)
{
    return stump_boost_check(&((struct frank *)self)->boost, epochs, err);
}

const struct learner learner_frank = {
    .plug = { { "frank", "boosting of steps on the fidelity loss of pairs",
                "As RankBoost, with a loss that gives hopeless pairs little weight (Tsai "
                "et al. 2007)." },
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
