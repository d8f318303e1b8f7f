/* gen_poly.c -- documents graded by a random cubic polynomial.
 *
 *   f(x) = (T1 + T2 + T3) / 3, each term scaled to mean 0 and variance 1
 *   T1 = sum_i w_i x_i,  T2 = sum_i x_i x_Q(i),  T3 = sum_i x_i x_R(i) x_S(i)
 *   w uniform in [-1, 1]; Q, R, S random permutations
 *
 * Burges, Shaked, Renshaw, Lazier, Deeds, Hamilton and Hullender, "Learning to rank
 * using gradient descent", ICML 2005, section 5.                                  */
#include "graded.h"

#include "../base/alloc.h"

#include <math.h>

enum { N_TERMS = 3 };

struct poly_target {
    struct graded g;
    float *w;        /* [dim] */
    uint32_t *order; /* [3][dim]: Q, R, S */
    double mean[N_TERMS], scale[N_TERMS];
};

static const struct param params[] = { GRADED_PARAMS(struct poly_target), { 0 } };

static void poly_terms(const struct poly_target *p, const float *x, double t[N_TERMS])
{
    const size_t dim = (size_t)p->g.dim;
    const uint32_t *const q = p->order, *const r = q + dim, *const s = r + dim;

    t[0] = t[1] = t[2] = 0.0;
    for (size_t i = 0; i < dim; i++) {
        t[0] += (double)p->w[i] * x[i];
        t[1] += (double)x[i] * x[q[i]];
        t[2] += (double)x[i] * x[r[i]] * x[s[i]];
    }
}

static double poly_value(const void *self, const float *x)
{
    const struct poly_target *const p = self;
    double t[N_TERMS], f = 0.0;

    poly_terms(p, x, t);
    for (size_t k = 0; k < N_TERMS; k++)
        f += (t[k] - p->mean[k]) * p->scale[k];
    return f / N_TERMS;
}

static peck_status open_poly(void *self, uint64_t seed, struct shape *shape,
                             peck_error *err)
{
    struct poly_target *const p = self;
    const size_t dim = (size_t)p->g.dim;
    float *const x = mem_new(dim, sizeof *x);
    double sum[N_TERMS] = { 0 }, square[N_TERMS] = { 0 }, t[N_TERMS];
    struct rng r;

    (void)seed;
    p->w = mem_new(dim, sizeof *p->w);
    p->order = mem_new(N_TERMS * dim, sizeof *p->order);
    if (x == NULL || p->w == NULL || p->order == NULL) {
        mem_free(x);
        return fail_memory(err, "target polynomial", N_TERMS * dim, sizeof *p->order);
    }
    rng_seed(&r, (uint64_t)p->g.target, STREAM_TARGET);
    draw_row(&r, p->w, dim, -1.0, 1.0);
    for (size_t k = 0; k < N_TERMS; k++) {
        for (size_t i = 0; i < dim; i++)
            p->order[k * dim + i] = (uint32_t)i;
        rng_shuffle(&r, p->order + k * dim, dim);
    }
    /* Mean and deviation of the terms over a sample that the target alone decides.  With few
     * features a term may be constant; it then counts 0. */
    rng_seed(&r, (uint64_t)p->g.target, STREAM_CUTS);
    for (size_t i = 0; i < CUT_SAMPLE; i++) {
        draw_row(&r, x, dim, -1.0, 1.0);
        poly_terms(p, x, t);
        for (size_t k = 0; k < N_TERMS; k++) {
            sum[k] += t[k];
            square[k] += t[k] * t[k];
        }
    }
    for (size_t k = 0; k < N_TERMS; k++) {
        p->mean[k] = sum[k] / CUT_SAMPLE;
        const double variance = square[k] / CUT_SAMPLE - p->mean[k] * p->mean[k];

        p->scale[k] = variance > 0.0 ? 1.0 / sqrt(variance) : 0.0;
    }
    mem_free(x);
    return graded_open(&p->g, poly_value, p, shape, err);
}

static void fill_poly(const void *self, uint64_t seed, size_t q, struct synth_sample *out)
{
    graded_fill(&((const struct poly_target *)self)->g, poly_value, self, seed, q, out);
}

static void close_poly(void *self)
{
    struct poly_target *const p = self;

    mem_free(p->w);
    mem_free(p->order);
}

const struct generator generator_poly = {
    .plug = { { "poly", "documents graded by a random cubic polynomial",
                "As `net`, but the value of a document is the mean of three standardised "
                "terms: a random linear one, a random quadratic one (each feature times "
                "its partner in a random permutation) and a random cubic one (times two "
                "partners). Much harder to learn than a net. Polynomial and cuts depend on "
                "`target` alone: make training, validation and test data with different "
                "seeds and the same target. Burges et al. 2005 (RankNet), section 5." },
              params },
    .self_size = sizeof(struct poly_target),
    .open = open_poly,
    .fill = fill_poly,
    .close = close_poly,
};
