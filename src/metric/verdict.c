/* verdict.c -- all queries, all metrics: queries are judged in fixed shards, each with
 * sums of its own that are added up in shard order, so the same bytes come out at any
 * thread count.                                                                      */
#include "ranking.h"

#include "../base/alloc.h"

#include <math.h>

enum { SHARD = 32 }; /* queries */

struct sum {
    double num, den;
};

struct shard {
    size_t n_unjudged, n_empty;
};

struct judge {
    struct judge_context context;
    const struct metric_list *list;
    const struct scored_docs *scored_docs;
    struct pool *pool;
    size_t n_shards;
    struct ranking_scratch *scratch; /* one a worker */
    struct sum *sum;                 /* n_shards rows of list->n */
    struct shard *shard;
    struct verdict verdict;
};

/* Refuses labels that the convention cannot take: here, once, and not query by query. */
static peck_status check_labels(const struct scored_docs *x, const struct metric_list *list,
                                const struct convention *c, peck_error *err)
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

static peck_status judge_context_open(struct judge_context *context,
                                      const struct scored_docs *x,
                                      const struct metric_list *list,
                                      const struct convention *c, uint64_t seed,
                                      peck_error *err)
{
    *context = (struct judge_context){
        .scored_docs = x,
        .convention = c,
        .needs = list->needs,
        .seed = seed,
        .top_grade =
            c->err_max > 0.0 ? c->err_max : convention_label(c, (double)x->max_label)
    };
    for (size_t q = 0; q < x->n_queries; q++)
        if (x->start[q + 1] - x->start[q] > context->longest)
            context->longest = (uint32_t)(x->start[q + 1] - x->start[q]);
    context->discount = mem_new(context->longest, sizeof *context->discount);
    if (context->discount == NULL)
        return fail_memory(err, "discounts", context->longest, sizeof *context->discount);
    for (uint32_t i = 0; (list->needs & NEEDS_DCG) && i < context->longest; i++)
        context->discount[i] = convention_discount(c, (size_t)i + 1);
    for (int y = 0; y < SMALL_LABELS; y++)
        context->gain[y] = convention_gain(c, y);
    return PECK_OK;
}

/* Adds one query's share to a sum and gives its value. */
static double take_share(struct sum *sum, enum fold fold, struct share s, double weight)
{
    if (s.den <= 0.0)
        return (double)NAN;
    if (fold == FOLD_POOLED) {
        sum->num += weight * s.num;
        sum->den += weight * s.den;
    } else {
        sum->num += (s.is_unweighted ? 1.0 : weight) * (s.num / s.den);
        sum->den += weight;
    }
    return s.num / s.den;
}

static void judge_query(struct judge *t, struct ranking_scratch *scratch, size_t query,
                        size_t shard)
{
    const struct metric_list *const list = t->list;
    const struct scored_docs *const x = t->scored_docs;
    const double weight = x->query_weight != NULL ? (double)x->query_weight[query] : 1.0;
    struct ranking r;
    const bool is_judged = ranking_build(&r, scratch, &t->context, query);
    const bool is_empty = is_judged && r.n_relevant == 0;
    const bool counts =
        is_judged && !(is_empty && t->context.convention->empty == EMPTY_SKIP);

    t->shard[shard].n_unjudged += !is_judged;
    t->shard[shard].n_empty += is_empty;
    for (size_t m = 0; m < list->n; m++) {
        const struct metric *const metric = list->item[m].metric;
        const struct share s = counts ? metric->value(&r, list->item[m].k) : share_none();

        t->verdict.value[query * list->n + m] =
            take_share(&t->sum[shard * list->n + m], metric->fold, s, weight);
    }
}

static void judge_shard(void *ctx, size_t shard, int worker)
{
    struct judge *const t = ctx;
    const size_t first = shard * SHARD, n = t->scored_docs->n_queries;
    const size_t last = n - first < SHARD ? n : first + SHARD;

    for (size_t q = first; q < last; q++)
        judge_query(t, &t->scratch[worker], q, shard);
}

