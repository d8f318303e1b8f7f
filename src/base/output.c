/* output.c -- see output.h. */
#define _GNU_SOURCE /* O_TMPFILE */
#include "output.h"

#include "alloc.h"
#include "zip.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BUFFER = 1 << 18, TRIES = 100, NAME_ROOM = 48, MAX_LINKS = 40 };

/* Of the final name, so much goes into the temporary one: a name may be 255 bytes long
 * (143 on some file systems), and the rest of the temporary one needs some, too. */
enum { STEM = 64 };

struct output {
    int fd;
    bool is_stdout;
    int error; /* errno of the first write that failed; 0: none */
    char *path, *temporary;
    bool is_unnamed; /* the temporary file has no name yet */
    bool is_there;   /* a file is there already, and its rights are these: */
    mode_t mode;
    gid_t group;
    size_t held; /* bytes waiting in buffer */
    struct zip_packer *zip;
    peck_bytes *memory; /* where the bytes go; NULL: to fd */
    bool is_kept;       /* memory is the caller's now */
    size_t cap;         /* of memory */
    char buffer[BUFFER];
};

/* With room for a zero byte after the last one. */
static void add_to_memory(struct output *o, const void *bytes, size_t n)
{
    peck_bytes *const to = o->memory;

    if (o->error == 0 && !mem_reserve(&to->s, &o->cap, to->n + n + 1, 1))
        o->error = ENOMEM;
    if (o->error != 0)
        return;
    memcpy(to->s + to->n, bytes, n);
    to->n += n;
    to->s[to->n] = '\0';
}

/* A sink for packed bytes too, hence the shape. */
static bool write_all(void *ctx, const void *bytes, size_t n)
{
    struct output *const o = ctx;
    const char *p = bytes;

    if (o->memory != NULL)
        add_to_memory(o, bytes, n);
    while (o->memory == NULL && n > 0 && o->error == 0) {
        const ssize_t done = write(o->fd, p, n);

        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0) {
            o->error = errno;
            break;
        }
        p += done;
        n -= (size_t)done;
    }
    return o->error == 0;
}

static void flush_buffer(struct output *o, bool last)
{
    if (o->zip != NULL && o->error == 0) {
        if (!zip_pack(o->zip, o->buffer, o->held, last, write_all, o) && o->error == 0)
            o->error = ENOMEM;
    } else if (o->zip == NULL) {
        write_all(o, o->buffer, o->held);
    }
    o->held = 0;
}

/* The i-th name to try for the file while it grows. */
static void set_temporary(struct output *o, int i)
{
    const char *const slash = strrchr(o->path, '/');
    const size_t folder = slash != NULL ? (size_t)(slash + 1 - o->path) : 0;
    const size_t name = strlen(o->path) - folder;

    snprintf(o->temporary, strlen(o->path) + NAME_ROOM, "%.*s.tmp-%ld-%d",
             (int)(folder + (name < STEM ? name : STEM)), o->path, (long)getpid(), i);
}

/* Of a file that is replaced, its own; umask has a say in those of a new one. */
static mode_t mode_of(const struct output *o)
{
    return o->is_there ? o->mode & 0777 : 0666;
}

/* Gives a file without a name a temporary one, so that it can be renamed. */
static bool give_name(struct output *o)
{
    char self[64];

    snprintf(self, sizeof self, "/proc/self/fd/%d", o->fd);
    for (int i = 0; i < TRIES; i++) {
        set_temporary(o, i);
        if (linkat(AT_FDCWD, self, AT_FDCWD, o->temporary, AT_SYMLINK_FOLLOW) == 0) {
            o->is_unnamed = false;
            return true;
        }
        if (errno != EEXIST)
            return false;
    }
    return false;
}

/* The temporary file gets the rights of the one that it will replace.  Another group than
 * that one's gets none: what it may do was never meant for it. */
static bool take_rights(const struct output *o, int fd)
{
    struct stat own;

    if (!o->is_there)
        return true;
    if (fstat(fd, &own) != 0)
        return false;
    const bool has_group = own.st_gid == o->group || fchown(fd, (uid_t)-1, o->group) == 0;
    const mode_t wanted = mode_of(o) & (has_group ? 0777 : 0707);

    return (own.st_mode & 0777) == wanted || fchmod(fd, wanted) == 0;
}

/* A file without a name in the folder of the final one: it goes with the process, however
 * that ends.  Where the file system, or a missing /proc, does not allow it, one with a
 * temporary name.  -1: errno says why. */
