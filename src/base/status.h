/* base -- WHAT EVERY ROOM STANDS ON
 *   in      bytes, numbers, names, work to be dealt to threads
 *   out     errors, memory, files, decimal text, sorting, random streams, settings
 *   knows   nobody
 *   never   queries, labels, models; printing, exiting, the environment
 *   grow    one topic a file; who writes a setting or a plug reads param.h and plug.h
 *
 * status.h is what all the others include: codes, fail(), TRY.  Failing is one
 * expression: the code, the place in the user's data, the reason and the cure.  The
 * deepest message wins; callers pass it on unchanged.                               */
#ifndef STATUS_H
#define STATUS_H

#include "peck.h"

#define MUST_CHECK __attribute__((warn_unused_result))
#define PRINTF(f, a) __attribute__((format(printf, f, a)))

/* Fills *err (may be NULL) and returns `why`, so that `return fail(...)` is all.  What is
 * repeated of somebody's file or file name is made plain here, for every message; line
 * breaks stay only in a message that has some of its own (fmt). */
peck_status fail(peck_error *err, peck_status why, const char *fmt, ...) PRINTF(3, 4);

/* Another's failure as it is; returns its status. */
peck_status fail_again(peck_error *err, const peck_error *why);

/* "out of memory" for n things of this size; returns PECK_NOMEM. */
peck_status fail_memory(peck_error *err, const char *what, size_t n, size_t size);

#define TRY(call)                        \
    do {                                 \
        const peck_status try_ = (call); \
        if (try_ != PECK_OK)             \
            return try_;                 \
    } while (0)

#endif
