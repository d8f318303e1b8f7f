/* learner_adarank.c -- AdaRank: boosting over queries, on the metric itself.
 *
 *   weak ranker     one feature, rising or falling, with the largest sum_q P(q) E_q
 *   its weight      alpha = 1/2 ln( sum_q P(q)(1 + E_q) / sum_q P(q)(1 - E_q) )
 *   the next P(q)   in proportion to e^-E_q of the ranker so far
 *
 * E_q is the metric of query q; a query's own weight is part of P.  What each feature
 * would do alone never changes, so it is judged once.  A feature that was taken is set
 * aside for `rest` rounds: the strongest ones would be taken for ever.
 *
 * Xu and Li, "AdaRank: a boosting algorithm for information retrieval", SIGIR 2007; the
 * setting aside is RankLib's.                                                        */
#include "column.h"
#include "validator.h"
#include "train_metric.h"

#include "../base/alloc.h"
#include "../base/maths.h"

#include <math.h>

struct adarank_config {
    int64_t epochs, patience, rest;
    int directions;
    char metric[PARAM_TEXT_MAX];
};

enum { RISING, BOTH };

static const struct param adarank_params[] = {
    { "epochs", PARAM_INT, "200", "[1,1000000]", "rounds: features taken",
      offsetof(struct adarank_config, epochs) },
    { "patience", PARAM_INT, "0", "[0,inf)",
      "rounds without a better validation value before it stops; 0: all rounds are done",
      offsetof(struct adarank_config, patience) },
    { "rest", PARAM_INT, "1", "[0,inf)",
      "rounds for which a feature that was taken is set aside",
      offsetof(struct adarank_config, rest) },
    { "directions", PARAM_CHOICE, "both", "rising|both",
      "whether a feature may count downwards too",
      offsetof(struct adarank_config, directions) },
    TRAIN_METRIC_PARAM(struct adarank_config, metric),
    { 0 }
};

struct adarank {
    const struct task *task;
    const struct adarank_config *config;
    struct train_metric train_metric;
    size_t n_weak;                /* dim, or twice that: the second half falls */
    double *value;                /* [n_weak][n_queries]: of each weak ranker alone */
    double *p;                    /* n_queries: how much each counts in the next round */
    double *worth;                /* n_weak: of each weak ranker in this one */
    struct model_outputs outputs; /* scores of the training documents */
    uint64_t *taken; /* dim: the round in which a feature was last taken; 0: never */
    struct arena arena;
};

/* P from what the ranker so far reaches; value NULL: from nothing.  A query that cannot be
 * judged has no say. */
static void weigh_queries(struct adarank *a, const double *value)
{
    const struct train_set *const l = a->task->train_data->train_set;
    double all = 0.0;

    for (size_t q = 0; q < l->n_queries; q++) {
        const double w = isnan(a->value[q])  ? 0.0
                         : l->weight != NULL ? (double)l->weight[q]
                                             : 1.0;

        a->p[q] = w == 0.0        ? 0.0
                  : value == NULL ? w
                                  : w * math_exp(-a->train_metric.sign * value[q]);
        all += a->p[q];
    }
    for (size_t q = 0; all > 0.0 && q < l->n_queries; q++)
        a->p[q] /= all;
}

/* What weak ranker k is worth: sum_q P(q) E_q. */
static void weigh_weak(void *ctx, size_t k, int worker)
{
    struct adarank *const a = ctx;
    const size_t n = a->task->train_data->train_set->n_queries;
    const double *const value = a->value + k * n;
    double worth = 0.0;

    (void)worker;
    for (size_t q = 0; q < n; q++)
        worth += a->p[q] > 0.0 ? a->p[q] * value[q] : 0.0;
    a->worth[k] = worth;
}

static peck_status adarank_open(void *self, const struct task *task,
                                struct stopping *stopping, peck_error *err)
{
    struct adarank *const a = self;
    const struct adarank_config *const c = task->plan->learner;
    const struct train_data *const d = task->train_data;
    const size_t n_docs = d->train_set->n_docs, n = d->train_set->n_queries;
    const struct rows x = { d->x, n_docs, d->dim, d->dim };
    const char *const what = "features by query";

