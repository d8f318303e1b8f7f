/* test_recipe.c -- settings of a method: where they come from, and who is asked. */
#include "learn/learn.h"

#include "support/check.h"

static struct text printed; /* of the last plan_of */

/* Every setting of the plan, as text. */
static const char *plan_of(const char *method, const char *const *settings)
{
    struct plan plan;
    peck_error err = { 0 };

    text_free(&printed);
    text_init(&printed, 1 << 16);
    assert_ok(plan_open(&plan, method, settings, NULL, &err), err);
    plan_print(&plan, &printed);
    plan_close(&plan);
    return printed.s;
}

#define SETTINGS(...)     \
    (const char *const[]) \
    {                     \
        __VA_ARGS__, NULL \
    }

#define assert_has(text, part)                               \
    do {                                                     \
        if (strstr((text), (part)) == NULL)                  \
            fail_msg("\"%s\" is not in \"%s\"", part, text); \
    } while (0)

static void tuned_is_the_preset_unless_told(void **state)
{
    (void)state;
    assert_has(plan_of("ranknet", NULL), "preset=tuned");
    assert_has(printed.s, "optimiser=adam");
    assert_has(plan_of("ranknet", SETTINGS("preset=paper")), "preset=paper");
    assert_has(printed.s, "optimiser=sgd");
    assert_has(printed.s, "rate=0.001");
    assert_has(printed.s, "schedule=halving");
    assert_has(printed.s, "init=ranknet");
}

static void the_user_has_the_last_word_wherever_the_preset_stands(void **state)
{
    (void)state;
    assert_has(plan_of("ranknet", SETTINGS("rate=0.5", "preset=paper")), "rate=0.5 ");
    assert_has(printed.s, "schedule=halving");
    assert_has(plan_of("ranknet", SETTINGS("preset=paper", "rate=0.5")), "rate=0.5 ");
    assert_has(plan_of("ranknet", SETTINGS("rate=0.5", "rate=0.25")), "rate=0.25 ");
}

static void settings_reach_every_table(void **state)
{
    (void)state;
    plan_of("lambdarank",
            SETTINGS("norm=minmax", "epochs=7", "hidden=3-2", "sigma=2", "pairs=adjacent"));
    assert_has(printed.s, "norm=minmax");
    assert_has(printed.s, "epochs=7");
    assert_has(printed.s, "hidden=3-2");
    assert_has(printed.s, "sigma=2");
    assert_has(printed.s, "pairs=adjacent");
}

static void refuse(const char *method, const char *setting, const char *phrase)
{
    struct plan plan;
    peck_error err = { 0 };

    assert_int_equal(plan_open(&plan, method, SETTINGS(setting), NULL, &err), PECK_ARG);
    assert_failed(err, PECK_ARG, phrase);
    plan_close(&plan); /* takes what a failure leaves */
}

static void methods_of_labels_have_no_settings_of_pairs(void **state)
{
    static const char *const method[] = { "ridge", "listnet", "rankprop" };
    static const char *const of_pairs[] = { "pairs=", "sample=", "sample_over=", "ties=",
                                            "unlabelled=" };

    (void)state;
    for (size_t m = 0; m < 3; m++) {
        assert_has(plan_of(method[m], SETTINGS("binarise=2")), " binarise=2");
        for (size_t i = 0; i < 5; i++)
            if (strstr(printed.s, of_pairs[i]) != NULL)
                fail_msg("%s has %s", method[m], of_pairs[i]);
        refuse(method[m], "pairs=adjacent", "unknown setting 'pairs'");
    }
    static const char *const pairwise[] = { "ranknet", "lambdamart", "rankboost",
                                            "frank",   "ranksvm",    "pairforest" };

    for (size_t m = 0; m < N_OF(pairwise); m++)
        for (size_t i = 0; i < 5; i++)
            assert_has(plan_of(pairwise[m], NULL), of_pairs[i]);
}

static bool learns_from_pairs(const char *method)
{
    for (size_t i = 0; i < n_recipes; i++)
        if (strcmp(recipes[i]->about.name, method) == 0)
            return recipe_has_pairs((const struct recipe *)recipes[i]);
    fail_msg("no %s", method);
    return false;
}

