/* Score files: order, counts, what is no score. */
#include "data/dataset.h"
#include "support/scratch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static peck_error err;

static peck_dataset *read_text(const char *text)
{
    peck_dataset *d = NULL;

    assert_int_equal(peck_dataset_read(&d, scratch_file("d.txt", text), NULL, &err),
                     PECK_OK);
    return d;
}

static peck_dataset *three_docs(void)
{
    return read_text("1 qid:a 1:1\n0 qid:a 1:2\n0 qid:b 1:3\n");
}

static void scores_come_line_by_line(void **state)
{
    (void)state;
    static const char *const files[] = {
        "0.5\n-1e-3\n3\n",
        "0.5\n-1e-3\n3",
        "\xEF\xBB\xBF 0.5\r\n-1e-3\t\r\n3\r\n",
        "0.5\n-1e-3\n3\n\n",
        "+0.5\n-.001\n3.\n \n\r\n",
    };
    peck_dataset *const d = three_docs();

    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        double score[3] = { 0 };

        assert_int_equal(peck_scores_read(score, scratch_file("s", files[i]), d, &err),
                         PECK_OK);
        assert_true(score[0] == 0.5 && score[1] == -1e-3 && score[2] == 3);
    }
    peck_dataset_free(d);
}

static void scores_follow_gathered_rows(void **state)
{
    (void)state;
    peck_dataset *const d =
        read_text("1 qid:a 1:1\n0 qid:b 1:2\n0 qid:a 1:3\n0 qid:c 1:1\n0 qid:b 1:1\n");
    double score[5];

    assert_int_equal(peck_scores_read(score, scratch_file("s", "0\n1\n2\n3\n4\n"), d, &err),
                     PECK_OK);
    assert_true(score[0] == 0 && score[1] == 2 && score[2] == 1 && score[3] == 4 &&
                score[4] == 3);
    peck_dataset_free(d);
}

static void scores_of_a_part_are_in_its_order(void **state)
{
    (void)state;
    const uint32_t swapped[] = { 2, 0 };
    peck_dataset *const d =
        read_text("1 qid:a 1:1\n0 qid:b 1:2\n0 qid:c 1:3\n0 qid:a 1:4\n");
    peck_dataset *part = NULL;
    double score[3];

    assert_int_equal(dataset_take(&part, d, swapped, 2, &err), PECK_OK);
    assert_int_equal(peck_scores_read(score, scratch_file("s", "7\n8\n9\n"), part, &err),
                     PECK_OK);
    assert_true(score[0] == 7 && score[1] == 8 && score[2] == 9);
    peck_dataset_free(part);
    peck_dataset_free(d);
}

static void bad_scores_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        peck_status why;
        const char *place, *says;
    } bad[] = {
        { "1\n2\n", PECK_SHAPE, "s:2:", "after 2 scores" },
        { "", PECK_SHAPE, "s:", "after 0 scores" },
        { "1\n2\n3\n4\n", PECK_SHAPE, "s:4:", "4 scores for the 3 documents" },
        { "1\n2\n3\n4\n5\n6", PECK_SHAPE, "s:4:", "6 scores for the 3 documents" },
        { "1\n2\n3\n4\n\n5\n \n", PECK_SHAPE, "s:4:", "5 scores for the 3 documents" },
        { "1\nnan\n3\n", PECK_FORMAT, "s:2:", "'nan'" },
        { "1\n2\ninf\n", PECK_FORMAT, "s:3:", "'inf'" },
        { "-inf\n2\n3\n", PECK_FORMAT, "s:1:", "'-inf'" },
        { "1e999\n2\n3\n", PECK_FORMAT, "s:1:", "'1e999'" },
        { "1\n2\nthree\n", PECK_FORMAT, "s:3:", "'three'" },
        { "1\n2 3\n4\n", PECK_FORMAT, "s:2:", "'2 3'" },
        { "1\n2,\n4\n", PECK_FORMAT, "s:2:", "'2,'" },
        { "1\n0x2\n4\n", PECK_FORMAT, "s:2:", "'0x2'" },
        { "1\n\n2\n3\n", PECK_FORMAT, "s:2:", "blank line" },
    };
    peck_dataset *const d = three_docs();
    double score[3];

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_failure(peck_scores_read(score, scratch_file("s", bad[i].text), d, &err),
                       &err, bad[i].why, bad[i].place, bad[i].says);
    assert_failure(peck_scores_read(score, "/no/such/file", d, &err), &err, PECK_IO,
                   "/no/such/file");
    assert_failure(peck_scores_read(score, "/tmp", d, &err), &err, PECK_IO, "directory");
    peck_dataset_free(d);
}

static void many_scores_read_back_exactly(void **state)
{
    (void)state;
    enum { N = 20000 };
    float *const x = calloc(N, sizeof *x);
    double *const score = calloc(N, sizeof *score);
    char *const text = malloc(N * 32);
    const uint32_t size = N;
    peck_dataset *d = NULL;
    size_t n = 0;

    for (int i = 0; i < N; i++)
        n += (size_t)snprintf(text + n, 32, "%.*g\n", 1 + i % 17, (i - 777) * 1.37e-3 * i);
    assert_int_equal(peck_dataset_wrap(&d, x, N, 1, NULL, &size, 1, &err), PECK_OK);
    assert_int_equal(peck_scores_read(score, scratch_bytes("s", text, n), d, &err),
                     PECK_OK);
    const char *p = text;

    for (int i = 0; i < N; i++) {
        char *end;

        assert_true(score[i] == strtod(p, &end));
        p = end + 1;
    }
    peck_dataset_free(d);
    free(x);
    free(score);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scores_come_line_by_line),
        cmocka_unit_test(scores_follow_gathered_rows),
        cmocka_unit_test(scores_of_a_part_are_in_its_order),
        cmocka_unit_test(bad_scores_are_refused),
        cmocka_unit_test(many_scores_read_back_exactly),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
