/* zip.c -- see zip.h.  A gzip file may hold several members, a zstd file several frames;
 * both are read to the end.  What follows the last one is refused: it would be lost
 * without a word.  Zero bytes behind gzip data are padding, as gzip has it.           */
#include "zip.h"

#include "alloc.h"

#include <string.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

enum { PIECE = 1 << 18 }; /* bytes packed at a time */

enum zip zip_of_magic(const char *data, size_t n)
{
    if (n >= 2 && memcmp(data, "\x1f\x8b", 2) == 0)
        return ZIP_GZIP;
    if (n >= 4 && memcmp(data, "\x28\xb5\x2f\xfd", 4) == 0)
        return ZIP_ZSTD;
    return ZIP_NONE;
}

static bool ends_with(const char *path, const char *ending)
{
    const size_t n = strlen(path), k = strlen(ending);

    return n > k && strcmp(path + n - k, ending) == 0;
}

enum zip zip_of_name(const char *path)
{
    return ends_with(path, ".gz")    ? ZIP_GZIP
           : ends_with(path, ".zst") ? ZIP_ZSTD
                                     : ZIP_NONE;
}

size_t zip_stem(const char *path)
{
    static const size_t ending[] = { [ZIP_NONE] = 0, [ZIP_GZIP] = 3, [ZIP_ZSTD] = 4 };

    return strlen(path) - ending[zip_of_name(path)];
}

/* Unpacking ----------------------------------------------------------------------- */

struct unpacked {
    char *block;
    size_t n, cap, padding;
    const char *name;
    peck_error *err;
};

/* Room for more output: at least a piece, and doubling. */
static peck_status make_unzip_room(struct unpacked *u)
{
    if (mem_reserve(&u->block, &u->cap, u->n + PIECE + u->padding, 1))
        return PECK_OK;
    return fail_memory(u->err, u->name, u->cap, 2);
}

static size_t unzip_room(const struct unpacked *u)
{
    return u->cap - u->n - u->padding;
}

static peck_status cut_off(const struct unpacked *u, const char *kind)
{
    return fail(u->err, PECK_FORMAT, "%s: the %s data is cut off; copy the file again",
                u->name, kind);
}

static peck_status damaged(const struct unpacked *u, const char *kind, const char *why)
{
    return fail(u->err, PECK_FORMAT, "%s: the %s data is damaged (%s); copy the file again",
                u->name, kind, why != NULL ? why : "unknown reason");
}

static peck_status trailing(const struct unpacked *u, const char *kind, size_t n)
{
    return fail(u->err, PECK_FORMAT,
                "%s: its %s data ends %zu byte%s before the file does; pack the file again",
                u->name, kind, n, n == 1 ? "" : "s");
}

/* avail_in and avail_out are 32 bits wide, so both sides go in pieces. */
static peck_status unpack_gzip(struct unpacked *u, const char *data, size_t n)
{
    enum { MOST = 1 << 30 };
    z_stream z = { 0 };
    size_t at = 0;
    peck_status st = PECK_OK;
    bool is_done = false;

    if (inflateInit2(&z, 15 + 16) != Z_OK)
        return fail_memory(u->err, u->name, 1 << 16, 1);
    while (st == PECK_OK && !is_done && (st = make_unzip_room(u)) == PECK_OK) {
        const size_t feed = n - at < MOST ? n - at : MOST;
        const size_t take = unzip_room(u) < MOST ? unzip_room(u) : MOST;

        z.next_in = (Bytef *)(uintptr_t)(data + at);
        z.avail_in = (uInt)feed;
        z.next_out = (Bytef *)u->block + u->n;
        z.avail_out = (uInt)take;
        const int rc = inflate(&z, Z_NO_FLUSH);

        at += feed - z.avail_in;
        u->n += take - z.avail_out;
        const char *const rest = data + at;

        if (rc == Z_STREAM_END)
            is_done = at == n ||
                      (rest[0] == 0 && memcmp(rest, rest + 1, n - at - 1) == 0); /* zeros */
        if (rc == Z_MEM_ERROR)
            st = fail_memory(u->err, u->name, u->cap, 1);
        else if (rc == Z_STREAM_END && !is_done && zip_of_magic(rest, n - at) != ZIP_GZIP)
            st = trailing(u, "gzip", n - at);
        else if ((rc == Z_STREAM_END && !is_done && inflateReset(&z) != Z_OK) ||
                 (rc != Z_OK && rc != Z_STREAM_END && rc != Z_BUF_ERROR))
            st = damaged(u, "gzip", z.msg);
        else if (!is_done && at == n && z.avail_out > 0)
            st = cut_off(u, "gzip");
    }
    inflateEnd(&z);
    return st;
}

/* Behind a frame may follow another one, of data or to be skipped (magic numbers 0x184D2A50 to
 * 0x184D2A5F). */
