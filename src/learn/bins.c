/* bins.c -- see bins.h. */
#include "bins.h"

#include "../base/rng.h"
#include "../base/sort.h"

#include <float.h>
#include <math.h>

enum {
    SAMPLE = 200000, /* rows whose values say where edges go */
    ROWS = 512,      /* of a block of those that lie in memory */
};

struct cutting {
    struct bins *bins;
    const struct row_blocks *x;
    size_t most;            /* bins */
    size_t step, n_sampled; /* one of every `step` rows of all ranks is looked at */
    float *sample;          /* [n_sampled][dim]: rows of this rank */
    size_t *begin;          /* n_ranks + 1: where the sampled rows of each begin */
    size_t *feature;        /* n_ranks + 1: where the features that each cuts begin */
    float *dealt;  /* of several ranks: for each its sampled rows, by feature of this one */
    float *column; /* n_sampled a worker */
    uint32_t *scratch; /* 2 n_sampled a worker */
    bool *gap;         /* dim a worker: it saw NaN there */
};

/* Where the run of values equal to x[i] ends. */
static size_t bins_run_end(const float *x, size_t i, size_t n)
{
    size_t end = i + 1;

    while (end < n && x[end] == x[i])
        end++;
    return end;
}

/* Where the values of a feature, one of those that this rank cuts, in the sampled rows of
 * another one are: *step apart. */
static const float *sampled_column(const struct cutting *c, size_t rank, size_t feature,
                                   size_t *step)
{
    if (!comm_is_shared(c->x->comm)) {
        *step = c->x->dim;
        return c->sample + feature;
    }
    const size_t own = c->feature[comm_rank(c->x->comm)],
                 n = c->feature[comm_rank(c->x->comm) + 1] - own;

    *step = 1;
    return c->dealt + c->begin[rank] * n +
           (feature - own) * (c->begin[rank + 1] - c->begin[rank]);
}

/* Edges of a feature from its values in the sampled rows.  Where there are more values than
 * bins, a bin is closed when it holds its share of what is left. */
static void cut_feature(void *ctx, size_t i, int worker)
{
    const struct cutting *const c = ctx;
    const size_t feature = c->feature[comm_rank(c->x->comm)] + i;
    float *const x = c->column + c->n_sampled * (size_t)worker;
    const size_t gap = c->bins->has_gaps[feature] ? 1 : 0, most = c->most - gap;
    float *const edge = c->bins->edge + feature * MAX_BINS;
    size_t n = 0, n_values = 0, n_bins = 1, begin = 0;

    for (size_t rank = 0; rank < comm_ranks(c->x->comm); rank++) {
        size_t step;
        const float *const from = sampled_column(c, rank, feature, &step);

        for (size_t k = 0; k < c->begin[rank + 1] - c->begin[rank]; k++) {
            x[n] = from[k * step];
            n += !isnan(x[n]);
        }
    }
    sort_floats(x, n, c->scratch + 2 * c->n_sampled * (size_t)worker);
    for (size_t k = 0; k < MAX_BINS; k++)
        edge[k] = k < gap ? -FLT_MAX : INFINITY;
    for (size_t k = 0; k < n && n_values <= most; k = bins_run_end(x, k, n))
        n_values++;
    for (size_t k = 0, end; k < n; k = end) {
        const size_t share = (n - begin) / (most - n_bins + 1);

        end = bins_run_end(x, k, n);
        if (end < n && n_bins < most && (n_values <= most || end - begin >= share)) {
            edge[gap + n_bins++ - 1] = bins_between(x[k], x[end]);
            begin = end;
        }
    }
    c->bins->n_bins[feature] = (uint16_t)(gap + n_bins);
}

/* The number of edges below each of n values x of neighbouring features, by halving: edges are
 * filled up to MAX_BINS.  No branch, which would be guessed wrong as often as not, and LANES
 * searches side by side, none of which waits for another's memory. */
static inline void find_bins(const float *edge, const float *x, size_t n, uint8_t *bin)
{
    const float *at[LANES];

    for (size_t k = 0; k < n; k++)
        at[k] = edge + k * MAX_BINS;
    for (size_t step = MAX_BINS / 2; step > 0; step /= 2)
        for (size_t k = 0; k < n; k++)
            at[k] += (size_t)(x[k] > at[k][step - 1]) * step;
    for (size_t k = 0; k < n; k++)
        bin[k] = (uint8_t)(at[k] - edge - k * MAX_BINS);
}

/* The row of all ranks that is sampled for run i of `step` rows: somewhere in it, as data often
 * has a rhythm of its own. */
static size_t sampled_row(const struct cutting *c, size_t i)
{
    const size_t drawn = i * c->step + (size_t)(mix64(i, 0) % c->step);

    return drawn < c->x->n_all ? drawn : c->x->n_all - 1;
}

