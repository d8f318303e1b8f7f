/* test_draw.c -- short numbers, the quick bell curve, cut points. */
#include "synth/draw.h"
#include "unit/synth/collect.h"

static void rounding_keeps_the_asked_decimals(void **state)
{
    (void)state;
    assert_true(draw_round(0.123456789, 1e4) == 0.1235f);
    assert_true(draw_round(-7.5004, 1e3) == -7.5f);
}

static void rows_stay_inside_their_range(void **state)
{
    float x[1000], lo = 1e9f, hi = -1e9f;
    struct rng r;

    (void)state;
    rng_seed(&r, 1, 0);
    draw_row(&r, x, 1000, -2.0, 3.0);
    for (size_t i = 0; i < 1000; i++) {
        lo = fminf(lo, x[i]);
        hi = fmaxf(hi, x[i]);
    }
    assert_true(lo >= -2.0f && lo < -1.9f && hi <= 3.0f && hi > 2.9f);
}

static void the_bell_has_mean_0_and_deviation_1(void **state)
{
    enum { N = 200000 };
    double sum = 0.0, square = 0.0, beyond = 0.0;
    struct rng r;

    (void)state;
    rng_seed(&r, 2, 0);
    for (size_t i = 0; i < N; i++) {
        const double v = draw_bell(&r);

        sum += v;
        square += v * v;
        beyond += fabs(v) > 1.0;
    }
    assert_true(fabs(sum / N) < 0.01);
    assert_true(fabs(square / N - 1.0) < 0.01);
    assert_true(fabs(beyond / N - 0.32) < 0.02); /* 0.317 for the normal curve */
}

static void equal_shares_cut_equally(void **state)
{
    const double value[] = { 5, 1, 4, 2, 3, 6 };
    struct cuts c;

    (void)state;
    assert_int_equal(cuts_place(&c, 3, NULL, value, 6, NULL), PECK_OK);
    assert_int_equal(cuts_grade(&c, 1), 0);
    assert_int_equal(cuts_grade(&c, 2), 0);
    assert_int_equal(cuts_grade(&c, 3), 1);
    assert_int_equal(cuts_grade(&c, 4), 1);
    assert_int_equal(cuts_grade(&c, 5), 2);
    assert_int_equal(cuts_grade(&c, 100), 2);
    assert_int_equal(cuts_grade(&c, -100), 0);
}

static void given_shares_are_met(void **state)
{
    const double share[] = { 0.7, 0.2, 0.1 };
    double value[1000], seen[3] = { 0 };
    struct cuts c;
    struct rng r;

    (void)state;
    rng_seed(&r, 3, 0);
    for (size_t i = 0; i < 1000; i++)
        value[i] = rng_normal(&r);
    assert_int_equal(cuts_place(&c, 3, share, value, 1000, NULL), PECK_OK);
    for (size_t i = 0; i < 1000; i++)
        seen[cuts_grade(&c, value[i])] += 0.001;
    for (size_t g = 0; g < 3; g++)
        assert_true(fabs(seen[g] - share[g]) < 0.0021);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rounding_keeps_the_asked_decimals),
        cmocka_unit_test(rows_stay_inside_their_range),
        cmocka_unit_test(the_bell_has_mean_0_and_deviation_1),
        cmocka_unit_test(equal_shares_cut_equally),
        cmocka_unit_test(given_shares_are_met),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
