/* test_signif.c -- p values against closed forms, enumeration and textbook examples. */
#include "metric/signif.h"
#include "base/rng.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define PI 3.14159265358979323846

static void assert_near(double a, double b, double by)
{
    if (!(fabs(a - b) <= by))
        fail_msg("%.17g is not %.17g", a, b);
}

static void student_equals_its_closed_forms(void **state)
{
    (void)state;
    for (double t = 0; t < 30; t += 0.37) {
        const double u = 1 + t * t / 4;

        assert_near(student_p(t, 1), 1 - 2 / PI * atan(t), 1e-13);
        assert_near(student_p(-t, 2), 1 - t / sqrt(2 + t * t), 1e-13);
        assert_near(student_p(t, 4), 1 - 0.75 * t / sqrt(u) * (1 - t * t / u / 12), 1e-13);
    }
    /* Many degrees of freedom come near the normal distribution. */
    assert_near(student_p(1.959963984540054, 1e7), 0.05, 1e-7);
    assert_near(student_p(2.2281388519649385, 10), 0.05, 1e-11);
    assert_true(student_p(INFINITY, 3) == 0);
}

static void the_beta_function_is_symmetric_and_bounded(void **state)
{
    (void)state;
    assert_true(beta_share(2, 3, 0) == 0);
    assert_true(beta_share(2, 3, 1) == 1);
    for (double x = 0.05; x < 1; x += 0.05) {
        assert_near(beta_share(1, 1, x), x, 1e-14);
        assert_near(beta_share(3, 1, x), x * x * x, 1e-14);
        assert_near(beta_share(2.5, 40, x), 1 - beta_share(40, 2.5, 1 - x), 1e-13);
    }
}

/* Student's own sleep data: t = 4.0621 with 9 degrees of freedom. */
static void paired_t_gives_the_value_of_the_sleep_data(void **state)
{
    const double d[10] = { 1.2, 2.4, 1.3, 1.3, 0, 1, 1.8, 0.8, 4.6, 1.4 };

    (void)state;
    assert_near(paired_t_p(d, 10), 0.002832890197384264, 1e-12);
}

static void degenerate_differences_have_sane_p_values(void **state)
{
    const double none[3] = { 0, 0, 0 }, same[3] = { 0.1, 0.1, 0.1 };
    double p;

    (void)state;
    assert_true(paired_t_p(none, 3) == 1);
    assert_true(paired_t_p(same, 3) == 0);
    assert_true(isnan(paired_t_p(same, 1)));
    assert_true(isnan(folds_t_p(same, 1)));
    assert_int_equal(wilcoxon_p(&p, none, 3, NULL), PECK_OK);
    assert_true(p == 1);
    assert_int_equal(wilcoxon_p(&p, none, 0, NULL), PECK_OK);
    assert_true(p == 1);
}

/* Every pattern of signs is as likely as any other: count those at least as far out. */
static double enumerate_wilcoxon(const double *d, int n)
{
    double seen = 0, centre = n * (n + 1) / 4.0;
    int rank[16], as_far = 0;

    for (int i = 0; i < n; i++) {
        rank[i] = 1;
        for (int j = 0; j < n; j++)
            rank[i] += fabs(d[j]) < fabs(d[i]);
        seen += d[i] > 0 ? rank[i] : 0;
    }
    for (int signs = 0; signs < 1 << n; signs++) {
        double w = 0;

        for (int i = 0; i < n; i++)
            w += signs >> i & 1 ? rank[i] : 0;
        as_far += fabs(w - centre) >= fabs(seen - centre);
    }
    return as_far / exp2(n);
}

static void exact_wilcoxon_equals_enumeration(void **state)
{
    struct rng rng;

    (void)state;
    rng_seed(&rng, 3, 0);
    for (int n = 1; n <= 12; n++) {
        double d[16], p;

        for (int i = 0; i < n; i++)
            d[i] = rng_normal(&rng) + 0.4;
        d[n] = 0; /* dropped */
        assert_int_equal(wilcoxon_p(&p, d, (size_t)n + 1, NULL), PECK_OK);
        assert_near(p, enumerate_wilcoxon(d, n), 1e-12);
    }
}

/* Sizes 1 1 1 2: ranks 2 2 2 4, W+ = 8, mean 5, variance 7.5 - 24/48 = 7. */
static void tied_wilcoxon_uses_the_corrected_variance(void **state)
{
    const double d[5] = { 1, 1, -1, 2, 0 };
    double p;

    (void)state;
    assert_int_equal(wilcoxon_p(&p, d, 5, NULL), PECK_OK);
    assert_near(p, erfc(3 / sqrt(7) / sqrt(2)), 1e-14);
}

