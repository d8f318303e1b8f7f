/* test_evaluate.c -- peck_evaluate_scores and peck_evaluate_run, from the outside. */
#include "peck.h"
#include "support/scratch.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Query 1: labels 0 2 1; query 2: nothing relevant. */
static const float x[5] = { 0 };
static const float label[5] = { 0, 2, 1, 0, 0 };
static const uint32_t size[2] = { 3, 2 };
static const double score[5] = { 3, 2, 1, 2, 1 };

static peck_dataset *wrap(const float *labels)
{
    peck_dataset *d;

    assert_int_equal(peck_dataset_wrap(&d, x, 5, 1, labels, size, 2, NULL), PECK_OK);
    return d;
}

static void assert_near(double a, double b)
{
    if (!(fabs(a - b) < 1e-12))
        fail_msg("%.17g is not %.17g", a, b);
}

/* What `write` puts out, as text. */
static void print(char *out, size_t room, const peck_report *r, const char *format)
{
    FILE *const f = tmpfile();

    assert_non_null(f);
    assert_int_equal(peck_report_write(r, f, format, NULL), PECK_OK);
    rewind(f);
    out[fread(out, 1, room - 1, f)] = '\0';
    fclose(f);
}

static void scores_give_the_numbers_worked_by_hand(void **state)
{
    peck_dataset *const d = wrap(label);
    const double d2 = 1 / log2(3);
    peck_report *r;
    peck_error err;

    (void)state;
    if (peck_evaluate_scores(&r, d, score, NULL, &err) != PECK_OK)
        fail_msg("%s", err.text);
    assert_near(peck_report_value(r, "ndcg@10"), (3 * d2 + 0.5) / (3 + d2) / 2);
    assert_near(peck_report_value(r, "map"), (1.0 / 2 + 2.0 / 3) / 2 / 2);
    assert_near(peck_report_value(r, "mrr"), 0.25);
    assert_near(peck_report_value(r, "pairacc"), 1.0 / 3);
    peck_report_free(r);
    peck_dataset_free(d);
}

static void a_pipe_sees_the_metrics_asked_for_and_nothing_else(void **state)
{
    const peck_judge_spec spec = { .metrics = "mrr,p@2,ndcg@1",
                                   .convention = "empty=skip" };
    peck_dataset *const d = wrap(label);
    peck_report *r;
    char text[2000];

    (void)state;
    assert_int_equal(peck_evaluate_scores(&r, d, score, &spec, NULL), PECK_OK);
    print(text, sizeof text, r, "tsv");
    assert_string_equal(text, "mrr\t0.500000\np@2\t0.500000\nndcg@1\t0.000000\n");
    print(text, sizeof text, r, "text");
    assert_non_null(strstr(text, "standard: gain=exp"));
    assert_non_null(strstr(text, "empty=skip"));
    peck_report_free(r);
    peck_dataset_free(d);
}

static void assert_refused(const float *labels, const double *scores,
                           const peck_judge_spec *spec, peck_status why, const char *words)
{
    peck_dataset *const d = wrap(labels);
    peck_report *r = (peck_report *)(void *)&r;
    peck_error err = { 0 };

    assert_int_equal(peck_evaluate_scores(&r, d, scores, spec, &err), why);
    assert_null(r);
    if (strstr(err.text, words) == NULL)
        fail_msg("'%s' does not say '%s'", err.text, words);
    peck_dataset_free(d);
}

static void nonsense_is_refused_with_a_reason(void **state)
{
    const double nan_score[5] = { 1, 2, (double)NAN, 0, 0 };
    const double low[5] = { 1, 2, 3, 4, -(double)INFINITY };
    const float large[5] = { 0, 40, 0, 0, 0 };

    (void)state;
    assert_refused(label, nan_score, NULL, PECK_FORMAT, "document 3");
    assert_refused(label, low, NULL, PECK_FORMAT, "document 5");
    assert_refused(NULL, score, NULL, PECK_SHAPE, "no document of the data is judged");
    assert_refused(large, score, NULL, PECK_SHAPE, "gain=linear");
    assert_refused(label, score, &(peck_judge_spec){ .metrics = "nddcg" }, PECK_ARG,
                   "did you mean 'ndcg'");
    assert_refused(label, score, &(peck_judge_spec){ .convention = "terc" }, PECK_ARG,
                   "did you mean 'trec'");
    assert_refused(label, score,
                   &(peck_judge_spec){ .metrics = "ndcg@11", .convention = "mslr" },
                   PECK_ARG, "depth=0");
    assert_refused(label, score, &(peck_judge_spec){ .threads = -1 }, PECK_ARG, "threads");
}

