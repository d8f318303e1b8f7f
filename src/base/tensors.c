/* tensors.c -- see tensors.h.  The rules are those of the safetensors format: header at
 * most 100 MB, names once, offsets inside the file, without gap or overlap, each length
 * equal to shape times element size.                                                  */
#include "tensors.h"

#include "alloc.h"
#include "number.h"
#include "sort.h"

enum { PREFIX = 8 };

static const struct {
    const char *name;
    size_t size;
} types[] = {
    [TENSOR_BOOL] = { "BOOL", 1 },       [TENSOR_U8] = { "U8", 1 },
    [TENSOR_I8] = { "I8", 1 },           [TENSOR_F8_E5M2] = { "F8_E5M2", 1 },
    [TENSOR_F8_E4M3] = { "F8_E4M3", 1 }, [TENSOR_U16] = { "U16", 2 },
    [TENSOR_I16] = { "I16", 2 },         [TENSOR_F16] = { "F16", 2 },
    [TENSOR_BF16] = { "BF16", 2 },       [TENSOR_U32] = { "U32", 4 },
    [TENSOR_I32] = { "I32", 4 },         [TENSOR_F32] = { "F32", 4 },
    [TENSOR_U64] = { "U64", 8 },         [TENSOR_I64] = { "I64", 8 },
    [TENSOR_F64] = { "F64", 8 },
};
enum { N_TYPES = sizeof types / sizeof *types };

size_t tensor_type_size(enum tensor_type type)
{
    return types[type].size;
}

bool tensor_is_aligned(const struct tensor *t)
{
    return (uintptr_t)t->data % types[t->type].size == 0;
}

/* Bytes of a tensor of this shape; false when the number does not fit. */
static bool tensor_bytes(const struct tensor *t, uint64_t *bytes)
{
    uint64_t n = types[t->type].size;

    for (size_t i = 0; i < t->n_dims; i++)
        if (__builtin_mul_overflow(n, t->shape[i], &n))
            return false;
    *bytes = n;
    return true;
}

static peck_status refuse_tensor(const struct tensors *t, peck_span name, const char *why,
                                 peck_error *err)
{
    return fail(err, PECK_FORMAT, "%s: tensor '%.*s': %s; the file is damaged", t->name,
                SPAN_ARGS(name), why);
}

/* Up to max numbers of an array. */
static bool take_numbers(uint64_t *to, size_t *n, size_t max, const struct json_node *v)
{
    if (v->type != JSON_ARRAY || v->n_inside > max)
        return false;
    const struct json_node *item = json_first(v);

    *n = v->n_inside;
    for (size_t i = 0; i < *n; i++, item = json_next(item))
        if (!json_u64(item, &to[i]))
            return false;
    return true;
}

static peck_status take_tensor(struct tensors *t, struct tensor *to, peck_span name,
                               const struct json_node *v, peck_error *err)
{
    const struct json_node *const type = json_get(v, "dtype");
    const struct json_node *const shape = json_get(v, "shape");
    const struct json_node *const range = json_get(v, "data_offsets");
    uint64_t offset[2], bytes;
    size_t n_offsets, i = 0;

    *to = (struct tensor){ .name = name };
    if (type == NULL || shape == NULL || range == NULL || v->n_inside != 3)
        return refuse_tensor(t, name, "it needs dtype, shape and data_offsets alone", err);
    while (i < N_TYPES &&
           (type->type != JSON_STRING || !span_is(type->text, types[i].name)))
        i++;
    if (i == N_TYPES)
        return refuse_tensor(t, name, "its dtype is unknown", err);
    to->type = (enum tensor_type)i;
    if (!take_numbers(to->shape, &to->n_dims, TENSOR_MAX_DIMS, shape))
        return refuse_tensor(t, name, "its shape is no list of up to 8 lengths", err);
    if (!take_numbers(offset, &n_offsets, 2, range) || n_offsets != 2)
        return refuse_tensor(t, name, "its data_offsets are no pair of numbers", err);
    if (offset[0] > offset[1])
        return refuse_tensor(t, name, "it ends before it begins", err);
    if (!tensor_bytes(to, &bytes) || bytes != offset[1] - offset[0])
        return refuse_tensor(t, name, "its length does not match its shape", err);
    to->begin = offset[0];
    to->end = offset[1];
    return PECK_OK;
}

