/* test_gaps.c -- class boundaries of an ordered list. */
#include "support/check.h"

#include "base/rng.h"

enum { N = 8 };

static void gaps_are_differences_of_neighbours_in_the_order(void **state)
{
    const double score[] = { 1, 7, 4, 6 };
    const uint32_t order[] = { 1, 3, 2, 0 };
    double gap[3];

    (void)state;
    peck_gaps(score, order, 4, gap, NULL);
    assert_true(gap[0] == 1 && gap[1] == 2 && gap[2] == 3);
}

static void a_peak_is_twice_the_mean_and_above_its_neighbours(void **state)
{
    /*                       gaps:  1   1   9   1   8   8   1; mean 29 / 7 = 4.14 */
    const double score[] = { 29, 28, 27, 18, 17, 9, 1, 0 };
    const uint32_t order[N] = { 0, 1, 2, 3, 4, 5, 6, 7 };
    const unsigned char expected[N - 1] = { 0, 0, 1, 0, 0, 0, 0 };
    const double higher[] = { 31, 30, 29, 20, 19, 10, 1, 0 }; /* 1 1 9 1 9 9 1 */
    const unsigned char first_of_equals[N - 1] = { 0, 0, 1, 0, 1, 0, 0 };
    double gap[N - 1];
    unsigned char is_peak[N - 1];

    (void)state;
    peck_gaps(score, order, N, gap, is_peak);
    assert_memory_equal(is_peak, expected, sizeof expected);
    peck_gaps(higher, order, N, gap, is_peak);
    assert_memory_equal(is_peak, first_of_equals, sizeof is_peak);
}

static void equal_scores_have_no_peak(void **state)
{
    const double score[] = { 2, 2, 2 };
    const uint32_t order[] = { 0, 1, 2 };
    double gap[2];
    unsigned char is_peak[2] = { 9, 9 };

    (void)state;
    peck_gaps(score, order, 3, gap, is_peak);
    assert_true(!is_peak[0] && !is_peak[1]);
}

static void a_list_of_one_has_no_gap(void **state)
{
    const double score[] = { 2 };
    const uint32_t order[] = { 0 };
    double gap[1] = { 77 };
    uint32_t class_at[1];
    peck_error err;

    (void)state;
    peck_gaps(score, order, 1, gap, NULL);
    assert_true(gap[0] == 77);
    assert_ok(peck_classes(gap, 1, 3, class_at, &err), err);
    assert_int_equal(class_at[0], 1);
    assert_ok(peck_classes(gap, 0, 3, class_at, &err), err);
}

static void lists_are_cut_at_the_largest_gaps(void **state)
{
    const double gap[] = { 1, 5, 2, 5, 3 };
    const uint32_t three[] = { 1, 1, 2, 2, 3, 3 }, two[] = { 1, 1, 2, 2, 2, 2 };
    const uint32_t all[] = { 1, 2, 3, 4, 5, 6 };
    uint32_t class_at[6];
    peck_error err;

    (void)state;
    assert_ok(peck_classes(gap, 6, 3, class_at, &err), err);
    assert_memory_equal(class_at, three, sizeof three);
    assert_ok(peck_classes(gap, 6, 2, class_at, &err), err); /* of equal gaps the earlier */
    assert_memory_equal(class_at, two, sizeof two);
    assert_ok(peck_classes(gap, 6, 100, class_at, &err), err);
    assert_memory_equal(class_at, all, sizeof all);
    assert_int_equal(peck_classes(gap, 6, 0, class_at, &err), PECK_ARG);
    assert_failed(err, PECK_ARG, "0 classes");
}

static void a_boundary_between_two_large_gaps_is_cut_once(void **state)
{
    const double gap[] = { 9, 8, 1, 3, 1 };
    const uint32_t three[] = {
        1, 2, 2, 2, 3, 3
    }; /* at 9 and 3: 8 has a larger neighbour */
    const uint32_t four[] = { 1, 2, 3, 3, 4, 4 };
    uint32_t class_at[6];
    peck_error err;

    (void)state;
    assert_ok(peck_classes(gap, 6, 3, class_at, &err), err);
    assert_memory_equal(class_at, three, sizeof three);
    assert_ok(peck_classes(gap, 6, 4, class_at, &err), err); /* no peak is left: then 8 */
    assert_memory_equal(class_at, four, sizeof four);
}

/* Scores of k well-parted groups: the classes are the groups. */
static void groups_that_lie_apart_are_found(void **state)
{
    double score[60], gap[59];
    uint32_t order[60], class_at[60];
    struct rng rng;
    peck_error err;

    (void)state;
    rng_seed(&rng, 3, 1);
    for (int k = 2; k <= 5; k++) {
        for (int i = 0; i < 60; i++) {
            score[i] = 10.0 * (k - i * k / 60) + rng_uniform(&rng);
        }
        for (uint32_t i = 0; i < 60; i++)
            order[i] = i;
        for (int i = 1; i < 60; i++) /* by falling score, the slow way */
            for (int j = i; j > 0 && score[order[j]] > score[order[j - 1]]; j--) {
                const uint32_t swap = order[j];

                order[j] = order[j - 1];
                order[j - 1] = swap;
            }
        peck_gaps(score, order, 60, gap, NULL);
        assert_ok(peck_classes(gap, 60, (size_t)k, class_at, &err), err);
        for (int i = 0; i < 60; i++)
            assert_int_equal(class_at[i], order[i] * (uint32_t)k / 60 + 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gaps_are_differences_of_neighbours_in_the_order),
        cmocka_unit_test(a_peak_is_twice_the_mean_and_above_its_neighbours),
        cmocka_unit_test(equal_scores_have_no_peak),
        cmocka_unit_test(a_list_of_one_has_no_gap),
        cmocka_unit_test(lists_are_cut_at_the_largest_gaps),
        cmocka_unit_test(a_boundary_between_two_large_gaps_is_cut_once),
        cmocka_unit_test(groups_that_lie_apart_are_found),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
