/* learner_ranksvm.c -- RankSVM: a linear ranker with a margin on every pair.
 *
 *   minimise  1/2 |w|^2 + C sum over pairs of max(0, 1 - w . (x_i - x_j))^2
 *
 * Each "epoch" is one C of a geometric grid, from small to large, that starts from the
 * weights of the one before; the validation data chooses.
 *
 * Joachims, "Optimizing search engines using clickthrough data", KDD 2002; squared, as
 * Lee and Lin 2014 solve it.                                                          */
#include "svm.h"

struct ranksvm {
    const struct task *task;
    struct svm svm;
    double *w; /* dim */
    struct arena arena;
};

static peck_status ranksvm_open(void *self, const struct task *task,
                                struct stopping *stopping, peck_error *err)
{
    struct ranksvm *const r = self;
    const struct svm_grid *const c = task->plan->learner;
    const struct hinge_rule rule = { .is_by_query = c->balance == 1, .seed = task->seed };

    r->task = task;
    *stopping = svm_grid_stopping(task);
    r->w = arena_new(&r->arena, "weights", task->train_data->dim, sizeof *r->w);
    TRY(arena_check(&r->arena, err));
    return svm_open(&r->svm, task, &rule, err);
}

static peck_status ranksvm_epoch(void *self, size_t number, struct epoch_stats *stats,
                                 peck_error *err)
{
    struct ranksvm *const r = self;
    double loss = 0.0;

    if (!(r->svm.all_pairs > 0.0)) /* nothing to learn from */
        return PECK_OK;
    stats->rate = svm_grid_at(&r->svm, number);
    const peck_status st = svm_solve(&r->svm, stats->rate, r->w, &loss, err);

    if (st != PECK_OK && st != PECK_STOPPED)
        return st;
    for (size_t j = 0; j < r->svm.dim; j++)
        r->task->w[j] = (float)r->w[j];
    stats->loss = loss / r->svm.all_pairs;
    return st;
}

static size_t ranksvm_keep(void *self, struct kept *kept)
{
    struct ranksvm *const r = self;

    kept[0] = (struct kept){ "solution", TENSOR_F64, r->w, r->svm.dim };
    return 1;
}

static void ranksvm_close(void *self)
{
    struct ranksvm *const r = self;

    svm_close(&r->svm);
    arena_free(&r->arena);
}

const struct learner learner_ranksvm = {
    .plug = { { "ranksvm", "a squared hinge over all pairs, by Newton's method",
                "Pairs are never listed: order statistics of the scores give all sums in "
                "O(n log n) (Lee and Lin 2014)." },
              svm_grid_params },
    .config_size = sizeof(struct svm_grid),
    .is_pairwise = true,
    .takes_ranks = true,
    .self_size = sizeof(struct ranksvm),
    .open = ranksvm_open,
    .epoch = ranksvm_epoch,
    .keep = ranksvm_keep,
    .close = ranksvm_close,
};
