/* cpu.h -- what processors differ in: versions of a function, and vectors.
 *
 * One piece of plain C, compiled for several kinds of x86-64 processors; each call takes
 * the best that this machine has.  Elsewhere there is one version.
 *
 *     static inline ALWAYS_INLINE void twice_body(float *x, size_t n) { ... }
 *     CPU_VERSIONS(twice, (float *x, size_t n), (x, n))
 *
 * makes `static void twice(float *x, size_t n)`.  No fused multiply-add is formed (the
 * pragma below; gcc does not in ISO C), so all versions give the same bits.
 *
 * The compilers' own target_clones would do, but not under the sanitizers, which are not
 * yet awake when its resolvers run.                                                   */
#ifndef CPU_H
#define CPU_H

#include <stdint.h>
#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#endif

#define ALWAYS_INLINE __attribute__((always_inline))

#ifdef __x86_64__

#define TARGET_V3 __attribute__((target("avx2,fma,bmi2")))
#define TARGET_V4 \
    __attribute__((target("avx2,fma,bmi2,avx512f,avx512dq,avx512bw,avx512vl")))

static inline int cpu_is_v3(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
           __builtin_cpu_supports("bmi2");
}

static inline int cpu_is_v4(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
}

static inline int cpu_has_fma(void)
{
    return cpu_is_v3();
}

#define CPU_VERSIONS(name, params, args)   \
    TARGET_V4 static void name##_v4 params \
    {                                      \
        name##_body args;                  \
    }                                      \
    TARGET_V3 static void name##_v3 params \
    {                                      \
        name##_body args;                  \
    }                                      \
    static void name params                \
    {                                      \
        if (cpu_is_v3() && cpu_is_v4())    \
            name##_v4 args;                \
        else if (cpu_is_v3())              \
            name##_v3 args;                \
        else                               \
            name##_body args;              \
    }

#else

static inline int cpu_has_fma(void)
{
#ifdef __aarch64__
    return 1;
#else
    return 0;
#endif
}

#define CPU_VERSIONS(name, params, args) \
    static void name params              \
    {                                    \
        name##_body args;                \
    }

#endif

/* Vectors of floats ---------------------------------------------------------------------
 *
 * a b + c, rounded once: the instruction where the processor has one; else worked out in
 * double, which is slow and gives the same bits.  Written out, because no compiler's own
 * fusing is the same on every machine.
 *
 *     fused_16   with AVX-512
 *     fused_8    with AVX2 and FMA
 *     fused_4    with NEON
 *     plain_4    with nothing: any processor
 *
 * floatsN may lie anywhere in an array of floats.                                      */

typedef float floats4 __attribute__((vector_size(16), aligned(4), may_alias));
typedef float floats8 __attribute__((vector_size(32), aligned(4), may_alias));
typedef float floats16 __attribute__((vector_size(64), aligned(4), may_alias));

#if defined(__x86_64__)

TARGET_V4 static inline ALWAYS_INLINE floats16 fused_16(floats16 a, floats16 b, floats16 c)
{
    return (floats16)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
}

TARGET_V3 static inline ALWAYS_INLINE floats8 fused_8(floats8 a, floats8 b, floats8 c)
{
    return (floats8)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
}

#elif defined(__aarch64__)

static inline ALWAYS_INLINE floats4 fused_4(floats4 a, floats4 b, floats4 c)
{
    return (floats4)vfmaq_f32((float32x4_t)c, (float32x4_t)a, (float32x4_t)b);
}

#endif

/* The first n floats, and 0. */
static inline ALWAYS_INLINE floats4 first_4(const float *x, size_t n)
{
    return (floats4){ n > 0 ? x[0] : 0.0f, n > 1 ? x[1] : 0.0f, n > 2 ? x[2] : 0.0f,
                      n > 3 ? x[3] : 0.0f };
}

#if defined(__x86_64__)

TARGET_V3 static inline ALWAYS_INLINE floats8 first_8(const float *x, size_t n)
{
    static const int32_t all[16] = { -1, -1, -1, -1, -1, -1, -1, -1 };
    const __m256i mask = _mm256_loadu_si256((const __m256i_u *)(all + 8 - n));

    return (floats8)_mm256_maskload_ps(x, mask);
}

TARGET_V4 static inline ALWAYS_INLINE floats16 first_16(const float *x, size_t n)
{
    return (floats16)_mm512_maskz_loadu_ps((__mmask16)((1u << n) - 1), x);
}

#endif

/* The sum of all lanes: the upper half to the lower one, again and again; down to four. */
static inline ALWAYS_INLINE floats4 four_of_4(floats4 x)
{
    return x;
}

#if defined(__x86_64__)

TARGET_V3 static inline ALWAYS_INLINE floats4 four_of_8(floats8 x)
{
    const floats4 low = { x[0], x[1], x[2], x[3] }, high = { x[4], x[5], x[6], x[7] };

    return low + high;
}

TARGET_V4 static inline ALWAYS_INLINE floats4 four_of_16(floats16 x)
{
    const floats8 low = { x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7] },
                  high = { x[8], x[9], x[10], x[11], x[12], x[13], x[14], x[15] };

    return four_of_8(low + high);
}

#endif

/* ... and from four to one. */
static inline ALWAYS_INLINE float halves(floats4 x)
{
    return (x[0] + x[2]) + (x[1] + x[3]);
}

static inline ALWAYS_INLINE floats4 halves_of_4(const floats4 x[4])
{
    const floats4 a = __builtin_shufflevector(x[0], x[1], 0, 4, 1, 5) +
                      __builtin_shufflevector(x[0], x[1], 2, 6, 3, 7);
    const floats4 b = __builtin_shufflevector(x[2], x[3], 0, 4, 1, 5) +
                      __builtin_shufflevector(x[2], x[3], 2, 6, 3, 7);

    return __builtin_shufflevector(a, b, 0, 1, 4, 5) +
           __builtin_shufflevector(a, b, 2, 3, 6, 7);
}

/* The product of two floats is exact in double; the sum is rounded to odd: if anything was
 * lost, its last bit is 1.  Then rounding it to a float is as good as rounding once
 * (Boldo and Melquiond, "When double rounding is odd", 2005). */
static inline ALWAYS_INLINE float plain_1(float a, float b, float c)
{
    const double p = (double)a * (double)b, sum = p + (double)c;
    const double part = sum - p, lost = (p - (sum - part)) + ((double)c - part);
    double odd;
    int64_t bits;

    memcpy(&bits, &sum, sizeof bits);
    /* An infinite sum loses NaN, which is on neither side of 0. */
    const int64_t is_even = (lost > 0.0 || lost < 0.0) & ~bits & 1;

    bits += (lost > 0.0) == (sum > 0.0) ? is_even : -is_even;
    memcpy(&odd, &bits, sizeof odd);
    return (float)odd;
}

static inline ALWAYS_INLINE floats4 plain_4(floats4 a, floats4 b, floats4 c)
{
    return (floats4){ plain_1(a[0], b[0], c[0]), plain_1(a[1], b[1], c[1]),
                      plain_1(a[2], b[2], c[2]), plain_1(a[3], b[3], c[3]) };
}

#endif
