/* met_pair.c -- metrics that count pairs of documents of one query.
 *
 *   pairacc = (right + tied / 2) / pairs whose labels differ
 *   pairerr = (wrong + tied / 2) / all pairs, N (N - 1) / 2
 *   tau-b   = (right - wrong) / sqrt(pairs whose labels differ * whose scores differ)
 *
 * Scores decide, so the convention's tie rule plays no part.  Documents that are judged
 * but were not retrieved stand below the list, tied with each other.               */
#include "metric.h"

#include <math.h>

static struct share accuracy(const struct ranking *r, uint32_t k)
{
    (void)k;
    return (struct share){ r->pairs.right + 0.5 * r->pairs.tied, r->pairs.differ, false };
}

static struct share error(const struct ranking *r, uint32_t k)
{
    (void)k;
    return (struct share){ r->pairs.wrong + 0.5 * r->pairs.tied, r->pairs.all, false };
}

const struct metric metric_pairacc = {
    .plug.about = { "pairacc", "share of label-differing pairs in the right order, pooled",
                    "Pairs of all queries are pooled; equal scores count half. Queries "
                    "whose labels are all equal have no pairs." },
    .fold = FOLD_POOLED,
    .needs = NEEDS_PAIRS,
    .value = accuracy,
};

const struct metric metric_pairacc_query = {
    .plug.about = { "pairacc-query", "share of pairs in the right order, mean over queries",
                    "As pairacc, but each query with label-differing pairs counts once." },
    .fold = FOLD_MEAN,
    .needs = NEEDS_PAIRS,
    .value = accuracy,
};

const struct metric metric_pairerr = {
    .plug.about = { "pairerr", "wrongly ordered pairs over all pairs, pooled",
                    "Wrong pairs, equal scores half, over all N (N - 1) / 2 pairs, "
                    "label ties included. Source: the Fuzzy-Sort paper's error." },
    .fold = FOLD_POOLED,
    .is_error = true,
    .needs = NEEDS_PAIRS,
    .value = error,
};

const struct metric metric_pairerr_query = {
    .plug.about = { "pairerr-query",
                    "wrongly ordered pairs over all pairs, mean over queries",
                    "As pairerr, but each query of two or more documents counts once." },
    .fold = FOLD_MEAN,
    .is_error = true,
    .needs = NEEDS_PAIRS,
    .value = error,
};

static struct share kendall(const struct ranking *r, uint32_t k)
{
    const double ways = r->pairs.differ * r->pairs.score_differ;

    (void)k;
    if (ways <= 0.0)
        return share_none();
    return share_of((r->pairs.right - r->pairs.wrong) / sqrt(ways));
}

const struct metric metric_tau = {
    .plug.about = { "tau", "Kendall's tau-b between scores and labels, mean over queries",
                    "Queries whose labels or scores are all equal have none and are "
                    "left out. Kendall 1945." },
    .fold = FOLD_MEAN,
    .needs = NEEDS_PAIRS,
    .value = kendall,
};
