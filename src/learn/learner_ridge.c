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
#include "../base/vec.h"

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
      "what holds the weights down, in units of the "
      "mean square of a feature; 0: from a grid of 10 "
      "to 0.0001, by validation (without it 0.03)",
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
    double *mean;       /* [dim] */
    float *c;           /* [longest query]: weights of its documents */
    size_t held;        /* rows that wait in x */
};

/* The dual form; n = 0: it is not used. */
struct ridge_dual {
    size_t n;        /* judged documents */
    float *x;        /* [n][dim]: Z */
    double *z;       /* n */
    double *k;       /* [n][n]: Z Z^T, below the diagonal and on it */
    double *a;       /* n */
    float **product; /* one a worker: [BLOCK][BLOCK] */
};

struct ridge {
    const struct task *task;
    size_t dim, n_sums, n_lambdas;
    struct ridge_sums sums[SHARDS]; /* the first becomes the sum of all */
    struct ridge_dual dual;
    double *factor; /* [dim][dim]: A + lambda m I, then its factor; of the dual [n][n] */
    double *w;
    double diagonal; /* m */
    double fixed;    /* the only lambda; 0: the grid */
};

static bool sums_open(struct ridge_sums *s, size_t dim, size_t longest)
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

static void sums_close(struct ridge_sums *s)
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
static void ridge_flush(struct ridge_sums *s, size_t dim)
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
static void ridge_take_weights(struct ridge_sums *s, const struct train_data *train_data,
                               size_t q, size_t n)
{
    const float *const weight = train_data->data->doc_weight;

    for (size_t i = 0; i < n; i++)
        s->c[i] =
            weight != NULL ? weight[train_set_row(train_data->train_set, q, i)] : 1.0f;
}

/* Means of the n judged documents of a query, by their weights; that of the label comes
 * back. */
static double take_means(struct ridge_sums *s, const float *x, const float *y, size_t n,
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

static void ridge_add_query(struct ridge_sums *s, const struct train_data *train_data,
                            size_t q)
{
    const struct train_set *const l = train_data->train_set;
    const size_t first = l->start[q], n = l->plan[q].n_judged, dim = train_data->dim;
    const float *const x = train_data->x + first * dim, *const y = l->label + first;
    const float cq = l->weight != NULL ? l->weight[q] : 1.0f;

    if (n == 0)
        return;
    ridge_take_weights(s, train_data, q, n);
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
            ridge_flush(s, dim);
    }
}

/* Shard i has every query from its n-th part on. */
static void ridge_add_shard(void *ctx, size_t i, int worker)
{
    struct ridge *const r = ctx;
    const size_t n = r->task->train_data->train_set->n_queries;
    const size_t first = n * i / r->n_sums, last = n * (i + 1) / r->n_sums;

    (void)worker;
    for (size_t q = first; q < last; q++)
        ridge_add_query(&r->sums[i], r->task->train_data, q);
    ridge_flush(&r->sums[i], r->dim);
}

