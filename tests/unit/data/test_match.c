/* Columns that somebody asks for, by name and by position. */
#include "support/check.h"
#include "support/samples.h"
#include "support/scratch.h"

#include <math.h>

static peck_error err;
static peck_match_info info;

enum { N_DOCS = 3 };

static peck_dataset *read(const char *name, const char *text)
{
    peck_dataset *d = NULL;

    assert_ok(peck_dataset_read(&d, scratch_file(name, text), NULL, &err), err);
    return d;
}

/* What a model would ask for. */
static peck_dataset *trained_on(void)
{
    return read("train.csv", "label,query,a,b,c\n1,1,1,2,3\n0,1,4,5,6\n");
}

/* x[docs][3] of what becomes of d. */
static void assert_cells(const peck_dataset *d, const char *how, const float *x)
{
    peck_dataset *const like = trained_on(), *fit = NULL;

    assert_ok(peck_dataset_match_data(&fit, d, like, how, &info, &err), err);
    assert_int_equal(fit->dim, 3);
    assert_memory_equal(fit->x, x, fit->n_docs * 3 * sizeof *x);
    assert_memory_equal(fit->label, d->label, d->n_docs * sizeof *d->label);
    for (size_t i = 0; i < 3; i++)
        assert_true(span_equal(peck_dataset_feature_name(fit, i),
                               peck_dataset_feature_name(like, i)));
    peck_dataset_free(fit);
    peck_dataset_free(like);
}

static void assert_refused(const peck_dataset *d, const char *how, peck_status why,
                           const char *phrase)
{
    peck_dataset *const like = trained_on(), *fit = (peck_dataset *)like;

    assert_int_equal(peck_dataset_match_data(&fit, d, like, how, &info, &err), why);
    assert_failed(err, why, phrase);
    assert_null(fit);
    peck_dataset_free(like);
}

static void columns_are_found_by_name(void **state)
{
    static const float want[] = { 1, 2, 3, 4, 5, 6 };
    peck_dataset *const d = read("d.csv", "c,label,a,query,b\n3,1,1,7,2\n6,0,4,7,5\n");

    (void)state;
    assert_cells(d, NULL, want);
    assert_int_equal(info.by_name, 1);
    assert_string_equal(info.text, "");
    assert_cells(d, "name", want);
    peck_dataset_free(d);
}

static void columns_that_fit_are_not_copied(void **state)
{
    peck_dataset *const like = trained_on(), *fit = NULL;
    peck_dataset *const d = read("d.csv", "label,query,a,b,c\n1,7,1,2,3\n");

    (void)state;
    assert_ok(peck_dataset_match_data(&fit, d, like, NULL, &info, &err), err);
    assert_ptr_equal(fit->x, d->x);
    assert_ptr_equal(fit->label, d->label);
    assert_int_equal(info.by_name, 1);
    peck_dataset_free(fit);
    assert_span(strings_get(&d->query_id, 0), "7"); /* freeing a view frees nothing of d */
    peck_dataset_free(d);
    peck_dataset_free(like);
}

static void missing_columns_are_listed(void **state)
{
    peck_dataset *d = read("d.csv", "label,query,b,x,y\n1,1,1,2,3\n");

    (void)state;
    assert_refused(d, NULL, PECK_SHAPE,
                   "of the 3 features that the training data has, 2 are "
                   "missing: 'a', 'c'");
    assert_failed(err, PECK_SHAPE, "or use --match position");
    peck_dataset_free(d);
    d = read("d.csv", "label,query,b,c\n1,1,1,2\n");
    assert_refused(d, "name", PECK_SHAPE, "1 is missing: 'a'");
    assert_null(strstr(err.text, "position")); /* the number does not fit */
    peck_dataset_free(d);
}

static void of_many_missing_columns_some_are_listed(void **state)
{
    peck_dataset *const like =
        read("t.csv", "label,query,a,b,c,d,e,f,g\n1,1,1,2,3,4,5,6,7\n");
    peck_dataset *const d = read("d.csv", "label,query,x\n1,1,1\n");
    peck_dataset *fit = NULL;

    (void)state;
    assert_int_equal(peck_dataset_match_data(&fit, d, like, NULL, NULL, &err), PECK_SHAPE);
    assert_failed(err, PECK_SHAPE,
                  "7 are missing: 'a', 'b', 'c', 'd', 'e' and 2 more; take");
    peck_dataset_free(d);
    peck_dataset_free(like);
}

