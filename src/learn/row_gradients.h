/* row_gradients.h -- what a tree is grown on: a gradient g and a weight h of every row,
 * in whole numbers, so that their sums are exact, in any order of rows and on any
 * number of threads.                                                                   */
#ifndef ROW_GRADIENTS_H
#define ROW_GRADIENTS_H

#include "../base/pool.h"

#include <stddef.h>
#include <stdint.h>

/* g and h of a row in one word, g << 32 plus h, in units that no sum overflows. */
struct row_gradients {
    int64_t *of;           /* n */
    bool is_own;           /* of is to be freed */
    size_t n, n_all;       /* rows of this rank, and of all ranks */
    double g_unit, h_unit; /* what 1 stands for */
    bool is_counting;      /* every h is 1 */
    int64_t g_low, g_high; /* of a row; where is_counting */
};

/* Sums of |g| and h in the order of the rows, those of one rank after those of another: units
 * come of them. */
struct gradient_sums {
    double g, h;
};

MUST_CHECK peck_status row_gradients_open(struct row_gradients *p, size_t n, size_t n_all,
                                          peck_error *err);
/* The same in n words that are there, such as grower_gradients. */
MUST_CHECK peck_status row_gradients_open_in(struct row_gradients *p, int64_t *room,
                                             size_t n, size_t n_all, peck_error *err);
/* g[n], h[n], h >= 0; h NULL: every row weighs 1.  false: not all of them are finite, and
 * no tree can be grown on them. */
bool row_gradients_set(struct row_gradients *p, const float *g, const float *h);
/* The same on the pool, by the sums of all rows. */
bool row_gradients_set_by(struct pool *pool, struct row_gradients *p,
                          const struct gradient_sums *sums, const float *g, const float *h);
/* n rows more. */
void gradient_sums_add(struct gradient_sums *sums, const float *g, const float *h,
                       size_t n);
void row_gradients_close(struct row_gradients *p); /* takes an all-zero one too */

/* h and g of a sum of such words. */
static inline int64_t h_of(int64_t sum)
{
    return sum & 0xffffffff;
}

static inline int64_t g_of(int64_t sum)
{
    return (sum - h_of(sum)) / ((int64_t)1 << 32);
}

#endif
