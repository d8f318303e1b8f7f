/* Model files: what is saved comes back to the bit; what is not a model is refused with a
 * sentence. */
#include "support/check.h"
#include "support/models.h"
#include "support/scratch.h"

#include <math.h>

static peck_error err;

#define SETTINGS(...) ((const char *const[]){ __VA_ARGS__, NULL })

static const char *saved(const struct peck_model *m, const char *name)
{
    const char *const path = scratch_path(name);

    assert_ok(peck_model_save(m, path, &err), err);
    return path;
}

static struct peck_model *loaded(const char *path)
{
    struct peck_model *m = NULL;

    assert_ok(peck_model_load(&m, path, &err), err);
    return m;
}

static void assert_same_scores(const struct peck_model *a, const struct peck_model *b)
{
    enum { N = 33 };
    const size_t dim = peck_model_features(a);
    float *const x = random_floats(N * dim, 5);
    double score[2][N];
    const struct peck_model *const model[] = { a, b };

    for (size_t i = 0; i < 2; i++) {
        peck_scorer *s = NULL;

        assert_ok(peck_scorer_new(&s, model[i], &err), err);
        assert_ok(peck_score(s, x, N, dim, score[i], &err), err);
        peck_scorer_free(s);
    }
    assert_memory_equal(score[0], score[1], sizeof score[0]);
    free(x);
}

static void assert_same_strings(const struct strings *a, const struct strings *b)
{
    assert_int_equal(a->n, b->n);
    for (size_t i = 0; i < a->n; i++)
        assert_true(span_equal(strings_get(a, i), strings_get(b, i)));
}

/* What could not be read is not written, and what stood there stays. */
static void numbers_that_are_none_are_not_saved(void **state)
{
    const struct model_sample sample = { .dim = 3, .norm = "zscore", .n_members = 2 };
    const float bad[] = { NAN, INFINITY, -INFINITY };
    struct peck_model *const m = sample_model(&sample);
    const char *const path = saved(m, "kept.peck");
    const size_t last = m->n_members * m->n_weights - 1;
    const float good = m->w[last];

    (void)state;
    for (size_t i = 0; i < N_OF(bad); i++) {
        m->w[last] = bad[i];
        assert_int_equal(peck_model_save(m, path, &err), PECK_DIVERGED);
        assert_failed(err, PECK_DIVERGED, "not written: weight ");
        struct peck_model *const again = loaded(path);

        assert_true(same_float(again->w[last], good));
        peck_model_free(again);
    }
    peck_model_free(m);
}

static void a_model_comes_back_to_the_bit(void **state)
{
    static const struct model_sample samples[] = {
        { .dim = 5, .has_names = true, .seed = 1 },
        { .family = "linear", .dim = 1, .norm = "zscore" },
        { .dim = 7, .norm = "quantile+query-zscore", .n_members = 3, .has_names = true },
        { .family = "linear", .dim = 46, .norm = "minmax+log+query", .n_members = 2 },
    };

    (void)state;
    for (size_t i = 0; i < N_OF(samples); i++) {
        struct peck_model *const m = sample_model(&samples[i]);
        struct peck_model *const again = loaded(saved(m, "a.peck"));

        assert_ptr_equal(again->family, m->family);
        assert_memory_equal(again->shape, m->shape, m->family->shape_size);
        assert_int_equal(again->n_weights, m->n_weights);
        assert_int_equal(again->n_members, m->n_members);
        assert_memory_equal(again->w, m->w, m->n_members * m->n_weights * sizeof(float));
        assert_string_equal(again->norm->spec, m->norm->spec);
        assert_same_strings(&again->feature_name, &m->feature_name);
        assert_same_strings(&again->notes.key, &m->notes.key);
        assert_same_strings(&again->notes.text, &m->notes.text);
        assert_same_scores(m, again);
        assert_true(files_equal(scratch_path("a.peck"), saved(again, "b.peck")));
        peck_model_free(m);
        peck_model_free(again);
    }
}

