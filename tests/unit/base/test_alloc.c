/* test_alloc.c -- memory: counts that do not fit are refused, what is held is kept. */
#include "support/check.h"

#include "base/alloc.h"

static void products_that_do_not_fit_are_told(void **state)
{
    (void)state;
    size_t product = 0;

    assert_false(mul_overflow(SIZE_MAX, 1, &product));
    assert_true(product == SIZE_MAX);
    assert_false(mul_overflow(0, SIZE_MAX, &product));
    assert_int_equal(product, 0);
    assert_true(mul_overflow(SIZE_MAX / 2 + 1, 2, &product));
}

static void new_memory_is_zero(void **state)
{
    (void)state;
    unsigned char *const p = mem_new(1000, 3);

    assert_non_null(p);
    for (size_t i = 0; i < 3000; i++)
        assert_int_equal(p[i], 0);
    mem_free(p);
}

static void nothing_can_be_had_and_freed(void **state)
{
    (void)state;
    void *p = mem_new(0, 8);

    assert_non_null(p);
    p = mem_resize(p, 0, 8);
    assert_non_null(p);
    mem_free(p);
    mem_free(NULL);
}

/* Asked through a volatile, or the compiler objects to the sizes itself. */
static void sizes_over_the_limit_are_refused(void **state)
{
    (void)state;
    volatile size_t most = SIZE_MAX;
    char *p = mem_new(4, 1);
    size_t cap = 4;

    memcpy(p, "keep", 4);
    assert_null(mem_new(most, 2));
    assert_null(mem_resize(p, most / 2, 4));
    assert_false(mem_reserve(&p, &cap, most, 8));
    assert_int_equal(cap, 4);
    assert_memory_equal(p, "keep", 4);
    mem_free(p);
}

static void reserving_keeps_what_is_there_and_doubles(void **state)
{
    (void)state;
    uint32_t *a = NULL;
    size_t cap = 0, n_grown = 0;

    for (uint32_t i = 0; i < 100000; i++) {
        const size_t before = cap;

        assert_true(mem_reserve(&a, &cap, i + 1, sizeof *a));
        assert_true(cap >= i + 1 && (cap == before || cap >= 2 * before));
        n_grown += cap != before;
        a[i] = i;
    }
    assert_true(n_grown < 20);
    for (uint32_t i = 0; i < 100000; i++)
        assert_int_equal(a[i], i);
    assert_true(mem_reserve(&a, &cap, 5, sizeof *a)); /* less: nothing happens */
    mem_free(a);
}

static void this_machine_has_some_memory(void **state)
{
    (void)state;
    assert_true(mem_physical() > 64u << 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_that_do_not_fit_are_told),
        cmocka_unit_test(new_memory_is_zero),
        cmocka_unit_test(nothing_can_be_had_and_freed),
        cmocka_unit_test(sizes_over_the_limit_are_refused),
        cmocka_unit_test(reserving_keeps_what_is_there_and_doubles),
        cmocka_unit_test(this_machine_has_some_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
