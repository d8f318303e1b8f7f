/* pairing.h -- pairs of documents drawn once from the whole training set, for learners
 * that look at pairs as rows of a table.
 *
 * All pairs of all queries stand in one line, and each set of so many of them is equally
 * likely: no pair comes twice.                                                        */
#ifndef PAIRING_H
#define PAIRING_H

#include "../base/rng.h"
#include "train_set.h"

/* Rows of the training set; `first` goes before `second` with this probability. */
struct row_pair {
    uint32_t first, second;
    float probability, weight;
};

struct pairing {
    struct row_pair *pair;
    size_t n;
    bool is_even; /* every weight is 1 */
};

/* most pairs at most; sides change places at random. */
MUST_CHECK peck_status pairing_draw(struct pairing *p, const struct train_set *l,
                                    size_t most, struct rng *r, peck_error *err);
void pairing_free(struct pairing *p); /* takes an all-zero one too */

#endif
