/* stumps.h -- how an ensemble of stumps lies in one array of weights: for the family that
 * scores with it and the learners that fill it.
 *
 *   s = sum over stumps of height [x_feature > threshold]
 *
 * Each stump is STUMP_WEIGHTS floats; a stump of height 0 is one that was not taken.  The
 * number of a feature is exact in a float up to FAMILY_MAX_INPUTS.                     */
#ifndef STUMPS_H
#define STUMPS_H

#include "family.h"

enum { STUMP_FEATURE, STUMP_THRESHOLD, STUMP_HEIGHT, STUMP_WEIGHTS };

/* The shape. */
struct stumps {
    int64_t rounds; /* stumps at most */
    size_t dim;
};

#endif
