/* Datasets and preferences that a program has in memory. */
#include "support/check.h"

#include "data/dataset.h"
#include "data/prefs.h"
#include "support/scratch.h"

#include <math.h>

static peck_error err;

static const float x[] = { 1, 2, 3, 4, 5, 6, 7, 8 };
static const float labels[] = { 2, 0, 1, 0 };
static const uint32_t sizes[] = { 3, 1 };

static peck_arrays four_docs(void)
{
    return (peck_arrays){ .x = x,
                          .n_docs = 4,
                          .n_features = 2,
                          .label = labels,
                          .docs_in_query = sizes,
                          .n_queries = 2 };
}

static void ids_names_and_weights_come_along(void **state)
{
    static const char *const queries[] = { "shoes", "hats" };
    static const char *const docs[] = { "d1", "", "d3", "d1" };
    static const char *const features[] = { "price", "stars" };
    static const float weights[] = { 1, 0.5f, 2, 3 }, of_queries[] = { 0.25f, 4 };
    peck_arrays a = four_docs();
    peck_dataset *d = NULL, *back = NULL;
    peck_dataset_info info;
    peck_query q;

    (void)state;
    a.query_id = queries;
    a.doc_id = docs;
    a.feature_name = features;
    a.doc_weight = weights;
    a.query_weight = of_queries;
    assert_ok(peck_dataset_make(&d, &a, &err), err);
    peck_dataset_describe(d, &info);
    assert_true(info.has_doc_ids && info.has_doc_weights && info.has_query_weights &&
                info.has_feature_names);
    peck_dataset_query(d, 1, &q);
    assert_span(q.id, "hats");
    assert_true(q.weight == 4 && q.doc_weight[0] == 3 && q.x == x + 6);
    assert_span(peck_dataset_doc_id(d, 2), "d3");
    assert_int_equal(peck_dataset_doc_id(d, 1).n, 0);
    assert_span(peck_dataset_feature_name(d, 1), "stars");
    /* and are there for files, too */
    assert_ok(peck_dataset_write(d, scratch_path("w.peckdata"), NULL, &err), err);
    assert_ok(peck_dataset_read(&back, scratch_path("w.peckdata"), NULL, &err), err);
    peck_dataset_query(back, 0, &q);
    assert_span(q.id, "shoes");
    assert_true(q.weight == 0.25f && q.doc_weight[2] == 2);
    assert_span(peck_dataset_feature_name(back, 0), "price");
    peck_dataset_free(back);
    peck_dataset_free(d);
}

static void features_may_be_copied(void **state)
{
    float own[8];
    peck_arrays a = four_docs();
    peck_dataset *d = NULL;
    peck_query q;

    (void)state;
    memcpy(own, x, sizeof own);
    a.x = own;
    a.copies_x = 1;
    assert_ok(peck_dataset_make(&d, &a, &err), err);
    memset(own, 0, sizeof own);
    peck_dataset_query(d, 1, &q);
    assert_true(q.x[0] == 7 && q.x[1] == 8);
    peck_dataset_free(d);
    own[0] = 3.5f; /* one number is enough */
    a = (peck_arrays){ .x = own,
                       .n_docs = 1,
                       .n_features = 1,
                       .docs_in_query = (const uint32_t[]){ 1 },
                       .n_queries = 1,
                       .copies_x = 1 };
    assert_ok(peck_dataset_make(&d, &a, &err), err);
    own[0] = 0.0f;
    peck_dataset_query(d, 0, &q);
    assert_true(q.x[0] == 3.5f);
    peck_dataset_free(d);
}

static void missing_features_are_kept_where_they_may_be(void **state)
{
    const float some[] = { 1, NAN, 3, 4, 5, NAN, 7, 8 };
    peck_arrays a = four_docs();
    peck_dataset *d = NULL;
    peck_dataset_info info;
    struct pool *pool = NULL;

    (void)state;
    assert_ok(pool_new(&pool, 1, &err), err);
    a.x = some;
    for (int keep = 0; keep < 2; keep++) {
        a.keep_missing = keep;
        assert_ok(peck_dataset_make(&d, &a, &err), err);
        peck_dataset_describe(d, &info);
        assert_int_equal(info.n_missing, keep ? 2 : 0);
        assert_int_equal(dataset_check_features(d, true, pool, &err),
                         keep ? PECK_OK : PECK_FORMAT);
        assert_int_equal(dataset_check_features(d, false, pool, &err), PECK_FORMAT);
        peck_dataset_free(d);
    }
    pool_free(pool);
}

