/* svm.h -- a linear ranker on the squared hinge, by Newton steps in a trust region.
 *
 *   minimise  1/2 |w|^2 + c L(X w)        L of hinge.h
 *
 * Each step solves H d = -g roughly by conjugate gradients, within a radius that grows
 * while the quadratic model keeps its promises.  H is never formed: H v = v + c X'(B(X v))
 * with B of hinge.h.  Lin, Weng and Keerthi, "Trust region Newton method for large-scale
 * logistic regression", JMLR 9 (2008).
 *
 * X' g is a sum over blocks of rows.  On ranks, X v and the hinge are those of a rank's own
 * queries; a block belongs to the rank that has its first row, which gets the others'; ranks
 * share the sums over blocks, and each adds them up in their order.                   */
#ifndef SVM_H
#define SVM_H

#include "hinge.h"
#include "learner.h"

/* Of several ranks: a block that ends among the rows of others. */
struct border {
    size_t *n_send, *n_receive; /* ranks: rows */
    size_t *send, *receive;     /* ranks: bytes, while at work */
    float *x, *g;               /* [rows of a block][dim], [rows of a block] */
};

struct svm {
    const struct task *task;
    struct hinge hinge;
    size_t dim;
    float *s, *g; /* n_docs: scores; derivatives by them */
    float *v;     /* dim: what is multiplied with X */
    size_t n_blocks;
    size_t *block_at; /* n_blocks + 1: the row at which each begins */
    size_t *shard_at; /* SVM_SHARDS + 1: the block at which each begins */
    size_t *rank_at;  /* ranks + 1: the first block of each */
    float *row;       /* [n_blocks][dim]: its sum */
    double *part;     /* [SVM_SHARDS][dim] */
    struct border border;
    double *grad, *step, *rest, *aim, *bend, *next; /* dim each */
    double all_pairs; /* L at w = 0: what all pairs count together */
    double steepness; /* |dL/dw| there */
    struct arena arena;
};

/* Settings of the learners that solve it: a grid of C, from small to large, with an epoch
 * for each.  It is laid over G = C times what all pairs count, so that it suits data of any
 * size. */
struct svm_grid {
    double c, from, to;
    int64_t steps;
    int balance; /* 1: by query */
};
extern const struct param svm_grid_params[];

/* One epoch alone where C is the user's, or there is no validation data to choose by. */
struct stopping svm_grid_stopping(const struct task *task);
/* C of a step of the grid, from 1; all_pairs > 0. */
double svm_grid_at(const struct svm *m, size_t step);

/* Takes all memory; task must outlive it. */
MUST_CHECK peck_status svm_open(struct svm *m, const struct task *task,
                                const struct hinge_rule *rule, peck_error *err);
/* From w[dim] to the minimum; *loss becomes L there.  PECK_STOPPED when the task is
 * stopped: w is where it got to. */
MUST_CHECK peck_status svm_solve(struct svm *m, double c, double *w, double *loss,
                                 peck_error *err);
void svm_close(struct svm *m); /* takes an all-zero one too */

#endif
