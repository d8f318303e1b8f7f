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
#include "../base/sort.h"

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

enum {
    ASK_EVERY = 256, /* documents between two looks at whether to stop */
    MAX_GRADES = 1024
};

struct prank_learner {
    const struct task *task;
    const struct prank_config *config;
    struct arena arena;
    struct poly shape;
    size_t n;              /* judged documents: they are shown */
    uint32_t *row;         /* n: of the training set */
    uint32_t *order;       /* n: rows as the epoch shows them */
    uint32_t *grade;       /* n_docs, by row: from 0 */
    float *weight;         /* n_docs, by row */
    float *shown;          /* [n][dim], in the order of the epoch; NULL: one perceptron */
    size_t n_bounds, size; /* doubles of one perceptron */
    double *block;         /* [perceptrons][size] */
    double *mean;          /* n_weights */
    uint64_t *n_mistakes;  /* perceptrons */
    size_t epoch;
    atomic_bool is_stopped;
};

/* The perceptron ------------------------------------------------------------------------ */

size_t prank_size(const struct poly *shape, size_t n_bounds)
{
    return 1 + n_bounds + 2 * poly_n_weights(shape);
}

struct prank prank_in(double *block, const struct poly *shape, size_t n_bounds)
{
    const size_t n = poly_n_weights(shape);

    return (struct prank){ .shape = *shape,
                           .n_weights = n,
                           .n_bounds = n_bounds,
                           .n_steps = block,
                           .b = block + 1,
                           .w = block + 1 + n_bounds,
                           .u = block + 1 + n_bounds + n };
}

static double prank_dot(const double *w, const float *x, size_t n)
{
    double sum = 0.0;

    for (size_t i = 0; i < n; i++)
        sum += w[i] * (double)x[i];
    return sum;
}

static void prank_add_row(double *w, double *u, double a, double when, const float *x,
                          size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const double change = a * (double)x[i];

        w[i] += change;
        u[i] += when * change;
    }
}

bool prank_learn(struct prank *p, const float *x, uint32_t grade, double weight)
{
    /* The weights of x_i x_j, j >= i, follow those of x: dim - i of them for each i. */
    const size_t dim = p->shape.dim,
                 squares = p->shape.kernel == KERNEL_QUADRATIC ? dim : 0;
    double s = prank_dot(p->w, x, dim), all = 0.0;

    for (size_t i = 0, at = dim; i < squares; at += dim - i, i++)
        s += (double)x[i] * prank_dot(p->w + at, x + i, dim - i);
    for (size_t r = 0; r < p->n_bounds; r++) {
        const double side = grade > r ? 1.0 : -1.0;

        if (side * (s - p->b[r]) <= 0.0) {
            all += side;
            p->b[r] -= weight * side;
        }
    }
    if (all != 0.0) {
        const double a = weight * all, when = *p->n_steps;

        prank_add_row(p->w, p->u, a, when, x, dim);
        for (size_t i = 0, at = dim; i < squares; at += dim - i, i++)
            prank_add_row(p->w + at, p->u + at, a * (double)x[i], when, x + i, dim - i);
    }
    *p->n_steps += 1.0;
    return all != 0.0;
}

void prank_add(const struct prank *p, bool is_averaged, double share, double *to)
{
    const double part = is_averaged && *p->n_steps > 0.0 ? 1.0 / *p->n_steps : 0.0;

    for (size_t i = 0; i < p->n_weights; i++)
        to[i] += share * (p->w[i] - part * p->u[i]);
}

/* The learner --------------------------------------------------------------------------- */

static peck_status prank_open(void *self, const struct task *task,
                              struct stopping *stopping, peck_error *err)
{
    struct prank_learner *const s = self;
    struct arena *const m = &s->arena;
    const struct prank_config *const c = task->plan->learner;
    const struct train_set *const l = task->train_data->train_set;
    const size_t many = (size_t)c->perceptrons, dim = task->train_data->dim;
    const char *const what = "the grades of documents";
    struct sort_item *const item = arena_new(m, what, l->n_docs, 2 * sizeof *item);
    size_t n_grades = 0;

