/* test_builder.c -- rows in any order become a dataset grouped by query. */
#include "support/check.h"

#include "base/alloc.h"
#include "data/dataset.h"
#include "support/samples.h"

static peck_error err;

/* Adds a row: x = value, value + 0.5, ...; label = value. */
static void add(struct builder *b, const char *query, float query_weight, float value)
{
    assert_ok(builder_query(b, span_of(query), query_weight, b->n + 1, &err), err);
    assert_ok(builder_rows(b, b->n + 1, &err), err);
    for (size_t j = 0; j < b->dim; j++)
        b->x[(b->n - 1) * b->dim + j] = value + 0.5f * (float)j;
    b->label[b->n - 1] = value;
    if (b->has_weights)
        b->doc_weight[b->n - 1] = value + 1;
}

static struct peck_dataset *finish(struct builder *b)
{
    struct peck_dataset *d;

    assert_ok(builder_finish(&d, b, "made", "by hand", &err), err);
    assert_null(b->x);
    assert_int_equal(b->n, 0);
    return d;
}

static void grouped_rows_do_not_move(void **state)
{
    (void)state;
    struct builder b = { .dim = 2 };

    add(&b, "p", 1, 0);
    add(&b, "p", 1, 1);
    add(&b, "q", 1, 2);
    const float *const x = b.x;
    struct peck_dataset *const d = finish(&b);

    assert_ptr_equal(d->x, x);
    assert_null(d->file_row);
    assert_int_equal(d->n_queries, 2);
    assert_int_equal(d->start[0], 0);
    assert_int_equal(d->start[1], 2);
    assert_int_equal(d->start[2], 3);
    assert_string_equal(d->name, "made");
    assert_string_equal(d->reader, "by hand");
    assert_true(d->is_checked);
    assert_int_equal(d->n_judged, 3);
    assert_true(d->max_label == 2);
    peck_dataset_free(d);
}

static void everything_of_a_row_moves_together(void **state)
{
    (void)state;
    struct builder b = { .dim = 3, .has_weights = true };
    static const char *const query[] = { "b", "a", "b", "c", "c", "a", "b" };
    static const float right[] = { 0, 2, 6, 1, 5, 3, 4 };

    for (size_t i = 0; i < N_OF(query); i++) {
        char id[8];

        add(&b, query[i], 1, (float)i);
        snprintf(id, sizeof id, "d%zu", i);
        assert_true(strings_add(&b.doc_id, span_of(i == 3 ? "" : id)));
    }
    assert_true(strings_add(&b.feature_name, span_of("one")));
    assert_true(strings_add(&b.feature_name, span_of("two")));
    assert_true(strings_add(&b.feature_name, span_of("")));
    struct peck_dataset *const d = finish(&b);

    for (size_t i = 0; i < N_OF(right); i++) {
        char id[8];

        snprintf(id, sizeof id, "d%d", (int)right[i]);
        assert_true(d->label[i] == right[i]);
        assert_true(d->doc_weight[i] == right[i] + 1);
        assert_int_equal(d->file_row[i], (uint64_t)right[i]);
        assert_span(peck_dataset_doc_id(d, i), right[i] == 3 ? "" : id);
        for (size_t j = 0; j < 3; j++)
            assert_true(d->x[3 * i + j] == right[i] + 0.5f * (float)j);
    }
    assert_span(peck_dataset_feature_name(d, 1), "two");
    peck_dataset_free(d);
}

static void rows_without_features_are_gathered_too(void **state)
{
    (void)state;
    struct builder b = { .dim = 0 };

    add(&b, "a", 1, 1);
    add(&b, "b", 1, 2);
    add(&b, "a", 1, 3);
    struct peck_dataset *const d = finish(&b);

    assert_true(d->label[0] == 1 && d->label[1] == 3 && d->label[2] == 2);
    peck_dataset_free(d);
}

/* Random orders of rows against the plain definition. */
static void random_orders_are_gathered_stably(void **state)
{
    (void)state;
    struct rng r;

    rng_seed(&r, 3, 0);
    for (int k = 0; k < 200; k++) {
        struct builder b = { .dim = 1 + rng_below(&r, 5) };
        const size_t n = 1 + rng_below(&r, 60), n_queries = 1 + rng_below(&r, 8);
        char query[60][4];

        for (size_t i = 0; i < n; i++) {
            snprintf(query[i], sizeof query[i], "%u", (unsigned)rng_below(&r, n_queries));
            add(&b, query[i], 1, (float)i);
        }
        struct peck_dataset *const d = finish(&b);
        size_t covered = 0;

        for (size_t q = 0; q < d->n_queries; q++)
            for (size_t i = d->start[q]; i < d->start[q + 1]; i++, covered++) {
                const size_t from = d->file_row != NULL ? d->file_row[i] : i;

                assert_true(d->label[i] == (float)from && d->x[i * d->dim] == (float)from);
                assert_span(strings_get(&d->query_id, q), query[from]);
                assert_true(i == d->start[q] || d->label[i] > d->label[i - 1]);
            }
        assert_int_equal(covered, n);
        peck_dataset_free(d);
    }
}

