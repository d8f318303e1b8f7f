/* line.c -- see line.h. */
#include "line.h"

#include "../base/cpu.h"
#include "../base/sort.h"

#include <math.h>

enum {
    SHARD = 16,     /* queries a task looks at */
    COUNTED = 2048, /* documents of a query: beyond it sorting is cheaper than counting */
    PICKED = 128,   /* the same where the first TOP of the list are all that count */
    TOP = 64,
};

enum { LANES = 16 };
typedef float scores __attribute__((vector_size(4 * LANES), aligned(4), may_alias));
typedef int32_t counts __attribute__((vector_size(4 * LANES), aligned(4), may_alias));
_Static_assert(LINE_MAX % LANES == 0, "whole vectors");

/* A worker's scratch memory for one query. */
struct line_scratch {
    float *score; /* [most that are counted][LINE_MAX]: by place in the data's order */
    double *gain; /* max_docs, in that order */
    struct sort_item *item; /* 2 max_docs, where a query may be sorted */
    uint32_t *rank; /* 2 max_docs, as item: how many are above; how many of them count */
};

/* How ranks of a query of n documents are come by; all ways give the same bits. */
enum way { BY_COUNTING, BY_PICKING, BY_SORTING };

static enum way way_of(const struct line *l, size_t n)
{
    return l->cut <= TOP && n > PICKED ? BY_PICKING
           : n > COUNTED               ? BY_SORTING
                                       : BY_COUNTING;
}

/* Counting ---------------------------------------------------------------------------- */

/* score[k] = s + t[k] d */
static inline ALWAYS_INLINE void spread_scores_body(float s, float d,
                                                    const float *restrict t,
                                                    float *restrict score)
{
    for (size_t k = 0; k < LINE_MAX; k++)
        score[k] = s + t[k] * d;
}
CPU_VERSIONS(spread_scores, (float s, float d, const float *t, float *score),
             (s, d, t, score))

/* How many of n others are above: count[k] += (other[k] > own[k]), or >= where they stand
 * before it in the data's order.  A comparison of vectors gives -1 where it holds. */
static inline ALWAYS_INLINE void count_above_body(const float *own, const float *other,
                                                  size_t n, bool is_before, int32_t *count)
{
    for (size_t k = 0; k < LINE_MAX; k += LANES) {
        const scores mine = *(const scores *)(own + k);
        const float *at = other + k;
        counts sum = *(const counts *)(count + k);

        if (is_before)
            for (size_t j = 0; j < n; j++, at += LINE_MAX)
                sum -= *(const scores *)at >= mine;
        else
            for (size_t j = 0; j < n; j++, at += LINE_MAX)
                sum -= *(const scores *)at > mine;
        *(counts *)(count + k) = sum;
    }
}
CPU_VERSIONS(count_above,
             (const float *own, const float *other, size_t n, bool is_before,
              int32_t *count),
             (own, other, n, is_before, count))

/* What the documents of query q add to its sum, for every t.  Those that nobody judged are
 * not in the list: they are above nobody. */
static void add_counted(const struct line *l, size_t q, struct line_scratch *c, double *sum)
{
    const struct train_set *const set = l->train_metric->train_data->train_set;
    const size_t first = (size_t)set->start[q], n = (size_t)set->start[q + 1] - first;
    int32_t above[LINE_MAX], found[LINE_MAX]; /* how many; how many of them count */

    for (size_t i = 0; i < n; i++) {
        const uint32_t at = set->from[first + i];
        const bool is_judged = i < set->plan[q].n_judged;

        spread_scores(is_judged ? l->base[first + i] : -INFINITY,
                      is_judged ? l->way[first + i] : 0.0f, l->t, c->score + at * LINE_MAX);
        c->gain[at] = l->gain[first + i];
    }
    for (size_t at = 0; at < n; at++) {
        const float *const own = c->score + at * LINE_MAX;

        if (!(c->gain[at] > 0.0))
            continue;
        memset(above, 0, sizeof above);
        memset(found, 0, sizeof found);
        count_above(own, c->score, at, true, above);
        count_above(own, own + LINE_MAX, n - at - 1, false, above);
        for (size_t j = 0; l->is_map && j < n; j++)
            if (c->gain[j] > 0.0 && j != at)
                count_above(own, c->score + j * LINE_MAX, 1, j < at, found);
        for (size_t k = 0; k < l->n_t; k++) {
            const uint32_t rank = (uint32_t)above[k];

            if (rank < l->cut)
                sum[k] += l->unit[q] * (l->is_map ? (1.0 + (double)found[k]) / (1.0 + rank)
                                                  : c->gain[at] * l->discount[rank]);
        }
    }
}

/* Long queries ------------------------------------------------------------------------- */

/* A document on its way to the top of the list. */
struct pick {
    float score;
    uint32_t at; /* its place in the data's order */
    uint32_t i;  /* ... and in that of the training set */
};

