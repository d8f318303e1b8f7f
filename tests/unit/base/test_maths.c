/* test_maths.c -- functions against libm's long double, and against bits written down on
 * another processor: a difference here is a difference between processors.          */
#include "support/check.h"

#include "base/maths.h"
#include "base/rng.h"
#include "base/vec.h"

#include <math.h>

static double power(double x)
{
    return math_pow(x, -7.3);
}

static long double power_true(long double x)
{
    return powl(x, (long double)-7.3);
}

struct range {
    double low, high;
};

static const struct function {
    const char *name;
    double (*ours)(double x);
    long double (*truth)(long double x);
    double units; /* of the last place that it may be off; 0: see below */
    struct range range, wide;
    uint64_t hash; /* of 100,000 results in the range */
    struct {
        double x, result;
    } kept[6];
} functions[] = {
    { "exp",
      math_exp,
      expl,
      1,
      { -40, 40 },
      { -745.0, 710.0 },
      UINT64_C(0x0a069f3c83f645a5),
      { { 1, 0x1.5bf0a8b145769p+1 },
        { -0.3, 0x1.7b4c869c37c05p-1 },
        { 0.1, 0x1.1aec7b35a00d4p+0 },
        { 700.1, 0x1.058614179b2a5p+1010 },
        { -740.25, 0x0.0000000000042p-1022 },
        { 0.001, 0x1.0041919b7ee34p+0 } } },
    { "exp2",
      math_exp2,
      exp2l,
      1,
      { -40, 40 },
      { -1074.0, 1024.0 },
      UINT64_C(0xefa4b514e6959076),
      { { 0.5, 0x1.6a09e667f3bcdp+0 },
        { -0.3, 0x1.9fdf8bcce533ep-1 },
        { 0.1, 0x1.125fbee250664p+0 },
        { 4.3, 0x1.3b2c47bff8328p+4 },
        { -1070.5, 0x0.000000000000bp-1022 },
        { 0.001, 0x1.002d711c79a96p+0 } } },
    { "log",
      math_log,
      logl,
      1,
      { 0, 10 },
      { 0.0, 1e6 },
      UINT64_C(0x7fefb2abdded2c68),
      { { 2, 0x1.62e42fefa39efp-1 },
        { 0.3, -0x1.34378fcbda721p+0 },
        { 10, 0x1.26bb1bbb55516p+1 },
        { 1e-310, -0x1.64e69394d9508p+9 },
        { 1.0001, 0x1.a368d0657fcd4p-14 },
        { 0.7071, -0x1.62e6b3842a25ep-2 } } },
    { "log1p",
      math_log1p,
      log1pl,
      1,
      { -1, 3 },
      { -1.0, 1e6 },
      UINT64_C(0xf86f82cdea6fc6f4),
      { { 1, 0x1.62e42fefa39efp-1 },
        { -0.3, -0x1.6d3c324e13f4ep-2 },
        { 1e-5, 0x1.4f8aea9ae7317p-17 },
        { 1e10, 0x1.7069e2aa3184ep+4 },
        { 0.5, 0x1.9f323ecbf984cp-2 },
        { -0.999, -0x1.ba18a998fff9fp+2 } } },
    { "log2",
      math_log2,
      log2l,
      1,
      { 0, 10 },
      { 0.0, 1e6 },
      UINT64_C(0x1582814cbb1a1870),
      { { 3, 0x1.95c01a39fbd68p+0 },
        { 0.3, -0x1.bca9c6f53897bp+0 },
        { 10, 0x1.a934f0979a371p+1 },
        { 1e-310, -0x1.01730dabca5f6p+10 },
        { 5, 0x1.2934f0979a371p+1 },
        { 11, 0x1.bacea7c065d42p+1 } } },
    { "log10",
      math_log10,
      log10l,
      1,
      { 0, 10 },
      { 0.0, 1e6 },
      UINT64_C(0xce00897a67b1f3c6),
      { { 2, 0x1.34413509f79ffp-2 },
        { 0.3, -0x1.0bb6c34d81502p-1 },
        { 5, 0x1.65df657b04301p-1 },
        { 1e-310, -0x1.36p+8 },
        { 1.0001, 0x1.6c4b5defc34d7p-15 },
        { 0.7071, -0x1.3443640baac38p-3 } } },
    { "pow",
      power,
      power_true,
      1,
      { 0, 10 },
      { 0.0, 1e6 },
      UINT64_C(0xd1db7fb00f9d99da),
      { { 2, 0x1.9fdf8bcce533ep-8 },
        { 0.3, 0x1.9a1ad48291fcep+12 },
        { 10, 0x1.ae843cfb8a8ep-25 },
        { 1e-30, 0x1.6a9abc9424f99p+727 },
        { 1.0001, 0x1.ffa05b6d43135p-1 },
        { 0.7071, 0x1.91bc34dde6457p+3 } } },
    { "tanh",
      math_tanh,
      tanhl,
      1,
      { -4, 4 },
      { -25.0, 25.0 },
      UINT64_C(0x15088694788f6733),
      { { 1, 0x1.85efab514f394p-1 },
        { -0.3, -0x1.2a4dda7d914fap-2 },
        { 0.1, 0x1.983d7795f413ap-4 },
        { 5, 0x1.fff419668df11p-1 },
        { 1e-5, 0x1.4f8b588e06854p-17 },
        { 20.5, 0x1p+0 } } },
    { "cos",
      math_cos,
      cosl,
      1,
      { -50, 50 },
      { -67e6, 67e6 },
      UINT64_C(0x8790d1e058d399d4),
      { { 1, 0x1.14a280fb5068cp-1 },
        { 1.5, 0x1.21bd54fc5f9a7p-4 },
        { 3, -0x1.fae04be85e5d2p-1 },
        { 1e6, 0x1.df9df9906d32cp-1 },
        { 6e7, -0x1.b7db3aba87be9p-1 },
        { 1e10, 0x1.bf098f6233866p-1 } } },
    { "tan",
      math_tan,
      tanl,
      3,
      { -50, 50 },
      { -67e6, 67e6 },
      UINT64_C(0xc603fbd9b7be6380),
      { { 1, 0x1.8eb245cbee3a5p+0 },
        { 1.5, 0x1.c33ed50b88778p+3 },
        { 3, -0x1.23ef71254b86fp-3 },
        { 1e6, -0x1.7e9768ab734cp-2 },
        { 6e7, 0x1.3107e76766954p-1 },
        { 1e10, -0x1.1ddfefcbda08bp-1 } } },
    { "erfc",
      math_erfc,
      erfcl,
      5,
      { -3, 9 },
      { -7.0, 26.0 },
      UINT64_C(0xb0a2bdf31797ddcb),
      { { 1, 0x1.4226162fbddd4p-3 },
        { -0.3, 0x1.5420e22077a84p+0 },
        { 0.1, 0x1.c66b42bb6099ap-1 },
        { 5, 0x1.b0c1a759f7738p-40 },
        { 1e-5, 0x1.fffe8560f7b4ap-1 },
        { 20.5, 0x1.6fb3ff8ccf41cp-612 } } },
    { "log_gamma",
      math_log_gamma,
      lgammal,
      0,
      { 0, 40 },
      { 0.0, 1e4 },
      UINT64_C(0xb2129296af92e958),
      { { 0.5, 0x1.250d048e7a1bp-1 },
        { 2.5, 0x1.2383e809a67cp-2 },
        { 0.1, 0x1.2058e35f3deecp+1 },
        { 5, 0x1.96ca77c922cfcp+1 },
        { 1e-5, 0x1.7069d68f4ec82p+3 },
        { 200.5, 0x1.ae4a85a50510ep+9 } } },
};

