/* grow.c -- see grow.h.
 *
 * Where every feature is looked at, an open leaf keeps its histogram (sums of gradients by
 * bin), and of two children only the smaller one is counted: the other is the difference.
 * Where features are drawn for each split, only those are counted, node by node.
 *
 * A rank keeps histograms of the features that it looks at, of the rows of all ranks.  */
#include "grow.h"

#include "../base/cpu.h"
#include "../base/maths.h"
#include "../base/sort.h"

#include <math.h>

enum {
    NO_SLOT = -1,
    FEW_ROWS = 256,             /* fewer than these do not fill a histogram */
    AT_ONCE = 12,               /* features that are counted in one go over the rows */
    AHEAD = 16,                 /* rows whose cells are fetched before they are needed */
    WORTH_A_POOL = 1 << 16,     /* cells to be counted */
    CHUNK = 1 << 12,            /* rows that a task moves */
    LEAST_PART = 1 << 11,       /* rows that a task counts */
    MOST_PARTS = 16,            /* into which the rows of a leaf are cut to be counted */
    TASKS_EACH = 8,             /* of a worker, so that none waits long for the last one */
    MAX_HISTOGRAMS = 256 << 20, /* bytes of all of them, while two fit */
    MOST_COUNTED = 8,           /* features whose rows ranks count in one go */
    MAX_DEPTH = 60000,
};

/* The feature of a leaf, while a tree grows. */
#define NO_FEATURE UINT32_MAX

/* Gains this small beside the worth of the node are rounding. */
#define TINY 1e-12

struct tree_split {
    double gain;  /* in units of the gradients; 0: none */
    int64_t left; /* what goes left */
    uint32_t feature;
    uint16_t bin;      /* this one and those below go left */
    bool is_gap_right; /* but bin 0, of the rows without the feature, does not */
};

/* A leaf that may be split. */
struct leaf {
    uint32_t node;
    int slot;        /* its histogram; NO_SLOT: none */
    bool is_counted; /* rows on both sides of `best` have been counted */
    int64_t total;
    struct tree_split best;
};

/* Non-empty bins of a feature in a node, and the sums up to each. */
struct prefix {
    size_t n;
    uint16_t bin[MAX_BINS];
    int64_t sum[MAX_BINS];
    double g[MAX_BINS], h[MAX_BINS], gain[MAX_BINS];
};

/* What one rank has found in its features, of each of two leaves at work. */
struct rank_splits {
    struct tree_split best[2];
};

struct grower {
    struct arena arena;
    const struct bins *bins;
    const peck_comm *comm; /* of the bins */
    struct grow_rule rule;
    struct pool *pool;
    const struct row_gradients *gradients;
    const uint8_t *is_used;
    double l2, min_weight, min_gain; /* in units of the gradients */
    bool is_unbounded;               /* there may be a leaf for each row */
    struct tree_node *node, *tree;   /* 2 leaves - 1: as they were split; as they end */
    uint32_t *waiting;               /* 2 leaves - 1 */
    size_t n_nodes;
    struct leaf *open; /* a heap: the next to be split on top */
    size_t n_open;
    /* Rows and their gradients; a node of depth d has its own in copy d % 2. */
    uint32_t *row[2];
    int64_t *gh[2];
    uint8_t *is_left;   /* of each row of the leaf that is to be split */
    size_t *n_left;     /* of each CHUNK of them; then those before it */
    int64_t *total;     /* of each CHUNK of all rows */
    int64_t *part;      /* [n_parts - 1][all bins]: rows that are counted side by side; of
                         * several ranks: [n_parts][all bins] */
    size_t n_parts;     /* at most */
    int64_t *histogram; /* [n_slots][all bins], of the features that this rank looks at */
    size_t *feature_of; /* n_ranks + 1: where those that each looks at begin */
    int64_t *received;  /* [n_ranks][bins of those features] */
    size_t *n_send, *n_receive, *n_told; /* n_ranks: bytes of histograms and of splits */
    struct rank_splits *told;            /* n_ranks */
    int *slot;                           /* free ones */
    size_t n_slots, n_free;
    struct tree_split *found[2]; /* [n_features]: of each of two leaves at work */
    double *bound;          /* n_features: what each could gain if rows did not count */
    struct sort_item *item; /* 2 n_features: by falling bound, and room */
    uint32_t *feature;      /* per_split: those that may be drawn */
    size_t n_drawable;
    struct bin_sums *tally; /* per_split */
};

/* Splits ----------------------------------------------------------------------------- */

/* gain[i] = g^2 / (h + l2) of both sides together, where g[i], h[i] go left. */
static inline ALWAYS_INLINE void worths_body(const double *g, const double *h, size_t n,
                                             double all_g, double all_h, double l2,
                                             double *gain)
{
    for (size_t i = 0; i < n; i++) {
        const double hl = h[i] + l2, hr = all_h - h[i] + l2, gr = all_g - g[i];

        gain[i] = (g[i] * g[i] * hr + gr * gr * hl) / (hl * hr);
    }
}
CPU_VERSIONS(worths,
             (const double *g, const double *h, size_t n, double all_g, double all_h,
              double l2, double *gain),
             (g, h, n, all_g, all_h, l2, gain))

/* The best place to part the bins of a feature, if it beats *best; it lies half-way to the
 * next bin that is not empty.  Candidates are the gaps after bins [lo, hi) of the prefix:
 * both sides weigh enough and, where rows of the leaf are counted, have rows enough. */
