/* test_input.c -- the whole of a file, whatever it is: plain, packed, a pipe, nothing. */
#include "support/check.h"

#include "base/input.h"
#include "base/output.h"
#include "base/rng.h"
#include "base/zip.h"
#include "support/scratch.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static peck_error err;

static struct input opened(const char *path)
{
    struct input in;

    assert_ok(input_open(&in, path, &err), err);
    return in;
}

/* The bytes are these, and the padding after them is zero and may be read. */
static void check_input(const char *path, const void *bytes, size_t n)
{
    struct input in = opened(path);

    assert_int_equal(in.size, n);
    if (n > 0)
        assert_memory_equal(in.data, bytes, n);
    for (size_t i = 0; i < INPUT_PADDING; i++)
        assert_int_equal(in.data[n + i], 0);
    input_close(&in);
    assert_null(in.data);
    input_close(&in); /* once more is harmless */
}

/* Text that packs, but not to nothing. */
static char *random_text(size_t n)
{
    char *const text = malloc(n + 1);
    struct rng r;

    assert_non_null(text);
    rng_seed(&r, n, 0);
    for (size_t i = 0; i < n; i++)
        text[i] = "0123456789.: \n"[rng_below(&r, 14)];
    text[n] = '\0';
    return text;
}

/* Packs text into a scratch file whose name ends as the packing wants it. */
static const char *packed(const char *name, const void *bytes, size_t n)
{
    const char *const path = scratch_path(name);
    struct output *o;

    assert_ok(output_open(&o, path, &err), err);
    output_write(o, bytes, n);
    assert_ok(output_commit(o, &err), err);
    return path;
}

static void files_of_any_size_are_padded(void **state)
{
    (void)state;
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const size_t large = 1 << 20; /* from which on a file is mapped */
    const size_t sizes[] = { 1,         7,     63,        64,           page - 64,
                             page - 1,  page,  page + 1,  4 * page,     300000,
                             large - 1, large, large + 1, large + page, 3000000 };

    for (size_t i = 0; i < N_OF(sizes); i++) {
        char *const text = random_text(sizes[i]);

        check_input(scratch_bytes("plain", text, sizes[i]), text, sizes[i]);
        free(text);
    }
}

static void an_empty_file_is_empty(void **state)
{
    (void)state;
    check_input(scratch_bytes("empty", "", 0), "", 0);
    check_input(packed("empty.gz", "", 0), "", 0);
    check_input(packed("empty.zst", "", 0), "", 0);
}

static void packed_files_are_unpacked_by_their_magic(void **state)
{
    (void)state;
    static const size_t sizes[] = {
        1, 1000, (1 << 18) - 64, 1 << 18, (1 << 18) + 1, 3000000
    };

    for (size_t i = 0; i < N_OF(sizes); i++) {
        char *const text = random_text(sizes[i]);
        size_t n;

        for (int k = 0; k < 2; k++) {
            const char *const path = packed(k == 0 ? "p.gz" : "p.zst", text, sizes[i]);
            char *const bytes = file_bytes(path, &n);

            assert_int_equal(zip_of_magic(bytes, n), k == 0 ? ZIP_GZIP : ZIP_ZSTD);
            check_input(path, text, sizes[i]);
            check_input(scratch_bytes("nameless", bytes, n), text, sizes[i]);
            free(bytes);
        }
        free(text);
    }
}

static void zeros_that_pack_a_thousandfold_unpack(void **state)
{
    (void)state;
    const size_t n = 20 << 20;
    char *const zeros = calloc(n, 1);

    check_input(packed("zeros.gz", zeros, n), zeros, n);
    check_input(packed("zeros.zst", zeros, n), zeros, n);
    free(zeros);
}

static void a_lying_name_does_not_matter(void **state)
{
    (void)state;
    check_input(scratch_file("plain.gz", "1 qid:1\n"), "1 qid:1\n", 8);
}

static void members_and_frames_follow_each_other(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        size_t n_a, n_b;
        char *const a = file_bytes(packed(k ? "a.zst" : "a.gz", "first,", 6), &n_a);
        char *const b = file_bytes(packed(k ? "b.zst" : "b.gz", "second", 6), &n_b);
        char *const both = malloc(n_a + n_b);

        memcpy(both, a, n_a);
        memcpy(both + n_a, b, n_b);
        check_input(scratch_bytes("both", both, n_a + n_b), "first,second", 12);
        free(a);
        free(b);
        free(both);
    }
}