/* 26 differences take the normal road, 25 the exact one: both lie near the formula. */
static void exact_and_normal_wilcoxon_meet(void **state)
{
    (void)state;
    for (int n = 25; n <= 26; n++) {
        double d[26], p, plus = 0;

        for (int i = 0; i < n; i++) {
            d[i] = (i + 1) * (i % 3 == 0 ? -1.0 : 1.0);
            plus += d[i] > 0 ? i + 1 : 0;
        }
        const double mean = n * (n + 1) / 4.0, variance = mean * (2 * n + 1) / 6;
        const double normal = erfc(fabs(plus - mean) / sqrt(2 * variance));

        assert_int_equal(wilcoxon_p(&p, d, (size_t)n, NULL), PECK_OK);
        assert_near(p, normal, n == 25 ? 0.01 : 1e-14);
        assert_true(n == 26 || fabs(p - normal) > 1e-5);
    }
}

/* One size alone says nothing, nor do signs that balance: then half of all patterns, and
 * those like this one, are at least as far out on either side. */
static void a_wilcoxon_that_shows_nothing_is_1(void **state)
{
    const double one[] = { 0.5 }, three[] = { 1, 2, -3 };
    double p;

    (void)state;
    assert_int_equal(wilcoxon_p(&p, one, 1, NULL), PECK_OK);
    assert_true(p == 1);
    assert_int_equal(wilcoxon_p(&p, three, 3, NULL), PECK_OK);
    assert_true(p == 1);
}

/* mean 0.02, variance 5e-5, factor 1/5 + 1/4. */
static void the_corrected_t_over_folds_is_the_one_worked_by_hand(void **state)
{
    const double d[5] = { 0.01, 0.02, 0.03, 0.02, 0.02 };
    const double t = 0.02 / sqrt(5e-5 * 0.45);

    (void)state;
    assert_near(folds_t_p(d, 5), student_p(t, 4), 1e-12);
    assert_true(folds_t_p(d, 5) > paired_t_p(d, 5));
}

static void the_statistic_is_the_mean_of_weighted_fold_means(void **state)
{
    const double d[3] = { 1, 0, 4 }, w[3] = { 3, 1, 5 };
    const size_t start[3] = { 0, 2, 3 };
    const struct sample plain = { d, NULL, start, 2 }, heavy = { d, w, start, 2 };

    (void)state;
    assert_near(sample_mean(&plain), (0.5 + 4) / 2, 1e-15);
    assert_near(sample_mean(&heavy), (0.75 + 4) / 2, 1e-15);
}

static double enumerate_signs(const double *d, int n)
{
    double seen = 0;
    int as_far = 0;

    for (int i = 0; i < n; i++)
        seen += d[i];
    for (int signs = 0; signs < 1 << n; signs++) {
        double sum = 0;

        for (int i = 0; i < n; i++)
            sum += signs >> i & 1 ? d[i] : -d[i];
        as_far += fabs(sum) >= fabs(seen) - 1e-12;
    }
    return as_far / exp2(n);
}

static void randomisation_comes_near_enumeration(void **state)
{
    const double d[10] = { 0.3, -0.1, 0.2, 0.2, 0.05, -0.02, 0.4, -0.3, 0.1, 0.25 };
    const size_t start[2] = { 0, 10 };
    const struct sample s = { d, NULL, start, 1 };
    struct pool *pool;
    double p;

    (void)state;
    assert_int_equal(pool_new(&pool, 2, NULL), PECK_OK);
    assert_int_equal(randomisation_p(&p, &s, 100000, 4, pool, NULL), PECK_OK);
    assert_near(p, enumerate_signs(d, 10), 0.004);
    pool_free(pool);
}

/* Sums that are equal in tenths differ in the last bit by the order of their parts: a
 * quarter of the signs would be missed. */
static void what_rounding_parts_counts_as_equal(void **state)
{
    const double d[6] = { -0.7, 0.6, 0.6, 0.6, 0.1, -0.6 };
    const size_t start[2] = { 0, 6 };
    const struct sample s = { d, NULL, start, 1 };
    struct pool *pool;
    double p;

    (void)state;
    assert_int_equal(pool_new(&pool, 1, NULL), PECK_OK);
    assert_int_equal(randomisation_p(&p, &s, 20000, 4, pool, NULL), PECK_OK);
    assert_near(p, 0.875, 0.01);
    pool_free(pool);
}

static void randomisation_never_gives_zero(void **state)
{
    double d[100], p;
    const size_t start[2] = { 0, 100 };
    const struct sample s = { d, NULL, start, 1 };
    struct pool *pool;

    (void)state;
    for (int i = 0; i < 100; i++)
        d[i] = 1;
    assert_int_equal(pool_new(&pool, 1, NULL), PECK_OK);
    assert_int_equal(randomisation_p(&p, &s, 999, 4, pool, NULL), PECK_OK);
    assert_near(p, 0.001, 1e-15);
    memset(d, 0, sizeof d);
    assert_int_equal(randomisation_p(&p, &s, 999, 4, pool, NULL), PECK_OK);
    assert_near(p, 1, 0);
    pool_free(pool);
}

