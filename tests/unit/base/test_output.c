/* test_output.c -- a file appears whole or not at all. */
#include "support/check.h"

#include "base/input.h"
#include "base/output.h"
#include "base/rng.h"
#include "support/scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static peck_error err;

/* Without /proc a file cannot grow without a name: this stands before libc's own. */
static bool is_proc_hidden;

int access(const char *path, int mode)
{
    if (is_proc_hidden && strncmp(path, "/proc", 5) == 0) {
        errno = ENOENT;
        return -1;
    }
    return faccessat(AT_FDCWD, path, mode, 0);
}

static struct output *opened(const char *path)
{
    struct output *o;

    assert_ok(output_open(&o, path, &err), err);
    return o;
}

static void check_file(const char *path, const void *bytes, size_t n)
{
    size_t got;
    char *const is = file_bytes(path, &got);

    assert_non_null(is);
    assert_int_equal(got, n);
    assert_memory_equal(is, bytes, n);
    free(is);
}

static void write_text(struct output *o, const char *s)
{
    output_write(o, s, strlen(s));
}

static void a_file_appears_on_commit(void **state)
{
    (void)state;
    const char *const path = scratch_path("new.txt");

    unlink(path);
    struct output *const o = opened(path);

    write_text(o, "one ");
    output_printf(o, "%d ", 2);
    output_write(o, "three and more", 5);
    assert_false(input_exists(path));
    assert_ok(output_commit(o, &err), err);
    check_file(path, "one 2 three", 11);
    assert_int_equal(scratch_count(".tmp-"), 0);
}

static void an_old_file_stays_until_commit(void **state)
{
    (void)state;
    const char *const path = scratch_file("old.txt", "old");
    struct output *o = opened(path);

    write_text(o, "new and longer");
    check_file(path, "old", 3);
    output_abort(o);
    check_file(path, "old", 3);
    assert_int_equal(scratch_count(".tmp-"), 0);
    o = opened(path);
    write_text(o, "n");
    assert_ok(output_commit(o, &err), err);
    check_file(path, "n", 1);
    output_abort(NULL);
}

static void nothing_written_is_an_empty_file(void **state)
{
    (void)state;
    const char *const path = scratch_path("nothing");

    assert_ok(output_commit(opened(path), &err), err);
    check_file(path, "", 0);
}

static void two_writers_of_one_file_do_not_meet(void **state)
{
    (void)state;
    const char *const path = scratch_path("shared");
    struct output *const a = opened(path), *const b = opened(path);

    write_text(a, "from a");
    write_text(b, "from b");
    assert_ok(output_commit(a, &err), err);
    check_file(path, "from a", 6);
    assert_ok(output_commit(b, &err), err);
    check_file(path, "from b", 6);
}

static void a_leftover_temporary_file_is_stepped_around(void **state)
{
    (void)state;
    char name[64];

    snprintf(name, sizeof name, "left.tmp-%ld-0", (long)getpid());
    const char *const left = scratch_file(name, "somebody's");
    struct output *const o = opened(scratch_path("left"));

    write_text(o, "mine");
    assert_ok(output_commit(o, &err), err);
    check_file(scratch_path("left"), "mine", 4);
    check_file(left, "somebody's", 10);
    unlink(left);
}

/* Pieces of every size around the buffer's. */
static void long_files_arrive_whole(void **state)
{
    (void)state;
    const size_t n = 3 << 20;
    char *const bytes = malloc(n);
    static const char *const names[] = { "long", "long.gz", "long.zst" };
    struct rng r;

    rng_seed(&r, 1, 0);
    for (size_t i = 0; i < n; i++)
        bytes[i] = (char)(rng_u64(&r) >> (i % 3 == 0 ? 60 : 50));
    for (size_t k = 0; k < N_OF(names); k++) {
        const char *const path = scratch_path(names[k]);
        struct output *const o = opened(path);
        struct input in;

        for (size_t at = 0; at < n;) {
            const size_t want = rng_below(&r, 3) == 0 ? 1 << 18 : rng_below(&r, 600000);
            const size_t piece = want < n - at ? want : n - at;

            output_write(o, bytes + at, piece);
            at += piece;
        }
        assert_int_equal(output_can_patch(o), k == 0);
        assert_ok(output_commit(o, &err), err);
        assert_ok(input_open(&in, path, &err), err);
        assert_int_equal(in.size, n);
        assert_memory_equal(in.data, bytes, n);
        input_close(&in);
    }
    free(bytes);
}