static void who_learns_from_pairs_says_so(void **state)
{
    static const char *const pairwise[] = {
        "sortnet",          "cmpnn",      "tesauro",    "ranksvm",
        "rankboost",        "frank",      "ranknet",    "lambdamart",
        "lambdaneuralrank", "lambdarank", "pairforest", "directranker",
    };
    static const char *const by_labels[] = { "listnet", "rankprop", "prank",
                                             "ridge",   "mart",     "adarank" };

    (void)state;
    for (size_t m = 0; m < N_OF(pairwise); m++)
        if (!learns_from_pairs(pairwise[m]))
            fail_msg("%s", pairwise[m]);
    for (size_t m = 0; m < N_OF(by_labels); m++)
        if (learns_from_pairs(by_labels[m]))
            fail_msg("%s", by_labels[m]);
}

static const struct recipe *recipe_named(const char *method)
{
    for (size_t i = 0; i < n_recipes; i++)
        if (strcmp(recipes[i]->about.name, method) == 0)
            return (const struct recipe *)recipes[i];
    fail_msg("no %s", method);
    return NULL;
}

/* Rules add to a gradient: of scores, of preferences, or of what a tree is grown on. */
static void who_goes_down_a_gradient_takes_rules(void **state)
{
    static const char *const takes[] = {
        "ranknet", "lambdaneuralrank", "listnet", "rankprop",  "sortnet",
        "cmpnn",   "tesauro",          "mart",    "lambdamart"
    };
    static const char *const does_not[] = { "ranksvm", "rankboost", "prank", "ridge",
                                            "pairforest" };

    (void)state;
    for (size_t m = 0; m < N_OF(takes); m++)
        if (!recipe_takes_rules(recipe_named(takes[m])) ||
            !peck_method_takes_rules(takes[m]))
            fail_msg("%s", takes[m]);
    for (size_t m = 0; m < N_OF(does_not); m++)
        if (recipe_takes_rules(recipe_named(does_not[m])) ||
            peck_method_takes_rules(does_not[m]))
            fail_msg("%s", does_not[m]);
    assert_false(peck_method_takes_rules("nothing"));
}

static void directranker_has_an_antisymmetric_head_under_both_presets(void **state)
{
    (void)state;
    assert_has(plan_of("directranker", NULL), "head=antisymmetric");
    assert_has(plan_of("directranker", SETTINGS("preset=paper")), "head=antisymmetric");
    assert_has(printed.s, "pairs=unit");
    assert_has(printed.s, "hidden=70-classes ");
    assert_has(printed.s, "norm=quantile ");
}

/* A pair counts the same in every query, Eqs. (1) and (2); section V-B has up to 30
 * iterations after the first, each with new weights, and features by Eq. (5). */
static void sortnet_of_the_paper_counts_pairs_not_queries(void **state)
{
    static const char *const letter[] = { "norm=query ",   "hidden=20 ", "balance=pairs ",
                                          "max_iter=30 ",  "restart=1 ", "cost=square ",
                                          "optimiser=sgd " };

    (void)state;
    plan_of("sortnet", SETTINGS("preset=paper"));
    for (size_t i = 0; i < N_OF(letter); i++)
        assert_has(printed.s, letter[i]);
    assert_has(plan_of("cmpnn", SETTINGS("preset=paper")), "balance=pairs ");
}

static void hidden_0_is_a_line(void **state)
{
    struct plan plan;
    peck_error err = { 0 };

    (void)state;
    assert_ok(
        plan_open(&plan, "listnet", SETTINGS("hidden=0", "head=antisymmetric"), NULL, &err),
        err);
    assert_ok(plan_shape(&plan, 46, &err), err);
    assert_int_equal(plan.n_weights, 46);
    plan_close(&plan);
}

static void mistakes_are_told(void **state)
{
    (void)state;
    refuse("ranknet", "hiden=5", "did you mean 'hidden'?");
    refuse("ranknet", "ephocs=5", "did you mean 'epochs'?");
    refuse("ranknet", "zzzzzzzz=5", "see `peck help ranknet`");
    refuse("ranknet", "epochs", "write key=value");
    refuse("ranknet", "epochs=0", "ranknet: epochs=0: give");
    refuse("ranknet", "optimiser=adm", "sgd|momentum|adam");
    refuse("ranknet", "preset=best", "tuned|paper");
    refuse("ridge", "rate=0.1", "unknown setting 'rate'");
    refuse("ranknett", "", "did you mean 'ranknet'?");
}

