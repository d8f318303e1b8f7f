/* CSV and TSV: the header's roles, quotes, missing cells, subsets, bad input, limits. */
#include "data/reader.h"
#include "support/scratch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

extern const struct reader reader_csv, reader_tsv;

static peck_error err;

static peck_dataset *read_with(const char *path, const peck_read_options *options)
{
    peck_dataset *d = NULL;
    const peck_status st = peck_dataset_read(&d, path, options, &err);

    if (st != PECK_OK)
        fail_msg("%s", err.text);
    return d;
}

static peck_dataset *read_text(const char *text)
{
    return read_with(scratch_file("t.csv", text), NULL);
}

static peck_status refuse_with(const char *path, const peck_read_options *options)
{
    peck_dataset *d = (peck_dataset *)&err;
    const peck_status st = peck_dataset_read(&d, path, options, &err);

    assert_null(d);
    return st;
}

#define assert_refused(text, ...)                                                       \
    assert_failure(refuse_with(scratch_file("bad.csv", text), NULL), &err, PECK_FORMAT, \
                   __VA_ARGS__)

static void assert_span(peck_span s, const char *expected)
{
    assert_int_equal(s.n, strlen(expected));
    assert_memory_equal(s.s, expected, s.n);
}

static void roles_are_found_by_name_and_the_rest_are_features(void **state)
{
    (void)state;
    peck_dataset *const d = read_text("bm25,LABEL,docid,QiD,pagerank\n"
                                      "0.5,2,d1,q1,1e-3\n"
                                      "-1.25,?,d2,q1,3\n"
                                      "7,0,,q2,+4.5\n");

    assert_string_equal(d->reader, "csv");
    assert_int_equal(d->n_docs, 3);
    assert_int_equal(d->n_queries, 2);
    assert_int_equal(d->dim, 2);
    assert_span(peck_dataset_feature_name(d, 0), "bm25");
    assert_span(peck_dataset_feature_name(d, 1), "pagerank");
    assert_span(peck_dataset_doc_id(d, 1), "d2");
    assert_span(peck_dataset_doc_id(d, 2), "");
    assert_true(d->label[0] == 2 && d->label[1] == PECK_UNJUDGED && d->label[2] == 0);
    const float x[] = { 0.5f, 1e-3f, -1.25f, 3, 7, 4.5f };

    assert_memory_equal(d->x, x, sizeof x);
    assert_int_equal(d->n_judged, 2);
    assert_null(d->doc_weight);
    assert_null(d->query_weight);
    peck_dataset_free(d);
}

static void tabs_are_told_by_the_header_whatever_the_name(void **state)
{
    (void)state;
    const char *const text = "query\tlabel\tf,1\nq 1\t1\t2\nq 1\t0\t3";
    const char *const names[] = { "t.tsv", "t.csv", "t.txt" };

    for (size_t i = 0; i < 3; i++) {
        peck_dataset *const d = read_with(scratch_file(names[i], text), NULL);

        assert_string_equal(d->reader, "tsv");
        assert_int_equal(d->n_docs, 2);
        assert_span(peck_dataset_feature_name(d, 0), "f,1");
        assert_span(strings_get(&d->query_id, 0), "q 1");
        peck_dataset_free(d);
    }
}

static void mark_crlf_blank_lines_and_a_missing_last_newline_do_no_harm(void **state)
{
    (void)state;
    peck_dataset *const d = read_text("\xEF\xBB\xBFlabel,query,f\r\n\r\n"
                                      " 1 , q1 , 2 \r\n"
                                      "0,q1,3\r\n   \r\n\r\n"
                                      "2,q2,4");

    assert_int_equal(d->n_docs, 3);
    assert_int_equal(d->n_queries, 2);
    assert_span(strings_get(&d->query_id, 0), "q1");
    assert_true(d->x[0] == 2 && d->x[1] == 3 && d->x[2] == 4);
    peck_dataset_free(d);
}

