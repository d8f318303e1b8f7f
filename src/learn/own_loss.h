/* own_loss.h -- a caller's loss of pairs, in place of a method's own. */
#ifndef OWN_LOSS_H
#define OWN_LOSS_H

#include "objective.h"

/* What the objectives below have for a configuration. */
struct own_loss {
    peck_pair_loss given;
    const void *config; /* of the objective whose place it takes */
    char name[64];      /* given.name, ours */
};

/* The mean over the pairs of a query, as RankNet's; and weighed by a metric, as LambdaRank's:
 * config then begins with a struct lambda_config. */
extern const struct objective objective_own, objective_own_lambda;

#endif
