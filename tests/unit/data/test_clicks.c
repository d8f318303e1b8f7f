/* test_clicks.c -- click rates cut into seven labels. */
#include "data/dataset.h"

#include "support/check.h"

static void rates_are_cut_into_sevenths(void **state)
{
    static const float x[9],
        rate[] = { 0.3f, 0.14f, 0.15f, 0.5f, PECK_UNJUDGED, 0.84f, 0.86f, 1, 0 };
    static const float label[] = { 1, 0, 0.5f, 1.5f, PECK_UNJUDGED, 2.5f, 3, 3, 0 };
    static const uint32_t size[] = { 4, 5 };
    peck_dataset *d, *cut = NULL;
    peck_error err = { 0 };

    (void)state;
    assert_ok(peck_dataset_wrap(&d, x, N_OF(rate), 1, rate, size, 2, &err), err);
    assert_ok(peck_dataset_clicks(&cut, d, &err), err);
    assert_int_equal(cut->n_queries, 2);
    assert_int_equal(cut->start[1], 4);
    assert_memory_equal(cut->label, label, sizeof label);
    assert_memory_equal(d->label, rate, sizeof rate);
    assert_true(cut->max_label == 3.0f);
    peck_dataset_free(cut);
    peck_dataset_free(d);
}

static void labels_that_are_no_rates_are_refused(void **state)
{
    static const float x[2], label[] = { 1, 1.5f };
    static const uint32_t size = 2;
    peck_dataset *d, *cut = (peck_dataset *)&d;
    peck_error err = { 0 };

    (void)state;
    assert_ok(peck_dataset_wrap(&d, x, 2, 1, label, &size, 1, &err), err);
    assert_int_equal(peck_dataset_clicks(&cut, d, &err), PECK_FORMAT);
    assert_failed(err, PECK_FORMAT, "document 2 has the label 1.5");
    assert_null(cut);
    peck_dataset_free(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rates_are_cut_into_sevenths),
        cmocka_unit_test(labels_that_are_no_rates_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
