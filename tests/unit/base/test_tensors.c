/* test_tensors.c -- the container: what we write we read; what is wrong is refused. */
#include "base/tensors.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <unistd.h>

/* A file in memory: the header's length, the header and n bytes of data. */
struct image {
    char bytes[2048];
    struct input in;
};

static const struct input *make(struct image *m, const char *header, size_t n)
{
    const size_t length = strlen(header);

    memset(m, 0, sizeof *m);
    for (size_t i = 0; i < 8; i++)
        m->bytes[i] = (char)(length >> (8 * i));
    memcpy(m->bytes + 8, header, length);
    m->in = (struct input){ .data = m->bytes, .size = 8 + length + n, .name = "file" };
    return &m->in;
}

static void refused(const char *header, size_t n, const char *why)
{
    struct image m;
    struct tensors t;
    peck_error err = { 0 };

    if (tensors_open(&t, make(&m, header, n), &err) != PECK_FORMAT)
        fail_msg("accepted: %s", header);
    if (strstr(err.text, why) == NULL)
        fail_msg("%s: says '%s', not '%s'", header, err.text, why);
    assert_null(t.tensor);
}

static void a_small_file_opens(void **state)
{
    struct image m;
    struct tensors t;
    const struct tensor *x;

    (void)state;
    assert_int_equal(
        tensors_open(
            &t,
            make(&m,
                 "{\"b\":{\"dtype\":\"U8\",\"shape\":[3],\"data_offsets\":[8,11]},"
                 "\"__metadata__\":{\"format\":\"toy 1\"},"
                 "\"none\":{\"dtype\":\"F64\",\"shape\":[0,7],\"data_offsets\":[8,8]},"
                 "\"a\":{\"dtype\":\"F32\",\"shape\":[1,2],\"data_offsets\":[0,8]}}  ",
                 11),
            NULL),
        PECK_OK);
    assert_int_equal(t.n, 3);
    assert_true(span_is(tensors_note(&t, "format"), "toy 1"));
    assert_int_equal(tensors_note(&t, "other").n, 0);
    assert_int_equal(
        tensors_get(&x, &t, "a", TENSOR_F32, 2, (uint64_t[]){ TENSOR_ANY, 2 }, NULL),
        PECK_OK);
    assert_ptr_equal(x->data, m.in.data + m.in.size - 11);
    assert_null(tensors_find(&t, "c"));
    tensors_close(&t);
}

static void a_scalar_has_no_dimension(void **state)
{
    struct image m;
    struct tensors t;

    (void)state;
    assert_int_equal(
        tensors_open(
            &t,
            make(&m, "{\"s\":{\"dtype\":\"I16\",\"shape\":[],\"data_offsets\":[0,2]}}", 2),
            NULL),
        PECK_OK);
    tensors_close(&t);
}

static void another_type_or_shape_than_asked_for_is_told(void **state)
{
    struct image m;
    struct tensors t;
    const struct tensor *x;
    peck_error err;

    (void)state;
    assert_int_equal(
        tensors_open(
            &t,
            make(&m, "{\"a\":{\"dtype\":\"F32\",\"shape\":[1,2],\"data_offsets\":[0,8]}}",
                 8),
            NULL),
        PECK_OK);
    assert_int_equal(
        tensors_get(&x, &t, "a", TENSOR_F64, 2, (uint64_t[]){ 1, TENSOR_ANY }, &err),
        PECK_FORMAT);
    assert_string_equal(err.text,
                        "file: tensor 'a' is F32 [1, 2], but should be F64 [1, any]");
    assert_int_equal(tensors_get(&x, &t, "a", TENSOR_F32, 1, (uint64_t[]){ 2 }, &err),
                     PECK_FORMAT);
    assert_int_equal(tensors_get(&x, &t, "a", TENSOR_F32, 2, (uint64_t[]){ 2, 2 }, &err),
                     PECK_FORMAT);
    assert_int_equal(tensors_get(&x, &t, "b", TENSOR_F32, 1, (uint64_t[]){ 2 }, &err),
                     PECK_FORMAT);
    assert_string_equal(err.text, "file: has no tensor 'b'");
    tensors_close(&t);
}

