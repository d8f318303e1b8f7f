/* strength.h -- strengths of items, fitted to preferences.
 *
 *   h(i, j) is about p = 1 / (1 + e^(t_j - t_i)), with variance `noise` p (1 - p)
 *
 * Bradley and Terry's model as a quasi-likelihood: h need not be 0 or 1, and how far it
 * strays is estimated.  What earlier preferences said of an item is kept as a mean and a
 * precision, so they need not be kept themselves.                                     */
#ifndef STRENGTH_H
#define STRENGTH_H

#include "../base/alloc.h"
#include "decoder.h"

struct strengths {
    uint32_t n;
    double *t;         /* n: log-odds scale */
    double *precision; /* n: 1 / variance, of t as a whole */
    double noise;
    double doubt;   /* mean of 4 p (1 - p) over the last duels: 1, all were open */
    double *before; /* n: t when the fit began */
    double *slope;  /* [shards][2][n]: first derivatives, and minus the second */
    double *sums;   /* [shards][4]: see strength.c */
};

/* Nothing is known of n items; the memory is the arena's. */
void strengths_take(struct strengths *s, uint32_t n, struct arena *arena);

/* Takes in preferences of pairs that were not asked before; the scale of all strengths may
 * grow with them. */
void strengths_fit(struct strengths *s, struct asker *a, const peck_duel *duel,
                   const float *h, size_t n_duels, int steps);

#endif
