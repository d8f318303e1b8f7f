/* test_compare.c -- peck_compare, from the outside. */
#include "peck.h"
#include "base/rng.h"
#include "metric/signif.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { QUERIES = 60, DOCS = 8, FOLDS = 3, RUNS = 3, N = QUERIES * DOCS };

/* Three folds of random labels; run r knows the labels better the larger r is. */
struct field {
    float x[N], label[FOLDS][N];
    double score[RUNS][FOLDS][N];
    uint32_t size[QUERIES];
    peck_dataset *data[FOLDS];
    const double *scores[RUNS * FOLDS];
};

static struct field field;
static const char *const names[RUNS] = { "A", "B", "C" };

static int lay_out(void **state)
{
    struct rng rng;

    (void)state;
    rng_seed(&rng, 21, 0);
    for (size_t q = 0; q < QUERIES; q++)
        field.size[q] = DOCS;
    for (size_t f = 0; f < FOLDS; f++) {
        for (size_t i = 0; i < N; i++) {
            field.label[f][i] = (float)rng_below(&rng, 3);
            for (size_t r = 0; r < RUNS; r++)
                field.score[r][f][i] =
                    rng_normal(&rng) + (double)r * (double)field.label[f][i];
        }
        if (peck_dataset_wrap(&field.data[f], field.x, N, 1, field.label[f], field.size,
                              QUERIES, NULL) != PECK_OK)
            return -1;
    }
    return 0;
}

static int clear_up(void **state)
{
    (void)state;
    for (size_t f = 0; f < FOLDS; f++)
        peck_dataset_free(field.data[f]);
    return 0;
}

static peck_judge_spec how_to_judge; /* of the specification that spec_of made last */

static peck_compare_spec spec_of(size_t n_runs, size_t n_folds)
{
    how_to_judge = (peck_judge_spec){ .seed = 5, .threads = 2 };
    for (size_t r = 0; r < n_runs; r++)
        for (size_t f = 0; f < n_folds; f++)
            field.scores[r * n_folds + f] = field.score[r][f];
    return (peck_compare_spec){ .n_runs = n_runs,
                                .n_folds = n_folds,
                                .data = (const peck_dataset *const *)field.data,
                                .name = names,
                                .score = field.scores,
                                .judge = &how_to_judge,
                                .resamples = 500 };
}

static peck_report *compare(const peck_compare_spec *spec)
{
    peck_report *r;
    peck_error err;

    if (peck_compare(&r, spec, &err) != PECK_OK)
        fail_msg("%s", err.text);
    return r;
}

static double evaluate(size_t run, size_t fold, const char *metric)
{
    const peck_judge_spec judge = { .metrics = metric };
    peck_report *r;

    assert_int_equal(
        peck_evaluate_scores(&r, field.data[fold], field.score[run][fold], &judge, NULL),
        PECK_OK);
    const double value = peck_report_value(r, metric);

    peck_report_free(r);
    return value;
}

static void assert_near(double a, double b)
{
    if (!(fabs(a - b) < 1e-12))
        fail_msg("%.17g is not %.17g", a, b);
}

static void means_are_those_of_eval_and_differences_theirs(void **state)
{
    const peck_compare_spec spec = spec_of(2, 1);
    peck_report *const r = compare(&spec);
    const double a = evaluate(0, 0, "ndcg@10"), b = evaluate(1, 0, "ndcg@10");

    (void)state;
    assert_near(peck_report_value(r, "ndcg@10 A.mean"), a);
    assert_near(peck_report_value(r, "ndcg@10 B.mean"), b);
    assert_near(peck_report_value(r, "ndcg@10 B.difference"), b - a);
    assert_true(peck_report_value(r, "ndcg@10 B.low") < b - a);
    assert_true(peck_report_value(r, "ndcg@10 B.high") > b - a);
    assert_true(peck_report_value(r, "ndcg@10 B.low") > 0);
    assert_true(peck_report_value(r, "ndcg@10 B.t") < 1e-3);
    assert_true(peck_report_value(r, "ndcg@10 B.wilcoxon") < 1e-3);
    assert_near(peck_report_value(r, "ndcg@10 B.fisher"), 1.0 / 501);
    assert_true(isnan(peck_report_value(r, "ndcg@10 A.difference")));
    assert_true(isnan(peck_report_value(r, "ndcg@10 B.folds-t")));
    assert_true(isnan(peck_report_value(r, "ndcg@10 B.holm-t")));
    peck_report_free(r);
}