static void the_programs_gzip_and_zstd_agree(void **state)
{
    (void)state;
    char *const text = random_text(500000);
    const char *const path = scratch_bytes("by-program", text, 500000);
    static const char *const programs[] = { "gzip", "zstd" };
    static const char *const endings[] = { "by-program.gz", "by-program.zst" };

    for (int k = 0; k < 2; k++) {
        const char *const pack[] = { programs[k], "-q", "-k", "-f", path, NULL };
        const char *const test[] = { programs[k], "-q", "-t", scratch_path(endings[k]),
                                     NULL };

        if (run_program(pack) != 0) {
            print_message("no program %s to compare with\n", programs[k]);
            continue;
        }
        check_input(scratch_path(endings[k]), text, 500000);
        packed(endings[k], text, 500000);
        assert_int_equal(run_program(test), 0);
    }
    free(text);
}

static void every_cut_of_a_packed_file_is_refused(void **state)
{
    (void)state;
    char *const text = random_text(2000);
    struct input in;

    for (int k = 0; k < 2; k++) {
        size_t n;
        char *const bytes = file_bytes(packed(k == 0 ? "c.gz" : "c.zst", text, 2000), &n);

        for (size_t cut = 4; cut < n; cut++) {
            const char *const path = scratch_bytes("cut", bytes, cut);

            err = (peck_error){ 0 };
            assert_int_equal(input_open(&in, path, &err), PECK_FORMAT);
            assert_failed(err, PECK_FORMAT,
                          k == 0 ? "cut: the gzip data is cut off"
                                 : "cut: the zstd data is cut off");
            assert_null(in.data);
            if (cut > 200 && cut < n - 20)
                cut += 13;
        }
        free(bytes);
    }
    free(text);
}

static void damage_in_a_packed_file_is_refused(void **state)
{
    (void)state;
    char *const text = random_text(2000);
    struct input in;
    size_t n;
    char *const gzip = file_bytes(packed("d.gz", text, 2000), &n);

    gzip[n - 6] ^= 1; /* the check sum */
    assert_int_equal(input_open(&in, scratch_bytes("bad", gzip, n), &err), PECK_FORMAT);
    assert_failed(err, PECK_FORMAT, "bad: the gzip data is damaged");
    gzip[2] = 99; /* no such method */
    assert_int_equal(input_open(&in, scratch_bytes("bad", gzip, n), &err), PECK_FORMAT);
    assert_failed(err, PECK_FORMAT, "bad: the gzip data is damaged");
    free(gzip);
    char *const zstd = file_bytes(packed("d.zst", text, 2000), &n);

    zstd[4] ^= 0x08; /* the reserved bit */
    assert_int_equal(input_open(&in, scratch_bytes("bad", zstd, n), &err), PECK_FORMAT);
    assert_failed(err, PECK_FORMAT, "bad: the zstd data is damaged");
    free(zstd);
    free(text);
}

/* Tapes pad with zero bytes, as gzip itself knows; anything else would be lost. */
static void bytes_after_packed_data_are_refused(void **state)
{
    (void)state;
    static const char *const name[] = { "e.gz", "e.zst" };

    for (size_t k = 0; k < N_OF(name); k++) {
        struct input in;
        size_t n;
        char *const whole = file_bytes(packed(name[k], "text", 4), &n);
        char *const longer = calloc(n + 600, 1);

        memcpy(longer, whole, n);
        if (k == 0)
            check_input(scratch_bytes("tail", longer, n + 600), "text", 4);
        memcpy(longer + n, "\x1f junk", 6);
        for (size_t more = 1; more <= 6; more++) {
            assert_int_equal(input_open(&in, scratch_bytes("tail", longer, n + more), &err),
                             PECK_FORMAT);
            assert_failed(err, PECK_FORMAT, "before the file does; pack the file again");
        }
        memset(longer + n, 0, 6);
        longer[n + 599] = 'x'; /* after the zeros */
        assert_int_equal(input_open(&in, scratch_bytes("tail", longer, n + 600), &err),
                         PECK_FORMAT);
        assert_failed(err, PECK_FORMAT, "ends 600 bytes before the file does");
        free(whole);
        free(longer);
    }
}

