/* Folds and hold-outs: every query once, seeded, whole. */
#include "data/dataset.h"
#include "support/scratch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static peck_error err;

enum { N_QUERIES = 23 };

/* Query q has q % 3 + 1 documents whose only feature is q. */
static peck_dataset *make_data(void)
{
    static float x[3 * N_QUERIES];
    uint32_t size[N_QUERIES];
    size_t n = 0;
    peck_dataset *d = NULL;

    for (uint32_t q = 0; q < N_QUERIES; q++) {
        size[q] = q % 3 + 1;
        for (uint32_t i = 0; i < size[q]; i++)
            x[n++] = (float)q;
    }
    assert_int_equal(peck_dataset_wrap(&d, x, n, 1, NULL, size, N_QUERIES, &err), PECK_OK);
    return d;
}

/* Adds 1 to seen[q] for every query of the part, checking that each is whole. */
static size_t count_queries(const peck_dataset *part, int *seen)
{
    double before = -1;

    for (size_t i = 0; i < part->n_queries; i++) {
        peck_query q;

        peck_dataset_query(part, i, &q);
        assert_int_equal(q.n_docs, (size_t)q.x[0] % 3 + 1);
        assert_true(q.x[0] > before);
        before = q.x[0];
        char id[16];

        snprintf(id, sizeof id, "%d", (int)q.x[0] + 1);
        assert_int_equal(q.id.n, strlen(id));
        assert_memory_equal(q.id.s, id, q.id.n);
        for (size_t k = 0; k < q.n_docs; k++)
            assert_true(q.x[k * q.stride] == q.x[0]);
        seen[(int)q.x[0]]++;
    }
    return part->n_queries;
}

static size_t count_part(const peck_dataset *d, size_t n_folds, size_t fold,
                         const char *part, uint64_t seed, int *seen)
{
    peck_dataset *p = NULL;

    assert_int_equal(peck_dataset_fold(&p, d, n_folds, fold, part, seed, &err), PECK_OK);
    const size_t n = count_queries(p, seen);

    peck_dataset_free(p);
    return n;
}

static void the_parts_of_a_fold_partition_the_queries(void **state)
{
    (void)state;
    peck_dataset *const d = make_data();

    for (size_t fold = 0; fold < 5; fold++) {
        int seen[N_QUERIES] = { 0 };
        const size_t n_test = count_part(d, 5, fold, "test", 17, seen);

        assert_true(n_test == 4 || n_test == 5);
        count_part(d, 5, fold, "valid", 17, seen);
        count_part(d, 5, fold, "train", 17, seen);
        for (int q = 0; q < N_QUERIES; q++)
            assert_int_equal(seen[q], 1);
    }
    peck_dataset_free(d);
}

static void test_parts_partition_and_the_next_fold_tests_what_this_one_validates(
    void **state)
{
    (void)state;
    peck_dataset *const d = make_data();
    int seen[N_QUERIES] = { 0 };

    for (size_t fold = 0; fold < 5; fold++) {
        int valid[N_QUERIES] = { 0 }, next[N_QUERIES] = { 0 };

        count_part(d, 5, fold, "test", 17, seen);
        count_part(d, 5, fold, "valid", 17, valid);
        count_part(d, 5, (fold + 1) % 5, "test", 17, next);
        assert_memory_equal(valid, next, sizeof valid);
    }
    for (int q = 0; q < N_QUERIES; q++)
        assert_int_equal(seen[q], 1);
    peck_dataset_free(d);
}

static void the_seed_decides_the_deal(void **state)
{
    (void)state;
    peck_dataset *const d = make_data();
    int a[N_QUERIES] = { 0 }, b[N_QUERIES] = { 0 }, c[N_QUERIES] = { 0 };

    count_part(d, 2, 0, "test", 1, a);
    count_part(d, 2, 0, "test", 1, b);
    count_part(d, 2, 0, "test", 2, c);
    assert_memory_equal(a, b, sizeof a);
    assert_memory_not_equal(a, c, sizeof a);
    count_part(d, 2, 0, "train", 1, a);
    for (int q = 0; q < N_QUERIES; q++)
        assert_int_equal(a[q], 1);
    peck_dataset_free(d);
}

static peck_status refuse_fold(const peck_dataset *d, size_t n_folds, size_t fold,
                               const char *part)
{
    peck_dataset *p = (peck_dataset *)&err;
    const peck_status st = peck_dataset_fold(&p, d, n_folds, fold, part, 1, &err);

    assert_null(p);
    return st;
}

static void folds_that_make_no_sense_are_refused(void **state)
{
    (void)state;
    peck_dataset *const d = make_data();

    assert_failure(refuse_fold(d, 1, 0, "test"), &err, PECK_ARG, "2 or more");
    assert_failure(refuse_fold(d, 0, 0, "test"), &err, PECK_ARG, "2 or more");
    assert_failure(refuse_fold(d, 5, 5, "test"), &err, PECK_ARG, "fold 5 of 5");
    assert_failure(refuse_fold(d, 2, 0, "valid"), &err, PECK_ARG, "no part 'valid'");
    assert_failure(refuse_fold(d, 5, 0, "vaild"), &err, PECK_ARG, "did you mean 'valid'?");
    assert_failure(refuse_fold(d, 24, 0, "test"), &err, PECK_SHAPE, "24 folds",
                   "23 queries");
    peck_dataset_free(d);
}

static void a_hold_out_takes_its_share(void **state)
{
    (void)state;
    static const struct {
        double share;
        size_t n_held;
    } cases[] = { { 0.2, 5 }, { 0.5, 12 }, { 1e-9, 1 }, { 0.999999, 22 } };
    peck_dataset *const d = make_data();

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        peck_dataset *kept = NULL, *held = NULL;
        int seen[N_QUERIES] = { 0 };

        assert_int_equal(peck_dataset_holdout(&kept, &held, d, cases[i].share, 3, &err),
                         PECK_OK);
        assert_int_equal(count_queries(held, seen), cases[i].n_held);
        count_queries(kept, seen);
        for (int q = 0; q < N_QUERIES; q++)
            assert_int_equal(seen[q], 1);
        peck_dataset_free(kept);
        peck_dataset_free(held);
    }
    peck_dataset_free(d);
}

static void hold_outs_that_make_no_sense_are_refused(void **state)
{
    (void)state;
    static const float x[1] = { 0 };
    static const double share[] = { 0, 1, -1, 2, 0.0 / 0.0 };
    const uint32_t size = 1;
    peck_dataset *d = make_data(), *kept, *held;

    for (size_t i = 0; i < sizeof share / sizeof *share; i++) {
        assert_failure(peck_dataset_holdout(&kept, &held, d, share[i], 3, &err), &err,
                       PECK_ARG, "between 0 and 1");
        assert_null(kept);
        assert_null(held);
    }
    peck_dataset_free(d);
    assert_int_equal(peck_dataset_wrap(&d, x, 1, 1, NULL, &size, 1, &err), PECK_OK);
    assert_failure(peck_dataset_holdout(&kept, &held, d, 0.5, 3, &err), &err, PECK_SHAPE,
                   "2 queries");
    peck_dataset_free(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_parts_of_a_fold_partition_the_queries),
        cmocka_unit_test(
            test_parts_partition_and_the_next_fold_tests_what_this_one_validates),
        cmocka_unit_test(the_seed_decides_the_deal),
        cmocka_unit_test(folds_that_make_no_sense_are_refused),
        cmocka_unit_test(a_hold_out_takes_its_share),
        cmocka_unit_test(hold_outs_that_make_no_sense_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
