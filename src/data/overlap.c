/* overlap.c -- how much of one data set is in another.
 *
 * Ids prove nothing: many files number their queries 1, 2, ... .  Rows do: a query is found
 * again where at least half of its rows, two different ones at least, have the features of
 * rows of one query of the other set.  Labels are not looked at.  Rows that several queries
 * of the other set have, such as those of zeros, speak neither for it nor against it.
 * Rows are told by 64 bits of hash each.                                              */
#include "dataset.h"

#include "../base/alloc.h"
#include "../base/rng.h"

/* Whose a row is: the fingerprint of a query of the other set, or one of these. */
enum { NOBODY, SEVERAL, FIRST_OWNER };

/* The rows of a data set by their hash. */
struct table {
    const struct peck_dataset *d;
    uint64_t *hash;  /* n_docs */
    uint64_t *owner; /* n_docs, at the first row of its hash */
    uint32_t *slot;  /* open addressing; row + 1, 0 is free */
    size_t mask;
};

static const float *row_of(const struct peck_dataset *d, size_t row)
{
    return d->x + row * d->dim;
}

/* Where the first row of this hash stands, or should. */
static size_t seek(const struct table *t, uint64_t hash)
{
    size_t at = (size_t)hash & t->mask;

    while (t->slot[at] != 0 && t->hash[t->slot[at] - 1] != hash)
        at = (at + 1) & t->mask;
    return at;
}

static peck_status table_fill(struct table *t, const struct peck_dataset *d,
                              peck_error *err)
{
    size_t n_slots = 16;

    while (n_slots < 2 * d->n_docs)
        n_slots *= 2;
    t->d = d;
    t->mask = n_slots - 1;
    t->hash = mem_new(d->n_docs, sizeof *t->hash);
    t->owner = mem_new(d->n_docs, sizeof *t->owner);
    t->slot = mem_new(n_slots, sizeof *t->slot);
    if (t->hash == NULL || t->owner == NULL || t->slot == NULL)
        return fail_memory(err, d->name, n_slots, 3 * sizeof *t->slot);
    for (size_t row = 0; row < d->n_docs; row++) {
        t->hash[row] = row_fingerprint(row_of(d, row), d->dim);
        const size_t at = seek(t, t->hash[row]);

        if (t->slot[at] == 0)
            t->slot[at] = (uint32_t)row + 1;
    }
    return PECK_OK;
}

static void table_free(struct table *t)
{
    mem_free(t->hash);
    mem_free(t->owner);
    mem_free(t->slot);
}

/* Marks the rows of the table that query q of the other set has; hash[] has room for it.
 * Queries of the same rows are one owner. */
static void claim(struct table *t, const struct peck_dataset *other, size_t q,
                  uint64_t *hash)
{
    const size_t first = (size_t)other->start[q], n = (size_t)other->start[q + 1] - first;
    uint64_t owner = n;

    for (size_t i = 0; i < n; i++) {
        hash[i] = row_fingerprint(row_of(other, first + i), other->dim);
        owner += mix64(3, hash[i]);
    }
    owner = owner < FIRST_OWNER ? FIRST_OWNER : owner;
    for (size_t i = 0; i < n; i++) {
        const uint32_t row = t->slot[seek(t, hash[i])];

        if (row > 0 && t->owner[row - 1] != owner)
            t->owner[row - 1] = t->owner[row - 1] == NOBODY ? owner : SEVERAL;
    }
}

static uint64_t owner_of(const struct table *t, size_t row)
{
    return t->owner[t->slot[seek(t, t->hash[row])] - 1];
}

/* Who owns more than half of the rows of query q that somebody owns, if anybody does
 * (Boyer and Moore's vote). */
static uint64_t main_owner(const struct table *t, size_t q)
{
    uint64_t best = NOBODY;
    size_t lead = 0;

    for (size_t row = (size_t)t->d->start[q]; row < t->d->start[q + 1]; row++) {
        const uint64_t owner = owner_of(t, row);

        if (owner < FIRST_OWNER)
            continue;
        if (lead == 0)
            best = owner;
        lead = owner == best ? lead + 1 : lead - 1;
    }
    return best;
}

/* Rows of query q that are of one query of the other set; 0: it is not found there. */
static size_t rows_found(const struct table *t, size_t q)
{
    const uint64_t owner = main_owner(t, q);
    size_t n_found = 0, n_others = 0, first = 0;
    bool differ = false;

    for (size_t row = (size_t)t->d->start[q]; row < t->d->start[q + 1]; row++) {
        const uint64_t own = owner_of(t, row);
        const bool is_found = own == owner && own >= FIRST_OWNER;

        if (is_found && n_found++ == 0)
            first = row;
        n_others += !is_found && own != SEVERAL;
        differ |= is_found && t->hash[row] != t->hash[first];
    }
    return differ && n_found >= n_others ? n_found : 0;
}

static peck_status find(peck_overlap *out, struct table *t,
                        const struct peck_dataset *other, peck_error *err)
{
    size_t longest = 0;

    for (size_t q = 0; q < other->n_queries; q++)
        if (other->start[q + 1] - other->start[q] > longest)
            longest = (size_t)(other->start[q + 1] - other->start[q]);
    uint64_t *const hash = mem_new(longest, sizeof *hash);

    if (hash == NULL)
        return fail_memory(err, other->name, longest, sizeof *hash);
    for (size_t q = 0; q < other->n_queries; q++)
        claim(t, other, q, hash);
    mem_free(hash);
    for (size_t q = 0; q < t->d->n_queries; q++) {
        const size_t n = rows_found(t, q);

        out->n_queries += n > 0;
        out->n_docs += n;
    }
    return PECK_OK;
}

peck_status peck_dataset_overlap(peck_overlap *out, const peck_dataset *d,
                                 const peck_dataset *other, peck_error *err)
{
    struct table t = { 0 };

    *out = (peck_overlap){ 0 };
    if (d->dim != other->dim || d->dim == 0)
        return PECK_OK;
    if (d->n_docs >= UINT32_MAX)
        return fail(err, PECK_SHAPE, "%s: %zu documents; up to %u can be looked up",
                    d->name, d->n_docs, UINT32_MAX - 1);
    peck_status st = table_fill(&t, d, err);

    if (st == PECK_OK)
        st = find(out, &t, other, err);
    table_free(&t);
    return st;
}
