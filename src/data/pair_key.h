/* pair_key.h -- names that are unique within something only (documents of a query) as
 * keys of one struct index: the number of the whole, then the name.                   */
#ifndef PAIR_KEY_H
#define PAIR_KEY_H

#include "dataset.h"

struct pair_key {
    char bytes[sizeof(uint64_t) + MAX_ID];
};

/* The key, held in *k until the next call.  name.n <= MAX_ID. */
static inline peck_span pair_key(struct pair_key *k, uint64_t whole, peck_span name)
{
    memcpy(k->bytes, &whole, sizeof whole);
    if (name.n > 0)
        memcpy(k->bytes + sizeof whole, name.s, name.n);
    return (peck_span){ k->bytes, sizeof whole + name.n };
}

static inline peck_span pair_name(peck_span key)
{
    return (peck_span){ key.s + sizeof(uint64_t), key.n - sizeof(uint64_t) };
}

#endif
