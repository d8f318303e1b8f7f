/* norm_quantile.c -- the share of the training data below x, turned into a normal of
 * deviation 1/3:
 *
 *     z(p) = Phi^-1(p) / 3,  p within [1e-7, 1 - 1e-7]
 *
 * The state is 1,000 quantiles q[i] of the training data, at p = i / 999.  Between two of
 * them z runs straight from z(i / 999) to the next; a value that several quantiles a..b
 * share gets the middle of its range, p = (a + b) / 2 / 999, so a constant column becomes
 * z(1/2) = 0.  Values outside count as the first or the last quantile.
 *
 * Finding the quantiles around x is the work; it takes two counts without branches, one
 * among every 32nd quantile and one among the 32 that follow, whatever the distribution. */
#include "norm.h"

#include "../base/alloc.h"
#include "../base/cpu.h"

#include <math.h>
#include <stdint.h>

enum { QUANTILES = 1000, LAST = QUANTILES - 1, STEP = 32, PADDED = STEP * STEP };

#define SIGMA (1.0 / 3)
#define LEAST_P 1e-7

struct column {
    float mark[STEP]; /* every 32nd of q */
    float q[PADDED];  /* the quantiles, then infinity */
    float at[PADDED]; /* z where x equals q[i], i the last of its equals */
};

struct quantile_index {
    float z[PADDED]; /* z(i / 999); its last repeated */
    struct column column[];
};

/* The z with Phi(z) = p, p <= 1/2.  Phi is convex below 0, so Newton's method comes down to
 * the root from 0 without passing it. */
static double normal_quantile(double p)
{
    const double root_2_pi = sqrt(2.0 * acos(-1.0));
    double z = 0.0, step;

    do {
        step = (0.5 * erfc(-z / sqrt(2.0)) - p) * exp(0.5 * z * z) * root_2_pi;
        z -= step;
    } while (step > 1e-12);
    return z;
}

/* z(h / 2 / 999), h = 0 .. 2 * 999. */
static float normal_at(size_t h)
{
    const size_t low = h < LAST ? h : 2 * LAST - h;

    if (low == LAST)
        return 0.0f;
    const double p = (double)low / (2.0 * LAST);
    const double z = SIGMA * normal_quantile(p > LEAST_P ? p : LEAST_P);

    return (float)(h < LAST ? z : -z);
}

static void fit(const float *sorted, size_t n, float *state)
{
    for (size_t i = 0; i < QUANTILES; i++) {
        const double where = (double)i / LAST * (double)(n - 1);
        const size_t below = (size_t)where < n - 1 ? (size_t)where : n - 1;
        const size_t above = below + 1 < n ? below + 1 : below;
        const double a = sorted[below], b = sorted[above];

        state[i] = (float)(a + (b - a) * (where - (double)below));
    }
}

static bool fits(const float *state)
{
    for (size_t i = 0; i < LAST; i++)
        if (state[i] > state[i + 1])
            return false;
    return true;
}

static void index_column(struct column *c, const float *state, const float *half)
{
    for (size_t i = 0; i < PADDED; i++)
        c->q[i] = i < QUANTILES ? state[i] : INFINITY;
    for (size_t i = 0; i < STEP; i++)
        c->mark[i] = c->q[i * STEP];
    for (size_t a = 0, b = 0; b < QUANTILES; b++) {
        a = c->q[a] < c->q[b] ? b : a;
        c->at[b] = half[a + b];
    }
}

static void *make_index(const float *state, size_t dim)
{
    struct quantile_index *const x = mem_new(1, sizeof *x + dim * sizeof *x->column);
    float half[2 * LAST + 1];

    if (x == NULL)
        return NULL;
    for (size_t h = 0; h <= 2 * LAST; h++)
        half[h] = normal_at(h);
    for (size_t i = 0; i < PADDED; i++)
        x->z[i] = half[2 * (i < LAST ? i : LAST)];
    for (size_t f = 0; f < dim; f++)
        index_column(&x->column[f], state + f * QUANTILES, half);
    return x;
}

/* How many of a rising run of 32 are at most x. */
static inline ALWAYS_INLINE uint32_t count(const float *run, float x)
{
    uint32_t n = 0;

    for (size_t i = 0; i < STEP; i++)
        n += run[i] <= x;
    return n;
}

/* x must not be below the first quantile or above the last. */
static inline ALWAYS_INLINE float look_up(const struct column *c, const float *z, float x)
{
    const uint32_t run = count(c->mark, x) - 1;
    const uint32_t i = run * STEP + count(c->q + run * STEP, x) - 1;
    const double a = c->q[i], width = c->q[i + 1] - a; /* infinite after the last */
    const double share = ((double)x - a) / width;
    const float between = (float)(z[i] + share * ((double)z[i + 1] - z[i]));

    return x == c->q[i] ? c->at[i] : between;
}

static inline ALWAYS_INLINE void map_body(const struct quantile_index *index,
                                          struct rows in, float *out, size_t out_stride)
{
    for (size_t f = 0; f < in.dim; f++) {
        const struct column *const c = &index->column[f];
        const float first = c->q[0], last = c->q[LAST];

        for (size_t i = 0; i < in.n; i++) {
            float x = in.x[i * in.stride + f];

            x = x < first ? first : x;
            x = x > last ? last : x;
            out[i * out_stride + f] = look_up(c, index->z, x);
        }
    }
}
CPU_VERSIONS(map,
             (const struct quantile_index *index, struct rows in, float *out,
              size_t out_stride),
             (index, in, out, out_stride))

static void apply(const float *state, const void *index, struct rows in, float *out,
                  size_t out_stride)
{
    (void)state;
    map(index, in, out, out_stride);
}

const struct norm_kind norm_quantile = {
    .plug
        .about = { "quantile", "to a normal of deviation 1/3, by rank in the training data",
                   "1,000 quantiles of each feature in the training data are mapped to "
                   "those "
                   "of a normal distribution of deviation 1/3, straight lines in between; "
                   "values outside count as the nearest. Values that repeat get the middle "
                   "of their range. After DirectRanker, Koppel et al. 2019." },
    .state = QUANTILES,
    .fit = fit,
    .fits = fits,
    .index = make_index,
    .apply = apply,
};
