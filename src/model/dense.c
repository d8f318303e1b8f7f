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

void dense_forward(size_t m, size_t n, size_t k, const float *x, size_t ldx, const float *w,
                   const float *bias, float *y)
{
    if (n == 1) {
        const float b = bias != NULL ? bias[0] : 0.0f;

        if (k >= 16 && has_16_lanes())
            dots16(m, k, x, ldx, w, b, y);
        else if (k >= 8 && has_8_lanes())
            dots8(m, k, x, ldx, w, b, y);
        else
            dots4(m, k, x, ldx, w, b, y);
        return;
    }
    for (size_t rows; m > 0; m -= rows, x += rows * ldx, y += rows * n) {
        rows = m < CHUNK ? m : CHUNK;
        if (n >= 16 && has_16_lanes())
            product16(rows, n, k, x, ldx, w, bias, y);
        else if (n >= 8 && has_8_lanes())
            product8(rows, n, k, x, ldx, w, bias, y);
        else if (n >= 4)
            product4(rows, n, k, x, ldx, w, bias, y);
        else
            plain(rows, n, k, x, ldx, w, bias, y);
    }
}

void dense_weights(size_t m, size_t n, size_t k, const float *x, size_t ldx, const float *d,
                   float *dw)
{
    for (size_t rows; k > 0; k -= rows, x += rows * ldx, d += rows * n) {
        rows = k < TERMS ? k : TERMS;
        if (n % 16 == 0 && has_16_lanes())
            outer16(m, n, rows, x, ldx, d, dw);
        else if (n % 8 == 0 && has_8_lanes())
            outer8(m, n, rows, x, ldx, d, dw);
        else if (n % 4 == 0 && !has_8_lanes())
            outer4(m, n, rows, x, ldx, d, dw);
        else
            vec_gemm_tn(m, n, rows, x, ldx, d, n, 1.0f, dw, n);
    }
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
