/* obj_listnet.c -- ListNet: cross entropy of two top-one distributions.
 *
 *   p_i ~ w_i e^(y_i / T),  q_i ~ w_i e^s_i     over the judged documents
 *   L   = sum_i p_i log(p_i / q_i)              dL/ds_i = q_i - p_i
 *
 * which is the cross entropy less the entropy of p, so that 0 is the best.  A document
 * of weight 2 counts as two of it.  Cao et al., "Learning to rank: from pairwise approach
 * to listwise approach", ICML 2007.                                                   */
#include "objective.h"

#include "../base/maths.h"

struct listnet_config {
    double temperature;
};

static const struct param listnet_params[] = {
    { "temperature", PARAM_FLOAT, "1", "(0,inf)",
      "labels are divided by it: the lower, the more the best documents count",
      offsetof(struct listnet_config, temperature) },
    { 0 },
};

/* z[n] becomes w e^z over its sum; log of that sum comes back.
 * The largest z is taken off first, so that no power overflows. */
static double softmax(real *z, const float *weight, size_t n)
{
    real top = z[0];

    for (size_t i = 1; i < n; i++)
        top = z[i] > top ? z[i] : top;
    for (size_t i = 0; i < n; i++)
        z[i] -= top;
    real_exp(z, n);
    for (size_t i = 0; weight != NULL && i < n; i++)
        z[i] *= weight[i];
    const double sum = real_sum(z, n);

    for (size_t i = 0; i < n; i++)
        z[i] /= (real)sum;
    return (double)top + math_log(sum);
}

static size_t listnet_scratch(uint32_t n)
{
    return 2 * (size_t)n * sizeof(real);
}

static double listnet_grad(const void *config, const struct query_pairs *q, const real *s,
                           real *g)
{
    const double scale = 1.0 / ((const struct listnet_config *)config)->temperature;
    const size_t n = q->n_judged;
    real *const target = q->scratch, *const now = target + n;
    double cost = 0.0;

    if (q->n_all <= 0.0 || n == 0)
        return 0.0;
    for (size_t i = 0; i < n; i++) {
        target[i] = (real)(q->label[i] * scale);
        now[i] = s[i];
    }
    /* L = sum_i p_i (y_i / T - s_i) - log Z_p + log Z_q, Z the sums of both softmaxes. */
    const double log_target = softmax(target, q->doc_weight, n);
    const double log_now = softmax(now, q->doc_weight, n);

    for (size_t i = 0; i < n; i++) {
        cost += (double)target[i] * (q->label[i] * scale - (double)s[i]);
        g[i] += now[i] - target[i];
    }
    return cost - log_target + log_now;
}

const struct objective objective_listnet = {
    .plug = { { "listnet", "cross entropy of top-one distributions",
                "The cross entropy between the softmax of the labels and the softmax of "
                "the "
                "scores of a query. Cao et al. 2007." },
              listnet_params },
    .config_size = sizeof(struct listnet_config),
    .scratch = listnet_scratch,
    .grad = listnet_grad,
};
