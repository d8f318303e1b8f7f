/* train_error.h -- pairs of the training set that weights put in the wrong order, counted:
 * whether there is anything left to learn.                                            */
#ifndef TRAIN_ERROR_H
#define TRAIN_ERROR_H

#include "learner.h"

struct train_error {
    const struct task *task;
    struct model_outputs
        outputs;     /* of the training documents, in the training set's order */
    uint64_t *wrong; /* n_queries: of those of this rank */
    struct arena arena;
};

/* Needs train_error_close, even where it fails. */
MUST_CHECK peck_status train_error_open(struct train_error *e, const struct task *task,
                                        peck_error *err);
/* Pairs that w puts in the wrong order or leaves undecided, those of long lists too of which
 * training draws some; what should be a tie is never wrong. */
MUST_CHECK peck_status train_error_count(struct train_error *e, const float *w,
                                         uint64_t *wrong, peck_error *err);
void train_error_close(struct train_error *e); /* takes an all-zero one too */

#endif
