/* dense.c -- see dense.h: the widest vectors that the machine has and the layer fills. */
#include "dense.h"

#include "../base/vec.h"

#include <stdbool.h>

#ifdef __x86_64__
#define X86_TARGET(isa) __attribute__((target(isa)))
#define X86_SUPPORTS(isa) (__builtin_cpu_supports(isa) != 0)
#else
#define X86_TARGET(isa)
#define X86_SUPPORTS(isa) false
#endif

/* 24 sums of the 32 registers; beside them the weights and one feature. */
#define LANES 16
#define ROWS 6
#define VECTORS 4
#define ISA X86_TARGET("avx512f")
#include "dense_kernel.h"

/* 12 of 16. */
#define LANES 8
#define ROWS 6
#define VECTORS 2
#define ISA X86_TARGET("avx2,fma")
#include "dense_kernel.h"

#define LANES 4
#define ROWS 4
#define VECTORS 2
#define ISA
#include "dense_kernel.h"

enum {
    CHUNK = 240, /* rows that are read again for every 64 outputs: they stay in the cache */
    TERMS = 512  /* likewise documents that are read again for every few weights */
};

static bool has_16_lanes(void)
{
    return X86_SUPPORTS("avx512f");
}

static bool has_8_lanes(void)
{
    return X86_SUPPORTS("avx2") && X86_SUPPORTS("fma");
}

/* Two or three outputs. */
static void plain(size_t m, size_t n, size_t k, const float *x, size_t ldx, const float *w,
                  const float *bias, float *y)
{
    for (size_t r = 0; r < m; r++, x += ldx, y += n)
        for (size_t j = 0; j < n; j++) {
            float sum = bias != NULL ? bias[j] : 0.0f;

            for (size_t i = 0; i < k; i++)
                sum += x[i] * w[i * n + j];
            y[j] = sum;
        }
}

static void one_output(size_t m, size_t k, const float *x, size_t ldx, const float *w,
                       float bias, float *y)
{
    if (k >= 16 && has_16_lanes())
        dots16(m, k, x, ldx, w, bias, y);
    else if (k >= 8 && has_8_lanes())
        dots8(m, k, x, ldx, w, bias, y);
    else
        dots4(m, k, x, ldx, w, bias, y);
}

/* n > 1 */
static void product(size_t m, size_t n, size_t k, const float *x, size_t ldx,
                    const float *w, const float *bias, float *y)
{
    if (n >= 16 && has_16_lanes())
        product16(m, n, k, x, ldx, w, bias, y);
    else if (n >= 8 && has_8_lanes())
        product8(m, n, k, x, ldx, w, bias, y);
    else if (n >= 4)
        product4(m, n, k, x, ldx, w, bias, y);
    else
        plain(m, n, k, x, ldx, w, bias, y);
}

void dense_forward(size_t m, size_t n, size_t k, const float *x, size_t ldx, const float *w,
                   const float *bias, float *y)
{
    if (n == 1) {
        one_output(m, k, x, ldx, w, bias != NULL ? bias[0] : 0.0f, y);
        return;
    }
    for (size_t at = 0; at < m; at += CHUNK)
        product(m - at < CHUNK ? m - at : CHUNK, n, k, x + at * ldx, ldx, w, bias,
                y + at * n);
}

static void outer(size_t m, size_t n, size_t k, const float *x, size_t ldx, const float *d,
                  float *dw)
{
    if (n % 16 == 0 && has_16_lanes())
        outer16(m, n, k, x, ldx, d, dw);
    else if (n % 8 == 0 && has_8_lanes())
        outer8(m, n, k, x, ldx, d, dw);
    else if (n % 4 == 0 && !has_8_lanes())
        outer4(m, n, k, x, ldx, d, dw);
    else
        vec_gemm_tn(m, n, k, x, ldx, d, n, 1.0f, dw, n);
}

void dense_weights(size_t m, size_t n, size_t k, const float *x, size_t ldx, const float *d,
                   float *dw)
{
    for (size_t at = 0; at < k; at += TERMS)
        outer(m, n, k - at < TERMS ? k - at : TERMS, x + at * ldx, ldx, d + at * n, dw);
}

void dense_tanh(float *x, size_t n)
{
    if (has_16_lanes())
        bends16(x, n);
    else if (has_8_lanes())
        bends8(x, n);
    else
        bends4(x, n);
}
