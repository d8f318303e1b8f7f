/* quick.h -- quicksort by questions, breadth first.
 *
 * All parts of a round ask their items against their pivots in one batch, so a list of n
 * takes about 2 ln n batches and no stack.                                           */
#ifndef QUICK_H
#define QUICK_H

#include "../base/rng.h"
#include "decoder.h"

struct quick; /* room for one sort at a time */

struct quick *quick_new(uint32_t n); /* n >= 2; NULL: no memory */
void quick_free(struct quick *q);    /* takes NULL */

/* item[n] is sorted in place.  With r NULL the pivot of a part is its first item, parts
 * keep their order, and the side decides (a tie: the lower index goes first).  With r the
 * pivot is drawn, and an item goes before it with probability h.
 * False, with item[] in some order, when the oracle failed or another round would
 * take the questions above `most`. */
bool quick_sort(struct quick *q, struct asker *a, uint32_t *item, struct rng *r,
                uint64_t most);

#endif
