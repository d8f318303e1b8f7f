/* twofold.h -- unevaluated sums of two doubles, which hold what rounding takes (Dekker
 * 1971), without fused multiply-adds: where there are none they are slow.             */
#ifndef TWOFOLD_H
#define TWOFOLD_H

#include "cpu.h"

#include <stdint.h>
#include <string.h>

static inline uint64_t double_bits(double x)
{
    uint64_t u;

    memcpy(&u, &x, sizeof u);
    return u;
}

static inline double double_from(uint64_t u)
{
    double x;

    memcpy(&x, &u, sizeof x);
    return x;
}

/* hi + lo, |lo| at most half a unit in the last place of hi, or about. */
struct twofold {
    double hi, lo;
};

/* a + b, |a| >= |b| or a = 0. */
static inline struct twofold sum_of(double a, double b)
{
    const double hi = a + b;

    return (struct twofold){ hi, b - (hi - a) };
}

/* The upper 26 bits of x: products of two such, or of one and what is left, are exact. */
static inline double upper_half(double x)
{
    return double_from(double_bits(x) & ~((UINT64_C(1) << 27) - 1));
}

static inline struct twofold product_of(double a, double b)
{
    const double hi = a * b, a1 = upper_half(a), b1 = upper_half(b), a2 = a - a1;
    const double b2 = b - b1;

    return (struct twofold){ hi, ((a1 * b1 - hi) + a1 * b2 + a2 * b1) + a2 * b2 };
}

#endif
