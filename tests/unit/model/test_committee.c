/* Committees: what they say, their files, and what cannot sit together. */
#include "support/check.h"
#include "support/models.h"
#include "support/scratch.h"

#include <math.h>

static peck_error err;

enum { DIM = 5, N = 12 };

static const struct model_sample kinds[] = {
    { .dim = DIM, .norm = "zscore", .seed = 1 },
    { .family = "cmpnn", .dim = DIM, .norm = "minmax", .n_members = 2, .seed = 2 },
    { .family = "trees", .dim = DIM, .norm = "none+query", .has_names = true, .seed = 3 },
    { .family = "linear", .dim = DIM, .n_members = 3, .seed = 4 },
};
enum { N_KINDS = N_OF(kinds) };
static const double shares[N_KINDS] = { 0.5, 0.25, 0.125, 0.125 };

static void free_all(struct peck_model *const *m, size_t n)
{
    for (size_t i = 0; i < n; i++)
        peck_model_free(m[i]);
}

static struct peck_model *make_committee(void)
{
    struct peck_model *part[N_KINDS];

    for (size_t i = 0; i < N_KINDS; i++)
        part[i] = sample_model(&kinds[i]);
    struct peck_model *const m = committee_of(part, shares, N_KINDS);

    free_all(part, N_KINDS); /* the committee keeps them */
    assert_true(notes_add(&m->notes, "method", span_of("blend")));
    return m;
}

static void scores_of(const struct peck_model *m, const float *x, size_t n, double *score)
{
    peck_scorer *s = NULL;

    assert_ok(peck_scorer_new(&s, m, &err), err);
    assert_ok(peck_score(s, x, n, peck_model_features(m), score, &err), err);
    peck_scorer_free(s);
}

/* Whichever of its models they are in; what stood there stays. */
static void numbers_that_are_none_are_not_saved(void **state)
{
    struct peck_model *const m = make_committee();
    const char *const path = scratch_path("kept.peck");

    (void)state;
    assert_ok(peck_model_save(m, path, &err), err);
    for (size_t i = 0; i < N_KINDS; i++) {
        struct peck_model *const part = m->part[i], *again = NULL;
        const float kept = part->w[part->n_weights - 1];

        part->w[part->n_weights - 1] = NAN;
        assert_int_equal(peck_model_save(m, path, &err), PECK_DIVERGED);
        assert_failed(err, PECK_DIVERGED, "not a number");
        part->w[part->n_weights - 1] = kept;
        assert_ok(peck_model_load(&again, path, &err), err);
        peck_model_free(again);
    }
    assert_ok(peck_model_save(m, path, &err), err);
    peck_model_free(m);
}

/* What a model scores ---------------------------------------------------------------- */

static void shares_weigh_what_is_standardised(void **state)
{
    static const double share[] = { 0.75, 0.25 };
    static const float w[2][2] = { { 1, 0 }, { 0, -1000 } };
    static const float x[4 * 2] = { 1, 1, 2, 4, 3, 9, 4, 16 };
    const struct model_sample sample = {
        .family = "linear", .dim = 2, .settings = (const char *const[]){ "bias=no", NULL }
    };
    struct peck_model *part[2];
    double score[4];

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        part[i] = sample_model(&sample);
        memcpy(part[i]->w, w[i], sizeof w[i]);
    }
    struct peck_model *const m = committee_of(part, share, 2);

    scores_of(m, x, 4, score);
    /* 1 2 3 4: mean 2.5, variance 1.25.  1 4 9 16: mean 7.5, variance 32.25, turned. */
    for (size_t i = 0; i < 4; i++)
        assert_true(fabs(score[i] - (0.75 * (x[2 * i] - 2.5) / sqrt(1.25) -
                                     0.25 * (x[2 * i + 1] - 7.5) / sqrt(32.25))) < 1e-6);
    scores_of(m, x, 1, score);
    assert_true(score[0] == 0.0f); /* alone, nothing stands out */
    free_all(part, 2);
    peck_model_free(m);
}

