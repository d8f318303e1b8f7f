/* test_folder.c -- the names in a folder. */
#include "support/check.h"
#include "support/scratch.h"

#include "base/folder.h"

#include <sys/stat.h>

static void names_come_sorted_and_hidden_ones_stay_out(void **state)
{
    struct strings names = { 0 };
    peck_error err;

    (void)state;
    assert_int_equal(mkdir(scratch_path("folder"), 0777), 0);
    scratch_file("folder/b", "");
    scratch_file("folder/ab", "");
    scratch_file("folder/a", "");
    scratch_file("folder/.hidden", "");
    assert_ok(folder_list(&names, scratch_path("folder"), &err), err);
    assert_int_equal(names.n, 3);
    assert_span(strings_get(&names, 0), "a");
    assert_span(strings_get(&names, 1), "ab");
    assert_span(strings_get(&names, 2), "b");
    strings_free(&names);
    remove(scratch_path("folder/.hidden"));
    remove(scratch_path("folder/a"));
    remove(scratch_path("folder/ab"));
    remove(scratch_path("folder/b"));
    remove(scratch_path("folder"));
}

static void numbers_in_names_are_sorted_by_value(void **state)
{
    /* 0 is 00, and 2 is 02: what follows tells them apart. */
    static const char *const sorted[] = { "00 a", "0 b", "F2",   "F2-1", "F02x",
                                          "F10",  "Fx",  "Fx1y", "Fx01z" };
    struct strings names = { 0 };
    char path[64];
    peck_error err;

    (void)state;
    assert_int_equal(mkdir(scratch_path("folder"), 0777), 0);
    for (size_t i = N_OF(sorted); i-- > 0;) {
        snprintf(path, sizeof path, "folder/%s", sorted[i]);
        scratch_file(path, "");
    }
    assert_ok(folder_list(&names, scratch_path("folder"), &err), err);
    assert_int_equal(names.n, N_OF(sorted));
    for (size_t i = 0; i < N_OF(sorted); i++) {
        assert_span(strings_get(&names, i), sorted[i]);
        snprintf(path, sizeof path, "folder/%s", sorted[i]);
        remove(scratch_path(path));
    }
    strings_free(&names);
    remove(scratch_path("folder"));
}

static void a_folder_is_told_from_a_file(void **state)
{
    struct strings names = { 0 };
    peck_error err;

    (void)state;
    assert_true(is_directory("."));
    assert_false(is_directory(scratch_file("file", "text")));
    assert_false(is_directory(scratch_path("nowhere")));
    assert_int_equal(folder_list(&names, scratch_path("nowhere"), &err), PECK_IO);
    assert_failed(err, PECK_IO, "cannot open the folder");
    assert_int_equal(names.n, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_come_sorted_and_hidden_ones_stay_out),
        cmocka_unit_test(numbers_in_names_are_sorted_by_value),
        cmocka_unit_test(a_folder_is_told_from_a_file),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
