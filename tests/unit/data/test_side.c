/* Subsets of columns, files of names, group sizes and query weights, missing cells and
 * labels.                                                                            */
#include "base/alloc.h"
#include "data/reader.h"
#include "support/scratch.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static peck_error err;

static void assert_span(peck_span s, const char *expected)
{
    assert_int_equal(s.n, strlen(expected));
    assert_memory_equal(s.s, expected, s.n);
}

static struct strings pool_of(const char *const *names, size_t n)
{
    struct strings pool = { 0 };

    for (size_t i = 0; i < n; i++)
        assert_true(strings_add(&pool, span_of(names[i])));
    return pool;
}

/* columns ------------------------------------------------------------------------- */

static const char *const five[] = { "bm25", "tf idf", "", "pagerank", "bm25" };

static peck_status refuse_columns(const char *features, size_t n_names)
{
    struct strings names = pool_of(five, n_names);
    uint32_t *keep = (uint32_t *)&err;
    size_t n = 0;
    const peck_status st = columns_parse(&keep, &n, features, &names, 5, &err);

    assert_null(keep);
    strings_free(&names);
    return st;
}

static void columns_come_in_the_order_asked_for(void **state)
{
    (void)state;
    struct strings names = pool_of(five, 5);
    uint32_t *keep = NULL;
    size_t n = 0;

    assert_int_equal(columns_parse(&keep, &n, " 4 - 5,tf idf, 1", &names, 5, &err),
                     PECK_OK);
    const uint32_t expected[] = { 3, 4, 1, 0 };

    assert_int_equal(n, 4);
    assert_memory_equal(keep, expected, sizeof expected);
    mem_free(keep);
    assert_int_equal(columns_parse(&keep, &n, NULL, &names, 5, &err), PECK_OK);
    assert_null(keep);
    assert_int_equal(n, 5);
    strings_free(&names);
}

static void columns_that_make_no_sense_are_refused(void **state)
{
    (void)state;
    assert_failure(refuse_columns("0", 5), &err, PECK_ARG, "count from 1");
    assert_failure(refuse_columns("6", 5), &err, PECK_ARG, "beyond the 5");
    assert_failure(refuse_columns("2-9", 5), &err, PECK_ARG, "'2-9'", "beyond the 5");
    assert_failure(refuse_columns("3-2", 5), &err, PECK_ARG, "'3-2'");
    assert_failure(refuse_columns("99999999999999999999", 5), &err, PECK_ARG, "--features");
    assert_failure(refuse_columns("1,2,1-3", 5), &err, PECK_ARG, "feature 1 twice");
    assert_failure(refuse_columns("tf idf,2", 5), &err, PECK_ARG, "feature 2 twice");
    assert_failure(refuse_columns("", 5), &err, PECK_ARG, "empty item");
    assert_failure(refuse_columns("1,,2", 5), &err, PECK_ARG, "empty item");
    assert_failure(refuse_columns("1,", 5), &err, PECK_ARG, "empty item");
    assert_failure(refuse_columns("bm25", 5), &err, PECK_ARG, "feature 1 and feature 5");
    assert_failure(refuse_columns("pagernak", 5), &err, PECK_ARG, "'pagernak'",
                   "did you mean 'pagerank'?");
    assert_failure(refuse_columns("zzz", 5), &err, PECK_ARG, "no feature is called 'zzz'");
    assert_failure(refuse_columns("bm25", 0), &err, PECK_ARG, "--feature-names");
}

/* names --------------------------------------------------------------------------- */

static peck_status refuse_names(const char *text)
{
    struct strings names = { .n = 7 };
    const peck_status st = names_read(&names, scratch_file("names", text), &err);

    assert_int_equal(names.n, 0);
    assert_null(names.at);
    return st;
}

static void plain_names_come_in_order(void **state)
{
    (void)state;
    struct strings names;

    assert_int_equal(
        names_read(&names,
                   scratch_file("names", "\xEF\xBB\xBF bm25 \r\n\n17\ntf idf\t\nlast"),
                   &err),
        PECK_OK);
    assert_int_equal(names.n, 4);
    assert_span(strings_get(&names, 0), "bm25");
    assert_span(strings_get(&names, 1), "17");
    assert_span(strings_get(&names, 2), "tf idf");
    assert_span(strings_get(&names, 3), "last");
    strings_free(&names);
}

static void numbered_names_come_in_any_order_with_gaps(void **state)
{
    (void)state;
    struct strings names;

    assert_int_equal(
        names_read(&names, scratch_file("names", "4 d d\n\n2\tb\r\n1 a"), &err), PECK_OK);
    assert_int_equal(names.n, 4);
    assert_span(strings_get(&names, 0), "a");
    assert_span(strings_get(&names, 1), "b");
    assert_span(strings_get(&names, 2), "");
    assert_span(strings_get(&names, 3), "d d");
    strings_free(&names);
}

