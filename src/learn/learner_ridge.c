/* learner_ridge.c -- least squares on the labels, in closed form: the yardstick.
 *
 *   minimise  sum_q c_q sum_i c_i (y_i - a_q - w . x_i)^2 + lambda m |w|^2
 *
 * a_q is a constant of the query's own, which leaves differences to the query's means:
 *
 *   A = sum c_q c_i (x_i - mean_q x)(x_i - mean_q x)^T,   b likewise with the label,
 *   (A + lambda m I) w = b         m: the mean of A's diagonal, so that lambda has no unit
 *
 * c_q and c_i are the weights of query and document.  Each "epoch" is one lambda of a
 * grid, from strong to weak; the validation data chooses.                            */
#include "learner.h"

#include "../base/alloc.h"
#include "../base/vec.h"

#include <math.h>

static const double grid[] = { 10.0, 3.0,   1.0,   0.3,  0.1, 0.03,
                               0.01, 0.003, 0.001, 3e-4, 1e-4 };
enum { N_GRID = sizeof grid / sizeof *grid };

enum {
    BLOCK = 512, /* documents that are multiplied at once */
    SHARDS = 8,  /* sums of their own, added in order; one where A is large */
    LARGE = 1024 /* features */
};

struct config {
    double lambda;
};

static const struct param params[] = { { "lambda", PARAM_FLOAT, "0", "[0,1e9]",
                                         "what holds the weights down, in units of the "
                                         "mean square of a feature; 0: from a grid of 10 "
                                         "to 0.0001, by validation (without it 0.03)",
                                         offsetof(struct config, lambda) },
                                       { 0 } };
#define UNCHECKED_LAMBDA 0.03

/* Sums over some queries. */
struct sums {
    double *a, *b;      /* [dim][dim], [dim] */
    double yy, n;       /* sum of squared labels; of weights */
    float *x, *x_again; /* [BLOCK][dim]: centred rows; and times their weights */
    float *y;           /* [BLOCK] */
    float *product;     /* [dim][dim] */
    double *mean;       /* [dim] */
    float *c;           /* [longest query]: weights of its documents */
    size_t held;        /* rows that wait in x */
};

struct ridge {
    const struct task *task;
    size_t dim, n_sums, n_lambdas;
    struct sums sums[SHARDS]; /* the first becomes the sum of all */
    double *factor;           /* [dim][dim]: A + lambda m I, then its factor */
    double *w;
    double diagonal; /* m */
    double fixed;    /* the only lambda; 0: the grid */
};

static bool sums_open(struct sums *s, size_t dim, size_t longest)
{
    s->a = mem_new(dim * dim, sizeof *s->a);
    s->b = mem_new(dim, sizeof *s->b);
    s->x = mem_new(BLOCK * dim, sizeof *s->x);
    s->x_again = mem_new(BLOCK * dim, sizeof *s->x_again);
    s->y = mem_new(BLOCK, sizeof *s->y);
    s->product = mem_new(dim * dim, sizeof *s->product);
    s->mean = mem_new(dim, sizeof *s->mean);
    s->c = mem_new(longest, sizeof *s->c);
    return s->a && s->b && s->x && s->x_again && s->y && s->product && s->mean && s->c;
}

static void sums_close(struct sums *s)
{
    mem_free(s->a);
    mem_free(s->b);
    mem_free(s->x);
    mem_free(s->x_again);
    mem_free(s->y);
    mem_free(s->product);
    mem_free(s->mean);
    mem_free(s->c);
}

/* Adds the rows that wait to A and b. */
static void flush(struct sums *s, size_t dim)
{
    if (s->held == 0)
        return;
    vec_gemm_tn(dim, dim, s->held, s->x, dim, s->x_again, dim, 0.0f, s->product, dim);
    for (size_t i = 0; i < dim * dim; i++)
        s->a[i] += (double)s->product[i];
    vec_gemm_tn(1, dim, s->held, s->y, 1, s->x_again, dim, 0.0f, s->product, dim);
    for (size_t i = 0; i < dim; i++)
        s->b[i] += (double)s->product[i];
    s->held = 0;
}

