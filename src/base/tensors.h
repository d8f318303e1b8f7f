/* tensors.h -- the safetensors container: named arrays in one file.
 *
 *     8 bytes     length of the header, little-endian
 *     header      JSON: {"name": {"dtype": "F32", "shape": [3, 2], "data_offsets": [0, 24]},
 *                 ..., "__metadata__": {"key": "text"}}, blanks may follow it
 *     data        the arrays, without gaps; offsets count from its first byte
 *
 * Reading hands out pointers into the file's bytes; everything in the header has been
 * checked against the file's length before.                                           */
#ifndef TENSORS_H
#define TENSORS_H

#include "input.h"
#include "json.h"
#include "output.h"
#include "strings.h"

enum tensor_type {
    TENSOR_BOOL,
    TENSOR_U8,
    TENSOR_I8,
    TENSOR_F8_E5M2,
    TENSOR_F8_E4M3,
    TENSOR_U16,
    TENSOR_I16,
    TENSOR_F16,
    TENSOR_BF16,
    TENSOR_U32,
    TENSOR_I32,
    TENSOR_F32,
    TENSOR_U64,
    TENSOR_I64,
    TENSOR_F64,
};

enum {
    TENSORS_MAX_HEADER = 100000000, /* bytes; the format's own limit */
    TENSOR_MAX_DIMS = 8,
};

struct tensor {
    peck_span name;
    enum tensor_type type;
    size_t n_dims;
    uint64_t shape[TENSOR_MAX_DIMS];
    uint64_t begin, end; /* bytes from the start of the data part */
    const char *data;    /* may stand at any address: see tensor_is_aligned */
};

/* A file that was read.  All pointers lead into the input's bytes or into `header`. */
struct tensors {
    const char *name; /* of the file, for messages; borrowed */
    /* What stands before every name and key that is asked for; borrowed, "" at first.  A
     * copy of the struct with another one is a view of a part of the file. */
    const char *prefix;
    struct json header;
    struct tensor *tensor; /* in the order of the header */
    size_t n;
    struct index index;
    const struct json_node *metadata; /* NULL: none */
    struct index note_key;            /* of the metadata */
    const struct json_node **note;    /* its texts, as note_key numbers them */
};

/* Whether these first bytes look like such a file. */
bool tensors_sniff(const struct input *in);

/* *in must outlive *out. */
MUST_CHECK peck_status tensors_open(struct tensors *out, const struct input *in,
                                    peck_error *err);
void tensors_close(struct tensors *t); /* takes an all-zero one too */

/* The tensor of this name, or NULL. */
const struct tensor *tensors_find(const struct tensors *t, const char *name);

/* A tensor that must be there, of this type and shape; TENSOR_ANY fits every length. */
#define TENSOR_ANY UINT64_MAX
MUST_CHECK peck_status tensors_get(const struct tensor **out, const struct tensors *t,
                                   const char *name, enum tensor_type type, size_t n_dims,
                                   const uint64_t *shape, peck_error *err);

/* The text under `key` in the metadata; n = 0 when there is none. */
peck_span tensors_note(const struct tensors *t, const char *key);

/* The metadata's "format" must be `known` ("peck data 1") when the file says one that
 * begins with the same words; a file without a "format" passes, for those written by
 * other programs. */
MUST_CHECK peck_status tensors_check_format(const struct tensors *t, const char *known,
                                            peck_error *err);

bool tensor_is_aligned(const struct tensor *t);
size_t tensor_type_size(enum tensor_type type);

/* Writing -------------------------------------------------------------------------- */

struct tensor_note {
    const char *key, *text;
};

/* Appends the length and the header of a file that holds tensor[0..n) in that order
 * (name, type, n_dims, shape count; begin and end are set here).  Blanks fill it up to
 * `room` bytes, so that the data part starts there; to->failed is set when it does not
 * fit.  room 0: up to the next multiple of 64. */
void tensors_header(struct text *to, struct tensor *tensor, size_t n,
                    const struct tensor_note *note, size_t n_notes, size_t room);

/* Tensors to be written together, in this order.  All zero is an empty list. */
struct tensor_list {
    struct tensor *tensor; /* names borrow from `name` */
    struct strings name;
    const void **data;  /* borrowed until the file is written */
    const char *prefix; /* goes before the names that are added; NULL: nothing */
    size_t n, cap_tensor, cap_data;
};

MUST_CHECK bool tensor_list_add(struct tensor_list *l, const char *name,
                                enum tensor_type type, size_t n_dims, const uint64_t *shape,
                                const void *data);
void tensor_list_free(struct tensor_list *l);
/* Header and data; the caller commits the output. */
MUST_CHECK peck_status tensor_list_write(struct tensor_list *l, struct output *o,
                                         const struct tensor_note *note, size_t n_notes,
                                         peck_error *err);

#endif
