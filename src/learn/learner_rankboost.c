/* learner_rankboost.c -- RankBoost: steps on single features, by weights of pairs.
 *
 *   D(i, j)   in proportion to e^(H_j - H_i): what the sum of steps so far got wrong
 *   step      [x_f > theta] with the largest |r|,  r = sum over pairs D(i, j)(h_i - h_j)
 *   height    1/2 ln((1 + r) / (1 - r))
 *
 * D is a product of two factors, so that sums over pairs are sums over documents: with
 * the documents by falling label, the partners of each are one run.
 *
 * Freund, Iyer, Schapire and Singer, "An efficient boosting algorithm for combining
 * preferences", JMLR 4 (2003).                                                        */
#include "stump_boost.h"

#include "../base/maths.h"

#include "../model/stumps.h"

struct rankboost_config {
    struct stump_boost_config boost;
    int balance;
};

enum { BY_PAIRS, BY_QUERIES };
enum { SHARD = 16 }; /* queries of a task */

static const struct param rankboost_params[] = {
    STUMP_BOOST_PARAMS(struct rankboost_config, boost),
    { "balance", PARAM_CHOICE, "pairs", "pairs|queries",
      "what counts the same at first: each pair, or each query with all its pairs",
      offsetof(struct rankboost_config, balance) },
    { 0 }
};

struct rankboost {
    struct stump_boost boost;
    const struct rankboost_config *config;
    struct query_scratch *scratch; /* one a worker, for queries with listed pairs */
    double *all;                   /* n_queries: the sum of a query's weights */
    float *above;                  /* n_docs: 1 where the step at hand applies */
    struct arena arena;
};

/* What e^x is taken of: sums can hold it. */
static inline double bounded(double x)
{
    return x < -300.0 ? -300.0 : x > 300.0 ? 300.0 : x;
}

/* potential[] of a query with runs, whose pairs count `share` at first; returns the sum
 * of its weights.  better side u_i = c_i e^-H_i, worse side v_j = c_j e^H_j
 * In O(n): before[] are sums of v, so the worse ones of a run are a difference of two;
 * cover[] has +u where the run of a document begins and -u where it ends, so its running
 * sum is the u of all that should precede the document. */
static double runs_potential(const struct query_pairs *q, const double *h, double share,
                             double *scratch, float *potential)
{
    double *const before = scratch, *const cover = before + q->n + 1;
    double *const v = cover + q->n + 1, *const down = v + q->n;
    double all = 0.0, covered = 0.0;

    before[0] = 0.0;
    memset(cover, 0, (q->n + 1) * sizeof *cover);
    for (uint32_t i = 0; i < q->n; i++) {
        v[i] = bounded(h[i]);
        down[i] = -v[i];
    }
    math_exp_each(v, q->n);
    math_exp_each(down, q->n_ranked);
    for (uint32_t i = 0; i < q->n; i++) {
        v[i] *= q->doc_weight != NULL ? (double)q->doc_weight[i] : 1.0;
        before[i + 1] = before[i] + v[i];
    }
    for (uint32_t i = 0; i < q->n_ranked; i++) {
        const double c = q->doc_weight != NULL ? (double)q->doc_weight[i] : 1.0;
        const double u = share * c * down[i];

        covered += cover[i];
        if (q->below[i] < q->until[i]) {
            cover[q->below[i]] += u;
            cover[q->until[i]] -= u;
        }
        const double better = u * (before[q->until[i]] - before[q->below[i]]);
        potential[i] = (float)(better - v[i] * covered);
        all += better;
    }
    return all;
}

/* A preference of probability p counts p one way and 1 - p the other. */
static double listed_potential(const struct query_pairs *q, const double *h, double share,
                               float *potential)
{
    double all = 0.0;

    for (size_t k = 0; k < q->n_pairs; k++) {
        const struct pair *const pair = &q->pair[k];
        const double p = (double)pair->probability, d = h[pair->i] - h[pair->j];
        const double there = share * (double)pair->weight * p * math_exp(bounded(-d));
        const double back = share * (double)pair->weight * (1.0 - p) * math_exp(bounded(d));

        potential[pair->i] += (float)(there - back);
        potential[pair->j] -= (float)(there - back);
        all += there + back;
    }
    return all;
}

