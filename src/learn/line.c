/* line.c -- see line.h. */
#include "line.h"

#include "../base/alloc.h"
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
    int32_t above[LINE_MAX],
        found[LINE_MAX]; /* how many are above; how many of them count */
};

/* Counting ---------------------------------------------------------------------------- */

/* score[k] = s + t[k] d */
static inline ALWAYS_INLINE void spread_body(float s, float d, const float *restrict t,
                                             float *restrict score)
{
    for (size_t k = 0; k < LINE_MAX; k++)
        score[k] = s + t[k] * d;
}
CPU_VERSIONS(spread, (float s, float d, const float *t, float *score), (s, d, t, score))

/* How many of n others are above: count[k] += (other[k] > own[k]), or >= where they stand
 * before it in the data's order.  A comparison of vectors gives -1 where it holds. */
static inline ALWAYS_INLINE void count_body(const float *own, const float *other, size_t n,
                                            bool is_before, int32_t *count)
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
CPU_VERSIONS(count,
             (const float *own, const float *other, size_t n, bool is_before,
              int32_t *count),
             (own, other, n, is_before, count))

/* above[] of the document at this place. */
static void count_above(struct line_scratch *c, size_t at, size_t n)
{
    const float *const own = c->score + at * LINE_MAX;

    memset(c->above, 0, sizeof c->above);
    count(own, c->score, at, true, c->above);
    count(own, own + LINE_MAX, n - at - 1, false, c->above);
}

/* found[]: those above that count themselves. */
static void count_found(struct line_scratch *c, size_t at, size_t n)
{
    const float *const own = c->score + at * LINE_MAX;

    memset(c->found, 0, sizeof c->found);
    for (size_t j = 0; j < n; j++)
        if (c->gain[j] > 0.0 && j != at)
            count(own, c->score + j * LINE_MAX, 1, j < at, c->found);
}

/* Queries ------------------------------------------------------------------------------ */

/* Scores and gains of query q in the data's order.  Documents that nobody judged are not
 * in the list: they are above nobody. */
static void line_lay_out(const struct line *l, size_t q, struct line_scratch *c)
{
    const struct train_set *const train_set = l->train_metric->train_data->train_set;
    const size_t first = (size_t)train_set->start[q],
                 n = (size_t)train_set->start[q + 1] - first;

    for (size_t i = 0; i < n; i++) {
        const uint32_t at = train_set->from[first + i];

        const bool is_judged = i < train_set->plan[q].n_judged;

        spread(is_judged ? l->base[first + i] : -INFINITY,
               is_judged ? l->way[first + i] : 0.0f, l->t, c->score + at * LINE_MAX);
        c->gain[at] = l->gain[first + i];
    }
}

/* What a document adds to the query's sum, for every t. */
static void add_document(const struct line *l, struct line_scratch *c, size_t at, size_t n,
                         double unit, double *sum)
{
    count_above(c, at, n);
    if (l->is_map)
        count_found(c, at, n);
    for (size_t k = 0; k < l->n_t; k++) {
        const uint32_t above = (uint32_t)c->above[k];

        if (above >= l->cut)
            continue;
        sum[k] += unit * (l->is_map ? (1.0 + (double)c->found[k]) / (1.0 + above)
                                    : c->gain[at] * l->discount[above]);
    }
}

/* How ranks of a query of n documents are come by; all ways give the same bits. */
enum way { BY_COUNTING, BY_PICKING, BY_SORTING };

