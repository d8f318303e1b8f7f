/* walk_trace.c -- who calls whom, counted while a program runs.
 *
 * tools/walk.py links this file into a program that was compiled with
 * -finstrument-functions.  At the end of the program the file that the environment names as
 * WALK_TRACE has one line for each pair of caller and callee, in the order of their first
 * calls,
 *
 *     caller callee calls
 *
 * with addresses in hexadecimal (caller 0: nobody, where a thread begins), and a last line
 * "depth N", the most functions that stood on one thread's stack.  Pairs are counted, not
 * events logged: a training makes millions of calls and some thousand pairs. */

#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { SLOTS = 1 << 16, DEEPEST = 1 << 14 };

struct edge {
    void *caller, *callee;
    unsigned long calls;
};

static struct edge edges[SLOTS]; /* hashed, open addressing; callee NULL: free */
static uint32_t by_first_call[SLOTS];
static uint32_t n_edges;
static unsigned long deepest;
static atomic_flag lock = ATOMIC_FLAG_INIT;

static _Thread_local void *stack[DEEPEST];
static _Thread_local unsigned long depth;

void __cyg_profile_func_enter(void *callee, void *call_site);
void __cyg_profile_func_exit(void *callee, void *call_site);

static void give_up(const char *why)
{
    fprintf(stderr, "walk_trace: %s\n", why);
    _Exit(3);
}

static uint32_t slot_of(const void *caller, const void *callee)
{
    uint64_t key = (uint64_t)(uintptr_t)caller * 31 + (uint64_t)(uintptr_t)callee;
    uint32_t at = (uint32_t)((key * 0x9e3779b97f4a7c15u) >> 48) % SLOTS;
    while (edges[at].callee && (edges[at].caller != caller || edges[at].callee != callee))
        at = (at + 1) % SLOTS;
    return at;
}

void __cyg_profile_func_enter(void *callee, void *call_site)
{
    (void)call_site;
    if (depth == DEEPEST)
        give_up("the stack is deeper than DEEPEST");
    void *caller = depth ? stack[depth - 1] : NULL;
    stack[depth++] = callee;
    while (atomic_flag_test_and_set_explicit(&lock, memory_order_acquire))
        ;
    uint32_t at = slot_of(caller, callee);
    if (!edges[at].callee) {
        if (n_edges == SLOTS / 2)
            give_up("more pairs of caller and callee than SLOTS / 2");
        edges[at].caller = caller;
        edges[at].callee = callee;
        by_first_call[n_edges++] = at;
    }
    edges[at].calls++;
    if (depth > deepest)
        deepest = depth;
    atomic_flag_clear_explicit(&lock, memory_order_release);
}

void __cyg_profile_func_exit(void *callee, void *call_site)
{
    (void)callee;
    (void)call_site;
    depth--;
}

__attribute__((destructor)) static void write_trace(void)
{
    const char *path = getenv("WALK_TRACE");
    FILE *f = path ? fopen(path, "w") : NULL;
    if (!f)
        return;
    for (uint32_t i = 0; i < n_edges; i++) {
        const struct edge *e = &edges[by_first_call[i]];
        fprintf(f, "%jx %jx %lu\n", (uintmax_t)(uintptr_t)e->caller,
                (uintmax_t)(uintptr_t)e->callee, e->calls);
    }
    fprintf(f, "depth %lu\n", deepest);
    if (fclose(f))
        give_up("WALK_TRACE could not be written");
}
