/* pictures.h -- pictures of one folder, and nothing else of this machine. */
#ifndef PICTURES_H
#define PICTURES_H

#include "../src/base/status.h"

#include <stdbool.h>

enum { PICTURE_BYTES = 64 << 20 };

struct picture {
    int file; /* open, the caller's */
    size_t n; /* bytes */
    const char *type;
    char tag[40]; /* another one when the file changes */
};

/* PECK_OK, or why not: PECK_ARG when the path leads out of the folder, by "..", by a link or
 * from the root; PECK_IO when there is no such file; PECK_FORMAT when it is no picture that is
 * safe to show (png, jpeg, gif, webp, avif: by its bytes, not by its name). */
MUST_CHECK peck_status picture_open(struct picture *out, int folder, const char *path,
                                    peck_error *err);

/* The type that these first bytes are of; NULL: none. */
const char *picture_type(const unsigned char *first, size_t n);

#endif
