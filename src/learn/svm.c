/* svm.c -- see svm.h. */
#include "svm.h"

#include "../base/gemm.h"
#include "../base/maths.h"
#include "../model/dense.h"

#include <math.h>

enum {
    SVM_SHARDS = 16, /* sums over documents, added in order */
    BLOCK = 256,     /* documents that are multiplied at once */
    MAX_STEPS = 200, /* of Newton; a handful is usual */
};

#define TOLERANCE 1e-3   /* of the steepness at w = 0 */
#define CG_TOLERANCE 0.1 /* of the gradient at hand */

/* Vectors --------------------------------------------------------------------------- */

static double svm_dot(const double *a, const double *b, size_t n)
{
    double sum = 0.0;

    for (size_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

static void svm_add(double *to, double a, const double *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        to[i] += a * x[i];
}

/* Products with X --------------------------------------------------------------------- */

static void score_block(void *ctx, size_t i, int worker)
{
    struct svm *const m = ctx;
    const struct train_data *const c = m->task->train_data;
    const size_t first = i * BLOCK, left = c->own_rows - first;

    (void)worker;
    dense_forward(left < BLOCK ? left : BLOCK, 1, m->dim, c->x + first * m->dim, m->dim,
                  m->v, NULL, m->s + c->own_row + first);
}

/* s = X w, of this rank's rows */
static void svm_score(struct svm *m, const double *w)
{
    for (size_t j = 0; j < m->dim; j++)
        m->v[j] = (float)w[j];
    pool_run(m->task->pool, (m->task->train_data->own_rows + BLOCK - 1) / BLOCK,
             score_block, m);
}

/* Sum of this rank's block i. */
static void gather_block(void *ctx, size_t i, int worker)
{
    struct svm *const m = ctx;
    const struct train_data *const c = m->task->train_data;
    const size_t block = m->rank_at[comm_rank(c->comm)] + i, dim = m->dim;
    const size_t at = m->block_at[block], end = m->block_at[block + 1];
    const bool is_own = end <= c->own_row + c->own_rows;

    (void)worker;
    gemm_tn(1, dim, end - at, is_own ? m->g + at : m->border.g, 1,
            is_own ? c->x + (at - c->own_row) * dim : m->border.x, dim, NULL, 0,
            m->row + block * dim, dim);
}

static void add_blocks(void *ctx, size_t shard, int worker)
{
    struct svm *const m = ctx;
    const size_t dim = m->dim;
    double *const part = m->part + shard * dim;

    (void)worker;
    memset(part, 0, dim * sizeof *part);
    for (size_t i = m->shard_at[shard]; i < m->shard_at[shard + 1]; i++)
        for (size_t j = 0; j < dim; j++)
            part[j] += (double)m->row[i * dim + j];
}

/* Rows of a block that ends among those of others, `width` floats each: own has this rank's
 * rows, to gets the block's. */
static peck_status complete_block(struct svm *m, const float *own, size_t width, float *to,
                                  peck_error *err)
{
    const struct train_data *const c = m->task->train_data;
    const size_t ranks = comm_ranks(c->comm), rank = comm_rank(c->comm);
    const struct border *const b = &m->border;
    size_t n_own = 0, n_others = 0;

    for (size_t i = 0; i < ranks; i++) {
        n_others += b->n_receive[i];
        b->send[i] = b->n_send[i] * width * sizeof *own;
        b->receive[i] = b->n_receive[i] * width * sizeof *own;
    }
    if (n_others > 0) {
        n_own = c->own_row + c->own_rows - m->block_at[m->rank_at[rank + 1] - 1];
        memcpy(to, own + (c->own_rows - n_own) * width, n_own * width * sizeof *to);
    }
    return comm_exchange(c->comm, own, b->send, to + n_own * width, b->receive, err);
}

/* to = w + c X' g */
static peck_status svm_gather(struct svm *m, const double *w, double c, double *to,
                              peck_error *err)
{
    const struct train_data *const data = m->task->train_data;
    const size_t rank = comm_rank(data->comm);

    if (comm_is_shared(data->comm))
        TRY(complete_block(m, m->g + data->own_row, 1, m->border.g, err));
    pool_run(m->task->pool, m->rank_at[rank + 1] - m->rank_at[rank], gather_block, m);
    TRY(comm_share(data->comm, m->row, m->rank_at, m->dim * sizeof *m->row, err));
    pool_run(m->task->pool, SVM_SHARDS, add_blocks, m);
    for (size_t j = 0; j < m->dim; j++) {
        double sum = 0.0;

        for (size_t shard = 0; shard < SVM_SHARDS; shard++)
            sum += m->part[shard * m->dim + j];
        to[j] = w[j] + c * sum;
    }
    return PECK_OK;
}

/* *loss = L(X w), with its derivatives by the scores in g. */
static peck_status loss_at(struct svm *m, const double *w, double *loss, peck_error *err)
{
    const struct peck_dataset *const d = m->task->train_data->data;

    svm_score(m, w);
    hinge_gradient(&m->hinge, m->s, m->g);
    if (d->share != NULL)
        TRY(comm_share(d->comm, m->hinge.loss, d->share, sizeof *m->hinge.loss, err));
    *loss = hinge_loss(&m->hinge);
    return PECK_OK;
}

/* The trust region -------------------------------------------------------------------- */

/* step: about -H^-1 grad, no longer than radius; rest = -grad - H step.
 * Conjugate gradients from 0, until the rest is a tenth of the gradient or the border of
 * the region is reached: Steihaug, "The conjugate gradient method and trust regions in
 * large scale optimization", SIAM J. Numer. Anal. 20 (1983). */
static peck_status find_step(struct svm *m, double c, double radius, peck_error *err)
{
    const struct task *const t = m->task;
    const size_t n = m->dim;
    double square = svm_dot(m->grad, m->grad, n);
    const double enough = CG_TOLERANCE * CG_TOLERANCE * square;

    for (size_t j = 0; j < n; j++) {
        m->step[j] = 0.0;
        m->rest[j] = m->aim[j] = -m->grad[j];
    }
    for (size_t k = 0; k < 2 * n + 10 && square > enough; k++) {
        if (t->is_stopped != NULL && t->is_stopped(t->ctx))
            return PECK_STOPPED;
        svm_score(m, m->aim); /* bend = H aim */
        hinge_bend(&m->hinge, m->s, m->g);
        TRY(svm_gather(m, m->aim, c, m->bend, err));
        double alpha = square / svm_dot(m->aim, m->bend, n);

        svm_add(m->step, alpha, m->aim, n);
        if (svm_dot(m->step, m->step, n) > radius * radius) {
            /* Back, and only to the border: |step + t aim| = radius. */
            svm_add(m->step, -alpha, m->aim, n);
            const double sd = svm_dot(m->step, m->aim, n), dd = svm_dot(m->aim, m->aim, n);
            const double left = radius * radius - svm_dot(m->step, m->step, n);
            const double root = sqrt(math_max(sd * sd + dd * left, 0.0));

            alpha = sd >= 0.0 ? left / (sd + root) : (root - sd) / dd;
            svm_add(m->step, alpha, m->aim, n);
            svm_add(m->rest, -alpha, m->bend, n);
            return PECK_OK;
        }
        svm_add(m->rest, -alpha, m->bend, n);
        const double before = square;

        square = svm_dot(m->rest, m->rest, n);
        for (size_t j = 0; j < n; j++)
            m->aim[j] = m->rest[j] + square / before * m->aim[j];
    }
    return PECK_OK;
}

/* The radius after a step that promised one fall and brought another; `at` is the length
 * at which a parabola through both ends would be lowest. */
static double new_radius(double radius, double length, double promised, double fall,
                         double along)
{
    const double shrink =
        -fall - along <= 0.0 ? 4.0 : math_max(0.25, -0.5 * along / (-fall - along));
    const double at = shrink * length;

    if (fall < 1e-4 * promised)
        return math_min(math_max(at, 0.25 * length), 0.5 * radius);
    if (fall < 0.25 * promised)
        return math_max(0.25 * radius, math_min(at, 0.5 * radius));
    if (fall < 0.75 * promised)
        return math_max(0.25 * radius, math_min(at, 4.0 * radius));
    return math_max(radius, math_min(at, 4.0 * radius));
}

peck_status svm_solve(struct svm *m, double c, double *w, double *loss, peck_error *err)
{
    const size_t n = m->dim;
    double radius = 0.0;

    TRY(loss_at(m, w, loss, err));
    double value = 0.5 * svm_dot(w, w, n) + c * *loss;

    TRY(svm_gather(m, w, c, m->grad, err));
    for (int k = 0; k < MAX_STEPS; k++) {
        const double gradient_norm = sqrt(svm_dot(m->grad, m->grad, n));

        if (!isfinite(value) || !isfinite(gradient_norm))
            return fail(err, PECK_DIVERGED,
                        "ranksvm: the sums over pairs are out of range; use another --norm "
                        "than %s",
                        m->task->plan->norm);
        if (gradient_norm <= TOLERANCE * c * m->steepness)
            break;
        radius = k == 0 ? gradient_norm : radius;
        TRY(find_step(m, c, radius, err));
        const double along = svm_dot(m->grad, m->step, n),
                     length = sqrt(svm_dot(m->step, m->step, n));
        /* The fall of the quadratic model: -(g.d + d.Hd / 2), where H d = -g - rest. */
        const double promised = -0.5 * (along - svm_dot(m->step, m->rest, n));

        memcpy(m->next, w, n * sizeof *w);
        svm_add(m->next, 1.0, m->step, n);
        double there;

        TRY(loss_at(m, m->next, &there, err));
        const double fall = value - 0.5 * svm_dot(m->next, m->next, n) - c * there;

        radius = new_radius(k == 0 ? math_min(radius, length) : radius, length, promised,
                            fall, along);
        if (fall > 1e-4 * promised) {
            memcpy(w, m->next, n * sizeof *w);
            *loss = there;
            value -= fall;
            TRY(svm_gather(m, w, c, m->grad, err));
        } else {
            TRY(loss_at(m, w, &there, err)); /* the active pairs are those of w again */
        }
        if (fabs(fall) <= 1e-12 * fabs(value) && promised <= 1e-12 * fabs(value))
            break;
    }
    return PECK_OK;
}

/* The grid of C ----------------------------------------------------------------------- */

/* clang-format off */
const struct param svm_grid_params[] = {
    { "c", PARAM_FLOAT, "0", "[0,inf)",
      "what the pairs weigh against |w|^2; 0: from a grid, by validation (without it the "
      "middle of the grid)", offsetof(struct svm_grid, c) },
    { "c_from", PARAM_FLOAT, "0.01", "(0,inf)",
      "the grid's first C, times what all pairs count", offsetof(struct svm_grid, from) },
    { "c_to", PARAM_FLOAT, "1000", "(0,inf)",
      "the grid's last C, times what all pairs count", offsetof(struct svm_grid, to) },
    { "c_steps", PARAM_INT, "11", "[1,1000]", "values of C in the grid",
      offsetof(struct svm_grid, steps) },
    { "balance", PARAM_CHOICE, "pairs", "pairs|queries",
      "what counts the same: each pair, or each query with all its pairs",
      offsetof(struct svm_grid, balance) },
    { 0 }
};
/* clang-format on */

static bool has_one_c(const struct task *task)
{
    return ((const struct svm_grid *)task->plan->learner)->c > 0.0 ||
           task->train_data->validation.data == NULL;
}

struct stopping svm_grid_stopping(const struct task *task)
{
    const struct svm_grid *const g = task->plan->learner;

    return (struct stopping){ .n_epochs = has_one_c(task) ? 1 : (size_t)g->steps };
}

/* Geometric: from (to / from)^along, over what all pairs count; alone, its middle. */
double svm_grid_at(const struct svm *m, size_t step)
{
    const struct svm_grid *const g = m->task->plan->learner;
    const double along = has_one_c(m->task) ? 0.5
                         : g->steps > 1     ? (double)(step - 1) / (double)(g->steps - 1)
                                            : 0.0;

    return g->c > 0.0 ? g->c : g->from * math_pow(g->to / g->from, along) / m->all_pairs;
}

/* Memory ------------------------------------------------------------------------------ */

/* Cuts the rows into blocks and deals them: a rank has those whose first row it has. */
static peck_status cut_blocks(struct svm *m, peck_error *err)
{
    const struct train_data *const c = m->task->train_data;
    const size_t ranks = comm_ranks(c->comm), n = c->train_set->n_docs;
    const char *const what = "the sums over documents";

    m->block_at = arena_new(&m->arena, what, n / BLOCK + SVM_SHARDS + 1, sizeof(size_t));
    m->shard_at = arena_new(&m->arena, what, SVM_SHARDS + 1, sizeof(size_t));
    m->rank_at = arena_new(&m->arena, what, ranks + 1, sizeof(size_t));
    TRY(arena_check(&m->arena, err));
    for (size_t shard = 0; shard < SVM_SHARDS; shard++) {
        const size_t end = n * (shard + 1) / SVM_SHARDS;

        for (size_t at = n * shard / SVM_SHARDS; at < end; at += BLOCK)
            m->block_at[m->n_blocks++] = at;
        m->shard_at[shard + 1] = m->n_blocks;
    }
    m->block_at[m->n_blocks] = n;
    for (size_t i = 1; i <= ranks; i++) {
        const size_t row = i < ranks ? (size_t)c->data->start[c->data->share[i]] : n;

        m->rank_at[i] = m->rank_at[i - 1];
        while (m->rank_at[i] < m->n_blocks && m->block_at[m->rank_at[i]] < row)
            m->rank_at[i]++;
    }
    m->row = arena_new(&m->arena, what, m->n_blocks, m->dim * sizeof *m->row);
    return arena_check(&m->arena, err);
}

/* Who has rows of whose last block; and its features. */
static peck_status open_border(struct svm *m, peck_error *err)
{
    const struct train_data *const c = m->task->train_data;
    const size_t ranks = comm_ranks(c->comm), rank = comm_rank(c->comm);
    const char *const what = "the sums over documents";
    struct border *const b = &m->border;

    b->n_send = arena_new(&m->arena, what, ranks, sizeof *b->n_send);
    b->n_receive = arena_new(&m->arena, what, ranks, sizeof *b->n_receive);
    b->send = arena_new(&m->arena, what, ranks, sizeof *b->send);
    b->receive = arena_new(&m->arena, what, ranks, sizeof *b->receive);
    b->x = arena_new(&m->arena, what, BLOCK, m->dim * sizeof *b->x);
    b->g = arena_new(&m->arena, what, BLOCK, sizeof *b->g);
    TRY(arena_check(&m->arena, err));
    /* Rank i's rows up to its first block are those of the last block before it. */
    for (size_t i = 1, owner = 0; i < ranks; i++) {
        const size_t first = (size_t)c->data->start[c->data->share[i]];
        const size_t end = (size_t)c->data->start[c->data->share[i + 1]];
        const size_t block = m->block_at[m->rank_at[i]];
        const size_t n = (block < end ? block : end) - first;

        while (m->rank_at[owner + 1] < m->rank_at[i])
            owner++;
        if (rank == i)
            b->n_send[owner] = n;
        if (rank == owner)
            b->n_receive[i] = n;
    }
    return complete_block(m, c->x, m->dim, b->x, err);
}

peck_status svm_open(struct svm *m, const struct task *task, const struct hinge_rule *rule,
                     peck_error *err)
{
    const struct peck_dataset *const d = task->train_data->data;
    const size_t n = task->train_data->dim, n_docs = task->train_data->train_set->n_docs;
    const char *const what = "the scores of documents";

    *m = (struct svm){ .task = task, .dim = n };
    TRY(hinge_open(&m->hinge, task->train_data->train_set, rule, task->pool, err));
    m->s = arena_new(&m->arena, what, n_docs, sizeof *m->s);
    m->g = arena_new(&m->arena, what, n_docs, sizeof *m->g);
    m->v = arena_new(&m->arena, what, n, sizeof *m->v);
    m->part = arena_new(&m->arena, what, SVM_SHARDS * n, sizeof *m->part);
    m->grad = arena_new(&m->arena, what, n, sizeof *m->grad);
    m->step = arena_new(&m->arena, what, n, sizeof *m->step);
    m->rest = arena_new(&m->arena, what, n, sizeof *m->rest);
    m->aim = arena_new(&m->arena, what, n, sizeof *m->aim);
    m->bend = arena_new(&m->arena, what, n, sizeof *m->bend);
    m->next = arena_new(&m->arena, what, n, sizeof *m->next);
    TRY(arena_check(&m->arena, err));
    m->hinge.first = dataset_own_first(d);
    m->hinge.end = dataset_own_end(d);
    TRY(cut_blocks(m, err));
    if (comm_is_shared(d->comm))
        TRY(open_border(m, err));
    TRY(loss_at(m, m->next, &m->all_pairs, err)); /* which is 0 */
    TRY(svm_gather(m, m->next, 1.0, m->grad, err));
    m->steepness = sqrt(svm_dot(m->grad, m->grad, n));
    return PECK_OK;
}

void svm_close(struct svm *m)
{
    hinge_close(&m->hinge);
    arena_free(&m->arena);
    *m = (struct svm){ 0 };
}
