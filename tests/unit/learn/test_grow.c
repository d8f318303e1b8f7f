/* test_grow.c -- trees on histograms against an exact greedy search over all splits. */
#include "learn/grow.h"

#include "support/check.h"

#include <float.h>
#include <math.h>

enum { MAX_ROWS = 700, MAX_DIM = 12 };

/* Data with few values a feature, gradients, and a grower. */
struct plot {
    size_t n, dim;
    float *x; /* [n][dim] */
    float g[MAX_ROWS], h[MAX_ROWS];
    bool is_counting;
    uint32_t row[MAX_ROWS];
    struct bins bins;
    struct row_gradients gradients;
    struct grow_rule rule;
    struct grower *grower;
    struct pool *pool;
};

/* gaps: the share of the values that are missing; targets know of it. */
static void open_gappy(struct plot *p, size_t n, size_t dim, size_t n_values, double gaps,
                       bool is_counting, uint64_t seed)
{
    struct rng r;
    peck_error err = { 0 };

    *p = (struct plot){ .n = n, .dim = dim, .is_counting = is_counting };
    p->rule = (struct grow_rule){ .leaves = 16, .min_leaf = 1 };
    p->x = calloc(n * dim, sizeof *p->x);
    rng_seed(&r, seed, 0);
    for (size_t i = 0; i < n; i++) {
        double y = 0.3 * rng_normal(&r);

        for (size_t f = 0; f < dim; f++) {
            p->x[i * dim + f] = (float)rng_below(&r, n_values) - (float)f;
            y += f < 3 ? sin(2.0 * (double)p->x[i * dim + f] + (double)f) : 0.0;
            if (gaps > 0.0 && rng_uniform(&r) < gaps * (double)(f % 3)) {
                p->x[i * dim + f] = NAN;
                y += f % 2 == 0 ? 0.7 : -0.7;
            }
        }
        p->g[i] = (float)y;
        p->h[i] = is_counting ? 1.0f : (float)rng_between(&r, 0.0, 2.0);
        p->row[i] = (uint32_t)i;
    }
    assert_ok(pool_new(&p->pool, 1, &err), err);
    assert_ok(bins_open_rows(&p->bins, (struct rows){ p->x, n, dim, dim }, MAX_BINS,
                             p->pool, &err),
              err);
    assert_ok(row_gradients_open(&p->gradients, n, n, &err), err);
    row_gradients_set(&p->gradients, p->g, is_counting ? NULL : p->h);
}

static void open_plot(struct plot *p, size_t n, size_t dim, size_t n_values,
                      bool is_counting, uint64_t seed)
{
    open_gappy(p, n, dim, n_values, 0.0, is_counting, seed);
}

static const struct tree_node *grow(struct plot *p, uint64_t seed, size_t *n_nodes)
{
    struct rng r;
    peck_error err = { 0 };

    grower_close(p->grower);
    rng_seed(&r, seed, 1);
    assert_ok(grower_open(&p->grower, &p->bins, &p->rule, p->n, NULL, &err), err);
    assert_ok(grower_run(p->grower, &p->gradients, p->row, p->n, NULL, &r, &err), err);
    return grower_tree(p->grower, n_nodes);
}

static void close_plot(struct plot *p)
{
    grower_close(p->grower);
    row_gradients_close(&p->gradients);
    bins_close(&p->bins);
    pool_free(p->pool);
    free(p->x);
}

/* The twin ---------------------------------------------------------------------------- */

static int side_of(float x, float threshold, bool is_gap_right)
{
    return isnan(x) ? is_gap_right : x > threshold;
}

/* Rows of a node by walking every row from the root. */
static size_t rows_of(const struct plot *p, const struct tree_node *tree, size_t node,
                      uint32_t *row)
{
    size_t n = 0;

    for (uint32_t i = 0; i < p->n; i++) {
        uint32_t at = 0;

        while (at != node && tree[at].left != at)
            at = tree[at].left + (uint32_t)side_of(p->x[i * p->dim + tree[at].feature],
                                                   tree[at].threshold,
                                                   tree[at].is_gap_right);
        if (at == node)
            row[n++] = i;
    }
    return n;
}

static double worth(const struct plot *p, double g, double h)
{
    return g * g / (h + p->rule.l2);
}