/* Scales of the committee, and of an ensemble in it: in a file of a format of its own. */
static void scales_of_a_committee_come_back(void **state)
{
    static const double half[] = { 0.5, 0.5 };
    const struct model_sample one = { .family = "linear", .dim = 2, .norm = "zscore" };
    const struct model_sample two = { .family = "linear", .dim = 2, .n_members = 2 };

    (void)state;
    for (int which = 1; which <= 3; which++) { /* 1: the part's, 2: the committee's, 3 */
        struct peck_model *part[] = { sample_model(&one), sample_model(&two) };
        struct peck_model *again = NULL;
        float x[8] = { 1, 2, 3, 4, -5, 6, 7, 8 };
        double score[2][4];
        struct peck_model *const m = committee_of(part, half, 2);
        struct scale **const to[] = { &part[1]->scale, &m->scale };
        size_t n;

        for (int k = 0; k < 2; k++)
            if ((which >> k & 1) != 0) {
                *to[k] = calloc(2, sizeof(struct scale));
                (*to[k])[0] = (struct scale){ 0.25, 3 };
                (*to[k])[1] = (struct scale){ -7, 0.5 };
            }
        assert_int_equal(peck_model_scores_alone(m), which == 3);
        assert_ok(peck_model_save(m, scratch_path("s.peck"), &err), err);
        char *const bytes = file_bytes(scratch_path("s.peck"), &n);

        assert_non_null(strstr(bytes + 8, "\"format\":\"peck committee 2\""));
        free(bytes);
        assert_ok(peck_model_load(&again, scratch_path("s.peck"), &err), err);
        assert_int_equal(again->scale != NULL, which >= 2);
        assert_int_equal(again->part[1]->scale != NULL, which != 2);
        scores_of(m, x, 4, score[0]);
        scores_of(again, x, 4, score[1]);
        assert_memory_equal(score[0], score[1], sizeof score[0]);
        scores_of(again, x + 2, 1, score[1]);
        assert_int_equal(score[1][0] == score[0][1], which == 3);
        free_all(part, 2);
        peck_model_free(m);
        peck_model_free(again);
    }
}

/* share * (s - mean) / deviation, whatever the list; and what is too large for a float. */
static void a_committee_goes_by_its_scales(void **state)
{
    static const double share[] = { 0.75, 0.25 };
    static const float w[2][2] = { { 1, 0 }, { 0, -1000 } };
    static const float x[2 * 2] = { 1, 1, 2, 4 };
    const struct model_sample sample = {
        .family = "linear", .dim = 2, .settings = (const char *const[]){ "bias=no", NULL }
    };
    struct peck_model *part[2];
    peck_scorer *s = NULL;
    double score[2];

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        part[i] = sample_model(&sample);
        memcpy(part[i]->w, w[i], sizeof w[i]);
    }
    struct peck_model *const m = committee_of(part, share, 2);

    m->scale = calloc(2, sizeof *m->scale);
    m->scale[0] = (struct scale){ 2, 4 };
    m->scale[1] = (struct scale){ 500, 100 };
    for (size_t i = 0; i < 2; i++) {
        scores_of(m, x + 2 * i, 1, score);
        assert_true(fabs(score[0] - (0.75 * (x[2 * i] - 2.0) / 4.0 +
                                     0.25 * (-1000.0 * x[2 * i + 1] - 500.0) / 100.0)) <
                    1e-6);
    }
    m->scale[1] = (struct scale){ 1e308, 1e-308 };
    assert_ok(peck_scorer_new(&s, m, &err), err);
    assert_int_equal(peck_score(s, x, 2, 2, score, &err), PECK_FORMAT);
    assert_failed(err, PECK_FORMAT, "document 1");
    peck_scorer_free(s);
    free_all(part, 2);
    peck_model_free(m);
}

