/* pool.c -- see pool.h.  The caller works too, as worker 0. */
#include "pool.h"

#include "alloc.h"
#include "cores.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* The outermost function of a job that some wrapper runs is the one that a trace names. */
#ifdef TRACE
#include "trace.h"
#define TRACED(p, f) ((p)->traced = (p)->traced != 0 ? (p)->traced : (intptr_t)(f))
#else
#define TRACED(p, f) ((void)0)
#endif

enum {
    MAX_THREADS = 256,
    SPINS = 4000, /* some 50 us: going to sleep and being woken takes as long */
};

struct worker {
    struct pool *pool;
    pthread_t thread;
    int number;
};

struct pool {
    int size; /* workers, the caller included */
    struct worker *worker;
    pthread_mutex_t lock;
    pthread_cond_t wake, done;
    pthread_mutex_t turn; /* of pool_enter */
    int spins;
    /* Changed under the lock: */
    atomic_uint_fast64_t job; /* counts up with every pool_run */
    atomic_int busy;          /* workers that have not finished it */
    bool closing;
    /* The job: */
    void (*task)(void *ctx, size_t i, int worker);
    void *ctx;
    size_t n;
    atomic_size_t next;
#ifdef TRACE
    struct trace trace;
    intptr_t traced; /* what the next job runs; 0: not said */
    bool is_traced;
#endif
};

static void run_tasks(struct pool *p, int number)
{
    size_t i;

    while ((i = atomic_fetch_add(&p->next, 1)) < p->n) {
#ifdef TRACE
        const double since = clock_seconds();

        p->task(p->ctx, i, number);
        if (p->is_traced)
            p->trace.took[i] = clock_seconds() - since;
#else
        p->task(p->ctx, i, number);
#endif
    }
}

/* Jobs often follow each other closely: whoever waits looks on for a while. */
static void pause_a_little(void)
{
#ifdef __x86_64__
    __builtin_ia32_pause();
#endif
}

static void *serve(void *arg)
{
    struct worker *const w = arg;
    struct pool *const p = w->pool;
    uint64_t seen = 0;

    for (;;) {
        for (int i = 0; i < p->spins && atomic_load(&p->job) == seen; i++)
            pause_a_little();
        pthread_mutex_lock(&p->lock);
        while (p->job == seen)
            pthread_cond_wait(&p->wake, &p->lock);
        const bool closing = p->closing;

        seen = p->job;
        pthread_mutex_unlock(&p->lock);
        if (closing)
            return NULL;
        run_tasks(p, w->number);
        pthread_mutex_lock(&p->lock);
        if (--p->busy == 0)
            pthread_cond_signal(&p->done);
        pthread_mutex_unlock(&p->lock);
    }
}

int peck_threads(int asked)
{
    const int n = asked > 0 ? asked : cores_usable();

    return n < MAX_THREADS ? n : MAX_THREADS;
}

peck_status pool_new(struct pool **out, int threads, peck_error *err)
{
    *out = NULL;
    if (threads < 0 || threads > MAX_THREADS)
        return fail(err, PECK_ARG, "%d threads: give 0 (one per core) to %d", threads,
                    MAX_THREADS);
    threads = peck_threads(threads);
    struct pool *const p = mem_new(1, sizeof *p);

    if (p == NULL)
        return fail_memory(err, "the thread pool", 1, sizeof *p);
    pthread_mutex_init(&p->lock, NULL);
    pthread_mutex_init(&p->turn, NULL);
    pthread_cond_init(&p->wake, NULL);
    pthread_cond_init(&p->done, NULL);
#ifdef TRACE
    p->trace.mark = clock_seconds();
#endif
    /* No core to spare, no looking on. */
    p->spins = threads > 1 && threads <= cores_usable() ? SPINS : 0;
    p->worker = mem_new((size_t)threads, sizeof *p->worker);
    peck_status st = p->worker != NULL
                         ? PECK_OK
                         : fail_memory(err, "threads", (size_t)threads, sizeof *p->worker);

    /* Workers 1 .. threads-1; p->size counts those that run. */
    for (p->size = 1; st == PECK_OK && p->size < threads; p->size++) {
        struct worker *const w = &p->worker[p->size];

        *w = (struct worker){ .pool = p, .number = p->size };
        if (pthread_create(&w->thread, NULL, serve, w) != 0) {
            st = fail(err, PECK_NOMEM, "cannot start thread %d of %d; ask for fewer",
                      p->size + 1, threads);
            break;
        }
    }
    if (st != PECK_OK)
        pool_free(p);
    else
        *out = p;
    return st;
}

