/* contract_family.c -- what every family promises, the one added tomorrow too. */
#include "support/check.h"
#include "support/models.h"
#include "support/scratch.h"
#include "support/twins.h"

#include <math.h>

static peck_error err;

enum { DIM = 9, N = 14 };

#define FOR_EACH_FAMILY(f)                        \
    for (size_t at_ = 0; at_ < n_families; at_++) \
        for (const struct family *f = (const struct family *)families[at_]; f; f = NULL)

#define FOR_EACH_SCORING_FAMILY(f) \
    FOR_EACH_FAMILY(f)             \
    if (f->scores != NULL)

#define FOR_EACH_COMPARING_FAMILY(f) \
    FOR_EACH_FAMILY(f)               \
    if (f->compares != NULL)

static const char *name_of(const struct family *f)
{
    return f->plug.about.name;
}

static void scores_of(const struct peck_model *m, const float *x, size_t n, float *score)
{
    double *const wide = calloc(n, sizeof *wide);
    peck_scorer *s = NULL;

    assert_ok(peck_scorer_new(&s, m, &err), err);
    assert_ok(peck_score(s, x, n, DIM, wide, &err), err);
    for (size_t i = 0; i < n; i++)
        score[i] = (float)wide[i];
    peck_scorer_free(s);
    free(wide);
}

static void names_titles_and_settings_are_there(void **state)
{
    (void)state;
    FOR_EACH_FAMILY(f)
    {
        assert_true(f->plug.about.title[0] != '\0' && f->plug.about.doc[0] != '\0');
        assert_non_null(f->plug.params);
        assert_true((f->scores != NULL) != (f->compares != NULL));
    }
    FOR_EACH_SCORING_FAMILY(f)
    assert_non_null(f->scores->score);
    FOR_EACH_COMPARING_FAMILY(f)
    {
        const struct compare_ops *const c = f->compares;
        const bool goes_back = c->duels_back != NULL;

        assert_true(c->view_size != NULL && c->view != NULL);
        assert_true(c->decide != NULL && c->duels != NULL);
        assert_true((c->kept != NULL) == goes_back && (c->view_back != NULL) == goes_back);
    }
}

static void save_and_load_give_identical_scores(void **state)
{
    float *const x = random_floats(N * DIM, 1);
    float before[N], after[N];

    (void)state;
    FOR_EACH_FAMILY(f)
    {
        for (size_t members = 1; members <= 3; members += 2) {
            const struct model_sample sample = {
                .family = name_of(f), .dim = DIM, .norm = "minmax", .n_members = members
            };
            struct peck_model *const m = sample_model(&sample);
            struct peck_model *again = NULL;
            const char *const path = scratch_path(name_of(f));

            assert_ok(peck_model_save(m, path, &err), err);
            assert_ok(peck_model_load(&again, path, &err), err);
            scores_of(m, x, N, before);
            scores_of(again, x, N, after);
            assert_memory_equal(before, after, sizeof before);
            peck_model_free(m);
            peck_model_free(again);
        }
    }
    free(x);
}

/* How a committee hears a model: its scores, or the sum of a document's preferences. */
static void voice_of(const struct peck_model *m, const float *x, double *voice)
{
    peck_scorer *s = NULL;
    double score[N];
    float h;

    assert_ok(peck_scorer_new(&s, m, &err), err);
    assert_ok(peck_score(s, x, N, DIM, score, &err), err);
    for (uint32_t i = 0; i < N; i++) {
        voice[i] = peck_model_compares(m) ? 0.0 : score[i];
        for (uint32_t j = 0; peck_model_compares(m) && j < N; j++)
            if (j != i) {
                assert_ok(
                    peck_prefer(s, x, N, DIM, &(peck_duel){ i, j }, 1, &h, NULL, &err),
                    err);
                voice[i] += (double)h;
            }
    }
    peck_scorer_free(s);
}

/* sum += share * (voice - mean) / deviation */
static void add_voice(const double *voice, double share, double *sum)
{
    double mean = 0.0, square = 0.0;

    for (size_t i = 0; i < N; i++)
        mean += voice[i] / N;
    for (size_t i = 0; i < N; i++)
        square += (voice[i] - mean) * (voice[i] - mean) / N;
    for (size_t i = 0; i < N && square > 0.0; i++)
        sum[i] += share * (voice[i] - mean) / sqrt(square);
}

