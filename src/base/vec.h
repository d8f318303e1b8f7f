/* vec.h -- sums, products and curves over arrays of floats; vec.c is the only user of
 * BLAS.  Matrices are row-major; ld* are floats from one row to the next.
 *
 * Results depend on the shapes alone, not on the number of threads: BLAS runs on the
 * calling thread.                                                                  */
#ifndef VEC_H
#define VEC_H

#include "status.h"

#include <stddef.h>

/* Sees to the memory that BLAS needs for products on so many threads, before any is made:
 * BLAS itself asks for it again and again, for ever, where there is none.  Where address
 * space is limited it is taken here; if it does not do for all threads at once, products
 * wait for each other.  PECK_NOMEM when it does not do for one. */
MUST_CHECK peck_status vec_prepare(size_t n_threads, peck_error *err);

/* c[m][n] = beta c + a[m][k] b[n][k]^T      a layer forward:  Y = X W^T          */
void vec_gemm_nt(size_t m, size_t n, size_t k, const float *a, size_t lda, const float *b,
                 size_t ldb, float beta, float *c, size_t ldc);
/* c[m][n] = beta c + a[k][m]^T b[k][n]      its weights:  dW = dY^T X            */
void vec_gemm_tn(size_t m, size_t n, size_t k, const float *a, size_t lda, const float *b,
                 size_t ldb, float beta, float *c, size_t ldc);

double vec_sum(const float *x, size_t n); /* in double, in a fixed order */
double vec_dot(const float *x, const float *y, size_t n);
void vec_axpy(size_t n, float a, const float *x, float *y); /* y += a x */

/* In place, to within 2 units in the last place of float; any finite x. */
void vec_exp(float *x, size_t n);
void vec_tanh(float *x, size_t n);
void vec_sigmoid(float *x, size_t n); /* 1 / (1 + e^-x) */
void vec_log1p(float *x, size_t n);   /* log(1 + x), x >= 0 */

#endif