static void quotes_hold_delimiters_and_doubled_quotes(void **state)
{
    (void)state;
    peck_dataset *const d = read_text("\"label\",query,doc,\"a \"\"b\"\", c\"\n"
                                      "1,\"q,1\",\"say \"\"hi\"\"\",\"0.25\"\n"
                                      "0, \"q,1\" ,\"\"\"\",0.5\n"
                                      "0,\"q\"\"2\", d\"3 ,\"1\"\r\n"
                                      "0,\"q\"\"2\",\"  \",2");

    assert_int_equal(d->n_queries, 2);
    assert_span(strings_get(&d->query_id, 0), "q,1");
    assert_span(strings_get(&d->query_id, 1), "q\"2");
    assert_span(peck_dataset_feature_name(d, 0), "a \"b\", c");
    assert_span(peck_dataset_doc_id(d, 0), "say \"hi\"");
    assert_span(peck_dataset_doc_id(d, 1), "\"");
    assert_span(peck_dataset_doc_id(d, 2), "d\"3");
    assert_span(peck_dataset_doc_id(d, 3), "  ");
    assert_true(d->x[0] == 0.25f && d->x[2] == 1 && d->x[3] == 2);
    peck_dataset_free(d);
}

static void scattered_rows_are_gathered(void **state)
{
    (void)state;
    peck_dataset *const d = read_text("label,query,doc,f\n1,a,a1,1\n0,b,b1,2\n2,a,a2,3\n");

    assert_int_equal(d->n_queries, 2);
    assert_non_null(d->file_row);
    assert_span(peck_dataset_doc_id(d, 1), "a2");
    assert_true(d->x[0] == 1 && d->x[1] == 3 && d->x[2] == 2);
    peck_dataset_free(d);
}

static void weights_of_documents_and_queries_are_kept(void **state)
{
    (void)state;
    peck_dataset *const d = read_text("label,query,weight,query_weight,f\n"
                                      "1,a,0.5,2,1\n1,a,1.5,2,1\n1,b,1,0.25,1\n");

    assert_true(d->doc_weight[0] == 0.5f && d->doc_weight[1] == 1.5f);
    assert_true(d->query_weight[0] == 2 && d->query_weight[1] == 0.25f);
    peck_dataset_free(d);
    assert_refused("label,query,query_weight,f\n1,a,2,1\n1,a,3,1\n", "bad.csv:3:", "weigh");
    const char *const wrong[] = { "0", "-1", "inf", "nan", "x", "", "1e39", "1e-60" };

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char text[80];

        snprintf(text, sizeof text, "label,query,weight,f\n1,a,%s,1\n", wrong[i]);
        assert_refused(text, "bad.csv:2:", "'weight'", "numbers above 0");
        snprintf(text, sizeof text, "label,query,query_weight,f\n1,a,%s,1\n", wrong[i]);
        assert_refused(text, "bad.csv:2:", "'query_weight'");
    }
}

static void missing_cells_are_refused_zero_or_the_mean(void **state)
{
    (void)state;
    const char *const path = scratch_file("m.csv", "label,query,f,g\n1,a,,2\n1,a,1,NaN\n"
                                                   "1,a,NULL,6\n1,b,4,na\n1,b,\"\",7\n");
    peck_dataset *d = read_with(path, &(peck_read_options){ .missing = "zero" });
    const float zero[] = { 0, 2, 1, 0, 0, 6, 4, 0, 0, 7 };
    const float mean[] = { 2.5f, 2, 1, 5, 2.5f, 6, 4, 5, 2.5f, 7 };

    assert_memory_equal(d->x, zero, sizeof zero);
    assert_int_equal(d->n_missing, 5);
    assert_int_equal(d->missing_in[0], 3);
    assert_int_equal(d->missing_in[1], 2);
    peck_dataset_free(d);
    d = read_with(path, &(peck_read_options){ .missing = "mean" });
    assert_memory_equal(d->x, mean, sizeof mean);
    peck_dataset_free(d);
    assert_failure(refuse_with(path, NULL), &err, PECK_FORMAT, "m.csv:2:", "'f'",
                   "--missing zero or mean", "keep for trees");
    assert_refused("label,query,f,g\n1,a,1,2\n1,a,3,nan\n", "bad.csv:3:", "'g'");
}

