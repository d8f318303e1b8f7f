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
 * grid, from strong to weak; the validation data chooses.
 *
 * Where there are many features and fewer documents, the dual form: with Z the rows
 * (x_i - mean_q x) (c_q c_i)^(1/2), z the labels likewise, A = Z^T Z, and
 *
 *   (Z Z^T + lambda m I) a = z,    w = Z^T a,    z - Z w = lambda m a                  */
#include "learner.h"

#include "../base/alloc.h"
#include "../base/gemm.h"

#include <math.h>

static const double grid[] = { 10.0, 3.0,   1.0,   0.3,  0.1, 0.03,
                               0.01, 0.003, 0.001, 3e-4, 1e-4 };
enum { N_GRID = sizeof grid / sizeof *grid };

enum {
    BLOCK = 512,  /* documents that are multiplied at once */
    SHARDS = 8,   /* sums of their own, added in order; one where A is large */
    LARGE = 1024, /* features */
    MANY = 4096   /* features, beyond which A is larger than it need be */
};

struct ridge_config {
    double lambda;
};

static const struct param ridge_params[] = {
    { "lambda", PARAM_FLOAT, "0", "[0,1e9]",
      "L2 penalty on the weights, in units of the mean square of a feature; 0: from a "
      "grid of 10 to 0.0001, by validation (without it 0.03)",
      offsetof(struct ridge_config, lambda) },
    { 0 }
};
#define UNCHECKED_LAMBDA 0.03

/* Sums over some queries. */
struct ridge_sums {
    double *a, *b;      /* [dim][dim], [dim] */
    double yy, n;       /* sum of squared labels; of weights */
    float *x, *x_again; /* [BLOCK][dim]: centred rows; and times their weights */
    float *y;           /* [BLOCK] */
    float *product;     /* [dim][dim] */
    float *room;        /* train_data_room */
    double *mean;       /* [dim] */
    float *c;           /* [longest query]: weights of its judged documents */
    size_t held;        /* rows that wait in x */
};

/* The dual form; n = 0: it is not used. */
struct ridge_dual {
    size_t n;       /* judged documents */
    float *x;       /* [n][dim]: Z */
    double *z;      /* n */
    double *k;      /* [n][n]: Z Z^T, below the diagonal and on it */
    double *a;      /* n */
    float *product; /* [workers][BLOCK][BLOCK] */
};

struct ridge {
    const struct task *task;
    size_t dim, n_sums;
    struct ridge_sums sums[SHARDS]; /* the first becomes the sum of all */
    struct ridge_dual dual;
    double *factor; /* [dim][dim]: A + lambda m I, then its factor; of the dual [n][n] */
    double *w;
    double diagonal; /* m */
    double fixed;    /* the only lambda; 0: the grid */
    struct arena arena;
};

/* Adds the rows that wait to A and b.
 * Products of BLOCK rows are taken in float and added up in double. */
static void ridge_flush(struct ridge_sums *s, size_t dim)
{
    if (s->held == 0)
        return;
    gemm_tn(dim, dim, s->held, s->x, dim, s->x_again, dim, NULL, 0, s->product, dim);
    for (size_t i = 0; i < dim * dim; i++)
        s->a[i] += (double)s->product[i];
    gemm_tn(1, dim, s->held, s->y, 1, s->x_again, dim, NULL, 0, s->product, dim);
    for (size_t i = 0; i < dim; i++)
        s->b[i] += (double)s->product[i];
    s->held = 0;
}

/* Weights of the judged documents of query q, whose features are x, as the data has them, and
 * means by them; that of the label comes back. */
static double take_means(struct ridge_sums *s, const struct train_data *c, size_t q,
                         const float *x)
{
    const struct train_set *const l = c->train_set;
    const size_t first = l->start[q], n = l->plan[q].n_judged, dim = c->dim;
    const float *const weight = c->data->doc_weight;
    double all = 0.0, mean_y = 0.0;

    memset(s->mean, 0, dim * sizeof *s->mean);
    for (size_t i = 0; i < n; i++) {
        s->c[i] = weight != NULL ? weight[train_set_row(l, q, i)] : 1.0f;
        const double ci = (double)s->c[i];

        all += ci;
        mean_y += ci * (double)l->label[first + i];
        for (size_t j = 0; j < dim; j++)
            s->mean[j] += ci * (double)x[i * dim + j];
    }
    for (size_t j = 0; j < dim; j++)
        s->mean[j] /= all;
    return mean_y / all;
}