static enum way way_of(const struct line *l, size_t n)
{
    return l->cut <= TOP && n > PICKED ? BY_PICKING
           : n > COUNTED               ? BY_SORTING
                                       : BY_COUNTING;
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

/* top[0 .. cut), cut <= TOP, becomes the first documents under t, best first; returns how
 * many there are. */
static size_t pick_top(const struct line *l, size_t q, float t, struct pick *top)
{
    const struct train_set *const train_set = l->train_metric->train_data->train_set;
    const size_t first = (size_t)train_set->start[q];
    const float *const s = l->base + first, *const d = l->way + first;
    const uint32_t *const from = train_set->from + first;
    size_t n = 0;

    for (uint32_t i = 0; i < train_set->plan[q].n_judged; i++) {
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
    return n;
}

/* As add_document of all, for one t: in the data's order, so that the sum is the same. */
static void add_top(const struct line *l, size_t q, float t, double *sum)
{
    const double *const gain = l->gain + l->train_metric->train_data->train_set->start[q];
    struct pick top[TOP];
    uint32_t by_place[TOP];
    const size_t n = pick_top(l, q, t, top);
    double found = 0.0, found_by[TOP];

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
    const struct train_set *const train_set = l->train_metric->train_data->train_set;
    const size_t first = (size_t)train_set->start[q],
                 n = (size_t)train_set->start[q + 1] - first;
    uint32_t *const rank = c->rank, *const found = c->rank + n;
    uint32_t n_found = 0;

    for (size_t i = 0; i < n; i++) { /* who is not judged comes last */
        const uint32_t at = train_set->from[first + i];
        const double score = (double)(l->base[first + i] + t * l->way[first + i]);

        c->item[at] = (struct sort_item){ i < train_set->plan[q].n_judged ? key_desc(score)
                                                                          : UINT64_MAX,
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
    const struct train_set *const train_set = l->train_metric->train_data->train_set;
    struct line_scratch *const c = l->column[worker];
    double *const sum = l->sum + shard * LINE_MAX;

    memset(sum, 0, LINE_MAX * sizeof *sum);
    for (size_t q = shard * SHARD; q < train_set->n_queries && q < (shard + 1) * SHARD;
         q++) {
        const size_t n = (size_t)(train_set->start[q + 1] - train_set->start[q]);

        if (l->unit[q] == 0.0)
            continue;
        const enum way way = way_of(l, n);

        for (size_t k = 0; way != BY_COUNTING && k < l->n_t; k++)
            if (way == BY_PICKING)
                add_top(l, q, l->t[k], &sum[k]);
            else
                add_sorted(l, q, l->t[k], c, &sum[k]);
        if (way != BY_COUNTING)
            continue;
        line_lay_out(l, q, c);
        for (size_t at = 0; at < n; at++)
            if (c->gain[at] > 0.0)
                add_document(l, c, at, n, l->unit[q], sum);
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

/* Whether counting gives what the metric would. */
static bool can_count(const struct train_metric *r)
{
    const struct asked *const asked = &r->metric->item[0];
    const struct convention *const c = r->train_data->validation.convention;
    const char *const name = asked->metric->plug.about.name;

    return (strcmp(name, "ndcg") == 0 || (strcmp(name, "map") == 0 && c->ap == AP_ALL)) &&
           c->ties == TIES_INPUT && c->unjudged == UNJUDGED_SKIP &&
           r->scored_docs.doc_weight == NULL;
}

static bool is_falling(const double *x, size_t n)
{
    for (size_t i = 1; i < n; i++)
        if (x[i] > x[i - 1])
            return false;
    return true;
}

/* The sum of the best order, the largest gains first.  Documents come by falling label, so
 * most often in that order; where a convention gives nothing for labels beyond its own, it
 * knows but a few gains. */
static double best_sum(const struct line *l, const double *gain, size_t n)
{
    const size_t end = n < l->cut ? n : l->cut;
    double sum = 0.0, bound = HUGE_VAL;

    if (is_falling(gain, n)) {
        for (size_t i = 0; i < end; i++)
            sum += gain[i] * l->discount[i];
        return sum;
    }
    for (size_t i = 0; i < end;) {
        double next = 0.0;

        for (size_t k = 0; k < n; k++)
            next = gain[k] < bound && gain[k] > next ? gain[k] : next;
        if (next == 0.0)
            break;
        for (size_t k = 0; k < n && i < end; k++)
            if (gain[k] == next)
                sum += next * l->discount[i++];
        bound = next;
    }
    return sum;
}

/* gain[] and unit[] of a query; `gain` is filled with its gains.  Unjudged documents,
 * which come last, are not in the list. */
static void weigh_query(struct line *l, size_t q, double *gain)
{
    const struct train_set *const train_set = l->train_metric->train_data->train_set;
    const struct convention *const c = l->train_metric->train_data->validation.convention;
    const size_t first = (size_t)train_set->start[q], n = train_set->plan[q].n_judged;
    const bool is_short = l->cut != WHOLE_LIST && l->cut > n && c->short_list == SHORT_ZERO;
    double n_relevant = 0.0;

    for (size_t i = 0; i < n; i++) {
        const double y = convention_label(c, (double)train_set->label[first + i]);

        gain[i] = l->is_map ? (double)convention_relevant(c, y) : convention_gain(c, y);
        l->gain[first + i] = gain[i];
        n_relevant += gain[i];
    }
    const double best = l->is_map ? n_relevant : best_sum(l, gain, n);

    if (best > 0.0 && (l->is_map || !is_short))
        l->unit[q] =
            (train_set->weight != NULL ? (double)train_set->weight[q] : 1.0) / best;
}

static peck_status line_take_memory(struct line *l, peck_error *err)
{
    const struct train_set *const train_set = l->train_metric->train_data->train_set;
    const size_t workers = (size_t)pool_size(l->pool), most = train_set->max_docs;
    const size_t counted = most < COUNTED ? most : COUNTED;
    const size_t sorted = way_of(l, most) == BY_SORTING ? most : 0;
    bool fits = true;

    l->gain = mem_new(train_set->n_docs, sizeof *l->gain);
    l->discount = mem_new(most, sizeof *l->discount);
    l->unit = mem_new(train_set->n_queries, sizeof *l->unit);
    l->sum = mem_new(n_shards(l) * LINE_MAX, sizeof *l->sum);
    l->column = mem_new(workers, sizeof *l->column);
    fits = l->gain && l->discount && l->unit && l->sum && l->column;
    for (size_t i = 0; fits && i < workers; i++) {
        struct line_scratch *const c = l->column[i] = mem_new(1, sizeof *c);

        if (c != NULL) {
            c->score = mem_new(counted * LINE_MAX, sizeof *c->score);
            c->gain = mem_new(most, sizeof *c->gain);
            c->item = mem_new(2 * sorted, sizeof *c->item);
            c->rank = mem_new(2 * sorted, sizeof *c->rank);
        }
        fits = c != NULL && c->score != NULL && c->gain != NULL && c->item != NULL &&
               c->rank != NULL;
    }
    return fits ? PECK_OK
                : fail_memory(err, "scores along a line", most, LINE_MAX * sizeof(float));
}

peck_status line_open(struct line *l, struct train_metric *r, struct pool *pool,
                      peck_error *err)
{
    const struct train_set *const train_set = r->train_data->train_set;
    const struct asked *const asked = &r->metric->item[0];

    *l = (struct line){ .train_metric = r, .pool = pool, .is_counted = can_count(r) };
    if (!l->is_counted) {
        l->s = mem_new(train_set->n_docs, sizeof *l->s);
        return l->s != NULL ? PECK_OK
                            : fail_memory(err, "scores", train_set->n_docs, sizeof *l->s);
    }
    l->is_map = strcmp(asked->metric->plug.about.name, "map") == 0;
    l->cut = asked->k;
    TRY(line_take_memory(l, err));
    for (size_t i = 0; i < train_set->max_docs; i++)
        l->discount[i] = convention_discount(r->train_data->validation.convention, i + 1);
    for (size_t q = 0; q < train_set->n_queries; q++)
        weigh_query(l, q, l->column[0]->gain);
    return PECK_OK;
}

void line_close(struct line *l)
{
    for (int i = 0; l->column != NULL && i < pool_size(l->pool); i++) {
        if (l->column[i] != NULL) {
            mem_free(l->column[i]->score);
            mem_free(l->column[i]->gain);
            mem_free(l->column[i]->item);
            mem_free(l->column[i]->rank);
        }
        mem_free(l->column[i]);
    }
    mem_free(l->column);
    mem_free(l->gain);
    mem_free(l->discount);
    mem_free(l->unit);
    mem_free(l->sum);
    mem_free(l->s);
    *l = (struct line){ 0 };
}