static int open_temporary(struct output *o)
{
    const char *const slash = strrchr(o->path, '/');
    const char *folder = ".";
    int fd = -1;

    o->temporary = mem_new(strlen(o->path) + NAME_ROOM, 1);
    if (o->temporary == NULL) {
        errno = ENOMEM;
        return -1;
    }
    if (slash != NULL) {
        memcpy(o->temporary, o->path, (size_t)(slash - o->path) + 1);
        folder = o->temporary;
    }
    if (access("/proc/self/fd", X_OK) == 0)
        fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, mode_of(o));
    o->is_unnamed = fd >= 0;
    for (int i = 0; i < TRIES && fd < 0; i++) {
        set_temporary(o, i);
        fd = open(o->temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode_of(o));
        if (fd < 0 && errno != EEXIST)
            return -1;
    }
    if (fd < 0 || take_rights(o, fd))
        return fd;
    const int why = errno;

    close(fd);
    if (!o->is_unnamed)
        unlink(o->temporary);
    errno = why;
    return -1;
}

/* Takes the place of the path: what the link at it says, seen from the link's folder. */
static bool read_link(struct output *o)
{
    enum { LENGTH = PATH_MAX };
    const char *const slash = strrchr(o->path, '/');
    const size_t folder = slash != NULL ? (size_t)(slash + 1 - o->path) : 0;
    char *const target = mem_new(folder + LENGTH + 2, 1);

    if (target == NULL) {
        errno = ENOMEM;
        return false;
    }
    memcpy(target, o->path, folder);
    const ssize_t n = readlink(o->path, target + folder, LENGTH + 1);

    if (n <= 0 || n > LENGTH) {
        const int why = n < 0 ? errno : ENAMETOOLONG;

        mem_free(target);
        errno = why;
        return false;
    }
    target[folder + (size_t)n] = '\0';
    if (target[folder] == '/')
        memmove(target, target + folder, (size_t)n + 1);
    mem_free(o->path);
    o->path = target;
    return true;
}

/* A link goes on pointing to its file, and that file is replaced, or made where it is not
 * there: /dev/stdout is such a link when the output of the program goes to a file. */
static bool follow_links(struct output *o)
{
    struct stat st;

    for (int i = 0; i < MAX_LINKS; i++) {
        if (lstat(o->path, &st) != 0)
            return errno == ENOENT;
        if (!S_ISLNK(st.st_mode))
            return true;
        if (!read_link(o))
            return false;
    }
    errno = ELOOP;
    return false;
}

/* Looks at what is at the path.  Devices and pipes (/dev/full, a FIFO) are written as they
 * are: there is nothing to rename.  -1: errno says why. */
static int open_target(struct output *o)
{
    struct stat st;
    const bool is_there = stat(o->path, &st) == 0;

    if (o->path[0] == '\0')
        errno = ENOENT;
    else if (is_there && S_ISDIR(st.st_mode))
        errno = EISDIR;
    else if (is_there && !S_ISREG(st.st_mode))
        return open(o->path, O_WRONLY | O_CLOEXEC);
    else if (is_there || errno == ENOENT) {
        o->is_there = is_there;
        o->mode = is_there ? st.st_mode : 0;
        o->group = is_there ? st.st_gid : 0;
        return follow_links(o) ? open_temporary(o) : -1;
    }
    return -1;
}

static void output_free(struct output *o)
{
    if (o->fd >= 0 && !o->is_stdout)
        close(o->fd);
    if (o->memory != NULL && !o->is_kept)
        peck_bytes_free(o->memory);
    zip_packer_free(o->zip);
    mem_free(o->path);
    mem_free(o->temporary);
    mem_free(o);
}

peck_status output_open(struct output **out, const char *path, peck_error *err)
{
    struct output *const o = mem_new(1, sizeof *o);
    const size_t n = strlen(path) + 1;
    const enum zip kind = zip_of_name(path);
    peck_status st = PECK_OK;

    *out = NULL;
    if (o == NULL)
        return fail_memory(err, path, 1, sizeof *o);
    o->fd = -1;
    o->is_stdout = strcmp(path, "-") == 0;
    if ((o->path = mem_new(n, 1)) == NULL)
        st = fail_memory(err, path, n, 1);
    else if (kind != ZIP_NONE && (o->zip = zip_packer_new(kind)) == NULL)
        st = fail_memory(err, path, 1 << 18, 1);
    if (st == PECK_OK) {
        memcpy(o->path, path, n);
        o->fd = o->is_stdout ? STDOUT_FILENO : open_target(o);
        if (o->fd < 0)
            st = fail(err, errno == ENOMEM ? PECK_NOMEM : PECK_IO,
                      "%s: cannot write there: %s%s", path, strerror(errno),
                      errno == EISDIR   ? "; name a file in it"
                      : errno == ENOENT ? "; make the folder first"
                                        : "");
    }
    if (st != PECK_OK)
        output_free(o);
    else
        *out = o;
    return st;
}

