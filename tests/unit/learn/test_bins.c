/* test_bins.c -- where the edges of bins fall, and which bin a value is in. */
#include "learn/bins.h"

#include "base/rng.h"
#include "support/check.h"

#include <float.h>
#include <math.h>

static struct pool *pool;

static void bin(struct bins *b, const float *x, size_t n, size_t dim, size_t most)
{
    peck_error err = { 0 };

    assert_ok(bins_open_rows(b, (struct rows){ x, n, dim, dim }, most, pool, &err), err);
}

static size_t bin_at(const struct bins *b, size_t row, size_t f)
{
    return column_at(bins_column(b, f), row);
}

/* Every value is between the edges of its bin, and edges rise. */
static void assert_in_place(const struct bins *b, const float *x)
{
    for (size_t f = 0; f < b->n_features; f++) {
        const float *const edge = b->edge + f * MAX_BINS;

        assert_true(b->n_bins[f] >= 1 && b->n_bins[f] <= MAX_BINS);
        assert_int_equal(b->first[f + 1] - b->first[f], b->n_bins[f]);
        for (size_t k = 0; k + 2 < b->n_bins[f]; k++)
            assert_true(edge[k] < edge[k + 1]);
        for (size_t i = 0; i < b->n_rows; i++) {
            const size_t k = bin_at(b, i, f);
            const float value = x[i * b->n_features + f];

            assert_true(k < b->n_bins[f]);
            assert_true(k == 0 || value > edge[k - 1]);
            assert_true(k + 1 == b->n_bins[f] || value <= edge[k]);
        }
    }
}

static void few_values_have_a_bin_each(void **state)
{
    enum { N = 900, DIM = 11 };
    float x[N * DIM];
    struct bins b;
    struct rng r;

    (void)state;
    rng_seed(&r, 1, 0);
    for (size_t i = 0; i < N * DIM; i++)
        x[i] = (float)rng_below(&r, 1 + i % DIM * 20) / 7.0f;
    bin(&b, x, N, DIM, MAX_BINS);
    assert_in_place(&b, x);
    assert_int_equal(b.n_bins[0], 1);
    for (size_t f = 0; f < DIM; f++)
        for (size_t i = 1; i < N; i++)
            assert_true((x[f] < x[i * DIM + f]) == (bin_at(&b, 0, f) < bin_at(&b, i, f)));
    bins_close(&b);
}

/* Also where the two are far apart, and where a sum of floats would overflow. */
static void edges_lie_half_way_between_two_values(void **state)
{
    const float x[] = {
        -FLT_MAX, -4.0f, -1.0f, 0.0f, 0.5f, 10.0f, 0.75f * FLT_MAX, FLT_MAX
    };
    struct bins b;

    (void)state;
    bin(&b, x, N_OF(x), 1, MAX_BINS);
    assert_int_equal(b.n_bins[0], N_OF(x));
    for (size_t i = 0; i + 1 < N_OF(x); i++)
        assert_true(b.edge[i] == (float)(((double)x[i] + (double)x[i + 1]) / 2.0));
    assert_true(isinf(b.edge[N_OF(x) - 1]));
    bins_close(&b);
    /* Of more values than bins: two rows each. */
    const float many[] = { 1, 2, 3, 4, 5, 8 };

    bin(&b, many, N_OF(many), 1, 3);
    assert_int_equal(b.n_bins[0], 3);
    assert_true(b.edge[0] == 2.5f && b.edge[1] == 4.5f);
    bins_close(&b);
}

static void many_values_are_shared_out_evenly(void **state)
{
    enum { N = 20000, MOST = 50 };
    float *const x = calloc(N, sizeof *x);
    size_t count[MAX_BINS] = { 0 };
    struct bins b;
    struct rng r;

    (void)state;
    rng_seed(&r, 2, 0);
    for (size_t i = 0; i < N; i++) /* a third of the rows have one value */
        x[i] = i % 3 == 0 ? 0.5f : (float)(rng_normal(&r) * exp(3.0 * rng_normal(&r)));
    bin(&b, x, N, 1, MOST);
    assert_in_place(&b, x);
    assert_int_equal(b.n_bins[0], MOST);
    for (size_t i = 0; i < N; i++)
        count[bin_at(&b, i, 0)]++;
    for (size_t k = 0; k < MOST; k++)
        assert_true(k == bin_at(&b, 0, 0) || (count[k] > 100 && count[k] < 2 * N / MOST));
    bins_close(&b);
    free(x);
}