static peck_status unpack_zstd(struct unpacked *u, const char *data, size_t n)
{
    ZSTD_DStream *const z = ZSTD_createDStream();
    ZSTD_inBuffer in = { data, n, 0 };
    peck_status st = PECK_OK;
    size_t left = 1; /* 0: a frame is complete */

    if (z == NULL)
        return fail_memory(u->err, u->name, 1 << 17, 1);
    while (st == PECK_OK && (in.pos < in.size || left > 0)) {
        if ((st = make_unzip_room(u)) != PECK_OK)
            break;
        ZSTD_outBuffer out = { u->block + u->n, unzip_room(u), 0 };

        left = ZSTD_decompressStream(z, &out, &in);
        u->n += out.pos;
        const char *const next = data + in.pos;
        const size_t rest = in.size - in.pos;
        const bool is_skipped = rest >= 4 && ((unsigned char)next[0] & 0xF0) == 0x50 &&
                                memcmp(next + 1, "\x2a\x4d\x18", 3) == 0;

        if (ZSTD_getErrorCode(left) == ZSTD_error_memory_allocation)
            st = fail_memory(u->err, u->name, u->cap, 1);
        else if (ZSTD_isError(left))
            st = damaged(u, "zstd", ZSTD_getErrorName(left));
        else if (left > 0 && rest == 0 && out.pos < out.size)
            st = cut_off(u, "zstd");
        else if (left == 0 && rest > 0 && !is_skipped &&
                 zip_of_magic(next, rest) != ZIP_ZSTD)
            st = trailing(u, "zstd", rest);
    }
    ZSTD_freeDStream(z);
    return st;
}

peck_status zip_unpack(enum zip kind, const char *data, size_t n, size_t padding,
                       const char *name, char **block, size_t *size, peck_error *err)
{
    struct unpacked u = { .padding = padding, .name = name, .err = err };
    const peck_status st =
        kind == ZIP_GZIP ? unpack_gzip(&u, data, n) : unpack_zstd(&u, data, n);

    if (st != PECK_OK) {
        mem_free(u.block);
        return st;
    }
    memset(u.block + u.n, 0, padding);
    *block = u.block;
    *size = u.n;
    return PECK_OK;
}

size_t zip_unpack_head(enum zip kind, const char *data, size_t n, char *to, size_t room)
{
    if (kind == ZIP_GZIP) {
        z_stream z = { .next_in = (Bytef *)(uintptr_t)data,
                       .avail_in = (uInt)n,
                       .next_out = (Bytef *)to,
                       .avail_out = (uInt)room };

        if (inflateInit2(&z, 15 + 16) != Z_OK)
            return 0;
        const int rc = inflate(&z, Z_SYNC_FLUSH);

        inflateEnd(&z);
        return rc == Z_OK || rc == Z_STREAM_END || rc == Z_BUF_ERROR ? room - z.avail_out
                                                                     : 0;
    }
    ZSTD_DStream *const z = ZSTD_createDStream();
    ZSTD_inBuffer in = { data, n, 0 };
    ZSTD_outBuffer out = { to, room, 0 };
    size_t left = 1;

    while (z != NULL && left > 0 && !ZSTD_isError(left) && in.pos < in.size &&
           out.pos < out.size)
        left = ZSTD_decompressStream(z, &out, &in);
    ZSTD_freeDStream(z);
    return ZSTD_isError(left) ? 0 : out.pos;
}

/* Packing ------------------------------------------------------------------------- */

struct zip_packer {
    enum zip kind;
    z_stream gzip;
    ZSTD_CStream *zstd;
    unsigned char out[PIECE];
};

struct zip_packer *zip_packer_new(enum zip kind)
{
    struct zip_packer *const z = mem_new(1, sizeof *z);

    if (z == NULL)
        return NULL;
    z->kind = kind;
    if (kind == ZIP_GZIP &&
        deflateInit2(&z->gzip, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
        mem_free(z);
        return NULL;
    }
    if (kind == ZIP_ZSTD && (z->zstd = ZSTD_createCStream()) == NULL) {
        mem_free(z);
        return NULL;
    }
    return z;
}

/* At most 2^30 bytes at once: zlib counts in 32 bits. */
bool zip_pack(struct zip_packer *z, const void *bytes, size_t n, bool last,
              bool (*sink)(void *ctx, const void *bytes, size_t n), void *ctx)
{
    ZSTD_inBuffer in = { bytes, n, 0 };
    const bool is_gzip = z->kind == ZIP_GZIP;
    bool has_more;

    z->gzip.next_in = (Bytef *)(uintptr_t)bytes;
    z->gzip.avail_in = (uInt)n;
    do {
        ZSTD_outBuffer out = { z->out, PIECE, 0 };

        if (is_gzip) {
            z->gzip.next_out = z->out;
            z->gzip.avail_out = PIECE;
            if (deflate(&z->gzip, last ? Z_FINISH : Z_NO_FLUSH) == Z_STREAM_ERROR)
                return false;
            out.pos = PIECE - z->gzip.avail_out;
            has_more = z->gzip.avail_out == 0;
        } else {
            const size_t left = ZSTD_compressStream2(z->zstd, &out, &in,
                                                     last ? ZSTD_e_end : ZSTD_e_continue);

            if (ZSTD_isError(left))
                return false;
            has_more = last ? left > 0 : in.pos < in.size;
        }
        if (!sink(ctx, z->out, out.pos))
            return false;
    } while (has_more);
    return true;
}

void zip_packer_free(struct zip_packer *z)
{
    if (z == NULL)
        return;
    if (z->kind == ZIP_GZIP)
        deflateEnd(&z->gzip);
    ZSTD_freeCStream(z->zstd);
    mem_free(z);
}