static void ridge_add_up(struct ridge *r)
{
    struct ridge_sums *const all = &r->sums[0];

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

/* The dual form ------------------------------------------------------------------------- */

/* Rows and labels of query q, as differences to its means, times the root of their weights,
 * behind the d->n that are there. */
static void add_rows(struct ridge_dual *d, struct ridge_sums *s,
                     const struct train_data *train_data, size_t q)
{
    const struct train_set *const l = train_data->train_set;
    const size_t first = l->start[q], n = l->plan[q].n_judged, dim = train_data->dim;
    const float *const x = train_data->x + first * dim, *const y = l->label + first;
    const double cq = l->weight != NULL ? (double)l->weight[q] : 1.0;

    if (n == 0)
        return;
    ridge_take_weights(s, train_data, q, n);
    const double mean_y = take_means(s, x, y, n, dim);

    for (size_t i = 0; i < n; i++) {
        const double c = cq * (double)s->c[i], root = sqrt(c);
        float *const to = d->x + d->n * dim;

        for (size_t j = 0; j < dim; j++)
            to[j] = (float)(root * ((double)x[i * dim + j] - s->mean[j]));
        d->z[d->n++] = root * ((double)y[i] - mean_y);
        s->n += c;
    }
}

/* Block `at` of rows with itself and those before it: in floats over some features at a
 * time, which are added up in double. */
static void multiply_block(void *ctx, size_t at, int worker)
{
    const struct ridge *const r = ctx;
    const struct ridge_dual *const d = &r->dual;
    const size_t first = at * BLOCK, rows = d->n - first < BLOCK ? d->n - first : BLOCK;
    float *const product = d->product[worker];

    for (size_t other = 0; other <= first; other += BLOCK) {
        const size_t columns = d->n - other < BLOCK ? d->n - other : BLOCK;

        for (size_t f = 0; f < r->dim; f += BLOCK) {
            const size_t some = r->dim - f < BLOCK ? r->dim - f : BLOCK;

            vec_gemm_nt(rows, columns, some, d->x + first * r->dim + f, r->dim,
                        d->x + other * r->dim + f, r->dim, 0.0f, product, BLOCK);
            for (size_t i = 0; i < rows; i++)
                for (size_t j = 0; j < columns; j++)
                    d->k[(first + i) * d->n + other + j] += (double)product[i * BLOCK + j];
        }
    }
}

static size_t judged_rows(const struct train_set *l)
{
    size_t n = 0;

    for (size_t q = 0; q < l->n_queries; q++)
        n += l->plan[q].n_judged;
    return n;
}

static peck_status open_dual(struct ridge *r, size_t n, peck_error *err)
{
    struct ridge_dual *const d = &r->dual;
    struct ridge_sums *const s = &r->sums[0];
    const struct train_set *const l = r->task->train_data->train_set;
    const size_t workers = (size_t)pool_size(r->task->pool);

    d->x = mem_new(n, r->dim * sizeof *d->x);
    d->z = mem_new(n, sizeof *d->z);
    d->a = mem_new(n, sizeof *d->a);
    d->k = mem_new(n, n * sizeof *d->k);
    d->product = mem_new(workers, sizeof *d->product);
    r->factor = mem_new(n, n * sizeof *r->factor);
    r->w = mem_new(r->dim, sizeof *r->w);
    s->mean = mem_new(r->dim, sizeof *s->mean);
    s->c = mem_new(l->max_docs, sizeof *s->c);
    bool fits =
        d->x && d->z && d->a && d->k && d->product && r->factor && r->w && s->mean && s->c;

    for (size_t i = 0; fits && i < workers; i++)
        fits = (d->product[i] = mem_new(BLOCK * BLOCK, sizeof **d->product)) != NULL;
    if (!fits)
        return fail_memory(err, "the products of documents", n,
                           n * sizeof *d->k + r->dim * sizeof *d->x);
    for (size_t q = 0; q < l->n_queries; q++)
        add_rows(d, s, r->task->train_data, q);
    pool_run(r->task->pool, (n + BLOCK - 1) / BLOCK, multiply_block, r);
    for (size_t i = 0; i < n; i++)
        r->diagonal += d->k[i * n + i] / (double)r->dim;
    return PECK_OK;
}

static peck_status ridge_open(void *self, const struct task *task,
                              struct stopping *stopping, peck_error *err)
{
    struct ridge *const r = self;
    const struct ridge_config *const c = task->plan->learner;
    const size_t dim = task->train_data->dim,
                 n_rows = judged_rows(task->train_data->train_set);
    size_t cells;

    r->task = task;
    r->dim = dim;
    r->fixed = c->lambda > 0.0                             ? c->lambda
               : task->train_data->validation.data == NULL ? UNCHECKED_LAMBDA
                                                           : 0.0;
    *stopping = (struct stopping){ .n_epochs = r->fixed > 0.0 ? 1 : N_GRID };
    if (dim > MANY && n_rows < dim)
        return open_dual(r, n_rows, err);
    if (mul_overflow(dim, dim, &cells))
        return fail_memory(err, "the products of features", dim, dim);
    r->factor = mem_new(cells, sizeof *r->factor);
    r->w = mem_new(dim, sizeof *r->w);
    bool fits = r->factor != NULL && r->w != NULL;

    for (r->n_sums = 0; fits && r->n_sums < (dim > LARGE ? 1 : SHARDS); r->n_sums++)
        fits = sums_open(&r->sums[r->n_sums], dim, task->train_data->train_set->max_docs);
    if (!fits)
        return fail_memory(err, "the products of features", cells, sizeof *r->factor);
    pool_run(task->pool, r->n_sums, ridge_add_shard, r);
    ridge_add_up(r);
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
static bool factorise(const double *a, size_t n, double added, double *f, bool by_four)
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

/* L L^T w = b. */
static void solve(const double *f, size_t n, const double *b, double *w)
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

/* w from the dual's a; the mean squared error comes back. */
static double solve_dual(struct ridge *r, double added)
{
    const struct ridge_dual *const d = &r->dual;
    double sum = 0.0;

    solve(r->factor, d->n, d->z, d->a);
    memset(r->w, 0, r->dim * sizeof *r->w);
    for (size_t i = 0; i < d->n; i++) {
        for (size_t j = 0; j < r->dim; j++)
            r->w[j] += d->a[i] * (double)d->x[i * r->dim + j];
        sum += added * d->a[i] * added * d->a[i];
    }
    return r->sums[0].n > 0.0 ? sum / r->sums[0].n : 0.0;
}

/* The mean squared error: (yy - 2 b.w + w.A w) / n. */
static double error_of(const struct ridge *r)
{
    const struct ridge_sums *const all = &r->sums[0];
    double sum = all->yy;

    for (size_t i = 0; i < r->dim; i++) {
        double aw = 0.0;

        for (size_t j = 0; j < r->dim; j++)
            aw += all->a[i * r->dim + j] * r->w[j];
        sum += r->w[i] * (aw - 2.0 * all->b[i]);
    }
    return all->n > 0.0 ? sum / all->n : 0.0;
}

static peck_status ridge_epoch(void *self, size_t number, struct epoch_stats *stats,
                               peck_error *err)
{
    struct ridge *const r = self;
    float *const w = r->task->w;
    const double lambda = r->fixed > 0.0 ? r->fixed : grid[number - 1];

    memset(w, 0, r->task->plan->n_weights * sizeof *w);
    stats->rate = lambda;
    if (!(r->diagonal > 0.0)) /* no feature differs within a query */
        return PECK_OK;
    const bool is_dual = r->dual.n > 0;

    if (!isfinite(r->diagonal) ||
        !factorise(is_dual ? r->dual.k : r->sums[0].a, is_dual ? r->dual.n : r->dim,
                   lambda * r->diagonal, r->factor, is_dual))
        return fail(err, PECK_DIVERGED,
                    "ridge: the sums of squares are out of range; use another --norm than "
                    "%s, or lambda= above %g",
                    r->task->plan->norm, lambda);
    if (is_dual) {
        stats->loss = solve_dual(r, lambda * r->diagonal);
    } else {
        solve(r->factor, r->dim, r->sums[0].b, r->w);
        stats->loss = error_of(r);
    }
    for (size_t i = 0; i < r->dim; i++)
        w[i] = (float)r->w[i];
    return PECK_OK;
}

static void ridge_close(void *self)
{
    struct ridge *const r = self;

    for (size_t i = 0; i < SHARDS; i++)
        sums_close(&r->sums[i]);
    for (int i = 0; r->dual.product != NULL && i < pool_size(r->task->pool); i++)
        mem_free(r->dual.product[i]);
    mem_free(r->dual.product);
    mem_free(r->dual.x);
    mem_free(r->dual.z);
    mem_free(r->dual.k);
    mem_free(r->dual.a);
    mem_free(r->factor);
    mem_free(r->w);
}

const struct learner learner_ridge = {
    .plug = { { "ridge", "least squares in closed form",
                "One Cholesky factor for each lambda of a grid; the validation data "
                "chooses (Hoerl and Kennard 1970)." },
              ridge_params },
    .config_size = sizeof(struct ridge_config),
    .multiplies = true,
    .self_size = sizeof(struct ridge),
    .open = ridge_open,
    .epoch = ridge_epoch,
    .close = ridge_close,
};
