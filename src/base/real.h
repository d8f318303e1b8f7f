/* real.h -- the number that losses and penalties are written in, and the loops over it.
 *
 * float in the product, through vec.h; the tests compile the same sources with
 * REAL=double, through maths.h, to compare derivatives with finite differences.       */
#ifndef REAL_H
#define REAL_H

#include "maths.h"
#include "vec.h"

#include <math.h>

#ifndef REAL
#define REAL float
#endif
typedef REAL real;

static inline double sum_double(const double *x, size_t n)
{
    double sum = 0.0;

    for (size_t i = 0; i < n; i++)
        sum += x[i];
    return sum;
}

static inline void exp_double(double *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        x[i] = math_exp(x[i]);
}

static inline void tanh_double(double *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        x[i] = math_tanh(x[i]);
}

static inline void sigmoid_double(double *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        x[i] = 1.0 / (1.0 + math_exp(-x[i]));
}

static inline void log1p_double(double *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        x[i] = math_log1p(x[i]);
}

static inline void axpy_double(size_t n, double a, const double *x, double *y)
{
    for (size_t i = 0; i < n; i++)
        y[i] += a * x[i];
}

/* x: a pointer to real. */
#define REAL_LOOP(x, of_float, of_double) \
    _Generic(*(x), float : of_float, double : of_double)
#define real_sum(x, n) REAL_LOOP(x, vec_sum, sum_double)(x, n)
#define real_exp(x, n) REAL_LOOP(x, vec_exp, exp_double)(x, n)
#define real_tanh(x, n) REAL_LOOP(x, vec_tanh, tanh_double)(x, n)
#define real_sigmoid(x, n) REAL_LOOP(x, vec_sigmoid, sigmoid_double)(x, n)
#define real_log1p(x, n) REAL_LOOP(x, vec_log1p, log1p_double)(x, n)
#define real_axpy(n, a, x, y) REAL_LOOP(x, vec_axpy, axpy_double)(n, a, x, y)

#endif
