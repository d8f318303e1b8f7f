/* strength.c -- see strength.h. */
#include "strength.h"

#include "../base/curves.h"
#include "../base/maths.h"

#include <math.h>

enum {
    SHARDS = 8,  /* each sums its own share of the duels, whoever works on it */
    BLOCK = 256, /* duels whose curves are computed together */
    WIDENINGS = 3,
};

/* Sums over duels, d being t_i - t_j: what goes into the noise and into the scale. */
enum {
    ERRORS,   /* (h - p)^2 */
    EXPECTED, /* p (1 - p) */
    SLOPE,    /* (h - p) d */
    BEND,     /* p (1 - p) d^2 */
    N_SUMS
};

#define LEAST 1e-6  /* of the noise and of the spread, which would be 0 without doubt */
#define LONGEST 1.5 /* step of one strength */
#define WIDEST 2.0  /* step of the scale, as a factor */
#define NO_WIDER 1.05

/* Everybody begins at 0 with variance 1; the first fit finds the spread. */
void strengths_take(struct strengths *s, uint32_t n, struct arena *arena)
{
    static const char what[] = "strengths";

    *s = (struct strengths){
        .n = n,
        .noise = 0.25,
        .t = arena_new(arena, what, n, sizeof *s->t),
        .precision = arena_new(arena, what, n, sizeof *s->precision),
        .before = arena_new(arena, what, n, sizeof *s->before),
        .slope = arena_new(arena, what, 2 * SHARDS * (size_t)n, sizeof *s->slope),
        .sums = arena_new(arena, what, N_SUMS * SHARDS, sizeof *s->sums),
    };
    for (uint32_t i = 0; s->precision != NULL && i < n; i++)
        s->precision[i] = 1.0;
}

/* Derivatives ------------------------------------------------------------------------ */

static inline ALWAYS_INLINE void sigmoids_body(float *x, size_t n)
{
    for (size_t k = 0; k < n; k++)
        x[k] = curve_sigmoid(x[k]);
}
CPU_VERSIONS(sigmoids, (float *x, size_t n), (x, n))

struct strength_fit {
    struct strengths *s;
    const peck_duel *duel;
    const float *h;
    size_t n;
};

/* Derivatives of the quasi-log-likelihood by the strengths, still to be divided by the
 * noise, and the sums above, of one shard of the duels:
 *
 *   first_i = sum of h - p where i is named first, p - h where it is second
 *   second_i = sum of p (1 - p), minus the second derivative */
static void add_shard(void *ctx, size_t shard, int worker)
{
    const struct strength_fit *const f = ctx;
    const size_t end = f->n * (shard + 1) / SHARDS, n_items = f->s->n;
    const double *const t = f->s->t;
    double *const first = f->s->slope + 2 * shard * n_items, *const second =
                                                                 first + n_items;
    double *const sums = f->s->sums + N_SUMS * shard;
    float d[BLOCK], p[BLOCK];

    (void)worker;
    memset(first, 0, 2 * n_items * sizeof *first);
    memset(sums, 0, N_SUMS * sizeof *sums);
    for (size_t at = f->n * shard / SHARDS; at < end; at += BLOCK) {
        const peck_duel *const duel = f->duel + at;
        const size_t n = end - at < BLOCK ? end - at : BLOCK;

        for (size_t k = 0; k < n; k++)
            p[k] = d[k] = (float)(t[duel[k].i] - t[duel[k].j]);
        sigmoids(p, n);
        for (size_t k = 0; k < n; k++) {
            const double off = (double)f->h[at + k] - (double)p[k];
            const double v = (double)p[k] * (1.0 - (double)p[k]);

            first[duel[k].i] += off;
            first[duel[k].j] -= off;
            second[duel[k].i] += v;
            second[duel[k].j] += v;
            sums[ERRORS] += off * off;
            sums[EXPECTED] += v;
            sums[SLOPE] += off * (double)d[k];
            sums[BEND] += v * (double)d[k] * (double)d[k];
        }
    }
}

/* Adds up the shards in the first one. */
static void derive(struct strength_fit *f, struct asker *a)
{
    const size_t row = 2 * (size_t)f->s->n;

    asker_run(a, SHARDS, add_shard, f);
    for (size_t shard = 1; shard < SHARDS; shard++) {
        for (size_t i = 0; i < row; i++)
            f->s->slope[i] += f->s->slope[shard * row + i];
        for (size_t k = 0; k < N_SUMS; k++)
            f->s->sums[k] += f->s->sums[N_SUMS * shard + k];
    }
}

/* Fitting ---------------------------------------------------------------------------- */

/* The scale that fresh answers ask of all strengths at once, by Newton's method.  Steps of
 * single strengths get there too, but slowly: between far ends of a wide range the word
 * passes from neighbour to neighbour.  It is never lowered: those who meet were chosen for
 * being close, so errors of their strengths make the scale look too large. */
static void widen_strengths(struct strength_fit *f, struct asker *a)
{
    struct strengths *const s = f->s;
    double by = WIDEST;

    for (int k = 0; k < WIDENINGS && by > NO_WIDER; k++) {
        derive(f, a);
        if (s->sums[SLOPE] <= 0.0) /* also where nothing is known yet */
            return;
        by = math_min(WIDEST, 1.0 + s->sums[SLOPE] / s->sums[BEND]);
        for (uint32_t i = 0; i < s->n; i++) {
            s->t[i] *= by;
            s->precision[i] /= by * by;
        }
    }
}

void strengths_fit(struct strengths *s, struct asker *a, const peck_duel *duel,
                   const float *h, size_t n_duels, int steps)
{
    struct strength_fit f = { s, duel, h, n_duels };
    const double *const first = s->slope, *const second = s->slope + s->n;
    double *const known = s->precision;

    widen_strengths(&f, a);
    memcpy(s->before, s->t, s->n * sizeof *s->t);
    for (int k = 0; k < steps; k++) {
        double freedom = 0.0, sum = 0.0;

        /* The noise: squared errors over what they are expected to be, less the freedom that
         * the strengths take: each as much as its duels count against what was known. */
        derive(&f, a);
        for (uint32_t i = 0; i < s->n; i++) {
            const double told = second[i] / s->noise;

            freedom += told / (told + known[i]);
        }
        s->noise = math_max(LEAST, s->sums[ERRORS] /
                                       (s->sums[EXPECTED] *
                                        math_max(0.1, 1.0 - freedom / (double)n_duels)));

        /* Newton's step for each strength by itself, all at once. */
        for (uint32_t i = 0; i < s->n; i++) {
            const double pull = first[i] / s->noise - known[i] * (s->t[i] - s->before[i]);
            const double by = pull / (second[i] / s->noise + known[i]);

            s->t[i] += math_min(LONGEST, math_max(-LONGEST, by));
        }

        /* What was known before counts for as much as it agrees with what is found now: where
         * its variance was right, the mean of (t - before)^2 over it is 1 (one step of
         * expectation and maximisation; in the first fit this finds the spread). */
        for (uint32_t i = 0; i < s->n; i++) {
            const double moved = s->t[i] - s->before[i];

            sum += known[i] * (moved * moved + 1.0 / (second[i] / s->noise + known[i]));
        }
        const double factor = math_min(1 / LEAST, math_max(LEAST, s->n / sum));

        for (uint32_t i = 0; k < steps - 1 && i < s->n; i++)
            known[i] *= factor;
    }
    derive(&f, a);
    s->doubt = n_duels > 0 ? 4.0 * s->sums[EXPECTED] / (double)n_duels : 1.0;
    for (uint32_t i = 0; i < s->n; i++)
        known[i] += second[i] / s->noise;
}