static void a_later_setting_counts(void **state)
{
    struct plan plan;
    peck_error err = { 0 };

    (void)state;
    assert_ok(plan_open(&plan, "ranknet", SETTINGS("norm=zscore"), NULL, &err), err);
    assert_ok(plan_set(&plan, "norm", "query", &err), err);
    assert_string_equal(plan.norm, "query");
    assert_int_equal(plan_set(&plan, "nrom", "query", &err), PECK_ARG);
    plan_close(&plan);
}

/* Else models and checkpoints from before they came would be those of another training. */
static void settings_that_came_late_are_told_where_they_are_set(void **state)
{
    static const struct {
        const char *method, *setting;
    } late[] = { { "sortnet", "add=compared" }, { "cmpnn", "delta=ndcg" },
                 { "ranknet", "settle=5" },     { "ranknet", "output=sigmoid" },
                 { "ranknet", "consistent=1" }, { "cmpnn", "consistent=1" } };

    (void)state;
    for (size_t i = 0; i < N_OF(late); i++) {
        char key[32];

        assert_has(plan_of(late[i].method, SETTINGS(late[i].setting)), late[i].setting);
        snprintf(key, sizeof key, "%.*s=", (int)strcspn(late[i].setting, "="),
                 late[i].setting);
        if (strstr(plan_of(late[i].method, NULL), key) != NULL)
            fail_msg("%s tells of %s", late[i].method, key);
    }
}

static void the_offer_shows_the_tuned_defaults(void **state)
{
    peck_param row;
    bool has_norm = false, has_head = false;

    (void)state;
    for (size_t i = 0; peck_param_at(PECK_METHOD, "directranker", i, &row); i++) {
        has_norm |= strcmp(row.key, "norm") == 0 && strcmp(row.value, "auto") == 0;
        has_head |= strcmp(row.key, "head") == 0 && strcmp(row.value, "antisymmetric") == 0;
    }
    assert_true(has_norm && has_head);
    assert_int_equal(peck_param_at(PECK_METHOD, "nothing", 0, &row), 0);
}

/* Every size of every method is one that it can be trained with, shortened too. */
static void sizes_fit_their_methods(void **state)
{
    const struct size *size;
    peck_error err = { 0 };
    struct plan plan;
    size_t n = 0;

    (void)state;
    for (size_t i = 0; i < n_recipes; i++)
        for (size_t k = 0;
             (size = recipe_size((const struct recipe *)recipes[i], k)) != NULL; k++, n++) {
            assert_ok(plan_open(&plan, recipes[i]->about.name, NULL, size, &err), err);
            if (!recipe_trial(plan.recipe).has_outgrown_small || k > 0)
                plan_shorten(&plan, 0.25);
            assert_ok(plan_shape(&plan, 5, &err), err);
            for (const struct preset_value *c = size->set; c->key != NULL; c++) {
                char value[64];

                assert_true(plan_get(&plan, c->key, value, sizeof value));
                if (strcmp(c->key, "epochs") != 0 && strcmp(c->key, "trees") != 0 &&
                    strcmp(c->key, "rate") != 0 && strcmp(c->key, "max_iter") != 0)
                    assert_string_equal(value, c->value);
            }
            plan_close(&plan);
            assert_true(size->from < size->below);
        }
    assert_true(n > 10);
}

/* A trial of SortNet is how its training begins: whole iterations, fewer of them. */
static void a_brief_sortnet_has_fewer_iterations(void **state)
{
    static const char *const wanted[][3] = { { "small", "8", "10" },
                                             { "tower", "5", "5" } };
    peck_error err = { 0 };
    struct plan plan;
    char value[32];

    (void)state;
    for (size_t i = 0; i < N_OF(wanted); i++) {
        char size[32];

        snprintf(size, sizeof size, "size=%s", wanted[i][0]);
        assert_ok(plan_open(&plan, "sortnet", SETTINGS(size), NULL, &err), err);
        plan_shorten(&plan, 0.25);
        assert_true(plan_get(&plan, "max_iter", value, sizeof value));
        assert_string_equal(value, wanted[i][1]);
        assert_true(plan_get(&plan, "epochs", value, sizeof value));
        assert_string_equal(value, wanted[i][2]);
        assert_false(plan_get(&plan, "trees", value, sizeof value));
        plan_close(&plan);
    }
}

