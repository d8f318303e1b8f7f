/* rank_batch.h -- a batch of queries on several ranks.
 *
 * Its shards are cut by the batch alone, on every rank alike, and dealt whole: the largest
 * first, each to the rank that has least to do.  Rows go from the ranks that have them to those
 * that compute, once a batch.  Then every rank gets a slice of the weights of all shards'
 * gradients, adds them in the order of the shards, and gives the sum to all: the same bytes as
 * on one rank.                                                                          */
#ifndef RANK_BATCH_H
#define RANK_BATCH_H

#include "learner.h"

/* Queries first .. last-1 of the batch. */
struct gradient_shard {
    size_t first, last;
    size_t load;
    size_t rank; /* that computes it */
    double loss, penalty;
};

/* A batch cut into shards. */
struct cut_batch {
    const uint32_t *query;
    struct gradient_shard *shard;
    const size_t *turn; /* n_shards: shards by falling load */
    size_t n_shards;
};

struct rank_batch {
    const struct train_data *data;
    struct pool *pool;
    size_t n_weights;
    size_t *slice;               /* n_ranks + 1: the first weight that each adds up */
    size_t *load;                /* n_ranks */
    size_t *n_send, *n_got, *at; /* n_ranks: bytes to and from each; floats before them */
    size_t *row; /* of each query of the batch: its rows in `rows`; SIZE_MAX: own ones */
    struct sent_query *sent; /* queries of the batch whose rows others need */
    size_t n_sent;
    float *room; /* [workers][train_data_room] */
    float *rows; /* those of others that this rank computes with */
    float *send, *got;
    size_t cap_rows, cap_send, cap_got;
    const float **piece; /* of each shard: its gradient, this rank's slice of it */
    struct arena arena;  /* of all but what grows */
};

/* For batches of up to max_queries queries, in up to max_shards shards.  Needs
 * rank_batch_close, even where it fails. */
MUST_CHECK peck_status rank_batch_open(struct rank_batch *r, const struct train_data *data,
                                       size_t n_weights, size_t max_queries,
                                       size_t max_shards, struct pool *pool,
                                       peck_error *err);
/* Says who computes each shard, and brings the rows there. */
MUST_CHECK peck_status rank_batch_deal(struct rank_batch *r, const struct cut_batch *b,
                                       peck_error *err);
/* The rows of query i of the batch, which is in a shard of this rank; room as of
 * train_data_query. */
struct rows rank_batch_rows(const struct rank_batch *r, const struct cut_batch *b, size_t i,
                            float *room);
/* part[shard][n_weights] of its own shards, to the ranks that add up slices: piece[shard] is
 * the slice of this one.  All get the loss and the penalty of all shards. */
MUST_CHECK peck_status rank_batch_pieces(struct rank_batch *r, const struct cut_batch *b,
                                         const float *part, peck_error *err);
void rank_batch_close(struct rank_batch *r); /* takes an all-zero one too */

#endif
