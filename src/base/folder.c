/* folder.c -- see folder.h. */
#include "folder.h"

#include "alloc.h"
#include "number.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { MAX_NAMES = 1 << 20 };

bool is_directory(const char *path)
{
    struct stat s;

    return stat(path, &s) == 0 && S_ISDIR(s.st_mode);
}

static int by_bytes(peck_span x, peck_span y)
{
    const int way = memcmp(x.s, y.s, x.n < y.n ? x.n : y.n);

    return way != 0 ? way : (x.n > y.n) - (x.n < y.n);
}

/* The digits at s[at], without zeros that lead. */
static peck_span digits_at(peck_span s, size_t *at)
{
    while (*at + 1 < s.n && s.s[*at] == '0' && is_digit(s.s[*at + 1]))
        (*at)++;
    const size_t start = *at;

    while (*at < s.n && is_digit(s.s[*at]))
        (*at)++;
    return (peck_span){ s.s + start, *at - start };
}

/* "Fold2" before "Fold10": by bytes, but numbers by their value. */
static int by_names(const void *a, const void *b)
{
    const peck_span x = *(const peck_span *)a, y = *(const peck_span *)b;

    for (size_t i = 0, k = 0; i < x.n && k < y.n;) {
        const bool are_digits = is_digit(x.s[i]) && is_digit(y.s[k]);
        const peck_span one = are_digits ? digits_at(x, &i) : (peck_span){ x.s + i++, 1 };
        const peck_span other = are_digits ? digits_at(y, &k) : (peck_span){ y.s + k++, 1 };

        if (one.n != other.n)
            return one.n < other.n ? -1 : 1;
        if (by_bytes(one, other) != 0)
            return by_bytes(one, other);
    }
    return by_bytes(x, y);
}

/* As the system has them, which is in no order that can be relied on; then sorted. */
peck_status folder_list(struct strings *names, const char *path, peck_error *err)
{
    struct strings found = { 0 };
    DIR *const dir = opendir(path);
    const struct dirent *entry;
    peck_status st = PECK_OK;

    if (dir == NULL)
        return fail(err, errno == ENOMEM ? PECK_NOMEM : PECK_IO,
                    "%.300s: cannot open the folder: %s", path, strerror(errno));
    errno = 0;
    while (st == PECK_OK && (entry = readdir(dir)) != NULL) {
        if (entry->d_name[0] != '.' &&
            (found.n == MAX_NAMES || !strings_add(&found, span_of(entry->d_name))))
            st = fail(err, PECK_NOMEM, "%.300s: no memory for its names", path);
        errno = 0;
    }
    if (errno != 0)
        st = fail(err, errno == ENOMEM ? PECK_NOMEM : PECK_IO, "%.300s: cannot list it: %s",
                  path, strerror(errno));
    closedir(dir);
    peck_span *const order = mem_new(found.n, sizeof *order);
    bool is_complete = order != NULL;

    for (size_t i = 0; is_complete && i < found.n; i++)
        order[i] = strings_get(&found, i);
    if (is_complete && found.n > 0)
        qsort(order, found.n, sizeof *order, by_names);
    for (size_t i = 0; st == PECK_OK && is_complete && i < found.n; i++)
        is_complete = strings_add(names, order[i]);
    if (st == PECK_OK && !is_complete)
        st = fail_memory(err, "names", found.n, sizeof *order);
    mem_free(order);
    strings_free(&found);
    return st;
}
