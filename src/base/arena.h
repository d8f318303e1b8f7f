/* arena.h -- blocks that live and go together.  Ask for all that a step needs, check once,
 * free once: what could not be had is remembered until then.                            */
#ifndef ARENA_H
#define ARENA_H

#include "status.h"

#include <stdbool.h>
#include <stddef.h>

/* All zero is an empty arena. */
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
