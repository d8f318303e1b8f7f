/* strings.c -- see strings.h. */
#include "strings.h"

#include "alloc.h"

bool strings_reserve(struct strings *p, size_t n, size_t bytes)
{
    const size_t used = p->n > 0 ? p->at[p->n] : 0;
    const bool fresh = p->at == NULL;

    if (!mem_reserve(&p->at, &p->cap_at, p->n + n + 1, sizeof *p->at))
        return false;
    if (fresh)
        p->at[0] = 0;
    return mem_reserve(&p->bytes, &p->cap_bytes, used + bytes + 1, 1);
}

bool strings_add(struct strings *p, peck_span s)
{
    if (!strings_reserve(p, 1, s.n))
        return false;
    const uint64_t used = p->at[p->n];

    if (s.n > 0)
        memcpy(p->bytes + used, s.s, s.n);
    p->at[++p->n] = used + s.n;
    return true;
}

peck_span strings_get(const struct strings *p, size_t i)
{
    return (peck_span){ p->bytes + p->at[i], p->at[i + 1] - p->at[i] };
}

void strings_free(struct strings *p)
{
    if (!p->borrowed) {
        mem_free(p->bytes);
        mem_free(p->at);
    }
    *p = (struct strings){ 0 };
}

/* FNV-1a, eight bytes at a time, then mixed. */
static uint64_t hash_of(peck_span s)
{
    uint64_t h = 0xcbf29ce484222325ULL ^ s.n;

    for (; s.n >= 8; s.s += 8, s.n -= 8) {
        uint64_t w;

        memcpy(&w, s.s, 8);
        h = (h ^ w) * 0x9E3779B97F4A7C15ULL;
        h ^= h >> 29;
    }
    for (; s.n > 0; s.s++, s.n--)
        h = (h ^ (unsigned char)*s.s) * 0x100000001b3ULL;
    h ^= h >> 32;
    return h * 0xD6E8FEB86659FD93ULL;
}

/* The slot that holds `name`, or the free one where it belongs. */
static size_t find_slot(const struct index *x, peck_span name, uint64_t hash)
{
    size_t s = (hash >> 20) & (x->n_slots - 1);

    while (x->slot[s] != 0) {
        const size_t i = x->slot[s] - 1;

        if (x->hash[i] == hash && span_equal(strings_get(&x->names, i), name))
            break;
        s = (s + 1) & (x->n_slots - 1);
    }
    return s;
}

/* Doubles the table; it is kept at most half full. */
static bool grow_slots(struct index *x)
{
    const size_t n_slots = x->n_slots > 0 ? x->n_slots * 2 : 64;
    uint32_t *const slot = mem_new(n_slots, sizeof *slot);

    if (slot == NULL)
        return false;
    for (size_t i = 0; i < x->names.n; i++) {
        size_t s = (x->hash[i] >> 20) & (n_slots - 1);

        while (slot[s] != 0)
            s = (s + 1) & (n_slots - 1);
        slot[s] = (uint32_t)i + 1;
    }
    mem_free(x->slot);
    x->slot = slot;
    x->n_slots = n_slots;
    return true;
}

int64_t index_put(struct index *x, peck_span name)
{
    if (x->names.n * 2 >= x->n_slots && !grow_slots(x))
        return INDEX_FULL;
    const uint64_t hash = hash_of(name);
    const size_t s = find_slot(x, name, hash);

    if (x->slot[s] != 0)
        return (int64_t)x->slot[s] - 1;
    const size_t i = x->names.n;

    if (i >= UINT32_MAX - 1 ||
        !mem_reserve(&x->hash, &x->cap_hash, i + 1, sizeof *x->hash) ||
        !strings_add(&x->names, name))
        return INDEX_FULL;
    x->hash[i] = hash;
    x->slot[s] = (uint32_t)i + 1;
    return (int64_t)i;
}

int64_t index_find(const struct index *x, peck_span name)
{
    if (x->n_slots == 0)
        return -1;
    const size_t s = find_slot(x, name, hash_of(name));

    return (int64_t)x->slot[s] - 1;
}

int64_t index_distinct(struct index *x, const struct strings *names)
{
    size_t i = 0;

    for (; i < names->n; i++) {
        const peck_span name = strings_get(names, i);

        if (name.n == 0)
            break;
        const int64_t at = index_put(x, name);

        if (at == INDEX_FULL)
            return INDEX_FULL;
        if (at < (int64_t)i)
            break;
    }
    return (int64_t)i;
}

void index_free(struct index *x)
{
    strings_free(&x->names);
    mem_free(x->slot);
    mem_free(x->hash);
    *x = (struct index){ 0 };
}
