/* test_strings.c -- string pools, the index from name to number, and spans. */
#include "support/check.h"

#include "base/rng.h"
#include "base/strings.h"

static int by_number(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

static void strings_come_back_in_order(void **state)
{
    (void)state;
    struct strings p = { 0 };

    assert_true(strings_add(&p, span_of("one")));
    assert_true(strings_add(&p, span_of("")));
    assert_true(strings_add(&p, (peck_span){ NULL, 0 }));
    assert_true(strings_add(&p, (peck_span){ "a\0b", 3 }));
    assert_int_equal(p.n, 4);
    assert_span(strings_get(&p, 0), "one");
    assert_int_equal(strings_get(&p, 1).n, 0);
    assert_int_equal(strings_get(&p, 2).n, 0);
    assert_int_equal(strings_get(&p, 3).n, 3);
    assert_memory_equal(strings_get(&p, 3).s, "a\0b", 3);
    strings_free(&p);
    assert_int_equal(p.n, 0);
    assert_null(p.at);
}

static void reserved_room_is_not_moved_by_adds(void **state)
{
    (void)state;
    struct strings p = { 0 };

    assert_true(strings_add(&p, span_of("head")));
    assert_true(strings_reserve(&p, 1000, 5000));
    const char *const bytes = p.bytes;
    const uint64_t *const at = p.at;

    for (int i = 0; i < 1000; i++)
        assert_true(strings_add(&p, span_of("12345")));
    assert_ptr_equal(p.bytes, bytes);
    assert_ptr_equal(p.at, at);
    assert_span(strings_get(&p, 0), "head");
    assert_span(strings_get(&p, 1000), "12345");
    strings_free(&p);
}

static void strings_are_taken_from_others_and_from_numbers(void **state)
{
    (void)state;
    struct strings from = { 0 }, p = { 0 };
    const uint32_t which[] = { 2, 0, 2 };

    for (size_t i = 9; i < 12; i++)
        assert_true(strings_add_number(&from, i));
    assert_true(strings_add_from(&p, &from, which, N_OF(which)));
    assert_true(strings_add_from(&p, &from, NULL, 2));
    assert_true(strings_add_from(&p, &from, NULL, 0));
    assert_int_equal(p.n, 5);
    assert_span(strings_get(&p, 0), "11");
    assert_span(strings_get(&p, 1), "9");
    assert_span(strings_get(&p, 2), "11");
    assert_span(strings_get(&p, 3), "9");
    assert_span(strings_get(&p, 4), "10");
    strings_free(&from);
    strings_free(&p);
}

static void borrowed_strings_are_left_to_their_owner(void **state)
{
    (void)state;
    char bytes[] = "abc";
    uint64_t at[] = { 0, 1, 3 };
    struct strings p = { .bytes = bytes, .at = at, .n = 2, .borrowed = true };

    assert_span(strings_get(&p, 0), "a");
    assert_span(strings_get(&p, 1), "bc");
    strings_free(&p);
    assert_int_equal(at[2], 3);
    assert_string_equal(bytes, "abc");
}

static void names_are_numbered_by_first_appearance(void **state)
{
    (void)state;
    struct index x = { 0 };

    assert_int_equal(index_find(&x, span_of("a")), -1);
    assert_int_equal(index_put(&x, span_of("b")), 0);
    assert_int_equal(index_put(&x, span_of("a")), 1);
    assert_int_equal(index_put(&x, span_of("b")), 0);
    assert_int_equal(index_put(&x, span_of("")), 2);
    assert_int_equal(index_find(&x, span_of("a")), 1);
    assert_int_equal(index_find(&x, span_of("")), 2);
    assert_int_equal(index_find(&x, span_of("c")), -1);
    assert_int_equal(x.names.n, 3);
    index_free(&x);
    assert_int_equal(index_find(&x, span_of("a")), -1);
}

/* Every length and every byte counts, also beyond the eight that are hashed at once. */
static void names_that_differ_in_one_byte_are_different(void **state)
{
    (void)state;
    struct index x = { 0 };
    char name[40];
    int64_t n = 0;

    for (size_t length = 1; length <= 33; length++) {
        memset(name, 'x', sizeof name);
        assert_int_equal(index_put(&x, (peck_span){ name, length }), n++);
        for (size_t i = 0; i < length; i++) {
            name[i] = 'y';
            assert_int_equal(index_put(&x, (peck_span){ name, length }), n++);
            name[i] = '\0';
            assert_int_equal(index_put(&x, (peck_span){ name, length }), n++);
            name[i] = 'x';
        }
    }
    assert_int_equal(x.names.n, n);
    index_free(&x);
}

static void many_names_are_found_again(void **state)
{
    (void)state;
    enum { MANY = 200000 };
    struct index x = { 0 };
    char name[40];

    for (int i = 0; i < MANY; i++) {
        snprintf(name, sizeof name, "query/%d/of-many", i * 7);
        assert_int_equal(index_put(&x, span_of(name)), i);
    }
    for (int i = 0; i < MANY; i++) {
        snprintf(name, sizeof name, "query/%d/of-many", i * 7);
        assert_int_equal(index_find(&x, span_of(name)), i);
        assert_int_equal(index_put(&x, span_of(name)), i);
        snprintf(name, sizeof name, "query/%d/of-many", i * 7 + 1);
        assert_int_equal(index_find(&x, span_of(name)), -1);
    }
    assert_int_equal(x.names.n, MANY);
    index_free(&x);
}

static void spans_are_trimmed_of_blanks_and_returns(void **state)
{
    (void)state;
    assert_span(span_trim(span_of(" \t a b \r")), "a b");
    assert_span(span_trim(span_of("x")), "x");
    assert_int_equal(span_trim(span_of(" \t\r ")).n, 0);
    assert_int_equal(span_trim(span_of("")).n, 0);
    assert_true(span_equal((peck_span){ NULL, 0 }, span_of("")));
    assert_true(span_is(span_of("ab"), "ab"));
    assert_false(span_is(span_of("ab"), "abc"));
    assert_false(span_is(span_of("abc"), "ab"));
}

static void distinct_names_are_found_by_their_places(void **state)
{
    static const char *const name[] = { "b", "a", "c", "a", "d" };
    struct strings names = { 0 };
    struct index x = { 0 };

    (void)state;
    assert_int_equal(index_distinct(&x, &names), 0);
    for (size_t i = 0; i < N_OF(name); i++)
        assert_true(strings_add(&names, span_of(name[i])));
    assert_int_equal(index_distinct(&x, &names), 3); /* then "a" comes again */
    index_free(&x);
    names.n = 3;
    assert_int_equal(index_distinct(&x, &names), 3);
    assert_int_equal(index_find(&x, span_of("c")), 2);
    index_free(&x);
    assert_true(strings_add(&names, span_of("")));
    assert_int_equal(index_distinct(&x, &names), 3); /* no name is no name */
    index_free(&x);
    strings_free(&names);
}

/* Names of 16 bytes that a hash without a key (FNV-1a by words, multiplied and mixed) sends
 * to one slot, each probed past all before it: with a key, no two have the same hash. */
static void names_made_to_collide_do_not(void **state)
{
    (void)state;
    enum { N = 20000 };
    struct index x = { 0 };
    uint64_t *const sorted = malloc(N * sizeof *sorted);

    for (uint64_t i = 0; i < N; i++) {
        uint64_t word[2] = { i * 0x0101010101010101ULL, 0 };
        uint64_t h = (0xcbf29ce484222325ULL ^ 16 ^ word[0]) * 0x9E3779B97F4A7C15ULL;

        word[1] = (h ^ h >> 29) ^ 12345;
        assert_int_equal(index_put(&x, (peck_span){ (const char *)word, 16 }), i);
    }
    memcpy(sorted, x.hash, N * sizeof *sorted);
    qsort(sorted, N, sizeof *sorted, by_number);
    for (size_t i = 1; i < N; i++)
        assert_true(sorted[i - 1] != sorted[i]);
    index_free(&x);
    free(sorted);
}

/* The key is drawn anew, the numbers do not depend on it. */
static void every_index_has_a_key_of_its_own(void **state)
{
    (void)state;
    struct index a = { 0 }, b = { 0 };

    for (size_t i = 0; i < 1000; i++) {
        char name[16];

        snprintf(name, sizeof name, "%zu", i * 7 % 1000);
        assert_int_equal(index_put(&a, span_of(name)), i);
        assert_int_equal(index_put(&b, span_of(name)), i);
    }
    assert_true(a.key[0] != b.key[0] && a.key[1] != b.key[1]);
    assert_true(a.hash[0] != b.hash[0]);
    index_free(&a);
    index_free(&b);
}

/* SipHash-1-3 under the key 00 01 .. 0f, by a program of its own that gives the published
 * values for the empty name, and for SipHash-2-4. */
static void names_are_hashed_as_published(void **state)
{
    static const struct {
        const char *name;
        uint64_t hash;
    } cases[] = {
        { "", UINT64_C(0xABAC0158050FC4DC) },
        { "a", UINT64_C(0x1C2697AB786A6237) },
        { "pecking", UINT64_C(0xF1198C75469568B1) },
        { "a pecker", UINT64_C(0x860C26E67E7DA614) },
        { "pecking order", UINT64_C(0x2013CC1EDDB6248D) },
        { "a pecking order!", UINT64_C(0xC91DDF1B342C843D) },
    };
    struct index x = { 0 };

    (void)state;
    assert_int_equal(index_put(&x, span_of("first")), 0); /* draws a key */
    x.key[0] = UINT64_C(0x0706050403020100);
    x.key[1] = UINT64_C(0x0F0E0D0C0B0A0908);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(index_put(&x, span_of(cases[i].name)), i + 1);
        assert_true(x.hash[i + 1] == cases[i].hash);
    }
    index_free(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distinct_names_are_found_by_their_places),
        cmocka_unit_test(strings_come_back_in_order),
        cmocka_unit_test(reserved_room_is_not_moved_by_adds),
        cmocka_unit_test(strings_are_taken_from_others_and_from_numbers),
        cmocka_unit_test(borrowed_strings_are_left_to_their_owner),
        cmocka_unit_test(names_are_numbered_by_first_appearance),
        cmocka_unit_test(names_that_differ_in_one_byte_are_different),
        cmocka_unit_test(many_names_are_found_again),
        cmocka_unit_test(spans_are_trimmed_of_blanks_and_returns),
        cmocka_unit_test(names_made_to_collide_do_not),
        cmocka_unit_test(every_index_has_a_key_of_its_own),
        cmocka_unit_test(names_are_hashed_as_published),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
