/* write_cache.c -- the binary cache; read_cache.c lists its tensors.
 *
 * Features go to the file as they come.  The header, whose lengths are only known at the
 * end, is patched into the room left for it, and what is small waits in memory:
 *
 *     header | features | labels | weights | query_ids | U64 offsets | doc_ids | names
 *
 * Features start at a multiple of 64 bytes.  query_ids is filled up with zero bytes so
 * that the U64 tensors behind it stand on multiples of 8.                            */
#include "dataset.h"
#include "writer.h"

#include "../base/alloc.h"
#include "../base/tensors.h"

/* The names are ours and the numbers have at most 20 digits: the header always fits. */
enum { HEADER_ROOM = 4096, MOST_TENSORS = 12 };

/* A float or uint64_t array that grows. */
struct cache_column {
    void *value;
    size_t n, cap;
};

struct cache_writer {
    uint64_t n_docs, n_queries;
    struct cache_column label, doc_weight, query_weight; /* float */
    struct cache_column start, file_row;                 /* uint64_t */
    struct strings query_id, doc_id;
};

/* What goes behind the features: a tensor and its bytes. */
struct cache_parts {
    struct tensor tensor[MOST_TENSORS];
    const void *bytes[MOST_TENSORS];
    size_t n;
};

/* Leaves room for the header, whose lengths are known at the end. */
static peck_status open_cache(void *state, struct output *o, const struct layout *l,
                              peck_error *err)
{
    static const char blanks[HEADER_ROOM];

    (void)state;
    (void)l;
    if (!output_can_patch(o))
        return fail(
            err, PECK_ARG,
            "the cache needs a plain file of its own: write it without .gz or .zst, "
            "not to standard output, and compress it afterwards");
    output_write(o, blanks, sizeof blanks);
    return PECK_OK;
}

static bool append_values(struct cache_column *c, const void *values, size_t n, size_t size)
{
    if (!mem_reserve(&c->value, &c->cap, c->n + n, size))
        return false;
    memcpy((char *)c->value + c->n * size, values, n * size);
    c->n += n;
    return true;
}

/* Features go out, the rest waits. */
static peck_status write_cache_block(void *state, struct output *o, const struct layout *l,
                                     const struct query_block *b, peck_error *err)
{
    static const float one = 1.0f;
    struct cache_writer *const s = state;
    const size_t n = b->docs.n;
    bool fits = append_values(&s->start, &s->n_docs, 1, sizeof s->n_docs) &&
                append_values(&s->label, b->label, n, sizeof *b->label) &&
                strings_add(&s->query_id, b->query);

    if (b->docs.stride == l->dim)
        output_write(o, b->docs.x, n * l->dim * sizeof *b->docs.x);
    else
        for (size_t r = 0; r < n; r++)
            output_write(o, b->docs.x + r * b->docs.stride, l->dim * sizeof *b->docs.x);
    for (size_t i = 0; l->has_doc_ids && i < n && fits; i++)
        fits = strings_add(&s->doc_id, block_doc_id(b, i));
    for (size_t i = 0; l->has_doc_weights && i < n && fits; i++)
        fits =
            append_values(&s->doc_weight, b->doc_weight != NULL ? &b->doc_weight[i] : &one,
                          1, sizeof one);
    if (l->has_query_weights && fits)
        fits = append_values(&s->query_weight, &b->query_weight, 1, sizeof b->query_weight);
    if (l->has_file_rows && fits)
        fits = append_values(&s->file_row, b->file_row, n, sizeof *b->file_row);
    if (!fits)
        return fail_memory(err, "the cache's labels and ids", s->n_docs, sizeof(float));
    s->n_docs += n;
    s->n_queries++;
    return PECK_OK;
}

static void add_tensor_part(struct cache_parts *p, const char *name, enum tensor_type type,
                            uint64_t n, const void *bytes)
{
    p->tensor[p->n] =
        (struct tensor){ .name = span_of(name), .type = type, .n_dims = 1, .shape = { n } };
    p->bytes[p->n++] = bytes;
}

/* Of all strings together. */
static uint64_t bytes_in(const struct strings *s)
{
    return s->n > 0 ? s->at[s->n] : 0;
}

/* What goes behind the features, and the header in front of all.  Zero bytes end the query ids
 * on a multiple of 8.
 * Floats first, then numbers of 8 bytes on multiples of 8, then text: all stand where their
 * types may, so that a reader can use the mapped file as it is. */
