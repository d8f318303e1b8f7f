/* signif.c -- tests between two runs; see signif.h for the statistic.
 *
 * Student; Wilcoxon, "Individual comparisons by ranking methods", 1945; Fisher, "The
 * design of experiments", 1935; Efron, "Bootstrap methods", 1979; Nadeau and Bengio,
 * "Inference for the generalization error", 2003; Holm, "A simple sequentially
 * rejective multiple test procedure", 1979.                                         */
#include "signif.h"

#include "../base/alloc.h"
#include "../base/maths.h"
#include "../base/rng.h"
#include "../base/sort.h"

#include <math.h>

static double weight_at(const struct sample *s, size_t i)
{
    return s->weight != NULL ? s->weight[i] : 1.0;
}

double sample_mean(const struct sample *s)
{
    double mean = 0.0;

    for (size_t f = 0; f < s->n_folds; f++) {
        double num = 0.0, den = 0.0;

        for (size_t i = s->start[f]; i < s->start[f + 1]; i++) {
            num += weight_at(s, i) * s->d[i];
            den += weight_at(s, i);
        }
        mean += num / den;
    }
    return mean / (double)s->n_folds;
}

/* Student ------------------------------------------------------------------------- */

/* Keeps Lentz's method away from 0. */
static double off_zero(double v)
{
    return fabs(v) < 1e-300 ? 1e-300 : v;
}

/* The continued fraction of I_x(a, b), by Lentz's method; quick for x < (a+1)/(a+b+2).
 *     1 / (1 + d_1 / (1 + d_2 / (1 + ...)))
 *     d_2m   =  m (b - m) x / ((a + 2m - 1)(a + 2m))
 *     d_2m+1 = -(a + m)(a + b + m) x / ((a + 2m)(a + 2m + 1))                        */
static double beta_fraction(double a, double b, double x)
{
    double c = 1.0, d = 1.0 / off_zero(1.0 - (a + b) * x / (a + 1.0)), value = d;

    for (int m = 1; m < 10000; m++) {
        const double even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        const double odd =
            -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));

        d = 1.0 / off_zero(1.0 + even * d);
        c = off_zero(1.0 + even / c);
        value *= d * c;
        d = 1.0 / off_zero(1.0 + odd * d);
        c = off_zero(1.0 + odd / c);
        value *= d * c;
        if (fabs(d * c - 1.0) < 1e-15)
            break;
    }
    return value;
}

/* I_x(a, b) = x^a (1 - x)^b / (a B(a, b)) times the fraction; DLMF 8.17.22.  Where that is
 * slow, I_x(a, b) = 1 - I_1-x(b, a). */
double beta_share(double a, double b, double x)
{
    if (x <= 0.0)
        return 0.0;
    if (x >= 1.0)
        return 1.0;
    const double front = math_exp(math_log_gamma(a + b) - math_log_gamma(a) -
                                  math_log_gamma(b) + a * math_log(x) + b * math_log1p(-x));

    if (x < (a + 1.0) / (a + b + 2.0))
        return front * beta_fraction(a, b, x) / a;
    return 1.0 - front * beta_fraction(b, a, 1.0 - x) / b;
}

/* P(|T| > |t|) = I_x(v / 2, 1 / 2), x = v / (v + t^2), v degrees of freedom. */
double student_p(double t, double freedom)
{
    if (isinf(t))
        return 0.0;
    return beta_share(0.5 * freedom, 0.5, freedom / (freedom + t * t));
}

/* p of mean / sqrt(variance * factor), with n - 1 degrees of freedom. */
static double t_test(const double *d, size_t n, double factor)
{
    double mean = 0.0, variance = 0.0;

    if (n < 2)
        return (double)NAN;
    for (size_t i = 0; i < n; i++)
        mean += d[i];
    mean /= (double)n;
    for (size_t i = 0; i < n; i++)
        variance += (d[i] - mean) * (d[i] - mean);
    variance /= (double)n - 1.0;
    const double error = sqrt(variance * factor);

    if (mean == 0.0)
        return 1.0;
    /* Equal differences leave a variance of rounding alone. */
    if (error <= 1e-14 * fabs(mean))
        return 0.0;
    return student_p(mean / error, (double)n - 1.0);
}