/* Three documents that beat each other in a circle, and a twin of the first. */
static void a_comparator_is_heard_by_its_net_degree(void **state)
{
    static const float x[4 * 3] = { 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0 };
    static const peck_duel all[] = { { 0, 1 }, { 0, 2 }, { 0, 3 },
                                     { 1, 2 }, { 1, 3 }, { 2, 3 } };
    static const double one = 1.0;
    struct peck_model *part[] = { cyclic_model() };
    struct peck_model *const m = committee_of(part, &one, 1);
    double degree[4] = { 0 }, mean = 0.0, square = 0.0;
    float h[N_OF(all)];
    double score[4];
    peck_scorer *s = NULL;

    (void)state;
    assert_ok(peck_scorer_new(&s, part[0], &err), err);
    assert_ok(peck_prefer(s, x, 4, 3, all, N_OF(all), h, NULL, &err), err);
    for (size_t k = 0; k < N_OF(all); k++) {
        degree[all[k].i] += (double)h[k];
        degree[all[k].j] += 1.0 - (double)h[k];
    }
    for (size_t i = 0; i < 4; i++)
        mean += degree[i] / 4;
    for (size_t i = 0; i < 4; i++)
        square += (degree[i] - mean) * (degree[i] - mean) / 4;
    scores_of(m, x, 4, score);
    for (size_t i = 0; i < 4; i++)
        assert_true(fabs(score[i] - (degree[i] - mean) / sqrt(square)) < 1e-5);
    assert_false(peck_model_compares(m));
    peck_scorer_free(s);
    peck_model_free(part[0]);
    peck_model_free(m);
}

static void a_committee_may_miss_what_all_of_it_may(void **state)
{
    static const double halves[] = { 0.5, 0.5 };

    (void)state;
    for (int k = 0; k < 2; k++) { /* of trees alone, and with a line */
        struct peck_model *const part[] = {
            sample_model(
                &(struct model_sample){ .family = "trees", .dim = DIM, .seed = 1 }),
            sample_model(&(struct model_sample){
                .family = k == 0 ? "trees" : "linear", .dim = DIM, .seed = 2 }),
        };
        struct peck_model *const m = committee_of(part, halves, 2);

        assert_int_equal(model_may_miss(m), k == 0);
        free_all(part, 2);
        peck_model_free(m);
    }
}

static void a_score_that_overflows_is_refused(void **state)
{
    static const double half[] = { 0.5, 0.5 };
    const struct model_sample sample = { .family = "linear", .dim = 1 };
    struct peck_model *part[] = { sample_model(&sample), sample_model(&sample) };
    struct peck_model *const m = committee_of(part, half, 2);
    const float x[] = { 1, 3e38f };
    peck_scorer *s = NULL;
    double score[2];

    (void)state;
    part[1]->w[0] = 1e10f;
    assert_ok(peck_scorer_new(&s, m, &err), err);
    assert_int_equal(peck_score(s, x, 2, 1, score, &err), PECK_FORMAT);
    assert_failed(err, PECK_FORMAT, "document 2");
    peck_scorer_free(s);
    free_all(part, 2);
    peck_model_free(m);
}

static void whoever_is_freed_last_frees_a_model(void **state)
{
    static const double one = 1.0;
    struct peck_model *part[] = { sample_model(&kinds[0]) };
    struct peck_model *const a = committee_of(part, &one, 1);
    struct peck_model *const b = committee_of(part, &one, 1);
    float *const x = random_floats(N * DIM, 1);
    double score[2][N];

    (void)state;
    peck_model_free(a);
    scores_of(part[0], x, N, score[0]);
    peck_model_free(part[0]);
    scores_of(b, x, N, score[1]);
    for (size_t i = 1; i < N; i++) /* the same order, in other units */
        assert_true((score[0][i] > score[0][0]) == (score[1][i] > score[1][0]));
    peck_model_free(b);
    free(x);
}

/* Who can sit together --------------------------------------------------------------- */

static void refuses(struct peck_model *const *part, const double *share,
                    const char *const *name, size_t n, peck_status why, const char *phrase)
{
    struct peck_model *const m = model_new();

    assert_int_equal(
        committee_fill(m, (const struct peck_model *const *)part, share, name, n, &err),
        why);
    assert_failed(err, why, phrase);
    peck_model_free(m);
}

static void models_of_other_features_are_refused_with_both_counts(void **state)
{
    static const char *const name[] = { "a.peck", "b.peck" };
    static const double half[] = { 0.5, 0.5 };
    const struct model_sample other = { .dim = DIM + 1 };
    struct peck_model *part[] = { sample_model(&kinds[0]), sample_model(&other) };

    (void)state;
    refuses(part, half, name, 2, PECK_SHAPE, "b.peck takes 6 features, but a.peck takes 5");
    refuses(part, half, NULL, 2, PECK_SHAPE, "model 2 takes 6 features, but model 1");
    free_all(part, 2);
}

