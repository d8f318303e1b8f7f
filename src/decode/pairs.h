/* pairs.h -- answers put together by pair: who was preferred to whom how often, and which items
 * a chain of answers connects.                                                         */
#ifndef PAIRS_H
#define PAIRS_H

#include "../base/alloc.h"
#include "decode.h"

/* What was answered of two items, i < j. */
struct bt_pair {
    uint32_t i, j;
    double lead;   /* weight of the answers for i less that of those for j */
    double weight; /* of all answers, ties too */
};

/* The same from one item's side, as small as may be: a fit reads all of them again and again. */
struct versus {
    uint32_t other;
    float lead, weight;
};

/* Where answers come from: an array, or one list of preferences. */
struct answers {
    const peck_pref *pref; /* n of them; NULL: of prefs */
    const peck_prefs *prefs;
    size_t list, n; /* n: those of all lists */
    bool
        is_counted; /* a probability of 1/2 with a weight over 1 is no tie, but as many wins as
                      * losses: lists count votes by pair */
};

/* Answer k; its weight is 0 where it is of another list. */
static inline peck_pref answer_at(const struct answers *a, size_t k)
{
    if (a->pref != NULL)
        return a->pref[k];
    peck_pref pref = peck_prefs_at(a->prefs, k);

    if (pref.list != a->list)
        pref.weight = 0.0f;
    return pref;
}

struct pair_table {
    uint32_t n;           /* items */
    struct bt_pair *pair; /* n_pairs, by rising i, then j */
    size_t n_pairs;
    double weight, ties;   /* of all answers, and of those with probability 1/2 */
    size_t *start;         /* n + 1: row i is versus[start[i] .. start[i + 1]) */
    struct versus *versus; /* by row and rising `other` */
    uint32_t *part;        /* n: of each item; the largest part is 0, equal ones by who is
                            * named first; what no answer names is a part by itself */
    uint32_t n_parts;
    size_t *size; /* n_parts */
};

/* number: of each item in the answers, its own from 0 to n - 1; NULL: the same.  All memory is
 * the arena's. */
MUST_CHECK peck_status pairs_gather(struct pair_table *t, struct arena *arena,
                                    const struct answers *a, const uint32_t *number,
                                    uint32_t n, peck_error *err);
MUST_CHECK peck_status pairs_find_parts(struct pair_table *t, struct arena *arena,
                                        peck_error *err);

#endif
