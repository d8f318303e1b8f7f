/* twin.h -- makes a family's source its double-precision twin: include this, then the
 * source.                                                                           */
#ifndef TWIN_H
#define TWIN_H

#define REAL double

#include "base/gemm.h"
#include "base/vec.h"
#include "model/dense.h"

#include <math.h>
#include <stdbool.h>

/* Features stay float: a product may have float on either side. */
#define IS_FLOAT(p) _Generic((p), const float * : true, float * : true, default : false)

static inline double twin_at(const void *p, bool is_float, size_t i)
{
    return is_float ? (double)((const float *)p)[i] : ((const double *)p)[i];
}

static inline void twin_dense(bool is_float, size_t m, size_t n, size_t k, const void *x,
                              size_t ldx, const double *w, const double *bias, double *y)
{
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < n; j++) {
            double sum = bias != NULL ? bias[j] : 0.0;

            for (size_t l = 0; l < k; l++)
                sum += twin_at(x, is_float, i * ldx + l) * w[l * n + j];
            y[i * n + j] = sum;
        }
}

static inline void twin_gemm_tn(bool a_is_float, bool b_is_float, size_t m, size_t n,
                                size_t k, const void *a, size_t lda, const void *b,
                                size_t ldb, double beta, double *c, size_t ldc)
{
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < n; j++) {
            double sum = 0.0;

            for (size_t l = 0; l < k; l++)
                sum += twin_at(a, a_is_float, l * lda + i) *
                       twin_at(b, b_is_float, l * ldb + j);
            c[i * ldc + j] = beta * c[i * ldc + j] + sum;
        }
}

static inline void twin_gemm_nt(size_t m, size_t n, size_t k, const double *a, size_t lda,
                                const double *b, size_t ldb, const double *from,
                                size_t ld_from, double *c, size_t ldc)
{
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < n; j++) {
            double sum = 0.0;

            for (size_t l = 0; l < k; l++)
                sum += a[i * lda + l] * b[j * ldb + l];
            c[i * ldc + j] = (from != NULL ? from[i * ld_from + j] : 0.0) + sum;
        }
}

static inline void twin_tanh(double *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        x[i] = tanh(x[i]);
}

static inline void twin_sigmoid(double *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        x[i] = 1.0 / (1.0 + exp(-x[i]));
}

#define dense_forward(m, n, k, x, ...) twin_dense(IS_FLOAT(x), m, n, k, x, __VA_ARGS__)
#define dense_weights(m, n, k, x, ldx, d, dw) \
    twin_gemm_tn(IS_FLOAT(x), IS_FLOAT(d), m, n, k, x, ldx, d, n, 1.0, dw, n)
#define gemm_nt twin_gemm_nt
#define dense_tanh twin_tanh
#define vec_sigmoid twin_sigmoid

/* layers.c has a twin of its own. */
#define layers_parse twin_layers_parse
#define layers_open twin_layers_open
#define layers_top twin_layers_top
#define layers_decayed twin_layers_decayed
#define layers_scratch twin_layers_scratch
#define layers_forward twin_layers_forward
#define layers_out twin_layers_out
#define layers_dout twin_layers_dout
#define layers_backward twin_layers_backward
#define layer_back twin_layer_back
#define layer_biases twin_layer_biases

#endif
