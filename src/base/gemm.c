/* gemm.c -- see gemm.h: the widest vectors that the machine has and c fills. */
#include "gemm.h"

#if defined(__x86_64__)

/* 24 sums of the 32 registers; beside them a row of b and an element of a. */
#define LANES 16
#define FUSED fused_16
#define SUMS 24
#define VECTORS 4
#define ISA TARGET_V4
#include "gemm_kernel.h"

/* 12 of 16. */
#define LANES 8
#define FUSED fused_8
#define SUMS 12
#define VECTORS 3
#define ISA TARGET_V3
#include "gemm_kernel.h"

#endif

#define LANES 4
#if defined(__aarch64__)
#define FUSED fused_4
#define SUMS 16
#define VECTORS 3
#else
#define FUSED plain_4
#define SUMS 12
#define VECTORS 3
#endif
#define ISA
#include "gemm_kernel.h"

struct version {
    int (*runs)(void); /* here */
    void (*multiply)(const struct product *p);
    void (*multiply_row)(const struct product *p);
    void (*dots)(size_t m, size_t k, const float *a, size_t lda, const float *b, float from,
                 float *c);
};

static int always(void)
{
    return 1;
}

static const struct version versions[] = {
#if defined(__x86_64__)
    { cpu_is_v4, multiply16, multiply_row16, dots16 },
    { cpu_is_v3, multiply8, multiply_row8, dots8 },
#endif
    { always, multiply4, multiply_row4, dots4 },
};

/* A vector that n columns do not fill needs blocks beside c (narrow_panel): with fewer rows
 * or terms than this they cost more than its width gains. */
enum { FEW = 96 };

/* The widest vectors that run here and of which n floats fill half or more; where rows (m) or
 * terms (k) are few, such that they fill one. */
static const struct version *version_for(size_t m, size_t n, size_t k)
{
    const struct version *v = versions;

#if defined(__x86_64__)
    if (n <= 8 || (n < 16 && (m < FEW || k < FEW)) || !cpu_is_v4())
        v++;
    if (!cpu_is_v3())
        v = &versions[2];
#endif
    (void)m;
    (void)n;
    (void)k;
    return v;
}

/* What the loops need of any shape: a row, a column and a term. */
static void multiply(const struct version *v, const struct product *p)
{
    if (p->m == 0 || p->n == 0)
        return;
    if (p->k > 0 && p->m == 1 && !p->is_b_turned)
        v->multiply_row(p);
    else if (p->k > 0)
        v->multiply(p);
    for (size_t i = 0; p->k == 0 && p->from != p->c && i < p->m; i++)
        for (size_t j = 0; j < p->n; j++)
            p->c[i * p->ldc + j] = p->from != NULL ? p->from[i * p->ld_from + j] : 0.0f;
}

static struct product product_nn(size_t m, size_t n, size_t k, const float *a, size_t lda,
                                 const float *b, size_t ldb, const float *from,
                                 size_t ld_from, float *c, size_t ldc)
{
    return (struct product){ .m = m,
                             .n = n,
                             .k = k,
                             .a = a,
                             .row = lda,
                             .step = 1,
                             .b = b,
                             .ldb = ldb,
                             .from = from,
                             .ld_from = ld_from,
                             .c = c,
                             .ldc = ldc };
}

static struct product product_nt(size_t m, size_t n, size_t k, const float *a, size_t lda,
                                 const float *b, size_t ldb, const float *from,
                                 size_t ld_from, float *c, size_t ldc)
{
    struct product p = product_nn(m, n, k, a, lda, b, ldb, from, ld_from, c, ldc);

    p.is_b_turned = true;
    return p;
}

/* A column of c without gaps is as good as a row. */
static struct product product_tn(size_t m, size_t n, size_t k, const float *a, size_t lda,
                                 const float *b, size_t ldb, const float *from,
                                 size_t ld_from, float *c, size_t ldc)
{
    const bool is_column = n == 1 && ldc == 1 && (from == NULL || ld_from == 1);
    struct product p = is_column ? product_nn(1, m, k, b, 1, a, lda, from, m, c, m)
                                 : product_nn(m, n, k, a, 1, b, ldb, from, ld_from, c, ldc);

    p.row = 1;
    p.step = is_column ? ldb : lda;
    return p;
}

void gemm_nn(size_t m, size_t n, size_t k, const float *a, size_t lda, const float *b,
             size_t ldb, const float *from, size_t ld_from, float *c, size_t ldc)
{
    const struct product p = product_nn(m, n, k, a, lda, b, ldb, from, ld_from, c, ldc);

    multiply(version_for(p.m, p.n, p.k), &p);
}

void gemm_nt(size_t m, size_t n, size_t k, const float *a, size_t lda, const float *b,
             size_t ldb, const float *from, size_t ld_from, float *c, size_t ldc)
{
    const struct product p = product_nt(m, n, k, a, lda, b, ldb, from, ld_from, c, ldc);

    multiply(version_for(p.m, p.n, p.k), &p);
}

void gemm_tn(size_t m, size_t n, size_t k, const float *a, size_t lda, const float *b,
             size_t ldb, const float *from, size_t ld_from, float *c, size_t ldc)
{
    const struct product p = product_tn(m, n, k, a, lda, b, ldb, from, ld_from, c, ldc);

    multiply(version_for(p.m, p.n, p.k), &p);
}

void gemm_dots(size_t m, size_t k, const float *a, size_t lda, const float *b, float from,
               float *c)
{
    const size_t many = FEW; /* vectors lie along the terms: no blocks */

    version_for(many, k, many)->dots(m, k, a, lda, b, from, c);
}
