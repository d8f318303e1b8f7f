/* test_gemm.c -- every version that this processor runs against plain loops of fmaf, bit
 * for bit.  The source is included once more, for its versions.                        */
#include "base/alloc.h"

static bool is_memory_short;

static void *short_resize(void *block, size_t n, size_t size)
{
    return is_memory_short ? NULL : mem_resize(block, n, size);
}

#define mem_resize short_resize
#define gemm_nn own_nn
#define gemm_nt own_nt
#define gemm_tn own_tn
#define gemm_dots own_dots
#include "base/gemm.c"
#undef gemm_nn
#undef gemm_nt
#undef gemm_tn
#undef gemm_dots

#include "support/check.h"

#include "base/rng.h"

#include <math.h>

void gemm_nn(size_t m, size_t n, size_t k, const float *a, size_t lda, const float *b,
             size_t ldb, const float *from, size_t ld_from, float *c, size_t ldc);
void gemm_nt(size_t m, size_t n, size_t k, const float *a, size_t lda, const float *b,
             size_t ldb, const float *from, size_t ld_from, float *c, size_t ldc);
void gemm_tn(size_t m, size_t n, size_t k, const float *a, size_t lda, const float *b,
             size_t ldb, const float *from, size_t ld_from, float *c, size_t ldc);
void gemm_dots(size_t m, size_t k, const float *a, size_t lda, const float *b, float from,
               float *c);

enum form { NN, NT, TN, N_FORMS };
enum start { AT_0, AT_BIAS, AT_C, N_STARTS };

typedef void gemm(size_t m, size_t n, size_t k, const float *a, size_t lda, const float *b,
                  size_t ldb, const float *from, size_t ld_from, float *c, size_t ldc);
typedef struct product product(size_t m, size_t n, size_t k, const float *a, size_t lda,
                               const float *b, size_t ldb, const float *from,
                               size_t ld_from, float *c, size_t ldc);

static gemm *const products[N_FORMS] = { gemm_nn, gemm_nt, gemm_tn };
static product *const shapes[N_FORMS] = { product_nn, product_nt, product_tn };

/* At an odd place, so that no vector is aligned; of exactly that size, so that a sanitizer
 * sees a read too far. */
struct floats {
    float *block, *x;
    size_t n;
};

static struct floats random_floats(struct rng *r, size_t n)
{
    float *const block = malloc((n + 1) * sizeof *block);

    assert_non_null(block);
    for (size_t i = 0; i <= n; i++) /* of all sizes: sums round at every step */
        block[i] = (float)(rng_between(r, -1.0, 1.0) * exp2(rng_between(r, -6.0, 6.0)));
    return (struct floats){ block, block + 1, n };
}

static void plain_product(enum form form, size_t m, size_t n, size_t k, const float *a,
                          size_t lda, const float *b, size_t ldb, const float *from,
                          size_t ld_from, float *c, size_t ldc)
{
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < n; j++) {
            float sum = from != NULL ? from[i * ld_from + j] : 0.0f;

            for (size_t p = 0; p < k; p++)
                sum = fmaf(form == TN ? a[p * lda + i] : a[i * lda + p],
                           form == NT ? b[j * ldb + p] : b[p * ldb + j], sum);
            c[i * ldc + j] = sum;
        }
}

