/* oracles.h -- preference oracles of many kinds for tests of decoders. */
#ifndef ORACLES_H
#define ORACLES_H

#include "decode/decode.h"

#include <stdatomic.h>

/* All are functions of (seed, i, j): no state but the count, any number of items. */
struct jury {
    const char *name;
    float (*h)(uint64_t seed, uint32_t n, uint32_t i, uint32_t j);
    bool is_symmetric;
};

extern const struct jury juries[];
extern const size_t n_juries;

const struct jury *jury_find(const char *name);

/* A jury in session.  The oracle points into it: do not move it. */
struct session {
    const struct jury *jury;
    uint64_t seed;
    struct oracle oracle;
    atomic_uint_fast64_t asked;
};

void session_open(struct session *s, const struct jury *jury, uint32_t n, uint64_t seed);
/* What every decoder sees: the two directions averaged. */
double session_h(const struct session *s, uint32_t i, uint32_t j);
/* sum of h(j, i) over i before j */
double session_cost(const struct session *s, const uint32_t *order);
/* The least there is, by dynamic programming over sets (Held and Karp 1962); n <= 16.
 * cost(S + x last) = cost(S) + sum over i in S of h(x, i). */
double session_least_cost(const struct session *s);

/* A decoding with room for n. */
struct decoding decoding_new(uint32_t n);
void decoding_free(struct decoding *d);
/* Runs `spec` on one thread with nothing remembered; fails the test when it fails. */
void decode_with(struct decoding *d, const char *spec, const struct oracle *o,
                 uint64_t seed, uint64_t budget);

#endif