static void every_broken_entry_is_refused(void **state)
{
    (void)state;
#define ENTRY(dtype, shape, offsets) \
    "{\"a\":{\"dtype\":" dtype ",\"shape\":" shape ",\"data_offsets\":" offsets "}}"
    refused(ENTRY("\"F33\"", "[2]", "[0,8]"), 8, "dtype is unknown");
    refused(ENTRY("7", "[2]", "[0,8]"), 8, "dtype is unknown");
    refused(ENTRY("\"F32\"", "2", "[0,8]"), 8, "shape");
    refused(ENTRY("\"F32\"", "[-2]", "[0,8]"), 8, "shape");
    refused(ENTRY("\"F32\"", "[2.0]", "[0,8]"), 8, "shape");
    refused(ENTRY("\"F32\"", "[1,1,1,1,1,1,1,1,2]", "[0,8]"), 8, "shape");
    refused(ENTRY("\"F32\"", "[3]", "[0,8]"), 8, "length does not match");
    refused(ENTRY("\"F32\"", "[4611686018427387905]", "[0,4]"), 4, "length does not match");
    refused(ENTRY("\"F32\"", "[4294967296,4294967296]", "[0,0]"), 0,
            "length does not match");
    refused(ENTRY("\"F32\"", "[2]", "[8,0]"), 8, "ends before it begins");
    refused(ENTRY("\"F32\"", "[2]", "[0]"), 8, "pair");
    refused(ENTRY("\"F32\"", "[2]", "[0,8,9]"), 8, "pair");
    refused(ENTRY("\"F32\"", "[2]", "\"0\""), 8, "pair");
    refused(ENTRY("\"F32\"", "[2]", "[4,12]"), 12, "does not follow");
    refused(ENTRY("\"F32\"", "[2]", "[0,8]"), 7, "behind the end");
    refused(ENTRY("\"F32\"", "[2]", "[0,8]"), 9,
            "9 bytes of data where its header names 8");
    refused("{\"a\":{\"dtype\":\"F32\",\"shape\":[2]}}", 8, "needs dtype");
    refused("{\"a\":[]}", 0, "needs dtype");
    refused("{\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1],\"more\":1}}", 1,
            "needs dtype");
    refused("{}", 1, "1 bytes of data");
#undef ENTRY
}

static void overlaps_gaps_and_doubles_are_refused(void **state)
{
    (void)state;
#define U8(name, from, to) \
    "\"" name "\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[" from "," to "]}"
    refused("{" U8("a", "0", "2") "," U8("b", "1", "3") "}", 3, "does not follow");
    refused("{" U8("a", "0", "2") "," U8("b", "3", "5") "}", 5, "does not follow");
    refused("{" U8("a", "0", "2") "," U8("b", "0", "2") "}", 2, "does not follow");
    refused("{" U8("a", "0", "2") "," U8("a", "2", "4") "}", 4, "comes twice");
#undef U8
    refused("{\"__metadata__\":{},\"__metadata__\":{}}", 0, "comes twice");
    refused("{\"__metadata__\":{\"a\":1}}", 0, "is no text");
    refused("{\"__metadata__\":[]}", 0, "no object");
}

static void a_header_that_does_not_fit_is_refused(void **state)
{
    struct image m;
    struct tensors t;

    (void)state;
    make(&m, "{}", 0);
    assert_true(tensors_sniff(&m.in));
    assert_int_equal(tensors_open(&t, &m.in, NULL), PECK_OK);
    tensors_close(&t);
    for (size_t size = 0; size < m.in.size; size++) {
        struct input cut = m.in;

        cut.size = size;
        assert_int_equal(tensors_open(&t, &cut, NULL), PECK_FORMAT);
    }
    m.bytes[0] = 3;
    assert_int_equal(tensors_open(&t, &m.in, NULL), PECK_FORMAT);
    memset(m.bytes, 0xFF, 8);
    assert_int_equal(tensors_open(&t, &m.in, NULL), PECK_FORMAT);
    assert_false(tensors_sniff(&m.in));
    refused("[]", 0, "not a safetensors file");
    refused("{\"a\":", 0, "broken JSON");
}

static void an_unknown_version_is_refused_with_a_hint(void **state)
{
    static const struct {
        const char *header;
        peck_status status;
    } cases[] = {
        { "{\"__metadata__\":{\"format\":\"peck data 1\"}}", PECK_OK },
        { "{\"__metadata__\":{\"format\":\"peck data 2\"}}", PECK_FORMAT },
        { "{\"__metadata__\":{\"format\":\"pt\"}}", PECK_OK },
        { "{}", PECK_OK },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct image m;
        struct tensors t;
        peck_error err = { 0 };

        assert_int_equal(tensors_open(&t, make(&m, cases[i].header, 0), NULL), PECK_OK);
        assert_int_equal(tensors_check_format(&t, "peck data 1", &err), cases[i].status);
        assert_true(cases[i].status == PECK_OK || strstr(err.text, "newer peck") != NULL);
        tensors_close(&t);
    }
}

