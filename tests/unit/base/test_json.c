/* test_json.c -- what is JSON is walked, what is not is refused with its place. */
#include "base/json.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static peck_status parse(struct json *j, const char *s, peck_error *err)
{
    return json_parse(j, span_of(s), "header", err);
}

static void a_tree_is_walked_in_order(void **state)
{
    const char *const text =
        " {\"a\": [1, 2.5, -3e2], \"b\": {\"c\": null, \"d\": true}, \"e\": \"x\"} ";
    struct json j;
    uint64_t n;

    (void)state;
    assert_int_equal(parse(&j, text, NULL), PECK_OK);
    assert_int_equal(j.node->type, JSON_OBJECT);
    assert_int_equal(j.node->n_inside, 3);
    const struct json_node *const a = json_get(j.node, "a");

    assert_int_equal(a->n_inside, 3);
    const struct json_node *v = json_first(a);

    assert_true(json_u64(v, &n) && n == 1);
    v = json_next(v);
    assert_true(span_is(v->text, "2.5"));
    assert_false(json_u64(v, &n));
    v = json_next(v);
    assert_true(span_is(v->text, "-3e2"));
    assert_true(span_is(json_next(v)->text, "b"));
    const struct json_node *const b = json_get(j.node, "b");

    assert_int_equal(json_get(b, "c")->type, JSON_NULL);
    assert_int_equal(json_get(b, "d")->type, JSON_BOOL);
    assert_true(span_is(json_get(j.node, "e")->text, "x"));
    assert_null(json_get(j.node, "c"));
    assert_null(json_get(a, "a"));
    json_free(&j);
}

static void whole_numbers_fit_or_are_refused(void **state)
{
    struct json j;
    uint64_t n = 0;

    (void)state;
    assert_int_equal(parse(&j, "[18446744073709551615, 18446744073709551616, -1]", NULL),
                     PECK_OK);
    const struct json_node *const v = json_first(j.node);

    assert_true(json_u64(v, &n) && n == UINT64_MAX);
    assert_false(json_u64(v + 1, &n));
    assert_false(json_u64(v + 2, &n));
    json_free(&j);
}

static void escapes_are_undone(void **state)
{
    struct json j;

    (void)state;
    assert_int_equal(
        parse(&j, "[\"a\\n\\t\\\"\\\\\\/\", \"\\u00e9\\u20ac\\ud83d\\ude00\", \"plain\"]",
              NULL),
        PECK_OK);
    const struct json_node *v = json_first(j.node);

    assert_true(span_is(v->text, "a\n\t\"\\/"));
    v = json_next(v);
    assert_true(span_is(v->text, "\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80"));
    v = json_next(v);
    assert_true(span_is(v->text, "plain"));
    json_free(&j);
}

static void broken_text_is_refused(void **state)
{
    static const char *const broken[] = {
        "",
        " ",
        "{",
        "}",
        "[",
        "[1,]",
        "[1 2]",
        "{\"a\"}",
        "{\"a\":}",
        "{\"a\":1,}",
        "{a:1}",
        "{\"a\":1",
        "\"open",
        "\"\\x\"",
        "\"\\u12g4\"",
        "\"\\ud800\"",
        "\"\\udc00\"",
        "\"\\ud800\\u0041\"",
        "\"\x01\"",
        "\"\xff\"",
        "\"\\",
        "01",
        "1.",
        ".5",
        "1e",
        "+1",
        "-",
        "nul",
        "truefalse",
        "1 2",
        "[1]]",
        "NaN",
        "'a'",
        "\"\xC0\x80\"",
        "\"\xED\xA0\x80\"",
    };

    (void)state;
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        struct json j;
        peck_error err;

        if (parse(&j, broken[i], &err) != PECK_FORMAT)
            fail_msg("accepted: %s", broken[i]);
        assert_non_null(strstr(err.text, "header: broken JSON at byte "));
        assert_null(j.node);
    }
}

