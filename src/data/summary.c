/* summary.c -- list lengths, labels, and one look at every feature, by all threads.
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

#include <math.h>

enum {
    MOST_SHARDS = 64,
    LEAST_ROWS = 256, /* of a shard */
    QUERIES = 64,     /* that a task looks for repeated rows in */
    TILE = 16         /* columns at a time; a fixed count lets the compiler vectorise */
};

/* Accumulators of one shard, [dim] each. */
struct scan_shard {
    float *min, *max;
    uint64_t *key;
    uint32_t odd; /* bit 31: a value was NaN or infinite */
};

/* Two columns that may be the same. */
struct twin_pair {
    uint32_t first, second;
};

struct scan {
    const struct peck_dataset *d;
    size_t n_shards, rows; /* rows of a shard */
    struct scan_shard *shard;
    uint32_t *mix;     /* dim */
    uint64_t *row_key; /* n_docs */
    struct twin_pair *pair;
    size_t n_pairs;
    bool *is_broken;  /* [n_shards][n_pairs]: they differ in this shard */
    size_t *repeated; /* per task of QUERIES queries */
    uint32_t *slot;   /* [n_workers][n_slots]: a hash table of the rows of a query */
    size_t n_slots;   /* a power of two, at least twice the longest list */
};

/* Features ------------------------------------------------------------------------- */

/* n columns of one row.  Adding 2^23 to the bits without the sign reaches bit 31 exactly
 * when the exponent is all ones. */
static inline uint64_t scan_columns(const float *restrict x, size_t n, float *restrict min,
                                    float *restrict max, uint64_t *restrict key,
                                    const uint32_t *restrict mix, uint32_t weight,
                                    uint32_t *restrict odd)
{
    uint64_t row_key = 0;
    uint32_t seen = 0;

    for (size_t c = 0; c < n; c++) {
        uint32_t bits;

        memcpy(&bits, &x[c], sizeof bits);
        min[c] = x[c] < min[c] ? x[c] : min[c];
        max[c] = x[c] > max[c] ? x[c] : max[c];
        key[c] += (uint64_t)bits * weight;
        row_key += (uint64_t)bits * mix[c];
        seen |= (bits & 0x7FFFFFFFu) + 0x00800000u;
    }
    *odd |= seen;
    return row_key;
}

/* One shard: its ranges and keys, and the keys of its rows. */
static void scan_task(void *ctx, size_t i, int worker)
{
    const struct scan *const s = ctx;
    struct scan_shard *const a = &s->shard[i];
    const size_t dim = s->d->dim, whole = dim - dim % TILE;
    const size_t lo = i * s->rows,
                 hi = lo + s->rows < s->d->n_docs ? lo + s->rows : s->d->n_docs;

    (void)worker;
    for (size_t c = 0; c < dim; c++) {
        a->min[c] = FLT_MAX;
        a->max[c] = -FLT_MAX;
    }
    for (size_t r = lo; r < hi; r++) {
        const float *const x = dataset_row(s->d, r);
        const uint32_t weight = (uint32_t)mix64(1, r) | 1;
        uint64_t row_key = 0;

        for (size_t c = 0; c < whole; c += TILE)
            row_key += scan_columns(x + c, TILE, a->min + c, a->max + c, a->key + c,
                                    s->mix + c, weight, &a->odd);
        row_key += scan_columns(x + whole, dim - whole, a->min + whole, a->max + whole,
                                a->key + whole, s->mix + whole, weight, &a->odd);
        s->row_key[r] = row_key;
    }
}

/* What is missing in both columns is no difference. */
static void compare_task(void *ctx, size_t i, int worker)
{
    const struct scan *const s = ctx;
    bool *const is_broken = s->is_broken + i * s->n_pairs;
    const size_t lo = i * s->rows,
                 hi = lo + s->rows < s->d->n_docs ? lo + s->rows : s->d->n_docs;

    (void)worker;
    for (size_t r = lo; r < hi; r++) {
        const float *const x = dataset_row(s->d, r);

        for (size_t p = 0; p < s->n_pairs; p++) {
            const float a = x[s->pair[p].first], b = x[s->pair[p].second];

            is_broken[p] |= a != b && !(isnan(a) && isnan(b));
        }
    }
}

/* How many rows of query q equal an earlier one; a slot holds row - lo + 1, 0 is free. */
static size_t count_repeated(const struct scan *s, size_t q, uint32_t *slot)
{
    const struct peck_dataset *const d = s->d;
    const size_t lo = d->start[q], hi = d->start[q + 1], bytes = d->dim * sizeof(float);
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
                memcmp(dataset_row(d, other), dataset_row(d, r), bytes) == 0)
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
        s->repeated[i] += count_repeated(s, q, s->slot + (size_t)worker * s->n_slots);
}