/* What a split of these rows gains; -1: it may not be. */
static double gain_of(const struct plot *p, const uint32_t *row, size_t n, size_t f,
                      float threshold, bool is_gap_right)
{
    double g[2] = { 0 }, h[2] = { 0 };
    size_t count[2] = { 0 };

    for (size_t i = 0; i < n; i++) {
        const int side = side_of(p->x[row[i] * p->dim + f], threshold, is_gap_right);

        g[side] += (double)p->g[row[i]];
        h[side] += (double)p->h[row[i]];
        count[side]++;
    }
    const double least = fmax(p->rule.min_weight, 1e-6);

    if (count[0] < p->rule.min_leaf || count[1] < p->rule.min_leaf || h[0] < least ||
        h[1] < least)
        return -1.0;
    return worth(p, g[0], h[0]) + worth(p, g[1], h[1]) - worth(p, g[0] + g[1], h[0] + h[1]);
}

static double best_gain(const struct plot *p, const uint32_t *row, size_t n)
{
    double best = -1.0;

    for (size_t f = 0; f < p->dim; f++)
        for (size_t i = 0; i < n; i++) {
            const float x = p->x[row[i] * p->dim + f];
            const float threshold = isnan(x) ? -FLT_MAX : x;

            best = fmax(best, gain_of(p, row, n, f, threshold, false));
            best = fmax(best, gain_of(p, row, n, f, threshold, true));
        }
    return best;
}

/* Every question is as good as any other would have been, every leaf is done or the tree
 * is full; in the end the leaves hold each row once. */
static void check_tree(struct plot *p, const struct tree_node *tree, size_t n_nodes)
{
    uint32_t row[MAX_ROWS], found[MAX_ROWS];
    size_t n_leaves = 0, n_rows = 0;
    double most_left = 0.0;

    for (size_t k = 0; k < n_nodes; k++) {
        const struct tree_node *const t = &tree[k];
        const size_t n = rows_of(p, tree, k, row);
        const double best = best_gain(p, row, n);

        assert_int_equal(n, t->end - t->begin);
        if (t->left != k) {
            const double here =
                gain_of(p, row, n, t->feature, t->threshold, t->is_gap_right);

            assert_true(t->left > k && t->left + 1 < n_nodes);
            if (fabs(here - best) > 1e-4 * (1.0 + best) ||
                fabs((double)t->gain - best) > 1e-4 * (1.0 + best))
                fail_msg("node %zu gains %g (said %g), but %g is there", k, here,
                         (double)t->gain, best);
            continue;
        }
        memcpy(found, grower_rows(p->grower, t), n * sizeof *found);
        for (size_t i = 0; i < n; i++) { /* whatever their order */
            bool is_there = false;

            for (size_t j = 0; j < n; j++)
                is_there |= found[j] == row[i];
            assert_true(is_there);
        }
        n_leaves++;
        n_rows += n;
        if (p->rule.depth == 0 || t->depth < p->rule.depth)
            most_left = fmax(most_left, best);
    }
    assert_int_equal(n_rows, p->n);
    assert_int_equal(2 * n_leaves, n_nodes + 1);
    assert_true(n_leaves <= p->rule.leaves);
    if (n_leaves < p->rule.leaves)
        assert_true(most_left <= 1e-3);
}

/* Cases ------------------------------------------------------------------------------- */

static void histograms_find_the_splits_of_an_exact_search(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 24; seed++) {
        const bool is_counting = seed % 2 == 0;
        struct plot p;
        size_t n_nodes;

        open_plot(&p, 50 + 13 * seed, 1 + seed % MAX_DIM, 2 + seed, is_counting, seed);
        p.rule.l2 = seed % 3 == 0 ? 1.5 : 0.0;
        p.rule.min_leaf = 1 + seed % 5;
        p.rule.min_weight = seed % 4 == 3 ? 3.0 : 0.0;
        p.rule.depth = seed % 6 == 5 ? 3 : 0;
        p.rule.is_level_by_level = seed % 7 == 6;
        const struct tree_node *const tree = grow(&p, seed, &n_nodes);

        check_tree(&p, tree, n_nodes);
        close_plot(&p);
    }
}

