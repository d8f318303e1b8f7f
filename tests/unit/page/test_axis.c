/* test_axis.c -- scales with round ticks. */
#include "support/check.h"

#include "page/plot.h"

#include <math.h>

static struct axis fitted(enum axis_scale scale, double low, double high, size_t wanted)
{
    struct axis a = { .from = 10, .to = 110 };

    axis_fit(&a, scale, low, high, wanted);
    return a;
}

static void assert_label(const struct axis *a, double tick, const char *expected)
{
    struct text t;

    text_init(&t, 100);
    axis_label(a, tick, &t);
    assert_string_equal(t.s, expected);
    text_free(&t);
}

/* Steps are 1, 2 or 5 times a power of ten, and every tick is a multiple of its step. */
static void ticks_are_round_and_cover_the_values(void **state)
{
    static const double range[][2] = { { 0, 1 },       { 0.4751, 0.5372 }, { -0.5, 0.36 },
                                       { 3, 3000000 }, { 1e-7, 2e-7 },     { -12, -11 } };

    (void)state;
    for (size_t i = 0; i < N_OF(range); i++) {
        const struct axis a = fitted(AXIS_LINEAR, range[i][0], range[i][1], 5);
        const double step = a.tick[1] - a.tick[0];
        const double lead = step / pow(10, floor(log10(step) + 1e-9));

        assert_true(a.low <= range[i][0] + 1e-12 * fabs(range[i][0]));
        assert_true(a.high >= range[i][1] - 1e-12 * fabs(range[i][1]));
        assert_in_range(a.n_ticks, 3, 8);
        assert_true(fabs(lead - 1) < 1e-6 || fabs(lead - 2) < 1e-6 ||
                    fabs(lead - 5) < 1e-6);
        assert_true(fabs(a.tick[0] - a.low) < 1e-9 * step);
        assert_true(fabs(a.tick[a.n_ticks - 1] - a.high) < 1e-6 * step);
    }
}

static void a_single_value_has_room_around_it(void **state)
{
    static const double value[] = { 0, 5, -0.25, 1e9 };

    (void)state;
    for (size_t i = 0; i < N_OF(value); i++) {
        const struct axis a = fitted(AXIS_LINEAR, value[i], value[i], 5);
        const double at = axis_place(&a, value[i]);

        assert_true(a.low < value[i] && value[i] < a.high);
        assert_true(at > a.from && at < a.to);
    }
}

static void whole_numbers_have_no_ticks_between_them(void **state)
{
    const struct axis a = fitted(AXIS_WHOLE, 1, 4, 10), b = fitted(AXIS_WHOLE, 1, 784, 6);

    (void)state;
    assert_int_equal(a.n_ticks, 4);
    assert_true(a.tick[0] == 1 && a.tick[3] == 4);
    assert_true(a.low == 1 && a.high == 4);
    assert_true(b.tick[0] == 200 && b.tick[1] == 400);
    assert_label(&b, 200, "200");
}

static void a_log_scale_ends_at_powers_of_ten(void **state)
{
    const struct axis a = fitted(AXIS_LOG, 2e4, 9e7, 6), b = fitted(AXIS_LOG, 3, 40, 6);

    (void)state;
    assert_true(fabs(a.low - 1e4) < 1e-6 && fabs(a.high - 1e8) < 1e-3);
    assert_int_equal(a.n_ticks, 5);
    assert_true(fabs(axis_place(&a, 1e6) - 60) < 1e-9);
    assert_true(fabs(b.low - 1) < 1e-12 && fabs(b.high - 100) < 1e-9);
    assert_int_equal(b.n_ticks, 7); /* 1 2 5 10 20 50 100 */
    assert_label(&a, 1e4, "10k");
    assert_label(&a, 1e8, "100M");
    assert_label(&a, 1e9, "1G");
    assert_label(&a, 2e10, "20G");
    assert_label(&b, 5, "5");
}

static void places_never_leave_the_picture(void **state)
{
    const struct axis a = fitted(AXIS_LINEAR, 0, 1, 5), b = fitted(AXIS_LOG, 1, 100, 5);

    (void)state;
    assert_true(axis_place(&a, -3) == 10 && axis_place(&a, 9) == 110);
    assert_true(axis_place(&b, 0) == 10 && axis_place(&b, 1e9) == 110);
    assert_true(fabs(axis_place(&a, 0.5) - 60) < 1e-9);
}

static void labels_have_the_digits_of_their_step(void **state)
{
    const struct axis a = fitted(AXIS_LINEAR, 0.4751, 0.5372, 5);
    const struct axis b = fitted(AXIS_LINEAR, 0, 16000, 5);

    (void)state;
    assert_label(&a, 0.48, "0.48");
    assert_label(&b, 5000, "5000");
    assert_label(&b, 15000, "15k");
    assert_label(&b, 0, "0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ticks_are_round_and_cover_the_values),
        cmocka_unit_test(a_single_value_has_room_around_it),
        cmocka_unit_test(whole_numbers_have_no_ticks_between_them),
        cmocka_unit_test(a_log_scale_ends_at_powers_of_ten),
        cmocka_unit_test(places_never_leave_the_picture),
        cmocka_unit_test(labels_have_the_digits_of_their_step),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