/* A frame to be skipped is part of the format. */
static void a_skippable_zstd_frame_is_passed_over(void **state)
{
    (void)state;
    static const char skipped[] = "\x5a\x2a\x4d\x18\x03\0\0\0abc";
    size_t n;
    char *const whole = file_bytes(packed("s.zst", "text", 4), &n);
    char *const both = calloc(2 * n + sizeof skipped, 1);

    memcpy(both, whole, n);
    memcpy(both + n, skipped, sizeof skipped - 1);
    memcpy(both + n + sizeof skipped - 1, whole, n);
    check_input(scratch_bytes("skipped", both, 2 * n + sizeof skipped - 1), "texttext", 8);
    free(whole);
    free(both);
}

/* What a mapped page would answer with SIGBUS. */
static void a_small_file_may_be_cut_short_while_in_use(void **state)
{
    (void)state;
    char *const text = random_text(200000);
    const char *const path = scratch_bytes("shrinks", text, 200000);
    struct input in = opened(path);

    assert_int_equal(truncate(path, 0), 0);
    assert_int_equal(in.size, 200000);
    assert_memory_equal(in.data, text, in.size);
    input_close(&in);
    free(text);
}

static void data_that_is_no_text_is_called_so(void **state)
{
    (void)state;
    static const char picture[] = "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\1\0\0\0\1\0\b";
    struct input in = opened(scratch_bytes("picture", picture, sizeof picture));

    assert_int_equal(input_blame(&in, PECK_OK, &err), PECK_OK);
    assert_int_equal(input_blame(&in, PECK_IO, &err), PECK_IO);
    assert_int_equal(input_blame(&in, PECK_FORMAT, &err), PECK_FORMAT);
    assert_failed(err, PECK_FORMAT, "picture: is not text");
    input_close(&in);
    in = opened(scratch_bytes("slip", "1 qid:1 1:\0\n", 13));
    err = (peck_error){ PECK_FORMAT, "slip:1: a place" };
    assert_int_equal(input_blame(&in, PECK_FORMAT, &err), PECK_FORMAT);
    assert_failed(err, PECK_FORMAT, "slip:1: a place");
    input_close(&in);
}

static void what_cannot_be_opened_is_an_io_error(void **state)
{
    (void)state;
    struct input in;
    const char *const folder = scratch_path("folder");
    const char *const locked = scratch_file("locked", "secret");

    assert_int_equal(input_open(&in, scratch_path("none"), &err), PECK_IO);
    assert_failed(err, PECK_IO, "none: cannot open it: No such file");
    assert_null(in.data);
    assert_int_equal(mkdir(folder, 0777), 0);
    assert_int_equal(input_open(&in, folder, &err), PECK_IO);
    assert_failed(err, PECK_IO, "folder: is a directory");
    assert_int_equal(chmod(locked, 0), 0);
    if (geteuid() != 0) {
        assert_int_equal(input_open(&in, locked, &err), PECK_IO);
        assert_failed(err, PECK_IO, "locked: cannot open it: Permission denied");
        assert_false(input_exists(locked));
    }
    assert_false(input_exists(scratch_path("none")));
    assert_true(input_exists(scratch_file("there", "")));
}

/* Reads path as standard input from this offset on. */
static struct input from_stdin(const char *path, off_t offset)
{
    const int kept = dup(STDIN_FILENO), fd = open(path, O_RDONLY);

    assert_true(fd >= 0 && dup2(fd, STDIN_FILENO) == STDIN_FILENO);
    close(fd);
    assert_int_equal(lseek(STDIN_FILENO, offset, SEEK_SET), offset);
    const struct input in = opened("-");

    if (kept >= 0) {
        dup2(kept, STDIN_FILENO);
        close(kept);
    } else {
        close(STDIN_FILENO);
    }
    return in;
}

