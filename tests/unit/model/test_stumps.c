/* test_stumps.c -- a sum of steps, each on the feature that it names. */
#include "support/check.h"
#include "support/models.h"

#include "model/stumps.h"

enum { DIM = 3, STRIDE = 4, ROWS = 4 };

static void a_step_looks_at_its_own_feature(void **state)
{
    /* clang-format off */
    const float x[ROWS][STRIDE] = { { 1, 0, 0, 9 }, { 0, 1, 0, 9 }, { 0, 0, 1, 9 }, { 1, 1, 1, 9 } };
    const float w[][STUMP_WEIGHTS] = { { 0, 0.5f, 1 }, { 1, 0.5f, 10 }, { 1, 0.5f, 0 }, { 2, 0.5f, 100 },
                                       { 2, 1.0f, 1000 }, /* above, not at, the threshold */
                                       { 0, 0.5f, 0 } };  /* not taken */
    /* clang-format on */
    const float wanted[ROWS] = { 1, 10, 100, 111 };
    const struct family *const f = family_named("stumps");
    peck_error err = { 0 };
    void *const shape = shape_open(f, (const char *const[]){ "rounds=6", NULL }, DIM, &err);
    float score[ROWS];

    (void)state;
    assert_non_null(shape);
    assert_int_equal(f->n_weights(shape), sizeof w / sizeof **w);
    f->scores->score(shape, w[0],
                     (struct rows){ .x = x[0], .n = ROWS, .dim = DIM, .stride = STRIDE },
                     score, NULL);
    for (size_t i = 0; i < ROWS; i++)
        assert_true(score[i] == wanted[i]);
    free(shape);
}

/* Of a damaged file: none is read that is not there. */
static void a_feature_that_is_not_there_is_the_nearest(void **state)
{
    const float x[DIM] = { 1, 10, 100 };
    const float number[] = { -5, 0, 1, 2, 3, 1e30f },
                wanted[] = { 1, 1, 10, 100, 100, 100 };
    const struct family *const f = family_named("stumps");
    peck_error err = { 0 };
    void *const shape = shape_open(f, (const char *const[]){ "rounds=1", NULL }, DIM, &err);

    (void)state;
    assert_non_null(shape);
    for (size_t k = 0; k < N_OF(number); k++) {
        float score[2];

        for (int above = 0; above < 2; above++) {
            const float w[STUMP_WEIGHTS] = { number[k], wanted[k] - (above ? 0.5f : 0.0f),
                                             2.0f };

            f->scores->score(shape, w,
                             (struct rows){ .x = x, .n = 1, .dim = DIM, .stride = DIM },
                             &score[above], NULL);
        }
        assert_true(score[0] == 0.0f && score[1] == 2.0f);
    }
    free(shape);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_step_looks_at_its_own_feature),
        cmocka_unit_test(a_feature_that_is_not_there_is_the_nearest),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
