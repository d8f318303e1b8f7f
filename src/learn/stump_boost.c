/* stump_boost.c -- see stump_boost.h. */
#include "stump_boost.h"
#include "bins.h"

#include "../base/sort.h"
#include "../model/stumps.h"

#include <math.h>

enum {
    COLUMNS = 4, /* looked through at once, at most */
    ROWS = 4096  /* documents of a task */
};

/* A row of a column's order; the mark: a threshold may stand behind it. */
#define MARK (1u << 31)
#define ROW_OF(e) ((e) & ~MARK)

/* The best threshold of a column: behind place `at` of its order. */
struct find {
    double lean;
    size_t at;
};

static const float *column_of(const struct stump_boost *b, size_t f)
{
    return b->task->train_data->x + f;
}

/* Sorting ------------------------------------------------------------------------------ */

struct column_sort {
    struct stump_boost *boost;
    struct sort_item *item; /* 2 n_rows a worker */
    bool *is_of_use;        /* dim: has a threshold */
};

/* Sorts column f and marks the places behind which a threshold may stand: between two
 * values, or where one of `candidates` thresholds, at top - m step, lies in [low, high). */
static void sort_column(void *ctx, size_t f, int worker)
{
    const struct column_sort *const job = ctx;
    const struct stump_boost *const b = job->boost;
    const size_t n = b->n_rows, dim = b->task->train_data->dim;
    const float *const x = column_of(b, f);
    struct sort_item *const item = job->item + 2 * n * (size_t)worker;
    uint32_t *const order = b->order + f * n;

    for (size_t i = 0; i < n; i++)
        item[i] = (struct sort_item){ key_desc((double)x[b->row[i] * dim]), b->row[i] };
    sort_items(item, n, item + n);
    for (size_t i = 0; i < n; i++)
        order[i] = item[i].from;
    if (n == 0)
        return;
    const double top = (double)x[order[0] * dim], bottom = (double)x[order[n - 1] * dim];
    const int64_t k = b->config->candidates;
    const double step = k > 0 ? (top - bottom) / (double)(k + 1) : 0.0;

    for (size_t p = 0; p + 1 < n; p++) {
        const double high = (double)x[order[p] * dim];
        const double low = (double)x[order[p + 1] * dim];

        if (low < high &&
            (step <= 0.0 || floor((top - high) / step) != floor((top - low) / step))) {
            order[p] |= MARK;
            job->is_of_use[f] = true;
        }
    }
}

/* Columns at a time: as many as leave no worker idle while others have a block to go.  cost: what
 * a block takes, in columns that are looked through alone. */
static size_t scan_width(size_t n_columns, size_t workers)
{
    static const double cost[COLUMNS + 1] = { 0.0, 1.0, 1.4, 1.8, 2.2 };
    size_t best = COLUMNS;
    double least = 0.0;

    for (size_t width = COLUMNS; width > 0; width--) {
        const size_t blocks = (n_columns + width - 1) / width;
        const double time = (double)((blocks + workers - 1) / workers) * cost[width];

        if (width == COLUMNS || time < least) {
            best = width;
            least = time;
        }
    }
    return best;
}

peck_status stump_boost_open(struct stump_boost *b, const struct task *task,
                             const struct stump_boost_config *config,
                             struct stopping *stopping, peck_error *err)
{
    const struct train_data *const c = task->train_data;
    const struct train_set *const l = c->train_set;
    const size_t n = l->n_docs, workers = (size_t)pool_size(task->pool);
    const char *const what = "sorted features";
    struct arena scratch = { 0 };
    struct column_sort job = { .boost = b };

    *b = (struct stump_boost){
        .task = task,
        .config = config,
        .n_rounds = (size_t)((const struct stumps *)task->plan->shape)->rounds
    };
    *stopping =
        (struct stopping){ .n_epochs = b->n_rounds, .patience = (size_t)config->patience };
    if (l->ties_until != NULL)
        return fail(err, PECK_ARG,
                    "ties=1: boosting learns who goes before whom; leave it 0");
    if (n >= MARK)
        return fail(err, PECK_SHAPE, "%zu documents; boosting takes up to %u", n, MARK - 1);
    b->row = arena_new(&b->arena, "documents", n, sizeof *b->row);
    /* Queries without a pair teach nothing. */
    for (size_t q = 0; b->row != NULL && q < l->n_queries; q++)
        for (size_t i = (size_t)l->start[q]; l->plan[q].n_all > 0.0 && i < l->start[q + 1];
             i++)
            b->row[b->n_rows++] = (uint32_t)i;
    b->feature = arena_new(&b->arena, what, c->dim, sizeof *b->feature);
    b->order = arena_new(&b->arena, what, c->dim, b->n_rows * sizeof *b->order);
    b->find = arena_new(&b->arena, what, c->dim, sizeof *b->find);
    b->height = arena_new(&b->arena, what, n, sizeof *b->height);
    b->potential = arena_new(&b->arena, what, n, sizeof *b->potential);
    b->scratch = arena_new(&b->arena, what, workers * 4 * ((size_t)l->max_docs + 1),
                           sizeof *b->scratch);
    TRY(arena_check(&b->arena, err));
    job.item =
        arena_new(&scratch, "sorting a feature", workers, 2 * b->n_rows * sizeof *job.item);
    job.is_of_use = arena_new(&scratch, "sorting a feature", c->dim, sizeof *job.is_of_use);
    const peck_status st = arena_check(&scratch, err);

