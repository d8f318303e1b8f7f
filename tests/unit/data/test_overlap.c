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
        cmocka_unit_test(chance_is_no_overlap),
        cmocka_unit_test(a_query_that_is_there_twice_is_found),
        cmocka_unit_test(other_features_are_other_data),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
