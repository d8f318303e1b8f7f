/* learner_prank.c -- perceptrons with ordered thresholds: PRank, and OAP-BPM, which is many
 * of them, each shown a part of the examples.
 *
 * In an epoch every document is shown once, in an order drawn anew; with several
 * perceptrons each of them sees it with probability tau.  The weights are the mean over
 * the perceptrons, near the centre of all that would do: the Bayes point.  The
 * thresholds, which no order of documents needs, stay behind.
 *
 * Crammer and Singer 2002; Harrington, "Online ranking/collaborative filtering using the
 * perceptron algorithm", ICML 2003.                                                   */
#include "prank.h"

#include "../base/alloc.h"

#include <stdatomic.h>

struct prank_config {
    int64_t epochs, patience, perceptrons;
    double tau;
    int is_averaged;
};

static const struct param prank_params[] = {
    { "epochs", PARAM_INT, "100", "[1,1000000]", "passes over the documents",
      offsetof(struct prank_config, epochs) },
    { "patience", PARAM_INT, "20", "[0,inf)",
      "epochs without a better validation value before it stops; 0: all are done",
      offsetof(struct prank_config, patience) },
    { "perceptrons", PARAM_INT, "1", "[1,100000]", "how many are averaged",
      offsetof(struct prank_config, perceptrons) },
    { "tau", PARAM_FLOAT, "1", "(0,1]", "the share of the documents that each is shown",
      offsetof(struct prank_config, tau) },
    { "average", PARAM_CHOICE, "yes", "no|yes",
      "the weights are the mean over the steps of an epoch, not those of the last one",
      offsetof(struct prank_config, is_averaged) },
    { 0 }
};

enum { ASK_EVERY = 256 }; /* examples between two looks at whether to stop */

struct prank_learner {
    const struct task *task;
    const struct prank_config *config;
    struct poly shape;
    struct examples examples;
    float *shown; /* [examples.n][dim], in the order of the epoch; NULL: one perceptron */
    size_t n_bounds, size; /* doubles of one perceptron */
    double *block;         /* [perceptrons][size] */
    double *mean;          /* n_weights */
    uint64_t *n_mistakes;  /* perceptrons */
    size_t epoch;
    atomic_bool is_stopped;
};

static peck_status prank_open(void *self, const struct task *task,
                              struct stopping *stopping, peck_error *err)
{
    struct prank_learner *const s = self;
    const struct prank_config *const c = task->plan->learner;
    size_t cells;

    s->task = task;
    s->config = c;
    s->shape = *(const struct poly *)task->plan->shape;
    atomic_init(&s->is_stopped, false);
    *stopping =
        (struct stopping){ .n_epochs = (size_t)c->epochs, .patience = (size_t)c->patience };
    TRY(examples_open(&s->examples, task->train_data, err));
    s->n_bounds = s->examples.n_grades > 0 ? s->examples.n_grades - 1 : 0;
    s->size = prank_size(&s->shape, s->n_bounds);
    if (mul_overflow(s->size, (size_t)c->perceptrons, &cells))
        return fail_memory(err, "perceptrons", s->size, (size_t)c->perceptrons);
    s->block = mem_new(cells, sizeof *s->block);
    s->mean = mem_new(task->plan->n_weights, sizeof *s->mean);
    s->n_mistakes = mem_new((size_t)c->perceptrons, sizeof *s->n_mistakes);
    if (s->block == NULL || s->mean == NULL || s->n_mistakes == NULL)
        return fail_memory(err, "perceptrons", cells, sizeof *s->block);
    if (c->perceptrons > 1) {
        s->shown = mem_new(s->examples.n, task->train_data->dim * sizeof *s->shown);
        if (s->shown == NULL)
            return fail_memory(err, "documents in another order", s->examples.n,
                               task->train_data->dim * sizeof *s->shown);
    }
    return PECK_OK;
}

static bool must_stop(struct prank_learner *s)
{
    const struct task *const t = s->task;

    if (t->is_stopped != NULL && t->is_stopped(t->ctx))
        atomic_store(&s->is_stopped, true);
    return atomic_load(&s->is_stopped);
}

