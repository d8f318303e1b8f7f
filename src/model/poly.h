/* poly.h -- how a polynomial lies in one array of weights: for the family that scores
 * with it and the learners that fill it.
 *
 *   linear       s = sum_i w_i x_i
 *   quadratic    ... + sum_{i <= j} v_ij x_i x_j        v behind w, row by row
 *
 * Products are formed where they are needed, from a row of x in the cache: for 569
 * features they are 162,165, which nobody wants to store for every document.          */
#ifndef POLY_H
#define POLY_H

#include "family.h"

enum kernel { KERNEL_LINEAR, KERNEL_QUADRATIC };

/* The shape. */
struct poly {
    int kernel; /* enum kernel */
    size_t dim;
};

static inline size_t poly_n_weights(const void *shape)
{
    const struct poly *const p = shape;

    return p->dim + (p->kernel == KERNEL_QUADRATIC ? p->dim * (p->dim + 1) / 2 : 0);
}

#endif
