/* test_ridge.c -- the closed form against the equations it solves, in double. */
#include "learn/learner.h"

#include "support/check.h"
#include "support/train_setup.h"
#include "support/tasks.h"

#include <math.h>

enum { DIM = 5 };
static const struct task_sample sample = {
    .n_queries = 40, .max_docs = 15, .dim = DIM, .noise = 0.5
};

/* Weights under one lambda, features as they are; the loss that is told comes back. */
static double solve(const struct peck_dataset *d, const char *lambda, int threads, float *w)
{
    const char *const settings[] = { "norm=none", lambda, NULL };
    struct train_setup c;
    struct stopping stopping;
    struct epoch_stats stats = { 0 };
    peck_error err = { 0 };

    train_setup_open(&c, "ridge", settings, d, NULL, NULL, threads);
    const struct learner *const l = c.plan.recipe->learner;
    void *const self = calloc(1, l->self_size);

    assert_ok(l->open(self, &c.task, &stopping, &err), err);
    assert_int_equal(stopping.n_epochs, 1);
    assert_ok(l->epoch(self, 1, &stats, &err), err);
    memcpy(w, c.w, DIM * sizeof *w);
    l->close(self);
    free(self);
    train_setup_close(&c);
    return stats.loss;
}

static double weight_of(const struct peck_dataset *d, size_t q, size_t i)
{
    return (d->query_weight != NULL ? (double)d->query_weight[q] : 1.0) *
           (d->doc_weight != NULL ? (double)d->doc_weight[i] : 1.0);
}

/* The mean of column j (DIM: of the label) over the judged documents of a query. */
static double mean_of(const struct peck_dataset *d, size_t q, size_t j)
{
    double sum = 0.0, all = 0.0;

    for (size_t i = d->start[q]; i < d->start[q + 1]; i++) {
        if (d->label[i] == PECK_UNJUDGED)
            continue;
        all += weight_of(d, q, i);
        sum += weight_of(d, q, i) * (double)(j < DIM ? d->x[i * DIM + j] : d->label[i]);
    }
    return all > 0.0 ? sum / all : 0.0;
}

/* Half the derivative of the penalised error with respect to each weight: 0 where the
 * error is smallest.  The mean squared error comes back. */
static double slope_of(const struct peck_dataset *d, const float *w, double lambda,
                       double *slope)
{
    double diagonal = 0.0, squares = 0.0, all = 0.0;

    memset(slope, 0, DIM * sizeof *slope);
    for (size_t q = 0; q < d->n_queries; q++) {
        double mean[DIM + 1];

        for (size_t j = 0; j <= DIM; j++)
            mean[j] = mean_of(d, q, j);
        for (size_t i = d->start[q]; i < d->start[q + 1]; i++) {
            double x[DIM], miss = (double)d->label[i] - mean[DIM];

            if (d->label[i] == PECK_UNJUDGED)
                continue;
            for (size_t j = 0; j < DIM; j++) {
                x[j] = (double)d->x[i * DIM + j] - mean[j];
                miss -= x[j] * (double)w[j];
                diagonal += weight_of(d, q, i) * x[j] * x[j] / DIM;
            }
            for (size_t j = 0; j < DIM; j++)
                slope[j] -= weight_of(d, q, i) * miss * x[j];
            squares += weight_of(d, q, i) * miss * miss;
            all += weight_of(d, q, i);
        }
    }
    for (size_t j = 0; j < DIM; j++)
        slope[j] = (slope[j] + lambda * diagonal * (double)w[j]) / diagonal;
    return squares / all;
}

static void assert_smallest(const struct peck_dataset *d, double lambda)
{
    char text[32];
    float w[DIM];
    double slope[DIM];

    snprintf(text, sizeof text, "lambda=%g", lambda);
    const double told = solve(d, text, 1, w), error = slope_of(d, w, lambda, slope);

    if (!(fabs(told - error) < 1e-5 * error))
        fail_msg("lambda %g: the error is %g, not %g", lambda, error, told);
    for (size_t j = 0; j < DIM; j++)
        if (!(fabs(slope[j]) < 1e-5))
            fail_msg("lambda %g: the slope of weight %zu is %g", lambda, j, slope[j]);
}

static void the_error_is_as_small_as_it_gets(void **state)
{
    struct peck_dataset *const d = task_dataset(&sample, 1);

    (void)state;
    assert_smallest(d, 1e-4);
    assert_smallest(d, 0.03);
    assert_smallest(d, 10.0);
    peck_dataset_free(d);
}

