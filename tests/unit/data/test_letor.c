/* test_letor.c -- LETOR text case by case: what is read, and what is said about what
 * cannot be.  Random files are in test_letor_twin.c.                                 */
#include "support/check.h"

#include "base/input.h"
#include "data/dataset.h"
#include "support/letor_text.h"
#include "support/samples.h"

#include <float.h>
#include <math.h>

/* What is read -------------------------------------------------------------------- */

static void a_plain_file_is_read(void **state)
{
    (void)state;
    peck_dataset *const d = read_text("2 qid:10 1:0.3 2:0.7 #docid = GX1-2\n"
                                      "0 qid:10 1:0.5 2:-4e2 #docid = GX1-3\n"
                                      "1 qid:11 1:1 2:0 # anything else\n");
    peck_dataset_info info;
    peck_query q;

    peck_dataset_describe(d, &info);
    assert_int_equal(info.n_docs, 3);
    assert_int_equal(info.n_queries, 2);
    assert_int_equal(info.n_features, 2);
    assert_int_equal(info.n_judged, 3);
    assert_int_equal(info.n_missing, 0);
    assert_true(info.max_label == 2);
    assert_true(info.has_doc_ids && !info.has_doc_weights && !info.has_query_weights);
    assert_false(info.has_feature_names || info.was_gathered);
    assert_string_equal(info.reader, "letor");
    peck_dataset_query(d, 0, &q);
    assert_span(q.id, "10");
    assert_true(q.n_docs == 2 && q.first == 0 && q.stride == 2 && q.weight == 1);
    assert_true(q.label[0] == 2 && q.label[1] == 0);
    assert_true(q.x[0] == 0.3f && q.x[1] == 0.7f && q.x[2] == 0.5f && q.x[3] == -400);
    assert_null(q.doc_weight);
    peck_dataset_query(d, 1, &q);
    assert_span(q.id, "11");
    assert_true(q.n_docs == 1 && q.first == 2);
    assert_span(peck_dataset_doc_id(d, 0), "GX1-2");
    assert_span(peck_dataset_doc_id(d, 2), "anything else");
    peck_dataset_free(d);
}

/* The same three rows in many dresses. */
static void blanks_comments_and_line_ends_do_not_matter(void **state)
{
    (void)state;
    static const char *const dresses[] = {
        "1 qid:a 1:0.5 3:2\n0 qid:a 2:7\n2 qid:b\n",
        "1 qid:a 1:0.5 3:2\n0 qid:a 2:7\n2 qid:b", /* no newline at the end */
        "1 qid:a 1:0.5 3:2\r\n0 qid:a 2:7\r\n2 qid:b\r\n",
        "1 qid:a 1:0.5 3:2\r\n0 qid:a 2:7\r\n2 qid:b\r",
        "1\tqid:a\t1:0.5\t3:2\n0\tqid:a\t2:7\n2\tqid:b\n",
        "  1   qid:a \t 1:0.5   3:2   \n\t0 qid:a  2:7 \n2 qid:b \t\r\n",
        "\n\n1 qid:a 1:0.5 3:2\n   \n\t\n\r\n0 qid:a 2:7\n \t\r\n2 qid:b\n\n\n",
        "# a remark\n1 qid:a 1:0.5 3:2\n#another\n  # and one\n0 qid:a 2:7\n2 qid:b\n#",
        "1 qid:a 1:0.5 3:2#\n0 qid:a 2:7 #\n2 qid:b #   \n",
        "1 qid:a 1:.5 2:0 3:2.\n0 qid:a 1:0 2:7.0 3:0e5\n2 qid:b 1:0 2:0 3:0\n",
        "1.0 qid:a 1:5e-1 3:+2\n0e0 qid:a 2:00007\n+2 qid:b 3:0\n",
        "1 qid:a 01:0.5 0003:2\n0 qid:a 2:7\n2 qid:b\n",
        "1 qid:a 1:0.50000000000000000000 3:20000000000000000e-16\n0 qid:a 2:7\n2 qid:b",
    };
    peck_dataset *const first = read_text(dresses[0]);

    assert_int_equal(first->n_docs, 3);
    assert_int_equal(first->dim, 3);
    assert_true(cell(first, 0, 1) == 0.5f && cell(first, 0, 3) == 2 &&
                cell(first, 1, 2) == 7);
    for (size_t i = 1; i < N_OF(dresses); i++) {
        peck_dataset *const d = read_text(dresses[i]);

        assert_same_dataset(first, d);
        peck_dataset_free(d);
    }
    peck_dataset_free(first);
}

