/* test_writers.c -- what each text format writes, and what it refuses to lose. */
#include "data/dataset.h"
#include "data/writer.h"
#include "support/scratch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static char text[4096];

static const char *slurp(const char *path)
{
    FILE *const f = fopen(path, "rb");

    assert_non_null(f);
    text[fread(text, 1, sizeof text - 1, f)] = '\0';
    fclose(f);
    return text;
}

/* Reads `in` as a file of this name, writes it as `out`, gives back the text of that. */
static const char *convert(const char *name, const char *in, const char *out)
{
    struct peck_dataset *d;
    peck_error err = { 0 };

    assert_int_equal(peck_dataset_read(&d, scratch_file(name, in), NULL, &err), PECK_OK);
    const char *const path = scratch_file(out, "");

    if (peck_dataset_write(d, path, NULL, &err) != PECK_OK)
        fail_msg("%s", err.text);
    peck_dataset_free(d);
    return slurp(path);
}

static void refused(const char *name, const char *in, const char *out, const char *why)
{
    struct peck_dataset *d;
    peck_error err = { 0 };

    assert_int_equal(peck_dataset_read(&d, scratch_file(name, in), NULL, &err), PECK_OK);
    const char *const path = scratch_file(out, "as it was");

    assert_failure(peck_dataset_write(d, path, NULL, &err), &err, PECK_ARG, why);
    assert_string_equal(slurp(path), "as it was");
    peck_dataset_free(d);
}

static void letor_text_is_written_as_it_was(void **state)
{
    const char *const in = "2 qid:10 1:0.3 2:-0.7 3:1.00000001e-07 #docid = GX004-93\n"
                           "? qid:10 1:1 2:2 3:16777216 # two words\n"
                           "0.5 qid:x 1:1 2:0 3:1.00000002e+30\n";

    (void)state;
    assert_string_equal(convert("a.txt", in, "b.txt"), in);
}

static void letor_leaves_zeros_out_of_sparse_queries_but_keeps_the_dimension(void **state)
{
    (void)state;
    assert_string_equal(convert("a.csv",
                                "label,query,f1,f2,f3,f4\n1,a,0,1,0,0\n0,a,0,0,0,0\n"
                                "1,b,1,1,1,0\n",
                                "b.txt"),
                        "1 qid:a 2:1 4:0\n0 qid:a\n1 qid:b 1:1 2:1 3:1 4:0\n");
}

static void letor_names_stand_on_top(void **state)
{
    (void)state;
    assert_string_equal(
        convert("a.csv", "label,query,bm25,f2,page rank\n1,a,1,2,3\n", "b.txt"),
        "# 1 bm25\n# 3 page rank\n1 qid:a 1:1 2:2 3:3\n");
}

static void letor_refuses_what_it_cannot_hold(void **state)
{
    (void)state;
    refused("a.csv", "label,query,x\n1,two words,1\n", "b.txt", "write csv or the cache");
    refused("a.csv", "label,query,x\n1,a#b,1\n", "b.txt", "write csv or the cache");
    refused("a.csv", "label,query,x\n1,#ab,1\n", "b.txt", "write csv or the cache");
    refused("a.csv", "label,query,weight,x\n1,a,2,1\n", "b.txt", "weights");
    refused("a.csv", "label,query,query_weight,x\n1,a,2,1\n", "b.txt", "weights");
    refused("a.csv", "label,query,doc,x\n1,a,docid = b c,1\n", "b.txt", "document 'docid");
    refused("a.csv", "label,query,doc,x\n1,a,\" b c\",1\n", "b.txt", "document ' b c'");
    assert_string_equal(
        convert("a.csv", "label,query,weight,query_weight,f1\n1,a,1,1,1\n", "b.txt"),
        "1 qid:a 1:1\n");
}

static void csv_has_the_columns_that_the_data_has(void **state)
{
    (void)state;
    assert_string_equal(convert("a.txt", "2 qid:a 1:0.5 2:3\n? qid:b 1:1\n", "b.csv"),
                        "label,query,f1,f2\n2,a,0.5,3\n?,b,1,0\n");
    const char *const in = "label,query,doc,weight,query_weight,bm25\n"
                           "1,a,d1,0.5,2,7\n0,a,,1,2,-8\n";

    assert_string_equal(convert("a.csv", in, "b.csv"), in);
}

static void csv_quotes_where_it_must(void **state)
{
    const char *const in = "label,query,doc,\"a,b\",\"say \"\"hi\"\"\"\n"
                           "1,\"x, y\",\" d\",1,2\n0,it's,plain words,1,2\n";

    (void)state;
    assert_string_equal(convert("a.csv", in, "b.csv"), in);
}

static void tsv_uses_tabs(void **state)
{
    (void)state;
    assert_string_equal(convert("a.csv", "label,query,\"a,b\"\n1,\"x\ty\",1\n", "b.tsv"),
                        "label\tquery\ta,b\n1\t\"x\ty\"\t1\n");
}

static void a_feature_that_is_called_like_a_column_is_refused(void **state)
{
    (void)state;
    refused("a.txt", "# 1 Weight\n1 qid:a 1:1\n", "b.csv", "head a column of csv (taken");
    refused("a.txt", "# 1 Weight\n1 qid:a 1:1\n", "b.tsv", "head a column of tsv (taken");
    refused("a.txt", "# 1 Weight\n1 qid:a 1:1\n", "b.csv", "feature 1 is called 'Weight'");
    refused("a.txt", "# 1 x\n# 2 x\n1 qid:a 1:1 2:2\n", "b.csv", "feature 2 is called 'x'");
    refused("a.txt", "# 2 f1\n1 qid:a 1:1 2:2\n", "b.tsv", "feature 2 is called 'f1'");
}

