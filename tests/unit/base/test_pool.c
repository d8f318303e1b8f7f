/* test_pool.c -- every task runs once, and nothing depends on who runs it.  Meant to be
 * run under ThreadSanitizer too.                                                      */
#include "support/check.h"

#include "base/pool.h"
#include "base/rng.h"

#include <stdatomic.h>
#include <threads.h>
#include <time.h>

enum { MOST_WORKERS = 16 };

struct tally {
    atomic_uint *runs; /* of each task */
    uint64_t *result;
    int n_workers;
    atomic_uint by[MOST_WORKERS];
    atomic_bool is_strange; /* a worker's number is out of range */
};

static void count_task(void *ctx, size_t i, int worker)
{
    struct tally *const t = ctx;

    atomic_fetch_add(&t->runs[i], 1);
    if (worker < 0 || worker >= t->n_workers)
        atomic_store(&t->is_strange, true);
    else
        atomic_fetch_add(&t->by[worker], 1);
    t->result[i] = mix64(i, 42);
}

static struct pool *new_pool(int threads)
{
    struct pool *p;
    peck_error err = { 0 };

    assert_ok(pool_new(&p, threads, &err), err);
    return p;
}

static void check_all_run_once(struct pool *p, size_t n)
{
    struct tally t = { .runs = calloc(n + 1, sizeof *t.runs),
                       .result = calloc(n + 1, sizeof *t.result),
                       .n_workers = pool_size(p) };
    size_t total = 0;

    pool_run(p, n, count_task, &t);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(atomic_load(&t.runs[i]), 1);
        assert_true(t.result[i] == mix64(i, 42));
    }
    for (int w = 0; w < MOST_WORKERS; w++)
        total += atomic_load(&t.by[w]);
    assert_int_equal(total, n);
    assert_false(atomic_load(&t.is_strange));
    free(t.runs);
    free(t.result);
}

static void every_task_runs_once_at_any_size(void **state)
{
    (void)state;
    static const int threads[] = { 1, 2, 3, 5, 16 };
    static const size_t tasks[] = { 0, 1, 2, 3, 17, 1000 };

    for (size_t k = 0; k < N_OF(threads); k++) {
        struct pool *const p = new_pool(threads[k]);

        assert_int_equal(pool_size(p), threads[k]);
        for (size_t i = 0; i < N_OF(tasks); i++)
            check_all_run_once(p, tasks[i]);
        pool_free(p);
    }
}

/* Short jobs one after the other: a worker that is late for one must not run the next
 * one's tasks twice or with the old context. */
static void many_short_jobs_do_not_mix(void **state)
{
    (void)state;
    struct pool *const p = new_pool(4);

    for (int k = 0; k < 3000; k++)
        check_all_run_once(p, (size_t)k % 7);
    pool_free(p);
}

/* Workers that have gone to sleep come back, whether all of them are needed or one; so do
 * those of a pool that has more of them than the machine has cores. */
static void sleepers_are_woken(void **state)
{
    (void)state;
    const struct timespec nap = { 0, 1000000 };

    for (int threads = 2; threads <= 16; threads += 7) {
        struct pool *const p = new_pool(threads);

        for (size_t n = 0; n < 24; n++) {
            nanosleep(&nap, NULL);
            check_all_run_once(p, n);
            check_all_run_once(p, 2);
        }
        pool_free(p);
    }
}

/* A task that waits for all others to begin: it ends only if they run beside it. */
static void wait_for_all(void *ctx, size_t i, int worker)
{
    atomic_uint *const n_begun = ctx;

    (void)i;
    (void)worker;
    atomic_fetch_add(n_begun, 1);
    while (atomic_load(n_begun) < 3)
        thrd_yield();
}

static void tasks_run_side_by_side(void **state)
{
    (void)state;
    struct pool *const p = new_pool(3);
    const struct timespec nap = { 0, 1000000 };

    for (int k = 0; k < 20; k++) {
        atomic_uint n_begun = 0;

        if (k % 2 == 0)
            nanosleep(&nap, NULL);
        pool_run(p, 3, wait_for_all, &n_begun);
        assert_int_equal(atomic_load(&n_begun), 3);
    }
    pool_free(p);
}

/* The first task of a part waits until the others of it are done: it ends only if somebody else
 * takes them. */
enum { OF_A_PART = 50, PARTS = 3 };

static void wait_for_part(void *ctx, size_t i, int worker)
{
    atomic_uint *const n_done = ctx; /* of each part */
    atomic_uint *const own = &n_done[i / OF_A_PART];

    (void)worker;
    while (i == 0 && atomic_load(own) < OF_A_PART - 1)
        thrd_yield();
    atomic_fetch_add(own, 1);
}

static void what_one_leaves_others_take(void **state)
{
    (void)state;
    struct pool *const p = new_pool(PARTS);

    for (int k = 0; k < 20; k++) {
        atomic_uint n_done[PARTS] = { 0 };

        pool_run(p, PARTS * OF_A_PART, wait_for_part, n_done);
        for (size_t part = 0; part < PARTS; part++)
            assert_int_equal(atomic_load(&n_done[part]), OF_A_PART);
    }
    pool_free(p);
}

/* Tasks that wait until all workers are at work, and tell what each began with. */
struct beginning {
    atomic_uint n_at_work;
    unsigned first[PARTS]; /* task of each worker, from 1; 0: none yet */
};

static void begin_together(void *ctx, size_t i, int worker)
{
    struct beginning *const b = ctx;

    if (b->first[worker] > 0)
        return;
    b->first[worker] = (unsigned)i + 1;
    atomic_fetch_add(&b->n_at_work, 1);
    while (atomic_load(&b->n_at_work) < PARTS)
        thrd_yield();
}