/* Shard i has every query from its n-th part on. */
static void ridge_add_shard(void *ctx, size_t i, int worker)
{
    struct ridge *const r = ctx;
    struct ridge_sums *const s = &r->sums[i];
    const struct train_set *const l = r->task->train_data->train_set;
    const size_t dim = r->dim, last = l->n_queries * (i + 1) / r->n_sums;

    (void)worker;
    for (size_t q = l->n_queries * i / r->n_sums; q < last; q++) {
        const float cq = l->weight != NULL ? l->weight[q] : 1.0f;
        const float *x = train_data_query(r->task->train_data, q, s->room).x;
        const double mean_y = take_means(s, r->task->train_data, q, x);

        for (size_t k = 0; k < l->plan[q].n_judged; k++, x += dim) {
            const float c = cq * s->c[k];
            const float lead = (float)((double)l->label[l->start[q] + k] - mean_y);
            float *const to = s->x + s->held * dim;
            float *const again = s->x_again + s->held * dim;

            for (size_t j = 0; j < dim; j++) {
                to[j] = (float)((double)x[j] - s->mean[j]);
                again[j] = c * to[j];
            }
            s->y[s->held] = lead;
            s->yy += (double)c * (double)lead * (double)lead;
            s->n += (double)c;
            if (++s->held == BLOCK)
                ridge_flush(s, dim);
        }
    }
    ridge_flush(s, dim);
}

/* The dual form ------------------------------------------------------------------------- */

/* Block `at` of rows with itself and those before it: in floats over some features at a
 * time, which are added up in double. */
static void multiply_block(void *ctx, size_t at, int worker)
{
    const struct ridge *const r = ctx;
    const struct ridge_dual *const d = &r->dual;
    const size_t first = at * BLOCK, rows = d->n - first < BLOCK ? d->n - first : BLOCK;
    float *const product = d->product + (size_t)worker * BLOCK * BLOCK;

    for (size_t other = 0; other <= first; other += BLOCK) {
        const size_t columns = d->n - other < BLOCK ? d->n - other : BLOCK;

        for (size_t f = 0; f < r->dim; f += BLOCK) {
            const size_t some = r->dim - f < BLOCK ? r->dim - f : BLOCK;

            gemm_nt(rows, columns, some, d->x + first * r->dim + f, r->dim,
                    d->x + other * r->dim + f, r->dim, NULL, 0, product, BLOCK);
            for (size_t i = 0; i < rows; i++)
                for (size_t j = 0; j < columns; j++)
                    d->k[(first + i) * d->n + other + j] += (double)product[i * BLOCK + j];
        }
    }
}

/* n: judged documents. */
static peck_status open_dual(struct ridge *r, size_t n, peck_error *err)
{
    struct ridge_dual *const d = &r->dual;
    struct ridge_sums *const s = &r->sums[0];
    struct arena *const m = &r->arena;
    const struct train_set *const l = r->task->train_data->train_set;
    const size_t workers = (size_t)pool_size(r->task->pool), dim = r->dim;
    const char *const what = "the products of documents";

    d->x = arena_new(m, what, n, dim * sizeof *d->x);
    d->z = arena_new(m, what, n, sizeof *d->z);
    d->a = arena_new(m, what, n, sizeof *d->a);
    d->k = arena_new(m, what, n, n * sizeof *d->k);
    d->product = arena_new(m, what, workers, BLOCK * BLOCK * sizeof *d->product);
    r->factor = arena_new(m, what, n, n * sizeof *r->factor);
    r->w = arena_new(m, what, dim, sizeof *r->w);
    s->mean = arena_new(m, what, dim, sizeof *s->mean);
    s->room = arena_new(m, what, train_data_room(r->task->train_data), sizeof *s->room);
    s->c = arena_new(m, what, l->max_docs, sizeof *s->c);
    TRY(arena_check(m, err));
    for (size_t q = 0; q < l->n_queries; q++) {
        const double cq = l->weight != NULL ? (double)l->weight[q] : 1.0;
        const float *x = train_data_query(r->task->train_data, q, s->room).x;
        const double mean_y = take_means(s, r->task->train_data, q, x);

        for (size_t i = 0; i < l->plan[q].n_judged; i++, x += dim) {
            const double c = cq * (double)s->c[i], root = sqrt(c);
            float *const to = d->x + d->n * dim;

            for (size_t j = 0; j < dim; j++)
                to[j] = (float)(root * ((double)x[j] - s->mean[j]));
            d->z[d->n++] = root * ((double)l->label[l->start[q] + i] - mean_y);
            s->n += c;
        }
    }
    pool_run(r->task->pool, (n + BLOCK - 1) / BLOCK, multiply_block, r);
    for (size_t i = 0; i < n; i++)
        r->diagonal += d->k[i * n + i] / (double)dim;
    return PECK_OK;
}