static void a_file_on_a_page_boundary_is_read_to_its_end(void **state)
{
    (void)state;
    static char text[8192 + 1];

    for (size_t end = 4090; end <= 4100; end++) {
        memset(text, ' ', sizeof text);
        memcpy(text, "1 qid:7 1:2 # ", 14);
        text[end - 10] = '\n';
        memcpy(text + end - 9, "0 qid:7 ", 8);
        text[end - 1] = '\n';
        memcpy(text + end, "3 qid:7 1:12345678", 18);
        peck_dataset *const d = read_with(scratch_bytes("page", text, end + 18),
                                          (peck_read_options){ .threads = 2 });

        assert_int_equal(d->n_docs, 3);
        assert_true(cell(d, 2, 1) == 12345678);
        peck_dataset_free(d);
    }
}

static void absent_features_are_zero(void **state)
{
    (void)state;
    peck_dataset *const d =
        read_text("0 qid:1 5:1\n0 qid:1 2:1\n0 qid:1 1:1 2:2 4:4\n0 qid:1\n");
    static const float right[4][5] = {
        { 0, 0, 0, 0, 1 }, { 0, 1, 0, 0, 0 }, { 1, 2, 0, 4, 0 }, { 0 }
    };

    assert_int_equal(d->dim, 5);
    assert_memory_equal(d->x, right, sizeof right);
    peck_dataset_free(d);
}

static void rows_without_any_feature_are_read(void **state)
{
    (void)state;
    peck_dataset *const d = read_text("1 qid:b\n0 qid:a\n2 qid:b # x\n");

    assert_int_equal(d->dim, 0);
    assert_int_equal(d->n_docs, 3);
    assert_int_equal(d->n_queries, 2);
    assert_true(d->label[0] == 1 && d->label[1] == 2 && d->label[2] == 0);
    assert_span(peck_dataset_doc_id(d, 1), "x");
    peck_dataset_free(d);
}

static void labels_may_be_fractions_or_unknown(void **state)
{
    (void)state;
    peck_dataset *const d = read_text(
        "0.14 qid:1 1:1\n? qid:1 1:2\n16777216 qid:1 1:1\n-0 qid:1 1:1\n1e-3 qid:1\n");

    assert_true(d->label[0] == 0.14f && d->label[1] == PECK_UNJUDGED);
    assert_true(d->label[2] == 16777216.0f && d->label[4] == 1e-3f);
    assert_true(same_float(d->label[3], 0.0f));
    assert_int_equal(d->n_judged, 4);
    assert_true(d->max_label == 16777216.0f);
    peck_dataset_free(d);
}

static void query_ids_are_any_string(void **state)
{
    (void)state;
    char text[70000], id[65537];
    static const char *const ids[] = { "0",   "007", "7",        "a:b:c", "qid:1",
                                       "?",   "-1",  "\xc3\xa4", "1.5",   "NULL",
                                       "1:2", ":",   "\x01" };
    size_t n = 0;

    for (size_t i = 0; i < N_OF(ids); i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "0 qid:%s 1:%zu\n", ids[i], i);
    peck_dataset *d = read_text(text);

    assert_int_equal(d->n_queries, N_OF(ids));
    for (size_t i = 0; i < N_OF(ids); i++)
        assert_span(strings_get(&d->query_id, i), ids[i]);
    peck_dataset_free(d);
    memset(id, 'q', 65536);
    id[65536] = '\0';
    snprintf(text, sizeof text, "0 qid:%s 1:1\n", id);
    d = read_text(text);
    assert_span(strings_get(&d->query_id, 0), id);
    peck_dataset_free(d);
}

static void a_zero_byte_in_an_id_belongs_to_it(void **state)
{
    (void)state;
    static const char text[] = "0 qid:a\0b 1:1\n0 qid:a\0c 1:1\n";
    peck_dataset *const d =
        read_with(scratch_bytes("zero", text, sizeof text - 1), (peck_read_options){ 0 });

    assert_int_equal(d->n_queries, 2);
    assert_int_equal(strings_get(&d->query_id, 1).n, 3);
    peck_dataset_free(d);
}

static void comments_become_document_ids(void **state)
{
    (void)state;
    static const struct {
        const char *comment, *id;
    } cases[] = {
        { "#docid = GX004-93-7097963 inc = 0.04 prob = 0.86", "GX004-93-7097963" },
        { "# docid = 57950", "57950" },
        { "#docid=x", "x" },
        { "#\tdocid\t=\tx\ty", "x" },
        { "#docid =", "" },
        { "#docid", "docid" },
        { "#docids = 5", "docids = 5" },
        { "#docid x", "docid x" },
        { "#url = http://a.b/c?d=e#f", "url = http://a.b/c?d=e#f" },
        { "#  spaces  inside  ", "spaces  inside" },
        { "#", "" },
        { "# # #", "# #" },
        { "", "" },
        { "#1:2 3:4", "1:2 3:4" },
    };

    for (size_t i = 0; i < N_OF(cases); i++) {
        char text[200];

        snprintf(text, sizeof text, "0 qid:1 1:2 %s\n1 qid:1 1:3 #last\r\n",
                 cases[i].comment);
        peck_dataset *const d = read_text(text);

        assert_int_equal(d->dim, 1);
        assert_span(peck_dataset_doc_id(d, 0), cases[i].id);
        assert_span(peck_dataset_doc_id(d, 1), "last");
        peck_dataset_free(d);
    }
    peck_dataset *const d = read_text("0 qid:1 1:2 #\n0 qid:1\n");

    assert_int_equal(d->doc_id.n, 0);
    assert_int_equal(peck_dataset_doc_id(d, 0).n, 0);
    peck_dataset_free(d);
}

