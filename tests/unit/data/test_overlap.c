/* test_overlap.c -- which queries of one data set are in another: by their rows, whatever
 * the ids, the order and the labels.                                                  */
#include "data/dataset.h"
#include "support/check.h"
#include "support/tasks.h"

static const struct task_sample sample = { .n_queries = 20, .max_docs = 8, .dim = 5 };

static peck_overlap overlap(const struct peck_dataset *d, const struct peck_dataset *other)
{
    peck_overlap both = { 99, 99 };
    peck_error err = { 0 };

    assert_ok(peck_dataset_overlap(&both, d, other, &err), err);
    return both;
}

static float *row_of(struct peck_dataset *d, size_t row)
{
    return d->x_owned + row * d->dim;
}

static void copy_row(struct peck_dataset *to, size_t i, struct peck_dataset *from, size_t j)
{
    memcpy(row_of(to, i), row_of(from, j), to->dim * sizeof(float));
}

static size_t length(const struct peck_dataset *d, size_t q)
{
    return (size_t)(d->start[q + 1] - d->start[q]);
}

/* Other samples number their queries alike, and share nothing. */
static void equal_ids_prove_nothing(void **state)
{
    struct peck_dataset *const a = task_dataset(&sample, 1), *const b =
                                                                 task_dataset(&sample, 2);

    (void)state;
    assert_span(strings_get(&a->query_id, 3), "4");
    assert_span(strings_get(&b->query_id, 3), "4");
    assert_int_equal(overlap(a, b).n_queries, 0);
    assert_int_equal(overlap(a, b).n_docs, 0);
    assert_int_equal(overlap(a, a).n_queries, sample.n_queries);
    assert_int_equal(overlap(a, a).n_docs, a->n_docs);
    peck_dataset_free(a);
    peck_dataset_free(b);
}

/* Query 5 of b holds the rows of query 2 of a, back to front, with other labels. */
static void order_labels_and_places_do_not_matter(void **state)
{
    struct peck_dataset *const a = task_dataset(&sample, 1), *const b =
                                                                 task_dataset(&sample, 2);
    const size_t n = length(b, 5) < length(a, 2) ? length(b, 5) : length(a, 2);

    (void)state;
    for (size_t i = 0; i < n; i++) {
        copy_row(b, b->start[6] - 1 - i, a, a->start[2] + i);
        b->label[b->start[6] - 1 - i] = 4.0f;
    }
    if (2 * n < length(b, 5))
        skip();
    assert_int_equal(overlap(b, a).n_queries, 1);
    assert_int_equal(overlap(b, a).n_docs, n);
    peck_dataset_free(a);
    peck_dataset_free(b);
}

/* The first row of query 5 is new, the others are those of query 2 of a. */
static void a_new_row_ahead_hides_nothing(void **state)
{
    struct peck_dataset *const a = task_dataset(&sample, 1), *const b =
                                                                 task_dataset(&sample, 2);
    const size_t n = length(b, 5) <= length(a, 2) ? length(b, 5) - 1 : length(a, 2);

    (void)state;
    assert_true(2 * n > length(b, 5));
    for (size_t i = 0; i < n; i++)
        copy_row(b, b->start[5] + 1 + i, a, a->start[2] + i);
    assert_int_equal(overlap(b, a).n_queries, 1);
    assert_int_equal(overlap(b, a).n_docs, n);
    peck_dataset_free(a);
    peck_dataset_free(b);
}

/* One row, or rows that are all the same, may be chance; so may a few of many. */
static void chance_is_no_overlap(void **state)
{
    struct peck_dataset *const a = task_dataset(&sample, 1), *const b =
                                                                 task_dataset(&sample, 2);

    (void)state;
    copy_row(b, b->start[1], a, a->start[7]);
    for (size_t i = b->start[3]; i < b->start[4]; i++)
        copy_row(b, i, a, a->start[8]);
    assert_int_equal(overlap(b, a).n_queries, 0);
    for (size_t q = 0; q < a->n_queries; q++) { /* rows of zeros are everywhere */
        memset(row_of(a, a->start[q]), 0, a->dim * sizeof(float));
        memset(row_of(b, b->start[q]), 0, b->dim * sizeof(float));
        memset(row_of(b, b->start[q] + 1), 0, b->dim * sizeof(float));
        memset(row_of(b, b->start[q] + 2), 0, b->dim * sizeof(float));
    }
    assert_int_equal(overlap(b, a).n_queries, 0);
    peck_dataset_free(a);
    peck_dataset_free(b);
}

