/* strings.h -- many short strings in one block, a map from string to index, growable text. */
#ifndef STRINGS_H
#define STRINGS_H

#include "status.h"
#include "view.h"

#include <stdarg.h>

/* String i is bytes[at[i] .. at[i+1]).  Either grown by strings_add and owned, or set
 * up over somebody else's arrays (borrowed; strings_free then frees nothing).
 * All zero is an empty pool. */
struct strings {
    char *bytes;
    uint64_t *at; /* n + 1 offsets that never fall; NULL while empty */
    size_t n;
    size_t cap_bytes, cap_at;
    bool borrowed;
};

MUST_CHECK bool strings_add(struct strings *p, peck_span s); /* false: no memory */
/* Strings which[0 .. n) of `from`, or its first n (NULL); and a number in decimals. */
MUST_CHECK bool strings_add_from(struct strings *p, const struct strings *from,
                                 const uint32_t *which, size_t n);
MUST_CHECK bool strings_add_number(struct strings *p, size_t number);
/* Room for n more strings of `bytes` in all, so that the adds cannot fail. */
MUST_CHECK bool strings_reserve(struct strings *p, size_t n, size_t bytes);
peck_span strings_get(const struct strings *p, size_t i);
void strings_free(struct strings *p);

/* Texts under names, in the order in which they came.  All zero: none. */
struct notes {
    struct strings key, text;
};
MUST_CHECK bool notes_add(struct notes *n, const char *key, peck_span text);
peck_span notes_get(const struct notes *n, const char *key); /* n = 0: none */
void notes_free(struct notes *n);

/* A set of strings numbered 0, 1, ... in the order of their first appearance.
 * All zero is an empty index.  The names are copied.  Their hash is keyed anew for every
 * index, so no file can hold names that all meet in one slot. */
struct index {
    struct strings names;
    uint64_t key[2]; /* drawn with the first slots */
    /* Open addressing.  A part of the hash stands beside the name's number, so that a look at
     * the wrong name is rare. */
    struct index_slot {
        uint32_t entry; /* + 1; 0 is free */
        uint32_t hash;  /* its low half */
    } * slot;
    uint64_t *hash; /* of each name */
    size_t n_slots, cap_hash;
};

enum { INDEX_FULL = -1 };
/* The number of `name`, new or old; INDEX_FULL when there is no memory (or after
 * 2^32 - 2 names). */
MUST_CHECK int64_t index_put(struct index *x, peck_span name);
/* The number of `name`, or -1 when it is not there. */
int64_t index_find(const struct index *x, peck_span name);
/* Puts names into an empty index, each to be found by its own number, until one is empty or
 * was there before: how many those are, names->n if all, or INDEX_FULL. */
MUST_CHECK int64_t index_distinct(struct index *x, const struct strings *names);
void index_free(struct index *x);

/* Growable text with a maximum.  Failure sticks: check once, at the end. */
struct text {
    char *s; /* always ended by a zero byte once anything was added */
    size_t len, cap, max;
    bool failed; /* no memory, or over max */
};

void text_init(struct text *t, size_t max);
void text_add(struct text *t, const char *bytes, size_t n);
void text_add_str(struct text *t, const char *s);
void text_printf(struct text *t, const char *fmt, ...) PRINTF(2, 3);
void text_vprintf(struct text *t, const char *fmt, va_list args) PRINTF(2, 0);
void text_free(struct text *t);

#endif