static void part_bins(const struct grower *g, const struct leaf *l, uint32_t feature,
                      struct prefix *p, const int64_t *rows_of_bin, bool is_gap_right,
                      struct tree_split *best)
{
    const double all_g = (double)g_of(l->total), all_h = (double)h_of(l->total);
    const double worth = all_g * all_g / (all_h + g->l2);
    const double floor = worth * TINY + g->min_gain;
    size_t lo = 0, hi = p->n > 0 ? p->n - 1 : 0, at = 0;
    double most = -1.0;

    while (lo < hi && p->h[lo] < g->min_weight)
        lo++;
    while (hi > lo && all_h - p->h[hi - 1] < g->min_weight)
        hi--;
    if (rows_of_bin != NULL) {
        const size_t n_rows = g->node[l->node].n_rows;
        size_t count[MAX_BINS]; /* rows that go left, by the last bin that does */

        count[0] = is_gap_right ? 0 : (size_t)rows_of_bin[0];
        for (size_t b = 1; b < MAX_BINS; b++)
            count[b] = count[b - 1] + (size_t)rows_of_bin[b];
        while (lo < hi && count[p->bin[lo]] < g->rule.min_leaf)
            lo++;
        while (hi > lo && n_rows - count[p->bin[hi - 1]] < g->rule.min_leaf)
            hi--;
    }
    worths(p->g + lo, p->h + lo, hi - lo, all_g, all_h, g->l2, p->gain + lo);
    for (size_t i = lo; i < hi; i++)
        if (p->gain[i] > most) {
            most = p->gain[i];
            at = i;
        }
    if (most - worth > floor && most - worth > best->gain)
        *best = (struct tree_split){ most - worth, p->sum[at], feature,
                                     (uint16_t)((p->bin[at] + p->bin[at + 1] - 1) / 2),
                                     is_gap_right };
}

/* The best split of a feature, if it beats *best.  Rows without it, in bin 0, are tried on
 * both sides.  rows_of_bin NULL: rows do not count. */
static void grow_choose(const struct grower *g, const struct leaf *l, uint32_t feature,
                        struct prefix *p, const int64_t *rows_of_bin,
                        struct tree_split *best)
{
    const double before = best->gain;

    part_bins(g, l, feature, p, rows_of_bin, false, best);
    if (!g->bins->has_gaps[feature])
        return;
    if (p->n > 0 && p->bin[0] == 0) {
        const int64_t gap = p->sum[0];

        p->n--;
        for (size_t i = 0; i < p->n; i++) {
            p->bin[i] = p->bin[i + 1];
            p->sum[i] = p->sum[i + 1] - gap;
            p->g[i] = (double)g_of(p->sum[i]);
            p->h[i] = (double)h_of(p->sum[i]);
        }
        part_bins(g, l, feature, p, rows_of_bin, true, best);
    } else if (best->gain > before) {
        best->is_gap_right = 2 * h_of(best->left) < h_of(l->total);
    }
}

/* How many rows of a leaf, those of this rank, are in each bin of a feature. */
static void count_rows(const struct grower *g, const struct leaf *l, uint32_t feature,
                       int64_t rows_of_bin[MAX_BINS])
{
    const struct tree_node *const t = &g->node[l->node];
    const uint32_t *const row = g->row[t->depth % 2];
    const struct bin_column column = bins_column(g->bins, feature);

    memset(rows_of_bin, 0, MAX_BINS * sizeof *rows_of_bin);
    for (size_t i = t->begin; i < t->end; i++)
        rows_of_bin[column_at(column, row[i])]++;
}

static void prefix_add(struct prefix *p, uint16_t bin, int64_t sum)
{
    p->bin[p->n] = bin;
    p->sum[p->n] = sum;
    p->g[p->n] = (double)g_of(sum);
    p->h[p->n++] = (double)h_of(sum);
}

static void prefix_of(struct prefix *p, const int64_t *histogram, size_t n_bins)
{
    int64_t sum = 0;

    p->n = 0;
    for (size_t b = 0; b < n_bins; b++)
        if (histogram[b] != 0)
            prefix_add(p, (uint16_t)b, sum += histogram[b]);
}

/* A few features ---------------------------------------------------------------------- */

/* Sums of gradients by bin of AT_ONCE features, and which bins were touched where rows are
 * few; all zero between uses. */
struct bin_sums {
    int64_t sum[AT_ONCE][MAX_BINS];
    uint64_t touched[AT_ONCE][MAX_BINS / 64];
};

/* The prefix of counted feature k, whose sums become zero. */
static void take_count(struct grower *g, bool is_touching, size_t k, size_t n_bins,
                       struct prefix *p)
{
    int64_t *const count = g->tally->sum[k];
    uint64_t *const touched = g->tally->touched[k];
    int64_t sum = 0;

    if (!is_touching) {
        prefix_of(p, count, n_bins);
        memset(count, 0, n_bins * sizeof *count);
        return;
    }
    p->n = 0;
    for (size_t part = 0; part < MAX_BINS / 64; part++) {
        for (uint64_t left = touched[part]; left != 0; left &= left - 1) {
            const size_t b = 64 * part + (size_t)__builtin_ctzll(left);

            prefix_add(p, (uint16_t)b, sum += count[b]);
            count[b] = 0;
        }
        touched[part] = 0;
    }
}

/* Draws features until per_split of them were not constant in this node, AT_ONCE at most in
 * one go over its rows. */
