/* test_pictures.c -- pictures of one folder, and nothing else of this machine. */
#include "../web/pictures.h"

#include "base/view.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

static const char png[] = "\x89PNG\r\n\x1A\n....";
static char room[64];
static int folder = -1;

static void put(const char *name, const char *bytes, size_t n)
{
    const int file = openat(folder, name, O_WRONLY | O_CREAT | O_TRUNC, 0600);

    assert_true(file >= 0 && write(file, bytes, n) == (ssize_t)n && close(file) == 0);
}

/* room/secret.png lies beside room/in, which is served. */
static int setup(void **state)
{
    char path[128];

    (void)state;
    snprintf(room, sizeof room, "/tmp/pictures-XXXXXX");
    assert_non_null(mkdtemp(room));
    snprintf(path, sizeof path, "%s/in", room);
    assert_int_equal(mkdir(path, 0700), 0);
    folder = open(path, O_RDONLY | O_DIRECTORY);
    assert_true(folder >= 0);
    put("../secret.png", png, sizeof png);
    put("a.png", png, sizeof png);
    assert_int_equal(mkdirat(folder, "sub", 0700), 0);
    put("sub/b.png", png, sizeof png);
    assert_int_equal(symlinkat("../secret.png", folder, "out.png"), 0);
    assert_int_equal(symlinkat("a.png", folder, "inside.png"), 0);
    assert_int_equal(symlinkat("..", folder, "up"), 0);
    assert_int_equal(symlinkat("sub", folder, "down"), 0);
    assert_int_equal(mkfifoat(folder, "pipe.png", 0600), 0);
    return 0;
}

static int teardown(void **state)
{
    static const char *const names[] = { "../secret.png", "a.png",      "sub/b.png",
                                         "out.png",       "inside.png", "up",
                                         "down",          "pipe.png",   "x" };
    char path[128];

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unlinkat(folder, names[i], 0);
    unlinkat(folder, "sub", AT_REMOVEDIR);
    close(folder);
    snprintf(path, sizeof path, "%s/in", room);
    rmdir(path);
    return rmdir(room);
}

static void pictures_of_the_folder_are_opened(void **state)
{
    struct picture p;
    peck_error err;

    (void)state;
    assert_int_equal(picture_open(&p, folder, "a.png", &err), PECK_OK);
    assert_string_equal(p.type, "image/png");
    assert_int_equal(p.n, sizeof png);
    close(p.file);
    assert_int_equal(picture_open(&p, folder, "sub/b.png", &err), PECK_OK);
    close(p.file);
}

static void nothing_outside_the_folder_is_opened(void **state)
{
    static const char *const bad[] = { "../secret.png",
                                       "sub/../../secret.png",
                                       "..",
                                       "sub/../a.png",
                                       "./a.png",
                                       "out.png",
                                       "inside.png",
                                       "up/secret.png",
                                       "down/b.png",
                                       "",
                                       "/etc/passwd",
                                       "sub//b.png" };
    char absolute[128];
    struct picture p;
    peck_error err;

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const peck_status st = picture_open(&p, folder, bad[i], &err);

        if (st != PECK_ARG)
            fail_msg("'%s': %d", bad[i], (int)st);
        assert_int_equal(p.file, -1);
    }
    snprintf(absolute, sizeof absolute, "%s/in/a.png", room);
    assert_int_equal(picture_open(&p, folder, absolute, &err), PECK_ARG);
}

static void what_is_no_plain_file_is_not_waited_for(void **state)
{
    struct picture p;
    peck_error err;

    (void)state;
    assert_int_equal(picture_open(&p, folder, "pipe.png", &err), PECK_IO);
    assert_int_equal(picture_open(&p, folder, "sub", &err), PECK_IO);
    assert_int_equal(picture_open(&p, folder, "none.png", &err), PECK_IO);
    assert_int_equal(p.file, -1);
}

static void the_type_is_that_of_the_bytes_not_of_the_name(void **state)
{
    static const struct {
        const char *bytes;
        size_t n;
        const char *type;
    } cases[] = {
        { "\x89PNG\r\n\x1A\n", 8, "image/png" },
        { "\xFF\xD8\xFF\xE0", 4, "image/jpeg" },
        { "GIF89a", 6, "image/gif" },
        { "GIF87a", 6, "image/gif" },
        { "RIFF\1\2\3\4WEBP", 12, "image/webp" },
        { "\0\0\0\x20"
          "ftypavif",
          12, "image/avif" },
        { "RIFF\1\2\3\4WAVE", 12, NULL },
        { "\0\0\0\x20"
          "ftypisom",
          12, NULL },
        { "<svg xmlns='http://www.w3.org/2000/svg'>", 40, NULL },
        { "<?xml version='1.0'?><svg>", 26, NULL },
        { "<html><script>alert(1)</script>", 31, NULL },
        { "\x89PNG\r\n\x1A", 7, NULL },
        { "RIFF\1\2\3\4WEB", 11, NULL },
        { "", 0, NULL },
    };
    struct picture p;
    peck_error err;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        put("a.png", cases[i].bytes, cases[i].n);
        const peck_status st = picture_open(&p, folder, "a.png", &err);

        assert_int_equal(st, cases[i].type != NULL ? PECK_OK : PECK_FORMAT);
        if (st == PECK_OK) {
            assert_string_equal(p.type, cases[i].type);
            close(p.file);
        }
    }
}

static void a_file_that_changes_has_another_tag(void **state)
{
    struct picture p, q;
    peck_error err;

    (void)state;
    assert_int_equal(picture_open(&p, folder, "a.png", &err), PECK_OK);
    close(p.file);
    put("a.png", png, sizeof png - 1);
    assert_int_equal(picture_open(&q, folder, "a.png", &err), PECK_OK);
    close(q.file);
    assert_string_not_equal(p.tag, q.tag);
}

static void a_file_that_is_too_large_is_refused(void **state)
{
    struct picture p;
    peck_error err;

    (void)state;
    put("x", png, sizeof png);
    const int file = openat(folder, "x", O_WRONLY);

    assert_int_equal(ftruncate(file, PICTURE_BYTES + 1), 0);
    close(file);
    assert_int_equal(picture_open(&p, folder, "x", &err), PECK_FORMAT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(pictures_of_the_folder_are_opened, setup, teardown),
        cmocka_unit_test_setup_teardown(nothing_outside_the_folder_is_opened, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(what_is_no_plain_file_is_not_waited_for, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(the_type_is_that_of_the_bytes_not_of_the_name,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(a_file_that_changes_has_another_tag, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(a_file_that_is_too_large_is_refused, setup,
                                        teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
