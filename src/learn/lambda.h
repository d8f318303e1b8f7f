/* lambda.h -- pairs weighed by what swapping the two would change in a metric.
 *
 *   L = sum over pairs of |Delta_ij| c(s_i - s_j)
 *
 *   NDCG@k      |g_i - g_j| |1/log2(1 + r_i) - 1/log2(1 + r_j)| / ideal DCG@k, g = 2^y - 1
 *   MAP         the change of average precision, exactly
 *   pair error  1 / number of pairs, which makes L the mean over pairs
 *
 * r are ranks by the present scores, from 1; a discount beyond k is 0.  Delta counts as a
 * constant in the derivative.  Each Delta is a share of the query's best value, so the
 * sum needs no divisor.  Burges, Ragno, Le, "Learning to rank with nonsmooth cost
 * functions", NIPS 2006.                                                             */
#ifndef LAMBDA_H
#define LAMBDA_H

#include "pairloss.h"

struct lambda_config {
    int delta, gain;
    int64_t k;
    double relevant;
};

/* The rows of lambda_config `field` inside struct config, for a table of settings. */
/* clang-format off */
#define LAMBDA_PARAMS(field) \
    { "delta", PARAM_CHOICE, "ndcg", "ndcg|map|pairerr", \
      "the metric whose change by swapping a pair weighs it", \
      offsetof(struct config, field.delta) }, \
    { "k", PARAM_INT, "10", "[0,inf)", "NDCG looks at the first k; 0: the whole list", \
      offsetof(struct config, field.k) }, \
    { "gain", PARAM_CHOICE, "exp", "exp|linear", \
      "gain of a label in NDCG: 2^y - 1 (y itself where labels exceed 31), or y", \
      offsetof(struct config, field.gain) }, \
    { "relevant", PARAM_FLOAT, "1", "[0,inf)", "labels from here on are relevant to MAP", \
      offsetof(struct config, field.relevant) }
/* clang-format on */

/* Whether only pairs that touch the first k count. */
bool lambda_is_selective(const struct lambda_config *lambda);

/* L and its derivative, added to g (zero before).  Without labels, under explicit
 * preferences, there is no metric but the pair error. */
double lambda_sum(const struct lambda_config *lambda,
                  void (*curve)(const void *config, size_t n, real *d, real *c),
                  const void *config, const struct lesson *q, const real *s, real *g);

#endif
