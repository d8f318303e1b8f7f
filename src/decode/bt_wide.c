/* bt_wide.c -- see bt_wide.h. */
#include "bt_wide.h"

#include "../base/factor.h"
#include "../base/maths.h"

#include <math.h>
#include <string.h>

#define USUAL_ITEMS 2.0 /* items of a usual width that are added ... */
#define USUAL_VAR 4.0   /* ... and their variance */
#define LEAST_VAR 0.01  /* of strengths */
#define MOST_VAR 400.0

enum {
    NODES = 17,      /* of an average: every half deviation, up to four */
    MANY = 300,      /* items of which a round costs time */
    ROUNDS = 40,     /* at most ... */
    FEW_ROUNDS = 15, /* ... of many items */
};

#define DAMPING 0.8 /* all pairs move at once, so each goes a part of the way */

/* What stands for a pair's answers: e^(pull d - precision d^2 / 2). */
struct site {
    double precision, pull;
};

struct wide {
    const struct bt_task *task;
    size_t n, side;
    double nu, var;      /* var: of the prior */
    double *t, *cov;     /* cov [n][n] */
    double *a, *inverse; /* [side][side] */
    double *mean;        /* side */
    struct site *site;   /* of each pair */
    bool is_begun;       /* sites are those of a round */
};

/* Mean and variance of a difference whose density is what the rest says, N(rest, rest_var), times
 * the likelihood of the pair's answers; about N(d, var), by the trapezoid rule there. */
static void tilted(const struct bt_pair *p, double nu, double rest, double rest_var,
                   double d, double var, double *mean, double *spread)
{
    const double sd = sqrt(var);
    double log_f[NODES], most = -HUGE_VAL, sum = 0.0, first = 0.0, second = 0.0;

    for (int k = 0; k < NODES; k++) {
        const double z = (k - NODES / 2) / 2.0, x = d + sd * z, off = x - rest;
        const double e = math_exp(-fabs(x) / 2);

        log_f[k] = p->lead * x / 2 -
                   p->weight * (fabs(x) / 2 + math_log(1.0 + e * (e + nu))) -
                   off * off / (2 * rest_var);
        most = math_max(most, log_f[k]);
    }
    for (int k = 0; k < NODES; k++) {
        const double z = (k - NODES / 2) / 2.0, f = math_exp(log_f[k] - most);

        sum += f;
        first += f * z;
        second += f * z * z;
    }
    first /= sum;
    *mean = d + sd * first;
    *spread = var * math_max(second / sum - first * first, 0.01);
}

/* The sites of all pairs, anew (expectation propagation: Minka 2001). */
static void wide_sites(struct wide *w)
{
    const struct pair_table *const pairs = w->task->pairs;
    const double part = w->is_begun ? DAMPING : 1.0;

    for (size_t k = 0; k < pairs->n_pairs; k++) {
        const struct bt_pair *const p = &pairs->pair[k];
        const size_t i = p->i, j = p->j, n = w->n;
        const double d = w->t[i] - w->t[j];
        const double var =
            math_max(w->cov[i * n + i] + w->cov[j * n + j] - 2 * w->cov[i * n + j], 1e-12);
        struct site *const s = &w->site[k];
        double mean, spread;

        if (!w->is_begun) {
            /* The curvature at d. */
            const double e = math_exp(-fabs(d) / 2), z = 1.0 + e * (e + w->nu);
            const double lead = (1.0 - e * e) / z, m = d < 0.0 ? -lead : lead;

            s->precision = p->weight * (1.0 - w->nu * e / z - lead * lead) / 4;
            s->pull = (p->lead - p->weight * m) / 2 + s->precision * d;
            continue;
        }
        const double per = 1.0 / var - s->precision; /* what the rest knows */

        if (per * var < 1e-6)
            continue;
        const double rest = (d / var - s->pull) / per;

        tilted(p, w->nu, rest, 1.0 / per, d, var, &mean, &spread);
        s->precision += part * (math_max(0.0, 1.0 / spread - per) - s->precision);
        s->pull += part * (mean / spread - rest * per - s->pull);
    }
    w->is_begun = true;
}

static double off_mean(const struct wide *w, size_t i)
{
    return w->t[i] - (w->task->prior_mean != NULL ? w->task->prior_mean[i] : 0.0);
}

