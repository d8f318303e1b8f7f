/* norm_query.c -- (x - m) / max |x|, m the mean and the maximum taken over the documents
 * of the query.  Eq. (5) of Rigutini, Papini, Maggini, Scarselli, "SortNet: learning to
 * rank by a neural preference function", 2011.                                        */
#include "norm.h"
#include "shelf.h"

#include <math.h>

/* Their largest absolute values. */
static void spread(const struct columns *c, double *by)
{
    for (size_t i = 0; i < c->in.n; i++)
        for (size_t f = 0; f < c->n; f++) {
            const double x = fabs((double)c->in.x[i * c->in.stride + c->from + f]);

            by[f] = x > by[f] ? x : by[f];
        }
}

static void apply(const float *state, const void *index, struct rows in, float *out,
                  size_t out_stride)
{
    (void)state;
    (void)index;
    query_columns(in, out, out_stride, spread);
}

const struct norm_kind norm_query = {
    .plug.about = { "query", "within the query: minus the mean, over the largest |x|",
                    "Minus the mean of the query's documents, over their largest absolute "
                    "value; a feature that does not vary in the query becomes 0. Eq. (5) "
                    "of SortNet, Rigutini et al. 2011." },
    .keeps_missing = true,
    .heeds_query = true,
    .apply = apply,
};