/* Gaps of a block in all its rows, not in the sample alone: they take a bin of their own.
 * And those of its rows that are in the sample. */
static void look_at_block(void *ctx, size_t block, int worker)
{
    const struct cutting *const c = ctx;
    const size_t dim = c->x->dim;
    bool *const gap = c->gap + dim * (size_t)worker;
    size_t first;
    const struct rows x = c->x->block(c->x->ctx, block, worker, &first);

    first += c->x->first_row;
    for (size_t i = 0; i < x.n; i++)
        for (size_t f = 0; f < dim; f++)
            gap[f] |= isnan(x.x[i * x.stride + f]) != 0;
    for (size_t i = first / c->step; i * c->step < first + x.n; i++) {
        const size_t row = sampled_row(c, i);

        if (row >= first && row < first + x.n)
            memcpy(c->sample + (i - c->begin[comm_rank(c->x->comm)]) * dim,
                   x.x + (row - first) * x.stride, dim * sizeof *c->sample);
    }
}

/* All groups of a block of rows, which stays in the cache. */
static void bins_fill_block(void *ctx, size_t block, int worker)
{
    const struct cutting *const c = ctx;
    size_t from;
    const struct rows x = c->x->block(c->x->ctx, block, worker, &from);

    for (size_t first = 0; first < c->bins->n_features; first += LANES) {
        const size_t left = c->bins->n_features - first, n = left < LANES ? left : LANES;
        uint8_t *cell = bins_group(c->bins, first / LANES) + from * LANES;

        const float *const edge = c->bins->edge + first * MAX_BINS;

        for (size_t i = 0; i < x.n; i++, cell += LANES)
            if (n == LANES) /* a constant, for the compiler */
                find_bins(edge, x.x + i * x.stride + first, LANES, cell);
            else
                find_bins(edge, x.x + i * x.stride + first, n, cell);
    }
}

peck_status bins_reserve(struct bins *b, size_t n_rows, size_t n_features, size_t lanes,
                         peck_error *err)
{
    const char *const what = "bins of features";

    *b = (struct bins){ .n_rows = n_rows,
                        .n_features = n_features,
                        .lanes = lanes,
                        .n_groups = (n_features + lanes - 1) / lanes };
    b->cell = arena_new(&b->arena, what, n_rows, b->n_groups * lanes);
    b->n_bins = arena_new(&b->arena, what, n_features, sizeof *b->n_bins);
    b->first = arena_new(&b->arena, what, n_features + 1, sizeof *b->first);
    b->has_gaps = arena_new(&b->arena, what, n_features, sizeof *b->has_gaps);
    b->edge = arena_new(&b->arena, what, n_features, MAX_BINS * sizeof *b->edge);
    return arena_check(&b->arena, err);
}

void bins_count(struct bins *b)
{
    for (size_t f = 0; f < b->n_features; f++)
        b->first[f + 1] = b->first[f] + b->n_bins[f];
}

/* Which sampled rows and features belong to which rank. */
static peck_status deal_sample(struct cutting *c, struct arena *scratch, peck_error *err)
{
    const char *const what = "sorting a feature";
    const peck_comm *const comm = c->x->comm;
    const size_t ranks = comm_ranks(comm);
    size_t *const first_row = arena_new(scratch, what, ranks, sizeof *first_row);
    size_t *const n_of = arena_new(scratch, what, ranks, sizeof *n_of);

    c->begin = arena_new(scratch, what, ranks + 1, sizeof *c->begin);
    c->feature = arena_new(scratch, what, ranks + 1, sizeof *c->feature);
    TRY(arena_check(scratch, err));
    for (size_t rank = 0; rank < ranks; rank++)
        n_of[rank] = sizeof *first_row;
    TRY(comm_gather(comm, &c->x->first_row, first_row, n_of, err));
    for (size_t rank = 0, i = 0; rank < ranks; rank++) {
        while (i < c->n_sampled && sampled_row(c, i) < first_row[rank])
            i++;
        c->begin[rank] = i;
        c->feature[rank] = comm_part(comm, c->x->dim, rank);
    }
    c->begin[ranks] = c->n_sampled;
    c->feature[ranks] = c->x->dim;
    return PECK_OK;
}

