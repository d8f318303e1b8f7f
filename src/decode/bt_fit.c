/* bt_fit.c -- see bt_fit.h.
 *
 * Newton's method on the log-posterior of t and y = log nu, which is concave in t:
 *
 *   A = H + I / sd^2,   H_ii = sum of v_ij,   H_ij = -v_ij,   v_ij = weight (1 - P(tie) - m^2) / 4
 *
 * with m = P(i) - P(j).  H's rows sum to 0, so A^-1's rows sum to sd^2, and what is said of
 * strengths less their mean is that less sd^2 / n in every element.
 *
 * The prior's width is where the evidence for it, by Laplace's approximation, is largest:
 * log posterior - log det(sd^2 A) / 2 at its peak, with a weak prior of its own.  It is then taken WIDER: the peak of a skew posterior is nearer to the prior's
 * mean than what it stands for, by about what that makes up (intervals of 95 % cover 93 to
 * 97 % of simulated strengths, for deviations 1 and 3 and 5 to 15 answers an item).     */
#include "bt_fit.h"

#include "../base/factor.h"
#include "../base/maths.h"

#include <math.h>

enum {
    BLOCK = 256, /* items a task */
    MOST_STEPS = 60,
    MOST_WIDTHS = 12,
    MOST_TURNS = 500, /* of conjugate gradients */
    LOOKS = 3,        /* at each item's neighbours, for a variance */
    FACTORS = 64,     /* that a double holds: one logarithm for all of them */
};

#define USUAL_LOG_SD 0.4 /* of strengths, before any answer: log 1.5, give or take 1 */
#define LEAST_LOG_SD \
    -0.7 /* log 0.5: of an answer or two an item the approximation knows too
                           * little, and would have all items equal */
#define WIDER 1.3
#define FIRST_NU 0.5
#define LONGEST 4.0       /* step of a strength */
#define NEAR 0.05         /* of a step on average, while the width is sought */
#define DONE 1e-6         /* length of the last step: what is left is of its square, ... */
#define DONE_ROUGHLY 1e-4 /* ... or RESIDUE times it */
#define RESIDUE 1e-3      /* of a solution by conjugate gradients ... */
#define ROUGHLY 0.05      /* ... and while the width is sought */
#define NU_TIES 0.5 /* ties that are added to those of the answers, and half an answer */
#define NU_WINS 0.5 /* that is none, between equals: nu stays finite */

/* Sums over a block of items. */
enum { VALUE, TIES, TIES_BEND, DOT, LOG_DET, N_SUMS };

struct bt_fit {
    const struct bt_task *task;
    uint32_t n;
    size_t n_blocks, side; /* side: of the matrices */
    bool is_dense, finds_nu;
    double sd, nu;
    double value; /* of the log-posterior, what no t changes left out */
    double nu_slope, nu_bend;
    double *t, *before;
    double *slope, *diagonal; /* n: first derivatives; A's diagonal */
    double *border;           /* n: minus the derivatives of slope by log nu */
    double *step, *nu_step;   /* side */
    double *sums;             /* [n_blocks][N_SUMS] */
    double *v;                /* by place in versus[] */
    double *a, *inverse;      /* [side][side], dense */
    double *r, *p, *ap;       /* n, else */
    const double *x;          /* that ap = A x is made of */
    double residue;           /* of solutions by conjugate gradients */
    double ahead;             /* share of the work, as far as anybody knows */
};

static void run_blocks(struct bt_fit *f, void (*task)(void *ctx, size_t i, int worker))
{
    if (f->n_blocks > 1 && f->task->pool != NULL)
        pool_run(f->task->pool, f->n_blocks, task, f);
    else
        for (size_t b = 0; b < f->n_blocks; b++)
            task(f, b, 0);
}

static double sum_blocks(const struct bt_fit *f, int which)
{
    double sum = 0.0;

    for (size_t b = 0; b < f->n_blocks; b++)
        sum += f->sums[b * N_SUMS + (size_t)which];
    return sum;
}

static uint32_t block_end(const struct bt_fit *f, size_t b)
{
    return (b + 1) * BLOCK < f->n ? (uint32_t)((b + 1) * BLOCK) : f->n;
}

static double off_prior(const struct bt_fit *f, uint32_t i)
{
    return f->t[i] - (f->task->prior_mean != NULL ? f->task->prior_mean[i] : 0.0);
}

