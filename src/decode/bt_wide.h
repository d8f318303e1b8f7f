/* bt_wide.h -- the prior's width and the covariance of strengths, by averages over the
 * posterior instead of its peak.
 *
 * The peak's curvature, and Laplace's evidence with it, find the width too small by half where
 * answers are few and chosen so that they are open.  Here each pair's answers are stood for by
 * e^(pull d - precision d^2 / 2), d = t_i - t_j, such that with what all others say of d it has the mean
 * and the variance that the answers themselves would give (expectation propagation: Minka
 * 2001; all pairs at once).  The evidence is largest where n sd^2 = sum of (mean - m)^2 + var;
 * some items of a usual width are added, as a prior of its own.                        */
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
