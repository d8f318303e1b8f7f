/* test_number.c -- decimal text to numbers and back, against strtod and strtof. */
#include "support/check.h"

#include "base/number.h"
#include "base/rng.h"

#include <float.h>
#include <locale.h>
#include <math.h>

/* Text as a reader sees it: padded, with something after it. */
static char padded[1024 + 64];

static const char *pad(const char *text)
{
    memset(padded, 0, sizeof padded);
    snprintf(padded, 1024, "%s", text);
    return padded;
}

/* Neighbouring doubles count as one apart. */
static bool within_one_ulp(double a, double b)
{
    return a == b || nextafter(a, b) == b;
}

/* Both roads, and the whole word, agree with strtod: to the bit when exact. */
static void check_like_strtod(const char *text, bool exact)
{
    const char *const p = pad(text);
    const double right = strtod(text, NULL);
    double read = -1, slow = -1, word = -1;

    if (number_read(p, &read) != p + strlen(text) ||
        number_slow(p, &slow) != p + strlen(text) || !number_parse(span_of(text), &word))
        fail_msg("'%s' was not read to its end", text);
    if (!same_double(slow, word))
        fail_msg("'%s': number_parse %.17g, number_slow %.17g", text, word, slow);
    if (exact ? !same_double(read, right) || !same_double(slow, right)
              : !within_one_ulp(read, right) || !within_one_ulp(slow, right))
        fail_msg("'%s' is %.17g, number_read %.17g, number_slow %.17g", text, right, read,
                 slow);
}

static char *put_digits(char *to, struct rng *r, size_t n)
{
    for (size_t i = 0; i < n; i++)
        *to++ = (char)('0' + rng_below(r, 10));
    return to;
}

/* [-] whole [. places] [e exponent] */
static void random_decimal(char *to, struct rng *r, size_t whole, size_t places,
                           int exponent)
{
    if (rng_below(r, 2) == 0)
        *to++ = "-+"[rng_below(r, 2)];
    to = put_digits(to, r, whole);
    if (places > 0 || rng_below(r, 8) == 0)
        *to++ = '.';
    to = put_digits(to, r, places);
    *to = '\0';
    if (exponent != 0)
        snprintf(to, 16, "%c%+d", rng_below(r, 2) == 0 ? 'e' : 'E', exponent);
}

static void fifteen_digits_are_exact(void **state)
{
    (void)state;
    struct rng r;
    char text[64];

    rng_seed(&r, 1, 0);
    for (int i = 0; i < 1000000; i++) {
        const size_t whole = 1 + rng_below(&r, 15);

        random_decimal(text, &r, whole, rng_below(&r, 16 - whole), 0);
        check_like_strtod(text, true);
    }
}

static void small_exponents_are_exact(void **state)
{
    (void)state;
    struct rng r;
    char text[64];

    rng_seed(&r, 2, 0);
    for (int i = 0; i < 300000; i++) {
        const size_t whole = 1 + rng_below(&r, 8);

        random_decimal(text, &r, whole, rng_below(&r, 8), (int)rng_below(&r, 30) - 14);
        check_like_strtod(text, true);
    }
}

/* One product or one quotient of exact operands, however many digits. */
static void nineteen_digits_are_exact(void **state)
{
    (void)state;
    struct rng r;
    char text[64];

    rng_seed(&r, 9, 0);
    for (int i = 0; i < 1000000; i++) {
        random_decimal(text, &r, 16 + rng_below(&r, 4), 0, (int)rng_below(&r, 45) - 22);
        check_like_strtod(text, true);
    }
}

static void any_decimal_is_within_one_ulp(void **state)
{
    (void)state;
    struct rng r;
    char text[128];

    rng_seed(&r, 3, 0);
    for (int i = 0; i < 1000000; i++) {
        const size_t whole = rng_below(&r, 24);

        random_decimal(text, &r, whole, rng_below(&r, 24) + (whole == 0),
                       rng_below(&r, 2) == 0 ? 0 : (int)rng_below(&r, 700) - 350);
        check_like_strtod(text, false);
    }
}

static void random_doubles_come_back_within_one_ulp(void **state)
{
    (void)state;
    struct rng r;
    char text[64];

    rng_seed(&r, 4, 0);
    for (int i = 0; i < 300000; i++) {
        const uint64_t bits = rng_u64(&r);
        double v;

        memcpy(&v, &bits, sizeof v);
        if (!isfinite(v))
            continue;
        snprintf(text, sizeof text, "%.17g", v);
        check_like_strtod(text, false);
    }
}

/* Every count of digits before and after the point, where the short path hands over. */
static void each_shape_of_digits_is_exact_or_close(void **state)
{
    (void)state;
    struct rng r;
    char text[128];

    rng_seed(&r, 5, 0);
    for (size_t whole = 0; whole <= 20; whole++)
        for (size_t places = whole == 0; places <= 25; places++)
            for (int i = 0; i < 200; i++) {
                random_decimal(text, &r, whole, places, 0);
                check_like_strtod(text, whole + places <= 15);
            }
}

