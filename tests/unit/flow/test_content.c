/* test_content.c -- what a file holds is told by its first bytes. */
#include "support/check.h"
#include "support/scratch.h"
#include "support/tasks.h"

#include "base/output.h"

#include <sys/stat.h>

static peck_error err;

/* The same bytes, packed or not. */
static void expect(const char *content, const char *name, const void *bytes, size_t n)
{
    static const char *const endings[] = { "", ".gz", ".zst" };

    for (size_t i = 0; i < N_OF(endings); i++) {
        char full[64];
        struct output *o = NULL;

        snprintf(full, sizeof full, "%s%s", name, endings[i]);
        assert_ok(output_open(&o, scratch_path(full), &err), err);
        output_write(o, bytes, n);
        assert_ok(output_commit(o, &err), err);
        const char *const found = peck_file_content(scratch_path(full));

        if (found == NULL || strcmp(found, content) != 0)
            fail_msg("%s: %s, not %s", full, found != NULL ? found : "nothing", content);
    }
}

static void text_is_told_apart(void **state)
{
    static const char *const known[][2] = {
        { "text", "2 qid:1 1:0.5\n" },
        { "text", "label,query,f1\n1,a,2\n" },
        { "text", "query\tmap\na\t1\n" },
        { "text", "{\"map\": 0.5}\n" },
        { "text", "\n\n" },
        { "scores", "-0.25\n1e-3\n" },
        { "scores", "\n 7" },
        { "log", "{\"member\": 0, \"epoch\": 1, \"loss\": 2}\n" },
        { "page", "<!DOCTYPE html>\n<html lang=\"en\">" },
        { "page", "\n<html>" },
        { "binary", "\x7f"
                    "ELF" },
    };

    (void)state;
    for (size_t i = 0; i < N_OF(known); i++)
        expect(known[i][0], "known", known[i][1],
               strcmp(known[i][0], "binary") == 0 ? 5 : strlen(known[i][1]));
}

/* More than the head that is looked at, and packed to more than that as well. */
static void long_files_are_known_by_their_head(void **state)
{
    enum { BYTES = 1 << 20 };
    char *const text = malloc(BYTES);
    uint64_t x = 1;

    (void)state;
    assert_non_null(text);
    for (size_t i = 0; i < BYTES; i++) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        text[i] = (char)('a' + (x >> 59));
    }
    expect("text", "long", text, BYTES);
    memcpy(text, "<!doctype html>\n", 16);
    expect("page", "long", text, BYTES);
    free(text);
}

static void what_the_house_writes_is_known(void **state)
{
    static const char *const names[] = { "a.peck", "a.peck.gz", "a.peck.zst" };
    static const char *const caches[] = { "a.peckdata" };
    const struct task_sample sample = { .n_queries = 8, .max_docs = 6, .dim = 3 };
    struct peck_dataset *const d = task_dataset(&sample, 1);
    peck_model *m = NULL, *both = NULL;
    const peck_train_spec spec = { .method = "ridge",
                                   .train = d,
                                   .checkpoint = scratch_path("a.check") };

    (void)state;
    assert_ok(peck_train(&m, &spec, &err), err);
    assert_string_equal(peck_file_content(spec.checkpoint), "checkpoint");
    for (size_t i = 0; i < N_OF(names); i++) {
        assert_ok(peck_model_save(m, scratch_path(names[i]), &err), err);
        assert_string_equal(peck_file_content(scratch_path(names[i])), "model");
    }
    assert_ok(peck_blend(&both,
                         &(peck_blend_spec){ .model = (const peck_model *[]){ m, m },
                                             .n_models = 2 },
                         &err),
              err);
    assert_ok(peck_model_save(both, scratch_path("both.peck"), &err), err);
    assert_string_equal(peck_file_content(scratch_path("both.peck")), "model");
    for (size_t i = 0; i < N_OF(caches); i++) {
        assert_ok(peck_dataset_write(d, scratch_path(caches[i]), NULL, &err), err);
        assert_string_equal(peck_file_content(scratch_path(caches[i])), "cache");
    }
    peck_model_free(both);
    peck_model_free(m);
    peck_dataset_free(d);
}

static void what_cannot_be_lost_is_nothing(void **state)
{
    const char *const fifo = scratch_path("fifo");

    (void)state;
    assert_int_equal(mkfifo(fifo, 0600), 0);
    assert_null(peck_file_content(scratch_path("not-there")));
    assert_null(peck_file_content(scratch_file("empty", "")));
    assert_null(peck_file_content(fifo)); /* and does not wait for a writer */
    assert_null(peck_file_content("/dev/null"));
    assert_null(peck_file_content("-"));
    assert_null(peck_file_content("/"));
}

static void what_is_damaged_is_still_something(void **state)
{
    (void)state;
    assert_string_equal(
        peck_file_content(scratch_bytes("cut.gz", "\x1f\x8b\x08\x00\x00\x00", 6)),
        "binary");
    assert_string_equal(
        peck_file_content(scratch_bytes("cut.zst", "\x28\xb5\x2f\xfd\x00\x00", 6)),
        "binary");
    assert_string_equal(
        peck_file_content(scratch_bytes("other.safetensors", "\2\0\0\0\0\0\0\0{}", 10)),
        "binary");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_is_told_apart),
        cmocka_unit_test(long_files_are_known_by_their_head),
        cmocka_unit_test(what_the_house_writes_is_known),
        cmocka_unit_test(what_cannot_be_lost_is_nothing),
        cmocka_unit_test(what_is_damaged_is_still_something),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
