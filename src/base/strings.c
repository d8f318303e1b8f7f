/* strings.c -- see strings.h. */
#include "strings.h"

#include "alloc.h"
#include "rng.h"

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

bool strings_add_from(struct strings *p, const struct strings *from, const uint32_t *which,
                      size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!strings_add(p, strings_get(from, which != NULL ? which[i] : i)))
            return false;
    return true;
}

bool strings_add_number(struct strings *p, size_t number)
{
    char digits[24];
    const int n = snprintf(digits, sizeof digits, "%zu", number);

    return strings_add(p, (peck_span){ digits, (size_t)n });
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

static inline uint64_t rotate_left(uint64_t x, int by)
{
    return x << by | x >> (64 - by);
}

struct sip {
    uint64_t v0, v1, v2, v3;
};

static inline void sip_round(struct sip *s)
{
    s->v0 += s->v1;
    s->v1 = rotate_left(s->v1, 13) ^ s->v0;
    s->v0 = rotate_left(s->v0, 32);
    s->v2 += s->v3;
    s->v3 = rotate_left(s->v3, 16) ^ s->v2;
    s->v0 += s->v3;
    s->v3 = rotate_left(s->v3, 21) ^ s->v0;
    s->v2 += s->v1;
    s->v1 = rotate_left(s->v1, 17) ^ s->v2;
    s->v2 = rotate_left(s->v2, 32);
}

/* SipHash-1-3 (Aumasson and Bernstein 2012, with the rounds that hash tables use): who does
 * not know the key cannot find names that collide. */
static uint64_t hash_of(const struct index *x, peck_span name)
{
    struct sip s = { x->key[0] ^ 0x736f6d6570736575ULL, x->key[1] ^ 0x646f72616e646f6dULL,
                     x->key[0] ^ 0x6c7967656e657261ULL, x->key[1] ^ 0x7465646279746573ULL };
    const char *p = name.s;
    uint64_t last = (uint64_t)name.n << 56, word;
    size_t left = name.n;

    for (; left >= sizeof word; p += sizeof word, left -= sizeof word) {
        memcpy(&word, p, sizeof word);
        s.v3 ^= word;
        sip_round(&s);
        s.v0 ^= word;
    }
    for (size_t i = 0; i < left; i++)
        last |= (uint64_t)(unsigned char)p[i] << (8 * i);
    s.v3 ^= last;
    sip_round(&s);
    s.v0 ^= last;
    s.v2 ^= 0xff;
    for (int i = 0; i < 3; i++)
        sip_round(&s);
    return s.v0 ^ s.v1 ^ s.v2 ^ s.v3;
}

/* The slot that holds `name`, or the free one where it belongs. */
static size_t find_slot(const struct index *x, peck_span name, uint64_t hash)
{
    size_t s = (hash >> 20) & (x->n_slots - 1);

    while (x->slot[s].entry != 0) {
        const size_t i = x->slot[s].entry - 1;

        if (x->slot[s].hash == (uint32_t)hash &&
            span_equal(strings_get(&x->names, i), name))
            break;
        s = (s + 1) & (x->n_slots - 1);
    }
    return s;
}

/* Doubles the table; it is kept at most half full. */
static bool grow_slots(struct index *x)
{
    const size_t n_slots = x->n_slots > 0 ? x->n_slots * 2 : 64;
    struct index_slot *const slot = mem_new(n_slots, sizeof *slot);

    if (slot == NULL)
        return false;
    if (x->n_slots == 0)
        x->key[0] = rng_secret(), x->key[1] = rng_secret();
    for (size_t i = 0; i < x->names.n; i++) {
        size_t s = (x->hash[i] >> 20) & (n_slots - 1);

        while (slot[s].entry != 0)
            s = (s + 1) & (n_slots - 1);
        slot[s] = (struct index_slot){ (uint32_t)i + 1, (uint32_t)x->hash[i] };
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
    const uint64_t hash = hash_of(x, name);
    const size_t s = find_slot(x, name, hash);

    if (x->slot[s].entry != 0)
        return (int64_t)x->slot[s].entry - 1;
    const size_t i = x->names.n;

    if (i >= UINT32_MAX - 1 ||
        !mem_reserve(&x->hash, &x->cap_hash, i + 1, sizeof *x->hash) ||
        !strings_add(&x->names, name))
        return INDEX_FULL;
    x->hash[i] = hash;
    x->slot[s] = (struct index_slot){ (uint32_t)i + 1, (uint32_t)hash };
    return (int64_t)i;
}

int64_t index_find(const struct index *x, peck_span name)
{
    if (x->n_slots == 0)
        return -1;
    const size_t s = find_slot(x, name, hash_of(x, name));

    return (int64_t)x->slot[s].entry - 1;
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

/* Notes ----------------------------------------------------------------------------- */

bool notes_add(struct notes *n, const char *key, peck_span text)
{
    return strings_reserve(&n->text, 1, text.n) && strings_add(&n->key, span_of(key)) &&
           strings_add(&n->text, text);
}

peck_span notes_get(const struct notes *n, const char *key)
{
    for (size_t i = 0; i < n->key.n; i++)
        if (span_is(strings_get(&n->key, i), key))
            return strings_get(&n->text, i);
    return (peck_span){ 0 };
}

void notes_free(struct notes *n)
{
    strings_free(&n->key);
    strings_free(&n->text);
}

/* Growable text --------------------------------------------------------------------- */

void text_init(struct text *t, size_t max)
{
    *t = (struct text){ .max = max };
}

/* Room for n more bytes and the closing zero. */
static bool text_reserve(struct text *t, size_t n)
{
    if (t->failed || n > t->max - t->len || !mem_reserve(&t->s, &t->cap, t->len + n + 1, 1))
        t->failed = true;
    return !t->failed;
}

void text_add(struct text *t, const char *bytes, size_t n)
{
    if (!text_reserve(t, n))
        return;
    if (n > 0) /* an empty span may point nowhere */
        memcpy(t->s + t->len, bytes, n);
    t->len += n;
    t->s[t->len] = '\0';
}

void text_add_str(struct text *t, const char *s)
{
    text_add(t, s, strlen(s));
}

void text_vprintf(struct text *t, const char *fmt, va_list args)
{
    va_list again;

    va_copy(again, args);
    const int n = vsnprintf(NULL, 0, fmt, args);

    if (n >= 0 && text_reserve(t, (size_t)n)) {
        vsnprintf(t->s + t->len, (size_t)n + 1, fmt, again);
        t->len += (size_t)n;
    } else {
        t->failed = true;
    }
    va_end(again);
}

void text_printf(struct text *t, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    text_vprintf(t, fmt, args);
    va_end(args);
}

void text_free(struct text *t)
{
    mem_free(t->s);
    *t = (struct text){ 0 };
}
