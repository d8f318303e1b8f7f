/* verdict.c -- all queries, all metrics.
 *
 * One sort by score and one by label put a query in order for every metric; once a judge is
 * open, nothing fails.  Queries are judged in fixed shards, each with sums of its own that
 * are added up in shard order, so the same bytes come out at any thread count.          */
#include "metric.h"

#include "../base/alloc.h"
#include "../base/rng.h"
#include "../base/sort.h"

#include <math.h>

enum {
    SHARD = 32,        /* queries */
    SMALL_LABELS = 32, /* labels 0, 1, ... below this have their gain in a table and are
                        * sorted by counting */
};

/* What every query of a judgement shares; nobody writes to it once it is made. */
struct judge_context {
    const struct scored_docs *scored_docs;
    const struct convention *convention;
    unsigned needs;
    uint64_t seed;
    double top_grade;
    double *discount; /* of rank i + 1, to the end of the longest query */
    double gain[SMALL_LABELS];
};

/* A worker's memory, sized once for the longest query.
 * By rank, best first, once a ranking is built: score, label, weight, gain, relevant,
 * grade, doc (its place in the query), and dcg, ideal: sums up to each rank.  kept:
 * places in the query of the documents that count, in input order.  order, spare:
 * permutations.  tree, seen, level: by grade, for pairs_count. */
struct ranking_scratch {
    double *score, *label, *weight, *gain, *dcg, *ideal, *tree, *seen, *level;
    struct sort_item *item; /* two for each document */
    uint32_t *kept, *order, *spare, *grade, *doc;
    bool *relevant;
};

struct share_sum {
    double num, den;
};

struct shard_counts {
    size_t n_unjudged, n_empty;
};

struct judge {
    struct judge_context context;
    const struct metric_list *list;
    struct pool *pool;
    size_t n_shards;
    struct ranking_scratch *scratch; /* one a worker */
    struct share_sum *sum;           /* n_shards rows of list->n */
    struct shard_counts *shard;
    struct verdict verdict;
};

/* Ties ---------------------------------------------------------------------------- */

/* Bytewise, as strcmp; a beginning comes before what it begins. */
static int compare_spans(peck_span a, peck_span b)
{
    const size_t n = a.n < b.n ? a.n : b.n;
    const int first = n > 0 ? memcmp(a.s, b.s, n) : 0;

    return first != 0 ? first : (a.n > b.n) - (a.n < b.n);
}

/* order[0 .. n) by falling id; a stable merge sort.  Document i of the query is string
 * first + i. */
static void order_by_id(struct ranking_scratch *d, const struct strings *id, uint64_t first,
                        uint32_t *order, uint32_t n)
{
    for (uint32_t width = 1; width < n; width *= 2) {
        for (uint32_t lo = 0; lo < n; lo += 2 * width) {
            const uint32_t mid = n - lo > width ? lo + width : n;
            const uint32_t hi = n - mid > width ? mid + width : n;
            uint32_t i = lo, j = mid;

            for (uint32_t k = lo; k < hi; k++) {
                const bool is_left =
                    j >= hi ||
                    (i < mid &&
                     compare_spans(strings_get(id, first + d->kept[order[i]]),
                                   strings_get(id, first + d->kept[order[j]])) >= 0);

                d->spare[k] = is_left ? order[i++] : order[j++];
            }
        }
        memcpy(order, d->spare, n * sizeof *order);
    }
}