static void a_subset_by_number_range_and_name_keeps_its_order(void **state)
{
    (void)state;
    const char *const path = scratch_file("s.csv", "a,label,b,query,c,d,e\n"
                                                   "1,0,2,q,3,oops,5\n");
    peck_dataset *d = read_with(path, &(peck_read_options){ .features = "e, 1-2" });
    const float x[] = { 5, 1, 2 };

    assert_int_equal(d->dim, 3);
    assert_memory_equal(d->x, x, sizeof x);
    assert_span(peck_dataset_feature_name(d, 0), "e");
    assert_span(peck_dataset_feature_name(d, 2), "b");
    peck_dataset_free(d);
    assert_failure(refuse_with(path, &(peck_read_options){ .features = "label" }), &err,
                   PECK_ARG, "no feature is called 'label'");
    assert_failure(refuse_with(path, &(peck_read_options){ .features = "6" }), &err,
                   PECK_ARG, "beyond the 5 features");
}

static void side_files_for_data_without_names_or_queries_are_refused(void **state)
{
    (void)state;
    const char *const path = scratch_file("s.csv", "label,query,f\n1,q,1\n");

    assert_failure(refuse_with(path, &(peck_read_options){ .feature_names = "x" }), &err,
                   PECK_ARG, "--feature-names");
    assert_failure(refuse_with(path, &(peck_read_options){ .query_sizes = "x" }), &err,
                   PECK_ARG, "group sizes");
}

static void query_weights_may_come_from_a_file(void **state)
{
    (void)state;
    const char *const path = scratch_file("s.csv", "label,query,f\n1,q,1\n1,r,1\n");
    const char *const weights = scratch_file("w.txt", "r\t3\nq\t0.5\n");
    peck_dataset *const d =
        read_with(path, &(peck_read_options){ .query_weights = weights });

    assert_true(d->query_weight[0] == 0.5f && d->query_weight[1] == 3);
    peck_dataset_free(d);
}

static void the_usual_names_of_columns_are_known(void **state)
{
    (void)state;
    static const char *const header[] = {
        "label,query,doc,f",  "Label,QID,DocID,f", "relevance,query_id,doc_id,f",
        "REL,Query_Id,DOC,f", "grade,qid,docid,f",
    };

    for (size_t i = 0; i < sizeof header / sizeof *header; i++) {
        char text[80];

        snprintf(text, sizeof text, "%s\n2,q,d,5\n", header[i]);
        peck_dataset *const d = read_with(scratch_file("usual.csv", text), NULL);

        assert_int_equal(d->dim, 1);
        assert_true(d->label[0] == 2 && d->x[0] == 5);
        assert_span(strings_get(&d->query_id, 0), "q");
        assert_span(strings_get(&d->doc_id, 0), "d");
        peck_dataset_free(d);
    }
    assert_refused("label,rel,query,f\n1,1,q,1\n", "columns 1 ('label') and 2 ('rel')",
                   "--label-column");
    assert_refused("label,qid,query_id,f\n1,q,q,1\n", "--query-column");
    assert_refused("label,qid,doc_id,docid\n1,q,d,d\n", "--doc-column");
}