static void scattered_rows_are_gathered_in_order(void **state)
{
    (void)state;
    peck_dataset *const d = read_text("1 qid:b 1:10 #p\n"
                                      "2 qid:a 1:20 #q\n"
                                      "3 qid:b 1:30 #r\n"
                                      "# between\n"
                                      "4 qid:c 1:40\n"
                                      "5 qid:a 1:50 #t\n"
                                      "6 qid:b 1:60 #u\n");
    static const float label[] = { 1, 3, 6, 2, 5, 4 };
    static const uint64_t row[] = { 0, 2, 5, 1, 4, 3 };
    static const char *const ids[] = { "p", "r", "u", "q", "t", "" };
    peck_dataset_info info;

    peck_dataset_describe(d, &info);
    assert_true(info.was_gathered);
    assert_int_equal(d->n_queries, 3);
    assert_span(strings_get(&d->query_id, 0), "b");
    assert_span(strings_get(&d->query_id, 2), "c");
    assert_memory_equal(d->label, label, sizeof label);
    assert_memory_equal(d->file_row, row, sizeof row);
    for (size_t i = 0; i < 6; i++) {
        assert_true(cell(d, i, 1) == 10 * label[i]);
        assert_span(peck_dataset_doc_id(d, i), ids[i]);
    }
    peck_dataset_free(d);
}

static void numbers_at_the_edge_of_float_are_read(void **state)
{
    (void)state;
    peck_dataset *const d =
        read_text("0 qid:1 1:3.40282347e+38 2:-3.4028234663852886e38\n"
                  "0 qid:1 1:1.40129846e-45 2:-0\n"
                  "0 qid:1 1:1e-60 2:1.17549435e-38\n"
                  "0 qid:1 1:0.1234567890123456789 2:123456789.123456789\n");

    assert_true(cell(d, 0, 1) == FLT_MAX && cell(d, 0, 2) == -FLT_MAX);
    assert_true(cell(d, 1, 1) == 0x1p-149f && same_float(cell(d, 1, 2), -0.0f));
    assert_true(cell(d, 2, 1) == 0 && cell(d, 2, 2) == FLT_MIN);
    assert_true(cell(d, 3, 1) == 0.1234567890123456789f);
    assert_true(cell(d, 3, 2) == 123456789.123456789f);
    peck_dataset_free(d);
}

/* Beyond the table of tags, in a dense and in a sparse row. */
static void wide_rows_are_read(void **state)
{
    (void)state;
    enum { WIDE = 5000 };
    const size_t room = 200000;
    char *const text = malloc(room);
    size_t n = (size_t)snprintf(text, room, "1 qid:1");

    for (int j = 1; j <= WIDE; j++)
        n += (size_t)snprintf(text + n, room - n, " %d:%d.5", j, j);
    n += (size_t)snprintf(text + n, room - n, "\n0 qid:1 4095:1 4096:2 4097:3 4098:4\n");
    snprintf(text + n, room - n, "0 qid:1 4097:5 5000:6\n0 qid:1 1:1 2:2 4999:9\n");
    peck_dataset *const d = read_text(text);

    assert_int_equal(d->dim, WIDE);
    for (size_t j = 1; j <= WIDE; j++) {
        assert_true(cell(d, 0, j) == (float)j + 0.5f);
        assert_true(cell(d, 1, j) == (j >= 4095 && j <= 4098 ? (float)j - 4094 : 0));
    }
    assert_true(cell(d, 2, 4097) == 5 && cell(d, 2, 5000) == 6 && cell(d, 3, 4999) == 9);
    peck_dataset_free(d);
    free(text);
}

static void the_highest_feature_is_taken(void **state)
{
    (void)state;
    peck_dataset *const d = read_text("0 qid:1 1048576:3\n0 qid:1 00000001048575:4\n");

    assert_int_equal(d->dim, MAX_FEATURE);
    assert_true(cell(d, 0, MAX_FEATURE) == 3 && cell(d, 1, MAX_FEATURE - 1) == 4);
    peck_dataset_free(d);
}

/* Leading zeros do not make an index large, also when it is the highest of the file. */
static void zeros_before_an_index_do_not_count(void **state)
{
    (void)state;
    peck_dataset *const d = read_text("0 qid:1 1:1 00000000000000000003:3\n");

    assert_int_equal(d->dim, 3);
    assert_true(cell(d, 0, 3) == 3);
    peck_dataset_free(d);
}

