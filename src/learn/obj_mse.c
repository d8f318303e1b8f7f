/* obj_mse.c -- regression on labels, up to a constant of the query.
 *
 *   L = sum_i w_i e_i^2 / W,   e_i = (s_i - mean s) - (y_i - mean y),   W = sum_i w_i
 *   dL/ds_i = 2 w_i e_i / W    (the means drop out, for sum_i w_i e_i = 0)
 *   d2L/ds_i^2 = 2 w_i (1 - w_i / W) / W
 *
 * over the judged documents; means by weight.  An order does not depend on the constant,
 * so no weight is spent on it.  RankProp puts targets of its own where the labels are.  */
#include "objective.h"

static double mse_weight_of(const struct query_pairs *q, size_t i)
{
    return q->doc_weight != NULL ? q->doc_weight[i] : 1.0;
}

static double mse_newton(const void *config, const struct query_pairs *q, const real *s,
                         real *g, real *h)
{
    const size_t n = q->n_judged;
    double total = 0.0, mean = 0.0, cost = 0.0;

    (void)config;
    if (q->n_all <= 0.0 || n == 0)
        return 0.0;
    for (size_t i = 0; i < n; i++) {
        total += mse_weight_of(q, i);
        mean += mse_weight_of(q, i) * ((double)s[i] - q->label[i]);
    }
    mean /= total;
    for (size_t i = 0; i < n; i++) {
        const double miss = (double)s[i] - q->label[i] - mean;
        const double share = mse_weight_of(q, i) / total;

        cost += share * miss * miss;
        g[i] += (real)(2.0 * share * miss);
        if (h != NULL)
            h[i] += (real)(2.0 * share * (1.0 - share));
    }
    return cost;
}

static double mse_grad(const void *config, const struct query_pairs *q, const real *s,
                       real *g)
{
    return mse_newton(config, q, s, g, NULL);
}

const struct objective objective_mse = {
    .plug = { { "mse", "squared error of scores to labels",
                "The squared error of a query's scores to its labels, both less their "
                "means, averaged over its documents." },
              NULL },
    .grad = mse_grad,
    .newton = mse_newton,
};