static void search_some(struct grower *g, struct leaf *l, struct rng *r)
{
    const struct tree_node *const t = &g->node[l->node];
    const uint32_t *const row = g->row[t->depth % 2];
    const int64_t *const gh = g->gh[t->depth % 2];
    const bool is_touching = t->end - t->begin < FEW_ROWS;
    struct bin_sums *const tally = g->tally;
    struct bin_column column[AT_ONCE];
    int64_t rows_of_bin[MAX_BINS];
    size_t n_seen = 0;
    struct prefix p;

    for (size_t at = 0, n; at < g->n_drawable && n_seen < g->rule.per_split; at += n) {
        uint32_t *const feature = g->feature + at;

        n = g->rule.per_split - n_seen;
        n = n < AT_ONCE ? n : AT_ONCE;
        n = n < g->n_drawable - at ? n : g->n_drawable - at;
        for (size_t k = 0; k < n; k++) { /* those behind are still to be drawn */
            const size_t drawn = k + (size_t)rng_below(r, g->n_drawable - at - k);
            const uint32_t f = feature[drawn];

            feature[drawn] = feature[k];
            feature[k] = f;
        }
        for (size_t k = 0; k < AT_ONCE; k++)
            column[k] = bins_column(g->bins, feature[k < n ? k : 0]);
        for (size_t i = t->begin; i < t->end; i++) {
            const uint8_t *const ahead =
                g->bins->cell +
                (size_t)row[i + AHEAD < t->end ? i + AHEAD : i] * g->bins->lanes;

            __builtin_prefetch(ahead);
            __builtin_prefetch(ahead + g->bins->lanes - 1);
            for (size_t k = 0; k < n; k++) {
                const uint8_t b = column_at(column[k], row[i]);

                tally->sum[k][b] += gh[i];
                if (is_touching)
                    tally->touched[k][b / 64] |= (uint64_t)1 << b % 64;
            }
        }
        for (size_t k = 0; k < n; k++) {
            take_count(g, is_touching, k, g->bins->n_bins[feature[k]], &p);
            n_seen += p.n > 1;
            if (l->is_counted)
                count_rows(g, l, feature[k], rows_of_bin);
            grow_choose(g, l, feature[k], &p, l->is_counted ? rows_of_bin : NULL, &l->best);
        }
    }
}

/* All features ------------------------------------------------------------------------ */

static int64_t *histogram_of(const struct grower *g, const struct leaf *l)
{
    return g->histogram + (size_t)l->slot * g->bins->first[g->bins->n_features];
}

/* One or two leaves at work: a is counted, b (where there is one) is what is left. */
struct leaf_job {
    struct grower *g;
    struct leaf *a, *b;
    size_t n_parts; /* that its rows are counted in */
};

/* Where part `part` of a leaf's rows is counted; the first one, if there are no other ranks, in
 * its own histogram. */
static int64_t *part_of(const struct leaf_job *job, size_t part)
{
    const size_t all = job->g->bins->first[job->g->bins->n_features];

    if (comm_is_shared(job->g->comm))
        return job->g->part + part * all;
    return part == 0 ? histogram_of(job->g, job->a) : job->g->part + (part - 1) * all;
}

/* Counts some of a leaf's gradients in the histograms of one group of features. */
static void count_group(const struct leaf_job *job, size_t group, size_t part)
{
    const struct grower *const g = job->g;
    const struct tree_node *const t = &g->node[job->a->node];
    const uint32_t *const row = g->row[t->depth % 2];
    const int64_t *const gh = g->gh[t->depth % 2];
    const uint8_t *const cell = bins_group(g->bins, group);
    const size_t *const first = g->bins->first + group * LANES;
    const size_t left = g->bins->n_features - group * LANES, n = t->end - t->begin;
    const size_t begin = t->begin + n * part / job->n_parts,
                 end = t->begin + n * (part + 1) / job->n_parts;
    uint64_t unused[1] = { 0 }; /* the cells of lanes that fill up a group are 0 */
    uint64_t *h[LANES];         /* unsigned: what is unused may go round */

    for (size_t k = 0; k < LANES; k++)
        h[k] = k < left ? (uint64_t *)part_of(job, part) + first[k] : unused;
    memset(h[0], 0, (first[left < LANES ? left : LANES] - first[0]) * sizeof **h);
    for (size_t i = begin; i < end; i++) {
        const uint8_t *const c = cell + (size_t)row[i] * LANES;
        const uint64_t p = (uint64_t)gh[i];

        __builtin_prefetch(cell + (size_t)row[i + AHEAD < end ? i + AHEAD : i] * LANES);
        for (size_t k = 0; k < LANES; k++)
            h[k][c[k]] += p;
    }
}

static bool is_feature_used(const struct grower *g, size_t feature)
{
    return g->is_used == NULL || g->is_used[feature];
}

/* Group by group, part by part. */
static void count_part(void *ctx, size_t i, int worker)
{
    const struct leaf_job *const job = ctx;
    const size_t group = i / job->n_parts, n = job->g->bins->n_features;

    (void)worker;
    for (size_t f = group * LANES; f < n && f < (group + 1) * LANES; f++)
        if (is_feature_used(job->g, f)) {
            count_group(job, group, i % job->n_parts);
            return;
        }
}

/* The best split of a leaf by one feature; rows_of_bin NULL: rows do not count. */
static struct tree_split search_feature(const struct grower *g, const struct leaf *l,
                                        size_t feature, const int64_t *rows_of_bin)
{
    struct tree_split best = { 0 };
    struct prefix p;

    prefix_of(&p, histogram_of(g, l) + g->bins->first[feature], g->bins->n_bins[feature]);
    grow_choose(g, l, (uint32_t)feature, &p, rows_of_bin, &best);
    return best;
}