/* Missing values ------------------------------------------------------------------ */

static const char holes[] =
    "0 qid:1 1:nan 2:4\n0 qid:1 1:1 2:NULL\n0 qid:2 1:2 2:NaN\n0 qid:2 1:6\n";

static void missing_values_become_zero_when_asked(void **state)
{
    (void)state;
    peck_dataset *const d =
        read_with(scratch_file("holes", holes), (peck_read_options){ .missing = "zero" });

    assert_int_equal(d->n_missing, 3);
    assert_int_equal(d->missing_in[0], 1);
    assert_int_equal(d->missing_in[1], 2);
    assert_true(same_float(cell(d, 0, 1), 0) && same_float(cell(d, 1, 2), 0));
    assert_true(cell(d, 3, 1) == 6);
    peck_dataset_free(d);
}

/* An absent feature is 0 and counts in the mean; a missing one does not. */
static void missing_values_become_the_mean_when_asked(void **state)
{
    (void)state;
    peck_dataset *const d =
        read_with(scratch_file("holes", holes),
                  (peck_read_options){ .missing = "mean", .threads = 3 });

    assert_true(cell(d, 0, 1) == 3 && cell(d, 1, 2) == 2 && cell(d, 2, 2) == 2);
    assert_true(cell(d, 3, 2) == 0);
    peck_dataset_free(d);
}

static void missing_values_stay_missing_when_asked(void **state)
{
    (void)state;
    peck_dataset *const d =
        read_with(scratch_file("holes", holes), (peck_read_options){ .missing = "keep" });

    assert_true(d->keeps_missing && d->n_missing == 3);
    assert_true(isnan(cell(d, 0, 1)) && isnan(cell(d, 1, 2)) && isnan(cell(d, 2, 2)));
    assert_true(cell(d, 3, 2) == 0);
    peck_dataset_free(d);
}

static void missing_values_are_refused_by_default(void **state)
{
    (void)state;
    check_refused(holes, strlen(holes), (peck_read_options){ 0 }, PECK_FORMAT,
                  "bad.txt:1: feature 1 is missing ('nan'); use --missing");
    check_refused(holes, strlen(holes), (peck_read_options){ .missing = "error" },
                  PECK_FORMAT, "bad.txt:1:");
    check_refused(holes, strlen(holes), (peck_read_options){ .missing = "median" },
                  PECK_ARG, "'median': give one of error|zero|mean");
}

static void missing_values_in_columns_left_out_do_not_matter(void **state)
{
    (void)state;
    peck_dataset *const d = read_with(scratch_file("holes", "0 qid:1 1:7 2:nan 3:8\n"),
                                      (peck_read_options){ .features = "1,3" });

    assert_int_equal(d->dim, 2);
    assert_int_equal(d->n_missing, 0);
    assert_true(cell(d, 0, 1) == 7 && cell(d, 0, 2) == 8);
    peck_dataset_free(d);
}

/* Names and subsets --------------------------------------------------------------- */

static void header_lines_name_the_columns(void **state)
{
    (void)state;
    static const char *const headers[] = {
        "# 1 bm25\n# 2 tf idf\n# 3 length\n",
        "#1: bm25\r\n\n  # 2:tf idf\n#3\tlength\n",
        "# 3 length\n# 1 bm25\n# 2 tf idf\n",
        "# bm25\n# tf idf\n# length\n",
    };

    for (size_t i = 0; i < N_OF(headers); i++) {
        char text[300];

        snprintf(text, sizeof text, "%s0 qid:1 1:1 3:3\n# not this\n", headers[i]);
        peck_dataset *const d = read_text(text);

        assert_span(peck_dataset_feature_name(d, 0), "bm25");
        assert_span(peck_dataset_feature_name(d, 1), "tf idf");
        assert_span(peck_dataset_feature_name(d, 2), "length");
        peck_dataset_free(d);
    }
}

static void other_headers_are_remarks(void **state)
{
    (void)state;
    static const char *const headers[] = {
        "# made by hand\n",
        "# 4 beyond\n",
        "# 0 zero\n",
        "# 1 bm25\n# and so on\n",
        "# a\n# b\n# c\n# d\n",
        "# 1 one\n# 1 again\n",
        "#\n",
        "# 1\n",
        "# 99999999999999999999999 x\n",
    };

    for (size_t i = 0; i < N_OF(headers); i++) {
        char text[300];

        snprintf(text, sizeof text, "%s0 qid:1 1:1 3:3\n", headers[i]);
        peck_dataset *const d = read_text(text);

        if (d->feature_name.n != 0)
            fail_msg("names were seen in: %s", headers[i]);
        assert_int_equal(peck_dataset_feature_name(d, 2).n, 0);
        peck_dataset_free(d);
    }
}

