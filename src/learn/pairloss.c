/* pairloss.c -- see pairloss.h.  The one loop over pairs that all pairwise objectives
 * share; it takes most of the time of training a small net.                          */
#include "pairloss.h"
#include "../base/curves.h"
#include "../base/maths.h"

/* The curve in float, a vector of differences at a time; n is whole blocks.  Both values
 * come from e = e^-|x|, x = -sigma d:
 *   log(1 + e^x) = max(x, 0) + log(1 + e)      1 / (1 + e^-x) = 1 - t, or t for x < 0
 * with t = e / (1 + e). */
static inline ALWAYS_INLINE void logistic_float_body(float sigma, size_t n,
                                                     float *restrict d, float *restrict c)
{
    for (size_t i = 0; i < n; i += PAIR_BLOCK)
        for (size_t j = 0; j < PAIR_BLOCK; j++) {
            const float x = -sigma * d[i + j], e = curve_exp(-magnitude(x));
            const float t = e / (1.0f + e);

            c[i + j] = choose(if_negative(x), 0.0f, x) + curve_log1p(e);
            d[i + j] = -sigma * choose(if_negative(x), t, 1.0f - t);
        }
}
CPU_VERSIONS(logistic_float, (float sigma, size_t n, float *d, float *c), (sigma, n, d, c))

static inline void logistic_double(double sigma, size_t n, double *d, double *c)
{
    for (size_t i = 0; i < n; i++) {
        c[i] = math_max(-sigma * d[i], 0.0) + math_log1p(math_exp(-fabs(sigma * d[i])));
        d[i] = -sigma / (1.0 + math_exp(sigma * d[i]));
    }
}

void pair_logistic(real sigma, size_t n, real *d, real *c)
{
    REAL_LOOP(d, logistic_float, logistic_double)(sigma, n, d, c);
}

/* Blocks that hold n differences; those past the end are 0. */
static size_t fill_up(size_t n, real *d)
{
    const size_t whole = PAIR_BLOCKS(n);

    for (size_t t = n; t < whole; t++)
        d[t] = 0;
    return whole;
}

size_t pair_sum_scratch(uint32_t n)
{
    return 4 * PAIR_BLOCKS(n) * sizeof(real);
}

void pair_sum_open(struct pair_sum *p, const struct pair_rule *rule,
                   const struct query_pairs *q, const real *s, real *g, real *h,
                   void *scratch)
{
    p->rule = rule;
    p->query = q;
    p->s = s;
    p->g = g;
    p->h = h;
    p->cost = p->slope = 0.0;
    p->d = scratch;
    p->c = p->d + PAIR_BLOCKS(q->n);
    p->w = p->c + PAIR_BLOCKS(q->n);
    p->b = p->w + PAIR_BLOCKS(q->n);
    p->n_held = 0;
}

/* d[t] = sign (here - s[t]); loops of a fixed length become vectors at -O2. */
static void pairloss_spread(real sign, real here, const real *restrict s, size_t n,
                            real *restrict d)
{
    size_t t = 0;

    for (; n - t >= PAIR_BLOCK; t += PAIR_BLOCK)
        for (size_t j = 0; j < PAIR_BLOCK; j++)
            d[t + j] = sign * (here - s[t + j]);
    for (; t < n; t++)
        d[t] = sign * (here - s[t]);
}

/* w[t] = the weight of the pair (i, lo + t); false: all weigh 1. */
static bool pairloss_weigh(const struct pair_sum *p, uint32_t i, uint32_t lo, size_t n,
                           real *w)
{
    const float *const doc = p->query->doc_weight;

    if (doc == NULL && p->rule->weigh == NULL)
        return false;
    for (size_t t = 0; t < n; t++)
        w[t] = doc != NULL ? (real)doc[i] * (real)doc[lo + t] : 1;
    if (p->rule->weigh != NULL)
        p->rule->weigh(p->rule->judge, i, lo, n, w);
    return true;
}

/* Of a logistic curve, b[t] = the second derivative where d[t] is the first. */
static void pairloss_bend(const struct pair_sum *p, size_t n, const real *restrict d,
                          real *restrict b)
{
    for (size_t t = 0; t < n; t++)
        b[t] = -d[t] * (p->rule->steepness + d[t]);
}

/* a[t] *= w[t] */
static void pairloss_scale(size_t n, const real *restrict w, real *restrict a)
{
    for (size_t t = 0; t < n; t++)
        a[t] *= w[t];
}

