/* test_letor_forms.c -- LETOR text as others write it: counted from 0, without labels. */
#include "support/letor_text.h"

/* The same text counted from 0 and from 1 is the same data, dense or sparse. */
static void features_may_count_from_zero(void **state)
{
    (void)state;
    peck_dataset *const one =
        read_text("# 1 a\n# 3 c\n1 qid:1 1:5 2:6 3:7\n0 qid:1 2:8\n0 qid:2 3:9 # d\n");
    peck_dataset *const zero = read_with(
        scratch_file("zero.txt", "# 0 a\n# 2 c\n1 qid:1 0:5 1:6 2:7\n0 qid:1 1:8\n"
                                 "0 qid:2 2:9 # d\n"),
        (peck_read_options){ .zero_based = 1, .threads = 2 });

    assert_int_equal(zero->dim, 3);
    assert_memory_equal(zero->x, one->x, 9 * sizeof *one->x);
    assert_span(peck_dataset_feature_name(zero, 0), "a");
    assert_span(peck_dataset_feature_name(zero, 2), "c");
    assert_int_equal(peck_dataset_feature_name(zero, 1).n, 0);
    peck_dataset_free(one);
    peck_dataset_free(zero);
}

static void messages_count_as_the_file_does(void **state)
{
    (void)state;
    static const struct {
        const char *text, *phrase;
    } cases[] = {
        { "1 qid:1 0:x", "feature 0 is 'x'" },
        { "1 qid:1 0:1 0:1", "feature 0 is there twice" },
        { "1 qid:1 1:1 0:1", "feature 0 is out of order" },
        { "1 qid:1 0:1 3:nan", "feature 3 is missing" },
        { "1 qid:1 1048576:1", "feature 1048576 is over the limit 1048575" },
        { "1 qid:1 -1:1", "'-1:1' is not feature:value" },
    };
    const peck_read_options o = { .zero_based = 1 };

    for (size_t i = 0; i < N_OF(cases); i++)
        check_refused(cases[i].text, strlen(cases[i].text), o, PECK_FORMAT,
                      cases[i].phrase);
    check_refused("1 qid:1 0:1", 11, (peck_read_options){ 0 }, PECK_FORMAT,
                  "feature 0; features are numbered from 1, or use --zero-based");
    peck_dataset *const d = read_with(scratch_file("top", "1 qid:1 1048575:1\n"), o);

    assert_int_equal(d->dim, 1048576);
    peck_dataset_free(d);
}

static void labels_may_be_absent_where_nobody_asks(void **state)
{
    (void)state;
    const peck_read_options bare = { .labels_optional = 1 };
    peck_dataset *d =
        read_with(scratch_file("bare.txt", "qid:1 1:5 2:6 # d\nqid:1\nqid:2 2:7\n"), bare);

    assert_int_equal(d->n_docs, 3);
    assert_int_equal(d->n_queries, 2);
    assert_int_equal(d->n_judged, 0);
    assert_true(d->label[0] == PECK_UNJUDGED && d->label[2] == PECK_UNJUDGED);
    assert_true(cell(d, 0, 1) == 5 && cell(d, 0, 2) == 6 && cell(d, 2, 2) == 7);
    assert_span(peck_dataset_doc_id(d, 0), "d");
    peck_dataset_free(d);
    scratch_file("sized.txt.query", "1\n2\n");
    d = read_with(scratch_file("sized.txt", "1:5 2:6\n2:1\n3:1\n"), bare);
    assert_int_equal(d->n_queries, 2);
    assert_int_equal(d->dim, 3);
    assert_true(cell(d, 0, 1) == 5 && cell(d, 1, 2) == 1);
    peck_dataset_free(d);
    d = read_with(scratch_file("judged.txt", "2 qid:1 1:5\n"), bare);
    assert_true(d->label[0] == 2);
    peck_dataset_free(d);
}

/* A label that got lost among others is no wish. */
static void labels_are_on_all_lines_or_none(void **state)
{
    (void)state;
    static const char lost[] = "1 qid:1 1:1\nqid:1 1:2\n";
    static const char odd[] = "qid:1 1:1\n1 qid:1 1:2\n";
    const peck_read_options bare = { .labels_optional = 1 };

    check_refused(lost, strlen(lost), bare, PECK_FORMAT,
                  "bad.txt:2: the label is missing before 'qid:1'");
    check_refused(odd, strlen(odd), bare, PECK_FORMAT,
                  "bad.txt:2: a label, but the first document has none");
    check_refused(odd, strlen(odd), (peck_read_options){ 0 }, PECK_FORMAT,
                  "bad.txt:1: the label is missing before 'qid:1'");
    check_refused(lost, strlen(lost), (peck_read_options){ .query_column = "1" }, PECK_ARG,
                  "--query-column is for CSV and TSV");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(features_may_count_from_zero),
        cmocka_unit_test(messages_count_as_the_file_does),
        cmocka_unit_test(labels_may_be_absent_where_nobody_asks),
        cmocka_unit_test(labels_are_on_all_lines_or_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
