/* bins.c -- see bins.h. */
#include "bins.h"

#include "../base/alloc.h"
#include "../base/rng.h"
#include "../base/sort.h"

#include <float.h>
#include <math.h>

enum {
    SAMPLE = 200000, /* rows whose values say where edges go */
    ROWS = 512,      /* a task fills */
};

struct cutting {
    struct bins *bins;
    struct rows x;
    size_t most;            /* bins */
    size_t step, n_sampled; /* one of every `step` rows is looked at */
    float *column;          /* n_sampled a worker */
    uint32_t *scratch;      /* 2 n_sampled a worker */
    bool *gap;              /* dim a worker: it saw NaN there */
};

/* Between two values, a < b: a <= middle < b, whatever rounding does. */
static float middle_of(float a, float b)
{
    const float middle = (float)(0.5 * ((double)a + (double)b));

    return middle < b ? middle : a;
}

/* Where the run of values equal to x[i] ends. */
static size_t bins_run_end(const float *x, size_t i, size_t n)
{
    size_t end = i + 1;

    while (end < n && x[end] == x[i])
        end++;
    return end;
}

static size_t count_values(const float *x, size_t n, size_t most)
{
    size_t n_values = 0;

    for (size_t i = 0; i < n && n_values < most; i = bins_run_end(x, i, n))
        n_values++;
    return n_values;
}

/* Edges of sorted x[n]; returns how many bins there are.  A bin is closed when it holds
 * its share of what is left. */
static size_t bins_cut(const float *x, size_t n, size_t most, float *edge)
{
    const bool is_each = count_values(x, n, most + 1) <= most;
    size_t n_bins = 1, begin = 0;

    for (size_t i = 0, end; i < n; i = end) {
        end = bins_run_end(x, i, n);
        const size_t share = (n - begin) / (most - n_bins + 1);

        if (end < n && n_bins < most && (is_each || end - begin >= share)) {
            edge[n_bins++ - 1] = middle_of(x[i], x[end]);
            begin = end;
        }
    }
    return n_bins;
}

/* Somewhere in the i-th run of `step` rows: data often has a rhythm of its own. */
static size_t sampled_row(const struct cutting *c, size_t i)
{
    const size_t row = i * c->step + (size_t)(mix64(i, 0) % c->step);

    return row < c->x.n ? row : c->x.n - 1;
}

static void cut_feature(void *ctx, size_t feature, int worker)
{
    const struct cutting *const c = ctx;
    const size_t n = c->n_sampled;
    float *const column = c->column + n * (size_t)worker;
    float *const edge = c->bins->edge + feature * MAX_BINS;

    const size_t gap = c->bins->has_gaps[feature] ? 1 : 0;
    size_t n_known = 0;

    for (size_t i = 0; i < n; i++) {
        column[n_known] = c->x.x[sampled_row(c, i) * c->x.stride + feature];
        n_known += !isnan(column[n_known]);
    }
    sort_floats(column, n_known, c->scratch + 2 * n * (size_t)worker);
    for (size_t i = 0; i < MAX_BINS; i++)
        edge[i] = i < gap ? -FLT_MAX : INFINITY;
    c->bins->n_bins[feature] =
        (uint16_t)(gap + bins_cut(column, n_known, c->most - gap, edge + gap));
}

/* The number of edges below x, by halving: edges are filled up to MAX_BINS. */
static inline uint8_t bin_of(const float *edge, float x)
{
    size_t bin = 0;

    for (size_t step = MAX_BINS / 2; step > 0; step /= 2)
        bin += x > edge[bin + step - 1] ? step : 0;
    return (uint8_t)bin;
}

static void look_for_gaps(void *ctx, size_t block, int worker)
{
    const struct cutting *const c = ctx;
    const size_t from = block * ROWS, to = from + ROWS < c->x.n ? from + ROWS : c->x.n;
    bool *const gap = c->gap + c->x.dim * (size_t)worker;

    for (size_t i = from; i < to; i++)
        for (size_t f = 0; f < c->x.dim; f++)
            gap[f] |= isnan(c->x.x[i * c->x.stride + f]) != 0;
}

