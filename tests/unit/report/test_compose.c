/* test_compose.c -- reports that a program puts together itself. */
#include "support/check.h"
#include "support/scratch.h"

#include <math.h>

static char *printed(const peck_report *r, const char *format)
{
    const char *const path = scratch_path("report");
    FILE *const to = fopen(path, "w");
    peck_error err;
    size_t n;

    assert_non_null(to);
    assert_ok(peck_report_write(r, to, format, &err), err);
    fclose(to);
    return file_bytes(path, &n);
}

static peck_report *new_report(void)
{
    peck_report *r = NULL;
    peck_error err;

    assert_ok(peck_report_new(&r, &err), err);
    return r;
}

static void numbers_and_texts_come_out_in_order(void **state)
{
    peck_report *const r = new_report();

    (void)state;
    peck_report_add_text(r, "method", "ridge");
    peck_report_add_number(r, "best_epoch", 3, 0);
    peck_report_add_number(r, "valid", 0.25, 4);
    peck_report_add_number(r, "test", (double)NAN, 4);
    char *const text = printed(r, "tsv");

    assert_string_equal(text, "method\tridge\nbest_epoch\t3\nvalid\t0.2500\ntest\t-\n");
    assert_true(peck_report_value(r, "valid") == 0.25);
    free(text);
    peck_report_free(r);
}

static void all_numbers_of_another_report_join_behind_a_prefix(void **state)
{
    const float x[] = { 1, 2 }, label[] = { 1, 0 };
    const uint32_t sizes[] = { 2 };
    const double score[] = { 2, 1 };
    const peck_judge_spec how = { .metrics = "ndcg@10,map" };
    peck_report *const r = new_report(), *found = NULL;
    peck_dataset *d = NULL;
    peck_error err;

    (void)state;
    assert_ok(peck_dataset_wrap(&d, x, 2, 1, label, sizes, 1, &err), err);
    assert_ok(peck_evaluate_scores(&found, d, score, &how, &err), err);
    peck_report_add_all(r, "test_", found);
    peck_report_free(found);
    char *const text = printed(r, "tsv");

    assert_non_null(strstr(text, "test_ndcg@10\t1.000000\ntest_map\t1.000000\n"));
    free(text);
    peck_report_free(r);
    peck_dataset_free(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_and_texts_come_out_in_order),
        cmocka_unit_test(all_numbers_of_another_report_join_behind_a_prefix),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
