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
    struct query_scratch scratch; /* for queries with listed pairs */
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
static double runs_potential(struct stump_boost *b, const struct query_pairs *q,
                             const double *h, double share, float *potential)
{
    double *const before = b->scratch, *const cover = before + q->n + 1;
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

static peck_status rankboost_open(void *self, const struct task *task,
                                  struct stopping *stopping, peck_error *err)
{
    struct rankboost *const r = self;

    r->config = task->plan->learner;
    TRY(query_scratch_init(&r->scratch, task->train_data->train_set, NULL, err));
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
    memset(b->potential, 0, l->n_docs * sizeof *b->potential);
    for (size_t q = 0; q < l->n_queries; q++) {
        const struct query_pairs query =
            train_set_query(l, q, b->task->seed, 0, &r->scratch);
        const double share =
            (double)query.weight / (r->config->balance == BY_QUERIES ? query.n_all : 1.0);
        const double *const h = b->height + l->start[q];
        float *const potential = b->potential + l->start[q];

        if (query.n_all > 0.0)
            all += query.below != NULL ? runs_potential(b, &query, h, share, potential)
                                       : listed_potential(&query, h, share, potential);
    }
    if (!(all > 0.0) || !stump_boost_find(b, step))
        return PECK_OK;
    for (size_t i = 0; i < l->n_docs; i++)
        lean += stump_boost_is_above(b, step, i) ? (double)b->potential[i] : 0.0;
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

    stump_boost_close(&r->boost);
    query_scratch_free(&r->scratch);
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
