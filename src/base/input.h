/* input.h -- the whole of a file as one run of bytes.
 *
 * A plain file is mapped, a small one read; gzip and zstd (told by their magic number) are
 * unpacked to memory; "-" is read from standard input.  Who cuts a mapped file short while
 * it is in use brings the reader SIGBUS; reading them all into memory instead would take a
 * third more time.  At least INPUT_PADDING zero bytes that
 * may be read follow the last one, so parsers need no end check at every step.    */
#ifndef INPUT_H
#define INPUT_H

#include "status.h"

#include <stdbool.h>

enum { INPUT_PADDING = 64 };

struct input {
    const char *data;
    size_t size;
    const char *name; /* for messages; borrowed from the caller of input_open */
    void *block;      /* what to release: a mapping or a heap block */
    size_t block_size;
    bool is_mapped;
};

/* PECK_IO for what cannot be opened or read, PECK_FORMAT for a damaged or cut-off
 * compressed file. */
MUST_CHECK peck_status input_open(struct input *in, const char *path, peck_error *err);
/* A copy of bytes in memory, unpacked where they are packed; `name` is for messages. */
MUST_CHECK peck_status input_of_memory(struct input *in, const void *bytes, size_t n,
                                       const char *name, peck_error *err);
void input_close(struct input *in); /* takes an all-zero input too */

/* Files to be mapped as one input. */
struct input_file {
    const char *path;
    size_t size; /* bytes that it must still have */
    size_t at;   /* found: where it begins in the input */
};
/* n plain files in one mapping, each at a multiple of `unit` bytes; nothing can be read between
 * them. */
MUST_CHECK peck_status input_map_files(struct input *in, struct input_file *file, size_t n,
                                       size_t unit, peck_error *err);

/* The pages that these bytes lie on need not stay in memory, where they are those of a mapped
 * file: nobody writes to it, so whoever looks again reads the same.  From any thread. */
void input_forget(const struct input *in, const void *from, size_t n);

/* Of a mapped file: pieces of it are read here and there from now on, so that what lies around a
 * piece is not read with it (a disk may be set to read megabytes ahead); or as usual. */
void input_scatter(const struct input *in, bool is_scattered);
/* These bytes of a mapped file are read at once, in one go.  From any thread. */
void input_expect(const struct input *in, const void *from, size_t n);

/* Pieces that were read and are not forgotten yet; all zero: none. */
struct read_pages {
    const char *begin, *end;
    size_t n; /* bytes */
};
/* One more of them; when there are many all are forgotten, as they are by pages_forget.  A file
 * that is NULL is none. */
void pages_add(struct read_pages *p, const struct input *in, const void *from, size_t n);
void pages_forget(struct read_pages *p, const struct input *in);

/* For readers that look twice: the second look found something else. */
peck_status input_changed(const struct input *in, peck_error *err);

/* What of ours the first bytes of a file are: "model", "cache", "checkpoint"; NULL: none. */
const char *input_own_kind(const char *head, size_t n);
/* What of others they are: "a Parquet file", "a LightGBM model"; NULL: nothing known.
 * *advice, where not NULL: what to do about it. */
const char *input_other_kind(const char *head, size_t n, const char **advice);

/* For readers: passes st on, but where a file of another kind, or no text at all (zero bytes
 * in its head, more than a slip would leave), was found malformed, says that instead of
 * repeating its bytes. */
peck_status input_blame(const struct input *in, peck_status st, peck_error *err);

/* Whether a file of this name is there to be read. */
bool input_exists(const char *path);

/* The first bytes of a file, unpacked where it is packed, at most `room`; returns how many.
 * 0: there is nothing in it, or no file but a device or a pipe.  What may not be read is
 * one zero byte. */
size_t input_head(const char *path, char *to, size_t room);

/* The line from p on, without its newline; *next is where the following one starts.
 * A CR before the newline is part of the line: span_trim drops it. */
struct lines {
    const char *p, *end;
    size_t number; /* of the line that lines_next gave last, from 1 */
};
struct lines lines_of(const struct input *in); /* a byte order mark is passed over */
bool lines_next(struct lines *l, peck_span *line);

#endif