static void more_columns_are_ignored_and_told(void **state)
{
    static const float want[] = { 1, 2, 3 };
    peck_dataset *const d = read("d.csv", "label,query,new,c,b,a,other\n1,1,9,3,2,1,8\n");

    (void)state;
    assert_cells(d, NULL, want);
    assert_int_equal(info.n_ignored, 2);
    assert_non_null(strstr(info.text, "d.csv: ignored"));
    assert_non_null(strstr(info.text, "'new', 'other'"));
    assert_refused(d, "position", PECK_SHAPE, "5 features, but the training data has 3");
    peck_dataset_free(d);
}

static void columns_without_names_go_by_position(void **state)
{
    static const float want[] = { 1, 2, 3 };
    peck_dataset *const d = read("d.txt", "1 qid:1 1:1 2:2 3:3\n");

    (void)state;
    assert_cells(d, NULL, want);
    assert_int_equal(info.by_name, 0);
    assert_non_null(strstr(info.text, "by position, as its features have no names"));
    assert_cells(d, "position", want);
    assert_string_equal(info.text, ""); /* it was asked for */
    assert_refused(d, "name", PECK_SHAPE, "its features have no names to match by");
    peck_dataset_free(d);
}

static void names_that_nobody_asks_for_go_by_position(void **state)
{
    peck_dataset *const like = read("t.txt", "1 qid:1 1:1 2:2\n");
    peck_dataset *const d = read("d.csv", "label,query,a,b\n1,1,1,2\n");
    peck_dataset *fit = NULL;

    (void)state;
    assert_ok(peck_dataset_match_data(&fit, d, like, NULL, &info, &err), err);
    assert_non_null(strstr(info.text, "no names are kept"));
    peck_dataset_free(fit);
    assert_int_equal(peck_dataset_match_data(&fit, d, like, "name", &info, &err),
                     PECK_SHAPE);
    assert_failed(err, PECK_SHAPE, "no names are kept of the 2 features");
    peck_dataset_free(d);
    peck_dataset_free(like);
}

static void names_are_not_looked_at_by_position(void **state)
{
    static const float want[] = { 7, 8, 9 };
    peck_dataset *const d = read("d.csv", "label,query,c,a,b\n1,1,7,8,9\n");

    (void)state;
    assert_cells(d, "position", want);
    assert_int_equal(info.by_name, 0);
    assert_refused(d, "nme", PECK_ARG, "'name' or 'position', not 'nme'");
    peck_dataset_free(d);
}

static void sparse_rows_are_filled_up_with_zeros(void **state)
{
    static const float want[] = { 1, 0, 0, 4, 5, 0 };
    peck_dataset *d = read("d.txt", "1 qid:1 1:1\n0 qid:1 1:4 2:5\n");

    (void)state;
    assert_cells(d, NULL, want);
    assert_int_equal(info.n_absent, 1);
    assert_non_null(strstr(info.text, "d.txt: matched by position, as its features have "
                                      "no names; its last feature is 2, but the training "
                                      "data has 3: those"));
    assert_cells(d, "position", want);
    peck_dataset_free(d);
    d = read("d.txt", "1 qid:1 1:1 2:2 3:3 4:4\n");
    assert_refused(d, NULL, PECK_SHAPE, "4 features, but the training data has 3; choose");
    peck_dataset_free(d);
}

/* Few features here, many there: what it would take is known before memory is taken. */
static void a_view_beyond_memory_is_refused_with_its_size(void **state)
{
    enum { DOCS = 3000000 };
    const uint32_t size = DOCS;
    float *const x = calloc(DOCS, sizeof *x);
    peck_dataset *const like = read("like.txt", "1 qid:1 1048576:1\n"), *d = NULL, *fit;

    (void)state;
    assert_non_null(x);
    assert_ok(peck_dataset_wrap(&d, x, DOCS, 1, NULL, &size, 1, &err), err);
    d->is_sparse = true;
    assert_int_equal(peck_dataset_match_data(&fit, d, like, NULL, &info, &err), PECK_NOMEM);
    assert_failed(err, PECK_NOMEM, "3000000 documents of 1048576 features need 12582.9 GB");
    peck_dataset_free(d);
    peck_dataset_free(like);
    free(x);
}

