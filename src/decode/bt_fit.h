/* bt_fit.h -- the most likely strengths of items that were compared (see bt.h), the prior's
 * width and the share of ties, found from the answers.                                */
#ifndef BT_FIT_H
#define BT_FIT_H

#include "pairs.h"

struct bt_task {
    const struct pair_table *pairs;
    const double *prior_mean; /* n; NULL: 0 */
    double prior_sd;          /* 0: found */
    double tie;               /* nu; 0: found where there are ties */
    struct pool *pool;
    struct watch *watch;
};

struct bt_result {
    double *t;   /* n */
    double *var; /* n; NULL: not wanted */
    double *cov; /* [n][n]; NULL: var is an estimate */
    double prior_sd, tie;
};

/* t is where to begin, and becomes the peak of the posterior; var and cov are those of t.  With
 * cov the second derivatives are factored; without, systems are solved by conjugate
 * gradients, and variances are an estimate from each item's own answers. */
MUST_CHECK peck_status bt_fit(const struct bt_task *task, struct bt_result *out,
                              peck_error *err);

#endif