static void models_of_features_by_other_names_are_refused(void **state)
{
    static const double third[] = { 0.25, 0.25, 0.5 };
    const struct model_sample named = { .dim = 2, .has_names = true },
                              unnamed = { .dim = 2 };
    struct peck_model *part[] = { sample_model(&unnamed), sample_model(&named),
                                  sample_model(&unnamed) };

    (void)state;
    struct peck_model *const m = committee_of(part, third, 3);

    assert_span(strings_get(&m->feature_name, 1), "feature 1");
    peck_model_free(m);
    assert_true(strings_add(&part[2]->feature_name, span_of("")));
    assert_true(strings_add(&part[2]->feature_name, span_of("age")));
    refuses(part, third, NULL, 3, PECK_SHAPE,
            "feature 2 is 'age' to model 3, but 'feature 1' to model 2");
    free_all(part, 3);
}

static void shares_are_above_0_and_1_in_all(void **state)
{
    static const double bad[][2] = {
        { 0.5, 0.4 }, { 1.0, 0.0 }, { 1.5, -0.5 }, { 0.5, NAN }, { INFINITY, 0.5 }
    };
    struct peck_model *part[] = { sample_model(&kinds[0]), sample_model(&kinds[3]) };

    (void)state;
    for (size_t i = 0; i < N_OF(bad); i++)
        refuses(part, bad[i], NULL, 2, PECK_ARG, "share");
    refuses(part, bad[0], NULL, 0, PECK_ARG, "0 models");
    free_all(part, 2);
}

/* Files ------------------------------------------------------------------------------ */

static const char *saved(const struct peck_model *m, const char *name)
{
    const char *const path = scratch_path(name);

    assert_ok(peck_model_save(m, path, &err), err);
    return path;
}

static void a_committee_comes_back_to_the_bit(void **state)
{
    struct peck_model *const m = make_committee();
    float *const x = random_floats(N * DIM, 6);
    double score[2][N];
    struct peck_model *again = NULL;

    (void)state;
    assert_ok(peck_model_load(&again, saved(m, "a.peck"), &err), err);
    assert_int_equal(again->n_parts, N_KINDS);
    assert_memory_equal(again->share, shares, sizeof shares);
    assert_int_equal(again->notes.key.n, 1);
    assert_span(notes_get(&again->notes, "method"), "blend");
    assert_int_equal(again->feature_name.n, DIM);
    for (size_t i = 0; i < N_KINDS; i++) {
        assert_ptr_equal(again->part[i]->family, m->part[i]->family);
        assert_int_equal(again->part[i]->n_members, m->part[i]->n_members);
        assert_int_equal(again->part[i]->notes.key.n, 2);
        assert_span(notes_get(&again->part[i]->notes, "seed"), "17");
        assert_int_equal(again->part[i]->feature_name.n, DIM);
    }
    scores_of(m, x, N, score[0]);
    scores_of(again, x, N, score[1]);
    assert_memory_equal(score[0], score[1], sizeof score[0]);
    assert_true(files_equal(scratch_path("a.peck"), saved(again, "b.peck")));
    peck_model_free(m);
    peck_model_free(again);
    free(x);
}

/* A linear model of these features, ended by NULL. */
static struct peck_model *model_of(const char *const *feature, uint64_t seed)
{
    struct model_sample sample = { .family = "linear", .seed = seed };

    while (feature[sample.dim] != NULL)
        sample.dim++;
    struct peck_model *const m = sample_model(&sample);

    for (size_t i = 0; i < sample.dim; i++)
        assert_true(strings_add(&m->feature_name, span_of(feature[i])));
    return m;
}

#define OF(...) ((const char *const[]){ __VA_ARGS__, NULL })

