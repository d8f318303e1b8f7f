/* thread_comm.h -- ranks as threads of one process, for what takes a peck_comm. */
#ifndef THREAD_COMM_H
#define THREAD_COMM_H

#include "peck.h"

enum { MOST_RANKS = 8 };

/* What a bad network does at its call number `at` (from 1; 0: never), on rank `rank`. */
struct comm_fault {
    int rank;
    size_t at;
    int64_t answer; /* added to what has arrived: below 0 for one that is short */
    int is_error;   /* nothing arrives, and a negative number is the answer */
};

/* work(ctx, comm) on each of n_ranks threads; what the first rank that fails says is the
 * answer.  When a rank returns anything but PECK_OK, all further calls of the others fail.
 * fault may be NULL. */
peck_status on_ranks(int n_ranks,
                     peck_status (*work)(void *ctx, const peck_comm *c, peck_error *err),
                     void *ctx, const struct comm_fault *fault, peck_error *err);

#endif
