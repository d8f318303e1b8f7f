/* obj_ranknet.c -- RankNet's cross entropy.
 *
 *   P_ij = 1 / (1 + e^-sigma(s_i - s_j))
 *   C_ij = -Pbar_ij log P_ij - (1 - Pbar_ij) log(1 - P_ij)
 *        = log(1 + e^-sigma d)  for a pair that should stand in this order, d = s_i - s_j
 *   L    = mean of C_ij over the query's pairs; dC/dd = -sigma / (1 + e^sigma d)
 *
 * Burges et al., "Learning to rank using gradient descent", ICML 2005, Eqs. 1 to 3, which
 * sums over pairs: here each query counts the same, however long its list.            */
#include "own_loss.h"
#include "pairloss.h"

struct ranknet_config {
    double sigma;
};

static const struct param ranknet_params[] = {
    { "sigma", PARAM_FLOAT, "1", "(0,inf)", "steepness of the logistic of a pair",
      offsetof(struct ranknet_config, sigma) },
    { 0 },
};

static void cross_entropy(const void *config, size_t n, real *d, real *c)
{
    pair_logistic((real)((const struct ranknet_config *)config)->sigma, n, d, c);
}

static double ranknet_newton(const void *config, const struct query_pairs *q, const real *s,
                             real *g, real *h)
{
    const struct pair_rule rule = {
        .config = config,
        .curve = cross_entropy,
        .steepness = (real)((const struct ranknet_config *)config)->sigma
    };

    return pair_mean(&rule, q, s, g, h);
}

static double ranknet_grad(const void *config, const struct query_pairs *q, const real *s,
                           real *g)
{
    return ranknet_newton(config, q, s, g, NULL);
}

const struct objective objective_ranknet = {
    .plug = { { "ranknet", "cross entropy of pairs",
                "The cross entropy between the target probability of a pair and the "
                "logistic of its difference of scores, averaged over the pairs of a query. "
                "Burges et al. 2005." },
              ranknet_params },
    .config_size = sizeof(struct ranknet_config),
    .is_pairwise = true,
    .scratch = pair_sum_scratch,
    .grad = ranknet_grad,
    .newton = ranknet_newton,
    .own = &objective_own,
};
