/* Scorers: blocks of documents, strides, ensembles, and no memory once reserved. */
#include "support/check.h"
#include "support/models.h"

#include <malloc.h>
#include <math.h>

static peck_error err;

#define SETTINGS(...) ((const char *const[]){ __VA_ARGS__, NULL })

static struct peck_scorer *open_scorer(const struct peck_model *m, size_t n)
{
    struct peck_scorer *s = NULL;

    assert_ok(peck_scorer_new(&s, m, &err), err);
    assert_ok(scorer_reserve(s, n, &err), err);
    return s;
}

/* One call for all documents of a query, however they are cut into blocks, gives what one
 * call a document gives. */
static void long_lists_are_scored_as_short_ones(void **state)
{
    enum { N = 1003, D = 6, STRIDE = 9 };
    const struct model_sample sample = { .settings = SETTINGS("hidden=20-8"), .dim = D };
    struct peck_model *const m = sample_model(&sample);
    float *const x = random_floats(N * STRIDE, 4);
    float all[N], one;
    struct peck_scorer *const s = open_scorer(m, N);

    (void)state;
    assert_ok(scorer_run(s, (struct rows){ x, N, D, STRIDE }, NULL, all, &err), err);
    for (size_t i = 0; i < N; i++) {
        assert_ok(
            scorer_run(s, (struct rows){ x + i * STRIDE, 1, D, STRIDE }, NULL, &one, &err),
            err);
        assert_true(same_float(one, all[i]));
    }
    assert_ok(scorer_run(s, (struct rows){ x, 0, D, STRIDE }, NULL, NULL, &err), err);
    peck_scorer_free(s);
    peck_model_free(m);
    free(x);
}

static void raw_features_are_scaled_by_the_model(void **state)
{
    enum { N = 30, D = 4 };
    const struct model_sample sample = {
        .family = "linear", .norm = "zscore+query-zscore", .dim = D, .seed = 6
    };
    struct peck_model *const m = sample_model(&sample);
    float *const x = random_floats(N * D, 4);
    float scaled[N * 2 * D], score[N];
    struct peck_scorer *const s = open_scorer(m, N);

    (void)state;
    norm_apply(m->norm, (struct rows){ x, N, D, D }, scaled);
    assert_ok(scorer_run(s, (struct rows){ x, N, D, D }, NULL, score, &err), err);
    for (size_t i = 0; i < N; i++) {
        double sum = m->w[2 * D];

        for (size_t k = 0; k < 2 * D; k++)
            sum += (double)m->w[k] * scaled[i * 2 * D + k];
        assert_true(fabs(sum - score[i]) < 1e-4);
    }
    peck_scorer_free(s);
    peck_model_free(m);
    free(x);
}

/* Member 0 ranks by the feature, member 1 by its square, 10000 times as loud; member 2
 * gives all documents the same. */
static void members_are_standardised_and_averaged(void **state)
{
    enum { N = 5 };
    const struct model_sample sample = {
        .family = "linear", .settings = SETTINGS("bias=yes"), .dim = 2, .n_members = 3
    };
    static const float w[] = { 1, 0, 3, 0, 10000, -7, 0, 0, 123 };
    static const float x[N * 2] = { 1, 1, 2, 4, 3, 9, 4, 16, 5, 25 };
    struct peck_model *const m = sample_model(&sample);
    struct peck_scorer *const s = open_scorer(m, N);
    double expected[N] = { 0 };
    float score[N];

    (void)state;
    assert_int_equal(m->n_weights, 3);
    memcpy(m->w, w, sizeof w);
    for (size_t k = 0; k < 2; k++) {
        double mean = 0.0, square = 0.0;

        for (size_t i = 0; i < N; i++)
            mean += x[2 * i + k] / N;
        for (size_t i = 0; i < N; i++)
            square += (x[2 * i + k] - mean) * (x[2 * i + k] - mean) / N;
        for (size_t i = 0; i < N; i++)
            expected[i] += (x[2 * i + k] - mean) / sqrt(square) / 3;
    }
    assert_ok(scorer_run(s, (struct rows){ x, N, 2, 2 }, NULL, score, &err), err);
    for (size_t i = 0; i < N; i++)
        assert_true(fabs(score[i] - expected[i]) < 1e-6);
    assert_ok(scorer_run(s, (struct rows){ x, 1, 2, 2 }, NULL, score, &err), err);
    assert_true(score[0] == 0.0f); /* alone, nothing stands out */
    peck_scorer_free(s);
    peck_model_free(m);
}

