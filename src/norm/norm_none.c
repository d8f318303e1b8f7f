/* norm_none.c -- the features as they are. */
#include "norm.h"

static void copy(const float *state, const void *index, struct rows in, float *out,
                 size_t out_stride)
{
    (void)state;
    (void)index;
    for (size_t i = 0; i < in.n; i++)
        memcpy(out + i * out_stride, in.x + i * in.stride, in.dim * sizeof *out);
}

const struct norm_kind norm_none = {
    .plug.about = { "none", "the features as they are",
                    "For features that are scaled already. Nets do badly on raw counts." },
    .keeps_missing = true,
    .apply = copy,
};