double paired_t_p(const double *d, size_t n)
{
    return t_test(d, n, 1.0 / (double)n);
}

double folds_t_p(const double *fold_difference, size_t k)
{
    return t_test(fold_difference, k, 1.0 / (double)k + 1.0 / ((double)k - 1.0));
}

/* Wilcoxon ------------------------------------------------------------------------ */

enum { EXACT_UP_TO = 25 };

/* P(W <= w) for the sum W of a random subset of the ranks 1 .. n: ways[s] counts the
 * subsets with sum s. */
static double exact_tail(size_t n, double w)
{
    enum { SUMS = EXACT_UP_TO * (EXACT_UP_TO + 1) / 2 + 1 };
    double ways[SUMS] = { 1.0 }, below = 0.0;
    size_t top = 0;

    for (size_t rank = 1; rank <= n; rank++) {
        top += rank;
        for (size_t s = top; s >= rank; s--)
            ways[s] += ways[s - rank];
    }
    for (size_t s = 0; s <= top && (double)s <= w; s++)
        below += ways[s];
    return below / math_exp2((double)n);
}

peck_status wilcoxon_p(double *p, const double *d, size_t n, peck_error *err)
{
    struct sort_item *const item = mem_new(n, 2 * sizeof *item);
    double plus = 0.0;      /* sum of the ranks of positive differences */
    double tie_cubes = 0.0; /* sum of t^3 - t over runs of t equal sizes */
    size_t m = 0;

    if (item == NULL)
        return fail_memory(err, "ranks", n, 2 * sizeof *item);
    for (size_t i = 0; i < n; i++)
        if (d[i] != 0.0)
            item[m++] = (struct sort_item){ key_desc(fabs(d[i])), (uint32_t)i };
    sort_items(item, m, item + m);
    for (size_t lo = 0, hi; lo < m; lo = hi) {
        for (hi = lo + 1; hi < m && item[hi].key == item[lo].key;)
            hi++;
        /* Places lo .. hi-1 of falling sizes are the ranks m-lo .. m-hi+1. */
        const double t = (double)(hi - lo);
        const double rank = 0.5 * ((double)(m - lo) + (double)(m - hi + 1));

        tie_cubes += t * t * t - t;
        for (size_t i = lo; i < hi; i++)
            if (d[item[i].from] > 0.0)
                plus += rank;
    }
    mem_free(item);
    const double count = (double)m, all = 0.5 * count * (count + 1.0);

    if (m == 0) {
        *p = 1.0;
    } else if (m <= EXACT_UP_TO && tie_cubes == 0.0) {
        *p = math_min(1.0, 2.0 * exact_tail(m, math_min(plus, all - plus)));
    } else {
        /* Of m ranks the sum has mean m (m + 1) / 4 and variance
         * m (m + 1)(2 m + 1) / 24 - sum over ties of (t^3 - t) / 48. */
        const double variance = all * (2.0 * count + 1.0) / 12.0 - tie_cubes / 48.0;

        *p = math_erfc(fabs(plus - 0.5 * all) / sqrt(2.0 * variance));
    }
    return PECK_OK;
}

/* Resampling ---------------------------------------------------------------------- */

/* num += what one fold's queries weigh in, drawn anew; den += their weights. */
typedef void draw_fold(const struct sample *s, size_t fold, struct rng *r, double *num,
                       double *den);

/* Each resample draws from a stream of its own, so threads do not matter. */
struct resampling {
    const struct sample *sample;
    draw_fold *draw;
    uint64_t seed;
    double *value; /* one a resample */
};

/* Bootstrap: as many queries as the fold has, with repetition. */
static void redraw(const struct sample *s, size_t fold, struct rng *r, double *num,
                   double *den)
{
    const size_t n = s->start[fold + 1] - s->start[fold];

    for (size_t k = 0; k < n; k++) {
        const size_t q = s->start[fold] + (size_t)rng_below(r, n);

        *num += weight_at(s, q) * s->d[q];
        *den += weight_at(s, q);
    }
}

