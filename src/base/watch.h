/* watch.h -- somebody who looks on while a long call works, hears how far it is, and may
 * stop it.                                                                             */
#ifndef WATCH_H
#define WATCH_H

#include "pool.h"

#include <stdbool.h>

/* All zero: nobody looks on. */
struct watch {
    int (*progress)(void *ctx, double share); /* non-zero stops; NULL: nobody */
    void *ctx;
    double from, to; /* what the next run or step is of the whole; both 0: all of it */
    bool is_stopped;
};

/* pool_run, while w (may be NULL) is told, by one thread at a time and at most some 200 times.
 * PECK_STOPPED: w wants no more; not every task has run. */
MUST_CHECK peck_status watch_run(struct watch *w, struct pool *p, size_t n,
                                 void (*task)(void *ctx, size_t i, int worker), void *ctx,
                                 peck_error *err);
/* pool_try, in the same way.  A task that failed comes before w's wish to stop. */
MUST_CHECK peck_status watch_try(struct watch *w, struct pool *p, size_t n,
                                 peck_status (*task)(void *ctx, size_t i, int worker,
                                                     peck_error *err),
                                 void *ctx, peck_error *err);
/* Tells w (may be NULL) that `done` of n parts are done. */
MUST_CHECK peck_status watch_step(struct watch *w, size_t done, size_t n, peck_error *err);
/* From now on, part i of n is worked on. */
void watch_part(struct watch *w, size_t i, size_t n);

#endif
