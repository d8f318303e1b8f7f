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
    PAUSES = 32 /* between two looks at the clock */
};

/* Whoever has nothing to do looks on for so many seconds, then sleeps: the last task of a
 * short job takes no longer, and the next job of a training follows at once.  Where a wait is
 * longer, the 50 us that waking takes do not count. */
#define LOOK_ON 5e-4

/* What all workers write has a line of the cache to itself. */
struct worker {
    struct pool *pool;
    pthread_t thread;
    int number;
    char apart[64];
    atomic_size_t left; /* of its part of the job: tasks that nobody has claimed */
    char apart_from_left[64];
};

/* A job is cut into as many parts as there are workers.  Each claims the tasks of its own part,
 * one at a time, and then those that others have left: what a worker wrote in one job it finds
 * in its cache in the next one, where that is cut alike.  A worker that comes late for a job
 * finds nothing left of it, or a task of the next one, which is as good.  The caller waits for
 * tasks, not for workers. */
struct pool {
    int size; /* workers, the caller included */
    struct worker *worker;
    pthread_mutex_t lock;
    pthread_cond_t wake, done;
    pthread_mutex_t turn; /* of pool_enter */
    double look_on;       /* seconds */
    char apart[64];
    atomic_size_t n_done; /* tasks of the job at hand */
    char apart_from_done[64];
    atomic_uint_fast64_t n_jobs; /* that were begun */
    /* Changed under the lock, read without it by those who would wake them: */
    atomic_int n_asleep; /* workers */
    atomic_bool is_caller_asleep;
    atomic_bool is_closing;
    /* The job: n tasks.  Written while none is left or at work. */
    void (*task)(void *ctx, size_t i, int worker);
    void *ctx;
    size_t n;
#ifdef TRACE
    struct trace trace;
    intptr_t traced; /* what the next job runs; 0: not said */
    bool is_traced;
#endif
};

static void run_task(struct pool *p, size_t i, int number)
{
#ifdef TRACE
    const double since = trace_clock();

    p->task(p->ctx, i, number);
    if (p->is_traced)
        p->trace.took[i] = trace_clock() - since;
#else
    p->task(p->ctx, i, number);
#endif
}

/* Where a worker's part of n tasks begins; that of worker number `size`: n. */
static size_t part_begin(const struct pool *p, size_t n, int number)
{
    const size_t size = (size_t)p->size, w = (size_t)number, more = n % size;

    return n / size * w + (w < more ? w : more);
}

/* Runs tasks while there are any.  Once one is claimed, the job stays until it is done. */
static void run_tasks(struct pool *p, int number)
{
    for (int k = 0; k < p->size; k++) {
        const int whose = (number + k) % p->size;
        atomic_size_t *const part = &p->worker[whose].left;
        size_t left = atomic_load(part);

        while (left > 0) {
            if (!atomic_compare_exchange_weak(part, &left, left - 1))
                continue;
            const size_t n = p->n;

            run_task(p, part_begin(p, n, whose + 1) - left, number);
            if (atomic_fetch_add(&p->n_done, 1) + 1 == n &&
                atomic_load(&p->is_caller_asleep)) {
                pthread_mutex_lock(&p->lock);
                pthread_cond_signal(&p->done);
                pthread_mutex_unlock(&p->lock);
            }
            left = atomic_load(part);
        }
    }
}

