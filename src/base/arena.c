/* arena.c -- see arena.h.  A block is its own malloc, so that tools which look for writes
 * beyond an end still see every one of them.                                            */
#include "arena.h"

#include "alloc.h"

#include <stdint.h>

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