/* How far off, in units of the last place of the right double. */
static double units_off(double got, long double right)
{
    const double near = (double)right, size = fabs(near);

    if (isnan(near) || isinf(near))
        return isnan(near) ? (isnan(got) ? 0.0 : INFINITY) : got == near ? 0.0 : INFINITY;
    const double unit = size < 0x1p-1022 ? 0x1p-1074 : nextafter(size, INFINITY) - size;

    return (double)(fabsl((long double)got - right) / (long double)unit);
}

static void check_value(const struct function *f, double x)
{
    const double got = f->ours(x);
    const long double right = f->truth((long double)x);

    if (f->units > 0.0 ? units_off(got, right) <= f->units
                       : fabsl((long double)got - right) <= 1e-14L * fmaxl(1, fabsl(right)))
        return;
    fail_msg("%s(%a) is %a, not %La", f->name, x, got, right);
}

static void functions_are_near_the_truth(void **state)
{
    struct rng r;

    (void)state;
    for (size_t k = 0; k < N_OF(functions); k++) {
        const struct function *const f = &functions[k];

        rng_seed(&r, 7, k);
        for (int i = 0; i < 50000; i++) {
            check_value(f, rng_between(&r, f->range.low, f->range.high));
            check_value(f, rng_between(&r, f->wide.low, f->wide.high));
            /* near 0 and near 1, where digits may go lost */
            const double tiny = ldexp(rng_uniform(&r), -(int)rng_below(&r, 60));

            check_value(f, tiny);
            check_value(f, 1.0 + tiny);
            check_value(f, 1.0 - 0.5 * tiny);
        }
    }
}