/* Each model finds its features among those of the committee: a b c d. */
static void models_of_other_features_come_back_to_the_bit(void **state)
{
    static const double third[] = { 0.25, 0.25, 0.5 };
    struct peck_model *part[] = { model_of(OF("a", "b"), 1), model_of(OF("c", "a", "d"), 2),
                                  model_of(OF("a"), 3) };
    struct peck_model *const m = committee_of(part, third, 3);
    float *const x = random_floats(N * 4, 6);
    double score[2][N];
    struct peck_model *again = NULL;

    (void)state;
    assert_int_equal(peck_model_features(m), 4);
    assert_span(peck_model_feature_name(m, 3), "d");
    assert_null(m->column[0]); /* the first ones: nothing has to be moved */
    assert_null(m->column[2]);
    assert_memory_equal(m->column[1], ((uint32_t[]){ 2, 0, 3 }), 3 * sizeof(uint32_t));
    assert_ok(peck_model_load(&again, saved(m, "a.peck"), &err), err);
    assert_span(peck_model_feature_name(again->part[1], 0), "c");
    scores_of(m, x, N, score[0]);
    scores_of(again, x, N, score[1]);
    assert_memory_equal(score[0], score[1], sizeof score[0]);
    assert_true(files_equal(scratch_path("a.peck"), saved(again, "b.peck")));
    peck_model_free(again);
    peck_model_free(m);
    free_all(part, 3);
    free(x);
}

static void features_that_cannot_be_found_by_name_are_refused(void **state)
{
    static const double half[] = { 0.5, 0.5 };
    struct peck_model *part[] = { model_of(OF("a", "b"), 1), model_of(OF("b", "b"), 2) };

    (void)state;
    refuses(part, half, NULL, 2, PECK_SHAPE, "feature 1 is 'b' to model 2, but 'a'");
    refuses((struct peck_model *const[]){ part[1], part[0] }, half, NULL, 2, PECK_SHAPE,
            "feature 1 is 'a' to model 2, but 'b'");
    free_all(part, 2);
}

static void a_note_cannot_pose_as_one_of_a_model(void **state)
{
    struct peck_model *const m = make_committee();

    (void)state;
    assert_true(notes_add(&m->notes, "2.method", span_of("ridge")));
    assert_int_equal(peck_model_save(m, scratch_path("never"), &err), PECK_ARG);
    assert_failed(err, PECK_ARG, "'2.method'");
    peck_model_free(m);
}

static void every_cut_and_every_changed_byte_is_refused(void **state)
{
    static const double half[] = { 0.5, 0.5 };
    const struct model_sample sample = { .family = "linear", .dim = 2, .norm = "zscore" };
    struct peck_model *part[] = { sample_model(&sample), sample_model(&sample) };
    struct peck_model *const m = committee_of(part, half, 2);
    size_t n;
    char *const bytes = file_bytes(saved(m, "small.peck"), &n);
    const size_t name = (size_t)(strstr(bytes + 8, "\"checksum\"") + 1 - bytes);

    (void)state;
    for (size_t k = 0; k < n; k++) {
        struct peck_model *bad = NULL;

        assert_int_equal(peck_model_load(&bad, scratch_bytes("bad.peck", bytes, k), &err),
                         PECK_FORMAT);
        bytes[k] ^= 0x10;
        const peck_status st =
            peck_model_load(&bad, scratch_bytes("bad.peck", bytes, n), &err);

        bytes[k] ^= 0x10;
        if (st != PECK_FORMAT && k - name >= strlen("checksum"))
            fail_msg("byte %zu ('%c') changed: status %d", k, bytes[k], st);
        peck_model_free(bad);
    }
    free(bytes);
    free_all(part, 2);
    peck_model_free(m);
}

