/* test_pair_table.c -- answers put together by pair, and parts that answers connect. */
#include "decode/pairs.h"

#include "data/prefs.h"
#include "support/check.h"

static peck_error err;

static struct pair_table gathered(struct arena *arena, const struct answers *a,
                                  const uint32_t *number, uint32_t n)
{
    struct pair_table t;

    assert_ok(pairs_gather(&t, arena, a, number, n, &err), err);
    return t;
}

static void assert_versus(const struct pair_table *t, size_t k, uint32_t other, float lead,
                          float weight)
{
    assert_int_equal(t->versus[k].other, other);
    assert_true(t->versus[k].lead == lead && t->versus[k].weight == weight);
}

static const peck_pref said[] = {
    { 0, 3, 1, 1.0f, 2.0f },  { 0, 1, 3, 0.75f, 4.0f }, { 0, 0, 1, 0.5f, 1.0f },
    { 0, 2, 0, 0.25f, 1.0f }, { 0, 1, 0, 0.5f, 3.0f },  { 0, 4, 2, 1.0f, 0.0f },
};

/* 3 before 1 by 2, 1 before 3 by 4 of which a quarter is against it: 0 in all. */
static void answers_of_a_pair_are_one(void **state)
{
    struct arena arena = { 0 };
    struct answers a = { .pref = said, .n = N_OF(said) };
    struct pair_table t = gathered(&arena, &a, NULL, 5);

    (void)state;
    assert_int_equal(t.n, 5);
    assert_int_equal(t.n_pairs, 3); /* what weighs nothing is none */
    assert_true(t.pair[0].i == 0 && t.pair[0].j == 1);
    assert_true(t.pair[0].lead == 0.0 && t.pair[0].weight == 4.0);
    assert_true(t.pair[1].i == 0 && t.pair[1].j == 2);
    assert_true(t.pair[1].lead == 0.5 && t.pair[1].weight == 1.0);
    assert_true(t.pair[2].i == 1 && t.pair[2].j == 3);
    assert_true(t.pair[2].lead == 0.0 && t.pair[2].weight == 6.0);
    assert_true(t.weight == 11.0 && t.ties == 4.0);
    /* Counted by pair, a half of three votes is no tie. */
    a.is_counted = true;
    t = gathered(&arena, &a, NULL, 5);
    assert_true(t.weight == 11.0 && t.ties == 1.0);
    arena_free(&arena);
}

static void every_item_has_a_row(void **state)
{
    static const size_t start[] = { 0, 2, 4, 5, 6, 6 };
    struct arena arena = { 0 };
    const struct answers a = { .pref = said, .n = N_OF(said) };
    const struct pair_table t = gathered(&arena, &a, NULL, 5);

    (void)state;
    assert_memory_equal(t.start, start, sizeof start);
    assert_versus(&t, 0, 1, 0.0f, 4.0f);
    assert_versus(&t, 1, 2, 0.5f, 1.0f);
    assert_versus(&t, 2, 0, 0.0f, 4.0f);
    assert_versus(&t, 3, 3, 0.0f, 6.0f);
    assert_versus(&t, 4, 0, -0.5f, 1.0f);
    assert_versus(&t, 5, 1, 0.0f, 6.0f);
    arena_free(&arena);
}

/* Numbers of their own: who wins is the same, the order of the rows is not. */
static void items_may_have_other_numbers(void **state)
{
    static const peck_pref two[] = { { 0, 7, 9, 1.0f, 3.0f }, { 0, 9, 8, 1.0f, 1.0f } };
    uint32_t number[10] = { [7] = 2, [8] = 0, [9] = 1 };
    struct arena arena = { 0 };
    const struct answers a = { .pref = two, .n = 2 };
    const struct pair_table t = gathered(&arena, &a, number, 3);

    (void)state;
    assert_int_equal(t.n_pairs, 2);
    assert_true(t.pair[0].i == 0 && t.pair[0].j == 1 && t.pair[0].lead == -1.0);
    assert_true(t.pair[1].i == 1 && t.pair[1].j == 2 && t.pair[1].lead == -3.0);
    arena_free(&arena);
}

/* Of a list of preferences, those of the other lists are left out. */
static void a_list_is_by_itself(void **state)
{
    struct peck_prefs *const p = prefs_new();
    struct arena arena = { 0 };

    (void)state;
    assert_true(prefs_add(p, (peck_pref){ 0, 0, 1, 1.0f, 1.0f }));
    assert_true(prefs_add(p, (peck_pref){ 1, 1, 0, 1.0f, 5.0f }));
    for (size_t list = 0; list < 3; list++) {
        const struct answers a = { .prefs = p, .list = list, .n = 2 };
        const struct pair_table t = gathered(&arena, &a, NULL, 2);

        assert_int_equal(t.n_pairs, list < 2);
        assert_true(t.weight == (list == 0 ? 1.0 : list == 1 ? 5.0 : 0.0));
        assert_true(list == 2 || t.pair[0].lead == (list == 0 ? 1.0 : -5.0));
    }
    arena_free(&arena);
    peck_prefs_free(p);
}

/* A chain of three, two pairs, one whom nobody named: by falling size, equal ones by who comes
 * first. */
static void parts_are_by_falling_size(void **state)
{
    static const peck_pref chain[] = {
        { 0, 1, 5, 1, 1 }, { 0, 6, 3, 1, 1 }, { 0, 2, 7, 1, 1 }, { 0, 7, 4, 1, 1 }
    };
    static const uint32_t part[] = { 3, 1, 0, 2, 0, 1, 2, 0 };
    static const size_t size[] = { 3, 2, 2, 1 };
    struct arena arena = { 0 };
    const struct answers a = { .pref = chain, .n = N_OF(chain) };
    struct pair_table t = gathered(&arena, &a, NULL, 8);

    (void)state;
    assert_ok(pairs_find_parts(&t, &arena, &err), err);
    assert_int_equal(t.n_parts, 4);
    assert_memory_equal(t.part, part, sizeof part);
    assert_memory_equal(t.size, size, sizeof size);
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_of_a_pair_are_one),
        cmocka_unit_test(every_item_has_a_row),
        cmocka_unit_test(items_may_have_other_numbers),
        cmocka_unit_test(a_list_is_by_itself),
        cmocka_unit_test(parts_are_by_falling_size),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
