/* spill.c -- see spill.h. */
#define _GNU_SOURCE /* O_TMPFILE, madvise */
#include "spill.h"

#include "alloc.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Where the file system knows no file without a name, one that loses it at once.  -1: errno
 * says why. */
static int open_unnamed(const char *folder)
{
    static const char name[] = "/.peck-XXXXXX";
    int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

    if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR))
        return fd;
    char *const path = mem_new(strlen(folder) + sizeof name, 1);

    if (path == NULL) {
        errno = ENOMEM;
        return -1;
    }
    memcpy(path, folder, strlen(folder));
    memcpy(path + strlen(folder), name, sizeof name);
    fd = mkostemp(path, O_CLOEXEC);
    if (fd >= 0)
        unlink(path);
    mem_free(path);
    return fd;
}

/* A page that the disk has no place for would end the process when it is written. */
peck_status spill_open(struct spill *s, const char *folder, size_t size, peck_error *err)
{
    const size_t whole = size > 0 ? size : 1;
    const int fd = open_unnamed(folder);

    *s = (struct spill){ 0 };
    if (fd < 0)
        return fail(err, PECK_IO, "%s: cannot write a file there: %s; name another folder",
                    folder, strerror(errno));
    const int why =
        whole <= INT64_MAX ? posix_fallocate(fd, 0, (off_t)whole) : EFBIG; /* not errno */
    void *const data = why == 0
                           ? mmap(NULL, whole, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)
                           : MAP_FAILED;
    peck_status st = PECK_OK;

    if (why != 0)
        st = fail(err, PECK_IO,
                  "%s: no place for a file of %zu MB: %s; name another folder, or allow "
                  "more memory",
                  folder, whole >> 20, strerror(why));
    else if (data == MAP_FAILED)
        st = fail(err, PECK_IO, "%s: cannot map a file: %s; name another folder", folder,
                  strerror(errno));
    else
        *s = (struct spill){ data, whole };
    close(fd);
    return st;
}

/* A fault brings the pages around it too: what is forgotten begins and ends on such a block.
 * Failing does no harm. */
void spill_forget(const struct spill *s, const void *from, size_t n)
{
    enum { AROUND = 1 << 16 }; /* bytes */
    const uintptr_t base = (uintptr_t)s->data, at = (uintptr_t)from, last = base + s->size;
    const uintptr_t first = at / AROUND * AROUND,
                    until = (at + n + AROUND - 1) / AROUND * AROUND;
    const uintptr_t begin = first > base ? first : base, end = until < last ? until : last;

    if (begin < end)
        madvise((void *)begin, end - begin, MADV_DONTNEED);
}

void spill_close(struct spill *s)
{
    if (s->data != NULL)
        munmap(s->data, s->size);
    *s = (struct spill){ 0 };
}
