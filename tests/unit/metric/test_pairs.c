/* test_pairs.c -- the tree against the two loops it stands for. */
#include "metric/metric.h"
#include "base/rng.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { N = 300 };

static struct pairs count_slowly(const double *score, const uint32_t *grade,
                                 const double *weight, uint32_t n)
{
    struct pairs p = { 0 };

    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = i + 1; j < n; j++) {
            const double w = weight[i] * weight[j];

            p.all += w;
            p.score_differ += score[i] != score[j] ? w : 0;
            p.differ += grade[i] != grade[j] ? w : 0;
            if (grade[i] == grade[j])
                continue;
            if (score[i] == score[j])
                p.tied += w;
            else if (grade[i] < grade[j])
                p.right += w;
            else
                p.wrong += w;
        }
    return p;
}

static void assert_near(double a, double b)
{
    if (!(fabs(a - b) <= 1e-11 * fmax(1, b)))
        fail_msg("%.17g is not %.17g", a, b);
}

static void the_tree_counts_what_two_loops_count(void **state)
{
    const uint32_t n_grades[] = { 1, 2, 5, 64, N };
    double score[N], weight[N], tree[N + 1], seen[N + 1], level[N + 1] = { 0 };
    uint32_t grade[N];
    struct rng rng;

    (void)state;
    rng_seed(&rng, 1, 2);
    for (int round = 0; round < 100; round++) {
        const uint32_t n = (uint32_t)rng_below(&rng, N) + 1, g = n_grades[round % 5];
        const bool is_weighted = round % 2 == 1;

        for (uint32_t i = 0; i < n; i++) {
            /* Falling, in runs of equal scores. */
            score[i] = i > 0 && rng_below(&rng, 3) == 0 ? score[i - 1] : -(double)i;
            grade[i] = (uint32_t)rng_below(&rng, g);
            weight[i] = is_weighted ? rng_between(&rng, 0.1, 4) : 1;
        }
        const struct pairs fast =
            pairs_count(score, grade, weight, n, g, tree, seen, level);
        const struct pairs slow = count_slowly(score, grade, weight, n);

        assert_near(fast.right, slow.right);
        assert_near(fast.wrong, slow.wrong);
        assert_near(fast.tied, slow.tied);
        assert_near(fast.differ, slow.differ);
        assert_near(fast.score_differ, slow.score_differ);
        assert_near(fast.all, slow.all);
        for (uint32_t i = 0; i <= g; i++)
            assert_true(level[i] == 0);
    }
}

static void equal_labels_make_no_pairs_whatever_they_weigh(void **state)
{
    const double score[3] = { 3, 2, 2 }, weight[3] = { 0.1, 0.2, 0.7 };
    const uint32_t grade[3] = { 0 };
    double tree[2], seen[2], level[2] = { 0 };
    const struct pairs p = pairs_count(score, grade, weight, 3, 1, tree, seen, level);

    (void)state;
    assert_true(p.differ == 0);
    assert_true(p.right == 0);
    assert_true(p.all > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_tree_counts_what_two_loops_count),
        cmocka_unit_test(equal_labels_make_no_pairs_whatever_they_weigh),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
