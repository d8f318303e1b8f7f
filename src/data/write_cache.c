/* write_cache.c -- the binary cache; read_cache.c lists its tensors.
 *
 * Features go to the file as they come.  The header, whose lengths are only known at the
 * end, is patched into the room left for it, and what is small waits in memory:
 *
 *     header | features | labels | weights | query_ids | U64 offsets | doc_ids | names
 *
 * Features start at a multiple of 64 bytes.  query_ids is filled up with zero bytes so
 * that the U64 tensors behind it stand on multiples of 8.                            */
#include "cache.h"
#include "writer.h"

#include "../base/alloc.h"
#include "../base/tensors.h"

/* The names are ours and the numbers have at most 20 digits: the header always fits. */
enum { HEADER_ROOM = 4096, MOST_TENSORS = 12 };

/* A float or uint64_t array that grows. */
struct column {
    void *value;
    size_t n, cap;
};

struct state {
    uint64_t n_docs, n_queries;
    struct column label, doc_weight, query_weight; /* float */
    struct column start, file_row;                 /* uint64_t */
    struct strings query_id, doc_id;
};

/* What goes behind the features: a tensor and its bytes. */
struct part {
    struct tensor tensor[MOST_TENSORS];
    const void *bytes[MOST_TENSORS];
    size_t n;
};

static const char *const endings[] = { CACHE_ENDINGS, NULL };

static bool append(struct column *c, const void *values, size_t n, size_t size)
{
    if (!mem_reserve(&c->value, &c->cap, c->n + n, size))
        return false;
    memcpy((char *)c->value + c->n * size, values, n * size);
    c->n += n;
    return true;
}