/* What is not c stays, and is NaN: nothing of it may get in. */
static void check_product(enum form form, enum start start, size_t m, size_t n, size_t k,
                          size_t more, struct rng *r)
{
    const size_t lda = (form == TN ? m : k) + more, ldb = (form == NT ? k : n) + 2 * more;
    const size_t ldc = n + 3 * more, size_a = form == TN ? k : m,
                 size_b = form == NT ? n : k;
    struct floats a = random_floats(r, size_a > 0 ? (size_a - 1) * lda + lda - more : 0);
    struct floats b =
        random_floats(r, size_b > 0 ? (size_b - 1) * ldb + ldb - 2 * more : 0);
    struct floats bias = random_floats(r, n), c = random_floats(r, m * ldc);
    struct floats want = random_floats(r, m * ldc), got = random_floats(r, m * ldc);

    for (size_t i = 0; i < c.n; i++)
        if (i % ldc >= n || start != AT_C)
            c.x[i] = NAN;
    memcpy(want.x, c.x, c.n * sizeof *c.x);
    plain_product(form, m, n, k, a.x, lda, b.x, ldb,
                  start == AT_0   ? NULL
                  : start == AT_C ? c.x
                                  : bias.x,
                  start == AT_C ? ldc : 0, want.x, ldc);
    for (size_t v = 0; v <= N_OF(versions); v++) {
        const float *const from = start == AT_0 ? NULL : start == AT_C ? got.x : bias.x;
        const size_t ld_from = start == AT_C ? ldc : 0;

        memcpy(got.x, c.x, c.n * sizeof *c.x);
        if (v == N_OF(versions)) {
            products[form](m, n, k, a.x, lda, b.x, ldb, from, ld_from, got.x, ldc);
        } else if (versions[v].runs()) {
            const struct product p =
                shapes[form](m, n, k, a.x, lda, b.x, ldb, from, ld_from, got.x, ldc);

            multiply(&versions[v], &p);
        } else {
            continue;
        }
        for (size_t i = 0; i < c.n; i++)
            if (memcmp(&got.x[i], &want.x[i], sizeof *got.x) != 0)
                fail_msg("version %zu, form %d from %d, %zu x %zu x %zu + %zu: [%zu][%zu] "
                         "is %a, not %a",
                         v, form, start, m, n, k, more, i / ldc, i % ldc, (double)got.x[i],
                         (double)want.x[i]);
    }
    free(a.block), free(b.block), free(bias.block), free(c.block);
    free(want.block), free(got.block);
}

static void every_version_gives_the_bits_of_the_plain_loop(void **state)
{
    static const size_t edge[] = { 0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  12, 15, 16, 17,
                                   23, 24, 25, 31, 32, 33, 47, 48, 49, 63, 64, 65, 100 };
    struct rng r;

    (void)state;
    rng_seed(&r, 1, 0);
    for (size_t i = 0; i < N_OF(edge); i++)
        for (size_t j = 0; j < N_OF(edge); j++)
            for (int round = 0; round < N_FORMS * N_STARTS; round++)
                check_product(round % N_FORMS, round / N_FORMS, edge[i], edge[j],
                              edge[rng_below(&r, N_OF(edge))], rng_below(&r, 3), &r);
}

/* More rows and terms than are taken at once, and rows that are copied: to the stack, to
 * memory, and to the stack where there is no memory. */
static void large_products_do_so_too(void **state)
{
    static const size_t shape[][3] = { { 500, 40, 20 }, { 40, 20, 530 },  { 70, 70, 300 },
                                       { 100, 90, 40 }, { 290, 33, 260 }, { 13, 200, 257 },
                                       { 40, 200, 100 } };
    struct rng r;

    (void)state;
    rng_seed(&r, 2, 0);
    for (size_t i = 0; i < N_OF(shape); i++)
        for (int round = 0; round < 2 * N_FORMS * N_STARTS; round++) {
            is_memory_short = round % 2 == 1;
            check_product(round / 2 % N_FORMS, round / 2 / N_FORMS, shape[i][0],
                          shape[i][1], shape[i][2], i % 2, &r);
        }
    is_memory_short = false;
}

static float plain_dot(size_t k, const float *a, const float *b, float from)
{
    float sum[16] = { 0 };

    for (size_t i = 0; i < k; i++)
        sum[i % 16] = fmaf(a[i], b[i], sum[i % 16]);
    for (size_t half = 8; half > 0; half /= 2)
        for (size_t i = 0; i < half; i++)
            sum[i] += sum[i + half];
    return from + sum[0];
}

