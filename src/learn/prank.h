/* prank.h -- one perceptron with ordered thresholds: the step of learner_prank.c.
 *
 *   rank of x     the number of thresholds b_r with w . x >= b_r
 *   on a mistake  with t_r = 1 where the grade is above threshold r, else -1, and
 *                 tau_r = t_r where t_r (w . x - b_r) <= 0, else 0:
 *                 w += (sum_r tau_r) x,   b_r -= tau_r
 *
 * Crammer and Singer, "Pranking with ranking", NIPS 2001.  The average of w after
 * each of n steps is w - u / n, where u sums each change times the number of steps before
 * it.                                                                                */
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
/* One example of this grade, from 0; weight: what a step counts.  Whether it was a
 * mistake. */
bool prank_learn(struct prank *p, const float *x, uint32_t grade, double weight);
/* to[n_weights] += share times w, or times its average. */
void prank_add(const struct prank *p, bool is_averaged, double share, double *to);

#endif
