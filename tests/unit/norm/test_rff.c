/* test_rff.c -- random Fourier features: the kernel they stand for, their settings, and
 * what they make of a sample.                                                        */
#include "support/check.h"

#include "base/rng.h"
#include "norm/norm.h"

#include <math.h>

enum { ROWS = 60, DIM = 3, QUERY = 10, N_QUERIES = ROWS / QUERY };

static struct pool *pool;
static float x[ROWS * DIM];
static uint64_t start[N_QUERIES + 1];

static int set_up(void **state)
{
    struct rng r;
    peck_error err = { 0 };

    (void)state;
    rng_seed(&r, 1, 0);
    for (size_t i = 0; i < ROWS * DIM; i++)
        x[i] = (float)(3.0 * rng_normal(&r) + 5.0);
    for (size_t q = 0; q <= N_QUERIES; q++)
        start[q] = q * QUERY;
    return pool_new(&pool, 1, &err) == PECK_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    pool_free(pool);
    return 0;
}

static struct norm *fitted(const char *spec)
{
    const struct norm_data data = {
        .all = { x, ROWS, DIM, DIM }, .start = start, .n_queries = N_QUERIES, .name = "x"
    };
    struct norm *n = NULL;
    peck_error err = { 0 };

    assert_ok(norm_fit(&n, spec, &data, pool, &err), err);
    return n;
}

/* Everything, query by query; the caller frees it. */
static float *applied(const struct norm *n)
{
    const size_t wide = n->dim_out;
    float *const out = calloc(ROWS * wide, sizeof *out);

    for (size_t q = 0; q < N_QUERIES; q++)
        norm_apply(n, (struct rows){ x + q * QUERY * DIM, QUERY, DIM, DIM },
                   out + q * QUERY * wide);
    return out;
}

static double product(const float *a, const float *b, size_t n)
{
    double sum = 0.0;

    for (size_t i = 0; i < n; i++)
        sum += (double)a[i] * (double)b[i];
    return sum;
}

static double squared_distance(const float *a, const float *b, size_t n)
{
    double sum = 0.0;

    for (size_t i = 0; i < n; i++)
        sum += ((double)a[i] - (double)b[i]) * ((double)a[i] - (double)b[i]);
    return sum;
}

/* Products of the new columns against a^2 exp(-gamma d^2) of those before; returns the
 * largest |difference| / a^2. */
static double worst_of(const char *spec, size_t before, size_t added, double gamma,
                       double weight)
{
    struct norm *const n = fitted(spec);
    float *const z = applied(n);
    const size_t wide = before + added;
    double length = 0.0, worst = 0.0;

    assert_int_equal(n->dim_out, wide);
    for (size_t i = 0; i < ROWS; i++)
        length += product(z + i * wide, z + i * wide, before) / ROWS;
    for (size_t i = 0; i < ROWS; i++)
        for (size_t j = 0; j < ROWS; j++) {
            const float *const a = z + i * wide, *const b = z + j * wide;
            const double want = exp(-gamma * squared_distance(a, b, before));
            const double got = product(a + before, b + before, added) / (weight * length);

            worst = fmax(worst, fabs(got - want));
        }
    free(z);
    norm_free(n);
    return worst;
}

static void products_are_those_of_the_kernel(void **state)
{
    (void)state;
    /* A mean of 20,000 terms: its deviation is below 1 / 141, and 1,770 pairs are tried. */
    assert_true(worst_of("query-zscore+rff:dim=20000,gamma=0.2", DIM, 20000, 0.2, 1) <
                0.05);
    assert_true(worst_of("zscore+rff:dim=20000,gamma=1,weight=4", DIM, 20000, 1, 4) < 0.06);
    assert_true(worst_of("zscore+query+rff:gamma=0.5:dim=20000", 2 * DIM, 20000, 0.5, 1) <
                0.05);
    /* The test can tell: another gamma does not fit. */
    assert_true(worst_of("zscore+rff:dim=20000,gamma=1", DIM, 20000, 0.3, 1) > 0.2);
}

