/* met_ndcg.c -- normalised discounted cumulative gain.
 *
 *   NDCG@k = DCG@k / (DCG@k of the best order)
 *
 * The best order sorts by weight times gain and knows every judged document, also
 * those that were not retrieved.
 * Jarvelin and Kekalainen, "Cumulated gain-based evaluation of IR techniques",
 * ACM TOIS 2002; Burges et al., ICML 2005.                                        */
#include "metric.h"

/* A query with nothing to gain; LightGBM counts its 1 whatever the query weighs. */
static struct share nothing_to_gain(const struct convention *c)
{
    struct share s = share_empty(c);

    s.is_unweighted = c->empty == EMPTY_ONE && c->empty_weight == EMPTY_WEIGHT_ONE;
    return s;
}

static struct share ndcg(const struct ranking *r, uint32_t k)
{
    const bool is_short = k != WHOLE_LIST && k > r->n;

    if (is_short && r->convention->short_list == SHORT_ZERO)
        return share_of(0.0);
    const double ideal = sum_at(r->ideal, r->n_all, k);

    if (ideal <= 0.0)
        return nothing_to_gain(r->convention);
    return share_of(sum_at(r->dcg, r->n, k) / ideal);
}

const struct metric metric_ndcg = {
    .plug.about = { "ndcg", "normalised discounted cumulative gain",
                    "DCG over the DCG of the best order; ndcg@n looks at the first n "
                    "documents, ndcg at the whole list. Jarvelin and Kekalainen "
                    "2002." },
    .fold = FOLD_MEAN,
    .takes_cut = true,
    .in_all = "ndcg@1,ndcg@3,ndcg@5,ndcg@10,ndcg",
    .needs = NEEDS_DCG,
    .value = ndcg,
};

/* The mean of NDCG@1 ... NDCG@n.  Every prefix ideal is positive once the whole is:
 * the best order begins with its largest gain. */
static struct share mean_ndcg(const struct ranking *r, uint32_t k)
{
    double sum = 0.0;

    (void)k;
    if (sum_at(r->ideal, r->n_all, WHOLE_LIST) <= 0.0)
        return nothing_to_gain(r->convention);
    for (uint32_t i = 0; i < r->n; i++)
        sum += r->dcg[i] / r->ideal[i];
    return share_of(r->n > 0 ? sum / r->n : 0.0);
}

const struct metric metric_meanndcg = {
    .plug.about = { "meanndcg", "mean of NDCG@1 to NDCG@n over the ranks of each list",
                    "The mean over all ranks of a query's list, then over queries. "
                    "Source: LETOR 4.0's evaluation script." },
    .fold = FOLD_MEAN,
    .needs = NEEDS_DCG,
    .value = mean_ndcg,
};

static struct share dcg(const struct ranking *r, uint32_t k)
{
    return share_of(sum_at(r->dcg, r->n, k));
}

const struct metric metric_dcg = {
    .plug.about = { "dcg", "discounted cumulative gain, not normalised",
                    "The sum of gain times discount over the first n documents. "
                    "Jarvelin and Kekalainen 2002." },
    .fold = FOLD_MEAN,
    .takes_cut = true,
    .in_all = "dcg@10",
    .needs = NEEDS_DCG,
    .value = dcg,
};
