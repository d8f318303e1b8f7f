/* obj_duel.c -- what a comparator's two outputs miss their targets by.
 *
 *   square   (t_1 - N_1)^2 + (t_2 - N_2)^2
 *   entropy  - sum over both of  t log N + (1 - t) log(1 - N)
 *   targets  t_1 = P, the probability that the first goes before the second, t_2 = 1 - P
 *   L        sum over pairs, each by its weight; with delta= also by |Delta metric| of
 *            swapping the two in the order that the net gives (lambda.h)
 *
 * Rigutini, Papini, Maggini and Scarselli, "SortNet: learning to rank by a neural
 * preference function", 2011, Eqs. (1) and (2): P is 1 there.                          */
#include "duelling.h"
#include "lambda.h"

#include "../base/maths.h"

enum { COST_SQUARE, COST_ENTROPY };

/* The entropy of an output that is 0 or 1 to the last bit stays finite. */
#define NEAREST 1e-7

struct duel_config {
    int cost;
    struct lambda_config lambda;
};

static const struct param duel_params[] = {
    { "cost", PARAM_CHOICE, "square", "square|entropy",
      "of the two outputs: squared error, or cross entropy",
      offsetof(struct duel_config, cost) },
    LAMBDA_PARAMS_OR_NONE(struct duel_config, lambda),
    { 0 },
};

static double duel_square(real target, real out, real *d)
{
    const double miss = (double)(out - target);

    *d = (real)(2.0 * miss);
    return miss * miss;
}

static double entropy(real target, real out, real *d)
{
    const double t = (double)target;
    const double o = math_min(math_max((double)out, NEAREST), 1.0 - NEAREST);

    *d = (real)((1.0 - t) / (1.0 - o) - t / o);
    return -t * math_log(o) - (1.0 - t) * math_log1p(-o);
}

static double duel_duels(const void *config, const struct pair *pair, size_t n,
                         const real (*out)[2], real (*dout)[2])
{
    const bool is_square = ((const struct duel_config *)config)->cost == COST_SQUARE;
    double sum = 0.0;

    for (size_t k = 0; k < n; k++) {
        const real weight = pair[k].weight;

        for (int side = 0; side < 2; side++) {
            const real p = pair[k].probability, target = side == 0 ? p : 1 - p;
            real d;
            const double cost = is_square ? duel_square(target, out[k][side], &d)
                                          : entropy(target, out[k][side], &d);

            dout[k][side] = weight * d;
            sum += (double)weight * cost;
        }
    }
    return sum;
}

static const struct lambda_config *duel_delta(const void *config)
{
    const struct lambda_config *const lambda =
        &((const struct duel_config *)config)->lambda;

    return lambda->delta != DELTA_NONE ? lambda : NULL;
}

/* Of the weights, and of the net's order: see duelling.c. */
static size_t duel_scratch_bytes(uint32_t n_docs)
{
    return lambda_scratch(n_docs) + DUELLING_ORDER_BYTES(n_docs);
}

const struct objective objective_duel = {
    .plug = { { "duel", "error of the two outputs of a comparator",
                "Squared error (or cross entropy) of N(x before y) and N(y before x) to "
                "the probability of the pair and what it leaves; with delta= a pair counts "
                "by what swapping the two would change in a metric. Rigutini et al. 2011, "
                "Eq. (2)." },
              duel_params },
    .config_size = sizeof(struct duel_config),
    .is_pairwise = true,
    .scratch = duel_scratch_bytes,
    .duels = duel_duels,
    .delta = duel_delta,
};