static void settings_of_the_shape_come_back(void **state)
{
    const struct model_sample sample = {
        .settings = SETTINGS("hidden=12-3", "activation=relu", "head=antisymmetric",
                             "dropout=0.1", "init=normal"),
        .dim = 3
    };
    struct peck_model *const m = sample_model(&sample);
    struct peck_model *const again = loaded(saved(m, "a.peck"));

    (void)state;
    assert_memory_equal(again->shape, m->shape, m->family->shape_size);
    peck_model_free(m);
    peck_model_free(again);
}

/* Whatever a note holds; what JSON cannot hold becomes U+FFFD. */
static void notes_may_hold_any_text(void **state)
{
    const struct model_sample sample = { .dim = 2 };
    struct peck_model *const m = sample_model(&sample);

    (void)state;
    assert_true(notes_add(&m->notes, "quoted \"key\"", span_of("a\\b\n\tc \xC3\xA9")));
    assert_true(notes_add(&m->notes, "empty", span_of("")));
    assert_true(notes_add(&m->notes, "bytes", (peck_span){ "x\xFFy\0z", 5 }));
    struct peck_model *const again = loaded(saved(m, "a.peck"));

    assert_span(notes_get(&again->notes, "method"), "ranknet");
    assert_span(notes_get(&again->notes, "quoted \"key\""), "a\\b\n\tc \xC3\xA9");
    assert_span(notes_get(&again->notes, "empty"), "");
    assert_span(notes_get(&again->notes, "bytes"), "x\xEF\xBF\xBDy\xEF\xBF\xBDz");
    assert_int_equal(notes_get(&again->notes, "absent").n, 0);
    peck_model_free(m);
    peck_model_free(again);
}

static void a_note_cannot_pose_as_the_format(void **state)
{
    const struct model_sample sample = { .dim = 2 };
    struct peck_model *const m = sample_model(&sample);

    (void)state;
    assert_true(notes_add(&m->notes, "norm", span_of("zscore")));
    assert_int_equal(peck_model_save(m, scratch_path("never"), &err), PECK_ARG);
    assert_failed(err, PECK_ARG, "'norm'");
    assert_int_equal(scratch_count("never"), 0);
    peck_model_free(m);
}

/* The folder is not there: nothing is left behind, and the reason is told. */
static void a_save_that_fails_says_why(void **state)
{
    const struct model_sample sample = { .dim = 2 };
    struct peck_model *const m = sample_model(&sample);

    (void)state;
    assert_int_equal(peck_model_save(m, scratch_path("no/such/folder"), &err), PECK_IO);
    assert_true(err.text[0] != '\0');
    peck_model_free(m);
}

/* Bad files ------------------------------------------------------------------------ */

static void refuses_file(const char *path, const char *phrase)
{
    struct peck_model *m = (void *)&err;

    assert_int_equal(peck_model_load(&m, path, &err), PECK_FORMAT);
    assert_null(m);
    assert_failed(err, PECK_FORMAT, phrase);
    assert_failed(err, PECK_FORMAT, path);
}

static void refuses_bytes(const char *bytes, size_t n, const char *phrase)
{
    refuses_file(scratch_bytes("bad.peck", bytes, n), phrase);
}

static char *small_file(size_t *n)
{
    const struct model_sample sample = {
        .family = "linear", .dim = 3, .norm = "zscore", .has_names = true
    };
    struct peck_model *const m = sample_model(&sample);
    char *const bytes = file_bytes(saved(m, "small.peck"), n);

    assert_non_null(bytes);
    peck_model_free(m);
    return bytes;
}

static void every_cut_is_refused(void **state)
{
    size_t n;
    char *const bytes = small_file(&n);

    (void)state;
    for (size_t k = 0; k < n; k++)
        refuses_bytes(bytes, k, "");
    free(bytes);
}