    a->task = task;
    a->config = c;
    a->n_weak = d->dim * (c->directions == BOTH ? 2 : 1);
    *stopping =
        (struct stopping){ .n_epochs = (size_t)c->epochs, .patience = (size_t)c->patience };
    a->value = arena_new(&a->arena, what, a->n_weak, n * sizeof *a->value);
    a->p = arena_new(&a->arena, what, n, sizeof *a->p);
    a->worth = arena_new(&a->arena, what, a->n_weak, sizeof *a->worth);
    a->taken = arena_new(&a->arena, what, d->dim, sizeof *a->taken);
    TRY(arena_check(&a->arena, err));
    TRY(train_metric_open(&a->train_metric, task, c->metric, err));
    TRY(model_outputs_open(&a->outputs, &a->arena, task->plan->recipe->family,
                           task->plan->shape, x, task->pool, err));
    for (size_t k = 0; k < a->n_weak; k++) { /* each weak ranker alone */
        const float sign = k < d->dim ? 1.0f : -1.0f;

        column_take(task->pool, x, k % d->dim, sign, a->outputs.score);
        (void)train_metric_judge(&a->train_metric, a->outputs.score);
        for (size_t q = 0; q < n; q++)
            a->value[k * n + q] = a->train_metric.sign * a->train_metric.value[q];
    }
    weigh_queries(a, NULL);
    return PECK_OK;
}

static peck_status adarank_epoch(void *self, size_t number, struct epoch_stats *stats,
                                 peck_error *err)
{
    /* P must stay within what a logarithm takes, whatever the metric. */
    enum { MOST = 1000000 };
    struct adarank *const a = self;
    const size_t dim = a->task->train_data->dim;
    const uint64_t asked = (uint64_t)a->config->rest;
    const uint64_t rest = asked < dim - 1 ? asked : dim - 1; /* some feature is free */
    size_t best = a->n_weak;
    double e = 0.0;

    (void)err;
    if (number > 1) {
        model_outputs_fill(&a->outputs, a->task->w);
        (void)train_metric_judge(&a->train_metric, a->outputs.score);
        weigh_queries(a, a->train_metric.value);
    }
    pool_run(a->task->pool, a->n_weak, weigh_weak, a);
    for (size_t k = 0; k < a->n_weak; k++) {
        const uint64_t taken = a->taken[k % dim];

        if (taken > 0 && number - taken <= rest)
            continue;
        if (best == a->n_weak || a->worth[k] > e) {
            best = k;
            e = a->worth[k];
        }
    }
    /* P sums to 1, so the sums in alpha are 1 + E and 1 - E; their ratio is kept within
     * MOST, also where the metric leaves [-1, 1]. */
    const double ratio = (1.0 + e) * MOST > 1.0 - e && (1.0 - e) * MOST > 1.0 + e
                             ? (1.0 + e) / (1.0 - e)
                         : e > 0.0 ? MOST
                                   : 1.0 / MOST;

    stats->rate = 0.5 * math_log(ratio);
    a->task->w[best % dim] += (float)(best < dim ? stats->rate : -stats->rate);
    a->taken[best % dim] = number;
    stats->loss = 1.0 - e;
    return PECK_OK;
}

static size_t adarank_keep(void *self, struct kept *kept)
{
    struct adarank *const a = self;

    kept[0] = (struct kept){ "taken", TENSOR_U64, a->taken, a->task->train_data->dim };
    return 1;
}

/* Each round took one feature, and the last one did. */
static peck_status adarank_check(void *self, size_t epochs, peck_error *err)
{
    const struct adarank *const a = self;
    struct arena arena = { 0 };
    bool *const was_taken = arena_new(&arena, "rounds", epochs + 1, sizeof *was_taken);
    bool can_be = true;

    TRY(arena_check(&arena, err));
    for (size_t f = 0; can_be && f < a->task->train_data->dim; f++) {
        const uint64_t round = a->taken[f];

        can_be = round == 0 || (round <= epochs && !was_taken[round]);
        if (can_be)
            was_taken[round] = true;
    }
    can_be = can_be && was_taken[epochs];
    arena_free(&arena);
    return can_be ? PECK_OK
                  : fail(err, PECK_FORMAT, "its features were not taken one a round");
}

static void adarank_close(void *self)
{
    struct adarank *const a = self;

    train_metric_close(&a->train_metric);
    arena_free(&a->arena);
}

const struct learner learner_adarank = {
    .plug = { { "adarank", "boosting of single features on a metric",
                "Queries that are ranked badly so far count more in the choice of the "
                "next feature (Xu and Li 2007)." },
              adarank_params },
    .config_size = sizeof(struct adarank_config),
    .self_size = sizeof(struct adarank),
    .open = adarank_open,
    .epoch = adarank_epoch,
    .keep = adarank_keep,
    .check = adarank_check,
    .close = adarank_close,
};
