/* test_report.c -- one report, three ways of writing it. */
#include "base/json.h"
#include "report/report.h"
#include "support/scratch.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

static char text[1 << 16];

static const char *written(const struct peck_report *r, const char *format)
{
    FILE *const f = tmpfile();
    peck_error err = { 0 };

    assert_non_null(f);
    assert_int_equal(peck_report_write(r, f, format, &err), PECK_OK);
    rewind(f);
    text[fread(text, 1, sizeof text - 1, f)] = '\0';
    fclose(f);
    return text;
}

static struct peck_report *sample(void)
{
    static const char *const columns[] = { "run", "mean", "p_value" };
    struct peck_report *const r = report_new();

    assert_non_null(r);
    report_count(r, "queries", 784);
    report_number(r, "ndcg@10", 1.0 / 3, 6);
    report_number(r, "tau", NAN, 6);
    report_text(r, "list_of_features", "6-10,43");
    report_note(r, "remark", "say \"hi\"");
    report_table(r, "runs", 3, columns);
    report_cell_text(r, "a");
    report_cell_number(r, 0.25, 4);
    report_cell_number(r, NAN, 3);
    report_cell_text(r, "bcd");
    report_cell_number(r, 10.5, 4);
    report_cell_number(r, 0.01, 3);
    assert_int_equal(report_check(r, NULL), PECK_OK);
    return r;
}

static void people_get_aligned_text(void **state)
{
    struct peck_report *const r = sample();

    (void)state;
    assert_string_equal(written(r, "text"), "queries           784\n"
                                            "ndcg@10             0.333333\n"
                                            "tau                 -\n"
                                            "list of features  6-10,43\n"
                                            "remark            say \"hi\"\n"
                                            "\n"
                                            "runs\n"
                                            "run     mean  p value\n"
                                            "a     0.2500        -\n"
                                            "bcd  10.5000    0.010\n");
    peck_report_free(r);
}

static void pipes_get_name_tab_value(void **state)
{
    struct peck_report *const r = sample();

    (void)state;
    assert_string_equal(written(r, "tsv"), "queries\t784\n"
                                           "ndcg@10\t0.333333\n"
                                           "tau\t-\n"
                                           "list_of_features\t6-10,43\n"
                                           "a.mean\t0.2500\n"
                                           "a.p_value\t-\n"
                                           "bcd.mean\t10.5000\n"
                                           "bcd.p_value\t0.010\n");
    peck_report_free(r);
}

static void programs_get_json(void **state)
{
    struct peck_report *const r = sample();
    struct json j;

    (void)state;
    assert_int_equal(json_parse(&j, span_of(written(r, "json")), "report", NULL), PECK_OK);
    assert_true(span_is(json_get(j.node, "queries")->text, "784"));
    assert_true(span_is(json_get(j.node, "ndcg@10")->text, "0.3333333333333333"));
    assert_int_equal(json_get(j.node, "tau")->type, JSON_NULL);
    assert_true(span_is(json_get(json_get(j.node, "notes"), "remark")->text, "say \"hi\""));
    const struct json_node *const table = json_get(json_get(j.node, "tables"), "runs");

    assert_int_equal(table->n_inside, 2);
    const struct json_node *const a = json_first(table), *const b = json_next(a);

    assert_true(span_is(json_get(a, "run")->text, "a"));
    assert_int_equal(json_get(a, "p_value")->type, JSON_NULL);
    assert_true(span_is(json_get(b, "mean")->text, "10.5"));
    json_free(&j);
    peck_report_free(r);
}

static void json_numbers_read_back_exactly(void **state)
{
    const double values[] = {
        0.1, 1e300, -2.2250738585072014e-308, 12345678901234567.0, 0.504951, 1.0 / 49
    };
    struct peck_report *const r = report_new();
    const char *p;

    (void)state;
    for (size_t i = 0; i < 6; i++)
        report_number(r, (const char *[]){ "a", "b", "c", "d", "e", "f" }[i], values[i], 2);
    p = written(r, "json");
    for (size_t i = 0; i < 6; i++) {
        double back;

        p = strstr(p, "\": ");
        assert_non_null(p);
        assert_int_equal(sscanf(p += 3, "%lf", &back), 1);
        assert_true(back == values[i]);
    }
    assert_non_null(strstr(text, "\"e\": 0.504951"));
    peck_report_free(r);
}

static void infinity_and_foreign_bytes_are_still_json(void **state)
{
    struct peck_report *const r = report_new();
    struct json j;

    (void)state;
    report_number(r, "inf", INFINITY, 2);
    report_text(r, "id \xFF\n", "tab\there \xC3");
    assert_int_equal(json_parse(&j, span_of(written(r, "json")), "report", NULL), PECK_OK);
    assert_int_equal(json_get(j.node, "inf")->type, JSON_NULL);
    json_free(&j);
    assert_string_equal(written(r, "tsv"), "inf\tinf\nid \xFF \ttab here \xC3\n");
    peck_report_free(r);
}

static void an_empty_report_is_written_too(void **state)
{
    struct peck_report *const r = report_new();

    (void)state;
    assert_string_equal(written(r, "text"), "");
    assert_string_equal(written(r, "tsv"), "");
    assert_string_equal(written(r, "json"), "{\n}\n");
    peck_report_free(r);
    peck_report_free(NULL);
}

