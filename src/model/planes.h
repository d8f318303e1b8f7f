/* planes.h -- how several linear rankers lie in one array of weights: for the family that
 * lets them vote and the learner that fills it.
 *
 *   weights: w[dim][planes], then votes[planes]; a plane without a vote is not in use   */
#ifndef PLANES_H
#define PLANES_H

#include "family.h"

/* The shape. */
struct planes {
    int64_t n; /* at most */
    size_t dim;
};

#endif
