/* norm_minmax.c -- (x - least) / (largest - least): [0, 1] over the training data; other
 * data may lie outside.                                                              */
#include "norm.h"
#include "shelf.h"

enum { LEAST, LARGEST, STATE };

static void fit(const float *sorted, size_t n, float *state)
{
    state[LEAST] = sorted[0];
    state[LARGEST] = sorted[n - 1];
}

static bool fits(const float *state)
{
    return state[LEAST] <= state[LARGEST];
}

static void apply(const float *state, const void *index, struct rows in, float *out,
                  size_t out_stride)
{
    (void)index;
    for (size_t i = 0; i < in.n; i++)
        for (size_t f = 0; f < in.dim; f++) {
            const double least = state[f * STATE + LEAST];

            out[i * out_stride + f] =
                ratio(in.x[i * in.stride + f] - least, state[f * STATE + LARGEST] - least);
        }
}

const struct norm_kind norm_minmax = {
    .plug.about = { "minmax", "0 to 1 over the training data",
                    "(x - least) / (largest - least) of the feature in the training data. "
                    "Other data may fall outside 0 to 1, but stay within 1e6 of 0." },
    .state = STATE,
    .fit = fit,
    .fits = fits,
    .apply = apply,
};
