/* NaN and infinity are found wherever they stand. */
#include "base/finite.h"
#include "support/check.h"

#include <float.h>
#include <math.h>

static void numbers_are_finite(void **state)
{
    const float x[] = { 0.0f, -0.0f, FLT_MAX, -FLT_MAX, FLT_MIN, 1e-45f, -1.0f };

    (void)state;
    assert_true(floats_are_finite(x, N_OF(x)));
    assert_true(floats_are_finite(x, 0));
    assert_true(floats_are_finite(NULL, 0));
}

static void one_bad_number_anywhere_is_found(void **state)
{
    const float bad[] = { NAN, -NAN, INFINITY, -INFINITY };

    (void)state;
    for (size_t n = 1; n < 70; n++) {
        float *const x = calloc(n, sizeof *x);

        for (size_t i = 0; i < n; i++) {
            x[i] = bad[i % N_OF(bad)];
            assert_false(floats_are_finite(x, n));
            x[i] = (float)i - 3.0f;
        }
        assert_true(floats_are_finite(x, n));
        free(x);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_finite),
        cmocka_unit_test(one_bad_number_anywhere_is_found),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
