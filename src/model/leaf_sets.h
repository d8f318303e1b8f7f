/* leaf_sets.h -- a forest as questions sorted by feature, for many documents.
 *
 *     leaves that document i can still reach in a tree: a set of bits, all at first
 *     x_if > threshold of a node:                       its left leaves are none of them
 *     after all questions:                              the leftmost left is i's
 *
 * Each feature is looked at once, and its questions stop at the first threshold that no
 * document is above (QuickScorer: Lucchese and others, SIGIR 2015); here 16 documents side by
 * side (as Lucchese and others, SIGIR 2016).  The same bits as forest_walk.            */
#ifndef LEAF_SETS_H
#define LEAF_SETS_H

#include "forest.h"

#include "../base/alloc.h"

struct leaf_sets;

/* From a forest w, in the memory given.  *out is NULL where a tree has too many leaves, or where
 * two questions lead to one node. */
MUST_CHECK peck_status leaf_sets_make(const struct leaf_sets **out, struct arena *memory,
                                      const float *w, peck_error *err);

/* s[x.n]: scores of documents none of whose features is missing. */
void leaf_sets_score(const struct leaf_sets *l, struct rows x, float *s);

#endif
