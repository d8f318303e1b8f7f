/* zip.h -- gzip and zstd; zip.c is the only user of zlib and libzstd. */
#ifndef ZIP_H
#define ZIP_H

#include "status.h"

#include <stdbool.h>

enum zip { ZIP_NONE, ZIP_GZIP, ZIP_ZSTD };

enum zip zip_of_magic(const char *data, size_t n);
enum zip zip_of_name(const char *path);

/* The length of a file name without ".gz" or ".zst". */
size_t zip_stem(const char *path);

/* Unpacks n bytes into a fresh block (mem_free) that has `padding` zero bytes after
 * its *size.  `name` is for messages. */
MUST_CHECK peck_status zip_unpack(enum zip kind, const char *data, size_t n, size_t padding,
                                  const char *name, char **block, size_t *size,
                                  peck_error *err);

/* Unpacks the first bytes alone, at most `room`, and returns how many; 0: they are damaged,
 * or there is no memory. */
size_t zip_unpack_head(enum zip kind, const char *data, size_t n, char *to, size_t room);

/* Packing, a piece at a time: `sink` takes the packed bytes and returns false when it
 * cannot. */
struct zip_packer;
struct zip_packer *zip_packer_new(enum zip kind); /* NULL: no memory */
bool zip_pack(struct zip_packer *z, const void *bytes, size_t n, bool last,
              bool (*sink)(void *ctx, const void *bytes, size_t n), void *ctx);
void zip_packer_free(struct zip_packer *z);

#endif