/* Puts every run of equal scores in the order that the convention asks for. */
static void break_ties(struct ranking_scratch *d, const struct judge_context *context,
                       size_t query, uint32_t n)
{
    const struct scored_docs *const x = context->scored_docs;
    const uint64_t first = x->start[query];
    const int ties = context->convention->ties;
    const bool has_ids = x->doc_id != NULL && x->doc_id->n > 0;
    struct rng rng;

    /* A stream for each query: the same order at any thread count. */
    rng_seed(&rng, context->seed, query);
    for (uint32_t lo = 0, hi; lo < n; lo = hi) {
        uint32_t *const run = d->order + lo;

        for (hi = lo + 1; hi < n && d->score[d->order[hi]] == d->score[*run];)
            hi++;
        const uint32_t len = hi - lo;

        if (len == 1)
            continue;
        if (ties == TIES_RANDOM)
            rng_shuffle(&rng, run, len);
        if (ties == TIES_DOCID && has_ids)
            order_by_id(d, x->doc_id, first, run, len);
        if (ties != TIES_WORST && ties != TIES_BEST)
            continue;
        for (uint32_t i = 0; i < len; i++) { /* equal labels as they are */
            const uint64_t key = key_desc((double)x->label[first + d->kept[run[i]]]);

            d->item[i] = (struct sort_item){ ties == TIES_WORST ? ~key : key, run[i] };
        }
        sort_items(d->item, len, d->item + len);
        for (uint32_t i = 0; i < len; i++)
            run[i] = d->item[i].from;
    }
}

/* Pairs --------------------------------------------------------------------------- */

/* One group of equal scores at a time.  A Fenwick tree over grades tells how much weight with
 * a larger label was seen before: those pairs are right; what was seen with a smaller label
 * is wrong.  Fenwick, "A new data structure for cumulative frequency tables", 1994. */
struct pairs pairs_count(const double *score, const uint32_t *grade, const double *weight,
                         uint32_t n, uint32_t n_grades, double *tree, double *seen,
                         double *level)
{
    struct pairs p = { 0 };
    double above = 0.0; /* the weight of all groups before this one */

    memset(tree, 0, (n_grades + 1) * sizeof *tree);
    memset(seen, 0, (n_grades + 1) * sizeof *seen);
    for (uint32_t lo = 0, hi; lo < n; lo = hi) {
        double group = 0.0;

        for (hi = lo; hi < n && score[hi] == score[lo]; hi++) {
            const uint32_t g = grade[hi];
            const double w = weight[hi];
            double better = 0.0;

            for (uint32_t t = g; t > 0; t &= t - 1)
                better += tree[t];
            const double worse = above - better - seen[g];

            p.right += w * better;
            p.wrong += w * (worse > 0.0 ? worse : 0.0); /* rounding may go below 0 */
            p.tied += w * (group - level[g]);
            p.score_differ += w * above;
            p.all += w * (above + group);
            level[g] += w;
            group += w;
        }
        for (uint32_t i = lo; i < hi; i++) {
            for (uint32_t t = grade[i] + 1; t <= n_grades; t += t & -t)
                tree[t] += weight[i];
            seen[grade[i]] += weight[i];
            level[grade[i]] = 0.0;
        }
        above += group;
    }
    if (n_grades < 2)
        p.right = p.wrong = p.tied = 0.0;
    p.differ = p.right + p.wrong + p.tied;
    return p;
}

/* Labels and gains ---------------------------------------------------------------- */

static bool is_small(double label)
{
    return label < SMALL_LABELS && label == (double)(int)label;
}

/* order[] becomes the documents by falling label: by counting where labels are small
 * whole numbers, as they mostly are. */
static void order_labels(struct ranking_scratch *d, uint32_t n)
{
    uint32_t at[SMALL_LABELS + 1] = { 0 };
    bool all_small = true;

    for (uint32_t i = 0; i < n && all_small; i++) {
        all_small = is_small(d->label[i]);
        if (all_small)
            at[SMALL_LABELS - 1 - (int)d->label[i] + 1]++;
    }
    if (!all_small) {
        order_desc(d->label, n, d->order, d->item);
        return;
    }
    for (int y = 0; y < SMALL_LABELS; y++)
        at[y + 1] += at[y];
    for (uint32_t i = 0; i < n; i++)
        d->order[at[SMALL_LABELS - 1 - (int)d->label[i]]++] = i;
}

/* Turns gains in some order into running sums of what their ranks keep of them. */
static void sum_discounted(double *sum, const double *gain, const double *share, uint32_t n)
{
    double total = 0.0;

    for (uint32_t i = 0; i < n; i++)
        sum[i] = total += gain[i] * share[i];
}

