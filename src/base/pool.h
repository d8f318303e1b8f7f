/* pool.h -- worker threads.  Work is cut into tasks by the caller; which worker runs a
 * task is not fixed, so a task writes only to its own place and results are combined
 * in task order afterwards.  That gives the same bytes at any thread count.          */
#ifndef POOL_H
#define POOL_H

#include "status.h"

#include <stdbool.h>

struct pool;

/* threads 0: as peck_threads() says.  1 starts no thread. */
MUST_CHECK peck_status pool_new(struct pool **out, int threads, peck_error *err);
int pool_size(const struct pool *p);
/* Whether each worker has a core to itself, so that jobs of some ten microseconds pay. */
bool pool_looks_on(const struct pool *p);

/* Runs task(ctx, i, worker) for every i in [0, n), worker in [0, pool_size).
 * Returns when all are done.  Not to be called from inside a task. */
void pool_run(struct pool *p, size_t n, void (*task)(void *ctx, size_t i, int worker),
              void *ctx);
/* The same for tasks that may fail: when one has, tasks after it need not begin.  The error is
 * that of the first task, in the order of i, that fails; the same at any thread count. */
MUST_CHECK peck_status pool_try(struct pool *p, size_t n,
                                peck_status (*task)(void *ctx, size_t i, int worker,
                                                    peck_error *err),
                                void *ctx, peck_error *err);
/* Between the two, no other task of this pool is between them. */
void pool_enter(struct pool *p);
void pool_leave(struct pool *p);
void pool_free(struct pool *p); /* takes NULL */

/* Who looks on ---------------------------------------------------------------------- */
/* Somebody who looks on while a long call works, hears how far it is, and may stop it. */

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

/* Time that only goes forward, in seconds since some fixed moment: for progress and pacing,
 * never for results. */
double clock_seconds(void);

#endif
