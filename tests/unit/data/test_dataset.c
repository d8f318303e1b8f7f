/* test_dataset.c -- datasets over a program's own arrays, parts of datasets, views, and
 * the check for finite features.                                                     */
#include "support/check.h"

#include "data/dataset.h"
#include "support/samples.h"

#include <float.h>
#include <math.h>

/* On one rank. */
static uint64_t fingerprint_of(const struct peck_dataset *d)
{
    peck_error err = { 0 };
    uint64_t sum = 0;
    struct pool *pool;

    assert_ok(pool_new(&pool, 1, &err), err);
    assert_ok(dataset_fingerprint(&sum, d, pool, &err), err);
    pool_free(pool);
    return sum;
}

static peck_error err;

static const float table[] = { 1, 2, 3, 4, 5, 6, 7, 8 };

static void a_program_s_arrays_are_wrapped(void **state)
{
    (void)state;
    float label[] = { 0, PECK_UNJUDGED, 2.5f, 16777216.0f };
    uint32_t sizes[] = { 3, 1 };
    peck_dataset *d;
    peck_dataset_info info;
    peck_query q;

    assert_ok(peck_dataset_wrap(&d, table, 4, 2, label, sizes, 2, &err), err);
    memset(label, 0, sizeof label); /* labels and sizes are copied, x is not */
    memset(sizes, 0, sizeof sizes);
    peck_dataset_describe(d, &info);
    assert_true(info.n_docs == 4 && info.n_queries == 2 && info.n_features == 2);
    assert_true(info.n_judged == 3 && info.max_label == 16777216.0f);
    assert_false(info.has_doc_ids || info.has_doc_weights || info.has_query_weights ||
                 info.has_feature_names || info.was_gathered);
    assert_int_equal(info.n_missing, 0);
    assert_string_equal(info.reader, "wrap");
    peck_dataset_query(d, 0, &q);
    assert_ptr_equal(q.x, table);
    assert_span(q.id, "1");
    assert_true(q.n_docs == 3 && q.first == 0 && q.weight == 1);
    peck_dataset_query(d, 1, &q);
    assert_ptr_equal(q.x, table + 6);
    assert_span(q.id, "2");
    assert_true(q.n_docs == 1 && q.first == 3 && q.label[0] == 16777216.0f &&
                q.stride == 2);
    assert_int_equal(peck_dataset_doc_id(d, 3).n, 0);
    assert_int_equal(peck_dataset_feature_name(d, 1).n, 0);
    peck_dataset_free(d);
    peck_dataset_free(NULL);
}

static void without_labels_nobody_is_judged(void **state)
{
    (void)state;
    const uint32_t sizes[] = { 4 };
    peck_dataset *d;
    peck_dataset_info info;

    assert_ok(peck_dataset_wrap(&d, table, 4, 2, NULL, sizes, 1, &err), err);
    peck_dataset_describe(d, &info);
    assert_int_equal(info.n_judged, 0);
    assert_true(info.max_label == 0);
    for (size_t i = 0; i < 4; i++)
        assert_true(d->label[i] == PECK_UNJUDGED);
    peck_dataset_free(d);
    assert_ok(peck_dataset_wrap(&d, NULL, 4, 0, NULL, sizes, 1, &err), err);
    peck_dataset_free(d);
}

static void check_refused(const float *label, const uint32_t *sizes, size_t n_docs,
                          size_t n_queries, peck_status why, const char *phrase)
{
    peck_dataset *d = (peck_dataset *)(uintptr_t)1;

    assert_int_equal(peck_dataset_wrap(&d, table, n_docs, 2, label, sizes, n_queries, &err),
                     why);
    assert_failed(err, why, phrase);
    assert_null(d);
}

