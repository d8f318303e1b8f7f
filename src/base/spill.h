/* spill.h -- an array that need not be in memory: it lies in a file without a name, and pages
 * that were given back are read again when somebody looks.                           */
#ifndef SPILL_H
#define SPILL_H

#include "status.h"

#include <stddef.h>

struct spill {
    void *data; /* size bytes, all zero at first */
    size_t size;
};

/* The place on the disk is taken at once: PECK_IO where there is not so much.  The file goes
 * with the process, however that ends. */
MUST_CHECK peck_status spill_open(struct spill *s, const char *folder, size_t size,
                                  peck_error *err);
/* The pages that these bytes lie on need not stay in memory.  From any thread. */
void spill_forget(const struct spill *s, const void *from, size_t n);
void spill_close(struct spill *s); /* takes an all-zero one too */

#endif
