/* leaf_search.c -- the best split of a leaf, by histograms: sums of gradients by bin.
 *
 * Of two children only the smaller one is counted: the other is the difference.  Where features
 * are drawn for each split, only those are counted, node by node.
 *
 * A rank keeps histograms of the features that it looks at, of the rows of all ranks.  */
#include "grower.h"

#include "../base/cpu.h"

#include <math.h>

enum {
    FEW_ROWS = 256,         /* fewer than these do not fill a histogram */
    WORTH_A_POOL = 1 << 16, /* cells to be counted */
    LEAST_PART = 1 << 11,   /* rows that a task counts */
    MOST_COUNTED = 8,       /* features whose rows ranks count in one go */
};

/* Gains this small beside the worth of the node are rounding. */
#define TINY 1e-12

/* Non-empty bins of a feature in a node, and the sums up to each. */
struct prefix {
    size_t n;
    uint16_t bin[MAX_BINS];
    int64_t sum[MAX_BINS];
    double g[MAX_BINS], h[MAX_BINS], gain[MAX_BINS];
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
    if (t->begin < t->end)
        forget_rows(g->bins, feature / g->bins->lanes, row[t->begin], row[t->end - 1]);
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
void search_some(struct grower *g, struct leaf *l, struct rng *r)
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
    if (begin < end)
        forget_rows(g->bins, group, row[begin], row[end - 1]);
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
peck_status search_all(struct grower *g, struct leaf *a, struct leaf *b, peck_error *err)
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
peck_status search_counted(struct grower *g, struct leaf *l, peck_error *err)
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
