/* prank.h -- one perceptron with ordered thresholds, and the grades it learns.
 *
 *   rank of x     the number of thresholds b_r with w . x >= b_r
 *   on a mistake  with t_r = 1 where the grade is above threshold r, else -1, and
 *                 tau_r = t_r where t_r (w . x - b_r) <= 0, else 0:
 *                 w += (sum_r tau_r) x,   b_r -= tau_r
 *
 * Crammer and Singer, "Pranking with ranking", NIPS 2001.  The average of w after
 * each of n steps is w - u / n, where u sums each change times the number of steps before
 * it.                                                                  */
#ifndef PRANK_H
#define PRANK_H

#include "../model/poly.h"
#include "learner.h"

struct prank {
    struct poly shape;
    size_t n_weights, n_bounds; /* bounds: grades - 1 */
    double *w, *u;              /* n_weights */
    double *b;                  /* n_bounds */
    double *n_steps;
};

/* A perceptron lives in prank_size doubles, all 0 at first: what a checkpoint keeps. */
size_t prank_size(const struct poly *shape, size_t n_bounds);
struct prank prank_in(double *block, const struct poly *shape, size_t n_bounds);
/* Averages are over the steps from here on. */
void prank_begin(struct prank *p);
/* One example of this grade, from 0; weight: what a step counts.  Whether it was a
 * mistake. */
bool prank_learn(struct prank *p, const float *x, uint32_t grade, double weight);
/* to[n_weights] += share times w, or times its average. */
void prank_add(const struct prank *p, bool is_averaged, double share, double *to);

/* What is shown to perceptrons: judged documents with their grades. */
struct examples {
    size_t n;
    uint32_t *row;   /* n: of the training set */
    uint32_t *order; /* n: rows as an epoch shows them */
    uint32_t *grade; /* n_docs, by row */
    float *weight;   /* n_docs, by row */
    size_t n_grades;
};

MUST_CHECK peck_status examples_open(struct examples *e, const struct train_data *c,
                                     peck_error *err);
/* order[] of this epoch. */
void examples_shuffle(struct examples *e, uint64_t seed, size_t epoch);
void examples_close(struct examples *e); /* takes an all-zero one too */

#endif