    s->task = task;
    s->config = c;
    s->shape = *(const struct poly *)task->plan->shape;
    atomic_init(&s->is_stopped, false);
    *stopping =
        (struct stopping){ .n_epochs = (size_t)c->epochs, .patience = (size_t)c->patience };
    s->row = arena_new(m, what, l->n_docs, sizeof *s->row);
    s->order = arena_new(m, what, l->n_docs, sizeof *s->order);
    s->grade = arena_new(m, what, l->n_docs, sizeof *s->grade);
    s->weight = arena_new(m, what, l->n_docs, sizeof *s->weight);
    TRY(arena_check(m, err));
    for (size_t q = 0; q < l->n_queries; q++)
        for (size_t i = 0; i < l->plan[q].n_judged; i++) {
            const uint32_t row = (uint32_t)(l->start[q] + i);

            item[s->n] = (struct sort_item){ ~key_desc((double)l->label[row]), row };
            s->row[s->n++] = row;
            s->weight[row] = (l->weight != NULL ? l->weight[q] : 1.0f) *
                             (l->doc_weight != NULL ? l->doc_weight[row] : 1.0f);
        }
    sort_items(item, s->n, item + s->n);
    for (size_t k = 0; k < s->n; k++) {
        n_grades += k == 0 || item[k].key != item[k - 1].key;
        s->grade[item[k].from] = (uint32_t)n_grades - 1;
    }
    if (n_grades > MAX_GRADES)
        return fail(err, PECK_SHAPE,
                    "the documents have %zu different labels; a method of thresholds takes "
                    "up to %d: use --binarise, or ranksvm",
                    n_grades, MAX_GRADES);
    s->n_bounds = n_grades > 0 ? n_grades - 1 : 0;
    s->size = prank_size(&s->shape, s->n_bounds);
    s->block = arena_new(m, "perceptrons", many, s->size * sizeof *s->block);
    s->mean = arena_new(m, "perceptrons", task->plan->n_weights, sizeof *s->mean);
    s->n_mistakes = arena_new(m, "perceptrons", many, sizeof *s->n_mistakes);
    if (many > 1)
        s->shown = arena_new(m, "documents in another order", s->n, dim * sizeof *s->shown);
    return arena_check(m, err);
}

/* Perceptron k sees its part of the documents; averages are over its steps. */
static void teach_perceptron(void *ctx, size_t k, int worker)
{
    struct prank_learner *const s = ctx;
    const struct task *const t = s->task;
    const size_t dim = t->train_data->dim;
    struct prank p = prank_in(s->block + k * s->size, &s->shape, s->n_bounds);
    struct rng rng;

    (void)worker;
    *p.n_steps = 0.0;
    memset(p.u, 0, p.n_weights * sizeof *p.u);
    rng_seed(&rng, mix64(mix64(t->seed, STREAM_DROPOUT), s->epoch), k);
    s->n_mistakes[k] = 0;
    for (size_t i = 0; i < s->n; i++) {
        const uint32_t row = s->order[i];

        if (i % ASK_EVERY == 0 && t->is_stopped != NULL && t->is_stopped(t->ctx))
            atomic_store(&s->is_stopped, true);
        if (i % ASK_EVERY == 0 && atomic_load(&s->is_stopped))
            return;
        if (s->config->tau < 1.0 && rng_uniform(&rng) >= s->config->tau)
            continue;
        s->n_mistakes[k] += prank_learn(
            &p, s->shown != NULL ? s->shown + i * dim : t->train_data->x + row * dim,
            s->grade[row], (double)s->weight[row]);
    }
}

/* Many perceptrons walk through the same documents: they are laid out once. */
static void prank_lay_out(void *ctx, size_t block, int worker)
{
    const struct prank_learner *const s = ctx;
    const size_t dim = s->task->train_data->dim, first = block * ASK_EVERY;

    (void)worker;
    for (size_t i = first; i < s->n && i < first + ASK_EVERY; i++)
        memcpy(s->shown + i * dim, s->task->train_data->x + s->order[i] * dim,
               dim * sizeof *s->shown);
}

static peck_status prank_epoch(void *self, size_t number, struct epoch_stats *stats,
                               peck_error *err)
{
    struct prank_learner *const s = self;
    const size_t n = (size_t)s->config->perceptrons, n_weights = s->task->plan->n_weights;
    double n_mistakes = 0.0;
    struct rng rng;

    (void)err;
    s->epoch = number;
    rng_seed(&rng, mix64(s->task->seed, STREAM_ORDER), number);
    memcpy(s->order, s->row, s->n * sizeof *s->order);
    rng_shuffle(&rng, s->order, s->n);
    if (s->shown != NULL)
        pool_run(s->task->pool, (s->n + ASK_EVERY - 1) / ASK_EVERY, prank_lay_out, s);
    pool_run(s->task->pool, n, teach_perceptron, s);
    memset(s->mean, 0, n_weights * sizeof *s->mean);
    for (size_t k = 0; k < n; k++) {
        const struct prank p = prank_in(s->block + k * s->size, &s->shape, s->n_bounds);

        prank_add(&p, s->config->is_averaged != 0, 1.0 / (double)n, s->mean);
        n_mistakes += (double)s->n_mistakes[k];
    }
    for (size_t i = 0; i < n_weights; i++)
        s->task->w[i] = (float)s->mean[i];
    /* The share of mistakes: each perceptron is shown about tau n documents. */
    stats->loss = n_mistakes / (s->config->tau * (double)(n * s->n) + 1e-300);
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
    arena_free(&((struct prank_learner *)self)->arena);
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
