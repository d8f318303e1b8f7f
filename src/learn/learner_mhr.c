/* learner_mhr.c -- multiple hyperplanes: one RankSVM for every two grades.
 *
 * Each is trained on the pairs of its two grades alone, with the same C times what those
 * pairs count; an "epoch" is one C of a geometric grid, from small to large, and the
 * validation data chooses.  Who comes first is put to the vote: family_planes.c.
 *
 * Qin, Zhang, Wang, Xiong and Liu, "Ranking with multiple hyperplanes", SIGIR 2007.   */
#include "svm.h"

#include "../base/alloc.h"
#include "../model/planes.h"

#include <math.h>

enum { MAX_GRADES = 64 };

struct mhr {
    const struct task *task;
    size_t n_planes, most; /* in use; of the shape */
    float (*grade)[2];     /* of each plane, higher first */
    struct svm *svm;       /* most */
    double *w;             /* [most][dim] */
    struct arena arena;
};

/* Different labels, rising; too many: MAX_GRADES + 1. */
static size_t find_grades(const struct train_set *l, float *grade)
{
    size_t n = 0;

    for (size_t i = 0; i < l->n_docs; i++) {
        const float y = l->label[i];
        size_t at = n;

        if (y == PECK_UNJUDGED)
            continue;
        while (at > 0 && grade[at - 1] >= y)
            at--;
        if (at < n && grade[at] == y)
            continue;
        if (n == MAX_GRADES)
            return MAX_GRADES + 1;
        memmove(grade + at + 1, grade + at, (n - at) * sizeof *grade);
        grade[at] = y;
        n++;
    }
    return n;
}

static peck_status mhr_open(void *self, const struct task *task, struct stopping *stopping,
                            peck_error *err)
{
    struct mhr *const m = self;
    const struct svm_grid *const c = task->plan->learner;
    const size_t most = (size_t)((const struct planes *)task->plan->shape)->n;
    float grade[MAX_GRADES];
    const size_t n = find_grades(task->train_data->train_set, grade);
    const size_t needed = n * (n - 1) / 2; /* none for no grade */

    m->task = task;
    m->most = most;
    *stopping = svm_grid_stopping(task);
    m->grade = arena_new(&m->arena, "hyperplanes", most, sizeof *m->grade);
    m->svm = arena_new(&m->arena, "hyperplanes", most, sizeof *m->svm);
    m->w = arena_new(&m->arena, "hyperplanes", most, task->train_data->dim * sizeof *m->w);
    TRY(arena_check(&m->arena, err));
    if (n > MAX_GRADES || needed > most)
        return fail(err, PECK_SHAPE,
                    "mhr-bc: the documents have %s%zu grades, which makes %s%zu pairs of "
                    "them, but planes=%zu; set more, or use --binarise",
                    n > MAX_GRADES ? "over " : "", n > MAX_GRADES ? n - 1 : n,
                    n > MAX_GRADES ? "over " : "", needed, most);
    for (size_t a = 1; a < n; a++)
        for (size_t b = 0; b < a; b++, m->n_planes++) {
            float *const both = m->grade[m->n_planes];

            both[0] = grade[a];
            both[1] = grade[b];
            TRY(svm_open(
                &m->svm[m->n_planes], task,
                &(struct hinge_rule){ .is_by_query = c->balance == 1, .grade = both },
                err));
        }
    return PECK_OK;
}

static peck_status mhr_epoch(void *self, size_t number, struct epoch_stats *stats,
                             peck_error *err)
{
    struct mhr *const m = self;
    const size_t dim = m->task->train_data->dim;
    float *const w = m->task->w;
    double loss = 0.0;

    for (size_t k = 0; k < m->n_planes; k++) {
        struct svm *const svm = &m->svm[k];
        double *const plane = m->w + k * dim;

        if (!(svm->all_pairs > 0.0)) /* its grades never meet in a query */
            continue;
        stats->rate = svm_grid_at(svm, number);
        TRY(svm_solve(svm, stats->rate, plane, &loss, err));
        for (size_t j = 0; j < dim; j++)
            w[j * m->most + k] = (float)plane[j];
        w[dim * m->most + k] = 1.0f;
        stats->loss += loss / svm->all_pairs / (double)m->n_planes;
    }
    return PECK_OK;
}

static size_t mhr_keep(void *self, struct kept *kept)
{
    struct mhr *const m = self;

    kept[0] =
        (struct kept){ "solutions", TENSOR_F64, m->w, m->most * m->task->train_data->dim };
    return 1;
}

static void mhr_close(void *self)
{
    struct mhr *const m = self;

    for (size_t k = 0; m->svm != NULL && k < m->most; k++)
        svm_close(&m->svm[k]);
    arena_free(&m->arena);
}

const struct learner learner_mhr = {
    .plug = { { "mhr", "a RankSVM for every two grades",
                "What tells the best from the good need not tell the good from the bad "
                "(Qin et al. 2007)." },
              svm_grid_params },
    .config_size = sizeof(struct svm_grid),
    .self_size = sizeof(struct mhr),
    .open = mhr_open,
    .epoch = mhr_epoch,
    .keep = mhr_keep,
    .close = mhr_close,
};
