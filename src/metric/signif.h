/* signif.h -- is the difference between two runs more than luck?
 *
 * A sample holds d[i] = value of run B minus value of run A on query i.  Queries lie in
 * folds, one after the other; the statistic that is shown, resampled and randomised is
 * the mean over folds of the weighted mean over the fold's queries:
 *
 *     T = 1/F sum_f  (sum_{i in f} w_i d_i) / (sum_{i in f} w_i)                     */
#ifndef SIGNIF_H
#define SIGNIF_H

#include "../base/pool.h"

struct sample {
    const double *d;
    const double *weight; /* of each query, > 0; NULL: all 1 */
    const size_t *start;  /* n_folds + 1; no fold is empty */
    size_t n_folds;
};

struct interval {
    double low, high;
};

/* T. */
double sample_mean(const struct sample *s);

/* The regularised incomplete beta function I_x(a, b), a and b > 0, x in [0, 1]. */
double beta_share(double a, double b, double x);
/* Two-sided p value of Student's t with this many degrees of freedom. */
double student_p(double t, double freedom);

/* Paired t over n queries, each counted once; NaN below two.  All differences equal: 1
 * when they are 0, else 0. */
double paired_t_p(const double *d, size_t n);

/* Wilcoxon's signed rank test: zeros are dropped, equal sizes share their mean rank;
 * exact up to 25 differences without ties, else the normal approximation with the
 * variance corrected for ties and no continuity correction. */
MUST_CHECK peck_status wilcoxon_p(double *p, const double *d, size_t n, peck_error *err);

/* The corrected resampled t over k folds, which share training data:
 *     t = mean / sqrt(variance (1/k + n_test / n_train)),   n_test / n_train = 1/(k - 1)
 * NaN below two folds.  Nadeau and Bengio, Machine Learning 52, 2003. */
double folds_t_p(const double *fold_difference, size_t k);

/* 95 % percentile interval of T, queries redrawn within their folds. */
MUST_CHECK peck_status bootstrap_interval(struct interval *out, const struct sample *s,
                                          size_t resamples, uint64_t seed,
                                          struct pool *pool, peck_error *err);

/* Fisher's randomisation: the sign of every d is flipped at random; two-sided,
 *     p = (1 + how often |T*| >= |T|) / (1 + resamples)                             */
MUST_CHECK peck_status randomisation_p(double *p, const struct sample *s, size_t resamples,
                                       uint64_t seed, struct pool *pool, peck_error *err);

/* Holm's step-down correction of n p values; NaN stays and does not count. */
void holm_correct(double *out, const double *p, size_t n);

#endif
