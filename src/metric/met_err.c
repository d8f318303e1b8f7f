/* met_err.c -- expected reciprocal rank: a reader goes down the list and stops at
 * document i with probability R_i.
 *
 *   ERR@k = sum_i  R_i / i  prod_{j < i} (1 - R_j)
 *   R_i   = (2^y_i - 1) / 2^top  =  2^(y_i - top) - 2^(-top)
 *
 * The second form cannot overflow.  Position alone counts; weights do not.
 * Chapelle et al., "Expected reciprocal rank for graded relevance", CIKM 2009.     */
#include "metric.h"

#include "../base/maths.h"

static struct share expected_reciprocal_rank(const struct ranking *r, uint32_t k)
{
    const double nothing = math_exp2(-r->top_grade);
    double stay = 1.0, sum = 0.0;

    for (uint32_t i = 0; i < k && i < r->n; i++) {
        if (r->label[i] == 0.0)
            continue;
        const double stop = math_exp2(r->label[i] - r->top_grade) - nothing;

        sum += stay * stop / (i + 1.0);
        stay *= 1.0 - stop;
    }
    return share_of(sum);
}

const struct metric metric_err = {
    .plug.about = { "err", "expected reciprocal rank",
                    "The expected 1 / rank at which a user is satisfied. The largest "
                    "grade is the data's largest label unless err-max says otherwise. "
                    "Chapelle et al. 2009." },
    .fold = FOLD_MEAN,
    .takes_cut = true,
    .in_all = "err@10",
    .needs = NEEDS_GRADES,
    .value = expected_reciprocal_rank,
};
