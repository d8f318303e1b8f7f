/* listing.h -- ordered documents as text: TSV, a TREC run, or JSON. */
#ifndef LISTING_H
#define LISTING_H

#include "opt.h"

/* One query's documents in order. */
struct listing {
    const peck_dataset *data;
    peck_query query;
    const double *score;   /* of the query's documents, in the dataset's order */
    const uint32_t *order; /* n_docs */
    size_t n_shown;        /* the first of them */
    const double *gap;     /* to the next document; n_docs - 1, or NULL: not asked for */
    const unsigned char *is_peak;
    const uint32_t *class_at; /* n_docs, or NULL: not asked for */
};

struct listing_format {
    const char *name;
    void (*head)(FILE *to, const struct listing *l); /* before the first query; NULL */
    void (*list)(FILE *to, const struct listing *l);
};

/* The format of this name; NULL with a sentence when there is none. */
const struct listing_format *listing_find(const char *name, peck_error *err);

/* A name in TSV, its control characters as blanks; and as a string of JSON. */
void put_plain(FILE *to, peck_span s);
void put_json(FILE *to, peck_span s);

/* Where a list is ordered: as many places as the longest query has documents. */
struct room {
    uint32_t *order, *class_at;
    double *gap;
    unsigned char *is_peak;
};

peck_status room_open(struct room *r, const peck_dataset *d, peck_error *err);
/* Orders l's query, and fills gaps and (above 0 classes) classes. */
peck_status room_order(const struct room *r, const struct listing *l, size_t n_classes,
                       peck_error *err);
void room_free(struct room *r); /* also one that room_open gave up on */

#endif
