/* test_verdict.c -- hand-worked lists, and what must not change a verdict. */
#include "metric/metric.h"
#include "base/rng.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

/* Judges one metric; queries of the given sizes. */
static double judge(const char *metric, const char *convention, const float *label,
                    const double *score, const uint32_t *size, size_t n_queries,
                    const float *query_weight)
{
    struct metric_list list;
    struct convention c;
    struct verdict v;
    struct pool *pool;
    peck_error err = { 0 };
    uint64_t start[64] = { 0 };
    float top = 0;

    for (size_t q = 0; q < n_queries; q++)
        start[q + 1] = start[q] + size[q];
    for (uint64_t i = 0; i < start[n_queries]; i++)
        top = label[i] > top ? label[i] : top;
    const struct scored_docs x = { .n_queries = n_queries,
                                   .start = start,
                                   .label = label,
                                   .score = score,
                                   .query_weight = query_weight,
                                   .max_label = top };

    assert_int_equal(metric_list_parse(&list, metric, &err), PECK_OK);
    assert_int_equal(convention_parse(&c, convention, &err), PECK_OK);
    assert_int_equal(pool_new(&pool, 1, &err), PECK_OK);
    if (verdict_reach(&v, &x, &list, &c, 1, pool, &err) != PECK_OK)
        fail_msg("%s under %s: %s", metric, convention, err.text);
    const double total = v.total[0];

    verdict_free(&v);
    pool_free(pool);
    metric_list_free(&list);
    return total;
}

static double judge_one(const char *metric, const char *convention, const float *label,
                        const double *score, uint32_t n)
{
    return judge(metric, convention, label, score, &n, 1, NULL);
}

static void assert_near(double a, double b)
{
    if (!(fabs(a - b) < 1e-12))
        fail_msg("%.17g is not %.17g", a, b);
}

static const float perfect_label[8] = { 2, 2, 1, 1, 1, 0, 0, 0 };
static const double falling[8] = { 8, 7, 6, 5, 4, 3, 2, 1 };

static void a_perfect_list_of_eight_has_ndcg_at_ten_zero_under_letor4(void **state)
{
    (void)state;
    assert_near(judge_one("ndcg@8", "letor4", perfect_label, falling, 8), 1);
    assert_near(judge_one("ndcg@9", "letor4", perfect_label, falling, 8), 0);
    assert_near(judge_one("ndcg@10", "letor4", perfect_label, falling, 8), 0);
    assert_near(judge_one("ndcg@10", "letor3", perfect_label, falling, 8), 0);
    assert_near(judge_one("ndcg@10", "letor2", perfect_label, falling, 8), 1);
    assert_near(judge_one("ndcg@10", "standard", perfect_label, falling, 8), 1);
    assert_near(judge_one("ndcg", "letor4", perfect_label, falling, 8), 1);
    assert_near(judge_one("meanndcg", "letor4", perfect_label, falling, 8), 1);
}

static void precision_of_a_short_list_follows_the_preset(void **state)
{
    (void)state;
    assert_near(judge_one("p@10", "standard", perfect_label, falling, 8), 0.5);
    assert_near(judge_one("p@10", "letor4", perfect_label, falling, 8), 0.5);
    assert_near(judge_one("p@10", "letor3", perfect_label, falling, 8), 0);
    assert_near(judge_one("p@10", "letor2", perfect_label, falling, 8), 0);
    assert_near(judge_one("p@10", "ranklib", perfect_label, falling, 8), 5.0 / 8);
    assert_near(judge_one("p@8", "letor3", perfect_label, falling, 8), 5.0 / 8);
}

