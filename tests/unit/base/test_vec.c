/* test_vec.c -- sums against plain loops in double, curves against libm in double. */
#include "support/check.h"

#include "base/curves.h"
#include "base/rng.h"
#include "base/vec.h"

#include <float.h>
#include <math.h>

static float *random_floats(struct rng *r, size_t n)
{
    float *const x = malloc((n + 1) * sizeof *x);

    assert_non_null(x);
    for (size_t i = 0; i < n; i++)
        x[i] = (float)rng_between(r, -1.0, 1.0);
    return x;
}

enum { GUARD = 77 }; /* what must not be written over */

/* Sums ----------------------------------------------------------------------------- */

static void sums_are_in_double_for_every_length(void **state)
{
    struct rng r;

    (void)state;
    rng_seed(&r, 4, 0);
    float *const x = random_floats(&r, 100), *const y = random_floats(&r, 100);

    for (size_t n = 0; n <= 100; n++) {
        double sum = 0.0, dot = 0.0;

        for (size_t i = 0; i < n; i++) {
            sum += x[i];
            dot += (double)x[i] * y[i];
        }
        assert_true(fabs(vec_sum(x, n) - sum) <= 1e-13);
        assert_true(fabs(vec_dot(x, y, n) - dot) <= 1e-13);
    }
    free(x);
    free(y);
}

static void a_small_number_beside_a_huge_one_counts(void **state)
{
    float x[17] = { 1e8f, 1.0f }, ones[17];

    (void)state;
    for (size_t i = 0; i < N_OF(ones); i++)
        ones[i] = 1.0f;
    x[16] = -1e8f;
    assert_true(vec_sum(x, N_OF(x)) == 1.0);
    assert_true(vec_dot(x, ones, N_OF(x)) == 1.0);
}

static void axpy_adds_and_stays_inside(void **state)
{
    (void)state;
    for (size_t n = 0; n <= 40; n++) {
        float x[41], y[41];

        for (size_t i = 0; i <= 40; i++) {
            x[i] = (float)i;
            y[i] = GUARD;
        }
        vec_axpy(n, 2.0f, x, y);
        for (size_t i = 0; i <= 40; i++)
            assert_true(y[i] == (i < n ? GUARD + 2 * (float)i : GUARD));
    }
}

/* Curves --------------------------------------------------------------------------- */

static double sigmoid(double x)
{
    return x < 0 ? exp(x) / (1 + exp(x)) : 1 / (1 + exp(-x));
}

/* How far off, in units of the last place of a float as large as `want`. */
static double units(float got, double want)
{
    int e;

    if (isinf(got) || fabs(want) > FLT_MAX)
        return fabs((double)got) >= FLT_MAX && fabs(want) >= FLT_MAX * (1 - FLT_EPSILON)
                   ? 0.0
                   : INFINITY;
    (void)frexp(want, &e);
    return fabs(got - want) / ldexp(1.0, (e < -125 ? -125 : e) - 24);
}

struct curve {
    const char *name;
    void (*fast)(float *x, size_t n);
    double (*slow)(double x);
    bool is_for_negative;
};

static const struct curve curves[] = {
    { "exp", vec_exp, exp, true },
    { "tanh", vec_tanh, tanh, true },
    { "sigmoid", vec_sigmoid, sigmoid, true },
    { "log1p", vec_log1p, log1p, false },
};

enum { SWEEP = 1000 };

static void check_curve(const struct curve *c, const float *x)
{
    float y[SWEEP];

    memcpy(y, x, sizeof y);
    c->fast(y, SWEEP);
    for (size_t i = 0; i < SWEEP; i++)
        if (!(units(y[i], c->slow(x[i])) <= 2.0))
            fail_msg("%s(%.9g) is %.9g, not %.9g", c->name, x[i], y[i], c->slow(x[i]));
}