static void values_are_found_by_name(void **state)
{
    struct peck_report *const r = sample();

    (void)state;
    assert_true(peck_report_value(r, "queries") == 784);
    assert_true(peck_report_value(r, "ndcg@10") == 1.0 / 3);
    assert_true(peck_report_value(r, "bcd.mean") == 10.5);
    assert_true(isnan(peck_report_value(r, "tau")));
    assert_true(isnan(peck_report_value(r, "a.p_value")));
    assert_true(isnan(peck_report_value(r, "remark")));
    assert_true(isnan(peck_report_value(r, "nothing")));
    peck_report_free(r);
}

static void an_unknown_format_is_refused(void **state)
{
    struct peck_report *const r = sample();
    peck_error err;

    (void)state;
    assert_failure(peck_report_write(r, stdout, "xml", &err), &err, PECK_ARG, "'xml'",
                   "text, tsv, json, columns, csv, latex or markdown");
    peck_report_free(r);
}

static void a_full_disk_is_told(void **state)
{
    FILE *const full = fopen("/dev/full", "w");
    struct peck_report *const r = sample();
    peck_error err;

    (void)state;
    if (full == NULL)
        skip();
    assert_failure(peck_report_write(r, full, "tsv", &err), &err, PECK_IO,
                   "cannot write the report");
    fclose(full);
    peck_report_free(r);
}

static void queries_are_written_one_a_line(void **state)
{
    static const char *const columns[] = { "ndcg@10", "map" };
    const double values[] = { 0.5, NAN, 1.0 / 3, 1 };
    struct peck_report *const r = report_new();
    struct strings ids = { 0 };
    peck_error err;

    (void)state;
    assert_true(strings_add(&ids, span_of("q1")) && strings_add(&ids, span_of("q\t2")));
    const char *const path = scratch_file("queries.tsv", "");

    assert_failure(peck_report_write_queries(r, path, &err), &err, PECK_ARG,
                   "no values per query");
    report_queries(r, 2, columns, 2, &ids, values);
    strings_free(&ids);
    assert_int_equal(peck_report_write_queries(r, path, &err), PECK_OK);
    FILE *const f = fopen(path, "r");

    text[fread(text, 1, sizeof text - 1, f)] = '\0';
    fclose(f);
    assert_string_equal(text,
                        "query\tndcg@10\tmap\nq1\t0.500000\t-\nq 2\t0.333333\t1.000000\n");
    peck_report_free(r);
}

static void a_csv_of_queries_has_commas(void **state)
{
    static const char *const columns[] = { "map", "rule, too" };
    const double values[] = { 0.5, NAN, 1, 0, 0.25, 1 };
    struct peck_report *const r = report_new();
    struct strings ids = { 0 };
    peck_error err;

    (void)state;
    assert_true(strings_add(&ids, span_of("a,b")) && strings_add(&ids, span_of("\"x\"")) &&
                strings_add(&ids, span_of("")));
    report_queries(r, 2, columns, 3, &ids, values);
    strings_free(&ids);
    const char *const path = scratch_file("queries.csv", "");

    assert_int_equal(peck_report_write_queries(r, path, &err), PECK_OK);
    FILE *const f = fopen(path, "r");

    text[fread(text, 1, sizeof text - 1, f)] = '\0';
    fclose(f);
    assert_string_equal(text, "query,map,\"rule, too\"\n\"a,b\",0.500000,-\n"
                              "\"\"\"x\"\"\",1.000000,0.000000\n,0.250000,1.000000\n");
    peck_report_free(r);
}

static void a_report_is_saved_whole(void **state)
{
    struct peck_report *const r = report_new();
    peck_error err;
    size_t n;
    const char *const path = scratch_file("saved.json", "old");

    (void)state;
    report_number(r, "map", 0.5, 6);
    assert_failure(peck_report_save(r, path, "yaml", &err), &err, PECK_ARG, "yaml");
    assert_failure(peck_report_save(r, "no/such/folder", "json", &err), &err, PECK_IO,
                   "no/such/folder");
    char *kept = file_bytes(path, &n);

    assert_string_equal(kept, "old");
    free(kept);
    assert_int_equal(peck_report_save(r, path, "tsv", &err), PECK_OK);
    kept = file_bytes(path, &n);
    assert_string_equal(kept, "map\t0.500000\n");
    free(kept);
    peck_report_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(people_get_aligned_text),
        cmocka_unit_test(pipes_get_name_tab_value),
        cmocka_unit_test(programs_get_json),
        cmocka_unit_test(json_numbers_read_back_exactly),
        cmocka_unit_test(infinity_and_foreign_bytes_are_still_json),
        cmocka_unit_test(an_empty_report_is_written_too),
        cmocka_unit_test(values_are_found_by_name),
        cmocka_unit_test(an_unknown_format_is_refused),
        cmocka_unit_test(a_full_disk_is_told),
        cmocka_unit_test(queries_are_written_one_a_line),
        cmocka_unit_test(a_csv_of_queries_has_commas),
        cmocka_unit_test(a_report_is_saved_whole),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
