/* learner_es.c -- a (1+1) evolution strategy on the weights of a line, by the metric.
 *
 * A child differs from its parent in a random part of the weights, each moved by
 * N(0,1) e^Cauchy(0,1); it takes the parent's place where the metric of the training data
 * is no lower.  A move that helped is made once more before another is drawn.  The first
 * parent is zero, least squares or RankSVM.  An epoch is `generations` children; the
 * validation data chooses.
 *
 * Ibrahim and Landa-Silva, "ES-Rank: evolution strategy learning to rank approach", SAC
 * 2017; "An evolutionary strategy with machine learning for learning to rank in
 * information retrieval", Soft Computing 22 (2018).                                   */
#include "validator.h"
#include "fit.h"
#include "train_metric.h"

#include "../base/alloc.h"
#include "../base/maths.h"

#include <math.h>

struct es_config {
    int64_t epochs, patience, generations;
    int start, is_short;
    double step;
    char metric[PARAM_TEXT_MAX];
};

enum { START_ZERO, START_RIDGE, START_RANKSVM };

static const struct param es_params[] = {
    { "epochs", PARAM_INT, "100", "[1,1000000]", "looks at the validation data",
      offsetof(struct es_config, epochs) },
    { "patience", PARAM_INT, "0", "[0,inf)",
      "epochs without a better validation value before it stops; 0: all are done",
      offsetof(struct es_config, patience) },
    { "generations", PARAM_INT, "13", "[1,1000000]", "children of an epoch",
      offsetof(struct es_config, generations) },
    { "start", PARAM_CHOICE, "zero", "zero|ridge|ranksvm",
      "the first parent: nothing, or what that method learns",
      offsetof(struct es_config, start) },
    { "step", PARAM_FLOAT, "1", "(0,inf)",
      "the size of a move, in units of the first parent's largest weight (1 from zero)",
      offsetof(struct es_config, step) },
    { "shorten", PARAM_CHOICE, "yes", "no|yes",
      "after each epoch the largest weight is brought back to what it was at first, so "
      "that "
      "moves stay of a size with the weights",
      offsetof(struct es_config, is_short) },
    TRAIN_METRIC_PARAM(struct es_config, metric),
    { 0 }
};

struct es {
    const struct task *task;
    const struct es_config *config;
    struct train_metric train_metric;
    struct model_outputs outputs;
    float *child; /* n_weights */
    float *move;  /* n_weights: the last one */
    double unit;
    double memory[2]; /* what the parent reaches; 1: its move is to be made again */
    struct arena arena;
};

enum { MEMORY_REACHED, MEMORY_AGAIN };

extern const struct learner learner_ridge, learner_ranksvm;

/* Weights of another method on the same training data, all its settings at their
 * defaults. */
static peck_status borrow(const struct learner *from, const struct task *task, float *w,
                          peck_error *err)
{
    const struct recipe recipe = { .learner = from, .family = task->plan->recipe->family };
    struct plan plan = *task->plan;
    struct task own = *task;
    struct fit fit = { 0 };
    struct arena arena = { 0 };
    void *const config = arena_new(&arena, "settings", 1, from->config_size);

    TRY(arena_check(&arena, err));
    param_defaults(from->plug.params, config);
    plan.recipe = &recipe;
    plan.learner = config;
    own.plan = &plan;
    peck_status st = fit_open(&fit, &own, err);

    if (st == PECK_OK)
        st = fit_run(&fit, NULL, NULL, err);
    if (st == PECK_OK || st == PECK_STOPPED)
        memcpy(w, fit.reached[REACHED_BEST] > 0 ? fit.best : fit.w,
               plan.n_weights * sizeof *w);
    fit_close(&fit);
    arena_free(&arena);
    return st == PECK_STOPPED ? PECK_OK : st;
}

static double largest(const float *w, size_t n)
{
    float most = 0.0f;

    for (size_t j = 0; j < n; j++)
        if (fabsf(w[j]) > most) /* no fmax: gcc 12 for AArch64 dies of its vectors */
            most = fabsf(w[j]);
    return most;
}