static void arrays_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    const uint32_t four[] = { 3, 1 }, hole[] = { 4, 0 }, five[] = { 4, 1 };
    const uint32_t huge[] = { UINT32_MAX, UINT32_MAX, 6 };

    check_refused(NULL, four, 0, 2, PECK_SHAPE, "no document");
    check_refused(NULL, four, 4, 0, PECK_SHAPE, "no document");
    check_refused(NULL, hole, 4, 2, PECK_SHAPE, "query 2 (counted from 1) has no document");
    check_refused(NULL, five, 4, 2, PECK_SHAPE,
                  "the queries hold 5 documents, but there are 4");
    check_refused(NULL, huge, 4, 3, PECK_SHAPE, "the queries hold 8589934596 documents");
}

static void labels_that_make_no_sense_are_refused(void **state)
{
    (void)state;
    const uint32_t sizes[] = { 4 };
    const float bad[] = { -0.5f, -2, NAN, INFINITY, -INFINITY };

    for (size_t i = 0; i < N_OF(bad); i++) {
        const float label[] = { 0, 1, bad[i], 0 };

        check_refused(label, sizes, 4, 1, PECK_FORMAT, "of document 3 (counted from 1)");
    }
}

static void infinite_features_are_found_wherever_they_are(void **state)
{
    (void)state;
    enum { N_DOCS = 70001, DIM = 3 }; /* over several shards */
    float *const x = calloc(N_DOCS * DIM, sizeof *x);
    const uint32_t sizes[] = { N_DOCS };
    const size_t places[] = { 0, 1, 65535, 65536, 131072, N_DOCS * DIM - 1 };
    peck_dataset *d;
    struct pool *pool[2];

    assert_ok(pool_new(&pool[0], 1, &err), err);
    assert_ok(pool_new(&pool[1], 3, &err), err);
    assert_ok(peck_dataset_wrap(&d, x, N_DOCS, DIM, NULL, sizes, 1, &err), err);
    x[7] = FLT_MAX;
    x[8] = -FLT_MAX;
    x[9] = 0x1p-149f;
    assert_ok(dataset_check_features(d, false, pool[1], &err), err);
    for (size_t k = 0; k < 2 * N_OF(places); k++) {
        const size_t at = places[k / 2];
        char phrase[100];

        x[at] = k % 2 == 0 ? NAN : -INFINITY;
        x[N_DOCS * DIM - 1] = at < N_DOCS * DIM - 1 ? INFINITY : x[at];
        assert_int_equal(dataset_check_features(d, false, pool[k % 2], &err), PECK_FORMAT);
        snprintf(phrase, sizeof phrase,
                 "feature %zu of document %zu (counted from 1) is %s", at % DIM + 1,
                 at / DIM + 1, k % 2 == 0 ? "NaN" : "infinite");
        assert_failed(err, PECK_FORMAT, phrase);
        x[at] = x[N_DOCS * DIM - 1] = 0;
    }
    assert_ok(dataset_check_features(d, false, pool[0], &err), err);
    x[70000] = NAN; /* missing, if the user says so and the caller can bear it */
    assert_int_equal(dataset_check_features(d, true, pool[1], &err), PECK_FORMAT);
    assert_failed(err, PECK_FORMAT, "finite");
    d->keeps_missing = true;
    assert_ok(dataset_check_features(d, true, pool[1], &err), err);
    assert_int_equal(dataset_check_features(d, false, pool[1], &err), PECK_FORMAT);
    assert_failed(err, PECK_FORMAT, "is missing; only trees");
    x[70001] = INFINITY;
    assert_int_equal(dataset_check_features(d, true, pool[1], &err), PECK_FORMAT);
    assert_failed(err, PECK_FORMAT, "infinite");
    peck_dataset_free(d);
    pool_free(pool[0]);
    pool_free(pool[1]);
    free(x);
}