/* Of a key that comes twice the first text counts. */
static peck_status take_metadata(struct tensors *t, peck_error *err)
{
    const struct json_node *v = t->metadata;

    if (v->type != JSON_OBJECT)
        return fail(err, PECK_FORMAT, "%s: __metadata__ is no object; the file is damaged",
                    t->name);
    if ((t->note = mem_new(v->n_inside, sizeof *t->note)) == NULL)
        return fail_memory(err, t->name, v->n_inside, sizeof *t->note);
    const struct json_node *key = json_first(v);

    for (uint32_t i = 0; i < v->n_inside; i++, key = json_next(json_next(key))) {
        const struct json_node *const text = json_next(key);

        if (text->type != JSON_STRING)
            return fail(err, PECK_FORMAT, "%s: __metadata__ '%.*s' is no text", t->name,
                        SPAN_ARGS(key->text));
        const int64_t at = index_put(&t->note_key, key->text);

        if (at == INDEX_FULL)
            return fail_memory(err, t->name, v->n_inside, sizeof *t->note);
        if (t->note[at] == NULL)
            t->note[at] = text;
    }
    return PECK_OK;
}

static void sort_by(struct sort_item *item, size_t n, const struct tensor *tensor, bool end)
{
    for (size_t i = 0; i < n; i++)
        item[i].key = end ? tensor[item[i].from].end : tensor[item[i].from].begin;
    sort_items(item, n, item + n);
}

/* Every byte of the data part belongs to exactly one tensor. */
static peck_status check_tiling(const struct tensors *t, uint64_t size, peck_error *err)
{
    struct sort_item *const item = mem_new(2 * t->n, sizeof *item);
    peck_status st = PECK_OK;
    uint64_t reached = 0;

    if (item == NULL)
        return fail_memory(err, t->name, 2 * t->n, sizeof *item);
    for (size_t i = 0; i < t->n; i++)
        item[i].from = (uint32_t)i;
    sort_by(item, t->n, t->tensor, true); /* so that empty ones come first */
    sort_by(item, t->n, t->tensor, false);
    for (size_t i = 0; i < t->n && st == PECK_OK; i++) {
        const struct tensor *const now = &t->tensor[item[i].from];

        if (now->begin != reached)
            st = refuse_tensor(t, now->name, "it does not follow the one before it", err);
        else if (now->end > size)
            st = refuse_tensor(t, now->name, "it ends behind the end of the file", err);
        reached = now->end;
    }
    if (st == PECK_OK && reached != size)
        st = fail(err, PECK_FORMAT,
                  "%s: %llu bytes of data where its header names %llu; the file is damaged",
                  t->name, (unsigned long long)size, (unsigned long long)reached);
    mem_free(item);
    return st;
}

static peck_status read_tensors_header(struct tensors *t, const struct input *in,
                                       size_t length, peck_error *err)
{
    TRY(json_parse(&t->header, (peck_span){ in->data + PREFIX, length }, in->name, err));
    const struct json_node *const root = t->header.node;

    if (root->type != JSON_OBJECT)
        return fail(err, PECK_FORMAT, "%s: its header is no JSON object", in->name);
    if ((t->tensor = mem_new(root->n_inside, sizeof *t->tensor)) == NULL)
        return fail_memory(err, in->name, root->n_inside, sizeof *t->tensor);
    const struct json_node *key = json_first(root), *value;

    for (uint32_t i = 0; i < root->n_inside; i++, key = json_next(value)) {
        value = json_next(key);
        if (span_is(key->text, "__metadata__")) {
            if (t->metadata != NULL)
                return refuse_tensor(t, key->text, "it comes twice", err);
            t->metadata = value;
            TRY(take_metadata(t, err));
            continue;
        }
        const int64_t at = index_put(&t->index, key->text);

        if (at == INDEX_FULL)
            return fail_memory(err, t->name, t->n, sizeof *t->tensor);
        if ((size_t)at != t->n)
            return refuse_tensor(t, key->text, "it comes twice", err);
        TRY(take_tensor(t, &t->tensor[t->n++], key->text, value, err));
    }
    TRY(check_tiling(t, in->size - PREFIX - length, err));
    for (size_t i = 0; i < t->n; i++)
        t->tensor[i].data = in->data + PREFIX + length + t->tensor[i].begin;
    return PECK_OK;
}