/* Randomisation: a coin for each query, 64 of them from one draw. */
static void flip(const struct sample *s, size_t fold, struct rng *r, double *num,
                 double *den)
{
    uint64_t coins = 0;

    for (size_t q = s->start[fold]; q < s->start[fold + 1]; q++, coins >>= 1) {
        if ((q - s->start[fold]) % 64 == 0)
            coins = rng_u64(r);
        const double w = weight_at(s, q);

        *num += coins & 1 ? w * s->d[q] : -w * s->d[q];
        *den += w;
    }
}

static void draw_mean(void *ctx, size_t i, int worker)
{
    struct resampling *const job = ctx;
    const size_t n_folds = job->sample->n_folds;
    double mean = 0.0;
    struct rng rng;

    (void)worker;
    rng_seed(&rng, job->seed, i);
    for (size_t f = 0; f < n_folds; f++) {
        double num = 0.0, den = 0.0;

        job->draw(job->sample, f, &rng, &num, &den);
        mean += num / den;
    }
    job->value[i] = mean / (double)n_folds;
}

static peck_status resample(struct resampling *job, size_t resamples, struct pool *pool,
                            peck_error *err)
{
    job->value = mem_new(resamples, sizeof *job->value);
    if (job->value == NULL)
        return fail_memory(err, "resamples", resamples, sizeof *job->value);
    pool_run(pool, resamples, draw_mean, job);
    return PECK_OK;
}

/* The q-quantile of falling keys, linear between neighbours. */
static double falling_quantile(const struct sort_item *falling, const double *value,
                               size_t n, double q)
{
    const double at = (1.0 - q) * (double)(n - 1);
    const size_t i = (size_t)at, j = i + 1 < n ? i + 1 : i;
    const double a = value[falling[i].from], b = value[falling[j].from];

    return a + (at - (double)i) * (b - a);
}

peck_status bootstrap_interval(struct interval *out, const struct sample *s,
                               size_t resamples, uint64_t seed, struct pool *pool,
                               peck_error *err)
{
    struct resampling job = { .sample = s, .draw = redraw, .seed = mix64(seed, 1) };

    TRY(resample(&job, resamples, pool, err));
    struct sort_item *const item = mem_new(resamples, 2 * sizeof *item);

    if (item == NULL) {
        mem_free(job.value);
        return fail_memory(err, "resamples", resamples, 2 * sizeof *item);
    }
    for (size_t i = 0; i < resamples; i++)
        item[i] = (struct sort_item){ key_desc(job.value[i]), (uint32_t)i };
    sort_items(item, resamples, item + resamples);
    *out = (struct interval){ falling_quantile(item, job.value, resamples, 0.025),
                              falling_quantile(item, job.value, resamples, 0.975) };
    mem_free(item);
    mem_free(job.value);
    return PECK_OK;
}

peck_status randomisation_p(double *p, const struct sample *s, size_t resamples,
                            uint64_t seed, struct pool *pool, peck_error *err)
{
    struct resampling job = { .sample = s, .draw = flip, .seed = mix64(seed, 2) };
    /* Sums in another order may round differently: a hair's breadth counts as equal. */
    const double bar = fabs(sample_mean(s)) * (1.0 - 1e-12);
    size_t as_large = 0;

    TRY(resample(&job, resamples, pool, err));
    for (size_t i = 0; i < resamples; i++)
        as_large += fabs(job.value[i]) >= bar;
    mem_free(job.value);
    *p = ((double)as_large + 1.0) / ((double)resamples + 1.0);
    return PECK_OK;
}

/* Holm ---------------------------------------------------------------------------- */

/* The k-th smallest of n p values, k from 1, becomes (n - k + 1) p, but at most 1 and no
 * less than what those below it became. */
void holm_correct(double *out, const double *p, size_t n)
{
    size_t tests = 0;

    for (size_t i = 0; i < n; i++)
        tests += !isnan(p[i]);
    for (size_t i = 0; i < n; i++) {
        size_t before = 0; /* how many come first when p rises; equal ones by place */

        for (size_t j = 0; j < n; j++)
            before += p[j] < p[i] || (p[j] == p[i] && j < i);
        out[i] = isnan(p[i]) ? (double)NAN : math_min(1.0, (double)(tests - before) * p[i]);
    }
    /* No p may fall below that of a smaller one.  In place: a larger value that was put
     * in already is one that counts for this place as well. */
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            if (p[j] <= p[i])
                out[i] = math_max(out[i], out[j]);
}
