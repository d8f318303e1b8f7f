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
    double one[30];

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
    float x[] = { 1, 2, 99, 3, NAN, 99 };
    double score[2];

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

/* Committees that hear a comparator ------------------------------------------------- */

/* So long that the pairs of the second list are shared among the workers. */
enum { N_LISTS = 3, LONG_LIST = 300, ALL_DOCS = 5 + LONG_LIST + 20 };
static const uint32_t list_sizes[N_LISTS] = { 5, LONG_LIST, 20 };

static struct peck_model *make_committee(struct peck_model **comparator)
{
    static const double share[] = { 0.75, 0.25 };
    const struct model_sample net = { .family = "cmpnn", .dim = DIM, .seed = 3 };
    struct peck_model *const part[] = { sample_model(&net), make_model(DIM, 1) };
    struct peck_model *const m = committee_of(part, share, 2);

    *comparator = part[0];
    peck_model_free(part[1]);
    return m;
}

/* to[n] += share * (score - mean) / deviation */
static void stand_out(const double *score, size_t n, double share, double *to)
{
    double mean = 0.0, square = 0.0;

    for (size_t i = 0; i < n; i++)
        mean += score[i] / (double)n;
    for (size_t i = 0; i < n; i++)
        square += (score[i] - mean) * (score[i] - mean) / (double)n;
    for (size_t i = 0; i < n; i++)
        to[i] += share * (score[i] - mean) / sqrt(square);
}

/* The slow twin of a net degree: every document against every other, one at a time. */
static void ask_everybody(peck_scorer *s, const float *x, size_t n, double *degree)
{
    for (uint32_t i = 0; i < n; i++) {
        peck_duel duel[LONG_LIST];
        float h[LONG_LIST];

        for (uint32_t j = 0; j < n; j++)
            duel[j] = (peck_duel){ i, j };
        assert_ok(peck_prefer(s, x, n, DIM, duel, n, h, NULL, &err), err);
        degree[i] = 0.0;
        for (uint32_t j = 0; j < n; j++)
            degree[i] += j != i ? (double)h[j] : 0.0;
    }
}

static void a_long_list_is_heard_by_all_its_pairs_at_any_thread_count(void **state)
{
    static const int threads[] = { 1, 2, 5 };
    float *const x = random_floats(ALL_DOCS * DIM, 4);
    struct peck_model *comparator, *const m = make_committee(&comparator),
                                          *const net = make_model(DIM, 1);
    struct peck_dataset *d = NULL;
    static double score[N_OF(threads)][ALL_DOCS], own[ALL_DOCS];
    peck_scorer *s = NULL;

    (void)state;
    assert_ok(peck_dataset_wrap(&d, x, ALL_DOCS, DIM, NULL, list_sizes, N_LISTS, &err),
              err);
    for (size_t i = 0; i < N_OF(threads); i++) {
        assert_ok(peck_model_score(m, d, threads[i], score[i], &err), err);
        assert_memory_equal(score[i], score[0], sizeof score[0]);
    }
    assert_ok(peck_model_score(net, d, 1, own, &err), err);
    assert_ok(peck_scorer_new(&s, comparator, &err), err);
    for (size_t q = 0, at = 0; q < N_LISTS; at += list_sizes[q++]) {
        double degree[LONG_LIST], expected[LONG_LIST] = { 0 };

        ask_everybody(s, x + at * DIM, list_sizes[q], degree);
        stand_out(degree, list_sizes[q], 0.75, expected);
        stand_out(own + at, list_sizes[q], 0.25, expected);
        for (size_t i = 0; i < list_sizes[q]; i++)
            assert_true(fabs(score[0][at + i] - expected[i]) < 1e-5);
    }
    peck_scorer_free(s);
    peck_dataset_free(d);
    peck_model_free(net);
    peck_model_free(comparator);
    peck_model_free(m);
    free(x);
}

/* Long lists are scored after the others, but told in their place. */
static void of_two_lists_that_fail_the_first_is_told(void **state)
{
    float *const x = random_floats(ALL_DOCS * DIM, 4);
    struct peck_model *comparator, *const m = make_committee(&comparator);
    static double score[ALL_DOCS];

    (void)state;
    for (size_t i = 0; i < comparator->n_weights; i++)
        comparator->w[i] *= 1e10f;
    x[(5 + 7) * DIM] = x[(ALL_DOCS - 1) * DIM] = 3e38f;
    for (int threads = 1; threads <= 3; threads++) {
        struct peck_dataset *d = NULL;

        assert_ok(peck_dataset_wrap(&d, x, ALL_DOCS, DIM, NULL, list_sizes, N_LISTS, &err),
                  err);
        assert_int_equal(peck_model_score(m, d, threads, score, &err), PECK_FORMAT);
        assert_failed(err, PECK_FORMAT, "query 2: the score of document 8");
        peck_dataset_free(d);
    }
    peck_model_free(comparator);
    peck_model_free(m);
    free(x);
}

/* Orders ----------------------------------------------------------------------------- */

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
        cmocka_unit_test(a_long_list_is_heard_by_all_its_pairs_at_any_thread_count),
        cmocka_unit_test(of_two_lists_that_fail_the_first_is_told),
        cmocka_unit_test(higher_scores_come_first_and_ties_keep_their_order),
        cmocka_unit_test(a_model_says_what_it_is),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