static peck_status ridge_open(void *self, const struct task *task,
                              struct stopping *stopping, peck_error *err)
{
    struct ridge *const r = self;
    struct arena *const m = &r->arena;
    const struct ridge_config *const c = task->plan->learner;
    const struct train_set *const l = task->train_data->train_set;
    const size_t dim = task->train_data->dim;
    const char *const what = "the products of features";
    struct ridge_sums *const all = r->sums;
    size_t n_rows = 0;

    r->task = task;
    r->dim = dim;
    r->fixed = c->lambda > 0.0                             ? c->lambda
               : task->train_data->validation.data == NULL ? UNCHECKED_LAMBDA
                                                           : 0.0;
    *stopping = (struct stopping){ .n_epochs = r->fixed > 0.0 ? 1 : N_GRID };
    for (size_t q = 0; q < l->n_queries; q++)
        n_rows += l->plan[q].n_judged;
    if (dim > MANY && n_rows < dim)
        return open_dual(r, n_rows, err);
    r->factor = arena_new(m, what, dim, dim * sizeof *r->factor);
    r->w = arena_new(m, what, dim, sizeof *r->w);
    r->n_sums = dim > LARGE ? 1 : SHARDS;
    for (struct ridge_sums *s = all; s < all + r->n_sums; s++) {
        s->a = arena_new(m, what, dim, dim * sizeof *s->a);
        s->b = arena_new(m, what, dim, sizeof *s->b);
        s->x = arena_new(m, what, dim, BLOCK * sizeof *s->x);
        s->x_again = arena_new(m, what, dim, BLOCK * sizeof *s->x_again);
        s->y = arena_new(m, what, BLOCK, sizeof *s->y);
        s->product = arena_new(m, what, dim, dim * sizeof *s->product);
        s->mean = arena_new(m, what, dim, sizeof *s->mean);
        s->room = arena_new(m, what, train_data_room(task->train_data), sizeof *s->room);
        s->c = arena_new(m, what, l->max_docs, sizeof *s->c);
    }
    TRY(arena_check(m, err));
    pool_run(task->pool, r->n_sums, ridge_add_shard, r);
    for (size_t i = 1; i < r->n_sums; i++) {
        for (size_t j = 0; j < dim * dim; j++)
            all->a[j] += all[i].a[j];
        for (size_t j = 0; j < dim; j++)
            all->b[j] += all[i].b[j];
        all->yy += all[i].yy;
        all->n += all[i].n;
    }
    for (size_t j = 0; j < dim; j++)
        r->diagonal += all->a[j * dim + j] / (double)dim;
    return PECK_OK;
}

/* sum less the products of two rows of n, one after the other. */
static double less_products(double sum, const double *a, const double *b, size_t n)
{
    for (size_t k = 0; k < n; k++)
        sum -= a[k] * b[k];
    return sum;
}

/* The same, four at a time: for the dual form, whose rows are long. */
static double less_products_by_four(double sum, const double *a, const double *b, size_t n)
{
    double part[4] = { 0.0 };
    size_t k = 0;

    for (; n - k >= 4; k += 4)
        for (size_t i = 0; i < 4; i++)
            part[i] += a[k + i] * b[k + i];
    for (; k < n; k++)
        part[0] += a[k] * b[k];
    return sum - ((part[0] + part[1]) + (part[2] + part[3]));
}

