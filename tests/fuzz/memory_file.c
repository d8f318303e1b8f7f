/* memory_file.c -- see memory_file.h. */
#include "memory_file.h"

#include "base/alloc.h"
#include "base/input.h"
#include "data/dataset.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_FILES = 4 };

static struct {
    const char *name;
    const uint8_t *data;
    size_t size;
} files[MAX_FILES];
static size_t n_files;

peck_status __real_input_open(struct input *in, const char *path, peck_error *err);
bool __real_input_exists(const char *path);
peck_status __wrap_input_open(struct input *in, const char *path, peck_error *err);
bool __wrap_input_exists(const char *path);
peck_status __wrap_builder_check_size(const char *name, size_t n, size_t dim,
                                      peck_error *err);

void memory_file(const char *name, const uint8_t *data, size_t size)
{
    if (n_files == MAX_FILES)
        abort();
    files[n_files].name = name;
    files[n_files].data = data;
    files[n_files++].size = size;
}

void memory_clear(void)
{
    n_files = 0;
}

size_t cut_at_zero(const uint8_t *data, size_t size, const uint8_t **rest, size_t *n_rest)
{
    const uint8_t *const zero = size > 0 ? memchr(data, 0, size) : NULL;

    *rest = zero != NULL ? zero + 1 : data + size;
    *n_rest = (size_t)(data + size - *rest);
    return zero != NULL ? (size_t)(zero - data) : size;
}

static size_t find(const char *path)
{
    size_t i = 0;

    while (i < n_files && strcmp(files[i].name, path) != 0)
        i++;
    return i;
}

peck_status __wrap_input_open(struct input *in, const char *path, peck_error *err)
{
    const size_t i = find(path);

    if (i == n_files)
        return __real_input_open(in, path, err);
    const size_t whole = files[i].size + INPUT_PADDING;
    char *const block = mem_new(whole, 1);

    if (block == NULL)
        return fail_memory(err, path, whole, 1);
    if (files[i].size > 0)
        memcpy(block, files[i].data, files[i].size);
    *in = (struct input){
        .data = block, .size = files[i].size, .name = path, .block = block
    };
    return PECK_OK;
}

bool __wrap_input_exists(const char *path)
{
    return find(path) < n_files || __real_input_exists(path);
}

peck_status __wrap_builder_check_size(const char *name, size_t n, size_t dim,
                                      peck_error *err)
{
    size_t cells;

    if (mul_overflow(n, dim, &cells) || cells > FUZZ_MAX_CELLS)
        return fail(err, PECK_NOMEM, "%s: too large to be fuzzed", name);
    return PECK_OK;
}
