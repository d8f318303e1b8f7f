/* test_forest.c -- trees inside weights: what may be used, and where it leads. */
#include "model/forest.h"

#include "support/check.h"
#include "support/models.h"

#include <math.h>

enum { DIM = 6, TREES = 5 };

static const struct forest_size size = { .trees = TREES, .leaves = 8 };
static peck_error err;

/* The way of one row, question by question. */
static float walk_slowly(const struct forest_node *tree, const float *x)
{
    size_t at = 0;

    while ((size_t)tree[at].left != at) {
        const double feature = (double)tree[at].feature;
        const float value = x[(size_t)feature];
        const bool is_right =
            isnan(value) ? feature > floor(feature) : value > tree[at].threshold;

        at = (size_t)tree[at].left + (is_right ? 1 : 0);
    }
    return tree[at].value;
}

static float *sample(uint64_t seed, size_t *n)
{
    const struct family *const f = family_named("pairforest");
    const char *const settings[] = { "trees=5", "leaves=8", NULL };
    void *const shape = shape_open(f, settings, DIM, &err);
    float *const w = sample_weights(f, shape, DIM, 1, seed, n);

    free(shape);
    return w;
}

static void rows_side_by_side_go_the_way_of_one(void **state)
{
    enum { N = 21 };
    float *const x = random_floats(N * (DIM + 3), 3);
    size_t used;

    (void)state;
    for (uint64_t seed = 0; seed < 20; seed++) {
        float *const w = sample(seed, &used);

        for (size_t n = 0; n <= N; n++) {
            const struct forest_node *tree = forest_first(w);
            double fast[N + 1] = { 0 }, slow[N + 1] = { 0 };

            for (size_t t = 0; t < forest_trees(w); t++, tree = forest_next(tree)) {
                forest_walk(tree, (struct rows){ x, n, DIM, DIM + 3 }, false, fast);
                for (size_t i = 0; i < n; i++)
                    slow[i] += (double)walk_slowly(tree, x + i * (DIM + 3));
            }
            assert_memory_equal(fast, slow, sizeof fast);
        }
        free(w);
    }
    free(x);
}

/* Every other question sends gaps right. */
static void rows_with_gaps_go_the_way_of_one(void **state)
{
    enum { N = 40 };
    float *const x = random_floats(N * DIM, 5);
    const struct rows rows = { x, N, DIM, DIM };
    size_t used, n_apart = 0;

    (void)state;
    assert_false(forest_has_gaps(rows));
    for (size_t i = 0; i < N * DIM; i += 3)
        x[i] = NAN;
    assert_true(forest_has_gaps(rows));
    assert_false(forest_has_gaps((struct rows){ x, 0, DIM, DIM }));
    for (uint64_t seed = 0; seed < 20; seed++) {
        float *const w = sample(seed, &used);
        struct forest_node *tree = (struct forest_node *)w + 2;
        double fast[N] = { 0 }, slow[N] = { 0 }, without[N] = { 0 };

        for (size_t t = 0; t < forest_trees(w); t++, tree += forest_nodes(tree) + 1) {
            forest_walk(tree, rows, true, without);
            for (size_t k = 0; k < forest_nodes(tree); k += 2)
                if ((size_t)tree[k].left != k && tree[k].feature < (float)DIM)
                    tree[k].feature += GAP_RIGHT;
            forest_walk(tree, rows, true, fast);
            for (size_t i = 0; i < N; i++)
                slow[i] += (double)walk_slowly(tree, x + i * DIM);
        }
        assert_memory_equal(fast, slow, sizeof fast);
        n_apart += memcmp(fast, without, sizeof fast) != 0;
        free(w);
    }
    assert_true(n_apart > 10);
    free(x);
}

static void a_forest_says_how_much_it_fills(void **state)
{
    float w[200] = { 0 };

    (void)state;
    forest_clear(w);
    assert_int_equal(forest_trees(w), 0);
    assert_int_equal(forest_used(w), 4);
    forest_add(w, 3);
    assert_int_equal(forest_used(w), 4 + 16);
    forest_add(w, 1);
    assert_int_equal(forest_trees(w), 2);
    assert_int_equal(forest_used(w), 4 + 16 + 8);
    assert_true(forest_capacity(&size) >= 4 + TREES * 4 * (1 + 15));
}