static void columns_that_were_chosen_are_not_filled_up(void **state)
{
    const peck_read_options options = { .features = "1-2" };
    const char *const path = scratch_file("d.txt", "1 qid:1 1:1 2:2 3:3\n");
    peck_dataset *d = NULL;

    (void)state;
    assert_ok(peck_dataset_read(&d, path, &options, &err), err);
    assert_refused(d, NULL, PECK_SHAPE, "2 features, but the training data has 3");
    peck_dataset_free(d);
}

static void a_name_that_comes_twice_is_refused_where_it_is_asked_for(void **state)
{
    static const float want[] = { 1, 2, 3 };
    const peck_read_options options = { .feature_names =
                                            scratch_file("names", "a\nb\nc\nx\nx\n") };
    const char *const path = scratch_file("d.txt", "1 qid:1 1:1 2:2 3:3 4:4 5:5\n");
    peck_dataset *d = NULL;

    (void)state;
    assert_ok(peck_dataset_read(&d, path, &options, &err), err);
    assert_cells(d, NULL, want);
    peck_dataset_free(d);
    scratch_file("names", "a\nb\nc\na\nx\n");
    assert_ok(peck_dataset_read(&d, path, &options, &err), err);
    assert_refused(d, NULL, PECK_SHAPE, "features 1 and 4 are both called 'a'");
    peck_dataset_free(d);
}

/* "# N name" names some features alone. */
static void names_that_are_not_all_there_must_stand_in_their_places(void **state)
{
    peck_dataset *const like = read("t.txt", "# 1 a\n# 3 c\n1 qid:1 1:1 2:2 3:3\n");
    peck_dataset *const same = read("s.txt", "# 1 a\n# 3 c\n1 qid:1 1:7 2:2 3:3\n");
    peck_dataset *const more = read("m.csv", "label,query,a,b,c\n1,1,1,2,3\n");
    peck_dataset *const other = read("o.csv", "label,query,c,b,a\n1,1,1,2,3\n");
    peck_dataset *fit = NULL;

    (void)state;
    assert_ok(peck_dataset_match_data(&fit, same, like, NULL, &info, &err), err);
    assert_string_equal(info.text, "");
    peck_dataset_free(fit);
    assert_ok(peck_dataset_match_data(&fit, more, like, NULL, &info, &err), err);
    assert_non_null(strstr(info.text, "not all of the 3 features"));
    peck_dataset_free(fit);
    assert_int_equal(peck_dataset_match_data(&fit, more, like, "name", &info, &err),
                     PECK_SHAPE);
    assert_int_equal(peck_dataset_match_data(&fit, other, like, NULL, &info, &err),
                     PECK_SHAPE);
    assert_failed(err, PECK_SHAPE, "feature 1 is called 'c', not 'a'");
    peck_dataset_free(other);
    peck_dataset_free(more);
    peck_dataset_free(same);
    peck_dataset_free(like);
}

/* What else is known of documents comes along, and so do missing values. */
static void the_rest_of_the_data_stays(void **state)
{
    const peck_read_options options = { .missing = "keep" };
    const char *const path =
        scratch_file("d.csv", "label,query,doc,weight,c,b,a\n1,1,x,2,,5,4\n0,2,y,3,6,8,7\n"
                              "2,1,z,1,9,2,1\n");
    peck_dataset *const like = trained_on(), *d = NULL, *fit = NULL;

    (void)state;
    assert_ok(peck_dataset_read(&d, path, &options, &err), err);
    assert_ok(peck_dataset_match_data(&fit, d, like, NULL, &info, &err), err);
    assert_int_equal(fit->n_docs, N_DOCS);
    assert_true(isnan(fit->x[2]) && fit->x[0] == 4);
    assert_int_equal(fit->missing_in[2], 1);
    assert_int_equal(fit->missing_in[0], 0);
    assert_int_equal(fit->n_missing, 1);
    assert_span(peck_dataset_doc_id(fit, 1), "z");
    assert_true(fit->doc_weight[1] == 1.0f);
    assert_int_equal(fit->file_row[1], 2);
    peck_dataset_free(fit);
    peck_dataset_free(d);
    peck_dataset_free(like);
}

