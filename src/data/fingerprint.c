/* fingerprint.c -- one number that tells data sets apart, for the notes of a model.
 * It is no proof against forgery.                                                    */
#include "dataset.h"

#include "../base/rng.h"

enum { LANES = 4 }; /* sums side by side: the next product need not wait for the last */

static uint64_t turn(uint64_t sum, uint64_t word)
{
    const uint64_t x = (sum ^ word) * 0x9E3779B97F4A7C15ULL;

    return x ^ x >> 29;
}

/* n bytes on top of `sum`, eight at a time; a short end is filled up with zeros. */
static uint64_t add_bytes(uint64_t sum, const void *bytes, size_t n)
{
    uint64_t lane[LANES] = { 1, 2, 3, 4 }, word[LANES];
    const char *p = bytes;
    size_t left = n;

    for (; left >= sizeof word; p += sizeof word, left -= sizeof word) {
        memcpy(word, p, sizeof word);
        for (size_t i = 0; i < LANES; i++)
            lane[i] = turn(lane[i], word[i]);
    }
    memset(word, 0, sizeof word);
    if (left > 0)
        memcpy(word, p, left);
    sum = mix64(sum, n);
    for (size_t i = 0; i < LANES; i++)
        sum = mix64(sum, turn(lane[i], word[i]));
    return sum;
}

uint64_t dataset_fingerprint(const struct peck_dataset *d)
{
    uint64_t sum = mix64(d->n_docs, d->dim);

    sum = add_bytes(sum, d->x, d->n_docs * d->dim * sizeof *d->x);
    sum = add_bytes(sum, d->label, d->n_docs * sizeof *d->label);
    sum = add_bytes(sum, d->start, (d->n_queries + 1) * sizeof *d->start);
    if (d->doc_weight != NULL)
        sum = add_bytes(sum, d->doc_weight, d->n_docs * sizeof *d->doc_weight);
    if (d->query_weight != NULL)
        sum = add_bytes(sum, d->query_weight, d->n_queries * sizeof *d->query_weight);
    return sum;
}

uint64_t row_fingerprint(const float *x, size_t dim)
{
    return add_bytes(0, x, dim * sizeof *x);
}

/* Sums do not mind the order of queries, nor of documents within one. */
uint64_t labels_fingerprint(const struct peck_dataset *d)
{
    uint64_t whole = 0;

    for (size_t q = 0; q < d->n_queries; q++) {
        uint64_t own = d->start[q + 1] - d->start[q];

        for (uint64_t i = d->start[q]; i < d->start[q + 1]; i++) {
            uint32_t bits;

            memcpy(&bits, &d->label[i], sizeof bits);
            own += mix64(1, bits);
        }
        whole += mix64(2, own);
    }
    return whole;
}