/* Labels 0 2 1 in this order: DCG = 3 d(2) + d(3), ideal = 3 d(1) + d(2). */
static void discounts_are_those_worked_by_hand(void **state)
{
    const float label[3] = { 0, 2, 1 };
    const double d2 = 1 / log2(3), d3 = 0.5;

    (void)state;
    assert_near(judge_one("dcg@3", "standard", label, falling, 3), 3 * d2 + d3);
    assert_near(judge_one("ndcg@3", "standard", label, falling, 3),
                (3 * d2 + d3) / (3 + d2));
    assert_near(judge_one("ndcg@2", "letor4", label, falling, 3), 3.0 / 4);
    assert_near(judge_one("ndcg@3", "letor4", label, falling, 3), (3 + d2) / 4);
    assert_near(judge_one("meanndcg", "letor4", label, falling, 3),
                (0 + 3.0 / 4 + (3 + d2) / 4) / 3);
    assert_near(judge_one("ndcg@3", "trec", label, falling, 3), (2 * d2 + d3) / (2 + d2));
}

static void an_all_irrelevant_query_is_zero_one_or_left_out(void **state)
{
    const float label[5] = { 0, 0, 1, 0, 0 };
    const uint32_t size[2] = { 2, 3 };

    (void)state;
    assert_near(judge("ndcg@10", "standard", label, falling, size, 2, NULL), 0.5);
    assert_near(judge("ndcg@10", "empty=one", label, falling, size, 2, NULL), 1);
    assert_near(judge("ndcg@10", "empty=skip", label, falling, size, 2, NULL), 1);
    assert_near(judge("map", "standard", label, falling, size, 2, NULL), 0.5);
    assert_near(judge("map", "lightgbm", label, falling, size, 2, NULL), 1);
    assert_near(judge("mrr", "lightgbm", label, falling, size, 2, NULL), 0.5);
    assert_near(judge("mrr", "empty=skip", label, falling, size, 2, NULL), 1);
    assert_true(isnan(judge("ndcg", "empty=skip", label, falling, size, 1, NULL)));
}

/* Weights 3 (empty) and 1: lightgbm adds a plain 1 for the empty query. */
static void lightgbm_counts_an_empty_query_unweighted(void **state)
{
    const float label[5] = { 0, 0, 1, 0, 0 }, weight[2] = { 3, 1 };
    const uint32_t size[2] = { 2, 3 };

    (void)state;
    assert_near(judge("ndcg", "lightgbm", label, falling, size, 2, weight), (1 + 1.0) / 4);
    assert_near(judge("ndcg", "empty=one", label, falling, size, 2, weight), 1);
    assert_near(judge("map", "lightgbm", label, falling, size, 2, weight), 1);
    assert_near(judge("ndcg", "standard", label, falling, size, 2, weight), 0.25);
}

static void label_two_is_the_threshold_of_mslr(void **state)
{
    const float label[3] = { 1, 2, 3 };

    (void)state;
    assert_near(judge_one("mrr", "mslr", label, falling, 3), 0.5);
    assert_near(judge_one("p@1", "mslr", label, falling, 3), 0);
    assert_near(judge_one("map", "mslr", label, falling, 3), (1.0 / 2 + 2.0 / 3) / 2);
    assert_near(judge_one("dcg@3", "mslr", label, falling, 3), 1 + 3 + 7 / log2(3));
    assert_near(judge_one("dcg@3", "letor4", label, falling, 3), 1 + 3 + 0);
}

static void average_precision_divides_by_all_or_by_the_cut(void **state)
{
    const float label[4] = { 1, 0, 1, 1 };

    (void)state;
    assert_near(judge_one("map", "standard", label, falling, 4),
                (1 + 2.0 / 3 + 3.0 / 4) / 3);
    assert_near(judge_one("map@2", "standard", label, falling, 4), 1.0 / 3);
    assert_near(judge_one("map@2", "lightgbm", label, falling, 4), 1.0 / 2);
    assert_near(judge_one("recall@2", "standard", label, falling, 4), 1.0 / 3);
}

/* R = 1/4, 3/4 for labels 1, 2 when the largest grade is 2. */
static void err_takes_its_grade_from_the_data_or_the_convention(void **state)
{
    const float label[3] = { 1, 0, 2 };

    (void)state;
    assert_near(judge_one("err", "standard", label, falling, 3), 0.25 + 0.75 * 0.75 / 3);
    assert_near(judge_one("err@1", "standard", label, falling, 3), 0.25);
    assert_near(judge_one("err@1", "ranklib", label, falling, 3), 1.0 / 16);
    assert_near(judge_one("err@1", "err-max=3", label, falling, 3), 1.0 / 8);
}

