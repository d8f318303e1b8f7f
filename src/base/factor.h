/* factor.h -- symmetric positive definite matrices of doubles: factor, solution, inverse.
 *
 * A matrix of n rows has factor_side(n) rows of as many doubles, so that it is made of whole
 * tiles; what is beyond n is 0, and 1 on the diagonal.  Only the lower half is looked at.
 * Every element is one chain of products and sums in a fixed order, so the bits are the same
 * on every processor and at any thread count.                                         */
#ifndef FACTOR_H
#define FACTOR_H

#include "pool.h"

#include <stddef.h>

size_t factor_side(size_t n);

/* A becomes L, A = L L^T, below and on the diagonal.  A must be positive definite.  pool may
 * be NULL. */
void factor_make(double *a, size_t side, struct pool *pool);
/* 2 sum of log L_ii: log det A. */
double factor_log_det(const double *l, size_t side);
/* x becomes A^-1 x; x has `side` numbers. */
void factor_solve(const double *l, size_t side, double *x);
/* inverse[side][side] = L^-1, below and on the diagonal; L's diagonal tiles are lost. */
void factor_invert(double *l, size_t side, double *inverse, struct pool *pool);
/* var[n], the first elements of A^-1's diagonal, from L^-1. */
void factor_variances(const double *inverse, size_t side, double *var, size_t n);
/* A^-1, all of it, from L^-1. */
void factor_square(const double *inverse, size_t side, double *to, struct pool *pool);

#endif