static void a_part_has_all_that_the_whole_has(void **state)
{
    (void)state;
    const struct sample s = { .n_queries = 9,
                              .max_docs = 6,
                              .dim = 4,
                              .n_grades = 3,
                              .unjudged = 0.2,
                              .has_doc_ids = true,
                              .has_doc_weights = true,
                              .has_query_weights = true,
                              .has_feature_names = true };
    struct peck_dataset *const d = sample_dataset(&s, 1), *t;
    const uint32_t query[] = { 7, 0, 3, 3 };
    size_t row = 0;

    d->keeps_missing = d->is_sparse = true;
    d->reader = "a reader";
    for (int is_checked = 1; is_checked >= 0; is_checked--) {
        d->is_checked = is_checked;
        assert_ok(dataset_take(&t, d, query, 1, &err), err);
        assert_int_equal(t->is_checked, is_checked);
        peck_dataset_free(t);
    }
    assert_ok(dataset_take(&t, d, query, N_OF(query), &err), err);
    assert_true(t->keeps_missing && t->is_sparse);
    assert_string_equal(t->reader, "a reader");
    assert_int_equal(t->n_queries, N_OF(query));
    for (size_t k = 0; k < N_OF(query); k++) {
        peck_query from, to;

        peck_dataset_query(d, query[k], &from);
        peck_dataset_query(t, k, &to);
        assert_true(span_equal(from.id, to.id));
        assert_true(from.n_docs == to.n_docs && to.first == row &&
                    from.weight == to.weight);
        assert_memory_equal(from.x, to.x, from.n_docs * 4 * sizeof(float));
        assert_memory_equal(from.label, to.label, from.n_docs * sizeof(float));
        assert_memory_equal(from.doc_weight, to.doc_weight, from.n_docs * sizeof(float));
        for (size_t i = 0; i < from.n_docs; i++, row++)
            assert_true(span_equal(peck_dataset_doc_id(d, from.first + i),
                                   peck_dataset_doc_id(t, row)));
    }
    assert_int_equal(t->n_docs, row);
    assert_span(peck_dataset_feature_name(t, 3), "feature-3");
    size_t n_judged = 0;

    for (size_t i = 0; i < t->n_docs; i++)
        n_judged += t->label[i] >= 0;
    assert_int_equal(t->n_judged, n_judged);
    peck_dataset_free(d); /* the part stands alone */
    assert_span(strings_get(&t->query_id, 1), "query-0");
    peck_dataset_free(t);
}

/* What joins a dataset to be learnt from without its labels brings features and names. */
/* What a copy has, a part of a part included, but the features where they lie. */
static void a_part_in_place_is_what_a_copy_is(void **state)
{
    (void)state;
    const struct sample s = { .n_queries = 9,
                              .max_docs = 6,
                              .dim = 3, /* no whole number of a hash's rounds */
                              .n_grades = 3,
                              .unjudged = 0.2,
                              .has_doc_ids = true,
                              .has_doc_weights = true,
                              .has_query_weights = true,
                              .has_feature_names = true };
    struct peck_dataset *const d = sample_dataset(&s, 1), *copy, *part, *again;
    const uint32_t query[] = { 7, 0, 3, 4 }, some[] = { 3, 1 }, both[] = { 4, 0 };
    const uint32_t *const asked[] = { query, both };
    const size_t n_asked[] = { N_OF(query), N_OF(both) };
    struct pool *pool;

    assert_ok(pool_new(&pool, 2, &err), err);
    d->is_checked = false;
    assert_ok(dataset_part(&part, d, query, N_OF(query), &err), err);
    assert_ok(dataset_part(&again, part, some, N_OF(some), &err), err);
    for (int k = 0; k < 2; k++) {
        const struct peck_dataset *const p = k == 0 ? part : again;

        assert_ok(dataset_take(&copy, d, asked[k], n_asked[k], &err), err);
        assert_ptr_equal(dataset_rows(p, 0).x, dataset_rows(d, asked[k][0]).x);
        assert_true(fingerprint_of(p) == fingerprint_of(copy));
        assert_true(labels_fingerprint(p) == labels_fingerprint(copy));
        assert_true(p->n_judged == copy->n_judged && p->max_label == copy->max_label);
        for (size_t q = 0; q < n_asked[k]; q++) {
            const struct rows a = dataset_rows(p, q), b = dataset_rows(copy, q);

            assert_true(a.n == b.n && a.dim == b.dim);
            assert_memory_equal(a.x, b.x, a.n * a.dim * sizeof(float));
            assert_true(span_equal(dataset_query_id(p, q), dataset_query_id(copy, q)));
        }
        for (size_t i = 0; i < p->n_docs; i++)
            assert_true(
                span_equal(peck_dataset_doc_id(p, i), peck_dataset_doc_id(copy, i)));
        peck_dataset_free(copy);
    }
    /* Only its own features are looked at; the message counts as the whole does. */
    assert_ok(dataset_check_features(part, false, pool, &err), err);
    d->x_owned[d->start[1] * d->dim] = NAN;
    assert_ok(dataset_check_features(part, false, pool, &err), err);
    d->x_owned[(d->start[5] - 1) * d->dim + 2] = NAN;
    assert_int_equal(dataset_check_features(part, false, pool, &err), PECK_FORMAT);
    assert_failed(err, PECK_FORMAT, "feature 3 of document");
    peck_dataset_free(again);
    peck_dataset_free(part);
    peck_dataset_free(d);
    pool_free(pool);
}