int pool_size(const struct pool *p)
{
    return p->size;
}

void pool_run(struct pool *p, size_t n, void (*task)(void *ctx, size_t i, int worker),
              void *ctx)
{
    p->task = task;
    p->ctx = ctx;
    p->n = n;
    atomic_store(&p->next, 0);
    TRACED(p, task);
#ifdef TRACE
    p->is_traced = trace_begin(&p->trace, p->traced - (intptr_t)pool_free, n);
#endif
    if (p->size > 1 && n > 1) {
        pthread_mutex_lock(&p->lock);
        p->busy = p->size - 1;
        p->job++;
        pthread_cond_broadcast(&p->wake);
        pthread_mutex_unlock(&p->lock);
        run_tasks(p, 0);
        for (int i = 0; i < p->spins && atomic_load(&p->busy) > 0; i++)
            pause_a_little();
        pthread_mutex_lock(&p->lock);
        while (p->busy > 0)
            pthread_cond_wait(&p->done, &p->lock);
        pthread_mutex_unlock(&p->lock);
    } else {
        run_tasks(p, 0);
    }
#ifdef TRACE
    if (p->is_traced)
        trace_end(&p->trace, n);
    p->traced = 0;
#endif
}

struct attempt {
    peck_status (*task)(void *ctx, size_t i, int worker, peck_error *err);
    void *ctx;
    atomic_size_t first; /* task that failed; SIZE_MAX: none */
    pthread_mutex_t lock;
    peck_status status; /* of the first, under the lock */
    peck_error err;
};

/* Tasks before the first failure always run, so that the least i that fails is found. */
static void try_task(void *ctx, size_t i, int worker)
{
    struct attempt *const a = ctx;
    peck_error err = { 0 };

    if (i > atomic_load(&a->first))
        return;
    const peck_status st = a->task(a->ctx, i, worker, &err);

    if (st == PECK_OK)
        return;
    pthread_mutex_lock(&a->lock);
    if (i < atomic_load(&a->first)) {
        atomic_store(&a->first, i);
        a->status = st;
        a->err = err;
    }
    pthread_mutex_unlock(&a->lock);
}

peck_status pool_try(struct pool *p, size_t n,
                     peck_status (*task)(void *ctx, size_t i, int worker, peck_error *err),
                     void *ctx, peck_error *err)
{
    struct attempt a = { .task = task, .ctx = ctx, .first = SIZE_MAX, .status = PECK_OK };

    pthread_mutex_init(&a.lock, NULL);
    TRACED(p, task);
    pool_run(p, n, try_task, &a);
    pthread_mutex_destroy(&a.lock);
    if (a.status != PECK_OK && err != NULL)
        *err = a.err;
    return a.status;
}

void pool_enter(struct pool *p)
{
    pthread_mutex_lock(&p->turn);
}

void pool_leave(struct pool *p)
{
    pthread_mutex_unlock(&p->turn);
}

void pool_free(struct pool *p)
{
    if (p == NULL)
        return;
    pthread_mutex_lock(&p->lock);
    p->closing = true;
    p->job++; /* for those who look on */
    pthread_cond_broadcast(&p->wake);
    pthread_mutex_unlock(&p->lock);
    for (int i = 1; i < p->size; i++)
        pthread_join(p->worker[i].thread, NULL);
#ifdef TRACE
    trace_write(&p->trace);
#endif
    pthread_mutex_destroy(&p->lock);
    pthread_mutex_destroy(&p->turn);
    pthread_cond_destroy(&p->wake);
    pthread_cond_destroy(&p->done);
    mem_free(p->worker);
    mem_free(p);
}

/* Who looks on ---------------------------------------------------------------------- */

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
    TRACED(p, task);
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
    TRACED(p, task);
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

double clock_seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