static void what_is_missing_goes_where_it_gains_most(void **state)
{
    size_t n_left = 0, n_right = 0;

    (void)state;
    for (uint64_t seed = 0; seed < 24; seed++) {
        struct plot p;
        size_t n_nodes;

        open_gappy(&p, 60 + 12 * seed, 2 + seed % 9, 2 + seed, 0.05 * (double)(seed % 8),
                   seed % 2 == 0, seed);
        p.rule.l2 = seed % 3 == 0 ? 1.5 : 0.0;
        p.rule.min_leaf = 1 + seed % 5;
        p.rule.per_split = seed % 4 == 1 ? p.dim : 0;
        const struct tree_node *const tree = grow(&p, seed, &n_nodes);

        check_tree(&p, tree, n_nodes);
        for (size_t k = 0; k < n_nodes; k++) {
            n_left += p.bins.has_gaps[tree[k].feature % p.dim] && !tree[k].is_gap_right;
            n_right += tree[k].is_gap_right;
        }
        close_plot(&p);
    }
    assert_true(n_left > 20 && n_right > 20);
}

/* The most that splitting one of the leaves would gain. */
static double best_open(const struct plot *p, const struct tree_node *tree, size_t n_nodes)
{
    uint32_t row[MAX_ROWS];
    double most = 0.0;

    for (size_t k = 0; k < n_nodes; k++)
        if (tree[k].left == k)
            most = fmax(most, best_gain(p, row, rows_of(p, tree, k, row)));
    return most;
}

static void the_leaf_that_gains_most_is_split_next(void **state)
{
    struct plot p;
    size_t n_nodes;
    double last = 0.0, next = 0.0;

    (void)state;
    open_plot(&p, 300, 4, 12, true, 3);
    for (p.rule.leaves = 1; p.rule.leaves < 30; p.rule.leaves++) {
        const struct tree_node *const tree = grow(&p, 1, &n_nodes);
        double sum = 0.0;

        assert_int_equal(n_nodes, 2 * p.rule.leaves - 1);
        for (size_t i = 0; i < n_nodes; i++)
            sum += tree[i].left != i ? (double)tree[i].gain : 0.0;
        assert_true(fabs(sum - last - next) <= 1e-4 * (1.0 + sum));
        last = sum;
        next = best_open(&p, tree, n_nodes);
    }
    close_plot(&p);
}

static void level_by_level_the_shallow_come_first(void **state)
{
    struct plot p;
    size_t n_nodes;

    (void)state;
    open_plot(&p, 500, 6, 100, true, 4);
    p.rule.leaves = 16;
    p.rule.min_leaf = 10;
    p.rule.is_level_by_level = true;
    const struct tree_node *const tree = grow(&p, 1, &n_nodes);

    assert_int_equal(n_nodes, 31);
    for (size_t i = 0; i < n_nodes; i++) /* what is not split could not be, or is last */
        assert_true(tree[i].left != i || tree[i].depth >= 4 ||
                    tree[i].end - tree[i].begin < 3 * p.rule.min_leaf);
    close_plot(&p);
}

static void no_leaf_lies_deeper_than_depth(void **state)
{
    (void)state;
    for (uint16_t depth = 1; depth < 5; depth++) {
        struct plot p;
        size_t n_nodes;
        uint16_t deepest = 0;

        open_plot(&p, 500, 6, 100, true, 4);
        p.rule.leaves = 64;
        p.rule.depth = depth;
        const struct tree_node *const tree = grow(&p, 1, &n_nodes);

        for (size_t i = 0; i < n_nodes; i++)
            deepest = tree[i].depth > deepest ? tree[i].depth : deepest;
        assert_int_equal(deepest, depth);
        close_plot(&p);
    }
}

static void assert_same_tree(const struct tree_node *a, const struct tree_node *b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(a[i].left, b[i].left);
        assert_int_equal(a[i].end - a[i].begin, b[i].end - b[i].begin);
        if (a[i].left != i) {
            assert_int_equal(a[i].feature, b[i].feature);
            assert_true(a[i].threshold == b[i].threshold && a[i].gain == b[i].gain);
        }
    }
}