/* Perceptron k sees its part of the examples. */
static void teach(void *ctx, size_t k, int worker)
{
    struct prank_learner *const s = ctx;
    const struct examples *const e = &s->examples;
    const size_t dim = s->task->train_data->dim;
    struct prank p = prank_in(s->block + k * s->size, &s->shape, s->n_bounds);
    struct rng rng;

    (void)worker;
    prank_begin(&p);
    rng_seed(&rng, mix64(mix64(s->task->seed, STREAM_DROPOUT), s->epoch), k);
    s->n_mistakes[k] = 0;
    for (size_t i = 0; i < e->n; i++) {
        const uint32_t row = e->order[i];

        if (i % ASK_EVERY == 0 && must_stop(s))
            return;
        if (s->config->tau < 1.0 && rng_uniform(&rng) >= s->config->tau)
            continue;
        s->n_mistakes[k] += prank_learn(
            &p, s->shown != NULL ? s->shown + i * dim : s->task->train_data->x + row * dim,
            e->grade[row], (double)e->weight[row]);
    }
}

/* Many perceptrons walk through the same documents: they are laid out once. */
static void prank_lay_out(void *ctx, size_t block, int worker)
{
    const struct prank_learner *const s = ctx;
    const size_t dim = s->task->train_data->dim, first = block * ASK_EVERY;

    (void)worker;
    for (size_t i = first; i < s->examples.n && i < first + ASK_EVERY; i++)
        memcpy(s->shown + i * dim, s->task->train_data->x + s->examples.order[i] * dim,
               dim * sizeof *s->shown);
}

static peck_status prank_epoch(void *self, size_t number, struct epoch_stats *stats,
                               peck_error *err)
{
    struct prank_learner *const s = self;
    const size_t n = (size_t)s->config->perceptrons, n_weights = s->task->plan->n_weights;
    double n_mistakes = 0.0;

    (void)err;
    s->epoch = number;
    examples_shuffle(&s->examples, s->task->seed, number);
    if (s->shown != NULL)
        pool_run(s->task->pool, (s->examples.n + ASK_EVERY - 1) / ASK_EVERY, prank_lay_out,
                 s);
    pool_run(s->task->pool, n, teach, s);
    memset(s->mean, 0, n_weights * sizeof *s->mean);
    for (size_t k = 0; k < n; k++) {
        const struct prank p = prank_in(s->block + k * s->size, &s->shape, s->n_bounds);

        prank_add(&p, s->config->is_averaged != 0, 1.0 / (double)n, s->mean);
        n_mistakes += (double)s->n_mistakes[k];
    }
    for (size_t i = 0; i < n_weights; i++)
        s->task->w[i] = (float)s->mean[i];
    stats->loss = n_mistakes / (s->config->tau * (double)(n * s->examples.n) + 1e-300);
    return atomic_load(&s->is_stopped) ? PECK_STOPPED : PECK_OK;
}

static size_t prank_keep(void *self, struct kept *kept)
{
    struct prank_learner *const s = self;

    kept[0] = (struct kept){ "perceptrons", TENSOR_F64, s->block,
                             s->size * (size_t)s->config->perceptrons };
    return 1;
}

static void prank_close(void *self)
{
    struct prank_learner *const s = self;

    examples_close(&s->examples);
    mem_free(s->shown);
    mem_free(s->block);
    mem_free(s->mean);
    mem_free(s->n_mistakes);
}

const struct learner learner_prank = {
    .plug = { { "prank", "perceptrons with ordered thresholds",
                "Online: one document at a time (Crammer and Singer 2002); several of "
                "them, "
                "each shown a part of the documents, are averaged (Harrington 2003)." },
              prank_params },
    .config_size = sizeof(struct prank_config),
    .self_size = sizeof(struct prank_learner),
    .open = prank_open,
    .epoch = prank_epoch,
    .keep = prank_keep,
    .close = prank_close,
};