/* The largest mantissas that the short path may take, and the first it may not. */
static void the_edge_of_53_bits_is_exact(void **state)
{
    (void)state;
    char text[64];

    for (int more = 1; more <= 7; more++)
        for (int off = -3; off <= 3; off++) {
            const uint64_t m = (1ULL << 53) + (uint64_t)(int64_t)off;
            char digits[32];

            snprintf(digits, sizeof digits, "%llu", (unsigned long long)m);
            const int whole = 16 - 8 - more; /* 16 digits in all */

            snprintf(text, sizeof text, "%.*s.%s", whole, digits, digits + whole);
            check_like_strtod(text, off <= 0);
        }
}

static void written_floats_read_back_the_same(void **state)
{
    (void)state;
    struct rng r;
    char text[NUMBER_MAX];

    rng_seed(&r, 6, 0);
    for (int i = 0; i < 2000000; i++) {
        const uint32_t bits =
            (uint32_t)rng_u64(&r) & (i % 4 == 0 ? 0x80FFFFFFu : UINT32_MAX);
        float v;
        double back;

        memcpy(&v, &bits, sizeof v);
        if (!isfinite(v))
            continue;
        const size_t n = number_write(text, v);

        assert_int_equal(n, strlen(text));
        assert_true(n < NUMBER_MAX);
        const char *const p = pad(text);

        if (number_read(p, &back) != p + n || (float)back != v || strtof(text, NULL) != v)
            fail_msg("%a was written '%s', which reads %a", (double)v, text, back);
    }
}

static void nine_digits_of_a_float_read_like_strtof(void **state)
{
    (void)state;
    struct rng r;
    char text[64];

    rng_seed(&r, 7, 0);
    for (int i = 0; i < 1000000; i++) {
        const uint32_t bits =
            (uint32_t)rng_u64(&r) & (i % 3 == 0 ? 0x807FFFFFu : UINT32_MAX); /* denormals */
        float v;
        double back = 0;

        memcpy(&v, &bits, sizeof v);
        if (!isfinite(v))
            continue;
        snprintf(text, sizeof text, "%.9g", (double)v);
        number_read(pad(text), &back);
        if (!same_float((float)back, strtof(text, NULL)))
            fail_msg("'%s': %a, strtof %a", text, back, (double)strtof(text, NULL));
    }
}

static void written_numbers_are_short(void **state)
{
    (void)state;
    static const struct {
        float value;
        const char *text;
    } cases[] = {
        { 0.0f, "0" },
        { -0.0f, "-0" },
        { 1.0f, "1" },
        { 0.1f, "0.1" },
        { -0.25f, "-0.25" },
        { 100.0f, "100" },
        { 0.000001f, "0.000001" },
        { 1e-7f, "1.00000001e-07" },
        { 16777216.0f, "16777216" },
        { 1e9f, "1e+09" },
        { 3.5e8f, "350000000" },
        { 0.333333f, "0.333333" },
        { FLT_MAX, "3.40282347e+38" },
        { -FLT_MIN, "-1.17549435e-38" },
        { 0x1p-149f, "1.40129846e-45" },
    };
    char text[NUMBER_MAX];

    for (size_t i = 0; i < N_OF(cases); i++) {
        number_write(text, cases[i].value);
        assert_string_equal(text, cases[i].text);
    }
}

/* Needs a locale that writes 0,5; machines without one say so. */
static void what_is_no_number_has_no_sign(void **state)
{
    char text[NUMBER_MAX];

    (void)state;
    assert_int_equal(number_print(text, sizeof text, 'g', 9, -(double)NAN), 3);
    assert_string_equal(text, "nan");
    assert_int_equal(number_write(text, -NAN), 3);
    assert_string_equal(text, "nan");
}

static void numbers_are_written_with_a_point_in_any_locale(void **state)
{
    (void)state;
    char text[NUMBER_MAX];

    if (setlocale(LC_NUMERIC, "de_DE.UTF-8") == NULL &&
        setlocale(LC_NUMERIC, "de_DE") == NULL) {
        print_message("skipped: no locale with a decimal comma is installed\n");
        skip();
    }
    number_write(text, 1.5e-12f);
    assert_string_equal(text, "1.49999999e-12");
    number_print(text, sizeof text, 'f', 3, -2.5);
    assert_string_equal(text, "-2.500");
    number_print(text, sizeof text, 'g', 4, 1e9);
    assert_string_equal(text, "1e+09");
    setlocale(LC_NUMERIC, "C");
}

