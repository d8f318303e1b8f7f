/* learner_ranksvm.c -- RankSVM: a linear ranker with a margin on every pair.
 *
 *   minimise  1/2 |w|^2 + C sum over pairs of max(0, 1 - w . (x_i - x_j))^2
 *
 * Each "epoch" is one C of a geometric grid, from small to large, that starts from the
 * weights of the one before; the validation data chooses.  The grid is laid over
 * G = C times what all pairs count, so that it suits data of any size.
 *
 * Joachims, "Optimizing search engines using clickthrough data", KDD 2002; squared, as
 * Lee and Lin 2014 solve it.                                                          */
#include "svm.h"

#include "../base/alloc.h"

#include <math.h>

struct config {
    double c, from, to;
    int64_t steps;
    int balance;
};

static const struct param params[] = {
    { "c", PARAM_FLOAT, "0", "[0,inf)",
      "what the pairs weigh against |w|^2; 0: from a grid, by validation (without it the "
      "middle of the grid)",
      offsetof(struct config, c) },
    { "c_from", PARAM_FLOAT, "0.01", "(0,inf)",
      "the grid's first C, times what all pairs count", offsetof(struct config, from) },
    { "c_to", PARAM_FLOAT, "1000", "(0,inf)",
      "the grid's last C, times what all pairs count", offsetof(struct config, to) },
    { "c_steps", PARAM_INT, "11", "[1,1000]", "values of C in the grid",
      offsetof(struct config, steps) },
    { "balance", PARAM_CHOICE, "pairs", "pairs|queries",
      "what counts the same: each pair, or each query with all its pairs",
      offsetof(struct config, balance) },
    { 0 }
};

struct ranksvm {
    const struct task *task;
    const struct config *config;
    struct svm svm;
    double *w; /* dim */
    bool is_fixed;
};

/* C of a step of the grid, from 1. */
static double c_at(const struct ranksvm *r, size_t step)
{
    const struct config *const c = r->config;
    const double span = c->steps > 1 ? (double)(step - 1) / (double)(c->steps - 1) : 0.0;

    if (c->c > 0.0)
        return c->c;
    return c->from * pow(c->to / c->from, r->is_fixed ? 0.5 : span) / r->svm.all_pairs;
}

static peck_status open(void *self, const struct task *task, struct pace *pace,
                        peck_error *err)
{
    struct ranksvm *const r = self;
    const struct config *const c = task->plan->learner;
    const struct hinge_rule rule = { .is_by_query = c->balance == 1, .seed = task->seed };

    r->task = task;
    r->config = c;
    r->is_fixed = c->c > 0.0 || task->course->exam.data == NULL;
    *pace = (struct pace){ r->is_fixed ? 1 : (size_t)c->steps, 0 };
    r->w = mem_new(task->course->dim, sizeof *r->w);
    if (r->w == NULL)
        return fail_memory(err, "weights", task->course->dim, sizeof *r->w);
    return svm_open(&r->svm, task, &rule, err);
}

static peck_status epoch(void *self, size_t number, struct lap *lap, peck_error *err)
{
    struct ranksvm *const r = self;
    double loss = 0.0;

    if (!(r->svm.all_pairs > 0.0)) /* nothing to learn from */
        return PECK_OK;
    lap->rate = c_at(r, number);
    const peck_status st = svm_solve(&r->svm, lap->rate, r->w, &loss, err);

    if (st != PECK_OK && st != PECK_STOPPED)
        return st;
    for (size_t j = 0; j < r->svm.dim; j++)
        r->task->w[j] = (float)r->w[j];
    lap->loss = loss / r->svm.all_pairs;
    return st;
}

static size_t keep(void *self, struct kept *kept)
{
    struct ranksvm *const r = self;

    kept[0] = (struct kept){ "solution", TENSOR_F64, r->w, r->svm.dim };
    return 1;
}

static void close(void *self)
{
    struct ranksvm *const r = self;

    svm_close(&r->svm);
    mem_free(r->w);
}

const struct learner learner_ranksvm = {
    .plug = { { "ranksvm", "a squared hinge over all pairs, by Newton's method",
                "Pairs are never listed: order statistics of the scores give all sums in "
                "O(n log n) (Lee and Lin 2014)." },
              params },
    .config_size = sizeof(struct config),
    .self_size = sizeof(struct ranksvm),
    .open = open,
    .epoch = epoch,
    .keep = keep,
    .close = close,
};
