/* cpu.h -- one piece of plain C, compiled for several kinds of x86-64 processors; each
 * call takes the best that this machine has.  Elsewhere there is one version.
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

#endif
