/* Models to memory and back: the bytes of the file, and the same care with bad ones. */
#include "base/input.h"
#include "base/output.h"
#include "support/check.h"
#include "support/models.h"
#include "support/scratch.h"

#include <math.h>

enum { DIM = 5 };

static peck_error err;

static struct peck_model *make_model(void)
{
    return sample_model(&(struct model_sample){
        .dim = DIM, .n_members = 2, .norm = "zscore", .has_names = true });
}

static void memory_holds_what_the_file_holds(void **state)
{
    struct peck_model *const m = make_model();
    peck_model *back = NULL;
    peck_bytes bytes, again;
    size_t n;

    (void)state;
    assert_ok(peck_model_save(m, scratch_path("m.peck"), &err), err);
    assert_ok(peck_model_pack(&bytes, m, &err), err);
    char *const file = file_bytes(scratch_path("m.peck"), &n);

    assert_int_equal(bytes.n, n);
    assert_memory_equal(bytes.s, file, n);
    assert_int_equal(bytes.s[n], 0);
    /* From an address that no allocator would give. */
    char *const odd = malloc(n + 1);

    memcpy(odd + 1, bytes.s, n);
    assert_ok(peck_model_unpack(&back, odd + 1, n, &err), err);
    free(odd);
    assert_ok(peck_model_pack(&again, back, &err), err);
    assert_int_equal(again.n, n);
    assert_memory_equal(again.s, file, n);
    peck_bytes_free(&again);
    peck_bytes_free(&bytes);
    assert_null(bytes.s);
    peck_bytes_free(&bytes);
    free(file);
    peck_model_free(back);
    peck_model_free(m);
}

static void packed_bytes_are_unpacked(void **state)
{
    struct peck_model *const m = make_model();
    peck_model *back = NULL;
    size_t n;

    (void)state;
    assert_ok(peck_model_save(m, scratch_path("m.peck.gz"), &err), err);
    char *const file = file_bytes(scratch_path("m.peck.gz"), &n);

    assert_ok(peck_model_unpack(&back, file, n, &err), err);
    assert_int_equal(peck_model_features(back), DIM);
    peck_model_free(back);
    assert_int_equal(peck_model_unpack(&back, file, n - 9, &err), PECK_FORMAT);
    assert_null(back);
    free(file);
    peck_model_free(m);
}

static void damaged_bytes_are_refused(void **state)
{
    struct peck_model *const m = make_model();
    peck_model *back = m;
    peck_bytes bytes;

    (void)state;
    assert_ok(peck_model_pack(&bytes, m, &err), err);
    for (size_t n = 0; n < bytes.n; n += n < 64 ? 1 : 97) {
        assert_int_equal(peck_model_unpack(&back, bytes.s, n, &err), PECK_FORMAT);
        assert_null(back);
    }
    assert_failed(err, PECK_FORMAT, "the model in memory: ");
    bytes.s[bytes.n - 1] ^= 1;
    assert_int_equal(peck_model_unpack(&back, bytes.s, bytes.n, &err), PECK_FORMAT);
    assert_int_equal(peck_model_unpack(&back, NULL, 0, &err), PECK_FORMAT);
    peck_bytes_free(&bytes);
    peck_model_free(m);
}

/* More than one buffer, and what is given up leaves nothing. */
static void memory_grows_as_it_is_written(void **state)
{
    enum { PIECE = 1000, PIECES = 1000 };
    char piece[PIECE];
    struct output *o;
    peck_bytes bytes;

    (void)state;
    assert_ok(output_to_memory(&o, &bytes, &err), err);
    for (int i = 0; i < PIECES; i++) {
        memset(piece, 'a' + i % 26, sizeof piece);
        output_write(o, piece, sizeof piece);
    }
    assert_false(output_can_patch(o));
    assert_ok(output_commit(o, &err), err);
    assert_int_equal(bytes.n, PIECE * PIECES);
    for (size_t i = 0; i < bytes.n; i += 501)
        assert_int_equal(bytes.s[i], 'a' + (int)(i / PIECE % 26));
    peck_bytes_free(&bytes);
    assert_ok(output_to_memory(&o, &bytes, &err), err);
    for (int i = 0; i < PIECES; i++)
        output_write(o, piece, sizeof piece);
    output_abort(o);
    assert_null(bytes.s);
    assert_int_equal(bytes.n, 0);
}

static void what_cannot_be_packed_gives_no_bytes(void **state)
{
    struct peck_model *const m = sample_model(&(struct model_sample){ .dim = 3 });
    char old = 'x';
    peck_bytes bytes = { .s = &old, .n = 1 };

    (void)state;
    m->w[0] = NAN;
    assert_int_equal(peck_model_pack(&bytes, m, &err), PECK_DIVERGED);
    assert_failed(err, PECK_DIVERGED, "memory: not written");
    assert_null(bytes.s);
    assert_int_equal(bytes.n, 0);
    peck_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_holds_what_the_file_holds),
        cmocka_unit_test(packed_bytes_are_unpacked),
        cmocka_unit_test(damaged_bytes_are_refused),
        cmocka_unit_test(memory_grows_as_it_is_written),
        cmocka_unit_test(what_cannot_be_packed_gives_no_bytes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
