/* pairset.h -- some of the pairs of a dataset: those that a net got wrong so far.
 *
 * One bit for each pair that the training set knows, in its order: documents of different
 * labels (runs), or listed preferences.  A pair is there once, however often it is added,
 * and two sets of the same pairs are the same bytes.                                   */
#ifndef PAIRSET_H
#define PAIRSET_H

#include "train_set.h"

struct pairset {
    const struct train_set *train_set; /* not sampled */
    uint64_t *start;                   /* n_queries + 1: the first word of a query's bits */
    uint64_t *n_pairs;                 /* n_queries: those there are */
    uint64_t *before;  /* n_docs: pairs of the documents before it; NULL: listed pairs */
    uint64_t *bit;     /* start[n_queries] words */
    uint64_t *count;   /* n_queries: bits that are set, when they were last counted */
    struct pool *pool; /* that shares the queries; NULL: nobody does */
    struct arena arena;
};

/* An empty set.  l must outlive it.  Needs pairset_close, even where it fails. */
MUST_CHECK peck_status pairset_open(struct pairset *s, const struct train_set *l,
                                    peck_error *err);
/* A net says that document i of query q (a place in the training set) goes before j by
 * `lead`: adds the pairs that say otherwise.  A lead of 0 takes no side, so it is not
 * wrong.  Several threads may add to different queries. */
void pairset_add_wrong(struct pairset *s, size_t q, peck_duel duel, float lead);
/* Adds as many pairs of each query as its plan says are to be drawn, some of them twice; all
 * of them where the plan draws none.  The same for the same seed. */
void pairset_draw(struct pairset *s, uint64_t seed);
/* Whether no bit stands for a pair that the training set does not know: bits may come
 * from a file. */
bool pairset_is_sound(const struct pairset *s);
uint64_t pairset_count(struct pairset *s);
/* Ranks have added to the sets of their own queries of d: now all have all of it. */
MUST_CHECK peck_status pairset_share(struct pairset *s, const struct peck_dataset *d,
                                     peck_error *err);
/* The set becomes the listed pairs of `to`, which is a train_set_new_listed of the same
 * documents; weights add up to the number of pairs.  In places of the training set, or,
 * with in_data_order, of the data. */
MUST_CHECK peck_status pairset_list(struct pairset *s, bool in_data_order,
                                    struct train_set *to, peck_error *err);
void pairset_close(struct pairset *s); /* takes an all-zero one too */

#endif