/* Gaps that any rank has seen; and each rank gets the columns that it cuts. */
static peck_status exchange_sample(struct cutting *c, struct arena *scratch,
                                   peck_error *err)
{
    const char *const what = "sorting a feature";
    const peck_comm *const comm = c->x->comm;
    const size_t ranks = comm_ranks(comm), rank = comm_rank(comm), dim = c->x->dim;
    const size_t n = c->begin[rank + 1] - c->begin[rank];
    const size_t n_features = c->feature[rank + 1] - c->feature[rank];
    int64_t *const n_gaps = arena_new(scratch, what, dim, sizeof *n_gaps);
    size_t *const n_send = arena_new(scratch, what, ranks, sizeof *n_send);
    size_t *const n_receive = arena_new(scratch, what, ranks, sizeof *n_receive);
    float *const by_feature = arena_new(scratch, what, n * dim, sizeof *by_feature);

    c->dealt = arena_new(scratch, what, n_features * c->n_sampled, sizeof *c->dealt);
    TRY(arena_check(scratch, err));
    for (size_t f = 0; f < dim; f++)
        n_gaps[f] = c->bins->has_gaps[f];
    TRY(comm_add(comm, n_gaps, dim, err));
    for (size_t f = 0; f < dim; f++)
        c->bins->has_gaps[f] = n_gaps[f] > 0;
    for (size_t i = 0; i < n; i++)
        for (size_t f = 0; f < dim; f++)
            by_feature[f * n + i] = c->sample[i * dim + f];
    for (size_t k = 0; k < ranks; k++) {
        n_send[k] = (c->feature[k + 1] - c->feature[k]) * n * sizeof *by_feature;
        n_receive[k] = (c->begin[k + 1] - c->begin[k]) * n_features * sizeof *by_feature;
    }
    return comm_exchange(comm, by_feature, n_send, c->dealt, n_receive, err);
}

/* Every rank looks at its rows, cuts its features, tells the others of their edges, and fills
 * the bins of its rows. */
static peck_status cut_and_fill(struct cutting *c, struct arena *scratch, struct pool *pool,
                                peck_error *err)
{
    const char *const what = "sorting a feature";
    const struct row_blocks *const x = c->x;
    struct bins *const b = c->bins;
    const size_t workers = (size_t)pool_size(pool), rank = comm_rank(x->comm);

    TRY(deal_sample(c, scratch, err));
    c->sample = arena_new(scratch, what, x->dim * (c->begin[rank + 1] - c->begin[rank]),
                          sizeof *c->sample);
    c->column = arena_new(scratch, what, workers * c->n_sampled, sizeof *c->column);
    c->scratch = arena_new(scratch, what, workers * c->n_sampled, 2 * sizeof *c->scratch);
    c->gap = arena_new(scratch, what, workers * x->dim, sizeof *c->gap);
    TRY(arena_check(scratch, err));
    pool_run(pool, x->n_blocks, look_at_block, c);
    for (size_t i = 0; i < x->dim * workers; i++)
        b->has_gaps[i % x->dim] |= c->gap[i];
    if (comm_is_shared(x->comm))
        TRY(exchange_sample(c, scratch, err));
    pool_run(pool, c->feature[rank + 1] - c->feature[rank], cut_feature, c);
    TRY(comm_share(x->comm, b->edge, c->feature, MAX_BINS * sizeof *b->edge, err));
    TRY(comm_share(x->comm, b->n_bins, c->feature, sizeof *b->n_bins, err));
    pool_run(pool, x->n_blocks, bins_fill_block, c);
    bins_count(b);
    return PECK_OK;
}

peck_status bins_open(struct bins *b, const struct row_blocks *x, size_t most,
                      struct pool *pool, peck_error *err)
{
    struct cutting c = { .bins = b, .x = x, .most = most, .step = x->n_all / SAMPLE + 1 };
    struct arena scratch = { 0 };

    TRY(bins_reserve(b, x->n, x->dim, LANES, err));
    b->comm = x->comm;
    c.n_sampled = (x->n_all + c.step - 1) / c.step;
    const peck_status st = cut_and_fill(&c, &scratch, pool, err);

    arena_free(&scratch);
    return st;
}

static struct rows block_of_rows(void *ctx, size_t block, int worker, size_t *first)
{
    const struct rows *const x = ctx;
    const size_t from = *first = block * ROWS, left = x->n - from;

    (void)worker;
    return (struct rows){ x->x + from * x->stride, left < ROWS ? left : ROWS, x->dim,
                          x->stride };
}

peck_status bins_open_rows(struct bins *b, struct rows x, size_t most, struct pool *pool,
                           peck_error *err)
{
    return bins_open(b,
                     &(struct row_blocks){ .n = x.n,
                                           .dim = x.dim,
                                           .n_blocks = (x.n + ROWS - 1) / ROWS,
                                           .block = block_of_rows,
                                           .ctx = &x,
                                           .n_all = x.n },
                     most, pool, err);
}

void bins_close(struct bins *b)
{
    arena_free(&b->arena);
    *b = (struct bins){ 0 };
}