static int by_value(const void *a, const void *b)
{
    const double p = *(const double *)a, q = *(const double *)b;

    return (p > q) - (p < q);
}

static void gamma_comes_from_the_median_distance(void **state)
{
    enum { PAIRS = ROWS * (ROWS - 1) / 2 };
    struct norm *const n = fitted("zscore");
    float *const z = applied(n);
    static double distance[PAIRS];
    char spec[64];
    size_t at = 0;

    (void)state;
    for (size_t i = 0; i < ROWS; i++)
        for (size_t j = 0; j < i; j++)
            distance[at++] = squared_distance(z + i * DIM, z + j * DIM, DIM);
    qsort(distance, PAIRS, sizeof *distance, by_value);
    snprintf(spec, sizeof spec, "zscore+rff:dim=40,gamma=%.9g", 0.5 / distance[PAIRS / 2]);
    struct norm *const own = fitted("zscore+rff:dim=40"), *const given = fitted(spec);
    float *const a = applied(own), *const b = applied(given);

    for (size_t i = 0; i < ROWS * (DIM + 40); i++)
        assert_true(fabsf(a[i] - b[i]) < 2e-2f); /* the middle of an even number of pairs */
    free(z), free(a), free(b);
    norm_free(n), norm_free(own), norm_free(given);
}

static void another_seed_gives_other_columns(void **state)
{
    struct norm *const a = fitted("rff:dim=5,seed=1"), *const b =
                                                           fitted("rff:dim=5,seed=2");
    float *const y = applied(a), *const z = applied(b);

    (void)state;
    assert_int_equal(a->dim_out, 5);
    assert_true(memcmp(y, z, ROWS * 5 * sizeof *y) != 0);
    free(y), free(z);
    norm_free(a), norm_free(b);
}

/* Behind each direction: its phase, all round the circle once, and the amplitude. */
static void phases_go_once_round(void **state)
{
    enum { COLUMNS = 2000, STATE = DIM + 2 };
    struct norm *const n = fitted("rff:dim=2000");
    struct tensor_list l = { 0 };
    peck_error err = { 0 };
    double largest = 0.0;

    (void)state;
    assert_ok(norm_write(n, &l, &err), err);
    for (size_t k = 0; k < COLUMNS; k++) {
        const double phase = (double)((const float *)l.data[0])[k * STATE + DIM];

        assert_true(phase >= 0.0);
        largest = fmax(largest, phase);
    }
    assert_true(largest > 6.2 && largest < 6.2832);
    tensor_list_free(&l);
    norm_free(n);
}

static void a_document_does_not_depend_on_those_around_it(void **state)
{
    struct norm *const n = fitted("zscore+rff:dim=37");
    const size_t wide = n->dim_out;
    float *const all = applied(n), one[DIM + 37];

    (void)state;
    for (size_t i = 0; i < ROWS; i++) {
        norm_apply(n, (struct rows){ x + i * DIM, 1, DIM, DIM }, one);
        assert_memory_equal(one, all + i * wide, sizeof one);
    }
    free(all);
    norm_free(n);
}

static void numbers_stay_finite(void **state)
{
    const float wild[2 * DIM] = { 3e38f, -3e38f, 3e38f, 1e-45f, 0.0f, 1e30f };
    struct norm *const n = fitted("none+rff:dim=50");
    float out[2 * (DIM + 50)];

    (void)state;
    norm_apply(n, (struct rows){ wild, 2, DIM, DIM }, out);
    for (size_t i = 0; i < N_OF(out); i++)
        assert_true(isfinite(out[i]));
    norm_free(n);
}

static void refuse(const char *spec, const char *phrase)
{
    const struct norm_data data = {
        .all = { x, ROWS, DIM, DIM }, .start = start, .n_queries = N_QUERIES, .name = "x"
    };
    struct norm *n = NULL;
    peck_error err = { 0 };

    assert_int_equal(norm_fit(&n, spec, &data, pool, &err), PECK_ARG);
    assert_failed(err, PECK_ARG, phrase);
    assert_null(n);
}