/* Leaves are so large that no two splits gain the same. */
static void all_ways_to_look_at_all_features_agree(void **state)
{
    const size_t n_kept[] = { 0, 2, 3, 9 }; /* histograms */

    (void)state;
    for (uint64_t seed = 0; seed < 6; seed++) {
        struct plot p;
        size_t n, again;

        open_plot(&p, 700, 9, 200, seed % 2 == 0, 50 + seed);
        p.rule.leaves = 24;
        p.rule.min_leaf = 15;
        p.rule.per_split = p.dim;
        const struct tree_node *const tree = grow(&p, 1, &n);
        struct tree_node *const kept = calloc(n, sizeof *kept);

        memcpy(kept, tree, n * sizeof *kept);
        p.rule.per_split = 0;
        for (size_t k = 0; k < N_OF(n_kept); k++) {
            p.rule.histograms = n_kept[k];
            const struct tree_node *const other = grow(&p, 1, &again);

            assert_int_equal(n, again);
            assert_same_tree(kept, other, n);
        }
        free(kept);
        close_plot(&p);
    }
}

/* Also where leaves are so large that most splits must be looked for again by rows. */
static void of_equal_columns_the_first_is_asked_about(void **state)
{
    size_t n_asked = 0;

    (void)state;
    for (uint64_t seed = 0; seed < 6; seed++) {
        struct plot p;
        peck_error err = { 0 };
        size_t n_nodes;

        open_plot(&p, 400, 4, 60, false, seed);
        for (size_t i = 0; i < p.n; i++)
            p.x[i * p.dim + 3] = p.x[i * p.dim + 1];
        bins_close(&p.bins);
        assert_ok(bins_open_rows(&p.bins, (struct rows){ p.x, p.n, p.dim, p.dim }, MAX_BINS,
                                 p.pool, &err),
                  err);
        p.rule.min_leaf = 40;
        const struct tree_node *const tree = grow(&p, seed, &n_nodes);

        check_tree(&p, tree, n_nodes);
        for (size_t k = 0; k < n_nodes; k++) {
            assert_true(tree[k].left == k || tree[k].feature != 3);
            n_asked += tree[k].left != k && tree[k].feature == 1;
        }
        close_plot(&p);
    }
    assert_true(n_asked > 5);
}

/* Column 3 has a twin, column 0, which may not be asked about: it takes its place. */
static void of_equal_columns_one_is_enough(void **state)
{
    static const uint8_t is_used[] = { 0, 1, 1, 1 };

    (void)state;
    for (uint64_t seed = 0; seed < 6; seed++) {
        struct plot p;
        peck_error err = { 0 };
        size_t n, n_again;
        struct rng r;

        open_plot(&p, 400, 4, 60, false, seed);
        for (size_t i = 0; i < p.n; i++)
            p.x[i * p.dim + 3] = p.x[i * p.dim];
        bins_close(&p.bins);
        assert_ok(bins_open_rows(&p.bins, (struct rows){ p.x, p.n, p.dim, p.dim }, MAX_BINS,
                                 p.pool, &err),
                  err);
        p.rule.min_leaf = 40;
        const struct tree_node *tree = grow(&p, seed, &n);
        struct tree_node *const kept = calloc(n, sizeof *kept);

        memcpy(kept, tree, n * sizeof *kept);
        rng_seed(&r, seed, 1);
        assert_ok(grower_run(p.grower, &p.gradients, p.row, p.n, is_used, &r, &err), err);
        tree = grower_tree(p.grower, &n_again);
        assert_int_equal(n, n_again);
        for (size_t k = 0; k < n; k++) {
            assert_int_equal(kept[k].left, tree[k].left);
            assert_int_equal(kept[k].left == k || kept[k].feature > 0 ? kept[k].feature : 3,
                             tree[k].feature);
        }
        free(kept);
        close_plot(&p);
    }
}

