/* met_map.c -- mean average precision.
 *
 *   AP@k = sum over relevant ranks i <= k of w_i P(i)  /  R
 *   P(i) = weight of relevant documents up to i / weight of documents up to i
 *
 * R is the weight of all relevant documents, retrieved or not; under ap=cut at most k
 * of them count (LightGBM), each with their mean weight.                            */
#include "metric.h"

static struct share average_precision(const struct ranking *r, uint32_t k)
{
    const uint32_t last = k < r->n ? k : r->n;
    double seen = 0.0, found = 0.0, sum = 0.0;

    if (r->n_relevant == 0)
        return share_empty(r->convention);
    for (uint32_t i = 0; i < last; i++) {
        seen += r->weight[i];
        if (r->relevant[i]) {
            found += r->weight[i];
            sum += r->weight[i] * found / seen;
        }
    }
    const bool is_cut = r->convention->ap == AP_CUT && r->n_relevant > k;

    return share_of(sum /
                    (is_cut ? r->relevant_weight * k / r->n_relevant : r->relevant_weight));
}

const struct metric metric_map = {
    .plug.about = { "map", "mean average precision",
                    "The precision at every relevant document's rank, averaged over the "
                    "relevant documents; map@n looks at the first n. Buckley and "
                    "Voorhees 2000." },
    .fold = FOLD_MEAN,
    .takes_cut = true,
    .value = average_precision,
};