/* The parts of a feature's histogram become the first of them. */
static void add_parts(void *ctx, size_t feature, int worker)
{
    const struct leaf_job *const job = ctx;
    const struct bins *const bins = job->g->bins;
    int64_t *const all = part_of(job, 0) + bins->first[feature];

    (void)worker;
    for (size_t part = 1; is_feature_used(job->g, feature) && part < job->n_parts; part++) {
        const int64_t *const more = part_of(job, part) + bins->first[feature];

        for (size_t i = 0; i < bins->n_bins[feature]; i++)
            all[i] += more[i];
    }
}

/* The histogram of one of this rank's features, of the rows of all ranks. */
static void add_received(const struct leaf_job *job, size_t feature)
{
    const struct grower *const g = job->g;
    const size_t rank = comm_rank(g->comm), *const first = g->bins->first;
    const size_t from = first[g->feature_of[rank]],
                 each = first[g->feature_of[rank + 1]] - from;
    int64_t *const own = histogram_of(g, job->a) + first[feature];

    memset(own, 0, g->bins->n_bins[feature] * sizeof *own);
    for (size_t k = 0; k < comm_ranks(g->comm); k++)
        for (size_t i = 0; i < g->bins->n_bins[feature]; i++)
            own[i] += g->received[k * each + first[feature] - from + i];
}

/* A leaf has the histogram of a feature; the other one, which has its parent's, gets its own.
 * Then the best splits of both. */
static void work_on_feature(void *ctx, size_t feature, int worker)
{
    const struct leaf_job *const job = ctx;
    struct grower *const g = job->g;
    const size_t first = g->bins->first[feature], n = g->bins->n_bins[feature];
    int64_t *const own = histogram_of(g, job->a) + first;

    (void)worker;
    g->found[0][feature] = g->found[1][feature] = (struct tree_split){ 0 };
    if (!is_feature_used(g, feature))
        return;
    if (comm_is_shared(g->comm))
        add_received(job, feature);
    else
        add_parts(ctx, feature, worker);
    g->found[0][feature] = search_feature(g, job->a, feature, NULL);
    if (job->b != NULL) {
        int64_t *const others = histogram_of(g, job->b) + first;

        for (size_t i = 0; i < n; i++)
            others[i] -= own[i];
        g->found[1][feature] = search_feature(g, job->b, feature, NULL);
    }
}

static void work_on_own(void *ctx, size_t i, int worker)
{
    const struct leaf_job *const job = ctx;

    work_on_feature(ctx, job->g->feature_of[comm_rank(job->g->comm)] + i, worker);
}

/* n tasks on the pool, where it is worth it. */
static void run_tasks(const struct grower *g, size_t n, bool is_worth_it,
                      void (*task)(void *ctx, size_t i, int worker), void *ctx)
{
    if (g->pool != NULL && pool_size(g->pool) > 1 && is_worth_it)
        pool_run(g->pool, n, task, ctx);
    else
        for (size_t i = 0; i < n; i++)
            task(ctx, i, 0);
}

/* Whether s is better than the best so far; of equal gains that of the first feature counts. */
static bool is_better(const struct tree_split *s, const struct tree_split *best)
{
    return s->gain > best->gain ||
           (s->gain == best->gain && s->gain > 0.0 && s->feature < best->feature);
}

/* Of what each rank has found, the best becomes that of all. */
static peck_status agree_on_splits(struct grower *g, struct rank_splits *best,
                                   peck_error *err)
{
    if (!comm_is_shared(g->comm))
        return PECK_OK;
    TRY(comm_gather(g->comm, best, g->told, g->n_told, err));
    for (size_t rank = 0; rank < comm_ranks(g->comm); rank++)
        for (size_t k = 0; k < 2; k++)
            if (is_better(&g->told[rank].best[k], &best->best[k]))
                best->best[k] = g->told[rank].best[k];
    return PECK_OK;
}

/* Sums of whole numbers are the same in however many parts: the number of workers may say. */
static peck_status search_all(struct grower *g, struct leaf *a, struct leaf *b,
                              peck_error *err)
{
    struct leaf_job job = { g, a, b, 1 };
    const struct tree_node *const t = &g->node[a->node];
    const size_t n = g->bins->n_groups, n_rows = t->end - t->begin,
                 n_features = g->bins->n_features, rank = comm_rank(g->comm);
    const size_t workers = g->pool != NULL ? (size_t)pool_size(g->pool) : 1;
    const bool is_shared = comm_is_shared(g->comm),
               is_worth_it = n_rows * n >= WORTH_A_POOL / LANES;
    struct rank_splits best = { 0 };

    while (workers > 1 && is_worth_it && job.n_parts < g->n_parts &&
           n_rows / (job.n_parts + 1) >= LEAST_PART)
        job.n_parts++;
    if (is_shared) {
        run_tasks(g, n * job.n_parts, is_worth_it, count_part, &job);
        if (job.n_parts > 1)
            run_tasks(g, n_features, is_worth_it, add_parts, &job);
        TRY(comm_exchange(g->comm, g->part, g->n_send, g->received, g->n_receive, err));
        run_tasks(g, g->feature_of[rank + 1] - g->feature_of[rank],
                  t->n_rows * n >= WORTH_A_POOL / LANES, work_on_own, &job);
    } else if (workers > 1 && is_worth_it) {
        pool_run(g->pool, n * job.n_parts, count_part, &job);
        pool_run(g->pool, n_features, work_on_feature, &job);
    } else {
        for (size_t i = 0; i < n; i++) { /* a group while it is at hand */
            count_part(&job, i, 0);
            for (size_t f = i * LANES; f < n_features && f < (i + 1) * LANES; f++)
                work_on_feature(&job, f, 0);
        }
    }
    for (size_t f = g->feature_of[rank]; f < g->feature_of[rank + 1]; f++)
        for (size_t k = 0; k < 2; k++)
            if (g->found[k][f].gain > best.best[k].gain)
                best.best[k] = g->found[k][f];
    TRY(agree_on_splits(g, &best, err));
    a->best = best.best[0];
    if (b != NULL)
        b->best = best.best[1];
    return PECK_OK;
}