/* Scores 3 2 2 1, labels 0 1 0 2.  Pairs with different labels: 0-1 wrong, 0-3 wrong,
 * 1-2 tied, 1-3 wrong, 2-3 wrong. */
static void pairs_are_those_counted_by_hand(void **state)
{
    const float label[4] = { 0, 1, 0, 2 };
    const double score[4] = { 3, 2, 2, 1 };

    (void)state;
    assert_near(judge_one("pairacc", "standard", label, score, 4), 0.5 / 5);
    assert_near(judge_one("pairerr", "standard", label, score, 4), 4.5 / 6);
    assert_near(judge_one("tau", "standard", label, score, 4), -4 / sqrt(5.0 * 5.0));
}

static void pooled_pairs_differ_from_the_mean_over_queries(void **state)
{
    const float label[5] = { 1, 0, 0, 0, 1 }, weight[2] = { 2, 1 };
    const uint32_t size[2] = { 2, 3 };

    (void)state;
    assert_near(judge("pairacc", "standard", label, falling, size, 2, NULL), 1.0 / 3);
    assert_near(judge("pairacc-query", "standard", label, falling, size, 2, NULL), 0.5);
    assert_near(judge("pairerr", "standard", label, falling, size, 2, NULL), 2.0 / 4);
    assert_near(judge("pairerr-query", "standard", label, falling, size, 2, NULL), 1.0 / 3);
    assert_near(judge("pairacc", "standard", label, falling, size, 2, weight), 2.0 / 4);
    assert_near(judge("pairacc-query", "standard", label, falling, size, 2, weight),
                2.0 / 3);
}

static void unjudged_documents_leave_the_list_or_hold_their_place(void **state)
{
    const float label[3] = { PECK_UNJUDGED, 1, 0 };
    const float none[2] = { PECK_UNJUDGED, PECK_UNJUDGED };

    (void)state;
    assert_near(judge_one("mrr", "standard", label, falling, 3), 1);
    assert_near(judge_one("mrr", "trec", label, falling, 3), 0.5);
    assert_near(judge_one("p@2", "standard", label, falling, 3), 0.5);
    assert_true(isnan(judge_one("mrr", "standard", none, falling, 2)));
    assert_true(isnan(judge_one("mrr", "trec", none, falling, 2)));
}

static void what_was_not_retrieved_counts_in_totals_alone(void **state)
{
    const float label[3] = { 1, 0, 1 };
    const double score[3] = { 2, 1, -(double)INFINITY };

    (void)state;
    assert_near(judge_one("map", "trec", label, score, 3), 0.5);
    assert_near(judge_one("recall", "trec", label, score, 3), 0.5);
    assert_near(judge_one("p@3", "trec", label, score, 3), 1.0 / 3);
    assert_near(judge_one("ndcg", "trec", label, score, 3), 1 / (1 + 1 / log2(3)));
}

static void ties_follow_the_convention(void **state)
{
    const float label[4] = { 1, 0, 2, 0 };
    const double score[4] = { 5, 5, 5, 5 };

    (void)state;
    assert_near(judge_one("dcg@1", "gain=linear", label, score, 4), 1);
    assert_near(judge_one("dcg@1", "gain=linear,ties=best", label, score, 4), 2);
    assert_near(judge_one("dcg@2", "gain=linear,ties=worst", label, score, 4), 0);
    assert_near(judge_one("dcg@3", "gain=linear,ties=worst", label, score, 4), 0.5);
    assert_near(judge_one("dcg@1", "gain=linear,ties=docid", label, score, 4), 1);
}

/* Without a rule for ties a constant score would depend on the file: shuffled, the mean
 * of P@1 over many queries comes near the share of relevant documents. */