static void what_is_written_is_read(void **state)
{
    struct tensor list[] = {
        { .name = span_of("x"), .type = TENSOR_F32, .n_dims = 2, .shape = { 3, 2 } },
        { .name = span_of("say \"hi\""), .type = TENSOR_U64, .n_dims = 1, .shape = { 2 } },
        { .name = span_of("empty"), .type = TENSOR_U8, .n_dims = 1, .shape = { 0 } },
    };
    const struct tensor_note notes[] = { { "format", "toy 1" }, { "by", "a\\b" } };
    const size_t rooms[] = { 0, 1024 };

    (void)state;
    for (size_t k = 0; k < 2; k++) {
        struct text header;
        struct tensors t;

        text_init(&header, 4096);
        tensors_header(&header, list, 3, notes, 2, rooms[k]);
        assert_false(header.failed);
        assert_int_equal(header.len % 64, 0);
        assert_true(rooms[k] == 0 || header.len == rooms[k]);
        const size_t head = header.len;

        for (int i = 0; i < 40; i++)
            text_add(&header, "\0", 1);
        const struct input in = { .data = header.s, .size = header.len, .name = "made" };

        assert_int_equal(tensors_open(&t, &in, NULL), PECK_OK);
        assert_int_equal(t.n, 3);
        assert_ptr_equal(tensors_find(&t, "x")->data, header.s + head);
        assert_int_equal(tensors_find(&t, "say \"hi\"")->begin, 24);
        assert_true(span_is(tensors_note(&t, "by"), "a\\b"));
        tensors_close(&t);
        text_free(&header);
    }
}

static void a_header_larger_than_its_room_fails(void **state)
{
    struct tensor one = { .name = span_of("x"), .n_dims = 1, .shape = { 1 } };
    struct text header;

    (void)state;
    text_init(&header, 4096);
    tensors_header(&header, &one, 1, NULL, 0, 16);
    assert_true(header.failed);
    text_free(&header);
}

/* A header of junk is looked at once, not once for each question: the alarm would end a walk
 * over all keys, which takes minutes. */
static void notes_are_found_among_many(void **state)
{
    enum { KEYS = 400000, ASKED = 100000 };
    struct input in = { .name = "file" };
    struct tensors t;
    struct text file;
    char key[16];

    (void)state;
    text_init(&file, 1 << 26);
    text_add(&file, "\0\0\0\0\0\0\0\0", 8);
    text_add_str(&file, "{\"__metadata__\":{\"k7\":\"first\"");
    for (int i = 0; i < KEYS; i++)
        text_printf(&file, ",\"k%d\":\"%d\"", i, i);
    text_add_str(&file, "}}");
    assert_false(file.failed);
    for (size_t i = 0; i < 8; i++)
        file.s[i] = (char)((file.len - 8) >> (8 * i));
    in.data = file.s;
    in.size = file.len;
    alarm(60);
    assert_int_equal(tensors_open(&t, &in, NULL), PECK_OK);
    for (int i = 0; i < ASKED; i++) {
        snprintf(key, sizeof key, "k%d", KEYS - 1 - i);
        assert_true(span_is(tensors_note(&t, key), key + 1));
    }
    alarm(0);
    assert_true(span_is(tensors_note(&t, "k7"), "first"));
    assert_int_equal(tensors_note(&t, "k").n, 0);
    tensors_close(&t);
    text_free(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_small_file_opens),
        cmocka_unit_test(a_scalar_has_no_dimension),
        cmocka_unit_test(another_type_or_shape_than_asked_for_is_told),
        cmocka_unit_test(every_broken_entry_is_refused),
        cmocka_unit_test(overlaps_gaps_and_doubles_are_refused),
        cmocka_unit_test(a_header_that_does_not_fit_is_refused),
        cmocka_unit_test(an_unknown_version_is_refused_with_a_hint),
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(a_header_larger_than_its_room_fails),
        cmocka_unit_test(notes_are_found_among_many),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
