/* pictures.c -- see pictures.h.  A path is walked part by part from the folder's
 * descriptor, and no part may be a link: so nobody can lead it out, not even by changing
 * the folder while it is walked.                                                         */
#include "pictures.h"

#include "../src/base/view.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

const char *picture_type(const unsigned char *first, size_t n)
{
    /* ISO BMFF: a box "ftyp" whose major brand is AVIF's. */
    static const struct {
        size_t at, n;
        const char *bytes;
        size_t more_at, n_more;
        const char *more;
        const char *type;
    } known[] = {
        { 0, 8, "\x89PNG\r\n\x1A\n", 0, 0, "", "image/png" },
        { 0, 3, "\xFF\xD8\xFF", 0, 0, "", "image/jpeg" },
        { 0, 6, "GIF87a", 0, 0, "", "image/gif" },
        { 0, 6, "GIF89a", 0, 0, "", "image/gif" },
        { 0, 4, "RIFF", 8, 4, "WEBP", "image/webp" },
        { 4, 4, "ftyp", 8, 4, "avif", "image/avif" },
        { 4, 4, "ftyp", 8, 4, "avis", "image/avif" },
    };

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (n >= known[i].at + known[i].n && n >= known[i].more_at + known[i].n_more &&
            memcmp(first + known[i].at, known[i].bytes, known[i].n) == 0 &&
            memcmp(first + known[i].more_at, known[i].more, known[i].n_more) == 0)
            return known[i].type;
    return NULL;
}

/* Opens part after part; *file is the last one. */
static peck_status walk(int *file, int folder, const char *path, peck_error *err)
{
    char part[256];
    int at = folder;

    *file = -1;
    for (const char *p = path;;) {
        const size_t n = strcspn(p, "/");
        const bool is_last = p[n] == '\0';

        if (n == 0 || n >= sizeof part || (n == 1 && p[0] == '.') ||
            (n == 2 && p[0] == '.' && p[1] == '.')) {
            if (at != folder)
                close(at);
            return fail(err, PECK_ARG, "%.60s: leads out of the folder of the items", path);
        }
        memcpy(part, p, n);
        part[n] = '\0';
        /* Not waiting for the writer of a pipe. */
        const int next = openat(at, part,
                                O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY |
                                    (is_last ? 0 : O_DIRECTORY));
        const int why = errno;

        if (at != folder)
            close(at);
        if (next < 0 && (why == ELOOP || (why == ENOTDIR && !is_last)))
            return fail(err, PECK_ARG, "%.60s: a link, which is not followed", path);
        if (next < 0)
            return fail(err, PECK_IO, "%.60s: %s", path, strerror(why));
        if (is_last) {
            *file = next;
            return PECK_OK;
        }
        at = next;
        p += n + 1;
    }
}

peck_status picture_open(struct picture *out, int folder, const char *path, peck_error *err)
{
    unsigned char first[16];
    struct stat s;
    peck_status st = PECK_OK;

    *out = (struct picture){ .file = -1 };
    TRY(walk(&out->file, folder, path, err));
    const ssize_t n = pread(out->file, first, sizeof first, 0);

    if (fstat(out->file, &s) != 0 || !S_ISREG(s.st_mode) || n < 0)
        st = fail(err, PECK_IO, "%.60s: no plain file", path);
    else if ((out->type = picture_type(first, (size_t)n)) == NULL)
        st = fail(err, PECK_FORMAT,
                  "%.60s: no picture that can be shown; take png, jpeg, gif, webp or avif",
                  path);
    else if (s.st_size > PICTURE_BYTES)
        st = fail(err, PECK_FORMAT, "%.60s: larger than %d MB; make it smaller", path,
                  PICTURE_BYTES >> 20);
    if (st != PECK_OK) {
        close(out->file);
        *out = (struct picture){ .file = -1 };
        return st;
    }
    out->n = (size_t)s.st_size;
    snprintf(out->tag, sizeof out->tag, "\"%llx-%llx\"", (unsigned long long)s.st_size,
             (unsigned long long)s.st_mtim.tv_sec * 1000000007ULL +
                 (unsigned long long)s.st_mtim.tv_nsec);
    return PECK_OK;
}
