/* fuzz_zip.c -- gzip and zstd.  What is unpacked must be followed by its padding. */
#include "memory_file.h"
#include "promise.h"

#include "base/alloc.h"
#include "base/input.h"
#include "base/zip.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* An exact copy, so that a read behind the packed bytes is seen. */
    char *const packed = malloc(size > 0 ? size : 1);
    char *block = NULL;
    size_t n = 0, zeros = 0;
    peck_error err = { PECK_OK, "" };

    if (packed == NULL)
        return 0;
    if (size > 0)
        memcpy(packed, data, size);
    const enum zip kind = zip_of_magic(packed, size);

    if (kind != ZIP_NONE) {
        const peck_status st =
            zip_unpack(kind, packed, size, INPUT_PADDING, "data.gz", &block, &n, &err);

        promise_outcome(st, block, &err);
        for (size_t i = 0; st == PECK_OK && i < INPUT_PADDING; i++)
            zeros += block[n + i] == 0;
        promise(st != PECK_OK || zeros == INPUT_PADDING, "zero bytes follow the last one");
    }
    mem_free(block);
    free(packed);
    return 0;
}