static void written_bytes_can_be_patched(void **state)
{
    (void)state;
    const char *const path = scratch_path("patched");
    struct output *const o = opened(path);

    assert_true(output_can_patch(o));
    write_text(o, "________ world");
    output_patch(o, 0, "goodbye,", 8);
    write_text(o, "!");
    output_patch(o, 9, "W", 1);
    write_text(o, "!");
    assert_ok(output_commit(o, &err), err);
    check_file(path, "goodbye, World!!", 16);
}

static void places_that_cannot_be_written_are_told(void **state)
{
    (void)state;
    struct output *o = (struct output *)(uintptr_t)1;
    const char *const folder = scratch_path("a-folder");

    assert_int_equal(output_open(&o, scratch_path("no/such/folder"), &err), PECK_IO);
    assert_failed(err, PECK_IO, "no/such/folder: cannot write there: No such file");
    assert_null(o);
    assert_int_equal(mkdir(folder, 0777), 0);
    assert_int_equal(output_open(&o, folder, &err), PECK_IO);
    assert_failed(err, PECK_IO, "a-folder: cannot write there: Is a directory");
    assert_int_equal(output_open(&o, "", &err), PECK_IO);
    assert_int_equal(output_open(&o, scratch_path("no/a.gz"), &err), PECK_IO);
    assert_null(o);
}

static void a_full_disk_is_told_on_commit(void **state)
{
    (void)state;
    if (access("/dev/full", W_OK) != 0)
        skip();
    static const size_t sizes[] = { 1, 1000000 };

    for (size_t k = 0; k < N_OF(sizes); k++) {
        struct output *const o = opened("/dev/full");
        char *const bytes = calloc(sizes[k], 1);

        assert_false(output_can_patch(o));
        output_write(o, bytes, sizes[k]);
        assert_int_equal(output_commit(o, &err), PECK_IO);
        assert_failed(err, PECK_IO, "/dev/full: cannot write it: No space left");
        free(bytes);
    }
    struct stat st;

    assert_int_equal(stat("/dev/full", &st), 0);
    assert_true(S_ISCHR(st.st_mode));
}

/* A limit on the size of files stands for the full disk: the write fails half way. */
static void a_write_that_fails_leaves_nothing(void **state)
{
    (void)state;
    static const char *const names[] = { "limited", "limited.gz", "limited.zst" };
    struct rlimit before, small = { 100000, RLIM_INFINITY };
    char *const bytes = malloc(1 << 20);
    struct rng r;

    rng_seed(&r, 2, 0);
    for (size_t i = 0; i < 1 << 20; i++)
        bytes[i] = (char)rng_u64(&r);
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small.rlim_max = before.rlim_max;
    for (size_t k = 0; k < N_OF(names); k++) {
        const char *const path = scratch_file(names[k], "before");
        struct output *const o = opened(path);

        assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
        output_write(o, bytes, 1 << 20);
        const peck_status st = output_commit(o, &err);

        assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
        assert_int_equal(st, PECK_IO);
        assert_failed(err, PECK_IO, "cannot write it: File too large");
        check_file(path, "before", 6);
        assert_int_equal(scratch_count(".tmp-"), 0);
    }
    free(bytes);
}

static void a_line_too_long_for_printf_is_an_error(void **state)
{
    (void)state;
    const char *const path = scratch_path("printf");
    struct output *const o = opened(path);

    output_printf(o, "%2000d", 1);
    assert_int_equal(output_commit(o, &err), PECK_IO);
    assert_false(input_exists(path));
    assert_int_equal(scratch_count(".tmp-"), 0);
}

/* What the command does for "-", seen from a program around it. */
static void standard_output_is_written_through(void **state)
{
    (void)state;
    const char *const path = scratch_file("stdout", "");
    const int kept = dup(STDOUT_FILENO), fd = open(path, O_WRONLY | O_TRUNC);

    assert_true(kept >= 0 && fd >= 0);
    fflush(stdout);
    dup2(fd, STDOUT_FILENO);
    struct output *o = NULL;
    peck_status st = output_open(&o, "-", &err);

    if (st == PECK_OK) {
        write_text(o, "to the pipe");
        st = output_can_patch(o) ? PECK_ARG : output_commit(o, &err);
    }
    dup2(kept, STDOUT_FILENO);
    close(kept);
    close(fd);
    assert_int_equal(st, PECK_OK);
    check_file(path, "to the pipe", 11);
}