static void some_columns_may_stay_unnamed(void **state)
{
    (void)state;
    peck_dataset *const d = read_text("# 2 second\n0 qid:1 1:1 3:3\n");

    assert_int_equal(d->feature_name.n, 3);
    assert_int_equal(peck_dataset_feature_name(d, 0).n, 0);
    assert_span(peck_dataset_feature_name(d, 1), "second");
    peck_dataset_free(d);
}

static void a_file_of_names_goes_before_the_header(void **state)
{
    (void)state;
    const char *const names = scratch_file("names", "1 alpha\n2 beta\n");
    peck_dataset *const d =
        read_with(scratch_file("named", "# 1 x\n# 2 y\n# 3 z\n0 qid:1 3:3\n"),
                  (peck_read_options){ .feature_names = names });

    assert_span(peck_dataset_feature_name(d, 0), "alpha");
    assert_span(peck_dataset_feature_name(d, 1), "beta");
    assert_int_equal(peck_dataset_feature_name(d, 2).n, 0);
    peck_dataset_free(d);
    check_refused("0 qid:1 1:3\n", 12, (peck_read_options){ .feature_names = names },
                  PECK_SHAPE, "bad.txt: has 1 features, but there are names for 2");
    check_refused("0 qid:1 1:3\n", 12, (peck_read_options){ .feature_names = "/none" },
                  PECK_IO, "/none: cannot open");
}

static void a_subset_keeps_the_order_asked_for(void **state)
{
    (void)state;
    peck_dataset *const d =
        read_with(scratch_file("subset", "# 1 a\n# 2 b\n# 4 bm25\n0 qid:1 1:1 2:2 3:3 4:4\n"
                                         "1 qid:1 4:40\n2 qid:1 2:20 3:30\n"),
                  (peck_read_options){ .features = "bm25,2-3" });
    static const float right[3][3] = { { 4, 2, 3 }, { 40, 0, 0 }, { 0, 20, 30 } };

    assert_int_equal(d->dim, 3);
    assert_memory_equal(d->x, right, sizeof right);
    assert_span(peck_dataset_feature_name(d, 0), "bm25");
    assert_span(peck_dataset_feature_name(d, 1), "b");
    assert_int_equal(peck_dataset_feature_name(d, 2).n, 0);
    peck_dataset_free(d);
    check_refused("0 qid:1 1:1\n", 12, (peck_read_options){ .features = "2" }, PECK_ARG,
                  "beyond the 1 features");
    check_refused("0 qid:1 1:1\n", 12, (peck_read_options){ .features = "bm25" }, PECK_ARG,
                  "bm25");
}

/* Group sizes --------------------------------------------------------------------- */

static void sizes_group_data_without_qid(void **state)
{
    (void)state;
    const char *const data = scratch_file("rank.txt", "0 1:1\n1 1:2\n2 1:3\n0 1:4\n");

    scratch_file("rank.txt.query", "3\n1\n");
    peck_dataset *d = read_with(data, (peck_read_options){ 0 });

    assert_int_equal(d->n_queries, 2);
    assert_int_equal(d->start[1], 3);
    assert_span(strings_get(&d->query_id, 0), "1");
    assert_span(strings_get(&d->query_id, 1), "2");
    assert_null(d->file_row);
    assert_true(cell(d, 2, 1) == 3 && d->label[2] == 2);
    peck_dataset_free(d);
    d = read_with(data,
                  (peck_read_options){ .query_sizes = scratch_file("sizes", "2\n2\n") });
    assert_int_equal(d->start[1], 2);
    peck_dataset_free(d);
    check_refused("0 1:1\n0 1:2\n", 12,
                  (peck_read_options){ .query_sizes = scratch_file("sizes", "3\n") },
                  PECK_SHAPE, "the group sizes add up to 3 documents, the data has 2");
    check_refused("0 1:1\n0 1:2\n", 12,
                  (peck_read_options){ .query_sizes = scratch_file("sizes", "2\n0\n") },
                  PECK_FORMAT, "sizes:2:");
}

static void weights_of_queries_come_from_a_file(void **state)
{
    (void)state;
    peck_dataset *const d = read_with(
        scratch_file("w", "0 qid:a 1:1\n0 qid:b 1:1\n0 qid:a 1:1\n"),
        (peck_read_options){ .query_weights = scratch_file("weights", "b 0.5\na 2\n") });
    peck_query q;

    peck_dataset_query(d, 0, &q);
    assert_true(q.weight == 2 && q.n_docs == 2);
    peck_dataset_query(d, 1, &q);
    assert_true(q.weight == 0.5f);
    peck_dataset_free(d);
    check_refused(
        "0 qid:c 1:1\n", 12,
        (peck_read_options){ .query_weights = scratch_file("weights", "b 0.5\n") },
        PECK_SHAPE, "weights:1:");
}

/* What is refused ----------------------------------------------------------------- */

