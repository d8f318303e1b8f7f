/* bt.h -- strengths of items by answers: Bradley and Terry's model with a normal prior and
 * Davidson's ties.
 *
 * With d = t_i - t_j and Z = e^(d/2) + e^(-d/2) + nu, i is chosen with probability
 * e^(d/2) / Z, j with e^(-d/2) / Z, and neither with nu / Z (Davidson 1970).  The prior is
 * t_i ~ N(m_i, prior_sd^2).  A tie says of d what half a win of each would say, and beside
 * that something of nu alone: of a pair only the lead and the weight of its answers matter. */
#ifndef BT_H
#define BT_H

#include "pairs.h"

enum { BT_DENSE = 2000 }; /* items up to which all covariances are kept */

struct peck_strengths {
    uint32_t n;
    double *t;   /* n: strengths less their mean */
    double *var; /* n: of t */
    double
        *cov; /* [n][n]: of t, all rows sum to 0; NULL: more than BT_DENSE items, of which
                  * var is an estimate */
    double
        *doubt; /* n: how far t moves with a deviation of the prior's width, where that was
                    * found: stretches all alike, so P(i above j) does without */
    double prior_sd, tie;
    struct bt_pair *pair; /* by rising i, then j */
    size_t n_pairs;
    double weight; /* of all answers */
    struct pair_table pairs;
    struct arena arena;
};

/* The decoder, which peck_decode_prefs knows. */
extern const struct decoder decoder_bt;

/* Variance of t_i - t_j. */
double bt_var(const struct peck_strengths *s, uint32_t i, uint32_t j);
/* P(x < z), x standard normal. */
double bt_phi(double z);
/* P(i above j). */
double bt_above(const struct peck_strengths *s, uint32_t i, uint32_t j);

/* As peck_strengths_fit, of answers that were checked. */
MUST_CHECK peck_status bt_strengths(struct peck_strengths **out, const struct answers *a,
                                    size_t n_items, const peck_strengths_spec *spec,
                                    peck_error *err);

#endif
