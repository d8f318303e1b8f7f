/* family_stumps.c -- a sum of steps, each on one feature.  See stumps.h. */
#include "stumps.h"

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

static void stumps_score(const void *shape, const real *w, struct rows x, real *score,
                         real *scratch)
{
    const struct stumps *const s = shape;
    const real last = (real)(s->dim - 1);

    (void)scratch;
    memset(score, 0, x.n * sizeof *score);
    for (int64_t k = 0; k < s->rounds; k++, w += STUMP_WEIGHTS) {
        const real height = w[STUMP_HEIGHT], threshold = w[STUMP_THRESHOLD];
        const real number = w[STUMP_FEATURE]; /* of a damaged file: anything */
        const float *const column =
            x.x + (size_t)(number > 0 ? (number < last ? number : last) : 0);

        if (height == 0)
            continue;
        for (size_t i = 0; i < x.n; i++)
            score[i] += column[i * x.stride] > threshold ? height : 0;
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
};
