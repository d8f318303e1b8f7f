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
struct row_table {
    const struct peck_dataset *d;
    uint64_t *hash;  /* n_docs */
    uint64_t *owner; /* n_docs, at the first row of its hash */
    uint32_t *slot;  /* open addressing; row + 1, 0 is free */
    size_t mask;
};

/* Where the first row of this hash stands, or should. */
static uint32_t *seek_row(const struct row_table *t, uint64_t hash)
{
    size_t at = (size_t)hash & t->mask;

    while (t->slot[at] != 0 && t->hash[t->slot[at] - 1] != hash)
        at = (at + 1) & t->mask;
    return &t->slot[at];
}

/* The rows of a query, counted from the first one. */
struct row_hashes {
    const struct peck_dataset *d;
    uint64_t *hash; /* n_docs */
    size_t first;
};

static void hash_query(void *ctx, size_t own, int worker)
{
    const struct row_hashes *const h = ctx;
    const size_t q = h->first + own;
    const struct rows docs = dataset_rows(h->d, q);

    (void)worker;
    for (size_t i = 0; i < docs.n; i++)
        h->hash[h->d->start[q] + i] = row_fingerprint(docs.x + i * docs.stride, docs.dim);
    dataset_forget_queries(h->d, q, q + 1);
}

/* Ranks hash their own queries; then all have all hashes.  What was read of a mapped file is
 * forgotten. */
static peck_status hash_rows(struct row_hashes *h, struct pool *pool, peck_error *err)
{
    enum { QUERIES = 256 }; /* that are forgotten together */
    const size_t end = dataset_own_end(h->d);

    for (h->first = dataset_own_first(h->d); h->first < end; h->first += QUERIES) {
        pool_run(pool, end - h->first < QUERIES ? end - h->first : QUERIES, hash_query, h);
        dataset_forget(h->d);
    }
    return dataset_share_rows(h->d, h->hash, sizeof *h->hash, err);
}

/* Marks the rows of the table that a query of the other set has: hash[n].  Queries of the same
 * rows are one owner. */
static void claim_rows(struct row_table *t, const uint64_t *hash, size_t n)
{
    uint64_t owner = n;

    for (size_t i = 0; i < n; i++)
        owner += mix64(3, hash[i]);
    owner = owner < FIRST_OWNER ? FIRST_OWNER : owner;
    for (size_t i = 0; i < n; i++) {
        const uint32_t row = *seek_row(t, hash[i]);

        if (row > 0 && t->owner[row - 1] != owner)
            t->owner[row - 1] = t->owner[row - 1] == NOBODY ? owner : SEVERAL;
    }
}

/* Of a row of the table: all rows of one hash have the same. */
static uint64_t owner_of(const struct row_table *t, size_t row)
{
    return t->owner[*seek_row(t, t->hash[row]) - 1];
}

/* Rows of query q that are of one query of the other set; 0: it is not found there.  That one
 * owns more than half of the rows that somebody owns, if anybody does (Boyer and Moore's
 * vote). */
static size_t rows_found(const struct row_table *t, size_t q)
{
    const size_t first = (size_t)t->d->start[q], end = (size_t)t->d->start[q + 1];
    uint64_t best = NOBODY;
    size_t lead = 0, n_found = 0, n_others = 0, one = 0;
    bool differ = false;

    for (size_t row = first; row < end; row++) {
        const uint64_t owner = owner_of(t, row);

        if (owner < FIRST_OWNER)
            continue;
        if (lead == 0)
            best = owner;
        lead = owner == best ? lead + 1 : lead - 1;
    }
    for (size_t row = first; row < end; row++) {
        const uint64_t own = owner_of(t, row);
        const bool is_found = own == best && own >= FIRST_OWNER;

        if (is_found && n_found++ == 0)
            one = row;
        n_others += !is_found && own != SEVERAL;
        differ |= is_found && t->hash[row] != t->hash[one];
    }
    return differ && n_found >= n_others ? n_found : 0;
}

/* Rows of d into the table, claimed by the queries of the other set, then counted by query. */
peck_status dataset_overlap(peck_overlap *out, const struct peck_dataset *d,
                            const struct peck_dataset *other, struct pool *pool,
                            peck_error *err)
{
    struct arena a = { 0 };
    size_t n_slots = 16;

    *out = (peck_overlap){ 0 };
    if (d->dim != other->dim || d->dim == 0)
        return PECK_OK;
    if (d->n_docs >= UINT32_MAX)
        return fail(err, PECK_SHAPE, "%s: %zu documents; up to %u can be looked up",
                    d->name, d->n_docs, UINT32_MAX - 1);
    while (n_slots < 2 * d->n_docs)
        n_slots *= 2;
    struct row_table t = { .d = d,
                           .mask = n_slots - 1,
                           .hash = arena_new(&a, d->name, d->n_docs, sizeof *t.hash),
                           .owner = arena_new(&a, d->name, d->n_docs, sizeof *t.owner),
                           .slot = arena_new(&a, d->name, n_slots, sizeof *t.slot) };
    struct row_hashes own = { d, t.hash, 0 }, others = {
        other, arena_new(&a, other->name, other->n_docs, sizeof *others.hash), 0
    };
    peck_status st = arena_check(&a, err);

    if (st == PECK_OK)
        st = hash_rows(&own, pool, err);
    if (st == PECK_OK)
        st = hash_rows(&others, pool, err);
    for (size_t row = 0; st == PECK_OK && row < d->n_docs; row++) {
        uint32_t *const at = seek_row(&t, t.hash[row]);

        *at = *at == 0 ? (uint32_t)row + 1 : *at;
    }
    for (size_t q = 0; st == PECK_OK && q < other->n_queries; q++)
        claim_rows(&t, others.hash + other->start[q], dataset_query_size(other, q));
    for (size_t q = 0; st == PECK_OK && q < d->n_queries; q++) {
        const size_t n = rows_found(&t, q);

        out->n_queries += n > 0;
        out->n_docs += n;
    }
    arena_free(&a);
    return st;
}

peck_status peck_dataset_overlap(peck_overlap *out, const peck_dataset *d,
                                 const peck_dataset *other, peck_error *err)
{
    struct pool *pool;

    *out = (peck_overlap){ 0 };
    TRY(pool_new(&pool, 1, err));
    const peck_status st = dataset_overlap(out, d, other, pool, err);

    pool_free(pool);
    return st;
}

void overlap_print(char text[OVERLAP_ROOM], const char *where, const char *part,
                   const struct peck_dataset *d, const char *other,
                   const peck_overlap *both)
{
    snprintf(
        text, OVERLAP_ROOM,
        "%sthe %s data shares %zu of its %zu queries with the %s data (%zu equal rows, "
        "whatever the ids): results on them will look too good; keep the sets apart",
        where, part, both->n_queries, d->n_queries, other, both->n_docs);
}
