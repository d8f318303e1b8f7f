/* test_train_alone.c -- peck_train_spec.alone: scales of members, and what cannot be. */
#include "model/model.h"
#include "support/check.h"
#include "support/tasks.h"

#include <math.h>

#define SETTINGS(...)     \
    (const char *const[]) \
    {                     \
        __VA_ARGS__, NULL \
    }

static const struct task_sample sample = {
    .n_queries = 30, .max_docs = 10, .dim = 4, .noise = 0.2
};

/* By what they learnt from: here all of it; a member that says the same of all documents
 * becomes 0. */
static void members_alone_are_scaled_by_the_training_data(void **state)
{
    struct peck_dataset *const data = task_dataset(&sample, 3);
    double *const score = calloc(data->n_docs, sizeof *score);
    peck_error err = { 0 };
    peck_model *const m = task_train((peck_train_spec){ .method = "ranknet",
                                                        .settings = SETTINGS("epochs=3"),
                                                        .train = data,
                                                        .valid_split = -1,
                                                        .ensemble = 3,
                                                        .alone = 1 });

    (void)state;
    assert_string_equal(m->norm->spec, "quantile");
    for (size_t k = 0; k < 3; k++) {
        struct peck_model one = *m;
        double mean = 0.0, square = 0.0;

        one.n_members = 1;
        one.w = m->w + k * m->n_weights;
        assert_ok(peck_model_score(&one, data, 1, score, &err), err);
        for (size_t i = 0; i < data->n_docs; i++)
            mean += score[i] / (double)data->n_docs;
        for (size_t i = 0; i < data->n_docs; i++)
            square += (score[i] - mean) * (score[i] - mean) / (double)data->n_docs;
        assert_true(fabs(m->scale[k].mean - mean) < 1e-9 * (1 + fabs(mean)));
        assert_true(fabs(m->scale[k].deviation / sqrt(square) - 1) < 1e-9);
    }
    peck_model_free(m);
    for (size_t i = 0; i < data->n_docs * data->dim; i++)
        data->x_owned[i] = 3.0f;
    peck_model *const flat = task_train((peck_train_spec){ .method = "ranknet",
                                                           .settings = SETTINGS("epochs=3"),
                                                           .train = data,
                                                           .ensemble = 2,
                                                           .alone = 1 });

    assert_ok(peck_model_score(flat, data, 1, score, &err), err);
    for (size_t i = 0; i < data->n_docs; i++)
        assert_true(score[i] == 0.0);
    assert_true(flat->scale[0].deviation == 1.0);
    peck_model_free(flat);
    free(score);
    peck_dataset_free(data);
}

static void what_cannot_score_alone_is_refused(void **state)
{
    struct peck_dataset *const data = task_dataset(&sample, 3);
    peck_train_spec spec = { .train = data, .alone = 1, .norm = "quantile+query" };

    (void)state;
    assert_train_refused(spec, PECK_ARG, "norm 'quantile+query' looks at the query");
    assert_train_refused(spec, PECK_ARG, "with --alone take 'quantile'");
    spec.norm = NULL;
    spec.settings = SETTINGS("norm=query-zscore");
    assert_train_refused(spec, PECK_ARG, "with --alone take 'zscore'");
    spec.settings = NULL;
    spec.method = "mhr-bc";
    assert_train_refused(spec, PECK_ARG, "mhr-bc compares documents");
    peck_dataset_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members_alone_are_scaled_by_the_training_data),
        cmocka_unit_test(what_cannot_score_alone_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
