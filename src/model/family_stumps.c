/* family_stumps.c -- a sum of steps, each on one feature.  See stumps.h. */
#include "stumps.h"

#include <math.h>

static const struct param stumps_params[] = { { "rounds", PARAM_INT, "300", "[1,1000000]",
                                                "steps at most; each round adds one",
                                                offsetof(struct stumps, rounds) },
                                              { 0 } };

static peck_status stumps_open(void *shape, size_t dim, peck_error *err)
{
    struct stumps *const s = shape;

    s->dim = dim;
    return family_takes("stumps", dim, FAMILY_MAX_INPUTS, err);
}

static void stumps_describe(const void *shape, struct text *to)
{
    const struct stumps *const s = shape;

    text_printf(to, "%zu-1 by up to %lld steps", s->dim, (long long)s->rounds);
}

static size_t stumps_n_weights(const void *shape)
{
    return (size_t)((const struct stumps *)shape)->rounds * STUMP_WEIGHTS;
}

/* The feature of a step; of a damaged file: anything that there is. */
static size_t stump_feature(const struct stumps *s, const real *w)
{
    const real last = (real)(s->dim - 1), number = w[STUMP_FEATURE];

    return (size_t)(number > 0 ? (number < last ? number : last) : 0);
}

static void stumps_score(const void *shape, const real *w, struct rows x, real *score,
                         real *scratch)
{
    const struct stumps *const s = shape;

    (void)scratch;
    memset(score, 0, x.n * sizeof *score);
    for (int64_t k = 0; k < s->rounds; k++, w += STUMP_WEIGHTS) {
        const real height = w[STUMP_HEIGHT], threshold = w[STUMP_THRESHOLD];
        const float *const column = x.x + stump_feature(s, w);

        if (height == 0)
            continue;
        for (size_t i = 0; i < x.n; i++)
            score[i] += column[i * x.stride] > threshold ? height : 0;
    }
}

/* A step asks about its feature, and gains its height. */
static void stumps_importance(const void *shape, const real *w, double *count, double *gain)
{
    const struct stumps *const s = shape;

    for (int64_t k = 0; k < s->rounds; k++, w += STUMP_WEIGHTS) {
        const size_t feature = stump_feature(s, w);

        count[feature] += w[STUMP_HEIGHT] != 0 ? 1.0 : 0.0;
        gain[feature] += fabs((double)w[STUMP_HEIGHT]);
    }
}

static const struct score_ops stumps_ops = {
    .score = stumps_score,
};

const struct family family_stumps = {
    .plug = { { "stumps", "a sum of steps, each on one feature",
                "A step adds its height where its feature is above a threshold. The family "
                "of RankBoost and FRank." },
              stumps_params },
    .scores = &stumps_ops,
    .shape_size = sizeof(struct stumps),
    .open = stumps_open,
    .describe = stumps_describe,
    .n_weights = stumps_n_weights,
    .importance = stumps_importance,
};
