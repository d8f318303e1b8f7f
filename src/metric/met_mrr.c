/* met_mrr.c -- mean reciprocal rank: 1 / rank of the first relevant document, 0 when
 * there is none.  Position alone counts; document weights do not.
 * Voorhees, "The TREC-8 question answering track report", 1999.                    */
#include "metric.h"

static struct share reciprocal_rank(const struct ranking *r, uint32_t k)
{
    for (uint32_t i = 0; i < k && i < r->n; i++)
        if (r->relevant[i])
            return share_of(1.0 / (i + 1.0));
    return share_of(0.0);
}

const struct metric metric_mrr = {
    .plug.about = { "mrr", "mean reciprocal rank of the first relevant document",
                    "1 / rank of the first relevant document; mrr@n gives 0 when it is "
                    "not among the first n. Voorhees 1999." },
    .fold = FOLD_MEAN,
    .takes_cut = true,
    .value = reciprocal_rank,
};
