/* test_boost.c -- boosted trees: leaf values, scores on the way, dropped trees. */
#include "learn/learner.h"
#include "model/forest.h"

#include "support/check.h"
#include "support/train_setup.h"
#include "support/tasks.h"

#include <math.h>

static const struct task_sample sample = {
    .n_queries = 30, .max_docs = 20, .dim = 7, .noise = 0.3
};
static peck_error err;

/* A learner on its way, with training and validation data. */
struct set_up {
    struct peck_dataset *train, *valid;
    struct train_setup c;
    const struct learner *learner;
    void *self;
    struct stopping stopping;
};

/* Takes a part of the features away. */
static void make_gaps(struct peck_dataset *d)
{
    for (size_t i = 0; i < d->n_docs * d->dim; i++)
        if (mix64(i, 5) % 4 < i % d->dim % 3)
            d->x_owned[i] = NAN;
    d->keeps_missing = true;
    d->is_checked = false;
}

static void open_scene(struct set_up *s, const char *method, const char *const *settings,
                       bool has_gaps, int threads)
{
    s->train = task_dataset(&sample, 1);
    s->valid = task_dataset(&sample, 2);
    if (has_gaps) {
        make_gaps(s->train);
        make_gaps(s->valid);
    }
    train_setup_open(&s->c, method, settings, s->train, s->valid, NULL, threads);
    s->learner = s->c.plan.recipe->learner;
    s->self = calloc(1, s->learner->self_size);
    assert_ok(s->learner->open(s->self, &s->c.task, &s->stopping, &err), err);
}

static double step(struct set_up *s, size_t epoch)
{
    struct epoch_stats stats = { 0 };

    assert_ok(s->learner->epoch(s->self, epoch, &stats, &err), err);
    return stats.loss;
}

static void close_scene(struct set_up *s)
{
    s->learner->close(s->self);
    free(s->self);
    train_setup_close(&s->c);
    peck_dataset_free(s->train);
    peck_dataset_free(s->valid);
}

/* The model's own scores of x against those that the learner keeps. */
static void assert_scores(const struct set_up *s, const float *x, size_t n,
                          const double *kept)
{
    const size_t dim = s->c.train_data.dim;
    float *const score = calloc(n, sizeof *score);

    s->c.plan.recipe->family->scores->score(s->c.plan.shape, s->c.w,
                                            (struct rows){ x, n, dim, dim }, score, NULL);
    for (size_t i = 0; i < n; i++)
        if (!(fabs((double)score[i] - kept[i]) <= 1e-5 * (1.0 + fabs(kept[i]))))
            fail_msg("document %zu: the model says %g, the learner %g", i, (double)score[i],
                     kept[i]);
    free(score);
}

static void assert_kept_scores(struct set_up *s)
{
    struct kept kept[MAX_KEPT];
    float *const room = calloc(train_data_room(&s->c.train_data), sizeof *room);

    assert_int_equal(s->learner->keep(s->self, kept), 2);
    for (size_t q = 0; q < s->train->n_queries; q++) {
        const struct rows x = train_data_query(&s->c.train_data, q, room);

        assert_scores(s, x.x, x.n, (const double *)kept[0].data + s->train->start[q]);
    }
    free(room);
    assert_scores(s, s->c.train_data.valid_x, s->valid->n_docs, kept[1].data);
    assert_true((const double *)kept[1].data == s->learner->valid_scores(s->self));
}

static void scores_on_the_way_are_those_of_the_model(void **state)
{
    static const char *const settings[][6] = {
        { "min_leaf=3", NULL },
        { "min_leaf=3", "query_share=0.4", "feature_share=0.5", NULL },
        { "min_leaf=3", "drop=0.3", "query_share=0.6", NULL },
        { "min_leaf=3", "growth=level", "depth=3", NULL },
    };

    (void)state;
    for (size_t k = 0; k < 2 * N_OF(settings); k++) {
        struct set_up s;

        open_scene(&s, "lambdamart", settings[k % N_OF(settings)], k >= N_OF(settings),
                   1 + (int)k % 2);
        for (size_t epoch = 1; epoch <= 25; epoch++) {
            step(&s, epoch);
            assert_int_equal(forest_trees(s.c.w), epoch);
            assert_kept_scores(&s);
        }
        close_scene(&s);
    }
}

