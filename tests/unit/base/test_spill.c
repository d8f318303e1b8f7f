/* test_spill.c -- arrays in a file without a name. */
#include "support/check.h"
#include "support/scratch.h"

#include "base/folder.h"
#include "base/spill.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

enum { SIZE = 3 << 20 };

static void what_is_forgotten_is_read_again(void **state)
{
    struct spill s, other;
    struct strings names = { 0 };
    peck_error err;

    (void)state;
    assert_int_equal(mkdir(scratch_path("spill"), 0777), 0);
    assert_ok(spill_open(&s, scratch_path("spill"), SIZE + 1, &err), err);
    assert_ok(spill_open(&other, scratch_path("spill"), 0, &err), err);
    unsigned char *const x = s.data;

    for (size_t i = 0; i <= SIZE; i++) {
        assert_int_equal(x[i], 0);
        x[i] = (unsigned char)(i % 251);
    }
    spill_forget(&s, x, SIZE + 1);
    spill_forget(&s, x + 70000, 1);
    spill_forget(&s, x + SIZE, 1);
    spill_forget(&s, x + 100, 0);
    for (size_t i = 0; i <= SIZE; i++)
        assert_int_equal(x[i], i % 251);
    /* It has no name. */
    assert_ok(folder_list(&names, scratch_path("spill"), &err), err);
    assert_int_equal(names.n, 0);
    assert_int_equal(rmdir(scratch_path("spill")), 0);
    strings_free(&names);
    spill_close(&other);
    spill_close(&s);
    spill_close(&s);
}

static void what_cannot_be_had_is_a_status(void **state)
{
    struct rlimit had, few;
    struct spill s;
    peck_error err;

    (void)state;
    assert_failure(spill_open(&s, scratch_path("none"), SIZE, &err), &err, PECK_IO,
                   "cannot write a file there");
    assert_null(s.data);
    scratch_file("file", "x");
    assert_failure(spill_open(&s, scratch_path("file"), SIZE, &err), &err, PECK_IO,
                   "cannot write a file there");
    assert_failure(spill_open(&s, scratch_path(""), (size_t)1 << 60, &err), &err, PECK_IO,
                   "no place for a file");
    /* As a full disk does it: by a limit on files. */
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &had), 0);
    few = (struct rlimit){ 1 << 20, had.rlim_max };
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &few), 0);
    const peck_status st = spill_open(&s, scratch_path(""), SIZE, &err);

    assert_int_equal(setrlimit(RLIMIT_FSIZE, &had), 0);
    assert_failure(st, &err, PECK_IO, "no place for a file of 3 MB");
    assert_null(s.data);
    remove(scratch_path("file"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_forgotten_is_read_again),
        cmocka_unit_test(what_cannot_be_had_is_a_status),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
