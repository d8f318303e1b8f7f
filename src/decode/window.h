/* window.h -- the candidates of a fuzzy merge, and who of them goes first.
 *
 * Each candidate's net degree among the others, sum of h(i, j) - h(j, i), is kept up to
 * date in O(W) when one leaves and another enters.  All pairs among them are known.   */
#ifndef WINDOW_H
#define WINDOW_H

#include "decoder.h"

struct window;

struct window *window_new(size_t width); /* for `width` candidates; NULL: no memory */
void window_free(struct window *w);      /* takes NULL */

/* The candidates become item[n], n <= width; the first n_left of them come from the left
 * list.  n (n - 1) / 2 questions. */
void window_fill(struct window *w, struct asker *a, int worker, const uint32_t *item,
                 size_t n, size_t n_left);
size_t window_size(const struct window *w);
/* Takes out the candidate of the largest net degree, of equal ones the lowest item. */
uint32_t window_take(struct window *w, bool *is_left);
/* Puts a new one in, from the same side as the one that was taken last: a question
 * against each of the others. */
void window_enter(struct window *w, struct asker *a, int worker, uint32_t item);

#endif