/* Rows by the four and what is left of them; what lies between rows is no number, and a sum
 * of -0 stays that. */
static void dots_are_sixteen_sums(void **state)
{
    enum { MOST = 9 };
    struct rng r;

    (void)state;
    rng_seed(&r, 3, 0);
    for (size_t k = 0; k <= 150; k++) {
        const size_t rows = 1 + k % MOST, more = k % 4, lda = k + more;
        struct floats a = random_floats(&r, (rows - 1) * lda + k);
        struct floats b = random_floats(&r, k), from = random_floats(&r, 1);

        for (size_t i = 0; i < a.n; i++)
            if (lda > 0 && i % lda >= k)
                a.x[i] = i % 2 == 0 ? NAN : INFINITY;
        for (size_t i = 0; k % 5 == 0 && i < k; i++) { /* each product vanishes below 0 */
            b.x[i] = 0x1p-100f;
            a.x[i] = -0x1p-100f;
        }
        from.x[0] = k % 5 == 0 ? -0.0f : from.x[0];
        for (size_t v = 0; v <= N_OF(versions); v++) {
            float got[MOST] = { 0 };

            if (v == N_OF(versions))
                gemm_dots(rows, k, a.x, lda, b.x, from.x[0], got);
            else if (versions[v].runs())
                versions[v].dots(rows, k, a.x, lda, b.x, from.x[0], got);
            else
                continue;
            for (size_t i = 0; i < rows; i++) {
                const float want = plain_dot(k, a.x + i * lda, b.x, from.x[0]);

                if (memcmp(&got[i], &want, sizeof want) != 0)
                    fail_msg("version %zu, row %zu of %zu, %zu terms: %a, not %a", v, i,
                             rows, k, (double)got[i], (double)want);
            }
        }
        free(a.block), free(b.block), free(from.block);
    }
}

/* Where the product is worked out in double: ties, cancellation, numbers below the smallest
 * normal one, overflow, and what is no number. */
static void plain_multiply_adds_are_rounded_once(void **state)
{
    static const float odd[] = { 0.0f,           -0.0f,         1.0f,      -1.0f,
                                 1.5f,           0x1p-126f,     0x1p-149f, 0x1p-75f,
                                 0x1.fffffep-1f, 0x1.000002p0f, 0x1p127f,  INFINITY,
                                 -INFINITY,      NAN,           0x1p12f };
    struct rng r;

    (void)state;
    for (size_t i = 0; i < N_OF(odd); i++)
        for (size_t j = 0; j < N_OF(odd); j++)
            for (size_t l = 0; l < N_OF(odd); l++) {
                const float got = plain_1(odd[i], odd[j], odd[l]);
                const float want = fmaf(odd[i], odd[j], odd[l]);

                assert_true(isnan(want) ? isnan(got) : same_float(got, want));
            }
    rng_seed(&r, 4, 0);
    for (int round = 0; round < 3000000; round++) {
        float x[3];

        for (size_t i = 0; i < 3; i++) { /* few bits: ties are common */
            const uint32_t keep = UINT32_MAX << rng_below(&r, 24);
            uint32_t bits = (uint32_t)rng_below(&r, UINT32_MAX) & keep;

            if (round % 2 == 0) /* of like size */
                bits = (bits & 0x807FFFFF) | (uint32_t)(100 + rng_below(&r, 50)) << 23;
            memcpy(&x[i], &bits, sizeof bits);
        }
        const float got = plain_1(x[0], x[1], x[2]), want = fmaf(x[0], x[1], x[2]);

        if (isnan(want) ? !isnan(got) : !same_float(got, want))
            fail_msg("%a %a + %a is %a, not %a", (double)x[0], (double)x[1], (double)x[2],
                     (double)got, (double)want);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_version_gives_the_bits_of_the_plain_loop),
        cmocka_unit_test(large_products_do_so_too),
        cmocka_unit_test(dots_are_sixteen_sums),
        cmocka_unit_test(plain_multiply_adds_are_rounded_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