/* Derivatives ------------------------------------------------------------------------ */

/* Row by row.  With e = e^-|d|: Z = e^(|d|/2) (1 + e + nu sqrt e). */
static void derive_block(void *ctx, size_t b, int worker)
{
    struct bt_fit *const f = ctx;
    const struct pair_table *const t = f->task->pairs;
    const double per = 1.0 / (f->sd * f->sd);
    double *const sums = f->sums + b * N_SUMS;

    (void)worker;
    memset(sums, 0, N_SUMS * sizeof *sums);
    /* Distances first, without a branch, so that no look far away waits for the one before. */
    for (uint32_t i = (uint32_t)(b * BLOCK); i < block_end(f, b); i++)
        for (size_t k = t->start[i]; k < t->start[i + 1]; k++)
            f->v[k] = f->t[i] - f->t[t->versus[k].other];
    for (uint32_t i = (uint32_t)(b * BLOCK); i < block_end(f, b); i++) {
        const double off = off_prior(f, i);
        double slope = -off * per, diagonal = per, border = 0.0;
        double *const row = f->is_dense ? f->a + i * f->side : NULL;
        double product = 1.0; /* of Z of single answers */
        int n_factors = 0;

        sums[VALUE] -= off * off * per / 2;
        if (row != NULL)
            memset(row, 0, (i + 1) * sizeof *row);
        for (size_t k = t->start[i]; k < t->start[i + 1]; k++) {
            const struct versus *const o = &t->versus[k];
            const double weight = o->weight, won = o->lead; /* less what was lost */
            const double d = f->v[k], away = fabs(d);
            const double half = math_exp(-away / 2), e = half * half, tie = f->nu * half;
            const double z = 1.0 + e + tie, by = 1.0 / z, p_tie = tie * by;
            const double lead = (1.0 - e) * by;
            const double m = copysign(lead, d);
            const double v = weight * (1.0 - p_tie - lead * lead) / 4;

            f->v[k] = v;
            slope += (won - weight * m) / 2;
            diagonal += v;
            border -= weight * m * p_tie / 2;
            if (o->other > i)
                continue;
            /* Of each pair once. */
            if (row != NULL)
                row[o->other] = -v;
            sums[VALUE] += (won * d - weight * away) / 2;
            if (weight == 1.0) {
                product *= z;
            } else {
                sums[VALUE] -= weight * math_log(z);
            }
            if (++n_factors % FACTORS == 0) {
                sums[VALUE] -= math_log(product);
                product = 1.0;
            }
            sums[TIES] += weight * p_tie;
            sums[TIES_BEND] += weight * p_tie * (1.0 - p_tie);
        }
        sums[VALUE] -= product > 1.0 ? math_log(product) : 0.0;
        f->slope[i] = slope;
        f->diagonal[i] = diagonal;
        f->border[i] = border;
        if (row != NULL)
            row[i] = diagonal;
    }
}

static void derive(struct bt_fit *f)
{
    const double even = f->nu / (2.0 + f->nu); /* ties between equals */
    const double ties = f->task->pairs->ties + NU_TIES;

    run_blocks(f, derive_block);
    f->value = sum_blocks(f, VALUE);
    if (f->finds_nu) {
        f->value += ties * math_log(f->nu) - (NU_TIES + NU_WINS) * math_log(2.0 + f->nu);
        f->nu_slope = ties - (NU_TIES + NU_WINS) * even - sum_blocks(f, TIES);
        f->nu_bend = (NU_TIES + NU_WINS) * even * (1.0 - even) + sum_blocks(f, TIES_BEND);
    }
    if (!f->is_dense)
        return;
    for (size_t i = f->n; i < f->side; i++) {
        memset(f->a + i * f->side, 0, i * sizeof *f->a);
        f->a[i * f->side + i] = 1.0;
    }
    factor_make(f->a, f->side, f->task->pool);
}

/* Solving A x = b -------------------------------------------------------------------- */

/* ap = A x, and its product with x. */
static void apply_block(void *ctx, size_t b, int worker)
{
    struct bt_fit *const f = ctx;
    const struct pair_table *const t = f->task->pairs;
    double dot = 0.0;

    (void)worker;
    for (uint32_t i = (uint32_t)(b * BLOCK); i < block_end(f, b); i++) {
        double sum = f->diagonal[i] * f->x[i];

        for (size_t k = t->start[i]; k < t->start[i + 1]; k++)
            sum -= f->v[k] * f->x[t->versus[k].other];
        f->ap[i] = sum;
        dot += sum * f->x[i];
    }
    f->sums[b * N_SUMS + DOT] = dot;
}

