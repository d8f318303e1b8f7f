/* sort.h -- the only place in the house where equal scores are ordered. */
#ifndef SORT_H
#define SORT_H

#include <stddef.h>
#include <stdint.h>

/* A sort key and where it came from. */
struct sort_item {
    uint64_t key;
    uint32_t from;
};

/* order[0..n) becomes the permutation that puts higher scores first; equal scores keep
 * input order (0.0 and -0.0 are equal).  NaN must have been refused before.
 * scratch holds 2 n items. */
void order_desc(const double *score, uint32_t n, uint32_t *order,
                struct sort_item *scratch);

/* Stable, by rising key; tmp holds n items. */
void sort_items(struct sort_item *item, size_t n, struct sort_item *tmp);

/* By rising value, -0 before 0; no NaN.  room holds 2 n. */
void sort_floats(float *x, size_t n, uint32_t *room);

/* A key that rises as v falls. */
uint64_t key_desc(double v);

#endif