static void wrapped_arrays_get_names(void **state)
{
    static const float x[] = { 3, 2, 1, 9, 6, 5, 4, 9 }, want[] = { 1, 2, 3, 4, 5, 6 };
    static const uint32_t size = 2;
    peck_dataset *d = NULL, *named = NULL;

    (void)state;
    assert_ok(peck_dataset_wrap(&d, x, 2, 4, NULL, &size, 1, &err), err);
    assert_ok(
        peck_dataset_name(&named, d, (const char *const[]){ "c", "b", "a", "d" }, &err),
        err);
    assert_ptr_equal(named->x, x);
    assert_cells(named, "name", want);
    assert_int_equal(info.n_ignored, 1);
    peck_dataset_free(named);
    assert_int_equal(
        peck_dataset_name(&named, d, (const char *const[]){ "a", "b", "c", "b" }, &err),
        PECK_ARG);
    assert_failed(err, PECK_ARG, "two features are called 'b'");
    assert_null(named);
    assert_int_equal(
        peck_dataset_name(&named, d, (const char *const[]){ "a", "", "c", "b" }, &err),
        PECK_ARG);
    assert_failed(err, PECK_ARG, "the name of feature 2 is empty");
    assert_int_equal(
        peck_dataset_name(&named, d, (const char *const[]){ "a", "b", "c\n", "d" }, &err),
        PECK_ARG);
    peck_dataset_free(d);
}

static void missing_values_are_counted_in_what_stays(void **state)
{
    const peck_read_options options = { .missing = "zero" };
    const char *const path =
        scratch_file("d.csv", "label,query,x,c,b,a\n1,1,,,5,4\n0,1,,6,8,7\n");
    peck_dataset *const like = trained_on(), *d = NULL, *fit = NULL, *same = NULL;

    (void)state;
    assert_ok(peck_dataset_read(&d, path, &options, &err), err);
    assert_int_equal(d->n_missing, 3);
    assert_ok(peck_dataset_match_data(&fit, d, like, NULL, &info, &err), err);
    assert_int_equal(fit->n_missing, 1);
    assert_ok(peck_dataset_match_data(&same, fit, like, NULL, &info, &err), err);
    assert_int_equal(same->n_missing, 1);
    assert_int_equal(same->missing_in[2], 1);
    peck_dataset_free(same);
    peck_dataset_free(fit);
    peck_dataset_free(d);
    peck_dataset_free(like);
}

/* The place in the file is another one, so the name says which feature it is. */
static void a_bad_feature_is_told_by_its_name(void **state)
{
    struct pool *pool = NULL;
    peck_dataset *const like = trained_on(), *fit = NULL;
    peck_dataset *const d = read("d.csv", "label,query,c,b,a\n1,1,7,8,9\n");

    (void)state;
    d->x_owned[0] = INFINITY;
    d->is_checked = false;
    assert_ok(peck_dataset_match_data(&fit, d, like, NULL, &info, &err), err);
    assert_ok(pool_new(&pool, 1, &err), err);
    assert_int_equal(dataset_check_features(fit, false, pool, &err), PECK_FORMAT);
    assert_failed(err, PECK_FORMAT, "feature c of document 1");
    pool_free(pool);
    peck_dataset_free(fit);
    peck_dataset_free(d);
    peck_dataset_free(like);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_are_found_by_name),
        cmocka_unit_test(columns_that_fit_are_not_copied),
        cmocka_unit_test(missing_columns_are_listed),
        cmocka_unit_test(of_many_missing_columns_some_are_listed),
        cmocka_unit_test(more_columns_are_ignored_and_told),
        cmocka_unit_test(columns_without_names_go_by_position),
        cmocka_unit_test(names_that_nobody_asks_for_go_by_position),
        cmocka_unit_test(names_are_not_looked_at_by_position),
        cmocka_unit_test(sparse_rows_are_filled_up_with_zeros),
        cmocka_unit_test(a_view_beyond_memory_is_refused_with_its_size),
        cmocka_unit_test(columns_that_were_chosen_are_not_filled_up),
        cmocka_unit_test(a_name_that_comes_twice_is_refused_where_it_is_asked_for),
        cmocka_unit_test(names_that_are_not_all_there_must_stand_in_their_places),
        cmocka_unit_test(the_rest_of_the_data_stays),
        cmocka_unit_test(wrapped_arrays_get_names),
        cmocka_unit_test(missing_values_are_counted_in_what_stays),
        cmocka_unit_test(a_bad_feature_is_told_by_its_name),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