static bool is_ahead(const struct pick *a, const struct pick *b)
{
    return a->score > b->score || (a->score == b->score && a->at < b->at);
}

/* As add_counted, for one t: the first documents, at most TOP, are picked, best first, then
 * summed in the data's order, so that the sum is the same. */
static void add_top(const struct line *l, size_t q, float t, double *sum)
{
    const struct train_set *const set = l->train_metric->train_data->train_set;
    const size_t first = (size_t)set->start[q];
    const float *const s = l->base + first, *const d = l->way + first;
    const uint32_t *const from = set->from + first;
    const double *const gain = l->gain + first;
    struct pick top[TOP];
    uint32_t by_place[TOP];
    size_t n = 0;
    double found = 0.0, found_by[TOP];

    for (uint32_t i = 0; i < set->plan[q].n_judged; i++) {
        const float score = s[i] + t * d[i];

        if (n == l->cut && score < top[n - 1].score)
            continue;
        const struct pick own = { score, from[i], i };
        size_t place = n < l->cut ? n++ : is_ahead(&own, &top[n - 1]) ? n - 1 : n;

        for (; place < n && place > 0 && is_ahead(&own, &top[place - 1]); place--)
            top[place] = top[place - 1];
        if (place < n)
            top[place] = own;
    }
    for (uint32_t r = 0; r < n; r++) {
        uint32_t k = r;

        for (; k > 0 && top[by_place[k - 1]].at > top[r].at; k--)
            by_place[k] = by_place[k - 1];
        by_place[k] = r;
        found += gain[top[r].i] > 0.0 ? 1.0 : 0.0;
        found_by[r] = found;
    }
    for (size_t k = 0; k < n; k++) {
        const uint32_t r = by_place[k];
        const double own = gain[top[r].i];

        if (own > 0.0)
            *sum +=
                l->unit[q] * (l->is_map ? found_by[r] / (1.0 + r) : own * l->discount[r]);
    }
}

/* The same by sorting, where more of the list counts. */
static void add_sorted(const struct line *l, size_t q, float t, struct line_scratch *c,
                       double *sum)
{
    const struct train_set *const set = l->train_metric->train_data->train_set;
    const size_t first = (size_t)set->start[q], n = (size_t)set->start[q + 1] - first;
    uint32_t *const rank = c->rank, *const found = c->rank + n;
    uint32_t n_found = 0;

    for (size_t i = 0; i < n; i++) { /* who is not judged comes last */
        const uint32_t at = set->from[first + i];
        const double score = (double)(l->base[first + i] + t * l->way[first + i]);

        c->item[at] =
            (struct sort_item){ i < set->plan[q].n_judged ? key_desc(score) : UINT64_MAX,
                                at };
        c->gain[at] = l->gain[first + i];
    }
    sort_items(c->item, n, c->item + n);
    for (uint32_t r = 0; r < n; r++) {
        const uint32_t at = c->item[r].from;

        rank[at] = r;
        found[at] = n_found;
        n_found += c->gain[at] > 0.0;
    }
    for (size_t at = 0; at < n; at++)
        if (c->gain[at] > 0.0 && rank[at] < l->cut)
            *sum += l->unit[q] * (l->is_map ? (1.0 + found[at]) / (1.0 + rank[at])
                                            : c->gain[at] * l->discount[rank[at]]);
}

static void line_judge_shard(void *ctx, size_t shard, int worker)
{
    struct line *const l = ctx;
    const struct train_set *const set = l->train_metric->train_data->train_set;
    struct line_scratch *const c = &l->scratch[worker];
    double *const sum = l->sum + shard * LINE_MAX;

    memset(sum, 0, LINE_MAX * sizeof *sum);
    for (size_t q = shard * SHARD; q < set->n_queries && q < (shard + 1) * SHARD; q++) {
        const enum way way = way_of(l, (size_t)(set->start[q + 1] - set->start[q]));

        if (l->unit[q] == 0.0)
            continue;
        if (way == BY_COUNTING)
            add_counted(l, q, c, sum);
        for (size_t k = 0; way == BY_PICKING && k < l->n_t; k++)
            add_top(l, q, l->t[k], &sum[k]);
        for (size_t k = 0; way == BY_SORTING && k < l->n_t; k++)
            add_sorted(l, q, l->t[k], c, &sum[k]);
    }
}

static size_t n_shards(const struct line *l)
{
    return (l->train_metric->train_data->train_set->n_queries + SHARD - 1) / SHARD;
}

void line_judge(struct line *l, const float *s, const float *d, const float *t, size_t n,
                double *value)
{
    const size_t n_docs = l->train_metric->train_data->train_set->n_docs;
    float all[LINE_MAX] = { 0.0f };

    if (!l->is_counted) {
        for (size_t k = 0; k < n; k++) {
            for (size_t i = 0; i < n_docs; i++)
                l->s[i] = s[i] + t[k] * d[i];
            value[k] = train_metric_judge(l->train_metric, l->s);
        }
        return;
    }
    memcpy(all, t, n * sizeof *t);
    l->base = s;
    l->way = d;
    l->t = all;
    l->n_t = n;
    pool_run(l->pool, n_shards(l), line_judge_shard, l);
    for (size_t k = 0; k < n; k++) {
        value[k] = 0.0;
        for (size_t shard = 0; shard < n_shards(l); shard++)
            value[k] += l->sum[shard * LINE_MAX + k];
    }
}