static void options_name_columns_by_name_or_number(void **state)
{
    (void)state;
    const char *const path =
        scratch_file("odd.csv", "topic,2,rating,url,label\nt,1,3,u,7\nt,2,0,v,8\n");
    peck_read_options o = { .label_column = "rating",
                            .query_column = "1",
                            .doc_column = "url" };
    peck_dataset *d = read_with(path, &o);

    assert_int_equal(d->dim, 2); /* "2", and the label that is not meant */
    assert_true(d->label[0] == 3 && d->label[1] == 0);
    assert_span(strings_get(&d->query_id, 0), "t");
    assert_span(strings_get(&d->doc_id, 1), "v");
    assert_span(strings_get(&d->feature_name, 1), "label");
    assert_true(d->x[0] == 1 && d->x[1] == 7);
    peck_dataset_free(d);
    o.label_column = "2"; /* a name goes before a number */
    d = read_with(path, &o);
    assert_true(d->label[0] == 1 && d->label[1] == 2);
    peck_dataset_free(d);
    o.label_column = "6";
    assert_failure(refuse_with(path, &o), &err, PECK_ARG, "odd.csv:1: --label-column 6",
                   "topic, 2, rating, url, label");
    o.label_column = "0";
    assert_failure(refuse_with(path, &o), &err, PECK_ARG, "--label-column 0");
    o.label_column = "topic";
    assert_failure(refuse_with(path, &o), &err, PECK_ARG,
                   "--label-column and --query-column both name column 1 ('topic')");
    assert_failure(refuse_with(path, &(peck_read_options){ .zero_based = 1 }), &err,
                   PECK_ARG, "--zero-based is for LETOR text");
}

static void labels_may_be_absent_where_nobody_asks(void **state)
{
    (void)state;
    const char *const path = scratch_file("bare.csv", "query,f\nq,1\nq,2\n");
    peck_dataset *const d = read_with(path, &(peck_read_options){ .labels_optional = 1 });

    assert_int_equal(d->n_judged, 0);
    assert_true(d->label[0] == PECK_UNJUDGED && d->label[1] == PECK_UNJUDGED);
    assert_int_equal(d->dim, 1);
    peck_dataset_free(d);
    assert_failure(refuse_with(path, NULL), &err, PECK_FORMAT,
                   "bare.csv:1:", "no column 'label'", "among query, f;", "--label-column");
    assert_failure(refuse_with(scratch_file("none.csv", "label,f\n1,1\n"), NULL), &err,
                   PECK_FORMAT, "no column 'query'", "--query-column");
}

static void a_bad_header_is_refused(void **state)
{
    (void)state;
    assert_refused("query,f\nq,1\n", "bad.csv:1:", "no column 'label'");
    assert_refused("label,f\n1,1\n", "bad.csv:1:", "no column 'query'");
    assert_refused("1,2,3\n1,1,1\n", "bad.csv:1:", "no header");
    assert_refused("label,query,qid,f\n1,q,q,1\n",
                   "bad.csv:1:", "columns 2 ('query') and 3 ('qid') may both be the query");
    assert_refused("label,Label,query,f\n1,1,q,1\n", "both be the label");
    assert_refused("label,weight,query,Weight\n1,1,q,1\n", "are both the weight");
    assert_refused("label,query,f,g,f\n1,q,1,1,1\n", "bad.csv:1:", "called 'f'");
    assert_refused("label,query,,f\n1,q,1,1\n", "bad.csv:1:", "column 3 has no name");
    assert_refused("label,query,\"f\n1\"\n1,q,1\n",
                   "bad.csv:1:", "the name of column 3 holds a line break");
    assert_refused("label,query,f\n", "bad.csv", "empty");
    assert_refused("label,query,f", "bad.csv", "empty");
    assert_refused("\n\n\n", "bad.csv");
    assert_refused("", "bad.csv", "empty");
}