/* r^T M^-1 r, M being A's diagonal. */
static double residue(const struct bt_fit *f)
{
    double sum = 0.0;

    for (uint32_t i = 0; i < f->n; i++)
        sum += f->r[i] * f->r[i] / f->diagonal[i];
    return sum;
}

/* x = A^-1 b.  Conjugate gradients, preconditioned by the diagonal. */
static void solve(struct bt_fit *f, const double *b, double *x)
{
    if (f->is_dense) {
        memcpy(x, b, f->n * sizeof *x);
        memset(x + f->n, 0, (f->side - f->n) * sizeof *x);
        factor_solve(f->a, f->side, x);
        return;
    }
    memset(x, 0, f->n * sizeof *x);
    memcpy(f->r, b, f->n * sizeof *b);
    memset(f->p, 0, f->n * sizeof *f->p);
    const double first = residue(f);
    double rest = first, was = 1.0;

    f->x = f->p;
    for (int turn = 0; turn < MOST_TURNS && rest > f->residue * f->residue * first;
         turn++) {
        const double more = turn > 0 ? rest / was : 0.0;

        for (uint32_t i = 0; i < f->n; i++)
            f->p[i] = f->r[i] / f->diagonal[i] + more * f->p[i];
        run_blocks(f, apply_block);
        const double by = rest / sum_blocks(f, DOT);

        for (uint32_t i = 0; i < f->n; i++) {
            x[i] += by * f->p[i];
            f->r[i] -= by * f->ap[i];
        }
        was = rest;
        rest = residue(f);
    }
}

/* Newton's method -------------------------------------------------------------------- */

/* One step of t and log nu; returns the largest change of a strength. */
static double newton_step(struct bt_fit *f)
{
    double most = 0.0, by_nu = 0.0;

    solve(f, f->slope, f->step);
    if (f->finds_nu) {
        double across = 0.0, bend = f->nu_bend;

        solve(f, f->border, f->nu_step);
        for (uint32_t i = 0; i < f->n; i++) {
            across += f->border[i] * f->step[i];
            bend -= f->border[i] * f->nu_step[i];
        }
        by_nu = (f->nu_slope - across) / bend;
        by_nu = bend > 0.0 ? math_max(-1.0, math_min(1.0, by_nu)) : 0.0;
        for (uint32_t i = 0; i < f->n; i++)
            f->step[i] -= by_nu * f->nu_step[i];
        f->nu *= math_exp(by_nu);
    }
    for (uint32_t i = 0; i < f->n; i++)
        most = math_max(most, fabs(f->step[i]));
    const double by = most > LONGEST ? LONGEST / most : 1.0;

    for (uint32_t i = 0; i < f->n; i++) {
        f->before[i] = f->t[i];
        f->t[i] += by * f->step[i];
    }
    return math_max(most, fabs(by_nu));
}

/* How many steps there will be nobody knows: each is a tenth of the rest. */
static peck_status tell(struct bt_fit *f, peck_error *err)
{
    f->ahead *= 0.9;
    return watch_step(f->task->watch, (size_t)(1000 * (1.0 - f->ahead)), 1000, err);
}

/* Steps until one is shorter than `near`.  A step that led down is halved: then t_before is
 * not so far away that it would have to be done often. */
static peck_status climb(struct bt_fit *f, double near, peck_error *err)
{
    derive(f);
    for (int k = 0; k < MOST_STEPS; k++) {
        const double was = f->value, was_nu = f->nu;
        const double most = newton_step(f);

        TRY(tell(f, err));
        derive(f);
        for (int halving = 0; halving < 20 && f->value < was - 1e-9 * fabs(was);
             halving++) {
            for (uint32_t i = 0; i < f->n; i++)
                f->t[i] = (f->t[i] + f->before[i]) / 2;
            f->nu = sqrt(f->nu * was_nu);
            derive(f);
        }
        if (most < near)
            break;
    }
    return PECK_OK;
}

/* The prior's width ------------------------------------------------------------------ */