static void every_cut_of_a_header_is_refused(void **state)
{
    const char *const text =
        "{\"a\":{\"dtype\":\"F\\u00332\",\"shape\":[1,2]},\"b\":[true,null]}";

    (void)state;
    for (size_t n = 0; n < strlen(text); n++) {
        struct json j;

        assert_int_equal(json_parse(&j, (peck_span){ text, n }, "cut", NULL), PECK_FORMAT);
    }
}

static void deep_nesting_is_refused(void **state)
{
    char text[2 * JSON_MAX_DEPTH + 4];
    struct json j;

    (void)state;
    for (size_t depth = JSON_MAX_DEPTH; depth <= JSON_MAX_DEPTH + 1; depth++) {
        memset(text, '[', depth);
        memset(text + depth, ']', depth);
        const peck_status st = json_parse(&j, (peck_span){ text, 2 * depth }, "deep", NULL);

        assert_int_equal(st, depth > JSON_MAX_DEPTH ? PECK_FORMAT : PECK_OK);
        json_free(&j);
    }
}

static void quoted_text_reads_back(void **state)
{
    char all[0x7F];
    struct text t;
    struct json j;

    (void)state;
    for (size_t i = 0; i < sizeof all; i++)
        all[i] = (char)(i + 1);
    text_init(&t, 4096);
    json_quote(&t, (peck_span){ all, sizeof all });
    assert_int_equal(parse(&j, t.s, NULL), PECK_OK);
    assert_true(span_equal(j.node->text, (peck_span){ all, sizeof all }));
    json_free(&j);
    text_free(&t);
}

static void bytes_that_are_no_utf8_become_the_replacement_character(void **state)
{
    struct text t;

    (void)state;
    text_init(&t, 4096);
    json_quote(&t, span_of("a\xFF\xC3\xA9\xE2\x82"));
    assert_string_equal(t.s, "\"a\xEF\xBF\xBD\xC3\xA9\xEF\xBF\xBD\xEF\xBF\xBD\"");
    text_free(&t);
}

static void what_is_written_has_its_commas_and_reads_back(void **state)
{
    struct text t;
    struct json_out o = { .to = &t };
    struct json j;
    bool is_so = true;

    (void)state;
    text_init(&t, 4096);
    json_open(&o, NULL, '{');
    json_put_text(&o, "a\"b", span_of("<x>\n"));
    json_open(&o, "list", '[');
    json_put_count(&o, NULL, 18446744073709551615ULL);
    json_put_number(&o, NULL, -0.25, 6);
    json_put_number(&o, NULL, (double)NAN, 6);
    json_put_number(&o, NULL, (double)INFINITY, 6);
    json_open(&o, NULL, '{');
    json_close(&o, '}');
    json_put_bool(&o, NULL, true);
    json_close(&o, ']');
    json_put_bool(&o, "no", false);
    json_put_null(&o, "none");
    json_close(&o, '}');
    assert_string_equal(t.s, "{\"a\\\"b\":\"<x>\\u000a\",\"list\":[18446744073709551615,"
                             "-0.25,null,null,{},true],\"no\":false,\"none\":null}");
    assert_int_equal(parse(&j, t.s, NULL), PECK_OK);
    assert_true(json_bool(json_get(j.node, "no"), &is_so));
    assert_false(is_so);
    assert_false(json_bool(json_get(j.node, "none"), &is_so));
    json_free(&j);
    text_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tree_is_walked_in_order),
        cmocka_unit_test(whole_numbers_fit_or_are_refused),
        cmocka_unit_test(escapes_are_undone),
        cmocka_unit_test(broken_text_is_refused),
        cmocka_unit_test(every_cut_of_a_header_is_refused),
        cmocka_unit_test(deep_nesting_is_refused),
        cmocka_unit_test(quoted_text_reads_back),
        cmocka_unit_test(bytes_that_are_no_utf8_become_the_replacement_character),
        cmocka_unit_test(what_is_written_has_its_commas_and_reads_back),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