/* The potential of the documents of some queries. */
static void rankboost_weigh(void *ctx, size_t shard, int worker)
{
    struct rankboost *const r = ctx;
    struct stump_boost *const b = &r->boost;
    const struct train_set *const l = b->task->train_data->train_set;
    double *const scratch = b->scratch + (size_t)worker * 4 * ((size_t)l->max_docs + 1);

    for (size_t q = shard * SHARD; q < l->n_queries && q < (shard + 1) * SHARD; q++) {
        const struct query_pairs query =
            train_set_query(l, q, b->task->seed, 0, &r->scratch[worker]);
        const double share =
            (double)query.weight / (r->config->balance == BY_QUERIES ? query.n_all : 1.0);
        const double *const h = b->height + l->start[q];
        float *const potential = b->potential + l->start[q];

        memset(potential, 0, (size_t)(l->start[q + 1] - l->start[q]) * sizeof *potential);
        r->all[q] = !(query.n_all > 0.0) ? 0.0
                    : query.below != NULL
                        ? runs_potential(&query, h, share, scratch, potential)
                        : listed_potential(&query, h, share, potential);
    }
}

static peck_status rankboost_open(void *self, const struct task *task,
                                  struct stopping *stopping, peck_error *err)
{
    struct rankboost *const r = self;

    const struct train_set *const l = task->train_data->train_set;
    const size_t workers = (size_t)pool_size(task->pool);

    r->config = task->plan->learner;
    r->boost.task = task; /* for closing, whatever fails */
    r->scratch = arena_new(&r->arena, "queries", workers, sizeof *r->scratch);
    r->all = arena_new(&r->arena, "queries", l->n_queries, sizeof *r->all);
    r->above = arena_new(&r->arena, "queries", l->n_docs, sizeof *r->above);
    TRY(arena_check(&r->arena, err));
    for (size_t i = 0; i < workers; i++)
        TRY(query_scratch_init(&r->scratch[i], l, NULL, err));
    return stump_boost_open(&r->boost, task, &r->config->boost, stopping, err);
}

static peck_status rankboost_epoch(void *self, size_t number, struct epoch_stats *stats,
                                   peck_error *err)
{
    struct rankboost *const r = self;
    struct stump_boost *const b = &r->boost;
    const struct train_set *const l = b->task->train_data->train_set;
    const double most = 1.0 - 1e-6; /* |r| of a step that sets every pair right */
    float *const step = stump_boost_step(b, number);
    double all = 0.0, lean = 0.0;

    (void)err;
    stump_boost_build(b, number - 1);
    pool_run(b->task->pool, (l->n_queries + SHARD - 1) / SHARD, rankboost_weigh, r);
    for (size_t q = 0; q < l->n_queries; q++)
        all += r->all[q];
    if (!(all > 0.0) || !stump_boost_find(b, step))
        return PECK_OK;
    stump_boost_above(b, step, r->above);
    for (size_t i = 0; i < l->n_docs; i++)
        lean += r->above[i] > 0.0f ? (double)b->potential[i] : 0.0;
    stats->loss = all;
    stats->rate = lean / all;
    const double kept = stats->rate < -most  ? -most
                        : stats->rate > most ? most
                                             : stats->rate;

    step[STUMP_HEIGHT] =
        (float)(b->config->shrinkage * 0.5 * math_log((1.0 + kept) / (1.0 - kept)));
    return PECK_OK;
}

static void rankboost_close(void *self)
{
    struct rankboost *const r = self;

    for (int i = 0; r->scratch != NULL && i < pool_size(r->boost.task->pool); i++)
        query_scratch_free(&r->scratch[i]);
    stump_boost_close(&r->boost);
    arena_free(&r->arena);
}

static peck_status rankboost_check(void *self, size_t epochs, peck_error *err)
{
    return stump_boost_check(&((struct rankboost *)self)->boost, epochs, err);
}

const struct learner learner_rankboost = {
    .plug = { { "rankboost", "boosting of steps on the exponential loss of pairs",
                "Pairs that are ranked badly so far count more in the choice of the next "
                "feature and threshold (Freund et al. 2003)." },
              rankboost_params },
    .config_size = sizeof(struct rankboost_config),
    .is_pairwise = true,
    .is_scale_free = true,
    .self_size = sizeof(struct rankboost),
    .trial = { .has_outgrown_small = true },
    .open = rankboost_open,
    .epoch = rankboost_epoch,
    .check = rankboost_check,
    .close = rankboost_close,
};