/* The bad line is the third of the documents, and the fifth of the file. */
static void bad_lines_are_named_and_explained(void **state)
{
    (void)state;
    static const struct {
        const char *line, *phrase;
    } cases[] = {
        /* letters where a number belongs */
        { "0 qid:2 1:abc", ":5: feature 1 is 'abc'; it must be a number" },
        { "0 qid:2 1:1.5x 2:1", ":5: feature 1 is '1.5x'" },
        { "0 qid:2 1:1 2:0x1F", ":5: feature 2 is '0x1F'" },
        { "0 qid:2 1:1 2:1e", ":5: feature 2 is '1e'" },
        { "0 qid:2 1:1 2:", ":5: feature 2 is ''" },
        { "0 qid:2 1: 2:1", ":5: feature 1 is ''" },
        { "0 qid:2 1:1,5", ":5: feature 1 is '1,5'" },
        { "0 qid:2 1:--1", ":5: feature 1 is '--1'" },
        { "0 qid:2 1:1:2", ":5: feature 1 is '1:2'" },
        { "0 qid:2 9:1:2", ":5: feature 9 is '1:2'; it must be a number" },
        { "0 qid:2 9:1 1:1", ":5: feature 1 is out of order" },
        { "0 qid:2 9:1 x", ":5: 'x' is not feature:value" },
        { "0 qid:2 1:?", ":5: feature 1 is '?'" },
        { "0 qid:2 x:1", ":5: 'x:1' is not feature:value" },
        { "0 qid:2 -1:1", ":5: '-1:1' is not feature:value" },
        { "0 qid:2 1.5:1", ":5: '1.5:1' is not feature:value" },
        { "0 qid:2 :1", ":5: ':1' is not feature:value" },
        { "0 qid:2 1", ":5: '1' is not feature:value" },
        { "0 qid:2 1:1 foo", ":5: 'foo' is not feature:value" },
        { "0 qid:2 1 :1", ":5: '1' is not feature:value" },
        { "0 qid:2 qid:3 1:1", ":5: 'qid:3' is not feature:value" },
        { "0 qid:2 1:1\r2:1", ":5: '?2:1' is not feature:value" },
        { "0 qid:2 18446744073709551616:1", "is not feature:value" },
        /* the index */
        { "0 qid:2 0:1", ":5: feature 0; features are numbered from 1" },
        { "0 qid:2 1:1 00:1", ":5: feature 0; features are numbered from 1" },
        { "0 qid:2 1:1 1048577:1", ":5: feature 1048577 is over the limit 1048576" },
        { "0 qid:2 99999999999:1", ":5: feature 99999999999 is over the limit" },
        { "0 qid:2 2:1 1:1", ":5: feature 1 is out of order" },
        { "0 qid:2 7:1 1:1", ":5: feature 1 is out of order" },
        { "0 qid:2 1:1 2:1 2:2", ":5: feature 2 is there twice" },
        { "0 qid:2 1:1 1:1", ":5: feature 1 is there twice" },
        /* the label */
        { "qid:2 1:1", ":5: the label is missing before 'qid:2'" },
        { "1:1 2:1", ":5: the label is missing before '1:1'" },
        { "-1 qid:2 1:1", ":5: label -1 is negative" },
        { "nan qid:2 1:1", ":5: label 'nan' is not a number" },
        { "NULL qid:2 1:1", ":5: label 'NULL' is not a number" },
        { "inf qid:2 1:1", ":5: label 'inf' is not a number" },
        { "1e999 qid:2 1:1", ":5: label '1e999' is not a number" },
        { "1e39 qid:2 1:1", ":5: label '1e39' is not a number" },
        { "good qid:2 1:1", ":5: label 'good' is not a number" },
        { "1;2 qid:2 1:1", ":5: label '1;2' is not a number" },
        { "?? qid:2 1:1", ":5: label '?\?' is not a number" },
        /* infinite features */
        { "0 qid:2 1:inf", ":5: feature 1 is 'inf'; it must be a number" },
        { "0 qid:2 1:-Infinity", ":5: feature 1 is '-Infinity'" },
        { "0 qid:2 1:1e39", ":5: feature 1 is '1e39'; it must be a number" },
        { "0 qid:2 1:-3.4028236e38", ":5: feature 1 is '-3.4028236e38'" },
        { "0 qid:2 1:1e999", ":5: feature 1 is '1e999'" },
        { "0 qid:2 1:999999999999999999999999999999999999999999", ":5: feature 1 is '9" },
        /* the query */
        { "0 qid: 1:1", ":5: nothing follows qid:" },
        { "0 qid:", ":5: nothing follows qid:" },
        { "0 1:1", ":5: no qid; the first document has one" },
        { "0", ":5: no qid; the first document has one" },
        { "0 1:1 qid:2", ":5: 'qid:2' is not feature:value" },
        { "0 QID:2 1:1", ":5: 'QID:2' is not feature:value" },
    };

    for (size_t i = 0; i < N_OF(cases); i++) {
        char text[400];

        const int n = snprintf(text, sizeof text,
                               "# head\n1 qid:1 1:1 2:1\n\n0 qid:1 2:2\n%s\n"
                               "0 qid:3 1:also:wrong\n",
                               cases[i].line);

        check_refused(text, (size_t)n, (peck_read_options){ 0 }, PECK_FORMAT,
                      cases[i].phrase);
        assert_non_null(strstr(err.text, "bad.txt:5: "));
    }
}

