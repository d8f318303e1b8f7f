/* dense.c -- see dense.h. */
#include "dense.h"

#include "../base/curves.h"
#include "../base/gemm.h"

#include <stdbool.h>

void dense_forward(size_t m, size_t n, size_t k, const float *x, size_t ldx, const float *w,
                   const float *bias, float *y)
{
    if (n == 1)
        gemm_dots(m, k, x, ldx, w, bias != NULL ? bias[0] : 0.0f, y);
    else
        gemm_nn(m, n, k, x, ldx, w, n, bias, 0, y, n);
}

void dense_weights(size_t m, size_t n, size_t k, const float *x, size_t ldx, const float *d,
                   float *dw)
{
    gemm_tn(m, n, k, x, ldx, d, n, dw, n, dw, n);
}

/* A quotient of two polynomials in x^2 that is off by at most 2.1e-8 of the value up to
 * |x| = 9 (fitted for the least largest relative error), and 1 beyond.  With rounding
 * within 6 units in the last place. */
static inline ALWAYS_INLINE float bend(float x, const bool fuses)
{
#define FUSED(a, b, c) (fuses ? __builtin_fmaf(a, b, c) : plain_1(a, b, c))
    const float v = magnitude(x), z = v * v;
    float p = FUSED(z, 1.3354783e-08f, 2.06091781e-05f);
    float q = FUSED(z, 7.77661044e-07f, 0.000328564467f);

    p = FUSED(z, p, 0.0034955943f);
    p = FUSED(z, p, 0.13381031f);
    p = v * FUSED(z, p, 0.999999979f);
    q = FUSED(z, q, 0.025877006f);
    q = FUSED(z, q, 0.467143466f);
    q = FUSED(z, q, 1.0f);
    const float y = p / q;

    return with_sign(choose(if_less(9.0f, v) | if_less(1.0f, y), 1.0f, y), x);
#undef FUSED
}

static inline ALWAYS_INLINE void bend_all(float *x, size_t n, const bool fuses)
{
    for (size_t i = 0; i < n; i++)
        x[i] = bend(x[i], fuses);
}

#if defined(__x86_64__)

TARGET_V4 static void bend_all_v4(float *x, size_t n)
{
    bend_all(x, n, true);
}

TARGET_V3 static void bend_all_v3(float *x, size_t n)
{
    bend_all(x, n, true);
}

#endif

void dense_tanh(float *x, size_t n)
{
#if defined(__x86_64__)
    if (cpu_is_v3()) {
        (cpu_is_v4() ? bend_all_v4 : bend_all_v3)(x, n);
        return;
    }
#endif
    bend_all(x, n, cpu_has_fma());
}
