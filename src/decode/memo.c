/* memo.c -- see memo.h.  All pairs of a short list have a place; those of a long one are
 * found by open addressing, at most half full.                                        */
#include "memo.h"

#include "../base/alloc.h"
#include "../base/rng.h"

#include <math.h>

enum { SHORT = 2048, FIRST = 1024 };

/* The pair as one number; no pair is 0, for i < j. */
struct slot {
    uint64_t key;
    float h;
};

struct memo {
    float *all; /* h(i, j) at j (j - 1) / 2 + i, i < j; NULL: a long list */
    struct slot *slot;
    size_t n, n_slots; /* a power of two */
};

struct memo *memo_new(uint32_t n_items)
{
    const size_t n_pairs = (size_t)n_items * (n_items - (n_items > 0)) / 2;
    struct memo *const m = mem_new(1, sizeof *m);

    if (m == NULL)
        return NULL;
    if (n_items <= SHORT)
        m->all = mem_new(n_pairs, sizeof *m->all);
    else
        m->slot = mem_new(FIRST, sizeof *m->slot);
    if (m->all == NULL && m->slot == NULL) {
        mem_free(m);
        return NULL;
    }
    for (size_t k = 0; m->all != NULL && k < n_pairs; k++)
        m->all[k] = NAN;
    m->n_slots = FIRST;
    return m;
}

static struct slot *memo_find(const struct memo *m, uint64_t key)
{
    size_t at = mix64(0, key) & (m->n_slots - 1);

    while (m->slot[at].key != key && m->slot[at].key != 0)
        at = (at + 1) & (m->n_slots - 1);
    return &m->slot[at];
}

bool memo_reserve(struct memo *m, size_t n)
{
    struct memo larger = { .n = m->n, .n_slots = m->n_slots };

    while (larger.n_slots / 2 < m->n + n)
        larger.n_slots *= 2;
    if (m->all != NULL || larger.n_slots == m->n_slots)
        return true;
    larger.slot = mem_new(larger.n_slots, sizeof *larger.slot);
    if (larger.slot == NULL)
        return false;
    for (size_t i = 0; i < m->n_slots; i++)
        if (m->slot[i].key != 0)
            *memo_find(&larger, m->slot[i].key) = m->slot[i];
    mem_free(m->slot);
    *m = larger;
    return true;
}

float *memo_place(struct memo *m, peck_duel d)
{
    if (m->all != NULL)
        return &m->all[(size_t)d.j * (d.j - 1) / 2 + d.i];
    const uint64_t key = (uint64_t)d.i << 32 | d.j;
    struct slot *const s = memo_find(m, key);

    if (s->key == 0) {
        *s = (struct slot){ key, NAN };
        m->n++;
    }
    return &s->h;
}

void memo_free(struct memo *m)
{
    if (m == NULL)
        return;
    mem_free(m->all);
    mem_free(m->slot);
    mem_free(m);
}
