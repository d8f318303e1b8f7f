/* curves.h -- exp, tanh, sigmoid and log1p of one float, free of branches, so
 * that compilers make vectors of loops over them.  Only additions, products, divisions
 * and bit operations: every machine gives the same bits.  Within 2 units in the last
 * place of the true value for every finite x.
 *
 * Choices are made by masks: a comparison of floats may raise a flag, and compilers keep
 * it a branch for that.                                                             */
#ifndef CURVES_H
#define CURVES_H

#include "cpu.h"

#include <stdint.h>
#include <string.h>

static inline ALWAYS_INLINE uint32_t bits_of(float x)
{
    uint32_t u;

    memcpy(&u, &x, sizeof u);
    return u;
}

static inline ALWAYS_INLINE float float_of(uint32_t u)
{
    float x;

    memcpy(&x, &u, sizeof x);
    return x;
}

static inline ALWAYS_INLINE float magnitude(float x)
{
    return float_of(bits_of(x) & 0x7FFFFFFFu);
}

/* |x| with the sign of `of`. */
static inline ALWAYS_INLINE float with_sign(float x, float of)
{
    return float_of((bits_of(x) & 0x7FFFFFFFu) | (bits_of(of) & 0x80000000u));
}

/* All bits where x < 0 or is -0, else none. */
static inline ALWAYS_INLINE uint32_t if_negative(float x)
{
    return (uint32_t)((int32_t)bits_of(x) >> 31);
}

/* All bits where a < b, else none; neither may be negative. */
static inline ALWAYS_INLINE uint32_t if_less(float a, float b)
{
    return (uint32_t)(((int32_t)bits_of(a) - (int32_t)bits_of(b)) >> 31);
}

static inline ALWAYS_INLINE float choose(uint32_t mask, float a, float b)
{
    return float_of((bits_of(a) & mask) | (bits_of(b) & ~mask));
}

/* 2^n, n in [-126, 127]. */
static inline ALWAYS_INLINE float power_of_2(int32_t n)
{
    return float_of((uint32_t)(n + 127) << 23);
}

/* ln 2 in two parts; the first has 9 bits, so that its product with a small whole number
 * is exact. */
#define LN2_HIGH 0.693359375f
#define LN2_LOW -2.12194440e-4f
#define LOG2_E 1.44269504088896341f
#define ROUND_TO_WHOLE 12582912.0f /* 1.5 * 2^23: adding it leaves no fraction bits */

/* e^x = 2^n (1 + p), |p| < 0.42, for |x| <= 128: x = n ln 2 + r, |r| <= ln(2)/2, and
 *     p = e^r - 1 = r + r^2 (1/2! + r/3! + ... + r^5/7!)
 * where what is left out is below r^8/8! < 6e-9.  `lost` is what rounding took from r. */
static inline ALWAYS_INLINE int32_t reduce_exp(float x, float *p)
{
    const float shifted = x * LOG2_E + ROUND_TO_WHOLE;
    const float n = shifted - ROUND_TO_WHOLE;
    const float high = x - n * LN2_HIGH, low = n * LN2_LOW;
    const float r = high - low, lost = (high - r) - low;
    const float tail =
        0.5f +
        r * (1.0f / 6 + r * (1.0f / 24 + r * (1.0f / 120 + r * (1.0f / 720 + r / 5040))));

    *p = r + (r * r * tail + lost);
    return (int32_t)bits_of(shifted) - (int32_t)bits_of(ROUND_TO_WHOLE);
}

/* From |x| = 104 on the result is 0 or infinite.  The power of 2 comes in two halves:
 * its exponent may be outside a float's range where the result is not. */
static inline ALWAYS_INLINE float curve_exp(float x)
{
    const float y = magnitude(x);
    float p;
    const int32_t n = reduce_exp(with_sign(choose(if_less(y, 104.0f), y, 104.0f), x), &p);
    const int32_t half = n >> 1;

    return (1.0f + p) * power_of_2(half) * power_of_2(n - half);
}

/* Up to |x| = 0.625 x + x^3 P(x^2), P through the Chebyshev nodes (off by less than
 * 1.4e-8 x); beyond, 1 - 2 / (e^2|x| + 1), which is 1 from |x| = 10 on. */
static inline ALWAYS_INLINE float curve_tanh(float x)
{
    const float y = magnitude(x), z = x * x;
    const float inner =
        y + y * z *
                (-0.333333289f +
                 z * (0.133327697f +
                      z * (-0.0538509096f + z * (0.020997179f - z * 0.00609671417f))));
    const float outer =
        1.0f - 2.0f / (curve_exp(2.0f * choose(if_less(y, 10.0f), y, 10.0f)) + 1.0f);

    return with_sign(choose(if_less(y, 0.625f), inner, outer), x);
}

/* With e = e^-|x| and t = e / (1 + e): 1 - t for x >= 0; t = e - e t below, where rounding
 * t matters less. */
static inline ALWAYS_INLINE float curve_sigmoid(float x)
{
    const float e = curve_exp(-magnitude(x)), t = e / (1.0f + e);

    return choose(if_negative(x), e - e * t, 1.0f - t);
}

/* log(1 + x), x >= 0.  v = 1 + x loses c, so log(1 + x) = log v + c / v to first order.
 * v = 2^k (1 + f), f in [sqrt(1/2) - 1, sqrt(2) - 1); with s = f / (2 + f)
 *     log(1 + f) = 2 atanh s = f - (f^2/2 - s (f^2/2 + 2/3 s^2 + 2/5 s^4 + ...)) */
static inline ALWAYS_INLINE float curve_log1p(float x)
{
    const float v = 1.0f + x;
    const float c = choose(if_less(x, 1.0f), x - (v - 1.0f), 1.0f - (v - x)) / v;
    const uint32_t moved = bits_of(v) + (0x3F800000u - 0x3F3504F3u); /* sqrt(1/2) */
    const float k = (float)((int32_t)(moved >> 23) - 127);
    const float f = float_of((moved & 0x007FFFFFu) + 0x3F3504F3u) - 1.0f;
    const float s = f / (2.0f + f), z = s * s, half = 0.5f * f * f;
    const float tail =
        z * (2.0f / 3 + z * (2.0f / 5 + z * (2.0f / 7 + z * (2.0f / 9 + z * 2.0f / 11))));

    return k * LN2_HIGH - ((half - (s * (half + tail) + (k * LN2_LOW + c))) - f);
}

#endif
