/* test_report_read.c -- a report comes back from what it was written as. */
#include "support/check.h"
#include "support/scratch.h"

#include "page/show.h"

#include <math.h>

static struct peck_report *from_json(const char *text)
{
    struct peck_report *r = NULL;
    peck_error err;

    assert_ok(report_read_json(&r, span_of(text), "r.json", &err), err);
    return r;
}

static peck_status read_tsv(struct peck_report **out, const char *text, peck_error *err)
{
    struct input in = { 0 };

    *err = (peck_error){ PECK_OK, "" };
    assert_ok(input_open(&in, scratch_file("sheet.tsv", text), err), *err);
    in.name = "sheet.tsv";
    const peck_status st = report_read_tsv(out, &in, err);

    input_close(&in);
    return st;
}

/* Written as JSON and read again, a report is written as the same JSON. */
static void what_was_written_as_json_is_read_back(void **state)
{
    static const char *const column[] = { "rule", "queries", "share" };
    struct peck_report *const r = report_new();
    const char *const path = scratch_path("r.json");
    char *text[2];
    size_t n;
    peck_error err;

    (void)state;
    report_number(r, "ndcg@10", 0.1 + 0.2, 6);
    report_count(r, "queries", 7);
    report_text(r, "method", "a \"quoted\" ü");
    report_note(r, "convention", "standard: gain=exp");
    report_table(r, "rules", 3, column);
    report_cell_text(r, "sport");
    report_cell_number(r, 20, 0);
    report_cell_number(r, (double)NAN, 6);
    struct peck_report *written = r;

    for (int i = 0; i < 2; i++) {
        FILE *const to = fopen(path, "w");

        assert_ok(peck_report_write(written, to, "json", &err), err);
        fclose(to);
        text[i] = file_bytes(path, &n);
        peck_report_free(written);
        written = i == 0 ? from_json(text[0]) : NULL;
    }
    assert_string_equal(text[0], text[1]);
    free(text[0]);
    free(text[1]);
}

static void parts_are_found_by_name(void **state)
{
    struct report_grid t;
    struct peck_report *const r = from_json(
        "{\"map\": 0.5, \"method\": \"ridge\", \"notes\": {\"convention\": \"c\"}, "
        "\"tables\": {\"rules\": [{\"rule\": \"a\", \"hold\": 1}, "
        "{\"rule\": \"b\", \"hold\": null}]}}");

    (void)state;
    assert_span(report_find_text(r, "method"), "ridge");
    assert_span(report_find_text(r, "convention"), "c");
    assert_int_equal(report_find_text(r, "nothing").n, 0);
    assert_true(peck_report_value(r, "map") == 0.5);
    assert_false(report_find_table(r, "other", &t));
    assert_true(report_find_table(r, "rules", &t));
    assert_int_equal(t.n_rows, 2);
    assert_int_equal(report_find_column(r, &t, "hold"), 1);
    assert_int_equal(report_find_column(r, &t, "none"), t.n_columns);
    assert_span(report_text_at(r, &t, 1, 0), "b");
    assert_true(report_number_at(r, &t, 0, 1) == 1);
    assert_true(isnan(report_number_at(r, &t, 1, 1)));
    assert_true(isnan(report_number_at(r, &t, 0, 0))); /* a text */
    assert_true(isnan(report_number_at(r, &t, 9, 1)));
    assert_int_equal(report_text_at(r, &t, 0, 9).n, 0);
    peck_report_free(r);
}

static void tables_that_are_none_are_refused(void **state)
{
    static const char *const bad[] = { "{\"tables\": {\"t\": 1}}",
                                       "{\"tables\": {\"t\": [1]}}",
                                       "{\"tables\": {\"t\": [{}]}}",
                                       "{\"tables\": {\"t\": [{\"a\": 1}, {}]}}",
                                       "[1]",
                                       "{\"a\": " };

    (void)state;
    for (size_t i = 0; i < N_OF(bad); i++) {
        struct peck_report *r = NULL;
        peck_error err;

        assert_int_equal(report_read_json(&r, span_of(bad[i]), "r.json", &err),
                         PECK_FORMAT);
        assert_failed(err, PECK_FORMAT, "r.json");
        assert_null(r);
    }
}