static void what_is_joined_is_not_judged(void **state)
{
    (void)state;
    const struct sample s = { .n_queries = 4,
                              .max_docs = 5,
                              .dim = 3,
                              .n_grades = 3,
                              .has_doc_ids = true,
                              .has_doc_weights = true,
                              .has_query_weights = true };
    struct peck_dataset *const d = sample_dataset(&s, 4), *const more =
                                                              sample_dataset(&s, 5);
    struct peck_dataset *t;

    more->label[0] = 7.0f;        /* more than any of d */
    for (int k = 0; k < 4; k++) { /* who looks through both need look no more */
        d->is_checked = k & 1;
        more->is_checked = k & 2;
        assert_ok(dataset_join(&t, d, more, &err), err);
        assert_int_equal(t->is_checked, k == 3);
        peck_dataset_free(t);
    }
    assert_ok(dataset_join(&t, d, more, &err), err);
    assert_int_equal(t->n_queries, d->n_queries + more->n_queries);
    assert_int_equal(t->n_docs, d->n_docs + more->n_docs);
    assert_int_equal(t->n_judged, d->n_judged);
    assert_true(t->max_label == d->max_label && d->max_label > 0.0f);
    assert_memory_equal(t->label, d->label, d->n_docs * sizeof *d->label);
    assert_memory_equal(t->query_weight, d->query_weight,
                        d->n_queries * sizeof *d->query_weight);
    for (size_t q = 0; q < more->n_queries; q++) {
        peck_query from, to;

        peck_dataset_query(more, q, &from);
        peck_dataset_query(t, d->n_queries + q, &to);
        assert_true(span_equal(from.id, to.id) && from.n_docs == to.n_docs);
        assert_true(to.weight == 1.0f);
        assert_memory_equal(from.x, to.x, from.n_docs * 3 * sizeof(float));
        for (size_t i = 0; i < to.n_docs; i++) {
            assert_true(to.label[i] == PECK_UNJUDGED && to.doc_weight[i] == 1.0f);
            assert_int_equal(peck_dataset_doc_id(t, to.first + i).n, 0);
        }
    }
    peck_dataset_free(t);
    peck_dataset_free(more);
    peck_dataset_free(d);
}

