/* rng.h -- explicit generators (xoshiro256**, seeded through splitmix64).  A stream is
 * named by (seed, stream), so threads and items can have their own and results do not
 * depend on who draws first.                                                        */
#ifndef RNG_H
#define RNG_H

#include <stddef.h>
#include <stdint.h>

struct rng {
    uint64_t s[4];
};

void rng_seed(struct rng *r, uint64_t seed, uint64_t stream);
uint64_t rng_u64(struct rng *r);
void rng_fill(struct rng *r, uint64_t *to, size_t n); /* as n calls of rng_u64 */
double rng_uniform(struct rng *r);                    /* [0, 1), 53 bits */
double rng_between(struct rng *r, double lo, double hi);
double rng_normal(struct rng *r);              /* mean 0, deviation 1 */
uint64_t rng_below(struct rng *r, uint64_t n); /* 0 .. n-1, unbiased; n > 0 */
void rng_shuffle(struct rng *r, uint32_t *a, size_t n);

/* One well-mixed number from two; the same at every call. */
uint64_t mix64(uint64_t a, uint64_t b);

/* A number that nobody can foresee, another one at every call: the key of a hash table that
 * is filled from a stranger's file.  No result may depend on it. */
uint64_t rng_secret(void);

#endif
