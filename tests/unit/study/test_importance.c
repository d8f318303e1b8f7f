/* test_importance.c -- questions of trees, by feature over all members and views. */
#include "model/model.h"

#include "support/check.h"
#include "support/models.h"

#include <math.h>

enum { DIM = 4, QUESTIONS = 35 }; /* 5 trees of 7 */

static peck_error err;

static void count(const char *family, const char *norm, size_t members, bool has_names)
{
    const struct model_sample sample = { .family = family,
                                         .norm = norm,
                                         .dim = DIM,
                                         .n_members = members,
                                         .has_names = has_names };
    struct peck_model *const m = sample_model(&sample);
    peck_report *r = NULL;
    double questions = 0.0, gain = 0.0;

    assert_ok(peck_model_importance(&r, m, &err), err);
    for (size_t f = 0; f < DIM; f++) {
        const bool is_named = has_names && f % 3 != 2;
        char name[64];

        snprintf(name, sizeof name,
                 is_named ? "%zu feature %zu.questions" : "%zu.questions", f + 1, f);
        questions += peck_report_value(r, name);
        snprintf(name, sizeof name, is_named ? "%zu feature %zu.gain" : "%zu.gain", f + 1,
                 f);
        gain += peck_report_value(r, name);
    }
    assert_true(questions == (double)(members * QUESTIONS));
    assert_true(fabs(gain - 1.0) < 1e-6);
    peck_report_free(r);
    peck_model_free(m);
}

static void every_question_is_about_one_feature(void **state)
{
    (void)state;
    count("trees", NULL, 1, false);
    count("trees", "zscore+query-zscore", 3, false);
    count("trees", "zscore", 1, true);
    count("pairforest", "zscore", 2, false);
}

static void columns_of_several_features_stand_apart(void **state)
{
    const struct model_sample sample = { .family = "trees",
                                         .norm = "zscore+rff:dim=20",
                                         .dim = DIM };
    struct peck_model *const m = sample_model(&sample);
    peck_report *r = NULL;

    (void)state;
    assert_ok(peck_model_importance(&r, m, &err), err);
    assert_true(peck_report_value(r, "made of several.questions") > 0.0);
    peck_report_free(r);
    peck_model_free(m);
}

static void a_model_that_asks_nothing_is_refused(void **state)
{
    const struct model_sample sample = { .family = "mlp", .dim = DIM };
    struct peck_model *const m = sample_model(&sample);
    peck_report *r = NULL;

    (void)state;
    assert_int_equal(peck_model_importance(&r, m, &err), PECK_ARG);
    assert_failed(err, PECK_ARG, "importance is for trees");
    assert_null(r);
    peck_model_free(m);
}

/* The same sums by hand: w[members][columns + bias], columns view by view. */
static void weights_are_those_of_the_columns(void **state)
{
    const struct model_sample sample = {
        .family = "linear", .norm = "zscore+query-zscore", .dim = DIM, .n_members = 2
    };
    struct peck_model *const m = sample_model(&sample);
    peck_report *r = NULL;
    char name[64];

    (void)state;
    assert_ok(peck_model_weights(&r, m, &err), err);
    for (size_t f = 0; f < DIM; f++)
        for (size_t v = 0; v < 2; v++) {
            const size_t c = v * DIM + f;
            const double mean = ((double)m->w[c] + (double)m->w[m->n_weights + c]) / 2;

            snprintf(name, sizeof name, "%zu.%s", f + 1,
                     v == 0 ? "zscore" : "query-zscore");
            assert_true(fabs(peck_report_value(r, name) - mean) < 1e-12);
        }
    assert_true(fabs(peck_report_value(r, "bias") -
                     ((double)m->w[2 * DIM] + (double)m->w[m->n_weights + 2 * DIM]) / 2) <
                1e-12);
    peck_report_free(r);
    peck_model_free(m);
}

static void what_is_no_sum_has_no_weights(void **state)
{
    static const char *const kinds[] = { "mlp", "trees", "stumps", "planes" };

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        const struct model_sample sample = { .family = kinds[i], .dim = DIM };
        struct peck_model *const m = sample_model(&sample);
        peck_report *r = NULL;

        assert_int_equal(peck_model_weights(&r, m, &err), PECK_ARG);
        assert_failed(err, PECK_ARG, "weights are for linear models");
        assert_null(r);
        peck_model_free(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_question_is_about_one_feature),
        cmocka_unit_test(columns_of_several_features_stand_apart),
        cmocka_unit_test(a_model_that_asks_nothing_is_refused),
        cmocka_unit_test(weights_are_those_of_the_columns),
        cmocka_unit_test(what_is_no_sum_has_no_weights),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