static bool passes(const float *w, size_t n)
{
    const peck_status st = forest_check(w, n, &size, DIM, &err);

    assert_true(st == PECK_OK || st == PECK_FORMAT);
    return st == PECK_OK;
}

/* As many trees as its size says, and not one more, whatever room there is. */
static void a_tree_too_many_is_refused(void **state)
{
    float w[4 + (TREES + 1) * 4 * (1 + 1)] = { 0 };

    (void)state;
    forest_clear(w);
    for (size_t t = 0; t <= TREES; t++) {
        assert_int_equal(passes(w, N_OF(w)), true);
        *forest_add(w, 1) = (struct forest_node){ .threshold = FLT_MAX };
    }
    assert_false(passes(w, N_OF(w)));
}

static void what_leads_nowhere_is_refused(void **state)
{
    static const float bad[] = { -1.0f, 0.5f, 15.0f, 1e9f, 3e38f, 14.0f };
    size_t n;
    float *const w = sample(1, &n);

    (void)state;
    assert_true(passes(w, n));
    assert_true(passes(w, n + 4)); /* room after it */
    for (size_t k = 0; k < n; k++)
        assert_false(passes(w, k));
    for (size_t k = 0; k < N_OF(bad); k++) {
        const float first_left = w[10], trees = w[0], nodes = w[4];

        w[10] = bad[k]; /* the root's child */
        assert_false(passes(w, n));
        w[10] = first_left;
        w[0] = bad[k] == 1.0f ? 7.0f : bad[k];
        assert_false(passes(w, n));
        w[0] = trees;
        w[4] = bad[k];
        assert_int_equal(passes(w, n), bad[k] == 15.0f);
        w[4] = nodes;
    }
    w[8] = (float)DIM;
    assert_false(passes(w, n));
    w[8] = (float)DIM + GAP_RIGHT;
    assert_false(passes(w, n));
    w[8] = 0.25f;
    assert_false(passes(w, n));
    w[8] = GAP_RIGHT;
    assert_true(passes(w, n));
    w[8] = 0.0f;
    w[10] = 0.0f; /* a question that leads to itself */
    assert_false(passes(w, n));
    free(w);
}

/* Whatever is let through ends on every row. */
static void damaged_forests_are_refused_or_harmless(void **state)
{
    float *const x = random_floats(8 * DIM, 4);
    struct rng r;
    size_t n_passed = 0;

    (void)state;
    rng_seed(&r, 8, 0);
    for (int i = 0; i < 3000; i++) {
        size_t n;
        float *const w = sample(2, &n);

        for (int k = 0; k < 1 + i % 3; k++)
            w[rng_below(&r, n)] = (float)rng_below(&r, 20) - (i % 5 == 0 ? 0.5f : 0.0f);
        if (passes(w, n)) {
            const struct forest_node *tree = forest_first(w);
            double sum[8] = { 0 };

            n_passed++;
            for (size_t t = 0; t < forest_trees(w); t++, tree = forest_next(tree))
                forest_walk(tree, (struct rows){ x, 8, DIM, DIM }, i % 2 == 0, sum);
            assert_true(isfinite(sum[0]));
        }
        free(w);
    }
    assert_true(n_passed > 100 && n_passed < 2900);
    free(x);
}

static void importance_counts_questions_and_gains(void **state)
{
    double count[DIM] = { 0 }, gain[DIM] = { 0 }, n_questions = 0.0, all = 0.0, sum = 0.0;
    size_t used;
    float *const w = sample(3, &used);
    const struct forest_node *tree = forest_first(w);

    (void)state;
    forest_importance(w, DIM, count, gain);
    for (size_t f = 0; f < DIM; f++) {
        n_questions += count[f];
        all += gain[f];
    }
    for (size_t t = 0; t < TREES; t++, tree = forest_next(tree))
        for (size_t i = 0; i < 7; i++)
            sum += (double)tree[i].value;
    assert_true(n_questions == 7.0 * TREES && fabs(all - sum) < 1e-9);
    free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_side_by_side_go_the_way_of_one),
        cmocka_unit_test(rows_with_gaps_go_the_way_of_one),
        cmocka_unit_test(a_forest_says_how_much_it_fills),
        cmocka_unit_test(a_tree_too_many_is_refused),
        cmocka_unit_test(what_leads_nowhere_is_refused),
        cmocka_unit_test(damaged_forests_are_refused_or_harmless),
        cmocka_unit_test(importance_counts_questions_and_gains),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
