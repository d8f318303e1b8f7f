/* comm.h -- several ranks: what the rooms ask of a peck_comm.
 *
 * NULL is one rank, and every function here then does nothing, or copies.  Answers are
 * checked: an error, or fewer bytes than are due, is PECK_IO.  Nothing is added in an order
 * that the network chooses: sums are of whole numbers, or the ranks take turns.         */
#ifndef COMM_H
#define COMM_H

#include "status.h"

#include <stdbool.h>

static inline size_t comm_rank(const peck_comm *c)
{
    return c != NULL ? (size_t)c->rank : 0;
}

static inline size_t comm_ranks(const peck_comm *c)
{
    return c != NULL ? (size_t)c->n_ranks : 1;
}

static inline bool comm_is_shared(const peck_comm *c)
{
    return comm_ranks(c) > 1;
}

/* Where the part of a rank begins, of n things that are dealt in their order; of rank
 * n_ranks: n. */
static inline size_t comm_part(const peck_comm *c, size_t n, size_t rank)
{
    const size_t ranks = comm_ranks(c), more = n % ranks;

    return n / ranks * rank + (rank < more ? rank : more);
}

/* Whether a caller's can be used; PECK_ARG if not. */
MUST_CHECK peck_status comm_check(const peck_comm *c, peck_error *err);

/* As in peck.h; sizes are in bytes. */
MUST_CHECK peck_status comm_broadcast(const peck_comm *c, void *data, size_t n, size_t root,
                                      peck_error *err);
MUST_CHECK peck_status comm_gather(const peck_comm *c, const void *mine, void *all,
                                   const size_t *n_of, peck_error *err);
MUST_CHECK peck_status comm_exchange(const peck_comm *c, const void *send,
                                     const size_t *n_send, void *receive,
                                     const size_t *n_receive, peck_error *err);

/* Every rank has filled its part of an array, first[rank] to first[rank + 1]: now all have
 * all of it.  size: of an element in bytes. */
MUST_CHECK peck_status comm_share(const peck_comm *c, void *all, const size_t *first,
                                  size_t size, peck_error *err);

/* x[n] becomes the sum over the ranks. */
MUST_CHECK peck_status comm_add(const peck_comm *c, int64_t *x, size_t n, peck_error *err);

/* The ranks take turns, the first one first: add() goes on from what the ranks before have
 * made of state[n]; then all have what the last one made. */
MUST_CHECK peck_status comm_in_turn(const peck_comm *c, void *state, size_t n,
                                    void (*add)(void *ctx, void *state), void *ctx,
                                    peck_error *err);

/* Where one rank has failed, all fail, with the words of the first that has. */
MUST_CHECK peck_status comm_agree(const peck_comm *c, peck_status mine, peck_error *err);

/* PECK_SHAPE, with this sentence, where the ranks have different numbers: they have not been
 * given the same. */
MUST_CHECK peck_status comm_compare(const peck_comm *c, uint64_t number, const char *text,
                                    peck_error *err);

#endif
