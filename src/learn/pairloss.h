/* pairloss.h -- costs of score differences, summed over the pairs of one query.
 *
 *   sum over pairs of  w_ij (P_ij c(s_i - s_j) + (1 - P_ij) c(s_j - s_i))
 *
 * c(d) is the cost of a pair that should stand in this order; a pair that only does so
 * with probability P costs what is to be expected.  (For c(d) = log(1 + e^-d) that is
 * RankNet's cross entropy.)  Differences are taken a run at a time, so that the curve
 * goes over an array.                                                               */
#ifndef PAIRLOSS_H
#define PAIRLOSS_H

#include "objective.h"

/* Differences come in whole blocks, so that no loop over them has a remainder. */
enum { PAIR_BLOCK = 16 };
#define PAIR_BLOCKS(n) (((size_t)(n) + PAIR_BLOCK - 1) / PAIR_BLOCK * PAIR_BLOCK)

/* A way to cost pairs. */
struct pair_rule {
    const void *config;
    /* d[n], differences s_i - s_j of pairs that should stand in this order, become c'(d);
     * c[n] their costs c(d).  n is whole blocks, filled up with zeros. */
    void (*curve)(const void *config, size_t n, real *d, real *c);
    /* Multiplies w[t] by the weight of the pair (i, lo + t), t < n; NULL: 1. */
    void (*weigh)(const void *judge, uint32_t i, uint32_t lo, size_t n, real *w);
    const void *judge;
    /* Of a logistic curve, whose second derivative is -c'(d) (steepness + c'(d)); 0: the
     * curve has none. */
    real steepness;
    /* As curve, and b[n] become the second derivatives c''(d): of a curve that is not
     * logistic; NULL: steepness says. */
    void (*curves)(const void *config, size_t n, real *d, real *c, real *b);
};

/* The curve c(d) = log(1 + e^-sigma d), c'(d) = -sigma / (1 + e^sigma d). */
void pair_logistic(real sigma, size_t n, real *d, real *c);

/* A sum on its way. */
enum { HELD_MAX = 64 };
struct pair_sum {
    const struct pair_rule *rule;
    const struct query_pairs *query;
    const real *s;
    real *g, *h;         /* h NULL: nobody asks for second derivatives */
    double cost, slope;  /* sums of costs and of |c'|, by weight */
    real *d, *c, *w, *b; /* query->n each, in whole blocks */
    struct {
        uint32_t i, j;
        real weight;
    } held[HELD_MAX]; /* single pairs that wait for their curve */
    size_t n_held;
};

/* Bytes of scratch for a query of n documents: an objective's `scratch`. */
size_t pair_sum_scratch(uint32_t n);
void pair_sum_open(struct pair_sum *p, const struct pair_rule *rule,
                   const struct query_pairs *q, const real *s, real *g, real *h,
                   void *scratch);
/* The pairs (i, j), lo <= j < hi, each counting `share`. */
void pair_sum_run(struct pair_sum *p, uint32_t i, uint32_t lo, uint32_t hi, double share);
/* The pair (i, j), as if it were a run. */
void pair_sum_one(struct pair_sum *p, uint32_t i, uint32_t j);
/* The ties of the query, and its listed pairs. */
void pair_sum_ties(struct pair_sum *p);
void pair_sum_listed(struct pair_sum *p);
/* The sum; g holds its derivative now. */
double pair_sum_close(struct pair_sum *p);

/* The mean over all pairs of the query; its derivatives are added to g and h (zero
 * before; h may be NULL). */
double pair_mean(const struct pair_rule *rule, const struct query_pairs *q, const real *s,
                 real *g, real *h);

#endif
