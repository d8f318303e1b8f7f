/* learner_ascent.c -- coordinate ascent: one weight at a time, on the metric itself.
 *
 * A pass goes over all features in a random order and moves each weight to where the
 * metric of the training data is highest among steps of +-0.001 to +-7.5 and 0, with
 * sum |w| = 1 before the pass.  When a pass brings less than `tolerance`, the next one
 * starts anew.  An epoch is a pass; the validation data chooses.
 *
 * Metzler and Croft, "Linear feature-based models for information retrieval", Information
 * Retrieval 10 (2007).                                                               */
#include "column.h"
#include "validator.h"
#include "line.h"

#include "../base/alloc.h"
#include "../base/maths.h"

#include <math.h>

struct ascent_config {
    int64_t epochs, patience;
    double tolerance;
    char metric[PARAM_TEXT_MAX];
    int start;
};

enum { START_EQUAL, START_RANDOM };

static const struct param ascent_params[] = {
    { "epochs", PARAM_INT, "25", "[1,1000000]", "passes over all weights, of all starts",
      offsetof(struct ascent_config, epochs) },
    { "patience", PARAM_INT, "0", "[0,inf)",
      "passes without a better validation value before it stops; 0: all are done",
      offsetof(struct ascent_config, patience) },
    { "tolerance", PARAM_FLOAT, "0.001", "[0,1]",
      "a pass that brings less than this is the last of its start",
      offsetof(struct ascent_config, tolerance) },
    { "start", PARAM_CHOICE, "equal", "equal|random", "the first weights of each start",
      offsetof(struct ascent_config, start) },
    TRAIN_METRIC_PARAM(struct ascent_config, metric),
    { 0 }
};

enum { STEPS = LINE_MAX / 2 - 1 }; /* of each sign; then 0, and to weight 0 */
#define FIRST_STEP 0.001
#define STEP_RATIO 1.5
#define LEAST_GAIN 1e-9 /* less is rounding */

/* What must travel in a checkpoint: starts so far; 1 when the last pass brought little. */
enum { MEMORY_STARTS, MEMORY_DONE, N_MEMORY };

struct ascent {
    const struct task *task;
    const struct ascent_config *config;
    struct train_metric train_metric;
    struct line line;
    struct model_outputs outputs; /* scores of the training documents */
    float *column;                /* n_docs: one feature */
    uint32_t *order;              /* dim: features in the order of the pass */
    uint64_t memory[N_MEMORY];
    struct arena arena;
};

static peck_status ascent_open(void *self, const struct task *task,
                               struct stopping *stopping, peck_error *err)
{
    struct ascent *const a = self;
    const struct ascent_config *const c = task->plan->learner;
    const size_t n = task->train_data->train_set->n_docs, dim = task->train_data->dim;
    const struct rows x = { task->train_data->x, n, dim, dim };

    a->task = task;
    a->config = c;
    *stopping =
        (struct stopping){ .n_epochs = (size_t)c->epochs, .patience = (size_t)c->patience };
    a->column = arena_new(&a->arena, "a column of features", n, sizeof *a->column);
    a->order = arena_new(&a->arena, "a column of features", dim, sizeof *a->order);
    TRY(arena_check(&a->arena, err));
    TRY(train_metric_open(&a->train_metric, task, c->metric, err));
    TRY(line_open(&a->line, &a->train_metric, task->pool, err));
    return model_outputs_open(&a->outputs, &a->arena, task->plan->recipe->family,
                              task->plan->shape, x, task->pool, err);
}

/* Moves one weight, and the scores with it, to where the metric is highest. */
static void ascent_move(struct ascent *a, size_t f)
{
    float *const w = &a->task->w[f], t[LINE_MAX] = { 0.0f };
    double value[LINE_MAX];
    size_t n = 1, best = 0; /* steps; the first one stays where it is */

    column_take(a->task->pool, a->outputs.x, f, 1.0f, a->column);
    for (int k = 0; k < STEPS; k++) {
        const float step = (float)(FIRST_STEP * math_pow(STEP_RATIO, k));

        t[n++] = step;
        t[n++] = -step;
    }
    t[n++] = -*w;
    line_judge(&a->line, a->outputs.score, a->column, t, n, value);
    for (size_t k = 1; k < n; k++)
        if (value[k] > value[best] + LEAST_GAIN)
            best = k;
    if (best == 0)
        return;
    *w += t[best];
    column_add(a->task->pool, a->outputs.x.n, t[best], a->column, a->outputs.score);
}

static peck_status ascent_epoch(void *self, size_t number, struct epoch_stats *stats,
                                peck_error *err)
{
    struct ascent *const a = self;
    const struct task *const t = a->task;
    const size_t dim = t->train_data->dim;
    double sum = 0.0;
    struct rng rng;

    (void)err;
    if (a->memory[MEMORY_STARTS] == 0 || a->memory[MEMORY_DONE]) { /* a new start */
        rng_seed(&rng, mix64(t->seed, STREAM_INIT), a->memory[MEMORY_STARTS]);
        for (size_t j = 0; j < dim; j++)
            t->w[j] = a->config->start == START_EQUAL ? 1.0f : (float)rng_normal(&rng);
        a->memory[MEMORY_STARTS]++;
    }
    for (size_t j = 0; j < dim; j++)
        sum += fabs((double)t->w[j]);
    for (size_t j = 0; sum > 0.0 && j < dim; j++)
        t->w[j] = (float)((double)t->w[j] / sum);
    model_outputs_fill(&a->outputs, t->w);
    const double before = train_metric_judge(&a->train_metric, a->outputs.score);

    for (size_t j = 0; j < dim; j++)
        a->order[j] = (uint32_t)j;
    rng_seed(&rng, mix64(t->seed, STREAM_ORDER), number);
    rng_shuffle(&rng, a->order, dim);
    for (size_t j = 0; j < dim; j++) {
        if (t->is_stopped != NULL && t->is_stopped(t->ctx))
            return PECK_STOPPED;
        ascent_move(a, a->order[j]);
    }
    const double after = train_metric_judge(&a->train_metric, a->outputs.score);

    stats->loss = 1.0 - after;
    stats->rate = after - before;
    a->memory[MEMORY_DONE] = after - before < a->config->tolerance;
    return PECK_OK;
}

static size_t ascent_keep(void *self, struct kept *kept)
{
    struct ascent *const a = self;

    kept[0] = (struct kept){ "memory", TENSOR_U64, a->memory, N_MEMORY };
    return 1;
}

static peck_status ascent_check(void *self, size_t epochs, peck_error *err)
{
    const uint64_t *const memory = ((struct ascent *)self)->memory;

    return memory[MEMORY_STARTS] >= 1 && memory[MEMORY_STARTS] <= epochs &&
                   memory[MEMORY_DONE] <= 1
               ? PECK_OK
               : fail(err, PECK_FORMAT, "it counts starts that cannot be");
}

static void ascent_close(void *self)
{
    struct ascent *const a = self;

    line_close(&a->line);
    train_metric_close(&a->train_metric);
    arena_free(&a->arena);
}

const struct learner learner_ascent = {
    .plug = { { "ascent", "line search, one weight at a time, on a metric",
                "Each weight goes to where the metric of the training data is highest, "
                "again and again, from several starts (Metzler and Croft 2007)." },
              ascent_params },
    .config_size = sizeof(struct ascent_config),
    .slow_from = 1e7, /* some minutes */
    .self_size = sizeof(struct ascent),
    .open = ascent_open,
    .epoch = ascent_epoch,
    .keep = ascent_keep,
    .check = ascent_check,
    .close = ascent_close,
};