static void zero_bytes_are_no_numbers(void **state)
{
    (void)state;
    static const char label[] = "1\0 qid:1 1:1\n", value[] = "1 qid:1 1:1\0 2:1\n",
                      inside[] = "1 qid:1 1:1\0002\n", index[] = "1 qid:1 1\0:1\n",
                      only[] = "\0\0\0\0\n";

    check_refused(label, sizeof label - 1, (peck_read_options){ 0 }, PECK_FORMAT,
                  "bad.txt:1:");
    check_refused(value, sizeof value - 1, (peck_read_options){ 0 }, PECK_FORMAT,
                  "bad.txt:1:");
    check_refused(inside, sizeof inside - 1, (peck_read_options){ 0 }, PECK_FORMAT,
                  "bad.txt:1:");
    check_refused(index, sizeof index - 1, (peck_read_options){ 0 }, PECK_FORMAT,
                  "bad.txt:1:");
    check_refused(only, sizeof only - 1, (peck_read_options){ 0 }, PECK_FORMAT,
                  "bad.txt:1:");
}

static void files_without_a_document_are_refused(void **state)
{
    (void)state;
    static const char *const texts[] = { "",   "\n", "\n\n \t\r\n", "# only\n# remarks\n",
                                         "\r", "#" };

    for (size_t i = 0; i < N_OF(texts); i++)
        check_refused(texts[i], strlen(texts[i]), (peck_read_options){ 0 }, PECK_FORMAT,
                      "bad.txt: is empty; there is no document in it");
}

static void data_without_qid_and_sizes_is_refused_by_its_line(void **state)
{
    (void)state;
    static const char text[] = "# a header\n\n1 1:0.5\n0 1:2\n";

    check_refused(text, strlen(text), (peck_read_options){ 0 }, PECK_FORMAT,
                  "bad.txt:3: no qid; add \"qid:ID\" after the label");
    assert_non_null(strstr(err.text, "--groups"));
    check_refused("1 1:0.5\n0 qid:7 1:2\n", 20, (peck_read_options){ 0 }, PECK_FORMAT,
                  "bad.txt:2: a qid, but the first document has none");
}

static void sizes_for_data_that_has_qids_are_refused(void **state)
{
    (void)state;
    static const char text[] = "1 qid:1 1:0.5\n";

    check_refused(text, strlen(text),
                  (peck_read_options){ .query_sizes = scratch_file("sizes", "1\n") },
                  PECK_ARG, "group sizes are for data without qid");
}

static void a_byte_order_mark_is_passed_over(void **state)
{
    (void)state;
    peck_dataset *d;

    assert_ok(peck_dataset_read(&d,
                                scratch_file("mark.txt", "\xEF\xBB\xBF"
                                                         "2 qid:1 1:0.5\n"),
                                NULL, &err),
              err);
    assert_true(d->label[0] == 2.0f && d->x[0] == 0.5f);
    peck_dataset_free(d);
}

static void long_ids_and_lines_are_refused(void **state)
{
    (void)state;
    const size_t room = MAX_LINE + 200;
    char *const text = malloc(room);

    memset(text, 'x', room);
    memcpy(text, "0 qid:1 1:1\n0 qid:", 18);
    check_refused(text, 18 + MAX_ID + 1, (peck_read_options){ 0 }, PECK_FORMAT,
                  "bad.txt:2: the query id is longer than 65536 bytes");
    memcpy(text + 17, "1 1:1 #", 7);
    check_refused(text, 24 + MAX_ID + 1, (peck_read_options){ 0 }, PECK_FORMAT,
                  "bad.txt:2: the document id is longer than 65536 bytes");
    memset(text + 12, ' ', room - 12);
    memcpy(text + 12, "0 qid:1", 7);
    check_refused(text, 12 + MAX_LINE + 1, (peck_read_options){ 0 }, PECK_FORMAT,
                  "bad.txt:2: the line is longer than 16777216 bytes");
    peck_dataset *const d =
        read_with(scratch_bytes("long", text, 12 + MAX_LINE), (peck_read_options){ 0 });

    assert_int_equal(d->n_docs, 2);
    peck_dataset_free(d);
    free(text);
}

