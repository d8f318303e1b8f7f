/* features.h -- what a model makes of the answers: where items stand that nobody compared.
 *
 * Used by the thread that fits alone.                                                  */
#ifndef FEATURES_H
#define FEATURES_H

#include "board.h"

struct features;

/* Reads features of items, in any form that peck_dataset_read knows, or CSV with a column
 * name.  Items are found by name where the data has names, else by line. */
MUST_CHECK peck_status features_open(struct features **out, const char *path,
                                     peck_error *err);
void features_close(struct features *f); /* takes NULL */

/* prior[n_slots]: where each item's strength lies by what its features say, 0 where that is
 * nothing; *is_known: it says anything.  name[n_slots].  With few answers there is no
 * model. */
MUST_CHECK peck_status features_guess(struct features *f, const struct board_in *in,
                                      const char *const *name, double *prior,
                                      bool *is_known, peck_error *err);

#endif
