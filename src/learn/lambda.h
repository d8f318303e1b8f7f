/* lambda.h -- pairs weighed by what swapping the two would change in a metric.
 *
 *   L = sum over pairs of |Delta_ij| c(s_i - s_j)
 *
 *   NDCG@k      |g_i - g_j| |1/log2(1 + r_i) - 1/log2(1 + r_j)| / ideal DCG@k, g = 2^y - 1
 *   MAP         the change of average precision, exactly
 *   ERR@k       the change of expected reciprocal rank over the largest there is
 *   pair error  1 / number of pairs, which makes L the mean over pairs
 *
 * r are ranks by the present scores, from 1; a discount beyond k is 0.  Delta counts as a
 * constant in the derivative.  Each Delta is a share of the query's best value, so the
 * sum needs no divisor.  Burges, Ragno, Le, "Learning to rank with nonsmooth cost
 * functions", NIPS 2006.  Chapelle et al., "Expected reciprocal rank for graded relevance",
 * CIKM 2009.
 *
 * closeness c is LightGBM's normalisation: a pair counts 1 / (c + |s_i - s_j|) times, and
 * with S twice the sum of |dL/dd| over pairs the query counts log2(1 + S) / S times.  Both
 * factors count as constants in the derivative.  The ideal DCG is then, as LightGBM's, that
 * of the first `truncation` ranks.                                                      */
#ifndef LAMBDA_H
#define LAMBDA_H

#include "pairloss.h"

struct lambda_config {
    int delta, gain;
    int64_t k, truncation;
    double relevant, top_label, closeness;
};

enum delta { DELTA_NDCG, DELTA_MAP, DELTA_PAIRERR, DELTA_ERR, DELTA_NONE };

/* The rows of lambda_config `field` inside `type`, for a table of settings; _OR_NONE: of an
 * objective that has other weights unless it is told, and had no such settings once. */
/* clang-format off */
#define LAMBDA_PARAMS(type, field) \
    LAMBDA_ROWS(type, field, 0, "ndcg", "ndcg|map|pairerr|err")
#define LAMBDA_PARAMS_OR_NONE(type, field) \
    LAMBDA_ROWS(type, field, PARAM_LATE, "none", "ndcg|map|pairerr|err|none")
#define LAMBDA_ROWS(type, field, late, usual, choices) \
    { "delta", PARAM_CHOICE | late, usual, choices, \
      "the metric whose change by swapping a pair weights it; preferences (--pairs) count " \
      "as in pairerr, as they are no labels", \
      offsetof(type, field.delta) }, \
    { "k", PARAM_INT | late, "10", "[0,inf)", "NDCG and ERR look at the first k; 0: all", \
      offsetof(type, field.k) }, \
    { "truncation", PARAM_INT | late, "0", "[0,inf)", \
      "pairs without a document among the first this many do not count; 0: those that k " \
      "leaves do", \
      offsetof(type, field.truncation) }, \
    { "gain", PARAM_CHOICE | late, "exp", "exp|linear", \
      "gain of a label in NDCG: 2^y - 1 (y itself where labels exceed 31), or y", \
      offsetof(type, field.gain) }, \
    { "relevant", PARAM_FLOAT | late, "1", "[0,inf)", "labels from here on are relevant to MAP", \
      offsetof(type, field.relevant) }, \
    { "top_label", PARAM_FLOAT | late, "0", "[0,31]", \
      "the label whose documents satisfy almost surely, for ERR; 0: each query's largest", \
      offsetof(type, field.top_label) }, \
    { "closeness", PARAM_FLOAT | late, "0", "[0,1000]", \
      "above 0: LightGBM's normalisation, which has 0.01: pairs of close scores and " \
      "queries of few pairs count more, and truncation= cuts the ideal DCG too", \
      offsetof(type, field.closeness) }
/* clang-format on */

/* Whether only pairs that touch the top of the list count. */
bool lambda_is_selective(const struct lambda_config *lambda);

/* Bytes of scratch for a query of n_docs: an objective's `scratch`. */
size_t lambda_scratch(uint32_t n_docs);

/* L and its derivatives, added to g and h (zero before; h may be NULL).  rule: how a pair
 * is costed; weights that it has of its own come on top of Delta.  Without labels, under
 * explicit preferences, there is no metric but the pair error. */
double lambda_sum(const struct lambda_config *lambda, const struct pair_rule *rule,
                  const struct query_pairs *q, const real *s, real *g, real *h);

/* Delta alone, for pairs that are not costed by scores: ranks are by s[q->n].  What comes
 * back lives in q->scratch, lambda_scratch(q->n) bytes; NULL: no swap would change anything. */
const void *lambda_judge(const struct lambda_config *lambda, const struct query_pairs *q,
                         const real *s);
/* Delta of the pair (i, j); 0 where truncation leaves it out. */
real lambda_weight(const void *judge, uint32_t i, uint32_t j);

#endif