static void a_bad_row_is_refused_with_its_line(void **state)
{
    (void)state;
#define HEAD "label,query,doc,f,g\n1,q,d,1,2\n"
    assert_refused(HEAD "1,q,d,1\n", "bad.csv:3:", "4 cells", "5");
    assert_refused(HEAD "1,q,d,1,2,3\n", "bad.csv:3:", "6 cells", "5");
    assert_refused(HEAD ",q,d,1,2\n", "bad.csv:3:", "label is missing");
    assert_refused(HEAD "x,q,d,1,2\n", "bad.csv:3:", "label 'x'");
    assert_refused(HEAD "-1,q,d,1,2\n", "bad.csv:3:", "label -1 is negative");
    assert_refused(HEAD "nan,q,d,1,2\n", "bad.csv:3:", "label 'nan'");
    assert_refused(HEAD "inf,q,d,1,2\n", "bad.csv:3:", "label 'inf'");
    assert_refused(HEAD "1e39,q,d,1,2\n", "bad.csv:3:", "label '1e39'", "not a number");
    assert_refused(HEAD "1,,d,1,2\n", "bad.csv:3:", "query is missing");
    assert_refused(HEAD "1,q,d,one,2\n", "bad.csv:3:", "'one'", "column 'f'");
    assert_refused(HEAD "1,q,d,x,2\n", "bad.csv:3:", "'x'", "column 'f'");
    assert_refused(HEAD "1,q,d,1,2x\n", "bad.csv:3:", "'2x'", "column 'g'");
    assert_refused(HEAD "1,q,d,1,1 2\n", "bad.csv:3:", "'1 2'", "column 'g'");
    assert_refused(HEAD "1,q,d,1,inf\n", "bad.csv:3:", "'inf'", "column 'g'");
    assert_refused(HEAD "1,q,d,1,-Infinity\n", "bad.csv:3:", "column 'g'");
    assert_refused(HEAD "1,q,d,1,1e39\n", "bad.csv:3:", "'1e39'");
    assert_refused(HEAD "1,q,d,1,0x10\n", "bad.csv:3:", "'0x10'");
    assert_refused(HEAD "1,\"q\n2\",d,1,2\n", "bad.csv:3:", "query holds a line break");
    assert_refused(HEAD "1,q,\"d\r2\",1,2\n", "bad.csv:3:", "doc holds a line break");
    assert_refused(HEAD "1,\"q,d,1,2\n1,q,d,1,2\n", "bad.csv:3:", "never closes");
    assert_refused(HEAD "1,\"q\"x,d,1,2\n", "bad.csv:3:", "closing quote");
#undef HEAD
}

static void lines_inside_quotes_are_counted(void **state)
{
    (void)state;
    const char *const path = scratch_file("n.csv", "label,query,note,f\n"
                                                   "1,q,\"a\n\nb\",1\n\n1,q,x,bad\n");

    assert_failure(refuse_with(path, &(peck_read_options){ .features = "f" }), &err,
                   PECK_FORMAT, "n.csv:6:", "'bad'");
}

/* `head`, then n times `c`, then `tail`; freed by the caller. */
static char *repeat(const char *head, char c, size_t n, const char *tail)
{
    const size_t m = strlen(head);
    char *const text = malloc(m + n + strlen(tail) + 1);

    assert_non_null(text);
    memcpy(text, head, m);
    memset(text + m, c, n);
    memcpy(text + m + n, tail, strlen(tail) + 1);
    return text;
}

static void limits_hold(void **state)
{
    (void)state;
    char *text = repeat("label,query,f\n1,", 'q', MAX_ID + 1, ",2\n");

    assert_refused(text, "bad.csv:2:", "query has more than 65536 bytes");
    free(text);
    text = repeat("label,query,f\n1,", 'q', MAX_ID, ",2\n");
    peck_dataset *const d = read_text(text);

    assert_int_equal(strings_get(&d->query_id, 0).n, MAX_ID);
    peck_dataset_free(d);
    free(text);
    text = repeat("label,query,f\n1,q,", '1', MAX_LINE, "\n");
    assert_refused(text, "bad.csv:2:", "16777216 bytes");
    free(text);
    text = repeat("label,query,f\n1,\"", '\n', MAX_LINE, "\",1\n");
    assert_refused(text, "bad.csv:2:", "limit on a line");
    free(text);
    /* the quote closes where the limit is; what is too long is the line */
    text = repeat("label,query,f\n1,\"", '\n', MAX_LINE - strlen("1,\""), "\",1\n");
    assert_refused(text, "bad.csv:2:", "16777216 bytes");
    free(text);
    text = repeat("label,query", ',', MAX_FEATURE + 10, "\n");
    assert_refused(text, "bad.csv:1:", "cells");
    free(text);
}