bool tensors_sniff(const struct input *in)
{
    return in->size >= PREFIX + 2 && load8(in->data) <= TENSORS_MAX_HEADER &&
           in->data[PREFIX] == '{';
}

peck_status tensors_open(struct tensors *out, const struct input *in, peck_error *err)
{
    const uint64_t asked = in->size >= PREFIX + 2 ? load8(in->data) : 0;
    const bool fits = asked <= TENSORS_MAX_HEADER && asked + PREFIX <= in->size;
    const size_t length = fits ? (size_t)asked : 0;

    *out = (struct tensors){ .name = in->name, .prefix = "" };
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    return fail(err, PECK_UNSUPPORTED, "%s: needs a little-endian machine", in->name);
#endif
    if (length < 2 || in->data[PREFIX] != '{')
        return fail(err, PECK_FORMAT, "%s: %s; write it again", in->name,
                    in->size == 0 ? "is empty"
                                  : "not a safetensors file, or one that was cut off");
    const peck_status st = read_tensors_header(out, in, length, err);

    if (st != PECK_OK)
        tensors_close(out);
    return st;
}

void tensors_close(struct tensors *t)
{
    json_free(&t->header);
    index_free(&t->index);
    index_free(&t->note_key);
    mem_free(t->note);
    mem_free(t->tensor);
    *t = (struct tensors){ 0 };
}

/* A name behind a prefix (NULL: none), in `room` where there is one; what has a prefix is
 * short. */
enum { TENSOR_NAME_ROOM = 128 };
static const char *tensor_name(char room[TENSOR_NAME_ROOM], const char *prefix,
                               const char *name)
{
    if (prefix == NULL || prefix[0] == '\0')
        return name;
    snprintf(room, TENSOR_NAME_ROOM, "%s%s", prefix, name);
    return room;
}

const struct tensor *tensors_find(const struct tensors *t, const char *name)
{
    char room[TENSOR_NAME_ROOM];
    const int64_t i = index_find(&t->index, span_of(tensor_name(room, t->prefix, name)));

    return i < 0 ? NULL : &t->tensor[i];
}

/* "[3, any]" for messages. */
static void show_shape(char *to, size_t room, size_t n_dims, const uint64_t *shape)
{
    size_t at = 0;

    to[0] = '\0';
    for (size_t i = 0; i < n_dims && at < room; i++) {
        const char *const before = i == 0 ? "[" : ", ", *const after =
                                                            i + 1 == n_dims ? "]" : "";
        const int n = shape[i] == TENSOR_ANY
                          ? snprintf(to + at, room - at, "%sany%s", before, after)
                          : snprintf(to + at, room - at, "%s%llu%s", before,
                                     (unsigned long long)shape[i], after);
        at += (size_t)n;
    }
}

peck_status tensors_get(const struct tensor **out, const struct tensors *t,
                        const char *name, enum tensor_type type, size_t n_dims,
                        const uint64_t *shape, peck_error *err)
{
    const struct tensor *const found = tensors_find(t, name);
    char want[128], have[128];

    *out = NULL;
    if (found == NULL)
        return fail(err, PECK_FORMAT, "%s: has no tensor '%s%s'", t->name, t->prefix, name);
    bool fits = found->type == type && found->n_dims == n_dims;

    for (size_t i = 0; i < n_dims && fits; i++)
        fits = shape[i] == TENSOR_ANY || shape[i] == found->shape[i];
    if (!fits) {
        show_shape(want, sizeof want, n_dims, shape);
        show_shape(have, sizeof have, found->n_dims, found->shape);
        return fail(err, PECK_FORMAT, "%s: tensor '%s%s' is %s %s, but should be %s %s",
                    t->name, t->prefix, name, types[found->type].name, have,
                    types[type].name, want);
    }
    *out = found;
    return PECK_OK;
}

peck_span tensors_note(const struct tensors *t, const char *key)
{
    char room[TENSOR_NAME_ROOM];
    const int64_t at = index_find(&t->note_key, span_of(tensor_name(room, t->prefix, key)));

    return at >= 0 ? t->note[at]->text : (peck_span){ 0 };
}

