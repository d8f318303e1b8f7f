/* test_status.c -- what a message repeats of somebody's file does no harm on a terminal. */
#include "support/check.h"

#include "base/status.h"

static void control_characters_become_question_marks(void **state)
{
    (void)state;
    static const struct {
        const char *from, *to;
    } cases[] = {
        { "plain text", "plain text" },
        { "\033]0;title\007", "?]0;title?" },
        { "\033[31mred\033[0m", "?[31mred?[0m" },
        { "a\tb\rc\177d", "a?b?c?d" },
        { "\xC2\x9B 31m", "?? 31m" }, /* C1, as UTF-8 */
        { "\x9B 31m", "? 31m" },      /* and as a byte */
        { "caf\xC3\xA9 \xE6\x96\x87", "caf\xC3\xA9 \xE6\x96\x87" },
        { "\xC2\xA0", "\xC2\xA0" },            /* the first one after C1 */
        { "\xE6\x96", "??" },                  /* a character that was cut */
        { "\xC0\xAF \xED\xA0\x80", "?? ???" }, /* overlong; half a pair */
        { "", "" },
    };

    for (size_t i = 0; i < N_OF(cases); i++) {
        peck_error err;
        char text[64];

        assert_int_equal(fail(&err, PECK_FORMAT, "%s", cases[i].from), PECK_FORMAT);
        assert_string_equal(err.text, cases[i].to);
        snprintf(text, sizeof text, "%s", cases[i].from);
        peck_text_plain(text, 1);
        assert_string_equal(text, cases[i].to);
    }
}

/* A quoted cell or a file's name may hold a line break; only a message's own ones stay. */
static void line_breaks_stay_where_the_message_has_its_own(void **state)
{
    (void)state;
    peck_error err;
    char text[] = "a\nb";

    fail(&err, PECK_FORMAT, "%s: no", "a\nb");
    assert_string_equal(err.text, "a?b: no");
    fail(&err, PECK_FORMAT, "%s\n  ^", "a");
    assert_string_equal(err.text, "a\n  ^");
    peck_text_plain(text, 1);
    assert_string_equal(text, "a\nb");
    peck_text_plain(text, 0);
    assert_string_equal(text, "a?b");
}

static void a_message_that_is_cut_stays_plain(void **state)
{
    (void)state;
    peck_error err;
    char long_text[1200];

    for (size_t i = 0; i + 3 < sizeof long_text; i += 3)
        memcpy(long_text + i, "\xE6\x96\x87", 3);
    long_text[sizeof long_text - 3] = '\0';
    fail(&err, PECK_FORMAT, "%s", long_text);
    assert_int_equal(strlen(err.text), sizeof err.text - 1);
    assert_int_equal(err.text[sizeof err.text - 2], '?'); /* 511 = 170 characters and 1 */
    assert_int_equal(fail(NULL, PECK_ARG, "%s", "x"), PECK_ARG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(control_characters_become_question_marks),
        cmocka_unit_test(line_breaks_stay_where_the_message_has_its_own),
        cmocka_unit_test(a_message_that_is_cut_stays_plain),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