static void curves_hold_over_all_finite_floats(void **state)
{
    const uint32_t step = 4093; /* a prime: a million of the 2^32 bit patterns */
    float x[SWEEP];

    (void)state;
    for (size_t c = 0; c < N_OF(curves); c++)
        for (uint64_t bits = 0; bits < UINT32_MAX;) {
            for (size_t i = 0; i < SWEEP; i++, bits += step) {
                const float v = float_of((uint32_t)bits);

                x[i] = !isfinite(v) ? 0.0f : curves[c].is_for_negative ? v : fabsf(v);
            }
            check_curve(&curves[c], x);
        }
}

static void curves_hold_where_nets_use_them(void **state)
{
    struct rng r;
    float x[SWEEP];

    (void)state;
    rng_seed(&r, 5, 0);
    for (size_t c = 0; c < N_OF(curves); c++)
        for (int round = 0; round < 300; round++) {
            const double width = round % 3 == 0 ? 1.0 : round % 3 == 1 ? 10.0 : 110.0;

            for (size_t i = 0; i < SWEEP; i++)
                x[i] =
                    (float)rng_between(&r, curves[c].is_for_negative ? -width : 0, width);
            check_curve(&curves[c], x);
        }
}

static float one(void (*curve)(float *x, size_t n), float x)
{
    curve(&x, 1);
    return x;
}

static void curves_are_exact_at_0_and_saturate(void **state)
{
    (void)state;
    assert_true(one(vec_exp, 0.0f) == 1.0f && one(vec_exp, -0.0f) == 1.0f);
    assert_true(same_float(one(vec_tanh, 0.0f), 0.0f));
    assert_true(same_float(one(vec_tanh, -0.0f), -0.0f));
    assert_true(one(vec_sigmoid, 0.0f) == 0.5f && one(vec_sigmoid, -0.0f) == 0.5f);
    assert_true(same_float(one(vec_log1p, 0.0f), 0.0f));
    assert_true(one(vec_exp, FLT_MAX) == INFINITY && one(vec_exp, -FLT_MAX) == 0.0f);
    assert_true(one(vec_tanh, FLT_MAX) == 1.0f && one(vec_tanh, -FLT_MAX) == -1.0f);
    assert_true(one(vec_sigmoid, FLT_MAX) == 1.0f && one(vec_sigmoid, -FLT_MAX) == 0.0f);
}

static void tanh_is_odd_bit_by_bit(void **state)
{
    struct rng r;

    (void)state;
    rng_seed(&r, 6, 0);
    for (int i = 0; i < 100000; i++) {
        const float x = (float)(rng_normal(&r) * exp(rng_between(&r, -20, 5)));

        assert_true(same_float(one(vec_tanh, -x), -one(vec_tanh, x)));
    }
}

/* In the middle of a block, in the rest behind the last block, alone: the same bits. */
static void a_value_does_not_depend_on_its_place(void **state)
{
    float x[75];

    (void)state;
    for (size_t c = 0; c < N_OF(curves); c++)
        for (size_t n = 0; n <= 70; n++) {
            for (size_t i = 0; i < N_OF(x); i++)
                x[i] = 0.37f * (float)i;
            curves[c].fast(x, n);
            for (size_t i = 0; i < N_OF(x); i++) {
                const float raw = 0.37f * (float)i;

                assert_true(same_float(x[i], i < n ? one(curves[c].fast, raw) : raw));
            }
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_in_double_for_every_length),
        cmocka_unit_test(a_small_number_beside_a_huge_one_counts),
        cmocka_unit_test(axpy_adds_and_stays_inside),
        cmocka_unit_test(curves_hold_over_all_finite_floats),
        cmocka_unit_test(curves_hold_where_nets_use_them),
        cmocka_unit_test(curves_are_exact_at_0_and_saturate),
        cmocka_unit_test(tanh_is_odd_bit_by_bit),
        cmocka_unit_test(a_value_does_not_depend_on_its_place),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