static void standard_input_can_be_a_file(void **state)
{
    (void)state;
    struct input in = from_stdin(scratch_file("stdin", "line one\nline two\n"), 0);

    assert_int_equal(in.size, 18);
    assert_string_equal(in.name, "standard input");
    input_close(&in);
    in = from_stdin(packed("stdin.gz", "packed", 6), 0);
    assert_int_equal(in.size, 6);
    assert_memory_equal(in.data, "packed", 6);
    input_close(&in);
}

/* `{ read header; peck stats -; } < file` */
static void standard_input_goes_on_where_it_stands(void **state)
{
    (void)state;
    struct input in = from_stdin(scratch_file("stdin", "line one\nline two\n"), 9);

    assert_int_equal(in.size, 9);
    assert_memory_equal(in.data, "line two\n", 9);
    input_close(&in);
}

static void a_pipe_is_read_to_its_end(void **state)
{
    (void)state;
    const size_t n = 1000000;
    char *const text = random_text(n);
    const char *const path = scratch_path("fifo");

    assert_int_equal(mkfifo(path, 0600), 0);
    const pid_t child = fork();

    assert_true(child >= 0);
    if (child == 0) {
        const int fd = open(path, O_WRONLY);
        size_t done = 0;

        while (done < n) {
            const ssize_t k = write(fd, text + done, n - done < 777 ? n - done : 777);

            if (k <= 0)
                _exit(1);
            done += (size_t)k;
        }
        _exit(0);
    }
    check_input(path, text, n);
    free(text);
}

static void devices_and_proc_files_are_read(void **state)
{
    (void)state;
    struct input in = opened("/dev/null");

    assert_int_equal(in.size, 0);
    input_close(&in);
    if (input_exists("/proc/self/status")) {
        in = opened("/proc/self/status");
        assert_true(in.size > 100);
        assert_memory_equal(in.data, "Name:", 5);
        input_close(&in);
    }
}

static void check_lines(const char *text, size_t n, const char *const *right)
{
    const struct input in = { .data = text, .size = n };
    struct lines l = lines_of(&in);
    peck_span line;
    size_t k = 0;

    for (; lines_next(&l, &line); k++) {
        assert_non_null(right[k]);
        assert_span(line, right[k]);
        assert_int_equal(l.number, k + 1);
    }
    assert_null(right[k]);
    assert_false(lines_next(&l, &line));
}

static void lines_end_at_newlines_or_the_end(void **state)
{
    (void)state;
    check_lines("", 0, (const char *const[]){ NULL });
    check_lines("\n", 1, (const char *const[]){ "", NULL });
    check_lines("a", 1, (const char *const[]){ "a", NULL });
    check_lines("a\n", 2, (const char *const[]){ "a", NULL });
    check_lines("a\n\nb", 4, (const char *const[]){ "a", "", "b", NULL });
    check_lines("a\r\nb\rc\n", 7, (const char *const[]){ "a\r", "b\rc", NULL });
}

static void names_tell_the_packing(void **state)
{
    (void)state;
    assert_int_equal(zip_of_name("a.gz"), ZIP_GZIP);
    assert_int_equal(zip_of_name("a.zst"), ZIP_ZSTD);
    assert_int_equal(zip_of_name("a.gz.txt"), ZIP_NONE);
    assert_int_equal(zip_of_name(".gz"), ZIP_NONE); /* a hidden file called gz */
    assert_int_equal(zip_of_name("-"), ZIP_NONE);
    assert_int_equal(zip_of_name(""), ZIP_NONE);
    assert_int_equal(zip_stem("rank.train.gz"), 10);
    assert_int_equal(zip_stem("a.zst"), 1);
    assert_int_equal(zip_stem("plain"), 5);
    assert_int_equal(zip_of_magic("\x1f", 1), ZIP_NONE);
    assert_int_equal(zip_of_magic("\x28\xb5\x2f", 3), ZIP_NONE);
}

