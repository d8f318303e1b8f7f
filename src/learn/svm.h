/* svm.h -- a linear ranker on the squared hinge, by Newton steps in a trust region.
 *
 *   minimise  1/2 |w|^2 + c L(X w)        L of hinge.h
 *
 * Each step solves H d = -g roughly by conjugate gradients, within a radius that grows
 * while the quadratic model keeps its promises.  H is never formed: H v = v + c X'(B(X v))
 * with B of hinge.h.  Lin, Weng and Keerthi, "Trust region Newton method for large-scale
 * logistic regression", JMLR 9 (2008).                                                */
#ifndef SVM_H
#define SVM_H

#include "hinge.h"
#include "learner.h"

struct svm {
    const struct task *task;
    struct hinge hinge;
    size_t dim;
    float *s, *g; /* n_docs: scores; derivatives by them */
    float *v;     /* dim: what is multiplied with X */
    double *part; /* [SVM_SHARDS][dim] */
    float *row;   /* [SVM_SHARDS][dim] */
    double *grad, *step, *rest, *aim, *bend, *next; /* dim each */
    double all_pairs; /* L at w = 0: what all pairs count together */
    double steepness; /* |dL/dw| there */
    struct arena arena;
};

/* A grid of C, from small to large.  It is laid over G = C times what all pairs count, so
 * that it suits data of any size. */
struct svm_grid {
    double c, from, to;
    int64_t steps;
    int balance; /* 1: by query */
};

/* The rows of svm_grid `field` inside `type`, for a table of settings. */
/* clang-format off */
#define SVM_GRID_PARAMS(type, field) \
    { "c", PARAM_FLOAT, "0", "[0,inf)", \
      "what the pairs weigh against |w|^2; 0: from a grid, by validation (without it the " \
      "middle of the grid)", offsetof(type, field.c) }, \
    { "c_from", PARAM_FLOAT, "0.01", "(0,inf)", \
      "the grid's first C, times what all pairs count", offsetof(type, field.from) }, \
    { "c_to", PARAM_FLOAT, "1000", "(0,inf)", \
      "the grid's last C, times what all pairs count", offsetof(type, field.to) }, \
    { "c_steps", PARAM_INT, "11", "[1,1000]", "values of C in the grid", \
      offsetof(type, field.steps) }, \
    { "balance", PARAM_CHOICE, "pairs", "pairs|queries", \
      "what counts the same: each pair, or each query with all its pairs", \
      offsetof(type, field.balance) }
/* clang-format on */

/* Whether there is one C alone: the user's, or no validation data to choose by. */
bool svm_grid_open(const struct svm_grid *g, const struct task *task,
                   struct stopping *stopping);
/* C of a step of the grid, from 1; all_pairs > 0. */
double svm_grid_at(const struct svm_grid *g, const struct svm *m, bool is_fixed,
                   size_t step);

/* Takes all memory; task must outlive it. */
MUST_CHECK peck_status svm_open(struct svm *m, const struct task *task,
                                const struct hinge_rule *rule, peck_error *err);
/* From w[dim] to the minimum; *loss becomes L there.  PECK_STOPPED when the task is
 * stopped: w is where it got to. */
MUST_CHECK peck_status svm_solve(struct svm *m, double c, double *w, double *loss,
                                 peck_error *err);
void svm_close(struct svm *m); /* takes an all-zero one too */

#endif