/* The best split of a leaf, which has its histogram, with rows enough on both sides.
 * Counting takes a walk over the rows for each feature, so what a feature could gain if rows
 * did not count serves as a bound: features are counted by falling bound until none can win.
 * Ranks, for whom it takes a message, count several in one go. */
static peck_status search_counted(struct grower *g, struct leaf *l, peck_error *err)
{
    const size_t rank = comm_rank(g->comm), first = g->feature_of[rank],
                 end = g->feature_of[rank + 1], n_features = g->bins->n_features;
    const size_t at_once = comm_is_shared(g->comm) ? MOST_COUNTED : 1;
    int64_t rows_of_bin[MOST_COUNTED][MAX_BINS];
    struct rank_splits best = { 0 };
    size_t n = 0, n_counted;

    for (size_t f = first; f < end; f++)
        g->bound[f] = is_feature_used(g, f) ? search_feature(g, l, f, NULL).gain : 0.0;
    TRY(comm_share(g->comm, g->bound, g->feature_of, sizeof *g->bound, err));
    for (size_t f = 0; f < n_features; f++)
        if (g->bound[f] > 0.0)
            g->item[n++] = (struct sort_item){ key_desc(g->bound[f]), (uint32_t)f };
    sort_items(g->item, n, g->item + n_features);
    for (size_t i = 0; i < n && g->bound[g->item[i].from] >= best.best[0].gain;
         i += n_counted) {
        n_counted = n - i < at_once ? n - i : at_once;
        for (size_t k = 0; k < n_counted; k++)
            count_rows(g, l, g->item[i + k].from, rows_of_bin[k]);
        TRY(comm_add(g->comm, rows_of_bin[0], n_counted * MAX_BINS, err));
        for (size_t k = 0; k < n_counted; k++) {
            const uint32_t f = g->item[i + k].from;

            if (f < first || f >= end)
                continue;
            const struct tree_split s = search_feature(g, l, f, rows_of_bin[k]);

            if (is_better(&s, &best.best[0]))
                best.best[0] = s;
        }
        TRY(agree_on_splits(g, &best, err));
    }
    l->best = best.best[0];
    return PECK_OK;
}

/* The heap of open leaves ------------------------------------------------------------- */

/* Where all will be split that can be, the newest come first: their rows are at hand. */
static bool is_before(const struct grower *g, const struct leaf *a, const struct leaf *b)
{
    if (g->is_unbounded)
        return a->node > b->node;
    const uint16_t da = g->node[a->node].depth, db = g->node[b->node].depth;

    if (g->rule.is_level_by_level && da != db)
        return da < db;
    return a->best.gain != b->best.gain ? a->best.gain > b->best.gain : a->node < b->node;
}

static struct leaf heap_pop(struct grower *g)
{
    const struct leaf top = g->open[0], last = g->open[--g->n_open];
    size_t i = 0, child;

    for (; (child = 2 * i + 1) < g->n_open; i = child) {
        if (child + 1 < g->n_open && is_before(g, &g->open[child + 1], &g->open[child]))
            child++;
        if (!is_before(g, &g->open[child], &last))
            break;
        g->open[i] = g->open[child];
    }
    g->open[i] = last;
    return top;
}

/* Room for a histogram; where there is none left, that of the least promising leaf.
 * Of a leaf that has lost its own, both children are counted. */
static int take_slot(struct grower *g)
{
    struct leaf *least = NULL;

    if (g->n_free > 0)
        return g->slot[--g->n_free];
    for (size_t i = 0; i < g->n_open; i++)
        if (g->open[i].slot != NO_SLOT &&
            (least == NULL || is_before(g, least, &g->open[i])))
            least = &g->open[i];
    const int slot = least->slot;

    least->slot = NO_SLOT;
    return slot;
}

static void drop_slot(struct grower *g, struct leaf *l)
{
    if (l->slot != NO_SLOT)
        g->slot[g->n_free++] = l->slot;
    l->slot = NO_SLOT;
}

/* Growing ----------------------------------------------------------------------------- */

/* Whether a split could be found at all.
 * Where every h is 1 and the sum of g is the least or the largest that n rows can have, all
 * targets are equal. */
static bool may_split(const struct grower *g, const struct leaf *l)
{
    const struct tree_node *const t = &g->node[l->node];
    const size_t n = t->n_rows;
    const int64_t sum = g_of(l->total);

    if (n < 2 || n < 2 * g->rule.min_leaf || t->depth >= g->rule.depth)
        return false;
    return !g->gradients->is_counting || (sum != (int64_t)n * g->gradients->g_low &&
                                          sum != (int64_t)n * g->gradients->g_high);
}

/* Finds the best split of a leaf on its own. */
static peck_status grow_search(struct grower *g, struct leaf *l, struct rng *r,
                               peck_error *err)
{
    if (g->rule.per_split > 0) {
        search_some(g, l, r);
        return PECK_OK;
    }
    if (l->slot == NO_SLOT) {
        l->slot = take_slot(g);
        TRY(search_all(g, l, NULL, err));
    }
    return l->is_counted ? search_counted(g, l, err) : PECK_OK;
}