/* Training data that holds each query twice is no way around it. */
static void a_query_that_is_there_twice_is_found(void **state)
{
    struct peck_dataset *const a = task_dataset(&sample, 1);
    struct peck_dataset *twice = NULL;
    peck_error err = { 0 };

    (void)state;
    assert_ok(dataset_join(&twice, a, a, &err), err);
    assert_int_equal(overlap(a, twice).n_queries, a->n_queries);
    peck_dataset_free(twice);
    peck_dataset_free(a);
}

/* Rows of the other set: queries 1 2 3 6 | 1 4 5 7, features of one number. */
static size_t found_in_two(const float *x, uint32_t n)
{
    static const float in[] = { 1, 2, 3, 6, 1, 4, 5, 7 };
    static const uint32_t sizes[] = { 4, 4 };
    peck_dataset *d = NULL, *other = NULL;
    peck_error err = { 0 };

    assert_ok(peck_dataset_wrap(&other, in, 8, 1, NULL, sizes, 2, &err), err);
    assert_ok(peck_dataset_wrap(&d, x, n, 1, NULL, &n, 1, &err), err);
    const peck_overlap both = overlap(d, other);

    assert_int_equal(both.n_queries, both.n_docs > 0);
    peck_dataset_free(d);
    peck_dataset_free(other);
    return both.n_docs;
}

static void a_query_is_found_by_rows_of_one_other_query(void **state)
{
    (void)state;
    assert_int_equal(found_in_two((const float[]){ 2, 3 }, 2), 2);
    assert_int_equal(found_in_two((const float[]){ 2, 4 }, 2), 0); /* of one each */
    assert_int_equal(found_in_two((const float[]){ 2, 3, 4 }, 3), 2);
    assert_int_equal(found_in_two((const float[]){ 8, 9, 2, 3 }, 4), 2);
    assert_int_equal(found_in_two((const float[]){ 7, 8, 9, 2, 3 }, 5), 0);
    assert_int_equal(found_in_two((const float[]){ 1, 2, 3 }, 3), 2); /* 1 is of both */
    assert_int_equal(found_in_two((const float[]){ 1, 1, 1, 2, 3 }, 5), 2);
    assert_int_equal(found_in_two((const float[]){ 1, 1, 2 }, 3), 0);
    for (unsigned from = 0; from < 32; from++) { /* row i is of the second query by bit i */
        static const float of[2][5] = { { 2, 3, 6, 2, 3 }, { 4, 5, 7, 4, 5 } };
        float x[5];
        size_t n_second = 0;

        for (unsigned i = 0; i < 5; i++) {
            x[i] = of[from >> i & 1][i];
            n_second += from >> i & 1;
        }
        assert_int_equal(found_in_two(x, 5), n_second > 2 ? n_second : 5 - n_second);
    }
}

static void other_features_are_other_data(void **state)
{
    const struct task_sample wide = { .n_queries = 20, .max_docs = 8, .dim = 6 };
    struct peck_dataset *const a = task_dataset(&sample, 1), *const b =
                                                                 task_dataset(&wide, 1);

    (void)state;
    assert_int_equal(overlap(a, b).n_queries, 0);
    peck_dataset_free(a);
    peck_dataset_free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_ids_prove_nothing),
        cmocka_unit_test(order_labels_and_places_do_not_matter),
        cmocka_unit_test(a_new_row_ahead_hides_nothing),
        cmocka_unit_test(a_query_is_found_by_rows_of_one_other_query),
        cmocka_unit_test(chance_is_no_overlap),
        cmocka_unit_test(a_query_that_is_there_twice_is_found),
        cmocka_unit_test(other_features_are_other_data),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
