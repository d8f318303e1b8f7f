/* test_text.c -- growable text with a maximum, and the words of a failure. */
#include "support/check.h"

#include "base/status.h"
#include "base/strings.h"

static void pieces_add_up(void **state)
{
    (void)state;
    struct text t;

    text_init(&t, 1000);
    text_add_str(&t, "one ");
    text_printf(&t, "%d %s ", 2, "three");
    text_add(&t, "four and more", 4);
    assert_false(t.failed);
    assert_string_equal(t.s, "one 2 three four");
    assert_int_equal(t.len, strlen(t.s));
    text_free(&t);
    assert_null(t.s);
}

/* Under UBSan a copy from nowhere is an error, be it of nothing. */
static void an_empty_span_may_point_nowhere(void **state)
{
    (void)state;
    struct text t;

    text_init(&t, 10);
    text_add(&t, NULL, 0);
    assert_false(t.failed);
    assert_string_equal(t.s, "");
    text_free(&t);
}

static void long_text_is_kept_whole(void **state)
{
    (void)state;
    struct text t;

    text_init(&t, 1 << 20);
    for (int i = 0; i < 20000; i++)
        text_printf(&t, "%05d", i);
    assert_false(t.failed);
    assert_int_equal(t.len, 100000);
    for (int i = 0; i < 20000; i++) {
        char five[16];

        snprintf(five, sizeof five, "%05d", i);
        assert_memory_equal(t.s + 5 * i, five, 5);
    }
    text_free(&t);
}

static void the_maximum_is_reached_but_not_passed(void **state)
{
    (void)state;
    struct text t;

    text_init(&t, 5);
    text_add_str(&t, "12345");
    assert_false(t.failed);
    text_add_str(&t, "");
    assert_false(t.failed);
    text_add_str(&t, "6");
    assert_true(t.failed);
    assert_string_equal(t.s, "12345");
    text_free(&t);
    text_init(&t, 5);
    text_printf(&t, "%s", "123456");
    assert_true(t.failed);
    text_free(&t);
}

static void failure_sticks(void **state)
{
    (void)state;
    struct text t;

    text_init(&t, 3);
    text_add_str(&t, "four");
    text_add_str(&t, "1");
    text_printf(&t, "%d", 1);
    assert_true(t.failed);
    assert_int_equal(t.len, 0);
    text_free(&t);
}

static void a_failure_is_put_into_words(void **state)
{
    (void)state;
    peck_error err;

    assert_int_equal(fail(&err, PECK_FORMAT, "%s:%d: bad", "a.txt", 7), PECK_FORMAT);
    assert_int_equal(err.status, PECK_FORMAT);
    assert_string_equal(err.text, "a.txt:7: bad");
    assert_int_equal(fail(NULL, PECK_IO, "nobody listens"), PECK_IO);
    assert_int_equal(fail_memory(&err, "the rows", 2000000, 4), PECK_NOMEM);
    assert_string_equal(err.text, "out of memory: the rows needs 8.0 MB");
}

static void long_sentences_are_cut_and_ended(void **state)
{
    (void)state;
    peck_error err;
    char words[2000];

    memset(words, 'w', sizeof words - 1);
    words[sizeof words - 1] = '\0';
    assert_int_equal(fail(&err, PECK_ARG, "%s", words), PECK_ARG);
    assert_int_equal(strlen(err.text), sizeof err.text - 1);
}

static void every_status_has_a_text(void **state)
{
    char number[32];

    (void)state;
    assert_string_equal(peck_status_text(PECK_OK), "ok");
    assert_string_equal(peck_status_text(PECK_FORMAT), "malformed input");
    assert_string_equal(peck_status_text(PECK_UNSUPPORTED), "left out of this build");
    assert_string_equal(peck_status_text((peck_status)77), "unknown status");
    assert_string_equal(peck_version(), PECK_VERSION);
    assert_int_equal(peck_version_number(), PECK_VERSION_NUMBER);
    snprintf(number, sizeof number, "%d.%d.%d", PECK_VERSION_NUMBER / 10000,
             PECK_VERSION_NUMBER / 100 % 100, PECK_VERSION_NUMBER % 100);
    assert_string_equal(number, PECK_VERSION);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_add_up),
        cmocka_unit_test(an_empty_span_may_point_nowhere),
        cmocka_unit_test(long_text_is_kept_whole),
        cmocka_unit_test(the_maximum_is_reached_but_not_passed),
        cmocka_unit_test(failure_sticks),
        cmocka_unit_test(a_failure_is_put_into_words),
        cmocka_unit_test(long_sentences_are_cut_and_ended),
        cmocka_unit_test(every_status_has_a_text),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
