/* dense_kernel.h -- the product of dense.h for one width of vector; dense.c includes it
 * once for each, with
 *
 *     LANES           floats of a vector
 *     ROWS, VECTORS   a block keeps ROWS x VECTORS sums in registers; 4 or more, 2 or more
 *     ISA             function attributes: the instructions it may use
 *
 * Vectors lie along the outputs, so weights are read as they stand.  Where the outputs
 * are no multiple of LANES, the last vector overlaps the one before it: both write the
 * same numbers.                                                                       */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifndef LANES /* for those who compile this header alone */
#define LANES 4
#define ROWS 4
#define VECTORS 2
#define ISA
#endif

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define LANED(name) JOIN(name, LANES)
#define VECTOR LANED(vector)
#define BITS LANED(bits)

typedef float VECTOR __attribute__((vector_size(4 * LANES), aligned(4), may_alias));

typedef int32_t BITS __attribute__((vector_size(4 * LANES)));

/* y[rows][n] = bias + x w, or y += x w, for some of the outputs.  Rows of x are `row` floats
 * apart, the terms of a sum `step`; vectors begin `apart` outputs apart.  Counts of rows and
 * vectors are constants wherever this is called, so that the loops over them vanish. */
static inline __attribute__((always_inline)) void LANED(block)(
    const int rows, const int vectors, size_t apart, const int adds, size_t n, size_t k,
    const float *x, size_t row, size_t step, const float *w, const float *bias, float *y)
{
    VECTOR sum[ROWS][VECTORS], weight[VECTORS];

    for (int r = 0; r < rows; r++)
        for (int v = 0; v < vectors; v++)
            sum[r][v] =
                bias != NULL ? *(const VECTOR *)(bias + v * apart) : (VECTOR){ 0.0f };
    for (size_t i = 0; i < k; i++) {
        for (int v = 0; v < vectors; v++)
            weight[v] = *(const VECTOR *)(w + i * n + (size_t)v * apart);
        for (int r = 0; r < rows; r++)
            for (int v = 0; v < vectors; v++)
                sum[r][v] += x[(size_t)r * row + i * step] * weight[v];
    }
    for (int r = 0; r < rows; r++)
        for (int v = 0; v < vectors; v++) {
            VECTOR *const to = (VECTOR *)(y + (size_t)r * n + (size_t)v * apart);

            if (adds)
                sum[r][v] += *to;
            *to = sum[r][v];
        }
}

/* All rows for `vectors` vectors of outputs from j on. */
static inline __attribute__((always_inline)) void LANED(panel)(
    const int vectors, size_t apart, const int adds, size_t j, size_t m, size_t n, size_t k,
    const float *x, size_t row, size_t step, const float *w, const float *bias, float *y)
{
    w += j;
    bias = bias != NULL ? bias + j : NULL;
    y += j;
    for (; m >= ROWS; m -= ROWS, x += ROWS * row, y += ROWS * n)
        LANED(block)(ROWS, vectors, apart, adds, n, k, x, row, step, w, bias, y);
    for (; m >= 4; m -= 4, x += 4 * row, y += 4 * n)
        LANED(block)(4, vectors, apart, adds, n, k, x, row, step, w, bias, y);
    for (; m >= 2; m -= 2, x += 2 * row, y += 2 * n)
        LANED(block)(2, vectors, apart, adds, n, k, x, row, step, w, bias, y);
    if (m > 0)
        LANED(block)(1, vectors, apart, adds, n, k, x, row, step, w, bias, y);
}

/* n >= LANES */
static ISA void LANED(product)(size_t m, size_t n, size_t k, const float *x, size_t ldx,
                               const float *w, const float *bias, float *y)
{
    size_t j = 0;

    for (; j + VECTORS * LANES <= n; j += VECTORS * LANES)
        LANED(panel)(VECTORS, LANES, 0, j, m, n, k, x, ldx, 1, w, bias, y);
    for (; j + 2 * LANES <= n; j += 2 * LANES)
        LANED(panel)(2, LANES, 0, j, m, n, k, x, ldx, 1, w, bias, y);
    if (n - j > LANES)
        LANED(panel)(2, n - j - LANES, 0, j, m, n, k, x, ldx, 1, w, bias, y);
    else if (j < n)
        LANED(panel)(1, 0, 0, n - LANES, m, n, k, x, ldx, 1, w, bias, y);
}

