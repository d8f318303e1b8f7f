/* test_factor.c -- factor, solution and inverse against the definition; the same bytes with
 * several threads.                                                                     */
#include "support/check.h"

#include "base/alloc.h"
#include "base/factor.h"
#include "base/rng.h"

#include <math.h>

/* n x n, positive definite: a sum of squares and n on the diagonal; 1 beyond n. */
static double *draw_matrix(size_t n, size_t side, uint64_t seed)
{
    double *const a = mem_new(side * side, sizeof *a);
    struct rng r;

    assert_non_null(a);
    rng_seed(&r, seed, 0);
    for (size_t i = 0; i < side; i++)
        a[i * side + i] = i < n ? (double)n : 1.0;
    for (size_t k = 0; k < n; k++) {
        double x[200];

        for (size_t i = 0; i < n; i++)
            x[i] = rng_normal(&r);
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++)
                a[i * side + j] += x[i] * x[j];
    }
    return a;
}

static void check_size(size_t n)
{
    const size_t side = factor_side(n);
    double *const a = draw_matrix(n, side, n), *const l = draw_matrix(n, side, n);
    double *const inverse = mem_new(side * side, sizeof *inverse);
    double *const l_inverse = mem_new(side * side, sizeof *l_inverse);
    double *const x = mem_new(side, sizeof *x);
    double logs = 0.0;

    assert_non_null(inverse);
    assert_non_null(x);
    assert_true(side >= n);
    factor_make(l, side, NULL);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            double sum = 0.0;

            for (size_t k = 0; k <= j; k++)
                sum += l[i * side + k] * l[j * side + k];
            assert_true(fabs(sum - a[i * side + j]) < 1e-10 * (double)n);
        }
    for (size_t i = 0; i < n; i++) {
        logs += 2 * log(l[i * side + i]);
        x[i] = (double)(i % 5) - 2;
    }
    assert_true(fabs(factor_log_det(l, side) - logs) < 1e-9);
    factor_solve(l, side, x);
    for (size_t i = 0; i < n; i++) {
        double sum = 0.0;

        for (size_t k = 0; k < n; k++)
            sum += a[i * side + k] * x[k];
        assert_true(fabs(sum - ((double)(i % 5) - 2)) < 1e-10);
    }
    factor_invert(l, side, l_inverse, NULL);
    factor_square(l_inverse, side, inverse, NULL);
    factor_variances(l_inverse, side, x, n);
    for (size_t i = 0; i < n; i++)
        assert_true(fabs(x[i] - inverse[i * side + i]) < 1e-12);
    for (size_t i = 0; i < side; i++)
        for (size_t j = 0; j < side; j++) {
            double sum = 0.0;

            for (size_t k = 0; k < side; k++)
                sum += a[i * side + k] * inverse[k * side + j];
            assert_true(fabs(sum - (i == j ? 1.0 : 0.0)) < 1e-10);
        }
    mem_free(a);
    mem_free(l);
    mem_free(inverse);
    mem_free(l_inverse);
    mem_free(x);
}

static void factors_are_right(void **state)
{
    (void)state;
    check_size(1);
    check_size(31);
    check_size(32);
    check_size(33);
    check_size(150);
}

static void threads_do_not_matter(void **state)
{
    enum { N = 170 };
    const size_t side = factor_side(N), bytes = side * side * sizeof(double);
    double *one = draw_matrix(N, side, 1), *more = draw_matrix(N, side, 1);
    double *const inverse = mem_new(side * side, sizeof *inverse);
    double *const other = mem_new(side * side, sizeof *other);
    struct pool *pool;
    peck_error err;

    (void)state;
    assert_ok(pool_new(&pool, 3, &err), err);
    factor_make(one, side, NULL);
    factor_make(more, side, pool);
    assert_memory_equal(one, more, bytes);
    factor_invert(one, side, inverse, NULL);
    factor_invert(more, side, other, pool);
    assert_memory_equal(inverse, other, bytes);
    factor_square(inverse, side, one, NULL);
    factor_square(other, side, more, pool);
    assert_memory_equal(one, more, bytes);
    pool_free(pool);
    mem_free(one);
    mem_free(more);
    mem_free(inverse);
    mem_free(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(factors_are_right),
        cmocka_unit_test(threads_do_not_matter),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
