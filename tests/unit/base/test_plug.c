/* test_plug.c -- lookup by name, and the nearest name for those who mistype. */
#include "support/check.h"

#include "base/plug.h"
#include "base/view.h"

static const struct plug ndcg = { { "ndcg", "gain", "doc" }, NULL };
static const struct plug map = { { "map", "precision", "doc" }, NULL };
static const struct plug pairacc = { { "pairacc", "pairs", "doc" }, NULL };
static const struct plug *const plugs[] = { &ndcg, &map, &pairacc };

static const char *nearest(const char *name)
{
    static const char *const known[] = { "ndcg",    "map",     "mrr",
                                         "pairacc", "pairerr", "convert" };

    return peck_nearest(name, known, N_OF(known));
}

static void a_plug_is_found_by_its_whole_name(void **state)
{
    (void)state;
    peck_error err = { 0 };

    assert_ptr_equal(plug_find(plugs, 3, "metric", span_of("map"), &err), &map);
    assert_ptr_equal(plug_find(plugs, 3, "metric", (peck_span){ "ndcg@10", 4 }, &err),
                     &ndcg);
    assert_null(plug_find(plugs, 3, "metric", span_of("ma"), &err));
    assert_null(plug_find(plugs, 3, "metric", span_of(""), &err));
    assert_null(plug_find(plugs, 0, "metric", span_of("map"), &err));
}

static void an_unknown_name_is_told_with_the_nearest(void **state)
{
    (void)state;
    peck_error err = { 0 };

    assert_null(plug_find(plugs, 3, "metric", span_of("ndgc"), &err));
    assert_failed(err, PECK_ARG, "unknown metric 'ndgc'; did you mean 'ndcg'?");
    assert_null(plug_find(plugs, 3, "metric", span_of("qqqqqq"), &err));
    assert_failed(err, PECK_ARG, "unknown metric 'qqqqqq'; see `peck list metrics`");
    assert_null(plug_find(plugs, 3, "metric", span_of("x"), NULL));
}

static void names_are_found_however_they_are_written(void **state)
{
    (void)state;
    assert_ptr_equal(plug_named(plugs, 3, "metric", span_of("Pair_Acc")), &pairacc);
    assert_ptr_equal(plug_named(plugs, 3, "metric", span_of("pair acc")), &pairacc);
    assert_ptr_equal(plug_named(plugs, 3, "metric", span_of("Average-Precision")), &map);
    assert_null(plug_named(plugs, 3, "method", span_of("Average-Precision")));
    assert_null(plug_named(plugs, 3, "metric", span_of("auc"))); /* near, not the same */
    assert_null(plug_named(plugs, 3, "metric", span_of("")));
    assert_null(plug_named(plugs, 3, "metric", span_of("_")));
}

static void words_of_other_tools_are_near(void **state)
{
    static const char *const verbs[] = { "score", "train", "eval" };
    static const char *const settings[] = { "epochs", "rate" };

    (void)state;
    assert_string_equal(peck_nearest("fit", verbs, N_OF(verbs)), "train");
    assert_string_equal(peck_nearest("PREDICT", verbs, N_OF(verbs)), "score");
    assert_string_equal(peck_nearest("learning_rate", settings, N_OF(settings)), "rate");
    /* The first line of words.def whose word is known here. */
    assert_string_equal(peck_nearest("n_estimators", settings, N_OF(settings)), "epochs");
    assert_null(peck_nearest("num_leaves", settings, N_OF(settings)));
}

static void small_slips_are_near(void **state)
{
    (void)state;
    assert_string_equal(nearest("ndgc"), "ndcg");  /* swapped */
    assert_string_equal(nearest("ndc"), "ndcg");   /* left out */
    assert_string_equal(nearest("nddcg"), "ndcg"); /* put in */
    assert_string_equal(nearest("mab"), "map");    /* changed */
    assert_string_equal(nearest("pairac"), "pairacc");
    assert_string_equal(nearest("covnert"), "convert");
    assert_string_equal(nearest("conv"), "convert"); /* its beginning */
    assert_string_equal(nearest("ndcg"), "ndcg");
}

static void other_words_are_not_near(void **state)
{
    (void)state;
    assert_null(nearest(""));
    assert_null(nearest("x"));
    assert_null(nearest("precision"));
    assert_null(nearest("zzzz"));
    assert_null(peck_nearest("map", NULL, 0));
}

/* Too long to be measured is not near, however long the word. */
static void very_long_words_are_near_nothing(void **state)
{
    (void)state;
    char word[1000];

    for (size_t n = 60; n < sizeof word; n++) {
        memset(word, 'q', n);
        word[n] = '\0';
        assert_null(nearest(word));
    }
    memset(word, 'q', 300);
    word[300] = '\0';
    const char *const known[] = { word };

    assert_null(peck_nearest("map", known, 1));
}

/* Settings that came late are told where they are not what they always were. */
static void a_late_setting_is_told_where_it_has_another_value(void **state)
{
    struct late_config {
        int64_t n;
        double x;
        int kind;
        char word[PARAM_TEXT_MAX];
    } config;
    const struct param table[] = {
        { "n", PARAM_INT | PARAM_LATE, "3", "[0,9]", "", offsetof(struct late_config, n) },
        { "x", PARAM_FLOAT, "0.5", "[0,1]", "", offsetof(struct late_config, x) },
        { "kind", PARAM_CHOICE | PARAM_LATE, "a", "a|b", "",
          offsetof(struct late_config, kind) },
        { "word", PARAM_TEXT | PARAM_LATE, "w", "a word", "",
          offsetof(struct late_config, word) },
        { 0 },
    };
    peck_error err = { 0 };
    struct text t;

    (void)state;
    text_init(&t, 100);
    param_defaults(table, &config);
    params_print(table, &config, &t);
    assert_string_equal(t.s, "x=0.5");
    assert_ok(param_set_pair(table, &config, "t", span_of("kind=b"), &err), err);
    assert_ok(param_set_pair(table, &config, "t", span_of("n=4"), &err), err);
    assert_ok(param_set_pair(table, &config, "t", span_of("word=ww"), &err), err);
    assert_int_equal(param_set_pair(table, &config, "t", span_of("n=10"), &err), PECK_ARG);
    assert_failed(err, PECK_ARG, "t: n=10: give a whole number in [0,9]");
    t.len = 0;
    params_print(table, &config, &t);
    assert_string_equal(t.s, "n=4 x=0.5 kind=b word=ww");
    params_print(NULL, NULL, &t);
    assert_string_equal(t.s, "n=4 x=0.5 kind=b word=ww");
    text_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_late_setting_is_told_where_it_has_another_value),
        cmocka_unit_test(a_plug_is_found_by_its_whole_name),
        cmocka_unit_test(an_unknown_name_is_told_with_the_nearest),
        cmocka_unit_test(names_are_found_however_they_are_written),
        cmocka_unit_test(words_of_other_tools_are_near),
        cmocka_unit_test(small_slips_are_near),
        cmocka_unit_test(other_words_are_not_near),
        cmocka_unit_test(very_long_words_are_near_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
