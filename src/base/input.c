/* input.c -- see input.h. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS, madvise */
#include "input.h"

#include "alloc.h"
#include "zip.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SMALL = 1 << 20 };        /* bytes up to which a file is read, not mapped */
enum { BOUNDARY = 64 };          /* of tensors in a file */
enum { HEAD = 4096, ZEROS = 8 }; /* so many zero bytes in the head: no text */

/* Maps the file over the head of a larger zeroed mapping, so that the bytes after its
 * end can be read even when its size is a whole number of pages. */
static peck_status map_file(struct input *in, int fd, size_t size, peck_error *err)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const size_t whole = (size + page - 1) / page * page + page;
    char *const base = mmap(NULL, whole, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (base == MAP_FAILED)
        return fail_memory(err, in->name, whole, 1);
    if (mmap(base, size, PROT_READ, MAP_PRIVATE | MAP_FIXED, fd, 0) == MAP_FAILED) {
        munmap(base, whole);
        return fail(err, PECK_IO, "%s: cannot map it: %s", in->name, strerror(errno));
    }
    in->data = base;
    in->size = size;
    in->block = base;
    in->block_size = whole;
    in->is_mapped = true;
    return PECK_OK;
}

/* Over `size` bytes of a mapping, from `to` on. */
static peck_status map_over(char *to, const struct input_file *file, peck_error *err)
{
    const int fd = open(file->path, O_RDONLY | O_CLOEXEC);
    struct stat st;

    if (fd < 0)
        return fail(err, PECK_IO, "%s: cannot open it: %s", file->path, strerror(errno));
    const bool is_same = fstat(fd, &st) == 0 && (uint64_t)st.st_size == file->size;
    const bool is_mapped = is_same && mmap(to, file->size, PROT_READ,
                                           MAP_PRIVATE | MAP_FIXED, fd, 0) != MAP_FAILED;
    const int why = errno;

    close(fd);
    return is_mapped ? PECK_OK
           : is_same
               ? fail(err, PECK_IO, "%s: cannot map it: %s", file->path, strerror(why))
               : input_changed(&(struct input){ .name = file->path }, err);
}

/* Distances are multiples of the page and of unit: of page * unit / their largest common
 * divisor. */
peck_status input_map_files(struct input *in, struct input_file *file, size_t n,
                            size_t unit, peck_error *err)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t common = page, rest = unit, whole = 0;
    peck_status st = PECK_OK;

    while (rest > 0) {
        const size_t next = common % rest;

        common = rest;
        rest = next;
    }
    const size_t step = page / common * unit;

    for (size_t i = 0; i < n; i++) {
        file[i].at = whole;
        whole += (file[i].size + step - 1) / step * step;
    }
    *in = (struct input){ .name = file[0].path };
    char *const base =
        mmap(NULL, whole, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (base == MAP_FAILED)
        return fail_memory(err, in->name, whole, 1);
    for (size_t i = 0; i < n && st == PECK_OK; i++)
        st = map_over(base + file[i].at, &file[i], err);
    if (st != PECK_OK) {
        munmap(base, whole);
        return st;
    }
    in->data = in->block = base;
    in->size = in->block_size = whole;
    in->is_mapped = true;
    return PECK_OK;
}

/* For what is not worth mapping, and what cannot be mapped: pipes, terminals, /proc files. */
static peck_status read_whole(struct input *in, int fd, peck_error *err)
{
    char *block = NULL;
    size_t cap = 0, n = 0;

    for (;;) {
        if (!mem_reserve(&block, &cap, n + (1 << 16) + INPUT_PADDING + BOUNDARY, 1)) {
            mem_free(block);
            return fail_memory(err, in->name, n, 2);
        }
        const ssize_t got = read(fd, block + n, cap - n - INPUT_PADDING - BOUNDARY);

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0) {
            const int why = errno;

            mem_free(block);
            return fail(err, PECK_IO, "%s: cannot read it: %s", in->name, strerror(why));
        }
        if (got == 0)
            break;
        n += (size_t)got;
    }
    /* A small cache lies on the boundaries that a mapped one would. */
    const size_t shift = n <= SMALL ? -(uintptr_t)block % BOUNDARY : 0;

    memmove(block + shift, block, n);
    memset(block + shift + n, 0, INPUT_PADDING);
    in->data = block + shift;
    in->block = block;
    in->size = n;
    return PECK_OK;
}

