/* memory_file.h -- files that exist only in memory, for the fuzz targets.
 *
 * The linker hands the readers' calls of input_open and input_exists to memory_file.c
 * (--wrap).  A file given here is found under its name; any other name goes to the disk
 * as ever.  Each opening gets its own heap block of exactly size + INPUT_PADDING bytes,
 * so that AddressSanitizer sees a read beyond what input_open promises.
 * Datasets beyond FUZZ_MAX_CELLS are refused, as if the machine were small.          */
#ifndef MEMORY_FILE_H
#define MEMORY_FILE_H

#include <stddef.h>
#include <stdint.h>

enum { FUZZ_MAX_CELLS = 1 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* `name` and `data` are kept until memory_clear. */
void memory_file(const char *name, const uint8_t *data, size_t size);
void memory_clear(void);

/* Cuts data at the first occurrence of the byte 0; *rest is what follows it (empty when
 * there is none).  Returns the length of the first part. */
size_t cut_at_zero(const uint8_t *data, size_t size, const uint8_t **rest, size_t *n_rest);

#endif