/* The weights of a query's judged documents, as the data has them, to s->c. */
static void take_weights(struct sums *s, const struct course *course, size_t q, size_t n)
{
    const float *const weight = course->data->doc_weight;

    for (size_t i = 0; i < n; i++)
        s->c[i] = weight != NULL ? weight[lessons_row(course->lessons, q, i)] : 1.0f;
}

/* Means of the n judged documents of a query, by their weights; that of the label comes
 * back. */
static double take_means(struct sums *s, const float *x, const float *y, size_t n,
                         size_t dim)
{
    double all = 0.0, mean_y = 0.0;

    memset(s->mean, 0, dim * sizeof *s->mean);
    for (size_t i = 0; i < n; i++) {
        const double ci = (double)s->c[i];

        all += ci;
        mean_y += ci * (double)y[i];
        for (size_t j = 0; j < dim; j++)
            s->mean[j] += ci * (double)x[i * dim + j];
    }
    for (size_t j = 0; j < dim; j++)
        s->mean[j] /= all;
    return mean_y / all;
}

static void add_query(struct sums *s, const struct course *course, size_t q)
{
    const struct lessons *const l = course->lessons;
    const size_t first = l->start[q], n = l->plan[q].n_judged, dim = course->dim;
    const float *const x = course->x + first * dim, *const y = l->label + first;
    const float cq = l->weight != NULL ? l->weight[q] : 1.0f;

    if (n == 0)
        return;
    take_weights(s, course, q, n);
    const double mean_y = take_means(s, x, y, n, dim);

    for (size_t i = 0; i < n; i++) {
        const float c = cq * s->c[i], lead = (float)((double)y[i] - mean_y);
        float *const to = s->x + s->held * dim, *const again = s->x_again + s->held * dim;

        for (size_t j = 0; j < dim; j++) {
            to[j] = (float)((double)x[i * dim + j] - s->mean[j]);
            again[j] = c * to[j];
        }
        s->y[s->held] = lead;
        s->yy += (double)c * (double)lead * (double)lead;
        s->n += (double)c;
        if (++s->held == BLOCK)
            flush(s, dim);
    }
}

/* Shard i has every query from its n-th part on. */
static void add_shard(void *ctx, size_t i, int worker)
{
    struct ridge *const r = ctx;
    const size_t n = r->task->course->lessons->n_queries;
    const size_t first = n * i / r->n_sums, last = n * (i + 1) / r->n_sums;

    (void)worker;
    for (size_t q = first; q < last; q++)
        add_query(&r->sums[i], r->task->course, q);
    flush(&r->sums[i], r->dim);
}

static void add_up(struct ridge *r)
{
    struct sums *const all = &r->sums[0];

    for (size_t i = 1; i < r->n_sums; i++) {
        for (size_t j = 0; j < r->dim * r->dim; j++)
            all->a[j] += r->sums[i].a[j];
        for (size_t j = 0; j < r->dim; j++)
            all->b[j] += r->sums[i].b[j];
        all->yy += r->sums[i].yy;
        all->n += r->sums[i].n;
    }
    for (size_t j = 0; j < r->dim; j++)
        r->diagonal += all->a[j * r->dim + j] / (double)r->dim;
}

static peck_status open(void *self, const struct task *task, struct pace *pace,
                        peck_error *err)
{
    struct ridge *const r = self;
    const struct config *const c = task->plan->learner;
    const size_t dim = task->course->dim;
    size_t cells;

    r->task = task;
    r->dim = dim;
    r->fixed = c->lambda > 0.0                   ? c->lambda
               : task->course->exam.data == NULL ? UNCHECKED_LAMBDA
                                                 : 0.0;
    *pace = (struct pace){ .n_epochs = r->fixed > 0.0 ? 1 : N_GRID };
    if (mul_overflow(dim, dim, &cells))
        return fail_memory(err, "the products of features", dim, dim);
    r->factor = mem_new(cells, sizeof *r->factor);
    r->w = mem_new(dim, sizeof *r->w);
    bool fits = r->factor != NULL && r->w != NULL;

    for (r->n_sums = 0; fits && r->n_sums < (dim > LARGE ? 1 : SHARDS); r->n_sums++)
        fits = sums_open(&r->sums[r->n_sums], dim, task->course->lessons->max_docs);
    if (!fits)
        return fail_memory(err, "the products of features", cells, sizeof *r->factor);
    pool_run(task->pool, r->n_sums, add_shard, r);
    add_up(r);
    return PECK_OK;
}

