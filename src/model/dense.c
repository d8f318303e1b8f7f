/* dense.c -- see dense.h: the widest vectors that the machine has and the layer fills. */
#include "dense.h"

#if defined(__x86_64__)
#define HAS_X86 1
#else
#define HAS_X86 0
#endif

#if HAS_X86
/* 24 sums of the 32 registers; beside them the weights and one feature. */
#define LANES 16
#define ROWS 6
#define VECTORS 4
#define ISA __attribute__((target("avx512f")))
#include "dense_kernel.h"

/* 12 of 16. */
#define LANES 8
#define ROWS 6
#define VECTORS 2
#define ISA __attribute__((target("avx2,fma")))
#include "dense_kernel.h"
#endif

#define LANES 4
#define ROWS 4
#define VECTORS 2
#define ISA
#include "dense_kernel.h"

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
#if HAS_X86
    if (k >= 16 && __builtin_cpu_supports("avx512f")) {
        dots16(m, k, x, ldx, w, bias, y);
        return;
    }
    if (k >= 8 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        dots8(m, k, x, ldx, w, bias, y);
        return;
    }
#endif
    dots4(m, k, x, ldx, w, bias, y);
}

void dense_forward(size_t m, size_t n, size_t k, const float *x, size_t ldx, const float *w,
                   const float *bias, float *y)
{
    if (n == 1) {
        one_output(m, k, x, ldx, w, bias != NULL ? bias[0] : 0.0f, y);
        return;
    }
#if HAS_X86
    if (n >= 16 && __builtin_cpu_supports("avx512f")) {
        product16(m, n, k, x, ldx, w, bias, y);
        return;
    }
    if (n >= 8 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        product8(m, n, k, x, ldx, w, bias, y);
        return;
    }
#endif
    if (n >= 4)
        product4(m, n, k, x, ldx, w, bias, y);
    else
        plain(m, n, k, x, ldx, w, bias, y);
}