/* The shards' results, in their order; returns whether a value was NaN or infinite. */
static bool combine_shards(struct summary *sum, const struct scan *s)
{
    const struct peck_dataset *const d = s->d;
    uint32_t odd = 0;

    for (size_t i = 0; i < s->n_shards; i++)
        odd |= s->shard[i].odd;
    for (size_t r = 0; odd >> 31 && r < d->n_docs; r++) /* rare: only then a second look */
        for (size_t c = 0; c < d->dim; c++)
            sum->feature[c].n_missing += isnan(dataset_row(d, r)[c]) != 0;
    for (size_t c = 0; c < d->dim; c++) {
        struct feature_summary *const f = &sum->feature[c];

        f->min = FLT_MAX;
        f->max = -FLT_MAX;
        f->twin = (uint32_t)c;
        for (size_t i = 0; i < s->n_shards; i++) {
            const struct scan_shard *const a = &s->shard[i];

            f->min = a->min[c] < f->min ? a->min[c] : f->min;
            f->max = a->max[c] > f->max ? a->max[c] : f->max;
            f->key += a->key[c];
        }
        if (f->n_missing == d->n_docs)
            f->min = f->max = NAN;
        sum->n_constant += feature_is_constant(f);
    }
    return odd >> 31;
}

/* Columns of the same key are compared value by value, each with the first of its key. */
static peck_status find_twins(struct summary *sum, struct scan *s, struct arena *a,
                              struct pool *pool, peck_error *err)
{
    const size_t dim = s->d->dim;
    struct sort_item *const item = arena_new(a, s->d->name, 2 * dim, sizeof *item);
    size_t n = 0;

    s->pair = arena_new(a, s->d->name, dim, sizeof *s->pair);
    TRY(arena_check(a, err));
    for (size_t c = 0; c < dim; c++) /* constant ones are known */
        if (!feature_is_constant(&sum->feature[c]))
            item[n++] = (struct sort_item){ sum->feature[c].key, (uint32_t)c };
    sort_items(item, n, item + dim);
    for (size_t i = 1, first = 0; i < n; i++) {
        if (item[i].key == item[first].key)
            s->pair[s->n_pairs++] = (struct twin_pair){ item[first].from, item[i].from };
        else
            first = i;
    }
    s->is_broken = arena_new(a, s->d->name, s->n_shards * s->n_pairs, sizeof *s->is_broken);
    TRY(arena_check(a, err));
    if (s->n_pairs > 0)
        pool_run(pool, s->n_shards, compare_task, s);
    for (size_t p = 0; p < s->n_pairs; p++) {
        bool is_equal = true;

        for (size_t i = 0; i < s->n_shards; i++)
            is_equal &= !s->is_broken[i * s->n_pairs + p];
        if (is_equal) {
            sum->feature[s->pair[p].second].twin = s->pair[p].first;
            sum->n_twins++;
        }
    }
    return PECK_OK;
}

/* The pass sees every value, so that clean data needs no second look for odd ones. */
static peck_status summarise_features(struct summary *sum, const struct peck_dataset *d,
                                      struct arena *a, struct pool *pool, peck_error *err)
{
    const size_t dim = d->dim, n_tasks = (d->n_queries + QUERIES - 1) / QUERIES;
    const size_t rows = (d->n_docs + MOST_SHARDS - 1) / MOST_SHARDS;
    const uint64_t secret = rng_secret(); /* no file can aim its rows at one slot */
    struct scan s = { .d = d, .rows = rows > LEAST_ROWS ? rows : LEAST_ROWS, .n_slots = 2 };

    s.n_shards = (d->n_docs + s.rows - 1) / s.rows;
    while (s.n_slots < 2 * sum->longest)
        s.n_slots *= 2;
    sum->feature = mem_new(dim, sizeof *sum->feature);
    s.shard = arena_new(a, d->name, s.n_shards, sizeof *s.shard);
    float *const floats = arena_new(a, d->name, s.n_shards * dim, 2 * sizeof *floats);
    uint64_t *const keys = arena_new(a, d->name, s.n_shards * dim, sizeof *keys);

    s.mix = arena_new(a, d->name, dim, sizeof *s.mix);
    s.row_key = arena_new(a, d->name, d->n_docs, sizeof *s.row_key);
    s.repeated = arena_new(a, d->name, n_tasks, sizeof *s.repeated);
    s.slot = arena_new(a, d->name, (size_t)pool_size(pool) * s.n_slots, sizeof *s.slot);
    if (sum->feature == NULL)
        return fail_memory(err, d->name, dim, sizeof *sum->feature);
    TRY(arena_check(a, err));
    for (size_t c = 0; c < dim; c++)
        s.mix[c] = (uint32_t)mix64(secret, c) | 1;
    for (size_t i = 0; i < s.n_shards; i++)
        s.shard[i] = (struct scan_shard){ .min = floats + 2 * i * dim,
                                          .max = floats + (2 * i + 1) * dim,
                                          .key = keys + i * dim };
    pool_run(pool, s.n_shards, scan_task, &s);
    const bool has_odd = combine_shards(sum, &s);