static void refused(const peck_arrays *a, const char *words)
{
    peck_dataset *d = NULL;
    const peck_status st = peck_dataset_make(&d, a, &err);

    assert_true(st == PECK_ARG || st == PECK_FORMAT || st == PECK_SHAPE);
    assert_failed(err, st, words);
    assert_null(d);
}

static void odd_arrays_are_refused(void **state)
{
    peck_arrays a = four_docs();

    (void)state;
    a.query_id = (const char *const[]){ "a", "a" };
    refused(&a, "two queries are called 'a'");
    a.query_id = (const char *const[]){ "a", "" };
    refused(&a, "the id of query 2 is empty");
    a = four_docs();
    a.doc_id = (const char *const[]){ "a", "b\nc", "", "" };
    refused(&a, "the id of document 2 is no line");
    a = four_docs();
    a.feature_name = (const char *const[]){ "f", "f" };
    refused(&a, "two features are called 'f'");
    a = four_docs();
    a.doc_weight = (const float[]){ 1, 0, 1, 1 };
    refused(&a, "weight 0 of document 2");
    a = four_docs();
    a.query_weight = (const float[]){ 1, INFINITY };
    refused(&a, "weight inf of query 2");
}

/* Preferences -------------------------------------------------------------------------- */

static void preferences_over_documents_find_their_query(void **state)
{
    static const peck_pref pref[] = { { 9, 2, 0, 1, 1 }, { 0, 0, 1, 0.75f, 2 } };
    const peck_arrays a = four_docs();
    peck_dataset *d = NULL;
    peck_prefs *p = NULL;
    peck_prefs_info info;

    (void)state;
    assert_ok(peck_dataset_make(&d, &a, &err), err);
    assert_ok(peck_prefs_make(
                  &p, &(peck_prefs_arrays){ .pref = pref, .n_prefs = 2, .data = d }, &err),
              err);
    peck_prefs_describe(p, &info);
    assert_true(info.n_prefs == 2 && info.n_lists == 2 && info.n_items == 4);
    assert_int_equal(peck_prefs_at(p, 0).list, 0);
    assert_int_equal(peck_prefs_at(p, 0).winner, 2);
    assert_true(peck_prefs_at(p, 1).probability == 0.75f);
    assert_span(peck_prefs_list_name(p, 1), "2");
    peck_prefs_free(p);
    const peck_pref apart[] = { pref[0], { 0, 2, 3, 1, 1 } };

    assert_int_equal(
        peck_prefs_make(&p, &(peck_prefs_arrays){ .pref = apart, .n_prefs = 2, .data = d },
                        &err),
        PECK_SHAPE);
    assert_failed(err, PECK_SHAPE, "two queries, '1' and '2'");
    peck_dataset_free(d);
}

/* Whatever lies between its ends: the query of each document, and no other. */
static void every_document_is_found_in_its_query(void **state)
{
    enum { QUERIES = 7 };
    static const uint32_t docs[QUERIES] = { 2, 3, 2, 4, 2, 2, 5 };
    static const float zeros[20];
    peck_dataset *d = NULL;
    peck_pref pref[20];
    size_t n = 0;

    (void)state;
    for (size_t n_queries = 1; n_queries <= QUERIES; n_queries++) {
        const size_t n_docs = n + docs[n_queries - 1];
        peck_prefs *p = NULL;

        for (; n < n_docs; n++) { /* beside a neighbour of its query */
            const bool is_last = n + 1 == n_docs;

            pref[n] = (peck_pref){ 9, n, is_last ? n - 1 : n + 1, 1, 1 };
        }
        assert_ok(peck_dataset_wrap(&d, zeros, n, 1, NULL, docs, n_queries, &err), err);
        assert_ok(
            peck_prefs_make(
                &p, &(peck_prefs_arrays){ .pref = pref, .n_prefs = n, .data = d }, &err),
            err);
        for (size_t i = 0, q = 0; i < n; i++) {
            q += i == d->start[q + 1];
            assert_int_equal(peck_prefs_at(p, i).list, q);
        }
        peck_prefs_free(p);
        peck_dataset_free(d);
    }
}

