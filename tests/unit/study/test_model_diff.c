/* test_model_diff.c -- what is told of two models. */
#include "support/check.h"
#include "support/samples.h"
#include "support/scratch.h"

static peck_dataset *data;
static peck_error err;

static int make_data(void **state)
{
    const struct sample shape = { .n_queries = 12, .max_docs = 8, .dim = 4, .n_grades = 3 };

    (void)state;
    data = sample_dataset(&shape, 1);
    return 0;
}

static int free_data(void **state)
{
    (void)state;
    peck_dataset_free(data);
    return 0;
}

static peck_model *train(const char *method, const char *setting, uint64_t seed)
{
    const char *const settings[] = { setting, NULL };
    const peck_train_spec spec = { .method = method,
                                   .settings = settings,
                                   .train = data,
                                   .valid_split = -1,
                                   .seed = seed };
    peck_model *m = NULL;

    assert_ok(peck_train(&m, &spec, &err), err);
    return m;
}

/* The report on two models, which are freed, as text for a pipe. */
static char *diff(peck_model *a, peck_model *b)
{
    const char *const path = scratch_path("report");
    peck_report *r = NULL;
    size_t n;

    assert_ok(peck_model_diff(&r, a, b, &err), err);
    FILE *const to = fopen(path, "w");

    assert_non_null(to);
    assert_ok(peck_report_write(r, to, "tsv", &err), err);
    fclose(to);
    peck_report_free(r);
    peck_model_free(a);
    peck_model_free(b);
    return file_bytes(path, &n);
}

static void equal_models_differ_by_nothing(void **state)
{
    char *const text =
        diff(train("ranknet", "epochs=2", 1), train("ranknet", "epochs=2", 1));

    (void)state;
    assert_string_equal(text, "largest_weight_difference\t0.000000000\n");
    free(text);
}

static void only_what_differs_is_told(void **state)
{
    char *const text =
        diff(train("ranknet", "epochs=2", 1), train("ranknet", "epochs=3", 1));

    (void)state;
    assert_non_null(strstr(text, "epochs.a\t2\nepochs.b\t3\n"));
    assert_null(strstr(text, "rate"));
    assert_null(strstr(text, "seed"));
    assert_null(strstr(text, "shape"));
    free(text);
}

static void models_of_two_shapes_have_no_weight_difference(void **state)
{
    char *const text = diff(train("ridge", NULL, 1), train("ranknet", "hidden=3", 2));

    (void)state;
    assert_non_null(strstr(text, "method.a\tridge\nmethod.b\tranknet\n"));
    assert_non_null(strstr(text, "seed.a\t1\nseed.b\t2\n"));
    assert_non_null(strstr(text, "hidden.a\t-\nhidden.b\t3\n"));
    assert_non_null(strstr(text, "lambda.b\t-\n"));
    assert_null(strstr(text, "largest"));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_models_differ_by_nothing),
        cmocka_unit_test(only_what_differs_is_told),
        cmocka_unit_test(models_of_two_shapes_have_no_weight_difference),
    };

    return cmocka_run_group_tests(tests, make_data, free_data);
}
