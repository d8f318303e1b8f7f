/* bt.c -- see bt.h. */
#include "bt.h"

#include "../base/maths.h"
#include "../base/sort.h"
#include "../base/spec.h"

#include <math.h>

struct bt_fit {
    uint32_t n;
    const struct bt_pair *pair;
    size_t n_pairs;
    double ties; /* weight of the ties */
    double prior_sd, nu;
    const double *prior_mean; /* NULL: 0 */
    double *t;
    double *slope; /* n */
    double *h;     /* [n][n]: minus second derivatives, then the factor */
};

/* What a pair's answers say at a distance d: first derivative of log Z by d, its second, and
 * log Z itself, e^|d|/2 taken out so that nothing overflows. */
struct bt_bend {
    double m, v, log_z, p_tie;
};

static struct bt_bend bend_at(double d, double nu)
{
    const double a = fabs(d), e = math_exp(-a), h = nu * math_exp(-a / 2);
    const double z = 1.0 + e + h, lead = (1.0 - e) / z, p_tie = h / z;

    return (struct bt_bend){ .m = (d < 0.0 ? -lead : lead) / 2,
                             .v = (1.0 - p_tie - lead * lead) / 4,
                             .log_z = a / 2 + math_log(z),
                             .p_tie = p_tie };
}

/* The log-posterior at t (nothing that does not depend on t, prior_sd or nu), its slope and
 * the factor of minus its second derivatives; *log_det is that of I + prior_sd^2 H. */
static double bt_derive(struct bt_fit *f, double *log_det)
{
    const size_t n = f->n;
    const double per = 1.0 / (f->prior_sd * f->prior_sd);
    double sum = f->ties > 0.0 ? f->ties * math_log(f->nu) : 0.0;

    memset(f->h, 0, n * n * sizeof *f->h);
    for (size_t i = 0; i < n; i++) {
        const double off = f->t[i] - (f->prior_mean != NULL ? f->prior_mean[i] : 0.0);

        f->slope[i] = -off * per;
        f->h[i * n + i] = per;
        sum -= off * off * per / 2;
    }
    for (size_t k = 0; k < f->n_pairs; k++) {
        const struct bt_pair *const p = &f->pair[k];
        const double d = f->t[p->i] - f->t[p->j];
        const struct bt_bend b = bend_at(d, f->nu);
        const double g = p->lead / 2 - p->weight * b.m, v = p->weight * b.v;

        sum += p->lead * d / 2 - p->weight * b.log_z;
        f->slope[p->i] += g;
        f->slope[p->j] -= g;
        f->h[p->i * n + p->i] += v;
        f->h[p->j * n + p->j] += v;
        f->h[p->j * n + p->i] -= v;
    }
    *log_det = 0.0;
    for (size_t i = 0; i < n; i++) {
        double *const row = f->h + i * n;

        for (size_t j = 0; j <= i; j++) {
            const double *const other = f->h + j * n;
            double rest = row[j];

            for (size_t k = 0; k < j; k++)
                rest -= row[k] * other[k];
            row[j] = j < i ? rest / other[j] : sqrt(rest);
        }
        *log_det += 2 * math_log(row[i] * f->prior_sd);
    }
    return sum;
}

/* Solves L L' x = b, in place. */
static void factor_solve(const double *l, size_t n, double *x)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < i; k++)
            x[i] -= l[i * n + k] * x[k];
        x[i] /= l[i * n + i];
    }
    for (size_t i = n; i-- > 0;) {
        x[i] /= l[i * n + i];
        for (size_t k = 0; k < i; k++)
            x[k] -= l[i * n + k] * x[i];
    }
}

/* Newton's method, halving steps that lead down: the log-posterior is concave. Returns the log of
 * the evidence for prior_sd by Laplace's approximation. */
static double bt_climb(struct bt_fit *f)
{
    double log_det;
    double now = bt_derive(f, &log_det);

    for (int step = 0; step < 100; step++) {
        double most = 0.0;

        factor_solve(f->h, f->n, f->slope);
        for (size_t i = 0; i < f->n; i++)
            most = math_max(most, fabs(f->slope[i]));
        const double by = most > 5.0 ? 5.0 / most : 1.0;

        for (size_t i = 0; i < f->n; i++)
            f->t[i] += by * f->slope[i];
        now = bt_derive(f, &log_det);
        if (most < 1e-9)
            break;
    }
    return now - log_det / 2;
}

/* How likely so wide a prior is before any answer: log prior_sd ~ N(log 1.5, 1). */
static double bt_width_prior(double log_sd)
{
    const double off = log_sd - 0.4;

    return -off * off / 2;
}

/* nu, given strengths: the weight of ties is what is expected; half a tie and half an answer
 * between equals are added. */
