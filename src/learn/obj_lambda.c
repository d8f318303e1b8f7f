/* obj_lambda.c -- LambdaRank: RankNet's cost of a pair times |Delta metric|.
 *
 *   L = sum over pairs of |Delta_ij| log(1 + e^-sigma(s_i - s_j))
 *
 * Burges, Ragno, Le, "Learning to rank with nonsmooth cost functions", NIPS 2006.    */
#include "lambda.h"
#include "own_loss.h"

struct lambdarank_config {
    struct lambda_config lambda;
    double sigma;
};

static const struct param lambdarank_params[] = {
    LAMBDA_PARAMS(struct lambdarank_config, lambda),
    { "sigma", PARAM_FLOAT, "1", "(0,inf)", "steepness of the logistic of a pair",
      offsetof(struct lambdarank_config, sigma) },
    { 0 },
};

static void lambdarank_logistic(const void *config, size_t n, real *d, real *c)
{
    pair_logistic((real)((const struct lambdarank_config *)config)->sigma, n, d, c);
}

static bool lambdarank_is_selective(const void *config)
{
    return lambda_is_selective(&((const struct lambdarank_config *)config)->lambda);
}

static double lambdarank_newton(const void *config, const struct query_pairs *q,
                                const real *s, real *g, real *h)
{
    const struct lambdarank_config *const c = config;
    const struct pair_rule rule = { .config = config,
                                    .curve = lambdarank_logistic,
                                    .steepness = (real)c->sigma };

    return lambda_sum(&c->lambda, &rule, q, s, g, h);
}

static double lambdarank_grad(const void *config, const struct query_pairs *q,
                              const real *s, real *g)
{
    return lambdarank_newton(config, q, s, g, NULL);
}

const struct objective objective_lambda = {
    .plug = { { "lambda", "logistic cost of pairs, weighted by a metric",
                "RankNet's cost of a pair times what swapping the two would change in "
                "NDCG@k, MAP, ERR@k or the pair error, over the query's best value. "
                "Burges, Ragno "
                "and Le 2006." },
              lambdarank_params },
    .config_size = sizeof(struct lambdarank_config),
    .is_pairwise = true,
    .is_selective = lambdarank_is_selective,
    .scratch = lambda_scratch,
    .grad = lambdarank_grad,
    .newton = lambdarank_newton,
    .own = &objective_own_lambda,
};
