/* models.h -- families and models for tests, with random weights. */
#ifndef MODELS_H
#define MODELS_H

#include "model/model.h"

/* A family's shape, ready to use (free it with free()); settings as "key=value", ended by
 * NULL, or NULL.  NULL with a sentence when they are refused. */
void *shape_open(const struct family *f, const char *const *settings, size_t dim,
                 peck_error *err);

const struct family *family_named(const char *name);

struct model_sample {
    const char *family;          /* NULL: mlp */
    const char *const *settings; /* may be NULL */
    const char *norm;            /* NULL: none */
    size_t dim, n_members;       /* 0 members: 1 */
    bool has_names;
    uint64_t seed;
};

/* The normaliser is fitted to random rows and all weights are normal, biases too; with
 * two notes. */
struct peck_model *sample_model(const struct model_sample *s);

/* A comparator of three features that goes in circles: a document of feature 0 alone goes
 * before one of feature 1, that before one of feature 2, and that before one of 0. */
struct peck_model *cyclic_model(void);

/* A committee of these models, which stay the caller's too. */
struct peck_model *committee_of(struct peck_model *const *part, const double *share,
                                size_t n);

/* Weights of members of a family, n each: random numbers, or random trees where it is made
 * of trees. */
float *sample_weights(const struct family *f, const void *shape, size_t dim, size_t members,
                      uint64_t seed, size_t *n);

/* n x stride random floats, N(0,1). */
float *random_floats(size_t n, uint64_t seed);

#endif