/* Cholesky: A + added I = L L^T, A and L [n][n], L below the diagonal of f.  false: the
 * matrix is not positive, which only a lambda that is lost in the rounding leaves. */
static bool cholesky_factor(const double *a, size_t n, double added, double *f,
                            bool by_four)
{
    memcpy(f, a, n * n * sizeof *f);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j <= i; j++) {
            const double sum = (by_four ? less_products_by_four : less_products)(
                f[i * n + j] + (i == j ? added : 0.0), f + i * n, f + j * n, j);

            if (i != j)
                f[i * n + j] = sum / f[j * n + j];
            else if (sum > 0.0)
                f[i * n + i] = sqrt(sum);
            else
                return false;
        }
    }
    return true;
}

/* L L^T w = b.
 * First L u = b from the top, then L^T w = u from the bottom, in one array. */
static void cholesky_solve(const double *f, size_t n, const double *b, double *w)
{
    for (size_t i = 0; i < n; i++)
        w[i] = less_products(b[i], f + i * n, w, i) / f[i * n + i];
    for (size_t i = n; i-- > 0;) {
        double sum = w[i];

        for (size_t k = i + 1; k < n; k++)
            sum -= f[k * n + i] * w[k];
        w[i] = sum / f[i * n + i];
    }
}

static peck_status ridge_epoch(void *self, size_t number, struct epoch_stats *stats,
                               peck_error *err)
{
    struct ridge *const r = self;
    const struct ridge_sums *const all = &r->sums[0];
    const struct ridge_dual *const d = &r->dual;
    const bool is_dual = d->n > 0;
    float *const w = r->task->w;
    double error = 0.0; /* sum of squares */
    const double lambda = r->fixed > 0.0 ? r->fixed : grid[number - 1];

    memset(w, 0, r->task->plan->n_weights * sizeof *w);
    stats->rate = lambda;
    if (!(r->diagonal > 0.0)) /* no feature differs within a query */
        return PECK_OK;
    if (!isfinite(r->diagonal) ||
        !cholesky_factor(is_dual ? d->k : all->a, is_dual ? d->n : r->dim,
                         lambda * r->diagonal, r->factor, is_dual))
        return fail(err, PECK_DIVERGED,
                    "ridge: the sums of squares are out of range; use another --norm than "
                    "%s, or lambda= above %g",
                    r->task->plan->norm, lambda);
    if (is_dual) {
        const double added = lambda * r->diagonal;

        cholesky_solve(r->factor, d->n, d->z, d->a);
        memset(r->w, 0, r->dim * sizeof *r->w);
        for (size_t i = 0; i < d->n; i++) {
            for (size_t j = 0; j < r->dim; j++)
                r->w[j] += d->a[i] * (double)d->x[i * r->dim + j];
            error += added * d->a[i] * added * d->a[i];
        }
    } else { /* yy - 2 b.w + w.A w */
        cholesky_solve(r->factor, r->dim, all->b, r->w);
        error = all->yy;
        for (size_t i = 0; i < r->dim; i++) {
            double aw = 0.0;

            for (size_t j = 0; j < r->dim; j++)
                aw += all->a[i * r->dim + j] * r->w[j];
            error += r->w[i] * (aw - 2.0 * all->b[i]);
        }
    }
    stats->loss = all->n > 0.0 ? error / all->n : 0.0;
    for (size_t i = 0; i < r->dim; i++)
        w[i] = (float)r->w[i];
    return PECK_OK;
}

static void ridge_close(void *self)
{
    arena_free(&((struct ridge *)self)->arena);
}

const struct learner learner_ridge = {
    .plug = { { "ridge", "least squares in closed form",
                "One Cholesky factor for each lambda of a grid; the validation data "
                "chooses (Hoerl and Kennard 1970)." },
              ridge_params },
    .config_size = sizeof(struct ridge_config),
    .reads_by_query = true,
    .self_size = sizeof(struct ridge),
    .open = ridge_open,
    .epoch = ridge_epoch,
    .close = ridge_close,
};
