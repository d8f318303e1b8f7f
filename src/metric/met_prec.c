/* met_prec.c -- precision and recall at a rank.
 *
 *   P@k      = weight of relevant documents among the first k / weight of those k
 *   recall@k = weight of relevant documents among the first k / that of all relevant
 *
 * In a list of n < k documents the k - n missing ones weigh 1 each (short-p=pad).   */
#include "metric.h"

static double weight_found(const struct ranking *r, uint32_t k)
{
    double sum = 0.0;

    for (uint32_t i = 0; i < k && i < r->n; i++)
        if (r->relevant[i])
            sum += r->weight[i];
    return sum;
}

static struct share precision(const struct ranking *r, uint32_t k)
{
    const bool is_short = k != WHOLE_LIST && k > r->n;
    double seen = 0.0;

    if (is_short && r->convention->short_p == SHORT_P_ZERO)
        return share_of(0.0);
    for (uint32_t i = 0; i < k && i < r->n; i++)
        seen += r->weight[i];
    if (is_short && r->convention->short_p == SHORT_P_PAD)
        seen += k - r->n;
    return share_of(seen > 0.0 ? weight_found(r, k) / seen : 0.0);
}

const struct metric metric_p = {
    .plug.about = { "p", "precision: the relevant share of the first n documents",
                    "p@n divides by n, or as the convention's short-p says when the "
                    "list is shorter; p is the relevant share of the whole list." },
    .fold = FOLD_MEAN,
    .takes_cut = true,
    .in_all = "p@1,p@3,p@5,p@10",
    .value = precision,
};

static struct share recall(const struct ranking *r, uint32_t k)
{
    if (r->n_relevant == 0)
        return share_of(0.0);
    return share_of(weight_found(r, k) / r->relevant_weight);
}

const struct metric metric_recall = {
    .plug.about = { "recall", "how much of all that is relevant the first n documents hold",
                    "Relevant documents among the first n over all judged relevant "
                    "ones, retrieved or not; 0 when there are none." },
    .fold = FOLD_MEAN,
    .takes_cut = true,
    .in_all = "recall@10",
    .value = recall,
};
