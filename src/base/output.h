/* output.h -- a file that appears whole or not at all.
 *
 * Bytes go to a temporary name in the same folder; output_commit flushes, closes and
 * renames.  A file that is replaced keeps its rights, and a link goes on pointing to it.
 * ".gz" and ".zst" names are compressed.  "-" is standard output, which
 * cannot be taken back.  Write errors are kept and told by output_commit, so the
 * writing code stays free of checks.                                             */
#ifndef OUTPUT_H
#define OUTPUT_H

#include "status.h"

struct output;

MUST_CHECK peck_status output_open(struct output **out, const char *path, peck_error *err);
/* To memory in place of a file: *to, empty before, is the caller's after output_commit, and
 * empty again after a failure. */
MUST_CHECK peck_status output_to_memory(struct output **out, peck_bytes *to,
                                        peck_error *err);
void output_write(struct output *o, const void *bytes, size_t n);
void output_printf(struct output *o, const char *fmt, ...) PRINTF(2, 3);

/* Overwrites n bytes at `offset`, which were written before.  Plain files only: check
 * output_can_patch first. */
int output_can_patch(const struct output *o);
void output_patch(struct output *o, uint64_t offset, const void *bytes, size_t n);

/* Fails once a write has failed, so that a long job can end early: nothing more will
 * arrive. */
MUST_CHECK peck_status output_check(const struct output *o, peck_error *err);

/* Frees o, whatever happens. */
MUST_CHECK peck_status output_commit(struct output *o, peck_error *err);
void output_abort(struct output *o); /* removes the temporary file; takes NULL */

#endif
