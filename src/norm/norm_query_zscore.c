/* norm_query_zscore.c -- (x - m) / s, m and s the mean and the standard deviation over the
 * documents of the query that have a value.                                                             */
#include "norm.h"
#include "shelf.h"

#include <math.h>

/* Their standard deviations. */
static void spread(const struct columns *c, double *by)
{
    for (size_t i = 0; i < c->in.n; i++)
        for (size_t f = 0; f < c->n; f++) {
            const double d = c->in.x[i * c->in.stride + c->from + f] - c->mean[f];

            by[f] += d == d ? d * d : 0.0;
        }
    for (size_t f = 0; f < c->n; f++)
        by[f] = c->known[f] > 0.0 ? sqrt(by[f] / c->known[f]) : 0.0;
}

static void apply(const float *state, const void *index, struct rows in, float *out,
                  size_t out_stride)
{
    (void)state;
    (void)index;
    query_columns(in, out, out_stride, spread);
}

const struct norm_kind norm_query_zscore = {
    .plug.about = { "query-zscore", "mean 0 and deviation 1 within the query",
                    "(x - mean) / standard deviation over the documents of the query; a "
                    "feature that does not vary in the query becomes 0." },
    .keeps_missing = true,
    .heeds_query = true,
    .apply = apply,
};
