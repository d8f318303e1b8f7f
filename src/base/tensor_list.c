/* tensor_list.c -- see tensors.h: tensors gathered from several rooms, then written as
 * one file.                                                                         */
#include "tensors.h"

#include "alloc.h"

/* The header of a model is far below the format's own limit. */
enum { PREFIX_AND_HEADER = TENSORS_MAX_HEADER + 8 };

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
    text_init(&header, PREFIX_AND_HEADER);
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