/* A file of two linear models without bias, of 1 and `second` features; no checksum. */
static const char *written(const char *models, const char *second, double share_of_second)
{
    static char bytes[4096];
    const float w[] = { 1, 2, 3 };
    const double share[] = { 0.5, share_of_second };
    const size_t more = (size_t)(second[0] - '0');
    const int n = snprintf(
        bytes + 8, sizeof bytes - 8,
        "{\"__metadata__\":{\"format\":\"peck committee 1\",\"models\":\"%s\","
        "\"1.family\":\"linear\",\"1.shape\":\"bias=no\",\"1.norm\":\"none\","
        "\"1.features\":\"1\",\"1.members\":\"1\","
        "\"2.family\":\"linear\",\"2.shape\":\"bias=no\",\"2.norm\":\"none\","
        "\"2.features\":\"%s\",\"2.members\":\"1\",\"9.odd\":\"skipped\","
        "\"02.odd\":\"skipped\",\"2.own\":\"b\",\"kept\":\"yes\"},"
        "\"shares\":{\"dtype\":\"F64\",\"shape\":[2],\"data_offsets\":[0,16]},"
        "\"1.weights\":{\"dtype\":\"F32\",\"shape\":[1,1],\"data_offsets\":[16,20]},"
        "\"2.weights\":{\"dtype\":\"F32\",\"shape\":[1,%zu],\"data_offsets\":[20,%zu]}}",
        models, second, more, 20 + 4 * more);

    memset(bytes, 0, 8);
    bytes[0] = (char)(n & 0xFF);
    bytes[1] = (char)(n >> 8);
    memcpy(bytes + 8 + n, share, sizeof share);
    memcpy(bytes + 8 + n + sizeof share, w, sizeof w);
    return scratch_bytes("made.peck", bytes, 8 + (size_t)n + 20 + 4 * more);
}

static void a_file_of_another_program_is_read(void **state)
{
    struct peck_model *m = NULL;

    (void)state;
    assert_ok(peck_model_load(&m, written("2", "1", 0.5), &err), err);
    assert_int_equal(m->n_parts, 2);
    assert_true(m->part[1]->w[0] == 2.0f);
    assert_int_equal(m->notes.key.n, 1);
    assert_span(notes_get(&m->notes, "kept"), "yes");
    assert_int_equal(m->part[0]->notes.key.n, 0);
    assert_int_equal(m->part[1]->notes.key.n, 1);
    assert_span(notes_get(&m->part[1]->notes, "own"), "b");
    peck_model_free(m);
}

static void files_that_do_not_fit_are_refused(void **state)
{
    static const struct {
        const char *models, *second, *phrase;
        double share;
    } cases[] = {
        { "2", "2", "model 2 takes 2 features, but model 1 takes 1", 0.5 },
        { "2", "1", "add up to 0.75", 0.25 },
        { "2", "1", "share of model 2", -0.5 },
        { "2", "1", "share of model 2", (double)NAN },
        { "1", "1", "'shares' is F64 [2], but should be F64 [1]", 0.5 },
        { "3", "1", "should be F64 [3]", 0.5 },
        { "0", "1", "'models' is '0'", 0.5 },
        { "99999999", "1", "'models' is '99999999'", 0.5 },
        { "", "1", "does not say its 'models'", 0.5 },
        { "2", "0", "'2.features' is '0'", 0.5 },
    };

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        const char *const path = written(cases[i].models, cases[i].second, cases[i].share);
        struct peck_model *m = (void *)&err;

        assert_int_equal(peck_model_load(&m, path, &err), PECK_FORMAT);
        assert_null(m);
        assert_failed(err, PECK_FORMAT, cases[i].phrase);
        assert_failed(err, PECK_FORMAT, path);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares_weigh_what_is_standardised),
        cmocka_unit_test(a_committee_goes_by_its_scales),
        cmocka_unit_test(scales_of_a_committee_come_back),
        cmocka_unit_test(a_comparator_is_heard_by_its_net_degree),
        cmocka_unit_test(a_committee_may_miss_what_all_of_it_may),
        cmocka_unit_test(a_score_that_overflows_is_refused),
        cmocka_unit_test(whoever_is_freed_last_frees_a_model),
        cmocka_unit_test(models_of_other_features_are_refused_with_both_counts),
        cmocka_unit_test(models_of_features_by_other_names_are_refused),
        cmocka_unit_test(shares_are_above_0_and_1_in_all),
        cmocka_unit_test(a_committee_comes_back_to_the_bit),
        cmocka_unit_test(models_of_other_features_come_back_to_the_bit),
        cmocka_unit_test(features_that_cannot_be_found_by_name_are_refused),
        cmocka_unit_test(a_note_cannot_pose_as_one_of_a_model),
        cmocka_unit_test(every_cut_and_every_changed_byte_is_refused),
        cmocka_unit_test(a_file_of_another_program_is_read),
        cmocka_unit_test(files_that_do_not_fit_are_refused),
        cmocka_unit_test(numbers_that_are_none_are_not_saved),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
