/* forest.h -- trees inside an array of weights.
 *
 *     w      4 floats { trees, 0, 0, 0 }, then tree after tree
 *     tree   4 floats { nodes, 0, 0, 0 }, then its nodes, 4 floats each, the root first
 *     node   { feature, threshold, left, gain }: where the feature is above the threshold
 *            the way goes to node left + 1, else to left; both come after it
 *     leaf   { 0, FLT_MAX, its own number, value }
 *
 * A row whose feature is missing (NaN) goes left too, or right where the feature's number
 * has 1/2 added, which conversion to a whole number takes off again.
 *
 * A leaf leads to itself, so that many rows can go down side by side until none moves.
 * Whole numbers are floats too, exact below 2^24.  A forest may fill less than the array
 * that it is in.                                                                      */
#ifndef FOREST_H
#define FOREST_H

#include "family.h"

#include <float.h>

/* Settings that the families of trees share, first in their shapes. */
struct forest_size {
    int64_t trees, leaves;
};

enum {
    MAX_TREES = 100000,
    MAX_LEAVES = 1 << 20,
    ROWS_ABREAST = 16, /* rows that go down a tree side by side */
};

/* Added to the number of a feature. */
#define GAP_RIGHT 0.5f

struct forest_node {
    float feature, threshold, left, value; /* value: of a leaf; its gain otherwise */
};

/* PECK_ARG when its room would be beyond all memory. */
MUST_CHECK peck_status forest_check_size(const struct forest_size *s, const char *family,
                                         peck_error *err);

void forest_clear(float *w); /* no tree */
size_t forest_trees(const float *w);
size_t forest_used(const float *w); /* floats */
/* Room for one more tree of n_nodes at the end; the caller fills it. */
struct forest_node *forest_add(float *w, size_t n_nodes);

/* Whether w[n] holds a forest no larger than s whose questions are about features below
 * n_features.  PECK_FORMAT. */
MUST_CHECK peck_status forest_check(const float *w, size_t n, const struct forest_size *s,
                                    size_t n_features, peck_error *err);

/* The trees, one after another:  for (t = forest_first(w); n-- > 0; t = forest_next(t)) */
static inline const struct forest_node *forest_first(const float *w)
{
    return (const struct forest_node *)w + 2;
}

static inline size_t forest_nodes(const struct forest_node *tree)
{
    return (size_t)tree[-1].feature;
}

static inline const struct forest_node *forest_next(const struct forest_node *tree)
{
    return tree + forest_nodes(tree) + 1;
}

/* Where node `at` sends a row with this value of its feature, which is not missing. */
static inline uint32_t forest_step(const struct forest_node *tree, uint32_t at, float value)
{
    return (uint32_t)(int32_t)tree[at].left + (value > tree[at].threshold);
}

/* Whether a feature of a row is missing. */
bool forest_has_gaps(struct rows x);
/* sum[i] += the value of row i's leaf.  has_gaps: a feature may be missing. */
void forest_walk(const struct forest_node *tree, struct rows x, bool has_gaps, double *sum);

/* Questions that a pairforest may ask: features of both sides, and of their difference. */
size_t pairforest_questions(const void *shape);

/* What a forest asks about: adds how often, and what it gained, to count[] and gain[];
 * question q is about feature q % n_features. */
void forest_importance(const float *w, size_t n_features, double *count, double *gain);

/* Hooks that the families of trees share; their shapes begin with a forest_size. */
size_t forest_capacity(const void *shape); /* floats of a forest that is full */
size_t forest_in_use(const void *shape, const float *w);
void forest_init(const void *shape, struct rng *r, float *w);

#endif
