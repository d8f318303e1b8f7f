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
    FEW_ROUNDS = 12, /* ... of many items */
};

struct bend {
    double m, v; /* P(i) - P(j), and minus the second derivative, of one answer */
};

/* Averages over a difference ~ N(d, var). */
static struct bend average(double d, double var, double nu)
{
    /* e^(-x^2/2), x = -4, -3.5 ... 4, over their sum. */
    static const double weight[NODES] = {
        0.00006692, 0.00043635, 0.00221596, 0.00876430, 0.02699596, 0.06475994,
        0.12098749, 0.17603576, 0.19947465, 0.17603576, 0.12098749, 0.06475994,
        0.02699596, 0.00876430, 0.00221596, 0.00043635, 0.00006692,
    };
    const double sd = math_min(sqrt(var), 20.0);
    const double by = math_exp(sd / 4);
    double up = math_exp(math_max(-200.0, math_min(200.0, d)) / 2 - sd * 2);
    struct bend sum = { 0 };

    for (int k = 0; k < NODES; k++, up *= by) {
        const double down = 1.0 / up, per = 1.0 / (up + down + nu);
        const double m = (up - down) * per;

        sum.m += weight[k] * m;
        sum.v += weight[k] * (1.0 - nu * per - m * m) / 4;
    }
    return sum;
}

struct wide {
    const struct bt_task *task;
    size_t n, side;
    double nu, var;      /* of the prior */
    double *t, *cov;     /* cov [n][n] */
    double *a, *inverse; /* [side][side] */
    double *slope;       /* side */
};

static double off_mean(const struct wide *w, size_t i)
{
    return w->t[i] - (w->task->prior_mean != NULL ? w->task->prior_mean[i] : 0.0);
}

/* One step of the mean and of the covariance; returns the mean's largest change. */
static double wide_round(struct wide *w)
{
    const struct pair_table *const pairs = w->task->pairs;
    const size_t n = w->n, side = w->side;
    double most = 0.0;

    memset(w->a, 0, side * side * sizeof *w->a);
    memset(w->slope, 0, side * sizeof *w->slope);
    for (size_t i = 0; i < side; i++)
        w->a[i * side + i] = i < n ? 1.0 / w->var : 1.0;
    for (size_t i = 0; i < n; i++)
        w->slope[i] = -off_mean(w, i) / w->var;
    for (size_t k = 0; k < pairs->n_pairs; k++) {
        const struct bt_pair *const p = &pairs->pair[k];
        const size_t i = p->i, j = p->j;
        const double var = w->cov[i * n + i] + w->cov[j * n + j] - 2 * w->cov[i * n + j];
        const struct bend b = average(w->t[i] - w->t[j], math_max(0.0, var), w->nu);
        const double slope = (p->lead - p->weight * b.m) / 2, v = p->weight * b.v;

        w->slope[i] += slope;
        w->slope[j] -= slope;
        w->a[i * side + i] += v;
        w->a[j * side + j] += v;
        w->a[j * side + i] -= v; /* i < j: the lower half */
    }
    factor_make(w->a, side, w->task->pool);
    factor_solve(w->a, side, w->slope);
    for (size_t i = 0; i < n; i++)
        most = math_max(most, fabs(w->slope[i]));
    const double by = most > 2.0 ? 2.0 / most : 1.0;

    for (size_t i = 0; i < n; i++)
        w->t[i] += by * w->slope[i];
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
    w.slope = arena_new(&room, what, side, sizeof *w.slope);
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
