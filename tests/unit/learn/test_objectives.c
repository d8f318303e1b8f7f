/* test_objectives.c -- each objective beside a slow, obvious twin: two loops over the
 * documents of a query as they lie in the data, no runs, no order by label, and metrics
 * that are computed before and after a swap.                                          */
#include "learn/lambda.h"
#include "learn/train_set.h"
#include "base/alloc.h"
#include "support/check.h"
#include "support/samples.h"

#include <math.h>

enum { MAX_DOCS = 70, MAX_CONFIG = 256 };

/* cmocka's own compares in float. */
#define assert_close(a, b, within)                           \
    do {                                                     \
        const double a_ = (a), b_ = (b);                     \
        if (!(fabs(a_ - b_) <= (within)))                    \
            fail_msg("%s is %.9g, wanted %.9g", #a, a_, b_); \
    } while (0)

static const struct objective *objective_of(const char *name)
{
    peck_error err;
    const struct plug *const found =
        plug_find(objectives, n_objectives, "objective", span_of(name), &err);

    assert_non_null(found);
    return (const struct objective *)found;
}

/* One query and everything around it. */
struct trial {
    uint32_t n;
    float label[MAX_DOCS], score[MAX_DOCS], weight[MAX_DOCS];
    bool has_weights;
};

/* The objective's loss and its derivative, in the order of the data. */
static double run_epoch(const char *name, const char *const *settings,
                        const struct train_set_config *config, const struct trial *t,
                        uint64_t epoch, double *g)
{
    static float x[MAX_DOCS];
    const struct objective *const o = objective_of(name);
    _Alignas(16) char own[MAX_CONFIG];
    float s[MAX_DOCS], slope[MAX_DOCS] = { 0 };
    struct train_set *l;
    struct query_scratch scratch;
    peck_dataset *d;
    peck_error err;

    if (o->plug.params != NULL)
        param_defaults(o->plug.params, own);
    for (; settings != NULL && *settings != NULL; settings++)
        assert_ok(param_set_pair(o->plug.params, own, name, span_of(*settings), &err), err);
    assert_ok(peck_dataset_wrap(&d, x, t->n, 1, t->label, &t->n, 1, &err), err);
    if (t->has_weights) {
        d->doc_weight = mem_new(t->n, sizeof *d->doc_weight);
        assert_non_null(d->doc_weight);
        memcpy(d->doc_weight, t->weight, t->n * sizeof *t->weight);
    }
    assert_ok(train_set_new(&l, d, NULL, config, &err), err);
    assert_ok(query_scratch_init(&scratch, l, o, &err), err);
    for (uint32_t i = 0; i < t->n; i++)
        s[i] = t->score[train_set_row(l, 0, i)];
    const struct query_pairs query = train_set_query(l, 0, 1, epoch, &scratch);
    const double loss = o->grad(own, &query, s, slope);

    for (uint32_t i = 0; i < t->n; i++)
        g[train_set_row(l, 0, i)] = (double)slope[i];
    query_scratch_free(&scratch);
    train_set_free(l);
    peck_dataset_free(d);
    return loss;
}

static double run(const char *name, const char *const *settings,
                  const struct train_set_config *config, const struct trial *t, double *g)
{
    return run_epoch(name, settings, config, t, 1, g);
}

static const struct train_set_config all_pairs = { .pairs = PAIRS_ALL };

static void draw(struct trial *t, struct rng *r, uint32_t n, bool has_weights)
{
    t->n = n;
    t->has_weights = has_weights;
    for (uint32_t i = 0; i < n; i++) {
        t->label[i] = rng_below(r, 8) == 0 ? PECK_UNJUDGED : (float)rng_below(r, 5);
        /* few values, so that some scores are equal */
        t->score[i] = (float)rng_below(r, 2 * n) / (float)n - 1.0f;
        t->weight[i] = (float)rng_between(r, 0.5, 2.0);
    }
}

/* The twins ----------------------------------------------------------------------- */

typedef double pair_cost(double d, double *slope);
/* What swapping documents i and j changes in a metric. */
typedef double pair_change(const struct trial *t, uint32_t i, uint32_t j);

static bool should_precede(const struct trial *t, uint32_t i, uint32_t j)
{
    return t->label[j] != PECK_UNJUDGED && t->label[i] > t->label[j];
}

static double twin_weight(const struct trial *t, uint32_t i, uint32_t j)
{
    return t->has_weights ? (double)t->weight[i] * (double)t->weight[j] : 1.0;
}

static double twin(pair_cost *cost, pair_change *change, const struct trial *t, double *g)
{
    double weight = 0.0, pairs = 0.0, loss = 0.0;

    memset(g, 0, t->n * sizeof *g);
    for (uint32_t i = 0; i < t->n; i++)
        for (uint32_t j = 0; j < t->n; j++)
            if (should_precede(t, i, j)) {
                weight += twin_weight(t, i, j);
                pairs++;
            }
    for (uint32_t i = 0; i < t->n; i++)
        for (uint32_t j = 0; j < t->n; j++)
            if (should_precede(t, i, j)) {
                double slope;
                const double c = cost((double)t->score[i] - (double)t->score[j], &slope);
                const double w = twin_weight(t, i, j) * pairs / weight *
                                 (change != NULL ? change(t, i, j) : 1.0 / pairs);

                loss += w * c;
                g[i] += w * slope;
                g[j] -= w * slope;
            }
    return loss;
}

static double logistic(double d, double *slope)
{
    *slope = -1.0 / (1.0 + exp(d));
    return log(1.0 + exp(-d));
}

/* The identity's entropy: the probability is the logistic of 2 d. */
static double logistic_of_twice(double d, double *slope)
{
    *slope = -2.0 / (1.0 + exp(2.0 * d));
    return log(1.0 + exp(-2.0 * d));
}

static double hinge(double d, double *slope)
{
    *slope = d < 1.0 ? -1.0 : 0.0;
    return fmax(0.0, 1.0 - d);
}

static double square(double d, double *slope)
{
    *slope = -2.0 * (1.0 - d);
    return (1.0 - d) * (1.0 - d);
}

static double square_of_tanh(double d, double *slope)
{
    const double o = tanh(d / 2.0);

    *slope = -2.0 * (1.0 - o) * 0.5 * (1.0 - o * o);
    return (1.0 - o) * (1.0 - o);
}

/* Where each document stands when i and j have changed places: by falling score, equal
 * ones in the order of the data, from 1; the unjudged are not in the list. */
static void stand(const struct trial *t, uint32_t i, uint32_t j, uint32_t *rank)
{
    for (uint32_t a = 0; a < t->n; a++) {
        rank[a] = 1;
        for (uint32_t b = 0; b < t->n; b++)
            if (t->label[b] != PECK_UNJUDGED &&
                (t->score[b] > t->score[a] || (t->score[b] == t->score[a] && b < a)))
                rank[a]++;
    }
    const uint32_t swap = rank[i];

    rank[i] = rank[j];
    rank[j] = swap;
}

static double dcg(const struct trial *t, const uint32_t *rank, uint32_t k)
{
    double sum = 0.0;

    for (uint32_t a = 0; a < t->n; a++)
        if (t->label[a] != PECK_UNJUDGED && rank[a] <= k)
            sum += (pow(2.0, (double)t->label[a]) - 1.0) / log2(1.0 + rank[a]);
    return sum;
}

static double ideal_dcg(const struct trial *t, uint32_t k)
{
    struct trial best = *t;
    uint32_t rank[MAX_DOCS];

    for (uint32_t a = 0; a < t->n; a++)
        best.score[a] = t->label[a];
    stand(&best, 0, 0, rank);
    return dcg(&best, rank, k);
}

static double average_precision(const struct trial *t, const uint32_t *rank)
{
    double sum = 0.0, n_relevant = 0.0;

    for (uint32_t a = 0; a < t->n; a++) {
        double found = 0.0;

        if (t->label[a] < 1.0f)
            continue;
        for (uint32_t b = 0; b < t->n; b++)
            found += t->label[b] >= 1.0f && rank[b] <= rank[a];
        sum += found / rank[a];
        n_relevant++;
    }
    return n_relevant > 0.0 ? sum / n_relevant : 0.0;
}

static double ndcg_change(const struct trial *t, uint32_t i, uint32_t j, uint32_t k)
{
    uint32_t now[MAX_DOCS], then[MAX_DOCS];
    const double ideal = ideal_dcg(t, k);

    stand(t, i, i, now);
    stand(t, i, j, then);
    return ideal > 0.0 ? fabs(dcg(t, then, k) - dcg(t, now, k)) / ideal : 0.0;
}

static double change_ndcg5(const struct trial *t, uint32_t i, uint32_t j)
{
    return ndcg_change(t, i, j, 5);
}

static double change_ndcg(const struct trial *t, uint32_t i, uint32_t j)
{
    return ndcg_change(t, i, j, t->n);
}

static double change_map(const struct trial *t, uint32_t i, uint32_t j)
{
    uint32_t now[MAX_DOCS], then[MAX_DOCS];

    stand(t, i, i, now);
    stand(t, i, j, then);
    return fabs(average_precision(t, then) - average_precision(t, now));
}

/* Of a reader who stops at a document with chance (2^y - 1) / 2^4. */
static double expected_reciprocal_rank(const struct trial *t, const uint32_t *rank,
                                       uint32_t k)
{
    double sum = 0.0, reach = 1.0;

    for (uint32_t r = 1; r <= k; r++)
        for (uint32_t a = 0; a < t->n; a++)
            if (t->label[a] != PECK_UNJUDGED && rank[a] == r) {
                const double stop = (pow(2.0, (double)t->label[a]) - 1.0) / 16.0;

                sum += reach * stop / r;
                reach *= 1.0 - stop;
            }
    return sum;
}

static double err_change(const struct trial *t, uint32_t i, uint32_t j, uint32_t k)
{
    struct trial best = *t;
    uint32_t now[MAX_DOCS], then[MAX_DOCS], rank[MAX_DOCS];

    for (uint32_t a = 0; a < t->n; a++)
        best.score[a] = t->label[a];
    stand(&best, 0, 0, rank);
    stand(t, i, i, now);
    stand(t, i, j, then);
    return fabs(expected_reciprocal_rank(t, then, k) -
                expected_reciprocal_rank(t, now, k)) /
           expected_reciprocal_rank(&best, rank, k);
}

static double change_err(const struct trial *t, uint32_t i, uint32_t j)
{
    return err_change(t, i, j, t->n);
}

static double change_err3(const struct trial *t, uint32_t i, uint32_t j)
{
    return err_change(t, i, j, 3);
}

static double change_err1(const struct trial *t, uint32_t i, uint32_t j)
{
    return err_change(t, i, j, 1);
}

/* Pairs below rank 4 do not count, whatever they change. */
static double change_ndcg_at_the_top(const struct trial *t, uint32_t i, uint32_t j)
{
    uint32_t rank[MAX_DOCS] = { 0 };

    stand(t, i, i, rank);
    return rank[i] <= 4 || rank[j] <= 4 ? change_ndcg(t, i, j) : 0.0;
}

static double change_map_at_the_top(const struct trial *t, uint32_t i, uint32_t j)
{
    uint32_t rank[MAX_DOCS] = { 0 };

    stand(t, i, i, rank);
    return rank[i] <= 4 || rank[j] <= 4 ? change_map(t, i, j) : 0.0;
}

/* A mean over pairs, each of which counts the label of its better document. */
static double better_label(const struct trial *t, uint32_t i, uint32_t j)
{
    double pairs = 0.0;

    (void)j;
    for (uint32_t a = 0; a < t->n; a++)
        for (uint32_t b = 0; b < t->n; b++)
            pairs += should_precede(t, a, b);
    return (double)t->label[i] / pairs;
}

static const struct {
    const char *name, *settings[6];
    pair_cost *cost;
    pair_change *change;
} twins[] = {
    { "ranknet", { NULL }, logistic, NULL },
    { "direct", { "weigh=none", NULL }, square, NULL },
    { "direct", { NULL }, square, better_label },
    { "direct", { "weigh=none", "tau=tanh", NULL }, square_of_tanh, NULL },
    { "direct", { "weigh=none", "cost=entropy", NULL }, logistic_of_twice, NULL },
    { "lambda", { "k=5", NULL }, logistic, change_ndcg5 },
    { "lambda", { "k=0", NULL }, logistic, change_ndcg },
    { "lambda", { "delta=map", NULL }, logistic, change_map },
    { "lambda", { "delta=pairerr", NULL }, logistic, NULL },
    { "lambda", { "delta=err", "k=0", "top_label=4", NULL }, logistic, change_err },
    { "lambda", { "delta=err", "k=3", "top_label=4", NULL }, logistic, change_err3 },
    { "lambda", { "delta=err", "k=1", "top_label=4", NULL }, logistic, change_err1 },
    { "lambda", { "k=0", "truncation=4", NULL }, logistic, change_ndcg_at_the_top },
    { "lambda", { "delta=map", "truncation=4", NULL }, logistic, change_map_at_the_top },
    { "direct",
      { "delta=ndcg", "k=5", "tau=tanh", "cost=entropy", "weigh=none", NULL },
      logistic,
      change_ndcg5 },
    { "direct",
      { "delta=map", "truncation=4", "tau=tanh", "cost=entropy", "weigh=none", NULL },
      logistic,
      change_map_at_the_top },
    { "lambdahinge", { "k=5", NULL }, hinge, change_ndcg5 },
    { "lambdahinge", { "delta=map", NULL }, hinge, change_map },
};

static void assert_near(const char *name, uint32_t n, double a, const double *g, double b,
                        const double *h)
{
    double largest = 0.0;

    for (uint32_t i = 0; i < n; i++)
        largest = fmax(largest, fabs(h[i]));
    if (!(fabs(a - b) <= 2e-6 * (1.0 + fabs(b))))
        fail_msg("%s, %u documents: loss %.9g, of the twin %.9g", name, n, a, b);
    for (uint32_t i = 0; i < n; i++)
        if (!(fabs(g[i] - h[i]) <= 2e-6 * (0.1 + largest)))
            fail_msg("%s, %u documents: document %u: %.9g, of the twin %.9g", name, n, i,
                     g[i], h[i]);
}

static void fast_loops_equal_slow_ones(void **state)
{
    static const uint32_t sizes[] = { 2, 3, 7, 12, 33, 64, MAX_DOCS };
    struct trial t;
    struct rng r;

    (void)state;
    rng_seed(&r, 3, 3);
    for (size_t size = 0; size < N_OF(sizes); size++)
        for (int weights = 0; weights < 2; weights++) {
            draw(&t, &r, sizes[size], weights);
            for (size_t i = 0; i < N_OF(twins); i++) {
                double g[MAX_DOCS], h[MAX_DOCS];
                const double a = run(twins[i].name, twins[i].settings, &all_pairs, &t, g);
                const double b = twin(twins[i].cost, twins[i].change, &t, h);

                assert_near(twins[i].name, t.n, a, g, b, h);
            }
        }
}

/* LightGBM's normalisation, pair by pair; where no two scores of those that take part
 * differ, closeness counts for nothing. */
static void check_normalised(const char *const *settings, uint32_t truncation)
{
    struct trial t;
    struct rng r;

    rng_seed(&r, 4, 4);
    for (uint32_t n = 3; n < 40; n++) {
        double g[MAX_DOCS], h[MAX_DOCS] = { 0 }, loss = 0.0, sum = 0.0, largest = 0.0;
        uint32_t rank[MAX_DOCS] = { 0 };
        const bool is_flat = n % 5 == 0;

        draw(&t, &r, n, false);
        for (uint32_t i = 0; is_flat && i < n; i++)
            t.score[i] = t.label[i] != PECK_UNJUDGED ? 0.25f : t.score[i];
        stand(&t, 0, 0, rank);
        const double all = ideal_dcg(&t, n), best = ideal_dcg(&t, truncation);

        for (uint32_t i = 0; i < n; i++)
            for (uint32_t j = 0; j < n; j++)
                if (should_precede(&t, i, j) &&
                    (rank[i] <= truncation || rank[j] <= truncation)) {
                    const double d = (double)t.score[i] - (double)t.score[j];
                    double slope;
                    const double c = logistic(d, &slope);
                    const double change = change_ndcg(&t, i, j) * all / best;
                    const double w = change / (is_flat ? 1.0 : 0.01 + fabs(d));

                    loss += w * c;
                    h[i] += w * slope;
                    h[j] -= w * slope;
                    sum -= 2.0 * w * slope;
                }
        for (uint32_t i = 0; i < n; i++) {
            h[i] *= sum > 0.0 ? log2(1.0 + sum) / sum : 1.0;
            largest = fmax(largest, fabs(h[i]));
        }
        assert_close(run("lambda", settings, &all_pairs, &t, g), loss, 1e-5 * (1.0 + loss));
        for (uint32_t i = 0; i < n; i++)
            assert_close(g[i], h[i], 1e-5 * (0.1 + largest));
    }
}

static void close_pairs_count_more_and_queries_are_levelled(void **state)
{
    static const char *const all[] = { "k=0", "closeness=0.01", NULL };
    static const char *const top[] = { "k=0", "closeness=0.01", "truncation=4", NULL };

    (void)state;
    check_normalised(all, MAX_DOCS);
    check_normalised(top, 4);
}

/* Cases worked out by hand --------------------------------------------------------- */

static void a_pair_of_equal_scores_costs_log_2(void **state)
{
    const struct trial t = { .n = 2, .label = { 0, 1 }, .score = { 3, 3 } };
    double g[2];

    (void)state;
    assert_close(run("ranknet", NULL, &all_pairs, &t, g), log(2.0), 1e-6);
    assert_close(g[1], -0.5, 1e-6);
    assert_close(g[0], 0.5, 1e-6);
}

/* -log((1 + tanh(d/2)) / 2) = log(1 + e^-d): the factor between the two is 1. */
static void directranker_with_tanh_and_entropy_is_ranknet(void **state)
{
    static const char *const settings[] = { "tau=tanh", "cost=entropy", "weigh=none",
                                            NULL };
    static const char *const binary[] = { "tau=tanh", "cost=entropy", NULL };
    const struct train_set_config two = { .pairs = PAIRS_ALL, .binarise = 1.0, .ties = 0 };
    struct trial t;
    struct rng r;

    (void)state;
    rng_seed(&r, 8, 1);
    for (uint32_t n = 2; n < 40; n++) {
        double g[MAX_DOCS], h[MAX_DOCS];

        draw(&t, &r, n, n % 2);
        assert_true(run("direct", settings, &all_pairs, &t, g) ==
                    run("ranknet", NULL, &all_pairs, &t, h));
        assert_memory_equal(g, h, n * sizeof *g);
        /* labels 0 and 1: each pair counts 1, as in the paper's protocol */
        assert_true(run("direct", binary, &two, &t, g) ==
                    run("ranknet", NULL, &two, &t, h));
        assert_memory_equal(g, h, n * sizeof *g);
    }
}

static void directranker_counts_a_pair_by_its_better_label(void **state)
{
    const struct trial t = { .n = 2, .label = { 3, 2 }, .score = { 0.25f, 0 } };
    double g[2];

    (void)state;
    assert_close(run("direct", NULL, &all_pairs, &t, g), 3 * 0.75 * 0.75, 1e-6);
    assert_close(g[0], -3 * 2 * 0.75, 1e-6);
}

/* The sign that the paper's Eq. 1 prints would be content here. */
/* delta= comes on top of what the label counts. */
static void directranker_weighs_by_label_and_metric(void **state)
{
    static const char *const both[] = { "delta=ndcg", NULL };
    static const char *const metric[] = { "delta=ndcg", "weigh=none", NULL };
    const struct trial t = { .n = 2, .label = { 1, 3 }, .score = { 0.5f, 0.25f } };
    double g[2], h[2];

    (void)state;
    const double a = run("direct", both, &all_pairs, &t, g),
                 b = run("direct", metric, &all_pairs, &t, h);

    assert_true(b > 0.0);
    assert_close(a, 3.0 * b, 1e-6);
    assert_close(g[1], 3.0 * h[1], 1e-6);
}

static void the_hinge_punishes_the_wrong_order(void **state)
{
    static const char *const settings[] = { "margin=0.5", NULL };
    const struct trial wrong = { .n = 2, .label = { 1, 0 }, .score = { 0, 1 } };
    const struct trial right = { .n = 2, .label = { 1, 0 }, .score = { 1, 0 } };
    const double change = 1.0 - 1.0 / log2(3.0);
    double g[2];

    (void)state;
    assert_close(run("lambdahinge", settings, &all_pairs, &wrong, g), 1.5 * change, 1e-6);
    assert_close(g[0], -change, 1e-6);
    assert_true(run("lambdahinge", settings, &all_pairs, &right, g) == 0.0);
    assert_true(g[0] == 0.0 && g[1] == 0.0);
}

static void ties_pull_equal_labels_together(void **state)
{
    const struct train_set_config with_ties = { .pairs = PAIRS_ALL, .ties = 1 };
    const struct trial t = { .n = 2, .label = { 1, 1 }, .score = { 2, 0 } };
    double g[2];

    (void)state;
    /* -1/2 log P - 1/2 log(1 - P), P = 1 / (1 + e^-2); the slope is P - 1/2 */
    const double p = 1.0 / (1.0 + exp(-2.0));

    assert_close(run("ranknet", NULL, &with_ties, &t, g),
                 -0.5 * log(p) - 0.5 * log(1.0 - p), 1e-6);
    assert_close(g[0], p - 0.5, 1e-6);
    assert_close(g[1], 0.5 - p, 1e-6);
}

static void lambda_of_pair_error_is_ranknet(void **state)
{
    static const char *const settings[] = { "delta=pairerr", NULL };
    const struct train_set_config config = { .pairs = PAIRS_ADJACENT, .ties = 1 };
    struct trial t;
    struct rng r;
    double g[MAX_DOCS], h[MAX_DOCS];

    (void)state;
    rng_seed(&r, 2, 2);
    draw(&t, &r, 30, true);
    const double a = run("lambda", settings, &config, &t, g);

    assert_near("lambda", t.n, a, g, run("ranknet", NULL, &config, &t, h), h);
}

static void labels_over_31_gain_themselves(void **state)
{
    static const char *const linear[] = { "gain=linear", NULL };
    struct trial t = { .n = 3, .label = { 40, 100, 7 }, .score = { 0, 1, 2 } };
    double g[3], h[3];

    (void)state;
    const double loss = run("lambda", NULL, &all_pairs, &t, g);

    assert_true(isfinite(loss));
    assert_true(loss == run("lambda", linear, &all_pairs, &t, h));
    for (int top = 10; top <= 31; top += 21) {
        t.label[0] = 4, t.label[1] = (float)top;
        assert_true(run("lambda", NULL, &all_pairs, &t, g) !=
                    run("lambda", linear, &all_pairs, &t, h));
    }
    t.label[1] = 32;
    assert_true(run("lambda", NULL, &all_pairs, &t, g) ==
                run("lambda", linear, &all_pairs, &t, h));
}

/* Labels that are relevant or not are what relevant= makes of others. */
static void map_sees_labels_from_relevant_on(void **state)
{
    static const char *const graded[] = { "delta=map", "relevant=3", NULL };
    static const char *const binary[] = { "delta=map", NULL };
    struct trial t;
    struct rng r;

    (void)state;
    rng_seed(&r, 6, 6);
    for (uint32_t n = 5; n < 40; n++) {
        double g[MAX_DOCS], h[MAX_DOCS];

        draw(&t, &r, n, false);
        const double a = run("lambda", graded, &all_pairs, &t, g);

        for (uint32_t i = 0; i < n; i++)
            t.label[i] = t.label[i] == PECK_UNJUDGED ? PECK_UNJUDGED : t.label[i] >= 3.0f;
        assert_near("relevant=3", n, a, g, run("lambda", binary, &all_pairs, &t, h), h);
    }
}

/* The chances of a reader who stops at the first of two documents with chance a, and at the
 * second with chance b. */
static double err_of_two(double a, double b)
{
    return a + (1.0 - a) * b / 2.0;
}

/* 2^y of a label of thousands would be infinite. */
static void labels_over_31_stop_a_reader_as_31_does(void **state)
{
    static const char *const settings[] = { "delta=err", "k=0", NULL };
    static const float tops[] = { 31, 32, 5000 };
    const double a = 1.0 - pow(2.0, -31.0), b = (pow(2.0, 29.0) - 1.0) / pow(2.0, 31.0);
    const double change = 1.0 - err_of_two(b, a) / err_of_two(a, b);

    (void)state;
    for (size_t k = 0; k < N_OF(tops); k++) {
        const struct trial t = { .n = 2, .label = { 29, tops[k] }, .score = { 1, 0 } };
        double g[2];

        assert_close(run("lambda", settings, &all_pairs, &t, g),
                     change * log(1.0 + exp(1.0)), 1e-6);
    }
    const struct trial both = { .n = 2, .label = { 40, 50 }, .score = { 1, 0 } };
    double g[2];

    assert_close(run("lambda", settings, &all_pairs, &both, g), 0.0, 1e-6);
}

/* Label 31 at rank 2 stops everyone: what is behind it adds nothing, and exchanging it with
 * the document above it, of label 0, raises ERR from 1/2 to 1. */
static void who_stops_everyone_is_still_compared_with_those_above(void **state)
{
    static const char *const settings[] = { "delta=err", "k=0", NULL };
    const struct trial t = { .n = 3, .label = { 0, 31, 1 }, .score = { 2, 1, 0 } };
    double g[3], slope;

    (void)state;
    assert_close(run("lambda", settings, &all_pairs, &t, g), 0.5 * logistic(-1.0, &slope),
                 1e-6);
    assert_close(g[0], -0.5 * slope, 1e-6);
    assert_close(g[1], 0.5 * slope, 1e-6);
    assert_close(g[2], 0.0, 1e-6);
}

/* An output of 0 or 1 to the last bit is as good as one that is 1e-7 away. */
static void duels_that_are_quite_wrong_cost_a_finite_entropy(void **state)
{
    const struct objective *const o = objective_of("duel");
    _Alignas(16) char own[MAX_CONFIG];
    const struct pair pair[] = { { .weight = 1, .probability = 1 },
                                 { .weight = 2, .probability = 1 },
                                 { .weight = 1, .probability = 0.25f } };
    const float out[][2] = { { 0, 1 }, { 1, 0 }, { 1, 0.5f } };
    float slope[3][2];
    peck_error err;

    (void)state;
    param_defaults(o->plug.params, own);
    assert_ok(param_set_pair(o->plug.params, own, "duel", span_of("cost=entropy"), &err),
              err);
    const double wrong = log(1e7);

    assert_close(o->duels(own, pair, 1, out, slope), 2.0 * wrong, 1e-6);
    assert_close((double)slope[0][0], -1e7, 10.0);
    assert_close((double)slope[0][1], 1e7, 10.0);
    assert_close(o->duels(own, pair + 1, 1, out + 1, slope), 0.0, 1e-6);
    assert_close((double)slope[0][0], -2.0, 1e-5);
    assert_close((double)slope[0][1], 2.0, 1e-5);
    assert_close(o->duels(own, pair + 2, 1, out + 2, slope), 0.75 * wrong + log(2.0), 1e-6);
    assert_close((double)slope[0][0], 0.75e7, 10.0);
    assert_close((double)slope[0][1], 0.25 / 0.5 - 0.75 / 0.5, 1e-6);
}

/* Against two softmaxes written out. */
static void listnet_is_the_distance_of_two_softmaxes(void **state)
{
    static const char *const settings[] = { "temperature=0.5", NULL };
    const struct trial t = { .n = 3, .label = { 0, 2, 1 }, .score = { 1, 0.5f, -1 } };
    double g[3], p[3], q[3], sum_p = 0, sum_q = 0, loss = 0;

    (void)state;
    for (int i = 0; i < 3; i++) {
        sum_p += p[i] = exp((double)t.label[i] / 0.5);
        sum_q += q[i] = exp((double)t.score[i]);
    }
    for (int i = 0; i < 3; i++)
        loss += p[i] / sum_p * log(p[i] / sum_p / (q[i] / sum_q));
    assert_close(run("listnet", settings, &all_pairs, &t, g), loss, 1e-5);
    for (int i = 0; i < 3; i++)
        assert_close(g[i], q[i] / sum_q - p[i] / sum_p, 1e-6);
}

static void regression_forgives_a_constant(void **state)
{
    struct trial t = { .n = 3, .label = { 0, 2, 1 }, .score = { 5, 7, 6 } };
    double g[3];

    (void)state;
    assert_close(run("mse", NULL, &all_pairs, &t, g), 0.0, 1e-12);
    t.score[0] = 8; /* misses: 3 0 0, less their mean 2 -1 -1 */
    assert_close(run("mse", NULL, &all_pairs, &t, g), 2.0, 1e-6);
    assert_close(g[0], 4.0 / 3.0, 1e-6);
    assert_close(g[1], -2.0 / 3.0, 1e-6);
}

/* A document of weight 2 is the same document twice. */
static void weight_2_is_twice_the_document(void **state)
{
    static const char *const names[] = { "ranknet", "listnet", "mse" };
    const struct trial once = { .n = 4,
                                .label = { 2, 0, 1, 0 },
                                .score = { 0.5f, 0.25f, -1, 2 },
                                .weight = { 1, 2, 1, 1 },
                                .has_weights = true };
    const struct trial twice = { .n = 5,
                                 .label = { 2, 0, 1, 0, 0 },
                                 .score = { 0.5f, 0.25f, -1, 2, 0.25f } };

    (void)state;
    for (size_t i = 0; i < N_OF(names); i++) {
        double g[4], h[5];
        const double a = run(names[i], NULL, &all_pairs, &once, g);
        const double b = run(names[i], NULL, &all_pairs, &twice, h);

        h[1] += h[4];
        assert_near(names[i], 4, a, g, b, h);
    }
}

/* Against Eq. 3 of the paper, -Pbar o + log(1 + e^o), weighed. */
static void preferences_cost_their_cross_entropy(void **state)
{
    static const float x[3], s[] = { 0.5f, -0.25f, 1.0f };
    static const uint32_t n = 3;
    static const peck_pref list[] = { { 0, 0, 1, 0.8f, 1 },
                                      { 0, 1, 2, 0.3f, 3 },
                                      { 0, 2, 0, 1.0f, 2 } };
    const struct objective *const o = objective_of("ranknet");
    const double sigma = 1.0; /* the whole of its settings */
    struct peck_prefs *const prefs = prefs_new();
    double loss = 0.0, g[3] = { 0 };
    float slope[3] = { 0 };
    struct train_set *l;
    struct query_scratch scratch;
    peck_dataset *d;
    peck_error err;

    (void)state;
    assert_int_equal(o->config_size, sizeof sigma);
    for (size_t i = 0; i < N_OF(list); i++) {
        const size_t a = list[i].winner, b = list[i].loser;
        const double w = (double)list[i].weight / 6.0, p = (double)list[i].probability;
        const double diff = (double)s[a] - (double)s[b];

        assert_true(prefs_add(prefs, list[i]));
        loss += w * (-p * diff + log(1.0 + exp(diff)));
        g[a] += w * (1.0 / (1.0 + exp(-diff)) - p);
        g[b] -= w * (1.0 / (1.0 + exp(-diff)) - p);
    }
    assert_ok(peck_dataset_wrap(&d, x, n, 1, NULL, &n, 1, &err), err);
    assert_ok(train_set_new(&l, d, prefs, &all_pairs, &err), err);
    assert_ok(query_scratch_init(&scratch, l, o, &err), err);
    const struct query_pairs query = train_set_query(l, 0, 1, 1, &scratch);
    const float placed[] = { s[query.from[0]], s[query.from[1]], s[query.from[2]] };

    assert_close(o->grad(&sigma, &query, placed, slope), loss, 1e-6);
    for (size_t i = 0; i < 3; i++)
        assert_close((double)slope[i], g[query.from[i]], 1e-6);
    query_scratch_free(&scratch);
    train_set_free(l);
    peck_prefs_free(prefs);
    peck_dataset_free(d);
}

/* ... for a loss that is a mean and for one that is a sum. */
static void samples_agree_with_all_pairs_on_average(void **state)
{
    enum { EPOCHS = 4000 };
    static const char *const names[] = { "ranknet", "lambda" };
    struct train_set_config sampled = { .pairs = PAIRS_SAMPLED, .sample = 20 };
    struct trial t;
    struct rng r;

    (void)state;
    rng_seed(&r, 21, 1);
    draw(&t, &r, 20, true);
    for (size_t i = 0; i < N_OF(names); i++) {
        double g[MAX_DOCS], sum = 0.0;
        const double all = run(names[i], NULL, &all_pairs, &t, g);

        for (uint64_t epoch = 0; epoch < EPOCHS; epoch++)
            sum += run_epoch(names[i], NULL, &sampled, &t, epoch, g);
        assert_close(sum / EPOCHS / all, 1.0, 0.03);
    }
}

/* Pairs that change nothing are left out where a cut says so: of ndcg and err, or of the
 * list itself. */
static void a_metric_that_stops_early_leaves_pairs_out(void **state)
{
    static const struct {
        int delta;
        int64_t k, truncation;
        bool is_selective;
    } cases[] = {
        { DELTA_NDCG, 0, 0, false },    { DELTA_NDCG, 1, 0, true },
        { DELTA_NDCG, 0, 1, true },     { DELTA_ERR, 0, 0, false },
        { DELTA_ERR, 1, 0, true },      { DELTA_ERR, 0, 1, true },
        { DELTA_MAP, 0, 0, false },     { DELTA_MAP, 1, 0, false },
        { DELTA_MAP, 0, 1, true },      { DELTA_PAIRERR, 1, 1, false },
        { DELTA_PAIRERR, 1, 0, false }, { DELTA_NONE, 1, 1, false },
    };

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        const struct lambda_config c = { .delta = cases[i].delta,
                                         .k = cases[i].k,
                                         .truncation = cases[i].truncation };

        if (lambda_is_selective(&c) != cases[i].is_selective)
            fail_msg("case %zu", i);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fast_loops_equal_slow_ones),
        cmocka_unit_test(close_pairs_count_more_and_queries_are_levelled),
        cmocka_unit_test(a_pair_of_equal_scores_costs_log_2),
        cmocka_unit_test(directranker_with_tanh_and_entropy_is_ranknet),
        cmocka_unit_test(directranker_counts_a_pair_by_its_better_label),
        cmocka_unit_test(directranker_weighs_by_label_and_metric),
        cmocka_unit_test(the_hinge_punishes_the_wrong_order),
        cmocka_unit_test(ties_pull_equal_labels_together),
        cmocka_unit_test(lambda_of_pair_error_is_ranknet),
        cmocka_unit_test(labels_over_31_gain_themselves),
        cmocka_unit_test(map_sees_labels_from_relevant_on),
        cmocka_unit_test(labels_over_31_stop_a_reader_as_31_does),
        cmocka_unit_test(who_stops_everyone_is_still_compared_with_those_above),
        cmocka_unit_test(duels_that_are_quite_wrong_cost_a_finite_entropy),
        cmocka_unit_test(listnet_is_the_distance_of_two_softmaxes),
        cmocka_unit_test(regression_forgives_a_constant),
        cmocka_unit_test(weight_2_is_twice_the_document),
        cmocka_unit_test(preferences_cost_their_cross_entropy),
        cmocka_unit_test(samples_agree_with_all_pairs_on_average),
        cmocka_unit_test(a_metric_that_stops_early_leaves_pairs_out),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
