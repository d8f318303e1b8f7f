/* norm_query.c -- (x - m) / max |x|, m the mean and the maximum taken over the documents
 * of the query.  Eq. (5) of Rigutini, Papini, Maggini, Scarselli, "SortNet: learning to
 * rank by a neural preference function", 2011.                                        */
#include "norm.h"
#include "shelf.h"

#include <math.h>

/* Columns [from, from + n).  The sum of equal floats is exact in double for any list that
 * fits in memory, so a constant column gives 0. */
static void scale(struct rows in, size_t from, size_t n, float *out, size_t out_stride)
{
    double mean[COLUMNS] = { 0 }, largest[COLUMNS] = { 0 };

    for (size_t i = 0; i < in.n; i++)
        for (size_t f = 0; f < n; f++) {
            const double x = in.x[i * in.stride + from + f];

            mean[f] += x;
            largest[f] = fabs(x) > largest[f] ? fabs(x) : largest[f];
        }
    for (size_t f = 0; f < n; f++)
        mean[f] /= (double)in.n;
    for (size_t i = 0; i < in.n; i++)
        for (size_t f = 0; f < n; f++)
            out[i * out_stride + from + f] =
                ratio(in.x[i * in.stride + from + f] - mean[f], largest[f]);
}

static void apply(const float *state, const void *index, struct rows in, float *out,
                  size_t out_stride)
{
    (void)state;
    (void)index;
    for (size_t f = 0; f < in.dim; f += COLUMNS)
        scale(in, f, in.dim - f < COLUMNS ? in.dim - f : COLUMNS, out, out_stride);
}

const struct norm_kind norm_query = {
    .plug.about = { "query", "within the query: minus the mean, over the largest |x|",
                    "Minus the mean of the query's documents, over their largest absolute "
                    "value; a feature that does not vary in the query becomes 0. Eq. (5) "
                    "of SortNet, Rigutini et al. 2011." },
    .apply = apply,
};
