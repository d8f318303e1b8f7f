/* bench.h -- a clock, and features from a file. */
#ifndef BENCH_H
#define BENCH_H

#include "peck.h"

#include <stdlib.h>
#include <time.h>

static inline double seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* n rows of dim floats; free x. */
struct table {
    float *x;
    size_t n, dim;
};

/* From a file of raw floats; without rows where it cannot be read. */
static inline struct table table_read(const char *path, size_t dim)
{
    FILE *const file = fopen(path, "rb");
    struct table t = { .dim = dim };
    long size = -1;

    if (file != NULL && fseek(file, 0, SEEK_END) == 0 && (size = ftell(file)) >= 0 &&
        fseek(file, 0, SEEK_SET) == 0)
        t.x = malloc((size_t)size + 1);
    t.n = size > 0 ? (size_t)size / sizeof *t.x / dim : 0;
    if (t.x == NULL || fread(t.x, sizeof *t.x, t.n * dim, file) != t.n * dim)
        t.n = 0;
    if (file != NULL)
        fclose(file);
    return t;
}

#endif