static void fit_nu(struct bt_fit *f)
{
    for (int step = 0; step < 50 && f->ties > 0.0; step++) {
        double expected = f->nu / (2.0 + f->nu), bent = expected * (1.0 - expected);

        for (size_t k = 0; k < f->n_pairs; k++) {
            const double p = bend_at(f->t[f->pair[k].i] - f->t[f->pair[k].j], f->nu).p_tie;

            expected += f->pair[k].weight * p;
            bent += f->pair[k].weight * p * (1.0 - p);
        }
        const double by = (f->ties + 0.5 - expected) / bent;

        f->nu *= math_exp(math_min(2.0, math_max(-2.0, by)));
        if (fabs(by) < 1e-9)
            break;
    }
}

/* Strengths, nu and the width of the prior, each given the others, until none moves. */
static void bt_find(struct bt_fit *f, bool finds_sd, bool finds_nu)
{
    double low = -2.5, high = 3.0;

    if (finds_sd)
        f->prior_sd = math_exp(0.4);
    (void)bt_climb(f);
    for (int step = 0; step < (finds_nu ? 30 : 0); step++) {
        fit_nu(f);
        (void)bt_climb(f);
    }
    while (finds_sd && high - low > 0.01) {
        const double a = low + 0.382 * (high - low), b = low + 0.618 * (high - low);

        f->prior_sd = math_exp(a);
        const double at_a = bt_climb(f) + bt_width_prior(a);

        f->prior_sd = math_exp(b);
        if (at_a > bt_climb(f) + bt_width_prior(b))
            high = b;
        else
            low = a;
    }
    for (int step = 0; step < (finds_nu ? 30 : 1); step++) {
        if (finds_nu)
            fit_nu(f);
        (void)bt_climb(f);
    }
}

/* The covariance of strengths less their mean, from the factor. */
static void bt_spread(const struct bt_fit *f, double *cov)
{
    const size_t n = f->n;
    double all = 0.0;

    for (size_t i = 0; i < n; i++) {
        cov[i * n + i] = 1.0;
        factor_solve(f->h, n, cov + i * n);
    }
    for (size_t i = 0; i < n; i++) {
        f->slope[i] = 0.0;
        for (size_t k = 0; k < n; k++)
            f->slope[i] += cov[i * n + k] / (double)n;
        all += f->slope[i] / (double)n;
    }
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++)
            cov[i * n + k] += all - f->slope[i] - f->slope[k];
}

static peck_status check_answers(const peck_pref *answer, size_t n_answers, size_t n_items,
                                 peck_error *err)
{
    for (size_t k = 0; k < n_answers; k++) {
        const peck_pref *const a = &answer[k];

        if (a->winner >= n_items || a->loser >= n_items)
            return fail(err, PECK_ARG, "answer %zu: item %zu of %zu", k + 1,
                        a->winner >= n_items ? a->winner : a->loser, n_items);
        if (a->winner == a->loser)
            return fail(err, PECK_ARG, "answer %zu: item %zu is compared with itself",
                        k + 1, a->winner);
        if (!(a->probability >= 0.0f && a->probability <= 1.0f))
            return fail(err, PECK_ARG, "answer %zu: probability %g; from 0 to 1 it goes",
                        k + 1, (double)a->probability);
        if (!(a->weight > 0.0f && isfinite(a->weight)))
            return fail(err, PECK_ARG, "answer %zu: weight %g; above 0 it must be", k + 1,
                        (double)a->weight);
    }
    return PECK_OK;
}

/* Answers put together by pair. */
static peck_status gather_pairs(struct peck_strengths *s, struct bt_fit *f,
                                const peck_pref *answer, size_t n_answers, peck_error *err)
{
    struct arena room = { 0 };
    struct sort_item *const key = arena_new(&room, "answers", 2 * n_answers, sizeof *key);

    s->pair = arena_new(&s->arena, "answers", n_answers, sizeof *s->pair);
    peck_status st = arena_check(&room, err);

    if (st == PECK_OK)
        st = arena_check(&s->arena, err);
    for (size_t k = 0; st == PECK_OK && k < n_answers; k++) {
        const uint64_t a = answer[k].winner, b = answer[k].loser;

        key[k] = (struct sort_item){ a < b ? a << 32 | b : b << 32 | a, (uint32_t)k };
    }
    if (st == PECK_OK)
        sort_items(key, n_answers, key + n_answers);
    for (size_t k = 0; st == PECK_OK && k < n_answers; k++) {
        const peck_pref *const a = &answer[key[k].from];
        const double weight = a->weight, p = a->probability;
        const double lead = weight * (2.0 * p - 1.0);

        if (k == 0 || key[k].key != key[k - 1].key)
            s->pair[s->n_pairs++] = (struct bt_pair){ .i = (uint32_t)(key[k].key >> 32),
                                                      .j = (uint32_t)key[k].key };
        struct bt_pair *const to = &s->pair[s->n_pairs - 1];

        to->lead += a->winner < a->loser ? lead : -lead;
        to->weight += weight;
        s->weight += weight;
        if (a->probability == 0.5f)
            f->ties += weight;
    }
    arena_free(&room);
    return st;
}

