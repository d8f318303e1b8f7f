/* test_formats.c -- tables for people and for other programs: fitted to a width, keys of their
 * own columns, p-values that are never 0, and what is quoted. */
#include "report/report.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static const char *const columns[] = { "metric", "run", "mean", "fisher" };

static struct peck_report *comparison(void)
{
    struct peck_report *const r = report_new();

    assert_non_null(r);
    report_note_brief(r, "convention", "standard: gain=exp, discount=log2", "standard");
    report_note_brief(r, "fingerprint", "0123", NULL);
    report_table_of(r, "comparison", "valid ", 2, 4, columns);
    report_cell_text(r, "map");
    report_cell_text(r, "a_1");
    report_cell_number(r, 0.25, 6);
    report_cell_p(r, (double)NAN);
    report_cell_text(r, "map");
    report_cell_text(r, "b, \"c\"|50%");
    report_cell_number(r, 0.5, 6);
    report_cell_p(r, 3.14e-9);
    report_sentence(r, "verdict", "map: b is better than a by 0.250");
    return r;
}

static void assert_printed(const struct peck_report *r, peck_print_spec spec,
                           const char *want)
{
    peck_bytes text;
    peck_error err;

    assert_int_equal(peck_report_print_as(&text, r, &spec, &err), PECK_OK);
    assert_string_equal(text.s, want);
    peck_bytes_free(&text);
}

static void keys_are_columns_but_in_lines(void **state)
{
    struct peck_report *const r = comparison();

    (void)state;
    assert_printed(r, (peck_print_spec){ .format = "tsv" },
                   "valid map a_1.mean\t0.250000\n"
                   "valid map a_1.fisher\t-\n"
                   "valid map b, \"c\"|50%.mean\t0.500000\n"
                   "valid map b, \"c\"|50%.fisher\t3.1e-09\n");
    assert_printed(r, (peck_print_spec){ .format = "columns" },
                   "metric\trun\tmean\tfisher\n"
                   "map\ta_1\t0.250000\t\n"
                   "map\tb, \"c\"|50%\t0.500000\t3.1e-09\n");
    assert_printed(r, (peck_print_spec){ .format = "csv" },
                   "metric,run,mean,fisher\n"
                   "map,a_1,0.250000,\n"
                   "map,\"b, \"\"c\"\"|50%\",0.500000,3.1e-09\n");
    assert_true(peck_report_value(r, "valid map a_1.mean") == 0.25);
    assert_true(isnan(peck_report_value(r, "map a_1.mean")));
    assert_true(isnan(peck_report_value(r, "valid map a_1.run")));
    peck_report_free(r);
}

static void named_values_are_a_table_too(void **state)
{
    struct peck_report *const r = report_new();

    (void)state;
    report_number(r, "ndcg@10", 0.5, 6);
    report_count(r, "queries", 12);
    report_text(r, "norm", "a,b");
    assert_printed(r, (peck_print_spec){ .format = "csv" },
                   "name,value\nndcg@10,0.500000\nqueries,12\nnorm,\"a,b\"\n");
    assert_printed(r, (peck_print_spec){ .format = "markdown" },
                   "| name | value |\n| --- | ---: |\n| ndcg@10 | 0.500000 |\n"
                   "| queries | 12 |\n| norm | a,b |\n");
    peck_report_free(r);
}

static void papers_and_pages_get_theirs(void **state)
{
    struct peck_report *const r = comparison();

    (void)state;
    assert_printed(r, (peck_print_spec){ .format = "latex" },
                   "% comparison\n"
                   "\\begin{tabular}{llrr}\n\\hline\n"
                   "metric & run & mean & fisher \\\\\n\\hline\n"
                   "map & a\\_1 & 0.250000 & - \\\\\n"
                   "map & b, \"c\"|50\\% & 0.500000 & $<$0.0001 \\\\\n"
                   "\\hline\n\\end{tabular}\n"
                   "\n% map: b is better than a by 0.250\n");
    assert_printed(r, (peck_print_spec){ .format = "markdown" },
                   "comparison:\n\n"
                   "| metric | run | mean | fisher |\n"
                   "| --- | --- | ---: | ---: |\n"
                   "| map | a_1 | 0.250000 | - |\n"
                   "| map | b, \"c\"\\|50% | 0.500000 | \\<0.0001 |\n"
                   "\nmap: b is better than a by 0.250\n");
    peck_report_free(r);
}