static void new_rows_are_zero_and_old_ones_kept(void **state)
{
    (void)state;
    struct builder b = { .dim = 3, .has_weights = true };

    for (size_t n = 1; n < 3000; n += 1 + n / 3) {
        const size_t before = b.n;

        assert_ok(builder_rows(&b, n, &err), err);
        for (size_t i = 0; i < n; i++) {
            const float right = i < before ? (float)i : 0;

            assert_true(b.label[i] == right && b.doc_weight[i] == right);
            assert_true(b.x[3 * i] == right && b.x[3 * i + 2] == right);
            b.label[i] = b.doc_weight[i] = b.x[3 * i] = b.x[3 * i + 2] = (float)i;
        }
    }
    builder_free(&b);
    assert_null(b.x);
}

static void weights_of_a_query_must_agree(void **state)
{
    (void)state;
    struct builder b = { .dim = 1, .has_query_weights = true };
    struct peck_dataset *d;

    add(&b, "a", 2, 0);
    add(&b, "b", 3, 1);
    add(&b, "a", 2, 2);
    d = finish(&b);
    assert_true(d->query_weight[0] == 2 && d->query_weight[1] == 3);
    peck_dataset_free(d);
    for (int apart = 0; apart < 2; apart++) {
        b = (struct builder){ .dim = 1, .has_query_weights = true };
        add(&b, "a", 2, 0);
        if (apart)
            add(&b, "b", 3, 1);
        add(&b, "a", 5, 2);
        d = (struct peck_dataset *)(uintptr_t)1;
        assert_int_equal(builder_finish(&d, &b, "made", "by hand", &err), PECK_FORMAT);
        assert_failed(err, PECK_FORMAT,
                      apart ? "made:3: query a weighs 5 here and 2 before"
                            : "made:2: query a weighs 5 here and 2 before");
        assert_null(d);
        assert_null(b.x);
    }
}

static void no_rows_are_refused(void **state)
{
    (void)state;
    struct builder b = { .dim = 4 };
    struct peck_dataset *d;

    assert_int_equal(builder_finish(&d, &b, "made", "by hand", &err), PECK_FORMAT);
    assert_failed(err, PECK_FORMAT, "made: is empty");
    assert_null(d);
}

static void a_size_beyond_the_machine_is_refused(void **state)
{
    (void)state;
    const size_t most = mem_physical() / sizeof(float);

    assert_ok(builder_check_size("big", 10, 10, &err), err);
    assert_ok(builder_check_size("big", 0, 0, &err), err);
    assert_ok(builder_check_size("big", most / 2, 2, &err), err);
    assert_int_equal(builder_check_size("big", most, 2, &err), PECK_NOMEM);
    assert_failed(err, PECK_NOMEM, "take fewer features with --features");
    assert_int_equal(builder_check_size("big", SIZE_MAX / 2, 4, &err), PECK_NOMEM);
    assert_int_equal(builder_check_size("big", SIZE_MAX / 4, 2, &err), PECK_NOMEM);
}

static void memory_that_cannot_be_had_is_an_error(void **state)
{
    (void)state;
    struct builder b = { .dim = SIZE_MAX / 2 };

    assert_int_equal(builder_rows(&b, 1, &err), PECK_NOMEM);
    b.dim = 1 << 20;
    assert_int_equal(builder_rows(&b, (size_t)1 << 50, &err), PECK_NOMEM);
    assert_int_equal(b.n, 0);
    assert_int_equal(b.cap, 0);
    builder_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grouped_rows_do_not_move),
        cmocka_unit_test(everything_of_a_row_moves_together),
        cmocka_unit_test(rows_without_features_are_gathered_too),
        cmocka_unit_test(random_orders_are_gathered_stably),
        cmocka_unit_test(new_rows_are_zero_and_old_ones_kept),
        cmocka_unit_test(weights_of_a_query_must_agree),
        cmocka_unit_test(no_rows_are_refused),
        cmocka_unit_test(a_size_beyond_the_machine_is_refused),
        cmocka_unit_test(memory_that_cannot_be_had_is_an_error),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
