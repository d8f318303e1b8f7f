/* family.h -- what shape of function a model is: how many weights, scores from features,
 * and the way back.
 *
 * All weights are one array of floats and all gradients another, so an optimiser is a
 * loop, a checkpoint one write and the best epoch one copy.
 *
 * Numeric code is written in `real`: float in the product; the tests compile the same
 * source with REAL=double and compare its derivatives with finite differences.      */
#ifndef FAMILY_H
#define FAMILY_H

#include "../base/alloc.h"
#include "../base/plug.h"
#include "../base/rng.h"
#include "../base/view.h"

#ifndef REAL
#define REAL float
#endif
typedef REAL real;

/* Columns that a normaliser may hand to a family. */
enum { FAMILY_MAX_INPUTS = 1 << 24 };

/* Of a family that scores each document by itself. */
struct score_ops {
    /* s[x.n] from x.  Threads may share w; each brings its own scratch. */
    void (*score)(const void *shape, const real *w, struct rows x, real *s, real *scratch);
    /* As score, keeping in scratch what backward needs.  With dropout in the shape,
     * masks are drawn from r; r NULL: no dropout.  NULL: score keeps all that is needed. */
    void (*forward)(const void *shape, const real *w, struct rows x, struct rng *r, real *s,
                    real *scratch);
    /* dw[n_weights] += sum_i ds[i] d s_i / d w, after forward() on the same scratch.  NULL:
     * there is no gradient. */
    void (*backward)(const void *shape, const real *w, struct rows x, const real *ds,
                     real *dw, real *scratch);
    /* Another form of w that is quicker for many documents, in the memory given; *to NULL: there
     * is none.  NULL: there never is. */
    peck_status (*prepare)(const void *shape, const real *w, struct arena *memory,
                           const void **to, peck_error *err);
    /* As score, with what prepare made of w: the same bits. */
    void (*score_prepared)(const void *shape, const real *w, const void *prepared,
                           struct rows x, real *s);
};

/* Of a family that compares two documents.  Each document is looked at once and becomes a
 * view, view_size floats; a duel of two views then costs little. */
struct compare_ops {
    const char *decoder; /* makes an order of it unless somebody says; NULL: "tree" */
    size_t (*view_size)(const void *shape);
    /* view[x.n][view_size] from x; scratch as for score. */
    void (*view)(const void *shape, const real *w, struct rows x, real *view,
                 real *scratch);
    /* lead[k] is above 0 when document duel[k].i goes before duel[k].j: the side alone. */
    void (*decide)(const void *shape, const real *w, const real *view,
                   const peck_duel *duel, size_t n_duels, real *lead);
    /* out[k] = { evidence that i goes before j, that j goes before i }, each from 0 to 1;
     * the preference is 1/2 + (out[k][0] - out[k][1]) / 2.  keep[n_duels * kept] is what
     * duels_back needs; NULL: it will not be called. */
    void (*duels)(const void *shape, const real *w, const real *view, const peck_duel *duel,
                  size_t n_duels, real (*out)[2], real *keep);
    /* The way back; NULL, all three: there is no gradient. */
    size_t (*kept)(const void *shape); /* floats a duel keeps */
    /* From dout[k] = dL / d out[k]: dview += ..., dw += ... of the weights past the view. */
    void (*duels_back)(const void *shape, const real *w, const real *view,
                       const peck_duel *duel, size_t n_duels, const real (*dout)[2],
                       const real *keep, real *dview, real *dw);
    /* dw += ... of the weights before the view, after view() on the same scratch. */
    void (*view_back)(const void *shape, const real *w, struct rows x, const real *dview,
                      real *dw, real *scratch);
};

struct family {
    struct plug plug; /* params: the settings of its shape (hidden=, activation=, ...) */
    /* One of them; the other is NULL. */
    const struct score_ops *scores;
    const struct compare_ops *compares;
    bool may_miss; /* it knows what to do where a feature is NaN */
    /* A shape: first the settings, where the params say, then what open() works out. */
    size_t shape_size;
    /* Completes a shape for dim features.  PECK_ARG for settings that make no sense. */
    peck_status (*open)(void *shape, size_t dim, peck_error *err);
    /* "136-64-32-1 tanh": for reports. */
    void (*describe)(const void *shape, struct text *to);
    size_t (*n_weights)(const void *shape);
    /* Families whose weights are no free numbers, such as trees: how many floats of w, from
     * the first, make up the model; the rest is room.  NULL: all do. */
    size_t (*used)(const void *shape, const real *w);
    /* Whether w[n], finite numbers of a file, n at most n_weights, can be used; PECK_FORMAT
     * if not.  NULL: any n_weights numbers can. */
    peck_status (*check)(const void *shape, const real *w, size_t n, peck_error *err);
    /* The weights that training starts from.  NULL: zeros. */
    void (*init)(const void *shape, struct rng *r, real *w);
    /* Floats of scratch a document, forward and backward.  NULL: none. */
    size_t (*scratch)(const void *shape);
    /* 1 for a weight that weight decay and L2 hold down (not biases); NULL: all. */
    void (*decayed)(const void *shape, unsigned char *is_decayed);
    /* Of a family that asks about features: adds to count[] and gain[], dim of each, how
     * often it asks about each and what the answers gained in training.  NULL: it does
     * not ask. */
    void (*importance)(const void *shape, const real *w, double *count, double *gain);
    /* Whether this shape is a weighted sum of its dim inputs: w[dim], and a constant where
     * there is one weight more.  NULL: no shape is. */
    bool (*is_sum)(const void *shape);
};

/* PECK_ARG where dim features are none or too many for the family of this name. */
peck_status family_takes(const char *name, size_t dim, size_t most, peck_error *err);
/* The hooks that may be NULL, with what that stands for. */
void family_init(const struct family *f, const void *shape, struct rng *r, float *w);
size_t family_scratch(const struct family *f, const void *shape); /* a document */
void family_forward(const struct family *f, const void *shape, const float *w,
                    struct rows x, struct rng *r, float *s, float *scratch);

#define FAMILY(name) extern const struct family family_##name;
#include "families.def"
#undef FAMILY
extern const struct plug *const families[];
extern const size_t n_families;

#endif