static void lines_of_queries_become_values(void **state)
{
    struct peck_report *r = NULL;
    peck_error err;

    (void)state;
    assert_ok(read_tsv(&r, "query\tmap\tp@1\r\nq 1\t0.5\t-\n\nq2\t1e-3\t1\n", &err), err);
    const struct report_sheet s = report_sheet(r);

    assert_int_equal(s.n_queries, 2);
    assert_int_equal(s.n_columns, 2);
    assert_span(strings_get(s.column, 1), "p@1");
    assert_span(strings_get(s.query, 0), "q 1");
    assert_true(s.value[0] == 0.5 && isnan(s.value[1]) && s.value[2] == 1e-3);
    peck_report_free(r);
}

static void commas_do_as_well_as_tabs(void **state)
{
    struct peck_report *r = NULL;
    peck_error err;

    (void)state;
    assert_ok(read_tsv(&r,
                       "query,map,\"rule, too\"\r\n\"a,b\",0.5,-\r\n\"\"\"x\"\"\",1e-3,1\n"
                       ",0,0\n\"\",1,1\n",
                       &err),
              err);
    const struct report_sheet s = report_sheet(r);

    assert_int_equal(s.n_queries, 4);
    assert_int_equal(s.n_columns, 2);
    assert_span(strings_get(s.column, 1), "rule, too");
    assert_span(strings_get(s.query, 0), "a,b");
    assert_span(strings_get(s.query, 1), "\"x\"");
    assert_int_equal(strings_get(s.query, 2).n, 0);
    assert_int_equal(strings_get(s.query, 3).n, 0);
    assert_true(s.value[0] == 0.5 && isnan(s.value[1]) && s.value[2] == 1e-3);
    peck_report_free(r);
}

static void other_lines_become_a_table(void **state)
{
    struct report_grid t;
    struct peck_report *r = NULL;
    peck_error err;

    (void)state;
    assert_ok(read_tsv(&r, "decoder\tquestions\terror\ntree\t10\t0.5\n", &err), err);
    assert_int_equal(report_sheet(r).n_queries, 0);
    assert_true(report_find_table(r, "decoder", &t));
    assert_span(report_text_at(r, &t, 0, 0), "tree");
    assert_true(report_number_at(r, &t, 0, report_find_column(r, &t, "error")) == 0.5);
    peck_report_free(r);
}

static void bad_lines_are_named(void **state)
{
    static const char *const bad[][2] = {
        { "query\tmap\na\t1\nb\tx\n", "sheet.tsv:3: 'x' is not a number" },
        { "query\tmap\na\t1\t2\n", "sheet.tsv:2: 3 cells under 2 names" },
        { "query,map\n\"a,1\n", "sheet.tsv:2: 1 cells under 2 names" },
        { "query\tmap\n", "is empty" },
        { "", "is empty" },
    };

    (void)state;
    for (size_t i = 0; i < N_OF(bad); i++) {
        struct peck_report *r = NULL;
        peck_error err;

        assert_int_equal(read_tsv(&r, bad[i][0], &err), PECK_FORMAT);
        assert_failed(err, PECK_FORMAT, bad[i][1]);
        assert_null(r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_written_as_json_is_read_back),
        cmocka_unit_test(parts_are_found_by_name),
        cmocka_unit_test(tables_that_are_none_are_refused),
        cmocka_unit_test(lines_of_queries_become_values),
        cmocka_unit_test(commas_do_as_well_as_tabs),
        cmocka_unit_test(other_lines_become_a_table),
        cmocka_unit_test(bad_lines_are_named),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