/* A trial has a quarter of the epochs but five at least, or a sixteenth of the trees at twice
 * the rate, which is not above a half. */
static void a_trial_is_short(void **state)
{
    static const struct {
        const char *method, *setting;
        double share;
        const char *key, *value;
    } wanted[] = {
        { "ranknet", "epochs=40", 0.25, "epochs", "10" },
        { "ranknet", "epochs=8", 0.25, "epochs", "5" },
        { "ranknet", "epochs=3", 0.25, "epochs", "3" },
        { "lambdamart", "trees=160", 0.0625, "trees", "10" },
        { "lambdamart", "rate=0.1", 0.0625, "rate", "0.2" },
        { "lambdamart", "rate=0.4", 0.0625, "rate", "0.5" },
    };
    peck_error err = { 0 };
    struct plan plan;
    char value[32];

    (void)state;
    for (size_t i = 0; i < N_OF(wanted); i++) {
        assert_ok(
            plan_open(&plan, wanted[i].method, SETTINGS(wanted[i].setting), NULL, &err),
            err);
        plan_shorten(&plan, wanted[i].share);
        assert_true(plan_get(&plan, wanted[i].key, value, sizeof value));
        assert_string_equal(value, wanted[i].value);
        plan_close(&plan);
    }
}

static void auto_leaves_a_setting_to_size_and_data(void **state)
{
    static const char *const steps[] = { "ranknet", "lambdarank", "listnet", "directranker",
                                         "cmpnn",   "sortnet",    "tesauro", "rankprop" };

    (void)state;
    assert_has(plan_of("ranknet", SETTINGS("hidden=auto", "dropout=0.1")), "hidden=10 ");
    assert_has(printed.s, "dropout=0.1");
    assert_null(strstr(printed.s, "size="));
    assert_has(plan_of("ranknet", SETTINGS("batch=auto", "rate=auto")), "batch=4 ");
    assert_has(printed.s, "rate=0.002 ");
    assert_has(plan_of("ranknet", SETTINGS("size=wide", "decay=2")), "hidden=128-64 ");
    assert_has(printed.s, "decay=2");
    assert_has(plan_of("rankprop", SETTINGS("size=wide-zscore")), "hidden=128-64 ");
    assert_has(printed.s, "norm=zscore");
    for (size_t i = 0; i < N_OF(steps); i++)
        assert_has(plan_of(steps[i], SETTINGS("batch=auto", "rate=auto", "decay=auto")),
                   "rate=0.0");
    refuse("ranknet", "sigma=auto", "ranknet: sigma=auto: give");
    refuse("ranknet", "size=huge", "unknown size 'huge'; give auto, small, wide");
    refuse("ranknet", "batch=autos", "ranknet: batch=autos: give");
    refuse("ridge", "size=small", "unknown setting 'size'");
}

static void a_recipe_names_its_parts(void **state)
{
    peck_recipe r;

    (void)state;
    for (size_t i = 0; i < n_recipes; i++) {
        assert_int_equal(peck_method_recipe(recipes[i]->about.name, &r), 1);
        assert_true(strlen(r.learner) > 0 && strlen(r.family) > 0);
    }
    assert_int_equal(peck_method_recipe("lambdamart", &r), 1);
    assert_string_equal(r.learner, "boost");
    assert_string_equal(r.family, "trees");
    assert_string_equal(r.objective, "lambda");
    assert_int_equal(peck_method_recipe("ridge", &r), 1);
    assert_null(r.objective);
    assert_int_equal(peck_method_recipe("nothing", &r), 0);
}