peck_status output_to_memory(struct output **out, peck_bytes *to, peck_error *err)
{
    *to = (peck_bytes){ 0 };
    if ((*out = mem_new(1, sizeof **out)) == NULL)
        return fail_memory(err, "memory", 1, sizeof **out);
    (*out)->fd = -1;
    (*out)->memory = to;
    return PECK_OK;
}

void peck_bytes_free(peck_bytes *b)
{
    mem_free(b->s);
    *b = (peck_bytes){ 0 };
}

void output_write(struct output *o, const void *bytes, size_t n)
{
    const char *p = bytes;

    while (n > 0) {
        const size_t room = BUFFER - o->held, k = n < room ? n : room;

        memcpy(o->buffer + o->held, p, k);
        o->held += k;
        p += k;
        n -= k;
        if (o->held == BUFFER)
            flush_buffer(o, false);
    }
}

void output_printf(struct output *o, const char *fmt, ...)
{
    char line[1024];
    va_list args;

    va_start(args, fmt);
    const int n = vsnprintf(line, sizeof line, fmt, args);

    va_end(args);
    if (n < 0 || (size_t)n >= sizeof line)
        o->error = EOVERFLOW;
    else
        output_write(o, line, (size_t)n);
}

int output_can_patch(const struct output *o)
{
    return o->zip == NULL && o->temporary != NULL;
}

void output_patch(struct output *o, uint64_t offset, const void *bytes, size_t n)
{
    const char *p = bytes;

    flush_buffer(o, false);
    while (n > 0 && o->error == 0) {
        const ssize_t done = pwrite(o->fd, p, n, (off_t)offset);

        if (done < 0 && errno != EINTR)
            o->error = errno;
        if (done <= 0)
            continue;
        p += done;
        n -= (size_t)done;
        offset += (uint64_t)done;
    }
}

peck_status output_check(const struct output *o, peck_error *err)
{
    if (o->error == 0)
        return PECK_OK;
    return fail(err, o->error == ENOMEM ? PECK_NOMEM : PECK_IO, "%s: cannot write it: %s",
                o->is_stdout        ? "standard output"
                : o->memory != NULL ? "memory"
                                    : o->path,
                strerror(o->error));
}

/* Removes the temporary file; one without a name goes by itself. */
static void remove_temporary(const struct output *o)
{
    if (o->temporary != NULL && !o->is_unnamed)
        unlink(o->temporary);
}

/* A full disk may be told as late as close(). */
peck_status output_commit(struct output *o, peck_error *err)
{
    flush_buffer(o, true);
    if (o->error == 0 && o->is_unnamed && !give_name(o))
        o->error = errno;
    if (!o->is_stdout && o->memory == NULL && close(o->fd) != 0 && o->error == 0)
        o->error = errno;
    o->fd = -1;
    if (o->error == 0 && o->temporary != NULL && rename(o->temporary, o->path) != 0)
        o->error = errno;
    o->is_kept = o->error == 0;
    const peck_status st = output_check(o, err);

    if (st != PECK_OK)
        remove_temporary(o);
    output_free(o);
    return st;
}

void output_abort(struct output *o)
{
    if (o == NULL)
        return;
    remove_temporary(o);
    output_free(o);
}

/* A FIFO would wait for its reader, and a device may mind being opened: these are asked. */
peck_status peck_output_check(const char *path, peck_error *err)
{
    const bool is_stdout = strcmp(path, "-") == 0;
    struct output *o = NULL;
    struct stat at;

    if (is_stdout || (stat(path, &at) == 0 && !S_ISREG(at.st_mode) && !S_ISDIR(at.st_mode)))
        return is_stdout || access(path, W_OK) == 0
                   ? PECK_OK
                   : fail(err, PECK_IO, "%s: cannot write there: %s", path,
                          strerror(errno));
    TRY(output_open(&o, path, err));
    if (o->is_unnamed && !give_name(o))
        o->error = errno;
    const peck_status st = output_check(o, err);

    output_abort(o);
    return st;
}
