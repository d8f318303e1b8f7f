/* alloc.c -- see alloc.h.  Tests make allocations fail by putting their own malloc in
 * front of libc's, so no hook is needed here.                                       */
#define _DEFAULT_SOURCE /* madvise */
#include "alloc.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { HUGE_PAGE = 1 << 21 }; /* bytes of a huge page on x86-64; elsewhere a good guess */

bool mul_overflow(size_t a, size_t b, size_t *product)
{
    return __builtin_mul_overflow(a, b, product);
}

/* A large block comes straight from the system, zeroed and not yet touched; in huge
 * pages it takes a five-hundredth of the page faults. */
void *mem_new(size_t n, size_t size)
{
    void *const block = calloc(n > 0 ? n : 1, size);
    const uintptr_t from = (uintptr_t)block, mask = ~(uintptr_t)(HUGE_PAGE - 1);
    const uintptr_t first = (from + HUGE_PAGE - 1) & mask, last = (from + n * size) & mask;

    if (block != NULL && n * size >= 2 * HUGE_PAGE && first < last)
        madvise((void *)first, last - first, MADV_HUGEPAGE);
    return block;
}

void *mem_resize(void *block, size_t n, size_t size)
{
    size_t bytes;

    if (mul_overflow(n > 0 ? n : 1, size, &bytes))
        return NULL;
    return realloc(block, bytes);
}

/* memcpy reads and writes the pointer without caring what it points to. */
bool mem_reserve(void *block, size_t *cap, size_t need, size_t size)
{
    if (need <= *cap)
        return true;
    size_t roomy = *cap < 16 ? 16 : *cap > SIZE_MAX / 2 ? SIZE_MAX : *cap * 2;

    if (roomy < need)
        roomy = need;
    void *held;

    memcpy(&held, block, sizeof held);
    void *const grown = mem_resize(held, roomy, size);

    if (grown == NULL)
        return false;
    memcpy(block, &grown, sizeof grown);
    *cap = roomy;
    return true;
}

void mem_free(void *block)
{
    free(block);
}

size_t mem_physical(void)
{
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);

    return pages > 0 && page > 0 ? (size_t)pages * (size_t)page : 0;
}

/* Arenas ---------------------------------------------------------------------------- */

/* A block is its own malloc, so that tools which look for writes beyond an end still see
 * every one of them. */
struct arena_block {
    struct arena_block *before;
    _Alignas(max_align_t) unsigned char bytes[];
};

void *arena_new(struct arena *a, const char *what, size_t n, size_t size)
{
    size_t bytes;
    struct arena_block *b = NULL;

    if (a->missing != NULL)
        return NULL;
    if (!mul_overflow(n, size, &bytes) && bytes <= SIZE_MAX - sizeof *b)
        b = mem_new(sizeof *b + bytes, 1);
    if (b == NULL) {
        a->missing = what;
        a->n = n;
        a->size = size;
        return NULL;
    }
    b->before = a->last;
    a->last = b;
    return b->bytes;
}

peck_status arena_check(const struct arena *a, peck_error *err)
{
    return a->missing == NULL ? PECK_OK : fail_memory(err, a->missing, a->n, a->size);
}

void arena_free(struct arena *a)
{
    while (a->last != NULL) {
        struct arena_block *const b = a->last;

        a->last = b->before;
        mem_free(b);
    }
    *a = (struct arena){ 0 };
}