/* What is packed becomes what it holds. */
static peck_status unpack_input(struct input *in, peck_error *err)
{
    const enum zip kind = zip_of_magic(in->data, in->size);
    struct input plain = { .name = in->name };
    char *block = NULL;

    if (kind == ZIP_NONE)
        return PECK_OK;
    TRY(zip_unpack(kind, in->data, in->size, INPUT_PADDING, in->name, &block, &plain.size,
                   err));
    plain.data = plain.block = block;
    input_close(in);
    *in = plain;
    return PECK_OK;
}

static peck_status load_file(struct input *in, int fd, peck_error *err)
{
    struct stat st;

    if (fstat(fd, &st) != 0)
        return fail(err, PECK_IO, "%s: %s", in->name, strerror(errno));
    if (S_ISDIR(st.st_mode))
        return fail(err, PECK_IO, "%s: is a directory; name a file in it", in->name);
    /* Standard input may be a file that somebody has read the head of. */
    if (S_ISREG(st.st_mode) && st.st_size > SMALL && lseek(fd, 0, SEEK_CUR) == 0)
        TRY(map_file(in, fd, (size_t)st.st_size, err));
    else
        TRY(read_whole(in, fd, err));
    return unpack_input(in, err);
}

peck_status input_open(struct input *in, const char *path, peck_error *err)
{
    const bool is_stdin = strcmp(path, "-") == 0;
    const int fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);

    *in = (struct input){ .name = is_stdin ? "standard input" : path };
    if (fd < 0)
        return fail(err, PECK_IO, "%s: cannot open it: %s%s", path, strerror(errno),
                    errno == ENOENT ? "; check the name" : "");
    const peck_status st = load_file(in, fd, err);

    if (!is_stdin)
        close(fd);
    if (st != PECK_OK)
        input_close(in);
    return st;
}

peck_status input_of_memory(struct input *in, const void *bytes, size_t n, const char *name,
                            peck_error *err)
{
    char *const block = n < SIZE_MAX / 2 ? mem_new(n + BOUNDARY + INPUT_PADDING, 1) : NULL;

    *in = (struct input){ .name = name };
    if (block == NULL)
        return fail_memory(err, name, n, 1);
    in->block = block;
    in->data = block + -(uintptr_t)block % BOUNDARY;
    in->size = n;
    if (n > 0)
        memcpy(block + (in->data - block), bytes, n);
    const peck_status st = unpack_input(in, err);

    if (st != PECK_OK)
        input_close(in);
    return st;
}

void input_close(struct input *in)
{
    if (in->is_mapped)
        munmap(in->block, in->block_size);
    else
        mem_free(in->block);
    *in = (struct input){ 0 };
}

/* A fault brings the pages around it too, those of a whole folio of the page cache: up to
 * AROUND bytes, aligned in the file, and on some kernels the block of memory that they lie in.
 * What is forgotten is all of that.  Failing does no harm. */
void input_forget(const struct input *in, const void *from, size_t n)
{
    enum { AROUND = 1 << 21, BLOCK = 1 << 16 }; /* bytes */
    const uintptr_t base = (uintptr_t)in->block, at = (uintptr_t)from;

    if (!in->is_mapped || at < base || at >= base + in->size || n > in->size - (at - base))
        return;
    const uintptr_t first = (base + (at - base) / AROUND * AROUND) / BLOCK * BLOCK;
    const uintptr_t last = base + (at - base + n + AROUND - 1) / AROUND * AROUND;
    const uintptr_t until = (last + BLOCK - 1) / BLOCK * BLOCK;
    const uintptr_t begin = first > base ? first : base;
    const uintptr_t end = until < base + in->block_size ? until : base + in->block_size;

    madvise((void *)begin, end - begin, MADV_DONTNEED);
}

