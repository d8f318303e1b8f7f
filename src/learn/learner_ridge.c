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
 *   (Z Z^T + lambda m I) a = z,    w = Z^T a,    z - Z w = lambda m a
 *
 * A and b are sums over shards of queries.  On ranks a shard whose queries belong to several
 * goes from rank to rank: each adds its own queries to what those before have made of it, so
 * that the bits are those of one rank.                                                */
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
    MANY = 4096,  /* features, beyond which A is larger than it need be */
    FORGET = 4096 /* documents after which a mapped file gives their memory back */
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

/* Sums over some queries: what a rank hands on to the next one. */
struct ridge_sums {
    double *a, *b;      /* [dim][dim], [dim] */
    double *yy, *n;     /* sum of squared labels; of weights */
    double *held;       /* rows that wait in x: less than BLOCK */
    float *x, *x_again; /* [BLOCK][dim]: centred rows; and times their weights */
    float *y;           /* [BLOCK] */
};

/* Of one shard. */
struct ridge_shard {
    struct ridge_sums sums;
    float *product; /* [dim][dim] */
    float *room;    /* train_data_room */
    double *mean;   /* [dim] */
    float *c;       /* [longest query]: weights of its judged documents */
};

/* The dual form; n = 0: it is not used. */
struct ridge_dual {
    size_t n;         /* judged documents */
    float *x;         /* [n][dim]: Z */
    double *z;        /* n */
    double *k;        /* [n][n]: Z Z^T, below the diagonal and on it */
    double *a;        /* n */
    size_t own_block; /* of rows: the first that this rank multiplies */
    float *product;   /* [workers][BLOCK][BLOCK] */
};

struct ridge {
    const struct task *task;
    size_t dim, n_sums;
    char *sums; /* [n_sums][size_of_sums]: those of the shards, as they are handed on */
    struct ridge_shard shard[SHARDS]; /* the first becomes the sum of all */
    struct ridge_dual dual;
    double *factor; /* [dim][dim]: A + lambda m I, then its factor; of the dual [n][n] */
    double *w;
    double weight;   /* sum of the weights of documents */
    double diagonal; /* m */
    double fixed;    /* the only lambda; 0: the grid */
    struct arena arena;
};

/* Bytes of struct ridge_sums' arrays, in the order in which it names them. */
static size_t size_of_sums(size_t dim)
{
    return (dim * dim + dim + 3) * sizeof(double) + BLOCK * (2 * dim + 1) * sizeof(float);
}

static struct ridge_sums sums_at(char *at, size_t dim)
{
    double *const a = (double *)(void *)at, *const yy = a + dim * dim + dim;
    float *const x = (float *)(void *)(yy + 3);

    return (struct ridge_sums){ .a = a,
                                .b = a + dim * dim,
                                .yy = yy,
                                .n = yy + 1,
                                .held = yy + 2,
                                .x = x,
                                .x_again = x + BLOCK * dim,
                                .y = x + 2 * BLOCK * dim };
}

/* Adds the rows that wait to A and b.
 * Products of BLOCK rows are taken in float and added up in double. */
static void ridge_flush(struct ridge_shard *shard, size_t dim)
{
    const struct ridge_sums *const s = &shard->sums;
    const size_t held = (size_t)*s->held;

    if (held == 0)
        return;
    gemm_tn(dim, dim, held, s->x, dim, s->x_again, dim, NULL, 0, shard->product, dim);
    for (size_t i = 0; i < dim * dim; i++)
        s->a[i] += (double)shard->product[i];
    gemm_tn(1, dim, held, s->y, 1, s->x_again, dim, NULL, 0, shard->product, dim);
    for (size_t i = 0; i < dim; i++)
        s->b[i] += (double)shard->product[i];
    *s->held = 0.0;
}

static float doc_weight(const struct train_data *c, size_t q, size_t i)
{
    return c->data->doc_weight != NULL
               ? c->data->doc_weight[train_set_row(c->train_set, q, i)]
               : 1.0f;
}

/* Weights of the judged documents of query q, whose features are x, as the data has them, and
 * means by them; that of the label comes back. */
