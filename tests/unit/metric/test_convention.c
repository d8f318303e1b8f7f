/* test_convention.c -- names, parts and what they mean for a label or a rank. */
#include "metric/metric.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static struct convention parse(const char *text)
{
    struct convention c;
    peck_error err = { 0 };

    if (convention_parse(&c, text, &err) != PECK_OK)
        fail_msg("%s: %s", text, err.text);
    return c;
}

static void assert_refused(const char *text, const char *words)
{
    struct convention c;
    peck_error err = { 0 };

    assert_int_equal(convention_parse(&c, text, &err), PECK_ARG);
    assert_int_equal(err.status, PECK_ARG);
    if (strstr(err.text, words) == NULL)
        fail_msg("'%s' does not say '%s'", err.text, words);
}

static void no_name_means_standard(void **state)
{
    const char *const names[] = { NULL, "", "standard" };

    (void)state;
    for (int i = 0; i < 3; i++) {
        const struct convention c = parse(names[i]);

        assert_string_equal(c.preset->plug.about.name, "standard");
        assert_int_equal(c.gain, GAIN_EXP);
        assert_int_equal(c.empty, EMPTY_ZERO);
        assert_int_equal(c.short_list, SHORT_PAD);
        assert_int_equal(c.unjudged, UNJUDGED_SKIP);
        assert_true(c.rel == 1.0);
        assert_int_equal(c.depth, 0);
        assert_int_equal(c.top_label, 31);
    }
}

static void a_part_overrides_its_preset(void **state)
{
    const struct convention c = parse("letor4, gain=linear ,ties=worst,rel=1.5,depth=0");

    (void)state;
    assert_string_equal(c.preset->plug.about.name, "letor4");
    assert_int_equal(c.gain, GAIN_LINEAR);
    assert_int_equal(c.discount, DISCOUNT_LETOR);
    assert_int_equal(c.short_list, SHORT_ZERO);
    assert_int_equal(c.ties, TIES_WORST);
    assert_true(c.rel == 1.5);
    assert_int_equal(c.depth, 0);
}

static void parts_alone_stand_on_standard(void **state)
{
    const struct convention c = parse("empty=skip,labels=binary");

    (void)state;
    assert_string_equal(c.preset->plug.about.name, "standard");
    assert_int_equal(c.empty, EMPTY_SKIP);
    assert_int_equal(c.labels, LABELS_BINARY);
}

static void every_part_can_be_set_by_its_name(void **state)
{
    const struct convention c = parse("discount=letor,short=zero,unjudged=zero,ap=cut");

    (void)state;
    assert_int_equal(c.discount, DISCOUNT_LETOR);
    assert_int_equal(c.short_list, SHORT_ZERO);
    assert_int_equal(c.unjudged, UNJUDGED_ZERO);
    assert_int_equal(c.ap, AP_CUT);
    assert_int_equal(parse("ap=all").ap, AP_ALL);
}

static void mistyped_names_meet_a_suggestion(void **state)
{
    (void)state;
    assert_refused("lector4", "did you mean 'letor4'");
    assert_refused("letor4,gian=linear", "did you mean 'gain'");
    assert_refused("letor4,gain=cubic", "exp|linear|letor|mslr");
    assert_refused("letor4,trec", "comes first and once");
    assert_refused("letor4,rel=-1", "rel=-1");
    assert_refused("letor4,", "comes first and once");
    assert_refused(",letor4", "unknown convention");
}

static void printing_gives_every_part_and_reads_back(void **state)
{
    (void)state;
    for (size_t i = 0; i < n_conventions; i++) {
        const struct convention c = parse(conventions[i]->plug.about.name);
        const struct param *const parts = conventions[i]->plug.params;
        struct text text;
        char pair[64];

        text_init(&text, 4096);
        convention_print(&c, &text);
        assert_false(text.failed);
        assert_ptr_equal(strstr(text.s, conventions[i]->plug.about.name), text.s);
        for (size_t p = 0; parts[p].type != PARAM_END; p++) {
            snprintf(pair, sizeof pair, "%s=%s", parts[p].key,
                     preset_part(conventions[i], p));
            if (strstr(text.s, pair) == NULL)
                fail_msg("'%s' is not in '%s'", pair, text.s);
        }
        *strchr(text.s, ':') = ',';
        const struct convention again = parse(text.s);

        assert_memory_equal(&again, &c, sizeof c);
        text_free(&text);
    }
}

static void gains_follow_their_tables(void **state)
{
    const struct convention power = parse("gain=exp"), plain = parse("gain=linear");
    const struct convention letor = parse("gain=letor"), mslr = parse("gain=mslr");
    const double exps[] = { 0, 1, 3, 7, 15, 31 };

    (void)state;
    for (int y = 0; y <= 5; y++) {
        assert_true(convention_gain(&power, y) == exps[y]);
        assert_true(convention_gain(&plain, y) == y);
        assert_true(convention_gain(&letor, y) == (y <= 2 ? exps[y] : 0));
        assert_true(convention_gain(&mslr, y) == (y <= 4 ? exps[y] : 0));
    }
    assert_true(convention_gain(&letor, 1.5) == 0);
    assert_true(fabs(convention_gain(&power, 0.5) - (sqrt(2) - 1)) < 1e-15);
}

static void rank_two_is_not_discounted_under_letor(void **state)
{
    const struct convention log2s = parse("standard"), letor = parse("letor3");

    (void)state;
    assert_true(convention_discount(&log2s, 1) == 1);
    assert_true(fabs(convention_discount(&log2s, 2) - 0.63092975357145743) < 1e-15);
    assert_true(convention_discount(&log2s, 3) == 0.5);
    assert_true(convention_discount(&letor, 1) == 1);
    assert_true(convention_discount(&letor, 2) == 1);
    assert_true(fabs(convention_discount(&letor, 3) - 0.63092975357145743) < 1e-15);
    assert_true(convention_discount(&letor, 4) == 0.5);
}

static void labels_are_cut_or_made_binary(void **state)
{
    const struct convention whole = parse("labels=int"), two = parse("labels=binary,rel=2");
    const struct convention real = parse("rel=1.5");

    (void)state;
    assert_true(convention_label(&whole, 2.9) == 2);
    assert_true(convention_label(&two, 1.9) == 0);
    assert_true(convention_label(&two, 2) == 1);
    assert_true(convention_relevant(&two, 1));
    assert_false(convention_relevant(&two, 0));
    assert_true(convention_label(&real, 1.25) == 1.25);
    assert_false(convention_relevant(&real, 1.25));
    assert_true(convention_relevant(&real, 1.5));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_name_means_standard),
        cmocka_unit_test(a_part_overrides_its_preset),
        cmocka_unit_test(parts_alone_stand_on_standard),
        cmocka_unit_test(every_part_can_be_set_by_its_name),
        cmocka_unit_test(mistyped_names_meet_a_suggestion),
        cmocka_unit_test(printing_gives_every_part_and_reads_back),
        cmocka_unit_test(gains_follow_their_tables),
        cmocka_unit_test(rank_two_is_not_discounted_under_letor),
        cmocka_unit_test(labels_are_cut_or_made_binary),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
