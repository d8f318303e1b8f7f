/* family_linear.c -- a weighted sum of the features.
 *
 *     s = w . x + b        weights: w[dim], then b where there is one                */
#include "dense.h"
#include "family.h"

struct linear {
    int has_bias; /* as the choice below */
    size_t dim;
};

static const struct param linear_params[] = {
    { "bias", PARAM_CHOICE, "yes", "no|yes",
      "adds a constant to every score: the order stays, but scores are closer to labels",
      offsetof(struct linear, has_bias) },
    { 0 }
};

static peck_status linear_open(void *shape, size_t dim, peck_error *err)
{
    struct linear *const l = shape;

    l->dim = dim;
    return family_takes("linear", dim, FAMILY_MAX_INPUTS, err);
}

static void linear_describe(const void *shape, struct text *to)
{
    const struct linear *const l = shape;

    text_printf(to, "%zu-1%s", l->dim, l->has_bias ? "" : " without bias");
}

static size_t linear_n_weights(const void *shape)
{
    const struct linear *const l = shape;

    return l->dim + (l->has_bias ? 1 : 0);
}

static void linear_score(const void *shape, const real *w, struct rows x, real *s,
                         real *scratch)
{
    const struct linear *const l = shape;

    (void)scratch;
    dense_forward(x.n, 1, l->dim, x.x, x.stride, w, l->has_bias ? w + l->dim : NULL, s);
}

static void linear_backward(const void *shape, const real *w, struct rows x, const real *ds,
                            real *dw, real *scratch)
{
    const struct linear *const l = shape;

    (void)w;
    (void)scratch;
    dense_weights(l->dim, 1, x.n, x.x, x.stride, ds, dw);
    for (size_t i = 0; l->has_bias && i < x.n; i++)
        dw[l->dim] += ds[i];
}

static void linear_decayed(const void *shape, unsigned char *is_decayed)
{
    const struct linear *const l = shape;

    memset(is_decayed, 1, l->dim);
    if (l->has_bias)
        is_decayed[l->dim] = 0;
}

static bool linear_is_sum(const void *shape)
{
    (void)shape;
    return true;
}

static const struct score_ops linear_ops = {
    .score = linear_score,
    .backward = linear_backward,
};

const struct family family_linear = {
    .plug = { { "linear", "a weighted sum of the features",
                "One weight a feature, from zero on. The family of linear RankNet, ListNet "
                "and ridge regression." },
              linear_params },
    .scores = &linear_ops,
    .shape_size = sizeof(struct linear),
    .open = linear_open,
    .describe = linear_describe,
    .n_weights = linear_n_weights,
    .decayed = linear_decayed,
    .is_sum = linear_is_sum,
};