static void random_ties_are_fair_and_seeded(void **state)
{
    enum { N = 4000 };
    static float label[3 * N];
    static double score[3 * N];
    static uint64_t start[N + 1];
    struct metric_list list;
    struct convention c;
    struct pool *pool;
    double total[3];

    (void)state;
    for (size_t q = 0; q < N; q++) {
        start[q + 1] = start[q] + 3;
        label[3 * q] = 1;
    }
    const struct scored_docs x = {
        .n_queries = N, .start = start, .label = label, .score = score, .max_label = 1
    };

    assert_int_equal(metric_list_parse(&list, "p@1", NULL), PECK_OK);
    assert_int_equal(convention_parse(&c, "directranker", NULL), PECK_OK);
    assert_int_equal(pool_new(&pool, 1, NULL), PECK_OK);
    for (int i = 0; i < 3; i++) {
        struct verdict v;

        assert_int_equal(verdict_reach(&v, &x, &list, &c, i == 2 ? 8 : 7, pool, NULL),
                         PECK_OK);
        total[i] = v.total[0];
        verdict_free(&v);
    }
    assert_true(fabs(total[0] - 1.0 / 3) < 0.03);
    assert_true(total[0] == total[1]);
    assert_true(total[0] != total[2]);
    pool_free(pool);
    metric_list_free(&list);
}

static void ties_by_id_put_the_later_id_first(void **state)
{
    const char *const names[5] = { "d1", "d10", "d2", "", "d2" };
    const float label[5] = { 0, 1, 0, 2, 4 };
    const double score[5] = { 0 };
    const uint64_t start[2] = { 0, 5 };
    struct strings id = { 0 };
    struct metric_list list;
    struct convention c;
    struct verdict v;
    struct pool *pool;

    (void)state;
    for (int i = 0; i < 5; i++)
        assert_true(strings_add(&id, span_of(names[i])));
    const struct scored_docs x = { .n_queries = 1,
                                   .start = start,
                                   .label = label,
                                   .score = score,
                                   .doc_id = &id,
                                   .max_label = 4 };

    /* d2 (first in the file), d2, d10, d1, "". */
    assert_int_equal(metric_list_parse(&list, "dcg@1,dcg@2,dcg@3,dcg@4,dcg@5", NULL),
                     PECK_OK);
    assert_int_equal(convention_parse(&c, "trec", NULL), PECK_OK);
    assert_int_equal(pool_new(&pool, 1, NULL), PECK_OK);
    assert_int_equal(verdict_reach(&v, &x, &list, &c, 0, pool, NULL), PECK_OK);
    assert_near(v.total[0], 0);
    assert_near(v.total[1], 4 / log2(3));
    assert_near(v.total[2] - v.total[1], 1.0 / 2);
    assert_near(v.total[3] - v.total[2], 0);
    assert_near(v.total[4] - v.total[3], 2 / log2(6));
    verdict_free(&v);
    assert_null(v.total); /* nothing is left to be freed again */
    assert_null(v.value);
    pool_free(pool);
    metric_list_free(&list);
    strings_free(&id);
}

/* Without a pair none is in the right order; what else is asked for counts nevertheless. */
static void a_metric_that_says_nothing_silences_no_other(void **state)
{
    static const float label[4] = { 1, 1, 1, 0 };
    static const double score[4] = { 4, 3, 2, 1 };
    static const uint64_t start[3] = { 0, 2, 4 };
    const struct scored_docs x = {
        .n_queries = 2, .start = start, .label = label, .score = score, .max_label = 1
    };
    struct metric_list list;
    struct convention c;
    struct verdict v;
    struct pool *pool;

    (void)state;
    assert_int_equal(metric_list_parse(&list, "pairacc,p@2", NULL), PECK_OK);
    assert_int_equal(convention_parse(&c, NULL, NULL), PECK_OK);
    assert_int_equal(pool_new(&pool, 1, NULL), PECK_OK);
    assert_int_equal(verdict_reach(&v, &x, &list, &c, 0, pool, NULL), PECK_OK);
    assert_true(isnan(v.value[0]));
    assert_near(v.value[1], 1.0);
    assert_near(v.total[0], 1.0);
    assert_near(v.total[1], 0.75);
    verdict_free(&v);
    pool_free(pool);
    metric_list_free(&list);
}

