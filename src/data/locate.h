/* locate.h -- what the names in a side file mean: queries of a dataset by id, documents by
 * id, by row of their query or by row of the file.                                    */
#ifndef LOCATE_H
#define LOCATE_H

#include "dataset.h"
#include "pair_key.h"

/* The maps are made by the calls below, each where it is needed; all zero but for d is a
 * locator without any. */
struct locator {
    const struct peck_dataset *d;
    struct index query;
    struct index doc; /* by query and id */
    struct pair_key key;
    uint64_t *doc_row;     /* by number in `doc`; AMBIGUOUS when two have that id */
    uint64_t *row_of_file; /* row of the file -> of the dataset; NULL: the same */
};

/* Where the name stands, for messages. */
struct place {
    const char *file;
    size_t line;
};

MUST_CHECK peck_status locator_add_queries(struct locator *l, peck_error *err);
MUST_CHECK peck_status locator_add_docs(struct locator *l, peck_error *err);
MUST_CHECK peck_status locator_add_file_rows(struct locator *l, peck_error *err);
void locator_free(struct locator *l);

/* PECK_FORMAT for what is not there.  A document is meant by id where one fits, otherwise
 * by row; two documents of that id are refused. */
MUST_CHECK peck_status locate_query(const struct locator *l, struct place at,
                                    peck_span name, size_t *query, peck_error *err);
MUST_CHECK peck_status locate_doc(struct locator *l, struct place at, size_t query,
                                  peck_span name, size_t *row, peck_error *err);
/* "7": row 7 of the query, or of the file, from 0. */
MUST_CHECK peck_status locate_row(const struct locator *l, struct place at, size_t query,
                                  peck_span name, size_t *row, peck_error *err);
MUST_CHECK peck_status locate_file_row(const struct locator *l, struct place at,
                                       peck_span name, size_t *row, peck_error *err);
/* The query that a row of the dataset belongs to. */
size_t locate_query_of(const struct peck_dataset *d, size_t row);

#endif
