/* test_arena.c -- blocks together: zeroed, apart, freed at once; a failure stays until then. */
#include "support/check.h"

#include "base/alloc.h"

static void blocks_are_zero_aligned_and_apart(void **state)
{
    (void)state;
    struct arena a = { 0 };
    peck_error err = { 0 };
    unsigned char *block[50];

    for (size_t i = 0; i < 50; i++) {
        block[i] = arena_new(&a, "blocks", i, 3); /* the first is empty */
        assert_non_null(block[i]);
        assert_int_equal((uintptr_t)block[i] % _Alignof(max_align_t), 0);
        for (size_t k = 0; k < 3 * i; k++)
            assert_int_equal(block[i][k], 0);
        memset(block[i], (int)i, 3 * i);
    }
    for (size_t i = 0; i < 50; i++)
        for (size_t k = 0; k < 3 * i; k++)
            assert_int_equal(block[i][k], i);
    assert_ok(arena_check(&a, &err), err);
    arena_free(&a);
    arena_free(&a); /* an empty one may be freed */
}

/* The first that is missing is told, by name, and nothing is given after it. */
static void a_failure_stays_until_it_is_freed(void **state)
{
    (void)state;
    volatile size_t most = SIZE_MAX;
    struct arena a = { 0 };
    peck_error err = { 0 };

    assert_non_null(arena_new(&a, "scores", 4, 4));
    assert_null(arena_new(&a, "orders", most / 2, 4));
    assert_null(arena_new(&a, "labels", 1, 1));
    assert_int_equal(arena_check(&a, &err), PECK_NOMEM);
    assert_non_null(strstr(err.text, "orders"));
    assert_null(strstr(err.text, "labels"));
    arena_free(&a);
    assert_ok(arena_check(&a, &err), err);
    assert_non_null(arena_new(&a, "labels", 1, 1));
    arena_free(&a);
}

static void sizes_over_the_limit_are_refused(void **state)
{
    (void)state;
    volatile size_t most = SIZE_MAX;
    peck_error err = { 0 };
    const size_t over[][2] = {
        { most, 1 }, { most - 4, 1 }, { most, most }, { most / 2 + 1, 2 }
    };

    for (size_t i = 0; i < sizeof over / sizeof *over; i++) {
        struct arena a = { 0 };

        assert_null(arena_new(&a, "much", over[i][0], over[i][1]));
        assert_int_equal(arena_check(&a, &err), PECK_NOMEM);
        arena_free(&a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_zero_aligned_and_apart),
        cmocka_unit_test(a_failure_stays_until_it_is_freed),
        cmocka_unit_test(sizes_over_the_limit_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