/* ideal[]: falling labels mean falling gains, unless weights or a table say otherwise. */
static void sum_gains(struct ranking *r, struct ranking_scratch *d,
                      const struct judge_context *context)
{
    bool falls = true;

    for (uint32_t i = 0; i < r->n_all; i++) {
        const double y = d->label[i];

        d->gain[i] = d->weight[i] * (is_small(y) ? context->gain[(int)y]
                                                 : convention_gain(r->convention, y));
    }
    sum_discounted(d->dcg, d->gain, context->discount, r->n);
    for (uint32_t i = 0; i < r->n_all; i++) {
        d->ideal[i] = d->gain[d->order[i]];
        falls = falls && (i == 0 || d->ideal[i] <= d->ideal[i - 1]);
    }
    if (!falls) {
        order_desc(d->gain, r->n_all, d->spare, d->item);
        for (uint32_t i = 0; i < r->n_all; i++)
            d->ideal[i] = d->gain[d->spare[i]];
    }
    sum_discounted(d->ideal, d->ideal, context->discount, r->n_all);
}

/* The ranking --------------------------------------------------------------------- */

/* false: nobody judged a document of this query. */
static bool ranking_build(struct ranking *r, struct ranking_scratch *d,
                          const struct judge_context *context, size_t query)
{
    const struct scored_docs *const x = context->scored_docs;
    const struct convention *const c = context->convention;
    const uint64_t first = x->start[query];
    const uint32_t size = (uint32_t)(x->start[query + 1] - first);
    uint32_t n = 0, n_judged = 0;

    for (uint32_t i = 0; i < size; i++) {
        const bool is_judged = x->label[first + i] >= 0.0f;

        n_judged += is_judged;
        if (is_judged || c->unjudged == UNJUDGED_ZERO) {
            d->kept[n] = i;
            d->score[n++] = x->score[first + i];
        }
    }
    *r = (struct ranking){ .query = query,
                           .convention = c,
                           .n_all = n,
                           .label = d->label,
                           .relevant = d->relevant,
                           .weight = d->weight,
                           .doc = d->doc,
                           .dcg = d->dcg,
                           .ideal = d->ideal,
                           .top_grade = context->top_grade };
    if (n_judged == 0)
        return false;
    order_desc(d->score, n, d->order, d->item);
    if (c->ties != TIES_INPUT)
        break_ties(d, context, query, n);
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t from = d->order[i];
        const uint64_t row = first + d->kept[from];
        const double y = (double)x->label[row];

        d->doc[i] = d->kept[from];
        d->ideal[i] = d->score[from]; /* on its way to score[] */
        d->label[i] = y < 0.0 ? 0.0 : convention_label(c, y);
        d->weight[i] = x->doc_weight != NULL ? (double)x->doc_weight[row] : 1.0;
        d->relevant[i] = y >= 0.0 && convention_relevant(c, d->label[i]);
        if (d->relevant[i]) {
            r->n_relevant++;
            r->relevant_weight += d->weight[i];
        }
        r->n += !isinf(d->score[from]);
    }
    memcpy(d->score, d->ideal, n * sizeof *d->score);
    if (context->needs & (NEEDS_DCG | NEEDS_PAIRS))
        order_labels(d, n);
    if (context->needs & NEEDS_DCG)
        sum_gains(r, d, context);
    if (context->needs & NEEDS_PAIRS) {
        uint32_t grade = 0;

        for (uint32_t i = 0; i < n; i++) {
            grade += i > 0 && d->label[d->order[i]] != d->label[d->order[i - 1]];
            d->grade[d->order[i]] = grade;
        }
        r->pairs = pairs_count(d->score, d->grade, d->weight, n, grade + 1, d->tree,
                               d->seen, d->level);
    }
    return true;
}

/* Judging ------------------------------------------------------------------------- */

/* Sums that give the total of each metric, w the weight of a query:
 *
 *   mean     sum w value / sum w, value = num / den
 *   pooled   sum w num / sum w den
 *
 * A share that is_unweighted adds its value itself. */
