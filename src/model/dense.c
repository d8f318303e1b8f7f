/* dense.c -- see dense.h. */
#include "dense.h"

#include "../base/gemm.h"

#if defined(__x86_64__)
#define LANES 16
#define FUSED fused_16
#define ISA TARGET_V4
#include "dense_kernel.h"
#define LANES 8
#define FUSED fused_8
#define ISA TARGET_V3
#include "dense_kernel.h"
#endif

#define LANES 4
#if defined(__aarch64__)
#define FUSED fused_4
#else
#define FUSED plain_4
#endif
#define ISA
#include "dense_kernel.h"

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

void dense_tanh(float *x, size_t n)
{
#if defined(__x86_64__)
    if (cpu_is_v3()) {
        (cpu_is_v4() ? bends16 : bends8)(x, n);
        return;
    }
#endif
    bends4(x, n);
}