static peck_status finish_cache(void *state, struct output *o, const struct layout *l,
                                peck_error *err)
{
    static const struct tensor_note notes[] = { { "format", CACHE_FORMAT },
                                                { "writer", "peck " PECK_VERSION } };
    struct cache_writer *const s = state;
    const struct strings *const names = l->feature_name;
    const bool has_names = names != NULL && names->n > 0;
    const uint64_t n = s->n_docs, n_queries = s->n_queries;
    const uint64_t floats = n * l->dim + s->label.n + s->doc_weight.n + s->query_weight.n;
    const uint64_t ids = bytes_in(&s->query_id);
    const uint64_t over = (floats * sizeof(float) + ids) % 8;
    struct text header;

    if (n == 0)
        return fail(err, PECK_ARG, "a cache without a document cannot be written");
    if (!append_values(&s->start, &n, 1, sizeof n))
        return fail_memory(err, "query offsets", n_queries, sizeof n);
    if (!strings_reserve(&s->query_id, 1, 8))
        return fail_memory(err, "query ids", ids, 1);
    memset(s->query_id.bytes + ids, 0, 8);
    struct cache_parts p = { .tensor[0] = { .name = span_of("features"),
                                            .type = TENSOR_F32,
                                            .n_dims = 2,
                                            .shape = { n, l->dim } },
                             .n = 1 };

    add_tensor_part(&p, "labels", TENSOR_F32, n, s->label.value);
    if (l->has_doc_weights)
        add_tensor_part(&p, "doc_weights", TENSOR_F32, n, s->doc_weight.value);
    if (l->has_query_weights)
        add_tensor_part(&p, "query_weights", TENSOR_F32, n_queries, s->query_weight.value);
    add_tensor_part(&p, "query_ids", TENSOR_U8, ids + (over > 0 ? 8 - over : 0),
                    s->query_id.bytes);
    add_tensor_part(&p, "query_offsets", TENSOR_U64, n_queries + 1, s->start.value);
    add_tensor_part(&p, "query_id_offsets", TENSOR_U64, n_queries + 1, s->query_id.at);
    if (l->has_file_rows)
        add_tensor_part(&p, "file_rows", TENSOR_U64, n, s->file_row.value);
    if (l->has_doc_ids)
        add_tensor_part(&p, "doc_id_offsets", TENSOR_U64, n + 1, s->doc_id.at);
    if (has_names)
        add_tensor_part(&p, "feature_name_offsets", TENSOR_U64, names->n + 1, names->at);
    if (l->has_doc_ids)
        add_tensor_part(&p, "doc_ids", TENSOR_U8, bytes_in(&s->doc_id), s->doc_id.bytes);
    if (has_names)
        add_tensor_part(&p, "feature_names", TENSOR_U8, bytes_in(names), names->bytes);
    text_init(&header, HEADER_ROOM);
    tensors_header(&header, p.tensor, p.n, notes, sizeof notes / sizeof *notes,
                   HEADER_ROOM);
    const bool fits = !header.failed;

    for (size_t i = 1; fits && i < p.n; i++)
        output_write(o, p.bytes[i], p.tensor[i].end - p.tensor[i].begin);
    if (fits)
        output_patch(o, 0, header.s, header.len);
    text_free(&header);
    return fits ? PECK_OK : fail_memory(err, "the cache's header", HEADER_ROOM, 1);
}

static void close_cache(void *state)
{
    struct cache_writer *const s = state;

    mem_free(s->label.value);
    mem_free(s->doc_weight.value);
    mem_free(s->query_weight.value);
    mem_free(s->start.value);
    mem_free(s->file_row.value);
    strings_free(&s->query_id);
    strings_free(&s->doc_id);
}

const struct writer_kind writer_cache = {
    .plug = { .about = { "cache", "the binary cache (safetensors), which opens at once",
                         "For data that is read more than once: .peckdata, .safetensors or "
                         ".cache.  Any safetensors library opens it too.  Needs a plain "
                         "file: neither compressed nor standard output." } },
    .endings = (const char *const[]){ CACHE_ENDINGS, NULL },
    .state_size = sizeof(struct cache_writer),
    .open = open_cache,
    .block = write_cache_block,
    .finish = finish_cache,
    .close = close_cache,
};
