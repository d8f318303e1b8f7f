/* fault_alloc.c -- makes every allocation of every operation fail in turn.
 *
 * The malloc family below stands in front of libc's for the whole process, so what
 * jansson, zlib, zstd and the threads allocate is covered too.  For k = 1, 2, ... the
 * k-th allocation of an operation fails, until one run never reaches the k-th.  Each
 * run must give PECK_NOMEM, or succeed where it could do without; hand out nothing;
 * lose no block; and leave no file.                                                  */
#include "operations.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *__libc_malloc(size_t n);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *block, size_t n);
void __libc_free(void *block);

static atomic_bool is_armed, has_fired;
static atomic_long n_calls, fail_at, n_live;

/* Whether the allocation being asked for is the one to fail. */
static bool must_fail(void)
{
    if (!is_armed || atomic_fetch_add(&n_calls, 1) + 1 != fail_at)
        return false;
    has_fired = true;
    errno = ENOMEM;
    return true;
}

static void *count(void *block)
{
    if (is_armed && block != NULL)
        n_live++;
    return block;
}

void *malloc(size_t n)
{
    return must_fail() ? NULL : count(__libc_malloc(n));
}

void *calloc(size_t n, size_t size)
{
    return must_fail() ? NULL : count(__libc_calloc(n, size));
}

void *realloc(void *block, size_t n)
{
    if (must_fail())
        return NULL;
    void *const grown = __libc_realloc(block, n);

    return block == NULL ? count(grown) : grown;
}

void free(void *block)
{
    if (is_armed && block != NULL)
        n_live--;
    __libc_free(block);
}

/* Runs it with the k-th allocation failing; k = 0: none. */
static peck_status run(const struct operation *o, long k, peck_error *err)
{
    *err = (peck_error){ PECK_OK, "" };
    n_calls = n_live = 0;
    fail_at = k;
    has_fired = false;
    is_armed = true;
    const peck_status st = o->run(o, o->target, err);

    is_armed = false;
    return st;
}

/* Tells what is wrong with the run that has just been; 0: nothing. */
static int judge(const struct operation *o, long k, peck_status st, const peck_error *err)
{
    const size_t n_files = targets_sweep(), expected = st == PECK_OK && o->target != NULL;
    const char *const wrong = st != PECK_OK && st != PECK_NOMEM
                                  ? "the status is not PECK_NOMEM"
                              : st != PECK_OK && !has_fired ? "it fails by itself"
                              : st != err->status ? "the error does not hold the status"
                              : operation_left_object() ? "a failure handed out an object"
                              : n_live != 0             ? "blocks were lost"
                              : n_files != expected     ? "files were left"
                                                        : NULL;

    if (wrong != NULL)
        printf("%s, allocation %ld: %s (status %d, %ld blocks, %zu files: %s)\n", o->name,
               k, wrong, st, (long)n_live, n_files, err->text);
    return wrong != NULL;
}

/* Returns how many allocations it went through, or a negative number on failure. */
static long sweep(const struct operation *o)
{
    enum { MOST = 100000, TOLD = 5 };
    peck_error err;
    int n_wrong = 0;
    long k = 0;

    /* The first run fills what libc keeps for good (stacks of threads, buffers). */
    run(o, 0, &err);
    targets_sweep();
    n_wrong += judge(o, 0, run(o, 0, &err), &err);
    do {
        const peck_status st = run(o, ++k, &err);

        n_wrong += judge(o, k, st, &err);
    } while (has_fired && k < MOST && n_wrong < TOLD);
    return n_wrong > 0 ? -1 : k - 1;
}

int main(void)
{
    const struct operation *o;
    size_t n = 0, failed = 0;

    setvbuf(stdout, NULL, _IOLBF, 0);
    operations_open();
    for (; (o = operation_at(n)) != NULL; n++) {
        const long swept = sweep(o);

        if (swept >= 0)
            printf("%s: %ld allocations failed in turn\n", o->name, swept);
        failed += swept < 0;
    }
    operations_close();
    printf("fault_alloc: %zu cases, %zu failed\n", n, failed);
    return failed > 0;
}
