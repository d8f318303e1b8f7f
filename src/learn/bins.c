/* bins.c -- see bins.h. */
#include "bins.h"

#include "../base/rng.h"
#include "../base/sort.h"

#include <float.h>
#include <math.h>

enum {
    SAMPLE = 200000, /* rows whose values say where edges go */
    ROWS = 512,      /* of a block of those that lie in memory */
    SLICE = 1 << 14, /* rows after which what was read or written may be forgotten */
};

struct cutting {
    struct bins *bins;
    const struct row_blocks *x;
    size_t most;            /* bins */
    size_t step, n_sampled; /* one of every `step` rows of all ranks is looked at */
    struct spill spill;     /* where the sample lies, if not in memory */
    float *sample;          /* [dim][rows of this rank] */
    size_t *begin;          /* n_ranks + 1: where the sampled rows of each begin */
    size_t *feature;        /* n_ranks + 1: where the features that each cuts begin */
    float *dealt;      /* for each rank its sampled rows, by feature that this one cuts */
    float *column;     /* n_sampled a worker */
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

/* Edges of a feature from its values in the sampled rows.  Where there are more values than
 * bins, a bin is closed when it holds its share of what is left. */
static void cut_feature(void *ctx, size_t i, int worker)
{
    const struct cutting *const c = ctx;
    const size_t *const own = c->feature + comm_rank(c->x->comm);
    const size_t feature = own[0] + i;
    float *const x = c->column + c->n_sampled * (size_t)worker;
    const size_t gap = c->bins->has_gaps[feature] ? 1 : 0, most = c->most - gap;
    float *const edge = c->bins->edge + feature * MAX_BINS;
    size_t n = 0, n_values = 0, n_bins = 1, begin = 0;

    for (size_t rank = 0; rank < comm_ranks(c->x->comm); rank++) {
        const size_t n_rows = c->begin[rank + 1] - c->begin[rank];
        const float *const from =
            c->dealt + c->begin[rank] * (own[1] - own[0]) + i * n_rows;

        for (size_t k = 0; k < n_rows; k++) {
            x[n] = from[k];
            n += !isnan(x[n]);
        }
        spill_forget(&c->spill, from, n_rows * sizeof *from);
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
    const size_t *const own = c->begin + comm_rank(c->x->comm);
    size_t first;
    const struct rows x = c->x->block(c->x->ctx, block, worker, &first);

    first += c->x->first_row;
    for (size_t i = 0; i < x.n; i++)
        for (size_t f = 0; f < dim; f++)
            gap[f] |= isnan(x.x[i * x.stride + f]) != 0;
    for (size_t i = first / c->step; i * c->step < first + x.n; i++) {
        const size_t row = sampled_row(c, i);

        for (size_t f = 0; row >= first && row < first + x.n && f < dim; f++)
            c->sample[f * (own[1] - own[0]) + i - own[0]] =
                x.x[(row - first) * x.stride + f];
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

/* Blocks from `first` on. */
struct slice {
    const struct cutting *cutting;
    void (*task)(void *ctx, size_t block, int worker);
    size_t first;
};

static void run_block(void *ctx, size_t i, int worker)
{
    const struct slice *const s = ctx;

    s->task((void *)s->cutting, s->first + i, worker);
}

/* Blocks in their order, so many at a time that about SLICE rows are in memory. */
static void run_slices(const struct cutting *c, struct pool *pool,
                       void (*task)(void *ctx, size_t block, int worker))
{
    const size_t n = c->x->n_blocks, rows_each = c->x->n / (n > 0 ? n : 1) + 1;
    struct slice s = { c, task, 0 };

    for (size_t end; s.first < n; s.first = end) {
        end = s.first + SLICE / rows_each + 1;
        end = end < n ? end : n;
        pool_run(pool, end - s.first, run_block, &s);
        bins_forget_all(c->bins);
        spill_forget(&c->spill, c->spill.data, c->spill.size);
        if (c->x->forget != NULL)
            c->x->forget(c->x->ctx);
    }
}

peck_status bins_reserve(struct bins *b, size_t n_rows, size_t n_features, size_t lanes,
                         const struct bins_place *place, peck_error *err)
{
    const char *const what = "bins of features";

    *b = (struct bins){ .n_rows = n_rows,
                        .n_features = n_features,
                        .lanes = lanes,
                        .n_groups = (n_features + lanes - 1) / lanes };
    if (place == NULL || place->folder == NULL) {
        b->cell = arena_new(&b->arena, what, n_rows, b->n_groups * lanes);
    } else {
        TRY(spill_open(&b->spill, place->folder, n_rows * b->n_groups * lanes, err));
        b->cell = b->spill.data;
    }
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

    c->dealt = arena_new(scratch, what, n_features * c->n_sampled, sizeof *c->dealt);
    TRY(arena_check(scratch, err));
    for (size_t f = 0; f < dim; f++)
        n_gaps[f] = c->bins->has_gaps[f];
    TRY(comm_add(comm, n_gaps, dim, err));
    for (size_t f = 0; f < dim; f++)
        c->bins->has_gaps[f] = n_gaps[f] > 0;
    for (size_t k = 0; k < ranks; k++) {
        n_send[k] = (c->feature[k + 1] - c->feature[k]) * n * sizeof *c->sample;
        n_receive[k] = (c->begin[k + 1] - c->begin[k]) * n_features * sizeof *c->dealt;
    }
    return comm_exchange(comm, c->sample, n_send, c->dealt, n_receive, err);
}

/* Every rank looks at its rows, cuts its features, tells the others of their edges, and fills
 * the bins of its rows. */
static peck_status cut_and_fill(struct cutting *c, struct arena *scratch,
                                const struct bins_place *place, struct pool *pool,
                                peck_error *err)
{
    const char *const what = "sorting a feature";
    const struct row_blocks *const x = c->x;
    struct bins *const b = c->bins;
    const size_t workers = (size_t)pool_size(pool), rank = comm_rank(x->comm);

    TRY(deal_sample(c, scratch, err));
    const size_t n_values = x->dim * (c->begin[rank + 1] - c->begin[rank]);

    if (place == NULL || place->folder == NULL) {
        c->sample = arena_new(scratch, what, n_values, sizeof *c->sample);
    } else {
        TRY(spill_open(&c->spill, place->folder, n_values * sizeof *c->sample, err));
        c->sample = c->spill.data;
    }
    c->dealt = c->sample;
    c->column = arena_new(scratch, what, workers * c->n_sampled, sizeof *c->column);
    c->scratch = arena_new(scratch, what, workers * c->n_sampled, 2 * sizeof *c->scratch);
    c->gap = arena_new(scratch, what, workers * x->dim, sizeof *c->gap);
    TRY(arena_check(scratch, err));
    run_slices(c, pool, look_at_block);
    for (size_t i = 0; i < x->dim * workers; i++)
        b->has_gaps[i % x->dim] |= c->gap[i];
    if (comm_is_shared(x->comm))
        TRY(exchange_sample(c, scratch, err));
    pool_run(pool, c->feature[rank + 1] - c->feature[rank], cut_feature, c);
    TRY(comm_share(x->comm, b->edge, c->feature, MAX_BINS * sizeof *b->edge, err));
    TRY(comm_share(x->comm, b->n_bins, c->feature, sizeof *b->n_bins, err));
    run_slices(c, pool, bins_fill_block);
    bins_count(b);
    return PECK_OK;
}

/* Groups that may stay in memory from now on. */
static void keep_groups(struct bins *b, const struct bins_place *place)
{
    if (b->spill.data != NULL && b->n_rows > 0)
        b->n_kept = place->kept / (b->n_rows * b->lanes);
}

peck_status bins_open(struct bins *b, const struct row_blocks *x, size_t most,
                      const struct bins_place *place, struct pool *pool, peck_error *err)
{
    struct cutting c = { .bins = b, .x = x, .most = most, .step = x->n_all / SAMPLE + 1 };
    struct arena scratch = { 0 };

    TRY(bins_reserve(b, x->n, x->dim, LANES, place, err));
    b->comm = x->comm;
    c.n_sampled = (x->n_all + c.step - 1) / c.step;
    const peck_status st = cut_and_fill(&c, &scratch, place, pool, err);

    keep_groups(b, place);
    spill_close(&c.spill);
    arena_free(&scratch);
    return st;
}

peck_status bins_open_as(struct bins *b, const struct bins *of, const struct row_blocks *x,
                         const struct bins_place *place, struct pool *pool, peck_error *err)
{
    const struct cutting c = { .bins = b, .x = x };

    TRY(bins_reserve(b, x->n, x->dim, of->lanes, place, err));
    memcpy(b->n_bins, of->n_bins, x->dim * sizeof *b->n_bins);
    memcpy(b->has_gaps, of->has_gaps, x->dim * sizeof *b->has_gaps);
    memcpy(b->edge, of->edge, x->dim * MAX_BINS * sizeof *b->edge);
    run_slices(&c, pool, bins_fill_block);
    bins_count(b);
    keep_groups(b, place);
    return PECK_OK;
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
                     most, NULL, pool, err);
}

void bins_forget(const struct bins *b, size_t group, size_t first, size_t last)
{
    if (b->spill.data != NULL && group >= b->n_kept)
        spill_forget(&b->spill, bins_group(b, group) + first * b->lanes,
                     (last - first + 1) * b->lanes);
}

void bins_forget_all(const struct bins *b)
{
    const size_t kept = b->n_kept * b->n_rows * b->lanes;

    if (kept < b->spill.size)
        spill_forget(&b->spill, b->cell + kept, b->spill.size - kept);
}

void bins_close(struct bins *b)
{
    spill_close(&b->spill);
    arena_free(&b->arena);
    *b = (struct bins){ 0 };
}