/* The checksum sees what the structure cannot.  Only its own name may change: then it is
 * a note like any other. */
static void every_changed_byte_is_refused(void **state)
{
    size_t n;
    char *const bytes = small_file(&n);
    const size_t name = (size_t)(strstr(bytes + 8, "\"checksum\"") + 1 - bytes);

    (void)state;
    for (size_t k = 0; k < n; k++) {
        struct peck_model *m = NULL;

        bytes[k] ^= 0x10;
        const peck_status st =
            peck_model_load(&m, scratch_bytes("bad.peck", bytes, n), &err);

        bytes[k] ^= 0x10;
        if (st != PECK_FORMAT && k - name >= strlen("checksum"))
            fail_msg("byte %zu ('%c') changed: status %d", k, bytes[k], st);
        peck_model_free(m);
    }
    free(bytes);
}

/* A file with this metadata (JSON members) and one tensor "weights" of n floats. */
static const char *written(const char *metadata, uint64_t members, const float *w, size_t n)
{
    static char bytes[8192];
    const int length = snprintf(
        bytes + 8, sizeof bytes - 8,
        "{\"__metadata__\":{%s},\"weights\":{\"dtype\":\"F32\",\"shape\":[%llu,%llu],"
        "\"data_offsets\":[0,%zu]}}",
        metadata, (unsigned long long)members, (unsigned long long)(n / members), n * 4);

    memset(bytes, 0, 8);
    bytes[0] = (char)(length & 0xFF);
    bytes[1] = (char)(length >> 8);
    memcpy(bytes + 8 + length, w, n * 4);
    return scratch_bytes("made.peck", bytes, 8 + (size_t)length + n * 4);
}

#define HEAD "\"format\":\"peck model 1\","
#define GOOD                                                                          \
    HEAD "\"family\":\"linear\",\"shape\":\"bias=no\",\"norm\":\"none\",\"members\":" \
         "\"1\",\"features\":\"2\""

static void a_file_of_another_program_is_read(void **state)
{
    static const float w[] = { 1, 2 };
    struct peck_model *const m = loaded(written(GOOD, 1, w, 2));

    (void)state;
    assert_int_equal(peck_model_features(m), 2);
    assert_memory_equal(m->w, w, sizeof w);
    peck_model_free(m);
}

