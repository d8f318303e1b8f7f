/* The product of a layer against a slow twin: all widths of vectors, all remainders. */
#include "model/dense.h"
#include "support/check.h"
#include "support/models.h"

#include <math.h>

enum { MOST_ROWS = 15, MOST_IN = 40, MOST_OUT = 150 };

static void check_product(size_t m, size_t n, size_t k, size_t ldx, const float *x,
                          const float *w, const float *bias)
{
    float y[MOST_ROWS * MOST_OUT + 1];

    y[m * n] = 42.0f;
    dense_forward(m, n, k, x, ldx, w, bias, y);
    assert_true(y[m * n] == 42.0f);
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < n; j++) {
            double sum = bias != NULL ? bias[j] : 0.0, size = fabs(sum);

            for (size_t l = 0; l < k; l++) {
                sum += (double)x[i * ldx + l] * w[l * n + j];
                size += fabs((double)x[i * ldx + l] * w[l * n + j]);
            }
            if (fabs(sum - y[i * n + j]) > 1e-6 * (size + 1e-6))
                fail_msg("%zu x %zu x %zu: y[%zu][%zu] is %.9g, but %.9g", m, n, k, i, j,
                         (double)y[i * n + j], sum);
        }
}

/* Arrays of exactly the size needed, so that a sanitizer sees a read too far. */
static void every_shape_agrees_with_plain_loops(void **state)
{
    static const size_t inputs[] = { 1, 3, 8, 16, 17, 40 };

    (void)state;
    for (size_t n = 1; n <= MOST_OUT; n += n < 40 ? 1 : 11)
        for (size_t m = 1; m <= MOST_ROWS; m += 2)
            for (size_t i = 0; i < N_OF(inputs); i++) {
                const size_t k = inputs[i], ldx = k + n % 3;
                float *const x = random_floats((m - 1) * ldx + k, n + m);
                float *const w = random_floats(k * n, n);
                float *const bias = random_floats(n, m);

                check_product(m, n, k, ldx, x, w, m % 4 == 1 ? NULL : bias);
                free(x), free(w), free(bias);
            }
}

static void check_weights(size_t m, size_t n, size_t k, size_t ldx)
{
    float *const x = random_floats((k - 1) * ldx + m, n + m), *const d =
                                                                  random_floats(k * n, k);
    float *const before = random_floats(m * n, n), *const after =
                                                       calloc(m * n, sizeof *after);

    memcpy(after, before, m * n * sizeof *after);
    dense_weights(m, n, k, x, ldx, d, after);
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < n; j++) {
            double sum = before[i * n + j], size = fabs(sum);

            for (size_t l = 0; l < k; l++) {
                sum += (double)x[l * ldx + i] * d[l * n + j];
                size += fabs((double)x[l * ldx + i] * d[l * n + j]);
            }
            if (fabs(sum - after[i * n + j]) > 2e-6 * (size + 1e-6))
                fail_msg("%zu x %zu x %zu: dw[%zu][%zu] is %.9g, but %.9g", m, n, k, i, j,
                         (double)after[i * n + j], sum);
        }
    free(x), free(d), free(before), free(after);
}

/* The last: more documents than are taken at once. */
static void weights_of_every_shape_agree_with_plain_loops(void **state)
{
    static const size_t documents[] = { 1, 2, 17, 1030 };

    (void)state;
    for (size_t n = 1; n <= MOST_OUT; n += n < 40 ? 1 : 8)
        for (size_t m = 1; m <= MOST_ROWS; m += 2)
            for (size_t i = 0; i < N_OF(documents) - (n != 16 && n != 20); i++)
                check_weights(m, n, documents[i], m + n % 3);
}

/* What a document scores does not depend on the documents around it. */
static void a_row_does_not_depend_on_its_neighbours(void **state)
{
    float *const x = random_floats(MOST_ROWS * MOST_IN, 1);
    float *const w = random_floats(MOST_IN * MOST_OUT, 2);
    float all[MOST_ROWS * MOST_OUT], one[MOST_OUT];

    (void)state;
    for (size_t n = 1; n <= MOST_OUT; n += 7) {
        dense_forward(MOST_ROWS, n, MOST_IN, x, MOST_IN, w, w, all);
        for (size_t i = 0; i < MOST_ROWS; i++) {
            dense_forward(1, n, MOST_IN, x + i * MOST_IN, MOST_IN, w, w, one);
            assert_memory_equal(one, all + i * n, n * sizeof *one);
        }
    }
    free(x), free(w);
}

/* More rows than are taken at once. */
static void many_rows_are_one_product(void **state)
{
    enum { M = 1000, N = 20, K = 5 };
    float *const x = random_floats(M * K, 1), *const w = random_floats(K * N, 2);
    float *const y = calloc(M * N, sizeof *y), one[N];

    (void)state;
    dense_forward(M, N, K, x, K, w, NULL, y);
    for (size_t i = 0; i < M; i++) {
        dense_forward(1, N, K, x + i * K, K, w, NULL, one);
        assert_memory_equal(one, y + i * N, sizeof one);
    }
    free(x), free(w), free(y);
}

/* Every 97th float from 0 to beyond the point where tanh is 1. */
static void tanh_is_within_six_units(void **state)
{
    enum { N = 37 };
    float x[N], y[N];
    uint32_t bits = 0;

    (void)state;
    while (bits < 0x41280000) { /* 10.5 */
        for (size_t i = 0; i < N; i++, bits += 97) {
            memcpy(&x[i], &bits, sizeof bits);
            x[i] = i % 2 == 0 ? x[i] : -x[i];
        }
        memcpy(y, x, sizeof x);
        dense_tanh(y, N - bits % 3);
        for (size_t i = 0; i < N - bits % 3; i++) {
            const double exact = tanh((double)x[i]);
            const double unit = nextafterf(fabsf((float)exact), 2.0f) - fabsf((float)exact);

            if (!(fabs(y[i] - exact) <= 6 * unit) || fabsf(y[i]) > 1.0f)
                fail_msg("tanh %.9g is %.9g, but %.9g", (double)x[i], (double)y[i], exact);
        }
    }
}

static void tanh_of_anything_is_odd_and_within_one(void **state)
{
    static const float x[] = {
        0.0f, 1e-45f, 1e-20f, 0.5f, 8.9f, 9.1f, 88.0f, 1e10f, 3e38f
    };
    float up[N_OF(x)], down[N_OF(x)];

    (void)state;
    for (size_t i = 0; i < N_OF(x); i++)
        down[i] = -(up[i] = x[i]);
    dense_tanh(up, N_OF(x));
    dense_tanh(down, N_OF(x));
    for (size_t i = 0; i < N_OF(x); i++)
        assert_true(same_float(up[i], -down[i]) && up[i] <= 1.0f);
    assert_true(up[N_OF(x) - 1] == 1.0f);
}

static void no_rows_are_no_work(void **state)
{
    const float one = 1.0f;
    float y = 7.0f;

    (void)state;
    dense_forward(0, 1, 1, &one, 1, &one, NULL, &y);
    dense_forward(0, 20, 1, &one, 1, &one, NULL, &y);
    assert_true(y == 7.0f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_shape_agrees_with_plain_loops),
        cmocka_unit_test(weights_of_every_shape_agree_with_plain_loops),
        cmocka_unit_test(a_row_does_not_depend_on_its_neighbours),
        cmocka_unit_test(many_rows_are_one_product),
        cmocka_unit_test(tanh_is_within_six_units),
        cmocka_unit_test(tanh_of_anything_is_odd_and_within_one),
        cmocka_unit_test(no_rows_are_no_work),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