static void queries_without_a_relevant_document_are_counted(void **state)
{
    static const float label[5] = { 0, 0, 1, PECK_UNJUDGED, 0 };
    static const double score[5] = { 0 };
    static const uint64_t start[5] = { 0, 2, 3, 4, 5 };
    const struct scored_docs x = {
        .n_queries = 4, .start = start, .label = label, .score = score, .max_label = 1
    };
    struct metric_list list;
    struct convention c;
    struct verdict v;
    struct pool *pool;

    (void)state;
    assert_int_equal(metric_list_parse(&list, "ndcg", NULL), PECK_OK);
    assert_int_equal(convention_parse(&c, NULL, NULL), PECK_OK);
    assert_int_equal(pool_new(&pool, 1, NULL), PECK_OK);
    assert_int_equal(verdict_reach(&v, &x, &list, &c, 0, pool, NULL), PECK_OK);
    assert_int_equal(v.n_empty, 2);
    assert_int_equal(v.n_unjudged, 1);
    verdict_free(&v);
    pool_free(pool);
    metric_list_free(&list);
}

/* A large data set for what must not change a verdict ------------------------------ */

enum { QUERIES = 300, LONGEST = 60 };

struct world {
    uint64_t start[QUERIES + 1];
    float label[QUERIES * LONGEST], weight[QUERIES * LONGEST];
    double score[QUERIES * LONGEST];
};

static struct world *make_world(uint64_t seed)
{
    struct world *const w = calloc(1, sizeof *w);
    struct rng rng;

    assert_non_null(w);
    rng_seed(&rng, seed, 0);
    for (size_t q = 0; q < QUERIES; q++) {
        w->start[q + 1] = w->start[q] + 1 + rng_below(&rng, LONGEST);
        for (uint64_t i = w->start[q]; i < w->start[q + 1]; i++) {
            w->label[i] = (float)rng_below(&rng, 5);
            w->weight[i] = (float)rng_between(&rng, 0.5, 2);
            w->score[i] = rng_normal(&rng);
        }
    }
    return w;
}

static void judge_world(struct verdict *v, const struct world *w, const char *convention,
                        int threads)
{
    const struct scored_docs x = { .n_queries = QUERIES,
                                   .start = w->start,
                                   .label = w->label,
                                   .score = w->score,
                                   .doc_weight = w->weight,
                                   .max_label = 4 };
    struct metric_list list;
    struct convention c;
    struct pool *pool;

    assert_int_equal(metric_list_parse(&list, "all", NULL), PECK_OK);
    assert_int_equal(convention_parse(&c, convention, NULL), PECK_OK);
    assert_int_equal(pool_new(&pool, threads, NULL), PECK_OK);
    assert_int_equal(verdict_reach(v, &x, &list, &c, 3, pool, NULL), PECK_OK);
    pool_free(pool);
    metric_list_free(&list);
}

static void any_number_of_threads_gives_the_same_bytes(void **state)
{
    struct world *const w = make_world(11);
    struct verdict one, many;

    (void)state;
    for (size_t i = 0; i < w->start[QUERIES]; i++)
        w->score[i] = floor(2 * w->score[i]);
    judge_world(&one, w, "ties=random", 1);
    for (int threads = 2; threads <= 5; threads++) {
        judge_world(&many, w, "ties=random", threads);
        assert_memory_equal(one.total, many.total, one.n_metrics * sizeof(double));
        assert_memory_equal(one.value, many.value,
                            one.n_metrics * one.n_queries * sizeof(double));
        verdict_free(&many);
    }
    verdict_free(&one);
    free(w);
}

static void assert_same_totals(const struct verdict *a, const struct verdict *b)
{
    for (size_t m = 0; m < a->n_metrics; m++)
        assert_near(a->total[m], b->total[m]);
}