/* One step of the sites, and the posterior with them; returns the mean's largest change. */
static double wide_round(struct wide *w)
{
    const struct pair_table *const pairs = w->task->pairs;
    const size_t n = w->n, side = w->side;
    double most = 0.0;

    wide_sites(w);
    memset(w->a, 0, side * side * sizeof *w->a);
    memset(w->mean, 0, side * sizeof *w->mean);
    for (size_t i = 0; i < side; i++)
        w->a[i * side + i] = i < n ? 1.0 / w->var : 1.0;
    for (size_t i = 0; w->task->prior_mean != NULL && i < n; i++)
        w->mean[i] = w->task->prior_mean[i] / w->var;
    for (size_t k = 0; k < pairs->n_pairs; k++) {
        const size_t i = pairs->pair[k].i, j = pairs->pair[k].j;
        const struct site *const s = &w->site[k];

        w->mean[i] += s->pull;
        w->mean[j] -= s->pull;
        w->a[i * side + i] += s->precision;
        w->a[j * side + j] += s->precision;
        w->a[j * side + i] -= s->precision; /* i < j: the lower half */
    }
    factor_make(w->a, side, w->task->pool);
    factor_solve(w->a, side, w->mean);
    for (size_t i = 0; i < n; i++) {
        most = math_max(most, fabs(w->mean[i] - w->t[i]));
        w->t[i] = w->mean[i];
    }
    factor_invert(w->a, side, w->inverse, w->task->pool);
    factor_square(w->inverse, side, w->a, w->task->pool);
    for (size_t i = 0; i < n; i++)
        memcpy(w->cov + i * n, w->a + i * side, n * sizeof *w->cov);
    return most;
}

/* Where the prior's variance should go (MacKay 1992), in logs. */
static double wider_by(const struct wide *w)
{
    double squares = USUAL_ITEMS * USUAL_VAR, known = USUAL_ITEMS + (double)w->n;

    for (size_t i = 0; i < w->n; i++) {
        squares += off_mean(w, i) * off_mean(w, i);
        known -= w->cov[i * w->n + i] / w->var;
    }
    return math_log(squares / known / w->var);
}

/* How far a deviation of log sd moves each: d mean / d log sd = 2 cov (mean - m) / sd^2, and
 * the bound's second derivative by log sd. */
static void find_doubt(const struct wide *w, double *doubt)
{
    double bend = 2 * USUAL_ITEMS * USUAL_VAR / w->var;

    for (size_t i = 0; i < w->n; i++) {
        const double *const row = w->cov + i * w->n, off = off_mean(w, i);
        double sum = 0.0, squares = 0.0;

        for (size_t j = 0; j < w->n; j++) {
            sum += row[j] * off_mean(w, j);
            squares += row[j] * row[j];
        }
        doubt[i] = 2 * sum / w->var;
        bend += 2 * (off * off + row[i]) / w->var;
        bend -= (4 * off * sum + 2 * squares) / (w->var * w->var);
    }
    const double sd = sqrt(1.0 / math_max(bend, 0.5));

    for (size_t i = 0; i < w->n; i++)
        doubt[i] *= sd;
}

peck_status bt_widen(const struct bt_task *task, double tie, struct bt_result *out,
                     double *doubt, peck_error *err)
{
    static const char what[] = "covariances";
    const size_t n = task->pairs->n, side = factor_side(n);
    const int rounds = n > MANY ? FEW_ROUNDS : ROUNDS;
    struct arena room = { 0 };
    struct wide w = { .task = task,
                      .n = n,
                      .side = side,
                      .nu = tie,
                      .var = task->prior_sd * task->prior_sd,
                      .t = out->t,
                      .cov = out->cov };

    w.a = arena_new(&room, what, side * side, sizeof *w.a);
    w.inverse = arena_new(&room, what, side * side, sizeof *w.inverse);
    w.mean = arena_new(&room, what, side, sizeof *w.mean);
    w.site = arena_new(&room, what, task->pairs->n_pairs, sizeof *w.site);
    const peck_status st = arena_check(&room, err);
    double was = 1.0; /* the step before */

    /* Steps of the width shrink by about the same share each: every third goes to where they
     * would end (Aitken).  The last round has no step, so that cov is that of the width. */
    for (int k = 0; st == PECK_OK && k < rounds; k++) {
        const double most = wide_round(&w), by = wider_by(&w), share = by / was;
        const bool is_leap = k % 3 == 2 && share > 0.0 && share < 0.95;

        if ((most < 1e-3 && fabs(by) < 1e-3) || k == rounds - 1)
            break;
        was = by;
        w.var *= math_exp(math_max(-1.5, math_min(1.5, is_leap ? by / (1.0 - share) : by)));
        w.var = math_max(LEAST_VAR, math_min(MOST_VAR, w.var));
    }
    if (st == PECK_OK)
        find_doubt(&w, doubt);
    for (size_t i = 0; st == PECK_OK && i < n; i++)
        out->var[i] = out->cov[i * n + i];
    out->prior_sd = sqrt(w.var);
    arena_free(&room);
    return st;
}