static void a_run_does_not_differ_from_itself(void **state)
{
    peck_compare_spec spec = spec_of(2, 1);

    (void)state;
    field.scores[1] = field.scores[0];
    peck_report *const r = compare(&spec);

    assert_near(peck_report_value(r, "ndcg@10 B.difference"), 0);
    assert_near(peck_report_value(r, "ndcg@10 B.low"), 0);
    assert_near(peck_report_value(r, "ndcg@10 B.high"), 0);
    assert_near(peck_report_value(r, "ndcg@10 B.t"), 1);
    assert_near(peck_report_value(r, "ndcg@10 B.wilcoxon"), 1);
    assert_near(peck_report_value(r, "ndcg@10 B.fisher"), 1);
    peck_report_free(r);
}

static void folds_are_averaged_and_tested_with_the_correction(void **state)
{
    const peck_compare_spec spec = spec_of(2, FOLDS);
    peck_report *const r = compare(&spec);
    double difference[FOLDS], mean = 0;

    (void)state;
    for (size_t f = 0; f < FOLDS; f++) {
        difference[f] = evaluate(1, f, "ndcg@10") - evaluate(0, f, "ndcg@10");
        mean += difference[f] / FOLDS;
    }
    assert_near(peck_report_value(r, "ndcg@10 B.difference"), mean);
    assert_near(peck_report_value(r, "ndcg@10 B.folds-t"), folds_t_p(difference, FOLDS));
    peck_report_free(r);
}

static void three_runs_are_corrected_by_holm(void **state)
{
    peck_compare_spec spec = spec_of(3, 1);

    (void)state;
    how_to_judge.metrics = "mrr,map";
    peck_report *const r = compare(&spec);
    const double b = peck_report_value(r, "map B.t"), c = peck_report_value(r, "map C.t");

    assert_true(c < b);
    assert_near(peck_report_value(r, "map C.holm-t"), fmin(1, 2 * c));
    assert_near(peck_report_value(r, "map B.holm-t"), fmax(b, fmin(1, 2 * c)));
    assert_false(isnan(peck_report_value(r, "mrr C.holm-fisher")));
    peck_report_free(r);
}

static void pooled_metrics_are_compared_by_query(void **state)
{
    peck_compare_spec spec = spec_of(2, 1);

    (void)state;
    how_to_judge.metrics = "pairacc";
    peck_report *const r = compare(&spec);

    assert_near(peck_report_value(r, "pairacc B.mean"), evaluate(1, 0, "pairacc-query"));
    peck_report_free(r);
}

static void a_seed_gives_the_same_text_at_any_thread_count(void **state)
{
    char text[3][4000];

    (void)state;
    for (int i = 0; i < 3; i++) {
        peck_compare_spec spec = spec_of(3, 2);
        FILE *const f = tmpfile();

        how_to_judge.threads = 1 + i % 2 * 3;
        how_to_judge.seed = i == 2 ? 6 : 5;
        peck_report *const r = compare(&spec);

        assert_non_null(f);
        assert_int_equal(peck_report_write(r, f, "tsv", NULL), PECK_OK);
        rewind(f);
        text[i][fread(text[i], 1, sizeof text[i] - 1, f)] = '\0';
        fclose(f);
        peck_report_free(r);
    }
    assert_string_equal(text[0], text[1]);
    assert_string_not_equal(text[0], text[2]);
}

static void nonsense_is_refused_with_a_reason(void **state)
{
    peck_compare_spec spec = spec_of(1, 1);
    double broken[N] = { 0 };
    peck_report *r;
    peck_error err = { 0 };

    (void)state;
    assert_int_equal(peck_compare(&r, &spec, &err), PECK_ARG);
    assert_null(r);
    spec = spec_of(2, 1);
    spec.resamples = 100000000;
    assert_int_equal(peck_compare(&r, &spec, &err), PECK_ARG);
    spec = spec_of(2, 1);
    how_to_judge.metrics = "ndgc";
    assert_int_equal(peck_compare(&r, &spec, &err), PECK_ARG);
    assert_non_null(strstr(err.text, "did you mean 'ndcg'"));
    spec = spec_of(2, 1);
    broken[6] = (double)NAN;
    field.scores[1] = broken;
    assert_int_equal(peck_compare(&r, &spec, &err), PECK_FORMAT);
    assert_null(r);
    assert_non_null(strstr(err.text, "B: "));
    assert_non_null(strstr(err.text, "document 7"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(means_are_those_of_eval_and_differences_theirs),
        cmocka_unit_test(a_run_does_not_differ_from_itself),
        cmocka_unit_test(folds_are_averaged_and_tested_with_the_correction),
        cmocka_unit_test(three_runs_are_corrected_by_holm),
        cmocka_unit_test(pooled_metrics_are_compared_by_query),
        cmocka_unit_test(a_seed_gives_the_same_text_at_any_thread_count),
        cmocka_unit_test(nonsense_is_refused_with_a_reason),
    };

    return cmocka_run_group_tests(tests, lay_out, clear_up);
}
