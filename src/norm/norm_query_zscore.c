/* norm_query_zscore.c -- (x - m) / s, m and s the mean and the standard deviation over the
 * documents of the query.                                                             */
#include "norm.h"
#include "shelf.h"

#include <math.h>

/* Their standard deviations. */
static void spread(struct rows in, size_t from, size_t n, const double *mean, double *by)
{
    for (size_t i = 0; i < in.n; i++)
        for (size_t f = 0; f < n; f++) {
            const double d = in.x[i * in.stride + from + f] - mean[f];

            by[f] += d * d;
        }
    for (size_t f = 0; f < n; f++)
        by[f] = sqrt(by[f] / (double)in.n);
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
    .apply = apply,
};
