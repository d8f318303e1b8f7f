/* summary_features.c -- one look at every feature, by all threads.
 *
 * Columns and rows get keys, sums of products of 32-bit numbers modulo 2^64:
 *
 *     column key c = sum over rows r     bits(x[r][c]) * mix(r)
 *     row key r    = sum over columns c  bits(x[r][c]) * mix(c)
 *
 * Equal columns (rows) have equal keys; those that share a key are then compared value
 * by value, so the answer does not rest on luck.  Rows are cut into fixed shards whose
 * results are combined in their order: the same at any thread count.                */
#include "summary.h"

#include "../base/alloc.h"
#include "../base/rng.h"
#include "../base/sort.h"

#include <float.h>
#include <math.h>

enum {
    MOST_SHARDS = 64,
    LEAST_ROWS = 256, /* of a shard */
    QUERIES = 64,     /* that a task looks for repeated rows in */
    TILE = 16         /* columns at a time; a fixed count lets the compiler vectorise */
};

/* Accumulators of one shard, [dim] each. */
struct shard {
    float *min, *max;
    uint64_t *key;
    uint32_t odd; /* bit 31: a value was NaN or infinite */
};

/* Two columns that may be the same. */
struct pair {
    uint32_t first, second;
};

struct scan {
    const struct peck_dataset *d;
    size_t n_shards, rows; /* rows of a shard */
    struct shard *shard;
    float *floats;     /* the memory behind shard[].min and max */
    uint64_t *keys;    /* and behind shard[].key */
    uint32_t *mix;     /* dim */
    uint64_t *row_key; /* n_docs */
    struct pair *pair;
    size_t n_pairs;
    bool *is_broken;  /* [n_shards][n_pairs]: they differ in this shard */
    size_t *repeated; /* per task of QUERIES queries */
    uint32_t **slot;  /* per worker: a hash table of the rows of a query */
    size_t n_slots;   /* a power of two, at least twice the longest list */
};

/* The pass over all values --------------------------------------------------------- */