static void threads_change_nothing(void **state)
{
    enum { N = 20000, DIM = 40, LEAVES = 50 }; /* several chunks of rows, and parts */
    float *const x = calloc(N * DIM, sizeof *x), *const g = calloc(N, sizeof *g),
                 *const h = calloc(N, sizeof *h);
    uint32_t *const row = calloc(N, sizeof *row);
    const struct grow_rule rule = { .leaves = LEAVES, .min_leaf = 5 };
    struct tree_node kept[2 * LEAVES];
    struct rng r;

    (void)state;
    rng_seed(&r, 9, 0);
    for (size_t i = 0; i < N; i++) {
        for (size_t f = 0; f < DIM; f++)
            x[i * DIM + f] = (float)rng_normal(&r);
        g[i] = x[i * DIM] * x[i * DIM + 1] + (float)rng_normal(&r);
        h[i] = (float)rng_between(&r, 0.5, 2.0);
        row[i] = (uint32_t)i;
    }
    for (int k = 0; k < 6; k++) {
        const int threads = 1 + k % 3 * 2;
        struct pool *pool = NULL;
        struct bins bins;
        struct row_gradients gradients;
        struct grower *grower;
        peck_error err = { 0 };
        size_t n_nodes;

        assert_ok(pool_new(&pool, threads, &err), err);
        assert_ok(bins_open_rows(&bins, (struct rows){ x, N, DIM, DIM }, 255, pool, &err),
                  err);
        assert_ok(row_gradients_open(&gradients, N, N, &err), err);
        struct gradient_sums sums = { 0 };

        gradient_sums_add(&sums, g, k < 3 ? NULL : h, N);
        assert_true(row_gradients_set_by(pool, &gradients, &sums, g, k < 3 ? NULL : h));
        assert_ok(grower_open(&grower, &bins, &rule, N, pool, &err), err);
        assert_ok(grower_run(grower, &gradients, row, N, NULL, NULL, &err), err);
        const struct tree_node *const tree = grower_tree(grower, &n_nodes);

        assert_int_equal(n_nodes, 2 * LEAVES - 1);
        if (threads == 1)
            memcpy(kept, tree, n_nodes * sizeof *kept);
        assert_same_tree(kept, tree, n_nodes);
        grower_close(grower);
        row_gradients_close(&gradients);
        bins_close(&bins);
        pool_free(pool);
    }
    free(x), free(g), free(h), free(row);
}

/* Features of two values are all the same in a node once they were asked about; they count
 * for none of the two that are drawn, so below the root both others are looked at. */
static void drawn_features_have_something_to_ask(void **state)
{
    uint32_t row[MAX_ROWS];

    (void)state;
    for (uint64_t seed = 1; seed < 9; seed++) {
        struct plot p;
        size_t n_nodes;

        open_plot(&p, 300, 3, 2, true, seed);
        p.rule.leaves = 8;
        p.rule.per_split = 2;
        const struct tree_node *const tree = grow(&p, seed, &n_nodes);

        for (size_t k = 1; k < n_nodes; k++) {
            const size_t n = rows_of(&p, tree, k, row);
            const double best = best_gain(&p, row, n);

            if (tree[k].depth == 1 && tree[k].left != k)
                assert_true(fabs((double)tree[k].gain - best) <= 1e-4 * (1.0 + best));
        }
        close_plot(&p);
    }
}

/* Of three features that all say something one is drawn: it is not always the best. */
static void features_that_are_not_drawn_are_not_asked_about(void **state)
{
    uint32_t row[MAX_ROWS];
    size_t n_best = 0, n_nodes;

    (void)state;
    for (uint64_t seed = 1; seed < 13; seed++) {
        struct plot p;

        open_plot(&p, 300, 3, 2, true, 1);
        p.rule.leaves = 2;
        p.rule.per_split = 1;
        const struct tree_node *const tree = grow(&p, seed, &n_nodes);
        const double best = best_gain(&p, row, rows_of(&p, tree, 0, row));

        n_best += fabs((double)tree[0].gain - best) <= 1e-4 * (1.0 + best);
        close_plot(&p);
    }
    assert_in_range(n_best, 1, 10);
}

static void features_that_are_not_used_are_not_asked_about(void **state)
{
    struct plot p;
    struct rng r;
    uint8_t is_used[MAX_DIM] = { 0, 0, 0, 1, 0, 1 };

    (void)state;
    for (int way = 0; way < 3; way++) { /* all, one drawn, rows counted */
        size_t n_nodes;
        peck_error err = { 0 };

        open_plot(&p, 300, 6, 30, true, 5);
        p.rule.per_split = way == 1;
        p.rule.min_leaf = way == 2 ? 20 : 1;
        rng_seed(&r, 1, 1);
        assert_ok(grower_open(&p.grower, &p.bins, &p.rule, p.n, NULL, &err), err);
        assert_ok(grower_run(p.grower, &p.gradients, p.row, p.n, is_used, &r, &err), err);
        const struct tree_node *const tree = grower_tree(p.grower, &n_nodes);

        assert_true(n_nodes > 3);
        for (size_t i = 0; i < n_nodes; i++)
            assert_true(tree[i].left == i || is_used[tree[i].feature]);
        close_plot(&p);
    }
}