peck_status tensors_check_format(const struct tensors *t, const char *known,
                                 peck_error *err)
{
    const peck_span format = tensors_note(t, "format");
    const size_t words = (size_t)(strrchr(known, ' ') + 1 - known); /* "peck data " */

    if (format.n < words || memcmp(format.s, known, words) != 0 || span_is(format, known))
        return PECK_OK;
    return fail(err, PECK_FORMAT,
                "%s: written as '%.*s', but this program knows '%s'; use a newer peck",
                t->name, SPAN_ARGS(format), known);
}

/* Writing -------------------------------------------------------------------------- */

void tensors_header(struct text *to, struct tensor *tensor, size_t n,
                    const struct tensor_note *note, size_t n_notes, size_t room)
{
    const size_t start = to->len;
    uint64_t reached = 0;

    text_add(to, "\0\0\0\0\0\0\0\0", PREFIX);
    text_add_str(to, "{\"__metadata__\":{");
    for (size_t i = 0; i < n_notes; i++) {
        text_add_str(to, i > 0 ? "," : "");
        json_quote(to, span_of(note[i].key));
        text_add_str(to, ":");
        json_quote(to, span_of(note[i].text));
    }
    text_add_str(to, "}");
    for (size_t i = 0; i < n; i++) {
        struct tensor *const t = &tensor[i];
        uint64_t bytes = 0;

        if (!tensor_bytes(t, &bytes))
            to->failed = true;
        t->begin = reached;
        t->end = reached += bytes;
        text_add_str(to, ",");
        json_quote(to, t->name);
        text_printf(to, ":{\"dtype\":\"%s\",\"shape\":[", types[t->type].name);
        for (size_t k = 0; k < t->n_dims; k++)
            text_printf(to, "%s%llu", k > 0 ? "," : "", (unsigned long long)t->shape[k]);
        text_printf(to, "],\"data_offsets\":[%llu,%llu]}", (unsigned long long)t->begin,
                    (unsigned long long)t->end);
    }
    text_add_str(to, "}");
    const size_t used = to->len - start;
    const size_t whole = room > 0 ? room : (used + 63) / 64 * 64;

    if (to->failed || used > whole || whole - PREFIX > TENSORS_MAX_HEADER) {
        to->failed = true;
        return;
    }
    for (size_t i = used; i < whole; i++)
        text_add(to, " ", 1);
    for (size_t i = 0; i < PREFIX && !to->failed; i++)
        to->s[start + i] = (char)((uint64_t)(whole - PREFIX) >> (8 * i) & 0xFF);
}

bool tensor_list_add(struct tensor_list *l, const char *name, enum tensor_type type,
                     size_t n_dims, const uint64_t *shape, const void *data)
{
    char room[TENSOR_NAME_ROOM];

    if (n_dims > TENSOR_MAX_DIMS ||
        !mem_reserve(&l->tensor, &l->cap_tensor, l->n + 1, sizeof *l->tensor) ||
        !mem_reserve(&l->data, &l->cap_data, l->n + 1, sizeof *l->data) ||
        !strings_add(&l->name, span_of(tensor_name(room, l->prefix, name))))
        return false;
    struct tensor *const t = &l->tensor[l->n];

    *t = (struct tensor){ .type = type, .n_dims = n_dims };
    for (size_t i = 0; i < n_dims; i++)
        t->shape[i] = shape[i];
    l->data[l->n++] = data;
    return true;
}

void tensor_list_free(struct tensor_list *l)
{
    mem_free(l->tensor);
    mem_free(l->data);
    strings_free(&l->name);
    *l = (struct tensor_list){ 0 };
}

peck_status tensor_list_write(struct tensor_list *l, struct output *o,
                              const struct tensor_note *note, size_t n_notes,
                              peck_error *err)
{
    struct text header;

    for (size_t i = 0; i < l->n; i++) /* not before: growing moves them */
        l->tensor[i].name = strings_get(&l->name, i);
    text_init(&header, TENSORS_MAX_HEADER + PREFIX);
    tensors_header(&header, l->tensor, l->n, note, n_notes, 0);
    if (header.failed) {
        text_free(&header);
        return fail_memory(err, "the header of a model file", l->n, sizeof *l->tensor);
    }
    output_write(o, header.s, header.len);
    text_free(&header);
    for (size_t i = 0; i < l->n; i++)
        output_write(o, l->data[i], l->tensor[i].end - l->tensor[i].begin);
    return output_check(o, err);
}
