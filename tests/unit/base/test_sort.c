/* test_sort.c -- the one tie rule: higher first, equals keep their order. */
#include "support/check.h"

#include "base/rng.h"
#include "base/sort.h"

#include <float.h>
#include <math.h>

enum { MOST = 3000 };

/* The slow twin: for each place, the first of the largest that are left. */
static void order_slowly(const double *score, uint32_t n, uint32_t *order)
{
    bool *const taken = calloc(n + 1, 1);

    assert_non_null(taken);
    for (uint32_t k = 0; k < n; k++) {
        uint32_t best = n;

        for (uint32_t i = 0; i < n; i++)
            if (!taken[i] && (best == n || score[i] > score[best]))
                best = i;
        taken[best] = true;
        order[k] = best;
    }
    free(taken);
}

static void check_order(const double *score, uint32_t n)
{
    uint32_t *const fast = calloc(n + 1, sizeof *fast), *const slow =
                                                            calloc(n + 1, sizeof *slow);
    struct sort_item *const scratch = calloc(2 * n + 1, sizeof *scratch);

    assert_true(fast != NULL && slow != NULL && scratch != NULL);
    order_desc(score, n, fast, scratch);
    order_slowly(score, n, slow);
    if (memcmp(fast, slow, n * sizeof *fast) != 0)
        fail_msg("%u scores are ordered differently", n);
    free(fast);
    free(slow);
    free(scratch);
}

static void random_scores_are_ordered_like_the_twin(void **state)
{
    (void)state;
    double score[300];
    struct rng r;

    rng_seed(&r, 1, 0);
    for (uint32_t n = 0; n <= 300; n++)
        for (int kind = 0; kind < 4; kind++) {
            for (uint32_t i = 0; i < n; i++)
                score[i] = kind == 0   ? rng_normal(&r) * 1e6
                           : kind == 1 ? (double)rng_below(&r, 4) - 2
                           : kind == 2 ? (double)i
                                       : -(double)(i / 3);
            check_order(score, n);
        }
}

static void long_lists_are_ordered_like_the_twin(void **state)
{
    (void)state;
    double *const score = calloc(MOST, sizeof *score);
    struct rng r;

    rng_seed(&r, 2, 0);
    for (uint32_t i = 0; i < MOST; i++)
        score[i] = (double)rng_below(&r, 500) / 7.0;
    check_order(score, MOST);
    check_order(score, 2048);
    check_order(score, 2049);
    free(score);
}

static void ties_keep_input_order(void **state)
{
    (void)state;
    const double score[] = { 1, 2, 1, 2, 1, 2 };
    const uint32_t right[] = { 1, 3, 5, 0, 2, 4 };
    struct sort_item scratch[12];
    uint32_t order[6];

    order_desc(score, 6, order, scratch);
    assert_memory_equal(order, right, sizeof right);
}

static void zeros_of_both_signs_are_ties(void **state)
{
    (void)state;
    const double score[] = { -0.0, 0.0, -0.0, 0.0, DBL_TRUE_MIN, -DBL_TRUE_MIN };
    const uint32_t right[] = { 4, 0, 1, 2, 3, 5 };
    struct sort_item scratch[12];
    uint32_t order[6];

    order_desc(score, 6, order, scratch);
    assert_memory_equal(order, right, sizeof right);
}

static void keys_fall_as_values_rise(void **state)
{
    (void)state;
    const double rising[] = { -HUGE_VAL,    -DBL_MAX, -1.5, -1,  -DBL_MIN, -DBL_TRUE_MIN, 0,
                              DBL_TRUE_MIN, DBL_MIN,  1,    1.5, DBL_MAX,  HUGE_VAL };

    for (size_t i = 1; i < N_OF(rising); i++)
        assert_true(key_desc(rising[i]) < key_desc(rising[i - 1]));
    assert_true(key_desc(0.0) == key_desc(-0.0));
}

static void items_are_sorted_stably_by_key(void **state)
{
    (void)state;
    struct sort_item *const item = calloc(MOST, sizeof *item), *const tmp = calloc(
                                                                   MOST, sizeof *tmp);
    struct rng r;

    rng_seed(&r, 3, 0);
    for (size_t n = 0; n < MOST; n += 1 + n / 5) {
        for (size_t i = 0; i < n; i++)
            item[i] = (struct sort_item){ rng_below(&r, 50) << 58 | 1, (uint32_t)i };
        sort_items(item, n, tmp);
        for (size_t i = 1; i < n; i++)
            assert_true(item[i - 1].key < item[i].key || (item[i - 1].key == item[i].key &&
                                                          item[i - 1].from < item[i].from));
    }
    free(item);
    free(tmp);
}

static void floats_rise_and_none_is_lost(void **state)
{
    float *const x = calloc(MOST, sizeof *x);
    uint32_t *const room = calloc(2 * MOST, sizeof *room);
    struct rng r;

    (void)state;
    rng_seed(&r, 5, 0);
    for (size_t n = 0; n < MOST; n += 1 + n / 3) {
        double before = 0.0, after = 0.0;

        for (size_t i = 0; i < n; i++) {
            x[i] = (float)(rng_normal(&r) * exp(20.0 * rng_normal(&r)));
            x[i] = i % 7 == 0 ? 0.0f : i % 7 == 1 ? -0.0f : x[i];
            before += log(fabs((double)x[i]) + 1.0) * (x[i] < 0.0f ? 3.0 : 1.0);
        }
        sort_floats(x, n, room);
        for (size_t i = 0; i < n; i++) {
            after += log(fabs((double)x[i]) + 1.0) * (x[i] < 0.0f ? 3.0 : 1.0);
            assert_true(
                i == 0 || x[i - 1] < x[i] ||
                (x[i - 1] == x[i] && (signbit(x[i - 1]) != 0) >= (signbit(x[i]) != 0)));
        }
        assert_true(fabs(before - after) <= 1e-9 * (1.0 + fabs(before)));
    }
    free(x);
    free(room);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_scores_are_ordered_like_the_twin),
        cmocka_unit_test(long_lists_are_ordered_like_the_twin),
        cmocka_unit_test(ties_keep_input_order),
        cmocka_unit_test(zeros_of_both_signs_are_ties),
        cmocka_unit_test(keys_fall_as_values_rise),
        cmocka_unit_test(items_are_sorted_stably_by_key),
        cmocka_unit_test(floats_rise_and_none_is_lost),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