static void all_queries_in_order_are_the_same_dataset(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        const struct sample s = {
            .n_queries = 12, .max_docs = 5, .dim = k == 0 ? 3 : 0, .n_grades = 5
        };
        struct peck_dataset *const d = sample_dataset(&s, 2), *t;
        uint32_t query[12];

        for (uint32_t q = 0; q < 12; q++)
            query[q] = q;
        assert_ok(dataset_take(&t, d, query, 12, &err), err);
        assert_same_dataset(d, t);
        assert_null(t->file_row);
        peck_dataset_free(d);
        peck_dataset_free(t);
    }
}

static void a_view_has_labels_of_its_own(void **state)
{
    (void)state;
    const struct sample s = { .n_queries = 5,
                              .max_docs = 6,
                              .dim = 3,
                              .n_grades = 4,
                              .has_doc_ids = true,
                              .has_query_weights = true,
                              .has_feature_names = true };
    struct peck_dataset *const d = sample_dataset(&s, 3), *v, *again;
    float label[30], before[30];

    assert_true(d->n_docs <= N_OF(label));
    memcpy(before, d->label, d->n_docs * sizeof *before);
    for (size_t i = 0; i < d->n_docs; i++)
        label[i] = i == 1 ? PECK_UNJUDGED : (float)(i % 7);
    assert_ok(dataset_with_labels(&v, d, label, &err), err);
    assert_ok(dataset_with_labels(&again, v, before, &err), err);
    assert_memory_equal(v->label, label, d->n_docs * sizeof *label);
    memset(label, 0, sizeof label); /* they are copied */
    assert_true(v->label[2] == 2.0f && dataset_labels(v, 1)[0] == v->label[v->start[1]]);
    assert_int_equal(v->n_judged, d->n_docs - 1);
    assert_true(v->max_label == 6.0f);
    assert_memory_equal(d->label, before, d->n_docs * sizeof *before);
    assert_true(v->x == d->x && dataset_row(v, 2) == d->x + 2 * d->dim);
    assert_int_equal(dataset_query_size(v, 1), d->start[2] - d->start[1]);
    assert_span(peck_dataset_feature_name(v, 2), "feature-2");
    assert_same_dataset(d, again);
    peck_dataset_free(again);
    peck_dataset_free(v); /* its labels alone */
    assert_memory_equal(d->label, before, d->n_docs * sizeof *before);
    assert_span(strings_get(&d->query_id, 4), "query-4");
    peck_dataset_free(d);
}

static void rows_of_a_query_are_a_view(void **state)
{
    (void)state;
    const uint32_t sizes[] = { 1, 2, 1 };
    peck_dataset *d;

    assert_ok(peck_dataset_wrap(&d, table, 4, 2, NULL, sizes, 3, &err), err);
    const struct rows r = dataset_rows(d, 1);

    assert_ptr_equal(r.x, table + 2);
    assert_true(r.n == 2 && r.dim == 2 && r.stride == 2);
    assert_int_equal(dataset_longest_query(d), 2);
    assert_true(dataset_query_size(d, 0) == 1 && dataset_query_size(d, 1) == 2);
    assert_true(dataset_query_weight(d, 1) == 1.0f);
    assert_span(dataset_query_id(d, 2), "3");
    assert_ptr_equal(dataset_row(d, 3), table + 6);
    peck_dataset_free(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_program_s_arrays_are_wrapped),
        cmocka_unit_test(without_labels_nobody_is_judged),
        cmocka_unit_test(arrays_that_do_not_fit_are_refused),
        cmocka_unit_test(labels_that_make_no_sense_are_refused),
        cmocka_unit_test(infinite_features_are_found_wherever_they_are),
        cmocka_unit_test(a_part_has_all_that_the_whole_has),
        cmocka_unit_test(a_part_in_place_is_what_a_copy_is),
        cmocka_unit_test(what_is_joined_is_not_judged),
        cmocka_unit_test(all_queries_in_order_are_the_same_dataset),
        cmocka_unit_test(a_view_has_labels_of_its_own),
        cmocka_unit_test(rows_of_a_query_are_a_view),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