static void ids_with_a_line_break_fit_the_cache_alone(void **state)
{
    const struct layout l = { .dim = 0, .has_doc_ids = true };
    struct strings ids = { 0 };
    const float label = 1.0f;
    static const char *const formats[] = { "letor", "csv", "tsv", "cache" };

    (void)state;
    assert_true(strings_add(&ids, span_of("two\nlines")));
    for (size_t i = 0; i < 4; i++) {
        const struct query_block b = {
            .query = span_of("q"), .docs = { .n = 1 }, .label = &label, .doc_id = &ids
        };
        struct writer *w;
        peck_error err;

        assert_int_equal(writer_open(&w, scratch_file("x", ""), formats[i], &l, &err),
                         PECK_OK);
        const peck_status st = writer_block(w, &b, &err);

        assert_int_equal(st, i == 3 ? PECK_OK : PECK_ARG);
        writer_abort(w);
    }
    strings_free(&ids);
}

static void the_format_goes_by_name_or_by_ending(void **state)
{
    struct peck_dataset *d;
    peck_error err;

    (void)state;
    assert_int_equal(
        peck_dataset_read(&d, scratch_file("a.txt", "1 qid:a 1:1\n"), NULL, &err), PECK_OK);
    const char *const path = scratch_file("o.txt", "");

    assert_int_equal(peck_dataset_write(d, path, "csv", &err), PECK_OK);
    assert_string_equal(slurp(path), "label,query,f1\n1,a,1\n");
    assert_failure(peck_dataset_write(d, path, "cvs", &err), &err, PECK_ARG,
                   "did you mean 'csv'");
    const char *const packed = scratch_file("o.csv.gz", "");

    assert_int_equal(peck_dataset_write(d, packed, NULL, &err), PECK_OK);
    assert_memory_equal(slurp(packed), "\x1f\x8b", 2);
    peck_dataset_free(d);
    assert_int_equal(peck_dataset_read(&d, packed, NULL, &err), PECK_OK);
    assert_string_equal(d->reader, "csv");
    peck_dataset_free(d);
}

static void an_ending_that_nobody_knows_is_refused(void **state)
{
    static const char *const bad[] = { "e.parquet", "e.json", "e.csvx", "e.parquet.gz" };
    static const char *const letor[] = {
        "e", "e.dat", "e.TXT", "e.7", "e.txt.zst", "e.gz"
    };

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        refused("e.txt", "1 qid:a 1:1\n", bad[i],
                "letor (.txt), csv (.csv), tsv (.tsv) and cache (.peckdata)");
    for (size_t i = 0; i < sizeof letor / sizeof *letor; i++)
        convert("f.txt", "1 qid:a 1:1\n", letor[i]);
    assert_string_equal(convert("f.txt", "1 qid:a 1:1\n", "e.CSV"),
                        "label,query,f1\n1,a,1\n");
}

static void an_aborted_writer_leaves_nothing(void **state)
{
    const struct layout l = { .dim = 0 };
    struct writer *w;
    peck_error err;

    (void)state;
    for (size_t i = 0; i < n_writers; i++) {
        assert_int_equal(
            writer_open(&w, scratch_path("aborted"), writers[i]->about.name, &l, &err),
            PECK_OK);
        writer_abort(w);
        assert_int_equal(scratch_count("aborted"), 0);
    }
    writer_abort(NULL);
}

static void rows_with_a_stride_are_written_without_the_gap(void **state)
{
    const float x[] = { 1, 2, 99, 3, 4, 99 }, label[] = { 0, 1 };
    const struct layout l = { .dim = 2 };
    const struct query_block b = { .query = span_of("q"),
                                   .docs = { .x = x, .n = 2, .dim = 2, .stride = 3 },
                                   .label = label };
    struct peck_dataset *d;

    (void)state;
    for (size_t i = 0; i < n_writers; i++) {
        const char *const name = writers[i]->about.name;
        const char *const path = scratch_file(name, "");
        struct writer *w;
        peck_error err = { 0 };

        assert_int_equal(writer_open(&w, path, name, &l, &err), PECK_OK);
        assert_int_equal(writer_block(w, &b, &err), PECK_OK);
        assert_int_equal(writer_commit(w, &err), PECK_OK);
        assert_int_equal(peck_dataset_read(&d, path, NULL, &err), PECK_OK);
        assert_true(d->x[0] == 1 && d->x[1] == 2 && d->x[2] == 3 && d->x[3] == 4);
        peck_dataset_free(d);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(letor_text_is_written_as_it_was),
        cmocka_unit_test(letor_leaves_zeros_out_of_sparse_queries_but_keeps_the_dimension),
        cmocka_unit_test(letor_names_stand_on_top),
        cmocka_unit_test(letor_refuses_what_it_cannot_hold),
        cmocka_unit_test(csv_has_the_columns_that_the_data_has),
        cmocka_unit_test(csv_quotes_where_it_must),
        cmocka_unit_test(tsv_uses_tabs),
        cmocka_unit_test(a_feature_that_is_called_like_a_column_is_refused),
        cmocka_unit_test(ids_with_a_line_break_fit_the_cache_alone),
        cmocka_unit_test(the_format_goes_by_name_or_by_ending),
        cmocka_unit_test(an_ending_that_nobody_knows_is_refused),
        cmocka_unit_test(an_aborted_writer_leaves_nothing),
        cmocka_unit_test(rows_with_a_stride_are_written_without_the_gap),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
