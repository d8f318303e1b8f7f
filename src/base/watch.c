/* watch.c -- see watch.h. */
#include "watch.h"

#include <pthread.h>
#include <stdatomic.h>

/* Times that a run tells of itself. */
enum { TIMES = 200 };

struct watched {
    struct watch *watch;
    void (*task)(void *ctx, size_t i, int worker); /* or: */
    peck_status (*attempt)(void *ctx, size_t i, int worker, peck_error *err);
    void *ctx;
    size_t n;
    atomic_size_t done;
    atomic_bool is_stopped;
    pthread_mutex_t lock;
};

static bool tell(struct watch *w, double share)
{
    const double to = w->from == 0.0 && w->to == 0.0 ? 1.0 : w->to;

    if (!w->is_stopped)
        w->is_stopped = w->progress(w->ctx, w->from + (to - w->from) * share) != 0;
    return !w->is_stopped;
}

/* The count is read under the lock, so that it never falls. */
static void task_done(struct watched *w)
{
    const size_t done = atomic_fetch_add(&w->done, 1) + 1;
    const double each = (double)TIMES / (double)w->n;

    if (w->n > TIMES &&
        (size_t)((double)done * each) == (size_t)((double)(done - 1) * each))
        return;
    pthread_mutex_lock(&w->lock);
    if (!tell(w->watch, (double)atomic_load(&w->done) / (double)w->n))
        atomic_store(&w->is_stopped, true);
    pthread_mutex_unlock(&w->lock);
}

static void watched_task(void *ctx, size_t i, int worker)
{
    struct watched *const w = ctx;

    if (atomic_load(&w->is_stopped))
        return;
    w->task(w->ctx, i, worker);
    task_done(w);
}

static peck_status watched_attempt(void *ctx, size_t i, int worker, peck_error *err)
{
    struct watched *const w = ctx;

    if (atomic_load(&w->is_stopped))
        return PECK_OK;
    TRY(w->attempt(w->ctx, i, worker, err));
    task_done(w);
    return PECK_OK;
}

static peck_status stopped(peck_error *err)
{
    return fail(err, PECK_STOPPED, "stopped on request");
}

peck_status watch_run(struct watch *w, struct pool *p, size_t n,
                      void (*task)(void *ctx, size_t i, int worker), void *ctx,
                      peck_error *err)
{
    if (w == NULL || w->progress == NULL) {
        pool_run(p, n, task, ctx);
        return PECK_OK;
    }
    struct watched job = { .watch = w, .task = task, .ctx = ctx, .n = n };

    if (w->is_stopped)
        return stopped(err);
    pthread_mutex_init(&job.lock, NULL);
    pool_run(p, n, watched_task, &job);
    pthread_mutex_destroy(&job.lock);
    return w->is_stopped ? stopped(err) : PECK_OK;
}

peck_status watch_try(struct watch *w, struct pool *p, size_t n,
                      peck_status (*task)(void *ctx, size_t i, int worker, peck_error *err),
                      void *ctx, peck_error *err)
{
    if (w == NULL || w->progress == NULL)
        return pool_try(p, n, task, ctx, err);
    struct watched job = { .watch = w, .attempt = task, .ctx = ctx, .n = n };

    if (w->is_stopped)
        return stopped(err);
    pthread_mutex_init(&job.lock, NULL);
    const peck_status st = pool_try(p, n, watched_attempt, &job, err);

    pthread_mutex_destroy(&job.lock);
    return st == PECK_OK && w->is_stopped ? stopped(err) : st;
}

peck_status watch_step(struct watch *w, size_t done, size_t n, peck_error *err)
{
    if (w == NULL || w->progress == NULL)
        return PECK_OK;
    return tell(w, n > 0 ? (double)done / (double)n : 1.0) ? PECK_OK : stopped(err);
}

void watch_part(struct watch *w, size_t i, size_t n)
{
    w->from = (double)i / (double)n;
    w->to = (double)(i + 1) / (double)n;
}
