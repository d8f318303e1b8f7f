/* rng.c -- xoshiro256** (Blackman and Vigna 2021), seeded through splitmix64. */
#include "rng.h"

#include "maths.h"

#include <math.h>
#include <sys/random.h>

static uint64_t splitmix(uint64_t *state)
{
    uint64_t z = *state += 0x9E3779B97F4A7C15ULL;

    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
}

uint64_t mix64(uint64_t a, uint64_t b)
{
    uint64_t state = a;
    uint64_t both = splitmix(&state) ^ b;

    return splitmix(&both);
}

uint64_t rng_secret(void)
{
    uint64_t secret;

    /* Where the system has none to give, the stack's address must do. */
    if (getrandom(&secret, sizeof secret, GRND_NONBLOCK) != (ssize_t)sizeof secret)
        secret = mix64((uintptr_t)&secret, (uintptr_t)rng_secret);
    return secret;
}

void rng_seed(struct rng *r, uint64_t seed, uint64_t stream)
{
    uint64_t state = mix64(seed, stream);

    for (int i = 0; i < 4; i++)
        r->s[i] = splitmix(&state);
}

static uint64_t rotate(uint64_t x, int k)
{
    return x << k | x >> (64 - k);
}

static inline uint64_t xoshiro(uint64_t s[4])
{
    const uint64_t result = rotate(s[1] * 5, 7) * 9, t = s[1] << 17;

    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate(s[3], 45);
    return result;
}

uint64_t rng_u64(struct rng *r)
{
    return xoshiro(r->s);
}

/* The state stays in registers on the way. */
void rng_fill(struct rng *r, uint64_t *to, size_t n)
{
    struct rng here = *r;

    for (size_t i = 0; i < n; i++)
        to[i] = xoshiro(here.s);
    *r = here;
}

double rng_uniform(struct rng *r)
{
    return (double)(rng_u64(r) >> 11) * 0x1.0p-53;
}

double rng_between(struct rng *r, double lo, double hi)
{
    return lo + (hi - lo) * rng_uniform(r);
}

/* Marsaglia's polar method; the second value is thrown away so that the state is the
 * four words alone. */
double rng_normal(struct rng *r)
{
    double u, v, s;

    do {
        u = rng_between(r, -1.0, 1.0);
        v = rng_between(r, -1.0, 1.0);
        s = u * u + v * v;
    } while (s >= 1.0 || s == 0.0);
    return u * sqrt(-2.0 * math_log(s) / s);
}

/* Rejects the uneven end of the range, so every value is equally likely. */
uint64_t rng_below(struct rng *r, uint64_t n)
{
    const uint64_t uneven = -n % n;
    uint64_t v;

    do
        v = rng_u64(r);
    while (v < uneven);
    return v % n;
}

void rng_shuffle(struct rng *r, uint32_t *a, size_t n)
{
    for (size_t i = n; i > 1; i--) {
        const size_t j = rng_below(r, i);
        const uint32_t swap = a[i - 1];

        a[i - 1] = a[j];
        a[j] = swap;
    }
}
