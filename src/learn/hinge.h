/* hinge.h -- the squared hinge over all pairs of a query, without looking at each pair.
 *
 *   L(s) = sum_q a_q sum over pairs i before j of c_i c_j max(0, 1 - (s_i - s_j))^2
 *
 * A pair is active while s_i - s_j < 1.  With the documents by falling score, the active
 * partners of each are one run of the list, and the runs of neighbours differ little: a
 * tree of sums over the labels gives all derivatives in O(n log n).  Lee and Lin,
 * "Large-scale linear RankSVM", Neural Computation 26 (2014).
 *
 * c are weights of documents; a_q is the query's weight, or that over its pairs.  Where
 * pairs are listed (preferences, samples), they are gone through one by one.          */
#ifndef HINGE_H
#define HINGE_H

#include "../base/alloc.h"
#include "../base/pool.h"
#include "train_set.h"

struct hinge_rule {
    bool is_by_query;   /* each query counts as much as another, not each pair */
    const float *grade; /* two labels, higher first: their pairs alone; NULL: all */
    uint64_t seed;      /* of sampled pairs */
};

struct hinge {
    const struct train_set *train_set;
    struct hinge_rule rule;
    struct pool *pool;
    struct spot *spot;   /* n_docs: each query's documents by falling score */
    uint32_t *class_at;  /* n_docs, in the order of the training set: 0 is the best */
    uint32_t *n_classes; /* n_queries */
    uint32_t *n_placed;  /* n_queries: documents that have a class */
    double *loss;        /* n_queries: of the last gradient */
    size_t first, end;   /* queries that are looked at: all, or those of a rank */
    struct sweep *sweep; /* one a worker */
    float *kept;         /* n_docs: the scores of the last gradient */
    const float *in;     /* while at work */
    float *out;
    struct arena arena;
};

MUST_CHECK peck_status hinge_open(struct hinge *h, const struct train_set *l,
                                  const struct hinge_rule *rule, struct pool *pool,
                                  peck_error *err);
/* g[n_docs] becomes dL/ds at s[n_docs], in the order of the training set. */
void hinge_gradient(struct hinge *h, const float *s, float *g);
/* L there.  Of several ranks, each has filled its part of loss[]: they share that first. */
double hinge_loss(const struct hinge *h);
/* out[n_docs] = (the second derivatives at the scores of the last gradient) times t. */
void hinge_bend(struct hinge *h, const float *t, float *out);
void hinge_close(struct hinge *h); /* takes an all-zero one too */

#endif
