/* reader.h -- what a file format brings: sniff() says whether these bytes are its own,
 * read() turns them into a dataset.                                               */
#ifndef READER_H
#define READER_H

#include "../base/plug.h"
#include "../base/pool.h"
#include "dataset.h"

enum missing { MISSING_ERROR, MISSING_ZERO, MISSING_MEAN, MISSING_KEEP };

/* The read options, checked. */
struct read_plan {
    enum missing missing;
    const char *features;      /* NULL: all */
    const char *feature_names; /* NULL: none */
    const char *query_sizes;   /* NULL: look for FILE.query where the format needs it */
    const char *label_column, *query_column, *doc_column; /* NULL: by the usual names */
    bool is_zero_based, labels_optional;
    const peck_comm
        *comm; /* ranks that the queries will be dealt to: a reader may leave out
                            * the features of others' */
    struct pool *pool;
    struct watch *watch; /* who looks on */
};

struct reader {
    struct plug plug;
    /* How sure this format is of being meant, from the first bytes and the name:
     * 0 no, 1 by default, 2 by content, 3 by magic number. */
    int (*sniff)(const struct input *in);
    /* May take over `in` (a mapped cache does: it moves *in into the dataset and leaves
     * *in all zero).  Applies every part of the plan. */
    peck_status (*read)(struct peck_dataset **out, struct input *in,
                        const struct read_plan *plan, peck_error *err);
};

/* parts.c: whether a path has a '*' in its last part and is no file; and such files as one
 * dataset. */
bool parts_are_meant(const char *path);
MUST_CHECK peck_status parts_read(struct peck_dataset **out, const char *path,
                                  const peck_read_options *options, peck_error *err);

/* What is shared by readers of text ---------------------------------------------- */

/* "1-40,bm25": which columns to keep.  names may be empty.  keep[0 .. *n_kept) are
 * 0-based columns in the order asked for, each once.  *keep is NULL for all. */
MUST_CHECK peck_status columns_parse(uint32_t **keep, size_t *n_kept, const char *features,
                                     const struct strings *names, size_t dim,
                                     peck_error *err);
/* A file of names: "3 bm25" or "bm25" lines. */
MUST_CHECK peck_status names_read(struct strings *names, const char *path, peck_error *err);
/* Names out of lines: all "N name" (or "N: name") with N from `first` on, of dim, or exactly
 * dim plain lines.  Anything else leaves *names empty: the lines were a remark.  Otherwise names
 * has dim strings, "" where a column has none. */
MUST_CHECK peck_status names_of_lines(struct strings *names, const struct strings *lines,
                                      size_t first, size_t dim, const char *name,
                                      peck_error *err);
/* Brings a file's names to dim strings: fewer are filled up with "", more are refused. */
MUST_CHECK peck_status names_fit(struct strings *names, size_t dim, const char *name,
                                 peck_error *err);
/* Sizes of consecutive groups, one a line; their sum must be n_docs. */
MUST_CHECK peck_status sizes_read(uint64_t **size, size_t *n_sizes, const char *path,
                                  size_t n_docs, peck_error *err);
/* "query weight" lines into d->query_weight; every query exactly once. */
MUST_CHECK peck_status weights_read(struct peck_dataset *d, const char *path,
                                    peck_error *err);
/* Refuses options for other formats: columns with a header, features counted in the file. */
MUST_CHECK peck_status plan_check(const struct read_plan *plan, const char *name,
                                  bool has_columns, bool counts_features, peck_error *err);
/* Fills the NaN cells of the builder's rows as the plan says, counting them. */
MUST_CHECK peck_status missing_fill(struct builder *b, enum missing how, peck_error *err);

/* A label: a finite number from 0 on, or "?". */
MUST_CHECK peck_status label_parse(float *label, peck_span word, const char *name,
                                   size_t line, peck_error *err);

#endif
