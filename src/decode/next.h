/* next.h -- which question is worth most, and how sure the order is, from the posterior of
 * strengths (bt.h): peck_strengths_next (next.c), peck_strengths_sureness (sureness.c).
 *
 * Of a pair with difference d and variance v the order is in doubt by about v's root times
 * the density of d at 0: that sum over all pairs, or over those that cross the end of the top,
 * is what a question should lower.  An answer about a and b takes w (c_i - c_j)^2 from the
 * variance of t_i - t_j, w = p (1 - p), c = cov (e_a - e_b); nearly all of it for pairs with a
 * or b.  With g_ij = bell(d / sd) / sd, the slope of a pair's doubt by its variance,
 *
 *   worth(a, b) = w (c_a^2 G_a + c_b^2 G_b),   G_i = sum over j of g_ij
 *
 * Where all G are the same this is p (1 - p) var(d), nearly.
 *
 * That is the next answer's drop.  In the end an item with m answers has a deviation of m^-1/2
 * or so, and G of it counts: the sum is least where m grows as G^(2/3), while asking for the
 * largest c^2 G lets it grow as G^(1/2).  For the whole order G is therefore G^(3/2), on the same
 * scale; of powers from 1/2 to 5/2 that one needed fewest questions (300 simulated items). */
#ifndef NEXT_H
#define NEXT_H

#include "bt.h"

/* What is left to be asked about: items in play and what doubt hangs on each. */
struct asking {
    const struct peck_strengths *s;
    const peck_question_spec *spec;
    uint32_t n;             /* in play */
    uint32_t *item;         /* n: by falling strength */
    double *up, *down;      /* s->n: e^(t/2), e^(-t/2) */
    double *gain;           /* s->n: G, its power; 0 of an item out of play */
    double *var, *cov;      /* as those of s; with answers to come, own copies */
    double *row;            /* s->n: worth of an item's pairs */
    uint32_t *n_met;        /* s->n: items that one was compared with */
    const peck_duel *asked; /* questions chosen so far */
    size_t n_asked;
};

static inline bool is_in(const peck_question_spec *spec, size_t i)
{
    return spec->is_out == NULL || spec->is_out[i] == 0;
}

MUST_CHECK peck_status asking_open(struct asking *a, const struct peck_strengths *s,
                                   const peck_question_spec *spec, struct arena *room,
                                   peck_error *err);
double asking_worth(const struct asking *a, uint32_t i, uint32_t j);

#endif
