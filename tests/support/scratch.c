/* scratch.c -- see scratch.h. */
#include "scratch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { MOST_FILES = 64, N_PATHS = 16, PATH_BYTES = 600 };

static char folder[64];
static char made[MOST_FILES][PATH_BYTES];
static size_t n_made;

static char *next_path(void)
{
    static char paths[N_PATHS][PATH_BYTES];
    static size_t turn;

    return paths[turn++ % N_PATHS];
}

static void remove_all(void)
{
    for (size_t i = 0; i < n_made; i++)
        unlink(made[i]);
    rmdir(folder);
}

static void remember(const char *path)
{
    for (size_t i = 0; i < n_made; i++)
        if (strcmp(made[i], path) == 0)
            return;
    assert_true(n_made < MOST_FILES);
    snprintf(made[n_made++], PATH_BYTES, "%s", path);
}

const char *scratch_bytes(const char *name, const void *bytes, size_t n)
{
    char *const path = next_path();

    if (folder[0] == '\0') {
        strncpy(folder, "/tmp/peck-test-XXXXXX", sizeof folder - 1);
        assert_non_null(mkdtemp(folder));
        atexit(remove_all);
    }
    snprintf(path, PATH_BYTES, "%s/%s", folder, name);
    FILE *const f = fopen(path, "wb");

    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
    remember(path);
    return path;
}

const char *scratch_file(const char *name, const char *text)
{
    return scratch_bytes(name, text, strlen(text));
}

const char *real_data(const char *name)
{
    const char *const root = getenv("PECK_DATA");
    char *const path = next_path();

    snprintf(path, PATH_BYTES, "%s/%s", root != NULL ? root : "../shared/data", name);
    if (access(path, R_OK) == 0)
        return path;
    print_message("no %s: set PECK_DATA to the folder of real data\n", path);
    return NULL;
}

void check_failure(peck_status status, const peck_error *err, peck_status expected,
                   const char *const *parts, const char *file, int line)
{
    if (status != expected) {
        print_error("status %d, expected %d; \"%s\"\n", status, expected,
                    status != PECK_OK ? err->text : "");
        _fail(file, line);
    }
    if (err->status != expected) {
        print_error("the error's status is %d, expected %d\n", err->status, expected);
        _fail(file, line);
    }
    for (; *parts != NULL; parts++) {
        if (strstr(err->text, *parts) == NULL) {
            print_error("\"%s\" does not say \"%s\"\n", err->text, *parts);
            _fail(file, line);
        }
    }
}