static void judge_shard(void *ctx, size_t shard, int worker)
{
    struct judge *const t = ctx;
    const struct metric_list *const list = t->list;
    const struct scored_docs *const x = t->context.scored_docs;
    const size_t first = shard * SHARD;
    const size_t last = x->n_queries - first < SHARD ? x->n_queries : first + SHARD;

    for (size_t q = first; q < last; q++) {
        const double weight = x->query_weight != NULL ? (double)x->query_weight[q] : 1.0;
        struct ranking r;
        const bool is_judged = ranking_build(&r, &t->scratch[worker], &t->context, q);
        const bool is_empty = is_judged && r.n_relevant == 0;
        const bool counts =
            is_judged && !(is_empty && t->context.convention->empty == EMPTY_SKIP);

        t->shard[shard].n_unjudged += !is_judged;
        t->shard[shard].n_empty += is_empty;
        for (size_t m = 0; m < list->n; m++) {
            const struct metric *const metric = list->item[m].metric;
            const uint32_t k = list->item[m].k;
            const struct share s = !counts               ? share_none()
                                   : metric->own != NULL ? own_metric_value(metric, &r, k)
                                                         : metric->value(&r, k);
            struct share_sum *const sum = &t->sum[shard * list->n + m];
            double *const value = &t->verdict.value[q * list->n + m];

            *value = s.den > 0.0 ? s.num / s.den : (double)NAN;
            if (s.den <= 0.0)
                continue;
            if (metric->fold == FOLD_POOLED) {
                sum->num += weight * s.num;
                sum->den += weight * s.den;
            } else {
                sum->num += (s.is_unweighted ? 1.0 : weight) * *value;
                sum->den += weight;
            }
        }
    }
}

/* Refuses labels that the convention cannot take: here, once, and not query by query. */
static peck_status refuse_labels(const struct scored_docs *x,
                                 const struct metric_list *list, const struct convention *c,
                                 peck_error *err)
{
    const double top = convention_label(c, (double)x->max_label);

    if ((list->needs & NEEDS_DCG) && c->gain == GAIN_EXP && top > (double)c->top_label)
        return fail(err, PECK_SHAPE,
                    "label %g is above %lld, the largest that exponential gain takes; use "
                    "--convention %s,gain=linear",
                    top, (long long)c->top_label, c->preset->plug.about.name);
    if ((list->needs & NEEDS_GRADES) && c->err_max > 0.0 && top > c->err_max)
        return fail(err, PECK_SHAPE,
                    "label %g is above %g, ERR's largest grade; use --convention "
                    "%s,err-max=0 to take it from the data",
                    top, c->err_max, c->preset->plug.about.name);
    return PECK_OK;
}

/* n: the longest query's documents and one more, for pairs_count. */
static void scratch_take(struct ranking_scratch *d, size_t n, struct arena *a)
{
    static const char what[] = "judging the longest query";
    double **const numbers[] = { &d->score, &d->label, &d->weight, &d->gain, &d->dcg,
                                 &d->ideal, &d->tree,  &d->seen,   &d->level };
    uint32_t **const indices[] = { &d->kept, &d->order, &d->spare, &d->grade, &d->doc };

    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        *numbers[i] = arena_new(a, what, n, sizeof **numbers[i]);
    for (size_t i = 0; i < sizeof indices / sizeof *indices; i++)
        *indices[i] = arena_new(a, what, n, sizeof **indices[i]);
    d->item = arena_new(a, what, n, 2 * sizeof *d->item);
    d->relevant = arena_new(a, what, n, sizeof *d->relevant);
}

