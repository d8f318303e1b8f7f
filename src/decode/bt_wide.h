/* bt_wide.h -- the prior's width and the covariance of strengths, by averages over the
 * posterior instead of its peak.
 *
 * The peak's curvature, and Laplace's evidence with it, find the width too small by half where
 * answers are few and chosen so that they are open.  The normal distribution that is nearest
 * to the posterior (variational: Opper and Archambeau 2009) has
 *
 *   cov^-1 = I / sd^2 + sum over pairs of weight E[v] (e_i - e_j)(e_i - e_j)',
 *   0 = (m - mean) / sd^2 + sum of ... E[slope],
 *
 * E over the pair's difference under that distribution itself; and the width is where its bound of
 * the evidence is largest: n sd^2 = sum of (mean - m)^2 + var, with some items of a usual
 * width added, as a prior of its own.                                                  */
#ifndef BT_WIDE_H
#define BT_WIDE_H

#include "bt_fit.h"

/* task->prior_sd is where to begin, out->t and cov too (the peak and its curvature, not centred).
 * Then t is the mean, cov the covariance, prior_sd the width; doubt[n] how much each strength
 * moves with one deviation of the log of the width (Kass and Steffey 1989: its square belongs to the
 * variance of a strength). */
MUST_CHECK peck_status bt_widen(const struct bt_task *task, double tie,
                                struct bt_result *out, double *doubt, peck_error *err);

#endif
