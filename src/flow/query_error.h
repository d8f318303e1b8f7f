/* query_error.h -- queries that are worked on by several threads,
 * of which some may fail.  Whoever it was, the first query that fails is the one that
 * is told. */
#ifndef QUERY_ERROR_H
#define QUERY_ERROR_H

#include "../data/dataset.h"

/* What went wrong with one worker: its first query that failed. */
struct query_error {
    size_t query;
    peck_error why; /* PECK_OK: nothing */
};

/* Whether an earlier query has failed already: this one need not be tried. */
bool query_error_is_past(const struct query_error *m, size_t query);
void query_error_keep(struct query_error *m, size_t query, const peck_error *why);
/* PECK_OK, or the first of error[n] with the query's name. */
MUST_CHECK peck_status query_error_tell(const struct query_error *error, size_t n,
                                        const struct peck_dataset *d, peck_error *err);

#endif