static void the_loss_falls_tree_by_tree(void **state)
{
    static const char *const plain[] = { "min_leaf=5", "query_share=1", "feature_share=1",
                                         NULL };
    static const char *const methods[] = { "mart", "lambdamart" };

    (void)state;
    for (size_t k = 0; k < N_OF(methods); k++) {
        struct set_up s;
        double last = HUGE_VAL, first = 0.0;

        open_scene(&s, methods[k], plain, false, 1);
        for (size_t epoch = 1; epoch <= 60; epoch++) {
            const double loss = step(&s, epoch);

            first = epoch == 1 ? loss : first;
            /* |Delta NDCG| changes from tree to tree; squared error does not */
            assert_true(k == 1 || loss < last);
            last = loss;
        }
        assert_true(last < 0.5 * first);
        close_scene(&s);
    }
}

/* Under squared error at rate 1 a leaf takes the mean of its labels, less that of the
 * query, times n / (n - 1): the second derivative knows that the mean moves too. */
static void a_leaf_is_a_newton_step(void **state)
{
    enum { N = 40, DIM = 3 };
    static const char *const settings[] = {
        "rate=1",          "min_leaf=4", "leaves=6", "query_share=1",
        "feature_share=1", "norm=none",  NULL
    };
    const uint32_t size = N;
    float label[N];
    struct train_setup c;
    struct stopping stopping;
    struct epoch_stats stats = { 0 };
    struct rng r;
    double mean = 0.0;

    (void)state;
    rng_seed(&r, 3, 0);
    for (size_t i = 0; i < N; i++) {
        label[i] = (float)rng_below(&r, 5);
        mean += (double)label[i] / N;
    }
    struct peck_dataset *const d = task_of(&size, 1, DIM, label, 5);

    train_setup_open(&c, "mart", settings, d, NULL, NULL, 1);
    const struct learner *const l = c.plan.recipe->learner;
    void *const self = calloc(1, l->self_size);

    assert_ok(l->open(self, &c.task, &stopping, &err), err);
    assert_ok(l->epoch(self, 1, &stats, &err), err);
    const struct forest_node *const tree = forest_first(c.w);

    for (size_t leaf = 0; leaf < forest_nodes(tree); leaf++) {
        double sum = 0.0, n = 0.0;

        for (size_t i = 0; i < N; i++) {
            size_t at = 0, to;

            while ((to = forest_step(tree, (uint32_t)at,
                                     d->x[i * DIM + (size_t)tree[at].feature])) != at)
                at = to;
            if (at == leaf) {
                sum += (double)label[i] - mean;
                n += 1.0;
            }
        }
        if ((size_t)tree[leaf].left != leaf)
            continue;
        assert_true(n >= 4.0);
        assert_true(fabs((double)tree[leaf].value - sum / n * N / (N - 1.0)) < 1e-5);
    }
    l->close(self);
    free(self);
    train_setup_close(&c);
    peck_dataset_free(d);
}

static void dropped_trees_come_back_smaller(void **state)
{
    static const char *const settings[] = { "min_leaf=3", "drop=0.99", NULL };
    struct set_up s;

    (void)state;
    open_scene(&s, "lambdamart", settings, false, 1);
    step(&s, 1);
    const struct forest_node *const tree = forest_first(s.c.w);
    float before[64];
    const size_t n = forest_nodes(tree);

    assert_true(n <= N_OF(before));
    for (size_t i = 0; i < n; i++)
        before[i] = tree[i].value;
    step(&s, 2); /* seeded: the first tree is dropped */
    for (size_t i = 0; i < n; i++)
        assert_true(tree[i].value ==
                    ((size_t)tree[i].left == i ? 0.5f * before[i] : before[i]));
    close_scene(&s);
}

