/* rule_truth.h -- whether the labels keep the rules.
 *
 * A rule is true as far as the order of the labels keeps it more often than an order by chance
 * does.  Both are drawn a few times, as equal labels leave the order open. */
#ifndef RULE_TRUTH_H
#define RULE_TRUTH_H

#include "../data/dataset.h"
#include "../rules/rules.h"

/* Of one rule, over queries that it speaks of and whose labels differ. */
struct rule_truth {
    size_t n_spoken;  /* such queries */
    size_t n_broken;  /* ... where most orders by the labels break it */
    double by_chance; /* ... and where an order by chance would, the expected number */
    /* How far it is broken, a number from 0 to 1 a query, by the labels and by chance: outright
     * or not, but for a rule with `all mean` by its penalty; above the best of the orders that
     * were drawn, since what no order keeps tells nothing. */
    double broken, broken_by_chance;
};

/* Adds what d's labels say to truth[n_rules].  A query that rules cannot be read for is passed
 * over. */
MUST_CHECK peck_status rule_truth_add(struct rule_truth *truth, const struct peck_rules *r,
                                      const struct peck_dataset *d, uint64_t seed,
                                      peck_error *err);
/* The labels break it in two queries and more than a tenth of them, and hardly less often than chance
 * does. */
bool rule_truth_is_doubtful(const struct rule_truth *t);
/* ... in enough queries to leave it out, of a kind in which the difference would show. */
bool rule_truth_is_false(const struct rule_truth *t);

#endif
