#include "base/spec.h"
#include "support/check.h"

#include <string.h>

/* A struct as it was first, and as it is after two more versions. */
struct first {
    size_t size;
    int a, b;
};
struct later {
    size_t size;
    int a, b;
    double c;
    const char *d;
};

static peck_status take(struct later *own, const void *given, peck_error *err)
{
    memset(own, 0x5a, sizeof *own);
    return SPEC_TAKE(struct later, own, b, given, err);
}

static void nothing_is_every_default(void **state)
{
    static const struct later zero;
    struct later own;
    peck_error err;

    (void)state;
    assert_ok(take(&own, NULL, &err), err);
    assert_int_equal(own.size, sizeof own);
    own.size = 0;
    assert_memory_equal(&own, &zero, sizeof own);
}

/* The bytes behind the caller's struct are another's, whatever its size says. */
static void an_old_program_is_read_as_far_as_it_goes(void **state)
{
    struct {
        struct first own;
        char beyond[64];
    } old = { { 0, 3, 4 }, { 0 } };
    struct later got;
    peck_error err;

    (void)state;
    memset(old.beyond, 0x77, sizeof old.beyond);
    for (int i = 0; i < 2; i++) {
        old.own.size = i == 0 ? 0 : sizeof old.own;
        assert_ok(take(&got, &old, &err), err);
        assert_int_equal(got.size, sizeof got);
        assert_int_equal(got.a, 3);
        assert_int_equal(got.b, 4);
        assert_true(got.c == 0.0);
        assert_null(got.d);
    }
}

static void a_program_of_today_is_read_whole(void **state)
{
    const struct later given = { sizeof given, 1, 2, 0.5, "d" };
    struct later got;
    peck_error err;

    (void)state;
    assert_ok(take(&got, &given, &err), err);
    assert_memory_equal(&got, &given, sizeof got);
    /* Half of a struct, as one from between the versions. */
    const struct later between = { offsetof(struct later, d), 1, 2, 0.5, "d" };

    assert_ok(take(&got, &between, &err), err);
    assert_true(got.c == 0.5);
    assert_null(got.d);
}

static void sizes_that_make_no_sense_are_refused(void **state)
{
    struct later given = { 0 }, got;
    peck_error err;

    (void)state;
    given.size = sizeof given + 1;
    assert_int_equal(take(&got, &given, &err), PECK_ARG);
    assert_failed(err, PECK_ARG, "older than the header");
    assert_failed(err, PECK_ARG, "struct later.size is");
    given.size = sizeof given.size - 1;
    assert_int_equal(take(&got, &given, &err), PECK_ARG);
    assert_failed(err, PECK_ARG, "sizeof(struct later)");
    given.size = sizeof given.size;
    given.a = 7;
    assert_ok(take(&got, &given, &err), err);
    assert_int_equal(got.a, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_every_default),
        cmocka_unit_test(an_old_program_is_read_as_far_as_it_goes),
        cmocka_unit_test(a_program_of_today_is_read_whole),
        cmocka_unit_test(sizes_that_make_no_sense_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
