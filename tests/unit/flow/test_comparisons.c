/* test_comparisons.c -- whoever has comparisons and no labels learns as much from real
 * data.  Needs the folder of real data ($PECK_DATA or ../shared/data); skipped without it. */
#include "support/check.h"

#include "data/dataset.h"
#include "support/train_setup.h"
#include "support/scratch.h"
#include "support/tasks.h"

#include <math.h>

static peck_error err;

static peck_dataset *load(const char *name)
{
    const char *const path = real_data(name);
    const peck_read_options plain = { 0 };
    peck_dataset *d = NULL;

    if (path == NULL)
        skip();
    assert_ok(peck_dataset_read(&d, path, &plain, &err), err);
    return d;
}

/* All pairs of d whose labels differ; its labels are gone. */
static peck_prefs *only_comparisons(peck_dataset *d, uint64_t seed)
{
    peck_prefs *const p = prefs_of_labels(d, seed);

    for (size_t i = 0; i < d->n_docs; i++)
        d->label[i] = PECK_UNJUDGED;
    dataset_count_labels(d);
    return p;
}

static peck_model *train(peck_train_spec spec, const char *method,
                         const char *const *settings)
{
    peck_model *m = NULL;

    spec.method = method;
    spec.settings = settings;
    spec.seed = 1;
    spec.threads = 2;
    spec.valid_split = -1;
    assert_ok(peck_train(&m, &spec, &err), err);
    return m;
}

static double weight_difference(const peck_model *a, const peck_model *b)
{
    peck_report *r = NULL;

    assert_ok(peck_model_diff(&r, a, b, &err), err);
    const double d = peck_report_value(r, "largest_weight_difference");

    peck_report_free(r);
    return d;
}

static void cmpnn_gets_the_same_weights_from_pairs_as_from_labels(void **state)
{
    const char *const settings[] = { "epochs=3", NULL };
    peck_dataset *const d = load("mq2008/Fold1/train.txt.gz");

    (void)state;
    peck_model *const a = train((peck_train_spec){ .train = d }, "cmpnn", settings);
    peck_prefs *const pairs = only_comparisons(d, 1);
    peck_model *const b =
        train((peck_train_spec){ .train = d, .pairs = pairs }, "cmpnn", settings);

    assert_int_equal(pairs->n, 52325);
    assert_true(weight_difference(a, b) == 0.0);
    peck_model_free(a);
    peck_model_free(b);
    peck_prefs_free(pairs);
    peck_dataset_free(d);
}

/* The same nets; which of them is kept is chosen by an order there, by pairs here. */
static void sortnet_does_as_well_from_pairs_as_from_labels(void **state)
{
    const char *const settings[] = { "epochs=6", "max_iter=4", NULL };
    peck_dataset *const d = load("mq2008/Fold1/train.txt.gz");
    peck_dataset *const valid = load("mq2008/Fold1/vali.txt.gz");
    peck_dataset *const test = load("mq2008/Fold1/test.txt.gz");
    const peck_train_spec by_labels = { .train = d, .valid = valid, .metric = "pairacc" };

    (void)state;
    peck_model *const a = train(by_labels, "sortnet", settings);
    peck_prefs *const pairs = only_comparisons(d, 1);
    peck_prefs *const valid_pairs = only_comparisons(valid, 2);
    const peck_train_spec by_pairs = {
        .train = d, .pairs = pairs, .valid = valid, .valid_pairs = valid_pairs
    };
    peck_model *const b = train(by_pairs, "sortnet", settings);
    const double x = model_quality(a, test), y = model_quality(b, test);

    print_message("sortnet, ndcg@10: %.4f from labels, %.4f from pairs\n", x, y);
    assert_true(fabs(x - y) < 0.005 && x > 0.4);
    peck_model_free(a);
    peck_model_free(b);
    peck_prefs_free(pairs);
    peck_prefs_free(valid_pairs);
    peck_dataset_free(d);
    peck_dataset_free(valid);
    peck_dataset_free(test);
}

static peck_prefs *load_pairs(const char *name, const peck_dataset *d)
{
    peck_prefs *p = NULL;

    assert_ok(peck_prefs_read(&p, real_data(name), d, 0, &err), err);
    return p;
}

static void catboost_pairs_train_as_they_are(void **state)
{
    const char *const settings[] = { "epochs=5", "max_iter=3", NULL };
    peck_dataset *const d = load("yandex-pairs/train.txt.gz");
    peck_dataset *const valid = load("yandex-pairs/test.txt.gz");

    (void)state;
    static const char *const methods[] = { "cmpnn", "sortnet" };

    for (size_t m = 0; m < N_OF(methods); m++) {
        const char *const *const own =
            m == 0 ? (const char *const[]){ "epochs=5", NULL } : settings;
        peck_model *model[2];

        for (int grouped = 0; grouped < 2; grouped++) {
            peck_prefs *const pairs = load_pairs(
                grouped ? "yandex-pairs/train.grouped_pairs" : "yandex-pairs/train.pairs",
                d);
            peck_prefs *const held = load_pairs(grouped ? "yandex-pairs/test.grouped_pairs"
                                                        : "yandex-pairs/test.pairs",
                                                valid);
            const peck_train_spec spec = {
                .train = d, .pairs = pairs, .valid = valid, .valid_pairs = held
            };

            model[grouped] = train(spec, methods[m], own);
            peck_prefs_free(pairs);
            peck_prefs_free(held);
        }
        assert_true(weight_difference(model[0], model[1]) == 0.0);
        peck_model_free(model[0]);
        peck_model_free(model[1]);
    }
    peck_dataset_free(d);
    peck_dataset_free(valid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cmpnn_gets_the_same_weights_from_pairs_as_from_labels),
        cmocka_unit_test(sortnet_does_as_well_from_pairs_as_from_labels),
        cmocka_unit_test(catboost_pairs_train_as_they_are),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
