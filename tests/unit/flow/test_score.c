/* Scores of datasets and of single queries, orders, and what a model says of itself. */
#include "support/check.h"
#include "support/models.h"
#include "support/samples.h"

#include <math.h>

static peck_error err;

enum { DIM = 12 };

static struct peck_model *make_model(size_t dim, size_t n_members)
{
    const struct model_sample sample = {
        .dim = dim, .n_members = n_members, .norm = "zscore", .has_names = true
    };

    return sample_model(&sample);
}

static struct peck_dataset *make_data(size_t dim)
{
    const struct sample sample = {
        .n_queries = 40, .max_docs = 30, .dim = dim, .n_grades = 3
    };

    return sample_dataset(&sample, 8);
}

static void any_number_of_threads_gives_the_same_scores(void **state)
{
    static const int threads[] = { 1, 2, 5 };
    struct peck_dataset *const d = make_data(DIM);
    double *const score = calloc(N_OF(threads) * d->n_docs, sizeof *score);

    (void)state;
    for (size_t n_members = 1; n_members <= 3; n_members += 2) {
        struct peck_model *const m = make_model(DIM, n_members);

        for (size_t i = 0; i < N_OF(threads); i++)
            assert_ok(peck_model_score(m, d, threads[i], score + i * d->n_docs, &err), err);
        for (size_t i = 1; i < N_OF(threads); i++)
            assert_memory_equal(score, score + i * d->n_docs, d->n_docs * sizeof *score);
        peck_model_free(m);
    }
    free(score);
    peck_dataset_free(d);
}

static void a_dataset_is_scored_query_by_query(void **state)
{
    struct peck_dataset *const d = make_data(DIM);
    struct peck_model *const m = make_model(DIM, 2);
    double *const score = calloc(d->n_docs, sizeof *score);
    peck_scorer *s = NULL;
    float one[30];

    (void)state;
    assert_ok(peck_model_score(m, d, 2, score, &err), err);
    assert_ok(peck_scorer_new(&s, m, &err), err);
    for (size_t i = 0; i < d->n_queries; i++) {
        peck_query q;

        peck_dataset_query(d, i, &q);
        assert_ok(peck_score(s, q.x, q.n_docs, q.stride, one, &err), err);
        for (size_t k = 0; k < q.n_docs; k++)
            assert_true(score[q.first + k] == one[k]);
    }
    peck_scorer_free(s);
    free(score);
    peck_model_free(m);
    peck_dataset_free(d);
}

static void another_number_of_features_is_refused_with_both(void **state)
{
    struct peck_dataset *const d = make_data(DIM);
    struct peck_model *const m = make_model(DIM + 1, 1);

    (void)state;
    assert_int_equal(peck_model_score(m, d, 1, NULL, &err), PECK_SHAPE);
    assert_failed(err, PECK_SHAPE, "12 features");
    assert_failed(err, PECK_SHAPE, "13");
    peck_model_free(m);
    peck_dataset_free(d);
}

static void bad_rows_are_refused(void **state)
{
    struct peck_model *const m = make_model(2, 1);
    peck_scorer *s = NULL;
    float x[] = { 1, 2, 99, 3, NAN, 99 }, score[2];

    (void)state;
    assert_ok(peck_scorer_new(&s, m, &err), err);
    assert_int_equal(peck_score(s, x, 2, 1, score, &err), PECK_SHAPE);
    assert_failed(err, PECK_SHAPE, "1 floats apart");
    assert_int_equal(peck_score(s, x, 2, 3, score, &err), PECK_FORMAT);
    assert_failed(err, PECK_FORMAT, "document 2");
    x[4] = INFINITY;
    assert_int_equal(peck_score(s, x, 2, 3, score, &err), PECK_FORMAT);
    x[4] = 4;
    x[5] = NAN; /* between the rows: nobody's business */
    assert_ok(peck_score(s, x, 2, 3, score, &err), err);
    assert_ok(peck_score(s, x, 0, 3, score, &err), err);
    peck_scorer_free(s);
    peck_model_free(m);
}

static void scores_that_overflow_are_refused(void **state)
{
    const struct model_sample sample = { .family = "linear", .dim = 1 };
    struct peck_model *const m = sample_model(&sample);
    const uint32_t sizes[] = { 1, 1 };
    const float x[] = { 1, 3e38f };
    struct peck_dataset *d = NULL;
    double score[2];

    (void)state;
    m->w[0] = 1e10f;
    assert_ok(peck_dataset_wrap(&d, x, 2, 1, NULL, sizes, 2, &err), err);
    assert_int_equal(peck_model_score(m, d, 1, score, &err), PECK_FORMAT);
    assert_failed(err, PECK_FORMAT, "query 2: the score of document 1");
    peck_dataset_free(d);
    peck_model_free(m);
}

static void higher_scores_come_first_and_ties_keep_their_order(void **state)
{
    static const double score[] = { 1.0, 3.0, 1.0, INFINITY, -2.0, 3.0 };
    static const uint32_t expected[] = { 3, 1, 5, 0, 2, 4 };
    uint32_t order[N_OF(score)];

    (void)state;
    assert_ok(peck_order(score, N_OF(score), order, &err), err);
    assert_memory_equal(order, expected, sizeof order);
    assert_ok(peck_order(score, 0, order, &err), err);
    assert_int_equal(peck_order((double[]){ 1, NAN }, 2, order, &err), PECK_FORMAT);
    assert_failed(err, PECK_FORMAT, "document 2");
    assert_int_equal(peck_order(score, (size_t)1 << 40, order, &err), PECK_ARG);
}

static void a_model_says_what_it_is(void **state)
{
    struct peck_model *const m = make_model(DIM, 2);
    peck_report *r = NULL;
    char text[4096] = { 0 };
    FILE *const to = tmpfile();

    (void)state;
    assert_ok(peck_model_describe(&r, m, &err), err);
    assert_true(peck_report_value(r, "features") == DIM);
    assert_true(peck_report_value(r, "members") == 2);
    assert_true(peck_report_value(r, "weights") == (double)m->n_weights);
    assert_ok(peck_report_write(r, to, "text", &err), err);
    rewind(to);
    assert_true(fread(text, 1, sizeof text - 1, to) > 0);
    assert_non_null(strstr(text, "12-64-32-1 tanh"));
    assert_non_null(strstr(text, "zscore"));
    assert_non_null(strstr(text, "ranknet"));
    assert_non_null(strstr(text, "feature 10"));
    fclose(to);
    peck_report_free(r);
    peck_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_number_of_threads_gives_the_same_scores),
        cmocka_unit_test(a_dataset_is_scored_query_by_query),
        cmocka_unit_test(another_number_of_features_is_refused_with_both),
        cmocka_unit_test(bad_rows_are_refused),
        cmocka_unit_test(scores_that_overflow_are_refused),
        cmocka_unit_test(higher_scores_come_first_and_ties_keep_their_order),
        cmocka_unit_test(a_model_says_what_it_is),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
