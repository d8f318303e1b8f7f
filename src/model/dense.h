/* dense.h -- one layer of a net for the documents of a query.
 *
 *     y[m][n] = x[m][k] w[k][n] + bias[n]
 *
 * Each element is a sum in an order that the shape of the layer gives (gemm.h), so the
 * score of a document does not depend on the documents around it, nor on the machine.  */
#ifndef DENSE_H
#define DENSE_H

#include <stddef.h>

/* ldx floats from one row of x to the next; y has no gaps; bias NULL: 0. */
void dense_forward(size_t m, size_t n, size_t k, const float *x, size_t ldx, const float *w,
                   const float *bias, float *y);

/* dw[m][n] += x[k][m]^T d[k][n]: the way back to a layer's weights from k documents. */
void dense_weights(size_t m, size_t n, size_t k, const float *x, size_t ldx, const float *d,
                   float *dw);

/* tanh in place, within 6 units in the last place and never beyond 1: not as exact as
 * vec_tanh, but twice as fast, and half of a layer's time is its curve. */
void dense_tanh(float *x, size_t n);

#endif