static void shuffled_rows_give_the_same_verdict(void **state)
{
    struct world *const w = make_world(12), *const s = make_world(12);
    struct verdict a, b;
    struct rng rng;

    (void)state;
    rng_seed(&rng, 5, 5);
    for (size_t q = 0; q < QUERIES; q++) {
        uint32_t order[LONGEST];
        const uint64_t first = w->start[q], n = w->start[q + 1] - first;

        for (uint32_t i = 0; i < n; i++)
            order[i] = i;
        rng_shuffle(&rng, order, n);
        for (uint32_t i = 0; i < n; i++) {
            s->label[first + i] = w->label[first + order[i]];
            s->score[first + i] = w->score[first + order[i]];
            s->weight[first + i] = w->weight[first + order[i]];
        }
    }
    judge_world(&a, w, "standard", 1);
    judge_world(&b, s, "standard", 1);
    assert_same_totals(&a, &b);
    verdict_free(&a);
    verdict_free(&b);
    free(w);
    free(s);
}

static void a_rising_function_of_the_scores_changes_nothing(void **state)
{
    struct world *const w = make_world(13);
    struct verdict a, b;

    (void)state;
    judge_world(&a, w, "letor2,depth=0", 1);
    for (size_t i = 0; i < w->start[QUERIES]; i++)
        w->score[i] = exp(w->score[i]) - 100;
    judge_world(&b, w, "letor2,depth=0", 1);
    assert_memory_equal(a.total, b.total, a.n_metrics * sizeof(double));
    verdict_free(&a);
    verdict_free(&b);
    free(w);
}

static void doubling_all_document_weights_changes_only_dcg(void **state)
{
    struct world *const w = make_world(14);
    struct verdict a, b;

    (void)state;
    judge_world(&a, w, "short-p=clip", 1);
    for (size_t i = 0; i < w->start[QUERIES]; i++)
        w->weight[i] *= 2;
    judge_world(&b, w, "short-p=clip", 1);
    for (size_t m = 0; m < a.n_metrics; m++)
        assert_near(b.total[m], m == 6 ? 2 * a.total[m] : a.total[m]); /* dcg@10 */
    verdict_free(&a);
    verdict_free(&b);
    free(w);
}

static void assert_shape_refused(const char *metric, const char *convention, float label,
                                 const char *words)
{
    const double score[1] = { 0 };
    const uint64_t start[2] = { 0, 1 };
    const struct scored_docs x = {
        .n_queries = 1, .start = start, .label = &label, .score = score, .max_label = label
    };
    struct metric_list list;
    struct convention c;
    struct verdict v;
    struct pool *pool;
    peck_error err = { 0 };

    assert_int_equal(metric_list_parse(&list, metric, NULL), PECK_OK);
    assert_int_equal(convention_parse(&c, convention, NULL), PECK_OK);
    assert_int_equal(pool_new(&pool, 1, NULL), PECK_OK);
    const peck_status st = verdict_reach(&v, &x, &list, &c, 0, pool, &err);

    if (words == NULL) {
        assert_int_equal(st, PECK_OK);
    } else {
        assert_int_equal(st, PECK_SHAPE);
        assert_non_null(strstr(err.text, words));
        assert_null(v.value);
    }
    verdict_free(&v);
    pool_free(pool);
    metric_list_free(&list);
}

static void labels_too_large_for_the_convention_are_refused(void **state)
{
    (void)state;
    assert_shape_refused("ndcg@10", "standard", 31, NULL);
    assert_shape_refused("ndcg@10", "standard", 32, "gain=linear");
    assert_shape_refused("ndcg@10", "lightgbm", 31, "gain=linear");
    assert_shape_refused("ndcg@10", "gain=linear", 72, NULL);
    assert_shape_refused("ndcg@10", "labels=binary", 72, NULL);
    assert_shape_refused("map,err,pairacc", "standard", 72, NULL);
    assert_shape_refused("err", "ranklib", 5, "--convention ranklib,err-max=0");
    assert_shape_refused("map", "ranklib", 5, NULL);
}