static double take_means(struct ridge_shard *s, const struct train_data *c, size_t q,
                         const float *x)
{
    const struct train_set *const l = c->train_set;
    const size_t first = l->start[q], n = l->plan[q].n_judged, dim = c->dim;
    double all = 0.0, mean_y = 0.0;

    memset(s->mean, 0, dim * sizeof *s->mean);
    for (size_t i = 0; i < n; i++) {
        s->c[i] = doc_weight(c, q, i);
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

static void ridge_add_query(const struct ridge *r, struct ridge_shard *shard, size_t q)
{
    const struct ridge_sums *const s = &shard->sums;
    const struct train_set *const l = r->task->train_data->train_set;
    const size_t dim = r->dim;
    const float cq = l->weight != NULL ? l->weight[q] : 1.0f;
    const float *x = train_data_query(r->task->train_data, q, shard->room).x;
    const double mean_y = take_means(shard, r->task->train_data, q, x);

    for (size_t k = 0; k < l->plan[q].n_judged; k++, x += dim) {
        const float c = cq * shard->c[k];
        const float lead = (float)((double)l->label[l->start[q] + k] - mean_y);
        const size_t held = (size_t)*s->held;
        float *const to = s->x + held * dim, *const again = s->x_again + held * dim;

        for (size_t j = 0; j < dim; j++) {
            to[j] = (float)((double)x[j] - shard->mean[j]);
            again[j] = c * to[j];
        }
        s->y[held] = lead;
        *s->yy += (double)c * (double)lead * (double)lead;
        *s->n += (double)c;
        *s->held += 1.0;
        if (held + 1 == BLOCK)
            ridge_flush(shard, dim);
    }
}

/* Shard i has every query from its n-th part on; of i = n_sums: all are before it. */
static size_t shard_begin(const struct ridge *r, size_t i)
{
    return r->task->train_data->train_set->n_queries * i / r->n_sums;
}

/* This rank's queries of shard i, from `q` on. */
static void ridge_add_own(struct ridge *r, size_t i, size_t q)
{
    const struct peck_dataset *const d = r->task->train_data->data;
    const size_t own_end = dataset_own_end(d), last = shard_begin(r, i + 1);
    const size_t end = last < own_end ? last : own_end;

    for (size_t seen = q; q < end; q++) {
        ridge_add_query(r, &r->shard[i], q);
        if (d->start[q + 1] - d->start[seen] >= FORGET || q + 1 == end) {
            dataset_forget_queries(d, seen, q + 1);
            seen = q + 1;
        }
    }
    if (end == last)
        ridge_flush(&r->shard[i], r->dim);
}

static void begin_shard(void *ctx, size_t i, int worker)
{
    struct ridge *const r = ctx;
    const struct peck_dataset *const d = r->task->train_data->data;
    const size_t first = shard_begin(r, i);

    (void)worker;
    if (dataset_own_first(d) <= first && first < dataset_own_end(d))
        ridge_add_own(r, i, first);
}

/* Ranks ----------------------------------------------------------------------------------- */

/* Rank `to` gets shard *shard from the one before it, in this round, from 1: ranks before
 * hand it on first.  0: no shard lies on both sides of where its queries begin. */
static size_t round_of(const struct ridge *r, size_t to, size_t *shard)
{
    const size_t *const share = r->task->train_data->data->share;
    size_t round = 1;

    *shard = 0;
    while (*shard + 1 < r->n_sums && shard_begin(r, *shard + 1) <= share[to])
        ++*shard;
    if (shard_begin(r, *shard) >= share[to] || share[to] >= shard_begin(r, *shard + 1))
        return 0;
    while (share[to - round] > shard_begin(r, *shard))
        round++;
    return round;
}

/* Shards that several ranks have queries of go from rank to rank.  *is_last: none did. */
static peck_status hand_on(struct ridge *r, size_t round, size_t *n_send, size_t *n_receive,
                           bool *is_last, peck_error *err)
{
    const peck_comm *const comm = r->task->train_data->comm;
    const size_t rank = comm_rank(comm), size = size_of_sums(r->dim);
    size_t sent = 0, got = 0;

    *is_last = true;
    memset(n_send, 0, comm_ranks(comm) * sizeof *n_send);
    memset(n_receive, 0, comm_ranks(comm) * sizeof *n_receive);
    for (size_t to = 1; to < comm_ranks(comm); to++) {
        size_t shard;

        if (round_of(r, to, &shard) != round)
            continue;
        *is_last = false;
        if (rank + 1 == to) {
            n_send[to] = size;
            sent = shard;
        } else if (rank == to) {
            n_receive[to - 1] = size;
            got = shard;
        }
    }
    if (*is_last)
        return PECK_OK;
    TRY(comm_exchange(comm, r->sums + sent * size, n_send, r->sums + got * size, n_receive,
                      err));
    if (rank > 0 && n_receive[rank - 1] > 0)
        ridge_add_own(r, got, dataset_own_first(r->task->train_data->data));
    return PECK_OK;
}

/* Finishes the shards, each on the rank that has its last query; then all have all. */
static peck_status share_shards(struct ridge *r, peck_error *err)
{
    const peck_comm *const comm = r->task->train_data->comm;
    const size_t ranks = comm_ranks(comm);
    struct arena m = { 0 };
    size_t *const n_send = arena_new(&m, "ranks", ranks, sizeof *n_send);
    size_t *const n_receive = arena_new(&m, "ranks", ranks, sizeof *n_receive);
    size_t *const first = arena_new(&m, "ranks", ranks + 1, sizeof *first);
    peck_status st = arena_check(&m, err);
    bool is_last = false;

    for (size_t round = 1; st == PECK_OK && !is_last; round++)
        st = hand_on(r, round, n_send, n_receive, &is_last, err);
    for (size_t i = 1; st == PECK_OK && i <= ranks; i++)
        while (first[i] < r->n_sums &&
               shard_begin(r, first[i] + 1) <= r->task->train_data->data->share[i])
            first[i]++;
    if (st == PECK_OK)
        st = comm_share(comm, r->sums, first, size_of_sums(r->dim), err);
    arena_free(&m);
    return st;
}

/* The dual form ------------------------------------------------------------------------- */

/* This rank's block `at` of rows with itself and those before it: in floats over some
 * features at a time, which are added up in double. */
static void multiply_block(void *ctx, size_t at, int worker)
{
    const struct ridge *const r = ctx;
    const struct ridge_dual *const d = &r->dual;
    const size_t first = (d->own_block + at) * BLOCK;
    const size_t rows = d->n - first < BLOCK ? d->n - first : BLOCK;
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

/* Z and z of this rank's query q, from row `at` on. */
static void fill_dual(const struct ridge *r, struct ridge_shard *s, size_t q, size_t at)
{
    const struct ridge_dual *const d = &r->dual;
    const struct train_set *const l = r->task->train_data->train_set;
    const size_t dim = r->dim;
    const double cq = l->weight != NULL ? (double)l->weight[q] : 1.0;
    const float *x = train_data_query(r->task->train_data, q, s->room).x;
    const double mean_y = take_means(s, r->task->train_data, q, x);

    for (size_t i = 0; i < l->plan[q].n_judged; i++, x += dim) {
        const double root = sqrt(cq * (double)s->c[i]);
        float *const to = d->x + (at + i) * dim;

        for (size_t j = 0; j < dim; j++)
            to[j] = (float)(root * ((double)x[j] - s->mean[j]));
        d->z[at + i] = root * ((double)l->label[l->start[q] + i] - mean_y);
    }
}

/* Ranks make the rows of their own queries and some blocks of the products; all get all. */
static peck_status make_dual(struct ridge *r, struct ridge_shard *s, size_t *first,
                             peck_error *err)
{
    struct ridge_dual *const d = &r->dual;
    const struct train_data *const c = r->task->train_data;
    const struct train_set *const l = c->train_set;
    const size_t ranks = comm_ranks(c->comm), rank = comm_rank(c->comm);
    const size_t n_blocks = (d->n + BLOCK - 1) / BLOCK;
    const size_t *const share = c->data->share;

    for (size_t i = 0; share != NULL && i < ranks; i++) {
        first[i + 1] = first[i];
        for (size_t q = share[i]; q < share[i + 1]; q++)
            first[i + 1] += l->plan[q].n_judged;
    }
    for (size_t q = dataset_own_first(c->data), at = first[rank];
         q < dataset_own_end(c->data); at += l->plan[q++].n_judged)
        fill_dual(r, s, q, at);
    for (size_t q = 0; q < l->n_queries; q++)
        for (size_t i = 0; i < l->plan[q].n_judged; i++)
            r->weight += (l->weight != NULL ? (double)l->weight[q] : 1.0) *
                         (double)doc_weight(c, q, i);
    TRY(comm_share(c->comm, d->x, first, r->dim * sizeof *d->x, err));
    TRY(comm_share(c->comm, d->z, first, sizeof *d->z, err));
    for (size_t i = 0; i <= ranks; i++) {
        const size_t row = comm_part(c->comm, n_blocks, i) * BLOCK;

        first[i] = row < d->n ? row : d->n;
    }
    d->own_block = comm_part(c->comm, n_blocks, rank);
    pool_run(r->task->pool, comm_part(c->comm, n_blocks, rank + 1) - d->own_block,
             multiply_block, r);
    return comm_share(c->comm, d->k, first, d->n * sizeof *d->k, err);
}

/* n: judged documents. */
static peck_status open_dual(struct ridge *r, size_t n, peck_error *err)
{
    struct ridge_dual *const d = &r->dual;
    struct ridge_shard *const s = &r->shard[0];
    struct arena *const m = &r->arena;
    const struct train_data *const c = r->task->train_data;
    const size_t workers = (size_t)pool_size(r->task->pool), dim = r->dim;
    const char *const what = "the products of documents";

    d->n = n;
    d->x = arena_new(m, what, n, dim * sizeof *d->x);
    d->z = arena_new(m, what, n, sizeof *d->z);
    d->a = arena_new(m, what, n, sizeof *d->a);
    d->k = arena_new(m, what, n, n * sizeof *d->k);
    d->product = arena_new(m, what, workers, BLOCK * BLOCK * sizeof *d->product);
    r->factor = arena_new(m, what, n, n * sizeof *r->factor);
    r->w = arena_new(m, what, dim, sizeof *r->w);
    s->mean = arena_new(m, what, dim, sizeof *s->mean);
    s->room = arena_new(m, what, train_data_room(c), sizeof *s->room);
    s->c = arena_new(m, what, c->train_set->max_docs, sizeof *s->c);
    size_t *const first = arena_new(m, what, comm_ranks(c->comm) + 1, sizeof *first);

    TRY(arena_check(m, err));
    TRY(make_dual(r, s, first, err));
    for (size_t i = 0; i < n; i++)
        r->diagonal += d->k[i * n + i] / (double)dim;
    return PECK_OK;
}

/* A, b and the sums beside them: those of all shards, in their order, become the first's. */
static peck_status make_sums(struct ridge *r, peck_error *err)
{
    const struct ridge_sums *const all = &r->shard[0].sums;
    const size_t dim = r->dim;

    pool_run(r->task->pool, r->n_sums, begin_shard, r);
    if (comm_is_shared(r->task->train_data->comm))
        TRY(share_shards(r, err));
    for (size_t i = 1; i < r->n_sums; i++) {
        const struct ridge_sums *const s = &r->shard[i].sums;

        for (size_t j = 0; j < dim * dim; j++)
            all->a[j] += s->a[j];
        for (size_t j = 0; j < dim; j++)
            all->b[j] += s->b[j];
        *all->yy += *s->yy;
        *all->n += *s->n;
    }
    r->weight = *all->n;
    for (size_t j = 0; j < dim; j++)
        r->diagonal += all->a[j * dim + j] / (double)dim;
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
    r->sums = arena_new(m, what, r->n_sums, size_of_sums(dim));
    for (struct ridge_shard *s = r->shard; s < r->shard + r->n_sums; s++) {
        s->product = arena_new(m, what, dim, dim * sizeof *s->product);
        s->mean = arena_new(m, what, dim, sizeof *s->mean);
        s->room = arena_new(m, what, train_data_room(task->train_data), sizeof *s->room);
        s->c = arena_new(m, what, l->max_docs, sizeof *s->c);
    }
    TRY(arena_check(m, err));
    for (size_t i = 0; i < r->n_sums; i++)
        r->shard[i].sums = sums_at(r->sums + i * size_of_sums(dim), dim);
    return make_sums(r, err);
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
    const struct ridge_sums *const all = &r->shard[0].sums;
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
        error = *all->yy;
        for (size_t i = 0; i < r->dim; i++) {
            double aw = 0.0;

            for (size_t j = 0; j < r->dim; j++)
                aw += all->a[i * r->dim + j] * r->w[j];
            error += r->w[i] * (aw - 2.0 * all->b[i]);
        }
    }
    stats->loss = r->weight > 0.0 ? error / r->weight : 0.0;
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
    .takes_ranks = true,
    .self_size = sizeof(struct ridge),
    .open = ridge_open,
    .epoch = ridge_epoch,
    .close = ridge_close,
};