static void files_that_do_not_fit_are_refused(void **state)
{
    static const float w[] = { 1, 2, 3, 4 };
    static const struct {
        const char *metadata, *phrase;
    } cases[] = {
        { "\"format\":\"peck model 3\"", "'peck model 3', but this program knows" },
        { "\"format\":\"peck model 1b\"", "'peck model 1b', but this program knows" },
        { "\"format\":\"peck data 1\"", "'peck data 1', not a model" },
        { "\"made\":\"elsewhere\"", "not a model of peck" },
        { HEAD "\"norm\":\"none\",\"features\":\"2\"", "does not say its 'family'" },
        { HEAD "\"norm\":\"none\",\"features\":\"2\",\"family\":\"forest\"", "'forest'" },
        { HEAD
          "\"norm\":\"none\",\"features\":\"2\",\"family\":\"mlp\",\"shape\":\"depth=2\"",
          "depth" },
        { HEAD
          "\"norm\":\"none\",\"features\":\"2\",\"family\":\"mlp\",\"shape\":\"hidden=x\"",
          "hidden=x" },
        { HEAD "\"norm\":\"none\",\"features\":\"2\",\"family\":\"cmpnn\","
               "\"shape\":\"hidden=4-3\"",
          "give an even number at the end" },
        { HEAD "\"norm\":\"none\",\"features\":\"2\",\"family\":\"cmpnn\","
               "\"shape\":\"hidden=99999999999999999999-2\"",
          "hidden=99999999999999999999-2: give" },
        { HEAD "\"norm\":\"none\",\"features\":\"2\",\"family\":\"cmpnn\","
               "\"shape\":\"hidden=1-2\",\"members\":\"1\"",
          "should be F32 [1, 9]" },
        { HEAD "\"norm\":\"none\",\"features\":\"0\"", "'features' is '0'" },
        { HEAD "\"norm\":\"none\",\"features\":\"-1\"", "'features' is '-1'" },
        { HEAD "\"norm\":\"none\",\"features\":\"99999999999\"", "'features'" },
        { HEAD "\"norm\":\"none\"", "'features'" },
        { HEAD "\"features\":\"2\"", "'norm'" },
        { HEAD "\"norm\":\"fog\",\"features\":\"2\"", "fog" },
        { HEAD "\"norm\":\"zscore\",\"features\":\"2\"", "norm.0" },
        { HEAD "\"norm\":\"none\",\"features\":\"2\",\"family\":\"linear\",\"members\":"
               "\"18446744073709551615\"",
          "'members'" },
        { GOOD, "'weights' is F32 [1, 4], but should be F32 [1, 2]" },
        { GOOD ",\"checksum\":\"0123456789abcdef\"", "checksum" },
    };

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++)
        refuses_file(written(cases[i].metadata, 1, w, 4), cases[i].phrase);
    refuses_file(written(GOOD, 2, w, 4), "but should be F32 [1, 2]");
    refuses_file(written(GOOD, 1, (float[]){ 1, NAN }, 2), "weight 1 is not a number");
    refuses_file(written(GOOD, 1, (float[]){ -INFINITY, 1 }, 2), "weight 0 is infinite");
}

/* An ensemble with scales; `format` and `scale` as a file may say. */
static const char *written_scaled(const char *format, const char *shape,
                                  const double scale[4])
{
    static char bytes[4096];
    const float w[] = { 1, -2 };
    const int n = snprintf(
        bytes + 8, sizeof bytes - 8,
        "{\"__metadata__\":{\"format\":\"%s\",\"family\":\"linear\",\"shape\":\"bias=no\","
        "\"norm\":\"none\",\"members\":\"2\",\"features\":\"1\"},"
        "\"weights\":{\"dtype\":\"F32\",\"shape\":[2,1],\"data_offsets\":[0,8]},"
        "\"scales\":{\"dtype\":\"F64\",\"shape\":%s,\"data_offsets\":[8,40]}}",
        format, shape);

    memset(bytes, 0, 8);
    bytes[0] = (char)(n & 0xFF);
    bytes[1] = (char)(n >> 8);
    memcpy(bytes + 8 + n, w, sizeof w);
    memcpy(bytes + 8 + n + sizeof w, scale, 4 * sizeof *scale);
    return scratch_bytes("made.peck", bytes, 8 + (size_t)n + 40);
}

/* In the format before there were any they are passed over, as its readers did. */
static void scales_come_back_in_a_format_of_their_own(void **state)
{
    static const double good[] = { 0.5, 2, -3, 1e-3 };
    struct peck_model *m = loaded(written_scaled("peck model 2", "[2,2]", good));
    size_t n;

    (void)state;
    assert_non_null(m->scale);
    assert_memory_equal(m->scale, good, sizeof good);
    assert_true(peck_model_scores_alone(m));
    char *const bytes = file_bytes(saved(m, "a.peck"), &n);

    assert_non_null(strstr(bytes + 8, "\"format\":\"peck model 2\""));
    free(bytes);
    struct peck_model *const again = loaded(scratch_path("a.peck"));

    assert_memory_equal(again->scale, good, sizeof good);
    assert_same_scores(m, again);
    assert_true(files_equal(scratch_path("a.peck"), saved(again, "b.peck")));
    peck_model_free(m);
    peck_model_free(again);
    m = loaded(written_scaled("peck model 1", "[2,2]", good));
    assert_null(m->scale);
    assert_false(peck_model_scores_alone(m));
    peck_model_free(m);
}

