/* scorer.h -- inside the room: what a scorer holds. */
#ifndef SCORER_H
#define SCORER_H

#include "../decode/decode.h"
#include "model.h"

struct peck_scorer {
    const struct peck_model *model;
    bool is_scaled; /* the normaliser does something */
    float *scaled;  /* [cap][columns of the normaliser] */
    float *member;  /* [cap]: one member's scores */
    double *sum;    /* [cap] */
    float *scratch; /* of the family, for a block */
    size_t cap;     /* documents */
    /* The list that was looked at last: */
    size_t n_seen;
    float *seen;               /* [cap_seen]: scores; NULL: a comparator */
    float *view;               /* [n_members][n_seen][size of a view]: of a comparator */
    size_t cap_seen, cap_view; /* floats */
    /* Of a comparator, for scores: */
    struct decode_plan plan;
    uint32_t *order; /* [cap] */
    double *place;   /* [cap] */
    /* Of a committee: */
    struct peck_scorer **part; /* one a model */
    float *chosen; /* [cap][chosen_dim]: the features of one model, by its order */
    size_t chosen_dim;
};

/* Documents a family sees at once: their activations stay in the cache. */
enum { SCORER_BLOCK = 240 };

/* The documents from `at` on that a family sees at once. */
static inline struct rows scorer_block(struct rows docs, size_t at)
{
    return (struct rows){ docs.x + at * docs.stride,
                          docs.n - at < SCORER_BLOCK ? docs.n - at : SCORER_BLOCK, docs.dim,
                          docs.stride };
}

/* As the family wants to see them. */
struct rows scorer_scale(struct peck_scorer *s, struct rows docs);

#endif
