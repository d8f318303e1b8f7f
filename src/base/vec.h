/* vec.h -- sums and curves over arrays of floats, the same on every machine. */
#ifndef VEC_H
#define VEC_H

#include <stddef.h>

double vec_sum(const float *x, size_t n); /* in double, in a fixed order */
double vec_dot(const float *x, const float *y, size_t n);
void vec_axpy(size_t n, float a, const float *x, float *y); /* y += a x */

/* In place, to within 2 units in the last place of float; any finite x. */
void vec_exp(float *x, size_t n);
void vec_tanh(float *x, size_t n);
void vec_sigmoid(float *x, size_t n); /* 1 / (1 + e^-x) */
void vec_log1p(float *x, size_t n);   /* log(1 + x), x >= 0 */

#endif
