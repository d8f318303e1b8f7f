/* obj_lambdahinge.c -- LambdaNeuralRank: a hinge with a margin, times |Delta metric|.
 *
 *   L = sum over pairs of |Delta_ij| max(0, margin - (s_i - s_j))
 *
 * Papini and Diligenti, "Learning-to-rank with prior knowledge as global constraints",
 * section 3.  Its Eq. 1 prints h(f_i - f_j - eps), which would reward pairs in the wrong
 * order, and Eq. 4 adds the two discounted gains instead of taking their difference.
 * Both are slips: the cost is SVMRank's, as the text says, and Delta is the change by
 * swapping.                                                                           */
#include "lambda.h"
#include "own_loss.h"

struct lambdahinge_config {
    struct lambda_config lambda;
    double margin;
};

static const struct param lambdahinge_params[] = {
    LAMBDA_PARAMS(struct lambdahinge_config, lambda),
    { "margin", PARAM_FLOAT, "1", "(0,inf)", "by how much the better score must lead",
      offsetof(struct lambdahinge_config, margin) },
    { 0 },
};

static void hinge(const void *config, size_t n, real *d, real *c)
{
    const real margin = (real)((const struct lambdahinge_config *)config)->margin;

    for (size_t t = 0; t < n; t++) {
        const real lack = margin - d[t];

        c[t] = lack > 0 ? lack : 0;
        d[t] = lack > 0 ? -1 : 0;
    }
}

static bool lambdahinge_is_selective(const void *config)
{
    return lambda_is_selective(&((const struct lambdahinge_config *)config)->lambda);
}

static double lambdahinge_grad(const void *config, const struct query_pairs *q,
                               const real *s, real *g)
{
    const struct pair_rule rule = { .config = config, .curve = hinge };

    return lambda_sum(&((const struct lambdahinge_config *)config)->lambda, &rule, q, s, g,
                      NULL);
}

const struct objective objective_lambdahinge = {
    .plug = { { "lambdahinge", "hinge of pairs, weighted by a metric",
                "What a pair lacks to a margin between its scores, times what swapping the "
                "two would change in NDCG@k, MAP or the pair error, over the query's best "
                "value. LambdaNeuralRank, Papini and Diligenti." },
              lambdahinge_params },
    .config_size = sizeof(struct lambdahinge_config),
    .is_pairwise = true,
    .is_hinge = true,
    .is_selective = lambdahinge_is_selective,
    .scratch = lambda_scratch,
    .grad = lambdahinge_grad,
    .own = &objective_own_lambda,
};
