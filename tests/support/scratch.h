/* scratch.h -- what tests of readers share: small files made on the spot, the folder of
 * real data, and a look at the sentence of an error.                                 */
#ifndef SCRATCH_H
#define SCRATCH_H

#include "peck.h"

/* Writes a file of this name into a folder of this process, which is removed at exit.
 * The path stays good for the next 16 calls. */
const char *scratch_bytes(const char *name, const void *bytes, size_t n);
const char *scratch_file(const char *name, const char *text);

/* The path of a file of real data, or NULL where $PECK_DATA (or ../shared/data) has none.
 * The path stays good for the next 16 calls. */
const char *real_data(const char *name);

/* Fails the test unless status is `expected` and the sentence has every given part. */
void check_failure(peck_status status, const peck_error *err, peck_status expected,
                   const char *const *parts, const char *file, int line);
#define assert_failure(status, err, expected, ...)                                   \
    check_failure(status, err, expected, (const char *const[]){ __VA_ARGS__, NULL }, \
                  __FILE__, __LINE__)

#endif
