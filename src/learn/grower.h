/* grower.h -- inside of growing: what grow.c and leaf_search.c share. */
#ifndef GROWER_H
#define GROWER_H

#include "grow.h"

#include "../base/sort.h"

enum {
    AT_ONCE = 12, /* features that are counted in one go over the rows */
    AHEAD = 16,   /* rows whose cells are fetched before they are needed */
};

struct tree_split {
    double gain;  /* in units of the gradients; 0: none */
    int64_t left; /* what goes left */
    uint32_t feature;
    uint16_t bin;      /* this one and those below go left */
    bool is_gap_right; /* but bin 0, of the rows without the feature, does not */
};

/* A leaf that may be split. */
struct leaf {
    uint32_t node;
    int slot;        /* its histogram; NO_SLOT: none */
    bool is_counted; /* rows on both sides of `best` have been counted */
    int64_t total;
    struct tree_split best;
};

/* What one rank has found in its features, of each of two leaves at work. */
struct rank_splits {
    struct tree_split best[2];
};

/* Sums of gradients by bin of AT_ONCE features, and which bins were touched where rows are
 * few; all zero between uses. */
struct bin_sums {
    int64_t sum[AT_ONCE][MAX_BINS];
    uint64_t touched[AT_ONCE][MAX_BINS / 64];
};

struct grower {
    struct arena arena;
    const struct bins *bins;
    const peck_comm *comm; /* of the bins */
    struct grow_rule rule;
    struct pool *pool;
    const struct row_gradients *gradients;
    const uint8_t *is_used;
    double l2, min_weight, min_gain; /* in units of the gradients */
    bool is_unbounded;               /* there may be a leaf for each row */
    struct tree_node *node, *tree;   /* 2 leaves - 1: as they were split; as they end */
    uint32_t *waiting;               /* 2 leaves - 1 */
    size_t n_nodes;
    struct leaf *open; /* a heap: the next to be split on top */
    size_t n_open;
    /* Rows and their gradients; a node of depth d has its own in copy d % 2. */
    uint32_t *row[2];
    int64_t *gh[2];
    uint8_t *is_left;   /* of each row of the leaf that is to be split */
    size_t *n_left;     /* of each CHUNK of them; then those before it */
    int64_t *total;     /* of each CHUNK of all rows */
    int64_t *part;      /* [n_parts - 1][all bins]: rows that are counted side by side; of
                         * several ranks: [n_parts][all bins] */
    size_t n_parts;     /* at most */
    int64_t *histogram; /* [n_slots][all bins], of the features that this rank looks at */
    size_t *feature_of; /* n_ranks + 1: where those that each looks at begin */
    int64_t *received;  /* [n_ranks][bins of those features] */
    size_t *n_send, *n_receive, *n_told; /* n_ranks: bytes of histograms and of splits */
    struct rank_splits *told;            /* n_ranks */
    int *slot;                           /* free ones */
    size_t n_slots, n_free;
    struct tree_split *found[2]; /* [n_features]: of each of two leaves at work */
    double *bound;          /* n_features: what each could gain if rows did not count */
    struct sort_item *item; /* 2 n_features: by falling bound, and room */
    uint32_t *feature;      /* per_split: those that may be drawn */
    size_t n_drawable;
    struct bin_sums *tally; /* per_split */
};

/* n tasks on the pool, where it is worth it. */
static inline void run_tasks(const struct grower *g, size_t n, bool is_worth_it,
                             void (*task)(void *ctx, size_t i, int worker), void *ctx)
{
    if (g->pool != NULL && pool_size(g->pool) > 1 && is_worth_it)
        pool_run(g->pool, n, task, ctx);
    else
        for (size_t i = 0; i < n; i++)
            task(ctx, i, 0);
}

/* Rows of a leaf, in their order, have been read. */
static inline void forget_rows(const struct bins *b, size_t group, uint32_t first,
                               uint32_t last)
{
    bins_forget(b, group, first < last ? first : last, first < last ? last : first);
}

/* leaf_search.c: the best split of a leaf ---------------------------------------------- */

/* By features that are drawn until per_split of them were not constant in the leaf. */
void search_some(struct grower *g, struct leaf *l, struct rng *r);
/* By all features.  a is counted in its slot; b, where there is one, has its parent's histogram
 * in its own and gets what is left of it. */
MUST_CHECK peck_status search_all(struct grower *g, struct leaf *a, struct leaf *b,
                                  peck_error *err);
/* By all features, with rows enough on both sides; the leaf has its histogram. */
MUST_CHECK peck_status search_counted(struct grower *g, struct leaf *l, peck_error *err);

#endif