static void settings_that_make_no_sense_are_refused(void **state)
{
    (void)state;
    refuse("zscore+rff:dim=0", "dim");
    refuse("zscore+rff:gama=1", "gamma");
    refuse("zscore+rff:dim", "dim");
    refuse("zscore:dim=3", "no settings");
    refuse("rff+rff", "twice");
    refuse("rff:dim=3+", "norm");
}

/* Directions that no float holds are told, with whose fault they are. */
static void what_floats_cannot_hold_is_refused(void **state)
{
    static float near[ROWS * DIM];
    const struct norm_data data = { .all = { x, ROWS, DIM, DIM },
                                    .start = start,
                                    .n_queries = N_QUERIES,
                                    .name = "x" },
                           tiny = { .all = { near, ROWS, DIM, DIM },
                                    .start = start,
                                    .n_queries = N_QUERIES,
                                    .name = "near" };
    struct norm *n = NULL;
    peck_error err = { 0 };

    (void)state;
    for (size_t i = 0; i < ROWS * DIM; i++)
        near[i] = (float)((double)x[i] * 1e-40);
    assert_int_equal(norm_fit(&n, "quantile+rff:gamma=1e77", &data, pool, &err), PECK_ARG);
    assert_failed(err, PECK_ARG, "gamma=1e+77");
    assert_null(n);
    assert_int_equal(norm_fit(&n, "rff", &tiny, pool, &err), PECK_SHAPE);
    assert_failed(err, PECK_SHAPE, "too near each other");
    assert_null(n);
    assert_ok(norm_fit(&n, "quantile+rff", &tiny, pool, &err), err);
    assert_ok(norm_check(n, &err), err);
    norm_free(n);
}

/* Rows at 5, 6, 8, 12 and 20 on a line, some of them, and the squared distance in the middle:
 * of an even number the smaller one. */
static void every_pair_has_its_distance(void **state)
{
    static const float at[] = { 5, 6, 8, 12, 20 };
    static const double median[] = { 0, 0, 1, 4, 9, 36 };

    (void)state;
    for (size_t n = 1; n <= N_OF(at); n++) {
        const uint64_t whole[] = { 0, n };
        const struct norm_data data = {
            .all = { at, n, 1, 1 }, .start = whole, .n_queries = 1, .name = "at"
        };
        const double gamma = n > 1 ? 0.5 / median[n] : 1.0;
        struct norm *own = NULL, *given = NULL;
        peck_error err = { 0 };
        float a[8 * N_OF(at)], b[8 * N_OF(at)];
        char spec[64];

        snprintf(spec, sizeof spec, "rff:dim=8,gamma=%.17g", gamma);
        assert_ok(norm_fit(&own, "rff:dim=8", &data, pool, &err), err);
        assert_ok(norm_fit(&given, spec, &data, pool, &err), err);
        norm_apply(own, data.all, a);
        norm_apply(given, data.all, b);
        assert_memory_equal(a, b, 8 * n * sizeof *a);
        /* The amplitude: the mean square length of a row is that of its new columns. */
        struct tensor_list l = { 0 };
        double squares = 0.0;

        for (size_t i = 0; i < n; i++)
            squares += (double)at[i] * (double)at[i];
        assert_ok(norm_write(own, &l, &err), err);
        for (size_t k = 0; k < 8; k++)
            assert_true(fabs((double)((const float *)l.data[0])[3 * k + 2] -
                             sqrt(2.0 * squares / (double)n / 8.0)) < 1e-5);
        tensor_list_free(&l);
        norm_free(own), norm_free(given);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_floats_cannot_hold_is_refused),
        cmocka_unit_test(products_are_those_of_the_kernel),
        cmocka_unit_test(gamma_comes_from_the_median_distance),
        cmocka_unit_test(another_seed_gives_other_columns),
        cmocka_unit_test(phases_go_once_round),
        cmocka_unit_test(a_document_does_not_depend_on_those_around_it),
        cmocka_unit_test(numbers_stay_finite),
        cmocka_unit_test(settings_that_make_no_sense_are_refused),
        cmocka_unit_test(every_pair_has_its_distance),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