/* The run (i, lo .. lo + n) as it should be (sign 1), or the other way round (-1). */
static void pairloss_run(struct pair_sum *p, uint32_t i, uint32_t lo, size_t n, real sign,
                         double share)
{
    real *const d = p->d, *const c = p->c, *const w = p->w;

    pairloss_spread(sign, p->s[i], p->s + lo, n, d);
    if (p->h != NULL && p->rule->curves != NULL)
        p->rule->curves(p->rule->config, fill_up(n, d), d, c, p->b);
    else
        p->rule->curve(p->rule->config, fill_up(n, d), d, c);
    if (p->h != NULL && p->rule->curves == NULL)
        pairloss_bend(p, n, d, p->b);
    if (pairloss_weigh(p, i, lo, n, w)) {
        pairloss_scale(n, w, d);
        pairloss_scale(n, w, c);
        if (p->h != NULL)
            pairloss_scale(n, w, p->b);
    }
    const double slope = real_sum(d, n);
    const real step = (real)(sign * share);

    p->cost += share * real_sum(c, n);
    p->slope -= share * slope; /* no curve rises */
    p->g[i] += step * (real)slope;
    real_axpy(n, -step, d, p->g + lo);
    if (p->h != NULL) {
        p->h[i] += (real)(share * real_sum(p->b, n));
        real_axpy(n, (real)share, p->b, p->h + lo);
    }
}

void pair_sum_run(struct pair_sum *p, uint32_t i, uint32_t lo, uint32_t hi, double share)
{
    if (lo < hi)
        pairloss_run(p, i, lo, hi - lo, 1, share);
}

static void pairloss_settle(struct pair_sum *p)
{
    const size_t n = p->n_held;
    real d[HELD_MAX], c[HELD_MAX], b[HELD_MAX];

    for (size_t t = 0; t < n; t++)
        d[t] = p->s[p->held[t].i] - p->s[p->held[t].j];
    if (p->h != NULL && p->rule->curves != NULL)
        p->rule->curves(p->rule->config, fill_up(n, d), d, c, b);
    else
        p->rule->curve(p->rule->config, fill_up(n, d), d, c);
    for (size_t t = 0; t < n; t++) {
        const real weight = p->held[t].weight;

        p->cost += (double)weight * (double)c[t];
        p->slope -= (double)weight * (double)d[t];
        p->g[p->held[t].i] += weight * d[t];
        p->g[p->held[t].j] -= weight * d[t];
        if (p->h != NULL) {
            const real bent = p->rule->curves != NULL
                                  ? weight * b[t]
                                  : -weight * d[t] * (p->rule->steepness + d[t]);

            p->h[p->held[t].i] += bent;
            p->h[p->held[t].j] += bent;
        }
    }
    p->n_held = 0;
}

static void pairloss_add(struct pair_sum *p, uint32_t i, uint32_t j, real weight)
{
    if (weight <= 0)
        return;
    if (p->n_held == HELD_MAX)
        pairloss_settle(p);
    p->held[p->n_held].i = i;
    p->held[p->n_held].j = j;
    p->held[p->n_held++].weight = weight;
}

void pair_sum_one(struct pair_sum *p, uint32_t i, uint32_t j)
{
    real weight = 1;

    pairloss_weigh(p, i, j, 1, &weight);
    pairloss_add(p, i, j, weight);
}

void pair_sum_ties(struct pair_sum *p)
{
    const uint32_t *const until = p->query->ties_until;

    for (uint32_t i = 0; until != NULL && i < p->query->n_judged; i++)
        if (i + 1 < until[i]) {
            pairloss_run(p, i, i + 1, until[i] - i - 1, 1, 0.5);
            pairloss_run(p, i, i + 1, until[i] - i - 1, -1, 0.5);
        }
}

void pair_sum_listed(struct pair_sum *p)
{
    for (size_t t = 0; t < p->query->n_pairs; t++) {
        const struct pair *const pair = &p->query->pair[t];
        real weight = pair->weight;

        if (p->rule->weigh != NULL)
            p->rule->weigh(p->rule->judge, pair->i, pair->j, 1, &weight);
        pairloss_add(p, pair->i, pair->j, weight * pair->probability);
        pairloss_add(p, pair->j, pair->i, weight * (1 - (real)pair->probability));
    }
}

double pair_sum_close(struct pair_sum *p)
{
    pairloss_settle(p);
    return p->cost;
}

double pair_mean(const struct pair_rule *rule, const struct query_pairs *q, const real *s,
                 real *g, real *h)
{
    struct pair_sum p;

    if (q->n_all <= 0.0)
        return 0.0;
    pair_sum_open(&p, rule, q, s, g, h, q->scratch);
    for (uint32_t i = 0; q->below != NULL && i < q->n_judged; i++)
        pair_sum_run(&p, i, q->below[i], q->until[i], 1.0);
    pair_sum_ties(&p);
    pair_sum_listed(&p);
    const double sum = pair_sum_close(&p);
    const real part = (real)(1.0 / q->n_all);

    for (uint32_t i = 0; i < q->n; i++) {
        g[i] *= part;
        if (h != NULL)
            h[i] *= part;
    }
    return sum / q->n_all;
}