/* Cholesky: A + lambda m I = L L^T, L below the diagonal of factor.  false: the matrix is
 * not positive, which only a lambda that is lost in the rounding leaves. */
static bool factorise(struct ridge *r, double lambda)
{
    const size_t dim = r->dim;
    double *const f = r->factor;

    memcpy(f, r->sums[0].a, dim * dim * sizeof *f);
    for (size_t i = 0; i < dim; i++) {
        for (size_t j = 0; j <= i; j++) {
            double sum = f[i * dim + j] + (i == j ? lambda * r->diagonal : 0.0);

            for (size_t k = 0; k < j; k++)
                sum -= f[i * dim + k] * f[j * dim + k];
            if (i != j)
                f[i * dim + j] = sum / f[j * dim + j];
            else if (sum > 0.0)
                f[i * dim + i] = sqrt(sum);
            else
                return false;
        }
    }
    return true;
}

/* L L^T w = b. */
static void solve(struct ridge *r)
{
    const size_t dim = r->dim;
    const double *const f = r->factor;

    for (size_t i = 0; i < dim; i++) {
        double sum = r->sums[0].b[i];

        for (size_t k = 0; k < i; k++)
            sum -= f[i * dim + k] * r->w[k];
        r->w[i] = sum / f[i * dim + i];
    }
    for (size_t i = dim; i-- > 0;) {
        double sum = r->w[i];

        for (size_t k = i + 1; k < dim; k++)
            sum -= f[k * dim + i] * r->w[k];
        r->w[i] = sum / f[i * dim + i];
    }
}

/* The mean squared error: (yy - 2 b.w + w.A w) / n. */
static double error_of(const struct ridge *r)
{
    const struct sums *const all = &r->sums[0];
    double sum = all->yy;

    for (size_t i = 0; i < r->dim; i++) {
        double aw = 0.0;

        for (size_t j = 0; j < r->dim; j++)
            aw += all->a[i * r->dim + j] * r->w[j];
        sum += r->w[i] * (aw - 2.0 * all->b[i]);
    }
    return all->n > 0.0 ? sum / all->n : 0.0;
}

static peck_status epoch(void *self, size_t number, struct lap *lap, peck_error *err)
{
    struct ridge *const r = self;
    float *const w = r->task->w;
    const double lambda = r->fixed > 0.0 ? r->fixed : grid[number - 1];

    memset(w, 0, r->task->plan->n_weights * sizeof *w);
    lap->rate = lambda;
    if (!(r->diagonal > 0.0)) /* no feature differs within a query */
        return PECK_OK;
    if (!isfinite(r->diagonal) || !factorise(r, lambda))
        return fail(err, PECK_DIVERGED,
                    "ridge: the sums of squares are out of range; use another --norm than "
                    "%s, or lambda= above %g",
                    r->task->plan->norm, lambda);
    solve(r);
    for (size_t i = 0; i < r->dim; i++)
        w[i] = (float)r->w[i];
    lap->loss = error_of(r);
    return PECK_OK;
}

static void close(void *self)
{
    struct ridge *const r = self;

    for (size_t i = 0; i < SHARDS; i++)
        sums_close(&r->sums[i]);
    mem_free(r->factor);
    mem_free(r->w);
}

const struct learner learner_ridge = {
    .plug = { { "ridge", "least squares in closed form",
                "One Cholesky factor for each lambda of a grid; the validation data "
                "chooses (Hoerl and Kennard 1970)." },
              params },
    .config_size = sizeof(struct config),
    .multiplies = true,
    .self_size = sizeof(struct ridge),
    .open = open,
    .epoch = epoch,
    .close = close,
};
