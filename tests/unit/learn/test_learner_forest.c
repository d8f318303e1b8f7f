/* test_learner_forest.c -- trees on pairs: what a leaf holds, what is told of it, and how many. */
#include "learn/learner.h"

#include "model/forest.h"
#include "support/check.h"
#include "support/learner_fixture.h"
#include "support/tasks.h"

#include <math.h>

enum { DIM = 3 };
static const struct task_sample sample = {
    .n_queries = 12, .max_docs = 10, .dim = DIM, .noise = 0.5
};

#define SETTINGS(...) ((const char *const[]){ "norm=none", __VA_ARGS__, NULL })

/* One leaf on all pairs: their mean target p, from which they are p (1 - p) away. */
static void a_leaf_is_the_mean_of_its_pairs(void **state)
{
    struct peck_dataset *const d = task_dataset(&sample, 1);
    struct learner_fixture p;

    (void)state;
    fixture_open(&p, "pairforest",
                 SETTINGS("trees=1", "leaves=2", "min_leaf=100000", "bag=1"), d, NULL, 1);
    assert_int_equal(p.stopping.n_epochs, 1);
    const struct epoch_stats stats = fixture_epoch(&p);
    const struct forest_node *const leaf = forest_first(p.setup.w);
    const double mean = (double)leaf->value;

    assert_int_equal(forest_trees(p.setup.w), 1);
    assert_true(leaf->left == 0.0f && leaf->threshold == FLT_MAX);
    assert_true(mean > 0.3 && mean < 0.7);
    assert_true(fabs(stats.loss - mean * (1.0 - mean)) < 1e-6);
    fixture_close(&p);
    peck_dataset_free(d);
}

/* Where a feature is the label, as many leaves as it takes make no mistake: each is 0 or 1. */
static void pairs_that_can_be_told_apart_are(void **state)
{
    struct peck_dataset *const d = task_dataset(&sample, 2);
    struct learner_fixture p;

    (void)state;
    for (size_t i = 0; i < d->n_docs; i++)
        d->x_owned[i * DIM + 1] = d->label[i];
    fixture_open(&p, "pairforest",
                 SETTINGS("trees=11", "leaves=64", "bag=0.6", "split_features=1"), d, NULL,
                 1);
    assert_int_equal(p.stopping.n_epochs, 2);
    assert_true(p.stopping.is_last_best);
    for (size_t epoch = 1; epoch <= 2; epoch++) {
        assert_true(fabs(fixture_epoch(&p).loss) < 1e-9);
        assert_int_equal(forest_trees(p.setup.w), epoch == 1 ? 10 : 11);
    }
    const struct forest_node *tree = forest_first(p.setup.w);

    for (size_t t = 0; t < 11; t++, tree = forest_next(tree))
        for (size_t k = 0; k < (size_t)tree[-1].feature; k++)
            if (tree[k].left == (float)k)
                assert_true(tree[k].value == 0.0f || tree[k].value == 1.0f);
    fixture_close(&p);
    peck_dataset_free(d);
}

/* Trees of one epoch and of the next are drawn each for itself: no two are the same. */
static void every_tree_is_drawn_anew(void **state)
{
    enum { TREES = 12 };
    struct peck_dataset *const d = task_dataset(&sample, 3);
    const struct forest_node *tree[TREES];
    struct learner_fixture p;

    (void)state;
    fixture_open(&p, "pairforest", SETTINGS("trees=12", "leaves=16"), d, NULL, 1);
    fixture_epoch(&p);
    fixture_epoch(&p);
    assert_int_equal(forest_trees(p.setup.w), TREES);
    tree[0] = forest_first(p.setup.w);
    for (size_t a = 1; a < TREES; a++)
        tree[a] = forest_next(tree[a - 1]);
    for (size_t a = 1; a < TREES; a++)
        for (size_t b = 0; b < a; b++)
            assert_true(memcmp(tree[a], tree[b], 16 * sizeof *tree[a]) != 0);
    fixture_close(&p);
    peck_dataset_free(d);
}

static bool always(void *ctx)
{
    (void)ctx;
    return true;
}

static bool second(void *ctx)
{
    return ++*(int *)ctx == 2;
}

/* Whichever tree was not grown: none of its epoch joins. */
static void a_stop_leaves_whole_epochs(void **state)
{
    struct peck_dataset *const d = task_dataset(&sample, 4);
    struct learner_fixture p;
    struct epoch_stats stats = { 0 };
    peck_error err = { 0 };

    (void)state;
    for (int k = 0; k < 2; k++) {
        int n_asked = 0;

        fixture_open(&p, "pairforest", SETTINGS("trees=20", "leaves=4"), d, NULL, 1);
        fixture_epoch(&p);
        p.setup.task.is_stopped = k == 0 ? always : second;
        p.setup.task.ctx = &n_asked;
        assert_int_equal(p.setup.plan.recipe->learner->epoch(p.self, 2, &stats, &err),
                         PECK_STOPPED);
        assert_failed(err, PECK_STOPPED, "between two trees");
        assert_int_equal(forest_trees(p.setup.w), 10);
        fixture_close(&p);
    }
    peck_dataset_free(d);
}

/* Labels that are all the same make no pair, and no pair no tree. */
static void without_a_pair_there_is_no_tree(void **state)
{
    const uint32_t size[] = { 3, 2 };
    struct peck_dataset *const d = task_of(size, 2, DIM, NULL, 5);
    struct learner_fixture p;

    (void)state;
    fixture_open(&p, "pairforest", SETTINGS("trees=20"), d, NULL, 1);
    fixture_epoch(&p);
    assert_int_equal(forest_trees(p.setup.w), 0);
    fixture_close(&p);
    peck_dataset_free(d);
}

/* How many trees an epoch leaves is known: a checkpoint with others is refused. */
static void trees_are_counted(void **state)
{
    struct peck_dataset *const d = task_dataset(&sample, 6);
    struct learner_fixture p;
    peck_error err = { 0 };

    (void)state;
    fixture_open(&p, "pairforest", SETTINGS("trees=12", "leaves=4"), d, NULL, 1);
    for (size_t epoch = 1; epoch <= 2; epoch++) {
        const struct learner *const l = p.setup.plan.recipe->learner;

        fixture_epoch(&p);
        assert_ok(l->check(p.self, epoch, &err), err);
        assert_int_equal(l->check(p.self, 3 - epoch, &err), PECK_FORMAT);
        assert_failed(err, PECK_FORMAT, epoch == 1 ? "10 trees" : "12 trees");
    }
    fixture_close(&p);
    peck_dataset_free(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_leaf_is_the_mean_of_its_pairs),
        cmocka_unit_test(pairs_that_can_be_told_apart_are),
        cmocka_unit_test(every_tree_is_drawn_anew),
        cmocka_unit_test(a_stop_leaves_whole_epochs),
        cmocka_unit_test(without_a_pair_there_is_no_tree),
        cmocka_unit_test(trees_are_counted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
