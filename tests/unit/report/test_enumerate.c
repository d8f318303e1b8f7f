/* Reports for programs: text in memory, items, cells, values per query. */
#include "report/report.h"
#include "support/check.h"
#include "support/scratch.h"

#include <math.h>

static peck_error err;

static peck_report *make_report(void)
{
    static const char *const column[] = { "run", "mean", "luck" };
    static const char *const metric[] = { "map", "ndcg@10" };
    static const double value[] = { 0.25, 0.5, NAN, 0.75 };
    peck_report *r = NULL;
    struct strings id = { 0 };

    assert_ok(peck_report_new(&r, &err), err);
    report_note(r, "convention", "standard");
    report_note_count(r, "queries", 2);
    report_number(r, "map", 0.25, 4);
    report_count(r, "pairs", 12);
    report_text(r, "method", "ridge");
    report_table(r, "runs", 3, column);
    report_cell_text(r, "one");
    report_cell_number(r, 0.5, 6);
    report_cell_number(r, NAN, 2);
    assert_true(strings_add(&id, (peck_span){ "q7", 2 }));
    assert_true(strings_add(&id, (peck_span){ "q9", 2 }));
    report_queries(r, 2, metric, 2, &id, value);
    strings_free(&id);
    return r;
}

static void text_in_memory_is_what_a_file_gets(void **state)
{
    static const char *const formats[] = { "text", "tsv", "json" };
    peck_report *const r = make_report();
    peck_bytes bytes;

    (void)state;
    for (size_t i = 0; i < N_OF(formats); i++) {
        size_t n;

        assert_ok(peck_report_save(r, scratch_path("r.out"), formats[i], &err), err);
        char *const file = file_bytes(scratch_path("r.out"), &n);

        assert_ok(peck_report_print(&bytes, r, formats[i], &err), err);
        assert_int_equal(bytes.n, n);
        assert_string_equal(bytes.s, file);
        peck_bytes_free(&bytes);
        free(file);
    }
    assert_int_equal(peck_report_print(&bytes, r, "xml", &err), PECK_ARG);
    assert_null(bytes.s);
    peck_report_free(r);
}

static void an_empty_report_is_an_empty_string(void **state)
{
    peck_report *r = NULL;
    peck_bytes bytes;

    (void)state;
    assert_ok(peck_report_new(&r, &err), err);
    assert_ok(peck_report_print(&bytes, r, "tsv", &err), err);
    assert_string_equal(bytes.s, "");
    assert_int_equal(bytes.n, 0);
    peck_bytes_free(&bytes);
    peck_report_free(r);
}

static void every_item_can_be_had(void **state)
{
    peck_report *const r = make_report();
    peck_item item;

    (void)state;
    assert_true(peck_report_item(r, 0, &item));
    assert_span(item.name, "convention");
    assert_span(item.text, "standard");
    assert_true(item.kind == PECK_ITEM_TEXT && item.is_note && isnan(item.number));
    assert_true(peck_report_item(r, 1, &item));
    assert_true(item.kind == PECK_ITEM_NUMBER && item.is_note && item.number == 2);
    assert_true(peck_report_item(r, 2, &item));
    assert_span(item.name, "map");
    assert_true(item.kind == PECK_ITEM_NUMBER && !item.is_note && item.number == 0.25 &&
                item.decimals == 4 && item.text.n == 0);
    assert_true(peck_report_item(r, 3, &item));
    assert_true(item.kind == PECK_ITEM_NUMBER && item.number == 12 && item.decimals == 0);
    assert_true(peck_report_item(r, 4, &item));
    assert_true(item.kind == PECK_ITEM_TEXT && !item.is_note);
    assert_true(peck_report_item(r, 5, &item));
    assert_span(item.name, "runs");
    assert_true(item.kind == PECK_ITEM_TABLE && item.n_rows == 1 && item.n_columns == 3);
    assert_false(peck_report_item(r, 6, &item));
    assert_int_equal(item.name.n, 0);
    peck_report_free(r);
}

static void every_cell_can_be_had(void **state)
{
    peck_report *const r = make_report();
    peck_item cell;

    (void)state;
    assert_true(peck_report_cell(r, 5, 0, 0, &cell));
    assert_span(cell.name, "run");
    assert_span(cell.text, "one");
    assert_true(peck_report_cell(r, 5, 0, 1, &cell));
    assert_span(cell.name, "mean");
    assert_true(cell.number == 0.5 && cell.decimals == 6);
    assert_true(peck_report_cell(r, 5, 0, 2, &cell));
    assert_true(cell.kind == PECK_ITEM_NUMBER && isnan(cell.number));
    assert_false(peck_report_cell(r, 5, 1, 0, &cell));
    assert_false(peck_report_cell(r, 5, 0, 3, &cell));
    assert_false(peck_report_cell(r, 2, 0, 0, &cell));
    assert_false(peck_report_cell(r, 6, 0, 0, &cell));
    peck_report_free(r);
}

static void values_per_query_are_arrays(void **state)
{
    peck_report *const r = make_report();
    double value[2];

    (void)state;
    assert_int_equal(peck_report_queries(r), 2);
    assert_span(peck_report_query_id(r, 1), "q9");
    assert_int_equal(peck_report_query_id(r, 2).n, 0);
    assert_span(peck_report_query_metric(r, 1), "ndcg@10");
    assert_int_equal(peck_report_query_metric(r, 2).n, 0);
    assert_ok(peck_report_query_values(r, "map", value, &err), err);
    assert_true(value[0] == 0.25 && isnan(value[1]));
    assert_ok(peck_report_query_values(r, "ndcg@10", value, &err), err);
    assert_true(value[0] == 0.5 && value[1] == 0.75);
    assert_int_equal(peck_report_query_values(r, "mrr", value, &err), PECK_ARG);
    assert_failed(err, PECK_ARG, "'mrr'");
    peck_report_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_in_memory_is_what_a_file_gets),
        cmocka_unit_test(an_empty_report_is_an_empty_string),
        cmocka_unit_test(every_item_can_be_had),
        cmocka_unit_test(every_cell_can_be_had),
        cmocka_unit_test(values_per_query_are_arrays),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
