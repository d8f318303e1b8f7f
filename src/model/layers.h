/* layers.h -- the hidden layers of a net, which a document goes through alone.
 *
 *     h_0 = x,   h_l = phi(h_{l-1} W_l + b_l)
 *
 * Weights, layer by layer: W[in][out], then b[out].  What comes after them, one output or
 * a comparison, is the family's.
 *
 * Dropout keeps a unit with probability 1 - p and scales it by 1 / (1 - p) (Srivastava et
 * al., JMLR 2014), so that scoring needs no correction.
 *
 * Way back, D_l = dL/d(sum of layer l):
 *     dW_l += h_{l-1}^T D_l,   db_l += sum D_l,   D_{l-1} = (D_l W_l^T) phi'(h_{l-1})  */
#ifndef LAYERS_H
#define LAYERS_H

#include "family.h"

/* A layer this wide over as many features still counts its weights in a size_t. */
enum { LAYERS_MAX = 16, LAYERS_MAX_WIDTH = 1 << 16 };

enum curve { CURVE_TANH, CURVE_SIGMOID, CURVE_RELU, CURVE_IDENTITY };

struct layers {
    size_t n;                     /* 0: none */
    size_t width[LAYERS_MAX + 1]; /* features, then the units of each layer */
    enum curve curve;
    double dropout;
    /* Worked out by layers_open(): */
    size_t n_weights, n_units; /* of all layers together */
    size_t widest;
};

/* "64-32" to width[0], width[1] and *n = 2; false where it is not 1 to LAYERS_MAX widths
 * of 1 to LAYERS_MAX_WIDTH.  "64,32" is the same, and text becomes "64-32". */
MUST_CHECK bool layers_parse(char *text, size_t *width, size_t *n);

/* Completes *l, of which n, width, curve and dropout are given. */
void layers_open(struct layers *l);

/* What comes out: the units of the last layer, or the features where there is none. */
size_t layers_top(const struct layers *l);

/* is_decayed[n_weights]: 1 for a weight, 0 for a bias. */
void layers_decayed(const struct layers *l, unsigned char *is_decayed);

/* Floats of scratch a document, forward and backward. */
size_t layers_scratch(const struct layers *l);

/* The last layer's h[x.n][layers_top]; NULL: there is no layer, and the features are what
 * comes out.  Masks are drawn from r; r NULL: no dropout. */
const real *layers_forward(const struct layers *l, const real *w, struct rows x,
                           struct rng *r, real *scratch);
/* What layers_forward() returned, and the room where layers_backward() wants its
 * derivatives dL/dh[n][layers_top]; of layers that there are. */
const real *layers_out(const struct layers *l, size_t n_docs, const real *scratch);
real *layers_dout(const struct layers *l, size_t n_docs, real *scratch);
/* dw += ..., after layers_forward() on the same scratch. */
void layers_backward(const struct layers *l, const real *w, struct rows x, real *dw,
                     real *scratch);

/* dh[n][in] = d[n][out] w[in][out]^T: the way back through one layer's products. */
void layer_back(size_t n, size_t in, size_t out, const real *d, const real *w, real *dh);

/* db[j] += the sum of column j of d[n][width], for j < out. */
void layer_biases(size_t n, size_t width, size_t out, const real *d, real *db);

#endif