/* A new leaf joins the heap of open ones, or is done. */
static void grow_settle(struct grower *g, struct leaf *l, bool is_open)
{
    if (!is_open || !(l->best.gain > 0.0)) {
        drop_slot(g, l);
        return;
    }
    size_t i = g->n_open++;

    for (; i > 0 && is_before(g, l, &g->open[(i - 1) / 2]); i = (i - 1) / 2)
        g->open[i] = g->open[(i - 1) / 2];
    g->open[i] = *l;
}

/* A leaf that is split by its best split. */
struct split_job {
    struct grower *g;
    const struct tree_node *t; /* the leaf */
    struct tree_split best;
    size_t left, left_of_all; /* rows that go left: of this rank, of all */
};

/* Which way the rows of a chunk go, and how many go left.
 * A row goes left where (uint8_t)(its bin - low) <= last.  Where gaps go right, low is 1 and
 * their bin, 0, becomes 255. */
static void mark_chunk(void *ctx, size_t chunk, int worker)
{
    const struct split_job *const job = ctx;
    struct grower *const g = job->g;
    const struct tree_node *const t = job->t;
    const struct bin_column column = bins_column(g->bins, job->best.feature);
    const uint8_t low = job->best.is_gap_right ? 1 : 0,
                  last = (uint8_t)(job->best.bin - low);
    const uint32_t *const row = g->row[t->depth % 2];
    const size_t begin = t->begin + chunk * CHUNK,
                 end = begin + CHUNK < t->end ? begin + CHUNK : t->end;
    size_t n_left = 0;

    (void)worker;
    for (size_t i = begin; i < end; i++) {
        __builtin_prefetch(
            &column.cell[row[i + AHEAD < end ? i + AHEAD : i] * column.step]);
        g->is_left[i] = (uint8_t)(column_at(column, row[i]) - low) <= last;
        n_left += g->is_left[i];
    }
    g->n_left[chunk] = n_left;
}

/* Moves the rows of a chunk: those that go left in their order, the others from the end on, so
 * that both stay monotone. */
static void move_chunk(void *ctx, size_t chunk, int worker)
{
    const struct split_job *const job = ctx;
    struct grower *const g = job->g;
    const struct tree_node *const t = job->t;
    const size_t begin = t->begin + chunk * CHUNK,
                 end = begin + CHUNK < t->end ? begin + CHUNK : t->end;
    const uint32_t *const row = g->row[t->depth % 2];
    const int64_t *const gh = g->gh[t->depth % 2];
    uint32_t *const to = g->row[(t->depth + 1) % 2];
    int64_t *const gh_to = g->gh[(t->depth + 1) % 2];
    size_t left = t->begin + g->n_left[chunk];
    size_t right = t->end - 1 - (chunk * CHUNK - g->n_left[chunk]);

    (void)worker;
    for (size_t i = begin; i < end; i++) {
        const bool is_left = g->is_left[i] != 0;
        const size_t at = is_left ? left : right;

        to[at] = row[i];
        gh_to[at] = gh[i];
        left += is_left;
        right -= !is_left;
    }
}

/* Which way each row of the leaf goes; n_left[] of a chunk becomes that of all before it. */
static peck_status mark_sides(struct split_job *job, peck_error *err)
{
    struct grower *const g = job->g;
    const size_t n_chunks = (job->t->end - job->t->begin + CHUNK - 1) / CHUNK;

    run_tasks(g, n_chunks, n_chunks > 1, mark_chunk, job);
    job->left = 0;
    for (size_t i = 0; i < n_chunks; i++) {
        const size_t n = g->n_left[i];

        g->n_left[i] = job->left;
        job->left += n;
    }
    int64_t left = (int64_t)job->left;

    TRY(comm_add(g->comm, &left, 1, err));
    job->left_of_all = (size_t)left;
    return PECK_OK;
}

/* Whether both sides of the best split have rows enough, where weights do not say so.  If
 * not, the leaf gets the best of those that have. */
static bool is_populous(const struct grower *g, const struct leaf *l,
                        const struct split_job *job)
{
    const size_t left = job->left_of_all;

    return g->gradients->is_counting || l->is_counted || g->rule.min_leaf < 2 ||
           (left >= g->rule.min_leaf && job->t->n_rows - left >= g->rule.min_leaf);
}

/* Moves the rows of a leaf, whose sides are marked, to two children; then finds the children's
 * best splits. */
static peck_status grow_split(struct grower *g, struct leaf *l, struct split_job *job,
                              struct rng *r, peck_error *err)
{
    struct tree_node *const t = &g->node[l->node];
    const uint32_t child = (uint32_t)g->n_nodes;
    const uint16_t depth = (uint16_t)(t->depth + 1);
    const size_t left = t->begin + job->left;

    t->left = child;
    t->feature = l->best.feature;
    t->bin = l->best.bin;
    t->is_gap_right = l->best.is_gap_right;
    t->threshold = g->bins->edge[(size_t)t->feature * MAX_BINS + t->bin];
    t->gain = (float)(l->best.gain * g->gradients->g_unit * g->gradients->g_unit /
                      g->gradients->h_unit);
    const size_t n_chunks = (t->end - t->begin + CHUNK - 1) / CHUNK;