static peck_status es_open(void *self, const struct task *task, struct stopping *stopping,
                           peck_error *err)
{
    struct es *const s = self;
    const struct es_config *const c = task->plan->learner;
    const size_t n = task->plan->n_weights, dim = task->train_data->dim;
    const struct rows x = { task->train_data->x, task->train_data->train_set->n_docs, dim,
                            dim };

    s->task = task;
    s->config = c;
    *stopping =
        (struct stopping){ .n_epochs = (size_t)c->epochs, .patience = (size_t)c->patience };
    s->child = arena_new(&s->arena, "weights", n, sizeof *s->child);
    s->move = arena_new(&s->arena, "weights", n, sizeof *s->move);
    TRY(arena_check(&s->arena, err));
    TRY(train_metric_open(&s->train_metric, task, c->metric, err));
    TRY(model_outputs_open(&s->outputs, &s->arena, task->plan->recipe->family,
                           task->plan->shape, x, task->pool, err));
    if (c->start == START_RIDGE)
        TRY(borrow(&learner_ridge, task, task->w, err));
    if (c->start == START_RANKSVM)
        TRY(borrow(&learner_ranksvm, task, task->w, err));
    const double most = largest(task->w, dim);

    s->unit = c->step * (most > 0.0 ? most : 1.0);
    return PECK_OK;
}

static double reach(struct es *s, const float *w)
{
    model_outputs_fill(&s->outputs, w);
    return train_metric_judge(&s->train_metric, s->outputs.score);
}

/* A new move: each weight of a random part. */
static void draw_move(struct es *s, struct rng *rng)
{
    const double most = 20.0; /* of the exponent: beyond it a weight drowns all others */
    const size_t dim = s->task->train_data->dim;
    const double share = rng_between(rng, 0.0, 1.0);

    memset(s->move, 0, s->task->plan->n_weights * sizeof *s->move);
    for (size_t j = 0; j < dim; j++) {
        if (rng_uniform(rng) >= share)
            continue;
        /* The inverse of Cauchy's distribution function at a uniform number. */
        const double cauchy = math_tan(3.14159265358979323846 * (rng_uniform(rng) - 0.5));

        s->move[j] = (float)(s->unit * rng_normal(rng) *
                             math_exp(math_max(math_min(cauchy, most), -most)));
    }
}

static peck_status es_epoch(void *self, size_t number, struct epoch_stats *stats,
                            peck_error *err)
{
    struct es *const s = self;
    const struct task *const t = s->task;
    const size_t dim = t->train_data->dim;
    float *const w = t->w;
    struct rng rng;

    (void)err;
    if (number == 1)
        s->memory[MEMORY_REACHED] = reach(s, w);
    rng_seed(&rng, mix64(t->seed, STREAM_ORDER), number);
    for (int64_t k = 0; k < s->config->generations; k++) {
        if (s->memory[MEMORY_AGAIN] == 0.0)
            draw_move(s, &rng);
        for (size_t j = 0; j < dim; j++)
            s->child[j] = w[j] + s->move[j];
        const double reached = reach(s, s->child);

        s->memory[MEMORY_AGAIN] = reached > s->memory[MEMORY_REACHED];
        if (!(reached < s->memory[MEMORY_REACHED])) {
            s->memory[MEMORY_REACHED] = reached;
            memcpy(w, s->child, dim * sizeof *w);
        }
        if (t->is_stopped != NULL && t->is_stopped(t->ctx))
            return PECK_STOPPED;
    }
    /* Orders do not know lengths, but moves do. */
    const double most = s->config->is_short ? largest(w, dim) : 0.0;

    for (size_t j = 0; most > 0.0 && j < dim; j++) {
        w[j] = (float)((double)w[j] * s->unit / most);
        s->move[j] = (float)((double)s->move[j] * s->unit / most);
    }
    stats->loss = 1.0 - s->memory[MEMORY_REACHED];
    stats->rate = s->unit;
    return PECK_OK;
}

static size_t es_keep(void *self, struct kept *kept)
{
    struct es *const s = self;

    kept[0] = (struct kept){ "memory", TENSOR_F64, s->memory, 2 };
    kept[1] = (struct kept){ "move", TENSOR_F32, s->move, s->task->plan->n_weights };
    return 2;
}

static peck_status es_check(void *self, size_t epochs, peck_error *err)
{
    const double again = ((struct es *)self)->memory[MEMORY_AGAIN];

    (void)epochs;
    return again == 0.0 || again == 1.0
               ? PECK_OK
               : fail(err, PECK_FORMAT, "its last move was neither good nor bad");
}

static void es_close(void *self)
{
    struct es *const s = self;

    train_metric_close(&s->train_metric);
    arena_free(&s->arena);
}

const struct learner learner_es = {
    .plug = { { "es", "a (1+1) evolution strategy on a metric",
                "Weights are moved at random; what does not lower the metric of the "
                "training data stays (Ibrahim and Landa-Silva 2017)." },
              es_params },
    .config_size = sizeof(struct es_config),
    .self_size = sizeof(struct es),
    .open = es_open,
    .epoch = es_epoch,
    .keep = es_keep,
    .check = es_check,
    .close = es_close,
};