static void weights_and_unjudged_documents_count_as_they_should(void **state)
{
    struct peck_dataset *const d = task_dataset(&sample, 2);

    (void)state;
    d->doc_weight = calloc(d->n_docs, sizeof *d->doc_weight);
    d->query_weight = calloc(d->n_queries, sizeof *d->query_weight);
    for (size_t i = 0; i < d->n_docs; i++) {
        d->doc_weight[i] = 0.5f + (float)(i % 3);
        if (i % 7 == 0)
            d->label[i] = PECK_UNJUDGED;
    }
    for (size_t q = 0; q < d->n_queries; q++)
        d->query_weight[q] = 1.0f + (float)(q % 2);
    dataset_count_labels(d);
    assert_smallest(d, 0.1);
    peck_dataset_free(d);
}

static void a_large_lambda_holds_the_weights_down(void **state)
{
    struct peck_dataset *const d = task_dataset(&sample, 3);
    float loose[DIM], tight[DIM];

    (void)state;
    solve(d, "lambda=0.001", 1, loose);
    solve(d, "lambda=100", 1, tight);
    for (size_t j = 0; j < DIM; j++)
        assert_true(fabsf(tight[j]) < 0.1f * fabsf(loose[j]));
    peck_dataset_free(d);
}

static void threads_change_nothing(void **state)
{
    struct peck_dataset *const d = task_dataset(&sample, 4);
    float one[DIM], five[DIM];

    (void)state;
    solve(d, "lambda=0.1", 1, one);
    solve(d, "lambda=0.1", 5, five);
    assert_memory_equal(one, five, sizeof one);
    peck_dataset_free(d);
}

static void a_query_may_lie_anywhere(void **state)
{
    struct peck_dataset *const d = task_dataset(&sample, 5);
    float before[DIM], after[DIM];

    (void)state;
    solve(d, "lambda=0.1", 1, before);
    for (size_t q = 0; q < d->n_queries; q++)
        for (size_t i = d->start[q]; i < d->start[q + 1]; i++)
            for (size_t j = 0; j < DIM; j++)
                d->x_owned[i * DIM + j] += (float)(q % 5);
    solve(d, "lambda=0.1", 1, after);
    for (size_t j = 0; j < DIM; j++)
        assert_true(fabsf(after[j] - before[j]) < 1e-5f);
    peck_dataset_free(d);
}

/* Features in a unit a thousand times as large or small: so are the weights the other way. */
static void a_unit_changes_no_score(void **state)
{
    static const float unit[] = { 1e-3f, 1e3f };
    struct peck_dataset *const d = task_dataset(&sample, 5);
    float before[DIM], after[DIM];

    (void)state;
    solve(d, "lambda=0.1", 1, before);
    for (size_t k = 0; k < N_OF(unit); k++) {
        for (size_t i = 0; i < d->n_docs * DIM; i++)
            d->x_owned[i] *= unit[k];
        solve(d, "lambda=0.1", 1, after);
        for (size_t j = 0; j < DIM; j++)
            assert_true(fabsf(after[j] * unit[k] - before[j]) < 1e-4f);
        for (size_t i = 0; i < d->n_docs * DIM; i++)
            d->x_owned[i] /= unit[k];
    }
    peck_dataset_free(d);
}

static void the_grid_goes_from_strong_to_weak(void **state)
{
    struct peck_dataset *const d = task_dataset(&sample, 6);
    const char *const settings[] = { "norm=none", NULL };
    struct train_setup c;
    struct stopping stopping;
    struct epoch_stats stats, last = { .rate = HUGE_VAL, .loss = HUGE_VAL };
    peck_error err = { 0 };

    (void)state;
    train_setup_open(&c, "ridge", settings, d, d, NULL, 1);
    const struct learner *const l = c.plan.recipe->learner;
    void *const self = calloc(1, l->self_size);

    assert_ok(l->open(self, &c.task, &stopping, &err), err);
    assert_true(stopping.n_epochs > 5);
    for (size_t e = 1; e <= stopping.n_epochs; e++, last = stats) {
        assert_ok(l->epoch(self, e, &stats, &err), err);
        assert_true(stats.rate < last.rate && stats.loss < last.loss);
        if (e > 1) /* 3 and 1 of each power of ten */
            assert_true(stats.rate > 0.29 * last.rate && stats.rate < 0.34 * last.rate);
        else
            assert_true(stats.rate == 10.0);
    }
    assert_true(last.rate == 1e-4);
    l->close(self);
    free(self);
    train_setup_close(&c);
    peck_dataset_free(d);
}

