/* promise.h -- what must hold of whatever a reader lets through.  A broken promise
 * aborts, which the fuzzer reports as a crash.                                      */
#ifndef PROMISE_H
#define PROMISE_H

#include "peck.h"

#include <stdbool.h>

/* Aborts, saying what was promised, unless it holds. */
void promise(bool holds, const char *what);

/* Status and outcome agree: an object exactly on success, a sentence exactly on failure,
 * and never the two codes that mean somebody else's mistake. */
void promise_outcome(peck_status st, const void *out, const peck_error *err);

/* Offsets rise, labels and weights are legal, features finite, ids within bounds. */
void promise_dataset(const peck_dataset *d);

/* Whatever `format` can hold of d comes back from a file in that format unchanged. */
void promise_round_trip(const peck_dataset *d, const char *format);

/* A file that a target may write, the same at every call; it goes when the program ends. */
const char *promise_path(void);

#endif