static void bad_names_are_refused(void **state)
{
    (void)state;
    assert_failure(refuse_names("1 a\n2 b\n1 c\n"), &err, PECK_FORMAT,
                   "names:3:", "feature 1", "second time");
    assert_failure(refuse_names("1 a\nb\n"), &err, PECK_FORMAT, "names:2:", "'b'");
    assert_failure(refuse_names("0 a\n"), &err, PECK_FORMAT, "names:1:", "not in 1 to");
    assert_failure(refuse_names("1 a\n1048577 b\n"), &err, PECK_FORMAT,
                   "names:2:", "1048577");
    assert_failure(refuse_names(""), &err, PECK_FORMAT, "empty");
    assert_failure(refuse_names(" \n\r\n"), &err, PECK_FORMAT, "empty");
    struct strings names;

    assert_failure(names_read(&names, "/no/such/file", &err), &err, PECK_IO,
                   "/no/such/file");
}

static void the_names_of_mslr_load(void **state)
{
    (void)state;
    const char *const path = real_data("mslr-sample/feature_names.txt");
    struct strings names;

    if (path == NULL)
        skip();
    assert_int_equal(names_read(&names, path, &err), PECK_OK);
    assert_int_equal(names.n, 136);
    assert_span(strings_get(&names, 0), "covered query term number body");
    assert_span(strings_get(&names, 135), "url dwell time");
    strings_free(&names);
}

/* group sizes --------------------------------------------------------------------- */

static void sizes_add_up(void **state)
{
    (void)state;
    uint64_t *size = NULL;
    size_t n = 0;

    assert_int_equal(sizes_read(&size, &n, scratch_file("g", "3\r\n 1 \n\n2"), 6, &err),
                     PECK_OK);
    const uint64_t expected[] = { 3, 1, 2 };

    assert_int_equal(n, 3);
    assert_memory_equal(size, expected, sizeof expected);
    mem_free(size);
}

static peck_status refuse_sizes(const char *text, size_t n_docs)
{
    uint64_t *size = (uint64_t *)&err;
    size_t n = 9;
    const peck_status st = sizes_read(&size, &n, scratch_file("g", text), n_docs, &err);

    assert_null(size);
    assert_int_equal(n, 0);
    return st;
}

static void bad_sizes_are_refused(void **state)
{
    (void)state;
    assert_failure(refuse_sizes("3\n2\n", 6), &err, PECK_SHAPE, "5 documents", "6");
    assert_failure(refuse_sizes("3\n4\n", 6), &err, PECK_SHAPE, "7 documents", "6");
    assert_failure(refuse_sizes("", 6), &err, PECK_SHAPE, "0 documents", "6");
    assert_failure(refuse_sizes("3\n0\n3\n", 6), &err, PECK_FORMAT, "g:2:", "'0'");
    assert_failure(refuse_sizes("3\n\n-3\n", 6), &err, PECK_FORMAT, "g:3:", "'-3'");
    assert_failure(refuse_sizes("3 3\n", 6), &err, PECK_FORMAT, "g:1:");
    assert_failure(refuse_sizes("1.5\n", 6), &err, PECK_FORMAT, "g:1:", "'1.5'");
    assert_failure(refuse_sizes("4294967296\n", 6), &err, PECK_FORMAT, "g:1:");
}

/* query weights ------------------------------------------------------------------- */

static peck_dataset *three_queries(void)
{
    peck_dataset *d = NULL;
    const char *const path =
        scratch_file("q.csv", "label,query,f\n1,a b,1\n1,\"c,d\",1\n1,e,1\n");

    assert_int_equal(peck_dataset_read(&d, path, NULL, &err), PECK_OK);
    return d;
}

static void weights_find_their_queries(void **state)
{
    (void)state;
    static const char *const files[] = { "e\t3\na b\t0.5\nc,d\t2", "e 3\na b 0.5\nc,d 2\n",
                                         "e,3\r\na b , 0.5\r\n\r\nc,d, 2\r\n" };
    peck_dataset *const d = three_queries();

    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(weights_read(d, scratch_file("w", files[i]), &err), PECK_OK);
        assert_true(d->query_weight[0] == 0.5f);
        assert_true(d->query_weight[1] == 2);
        assert_true(d->query_weight[2] == 3);
    }
    peck_dataset_free(d);
}

static void bad_weights_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *place, *says;
        peck_status why;
    } bad[] = {
        { "e 3\na b 1\n", "w: ", "query 'c,d' has no weight", PECK_SHAPE },
        { "", "w: ", "query 'a b' has no weight", PECK_SHAPE },
        { "e 3\nx 1\n", "w:2:", "no query 'x'", PECK_SHAPE },
        { "e 3\n\ne 3\n", "w:3:", "query 'e' has a weight already", PECK_FORMAT },
        { "e 0\n", "w:1:", "above 0", PECK_FORMAT },
        { "e -1\n", "w:1:", "above 0", PECK_FORMAT },
        { "e 1e40\n", "w:1:", "above 0", PECK_FORMAT },
        { "e nan\n", "w:1:", "query weight", PECK_FORMAT },
        { "e\n", "w:1:", "query weight", PECK_FORMAT },
        { "3\n", "w:1:", "query weight", PECK_FORMAT },
        { "e3\n", "w:1:", "query weight", PECK_FORMAT },
    };
    peck_dataset *const d = three_queries();

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_failure(weights_read(d, scratch_file("w", bad[i].text), &err), &err,
                       bad[i].why, bad[i].place, bad[i].says);
        assert_null(d->query_weight);
    }
    peck_dataset_free(d);
}