/* Two columns that are the same: rounding takes so small a lambda away, and the sums of
 * squares have no root. */
static void a_lambda_that_rounding_takes_away_is_refused(void **state)
{
    const float x[] = { 1, 1, 3, 3, 5, 5, 7, 7 }, label[] = { 0, 1, 1, 2 };
    const uint32_t size = 4;
    struct peck_dataset *d = NULL;
    peck_model *m = NULL;
    peck_error err = { 0 };
    const char *const settings[] = { "lambda=1e-30", NULL };

    (void)state;
    assert_ok(peck_dataset_wrap(&d, x, 4, 2, label, &size, 1, &err), err);
    const peck_train_spec spec = { .method = "ridge",
                                   .settings = settings,
                                   .train = d,
                                   .norm = "none",
                                   .valid_split = -1 };

    assert_int_equal(peck_train(&m, &spec, &err), PECK_DIVERGED);
    assert_failed(err, PECK_DIVERGED, "lambda= above 1e-30");
    assert_null(m);
    peck_dataset_free(d);
}

/* Weights of peck_train, features as they are. */
static peck_model *trained(const struct peck_dataset *d, const char *lambda)
{
    const peck_train_spec spec = { .method = "ridge",
                                   .settings = (const char *const[]){ lambda, NULL },
                                   .train = d,
                                   .norm = "none",
                                   .valid_split = -1,
                                   .threads = 2 };
    peck_model *m = NULL;
    peck_error err = { 0 };

    assert_ok(peck_train(&m, &spec, &err), err);
    return m;
}

/* Every column COPIES times over, with more columns than documents: the weights of the
 * copies add up to those of the column under a lambda that is as many times smaller.  What
 * solves the one in its dual form solves the other in its primal one. */
static void many_features_give_what_few_give(void **state)
{
    enum { COPIES = 840, WIDE = COPIES * DIM };
    const struct task_sample long_sample = {
        .n_queries = 30, .max_docs = 24, .dim = DIM, .noise = 0.5
    };
    struct peck_dataset *const d = task_dataset(&long_sample, 9);
    struct peck_dataset *wide = NULL;
    float *const x = calloc(d->n_docs * WIDE, sizeof *x);
    uint32_t *const size = calloc(d->n_queries, sizeof *size);
    peck_error err = { 0 };

    (void)state;
    d->query_weight = calloc(d->n_queries, sizeof *d->query_weight);
    for (size_t q = 0; q < d->n_queries; q++) {
        d->query_weight[q] = (float)(1 + q % 3);
        size[q] = (uint32_t)(d->start[q + 1] - d->start[q]);
    }
    d->label[3] = PECK_UNJUDGED;
    dataset_count_labels(d);
    for (size_t i = 0; i < d->n_docs; i++)
        for (size_t j = 0; j < WIDE; j++)
            x[i * WIDE + j] = d->x[i * DIM + j % DIM];
    assert_ok(
        peck_dataset_wrap(&wide, x, d->n_docs, WIDE, d->label, size, d->n_queries, &err),
        err);
    wide->query_weight = calloc(d->n_queries, sizeof *wide->query_weight);
    memcpy(wide->query_weight, d->query_weight, d->n_queries * sizeof *d->query_weight);
    assert_true(d->n_docs > 512 && d->n_docs < WIDE); /* more than are multiplied at once */
    peck_model *const few = trained(d, "lambda=0.1"), *const many =
                                                          trained(wide, "lambda=84");

    for (size_t j = 0; j < DIM; j++) {
        double sum = 0.0;

        for (size_t c = 0; c < COPIES; c++)
            sum += (double)many->w[c * DIM + j];
        if (!(fabs(sum - (double)few->w[j]) <= 1e-5))
            fail_msg("weight %zu: %.9g of many, %.9g of few", j, sum, (double)few->w[j]);
    }
    peck_model_free(few);
    peck_model_free(many);
    peck_dataset_free(wide);
    peck_dataset_free(d);
    free(x);
    free(size);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_error_is_as_small_as_it_gets),
        cmocka_unit_test(weights_and_unjudged_documents_count_as_they_should),
        cmocka_unit_test(a_large_lambda_holds_the_weights_down),
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(a_query_may_lie_anywhere),
        cmocka_unit_test(many_features_give_what_few_give),
        cmocka_unit_test(a_unit_changes_no_score),
        cmocka_unit_test(the_grid_goes_from_strong_to_weak),
        cmocka_unit_test(a_lambda_that_rounding_takes_away_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
