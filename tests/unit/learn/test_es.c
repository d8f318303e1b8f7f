/* test_es.c -- the evolution strategy: where it starts, and that it never falls. */
#include "learn/learner.h"

#include "support/check.h"
#include "support/learner_fixture.h"
#include "support/tasks.h"

#include <math.h>

enum { DIM = 5 };
static const struct task_sample sample = {
    .n_queries = 30, .max_docs = 15, .dim = DIM, .noise = 1.0
};

static void the_metric_of_the_parent_never_falls(void **state)
{
    const char *const methods[] = { "es-rank", "iesr-rank", "iesvm-rank" };
    struct peck_dataset *const d = task_dataset(&sample, 1);

    (void)state;
    for (size_t k = 0; k < N_OF(methods); k++) {
        struct learner_fixture p;
        double before = 2.0, first = 0.0;

        fixture_open(&p, methods[k], NULL, d, NULL, 1);
        for (int epoch = 0; epoch < 10; epoch++) {
            const struct epoch_stats stats = fixture_epoch(&p);

            assert_true(stats.loss <= before);
            before = stats.loss;
            first = epoch == 0 ? stats.loss : first;
        }
        assert_true(before < first); /* ten epochs find something */
        fixture_close(&p);
    }
    peck_dataset_free(d);
}

/* A move leaves out features anywhere, not all those behind the first. */
static void features_behind_one_that_stays_move_too(void **state)
{
    const char *const settings[] = { "generations=1", "shorten=no", NULL };
    struct peck_dataset *const d = task_dataset(&sample, 7);
    float before[DIM] = { 0 };
    struct learner_fixture p;
    size_t n = 0;

    (void)state;
    fixture_open(&p, "es-rank", settings, d, NULL, 1);
    for (int epoch = 0; epoch < 60; epoch++) {
        fixture_epoch(&p);
        for (size_t j = 1; j < DIM; j++)
            n += p.setup.w[j] != before[j] && p.setup.w[j - 1] == before[j - 1];
        memcpy(before, p.setup.w, sizeof before);
    }
    assert_true(n > 8); /* once in a while a move is too small to be seen */
    fixture_close(&p);
    peck_dataset_free(d);
}

/* What another method learns from the same data, its settings at their defaults. */
static void assert_starts_from(const char *method, const char *other)
{
    const char *const settings[] = { "norm=query-zscore", NULL };
    struct peck_dataset *const d = task_dataset(&sample, 2);
    struct learner_fixture a, b;

    fixture_open(&a, method, settings, d, NULL, 1);
    fixture_open(&b, other, settings, d, NULL, 1);
    fixture_epoch(&b);
    assert_memory_equal(a.setup.w, b.setup.w, DIM * sizeof *a.setup.w);
    assert_true(fabsf(a.setup.w[0]) > 0.0f);
    fixture_close(&a);
    fixture_close(&b);
    peck_dataset_free(d);
}

static void the_first_parent_is_what_the_name_says(void **state)
{
    struct peck_dataset *const d = task_dataset(&sample, 3);
    struct learner_fixture p;

    (void)state;
    assert_starts_from("iesr-rank", "ridge");
    assert_starts_from("iesvm-rank", "ranksvm");
    fixture_open(&p, "es-rank", NULL, d, NULL, 1);
    for (size_t j = 0; j < DIM; j++)
        assert_true(p.setup.w[j] == 0.0f);
    fixture_close(&p);
    peck_dataset_free(d);
}

/* What an epoch tells is 1 less the metric of the training data under the parent. */
static void the_loss_is_what_the_metric_lacks(void **state)
{
    struct peck_dataset *const d = task_dataset(&sample, 5);
    const char *const settings[] = { "norm=none", "metric=ndcg@10", NULL };
    struct learner_fixture p;
    double *const score = calloc(d->n_docs, sizeof *score);

    (void)state;
    fixture_open(&p, "es-rank", settings, d, NULL, 1);
    for (int epoch = 0; epoch < 3; epoch++) {
        const struct epoch_stats stats = fixture_epoch(&p);

        for (size_t i = 0; i < d->n_docs; i++) {
            score[i] = 0.0;
            for (size_t j = 0; j < DIM; j++)
                score[i] += (double)p.setup.w[j] * (double)d->x[i * DIM + j];
        }
        assert_true(fabs(stats.loss - (1.0 - score_quality(d, score))) < 1e-9);
        assert_true(stats.rate == 1.0);
    }
    fixture_close(&p);
    peck_dataset_free(d);
    free(score);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_metric_of_the_parent_never_falls),
        cmocka_unit_test(features_behind_one_that_stays_move_too),
        cmocka_unit_test(the_first_parent_is_what_the_name_says),
        cmocka_unit_test(the_loss_is_what_the_metric_lacks),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