/* 200,000 in one list, all scores equal: nothing may be quadratic in ties. */
static void one_long_list_is_fine(void **state)
{
    enum { N = 200000 };
    float *const label = calloc(N, sizeof *label);
    double *const score = calloc(N, sizeof *score);

    (void)state;
    assert_non_null(label);
    assert_non_null(score);
    for (int i = 0; i < N; i++)
        label[i] = (float)i;
    assert_near(judge_one("pairacc", "gain=linear,ties=worst", label, score, N), 0.5);
    assert_near(judge_one("mrr", "rel=100000,ties=worst", label, score, N), 1.0 / 100001);
    free(label);
    free(score);
}

static void a_judge_judges_anew_as_scores_change(void **state)
{
    const float label[] = { 1, 0, 0, 1 };
    const uint64_t start[] = { 0, 2, 4 };
    double score[] = { 2, 1, 1, 2 };
    const struct scored_docs x = {
        .n_queries = 2, .start = start, .label = label, .score = score, .max_label = 1
    };
    struct metric_list list;
    struct convention c;
    struct pool *pool;
    struct judge *t;
    struct arena memory = { 0 };

    (void)state;
    assert_int_equal(metric_list_parse(&list, "map,pairerr", NULL), PECK_OK);
    assert_int_equal(convention_parse(&c, NULL, NULL), PECK_OK);
    assert_int_equal(pool_new(&pool, 2, NULL), PECK_OK);
    assert_int_equal(judge_open(&t, &memory, &x, &list, &c, 1, pool, NULL), PECK_OK);
    for (int again = 0; again < 2; again++) {
        score[0] = 2;
        assert_near(judge_verdict(t)->total[0], 1.0);
        assert_near(judge_verdict(t)->total[1], 0.0);
        score[0] = 0;
        assert_near(judge_verdict(t)->total[0], 0.75);
        assert_near(judge_verdict(t)->total[1], 0.5);
        assert_int_equal(judge_verdict(t)->n_empty, 0);
    }
    arena_free(&memory);
    pool_free(pool);
    metric_list_free(&list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_judge_judges_anew_as_scores_change),
        cmocka_unit_test(a_perfect_list_of_eight_has_ndcg_at_ten_zero_under_letor4),
        cmocka_unit_test(precision_of_a_short_list_follows_the_preset),
        cmocka_unit_test(discounts_are_those_worked_by_hand),
        cmocka_unit_test(an_all_irrelevant_query_is_zero_one_or_left_out),
        cmocka_unit_test(lightgbm_counts_an_empty_query_unweighted),
        cmocka_unit_test(label_two_is_the_threshold_of_mslr),
        cmocka_unit_test(average_precision_divides_by_all_or_by_the_cut),
        cmocka_unit_test(err_takes_its_grade_from_the_data_or_the_convention),
        cmocka_unit_test(pairs_are_those_counted_by_hand),
        cmocka_unit_test(pooled_pairs_differ_from_the_mean_over_queries),
        cmocka_unit_test(unjudged_documents_leave_the_list_or_hold_their_place),
        cmocka_unit_test(what_was_not_retrieved_counts_in_totals_alone),
        cmocka_unit_test(ties_follow_the_convention),
        cmocka_unit_test(random_ties_are_fair_and_seeded),
        cmocka_unit_test(ties_by_id_put_the_later_id_first),
        cmocka_unit_test(queries_without_a_relevant_document_are_counted),
        cmocka_unit_test(a_metric_that_says_nothing_silences_no_other),
        cmocka_unit_test(any_number_of_threads_gives_the_same_bytes),
        cmocka_unit_test(shuffled_rows_give_the_same_verdict),
        cmocka_unit_test(a_rising_function_of_the_scores_changes_nothing),
        cmocka_unit_test(doubling_all_document_weights_changes_only_dcg),
        cmocka_unit_test(labels_too_large_for_the_convention_are_refused),
        cmocka_unit_test(one_long_list_is_fine),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