    TRY(find_twins(sum, &s, a, pool, err));
    pool_run(pool, n_tasks, repeat_task, &s);
    for (size_t i = 0; i < n_tasks; i++)
        sum->n_repeated_rows += s.repeated[i];
    return has_odd ? dataset_check_features(d, true, pool, err) : PECK_OK;
}

/* Lists and labels ----------------------------------------------------------------- */

/* Lengths, and which queries have nothing to tell apart. */
static peck_status summarise_lists(struct summary *s, const struct peck_dataset *d,
                                   struct arena *a, peck_error *err)
{
    const size_t n = d->n_queries, mid = (n - 1) / 2;
    struct sort_item *const item = arena_new(a, d->name, 2 * n, sizeof *item);

    TRY(arena_check(a, err));
    for (size_t q = 0; q < n; q++) {
        const float *const label = dataset_labels(d, q);
        float lo = PECK_UNJUDGED, hi = PECK_UNJUDGED;

        item[q].key = dataset_query_size(d, q);
        s->n_short += item[q].key < SUMMARY_SHORT_LIST;
        for (size_t i = 0; i < item[q].key; i++) {
            if (label[i] == PECK_UNJUDGED)
                continue;
            lo = lo == PECK_UNJUDGED || label[i] < lo ? label[i] : lo;
            hi = label[i] > hi ? label[i] : hi;
        }
        s->n_unjudged_queries += hi == PECK_UNJUDGED;
        s->n_irrelevant += hi == 0.0f;
        s->n_single_label += hi != PECK_UNJUDGED && lo == hi;
    }
    sort_items(item, n, item + n);
    s->shortest = item[0].key;
    s->longest = item[n - 1].key;
    s->median_length = ((double)item[mid].key + (double)item[n / 2].key) / 2.0;
    s->mean_length = (double)d->n_docs / (double)n;
    return PECK_OK;
}

/* Counts every distinct label; n_labels is 0 when there are too many. */
static void count_labels(struct summary *s, const float *label, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        size_t at = 0;

        if (label[i] == PECK_UNJUDGED)
            continue;
        while (at < s->n_labels && s->label[at] < label[i])
            at++;
        if (at == s->n_labels || s->label[at] != label[i]) {
            if (s->n_labels == SUMMARY_LABELS) {
                s->n_labels = 0;
                return;
            }
            for (size_t k = s->n_labels++; k > at; k--) {
                s->label[k] = s->label[k - 1];
                s->label_count[k] = s->label_count[k - 1];
            }
            s->label[at] = label[i];
            s->label_count[at] = 0;
        }
        s->label_count[at]++;
    }
}

/* Labels are not negative, so their bits rise as they do.
 * Five numbers: the least, the quartiles, the largest; each a label that occurs. */
static peck_status rank_labels(struct summary *s, const struct peck_dataset *d,
                               struct arena *a, peck_error *err)
{
    struct sort_item *const item = arena_new(a, d->name, 2 * d->n_judged, sizeof *item);
    size_t n = 0;

    TRY(arena_check(a, err));
    for (size_t i = 0; i < d->n_docs; i++) {
        const float label = d->label[i] + 0.0f; /* -0 becomes 0 */
        uint32_t bits;

        if (label == PECK_UNJUDGED)
            continue;
        memcpy(&bits, &label, sizeof bits);
        item[n++].key = bits;
    }
    sort_items(item, n, item + n);
    for (size_t k = 0; k < 5 && n > 0; k++) {
        const uint32_t bits = (uint32_t)item[k * (n - 1) / 4].key;

        memcpy(&s->label_quantile[k], &bits, sizeof bits);
    }
    return PECK_OK;
}

peck_status summary_make(struct summary *out, const struct peck_dataset *d,
                         struct pool *pool, peck_error *err)
{
    struct arena a = { 0 };
    peck_status st;

    *out = (struct summary){ 0 };
    count_labels(out, d->label, d->n_docs);
    st = summarise_lists(out, d, &a, err);
    if (st == PECK_OK && out->n_labels == 0)
        st = rank_labels(out, d, &a, err);
    if (st == PECK_OK && d->dim > 0)
        st = summarise_features(out, d, &a, pool, err);
    arena_free(&a);
    if (st != PECK_OK)
        summary_free(out);
    return st;
}

void summary_free(struct summary *s)
{
    mem_free(s->feature);
    *s = (struct summary){ 0 };
}