/* Totals over the shards, in their order. */
static void add_up(struct verdict *v, const struct judge *t)
{
    for (size_t m = 0; m < v->n_metrics; m++) {
        struct sum all = { 0.0, 0.0 };

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
}

/* All memory of the judge and the verdict. */
static peck_status prepare(struct judge *t, peck_error *err)
{
    struct verdict *const v = &t->verdict;
    const size_t workers = (size_t)pool_size(t->pool);
    size_t n_values, n_sums;

    if (mul_overflow(v->n_queries, v->n_metrics, &n_values) ||
        mul_overflow(t->n_shards, v->n_metrics, &n_sums))
        return fail_memory(err, "values per query", v->n_queries, sizeof *v->value);
    v->value = mem_new(n_values, sizeof *v->value);
    v->total = mem_new(v->n_metrics, sizeof *v->total);
    t->sum = mem_new(n_sums, sizeof *t->sum);
    t->shard = mem_new(t->n_shards, sizeof *t->shard);
    t->scratch = mem_new(workers, sizeof *t->scratch);
    if (!v->value || !v->total || !t->sum || !t->shard || !t->scratch)
        return fail_memory(err, "values per query", n_values, sizeof *v->value);
    for (size_t w = 0; w < workers; w++)
        TRY(ranking_scratch_open(&t->scratch[w], t->context.longest, err));
    return PECK_OK;
}

peck_status judge_open(struct judge **out, const struct scored_docs *x,
                       const struct metric_list *list, const struct convention *c,
                       uint64_t seed, struct pool *pool, peck_error *err)
{
    *out = NULL;
    TRY(metric_list_check(list, c, err));
    TRY(check_labels(x, list, c, err));
    struct judge *const t = mem_new(1, sizeof *t);

    if (t == NULL)
        return fail_memory(err, "a trial", 1, sizeof *t);
    t->list = list;
    t->scored_docs = x;
    t->pool = pool;
    t->n_shards = (x->n_queries + SHARD - 1) / SHARD;
    t->verdict = (struct verdict){ .n_queries = x->n_queries, .n_metrics = list->n };
    peck_status st = judge_context_open(&t->context, x, list, c, seed, err);

    if (st == PECK_OK)
        st = prepare(t, err);
    if (st == PECK_OK)
        *out = t;
    else
        judge_close(t);
    return st;
}

const struct verdict *judge_verdict(struct judge *t)
{
    memset(t->sum, 0, t->n_shards * t->list->n * sizeof *t->sum);
    memset(t->shard, 0, t->n_shards * sizeof *t->shard);
    pool_run(t->pool, t->n_shards, judge_shard, t);
    add_up(&t->verdict, t);
    return &t->verdict;
}

void judge_close(struct judge *t)
{
    if (t == NULL)
        return;
    for (int w = 0; t->scratch != NULL && w < pool_size(t->pool); w++)
        ranking_scratch_close(&t->scratch[w]);
    mem_free(t->scratch);
    mem_free(t->sum);
    mem_free(t->shard);
    mem_free(t->context.discount);
    verdict_free(&t->verdict);
    mem_free(t);
}

peck_status verdict_reach(struct verdict *out, const struct scored_docs *x,
                          const struct metric_list *list, const struct convention *c,
                          uint64_t seed, struct pool *pool, peck_error *err)
{
    struct judge *t;

    *out = (struct verdict){ 0 };
    TRY(judge_open(&t, x, list, c, seed, pool, err));
    *out = *judge_verdict(t);
    t->verdict = (struct verdict){ 0 };
    judge_close(t);
    return PECK_OK;
}

void verdict_free(struct verdict *v)
{
    mem_free(v->value);
    mem_free(v->total);
    *v = (struct verdict){ 0 };
}