static void a_method_says_whether_it_compares(void **state)
{
    (void)state;
    for (size_t i = 0; i < n_recipes; i++)
        assert_int_equal(peck_method_compares(recipes[i]->about.name),
                         ((const struct recipe *)recipes[i])->family->compares != NULL);
    assert_int_equal(peck_method_compares("sortnet"), 1);
    assert_int_equal(peck_method_compares("lambdamart"), 0);
    assert_int_equal(peck_method_compares("nothing"), 0);
}

/* Its own paper's, not that of a longer name. */
static void a_method_stands_in_the_group_that_names_it(void **state)
{
    (void)state;
    assert_string_equal(recipe_group("sortnet"),
                        "SortNet (Rigutini et al. 2011) and what it is compared with");
    assert_string_equal(recipe_group("mhr-bc"), recipe_group("sortnet"));
    assert_string_equal(recipe_group("rankprop"), recipe_group("ranknet"));
    assert_string_equal(recipe_group("lambdamart"), recipe_group("directranker"));
    assert_string_equal(recipe_group("mart"), recipe_group("ridge"));
    assert_string_not_equal(recipe_group("ridge"), recipe_group("sortnet"));
    assert_null(recipe_group("rank"));
    assert_null(recipe_group("nothing"));
}

/* Every setting of a plan for rules whose weight trials find. */
static const char *ruled_plan_of(const char *method, const char *const *settings)
{
    struct plan plan;
    peck_error err = { 0 };

    text_free(&printed);
    text_init(&printed, 1 << 16);
    assert_ok(plan_open(&plan, method, settings, NULL, &err), err);
    assert_true(plan_has_ruled(&plan));
    assert_ok(plan_set_ruled(&plan, settings, &err), err);
    plan_print(&plan, &printed);
    plan_close(&plan);
    return printed.s;
}

static void trees_that_follow_rules_are_larger_unless_somebody_says_how_large(void **state)
{
    struct plan plan;
    peck_error err = { 0 };

    (void)state;
    assert_has(plan_of("lambdamart", NULL), "leaves=5 ");
    assert_has(ruled_plan_of("lambdamart", NULL), "leaves=31 ");
    assert_has(printed.s, " rate=0.3 ");
    assert_has(ruled_plan_of("mart", SETTINGS("leaves=7", "rate=0.2")), "leaves=7 ");
    assert_has(printed.s, " rate=0.2 ");
    assert_ok(plan_open(&plan, "lambdamart", SETTINGS("preset=paper"), NULL, &err), err);
    assert_false(plan_has_ruled(&plan));
    plan_close(&plan);
    assert_ok(plan_open(&plan, "ranknet", NULL, NULL, &err), err);
    assert_false(plan_has_ruled(&plan));
    plan_close(&plan);
}

/* Whether the method has a setting of this name. */
static bool has_setting(const struct recipe *r, const char *key)
{
    const struct param *row;
    const char *value;

    for (size_t i = 0; (row = recipe_param(r, i, &value)) != NULL; i++)
        if (strcmp(row->key, key) == 0)
            return true;
    return false;
}

/* Every setting of a plan for labels by orders of a model. */
static const char *taught_plan_of(const char *method, const char *const *settings)
{
    struct plan plan;
    peck_error err = { 0 };

    text_free(&printed);
    text_init(&printed, 1 << 16);
    assert_ok(plan_open(&plan, method, settings, NULL, &err), err);
    assert_ok(plan_set_taught(&plan, settings, &err), err);
    plan_print(&plan, &printed);
    plan_close(&plan);
    return printed.s;
}

/* Whether labels by orders change nothing there. */
static void assert_taught_as_it_is(const char *method, const char *const *settings)
{
    char *const before = strdup(plan_of(method, settings));

    assert_string_equal(taught_plan_of(method, settings), before);
    free(before);
}

