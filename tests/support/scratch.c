/* scratch.c -- see scratch.h. */
#include "check.h"

#include "scratch.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Paths handed out; freed at exit, so that leak checkers see them. */
enum { MOST_PATHS = 4096 };
static char *given[MOST_PATHS];
static size_t n_given;
static char folder[256];
static pid_t owner;

/* "folder/name"; the same pointer for the same path. */
static const char *keep(const char *a, const char *b)
{
    const size_t n = strlen(a) + strlen(b) + 2;
    char *const path = malloc(n);

    assert_non_null(path);
    snprintf(path, n, "%s/%s", a, b);
    for (size_t i = 0; i < n_given; i++)
        if (strcmp(given[i], path) == 0) {
            free(path);
            return given[i];
        }
    assert_true(n_given < MOST_PATHS);
    return given[n_given++] = path;
}

/* Real data is handed out too, and is not ours to remove. */
static bool is_scratch(const char *path)
{
    const size_t n = strlen(folder);

    return n > 0 && strncmp(path, folder, n) == 0 && path[n] == '/';
}

/* A forked child leaves the folder to its parent. */
static void clean(void)
{
    /* What lies in a folder was handed out after the folder. */
    for (size_t i = n_given; getpid() == owner && i > 0; i--)
        if (is_scratch(given[i - 1]))
            remove(given[i - 1]);
    DIR *const dir = getpid() == owner && folder[0] != '\0' ? opendir(folder) : NULL;
    const struct dirent *entry;

    while (dir != NULL && (entry = readdir(dir)) != NULL) {
        char path[1024];

        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (unlink(path) != 0 && entry->d_name[0] != '.')
            rmdir(path);
    }
    if (dir != NULL) {
        closedir(dir);
        rmdir(folder);
    }
    while (n_given > 0)
        free(given[--n_given]);
}

const char *scratch_path(const char *name)
{
    if (owner == 0) {
        const char *const tmp = getenv("TMPDIR");

        owner = getpid();
        atexit(clean);
        snprintf(folder, sizeof folder, "%s/peck-test-XXXXXX", tmp != NULL ? tmp : "/tmp");
        if (mkdtemp(folder) == NULL)
            fail_msg("cannot make a folder like %s", folder);
    }
    return keep(folder, name);
}

const char *scratch_bytes(const char *name, const void *bytes, size_t n)
{
    const char *const path = scratch_path(name);
    FILE *const f = fopen(path, "wb");

    assert_non_null(f);
    if (n > 0)
        assert_int_equal(fwrite(bytes, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
    return path;
}

const char *scratch_file(const char *name, const char *text)
{
    return scratch_bytes(name, text, strlen(text));
}

size_t scratch_count(const char *part)
{
    scratch_path("");
    DIR *const dir = opendir(folder);
    const struct dirent *entry;
    size_t n = 0;

    assert_non_null(dir);
    while ((entry = readdir(dir)) != NULL)
        n += entry->d_name[0] != '.' && strstr(entry->d_name, part) != NULL;
    closedir(dir);
    return n;
}

char *file_bytes(const char *path, size_t *n)
{
    FILE *const f = fopen(path, "rb");
    char *bytes = NULL;
    size_t cap = 0;

    *n = 0;
    if (f == NULL)
        return NULL;
    for (size_t got = 1; got > 0; *n += got) {
        if (*n + 1 >= cap) {
            cap = cap * 2 + 65536;
            bytes = realloc(bytes, cap);
            assert_non_null(bytes);
        }
        got = fread(bytes + *n, 1, cap - *n - 1, f);
    }
    fclose(f);
    bytes[*n] = '\0';
    return bytes;
}

bool files_equal(const char *a, const char *b)
{
    size_t n_a, n_b;
    char *const bytes_a = file_bytes(a, &n_a), *const bytes_b = file_bytes(b, &n_b);
    const bool equal = bytes_a != NULL && bytes_b != NULL && n_a == n_b &&
                       memcmp(bytes_a, bytes_b, n_a) == 0;

    free(bytes_a);
    free(bytes_b);
    return equal;
}

int run_program(const char *const *argv)
{
    const pid_t child = fork();
    int status = 0;

    assert_true(child >= 0);
    if (child == 0) {
        execvp(argv[0], (char *const *)(uintptr_t)argv);
        _exit(127);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) && WEXITSTATUS(status) != 127 ? WEXITSTATUS(status) : -1;
}

const char *real_data(const char *name)
{
    const char *const root = getenv("PECK_DATA");

    scratch_path(""); /* sees to the cleaning up */
    const char *const path = keep(root != NULL ? root : "../shared/data", name);

    if (access(path, R_OK) == 0)
        return path;
    print_message("skipped: no %s; PECK_DATA names the folder of real data\n", path);
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
