/* obj_direct.c -- DirectRanker's cost of a pair whose output is o = tau(s_i - s_j).
 *
 *   tau     identity, or tanh(d / 2)
 *   square  (1 - o)^2                                    dc/dd = -2 (1 - o) tau'(d)
 *   entropy -log((1 + o) / 2), which with tanh(d / 2) is RankNet's log(1 + e^-d): o in
 *           (-1, 1) stands for the probability (1 + o) / 2.  The identity has no such
 *           range; there the probability is the logistic of 2 o, of the same slope at 0.
 *   L       mean over the query's pairs; each counts r_i, the larger label of the two
 *   delta   the sum over pairs instead, each times |Delta metric| of swapping the two, as
 *           LambdaRank has it (lambda.h): what its authors name for future work
 *
 * Koeppel et al., "Pairwise learning to rank by neural networks revisited", ECML 2019,
 * sections 3 and 4.5.                                                                 */
#include "lambda.h"

enum { TAU_IDENTITY, TAU_TANH };
enum { COST_SQUARE, COST_ENTROPY };
enum { WEIGH_LABEL, WEIGH_NONE };

struct direct_config {
    int tau, cost, weigh;
    struct lambda_config lambda;
};

static const struct param direct_params[] = {
    { "tau", PARAM_CHOICE, "identity", "identity|tanh",
      "activation of the output: the difference of scores, or tanh of its half",
      offsetof(struct direct_config, tau) },
    { "cost", PARAM_CHOICE, "square", "square|entropy",
      "squared error to 1, or cross entropy", offsetof(struct direct_config, cost) },
    { "weigh", PARAM_CHOICE, "label", "label|none",
      "what a pair counts: the larger of its labels, or 1",
      offsetof(struct direct_config, weigh) },
    LAMBDA_PARAMS_OR_NONE(struct direct_config, lambda),
    { 0 },
};

static void direct_square(size_t n, real *d, real *c)
{
    for (size_t t = 0; t < n; t++) {
        const real miss = 1 - d[t];

        c[t] = miss * miss;
        d[t] = -2 * miss;
    }
}

/* tau' = (1 - o^2) / 2 */
static void square_of_tanh(size_t n, real *d, real *c)
{
    for (size_t t = 0; t < n; t++)
        d[t] *= (real)0.5;
    real_tanh(d, n);
    for (size_t t = 0; t < n; t++) {
        const real miss = 1 - d[t];

        c[t] = miss * miss;
        d[t] = -miss * (1 - d[t] * d[t]);
    }
}

static void direct_curve(const void *config, size_t n, real *d, real *c)
{
    const struct direct_config *const own = config;

    if (own->cost == COST_ENTROPY)
        pair_logistic(own->tau == TAU_TANH ? 1 : 2, n, d, c);
    else if (own->tau == TAU_TANH)
        square_of_tanh(n, d, c);
    else
        direct_square(n, d, c);
}

static void weigh_label(const void *judge, uint32_t i, uint32_t lo, size_t n, real *w)
{
    const float *const label = judge;

    for (size_t t = 0; t < n; t++)
        w[t] *= label[i] > label[lo + t] ? label[i] : label[lo + t];
}

static double direct_grad(const void *config, const struct query_pairs *q, const real *s,
                          real *g)
{
    const struct direct_config *const own = config;
    const bool has_labels = q->n_judged > 0; /* preferences have none */
    const struct pair_rule rule = {
        .config = config,
        .curve = direct_curve,
        .weigh = own->weigh == WEIGH_LABEL && has_labels ? weigh_label : NULL,
        .judge = q->label,
    };

    if (own->lambda.delta != DELTA_NONE)
        return lambda_sum(&own->lambda, &rule, q, s, g, NULL);
    return pair_mean(&rule, q, s, g, NULL);
}

static bool direct_is_selective(const void *config)
{
    return lambda_is_selective(&((const struct direct_config *)config)->lambda);
}

const struct objective objective_direct = {
    .plug = { { "direct", "DirectRanker's cost of pairs",
                "Squared error to 1 (or cross entropy) of tau(s_i - s_j), tau the identity "
                "or tanh of the half; a pair counts the label of its better document, "
                "or with delta= also what swapping the two would change in a metric. "
                "Koeppel et al. 2019." },
              direct_params },
    .config_size = sizeof(struct direct_config),
    .is_pairwise = true,
    .is_selective = direct_is_selective,
    .scratch = lambda_scratch,
    .grad = direct_grad,
};
