/* obj_lambda.c -- LambdaRank: RankNet's cost of a pair times |Delta metric|.
 *
 *   L = sum over pairs of |Delta_ij| log(1 + e^-sigma(s_i - s_j))
 *
 * Burges, Ragno, Le, "Learning to rank with nonsmooth cost functions", NIPS 2006.    */
#include "lambda.h"

struct config {
    struct lambda_config lambda;
    double sigma;
};

static const struct param params[] = {
    LAMBDA_PARAMS(lambda),
    { "sigma", PARAM_FLOAT, "1", "(0,inf)", "steepness of the logistic of a pair",
      offsetof(struct config, sigma) },
    { 0 },
};

static void logistic(const void *config, size_t n, real *d, real *c)
{
    pair_logistic((real)((const struct config *)config)->sigma, n, d, c);
}

static bool is_selective(const void *config)
{
    return lambda_is_selective(&((const struct config *)config)->lambda);
}

static double newton(const void *config, const struct query_pairs *q, const real *s,
                     real *g, real *h)
{
    const struct config *const c = config;
    const struct pair_rule rule = { .config = config,
                                    .curve = logistic,
                                    .steepness = (real)c->sigma };

    return lambda_sum(&c->lambda, &rule, q, s, g, h);
}

static double grad(const void *config, const struct query_pairs *q, const real *s, real *g)
{
    return newton(config, q, s, g, NULL);
}

const struct objective objective_lambda = {
    .plug = { { "lambda", "logistic cost of pairs, weighed by a metric",
                "RankNet's cost of a pair times what swapping the two would change in "
                "NDCG@k, MAP, ERR@k or the pair error, over the query's best value. "
                "Burges, Ragno "
                "and Le 2006." },
              params },
    .config_size = sizeof(struct config),
    .is_pairwise = true,
    .is_selective = is_selective,
    .grad = grad,
    .newton = newton,
};
