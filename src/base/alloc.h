/* alloc.h -- the only malloc of the house: counts are checked for overflow. */
#ifndef ALLOC_H
#define ALLOC_H

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

#endif