static peck_status fit_strengths(struct peck_strengths *s, const peck_pref *answer,
                                 size_t n_answers, const peck_strengths_spec *spec,
                                 peck_error *err)
{
    const size_t n = s->n;
    struct arena room = { 0 };
    struct bt_fit f = { .n = s->n,
                        .prior_mean = spec->prior_mean,
                        .prior_sd = spec->prior_sd };
    double mean = 0.0;

    TRY(gather_pairs(s, &f, answer, n_answers, err));
    s->t = arena_new(&s->arena, "strengths", n, sizeof *s->t);
    s->var = arena_new(&s->arena, "strengths", n, sizeof *s->var);
    s->cov = arena_new(&s->arena, "covariances", n * n, sizeof *s->cov);
    f.t = s->t;
    f.pair = s->pair;
    f.n_pairs = s->n_pairs;
    f.slope = arena_new(&room, "strengths", n, sizeof *f.slope);
    f.h = arena_new(&room, "covariances", n * n, sizeof *f.h);
    f.nu = spec->tie > 0.0 ? spec->tie : f.ties > 0.0 ? 0.5 : 0.0;
    peck_status st = arena_check(&s->arena, err);

    if (st == PECK_OK)
        st = arena_check(&room, err);
    if (st == PECK_OK) {
        for (size_t i = 0; spec->prior_mean != NULL && i < n; i++)
            f.t[i] = spec->prior_mean[i];
        bt_find(&f, spec->prior_sd <= 0.0, spec->tie <= 0.0 && f.ties > 0.0);
        bt_spread(&f, s->cov);
        for (size_t i = 0; i < n; i++)
            mean += s->t[i] / (double)n;
        for (size_t i = 0; i < n; i++) {
            s->t[i] -= mean;
            s->var[i] = s->cov[i * n + i];
        }
        s->prior_sd = f.prior_sd;
        s->tie = f.nu;
    }
    arena_free(&room);
    return st;
}

peck_status peck_strengths_fit(peck_strengths **out, const peck_pref *answer,
                               size_t n_answers, size_t n_items,
                               const peck_strengths_spec *spec, peck_error *err)
{
    peck_strengths_spec own;

    *out = NULL;
    TRY(SPEC_TAKE(peck_strengths_spec, &own, ctx, spec, err));
    if (n_items > INT32_MAX || n_answers > UINT32_MAX)
        return fail(err, PECK_ARG, "%zu items and %zu answers; at most %d and %u", n_items,
                    n_answers, INT32_MAX, UINT32_MAX);
    if (!(own.prior_sd >= 0.0 && isfinite(own.prior_sd)))
        return fail(err, PECK_ARG, "a prior deviation of %g; 0 (found) or more",
                    own.prior_sd);
    if (!isfinite(own.tie))
        return fail(err, PECK_ARG, "a tie parameter of %g; a number it must be", own.tie);
    for (size_t i = 0; own.prior_mean != NULL && i < n_items; i++)
        if (!isfinite(own.prior_mean[i]))
            return fail(err, PECK_ARG, "item %zu: a prior mean of %g; a number it must be",
                        i, own.prior_mean[i]);
    TRY(check_answers(answer, n_answers, n_items, err));
    struct peck_strengths *const s = mem_new(1, sizeof *s);

    if (s == NULL)
        return fail_memory(err, "strengths", 1, sizeof *s);
    s->n = (uint32_t)n_items;
    const peck_status st = fit_strengths(s, answer, n_answers, &own, err);

    if (st == PECK_OK)
        *out = s;
    else
        peck_strengths_free(s);
    return st;
}

void peck_strengths_read(const peck_strengths *s, double *mean, double *sd)
{
    for (uint32_t i = 0; i < s->n; i++) {
        if (mean != NULL)
            mean[i] = s->t[i];
        if (sd != NULL)
            sd[i] = sqrt(s->var[i]);
    }
}

double bt_var(const struct peck_strengths *s, uint32_t i, uint32_t j)
{
    const double both = s->var[i] + s->var[j];

    return s->cov == NULL ? both : both - 2 * s->cov[(size_t)i * s->n + j];
}

double bt_phi(double z)
{
    return math_erfc(-z * 0.70710678118654752440) / 2;
}

double bt_above(const struct peck_strengths *s, uint32_t i, uint32_t j)
{
    const double var = bt_var(s, i, j), d = s->t[i] - s->t[j];

    return var > 0.0 ? bt_phi(d / sqrt(var)) : d > 0.0 ? 1.0 : d < 0.0 ? 0.0 : 0.5;
}

double peck_strengths_above(const peck_strengths *s, size_t i, size_t j)
{
    return i == j ? 0.5 : bt_above(s, (uint32_t)i, (uint32_t)j);
}

void peck_strengths_free(peck_strengths *s)
{
    if (s == NULL)
        return;
    arena_free(&s->arena);
    mem_free(s);
}
