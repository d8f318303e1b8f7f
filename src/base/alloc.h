/* alloc.h -- the only malloc of the house: counts are checked for overflow; and arenas. */
#ifndef ALLOC_H
#define ALLOC_H

#include "status.h"

#include <stdbool.h>
#include <stddef.h>

/* n zeroed elements of `size` bytes; NULL when there is no memory or n * size does
 * not fit.  n = 0 gives a pointer that may be freed. */
void *mem_new(size_t n, size_t size);

/* Changes a block to n elements; on failure returns NULL and leaves the block. */
void *mem_resize(void *block, size_t n, size_t size);

/* Room for at least `need` elements, at least doubling: true when there is.  `block` is
 * the address of the caller's pointer, of whatever type; on failure that pointer and
 * *cap are unchanged. */
bool mem_reserve(void *block, size_t *cap, size_t need, size_t size);

void mem_free(void *block);

/* a * b into *product; true when it does not fit. */
bool mul_overflow(size_t a, size_t b, size_t *product);

/* Bytes of physical memory in this machine; 0 when unknown. */
size_t mem_physical(void);

/* Blocks that live and go together -------------------------------------------------- */
/* Ask for all that a step needs, check once, free once: what could not be had is remembered
 * until then.  All zero is an empty arena. */
struct arena {
    struct arena_block *last; /* the blocks, newest first */
    const char *missing;      /* the first that could not be had; NULL: all were */
    size_t n, size;           /* how much of it */
};

/* n zeroed elements of `size` bytes, aligned as malloc's, until arena_free; `what` names them
 * in a message and outlives the arena.  NULL when there is no memory, and from then on. */
void *arena_new(struct arena *a, const char *what, size_t n, size_t size);

/* PECK_OK when every block could be had; else "out of memory" for the first that could not. */
MUST_CHECK peck_status arena_check(const struct arena *a, peck_error *err);

void arena_free(struct arena *a); /* leaves an empty one */

#endif