static void people_get_what_fits(void **state)
{
    struct peck_report *const r = comparison();

    (void)state;
    assert_printed(r, (peck_print_spec){ .width = 80 },
                   "convention  standard\n"
                   "\n"
                   "comparison\n"
                   "metric  run             mean   fisher\n"
                   "map     a_1         0.250000        -\n"
                   "map     b, \"c\"|50%  0.500000  <0.0001\n"
                   "\n"
                   "map: b is better than a by 0.250\n");
    /* Fewer decimals, narrower gaps, then blocks of columns. */
    assert_printed(r, (peck_print_spec){ .width = 32, .details = 1 },
                   "convention   standard: gain=exp,\n"
                   "             discount=log2\n"
                   "fingerprint  0123\n"
                   "\n"
                   "comparison\n"
                   "metric run          mean  fisher\n"
                   "map    a_1        0.2500       -\n"
                   "map    b, \"c\"|50% 0.5000 <0.0001\n"
                   "\n"
                   "map: b is better than a by 0.250\n");
    assert_printed(r, (peck_print_spec){ .width = 26 },
                   "convention  standard\n"
                   "\n"
                   "comparison\n"
                   "metric run          mean\n"
                   "map    a_1        0.2500\n"
                   "map    b, \"c\"|50% 0.5000\n"
                   "\n"
                   "metric run         fisher\n"
                   "map    a_1              -\n"
                   "map    b, \"c\"|50% <0.0001\n"
                   "\n"
                   "map: b is better than a by\n"
                   "0.250\n");
    peck_report_free(r);
}

static void long_texts_take_several_lines(void **state)
{
    static const char *const of_names[] = { "name", "title" };
    struct peck_report *const r = report_new();

    (void)state;
    peck_report_add_table(r, "", 2, of_names);
    peck_report_add_cell(r, span_of("ndcg"));
    peck_report_add_cell(r, span_of("gains at \303\244 rank by their discount"));
    peck_report_add_cell(r, span_of("err"));
    peck_report_add_cell(r, span_of("ab\033[cdefghijklmnopqrstuvwxyz"));
    assert_printed(r, (peck_print_spec){ .width = 20 },
                   "name title\n"
                   "ndcg gains at \303\244 rank\n"
                   "     by their\n"
                   "     discount\n"
                   "err  ab\n"
                   "     [cdefghijklmnop\n"
                   "     qrstuvwxyz\n");
    peck_report_free(r);
}

/* Two columns for each of the three of Tokyo Tower, none for an accent that combines. */
static void wide_characters_take_two_columns(void **state)
{
    static const char *const of_names[] = { "item", "score" };
    struct peck_report *const r = report_new();

    (void)state;
    peck_report_add_table(r, "", 2, of_names);
    peck_report_add_cell(r, span_of("\346\235\261\344\272\254\345\241\224"));
    peck_report_add_cell_number(r, 1.0, 1);
    peck_report_add_cell(r, span_of("cafe\314\201"));
    peck_report_add_cell_number(r, 0.5, 1);
    assert_printed(r, (peck_print_spec){ .width = 80 },
                   "item    score\n"
                   "\346\235\261\344\272\254\345\241\224    1.0\n"
                   "cafe\314\201      0.5\n");
    peck_report_free(r);
}

static void colours_are_asked_for(void **state)
{
    struct peck_report *const r = report_new();

    (void)state;
    report_note(r, "seed", "a\033[31m");
    report_number(r, "map", 0.5, 2);
    assert_printed(r, (peck_print_spec){ .colours = 1 },
                   "\033[2mseed  a [31m\033[0m\nmap   0.50\n");
    peck_report_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_are_columns_but_in_lines),
        cmocka_unit_test(named_values_are_a_table_too),
        cmocka_unit_test(papers_and_pages_get_theirs),
        cmocka_unit_test(people_get_what_fits),
        cmocka_unit_test(long_texts_take_several_lines),
        cmocka_unit_test(wide_characters_take_two_columns),
        cmocka_unit_test(colours_are_asked_for),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