    if (st == PECK_OK)
        pool_run(task->pool, c->dim, sort_column, &job);
    for (size_t f = 0; st == PECK_OK && f < c->dim; f++)
        if (job.is_of_use[f])
            b->feature[b->n_features++] = (uint32_t)f;
    b->width = scan_width(b->n_features, workers);
    arena_free(&scratch);
    return st;
}

void stump_boost_close(struct stump_boost *b)
{
    arena_free(&b->arena);
    *b = (struct stump_boost){ 0 };
}

/* Rounds ------------------------------------------------------------------------------- */

float *stump_boost_step(const struct stump_boost *b, size_t n)
{
    return b->task->w + (n - 1) * STUMP_WEIGHTS;
}

/* A step, and what is wanted of the documents above it. */
struct above_job {
    const struct stump_boost *boost;
    const float *step;
    float *above;   /* NULL: height is */
    double *height; /* that grows by the step's */
};

static void find_above(void *ctx, size_t task, int worker)
{
    const struct above_job *const j = ctx;
    const struct train_data *const c = j->boost->task->train_data;
    const float *const x = column_of(j->boost, (size_t)j->step[STUMP_FEATURE]);
    const float threshold = j->step[STUMP_THRESHOLD];
    const double height = (double)j->step[STUMP_HEIGHT];
    const size_t n = c->train_set->n_docs;
    const size_t end = n < (task + 1) * ROWS ? n : (task + 1) * ROWS;

    (void)worker;
    for (size_t i = task * ROWS; j->above != NULL && i < end; i++)
        j->above[i] = x[i * c->dim] > threshold ? 1.0f : 0.0f;
    for (size_t i = task * ROWS; j->above == NULL && i < end; i++)
        j->height[i] += x[i * c->dim] > threshold ? height : 0.0;
}

void stump_boost_above(const struct stump_boost *b, const float *step, float *above)
{
    struct above_job job = { .boost = b, .step = step, .above = above };

    pool_run(b->task->pool, (b->task->train_data->train_set->n_docs + ROWS - 1) / ROWS,
             find_above, &job);
}

void stump_boost_build(struct stump_boost *b, size_t n)
{
    const size_t n_docs = b->task->train_data->train_set->n_docs;

    for (; b->n_built < n; b->n_built++) {
        const float *const step = stump_boost_step(b, b->n_built + 1);
        struct above_job job = { .boost = b, .step = step, .height = b->height };

        if (step[STUMP_HEIGHT] != 0.0f)
            pool_run(b->task->pool, (n_docs + ROWS - 1) / ROWS, find_above, &job);
    }
}

peck_status stump_boost_check(const struct stump_boost *b, size_t rounds, peck_error *err)
{
    const size_t dim = b->task->train_data->dim;

    for (size_t n = 1; n <= b->n_rounds; n++) {
        const float *const step = stump_boost_step(b, n), feature = step[STUMP_FEATURE];

        if (!(feature >= 0.0f && feature < (float)dim && feature == floorf(feature)))
            return fail(err, PECK_FORMAT, "step %zu asks about a feature that is not there",
                        n);
        if (n > rounds && step[STUMP_HEIGHT] != 0.0f)
            return fail(err, PECK_FORMAT, "there is a step %zu after %zu rounds", n,
                        rounds);
    }
    return PECK_OK;
}

/* `width` columns side by side, a constant wherever this is called: their sums do not wait
 * for each other.
 * Rows come by falling value: sum is the potential of all above a threshold behind p. */
static inline __attribute__((always_inline)) void scan_columns(struct stump_boost *b,
                                                               size_t first,
                                                               const size_t width)
{
    const size_t n = b->n_rows;
    const uint32_t *order[COLUMNS];
    double sum[COLUMNS] = { 0.0 };
    struct find best[COLUMNS];

    for (size_t f = 0; f < width; f++) {
        order[f] = b->order + b->feature[first + f] * n;
        best[f] = (struct find){ 0.0, n };
    }
    for (size_t p = 0; p < n; p++)
        for (size_t f = 0; f < width; f++) {
            const uint32_t here = order[f][p];

            sum[f] += (double)b->potential[ROW_OF(here)];
            if (here >= MARK && fabs(sum[f]) > best[f].lean)
                best[f] = (struct find){ fabs(sum[f]), p };
        }
    memcpy(b->find + first, best, width * sizeof *best);
}

static void scan_block(void *ctx, size_t block, int worker)
{
    struct stump_boost *const b = ctx;
    const size_t first = block * b->width, left = b->n_features - first;

    (void)worker;
    switch (left < b->width ? left : b->width) {
    case 1:
        scan_columns(b, first, 1);
        break;
    case 2:
        scan_columns(b, first, 2);
        break;
    case 3:
        scan_columns(b, first, 3);
        break;
    default:
        scan_columns(b, first, COLUMNS);
        break;
    }
}

bool stump_boost_find(struct stump_boost *b, float *step)
{
    const size_t n = b->n_rows, dim = b->task->train_data->dim;
    size_t best = 0;

    pool_run(b->task->pool, (b->n_features + b->width - 1) / b->width, scan_block, b);
    for (size_t f = 1; f < b->n_features; f++)
        if (b->find[f].lean > b->find[best].lean)
            best = f;
    if (b->n_features == 0 || b->find[best].at == n)
        return false;
    const uint32_t *const order = b->order + b->feature[best] * n + b->find[best].at;
    const float *const x = column_of(b, b->feature[best]);

    step[STUMP_FEATURE] = (float)b->feature[best];
    step[STUMP_THRESHOLD] =
        bins_between(x[ROW_OF(order[1]) * dim], x[ROW_OF(order[0]) * dim]);
    step[STUMP_HEIGHT] = 0.0f;
    return true;
}