static void the_group_weights_of_yandex_load(void **state)
{
    (void)state;
    const char *const data = real_data("yandex-pairs/train.txt.gz");
    const char *const weights = real_data("yandex-pairs/train.group_weights");
    peck_dataset *d = NULL;

    if (data == NULL || weights == NULL)
        skip();
    assert_int_equal(
        peck_dataset_read(&d, data, &(peck_read_options){ .query_weights = weights }, &err),
        PECK_OK);
    assert_true(d->query_weight[0] == 0.01f);
    assert_true(d->query_weight[1] == 0.02f);
    peck_dataset_free(d);
}

/* missing cells ------------------------------------------------------------------- */

static struct builder holes(void)
{
    static const float x[] = { 1, NAN, NAN, 4, NAN, NAN, 7, 3, NAN, NAN, 5, NAN };
    struct builder b = { .dim = 3 };

    assert_int_equal(builder_rows(&b, 4, &err), PECK_OK);
    memcpy(b.x, x, sizeof x);
    return b;
}

static void holes_become_zero_or_the_mean_of_the_rest_or_stay(void **state)
{
    (void)state;
    static const float zero[] = { 1, 0, 0, 4, 0, 0, 7, 3, 0, 0, 5, 0 };
    static const float mean[] = { 1, 4, 0, 4, 4, 0, 7, 3, 0, 4, 5, 0 };
    static const uint32_t n_missing[] = { 1, 2, 4 };
    struct builder b = holes();

    assert_int_equal(missing_fill(&b, MISSING_ZERO, &err), PECK_OK);
    assert_memory_equal(b.x, zero, sizeof zero);
    assert_int_equal(b.n_missing, 7);
    assert_memory_equal(b.missing_in, n_missing, sizeof n_missing);
    builder_free(&b);
    b = holes();
    assert_int_equal(missing_fill(&b, MISSING_MEAN, &err), PECK_OK);
    assert_memory_equal(b.x, mean, sizeof mean);
    builder_free(&b);
    b = holes();
    assert_int_equal(missing_fill(&b, MISSING_KEEP, &err), PECK_OK);
    assert_true(b.keeps_missing && b.n_missing == 7 && isnan(b.x[1]) && b.x[3] == 4.0f);
    builder_free(&b);
    b = holes();
    assert_failure(missing_fill(&b, MISSING_ERROR, &err), &err, PECK_FORMAT, "7 cells");
    builder_free(&b);
}

/* labels -------------------------------------------------------------------------- */

static void labels_are_numbers_from_zero_or_unjudged(void **state)
{
    (void)state;
    float label = 9;

    assert_int_equal(label_parse(&label, span_of("2"), "f", 3, &err), PECK_OK);
    assert_true(label == 2);
    assert_int_equal(label_parse(&label, span_of("0.14"), "f", 3, &err), PECK_OK);
    assert_true(label == 0.14f);
    assert_int_equal(label_parse(&label, span_of("-0"), "f", 3, &err), PECK_OK);
    assert_true(label == 0 && !signbit(label));
    assert_int_equal(label_parse(&label, span_of("?"), "f", 3, &err), PECK_OK);
    assert_true(label == PECK_UNJUDGED);
    assert_int_equal(label_parse(&label, span_of("3e38"), "f", 3, &err), PECK_OK);
    assert_true(label == 3e38f);
    static const char *const bad[] = { "",    "-1",     "nan",   "inf",  "1e999", "1x",
                                       "one", "3.5e38", "-1e-9", "NULL", "1:2",   "??" };

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_failure(label_parse(&label, span_of(bad[i]), "f", 3, &err), &err,
                       PECK_FORMAT, "f:3:", "label", bad[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_come_in_the_order_asked_for),
        cmocka_unit_test(columns_that_make_no_sense_are_refused),
        cmocka_unit_test(plain_names_come_in_order),
        cmocka_unit_test(numbered_names_come_in_any_order_with_gaps),
        cmocka_unit_test(bad_names_are_refused),
        cmocka_unit_test(the_names_of_mslr_load),
        cmocka_unit_test(sizes_add_up),
        cmocka_unit_test(bad_sizes_are_refused),
        cmocka_unit_test(weights_find_their_queries),
        cmocka_unit_test(bad_weights_are_refused),
        cmocka_unit_test(the_group_weights_of_yandex_load),
        cmocka_unit_test(holes_become_zero_or_the_mean_of_the_rest_or_stay),
        cmocka_unit_test(labels_are_numbers_from_zero_or_unjudged),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