/* But for one that is late: it is still among the tasks that others left of the job before. */
static void workers_begin_with_their_own_part(void **state)
{
    (void)state;
    enum { JOBS = 50 };
    const struct timespec rest = { 0, 1000000 };
    struct pool *const p = new_pool(PARTS);
    size_t n_own = 0;

    for (int k = 0; k < JOBS; k++) {
        struct beginning b = { 0 };
        bool is_own = true;

        pool_run(p, PARTS * OF_A_PART, begin_together, &b);
        for (unsigned w = 0; w < PARTS; w++)
            is_own = is_own && (b.first[w] - 1) / OF_A_PART == w;
        n_own += is_own;
        nanosleep(&rest, NULL);
    }
    assert_true(n_own > 0);
    pool_free(p);
}

static void pools_come_and_go(void **state)
{
    (void)state;
    for (int k = 0; k < 200; k++) {
        struct pool *const p = new_pool(1 + k % 5);

        if (k % 3 > 0)
            check_all_run_once(p, (size_t)k % 4);
        pool_free(p); /* also one that never ran */
    }
    pool_free(NULL);
}

/* Plain memory written before a job is seen by its tasks, and theirs by the caller. */
static void double_task(void *ctx, size_t i, int worker)
{
    (void)worker;
    ((uint64_t *)ctx)[i] *= 2;
}

static void memory_is_shared_without_races(void **state)
{
    (void)state;
    struct pool *const p = new_pool(5);
    uint64_t a[64];

    for (int k = 0; k < 200; k++) {
        for (uint64_t i = 0; i < 64; i++)
            a[i] = i + (uint64_t)k;
        pool_run(p, 64, double_task, a);
        pool_run(p, 1, double_task, a); /* the caller alone */
        for (uint64_t i = 0; i < 64; i++)
            assert_true(a[i] == (i + (uint64_t)k) * (i == 0 ? 4 : 2));
    }
    pool_free(p);
}

/* A sum that tasks change in two steps, in turns. */
struct turns {
    struct pool *pool;
    size_t sum;
};

static void take_turn(void *ctx, size_t i, int worker)
{
    struct turns *const t = ctx;

    (void)worker;
    pool_enter(t->pool);
    const volatile size_t before = t->sum;

    t->sum = before + i;
    pool_leave(t->pool);
}

static void tasks_enter_one_at_a_time(void **state)
{
    (void)state;
    struct turns t = { new_pool(4), 0 };

    pool_run(t.pool, 2000, take_turn, &t);
    assert_int_equal(t.sum, 1999 * 2000 / 2);
    pool_free(t.pool);
}

static void zero_means_one_per_core(void **state)
{
    (void)state;
    struct pool *const p = new_pool(0);

    assert_true(pool_size(p) >= 1 && pool_size(p) <= 256);
    pool_free(p);
}

static void nonsense_sizes_are_refused(void **state)
{
    (void)state;
    struct pool *p = (struct pool *)(uintptr_t)1;
    peck_error err = { 0 };

    assert_int_equal(pool_new(&p, -1, &err), PECK_ARG);
    assert_null(p);
    assert_failed(err, PECK_ARG, "-1 threads");
    assert_int_equal(pool_new(&p, 257, &err), PECK_ARG);
    assert_failed(err, PECK_ARG, "257 threads");
    assert_int_equal(pool_new(&p, 1000000, NULL), PECK_ARG);
}

struct failing {
    size_t from;       /* tasks from here on fail */
    atomic_size_t ran; /* tasks before it that ran */
};

static peck_status fail_from(void *ctx, size_t i, int worker, peck_error *err)
{
    struct failing *const f = ctx;

    (void)worker;
    if (i >= f->from)
        return fail(err, i % 2 == 0 ? PECK_FORMAT : PECK_ARG, "task %zu", i);
    atomic_fetch_add(&f->ran, 1);
    return PECK_OK;
}

/* Whoever is quick does not win: the error of the least task does. */
static void the_first_task_that_fails_is_told(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 8; threads += 1 + threads / 2) {
        struct pool *const p = new_pool(threads);

        for (size_t from = 0; from < 60; from += 7) {
            struct failing f = { .from = from };
            peck_error err = { 0 };
            char told[32];

            snprintf(told, sizeof told, "task %zu", from);
            assert_int_equal(pool_try(p, 100, fail_from, &f, &err),
                             from % 2 == 0 ? PECK_FORMAT : PECK_ARG);
            assert_string_equal(err.text, told);
            assert_int_equal(atomic_load(&f.ran), from);
            assert_int_not_equal(pool_try(p, 100, fail_from, &f, NULL), PECK_OK);
            f = (struct failing){ .from = 100 };
            assert_ok(pool_try(p, 100, fail_from, &f, &err), err);
            assert_int_equal(atomic_load(&f.ran), 100);
        }
        pool_free(p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_task_runs_once_at_any_size),
        cmocka_unit_test(many_short_jobs_do_not_mix),
        cmocka_unit_test(sleepers_are_woken),
        cmocka_unit_test(tasks_run_side_by_side),
        cmocka_unit_test(what_one_leaves_others_take),
        cmocka_unit_test(workers_begin_with_their_own_part),
        cmocka_unit_test(pools_come_and_go),
        cmocka_unit_test(memory_is_shared_without_races),
        cmocka_unit_test(tasks_enter_one_at_a_time),
        cmocka_unit_test(the_first_task_that_fails_is_told),
        cmocka_unit_test(zero_means_one_per_core),
        cmocka_unit_test(nonsense_sizes_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
