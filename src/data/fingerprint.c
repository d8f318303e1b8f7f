/* fingerprint.c -- numbers that tell data sets apart, for the notes of a model; they are no
 * proof against forgery.                                                               */
#include "dataset.h"

#include "../base/alloc.h"
#include "../base/rng.h"

enum { LANES = 4 }; /* sums side by side: the next product need not wait for the last */

static uint64_t hash_word(uint64_t sum, uint64_t word)
{
    const uint64_t x = (sum ^ word) * 0x9E3779B97F4A7C15ULL;

    return x ^ x >> 29;
}

/* Bytes that come in pieces, eight at a time; a short end is filled up with zeros. */
struct byte_hash {
    uint64_t lane[LANES], word[LANES]; /* word: those that wait for a whole round */
    size_t n, n_waiting;               /* bytes in all; in word */
};

static const struct byte_hash no_bytes = { .lane = { 1, 2, 3, 4 } };

static void hash_add(struct byte_hash *h, const void *bytes, size_t n)
{
    enum { ROUND = sizeof h->word };
    const char *p = bytes;

    h->n += n;
    while (n > 0 && (h->n_waiting > 0 || n < ROUND)) {
        const size_t room = ROUND - h->n_waiting, some = n < room ? n : room;

        memcpy((char *)h->word + h->n_waiting, p, some);
        h->n_waiting += some;
        p += some;
        n -= some;
        if (h->n_waiting < ROUND)
            return;
        for (size_t i = 0; i < LANES; i++)
            h->lane[i] = hash_word(h->lane[i], h->word[i]);
        h->n_waiting = 0;
    }
    uint64_t lane[LANES], word[LANES];

    memcpy(lane, h->lane, sizeof lane);
    for (; n >= ROUND; p += ROUND, n -= ROUND) {
        memcpy(word, p, ROUND);
        for (size_t i = 0; i < LANES; i++)
            lane[i] = hash_word(lane[i], word[i]);
    }
    memcpy(h->lane, lane, sizeof lane);
    if (n > 0)
        memcpy(h->word, p, h->n_waiting = n);
}

/* The bytes on top of `sum`. */
static uint64_t hash_end(struct byte_hash *h, uint64_t sum)
{
    memset((char *)h->word + h->n_waiting, 0, sizeof h->word - h->n_waiting);
    sum = mix64(sum, h->n);
    for (size_t i = 0; i < LANES; i++)
        sum = mix64(sum, hash_word(h->lane[i], h->word[i]));
    return sum;
}

static uint64_t hash_bytes(uint64_t sum, const void *bytes, size_t n)
{
    struct byte_hash h = no_bytes;

    hash_add(&h, bytes, n);
    return hash_end(&h, sum);
}

/* All but the features, on top of `sum`. */
static uint64_t hash_frame(const struct peck_dataset *d, uint64_t sum)
{
    sum = hash_bytes(sum, d->label, d->n_docs * sizeof *d->label);
    sum = hash_bytes(sum, d->start, (d->n_queries + 1) * sizeof *d->start);
    if (d->doc_weight != NULL)
        sum = hash_bytes(sum, d->doc_weight, d->n_docs * sizeof *d->doc_weight);
    if (d->query_weight != NULL)
        sum = hash_bytes(sum, d->query_weight, d->n_queries * sizeof *d->query_weight);
    return sum;
}

/* Features of this rank's queries on top of what the ranks before it have. */
static void hash_own(void *ctx, void *state)
{
    const struct peck_dataset *const d = ctx;
    struct read_pages read = { 0 };

    for (size_t q = dataset_own_first(d); q < dataset_own_end(d); q++) {
        const struct rows docs = dataset_rows(d, q);
        const size_t n = docs.n * d->dim * sizeof *docs.x;

        hash_add(state, docs.x, n);
        pages_add(&read, &d->mapped, docs.x, n);
    }
    pages_forget(&read, &d->mapped);
}

/* Of more documents, the features of each query are hashed by themselves, by whoever is free,
 * and the hashes are what counts: as one run of bytes they would keep one worker busy and all
 * others waiting. */
enum { HASHED_AS_ONE = 1 << 16, HASHED_QUERIES = 16 /* by a task */ };

struct query_hashes {
    const struct peck_dataset *d;
    uint64_t *hash; /* n_queries */
};

static void hash_queries(void *ctx, size_t i, int worker)
{
    const struct query_hashes *const h = ctx;
    const struct peck_dataset *const d = h->d;
    const size_t first = dataset_own_first(d) + i * HASHED_QUERIES,
                 end = dataset_own_end(d);
    struct read_pages read = { 0 };

    (void)worker;
    for (size_t q = first; q < end && q < first + HASHED_QUERIES; q++) {
        const struct rows docs = dataset_rows(d, q);
        const size_t n = docs.n * d->dim * sizeof *docs.x;

        h->hash[q] = hash_bytes(0, docs.x, n);
        pages_add(&read, &d->mapped, docs.x, n);
    }
    pages_forget(&read, &d->mapped);
}

/* A hash of the hashes of all queries, on top of `sum`. */
static peck_status hash_many(uint64_t *sum, const struct peck_dataset *d, struct pool *pool,
                             peck_error *err)
{
    struct query_hashes h = { d, mem_new(d->n_queries, sizeof *h.hash) };
    const size_t n_own = dataset_own_end(d) - dataset_own_first(d);
    peck_status st =
        h.hash != NULL ? PECK_OK : fail_memory(err, d->name, d->n_queries, sizeof *h.hash);

    if (comm_is_shared(d->comm))
        st = comm_agree(d->comm, st, err);
    if (st == PECK_OK) {
        pool_run(pool, (n_own + HASHED_QUERIES - 1) / HASHED_QUERIES, hash_queries, &h);
        st = comm_share(d->comm, h.hash, d->share, sizeof *h.hash, err);
    }
    if (st == PECK_OK)
        *sum = hash_bytes(*sum, h.hash, d->n_queries * sizeof *h.hash);
    mem_free(h.hash);
    return st;
}

peck_status dataset_fingerprint(uint64_t *out, const struct peck_dataset *d,
                                struct pool *pool, peck_error *err)
{
    uint64_t sum = mix64(d->n_docs, d->dim);
    struct byte_hash h = no_bytes;

    if (d->n_docs > HASHED_AS_ONE) {
        TRY(hash_many(&sum, d, pool, err));
    } else {
        if (comm_is_shared(d->comm))
            TRY(comm_in_turn(d->comm, &h, sizeof h, hash_own, (void *)d, err));
        else
            hash_own((void *)d, &h);
        sum = hash_end(&h, sum);
    }
    *out = hash_frame(d, sum);
    return PECK_OK;
}

uint64_t frame_fingerprint(const struct peck_dataset *d)
{
    return hash_frame(d, mix64(d->n_docs, d->dim));
}

uint64_t row_fingerprint(const float *x, size_t dim)
{
    return hash_bytes(0, x, dim * sizeof *x);
}

/* Sums do not mind the order of queries, nor of documents within one. */
uint64_t labels_fingerprint(const struct peck_dataset *d)
{
    uint64_t whole = 0;

    for (size_t q = 0; q < d->n_queries; q++) {
        uint64_t own = dataset_query_size(d, q);

        for (uint64_t i = d->start[q]; i < d->start[q + 1]; i++) {
            uint32_t bits;

            memcpy(&bits, &d->label[i], sizeof bits);
            own += mix64(1, bits);
        }
        whole += mix64(2, own);
    }
    return whole;
}
