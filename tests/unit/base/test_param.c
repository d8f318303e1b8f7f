/* test_param.c -- settings tables: defaults, ranges, choices, and what a mistake reads
 * like.                                                                              */
#include "support/check.h"

#include "base/plug.h"
#include "base/view.h"

struct config {
    int64_t count, depth;
    double share, rate;
    int gain;
};

static const struct param table[] = {
    { "count", PARAM_INT, "10", "[1,1000]", "how many", offsetof(struct config, count) },
    { "depth", PARAM_INT, "0", "(-inf,inf)", "how deep", offsetof(struct config, depth) },
    { "share", PARAM_FLOAT, "0.5", "(0,1)", "which part", offsetof(struct config, share) },
    { "rate", PARAM_FLOAT, "1e-3", "[0,inf)", "how fast", offsetof(struct config, rate) },
    { "gain", PARAM_CHOICE, "linear", "exp|linear|none", "which",
      offsetof(struct config, gain) },
    { 0 },
};

static struct config defaults(void)
{
    struct config c;

    memset(&c, 0xAA, sizeof c);
    param_defaults(table, &c);
    return c;
}

static void defaults_land_in_their_fields(void **state)
{
    (void)state;
    const struct config c = defaults();

    assert_int_equal(c.count, 10);
    assert_int_equal(c.depth, 0);
    assert_true(c.share == 0.5 && c.rate == 1e-3);
    assert_int_equal(c.gain, 1);
}

static bool sets(struct config *c, const char *pair, peck_error *err)
{
    return param_set_pair(table, c, "web", span_of(pair), err) == PECK_OK;
}

static void values_inside_their_ranges_are_taken(void **state)
{
    (void)state;
    struct config c = defaults();
    peck_error err = { 0 };
    static const char *const pairs[] = { "count=1",   "count=1000",  "count=1e2",
                                         "depth=-5",  "share=0.001", "share=.999",
                                         "rate=0",    "rate=1e300",  "gain=exp",
                                         "gain=none", "gain=linear" };

    for (size_t i = 0; i < N_OF(pairs); i++)
        if (!sets(&c, pairs[i], &err))
            fail_msg("%s: %s", pairs[i], err.text);
    assert_int_equal(c.count, 100);
    assert_int_equal(c.depth, -5);
    assert_true(c.share == 0.999 && c.rate == 1e300);
    assert_int_equal(c.gain, 1);
}

static void values_outside_are_refused_and_change_nothing(void **state)
{
    (void)state;
    static const struct {
        const char *pair, *phrase;
    } cases[] = {
        { "count=0", "web: count=0: give a whole number in [1,1000]" },
        { "count=1001", "[1,1000]" },
        { "count=1.5", "a whole number" },
        { "count=", "count=:" },
        { "count=ten", "count=ten" },
        { "count=5x", "count=5x" },
        { "count= 5", "count= 5" },
        { "count=1e16", "[1,1000]" },
        { "depth=1e16", "a whole number" },
        { "depth=inf", "depth=inf" },
        { "depth=1e999", "depth=1e999" },
        { "share=0", "share=0: give a number in (0,1)" },
        { "share=1", "(0,1)" },
        { "share=nan", "(0,1)" },
        { "rate=-0.1", "[0,inf)" },
        { "rate=1e999", "[0,inf)" },
        { "gain=expo", "gain=expo: give one of exp|linear|none" },
        { "gain=", "exp|linear|none" },
        { "gain=exp|linear", "exp|linear|none" },
        { "gain", "'gain' is not a setting; write key=value" },
        { "", "'' is not a setting" },
        { "=5", "unknown setting ''" },
        { "cuont=5", "unknown setting 'cuont'; did you mean 'count'?" },
        { "zzzzz=5", "unknown setting 'zzzzz'; see" },
    };
    const struct config before = defaults();

    for (size_t i = 0; i < N_OF(cases); i++) {
        struct config c = before;
        peck_error err = { 0 };

        assert_false(sets(&c, cases[i].pair, &err));
        assert_failed(err, PECK_ARG, cases[i].phrase);
        assert_true(c.count == before.count && c.depth == before.depth &&
                    c.share == before.share && c.rate == before.rate &&
                    c.gain == before.gain);
    }
}

static void long_keys_and_values_are_cut_in_messages(void **state)
{
    (void)state;
    struct config c = defaults();
    peck_error err = { 0 };
    char pair[5000];

    memset(pair, 'k', sizeof pair - 1);
    pair[sizeof pair - 1] = '\0';
    pair[4000] = '=';
    assert_false(sets(&c, pair, &err));
    assert_failed(err, PECK_ARG, "unknown setting 'kkk");
    memcpy(pair, "count=", 6);
    assert_false(sets(&c, pair, &err));
    assert_failed(err, PECK_ARG, "[1,1000]");
}

static void values_print_as_they_would_be_typed(void **state)
{
    (void)state;
    struct config c = defaults();
    peck_error err = { 0 };
    static const char *const right[] = { "10", "-7", "0.5", "0.001", "none" };

    assert_true(sets(&c, "depth=-7", &err) && sets(&c, "gain=none", &err));
    for (size_t i = 0; i < N_OF(right); i++) {
        struct text t;

        text_init(&t, 100);
        param_print(&table[i], &c, &t);
        assert_string_equal(t.s, right[i]);
        text_free(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_land_in_their_fields),
        cmocka_unit_test(values_inside_their_ranges_are_taken),
        cmocka_unit_test(values_outside_are_refused_and_change_nothing),
        cmocka_unit_test(long_keys_and_values_are_cut_in_messages),
        cmocka_unit_test(values_print_as_they_would_be_typed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