static inline uint32_t bits_of(float x)
{
    uint32_t bits;

    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* n columns of one row.  Adding 2^23 to the bits without the sign reaches bit 31 exactly
 * when the exponent is all ones. */
static inline uint64_t look(const float *restrict x, size_t n, float *restrict min,
                            float *restrict max, uint64_t *restrict key,
                            const uint32_t *restrict mix, uint32_t weight,
                            uint32_t *restrict odd)
{
    uint64_t row_key = 0;
    uint32_t seen = 0;

    for (size_t c = 0; c < n; c++) {
        const uint32_t bits = bits_of(x[c]);

        min[c] = x[c] < min[c] ? x[c] : min[c];
        max[c] = x[c] > max[c] ? x[c] : max[c];
        key[c] += (uint64_t)bits * weight;
        row_key += (uint64_t)bits * mix[c];
        seen |= (bits & 0x7FFFFFFFu) + 0x00800000u;
    }
    *odd |= seen;
    return row_key;
}

static void scan_shard(void *ctx, size_t i, int worker)
{
    const struct scan *const s = ctx;
    struct shard *const a = &s->shard[i];
    const size_t dim = s->d->dim, whole = dim - dim % TILE;
    const size_t lo = i * s->rows,
                 hi = lo + s->rows < s->d->n_docs ? lo + s->rows : s->d->n_docs;

    (void)worker;
    for (size_t c = 0; c < dim; c++) {
        a->min[c] = FLT_MAX;
        a->max[c] = -FLT_MAX;
    }
    for (size_t r = lo; r < hi; r++) {
        const float *const x = s->d->x + r * dim;
        const uint32_t weight = (uint32_t)mix64(1, r) | 1;
        uint64_t row_key = 0;

        for (size_t c = 0; c < whole; c += TILE)
            row_key += look(x + c, TILE, a->min + c, a->max + c, a->key + c, s->mix + c,
                            weight, &a->odd);
        row_key += look(x + whole, dim - whole, a->min + whole, a->max + whole,
                        a->key + whole, s->mix + whole, weight, &a->odd);
        s->row_key[r] = row_key;
    }
}

static bool has_odd(const struct scan *s)
{
    uint32_t odd = 0;

    for (size_t i = 0; i < s->n_shards; i++)
        odd |= s->shard[i].odd;
    return odd >> 31;
}

/* Columns with missing values are rare: only then is there a second look. */
static void count_missing(struct summary *sum, const struct peck_dataset *d)
{
    for (size_t r = 0; r < d->n_docs; r++)
        for (size_t c = 0; c < d->dim; c++)
            sum->feature[c].n_missing += isnan(d->x[r * d->dim + c]) != 0;
}

static void combine(struct summary *sum, const struct scan *s)
{
    if (has_odd(s))
        count_missing(sum, s->d);
    for (size_t c = 0; c < s->d->dim; c++) {
        struct feature_summary *const f = &sum->feature[c];

        f->min = FLT_MAX;
        f->max = -FLT_MAX;
        f->twin = (uint32_t)c;
        for (size_t i = 0; i < s->n_shards; i++) {
            const struct shard *const a = &s->shard[i];

            f->min = a->min[c] < f->min ? a->min[c] : f->min;
            f->max = a->max[c] > f->max ? a->max[c] : f->max;
            f->key += a->key[c];
        }
        if (f->n_missing == s->d->n_docs)
            f->min = f->max = NAN;
        sum->n_constant += feature_is_constant(f);
    }
}

/* Equal columns -------------------------------------------------------------------- */

/* What is missing in both is no difference. */
static inline bool differ(float a, float b)
{
    return a != b && !(isnan(a) && isnan(b));
}

static void compare_shard(void *ctx, size_t i, int worker)
{
    const struct scan *const s = ctx;
    bool *const is_broken = s->is_broken + i * s->n_pairs;
    const size_t lo = i * s->rows,
                 hi = lo + s->rows < s->d->n_docs ? lo + s->rows : s->d->n_docs;

    (void)worker;
    for (size_t r = lo; r < hi; r++) {
        const float *const x = s->d->x + r * s->d->dim;

        for (size_t p = 0; p < s->n_pairs; p++)
            is_broken[p] |= differ(x[s->pair[p].first], x[s->pair[p].second]);
    }
}

/* Neighbours with the same key, in rising order of column; constant ones are known. */
static void list_pairs(struct scan *s, const struct summary *sum, struct sort_item *item)
{
    size_t n = 0;

    for (size_t c = 0; c < s->d->dim; c++)
        if (!feature_is_constant(&sum->feature[c]))
            item[n++] = (struct sort_item){ sum->feature[c].key, (uint32_t)c };
    sort_items(item, n, item + s->d->dim);
    for (size_t i = 1, first = 0; i < n; i++) {
        if (item[i].key == item[first].key)
            s->pair[s->n_pairs++] = (struct pair){ item[first].from, item[i].from };
        else
            first = i;
    }
}

static bool find_pairs(struct scan *s, const struct summary *sum)
{
    struct sort_item *const item = mem_new(2 * s->d->dim, sizeof *item);

    s->pair = mem_new(s->d->dim, sizeof *s->pair);
    if (item != NULL && s->pair != NULL)
        list_pairs(s, sum, item);
    mem_free(item);
    if (item == NULL || s->pair == NULL)
        return false;
    s->is_broken = mem_new(s->n_shards * s->n_pairs, sizeof *s->is_broken);
    return s->is_broken != NULL;
}

static void note_twins(struct summary *sum, const struct scan *s)
{
    for (size_t p = 0; p < s->n_pairs; p++) {
        bool is_equal = true;

        for (size_t i = 0; i < s->n_shards; i++)
            is_equal &= !s->is_broken[i * s->n_pairs + p];
        if (is_equal) {
            sum->feature[s->pair[p].second].twin = s->pair[p].first;
            sum->n_twins++;
        }
    }
}

/* Equal rows of a query ------------------------------------------------------------ */

/* How many of rows [lo, hi) equal an earlier one; `slot` holds row - lo + 1, 0 is free. */
static size_t count_repeated(const struct scan *s, size_t lo, size_t hi, uint32_t *slot)
{
    const size_t bytes = s->d->dim * sizeof(float);
    size_t n_slots = 2, n = 0;

    while (n_slots < 2 * (hi - lo))
        n_slots *= 2;
    memset(slot, 0, n_slots * sizeof *slot);
    for (size_t r = lo; r < hi; r++) {
        const uint64_t key = s->row_key[r];
        size_t at = (key * 0x9E3779B97F4A7C15ULL) >> 32 & (n_slots - 1);

        for (; slot[at] != 0; at = (at + 1) & (n_slots - 1)) {
            const size_t other = lo + slot[at] - 1;

            if (s->row_key[other] == key &&
                memcmp(s->d->x + other * s->d->dim, s->d->x + r * s->d->dim, bytes) == 0)
                break;
        }
        n += slot[at] != 0;
        if (slot[at] == 0)
            slot[at] = (uint32_t)(r - lo + 1);
    }
    return n;
}

static void repeat_task(void *ctx, size_t i, int worker)
{
    const struct scan *const s = ctx;
    const size_t lo = i * QUERIES;
    const size_t hi = lo + QUERIES < s->d->n_queries ? lo + QUERIES : s->d->n_queries;

    for (size_t q = lo; q < hi; q++)
        s->repeated[i] +=
            count_repeated(s, s->d->start[q], s->d->start[q + 1], s->slot[worker]);
}

/* The corridor --------------------------------------------------------------------- */

static bool take_tables(struct scan *s, const struct summary *sum, size_t n_workers,
                        size_t n_tasks)
{
    s->n_slots = 2;
    while (s->n_slots < 2 * sum->longest)
        s->n_slots *= 2;
    s->repeated = mem_new(n_tasks, sizeof *s->repeated);
    s->slot = mem_new(n_workers, sizeof *s->slot);
    for (size_t w = 0; w < n_workers && s->slot != NULL; w++)
        if ((s->slot[w] = mem_new(s->n_slots, sizeof **s->slot)) == NULL)
            return false;
    return s->repeated != NULL && s->slot != NULL;
}

static bool take_memory(struct scan *s)
{
    const size_t n = s->d->n_docs, dim = s->d->dim;
    const uint64_t secret = rng_secret(); /* no file can aim its rows at one slot */

    s->rows = (n + MOST_SHARDS - 1) / MOST_SHARDS;
    s->rows = s->rows > LEAST_ROWS ? s->rows : LEAST_ROWS;
    s->n_shards = (n + s->rows - 1) / s->rows;
    s->shard = mem_new(s->n_shards, sizeof *s->shard);
    s->floats = mem_new(s->n_shards * dim, 2 * sizeof *s->floats);
    s->keys = mem_new(s->n_shards * dim, sizeof *s->keys);
    s->mix = mem_new(dim, sizeof *s->mix);
    s->row_key = mem_new(n, sizeof *s->row_key);
    if (s->shard == NULL || s->floats == NULL || s->keys == NULL || s->mix == NULL ||
        s->row_key == NULL)
        return false;
    for (size_t c = 0; c < dim; c++)
        s->mix[c] = (uint32_t)mix64(secret, c) | 1;
    for (size_t i = 0; i < s->n_shards; i++)
        s->shard[i] = (struct shard){ .min = s->floats + 2 * i * dim,
                                      .max = s->floats + (2 * i + 1) * dim,
                                      .key = s->keys + i * dim };
    return true;
}

static void release(struct scan *s, size_t n_workers)
{
    for (size_t w = 0; w < n_workers && s->slot != NULL; w++)
        mem_free(s->slot[w]);
    mem_free(s->slot);
    mem_free(s->shard);
    mem_free(s->floats);
    mem_free(s->keys);
    mem_free(s->mix);
    mem_free(s->row_key);
    mem_free(s->pair);
    mem_free(s->is_broken);
    mem_free(s->repeated);
}

static bool run(struct scan *s, struct summary *sum, struct pool *pool)
{
    const size_t n_tasks = (s->d->n_queries + QUERIES - 1) / QUERIES;

    pool_run(pool, s->n_shards, scan_shard, s);
    combine(sum, s);
    if (!find_pairs(s, sum) || !take_tables(s, sum, (size_t)pool_size(pool), n_tasks))
        return false;
    if (s->n_pairs > 0)
        pool_run(pool, s->n_shards, compare_shard, s);
    note_twins(sum, s);
    pool_run(pool, n_tasks, repeat_task, s);
    for (size_t i = 0; i < n_tasks; i++)
        sum->n_repeated_rows += s->repeated[i];
    return true;
}

/* The pass has seen every value, so a clean one needs no second look. */
static peck_status check_finite(const struct scan *s, struct pool *pool, peck_error *err)
{
    return has_odd(s) ? dataset_check_features(s->d, true, pool, err) : PECK_OK;
}

peck_status summary_features(struct summary *sum, const struct peck_dataset *d,
                             struct pool *pool, peck_error *err)
{
    struct scan s = { .d = d };

    if (d->dim == 0)
        return PECK_OK;
    sum->feature = mem_new(d->dim, sizeof *sum->feature);
    const bool fits = sum->feature != NULL && take_memory(&s) && run(&s, sum, pool);
    const peck_status st = fits ? check_finite(&s, pool, err)
                                : fail_memory(err, d->name, d->n_docs, sizeof *s.row_key);

    release(&s, (size_t)pool_size(pool));
    return st;
}