static void scales_that_are_none_are_refused(void **state)
{
    static const double good[] = { 0, 1, 0, 1 };
    static const double bad[][4] = {
        { 0, 0, 0, 1 },   { 0, -1, 0, 1 },       { 0, NAN, 0, 1 },
        { NAN, 1, 0, 1 }, { 0, INFINITY, 0, 1 }, { -INFINITY, 1, 0, 1 },
    };
    static const float w[] = { 1, 2 };

    (void)state;
    for (size_t i = 0; i < N_OF(bad); i++)
        refuses_file(written_scaled("peck model 2", "[2,2]", bad[i]),
                     "row 1 of 'scales' is no mean and deviation");
    refuses_file(written_scaled("peck model 2", "[2,2]", (double[]){ 0, 1, 0, 0 }),
                 "row 2 of 'scales'");
    refuses_file(written_scaled("peck model 2", "[1,4]", good), "should be F64 [2, 2]");
    refuses_file(written("\"format\":\"peck model 2\",\"family\":\"linear\",\"shape\":"
                         "\"bias=no\",\"norm\":\"none\",\"members\":\"1\",\"features\":"
                         "\"2\"",
                         1, w, 2),
                 "'scales'");
}

/* No reader of data lets such a name through. */
static void a_name_of_two_lines_is_refused(void **state)
{
    const struct model_sample sample = { .family = "linear", .dim = 1 };
    struct peck_model *const m = sample_model(&sample);

    (void)state;
    assert_true(strings_add(&m->feature_name, span_of("bm25\nage")));
    refuses_file(saved(m, "lines.peck"), "the name of feature 1 holds a line break");
    peck_model_free(m);
}

/* A small file asks for a net of 10^12 weights: refused for lack of them, not for lack of
 * memory. */
static void a_small_file_cannot_ask_for_much(void **state)
{
    static const float w[] = { 1 };

    (void)state;
    refuses_file(written(HEAD "\"family\":\"mlp\",\"norm\":\"none\",\"features\":"
                              "\"16777216\",\"members\":\"1\",\"shape\":\"hidden=65536\"",
                         1, w, 1),
                 "but should be");
    refuses_file(written(HEAD "\"family\":\"cmpnn\",\"norm\":\"none\",\"features\":"
                              "\"16777216\",\"members\":\"1\",\"shape\":\"hidden="
                              "65536-65536-65536-65536-4096\"",
                         1, w, 1),
                 "should be F32 [1, 1112665233409]");
}

static void other_files_are_refused(void **state)
{
    struct peck_model *m = NULL;

    (void)state;
    refuses_file(scratch_file("text.txt", "1 qid:1 1:0.5\n"), "safetensors");
    refuses_file(scratch_file("empty", ""), "is empty");
    assert_int_equal(peck_model_load(&m, scratch_path("absent"), &err), PECK_IO);
    assert_null(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_that_are_none_are_not_saved),
        cmocka_unit_test(a_model_comes_back_to_the_bit),
        cmocka_unit_test(settings_of_the_shape_come_back),
        cmocka_unit_test(notes_may_hold_any_text),
        cmocka_unit_test(a_note_cannot_pose_as_the_format),
        cmocka_unit_test(a_save_that_fails_says_why),
        cmocka_unit_test(every_cut_is_refused),
        cmocka_unit_test(every_changed_byte_is_refused),
        cmocka_unit_test(a_file_of_another_program_is_read),
        cmocka_unit_test(files_that_do_not_fit_are_refused),
        cmocka_unit_test(scales_come_back_in_a_format_of_their_own),
        cmocka_unit_test(scales_that_are_none_are_refused),
        cmocka_unit_test(a_name_of_two_lines_is_refused),
        cmocka_unit_test(a_small_file_cannot_ask_for_much),
        cmocka_unit_test(other_files_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
