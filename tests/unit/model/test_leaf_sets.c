/* test_leaf_sets.c -- leaves by sets of bits, beside the way of each row. */
#include "model/leaf_sets.h"

#include "support/check.h"
#include "support/models.h"

#include <math.h>

enum { DIM = 7, STRIDE = DIM + 2, N = 37 };

static peck_error err;

/* Whole numbers and halves, so that features meet thresholds; both zeros. */
static float small_number(struct rng *r)
{
    const float x = (float)rng_below(r, 9) / 2 - 2.0f;

    return x == 0.0f && rng_below(r, 2) == 0 ? -0.0f : x;
}

/* A tree of so many leaves; each question splits a leaf that is drawn. */
static void grow_tree(float *w, uint64_t n_leaves, struct rng *r)
{
    const size_t n_nodes = 2 * n_leaves - 1;
    struct forest_node *const node = forest_add(w, n_nodes);
    size_t n = 1;

    for (size_t i = 0; i < n_nodes; i++)
        node[i] = (struct forest_node){ 0.0f, FLT_MAX, (float)i,
                                        (float)rng_below(r, 1000) / 7.0f };
    while (n < n_nodes) {
        const size_t at = rng_below(r, n);

        if (node[at].left != (float)at)
            continue;
        node[at] = (struct forest_node){ (float)rng_below(r, DIM), small_number(r),
                                         (float)n, 1.0f };
        if (rng_below(r, 3) == 0)
            node[at].feature += GAP_RIGHT;
        n += 2;
    }
}

static float *new_forest(size_t n_trees, uint32_t most_leaves)
{
    const struct forest_size size = { (int64_t)n_trees, most_leaves };
    float *const w = calloc(forest_capacity(&size), sizeof *w);

    assert_non_null(w);
    forest_clear(w);
    return w;
}

/* Scores of n rows by sets, and tree by tree. */
static void same_scores(const float *w, const float *x, size_t n)
{
    const struct rows rows = { x, n, DIM, STRIDE };
    const struct forest_node *tree = forest_first(w);
    const struct leaf_sets *sets;
    struct arena memory = { 0 };
    float fast[N + 1] = { 0 }, slow[N + 1] = { 0 };
    double sum[N] = { 0 };

    for (size_t t = 0; t < forest_trees(w); t++, tree = forest_next(tree))
        forest_walk(tree, rows, false, sum);
    for (size_t i = 0; i < n; i++)
        slow[i] = (float)sum[i];
    fast[n] = slow[n] = -1.0f;
    assert_int_equal(leaf_sets_make(&sets, &memory, w, &err), PECK_OK);
    assert_non_null(sets);
    leaf_sets_score(sets, rows, fast);
    assert_memory_equal(fast, slow, sizeof fast);
    arena_free(&memory);
}

static void sets_lead_where_trees_do(void **state)
{
    float x[N * STRIDE];
    struct rng r;

    (void)state;
    rng_seed(&r, 1, 0);
    for (size_t i = 0; i < N * STRIDE; i++)
        x[i] = small_number(&r);
    for (uint32_t leaves = 1; leaves <= 128; leaves += leaves < 70 ? 3 : 29) {
        float *const w = new_forest(6, leaves);

        for (int t = 0; t < 6; t++)
            grow_tree(w, t == 0 ? leaves : 1 + rng_below(&r, leaves), &r);
        same_scores(w, x, leaves % N);
        free(w);
    }
}

static void many_trees_are_several_sections(void **state)
{
    float x[N * STRIDE];
    float *const w = new_forest(300, 40);
    struct rng r;

    (void)state;
    rng_seed(&r, 2, 0);
    for (size_t i = 0; i < N * STRIDE; i++)
        x[i] = small_number(&r);
    for (int t = 0; t < 300; t++)
        grow_tree(w, 1 + rng_below(&r, 40), &r);
    same_scores(w, x, N);
    free(w);
}

static void no_tree_scores_zero(void **state)
{
    float *const w = new_forest(1, 2);
    const float x[STRIDE] = { 0 };

    (void)state;
    same_scores(w, x, 1);
    free(w);
}

static void large_trees_and_nets_of_questions_have_no_sets(void **state)
{
    const struct leaf_sets *sets;
    struct arena memory = { 0 };
    float *const w = new_forest(2, 129);
    struct rng r;

    (void)state;
    rng_seed(&r, 3, 0);
    grow_tree(w, 129, &r);
    assert_int_equal(leaf_sets_make(&sets, &memory, w, &err), PECK_OK);
    assert_null(sets);
    forest_clear(w);
    grow_tree(w, 3, &r);
    struct forest_node *const node = (struct forest_node *)w + 2;

    /* Both questions lead to nodes 3 and 4. */
    node[0] = (struct forest_node){ 0.0f, 0.0f, 3.0f, 1.0f };
    node[1] = node[2] = node[0];
    assert_int_equal(leaf_sets_make(&sets, &memory, w, &err), PECK_OK);
    assert_null(sets);
    arena_free(&memory);
    free(w);
}

/* A scorer that has seen many documents goes by sets: the same scores, with gaps too. */
static void a_scorer_says_the_same_of_many_documents(void **state)
{
    enum { DOCS = 500 };
    const char *const settings[] = { "trees=40", "leaves=31", NULL };
    peck_model *const m = sample_model(&(struct model_sample){
        .family = "trees", .settings = settings, .dim = DIM, .seed = 3 });
    float *const x = random_floats(DOCS * DIM, 9);
    double first[DOCS], later[DOCS];
    peck_scorer *s;

    (void)state;
    for (size_t i = 0; i < DOCS; i += 50)
        x[i * DIM + i % DIM] = NAN;
    assert_int_equal(peck_scorer_new(&s, m, &err), PECK_OK);
    assert_int_equal(peck_score(s, x, DOCS, DIM, first, &err), PECK_OK);
    for (int k = 0; k < 12; k++)
        assert_int_equal(peck_score(s, x, DOCS, DIM, later, &err), PECK_OK);
    assert_memory_equal(first, later, sizeof first);
    assert_int_equal(peck_score(s, x + 51 * DIM, 20, DIM, later, &err), PECK_OK);
    assert_memory_equal(first + 51, later, 20 * sizeof *first);
    peck_scorer_free(s);
    peck_model_free(m);
    free(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sets_lead_where_trees_do),
        cmocka_unit_test(many_trees_are_several_sections),
        cmocka_unit_test(no_tree_scores_zero),
        cmocka_unit_test(large_trees_and_nets_of_questions_have_no_sets),
        cmocka_unit_test(a_scorer_says_the_same_of_many_documents),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