/* The same list from a file is the same list. */
static void a_list_that_stands_alone_has_names(void **state)
{
    static const char *const items[] = { "ann", "bob", "cy" };
    static const peck_pref pref[] = { { 0, 0, 1, 1, 1 }, { 0, 1, 2, 1, 1 } };
    peck_prefs *p = NULL, *file = NULL;
    peck_place place[3], same[3];
    size_t n, n_same;

    (void)state;
    assert_ok(
        peck_prefs_make(&p,
                        &(peck_prefs_arrays){
                            .pref = pref, .n_prefs = 2, .item_name = items, .n_items = 3 },
                        &err),
        err);
    assert_ok(peck_prefs_read(&file,
                              scratch_file("p.csv", "winner,loser\nann,bob\nbob,cy\n"),
                              NULL, 0, &err),
              err);
    assert_ok(peck_decode_prefs(place, &n, p, 0, NULL, NULL, &err), err);
    assert_ok(peck_decode_prefs(same, &n_same, file, 0, NULL, NULL, &err), err);
    assert_int_equal(n, 3);
    assert_int_equal(n_same, 3);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(place[i].item, same[i].item);
        assert_true(place[i].score == same[i].score);
        assert_span(peck_prefs_item_name(p, i), items[i]);
    }
    peck_prefs_free(file);
    peck_prefs_free(p);
}

static void odd_preferences_are_refused(void **state)
{
    static const struct {
        peck_pref pref;
        const char *words;
    } odd[] = {
        { { 0, 3, 0, 1, 1 }, "item 3, counted from 0, but there are 3" },
        { { 0, 0, 3, 1, 1 }, "item 3" },
        { { 1, 0, 1, 1, 1 }, "list 1, counted from 0, but there are 1" },
        { { 0, 1, 1, 1, 1 }, "compared with itself" },
        { { 0, 0, 1, 1.5f, 1 }, "probability is 1.5" },
        { { 0, 0, 1, NAN, 1 }, "probability" },
        { { 0, 0, 1, 1, 0 }, "weight is 0" },
        { { 0, 0, 1, 1, INFINITY }, "weight" },
    };
    peck_prefs *p = NULL;

    (void)state;
    for (size_t i = 0; i < N_OF(odd); i++) {
        const peck_pref pref[] = { { 0, 0, 1, 1, 1 }, odd[i].pref };

        assert_int_not_equal(
            peck_prefs_make(
                &p, &(peck_prefs_arrays){ .pref = pref, .n_prefs = 2, .n_items = 3 }, &err),
            PECK_OK);
        assert_failed(err, err.status, odd[i].words);
        assert_failed(err, err.status, "preference 2");
        assert_null(p);
    }
    p = (peck_prefs *)&err;
    assert_int_equal(peck_prefs_make(&p, &(peck_prefs_arrays){ .n_items = 3 }, &err),
                     PECK_SHAPE);
    assert_null(p);
    for (int k = 0; k < 2; k++) { /* an item, a list without a name */
        static const char *const names[] = { "ann", "", "cy" };
        const peck_pref pref = { 0, 0, 1, 1, 1 };
        const peck_prefs_arrays arrays = { .pref = &pref,
                                           .n_prefs = 1,
                                           .n_items = 3,
                                           .item_name = k == 0 ? names : NULL,
                                           .n_lists = 3,
                                           .list_name = k == 1 ? names : NULL };

        assert_int_not_equal(peck_prefs_make(&p, &arrays, &err), PECK_OK);
        assert_failed(err, err.status, k == 0 ? "item 2" : "list 2");
        assert_null(p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ids_names_and_weights_come_along),
        cmocka_unit_test(features_may_be_copied),
        cmocka_unit_test(missing_features_are_kept_where_they_may_be),
        cmocka_unit_test(odd_arrays_are_refused),
        cmocka_unit_test(preferences_over_documents_find_their_query),
        cmocka_unit_test(every_document_is_found_in_its_query),
        cmocka_unit_test(a_list_that_stands_alone_has_names),
        cmocka_unit_test(odd_preferences_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