static peck_status open(void *state, struct output *o, const struct layout *l,
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

static void write_rows(struct output *o, const struct rows *x)
{
    if (x->stride == x->dim) {
        output_write(o, x->x, x->n * x->dim * sizeof *x->x);
        return;
    }
    for (size_t r = 0; r < x->n; r++)
        output_write(o, x->x + r * x->stride, x->dim * sizeof *x->x);
}

static bool keep_ids(struct state *s, const struct block *b)
{
    for (size_t i = 0; i < b->docs.n; i++) {
        const peck_span none = { "", 0 };

        if (!strings_add(&s->doc_id, b->doc_id != NULL
                                         ? strings_get(b->doc_id, b->first_id + i)
                                         : none))
            return false;
    }
    return true;
}

static bool keep_weights(struct state *s, const struct block *b)
{
    static const float one = 1.0f;

    if (b->doc_weight != NULL)
        return append(&s->doc_weight, b->doc_weight, b->docs.n, sizeof one);
    for (size_t i = 0; i < b->docs.n; i++)
        if (!append(&s->doc_weight, &one, 1, sizeof one))
            return false;
    return true;
}

static peck_status block(void *state, struct output *o, const struct layout *l,
                         const struct block *b, peck_error *err)
{
    struct state *const s = state;

    write_rows(o, &b->docs);
    if (!append(&s->start, &s->n_docs, 1, sizeof s->n_docs) ||
        !append(&s->label, b->label, b->docs.n, sizeof *b->label) ||
        !strings_add(&s->query_id, b->query) || (l->has_doc_ids && !keep_ids(s, b)) ||
        (l->has_doc_weights && !keep_weights(s, b)) ||
        (l->has_query_weights &&
         !append(&s->query_weight, &b->query_weight, 1, sizeof b->query_weight)) ||
        (l->has_file_rows &&
         !append(&s->file_row, b->file_row, b->docs.n, sizeof *b->file_row)))
        return fail_memory(err, "the cache's labels and ids", s->n_docs, sizeof(float));
    s->n_docs += b->docs.n;
    s->n_queries++;
    return PECK_OK;
}

static void add_part(struct part *p, const char *name, enum tensor_type type, uint64_t n,
                     const void *bytes)
{
    p->tensor[p->n] =
        (struct tensor){ .name = span_of(name), .type = type, .n_dims = 1, .shape = { n } };
    p->bytes[p->n++] = bytes;
}

static uint64_t bytes_in(const struct strings *s)
{
    return s->n > 0 ? s->at[s->n] : 0;
}

/* Zero bytes behind the query ids, so that they end on a multiple of 8. */
static peck_status pad_query_ids(struct state *s, const struct layout *l, uint64_t *padded,
                                 peck_error *err)
{
    const uint64_t floats =
        s->n_docs * l->dim + s->label.n + s->doc_weight.n + s->query_weight.n;
    const uint64_t used = bytes_in(&s->query_id);
    const uint64_t over = (floats * sizeof(float) + used) % 8,
                   pad = over > 0 ? 8 - over : 0;

    if (!strings_reserve(&s->query_id, 1, 8))
        return fail_memory(err, "query ids", used, 1);
    memset(s->query_id.bytes + used, 0, 8);
    *padded = used + pad;
    return PECK_OK;
}

static void list_parts(struct part *p, const struct state *s, const struct layout *l,
                       uint64_t padded)
{
    const struct strings *const names = l->feature_name;
    const bool has_names = names != NULL && names->n > 0;

    p->n = 1;
    p->tensor[0] = (struct tensor){ .name = span_of("features"),
                                    .type = TENSOR_F32,
                                    .n_dims = 2,
                                    .shape = { s->n_docs, l->dim } };
    add_part(p, "labels", TENSOR_F32, s->n_docs, s->label.value);
    if (l->has_doc_weights)
        add_part(p, "doc_weights", TENSOR_F32, s->n_docs, s->doc_weight.value);
    if (l->has_query_weights)
        add_part(p, "query_weights", TENSOR_F32, s->n_queries, s->query_weight.value);
    add_part(p, "query_ids", TENSOR_U8, padded, s->query_id.bytes);
    add_part(p, "query_offsets", TENSOR_U64, s->n_queries + 1, s->start.value);
    add_part(p, "query_id_offsets", TENSOR_U64, s->n_queries + 1, s->query_id.at);
    if (l->has_file_rows)
        add_part(p, "file_rows", TENSOR_U64, s->n_docs, s->file_row.value);
    if (l->has_doc_ids)
        add_part(p, "doc_id_offsets", TENSOR_U64, s->n_docs + 1, s->doc_id.at);
    if (has_names)
        add_part(p, "feature_name_offsets", TENSOR_U64, names->n + 1, names->at);
    if (l->has_doc_ids)
        add_part(p, "doc_ids", TENSOR_U8, bytes_in(&s->doc_id), s->doc_id.bytes);
    if (has_names)
        add_part(p, "feature_names", TENSOR_U8, bytes_in(names), names->bytes);
}

static peck_status finish(void *state, struct output *o, const struct layout *l,
                          peck_error *err)
{
    static const struct tensor_note notes[] = { { "format", CACHE_FORMAT },
                                                { "writer", "peck " PECK_VERSION } };
    struct state *const s = state;
    struct part p = { 0 };
    struct text header;
    uint64_t padded = 0;

    if (s->n_docs == 0)
        return fail(err, PECK_ARG, "a cache without a document cannot be written");
    if (!append(&s->start, &s->n_docs, 1, sizeof s->n_docs))
        return fail_memory(err, "query offsets", s->n_queries, sizeof s->n_docs);
    TRY(pad_query_ids(s, l, &padded, err));
    list_parts(&p, s, l, padded);
    text_init(&header, HEADER_ROOM);
    tensors_header(&header, p.tensor, p.n, notes, sizeof notes / sizeof *notes,
                   HEADER_ROOM);
    if (header.failed) {
        text_free(&header);
        return fail_memory(err, "the cache's header", HEADER_ROOM, 1);
    }
    for (size_t i = 1; i < p.n; i++)
        output_write(o, p.bytes[i], p.tensor[i].end - p.tensor[i].begin);
    output_patch(o, 0, header.s, header.len);
    text_free(&header);
    return PECK_OK;
}

static void close(void *state)
{
    struct state *const s = state;

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
    .endings = endings,
    .state_size = sizeof(struct state),
    .open = open,
    .block = block,
    .finish = finish,
    .close = close,
};
