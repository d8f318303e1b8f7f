/* writer.h -- DATASET -> FILE, one query at a time, so that generators can stream. */
#ifndef WRITER_H
#define WRITER_H

#include "../base/number.h"
#include "../base/output.h"
#include "../base/plug.h"
#include "../base/strings.h"

/* What all blocks of a file have in common. */
struct layout {
    size_t dim;
    const struct strings *feature_name; /* NULL or n = 0: none */
    bool has_doc_ids, has_doc_weights, has_query_weights;
    bool has_file_rows; /* the cache keeps them; other formats have an order of their own */
};

/* One query's documents.  The same query never comes twice. */
struct query_block {
    peck_span query;
    struct rows docs;             /* docs.dim = layout.dim */
    const float *label;           /* docs.n; PECK_UNJUDGED is written "?" */
    const struct strings *doc_id; /* NULL: none; document i is string first_id + i */
    size_t first_id;
    const float *doc_weight; /* NULL: all 1 */
    float query_weight;
    const uint64_t *file_row; /* docs.n when layout.has_file_rows */
};

/* The id of document i; "" where there is none. */
static inline peck_span block_doc_id(const struct query_block *b, size_t i)
{
    return b->doc_id != NULL ? strings_get(b->doc_id, b->first_id + i)
                             : (peck_span){ "", 0 };
}

/* A label as text has it, at p, which has NUMBER_MAX bytes; returns its end. */
static inline char *put_label(char *p, float label)
{
    if (label != PECK_UNJUDGED)
        return p + number_write(p, label);
    *p = '?';
    return p + 1;
}

struct writer_kind {
    struct plug plug;
    const char *const *endings; /* ".csv", ...; ended by NULL.  A name without an ending
                                 * is the first kind's */
    /* state_size zeroed bytes belong to the writer from open to close. */
    size_t state_size;
    peck_status (*open)(void *state, struct output *o, const struct layout *l,
                        peck_error *err);
    peck_status (*block)(void *state, struct output *o, const struct layout *l,
                         const struct query_block *b, peck_error *err);
    /* Called once, before the commit; may be NULL. */
    peck_status (*finish)(void *state, struct output *o, const struct layout *l,
                          peck_error *err);
    void (*close)(void *state); /* frees what the state holds; may be NULL */
};

/* Each points to the plug of a struct writer_kind, in display order. */
extern const struct plug *const writers[];
extern const size_t n_writers;

/* The one that the ending of the path names; PECK_ARG where none does. */
MUST_CHECK peck_status writer_by_ending(const struct writer_kind **out, const char *path,
                                        peck_error *err);

struct writer;

/* format NULL: by the ending of the path (".gz" and ".zst" aside); PECK_ARG for one that
 * no writer has. */
MUST_CHECK peck_status writer_open(struct writer **out, const char *path,
                                   const char *format, const struct layout *l,
                                   peck_error *err);
MUST_CHECK peck_status writer_block(struct writer *w, const struct query_block *b,
                                    peck_error *err);
MUST_CHECK peck_status writer_commit(struct writer *w, peck_error *err); /* frees w */
void writer_abort(struct writer *w);                                     /* takes NULL */

#endif
