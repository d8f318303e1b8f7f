/* vec.c -- see vec.h.  Curves are curves.h in loops. */
#include "vec.h"

#include "curves.h"

/* Sums ----------------------------------------------------------------------------- */

/* Eight sums side by side, added up in pairs: the order is the same on every machine. */
enum { LANES = 8 };

static double sum_lanes(const double sum[LANES])
{
    return ((sum[0] + sum[4]) + (sum[2] + sum[6])) +
           ((sum[1] + sum[5]) + (sum[3] + sum[7]));
}

double vec_sum(const float *x, size_t n)
{
    double sum[LANES] = { 0 };
    size_t i = 0;

    for (; n - i >= LANES; i += LANES)
        for (size_t j = 0; j < LANES; j++)
            sum[j] += x[i + j];
    for (; i < n; i++)
        sum[i % LANES] += x[i];
    return sum_lanes(sum);
}

double vec_dot(const float *x, const float *y, size_t n)
{
    double sum[LANES] = { 0 };
    size_t i = 0;

    for (; n - i >= LANES; i += LANES)
        for (size_t j = 0; j < LANES; j++)
            sum[j] += (double)x[i + j] * y[i + j];
    for (; i < n; i++)
        sum[i % LANES] += (double)x[i] * y[i];
    return sum_lanes(sum);
}

/* Curves --------------------------------------------------------------------------- */

/* Loops of a fixed length become vectors at any level of optimisation. */
enum { BLOCK = 16 };

/* Applies one curve of curves.h to x[0..n) in place; the rest that does not fill a block
 * goes through a block of its own. */
#define EACH(curve)                                 \
    do {                                            \
        float rest[BLOCK] = { 0 };                  \
        size_t i = 0;                               \
        for (; n - i >= BLOCK; i += BLOCK)          \
            for (size_t j = 0; j < BLOCK; j++)      \
                x[i + j] = curve(x[i + j]);         \
        for (size_t j = 0; j < n - i; j++)          \
            rest[j] = x[i + j];                     \
        for (size_t j = 0; i < n && j < BLOCK; j++) \
            rest[j] = curve(rest[j]);               \
        for (size_t j = 0; j < n - i; j++)          \
            x[i + j] = rest[j];                     \
    } while (0)

#define CURVE(name)                                                         \
    static inline ALWAYS_INLINE void each_##name##_body(float *x, size_t n) \
    {                                                                       \
        EACH(curve_##name);                                                 \
    }                                                                       \
    CPU_VERSIONS(each_##name, (float *x, size_t n), (x, n))                 \
    void vec_##name(float *x, size_t n)                                     \
    {                                                                       \
        each_##name(x, n);                                                  \
    }

CURVE(exp)
CURVE(tanh)
CURVE(sigmoid)
CURVE(log1p)

static inline ALWAYS_INLINE void add_scaled_body(size_t n, float a, const float *restrict x,
                                                 float *restrict y)
{
    size_t i = 0;

    for (; n - i >= BLOCK; i += BLOCK)
        for (size_t j = 0; j < BLOCK; j++)
            y[i + j] += a * x[i + j];
    for (; i < n; i++)
        y[i] += a * x[i];
}
CPU_VERSIONS(add_scaled, (size_t n, float a, const float *x, float *y), (n, a, x, y))

void vec_axpy(size_t n, float a, const float *x, float *y)
{
    add_scaled(n, a, x, y);
}
