/* norm_rff.c -- random Fourier features: a linear method on them is a kernel method.
 *
 *   z_k(x) = a (2 / D)^(1/2) cos(w_k . x + b_k),   w_k ~ N(0, 2 gamma I), b_k ~ U(0, 2 pi)
 *   E z(x) . z(y) = a^2 exp(-gamma |x - y|^2)
 *
 * x is what the views before make of a document; a^2 is `weight` times its mean square
 * length, so that both kernels, that of x itself and this one, speak about as loud.
 * Without a gamma, 1 / gamma is twice the square of the median distance of documents.
 *
 * Rahimi and Recht, "Random features for large-scale kernel machines", NIPS 2007.     */
#include "norm.h"

#include "../base/alloc.h"
#include "../base/gemm.h"
#include "../base/maths.h"
#include "../base/rng.h"
#include "../base/sort.h"
#include "../base/vec.h"

#include <float.h>
#include <math.h>

/* Deviation of directions: draws of a normal distribution stay below 10 of them. */
#define WIDEST (FLT_MAX / 10.0)

struct rff_config {
    int64_t dim, seed;
    double gamma, weight;
};

static const struct param params[] = {
    { "dim", PARAM_INT, "500", "[1,100000]", "columns that are added",
      offsetof(struct rff_config, dim) },
    { "gamma", PARAM_FLOAT, "0", "[0,inf)",
      "how fast the kernel falls with distance; 0: by the median distance",
      offsetof(struct rff_config, gamma) },
    { "weight", PARAM_FLOAT, "1", "(0,inf)",
      "weight of all new columns together, relative to those before them",
      offsetof(struct rff_config, weight) },
    { "seed", PARAM_INT, "1", "[0,inf)", "of the random directions",
      offsetof(struct rff_config, seed) },
    { 0 }
};

static size_t rff_columns(const void *config)
{
    return (size_t)((const struct rff_config *)config)->dim;
}

/* Behind the direction w_k: the phase b_k, then the amplitude. */
static size_t rff_state(size_t dim)
{
    return dim + 2;
}

static double squared_distance(struct rows x, size_t i, size_t j)
{
    const float *const a = x.x + i * x.stride, *const b = x.x + j * x.stride;
    double sum = 0.0;

    for (size_t f = 0; f < x.dim; f++)
        sum += ((double)a[f] - (double)b[f]) * ((double)a[f] - (double)b[f]);
    return sum;
}

/* Of the squared distances of all pairs of rows; 0 where there is no pair.
 * The sample has 256 rows at most, so all n (n - 1) / 2 distances are sorted. */
static peck_status median_distance(struct rows x, double *median, peck_error *err)
{
    const size_t n = x.n * (x.n - 1) / 2;
    struct sort_item *const item = mem_new(2 * n, sizeof *item);
    size_t at = 0;

    if (item == NULL)
        return fail_memory(err, "distances of documents", n, 2 * sizeof *item);
    for (size_t i = 0; i < x.n; i++)
        for (size_t j = 0; j < i; j++, at++)
            item[at] = (struct sort_item){ key_desc(squared_distance(x, i, j)),
                                           (uint32_t)(i * x.n + j) };
    sort_items(item, n, item + n);
    *median =
        n > 0 ? squared_distance(x, item[n / 2].from / x.n, item[n / 2].from % x.n) : 0.0;
    mem_free(item);
    return PECK_OK;
}

static peck_status rff_fit(const void *config, struct rows some, float *to, peck_error *err)
{
    const struct rff_config *const c = config;
    double gamma = c->gamma, median = 0.0, squares = 0.0;
    struct rng rng;

    for (size_t i = 0; i < some.n; i++)
        squares += vec_dot(some.x + i * some.stride, some.x + i * some.stride, some.dim);
    const double length = squares / (double)some.n; /* mean square length */

    if (gamma == 0.0) {
        TRY(median_distance(some, &median, err));
        gamma = median > 0.0 ? 0.5 / median : 1.0;
    }
    const double amplitude =
        sqrt(2.0 * c->weight * (length > 0.0 ? length : 1.0) / (double)c->dim);

    if (sqrt(2.0 * gamma) > WIDEST || !isfinite(gamma))
        return c->gamma > 0.0
                   ? fail(err, PECK_ARG,
                          "rff: gamma=%g makes directions that floats cannot hold; give a "
                          "smaller one, or none",
                          c->gamma)
                   : fail(err, PECK_SHAPE,
                          "rff: the documents are too near each other (median distance "
                          "%.3g); put a view before it, as in quantile+rff",
                          sqrt(median));
    if (!(amplitude < FLT_MAX))
        return fail(err, PECK_SHAPE,
                    "rff: the features are too far apart for distances; put a view before "
                    "it, as in quantile+rff");
    rng_seed(&rng, (uint64_t)c->seed, 0);
    for (int64_t k = 0; k < c->dim; k++) {
        for (size_t f = 0; f < some.dim; f++)
            *to++ = (float)(sqrt(2.0 * gamma) * rng_normal(&rng));
        *to++ = (float)rng_between(&rng, 0.0, 6.283185307179586);
        *to++ = (float)amplitude;
    }
    return PECK_OK;
}

static void rff_apply(const void *config, const float *state, struct rows in, float *out,
                      size_t out_stride)
{
    const size_t n = rff_columns(config), width = in.dim + 2;

    gemm_nt(in.n, n, in.dim, in.x, in.stride, state, width, NULL, 0, out, out_stride);
    for (size_t i = 0; i < in.n; i++, out += out_stride)
        for (size_t k = 0; k < n; k++) {
            const float *const more = state + k * width + in.dim;
            const float angle = out[k] + more[0];

            out[k] = isfinite(angle) ? more[1] * (float)math_cos(angle) : 0.0f;
        }
}

static const struct norm_over over = { .config_size = sizeof(struct rff_config),
                                       .columns = rff_columns,
                                       .state = rff_state,
                                       .fit = rff_fit,
                                       .apply = rff_apply };

const struct norm_kind norm_rff = {
    .plug = { { "rff", "random Fourier features of the views before it",
                "Adds columns cos(w . x + b) with random w: a linear method then works "
                "with "
                "an RBF kernel. Comes last, with its settings: query-zscore+rff:dim=1000,"
                "gamma=0.01. Rahimi and Recht 2007." },
              params },
    .over = &over,
};