static void what_follows_a_number_is_left_alone(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t length;
        double value;
    } cases[] = {
        { "1 2", 1, 1 },
        { "12:3", 2, 12 },
        { "0.5#x", 3, 0.5 },
        { "1.2.3", 3, 1.2 },
        { "1e5x", 3, 1e5 },
        { "1e", 1, 1 },
        { "1e+", 1, 1 },
        { "1E-x", 1, 1 },
        { "5.", 2, 5 },
        { "5.e1", 4, 50 },
        { ".5", 2, 0.5 },
        { "-.5e1", 5, -5 },
        { "+7", 2, 7 },
        { "0x10", 1, 0 },
        { "1234567\t8", 7, 1234567 },
        { "12345678 9", 8, 12345678 },
        { "1,5", 1, 1 },
        { "00012.50", 8, 12.5 },
        { "1.00000000\xff", 10, 1 },
        { "3\xb3", 1, 3 },
        { "1/", 1, 1 },
        { "1:", 1, 1 },
    };

    for (size_t i = 0; i < N_OF(cases); i++) {
        double v = -99, w = -99;
        const char *const p = pad(cases[i].text);

        if (number_read(p, &v) != p + cases[i].length ||
            number_slow(p, &w) != p + cases[i].length || v != cases[i].value || w != v)
            fail_msg("'%s': %.17g and %.17g", cases[i].text, v, w);
        assert_int_equal(number_parse(span_of(cases[i].text), &v),
                         strlen(cases[i].text) == cases[i].length);
    }
}

static void what_is_no_number_is_refused(void **state)
{
    (void)state;
    static const char *const cases[] = { "",    "-",  "+",    ".",    "-.",   "e5",
                                         ".e5", "x",  "--1",  "+-1",  "inf",  "nan",
                                         " 1",  ":1", "\xb1", "-inf", "NULL", "\n1" };

    for (size_t i = 0; i < N_OF(cases); i++) {
        double v;

        assert_null(number_read(pad(cases[i]), &v));
        assert_null(number_slow(pad(cases[i]), &v));
        assert_false(number_parse(span_of(cases[i]), &v));
    }
}

static void huge_and_tiny_numbers_become_infinite_or_zero(void **state)
{
    (void)state;
    char zeros[601];
    double v;

    for (const char *const *t =
             (const char *const[]){ "1e400", "1e309", "123e99999999999", NULL };
         *t != NULL; t++) {
        number_read(pad(*t), &v);
        assert_true(isinf(v) && v > 0);
    }
    number_read(pad("-1e999"), &v);
    assert_true(isinf(v) && v < 0);
    number_read(pad("1e-400"), &v);
    assert_true(v == 0);
    number_read(pad("0e999999999999999999999"), &v);
    assert_true(v == 0);
    check_like_strtod("1.7976931348623157e308", false);
    check_like_strtod("4.9406564584124654e-324", false);
    check_like_strtod("2.2250738585072011e-308", false);
    memset(zeros, '0', 600);
    zeros[600] = '\0';
    zeros[0] = '1';
    number_slow(pad(zeros), &v);
    assert_true(isinf(v));
    memcpy(zeros, "0.", 2);
    zeros[599] = '1';
    number_slow(pad(zeros), &v);
    assert_true(v == 0);
}

/* Digits beyond the nineteenth move the point, not the value. */
static void long_runs_of_digits_keep_their_size(void **state)
{
    (void)state;
    check_like_strtod("100000000000000000000000000000000000000000", false);
    check_like_strtod("0.00000000000000000000000000000000000000001234567890123456789",
                      false);
    check_like_strtod("12345678901234567890123456789.123456789", false);
    check_like_strtod("0000000000000000000000000000000000000000000000001.5", true);
    check_like_strtod("9007199254740993", false);
    check_like_strtod("18446744073709551615", false);
    check_like_strtod("18446744073709551616", false);
    check_like_strtod("99999999999999999999", false);
}

static void what_rounds_to_a_finite_float_fits(void **state)
{
    (void)state;
    const double most = 0x1.ffffffp127; /* rounds to even, which is infinite */

    assert_true(number_fits_float(FLT_MAX) && number_fits_float(-FLT_MAX));
    assert_true(number_fits_float(3.40282347e+38) && (float)3.40282347e+38 == FLT_MAX);
    assert_true(number_fits_float(nextafter(most, 0)));
    assert_true((float)nextafter(most, 0) == FLT_MAX);
    assert_false(number_fits_float(most) || number_fits_float(-most));
    assert_false(number_fits_float(HUGE_VAL) || number_fits_float((double)NAN));
    assert_true(number_fits_float(0) && number_fits_float(1e-300));
}

static void minus_zero_keeps_its_sign(void **state)
{
    (void)state;
    check_like_strtod("-0", true);
    check_like_strtod("-0.000", true);
    check_like_strtod("-0e5", true);
}

