/* grow.h -- one tree, grown leaf by leaf on binned features.
 *
 * Every row has a gradient g and a weight h.  A leaf of rows with sums G, H is worth
 * G^2 / (H + l2), and a split gains
 *
 *   GL^2 / (HL + l2) + GR^2 / (HR + l2) - G^2 / (H + l2)
 *
 * which is the fall of squared error when g are targets and h weights, and twice the fall
 * of the loss in a Newton step when g, h are first and second derivatives.
 *
 * Rows that lack the feature of a split go all to one side, the one that gains more; where
 * a node has none of them, the heavier one.
 *
 * Sums are of whole numbers, so that they are exact: the same in any order of rows and on
 * any number of threads, and a node less one child is the other child to the last bit.
 *
 * Several ranks grow the same tree, each on rows of its own.  Each has some of the features to
 * look for splits by: of a leaf's histogram a rank sends the others theirs, and all tell all of
 * the best splits that they have found.
 * Friedman, "Greedy function approximation", Ann. Stat. 2001; histograms by subtraction as
 * in Ke et al., "LightGBM", NIPS 2017.                                               */
#ifndef GROW_H
#define GROW_H

#include "../base/rng.h"
#include "bins.h"
#include "row_gradients.h"

struct grow_rule {
    size_t leaves;       /* at most, from 1 */
    size_t depth;        /* questions down to a leaf at most; 0: any number */
    size_t min_leaf;     /* rows of a leaf at least, from 1 */
    double min_weight;   /* sum of h of a leaf at least */
    double l2, min_gain; /* a split must gain more than min_gain */
    size_t per_split;    /* features drawn for each split; 0: all */
    size_t histograms;   /* kept at once, from 2; 0: as many as are of use */
    bool is_level_by_level;
};

/* A node of a grown tree. */
struct tree_node {
    uint32_t left; /* child where the feature is not above the threshold, the other one
                       * follows it; a leaf: itself */
    uint32_t feature;
    float threshold, gain;
    size_t n_rows;     /* of all ranks */
    size_t begin, end; /* those of this rank, in the grower's order */
    uint16_t bin;
    uint16_t depth;
    bool is_gap_right; /* where the feature is missing, the way goes right */
    bool is_falling;   /* its rows come in falling order, if those of the root rise */
};

struct grower;

/* Takes all memory that trees of up to n_rows rows of this rank need.  bins outlive it; pool
 * NULL: this thread alone. */
MUST_CHECK peck_status grower_open(struct grower **out, const struct bins *bins,
                                   const struct grow_rule *rule, size_t n_rows,
                                   struct pool *pool, peck_error *err);
/* Room for n_rows rows and for their gradients: who lists rows there, or has a run's gradients
 * there, needs none of his own.  A run leaves other things in both. */
uint32_t *grower_list(struct grower *g);
int64_t *grower_gradients(struct grower *g);
/* Grows a tree on these rows of the bins.  is_used: for each feature; NULL: all.  r: draws
 * features where per_split says so, on one rank.  One rank alone never fails. */
MUST_CHECK peck_status grower_run(struct grower *g, const struct row_gradients *p,
                                  const uint32_t *row, size_t n, const uint8_t *is_used,
                                  struct rng *r, peck_error *err);
/* The tree of the last run; node 0 is the root, children come after their parents. */
const struct tree_node *grower_tree(const struct grower *g, size_t *n_nodes);
/* The rows of a leaf: leaf->end - leaf->begin of them. */
const uint32_t *grower_rows(const struct grower *g, const struct tree_node *leaf);
void grower_close(struct grower *g); /* takes NULL */

#endif
