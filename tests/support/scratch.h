/* scratch.h -- what tests of readers and writers share: files made on the spot in a folder
 * of this process, which is removed at exit; the folder of real data; and a look at the
 * sentence of an error.  Paths stay good until the program ends.                      */
#ifndef SCRATCH_H
#define SCRATCH_H

#include "peck.h"

#include <stdbool.h>

/* Where a file of this name would be. */
const char *scratch_path(const char *name);

/* Writes a file of this name. */
const char *scratch_bytes(const char *name, const void *bytes, size_t n);
const char *scratch_file(const char *name, const char *text);

/* How many files the folder holds whose names contain `part`. */
size_t scratch_count(const char *part);

/* All bytes of a file and a zero byte after them; the caller frees them.  NULL: it
 * cannot be read. */
char *file_bytes(const char *path, size_t *n);
bool files_equal(const char *a, const char *b);

/* Runs a program (found through PATH) with these arguments, ended by NULL; its exit
 * code, -1 when there is no such program. */
int run_program(const char *const *argv);

/* The path of a file of real data, or NULL (and a message) where $PECK_DATA (or
 * ../shared/data) has none: the test skips itself then. */
const char *real_data(const char *name);

/* Fails the test unless status is `expected` and the sentence has every given part. */
void check_failure(peck_status status, const peck_error *err, peck_status expected,
                   const char *const *parts, const char *file, int line);
#define assert_failure(status, err, expected, ...)                                   \
    check_failure(status, err, expected, (const char *const[]){ __VA_ARGS__, NULL }, \
                  __FILE__, __LINE__)

#endif