static void what_holds_a_model_down_yields_to_labels_everywhere(void **state)
{
    (void)state;
    for (size_t i = 0; i < n_recipes; i++) {
        const struct recipe *const r = (const struct recipe *)recipes[i];
        const char *const method = recipes[i]->about.name;

        if (!recipe_takes_rules(r)) {
            assert_taught_as_it_is(method, NULL);
            continue;
        }
        taught_plan_of(method, NULL);
        if (has_setting(r, "dropout"))
            assert_has(printed.s, " dropout=0 ");
        if (has_setting(r, "delta"))
            assert_has(printed.s, " delta=ndcg ");
        if (has_setting(r, "decay")) {
            assert_has(printed.s, " decay=0.1 ");
            assert_has(printed.s, " hidden=40 ");
        } else {
            assert_has(printed.s, " leaves=63 ");
            assert_has(printed.s, " norm=none ");
        }
    }
    /* what somebody says stays */
    taught_plan_of("cmpnn", SETTINGS("delta=map", "hidden=10"));
    assert_has(printed.s, " delta=map ");
    assert_has(printed.s, " hidden=10 ");
    assert_has(printed.s, " decay=0.1 ");
    assert_has(taught_plan_of("mart", SETTINGS("norm=zscore")), " norm=zscore ");
    assert_taught_as_it_is("ranknet", SETTINGS("size=wide"));
    assert_taught_as_it_is("ranknet", SETTINGS("size=small"));
    assert_taught_as_it_is("lambdamart", SETTINGS("preset=paper"));
}

/* What the size of the data may change is left alone where somebody said it. */
static void a_plan_knows_what_somebody_gave(void **state)
{
    static const struct {
        const char *method, *setting;
        bool leaf, step, decay, epochs;
    } given[] = {
        { "ranknet", "norm=none", false, false, false, false },
        { "ranknet", "rate=0.5", false, true, false, false },
        { "ranknet", "batch=3", false, true, false, false },
        { "ranknet", "decay=0.5", false, false, true, false },
        { "ranknet", "epochs=3", false, false, false, true },
        { "ranknet", "preset=paper", false, true, false, false },
        { "ranknet", "preset=tuned", false, false, false, false },
        { "lambdamart", "min_leaf=3", true, false, false, false },
    };

    (void)state;
    for (size_t i = 0; i < N_OF(given); i++) {
        const char *const settings[][3] = { { given[i].setting, "norm=none", NULL },
                                            { "norm=none", given[i].setting, NULL } };

        for (size_t k = 0; k < 2; k++) { /* wherever it stands */
            struct plan plan;
            peck_error err = { 0 };

            assert_ok(plan_open(&plan, given[i].method, settings[k], NULL, &err), err);
            assert_int_equal(plan.has_own_leaf, given[i].leaf);
            assert_int_equal(plan.has_own_step, given[i].step);
            assert_int_equal(plan.has_own_decay, given[i].decay);
            assert_int_equal(plan.has_own_epochs, given[i].epochs);
            plan_close(&plan);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tuned_is_the_preset_unless_told),
        cmocka_unit_test(the_user_has_the_last_word_wherever_the_preset_stands),
        cmocka_unit_test(settings_reach_every_table),
        cmocka_unit_test(methods_of_labels_have_no_settings_of_pairs),
        cmocka_unit_test(who_learns_from_pairs_says_so),
        cmocka_unit_test(who_goes_down_a_gradient_takes_rules),
        cmocka_unit_test(directranker_has_an_antisymmetric_head_under_both_presets),
        cmocka_unit_test(sortnet_of_the_paper_counts_pairs_not_queries),
        cmocka_unit_test(hidden_0_is_a_line),
        cmocka_unit_test(mistakes_are_told),
        cmocka_unit_test(a_later_setting_counts),
        cmocka_unit_test(settings_that_came_late_are_told_where_they_are_set),
        cmocka_unit_test(the_offer_shows_the_tuned_defaults),
        cmocka_unit_test(sizes_fit_their_methods),
        cmocka_unit_test(a_recipe_names_its_parts),
        cmocka_unit_test(a_method_says_whether_it_compares),
        cmocka_unit_test(a_method_stands_in_the_group_that_names_it),
        cmocka_unit_test(a_brief_sortnet_has_fewer_iterations),
        cmocka_unit_test(a_trial_is_short),
        cmocka_unit_test(auto_leaves_a_setting_to_size_and_data),
        cmocka_unit_test(trees_that_follow_rules_are_larger_unless_somebody_says_how_large),
        cmocka_unit_test(what_holds_a_model_down_yields_to_labels_everywhere),
        cmocka_unit_test(a_plan_knows_what_somebody_gave),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);

    text_free(&printed);
    return failed;
}
