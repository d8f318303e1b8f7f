/* mishap.h -- inside the corridor: queries that are worked on by several threads, of which
 * some may fail.  Whoever it was, the first query that fails is the one that is told. */
#ifndef MISHAP_H
#define MISHAP_H

#include "../data/dataset.h"

/* What went wrong with one worker: its first query that failed. */
struct mishap {
    size_t query;
    peck_error why; /* PECK_OK: nothing */
};

/* Whether an earlier query has failed already: this one need not be tried. */
bool mishap_is_past(const struct mishap *m, size_t query);
void mishap_keep(struct mishap *m, size_t query, const peck_error *why);
/* PECK_OK, or the first of mishap[n] with the query's name. */
MUST_CHECK peck_status mishap_tell(const struct mishap *mishap, size_t n,
                                   const struct peck_dataset *d, peck_error *err);

#endif