static void a_query_left_out_has_a_dash_of_its_own(void **state)
{
    const peck_judge_spec spec = { .metrics = "mrr", .convention = "empty=skip" };
    const char *const path = scratch_path("queries.tsv");
    peck_dataset *const d = wrap(label);
    peck_report *r;

    (void)state;
    assert_int_equal(peck_evaluate_scores(&r, d, score, &spec, NULL), PECK_OK);
    assert_int_equal(peck_report_write_queries(r, path, NULL), PECK_OK);
    size_t n;
    char *const text = file_bytes(path, &n);

    assert_non_null(text);
    assert_non_null(strstr(text, "1\t0.5"));
    assert_non_null(strstr(text, "2\t-"));
    free(text);
    peck_report_free(r);
    peck_dataset_free(d);
}

/* Query a: d1 relevant, found at rank 2 behind an unjudged document; d3 relevant, not
 * found.  Query b: judged, not in the run.  Query z: in the run, not judged. */
static const char run_text[] = "a Q0 d9 1 5 me\na Q0 d1 2 4 me\na Q0 d2 3 4 me\n"
                               "z Q0 d1 1 1 me\n";
static const char qrels_text[] = "a 0 d1 1\na 0 d2 0\na 0 d3 2\nb 0 d1 1\n";

static double judge_run(const char *metric, const char *convention, int complete)
{
    const peck_judge_spec spec = { .metrics = metric, .convention = convention };
    const char *const run = scratch_file("run", run_text);
    const char *const qrels = scratch_file("qrels", qrels_text);
    peck_report *r;
    peck_error err;

    if (peck_evaluate_run(&r, run, qrels, complete, &spec, &err) != PECK_OK)
        fail_msg("%s", err.text);
    const double value = peck_report_value(r, metric);

    peck_report_free(r);
    return value;
}

static void a_run_is_judged_by_its_qrels(void **state)
{
    (void)state;
    /* Ties by falling id: d9, d2, d1. */
    assert_near(judge_run("mrr", "trec", 0), 1.0 / 3);
    assert_near(judge_run("map", "trec", 0), 1.0 / 3 / 2);
    assert_near(judge_run("recall@5", "trec", 0), 0.5);
    assert_near(judge_run("p@5", "trec", 0), 0.2);
    assert_near(judge_run("ndcg", "trec", 0), 0.5 / (2 + 1 / log2(3)));
    /* In input order, without the unjudged d9: d1 comes first. */
    assert_near(judge_run("mrr", "standard", 0), 1);
    assert_near(judge_run("map", "standard", 0), 0.5);
}

static void a_complete_judgement_counts_missing_queries(void **state)
{
    (void)state;
    assert_near(judge_run("mrr", "trec", 1), 1.0 / 3 / 2);
    assert_near(judge_run("ndcg", "trec", 1), 0.5 / (2 + 1 / log2(3)) / 2);
}

/* Perfect scores: every query with a relevant document has NDCG 1. */
static void perfect_scores_on_real_data_find_all_there_is(void **state)
{
    const char *const folder = getenv("PECK_DATA");
    const peck_judge_spec spec = { .metrics = "ndcg@10,pairacc", .threads = 2 };
    char path[4096];
    peck_dataset *d;
    peck_report *r;
    peck_dataset_info info;
    size_t n_relevant = 0, at = 0;

    (void)state;
    snprintf(path, sizeof path, "%s/mq2008/Fold1/test.txt.gz",
             folder != NULL ? folder : "../shared/data");
    if (peck_dataset_read(&d, path, NULL, NULL) != PECK_OK) {
        print_message("skipped: %s is not there\n", path);
        skip();
    }
    peck_dataset_describe(d, &info);
    double *const perfect = malloc(info.n_docs * sizeof *perfect);

    assert_non_null(perfect);
    for (size_t q = 0; q < info.n_queries; q++) {
        peck_query query;
        int has = 0;

        peck_dataset_query(d, q, &query);
        for (size_t i = 0; i < query.n_docs; i++) {
            perfect[at++] = (double)query.label[i];
            has |= query.label[i] >= 1;
        }
        n_relevant += (size_t)has;
    }
    assert_int_equal(peck_evaluate_scores(&r, d, perfect, &spec, NULL), PECK_OK);
    assert_near(peck_report_value(r, "ndcg@10"),
                (double)n_relevant / (double)info.n_queries);
    assert_near(peck_report_value(r, "pairacc"), 1);
    peck_report_free(r);
    peck_dataset_free(d);
    free(perfect);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scores_give_the_numbers_worked_by_hand),
        cmocka_unit_test(a_pipe_sees_the_metrics_asked_for_and_nothing_else),
        cmocka_unit_test(nonsense_is_refused_with_a_reason),
        cmocka_unit_test(a_query_left_out_has_a_dash_of_its_own),
        cmocka_unit_test(a_run_is_judged_by_its_qrels),
        cmocka_unit_test(a_complete_judgement_counts_missing_queries),
        cmocka_unit_test(perfect_scores_on_real_data_find_all_there_is),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