static void a_closed_pipe_is_an_error_not_a_signal_to_the_file(void **state)
{
    (void)state;
    int ends[2];

    assert_int_equal(pipe(ends), 0);
    close(ends[0]);
    signal(SIGPIPE, SIG_IGN);
    const int kept = dup(STDOUT_FILENO);

    fflush(stdout);
    dup2(ends[1], STDOUT_FILENO);
    struct output *o = NULL;
    peck_status st = output_open(&o, "-", &err);

    if (st == PECK_OK) {
        write_text(o, "nobody reads");
        st = output_commit(o, &err);
    }
    dup2(kept, STDOUT_FILENO);
    close(kept);
    close(ends[1]);
    assert_int_equal(st, PECK_IO);
    assert_failed(err, PECK_IO, "standard output: cannot write it: Broken pipe");
}

static void a_fifo_is_written_as_it_is(void **state)
{
    (void)state;
    const char *const path = scratch_path("fifo");
    int status;

    assert_int_equal(mkfifo(path, 0600), 0);
    const pid_t child = fork();

    assert_true(child >= 0);
    if (child == 0) {
        struct output *o;

        if (output_open(&o, path, NULL) != PECK_OK)
            _exit(1);
        write_text(o, "through the fifo");
        _exit(output_commit(o, NULL) == PECK_OK ? 0 : 1);
    }
    check_file(path, "through the fifo", 16);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    unlink(path);
}

/* A link keeps pointing to the file, which is the one that changes.  /dev/stdout is
 * such a link when the output goes to a file. */
static void a_link_is_followed_not_replaced(void **state)
{
    (void)state;
    const char *const real = scratch_file("real", "before"), *const link =
                                                                 scratch_path("link");
    struct stat st;

    unlink(link);
    assert_int_equal(symlink("real", link), 0);
    struct output *const o = opened(link);

    write_text(o, "after");
    assert_ok(output_commit(o, &err), err);
    assert_int_equal(lstat(link, &st), 0);
    assert_true(S_ISLNK(st.st_mode));
    check_file(real, "after", 5);
    assert_int_equal(scratch_count(".tmp-"), 0);
}

static mode_t mode_at(const char *path)
{
    struct stat st;

    assert_int_equal(lstat(path, &st), 0);
    return st.st_mode & 07777;
}

/* At no moment does the new file say more to others than the old one did. */
static void a_replaced_file_keeps_its_rights(void **state)
{
    (void)state;
    static const mode_t modes[] = { 0600, 0640, 0666, 0400 };
    const mode_t before = umask(022);

    for (size_t i = 0; i < N_OF(modes); i++) {
        const char *const path = scratch_file("rights", "old");

        assert_int_equal(chmod(path, modes[i]), 0);
        struct output *const o = opened(path);

        write_text(o, "new");
        assert_ok(output_commit(o, &err), err);
        assert_int_equal(mode_at(path), modes[i]);
        check_file(path, "new", 3);
        unlink(path);
    }
    struct output *const o = opened(scratch_path("rights-new"));

    assert_ok(output_commit(o, &err), err);
    assert_int_equal(mode_at(scratch_path("rights-new")), 0644);
    umask(before);
}

static void a_growing_file_has_the_rights_of_the_old_one(void **state)
{
    (void)state;
    char name[64];
    const char *const path = scratch_file("secret", "old");

    assert_int_equal(chmod(path, 0600), 0);
    is_proc_hidden = true;
    struct output *const o = opened(path);

    is_proc_hidden = false;
    snprintf(name, sizeof name, "secret.tmp-%ld-0", (long)getpid());
    assert_int_equal(mode_at(scratch_path(name)), 0600);
    output_abort(o);
    assert_int_equal(mode_at(path), 0600);
}

/* The file that it points to is made; the link is as it was. */
static void a_link_to_nothing_gets_its_file(void **state)
{
    (void)state;
    const char *const link = scratch_path("dangling"), *const far = scratch_path("far");
    struct stat st;

    assert_int_equal(symlink("dangling-2", link), 0);
    assert_int_equal(symlink(scratch_path("far"), scratch_path("dangling-2")), 0);
    struct output *const o = opened(link);

    write_text(o, "made");
    assert_ok(output_commit(o, &err), err);
    check_file(far, "made", 4);
    assert_int_equal(lstat(link, &st), 0);
    assert_true(S_ISLNK(st.st_mode));
    assert_int_equal(scratch_count(".tmp-"), 0);
    assert_int_equal(symlink("loop", scratch_path("loop")), 0);
    assert_int_equal(peck_output_check(scratch_path("loop"), &err), PECK_IO);
}