static void bootstrap_of_many_normal_differences_has_the_normal_width(void **state)
{
    enum { N = 500 };
    double d[N], mean = 0, square = 0;
    const size_t start[2] = { 0, N };
    const struct sample s = { d, NULL, start, 1 };
    struct interval interval;
    struct pool *pool;
    struct rng rng;

    (void)state;
    rng_seed(&rng, 9, 0);
    for (int i = 0; i < N; i++) {
        d[i] = 0.1 + rng_normal(&rng);
        mean += d[i] / N;
        square += d[i] * d[i] / N;
    }
    const double half = 1.96 * sqrt((square - mean * mean) / N);

    assert_int_equal(pool_new(&pool, 2, NULL), PECK_OK);
    assert_int_equal(bootstrap_interval(&interval, &s, 20000, 1, pool, NULL), PECK_OK);
    assert_near(interval.low, mean - half, 0.05 * half);
    assert_near(interval.high, mean + half, 0.05 * half);
    pool_free(pool);
}

static void resampling_does_not_depend_on_threads(void **state)
{
    double d[57], p[2], w[57];
    const size_t start[3] = { 0, 20, 57 };
    const struct sample s = { d, w, start, 2 };
    struct interval in[2];

    (void)state;
    for (int i = 0; i < 57; i++) {
        d[i] = sin(i) + 0.2;
        w[i] = 1 + i % 3;
    }
    for (int i = 0; i < 2; i++) {
        struct pool *pool;

        assert_int_equal(pool_new(&pool, 1 + 3 * i, NULL), PECK_OK);
        assert_int_equal(bootstrap_interval(&in[i], &s, 1000, 1, pool, NULL), PECK_OK);
        assert_int_equal(randomisation_p(&p[i], &s, 1000, 1, pool, NULL), PECK_OK);
        pool_free(pool);
    }
    assert_memory_equal(&in[0], &in[1], sizeof in[0]);
    assert_true(p[0] == p[1]);
    assert_true(in[0].low < sample_mean(&s) && sample_mean(&s) < in[0].high);
}

static void holm_steps_down_and_never_falls(void **state)
{
    const double p[6] = { (double)NAN, 0.01, 0.04, 0.03, 0.005, 0.9 };
    const double holm[6] = { 0, 0.04, 0.09, 0.09, 0.025, 0.9 };
    double out[6];

    (void)state;
    holm_correct(out, p, 6);
    assert_true(isnan(out[0]));
    for (int i = 1; i < 6; i++)
        assert_near(out[i], holm[i], 1e-15);
    const double equal[5] = { 0.02, 0.01, 0.5, 0.01, 0.02 };

    holm_correct(out, equal, 5); /* the smallest counts five times, the next three */
    assert_near(out[1], 0.05, 1e-15);
    assert_near(out[3], 0.05, 1e-15);
    assert_near(out[0], 0.06, 1e-15);
    assert_near(out[4], 0.06, 1e-15);
    assert_near(out[2], 0.5, 1e-15);
    const double large[2] = { 0.7, 0.8 };

    holm_correct(out, large, 2);
    assert_true(out[0] == 1 && out[1] == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(student_equals_its_closed_forms),
        cmocka_unit_test(the_beta_function_is_symmetric_and_bounded),
        cmocka_unit_test(paired_t_gives_the_value_of_the_sleep_data),
        cmocka_unit_test(degenerate_differences_have_sane_p_values),
        cmocka_unit_test(exact_wilcoxon_equals_enumeration),
        cmocka_unit_test(tied_wilcoxon_uses_the_corrected_variance),
        cmocka_unit_test(exact_and_normal_wilcoxon_meet),
        cmocka_unit_test(a_wilcoxon_that_shows_nothing_is_1),
        cmocka_unit_test(the_corrected_t_over_folds_is_the_one_worked_by_hand),
        cmocka_unit_test(the_statistic_is_the_mean_of_weighted_fold_means),
        cmocka_unit_test(randomisation_comes_near_enumeration),
        cmocka_unit_test(what_rounding_parts_counts_as_equal),
        cmocka_unit_test(randomisation_never_gives_zero),
        cmocka_unit_test(bootstrap_of_many_normal_differences_has_the_normal_width),
        cmocka_unit_test(resampling_does_not_depend_on_threads),
        cmocka_unit_test(holm_steps_down_and_never_falls),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