/* y[m][n] += x[k][m]^T d[k][n].  n is a multiple of LANES: vectors that overlap would add
 * twice. */
static ISA void LANED(outer)(size_t m, size_t n, size_t k, const float *x, size_t ldx,
                             const float *d, float *y)
{
    size_t j = 0;

    for (; j + VECTORS * LANES <= n; j += VECTORS * LANES)
        LANED(panel)(VECTORS, LANES, 1, j, m, n, k, x, 1, ldx, d, NULL, y);
    for (; j + 2 * LANES <= n; j += 2 * LANES)
        LANED(panel)(2, LANES, 1, j, m, n, k, x, 1, ldx, d, NULL, y);
    if (j < n)
        LANED(panel)(1, LANES, 1, j, m, n, k, x, 1, ldx, d, NULL, y);
}

/* n = 1: vectors lie along the inputs; their lanes are added in halves. */
static ISA void LANED(dots)(size_t m, size_t k, const float *x, size_t ldx, const float *w,
                            float bias, float *y)
{
    for (size_t r = 0; r < m; r++, x += ldx) {
        VECTOR sum = { 0.0f };
        float rest = bias, lane[LANES];
        size_t i = 0;

        for (; i + LANES <= k; i += LANES)
            sum += *(const VECTOR *)(x + i) * *(const VECTOR *)(w + i);
        for (; i < k; i++)
            rest += x[i] * w[i];
        *(VECTOR *)lane = sum;
        for (int half = LANES / 2; half > 0; half /= 2)
            for (int l = 0; l < half; l++)
                lane[l] += lane[l + half];
        y[r] = rest + lane[0];
    }
}

/* tanh of LANES floats in place, by a quotient of two polynomials in x^2 that is off by at
 * most 2.1e-8 of the value up to |x| = 9 (fitted for the least largest relative error),
 * and 1 beyond.  With rounding within 6 units in the last place. */
static inline __attribute__((always_inline)) void LANED(bend)(float *at)
{
    enum { ONE = 0x3F800000, NINE = 0x41100000 }; /* 1.0f and 9.0f */
    const VECTOR x = *(const VECTOR *)at;
    const BITS sign = (BITS)x & INT32_MIN;
    const VECTOR v = (VECTOR)((BITS)x & INT32_MAX), z = v * v;
    const VECTOR p =
        v * (0.999999979f +
             z * (0.13381031f +
                  z * (0.0034955943f + z * (2.06091781e-05f + z * 1.3354783e-08f))));
    const VECTOR q =
        1.0f + z * (0.467143466f +
                    z * (0.025877006f + z * (0.000328564467f + z * 7.77661044e-07f)));
    const VECTOR y = p / q;
    /* As integers, positive floats keep their order: all bits where |x| > 9 or y > 1. */
    const BITS is_one = ((NINE - (BITS)v) | (ONE - (BITS)y)) >> 31;

    *(VECTOR *)at = (VECTOR)((is_one & ONE) | (~is_one & (BITS)y) | sign);
}

static ISA void LANED(bends)(float *x, size_t n)
{
    float rest[LANES] = { 0.0f };

    for (; n >= LANES; n -= LANES, x += LANES)
        LANED(bend)(x);
    if (n == 0)
        return;
    memcpy(rest, x, n * sizeof *x);
    LANED(bend)(rest);
    memcpy(x, rest, n * sizeof *x);
}

#undef JOIN_
#undef JOIN
#undef LANED
#undef VECTOR
#undef BITS
#undef LANES
#undef ROWS
#undef VECTORS
#undef ISA