/* One group of the rows [from, to). */
static void fill_group(const struct cutting *c, size_t group, size_t from, size_t to)
{
    const size_t first = group * LANES, left = c->bins->n_features - first;
    const size_t n = left < LANES ? left : LANES;
    uint8_t *cell = bins_group(c->bins, group) + from * LANES;

    for (size_t i = from; i < to; i++, cell += LANES)
        for (size_t k = 0; k < n; k++)
            cell[k] = bin_of(c->bins->edge + (first + k) * MAX_BINS,
                             c->x.x[i * c->x.stride + first + k]);
}

/* All groups of a block of rows, which stays in the cache. */
static void bins_fill_rows(void *ctx, size_t block, int worker)
{
    const struct cutting *const c = ctx;
    const size_t from = block * ROWS, left = c->x.n - from;

    (void)worker;
    for (size_t group = 0; group < c->bins->n_groups; group++)
        fill_group(c, group, from, from + (left < ROWS ? left : ROWS));
}

peck_status bins_reserve(struct bins *b, size_t n_rows, size_t n_features, size_t lanes,
                         peck_error *err)
{
    size_t cells;

    *b = (struct bins){ .n_rows = n_rows,
                        .n_features = n_features,
                        .lanes = lanes,
                        .n_groups = (n_features + lanes - 1) / lanes };
    if (!mul_overflow(b->n_groups * lanes, n_rows, &cells))
        b->cell = mem_new(cells, 1);
    b->n_bins = mem_new(n_features, sizeof *b->n_bins);
    b->first = mem_new(n_features + 1, sizeof *b->first);
    b->has_gaps = mem_new(n_features, sizeof *b->has_gaps);
    b->edge = mem_new(n_features, MAX_BINS * sizeof *b->edge);
    if (b->cell != NULL && b->n_bins != NULL && b->first != NULL && b->has_gaps != NULL &&
        b->edge != NULL)
        return PECK_OK;
    return fail_memory(err, "bins of features", n_rows, b->n_groups * lanes);
}

void bins_count(struct bins *b)
{
    for (size_t f = 0; f < b->n_features; f++)
        b->first[f + 1] = b->first[f] + b->n_bins[f];
}

static bool take_scratch(struct cutting *c, size_t workers)
{
    const size_t n = c->n_sampled;

    return (c->column = mem_new(workers * n, sizeof *c->column)) != NULL &&
           (c->scratch = mem_new(workers * n, 2 * sizeof *c->scratch)) != NULL &&
           (c->gap = mem_new(workers * c->x.dim, sizeof *c->gap)) != NULL;
}

/* Edges, then cells. */
static void cut_all(struct cutting *c, struct pool *pool)
{
    const size_t n_blocks = (c->x.n + ROWS - 1) / ROWS;

    pool_run(pool, n_blocks, look_for_gaps, c);
    for (size_t i = 0; i < c->x.dim * (size_t)pool_size(pool); i++)
        c->bins->has_gaps[i % c->x.dim] |= c->gap[i];
    pool_run(pool, c->x.dim, cut_feature, c);
    pool_run(pool, n_blocks, bins_fill_rows, c);
    bins_count(c->bins);
}

peck_status bins_open(struct bins *b, struct rows x, size_t most, struct pool *pool,
                      peck_error *err)
{
    struct cutting c = { .bins = b, .x = x, .most = most, .step = x.n / SAMPLE + 1 };

    TRY(bins_reserve(b, x.n, x.dim, LANES, err));
    c.n_sampled = (x.n + c.step - 1) / c.step;
    const bool fits = take_scratch(&c, (size_t)pool_size(pool));

    if (fits)
        cut_all(&c, pool);
    mem_free(c.column);
    mem_free(c.scratch);
    mem_free(c.gap);
    return fits ? PECK_OK
                : fail_memory(err, "sorting a feature", c.n_sampled, 3 * sizeof *c.scratch);
}

void bins_close(struct bins *b)
{
    mem_free(b->cell);
    mem_free(b->n_bins);
    mem_free(b->first);
    mem_free(b->has_gaps);
    mem_free(b->edge);
    *b = (struct bins){ 0 };
}
