/* embedding.h -- operations of programs that bring their own arrays, bytes and functions, or
 * rules. */
#ifndef EMBEDDING_H
#define EMBEDDING_H

#include "peck.h"

/* Passes st on, and notes an object that a failed call handed out. */
typedef peck_status watch_call(peck_status st, const void *out);

/* what: "wrap", "arrays", "memory" or "callbacks". */
peck_status embed_it(const char *what, watch_call *watch, const peck_dataset *data,
                     const peck_model *model, peck_error *err);

/* Reads rules; checks, counts, compares and enforces them. */
peck_status judge_by_rules(const char *path, watch_call *watch, const peck_dataset *data,
                           const double *scores, peck_error *err);
/* Trains with rules; weight: NULL: their own, "auto", or "best". */
peck_status train_by_rules(const char *path, const char *weight, watch_call *watch,
                           const peck_dataset *data, peck_error *err);

/* Compares runs that bring their values per query along, and prints that in narrow columns. */
peck_status compare_reports(const char *format, watch_call *watch, const peck_report *told,
                            peck_error *err);

#endif
