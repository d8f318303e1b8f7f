/* dense_kernel.h -- the curve of dense.h for one width of vector; dense.c includes it once
 * for each, with
 *
 *     LANES   floats of a vector
 *     FUSED   a b + c of such vectors, rounded once (lanes.h)
 *     ISA     function attributes: the instructions it may use                         */
#include "../base/lanes.h"

#ifndef LANES /* for those who compile this header alone */
#define LANES 4
#define FUSED plain_4
#define ISA
#endif

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define LANED(name) JOIN(name, LANES)
#define VECTOR LANED(floats)
#define BITS LANED(bits)
#define ALL(x) ((x) - (VECTOR){ 0.0f })

typedef int32_t BITS __attribute__((vector_size(4 * LANES)));

/* tanh of LANES floats in place, by a quotient of two polynomials in x^2 that is off by at
 * most 2.1e-8 of the value up to |x| = 9 (fitted for the least largest relative error),
 * and 1 beyond.  With rounding within 6 units in the last place. */
ISA static inline ALWAYS_INLINE void LANED(bend)(float *at)
{
    enum { ONE = 0x3F800000, NINE = 0x41100000 }; /* 1.0f and 9.0f */
    const VECTOR x = *(const VECTOR *)at;
    const BITS sign = (BITS)x & INT32_MIN;
    const VECTOR v = (VECTOR)((BITS)x & INT32_MAX), z = v * v;
    VECTOR p = FUSED(z, ALL(1.3354783e-08f), ALL(2.06091781e-05f));
    VECTOR q = FUSED(z, ALL(7.77661044e-07f), ALL(0.000328564467f));

    p = FUSED(z, p, ALL(0.0034955943f));
    p = FUSED(z, p, ALL(0.13381031f));
    p = v * FUSED(z, p, ALL(0.999999979f));
    q = FUSED(z, q, ALL(0.025877006f));
    q = FUSED(z, q, ALL(0.467143466f));
    q = FUSED(z, q, ALL(1.0f));
    const VECTOR y = p / q;
    /* As integers, positive floats keep their order: all bits where |x| > 9 or y > 1. */
    const BITS is_one = ((NINE - (BITS)v) | (ONE - (BITS)y)) >> 31;

    *(VECTOR *)at = (VECTOR)((is_one & ONE) | (~is_one & (BITS)y) | sign);
}

ISA static void LANED(bends)(float *x, size_t n)
{
    float rest[LANES] = { 0.0f };

    for (; n >= LANES; n -= LANES, x += LANES)
        LANED(bend)(x);
    if (n == 0)
        return;
    memcpy(rest, x, n * sizeof *x);
    LANED(bend)(rest);
    memcpy(x, rest, n * sizeof *x);
}

#undef JOIN_
#undef JOIN
#undef LANED
#undef VECTOR
#undef BITS
#undef ALL
#undef LANES
#undef FUSED
#undef ISA