static uint64_t add_to_hash(uint64_t hash, const void *bytes, size_t n)
{
    uint64_t word = 0;

    memcpy(&word, bytes, n);
    return (hash ^ word) * UINT64_C(1099511628211);
}

static void bits_are_those_of_any_processor(void **state)
{
    struct rng r;

    (void)state;
    for (size_t k = 0; k < N_OF(functions); k++) {
        const struct function *const f = &functions[k];
        uint64_t hash = UINT64_C(14695981039346656037);

        for (size_t i = 0; i < N_OF(f->kept); i++)
            if (!same_double(f->ours(f->kept[i].x), f->kept[i].result))
                fail_msg("%s(%a) is %a here, %a elsewhere", f->name, f->kept[i].x,
                         f->ours(f->kept[i].x), f->kept[i].result);
        rng_seed(&r, 1, 0);
        for (int i = 0; i < 100000; i++) {
            const double y = f->ours(rng_between(&r, f->range.low, f->range.high));

            hash = add_to_hash(hash, &y, sizeof y);
        }
        if (hash != f->hash)
            fail_msg("%s: hash 0x%016llx", f->name, (unsigned long long)hash);
    }
}

static void loops_over_floats_have_them_too(void **state)
{
    static const struct {
        void (*curve)(float *x, size_t n);
        float low;
        uint64_t hash;
    } loop[] = { { vec_exp, -30, UINT64_C(0x32825e06e6d5bbe8) },
                 { vec_tanh, -30, UINT64_C(0x4233a0c18751491c) },
                 { vec_sigmoid, -30, UINT64_C(0x68637fa1f2237128) },
                 { vec_log1p, 0, UINT64_C(0x254d715f8add7773) } };
    struct rng r;

    (void)state;
    for (size_t k = 0; k < N_OF(loop); k++) {
        uint64_t hash = UINT64_C(14695981039346656037);

        rng_seed(&r, 1, 0);
        for (int i = 0; i < 10000; i++) {
            float x[7];

            for (size_t j = 0; j < N_OF(x); j++)
                x[j] = (float)rng_between(&r, loop[k].low, 30);
            loop[k].curve(x, N_OF(x));
            for (size_t j = 0; j < N_OF(x); j++)
                hash = add_to_hash(hash, &x[j], sizeof x[j]);
        }
        if (hash != loop[k].hash)
            fail_msg("loop %zu: hash 0x%016llx", k, (unsigned long long)hash);
    }
}