static void words_over_the_limit_are_no_numbers(void **state)
{
    (void)state;
    char long_word[600];
    double v;

    memset(long_word, '1', sizeof long_word);
    assert_true(number_parse((peck_span){ long_word, 300 }, &v));
    assert_true(number_parse((peck_span){ long_word, 511 }, &v));
    assert_false(number_parse((peck_span){ long_word, 512 }, &v));
    assert_false(number_parse((peck_span){ "1\0", 2 }, &v));
    assert_false(number_parse((peck_span){ "12", 0 }, &v));
    assert_true(number_parse((peck_span){ "12", 1 }, &v));
    assert_true(v == 1);
}

static void whole_numbers_stop_at_64_bits(void **state)
{
    (void)state;
    uint64_t v = 7;

    assert_true(number_parse_u64(span_of("0"), &v) && v == 0);
    assert_true(number_parse_u64(span_of("00042"), &v) && v == 42);
    assert_true(number_parse_u64(span_of("18446744073709551615"), &v) && v == UINT64_MAX);
    assert_false(number_parse_u64(span_of("18446744073709551616"), &v));
    assert_false(number_parse_u64(span_of("99999999999999999999"), &v));
    assert_false(number_parse_u64(span_of(""), &v));
    assert_false(number_parse_u64(span_of("-1"), &v));
    assert_false(number_parse_u64(span_of("+1"), &v));
    assert_false(number_parse_u64(span_of("1.0"), &v));
    assert_false(number_parse_u64(span_of("1 "), &v));
    assert_true(v == UINT64_MAX); /* failures leave it alone */
}

static void missing_words_are_known_in_any_case(void **state)
{
    (void)state;
    static const char *const yes[] = { "nan",  "NaN",  "NAN", "null",
                                       "NULL", "Null", "na",  "NA" };
    static const char *const no[] = { "",     "n", "nul", "nulls", "nan1",
                                      "none", "?", "0",   "-nan" };

    for (size_t i = 0; i < N_OF(yes); i++)
        assert_true(number_is_missing(span_of(yes[i])));
    for (size_t i = 0; i < N_OF(no); i++)
        assert_false(number_is_missing(span_of(no[i])));
}

static void leading_digits_are_counted_at_every_byte(void **state)
{
    (void)state;
    for (int n = 0; n <= 8; n++)
        for (int c = 0; c < 256; c++) {
            char bytes[9] = "12345678";

            if (n < 8)
                bytes[n] = (char)c;
            const int right = n < 8 && is_digit((char)c) ? 8 : n;

            assert_int_equal(digits_in(load8(bytes)), right);
        }
}

static void digits_have_their_value_at_every_length(void **state)
{
    (void)state;
    struct rng r;

    rng_seed(&r, 8, 0);
    for (int i = 0; i < 100000; i++) {
        const int n = 1 + (int)rng_below(&r, 8);
        char bytes[9];
        uint64_t right = 0;

        for (int k = 0; k < 8; k++)
            bytes[k] =
                (char)(k < n ? '0' + (int)rng_below(&r, 10) : (int)rng_below(&r, 256));
        for (int k = 0; k < n; k++)
            right = right * 10 + (uint64_t)(bytes[k] - '0');
        assert_int_equal(digits_value(load8(bytes), n), right);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fifteen_digits_are_exact),
        cmocka_unit_test(small_exponents_are_exact),
        cmocka_unit_test(nineteen_digits_are_exact),
        cmocka_unit_test(any_decimal_is_within_one_ulp),
        cmocka_unit_test(random_doubles_come_back_within_one_ulp),
        cmocka_unit_test(each_shape_of_digits_is_exact_or_close),
        cmocka_unit_test(the_edge_of_53_bits_is_exact),
        cmocka_unit_test(written_floats_read_back_the_same),
        cmocka_unit_test(nine_digits_of_a_float_read_like_strtof),
        cmocka_unit_test(written_numbers_are_short),
        cmocka_unit_test(what_is_no_number_has_no_sign),
        cmocka_unit_test(numbers_are_written_with_a_point_in_any_locale),
        cmocka_unit_test(what_follows_a_number_is_left_alone),
        cmocka_unit_test(what_is_no_number_is_refused),
        cmocka_unit_test(huge_and_tiny_numbers_become_infinite_or_zero),
        cmocka_unit_test(long_runs_of_digits_keep_their_size),
        cmocka_unit_test(what_rounds_to_a_finite_float_fits),
        cmocka_unit_test(minus_zero_keeps_its_sign),
        cmocka_unit_test(words_over_the_limit_are_no_numbers),
        cmocka_unit_test(whole_numbers_stop_at_64_bits),
        cmocka_unit_test(missing_words_are_known_in_any_case),
        cmocka_unit_test(leading_digits_are_counted_at_every_byte),
        cmocka_unit_test(digits_have_their_value_at_every_length),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