/* Opening ------------------------------------------------------------------------------ */

/* gain[] and unit[] of a query; unjudged documents, which come last, are not in the list.
 * Documents come by falling label, so most often by falling gain; where a convention gives
 * nothing for labels beyond its own, it knows but a few gains, and the best order goes
 * through them. */
static void weigh_query(struct line *l, size_t q)
{
    const struct train_set *const set = l->train_metric->train_data->train_set;
    const struct convention *const c = l->train_metric->train_data->validation.convention;
    const size_t first = (size_t)set->start[q], n = set->plan[q].n_judged;
    const size_t end = n < l->cut ? n : l->cut;
    const bool is_short = l->cut != WHOLE_LIST && l->cut > n && c->short_list == SHORT_ZERO;
    double *const gain = l->gain + first, best = 0.0, bound = HUGE_VAL;
    bool is_falling = true;

    for (size_t i = 0; i < n; i++) {
        const double y = convention_label(c, (double)set->label[first + i]);

        gain[i] = l->is_map ? (double)convention_relevant(c, y) : convention_gain(c, y);
        is_falling &= i == 0 || gain[i] <= gain[i - 1];
    }
    for (size_t i = 0; i < (l->is_map ? n : is_falling ? end : 0); i++)
        best += l->is_map ? gain[i] : gain[i] * l->discount[i];
    for (size_t i = 0; !l->is_map && !is_falling && i < end;) {
        double next = 0.0;

        for (size_t k = 0; k < n; k++)
            next = gain[k] < bound && gain[k] > next ? gain[k] : next;
        if (next == 0.0)
            break;
        for (size_t k = 0; k < n && i < end; k++)
            if (gain[k] == next)
                best += next * l->discount[i++];
        bound = next;
    }
    if (best > 0.0 && (l->is_map || !is_short))
        l->unit[q] = (set->weight != NULL ? (double)set->weight[q] : 1.0) / best;
}

peck_status line_open(struct line *l, struct train_metric *r, struct pool *pool,
                      peck_error *err)
{
    const struct train_set *const set = r->train_data->train_set;
    const struct asked *const asked = &r->metric->item[0];
    const struct convention *const c = r->train_data->validation.convention;
    const char *const name = asked->metric->plug.about.name;
    const char *const what = "scores along a line";
    const bool is_map = strcmp(name, "map") == 0;
    const size_t workers = (size_t)pool_size(pool), most = set->max_docs;

    *l =
        (struct line){ .train_metric = r, .pool = pool, .is_map = is_map, .cut = asked->k };
    l->is_counted = (strcmp(name, "ndcg") == 0 || (is_map && c->ap == AP_ALL)) &&
                    c->ties == TIES_INPUT && c->unjudged == UNJUDGED_SKIP &&
                    r->scored_docs.doc_weight == NULL;
    if (!l->is_counted) {
        l->s = arena_new(&l->arena, "scores", set->n_docs, sizeof *l->s);
        return arena_check(&l->arena, err);
    }
    const size_t counted = most < COUNTED ? most : COUNTED;
    const size_t sorted = way_of(l, most) == BY_SORTING ? most : 0;

    l->gain = arena_new(&l->arena, what, set->n_docs, sizeof *l->gain);
    l->discount = arena_new(&l->arena, what, most, sizeof *l->discount);
    l->unit = arena_new(&l->arena, what, set->n_queries, sizeof *l->unit);
    l->sum = arena_new(&l->arena, what, n_shards(l) * LINE_MAX, sizeof *l->sum);
    l->scratch = arena_new(&l->arena, what, workers, sizeof *l->scratch);
    for (size_t i = 0; l->scratch != NULL && i < workers; i++) {
        struct line_scratch *const own = &l->scratch[i];

        own->score = arena_new(&l->arena, what, counted * LINE_MAX, sizeof *own->score);
        own->gain = arena_new(&l->arena, what, most, sizeof *own->gain);
        own->item = arena_new(&l->arena, what, 2 * sorted, sizeof *own->item);
        own->rank = arena_new(&l->arena, what, 2 * sorted, sizeof *own->rank);
    }
    TRY(arena_check(&l->arena, err));
    for (size_t i = 0; i < most; i++)
        l->discount[i] = convention_discount(c, i + 1);
    for (size_t q = 0; q < set->n_queries; q++)
        weigh_query(l, q);
    return PECK_OK;
}

void line_close(struct line *l)
{
    arena_free(&l->arena);
    *l = (struct line){ 0 };
}
