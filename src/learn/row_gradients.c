/* row_gradients.c -- see row_gradients.h. */
#include "row_gradients.h"

#include "../base/alloc.h"

#include <math.h>

enum { CHUNK = 1 << 13 }; /* rows of a task */

peck_status row_gradients_open_in(struct row_gradients *p, int64_t *room, size_t n,
                                  size_t n_all, peck_error *err)
{
    *p = (struct row_gradients){ .of = room, .n = n, .n_all = n_all };
    return n_all <= 1 << 30 ? PECK_OK
                            : fail(err, PECK_SHAPE, "%zu rows; trees grow on %d at most",
                                   n_all, 1 << 30);
}

peck_status row_gradients_open(struct row_gradients *p, size_t n, size_t n_all,
                               peck_error *err)
{
    TRY(row_gradients_open_in(p, NULL, n, n_all, err));
    p->of = mem_new(n, sizeof *p->of);
    p->is_own = true;
    return p->of != NULL ? PECK_OK : fail_memory(err, "gradients", n, sizeof *p->of);
}

void row_gradients_close(struct row_gradients *p)
{
    if (p->is_own)
        mem_free(p->of);
    *p = (struct row_gradients){ 0 };
}

/* Rounding may add a half to each of n numbers; the sum of all must stay below `most`. */
static double unit_of(double sum, size_t n, double most)
{
    return sum > 0.0 ? sum / (most - (double)n) : 1.0;
}

/* Floats to whole numbers, CHUNK rows at a time. */
struct rounding {
    struct row_gradients *to;
    const float *g, *h; /* h NULL: 1 */
};

static void round_chunk(void *ctx, size_t chunk, int worker)
{
    const struct rounding *const r = ctx;
    struct row_gradients *const p = r->to;
    const size_t end = (chunk + 1) * CHUNK < p->n ? (chunk + 1) * CHUNK : p->n;

    (void)worker;
    for (size_t i = chunk * CHUNK; i < end; i++) {
        const int64_t gi = (int64_t)rint((double)r->g[i] / p->g_unit);
        const int64_t hi = r->h != NULL ? (int64_t)rint((double)r->h[i] / p->h_unit) : 1;

        p->of[i] = gi * ((int64_t)1 << 32) + hi;
    }
}

void gradient_sums_add(struct gradient_sums *sums, const float *g, const float *h, size_t n)
{
    double sum_g = sums->g, sum_h = sums->h;

    for (size_t i = 0; i < n; i++) {
        sum_g += fabs((double)g[i]);
        sum_h += h != NULL ? (double)h[i] : 1.0;
    }
    *sums = (struct gradient_sums){ sum_g, sum_h };
}

/* Units are chosen by the sums over all rows, |g| below 2^31 and h below 2^32: then no
 * sum of h over some rows ever carries into that of g. */
bool row_gradients_set_by(struct pool *pool, struct row_gradients *p,
                          const struct gradient_sums *sums, const float *g, const float *h)
{
    struct rounding r = { p, g, h };

    if (!isfinite(sums->g) || !isfinite(sums->h))
        return false;
    p->is_counting = h == NULL;
    p->g_unit = unit_of(sums->g, p->n_all, 0x1p31 - 1.0);
    p->h_unit = h != NULL ? unit_of(sums->h, p->n_all, 0x1p32 - 1.0) : 1.0;
    if (pool != NULL)
        pool_run(pool, (p->n + CHUNK - 1) / CHUNK, round_chunk, &r);
    else
        for (size_t i = 0; i * CHUNK < p->n; i++)
            round_chunk(&r, i, 0);
    p->g_low = INT64_MAX;
    p->g_high = INT64_MIN;
    for (size_t i = 0; p->is_counting && i < p->n; i++) {
        const int64_t gi = g_of(p->of[i]);

        p->g_low = gi < p->g_low ? gi : p->g_low;
        p->g_high = gi > p->g_high ? gi : p->g_high;
    }
    return true;
}

bool row_gradients_set(struct row_gradients *p, const float *g, const float *h)
{
    struct gradient_sums sums = { 0 };

    gradient_sums_add(&sums, g, h, p->n);
    return row_gradients_set_by(NULL, p, &sums, g, h);
}