static void set_scales(struct peck_model *m, const struct scale *scale, size_t n)
{
    m->scale = calloc(n, sizeof *scale);
    assert_non_null(m->scale);
    memcpy(m->scale, scale, n * sizeof *scale);
}

/* The members of above with means and deviations of their own: a document's score is the
 * same in a list and alone. */
static void scales_stand_in_for_the_query(void **state)
{
    enum { N = 5 };
    const struct model_sample sample = {
        .family = "linear", .settings = SETTINGS("bias=yes"), .dim = 2, .n_members = 3
    };
    static const float w[] = { 1, 0, 3, 0, 10000, -7, 0, 0, 123 };
    static const struct scale scale[] = { { 5, 2 }, { 1000, 50000 }, { 123, 1 } };
    static const float x[N * 2] = { 1, 1, 2, 4, 3, 9, 4, 16, 5, 25 };
    struct peck_model *const m = sample_model(&sample);
    struct peck_scorer *const s = open_scorer(m, N);
    float score[N], one;

    (void)state;
    memcpy(m->w, w, sizeof w);
    assert_string_equal(model_heeds_list(m), "its members are standardised over the query");
    set_scales(m, scale, N_OF(scale));
    assert_null(model_heeds_list(m));
    assert_ok(scorer_run(s, (struct rows){ x, N, 2, 2 }, NULL, score, &err), err);
    for (size_t i = 0; i < N; i++) {
        const double expected =
            ((x[2 * i] + 3.0 - 5.0) / 2.0 + (10000.0 * x[2 * i + 1] - 1007.0) / 50000.0) /
            3;

        assert_true(fabs(score[i] - expected) < 1e-6);
        assert_ok(scorer_run(s, (struct rows){ x + 2 * i, 1, 2, 2 }, NULL, &one, &err),
                  err);
        assert_true(same_float(one, score[i]));
    }
    m->scale[0].deviation = 1e-300; /* as a file may say */
    assert_int_equal(scorer_run(s, (struct rows){ x, N, 2, 2 }, NULL, score, &err),
                     PECK_FORMAT);
    assert_failed(err, PECK_FORMAT, "document 1");
    peck_scorer_free(s);
    peck_model_free(m);
}

static void one_member_gives_the_plain_score(void **state)
{
    const struct model_sample sample = { .family = "linear",
                                         .settings = SETTINGS("bias=no"),
                                         .dim = 1 };
    struct peck_model *const m = sample_model(&sample);
    struct peck_scorer *const s = open_scorer(m, 3);
    float score[3];

    (void)state;
    m->w[0] = 2.0f;
    assert_ok(
        scorer_run(s, (struct rows){ (float[]){ 1, 5, -3 }, 3, 1, 1 }, NULL, score, &err),
        err);
    assert_true(score[0] == 2.0f && score[1] == 10.0f && score[2] == -6.0f);
    peck_scorer_free(s);
    peck_model_free(m);
}

static void a_reserved_scorer_takes_no_memory(void **state)
{
    enum { N = 700, D = 20 };
    const struct model_sample sample = { .norm = "quantile", .dim = D, .n_members = 3 };
    struct peck_model *const m = sample_model(&sample);
    struct peck_scorer *const s = open_scorer(m, N);
    float *const x = random_floats(N * D, 4);
    double score[N];
    const struct mallinfo2 before = mallinfo2();

    (void)state;
    for (size_t n = 1; n <= N; n += 3)
        assert_ok(peck_score(s, x, n, D, score, &err), err);
    assert_int_equal(mallinfo2().uordblks, before.uordblks);
    assert_int_equal(mallinfo2().hblkhd, before.hblkhd);
    peck_scorer_free(s);
    peck_model_free(m);
    free(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(long_lists_are_scored_as_short_ones),
        cmocka_unit_test(raw_features_are_scaled_by_the_model),
        cmocka_unit_test(members_are_standardised_and_averaged),
        cmocka_unit_test(scales_stand_in_for_the_query),
        cmocka_unit_test(one_member_gives_the_plain_score),
        cmocka_unit_test(a_reserved_scorer_takes_no_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
