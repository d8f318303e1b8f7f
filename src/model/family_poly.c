/* family_poly.c -- a polynomial of the features, of the first or the second degree.  See
 * poly.h.                                                                             */
#include "poly.h"

static const struct param poly_params[] = {
    { "kernel", PARAM_CHOICE, "linear", "linear|quadratic",
      "the features alone, or with all their products of two",
      offsetof(struct poly, kernel) },
    { 0 }
};

/* Weights of products stay below 2^31. */
enum { MAX_QUADRATIC = 65535 };

static peck_status poly_open(void *shape, size_t dim, peck_error *err)
{
    struct poly *const p = shape;
    const size_t most = p->kernel == KERNEL_QUADRATIC ? MAX_QUADRATIC : FAMILY_MAX_INPUTS;

    p->dim = dim;
    return family_takes("poly", dim, most, err);
}

static void poly_describe(const void *shape, struct text *to)
{
    const struct poly *const p = shape;

    text_printf(to, "%zu-1 %s", p->dim,
                p->kernel == KERNEL_QUADRATIC ? "with products" : "linear");
}

static real dot(const real *w, const float *x, size_t n)
{
    real sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += w[i] * (real)x[i];
    return sum;
}

static void poly_score(const void *shape, const real *w, struct rows x, real *s,
                       real *scratch)
{
    const struct poly *const p = shape;

    (void)scratch;
    for (size_t k = 0; k < x.n; k++) {
        const float *const row = x.x + k * x.stride;
        const real *v = w + p->dim;

        s[k] = dot(w, row, p->dim);
        for (size_t i = 0; p->kernel == KERNEL_QUADRATIC && i < p->dim; i++) {
            s[k] += (real)row[i] * dot(v, row + i, p->dim - i);
            v += p->dim - i;
        }
    }
}

static void poly_backward(const void *shape, const real *w, struct rows x, const real *ds,
                          real *dw, real *scratch)
{
    const struct poly *const p = shape;

    (void)w;
    (void)scratch;
    for (size_t k = 0; k < x.n; k++) {
        const float *const row = x.x + k * x.stride;
        real *v = dw + p->dim;

        for (size_t i = 0; i < p->dim; i++)
            dw[i] += ds[k] * (real)row[i];
        for (size_t i = 0; p->kernel == KERNEL_QUADRATIC && i < p->dim; i++)
            for (size_t j = i; j < p->dim; j++)
                *v++ += ds[k] * (real)row[i] * (real)row[j];
    }
}

static bool poly_is_sum(const void *shape)
{
    return ((const struct poly *)shape)->kernel == KERNEL_LINEAR;
}

static const struct score_ops poly_ops = {
    .score = poly_score,
    .backward = poly_backward,
};

const struct family family_poly = {
    .plug = { { "poly", "a polynomial of the features",
                "A weighted sum of the features, and of their products of two under "
                "kernel=quadratic. The family of PRank." },
              poly_params },
    .scores = &poly_ops,
    .shape_size = sizeof(struct poly),
    .open = poly_open,
    .describe = poly_describe,
    .n_weights = poly_n_weights,
    .is_sum = poly_is_sum,
};
