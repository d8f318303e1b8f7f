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
    size_t step, n_sampled; /* one of every `step` rows is looked at */
    float *sample;          /* [n_sampled][dim] */
    float *column;          /* n_sampled a worker */
    uint32_t *scratch;      /* 2 n_sampled a worker */
    bool *gap;              /* dim a worker: it saw NaN there */
};

/* Where the run of values equal to x[i] ends. */
static size_t bins_run_end(const float *x, size_t i, size_t n)
{
    size_t end = i + 1;

    while (end < n && x[end] == x[i])
        end++;
    return end;
}

/* Edges of a feature from its values in the sampled rows.  Where there are more values than
 * bins, a bin is closed when it holds its share of what is left. */
static void cut_feature(void *ctx, size_t feature, int worker)
{
    const struct cutting *const c = ctx;
    float *const x = c->column + c->n_sampled * (size_t)worker;
    const size_t gap = c->bins->has_gaps[feature] ? 1 : 0, most = c->most - gap;
    float *const edge = c->bins->edge + feature * MAX_BINS;
    size_t n = 0, n_values = 0, n_bins = 1, begin = 0;

    for (size_t i = 0; i < c->n_sampled; i++) {
        x[n] = c->sample[i * c->x->dim + feature];
        n += !isnan(x[n]);
    }
    sort_floats(x, n, c->scratch + 2 * c->n_sampled * (size_t)worker);
    for (size_t i = 0; i < MAX_BINS; i++)
        edge[i] = i < gap ? -FLT_MAX : INFINITY;
    for (size_t i = 0; i < n && n_values <= most; i = bins_run_end(x, i, n))
        n_values++;
    for (size_t i = 0, end; i < n; i = end) {
        const size_t share = (n - begin) / (most - n_bins + 1);

        end = bins_run_end(x, i, n);
        if (end < n && n_bins < most && (n_values <= most || end - begin >= share)) {
            edge[gap + n_bins++ - 1] = bins_between(x[i], x[end]);
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

/* Gaps of a block in all its rows, not in the sample alone: they take a bin of their own.
 * And those of its rows that are in the sample. */
static void look_at_block(void *ctx, size_t block, int worker)
{
    const struct cutting *const c = ctx;
    const size_t dim = c->x->dim;
    bool *const gap = c->gap + dim * (size_t)worker;
    size_t first;
    const struct rows x = c->x->block(c->x->ctx, block, worker, &first);

    for (size_t i = 0; i < x.n; i++)
        for (size_t f = 0; f < dim; f++)
            gap[f] |= isnan(x.x[i * x.stride + f]) != 0;
    for (size_t i = first / c->step; i * c->step < first + x.n; i++) {
        /* somewhere in a run of `step` rows: data often has a rhythm of its own */
        const size_t drawn = i * c->step + (size_t)(mix64(i, 0) % c->step);
        const size_t row = drawn < c->x->n ? drawn : c->x->n - 1;

        if (row >= first && row < first + x.n)
            memcpy(c->sample + i * dim, x.x + (row - first) * x.stride,
                   dim * sizeof *c->sample);
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

peck_status bins_open(struct bins *b, const struct row_blocks *x, size_t most,
                      struct pool *pool, peck_error *err)
{
    struct cutting c = { .bins = b, .x = x, .most = most, .step = x->n / SAMPLE + 1 };
    const size_t workers = (size_t)pool_size(pool);
    const char *const what = "sorting a feature";
    struct arena scratch = { 0 };

    TRY(bins_reserve(b, x->n, x->dim, LANES, err));
    c.n_sampled = (x->n + c.step - 1) / c.step;
    c.sample = arena_new(&scratch, what, x->dim * c.n_sampled, sizeof *c.sample);
    c.column = arena_new(&scratch, what, workers * c.n_sampled, sizeof *c.column);
    c.scratch = arena_new(&scratch, what, workers * c.n_sampled, 2 * sizeof *c.scratch);
    c.gap = arena_new(&scratch, what, workers * x->dim, sizeof *c.gap);
    const peck_status st = arena_check(&scratch, err);

    if (st == PECK_OK) {
        pool_run(pool, x->n_blocks, look_at_block, &c);
        for (size_t i = 0; i < x->dim * workers; i++)
            b->has_gaps[i % x->dim] |= c.gap[i];
        pool_run(pool, x->dim, cut_feature, &c);
        pool_run(pool, x->n_blocks, bins_fill_block, &c);
        bins_count(b);
    }
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
    return bins_open(
        b, &(struct row_blocks){ x.n, x.dim, (x.n + ROWS - 1) / ROWS, block_of_rows, &x },
        most, pool, err);
}

void bins_close(struct bins *b)
{
    arena_free(&b->arena);
    *b = (struct bins){ 0 };
}