static void every_family_sits_in_committees(void **state)
{
    static const double share[] = { 0.75, 0.25 };
    const struct model_sample other = { .dim = DIM, .norm = "zscore", .seed = 4 };
    float *const x = random_floats(N * DIM, 1);
    float before[N], after[N];

    (void)state;
    FOR_EACH_FAMILY(f)
    {
        const struct model_sample sample = {
            .family = name_of(f), .dim = DIM, .norm = "minmax", .n_members = 2
        };
        struct peck_model *part[] = { sample_model(&sample), sample_model(&other) };
        struct peck_model *const m = committee_of(part, share, 2);
        struct peck_model *again = NULL;
        double voice[N], expected[N] = { 0 };

        for (size_t k = 0; k < 2; k++) {
            voice_of(part[k], x, voice);
            add_voice(voice, share[k], expected);
        }
        scores_of(m, x, N, before);
        for (size_t i = 0; i < N; i++)
            assert_true(fabs(before[i] - expected[i]) < 1e-4);
        assert_ok(peck_model_save(m, scratch_path("committee"), &err), err);
        assert_ok(peck_model_load(&again, scratch_path("committee"), &err), err);
        scores_of(again, x, N, after);
        assert_memory_equal(before, after, sizeof before);
        peck_model_free(part[0]);
        peck_model_free(part[1]);
        peck_model_free(m);
        peck_model_free(again);
    }
    free(x);
}

static void a_query_of_one_document_is_fine(void **state)
{
    float *const x = random_floats(N * DIM, 2);
    float all[N], one;

    (void)state;
    FOR_EACH_SCORING_FAMILY(f)
    {
        const struct model_sample sample = { .family = name_of(f), .dim = DIM };
        struct peck_model *const m = sample_model(&sample);

        scores_of(m, x, N, all);
        scores_of(m, x + 3 * DIM, 1, &one);
        assert_true(isfinite(one) && fabsf(one - all[3]) <= 1e-5f * (1 + fabsf(one)));
        peck_model_free(m);
    }
    free(x);
}

static void one_feature_is_enough_and_none_is_refused(void **state)
{
    (void)state;
    FOR_EACH_FAMILY(f)
    {
        void *const shape = shape_open(f, NULL, 1, &err);

        assert_non_null(shape);
        free(shape);
        assert_null(shape_open(f, NULL, 0, &err));
        assert_failed(err, PECK_ARG, name_of(f));
    }
}

static void first_weights_follow_from_the_seed(void **state)
{
    (void)state;
    FOR_EACH_FAMILY(f)
    {
        void *const shape = shape_open(f, NULL, DIM, &err);
        const size_t n = f->n_weights(shape);
        float *const a = random_floats(n, 1), *const b = random_floats(n, 2);
        struct rng r;

        rng_seed(&r, 5, 0);
        family_init(f, shape, &r, a);
        rng_seed(&r, 5, 0);
        family_init(f, shape, &r, b);
        /* Also: every weight is set. */
        assert_memory_equal(a, b, (f->used != NULL ? f->used(shape, a) : n) * sizeof *a);
        free(shape), free(a), free(b);
    }
}

/* score() is forward() without dropout, and rows may stand apart. */
static void score_and_forward_agree(void **state)
{
    enum { STRIDE = DIM + 5 };
    float *const x = random_floats(N * STRIDE, 3);
    const struct rows rows = { x, N, DIM, STRIDE };
    float a[N], b[N];

    (void)state;
    FOR_EACH_SCORING_FAMILY(f)
    {
        if (f->scores->backward == NULL)
            continue;
        void *const shape = shape_open(f, NULL, DIM, &err);
        float *const w = random_floats(f->n_weights(shape), 4);
        float *const scratch = calloc(N * family_scratch(f, shape) + 1, sizeof *scratch);

        f->scores->score(shape, w, rows, a, scratch);
        family_forward(f, shape, w, rows, NULL, b, scratch);
        for (size_t i = 0; i < N; i++)
            assert_true(fabsf(a[i] - b[i]) <= 1e-5f * (1 + fabsf(a[i])));
        free(shape), free(w), free(scratch);
    }
    free(x);
}

/* Every document against every other, both ways round. */
static void all_duels(peck_duel *duel)
{
    for (uint32_t k = 0; k < N * N; k++)
        duel[k] = (peck_duel){ k / N, k % N };
}

static void who_wins_does_not_depend_on_who_is_named_first(void **state)
{
    enum { STRIDE = DIM + 5 };
    float *const x = random_floats(N * STRIDE, 3);
    const struct rows rows = { x, N, DIM, STRIDE };
    peck_duel duel[N * N];
    float out[N * N][2], lead[N * N];

    (void)state;
    all_duels(duel);
    FOR_EACH_COMPARING_FAMILY(f)
    {
        void *const shape = shape_open(f, NULL, DIM, &err);
        size_t n;
        float *const w = sample_weights(f, shape, DIM, 1, 4, &n);
        float *const scratch = calloc(N * family_scratch(f, shape) + 1, sizeof *scratch);
        float *const view = calloc(N * f->compares->view_size(shape), sizeof *view);

        f->compares->view(shape, w, rows, view, scratch);
        f->compares->duels(shape, w, view, duel, N * N, out, NULL);
        f->compares->decide(shape, w, view, duel, N * N, lead);
        for (size_t k = 0; k < N * N; k++) {
            const size_t back = k % N * N + k / N;

            assert_true(out[k][0] == out[back][1] && lead[k] == -lead[back]);
            assert_true(out[k][0] >= 0.0f && out[k][0] <= 1.0f);
            assert_true(lead[k] < 1e-5f || out[k][0] >= out[k][1]);
        }
        free(shape), free(w), free(scratch), free(view);
    }
    free(x);
}

