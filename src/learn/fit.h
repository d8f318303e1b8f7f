/* fit.h -- one member's way: learn an epoch, validate it, keep the best, stop.
 *
 * What a checkpoint needs of it is a list of arrays (fit_keep): written together after
 * an epoch and put back into a freshly opened fit, the rest of the way is the same.   */
#ifndef FIT_H
#define FIT_H

#include "validator.h"

enum { FIT_KEPT = MAX_KEPT + 4 }; /* arrays that a checkpoint holds of a fit */
/* Numbers of a fit that travel in a checkpoint. */
enum { REACHED_EPOCH, REACHED_BEST, REACHED_END, N_REACHED };

struct fit {
    struct task task;
    const struct learner *learner;
    void *self; /* the learner's */
    struct validator validator;
    struct stopping stopping;
    struct epoch_stats stats; /* of the last epoch */
    float *w, *best;          /* n_weights each */
    struct epoch_record *history;
    peck_epoch *told;            /* as progress hears of them */
    uint64_t reached[N_REACHED]; /* epochs done, the best of them, 1 when at the end */
    struct arena arena;          /* of self, weights and history */
};

/* What an epoch tells whoever is watching; true: stop here. */
typedef bool fit_watch(void *ctx, const struct fit *f, bool is_best);

/* task->w is set here: the fit owns the weights. */
MUST_CHECK peck_status fit_open(struct fit *f, const struct task *task, peck_error *err);
/* PECK_STOPPED: the watch (NULL: nobody watches) or task->is_stopped said so. */
MUST_CHECK peck_status fit_run(struct fit *f, fit_watch *watch, void *ctx, peck_error *err);
/* Fills kept[FIT_KEPT] and returns how many. */
size_t fit_keep(struct fit *f, struct kept *kept);
/* Whether what was put back from a file is what a fit of this task can have reached:
 * what the rest of the training relies on is checked.  PECK_FORMAT says what is wrong. */
MUST_CHECK peck_status fit_check(struct fit *f, peck_error *err);
void fit_close(struct fit *f); /* takes an all-zero one too */

#endif
