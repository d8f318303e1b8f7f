/* norm_log.c -- sign(x) log(1 + |x|), for counts. */
#include "norm.h"

#include "../base/vec.h"

#include <math.h>

static void apply(const float *state, const void *index, struct rows in, float *out,
                  size_t out_stride)
{
    (void)state;
    (void)index;
    for (size_t i = 0; i < in.n; i++) {
        const float *const x = in.x + i * in.stride;
        float *const to = out + i * out_stride;

        for (size_t f = 0; f < in.dim; f++)
            to[f] = fabsf(x[f]);
        vec_log1p(to, in.dim);
        for (size_t f = 0; f < in.dim; f++)
            to[f] = copysignf(to[f], x[f]);
    }
}

const struct norm_kind norm_log = {
    .plug.about = { "log", "sign(x) log(1 + |x|), for counts",
                    "Brings counts of all sizes together; nothing is fitted." },
    .apply = apply,
};
