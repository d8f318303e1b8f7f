/* operations.h -- everything a program can ask of the library, each as one call on tiny
 * data, so that faults can be tried on all of them.                                  */
#ifndef OPERATIONS_H
#define OPERATIONS_H

#include "peck.h"

#include <stdbool.h>
#include <stddef.h>

struct operation {
    const char *name;
    /* Does it and lets go of what came of it.  `target` is the file to write. */
    peck_status (*run)(const struct operation *o, const char *target, peck_error *err);
    const char *target; /* where it writes unless told otherwise; NULL: it writes nothing */
    const char *about;  /* what the operation is about: a file, a format, a kind */
    const char *more;   /* and a second such thing; of a writer: it needs a plain file */
};

/* The folder, relative to the present one, that targets lie in; else empty. */
#define TARGET_FOLDER "out"

/* Makes a scratch folder with the files that operations read, and goes there. */
void operations_open(void);
void operations_close(void); /* removes it */

/* Operation i, or NULL past the end. */
const struct operation *operation_at(size_t i);

/* Whether a failed operation handed out an object all the same; asking resets it. */
bool operation_left_object(void);

/* How many files lie in TARGET_FOLDER; they are removed. */
size_t targets_sweep(void);

#endif