/* Rows are counted before memory for them is taken. */
static void a_table_beyond_memory_is_refused_with_its_size(void **state)
{
    enum { COLUMNS = 100000, LINES = 10000000, ROOM = 8 * COLUMNS + LINES + 100 };
    char *const text = malloc(ROOM);
    size_t n;

    (void)state;
    assert_non_null(text);
    n = (size_t)snprintf(text, ROOM, "label,query");
    for (size_t i = 0; i < COLUMNS; i++)
        n += (size_t)snprintf(text + n, 16, ",%zu", i);
    memset(text + n, '\n', LINES);
    text[n + LINES] = '\0';
    assert_failure(refuse_with(scratch_file("wide.csv", text), NULL), &err, PECK_NOMEM,
                   "wide.csv: 10000001 documents of 100000 features need 4000.0 GB");
    free(text);
}

static int sniffs(const struct reader *r, const char *name, const char *text)
{
    struct input in = { 0 };

    assert_int_equal(input_open(&in, scratch_file(name, text), &err), PECK_OK);
    const int sure = r->sniff(&in);

    input_close(&in);
    return sure;
}

static void sniffing_leaves_letor_text_alone(void **state)
{
    (void)state;
    const char *const letor[] = {
        "1 qid:1 1:0.5 2:0.3\n",
        "1 qid:1 1:0.5 # a, b, c, d\n",
        "# label, query, f\n1 qid:1 1:0.5\n",
        "0\t1:0.5\t2:0.3\t# x, y\n",
        "?\tqid:1\t1:0.5\n",
        "0 1:0.5 2:0.25 # one, two\n",
        "1\tqid:7\t1:2\n",
    };

    for (size_t i = 0; i < sizeof letor / sizeof *letor; i++) {
        assert_int_equal(sniffs(&reader_csv, "x.txt", letor[i]), 0);
        assert_int_equal(sniffs(&reader_tsv, "x.txt", letor[i]), 0);
    }
    assert_int_equal(sniffs(&reader_csv, "x.txt", "label,query,a\n"), 2);
    assert_int_equal(sniffs(&reader_tsv, "x.txt", "label,query,a\n"), 0);
    assert_int_equal(sniffs(&reader_csv, "x", "\n\"a\tb\",label,qid\n"), 2);
    assert_int_equal(sniffs(&reader_tsv, "x.txt", "label\tquery\ta\n"), 2);
    assert_int_equal(sniffs(&reader_csv, "x.csv.gz", "1,2,3\n"), 2);
    assert_int_equal(sniffs(&reader_csv, "x.txt", "1,2,3\n"), 0);
    /* what is quoted parts nothing, and blanks are no header */
    assert_int_equal(sniffs(&reader_csv, "x", "\"a\tb\tc\td\",label,qid\n"), 2);
    assert_int_equal(sniffs(&reader_tsv, "x", "\"a\tb\tc\td\",label,qid\n"), 0);
    assert_int_equal(sniffs(&reader_csv, "x", "  \t\nlabel,query,a\n"), 2);
    assert_int_equal(sniffs(&reader_csv, "x.csv", "1 qid:1 1:0.5 # a\n"), 0);
    assert_int_equal(sniffs(&reader_tsv, "x.TSV", "1\t2\t3\n"), 2);
}