    run_tasks(g, n_chunks, n_chunks > 1, move_chunk, job);
    g->node[child] = (struct tree_node){ .feature = NO_FEATURE,
                                         .n_rows = job->left_of_all,
                                         .begin = t->begin,
                                         .end = left,
                                         .depth = depth,
                                         .is_falling = t->is_falling };
    g->node[child + 1] = (struct tree_node){ .feature = NO_FEATURE,
                                             .n_rows = t->n_rows - job->left_of_all,
                                             .begin = left,
                                             .end = t->end,
                                             .depth = depth,
                                             .is_falling = !t->is_falling };
    g->n_nodes += 2;
    struct leaf a = { .node = child, .slot = NO_SLOT, .total = l->best.left };
    struct leaf b = { .node = child + 1, .slot = NO_SLOT, .total = l->total - a.total };
    const bool is_a_open = may_split(g, &a), is_b_open = may_split(g, &b);

    if (l->slot != NO_SLOT && (is_a_open || is_b_open)) { /* the smaller one is counted */
        const bool is_a_small = g->node[child].n_rows <= g->node[child + 1].n_rows;
        struct leaf *const small = is_a_small ? &a : &b, *const large =
                                                             is_a_small ? &b : &a;

        large->slot = l->slot;
        small->slot = take_slot(g);
        TRY(search_all(g, small, large, err));
    } else {
        drop_slot(g, l);
        if (is_a_open)
            TRY(grow_search(g, &a, r, err));
        if (is_b_open)
            TRY(grow_search(g, &b, r, err));
    }
    grow_settle(g, &a, is_a_open);
    grow_settle(g, &b, is_b_open);
    return PECK_OK;
}

/* The nodes in their final order: the children of the child with more rows follow it, so
 * that most ways down lie close together. */
static void arrange_nodes(struct grower *g)
{
    size_t n_waiting = 1, next = 1;

    g->tree[0] = g->node[0];
    g->waiting[0] = 0;
    while (n_waiting > 0) {
        struct tree_node *const t = &g->tree[g->waiting[--n_waiting]];
        const struct tree_node *const a = &g->node[t->left], *const b = a + 1;
        const uint32_t here = (uint32_t)(t - g->tree), child = (uint32_t)next;
        const bool is_a_first = a->n_rows >= b->n_rows;

        if (t->feature == NO_FEATURE) {
            t->left = here;
            continue;
        }
        g->tree[child] = *a;
        g->tree[child + 1] = *b;
        t->left = child;
        next += 2;
        g->waiting[n_waiting++] = child + (is_a_first ? 1 : 0);
        g->waiting[n_waiting++] = child + (is_a_first ? 0 : 1);
    }
}

/* All rows that a tree is grown on. */
struct root_job {
    struct grower *g;
    const uint32_t *row;
    size_t n;
};

static void take_chunk(void *ctx, size_t chunk, int worker)
{
    const struct root_job *const job = ctx;
    struct grower *const g = job->g;
    const size_t begin = chunk * CHUNK,
                 end = begin + CHUNK < job->n ? begin + CHUNK : job->n;

    (void)worker;
    g->total[chunk] = 0;
    for (size_t i = begin; i < end; i++) {
        g->row[0][i] = job->row[i];
        g->gh[0][i] = g->gradients->of[job->row[i]];
        g->total[chunk] += g->gh[0][i];
    }
}

peck_status grower_run(struct grower *g, const struct row_gradients *p, const uint32_t *row,
                       size_t n, const uint8_t *is_used, struct rng *r, peck_error *err)
{
    const size_t n_chunks = (n + CHUNK - 1) / CHUNK;
    struct leaf root = { .slot = NO_SLOT };
    int64_t all[2] = { (int64_t)n, 0 }; /* rows and the sum of their gradients */

    g->gradients = p;
    g->is_used = is_used;
    /* In the units of the whole numbers: h in h_unit, a gain in g_unit^2 / h_unit. */
    g->l2 = g->rule.l2 / p->h_unit;
    g->min_weight = math_max(g->rule.min_weight / p->h_unit,
                             p->is_counting ? (double)g->rule.min_leaf : 1.0);
    g->min_gain = g->rule.min_gain * p->h_unit / (p->g_unit * p->g_unit);
    g->n_open = 0;
    for (g->n_free = 0; g->n_free < g->n_slots; g->n_free++)
        g->slot[g->n_free] = (int)g->n_free;
    g->n_drawable = 0;
    for (size_t f = 0; g->rule.per_split > 0 && f < g->bins->n_features; f++)
        if (is_used == NULL || is_used[f])
            g->feature[g->n_drawable++] = (uint32_t)f;
    run_tasks(g, n_chunks, n_chunks > 1, take_chunk, &(struct root_job){ g, row, n });
    for (size_t i = 0; i < n_chunks; i++)
        all[1] += g->total[i];
    TRY(comm_add(g->comm, all, 2, err));
    root.total = all[1];
    g->node[0] =
        (struct tree_node){ .feature = NO_FEATURE, .n_rows = (size_t)all[0], .end = n };
    g->n_nodes = 1;
    g->is_unbounded = g->rule.leaves >= g->node[0].n_rows;
    const bool is_open = may_split(g, &root);

    if (is_open)
        TRY(grow_search(g, &root, r, err));
    grow_settle(g, &root, is_open);
    while (g->n_open > 0 && g->n_nodes < 2 * g->rule.leaves - 1) {
        struct leaf l = heap_pop(g);
        struct split_job job = { .g = g, .t = &g->node[l.node], .best = l.best };

        TRY(mark_sides(&job, err));
        if (is_populous(g, &l, &job)) {
            TRY(grow_split(g, &l, &job, r, err));
            continue;
        }
        l.is_counted = true;
        l.best = (struct tree_split){ 0 };
        TRY(grow_search(g, &l, r, err));
        grow_settle(g, &l, true);
    }
    arrange_nodes(g);
    return PECK_OK;
}

