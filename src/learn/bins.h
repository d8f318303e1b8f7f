/* bins.h -- features cut into at most 256 bins, one byte a value, for growing trees.
 *
 * Bin b of a feature holds the values x with edge[b - 1] < x <= edge[b].  Edges lie
 * half-way between two values of the data, so a question "is x above edge[b]?" parts other
 * data sensibly too, and whoever asks it needs no bins.  A feature that some row lacks (it
 * is NaN there) has bin 0 for those rows alone, and edge[0] below all values.        */
#ifndef BINS_H
#define BINS_H

#include "../base/alloc.h"
#include "../base/comm.h"
#include "../base/pool.h"
#include "../base/spill.h"
#include "../base/view.h"

enum {
    MAX_BINS = 256,
    LANES = 8, /* features whose bytes stand side by side, to be counted together */
};

struct bins {
    size_t n_rows, n_features;
    size_t lanes;          /* LANES, or all features where a few of them are looked at */
    size_t n_groups;       /* of so many features each, the last one filled up */
    uint8_t *cell;         /* [n_groups][n_rows][lanes], in the arena or in a file */
    struct spill spill;    /* that file; all zero: none */
    size_t n_kept;         /* groups that stay in memory all the same, the first ones */
    uint16_t *n_bins;      /* n_features: 1 .. MAX_BINS */
    size_t *first;         /* n_features + 1: where a feature's bins begin among all bins */
    bool *has_gaps;        /* n_features: bin 0 is that of rows without it */
    float *edge;           /* [n_features][MAX_BINS]; infinite from the last bin on */
    const peck_comm *comm; /* ranks that have bins of other rows; NULL: one rank */
    struct arena arena;
};

/* Rows that come in blocks, in order, from any worker: nobody need hold them all. */
struct row_blocks {
    size_t n, dim, n_blocks;
    /* The rows of a block, and the number of its first; good until the worker asks again. */
    struct rows (*block)(void *ctx, size_t block, int worker, size_t *first);
    void *ctx;
    /* What was read of blocks that are done need not stay in memory; may be NULL. */
    void (*forget)(void *ctx);
    const peck_comm *comm;   /* ranks that have the other rows; NULL: one rank */
    size_t first_row, n_all; /* of several ranks: rows before these n, and in all */
};

/* Where bins lie. */
struct bins_place {
    const char *folder; /* in a file there; NULL: in memory */
    size_t kept;        /* bytes of that file that may stay in memory while trees grow */
};

/* Cuts every column into most bins at most, by equal counts where it has more values.
 * Of many rows a sample says where edges lie: the same on any number of ranks. */
MUST_CHECK peck_status bins_open(struct bins *b, const struct row_blocks *x, size_t most,
                                 const struct bins_place *place, struct pool *pool,
                                 peck_error *err);
/* Other rows, in the bins of `of`. */
MUST_CHECK peck_status bins_open_as(struct bins *b, const struct bins *of,
                                    const struct row_blocks *x,
                                    const struct bins_place *place, struct pool *pool,
                                    peck_error *err);
/* The same of rows that lie in memory. */
MUST_CHECK peck_status bins_open_rows(struct bins *b, struct rows x, size_t most,
                                      struct pool *pool, peck_error *err);
/* Room for so many rows and features; edges and cells are the caller's to set, then
 * n_bins, then bins_count. */
MUST_CHECK peck_status bins_reserve(struct bins *b, size_t n_rows, size_t n_features,
                                    size_t lanes, const struct bins_place *place,
                                    peck_error *err);
/* Sets first[] from n_bins[]. */
void bins_count(struct bins *b);
void bins_close(struct bins *b); /* takes an all-zero one too */
/* Rows first to last of a group need not stay in memory, unless the group is one of those that
 * do.  From any thread. */
void bins_forget(const struct bins *b, size_t group, size_t first, size_t last);
/* All of it that need not. */
void bins_forget_all(const struct bins *b);

/* A threshold between two values of a feature: low <= it < high, whatever rounding does. */
static inline float bins_between(float low, float high)
{
    const float middle = (float)(0.5 * ((double)low + (double)high));

    return middle < high ? middle : low;
}

static inline uint8_t *bins_group(const struct bins *b, size_t group)
{
    return b->cell + group * b->n_rows * b->lanes;
}

/* One feature: row i has cell[i * step]. */
struct bin_column {
    uint8_t *cell;
    size_t step;
};

static inline struct bin_column bins_column(const struct bins *b, size_t feature)
{
    return (struct bin_column){ bins_group(b, feature / b->lanes) + feature % b->lanes,
                                b->lanes };
}

static inline uint8_t column_at(struct bin_column c, size_t row)
{
    return c.cell[row * c.step];
}

#endif