/* Pages that were forgotten are read again as they were. */
static void what_is_forgotten_is_read_again(void **state)
{
    enum { N = 3 << 20 };
    char *const text = random_text(N);
    const char *const path = scratch_path("forgotten.txt");
    struct output *o;

    (void)state;
    assert_ok(output_open(&o, path, &err), err);
    output_write(o, text, N);
    assert_ok(output_commit(o, &err), err);
    struct input in = opened(path), none = { 0 };

    assert_true(in.is_mapped);
    assert_memory_equal(in.data, text, N);
    input_forget(&in, in.data, in.size);
    input_forget(&in, in.data + 12345, 1 << 20);
    input_forget(&in, in.data + N - 1, 1);
    assert_memory_equal(in.data, text, N);
    /* So are those of which somebody has said how they are read. */
    input_scatter(&in, true);
    input_forget(&in, in.data, in.size);
    input_expect(&in, in.data + 12345, 1 << 20);
    input_expect(&in, in.data + N - 1, 1);
    assert_memory_equal(in.data, text, N);
    input_scatter(&in, false);
    assert_int_equal(in.data[N], 0); /* the padding too */
    /* What is no part of it stays. */
    input_forget(&in, text, N);
    input_forget(&in, in.data + 1, N);
    input_forget(&none, text, N);
    input_expect(&in, text, N);
    input_expect(&in, in.data + 1, N);
    input_expect(&none, text, N);
    input_scatter(&none, true);
    assert_memory_equal(in.data, text, N);
    input_close(&in);
    assert_ok(input_of_memory(&in, text, N, "a text", &err), err);
    input_forget(&in, in.data, in.size);
    assert_memory_equal(in.data, text, N);
    input_close(&in);
    free(text);
}

/* Of any size and unit: each whole, at a multiple of the unit. */
static void files_are_mapped_as_one(void **state)
{
    static const size_t units[] = { 4, 548, 4096, 12288 };
    char *const text = random_text(30000);
    struct input_file file[] = { { .size = 5000 }, { .size = 8192 }, { .size = 1 } };
    struct input in;

    (void)state;
    file[0].path = scratch_bytes("one", text, 5000);
    file[1].path = scratch_bytes("two", text + 5000, 8192);
    file[2].path = scratch_bytes("three", text + 13192, 1);
    for (size_t i = 0; i < N_OF(units); i++) {
        assert_ok(input_map_files(&in, file, 3, units[i], &err), err);
        for (size_t k = 0, at = 0; k < 3; at += file[k++].size) {
            assert_int_equal(file[k].at % units[i], 0);
            assert_memory_equal(in.data + file[k].at, text + at, file[k].size);
        }
        input_forget(&in, in.data, in.size); /* with what lies between them */
        assert_memory_equal(in.data + file[1].at, text + 5000, file[1].size);
        input_close(&in);
    }
    file[1].size++;
    assert_failure(input_map_files(&in, file, 3, 4, &err), &err, PECK_IO, "was changed");
    file[1].path = "/no/such/file";
    assert_failure(input_map_files(&in, file, 3, 4, &err), &err, PECK_IO, "cannot open");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_are_mapped_as_one),
        cmocka_unit_test(what_is_forgotten_is_read_again),
        cmocka_unit_test(files_of_any_size_are_padded),
        cmocka_unit_test(an_empty_file_is_empty),
        cmocka_unit_test(packed_files_are_unpacked_by_their_magic),
        cmocka_unit_test(zeros_that_pack_a_thousandfold_unpack),
        cmocka_unit_test(a_lying_name_does_not_matter),
        cmocka_unit_test(members_and_frames_follow_each_other),
        cmocka_unit_test(the_programs_gzip_and_zstd_agree),
        cmocka_unit_test(every_cut_of_a_packed_file_is_refused),
        cmocka_unit_test(damage_in_a_packed_file_is_refused),
        cmocka_unit_test(bytes_after_packed_data_are_refused),
        cmocka_unit_test(a_skippable_zstd_frame_is_passed_over),
        cmocka_unit_test(a_small_file_may_be_cut_short_while_in_use),
        cmocka_unit_test(data_that_is_no_text_is_called_so),
        cmocka_unit_test(what_cannot_be_opened_is_an_io_error),
        cmocka_unit_test(standard_input_can_be_a_file),
        cmocka_unit_test(standard_input_goes_on_where_it_stands),
        cmocka_unit_test(a_pipe_is_read_to_its_end),
        cmocka_unit_test(devices_and_proc_files_are_read),
        cmocka_unit_test(lines_end_at_newlines_or_the_end),
        cmocka_unit_test(names_tell_the_packing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