static void what_cannot_be_split_is_one_leaf(void **state)
{
    struct plot p;
    size_t n_nodes;

    (void)state;
    open_plot(&p, 60, 3, 1, true, 5); /* constant features */
    grow(&p, 1, &n_nodes);
    assert_int_equal(n_nodes, 1);
    close_plot(&p);
    open_plot(&p, 60, 3, 9, true, 5); /* constant targets */
    for (size_t i = 0; i < p.n; i++)
        p.g[i] = 0.25f;
    row_gradients_set(&p.gradients, p.g, NULL);
    grow(&p, 1, &n_nodes);
    assert_int_equal(n_nodes, 1);
    for (size_t i = 0; i < p.n; i++)
        p.g[i] = 0.0f;
    row_gradients_set(&p.gradients, p.g, p.h);
    grow(&p, 1, &n_nodes);
    assert_int_equal(n_nodes, 1);
    close_plot(&p);
    open_plot(&p, 1, 3, 9, false, 5); /* one row */
    grow(&p, 1, &n_nodes);
    assert_int_equal(n_nodes, 1);
    close_plot(&p);
}

/* One tree of one question on some rows of one feature; the data has other rows too. */
static struct tree_node ask_once(const float *x, size_t n_rows, const float *g,
                                 const float *h, const uint32_t *row, size_t n,
                                 struct grow_rule rule)
{
    struct pool *pool = NULL;
    struct bins bins;
    struct row_gradients gradients;
    struct grower *grower;
    peck_error err = { 0 };
    size_t n_nodes;

    rule.leaves = 2;
    assert_ok(pool_new(&pool, 1, &err), err);
    assert_ok(bins_open_rows(&bins, (struct rows){ x, n_rows, 1, 1 }, MAX_BINS, pool, &err),
              err);
    assert_ok(row_gradients_open(&gradients, n_rows, n_rows, &err), err);
    assert_true(row_gradients_set(&gradients, g, h));
    assert_ok(grower_open(&grower, &bins, &rule, n, NULL, &err), err);
    assert_ok(grower_run(grower, &gradients, row, n, NULL, NULL, &err), err);
    const struct tree_node root = grower_tree(grower, &n_nodes)[0];

    assert_int_equal(n_nodes, root.left == 0 ? 1 : 3);
    grower_close(grower);
    row_gradients_close(&gradients);
    bins_close(&bins);
    pool_free(pool);
    return root;
}

/* Rows of the node have a low and a high value; those between are other nodes'. */
static void thresholds_lie_half_way_between_the_values_of_a_node(void **state)
{
    enum { N = 12 };
    static const struct {
        uint32_t low, high;
        double threshold;
    } cases[] = { { 0, 11, 5.5 }, { 0, 10, 4.5 }, { 2, 8, 4.5 }, { 3, 4, 3.5 } };
    float x[N], g[N], h[N];

    (void)state;
    for (size_t k = 0; k < N_OF(cases); k++) {
        const uint32_t row[] = { cases[k].low, cases[k].high };

        for (uint32_t i = 0; i < N; i++) {
            x[i] = (float)i;
            g[i] = i <= cases[k].low ? -1.0f : 1.0f;
            h[i] = 1.0f;
        }
        for (int is_counting = 0; is_counting < 2; is_counting++) {
            const struct tree_node t = ask_once(x, N, g, is_counting ? NULL : h, row, 2,
                                                (struct grow_rule){ .min_leaf = 1 });

            assert_true((double)t.threshold == cases[k].threshold);
        }
    }
}