static void the_ends_of_float_are_values_too(void **state)
{
    const float x[] = { -FLT_MAX, FLT_MAX, 0.0f,     -0.0f,          FLT_TRUE_MIN,
                        1.0f,     1e30f,   -FLT_MIN, 1.0f + 1.2e-7f, -1e-30f };
    struct bins b;

    (void)state;
    bin(&b, x, N_OF(x), 1, MAX_BINS);
    assert_in_place(&b, x);
    assert_int_equal(b.n_bins[0], N_OF(x) - 1); /* both zeros are one */
    assert_int_equal(bin_at(&b, 2, 0), bin_at(&b, 3, 0));
    bins_close(&b);
}

static void a_long_column_is_cut_by_a_sample_at_any_thread_count(void **state)
{
    enum { N = 450000, DIM = 2 };
    float *const x = calloc(N * DIM, sizeof *x);
    struct pool *two = NULL;
    struct bins a, b;
    struct rng r;
    peck_error err = { 0 };

    (void)state;
    rng_seed(&r, 3, 0);
    for (size_t i = 0; i < N * DIM; i++)
        x[i] = (float)rng_uniform(&r);
    bin(&a, x, N, DIM, MAX_BINS);
    assert_in_place(&a, x);
    assert_ok(pool_new(&two, 2, &err), err);
    assert_ok(bins_open_rows(&b, (struct rows){ x, N, DIM, DIM }, MAX_BINS, two, &err),
              err);
    assert_memory_equal(a.cell, b.cell, N * LANES);
    assert_memory_equal(a.edge, b.edge, DIM * MAX_BINS * sizeof *a.edge);
    bins_close(&a);
    bins_close(&b);
    pool_free(two);
    free(x);
}

/* Of runs of three rows one each: also of the last run, which is a single row. */
static void the_last_row_of_a_long_column_counts(void **state)
{
    enum { N = 3 * 150000 + 1 };
    float *const x = calloc(N, sizeof *x);
    struct bins b;

    (void)state;
    assert_non_null(x);
    x[N - 1] = 1.0f;
    bin(&b, x, N, 1, MAX_BINS);
    assert_int_equal(b.n_bins[0], 2);
    assert_true(b.edge[0] == 0.5f && bin_at(&b, N - 1, 0) == 1 &&
                bin_at(&b, N - 2, 0) == 0);
    bins_close(&b);
    free(x);
}

static void rows_without_a_value_have_a_bin_of_their_own(void **state)
{
    enum { N = 410000, DIM = 4, LATE = 409999 }; /* a sample does not see row LATE */
    float *const x = calloc(N * DIM, sizeof *x);
    struct bins b;

    (void)state;
    for (size_t i = 0; i < N; i++) {
        x[i * DIM] = i % 3 == 0 ? NAN : (float)(i % 100000) - 5.0f;
        x[i * DIM + 1] = NAN;
        x[i * DIM + 2] = i == LATE ? NAN : 7.0f;
        x[i * DIM + 3] = (float)i;
    }
    bin(&b, x, N, DIM, MAX_BINS);
    assert_true(b.has_gaps[0] && b.has_gaps[1] && b.has_gaps[2] && !b.has_gaps[3]);
    assert_true(b.n_bins[0] > MAX_BINS - 9);
    assert_int_equal(b.n_bins[1], 2);
    assert_int_equal(b.n_bins[2], 2);
    for (size_t f = 0; f < DIM; f++)
        for (size_t i = 0; i < N; i++) {
            const size_t k = bin_at(&b, i, f);
            const float value = x[i * DIM + f], *const edge = b.edge + f * MAX_BINS;

            assert_int_equal(k == 0, b.has_gaps[f] ? isnan(value) : value <= edge[0]);
            assert_true(k == 0 || (value > edge[k - 1] && value <= edge[k]));
        }
    bins_close(&b);
    free(x);
}

static int open_pool(void **state)
{
    (void)state;
    return pool_new(&pool, 1, NULL);
}

static int close_pool(void **state)
{
    (void)state;
    pool_free(pool);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_values_have_a_bin_each),
        cmocka_unit_test(edges_lie_half_way_between_two_values),
        cmocka_unit_test(many_values_are_shared_out_evenly),
        cmocka_unit_test(the_ends_of_float_are_values_too),
        cmocka_unit_test(a_long_column_is_cut_by_a_sample_at_any_thread_count),
        cmocka_unit_test(the_last_row_of_a_long_column_counts),
        cmocka_unit_test(rows_without_a_value_have_a_bin_of_their_own),
    };

    return cmocka_run_group_tests(tests, open_pool, close_pool);
}