/* An estimate of A^-1's diagonal: 1 / q_i, with
 *
 *   q_i = A_ii - sum over j of v_ij^2 / b_ij,   b_ij = q_j (1 + sqrt(1 + 4 x)) / 2,
 *
 * x = v_ij^2 / (q_i q_j).  b_ij is q_j without what j has from i.  What is left out are the ways
 * from i back to i that go round a circle (Bethe's approximation: exact for a tree).  b_ij is never
 * below v_ij + 1 / sd^2, but looks on the way there may take it below, and q below 0, where
 * a pair has many answers and its neighbours few: it is held there. */
static void look_block(void *ctx, size_t b, int worker)
{
    struct bt_fit *const f = ctx;
    const struct pair_table *const t = f->task->pairs;
    const double per = 1.0 / (f->sd * f->sd);
    double logs = 0.0;

    (void)worker;
    for (uint32_t i = (uint32_t)(b * BLOCK); i < block_end(f, b); i++) {
        double q = f->diagonal[i], product = 1.0;
        int n_factors = 0;

        for (size_t k = t->start[i]; k < t->start[i + 1]; k++) {
            const double square = f->v[k] * f->v[k], other = f->r[t->versus[k].other];
            const double x = square / (f->r[i] * other), w = (1.0 + sqrt(1.0 + 4 * x)) / 2;
            const double least = f->v[k] + per;

            q -= square / math_max(other * w, least);
            product *= 1.0 - math_min(x / (w * w), square / (least * least));
            if (++n_factors % FACTORS == 0) {
                logs -= math_log(product) / 2; /* once from either side */
                product = 1.0;
            }
        }
        f->p[i] = q;
        logs += math_log(q) - math_log(product) / 2;
    }
    f->sums[b * N_SUMS + LOG_DET] = logs;
}

/* f->r = 1 / the diagonal of A^-1, and log det A. */
static double look_round(struct bt_fit *f)
{
    memcpy(f->r, f->diagonal, f->n * sizeof *f->r);
    for (int look = 0; look < LOOKS; look++) {
        run_blocks(f, look_block);
        memcpy(f->r, f->p, f->n * sizeof *f->r);
    }
    return sum_blocks(f, LOG_DET);
}

/* t, which is near the peak, goes along with the prior's width: dt / d log sd =
 * 2 A^-1 (t - m) / sd^2. */
static void follow_width(struct bt_fit *f, double sd)
{
    const double by = 2 * math_log(sd / f->sd) / (f->sd * f->sd);

    for (uint32_t i = 0; i < f->n; i++)
        f->before[i] = by * off_prior(f, i);
    solve(f, f->before, f->step);
    for (uint32_t i = 0; i < f->n; i++)
        f->t[i] += math_max(-1.0, math_min(1.0, f->step[i]));
    f->sd = sd;
}

/* Log of the evidence for e^u as the prior's width, and of that width itself. */
static peck_status weigh_width(struct bt_fit *f, double u, bool is_first, double *evidence,
                               peck_error *err)
{
    const double sd = math_exp(u), off = u - USUAL_LOG_SD;

    if (!is_first)
        follow_width(f, sd);
    f->sd = sd;
    for (int k = 0; k < MOST_STEPS; k++) {
        double gain = 0.0, square = 0.0;

        derive(f);
        const double value = f->value;

        (void)newton_step(f);
        for (uint32_t i = 0; i < f->n; i++) {
            gain += f->slope[i] * f->step[i] / 2;
            square += f->step[i] * f->step[i];
        }
        TRY(tell(f, err));
        if (square > NEAR * NEAR * f->n && k + 1 < MOST_STEPS)
            continue;
        const double log_det = f->is_dense ? factor_log_det(f->a, f->side) : look_round(f);

        *evidence = value + gain - (log_det + 2 * f->n * u) / 2 - off * off / 2;
        break;
    }
    return PECK_OK;
}

