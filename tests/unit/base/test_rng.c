/* test_rng.c -- the random streams: fixed for ever, even, and independent of each other. */
#include "support/check.h"

#include "base/rng.h"

#include <math.h>

/* The step of xoshiro256** as published, written out a second time. */
static uint64_t step(uint64_t s[4])
{
    const uint64_t five = s[1] * 5, result = ((five << 7) | (five >> 57)) * 9,
                   t = s[1] << 17;

    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = (s[3] << 45) | (s[3] >> 19);
    return result;
}

static void the_generator_is_xoshiro256_star_star(void **state)
{
    (void)state;
    struct rng r = { { 1, 2, 3, 4 } };
    uint64_t s[4] = { 1, 2, 3, 4 };

    /* From the state 1, 2, 3, 4 the first two outputs are known. */
    assert_true(rng_u64(&r) == 11520);
    assert_true(rng_u64(&r) == 0);
    step(s), step(s);
    for (int i = 0; i < 1000; i++)
        assert_true(rng_u64(&r) == step(s));
}

/* Files made by `generate` must not change from release to release. */
static void the_same_seed_gives_the_same_numbers_for_ever(void **state)
{
    (void)state;
    struct rng r;

    rng_seed(&r, 17, 3);
    const uint64_t first = rng_u64(&r);

    rng_seed(&r, 17, 3);
    assert_true(rng_u64(&r) == first);
    assert_true(first == 0xDBAA5C438D951008ULL);
    assert_true(mix64(1, 2) == 0xBCD9DBB49673066BULL);
}

static void an_array_is_filled_as_by_single_draws(void **state)
{
    struct rng one, many;
    uint64_t drawn[9];

    (void)state;
    rng_seed(&one, 3, 4);
    rng_seed(&many, 3, 4);
    rng_fill(&many, drawn, 0);
    rng_fill(&many, drawn, 4);
    rng_fill(&many, drawn + 4, 5);
    for (size_t i = 0; i < N_OF(drawn); i++)
        assert_true(drawn[i] == rng_u64(&one));
    assert_true(rng_u64(&many) == rng_u64(&one));
}

static void seeds_and_streams_differ(void **state)
{
    (void)state;
    struct rng a, b;

    for (uint64_t i = 0; i < 1000; i++) {
        rng_seed(&a, i, 5);
        rng_seed(&b, 5, i);
        if (i != 5)
            assert_true(rng_u64(&a) != rng_u64(&b));
        rng_seed(&a, i, 0);
        rng_seed(&b, i + 1, 0);
        assert_true(rng_u64(&a) != rng_u64(&b));
        rng_seed(&a, 0, i);
        rng_seed(&b, 0, i + 1);
        assert_true(rng_u64(&a) != rng_u64(&b));
    }
}

static void uniform_numbers_fill_the_unit_interval(void **state)
{
    (void)state;
    enum { N = 200000 };
    double sum = 0, squares = 0, low = 1, high = 0;
    struct rng r;

    rng_seed(&r, 1, 1);
    for (int i = 0; i < N; i++) {
        const double u = rng_uniform(&r);

        assert_true(u >= 0 && u < 1);
        sum += u;
        squares += u * u;
        low = fmin(low, u);
        high = fmax(high, u);
    }
    assert_true(fabs(sum / N - 0.5) < 0.004 && fabs(squares / N - 1.0 / 3) < 0.004);
    assert_true(low < 1e-3 && high > 1 - 1e-3);
    for (int i = 0; i < 1000; i++) {
        const double v = rng_between(&r, -3, 2);

        assert_true(v >= -3 && v < 2);
    }
}

static void normal_numbers_have_their_moments(void **state)
{
    (void)state;
    enum { N = 200000 };
    double m1 = 0, m2 = 0, m3 = 0, m4 = 0;
    struct rng r;

    rng_seed(&r, 2, 1);
    for (int i = 0; i < N; i++) {
        const double v = rng_normal(&r);

        m1 += v / N;
        m2 += v * v / N;
        m3 += v * v * v / N;
        m4 += v * v * v * v / N;
    }
    assert_true(fabs(m1) < 0.01 && fabs(m2 - 1) < 0.02);
    assert_true(fabs(m3) < 0.05 && fabs(m4 - 3) < 0.15);
}

/* Chi-squared over 7 cells stays below its 0.9999 quantile, 27.9. */
static void numbers_below_n_are_even(void **state)
{
    (void)state;
    enum { N = 70000 };
    size_t count[7] = { 0 };
    double chi = 0;
    struct rng r;

    rng_seed(&r, 3, 1);
    for (int i = 0; i < N; i++)
        count[rng_below(&r, 7)]++;
    for (int k = 0; k < 7; k++) {
        const double off = (double)count[k] - N / 7.0;

        chi += off * off / (N / 7.0);
    }
    assert_true(chi < 27.9);
    for (int i = 0; i < 100; i++) {
        assert_true(rng_below(&r, 1) == 0);
        assert_true(rng_below(&r, UINT64_MAX) < UINT64_MAX);
        assert_true(rng_below(&r, (1ULL << 63) + 1) <= 1ULL << 63);
    }
}

static void shuffles_are_permutations_and_all_of_them(void **state)
{
    (void)state;
    size_t seen[24] = { 0 };
    struct rng r;

    rng_seed(&r, 4, 1);
    for (int i = 0; i < 24000; i++) {
        uint32_t a[4] = { 0, 1, 2, 3 };
        size_t code = 0, bits = 0;

        rng_shuffle(&r, a, 4);
        for (size_t k = 0; k < 4; k++) {
            size_t rank = 0;

            bits |= 1u << a[k];
            for (size_t j = k + 1; j < 4; j++)
                rank += a[j] < a[k];
            code = code * (4 - k) + rank;
        }
        assert_int_equal(bits, 15);
        seen[code]++;
    }
    for (int k = 0; k < 24; k++)
        assert_true(seen[k] > 850 && seen[k] < 1150);
    rng_shuffle(&r, NULL, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_generator_is_xoshiro256_star_star),
        cmocka_unit_test(the_same_seed_gives_the_same_numbers_for_ever),
        cmocka_unit_test(an_array_is_filled_as_by_single_draws),
        cmocka_unit_test(seeds_and_streams_differ),
        cmocka_unit_test(uniform_numbers_fill_the_unit_interval),
        cmocka_unit_test(normal_numbers_have_their_moments),
        cmocka_unit_test(numbers_below_n_are_even),
        cmocka_unit_test(shuffles_are_permutations_and_all_of_them),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
