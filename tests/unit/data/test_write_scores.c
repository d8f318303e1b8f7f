/* test_write_scores.c -- scores to a file in the data's own order, and back. */
#include "support/check.h"
#include "support/scratch.h"

#include "base/rng.h"

#include <math.h>

static peck_dataset *read_text(const char *name, const char *text)
{
    peck_dataset *d = NULL;
    peck_error err;

    assert_ok(peck_dataset_read(&d, scratch_file(name, text), NULL, &err), err);
    return d;
}

static const char scattered[] =
    "1 qid:a 1:1\n0 qid:b 1:2\n2 qid:c 1:3\n0 qid:a 1:4\n1 qid:b 1:9\n";

static void scores_are_written_in_the_order_of_the_file(void **state)
{
    const double score[] = { 1, 4, 2, 5, 3 }; /* a a b b c: rows 1 4 2 5 3 of the file */
    peck_dataset *const d = read_text("scattered.txt", scattered);
    const char *const path = scratch_path("order.scores");
    peck_error err;
    size_t n;

    (void)state;
    assert_ok(peck_scores_write(score, path, d, &err), err);
    char *const text = file_bytes(path, &n);

    assert_string_equal(text, "1\n2\n3\n4\n5\n");
    free(text);
    peck_dataset_free(d);
}

static void floats_read_back_as_floats_and_doubles_as_doubles(void **state)
{
    static const double odd[] = { 0.1f, 0.1, -0.0, 1e-45f, 5e-324 };
    peck_dataset *const d = read_text("scattered.txt", scattered);
    const char *const path = scratch_path("bits.scores");
    double score[5], back[5];
    struct rng rng;
    peck_error err;

    (void)state;
    rng_seed(&rng, 1, 1);
    for (int round = 0; round < 200; round++) {
        for (int i = 0; i < 5; i++) {
            const double draw = ldexp(rng_normal(&rng), (int)rng_below(&rng, 60) - 30);

            score[i] = round == 0 ? odd[i] : round % 2 == 0 ? draw : (double)(float)draw;
        }
        assert_ok(peck_scores_write(score, path, d, &err), err);
        assert_ok(peck_scores_read(back, path, d, &err), err);
        for (int i = 0; i < 5; i++)
            assert_true(
                same_float((float)score[i], (float)back[i]) &&
                ((double)(float)score[i] == score[i] || same_double(score[i], back[i])));
    }
    peck_dataset_free(d);
}

/* They could not be read back. */
static void scores_that_are_no_numbers_are_not_written(void **state)
{
    const double bad[] = { NAN, INFINITY, -INFINITY };
    peck_dataset *const d = read_text("scattered.txt", scattered);
    const char *const path = scratch_path("never.scores");
    peck_error err;

    (void)state;
    for (int i = 0; i < 3; i++) {
        const double score[5] = { 1, 2, bad[i], 4, 5 };

        assert_int_equal(peck_scores_write(score, path, d, &err), PECK_ARG);
        assert_failed(err, PECK_ARG, "document 3");
        assert_int_equal(scratch_count("never"), 0);
    }
    peck_dataset_free(d);
}

static void a_folder_that_is_not_there_is_an_error(void **state)
{
    const double score[5] = { 0 };
    peck_dataset *const d = read_text("scattered.txt", scattered);
    peck_error err;

    (void)state;
    assert_int_equal(peck_scores_write(score, scratch_path("no/such.scores"), d, &err),
                     PECK_IO);
    assert_failed(err, PECK_IO, "such.scores");
    peck_dataset_free(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scores_are_written_in_the_order_of_the_file),
        cmocka_unit_test(floats_read_back_as_floats_and_doubles_as_doubles),
        cmocka_unit_test(scores_that_are_no_numbers_are_not_written),
        cmocka_unit_test(a_folder_that_is_not_there_is_an_error),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