static void a_dense_form_beyond_memory_is_refused_with_its_size(void **state)
{
    (void)state;
    enum { ROWS = 3000000 };
    char *const text = malloc(8 * (size_t)ROWS + 40);
    size_t n = 0;

    for (size_t i = 0; i < ROWS; i++)
        n += (size_t)snprintf(text + n, 16, "0 qid:1\n");
    n += (size_t)snprintf(text + n, 40, "0 qid:1 1048576:1\n");
    check_refused(text, n, (peck_read_options){ 0 }, PECK_NOMEM,
                  "3000001 documents of 1048576 features need 12582.9 GB");
    free(text);
}

static void the_first_bad_line_is_told_whichever_thread_finds_it(void **state)
{
    (void)state;
    const size_t n = 5 << 20;
    char *const text = malloc(n + 100);
    static const char row[] = "0 qid:1 1:0.25 2:1\n", bad[] = "0 qid:1 1:0.25 2:x\n";
    const size_t length = sizeof row - 1, n_rows = n / length;

    for (size_t i = 0; i < n_rows; i++)
        memcpy(text + i * length, row, length);
    for (size_t i = n_rows / 3; i < n_rows; i += n_rows / 7)
        memcpy(text + i * length, bad, length);
    const char *const path = scratch_bytes("bad.txt", text, n_rows * length);
    char phrase[64];

    snprintf(phrase, sizeof phrase, "bad.txt:%zu: feature 2 is 'x'", n_rows / 3 + 1);
    for (int threads = 1; threads <= 5; threads++) {
        const peck_read_options o = { .threads = threads };
        peck_dataset *d;

        assert_int_equal(peck_dataset_read(&d, path, &o, &err), PECK_FORMAT);
        assert_failed(err, PECK_FORMAT, phrase);
    }
    free(text);
}

static void unknown_formats_and_threads_are_refused(void **state)
{
    (void)state;
    const char *const path = scratch_file("data.txt", "0 qid:1 1:1\n");
    peck_dataset *d;
    peck_read_options o = { .format = "leto" };

    assert_int_equal(peck_dataset_read(&d, path, &o, &err), PECK_ARG);
    assert_failed(err, PECK_ARG, "unknown reader 'leto'; did you mean 'letor'?");
    o = (peck_read_options){ .threads = -2 };
    assert_int_equal(peck_dataset_read(&d, path, &o, &err), PECK_ARG);
    assert_int_equal(peck_dataset_read(&d, scratch_path("none"), NULL, &err), PECK_IO);
    assert_null(d);
    assert_ok(peck_dataset_read(&d, path, NULL, NULL), err);
    assert_string_equal(d->reader, "letor");
    peck_dataset_free(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plain_file_is_read),
        cmocka_unit_test(blanks_comments_and_line_ends_do_not_matter),
        cmocka_unit_test(a_file_on_a_page_boundary_is_read_to_its_end),
        cmocka_unit_test(absent_features_are_zero),
        cmocka_unit_test(rows_without_any_feature_are_read),
        cmocka_unit_test(labels_may_be_fractions_or_unknown),
        cmocka_unit_test(query_ids_are_any_string),
        cmocka_unit_test(a_zero_byte_in_an_id_belongs_to_it),
        cmocka_unit_test(comments_become_document_ids),
        cmocka_unit_test(scattered_rows_are_gathered_in_order),
        cmocka_unit_test(numbers_at_the_edge_of_float_are_read),
        cmocka_unit_test(wide_rows_are_read),
        cmocka_unit_test(the_highest_feature_is_taken),
        cmocka_unit_test(zeros_before_an_index_do_not_count),
        cmocka_unit_test(missing_values_become_zero_when_asked),
        cmocka_unit_test(missing_values_become_the_mean_when_asked),
        cmocka_unit_test(missing_values_stay_missing_when_asked),
        cmocka_unit_test(missing_values_are_refused_by_default),
        cmocka_unit_test(missing_values_in_columns_left_out_do_not_matter),
        cmocka_unit_test(header_lines_name_the_columns),
        cmocka_unit_test(other_headers_are_remarks),
        cmocka_unit_test(some_columns_may_stay_unnamed),
        cmocka_unit_test(a_file_of_names_goes_before_the_header),
        cmocka_unit_test(a_subset_keeps_the_order_asked_for),
        cmocka_unit_test(sizes_group_data_without_qid),
        cmocka_unit_test(weights_of_queries_come_from_a_file),
        cmocka_unit_test(bad_lines_are_named_and_explained),
        cmocka_unit_test(zero_bytes_are_no_numbers),
        cmocka_unit_test(files_without_a_document_are_refused),
        cmocka_unit_test(data_without_qid_and_sizes_is_refused_by_its_line),
        cmocka_unit_test(sizes_for_data_that_has_qids_are_refused),
        cmocka_unit_test(a_byte_order_mark_is_passed_over),
        cmocka_unit_test(long_ids_and_lines_are_refused),
        cmocka_unit_test(a_dense_form_beyond_memory_is_refused_with_its_size),
        cmocka_unit_test(the_first_bad_line_is_told_whichever_thread_finds_it),
        cmocka_unit_test(unknown_formats_and_threads_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