const struct tree_node *grower_tree(const struct grower *g, size_t *n_nodes)
{
    *n_nodes = g->n_nodes;
    return g->tree;
}

const uint32_t *grower_rows(const struct grower *g, const struct tree_node *leaf)
{
    return g->row[leaf->depth % 2] + leaf->begin;
}

/* Memory ------------------------------------------------------------------------------ */

/* Features are dealt to the ranks in their order; what each gets of the others. */
static void deal_features(struct grower *g, struct arena *arena)
{
    const char *const what = "growing trees";
    const size_t ranks = comm_ranks(g->comm),
                 rank = comm_rank(g->comm), *const first = g->bins->first;

    g->feature_of = arena_new(arena, what, ranks + 1, sizeof *g->feature_of);
    g->n_send = arena_new(arena, what, ranks, sizeof *g->n_send);
    g->n_receive = arena_new(arena, what, ranks, sizeof *g->n_receive);
    g->n_told = arena_new(arena, what, ranks, sizeof *g->n_told);
    g->told = arena_new(arena, what, ranks, sizeof *g->told);
    if (arena->missing != NULL)
        return;
    for (size_t i = 0; i <= ranks; i++)
        g->feature_of[i] = comm_part(g->comm, g->bins->n_features, i);
    const size_t own = first[g->feature_of[rank + 1]] - first[g->feature_of[rank]];

    for (size_t i = 0; i < ranks; i++) {
        g->n_send[i] =
            (first[g->feature_of[i + 1]] - first[g->feature_of[i]]) * sizeof *g->received;
        g->n_receive[i] = own * sizeof *g->received;
        g->n_told[i] = sizeof *g->told;
    }
    if (comm_is_shared(g->comm))
        g->received = arena_new(arena, what, ranks * own, sizeof *g->received);
}

peck_status grower_open(struct grower **out, const struct bins *bins,
                        const struct grow_rule *rule, size_t n_rows, struct pool *pool,
                        peck_error *err)
{
    const char *const what = "growing trees";
    struct arena arena = { 0 };
    struct grower *const g = arena_new(&arena, what, 1, sizeof *g);
    const bool is_shared = comm_is_shared(bins->comm);
    const size_t most =
        !is_shared && n_rows > 0 && rule->leaves > n_rows ? n_rows : rule->leaves;
    const size_t n_features = bins->n_features, all = bins->first[n_features];
    const size_t fit = MAX_HISTOGRAMS / sizeof(int64_t) / (all + 1);
    const size_t wanted = rule->histograms > 0 ? rule->histograms : rule->leaves + 1;

    *out = NULL;
    TRY(arena_check(&arena, err));
    *g = (struct grower){ .bins = bins, .comm = bins->comm, .rule = *rule, .pool = pool };
    g->rule.leaves = most;
    if (rule->depth == 0 || rule->depth > MAX_DEPTH)
        g->rule.depth = MAX_DEPTH;
    g->node = arena_new(&arena, what, 2 * most, sizeof *g->node);
    g->tree = arena_new(&arena, what, 2 * most, sizeof *g->tree);
    g->waiting = arena_new(&arena, what, 2 * most, sizeof *g->waiting);
    g->open = arena_new(&arena, what, most, sizeof *g->open);
    for (int k = 0; k < 2; k++) {
        g->row[k] = arena_new(&arena, what, n_rows, sizeof *g->row[k]);
        g->gh[k] = arena_new(&arena, what, n_rows, sizeof *g->gh[k]);
    }
    g->is_left = arena_new(&arena, what, n_rows, sizeof *g->is_left);
    g->n_left = arena_new(&arena, what, n_rows / CHUNK + 1, sizeof *g->n_left);
    g->total = arena_new(&arena, what, n_rows / CHUNK + 1, sizeof *g->total);
    if (rule->per_split > 0) {
        g->feature = arena_new(&arena, what, n_features, sizeof *g->feature);
        g->tally = arena_new(&arena, what, 1, sizeof *g->tally);
    } else {
        g->n_slots = wanted < fit ? wanted : fit;
        g->n_slots = g->n_slots > 2 ? g->n_slots : 2;
        g->histogram = arena_new(&arena, what, g->n_slots, all * sizeof *g->histogram);
        g->slot = arena_new(&arena, what, g->n_slots, sizeof *g->slot);
        g->bound = arena_new(&arena, what, n_features, sizeof *g->bound);
        g->item = arena_new(&arena, what, 2 * n_features, sizeof *g->item);
        for (int k = 0; k < 2; k++)
            g->found[k] = arena_new(&arena, what, n_features, sizeof *g->found[k]);
        const size_t workers = pool != NULL ? (size_t)pool_size(pool) : 1;

        g->n_parts = workers == 1 ? 1
                                  : (workers * TASKS_EACH + bins->n_groups - 1) /
                                        (bins->n_groups > 0 ? bins->n_groups : 1);
        g->n_parts = g->n_parts < MOST_PARTS ? g->n_parts : MOST_PARTS;
        g->part = arena_new(&arena, what, g->n_parts - (is_shared ? 0 : 1),
                            all * sizeof *g->part);
        deal_features(g, &arena);
    }
    const peck_status st = arena_check(&arena, err);

    if (st != PECK_OK) {
        arena_free(&arena);
        return st;
    }
    g->arena = arena;
    *out = g;
    return PECK_OK;
}

void grower_close(struct grower *g)
{
    if (g == NULL)
        return;
    struct arena arena = g->arena; /* it holds g too */

    arena_free(&arena);
}
