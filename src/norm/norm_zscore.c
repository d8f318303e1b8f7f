/* norm_zscore.c -- (x - mean) / standard deviation, both of the training data. */
#include "norm.h"
#include "shelf.h"

#include "../base/vec.h"

#include <math.h>

enum { MEAN, SD, STATE };

static void fit(const float *sorted, size_t n, float *state)
{
    const double mean = vec_sum(sorted, n) / (double)n;
    double squares = 0.0;

    for (size_t i = 0; i < n; i++)
        squares += (sorted[i] - mean) * (sorted[i] - mean);
    state[MEAN] = (float)mean;
    state[SD] = sorted[0] < sorted[n - 1] ? (float)sqrt(squares / (double)n) : 0.0f;
}

static bool fits(const float *state)
{
    return state[SD] >= 0.0f;
}

static void apply(const float *state, const void *index, struct rows in, float *out,
                  size_t out_stride)
{
    (void)index;
    for (size_t i = 0; i < in.n; i++)
        for (size_t f = 0; f < in.dim; f++) {
            const float *const s = state + f * STATE;

            out[i * out_stride + f] =
                ratio((double)in.x[i * in.stride + f] - s[MEAN], s[SD]);
        }
}

const struct norm_kind norm_zscore = {
    .plug.about = { "zscore", "mean 0 and deviation 1 over the training data",
                    "(x - mean) / standard deviation of the feature in the training data, "
                    "within 1e6 of 0." },
    .state = STATE,
    .fit = fit,
    .fits = fits,
    .apply = apply,
};