static void long_names_are_written_or_refused_at_once(void **state)
{
    (void)state;
    char name[257];

    memset(name, 'n', sizeof name);
    for (size_t n = 240; n <= 255; n += 5) {
        name[n] = '\0';
        const char *const path = scratch_path(name);

        assert_ok(peck_output_check(path, &err), err);
        assert_false(input_exists(path));
        struct output *const o = opened(path);

        write_text(o, "x");
        assert_ok(output_commit(o, &err), err);
        check_file(path, "x", 1);
        unlink(path);
        name[n] = 'n';
    }
    name[256] = '\0';
    assert_int_equal(peck_output_check(scratch_path(name), &err), PECK_IO);
    assert_failed(err, PECK_IO, "cannot write there: File name too long");
}

static void a_check_leaves_no_trace(void **state)
{
    (void)state;
    const char *const old = scratch_file("checked", "old"), *const fifo =
                                                                scratch_path("asked");

    for (int i = 0; i < 2; i++) {
        is_proc_hidden = i > 0;
        assert_ok(peck_output_check(old, &err), err);
        assert_ok(peck_output_check(scratch_path("not-there"), &err), err);
        check_file(old, "old", 3);
        assert_false(input_exists(scratch_path("not-there")));
        assert_int_equal(scratch_count(".tmp-"), 0);
        assert_int_equal(peck_output_check(scratch_path("no/such"), &err), PECK_IO);
        assert_failed(err, PECK_IO, "no/such: cannot write there: No such file");
    }
    is_proc_hidden = false;
    assert_int_equal(mkfifo(fifo, 0600), 0);
    assert_ok(peck_output_check(fifo, &err), err); /* and does not wait for a reader */
    assert_ok(peck_output_check("/dev/null", &err), err);
    assert_ok(peck_output_check("-", &err), err);
    assert_int_equal(peck_output_check("/", &err), PECK_IO);
}

static void files_grow_under_a_name_where_they_must(void **state)
{
    (void)state;
    is_proc_hidden = true;
    struct output *const o = opened(scratch_path("visible"));

    write_text(o, "x");
    assert_int_equal(scratch_count("visible.tmp-"), 1);
    output_abort(o);
    assert_int_equal(scratch_count("visible"), 0);
    a_file_appears_on_commit(state);
    an_old_file_stays_until_commit(state);
    two_writers_of_one_file_do_not_meet(state);
    a_leftover_temporary_file_is_stepped_around(state);
    written_bytes_can_be_patched(state);
    a_write_that_fails_leaves_nothing(state);
    a_link_is_followed_not_replaced(state);
    long_names_are_written_or_refused_at_once(state);
    is_proc_hidden = false;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_appears_on_commit),
        cmocka_unit_test(an_old_file_stays_until_commit),
        cmocka_unit_test(nothing_written_is_an_empty_file),
        cmocka_unit_test(two_writers_of_one_file_do_not_meet),
        cmocka_unit_test(a_leftover_temporary_file_is_stepped_around),
        cmocka_unit_test(long_files_arrive_whole),
        cmocka_unit_test(written_bytes_can_be_patched),
        cmocka_unit_test(places_that_cannot_be_written_are_told),
        cmocka_unit_test(a_full_disk_is_told_on_commit),
        cmocka_unit_test(a_write_that_fails_leaves_nothing),
        cmocka_unit_test(a_line_too_long_for_printf_is_an_error),
        cmocka_unit_test(standard_output_is_written_through),
        cmocka_unit_test(a_closed_pipe_is_an_error_not_a_signal_to_the_file),
        cmocka_unit_test(a_fifo_is_written_as_it_is),
        cmocka_unit_test(a_link_is_followed_not_replaced),
        cmocka_unit_test(a_replaced_file_keeps_its_rights),
        cmocka_unit_test(a_growing_file_has_the_rights_of_the_old_one),
        cmocka_unit_test(a_link_to_nothing_gets_its_file),
        cmocka_unit_test(long_names_are_written_or_refused_at_once),
        cmocka_unit_test(a_check_leaves_no_trace),
        cmocka_unit_test(files_grow_under_a_name_where_they_must),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