void input_scatter(const struct input *in, bool is_scattered)
{
    if (in->is_mapped)
        madvise(in->block, in->block_size, is_scattered ? MADV_RANDOM : MADV_NORMAL);
}

void input_expect(const struct input *in, const void *from, size_t n)
{
    const uintptr_t base = (uintptr_t)in->block, at = (uintptr_t)from;
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);

    if (in->is_mapped && at >= base && at < base + in->size && n <= in->size - (at - base))
        madvise((void *)(at / page * page), at % page + n, MADV_WILLNEED);
}

void pages_add(struct read_pages *p, const struct input *in, const void *from, size_t n)
{
    enum { MANY = 1 << 20 }; /* bytes */
    const char *const begin = from, *const end = begin + n;

    if (in == NULL || !in->is_mapped || n == 0)
        return;
    p->begin = p->begin == NULL || begin < p->begin ? begin : p->begin;
    p->end = p->end == NULL || end > p->end ? end : p->end;
    p->n += n;
    if (p->n >= MANY)
        pages_forget(p, in);
}

void pages_forget(struct read_pages *p, const struct input *in)
{
    if (p->begin != NULL)
        input_forget(in, p->begin, (size_t)(p->end - p->begin));
    *p = (struct read_pages){ 0 };
}

peck_status input_changed(const struct input *in, peck_error *err)
{
    return fail(err, PECK_IO,
                "%s: was changed while it was being read; read it again when it is whole",
                in->name);
}

/* A safetensors file has the length of its header in front of that. */
const char *input_own_kind(const char *head, size_t n)
{
    enum { PREFIX = 8 };
    static const struct {
        const char *format, *kind;
    } known[] = { { "\"peck model ", "model" },
                  { "\"peck committee ", "model" },
                  { "\"peck data ", "cache" },
                  { "\"peck checkpoint ", "checkpoint" } };

    n = n < HEAD ? n : HEAD;
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        const size_t length = strlen(known[k].format);

        for (size_t i = PREFIX; i + length <= n && head[PREFIX] == '{'; i++)
            if (memcmp(head + i, known[k].format, length) == 0)
                return known[k].kind;
    }
    return NULL;
}

const char *input_other_kind(const char *head, size_t n, const char **advice)
{
    static const char as_csv[] = "write CSV or TSV from it";
    static const char elsewhere[] =
        "score with that program, and judge with `peck eval DATA --scores FILE`";
    static const char unpack[] = "unpack it first, or pack it with gzip or zstd";
    static const struct {
        const char *bytes, *kind, *advice;
    } known[] = { { "PAR1", "a Parquet file", as_csv },
                  { "ARROW1", "an Arrow file", as_csv },
                  { "\x93NUMPY", "a NumPy array", as_csv },
                  { "\x89HDF", "an HDF5 file", as_csv },
                  { "SQLite format 3", "a SQLite database", as_csv },
                  { "PK\3\4", "a ZIP archive, as Excel files are",
                    "unpack it, or save the table as CSV" },
                  { "BZh", "packed by bzip2", unpack },
                  { "\xFD"
                    "7zXZ",
                    "packed by xz", unpack },
                  { "%PDF", "a PDF file", as_csv },
                  { "\x80\3", "a Python pickle", as_csv },
                  { "\x80\4", "a Python pickle", as_csv },
                  { "\x80\5", "a Python pickle", as_csv },
                  { "tree\nversion=", "a LightGBM model", elsewhere },
                  { "## LambdaMART\n", "a RankLib model", elsewhere },
                  { "## RankNet\n", "a RankLib model", elsewhere },
                  { "## Coordinate Ascent\n", "a RankLib model", elsewhere },
                  { "## AdaRank\n", "a RankLib model", elsewhere },
                  { "## ListNet\n", "a RankLib model", elsewhere },
                  { "## Random Forests\n", "a RankLib model", elsewhere },
                  { "{\"learner\"", "an XGBoost model", elsewhere },
                  { "{\"version\"", "an XGBoost model", elsewhere },
                  { "CBM1", "a CatBoost model", elsewhere },
                  { "{", "JSON", as_csv },
                  { "<", "HTML or XML", as_csv } };

    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        const size_t length = strlen(known[k].bytes);

        if (n < length || memcmp(head, known[k].bytes, length) != 0)
            continue;
        if (advice != NULL)
            *advice = known[k].advice;
        return known[k].kind;
    }
    return NULL;
}