/* L = sum_k c_k . out_k with the family's defaults; test_cmpnn tries random shapes. */
static void derivatives_of_duels_match_differences(void **state)
{
    const double h = 1e-4;
    float *const x = random_floats(N * DIM, 5);
    const struct rows rows = { x, N, DIM, DIM };
    peck_duel duel[N * N];

    (void)state;
    all_duels(duel);
    FOR_EACH_COMPARING_FAMILY(f)
    {
        if (f->compares->duels_back == NULL)
            continue;
        struct twin *const t = twin_open(name_of(f), NULL, DIM);
        const size_t n = twin_n_weights(t);
        double *const w = calloc(n, sizeof *w), *const dw = calloc(n, sizeof *dw);
        double out[2][N * N][2], c[N * N][2];
        struct rng r;

        rng_seed(&r, 1, 1);
        for (size_t i = 0; i < n; i++)
            w[i] = 0.3 * rng_normal(&r);
        for (size_t k = 0; k < N * N; k++)
            c[k][0] = rng_normal(&r), c[k][1] = rng_normal(&r);
        twin_duels(t, w, rows, duel, N * N, out[0]);
        twin_duels_back(t, w, rows, duel, N * N, c, dw);
        for (int trial = 0; trial < 60; trial++) {
            const size_t i = rng_below(&r, n);
            const double kept = w[i];
            double slope = 0.0;

            w[i] = kept + h;
            twin_duels(t, w, rows, duel, N * N, out[0]);
            w[i] = kept - h;
            twin_duels(t, w, rows, duel, N * N, out[1]);
            w[i] = kept;
            for (size_t k = 0; k < 2 * N * N; k++)
                slope += c[k / 2][k % 2] * (out[0][k / 2][k % 2] - out[1][k / 2][k % 2]) /
                         (2 * h);
            assert_true(fabs(slope - dw[i]) <= 1e-6 * (1.0 + fabs(slope)));
        }
        free(w), free(dw);
        twin_free(t);
    }
    free(x);
}

static void check_derivatives(const char *family, const char *const *settings)
{
    const double h = 1e-4;
    float *const x = random_floats(N * DIM, 5);
    const struct rows rows = { x, N, DIM, DIM };
    struct twin *const t = twin_open(family, settings, DIM);
    const size_t n = twin_n_weights(t);
    double *const w = calloc(n, sizeof *w), *const dw = calloc(n, sizeof *dw);
    double s[2][N], c[N];
    struct rng r;

    rng_seed(&r, 1, 1);
    for (size_t i = 0; i < n; i++)
        w[i] = 0.3 * rng_normal(&r);
    for (size_t i = 0; i < N; i++)
        c[i] = rng_normal(&r);
    twin_forward(t, w, rows, 0, s[0]);
    twin_backward(t, w, rows, c, dw);
    for (int k = 0; k < 60; k++) {
        const size_t i = rng_below(&r, n);
        const double kept = w[i];
        double slope = 0.0;

        w[i] = kept + h;
        twin_forward(t, w, rows, 0, s[0]);
        w[i] = kept - h;
        twin_forward(t, w, rows, 0, s[1]);
        w[i] = kept;
        for (size_t j = 0; j < N; j++)
            slope += c[j] * (s[0][j] - s[1][j]) / (2 * h);
        assert_true(fabs(slope - dw[i]) <= 1e-6 * (1.0 + fabs(slope)));
    }
    free(x), free(w), free(dw);
    twin_free(t);
}

/* With the family's defaults; test_mlp_gradient tries random shapes. */
static void derivatives_match_differences(void **state)
{
    (void)state;
    FOR_EACH_SCORING_FAMILY(f)
    {
        if (f->scores->backward != NULL)
            check_derivatives(name_of(f), NULL);
    }
    check_derivatives("poly", (const char *const[]){ "kernel=quadratic", NULL });
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_titles_and_settings_are_there),
        cmocka_unit_test(save_and_load_give_identical_scores),
        cmocka_unit_test(every_family_sits_in_committees),
        cmocka_unit_test(a_query_of_one_document_is_fine),
        cmocka_unit_test(one_feature_is_enough_and_none_is_refused),
        cmocka_unit_test(first_weights_follow_from_the_seed),
        cmocka_unit_test(score_and_forward_agree),
        cmocka_unit_test(derivatives_match_differences),
        cmocka_unit_test(who_wins_does_not_depend_on_who_is_named_first),
        cmocka_unit_test(derivatives_of_duels_match_differences),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