peck_status judge_open(struct judge **out, struct arena *memory,
                       const struct scored_docs *x, const struct metric_list *list,
                       const struct convention *c, uint64_t seed, struct pool *pool,
                       peck_error *err)
{
    static const char values[] = "values per query";
    const size_t workers = (size_t)pool_size(pool), row = list->n * sizeof(double);
    uint64_t longest = 0;

    *out = NULL;
    TRY(metric_list_check(list, c, err));
    TRY(refuse_labels(x, list, c, err));
    struct judge *const t = arena_new(memory, "judging", 1, sizeof *t);

    if (t == NULL)
        return arena_check(memory, err);
    for (size_t q = 0; q < x->n_queries; q++)
        if (x->start[q + 1] - x->start[q] > longest)
            longest = x->start[q + 1] - x->start[q];
    t->list = list;
    t->pool = pool;
    t->n_shards = (x->n_queries + SHARD - 1) / SHARD;
    t->context = (struct judge_context){
        .scored_docs = x,
        .convention = c,
        .needs = list->needs,
        .seed = seed,
        .top_grade =
            c->err_max > 0.0 ? c->err_max : convention_label(c, (double)x->max_label),
        .discount = arena_new(memory, "discounts", longest, sizeof(double)),
    };
    t->verdict = (struct verdict){ .n_queries = x->n_queries,
                                   .n_metrics = list->n,
                                   .value = arena_new(memory, values, x->n_queries, row),
                                   .total = arena_new(memory, values, 1, row) };
    t->sum = arena_new(memory, values, t->n_shards, 2 * row);
    t->shard = arena_new(memory, values, t->n_shards, sizeof *t->shard);
    t->scratch = arena_new(memory, values, workers, sizeof *t->scratch);
    for (size_t w = 0; t->scratch != NULL && w < workers; w++)
        scratch_take(&t->scratch[w], longest + 1, memory);
    TRY(arena_check(memory, err));
    for (uint64_t i = 0; (list->needs & NEEDS_DCG) && i < longest; i++)
        t->context.discount[i] = convention_discount(c, i + 1);
    for (int y = 0; y < SMALL_LABELS; y++)
        t->context.gain[y] = convention_gain(c, y);
    *out = t;
    return PECK_OK;
}

/* Totals over the shards, in their order. */
const struct verdict *judge_verdict(struct judge *t)
{
    struct verdict *const v = &t->verdict;

    memset(t->sum, 0, t->n_shards * v->n_metrics * sizeof *t->sum);
    memset(t->shard, 0, t->n_shards * sizeof *t->shard);
    pool_run(t->pool, t->n_shards, judge_shard, t);
    for (size_t m = 0; m < v->n_metrics; m++) {
        struct share_sum all = { 0.0, 0.0 };

        for (size_t s = 0; s < t->n_shards; s++) {
            all.num += t->sum[s * v->n_metrics + m].num;
            all.den += t->sum[s * v->n_metrics + m].den;
        }
        v->total[m] = all.den > 0.0 ? all.num / all.den : (double)NAN;
    }
    v->n_unjudged = v->n_empty = 0;
    for (size_t s = 0; s < t->n_shards; s++) {
        v->n_unjudged += t->shard[s].n_unjudged;
        v->n_empty += t->shard[s].n_empty;
    }
    return v;
}

peck_status verdict_reach(struct verdict *out, const struct scored_docs *x,
                          const struct metric_list *list, const struct convention *c,
                          uint64_t seed, struct pool *pool, peck_error *err)
{
    struct arena memory = { 0 };
    struct judge *t;
    peck_status st = judge_open(&t, &memory, x, list, c, seed, pool, err);

    *out = (struct verdict){ 0 };
    if (st == PECK_OK) {
        const struct verdict *const v = judge_verdict(t);
        const size_t row = list->n * sizeof *v->value;

        *out = *v;
        out->value = mem_new(x->n_queries, row);
        out->total = mem_new(1, row);
        if (out->value == NULL || out->total == NULL) {
            verdict_free(out);
            st = fail_memory(err, "values per query", x->n_queries, row);
        } else {
            memcpy(out->value, v->value, x->n_queries * row);
            memcpy(out->total, v->total, row);
        }
    }
    arena_free(&memory);
    return st;
}

void verdict_free(struct verdict *v)
{
    mem_free(v->value);
    mem_free(v->total);
    *v = (struct verdict){ 0 };
}
