/* test_grid.c -- points of a grid and the settings they make. */
#include "support/check.h"

#include "select/select.h"

static peck_error err;

static void without_axes_there_is_one_point(void **state)
{
    static const char *const base[] = { "epochs=3", "lambda=1", NULL };
    struct grid g;
    struct point_settings p;

    (void)state;
    assert_ok(grid_open(&g, NULL, "ranknet", &err), err);
    assert_int_equal(g.n_points, 1);
    assert_ok(point_settings_open(&p, &g, 0, "ranknet", base, "zscore", &err), err);
    assert_string_equal(p.settings[0], "epochs=3"); /* lambda is no setting of ranknet */
    assert_null(p.settings[1]);
    assert_string_equal(p.norm, "zscore");
    point_settings_close(&p);
    grid_close(&g);
}

static void the_last_axis_turns_fastest(void **state)
{
    static const char *const specs[] = { "rate=1,2", "hidden=3,4-5", "norm=zscore", NULL };
    static const char *const expected[] = { "rate=1 hidden=3 norm=zscore",
                                            "rate=1 hidden=4-5 norm=zscore",
                                            "rate=2 hidden=3 norm=zscore",
                                            "rate=2 hidden=4-5 norm=zscore" };
    struct grid g;

    (void)state;
    assert_ok(grid_open(&g, specs, "ranknet", &err), err);
    assert_int_equal(g.n_points, 4);
    for (size_t i = 0; i < 4; i++) {
        struct text text;
        struct point_settings p;

        text_init(&text, 1000);
        grid_describe(&g, i, &text);
        assert_string_equal(text.s, expected[i]);
        text_free(&text);
        assert_ok(point_settings_open(&p, &g, i, "ranknet", NULL, "none", &err), err);
        assert_string_equal(p.settings[0], i < 2 ? "rate=1" : "rate=2");
        assert_string_equal(p.settings[1], i % 2 == 0 ? "hidden=3" : "hidden=4-5");
        assert_null(p.settings[2]);
        assert_string_equal(p.norm, "zscore");
        point_settings_close(&p);
    }
    grid_close(&g);
}

/* Rules have a weight and settings of their own, whatever the method. */
static void axes_of_rules_are_apart_from_those_of_methods(void **state)
{
    static const char *const specs[] = { "rules-weight=0,2", "rate=1", "rules.alpha=3",
                                         "rules.all=mean", NULL };
    struct grid g;
    struct point_settings p;
    struct text text;

    (void)state;
    assert_ok(grid_open(&g, specs, "ranknet", &err), err);
    assert_int_equal(g.n_points, 2);
    text_init(&text, 1000);
    grid_describe(&g, 1, &text);
    assert_string_equal(text.s, "rules-weight=2 rate=1 rules.alpha=3 rules.all=mean");
    text_free(&text);
    assert_ok(point_settings_open(&p, &g, 1, "ranknet", NULL, NULL, &err), err);
    assert_string_equal(p.settings[0], "rate=1");
    assert_null(p.settings[1]);
    assert_string_equal(p.of_rules[0], "alpha=3");
    assert_string_equal(p.of_rules[1], "all=mean");
    assert_null(p.of_rules[2]);
    assert_string_equal(p.rules_weight, "2");
    point_settings_close(&p);
    grid_close(&g);
    assert_false(is_rule_key(span_of("rules_batch")));
    assert_false(is_rule_key(span_of("rules.")));
}

static void axes_of_other_methods_are_left_out(void **state)
{
    static const char *const specs[] = { "rate=1,2", "lambda=1,2,3", NULL };
    struct grid g;

    (void)state;
    assert_ok(grid_open(&g, specs, "ridge", &err), err);
    assert_int_equal(g.n_points, 3);
    grid_close(&g);
}

static void what_is_no_axis_is_refused(void **state)
{
    static const struct {
        const char *spec[3], *phrase;
    } bad[] = { { { "rate" }, "KEY=A,B,C" }, { { "=1" }, "KEY=A,B,C" },
                { { "rate=" }, "empty" },    { { "rate=1," }, "empty" },
                { { "rate=,1" }, "empty" },  { { "rate=1", "rate=2" }, "twice" } };

    (void)state;
    for (size_t i = 0; i < N_OF(bad); i++) {
        struct grid g;

        assert_int_equal(grid_open(&g, bad[i].spec, "ranknet", &err), PECK_ARG);
        assert_failed(err, PECK_ARG, bad[i].phrase);
    }
}

static void a_grid_has_a_limit(void **state)
{
    char axis[2][4000] = { "rate=1", "l2=1" };
    const char *const specs[] = { axis[0], axis[1], NULL };
    struct grid g;

    (void)state;
    for (int i = 0; i < 2; i++)
        for (size_t n = strlen(axis[i]); n < 1200; n += 2)
            memcpy(axis[i] + n, ",1", 3);
    assert_int_equal(grid_open(&g, specs, "ranknet", &err), PECK_ARG);
    assert_failed(err, PECK_ARG, "points");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_axes_there_is_one_point),
        cmocka_unit_test(the_last_axis_turns_fastest),
        cmocka_unit_test(axes_of_rules_are_apart_from_those_of_methods),
        cmocka_unit_test(axes_of_other_methods_are_left_out),
        cmocka_unit_test(what_is_no_axis_is_refused),
        cmocka_unit_test(a_grid_has_a_limit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