/* By parabolas through the three best. */
static peck_status find_width(struct bt_fit *f, peck_error *err)
{
    double u[3] = { USUAL_LOG_SD, USUAL_LOG_SD + 0.5, USUAL_LOG_SD - 0.5 }, e[3];
    double at = u[0];

    for (int k = 0; k < 3; k++)
        TRY(weigh_width(f, u[k], k == 0, &e[k], err));
    for (int k = 0; k < MOST_WIDTHS; k++) {
        int best = 0, worst = 0;

        for (int h = 1; h < 3; h++) {
            best = e[h] > e[best] ? h : best;
            worst = e[h] < e[worst] ? h : worst;
        }
        if (best == worst) /* nothing speaks for any width */
            break;
        const int mid = 3 - best - worst;
        const double a = u[mid] - u[best], b = u[worst] - u[best];
        const double ea = (e[mid] - e[best]) / a, eb = (e[worst] - e[best]) / b;
        const double bend =
            (eb - ea) / (b - a); /* e = e_best + (ea - bend a) x + bend x^2 */
        double by = bend < 0.0 ? (bend * a - ea) / (2 * bend) : -b;

        by = math_max(-1.0, math_min(1.0, by));
        at = u[best] + by;
        if (fabs(by) < 0.05 || at < LEAST_LOG_SD || fabs(at - USUAL_LOG_SD) > 5.0)
            break;
        u[worst] = at;
        TRY(weigh_width(f, at, false, &e[worst], err));
    }
    follow_width(f, math_exp(math_max(LEAST_LOG_SD, at)) * WIDER);
    return PECK_OK;
}

static peck_status fit_all(struct bt_fit *f, struct bt_result *out, peck_error *err)
{
    const double shared = f->task->prior_sd;

    f->sd = shared;
    f->residue = ROUGHLY;
    if (shared <= 0.0)
        TRY(find_width(f, err));
    f->residue = RESIDUE;
    TRY(climb(f, f->is_dense ? DONE : DONE_ROUGHLY, err));
    out->prior_sd = f->sd;
    out->tie = f->nu;
    if (out->var == NULL)
        return PECK_OK;
    if (!f->is_dense) {
        (void)look_round(f);
        for (uint32_t i = 0; i < f->n; i++)
            out->var[i] = 1.0 / f->r[i];
        return PECK_OK;
    }
    factor_invert(f->a, f->side, f->inverse, f->task->pool);
    factor_variances(f->inverse, f->side, out->var, f->n);
    factor_square(f->inverse, f->side, f->a, f->task->pool);
    for (uint32_t i = 0; i < f->n; i++)
        memcpy(out->cov + (size_t)i * f->n, f->a + i * f->side, f->n * sizeof *out->cov);
    return PECK_OK;
}

peck_status bt_fit(const struct bt_task *task, struct bt_result *out, peck_error *err)
{
    static const char what[] = "strengths";
    const struct pair_table *const pairs = task->pairs;
    const size_t n = pairs->n, side = out->cov != NULL ? factor_side(n) : n;
    struct arena arena = { 0 };
    struct bt_fit f = {
        .task = task,
        .n = pairs->n,
        .n_blocks = (n + BLOCK - 1) / BLOCK,
        .side = side,
        .is_dense = out->cov != NULL,
        .finds_nu = pairs->ties > 0.0 && task->tie <= 0.0,
        .nu = task->tie > 0.0     ? task->tie
              : pairs->ties > 0.0 ? FIRST_NU
                                  : 0.0,
        .t = out->t,
        .ahead = 1.0,
        .before = arena_new(&arena, what, n, sizeof *f.before),
        .slope = arena_new(&arena, what, n, sizeof *f.slope),
        .diagonal = arena_new(&arena, what, n, sizeof *f.diagonal),
        .border = arena_new(&arena, what, n, sizeof *f.border),
        .step = arena_new(&arena, what, side, sizeof *f.step),
        .nu_step = arena_new(&arena, what, side, sizeof *f.nu_step),
        .v = arena_new(&arena, what, 2 * pairs->n_pairs, sizeof *f.v),
    };

    f.sums = arena_new(&arena, what, f.n_blocks * N_SUMS, sizeof *f.sums);
    if (f.is_dense) {
        f.a = arena_new(&arena, "covariances", side * side, sizeof *f.a);
        f.inverse = arena_new(&arena, "covariances", side * side, sizeof *f.inverse);
    } else {
        f.r = arena_new(&arena, what, n, sizeof *f.r);
        f.p = arena_new(&arena, what, n, sizeof *f.p);
        f.ap = arena_new(&arena, what, n, sizeof *f.ap);
    }
    peck_status st = arena_check(&arena, err);

    if (st == PECK_OK)
        st = fit_all(&f, out, err);
    arena_free(&arena);
    return st;
}
