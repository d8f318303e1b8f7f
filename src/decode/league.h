/* league.h -- everybody meets as many opponents as everybody else.
 *
 * Items stand in a circle; a round is a distance d, and in it each item meets the one that
 * is d places further on.  So m rounds of n duels give each item 2 m opponents, and the
 * rounds 1 .. n/2 are all pairs (in round n/2 of an even circle each duel would come twice;
 * it has n/2).                                                                        */
#ifndef LEAGUE_H
#define LEAGUE_H

#include "decoder.h"

struct league {
    uint32_t n;
    size_t n_rounds;
    uint32_t *distance; /* n_rounds, rising */
    uint32_t *item;     /* n: who stands at a place; NULL: item i at place i */
};

/* n_rounds different distances, drawn; all of them when that is what n_rounds says. */
MUST_CHECK peck_status league_new(struct league **out, uint32_t n, size_t n_rounds,
                                  uint64_t seed, peck_error *err);
void league_free(struct league *l); /* takes NULL */
uint32_t league_item(const struct league *l, uint32_t place);
double league_opponents(const struct league *l); /* of each item */

/* net[n], by item: sum of net_of over its duels.  With is_side only the side counts, as
 * -1, 0 or 1.  h (may be NULL): [n_rounds][n], the preference of the item at place p over
 * the one further on; of a round of n/2 duels, both halves. */
MUST_CHECK peck_status league_play(const struct league *l, struct asker *a, bool is_side,
                                   int64_t *net, float *h, peck_error *err);

/* The rounds that fit in the budget, or in `otherwise` duels where there is none: at least
 * one, all at most. */
size_t league_fit(struct asker *a, uint64_t otherwise);

/* Plays that many rounds and ranks by points; scores are scaled to all n - 1 opponents. */
MUST_CHECK peck_status league_decode(struct asker *a, size_t n_rounds, bool is_side,
                                     struct decoding *out, peck_error *err);

#endif