static void many_rows_of_odd_widths_read_back_exactly(void **state)
{
    (void)state;
    enum { N = 3000 };
    char *const text = malloc(N * 64);
    size_t n = (size_t)snprintf(text, 64, "label,query,f,g\n");

    for (int i = 0; i < N; i++)
        n += (size_t)snprintf(text + n, 64, "%d,q%d,%.9g,%s%d\n", i % 5, i / 7,
                              (double)(float)(i * 0.37 - 400), i % 3 ? "" : " ", i * i);
    peck_dataset *const d = read_with(scratch_bytes("big.csv", text, n), NULL);

    assert_int_equal(d->n_docs, N);
    assert_int_equal(d->n_queries, (N + 6) / 7);
    for (int i = 0; i < N; i++) {
        assert_true(d->label[i] == (float)(i % 5));
        assert_true(d->x[2 * i] == (float)(i * 0.37 - 400));
        assert_true(d->x[2 * i + 1] == (float)(i * i));
    }
    peck_dataset_free(d);
    free(text);
}

static void what_the_writers_write_reads_back(void **state)
{
    (void)state;
    static const char *const endings[] = { ".csv", ".tsv", ".csv.gz", ".tsv.zst" };
    peck_dataset *const d =
        read_text("label,query,doc,weight,query_weight,\"a,\tb\",\"c\"\"d\"\n"
                  "1,\"q, 1\",\"x\"\"y\",0.5,2,0.1,-3e-7\n"
                  "?,r,\" z\",1,0.1,16777217,1e30\n"
                  "2,\"q, 1\",,3,2,0,5\n");

    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        char name[32];

        snprintf(name, sizeof name, "back%s", endings[i]);
        const char *const path = scratch_file(name, "");

        assert_int_equal(peck_dataset_write(d, path, NULL, &err), PECK_OK);
        peck_dataset *const back = read_with(path, NULL);

        assert_int_equal(back->n_docs, 3);
        assert_memory_equal(back->x, d->x, 6 * sizeof *d->x);
        assert_memory_equal(back->label, d->label, 3 * sizeof *d->label);
        assert_memory_equal(back->doc_weight, d->doc_weight, 3 * sizeof *d->doc_weight);
        assert_memory_equal(back->query_weight, d->query_weight,
                            2 * sizeof *d->query_weight);
        for (size_t r = 0; r < 3; r++)
            assert_true(
                span_equal(peck_dataset_doc_id(d, r), peck_dataset_doc_id(back, r)));
        for (size_t j = 0; j < 2; j++) {
            assert_true(span_equal(peck_dataset_feature_name(d, j),
                                   peck_dataset_feature_name(back, j)));
            assert_true(
                span_equal(strings_get(&d->query_id, j), strings_get(&back->query_id, j)));
        }
        peck_dataset_free(back);
    }
    peck_dataset_free(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(roles_are_found_by_name_and_the_rest_are_features),
        cmocka_unit_test(tabs_are_told_by_the_header_whatever_the_name),
        cmocka_unit_test(mark_crlf_blank_lines_and_a_missing_last_newline_do_no_harm),
        cmocka_unit_test(quotes_hold_delimiters_and_doubled_quotes),
        cmocka_unit_test(scattered_rows_are_gathered),
        cmocka_unit_test(weights_of_documents_and_queries_are_kept),
        cmocka_unit_test(missing_cells_are_refused_zero_or_the_mean),
        cmocka_unit_test(a_subset_by_number_range_and_name_keeps_its_order),
        cmocka_unit_test(side_files_for_data_without_names_or_queries_are_refused),
        cmocka_unit_test(query_weights_may_come_from_a_file),
        cmocka_unit_test(the_usual_names_of_columns_are_known),
        cmocka_unit_test(options_name_columns_by_name_or_number),
        cmocka_unit_test(labels_may_be_absent_where_nobody_asks),
        cmocka_unit_test(a_bad_header_is_refused),
        cmocka_unit_test(a_bad_row_is_refused_with_its_line),
        cmocka_unit_test(lines_inside_quotes_are_counted),
        cmocka_unit_test(limits_hold),
        cmocka_unit_test(a_table_beyond_memory_is_refused_with_its_size),
        cmocka_unit_test(sniffing_leaves_letor_text_alone),
        cmocka_unit_test(many_rows_of_odd_widths_read_back_exactly),
        cmocka_unit_test(what_the_writers_write_reads_back),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