static void pause_a_little(void)
{
#ifdef __x86_64__
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* Looks on until is_over, for a while. */
static void look_on(struct pool *p, bool (*is_over)(struct pool *p, uint_fast64_t n_seen),
                    uint_fast64_t n_seen)
{
    const double end = p->look_on > 0.0 ? clock_seconds() + p->look_on : 0.0;

    while (p->look_on > 0.0 && !is_over(p, n_seen) && clock_seconds() < end)
        for (int i = 0; i < PAUSES && !is_over(p, n_seen); i++)
            pause_a_little();
}

/* For who has seen so many jobs there is another one. */
static bool is_called(struct pool *p, uint_fast64_t n_seen)
{
    return atomic_load(&p->n_jobs) != n_seen || atomic_load(&p->is_closing);
}

static bool is_done(struct pool *p, uint_fast64_t n_seen)
{
    (void)n_seen;
    return atomic_load(&p->n_done) == p->n;
}

/* Who goes to sleep says so and then looks once more; who brings work does so and then looks
 * for sleepers: one of the two sees the other. */
static void *serve(void *arg)
{
    struct worker *const w = arg;
    struct pool *const p = w->pool;
    uint_fast64_t n_seen = 0;

    while (!atomic_load(&p->is_closing)) {
        look_on(p, is_called, n_seen);
        if (!is_called(p, n_seen)) {
            pthread_mutex_lock(&p->lock);
            atomic_fetch_add(&p->n_asleep, 1);
            while (!is_called(p, n_seen))
                pthread_cond_wait(&p->wake, &p->lock);
            atomic_fetch_sub(&p->n_asleep, 1);
            pthread_mutex_unlock(&p->lock);
        }
        n_seen = atomic_load(&p->n_jobs);
        run_tasks(p, w->number);
    }
    return NULL;
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
    p->trace.mark = trace_clock();
    p->trace.wall_mark = clock_seconds();
#endif
    /* No core to spare, no looking on. */
    p->look_on = threads > 1 && threads <= cores_usable() ? LOOK_ON : 0.0;
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
#ifdef TRACE
    return p->size < TRACE_WORKERS ? TRACE_WORKERS : p->size;
#else
    return p->size;
#endif
}

bool pool_looks_on(const struct pool *p)
{
    return p->look_on > 0.0;
}

static void run_job(struct pool *p, size_t n)
{
    p->n = n;
    atomic_store(&p->n_done, 0);
    for (int w = 0; w < p->size; w++)
        atomic_store(&p->worker[w].left, part_begin(p, n, w + 1) - part_begin(p, n, w));
    atomic_fetch_add(&p->n_jobs, 1);
    const int n_asleep = atomic_load(&p->n_asleep);

    if (n_asleep > 0) { /* no more are woken than there are tasks beside the caller's */
        pthread_mutex_lock(&p->lock);
        if ((size_t)n_asleep < n)
            pthread_cond_broadcast(&p->wake);
        else
            for (size_t i = 1; i < n; i++)
                pthread_cond_signal(&p->wake);
        pthread_mutex_unlock(&p->lock);
    }
    run_tasks(p, 0);
    look_on(p, is_done, 0);
    if (is_done(p, 0))
        return;
    pthread_mutex_lock(&p->lock);
    atomic_store(&p->is_caller_asleep, true);
    while (!is_done(p, 0))
        pthread_cond_wait(&p->done, &p->lock);
    atomic_store(&p->is_caller_asleep, false);
    pthread_mutex_unlock(&p->lock);
}

void pool_run(struct pool *p, size_t n, void (*task)(void *ctx, size_t i, int worker),
              void *ctx)
{
    p->task = task;
    p->ctx = ctx;
    TRACED(p, task);
#ifdef TRACE
    p->is_traced = trace_begin(&p->trace, p->traced - (intptr_t)pool_free, n);
#endif
    if (p->size == 1 || n < 2)
        for (size_t i = 0; i < n; i++)
            run_task(p, i, 0);
    else
        run_job(p, n);
#ifdef TRACE
    if (p->is_traced)
        trace_end(&p->trace, n);
    p->traced = 0;
#endif
}

struct pool_attempt {
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
    struct pool_attempt *const a = ctx;
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
    struct pool_attempt a = {
        .task = task, .ctx = ctx, .first = SIZE_MAX, .status = PECK_OK
    };

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
    atomic_store(&p->is_closing, true);
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
