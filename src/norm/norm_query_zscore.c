/* norm_query_zscore.c -- (x - m) / s, m and s the mean and the standard deviation over the
 * documents of the query.                                                             */
#include "norm.h"
#include "shelf.h"

#include <math.h>

/* Columns [from, from + n).  The sum of equal floats is exact in double for any list that
 * fits in memory, so a constant column has deviation 0. */
static void scale(struct rows in, size_t from, size_t n, float *out, size_t out_stride)
{
    double mean[COLUMNS] = { 0 }, sd[COLUMNS] = { 0 };

    for (size_t i = 0; i < in.n; i++)
        for (size_t f = 0; f < n; f++)
            mean[f] += in.x[i * in.stride + from + f];
    for (size_t f = 0; f < n; f++)
        mean[f] /= (double)in.n;
    for (size_t i = 0; i < in.n; i++)
        for (size_t f = 0; f < n; f++) {
            const double d = in.x[i * in.stride + from + f] - mean[f];

            sd[f] += d * d;
        }
    for (size_t f = 0; f < n; f++)
        sd[f] = sqrt(sd[f] / (double)in.n);
    for (size_t i = 0; i < in.n; i++)
        for (size_t f = 0; f < n; f++)
            out[i * out_stride + from + f] =
                ratio(in.x[i * in.stride + from + f] - mean[f], sd[f]);
}

static void apply(const float *state, const void *index, struct rows in, float *out,
                  size_t out_stride)
{
    (void)state;
    (void)index;
    for (size_t f = 0; f < in.dim; f += COLUMNS)
        scale(in, f, in.dim - f < COLUMNS ? in.dim - f : COLUMNS, out, out_stride);
}

const struct norm_kind norm_query_zscore = {
    .plug.about = { "query-zscore", "mean 0 and deviation 1 within the query",
                    "(x - mean) / standard deviation over the documents of the query; a "
                    "feature that does not vary in the query becomes 0." },
    .apply = apply,
};