peck_status input_blame(const struct input *in, peck_status st, peck_error *err)
{
    const size_t head = in->size < HEAD ? in->size : HEAD;
    const char *advice = NULL;
    size_t n_zeros = 0;

    if (st != PECK_FORMAT)
        return st;
    const char *const own = input_own_kind(in->data, head);
    const char *const other = input_other_kind(in->data, head, &advice);

    if (own != NULL && strcmp(own, "cache") != 0)
        return fail(err, PECK_FORMAT,
                    "%s: is a %s, and another kind of file belongs here; look at the order "
                    "of the files",
                    in->name, own);
    if (other != NULL)
        return fail(err, PECK_FORMAT, "%s: is %s, which is not read here; %s", in->name,
                    other, advice);
    for (size_t i = 0; i < head; i++)
        n_zeros += in->data[i] == '\0';
    if (n_zeros < ZEROS)
        return st;
    return fail(err, PECK_FORMAT,
                "%s: is not text but binary data, or UTF-16; give plain text (UTF-8)",
                in->name);
}

bool input_exists(const char *path)
{
    return access(path, R_OK) == 0;
}

/* Up to `room` bytes from where the file stands. */
static size_t read_some(int fd, char *to, size_t room)
{
    size_t n = 0;

    while (n < room) {
        const ssize_t got = read(fd, to + n, room - n);

        if (got == 0 || (got < 0 && errno != EINTR))
            break;
        n += got > 0 ? (size_t)got : 0;
    }
    return n;
}

/* zstd unpacks whole blocks, of up to 128 KiB: so much must be there. */
size_t input_head(const char *path, char *to, size_t room)
{
    struct stat st;

    /* Looked at before it is opened: opening a FIFO waits for its writer. */
    if (strcmp(path, "-") == 0 || stat(path, &st) != 0 || !S_ISREG(st.st_mode) ||
        st.st_size == 0)
        return 0;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);

    to[0] = '\0';
    if (fd < 0)
        return 1;
    enum { PACKED = 1 << 18 };
    size_t n = read_some(fd, to, room);
    const enum zip kind = zip_of_magic(to, n);

    if (kind != ZIP_NONE) {
        char *const packed = mem_new(PACKED, 1);

        n = 0;
        if (packed != NULL && lseek(fd, 0, SEEK_SET) == 0)
            n = zip_unpack_head(kind, packed, read_some(fd, packed, PACKED), to, room);
        mem_free(packed);
        to[0] = n > 0 ? to[0] : '\0';
        n = n > 0 ? n : 1; /* what is damaged may not be read either */
    }
    close(fd);
    return n;
}

struct lines lines_of(const struct input *in)
{
    static const char mark[] = "\xEF\xBB\xBF"; /* UTF-8's byte order mark */
    const bool is_marked = in->size >= 3 && memcmp(in->data, mark, 3) == 0;

    return (struct lines){ in->data + (is_marked ? 3 : 0), in->data + in->size, 0 };
}

bool lines_next(struct lines *l, peck_span *line)
{
    if (l->p >= l->end)
        return false;
    const char *const nl = memchr(l->p, '\n', (size_t)(l->end - l->p));
    const char *const stop = nl != NULL ? nl : l->end;

    *line = (peck_span){ l->p, (size_t)(stop - l->p) };
    l->p = nl != NULL ? nl + 1 : l->end;
    l->number++;
    return true;
}
