/* finite.c -- see finite.h.
 *
 * A float is NaN or infinite when its 8 exponent bits are all 1; adding 1 to them then
 * reaches the sign bit.                                                             */
#include "finite.h"

#include "cpu.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

enum { BLOCK = 16, EXPONENT = 0x7F800000, ONE = 0x00800000 };

/* Blocks of a fixed length become vectors at any level of optimisation. */
static inline ALWAYS_INLINE void look_at_body(const float *x, size_t n, uint32_t *seen)
{
    uint32_t all[BLOCK] = { 0 }, bits[BLOCK];
    size_t i = 0;

    for (; n - i >= BLOCK; i += BLOCK) {
        memcpy(bits, x + i, sizeof bits);
        for (size_t j = 0; j < BLOCK; j++)
            all[j] |= (bits[j] & EXPONENT) + ONE;
    }
    memset(bits, 0, sizeof bits);
    memcpy(bits, x + i, (n - i) * sizeof *x);
    for (size_t j = 0; j < BLOCK; j++)
        *seen |= all[j] | ((bits[j] & EXPONENT) + ONE);
}
CPU_VERSIONS(look_at, (const float *x, size_t n, uint32_t *seen), (x, n, seen))

bool floats_are_finite(const float *x, size_t n)
{
    uint32_t seen = 0;

    if (n > 0)
        look_at(x, n, &seen);
    return seen >> 31 == 0;
}

bool doubles_are_finite(const double *x, size_t n)
{
    size_t i = 0;

    while (i < n && isfinite(x[i]))
        i++;
    return i == n;
}