static void edges_are_those_of_the_standard(void **state)
{
    static const double edge[] = { 0.0,   -0.0,      INFINITY,   -INFINITY,
                                   NAN,   0x1p-1074, -0x1p-1074, 1.0,
                                   -1.0,  0x1p-1022, 1e308,      -1e308,
                                   709.8, -745.2,    1024.0,     -1075.5 };

    (void)state;
    for (size_t i = 0; i < N_OF(edge); i++) {
        const double x = edge[i];

        for (size_t k = 0; k < N_OF(functions); k++) {
            const bool is_turned = functions[k].ours == math_cos && fabs(x) > 0x1p26;

            if (functions[k].units <= 1.0 && functions[k].units > 0.0 && !is_turned &&
                !(functions[k].ours == power && signbit(x)))
                check_value(&functions[k], x);
        }
        assert_true(signbit(math_tanh(x)) == signbit(tanh(x)) || isnan(x));
        assert_true(signbit(math_log1p(x)) == signbit(log1p(x)) || !(x > -1.0));
        for (size_t j = 0; j < N_OF(edge) && !signbit(x); j++)
            if (units_off(math_pow(x, edge[j]),
                          powl((long double)x, (long double)edge[j])) > 1.0)
                fail_msg("pow(%a, %a) is %a", x, edge[j], math_pow(x, edge[j]));
    }
    assert_true(isnan(math_cos(INFINITY)) && isnan(math_cos(NAN)));
    assert_true(math_erfc(30.0) == 0.0 && math_erfc(-30.0) == 2.0 && math_erfc(0.0) == 1.0);
    assert_true(math_erfc(INFINITY) == 0.0 && math_erfc(-INFINITY) == 2.0);
    assert_true(isnan(math_erfc(NAN)) && isnan(math_log_gamma(0.0)));
}

static void what_a_double_holds_is_exact(void **state)
{
    (void)state;
    for (int k = -1074; k < 1024; k++) {
        const double two = ldexp(1.0, k);

        assert_true(math_exp2(k) == two && math_pow(2.0, k) == two);
        assert_true(math_log2(two) == k);
    }
    for (int k = 0; k <= 22; k++) {
        const double ten = strtod(
            (char[]){ '1', 'e', (char)('0' + k / 10), (char)('0' + k % 10), '\0' }, NULL);

        assert_true(math_pow(10.0, k) == ten && math_log10(ten) == k);
    }
    for (int x = 0; x < 1500; x++)
        assert_true(math_pow(x, 1.0) == x && math_pow(x, 2.0) == (double)x * x &&
                    math_pow(x, 3.0) == (double)x * x * x &&
                    math_pow((double)x * x, 0.5) == x);
    assert_true(math_exp(0.0) == 1.0 && math_log(1.0) == 0.0 && math_cos(0.0) == 1.0);
}

static void exponentials_of_many_are_those_of_each(void **state)
{
    double x[1001], y[1001]; /* no whole number of vectors */

    (void)state;
    for (int i = 0; i < 1001; i++)
        x[i] = y[i] = (i - 500) * 1.49137;
    math_exp_each(y, 1001);
    for (int i = 0; i < 1001; i++)
        assert_true(y[i] == math_exp(x[i]));
}

static void of_equal_ones_the_second_is_taken(void **state)
{
    (void)state;
    assert_true(math_max(1.0, 2.0) == 2.0 && math_max(2.0, 1.0) == 2.0);
    assert_true(math_min(1.0, 2.0) == 1.0 && math_min(2.0, 1.0) == 1.0);
    assert_true(signbit(math_max(0.0, -0.0)) && !signbit(math_max(-0.0, 0.0)));
    assert_true(signbit(math_min(0.0, -0.0)) && !signbit(math_min(-0.0, 0.0)));
    assert_true(math_max(NAN, 1.0) == 1.0 && math_max(1.0, NAN) == 1.0);
    assert_true(math_min(NAN, 1.0) == 1.0 && math_min(1.0, NAN) == 1.0);
    assert_true(isnan(math_max(NAN, NAN)) && isnan(math_min(NAN, NAN)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exponentials_of_many_are_those_of_each),
        cmocka_unit_test(of_equal_ones_the_second_is_taken),
        cmocka_unit_test(bits_are_those_of_any_processor),
        cmocka_unit_test(loops_over_floats_have_them_too),
        cmocka_unit_test(edges_are_those_of_the_standard),
        cmocka_unit_test(what_a_double_holds_is_exact),
        cmocka_unit_test(functions_are_near_the_truth),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