/* Nobody in the node lacks the feature: who does will go with the heavier side. */
static void what_is_missing_elsewhere_goes_with_the_heavier_side(void **state)
{
    static const struct {
        float weight[4]; /* of the rows 1 2 3 4; the first two go left */
        bool is_right;
    } cases[] = { { { 1, 1, 1, 2 }, true },
                  { { 1, 2, 1, 1 }, false },
                  { { 1, 1, 1, 1 }, false },
                  { { 3, 0.5f, 1, 2.75f }, true } };
    static const float x[] = { NAN, 1, 2, 3, 4 };
    static const uint32_t row[] = { 1, 2, 3, 4 };

    (void)state;
    for (size_t k = 0; k < N_OF(cases); k++) {
        float g[5] = { 0 }, h[5] = { 1 };

        for (size_t i = 0; i < 4; i++) {
            h[i + 1] = cases[k].weight[i];
            g[i + 1] = (i < 2 ? -1.0f : 1.0f) * h[i + 1];
        }
        const struct tree_node t =
            ask_once(x, 5, g, h, row, 4, (struct grow_rule){ .min_leaf = 1 });

        assert_true(t.threshold == 2.5f);
        assert_int_equal(t.is_gap_right, cases[k].is_right);
    }
}

/* In the data's own units, whatever the size of gradients and weights. */
static void a_split_must_gain_more_than_min_gain(void **state)
{
    static const float x[] = { 0, 0, 1, 1 };
    static const uint32_t row[] = { 0, 1, 2, 3 };
    static const double sizes[] = { 1e-4, 1.0, 3000.0 };
    const double l2 = 0.5;

    (void)state;
    for (size_t a = 0; a < N_OF(sizes); a++)
        for (size_t b = 0; b < N_OF(sizes); b++) {
            const double gl = -2.0 * sizes[a], gr = 3.5 * sizes[a], hl = 1.5 * sizes[b],
                         hr = 2.0 * sizes[b];
            const float g[] = { (float)gl, 0, (float)gr, 0 },
                        h[] = { (float)hl, 0, 0, (float)hr };
            const double gain = gl * gl / (hl + l2) + gr * gr / (hr + l2) -
                                (gl + gr) * (gl + gr) / (hl + hr + l2);
            struct grow_rule rule = { .min_leaf = 1, .l2 = l2, .min_gain = 0.999 * gain };
            const struct tree_node t = ask_once(x, 4, g, h, row, 4, rule);

            assert_true(t.left != 0 && fabs((double)t.gain / gain - 1.0) < 1e-4);
            rule.min_gain = 1.001 * gain;
            assert_int_equal(ask_once(x, 4, g, h, row, 4, rule).left, 0);
        }
}

/* Extremes of range keep their order, and no sum overflows. */
static void gradients_of_any_size_have_units(void **state)
{
    enum { N = 4 };
    const float g[N] = { 1e30f, -1e30f, 1e-30f, 0.0f },
                h[N] = { 0.0f, 1e-20f, 1e20f, 1.0f };
    struct row_gradients p;
    peck_error err = { 0 };

    (void)state;
    assert_ok(row_gradients_open(&p, N, N, &err), err);
    row_gradients_set(&p, g, h);
    int64_t sum = 0;

    for (size_t i = 0; i < N; i++)
        sum += p.of[i];
    assert_true(p.of[0] > (int64_t)1 << 61 && p.of[1] < -((int64_t)1 << 61));
    assert_true((double)(sum & 0xffffffff) * p.h_unit > 0.99e20);
    row_gradients_close(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(histograms_find_the_splits_of_an_exact_search),
        cmocka_unit_test(what_is_missing_goes_where_it_gains_most),
        cmocka_unit_test(the_leaf_that_gains_most_is_split_next),
        cmocka_unit_test(level_by_level_the_shallow_come_first),
        cmocka_unit_test(no_leaf_lies_deeper_than_depth),
        cmocka_unit_test(all_ways_to_look_at_all_features_agree),
        cmocka_unit_test(of_equal_columns_the_first_is_asked_about),
        cmocka_unit_test(of_equal_columns_one_is_enough),
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(drawn_features_have_something_to_ask),
        cmocka_unit_test(features_that_are_not_drawn_are_not_asked_about),
        cmocka_unit_test(features_that_are_not_used_are_not_asked_about),
        cmocka_unit_test(what_cannot_be_split_is_one_leaf),
        cmocka_unit_test(thresholds_lie_half_way_between_the_values_of_a_node),
        cmocka_unit_test(what_is_missing_elsewhere_goes_with_the_heavier_side),
        cmocka_unit_test(a_split_must_gain_more_than_min_gain),
        cmocka_unit_test(gradients_of_any_size_have_units),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
