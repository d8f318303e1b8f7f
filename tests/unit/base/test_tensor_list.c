/* test_tensor_list.c -- a gathered list is written as one file and read back. */
#include "support/check.h"
#include "support/scratch.h"

#include "base/tensors.h"

static peck_status save(struct tensor_list *l, const char *path, peck_error *err)
{
    const struct tensor_note notes[] = { { "format", "toy 1" }, { "who", "\"me\"" } };
    struct output *o;
    peck_status st = output_open(&o, path, err);

    if (st != PECK_OK)
        return st;
    if ((st = tensor_list_write(l, o, notes, N_OF(notes), err)) != PECK_OK) {
        output_abort(o);
        return st;
    }
    return output_commit(o, err);
}

static void what_is_added_is_read_back_in_order(void **state)
{
    enum { MANY = 40 }; /* so that names and tensors move while they grow */
    const char *const path = scratch_path("many.safetensors");
    struct tensor_list l = { 0 };
    struct tensors t;
    struct input in;
    float data[MANY][3];
    peck_error err = { 0 };

    (void)state;
    for (int i = 0; i < MANY; i++) {
        char name[16];
        const uint64_t shape[2] = { 1, 3 };

        snprintf(name, sizeof name, "tensor.%d", i);
        for (int j = 0; j < 3; j++)
            data[i][j] = (float)(i * 3 + j);
        assert_true(tensor_list_add(&l, name, TENSOR_F32, 2, shape, data[i]));
    }
    assert_ok(save(&l, path, &err), err);
    tensor_list_free(&l);
    assert_ok(input_open(&in, path, &err), err);
    assert_ok(tensors_open(&t, &in, &err), err);
    assert_int_equal(t.n, MANY);
    assert_span(tensors_note(&t, "who"), "\"me\"");
    for (int i = 0; i < MANY; i++) {
        const uint64_t shape[2] = { 1, 3 };
        const struct tensor *x;
        char name[16];

        snprintf(name, sizeof name, "tensor.%d", i);
        assert_ok(tensors_get(&x, &t, name, TENSOR_F32, 2, shape, &err), err);
        assert_ptr_equal(x, &t.tensor[i]);
        assert_true(tensor_is_aligned(x));
        assert_memory_equal(x->data, data[i], sizeof data[i]);
    }
    tensors_close(&t);
    input_close(&in);
}

static void an_empty_list_is_a_file_without_tensors(void **state)
{
    const char *const path = scratch_path("empty.safetensors");
    struct tensor_list l = { 0 };
    struct tensors t;
    struct input in;
    peck_error err = { 0 };

    (void)state;
    assert_ok(save(&l, path, &err), err);
    assert_ok(input_open(&in, path, &err), err);
    assert_ok(tensors_open(&t, &in, &err), err);
    assert_int_equal(t.n, 0);
    assert_span(tensors_note(&t, "format"), "toy 1");
    tensors_close(&t);
    input_close(&in);
    tensor_list_free(&l);
}

static void a_tensor_without_elements_is_kept(void **state)
{
    const char *const path = scratch_path("none.safetensors");
    const uint64_t nothing[2] = { 0, 5 }, single[1] = { 1 };
    const uint8_t byte = 9;
    struct tensor_list l = { 0 };
    struct tensors t;
    struct input in;
    const struct tensor *x;
    peck_error err = { 0 };

    (void)state;
    assert_true(tensor_list_add(&l, "nothing", TENSOR_F32, 2, nothing, &byte));
    assert_true(tensor_list_add(&l, "byte", TENSOR_U8, 1, single, &byte));
    assert_ok(save(&l, path, &err), err);
    assert_ok(input_open(&in, path, &err), err);
    assert_ok(tensors_open(&t, &in, &err), err);
    assert_ok(tensors_get(&x, &t, "nothing", TENSOR_F32, 2, nothing, &err), err);
    assert_ok(tensors_get(&x, &t, "byte", TENSOR_U8, 1, single, &err), err);
    assert_int_equal(x->data[0], 9);
    tensors_close(&t);
    input_close(&in);
    tensor_list_free(&l);
}

static void too_many_dimensions_are_refused(void **state)
{
    const uint64_t shape[TENSOR_MAX_DIMS + 1] = { 0 };
    struct tensor_list l = { 0 };

    (void)state;
    assert_false(tensor_list_add(&l, "x", TENSOR_F32, TENSOR_MAX_DIMS + 1, shape, shape));
    assert_int_equal(l.n, 0);
    tensor_list_free(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_added_is_read_back_in_order),
        cmocka_unit_test(an_empty_list_is_a_file_without_tensors),
        cmocka_unit_test(a_tensor_without_elements_is_kept),
        cmocka_unit_test(too_many_dimensions_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