static void nothing_to_learn_gives_trees_that_say_nothing(void **state)
{
    const uint32_t size[] = { 3, 4 };
    struct peck_dataset *const d = task_of(size, 2, 2, NULL, 1);
    const char *const methods[] = { "mart", "lambdamart" };

    (void)state;
    for (size_t k = 0; k < N_OF(methods); k++) {
        const char *const settings[] = { "trees=3", NULL };
        double score[7];
        peck_model *m = NULL;
        peck_scorer *s = NULL;

        assert_ok(peck_train(&m,
                             &(peck_train_spec){ .method = methods[k],
                                                 .settings = settings,
                                                 .train = d,
                                                 .threads = 1 },
                             &err),
                  err);
        assert_ok(peck_scorer_new(&s, m, &err), err);
        assert_ok(peck_score(s, d->x, 7, 2, score, &err), err);
        for (size_t i = 0; i < 7; i++)
            assert_true(score[i] == 0.0f);
        peck_scorer_free(s);
        peck_model_free(m);
    }
    peck_dataset_free(d);
}

/* Labels follow one feature, and whether another one is there; beside them stand one that
 * is never there, one that never varies and one with as many values as documents. */
static struct peck_dataset *odd_data(uint64_t seed)
{
    enum { QUERIES = 40, DOCS = 25, DIM = 5 };
    uint32_t size[QUERIES];
    struct rng r;

    for (size_t q = 0; q < QUERIES; q++)
        size[q] = DOCS;
    struct peck_dataset *const d = task_of(size, QUERIES, DIM, NULL, seed);

    rng_seed(&r, seed, 7);
    for (size_t i = 0; i < QUERIES * DOCS; i++) {
        const double a = rng_uniform(&r);
        const bool is_there = rng_uniform(&r) < 0.7;
        const float x[DIM] = { (float)a, is_there ? (float)rng_uniform(&r) : NAN, NAN, 3.0f,
                               (float)i * 1e-3f };

        memcpy(d->x_owned + i * DIM, x, sizeof x);
        d->label[i] = (float)floor(2.0 * a + (is_there ? 0.0 : 1.0));
    }
    dataset_count_labels(d);
    d->keeps_missing = true;
    d->is_checked = false;
    return d;
}

static void what_is_missing_can_be_learnt(void **state)
{
    static const char *const settings[] = { "trees=40",      "min_leaf=5",
                                            "query_share=1", "feature_share=1",
                                            "rate=0.2",      NULL };
    struct peck_dataset *const train = odd_data(1), *const test = odd_data(2);
    const char *const norm[] = { "none", "none+query-zscore" };
    double *const score = calloc(test->n_docs, sizeof *score);

    (void)state;
    for (size_t k = 0; k < N_OF(norm); k++) {
        const peck_train_spec spec = { .method = "lambdamart",
                                       .settings = settings,
                                       .norm = norm[k],
                                       .train = train,
                                       .threads = 1 };
        peck_model *m = NULL;

        assert_ok(peck_train(&m, &spec, &err), err);
        assert_true(model_quality(m, test) > 0.99);
        test->keeps_missing = false;
        assert_int_equal(peck_model_score(m, test, 1, score, &err), PECK_FORMAT);
        test->keeps_missing = true;
        peck_model_free(m);
    }
    free(score);
    peck_dataset_free(train);
    peck_dataset_free(test);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scores_on_the_way_are_those_of_the_model),
        cmocka_unit_test(the_loss_falls_tree_by_tree),
        cmocka_unit_test(a_leaf_is_a_newton_step),
        cmocka_unit_test(dropped_trees_come_back_smaller),
        cmocka_unit_test(nothing_to_learn_gives_trees_that_say_nothing),
        cmocka_unit_test(what_is_missing_can_be_learnt),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
