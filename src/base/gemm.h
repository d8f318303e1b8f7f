/* gemm.h -- products of matrices of floats: the same bits on every processor.
 *
 * Every element of c is one chain of fused multiply-adds in the order of k,
 *     c_ij = fma(a_ik, b_kj, c_ij),   k = 0, 1, ...,
 * whatever the shape, the instructions and the blocks that the work is cut into.  It begins
 * at `from`, row i of which stands at from + i ld_from: NULL is 0, ld_from = 0 gives all
 * rows the same (a bias), and c itself adds to what is there.
 *
 * Matrices are row-major; ld* are floats from one row to the next.                      */
#ifndef GEMM_H
#define GEMM_H

#include <stddef.h>

/* c[m][n] = from + a[m][k] b[k][n]      a layer forward:  Y = b + X W              */
void gemm_nn(size_t m, size_t n, size_t k, const float *a, size_t lda, const float *b,
             size_t ldb, const float *from, size_t ld_from, float *c, size_t ldc);
/* c[m][n] = from + a[m][k] b[n][k]^T    the way back:     dX = dY W^T              */
void gemm_nt(size_t m, size_t n, size_t k, const float *a, size_t lda, const float *b,
             size_t ldb, const float *from, size_t ld_from, float *c, size_t ldc);
/* c[m][n] = from + a[k][m]^T b[k][n]    to the weights:   dW = dW + X^T dY         */
void gemm_tn(size_t m, size_t n, size_t k, const float *a, size_t lda, const float *b,
             size_t ldb, const float *from, size_t ld_from, float *c, size_t ldc);

/* c[m] = from + a[m][k] b[k].  Not one chain, for they would be long and few: term i goes to
 * sum i mod 16, and the sums are added in halves, 0 + 8, 1 + 9, ..., down to one. */
void gemm_dots(size_t m, size_t k, const float *a, size_t lda, const float *b, float from,
               float *c);

#endif
