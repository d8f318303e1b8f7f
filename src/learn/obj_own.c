/* obj_own.c -- a loss of pairs that the caller brings along.
 *
 *   L = mean of c(s_i - s_j) over the query's pairs, or their sum weighed by |Delta metric|
 *
 * c is the caller's; he gives c(d), c'(d) and, for trees, c''(d).                     */
#include "lambda.h"
#include "own_loss.h"

/* Differences that are handed over at once, as floats. */
enum { OWN_CHUNK = 256 };

/* b NULL: nobody asks for second derivatives. */
static void own_curves(const void *config, size_t n, real *d, real *c, real *b)
{
    const peck_pair_loss *const loss = &((const struct own_loss *)config)->given;
    float from[OWN_CHUNK], cost[OWN_CHUNK], slope[OWN_CHUNK], bend[OWN_CHUNK];

    for (size_t at = 0, k; at < n; at += k) {
        k = n - at < OWN_CHUNK ? n - at : OWN_CHUNK;
        for (size_t t = 0; t < k; t++)
            from[t] = (float)d[at + t];
        loss->cost(loss->ctx, from, k, cost, slope, b != NULL ? bend : NULL);
        for (size_t t = 0; t < k; t++) {
            c[at + t] = (real)cost[t];
            d[at + t] = (real)slope[t];
        }
        for (size_t t = 0; b != NULL && t < k; t++) /* a step needs no hollow */
            b[at + t] = bend[t] > 0.0f ? (real)bend[t] : 0;
    }
}

static void own_curve(const void *config, size_t n, real *d, real *c)
{
    own_curves(config, n, d, c, NULL);
}

static double own_newton(const void *config, const struct query_pairs *q, const real *s,
                         real *g, real *h)
{
    return pair_mean(
        &(struct pair_rule){ .config = config, .curve = own_curve, .curves = own_curves },
        q, s, g, h);
}

static double own_grad(const void *config, const struct query_pairs *q, const real *s,
                       real *g)
{
    return own_newton(config, q, s, g, NULL);
}

static double own_lambda_newton(const void *config, const struct query_pairs *q,
                                const real *s, real *g, real *h)
{
    return lambda_sum(
        ((const struct own_loss *)config)->config,
        &(struct pair_rule){ .config = config, .curve = own_curve, .curves = own_curves },
        q, s, g, h);
}

static double own_lambda_grad(const void *config, const struct query_pairs *q,
                              const real *s, real *g)
{
    return own_lambda_newton(config, q, s, g, NULL);
}

static bool own_lambda_is_selective(const void *config)
{
    return lambda_is_selective(((const struct own_loss *)config)->config);
}

const struct objective objective_own = {
    .plug.about = { "own", "a loss of pairs of the caller's own",
                    "The mean over the pairs of a query of what the caller says." },
    .config_size = sizeof(struct own_loss),
    .is_pairwise = true,
    .scratch = pair_sum_scratch,
    .grad = own_grad,
    .newton = own_newton,
};

const struct objective objective_own_lambda = {
    .plug.about = { "own-lambda",
                    "a loss of pairs of the caller's own, weighted by a metric",
                    "What the caller says of each pair, times what swapping the two would "
                    "change in a metric." },
    .config_size = sizeof(struct own_loss),
    .is_pairwise = true,
    .is_selective = own_lambda_is_selective,
    .scratch = lambda_scratch,
    .grad = own_lambda_grad,
    .newton = own_lambda_newton,
};
