/* Nets: shapes, first weights, dropout, and what DirectRanker promises. */
#include "support/check.h"
#include "support/models.h"

#include <math.h>

static peck_error err;

#define SETTINGS(...) ((const char *const[]){ __VA_ARGS__, NULL })

static const struct family *mlp(void)
{
    return family_named("mlp");
}

static void describes(const char *const *settings, size_t dim, const char *text,
                      size_t n_weights)
{
    void *const shape = shape_open(mlp(), settings, dim, &err);
    struct text t;

    assert_non_null(shape);
    text_init(&t, 1000);
    mlp()->describe(shape, &t);
    assert_string_equal(t.s, text);
    assert_int_equal(mlp()->n_weights(shape), n_weights);
    text_free(&t);
    free(shape);
}

static void shapes_say_what_they_are(void **state)
{
    (void)state;
    describes(NULL, 136, "136-64-32-1 tanh", 136 * 64 + 64 + 64 * 32 + 32 + 32 + 1);
    describes(SETTINGS("hidden=0"), 5, "5-1", 6);
    describes(SETTINGS("hidden="), 5, "5-1", 6);
    describes(SETTINGS("hidden=10", "activation=relu", "head=antisymmetric"), 46,
              "46-10-1 relu antisymmetric", 46 * 10 + 10 + 10);
    describes(SETTINGS("hidden=3", "output=sigmoid"), 2, "2-3-1 tanh sigmoid output", 13);
    describes(SETTINGS("hidden=1-1-1-1-1-1-1-1-1-1-1-1-1-1-1-1"), 1,
              "1-1-1-1-1-1-1-1-1-1-1-1-1-1-1-1-1-1 tanh", 34);
}

static void refuses(const char *const *settings, size_t dim, const char *phrase)
{
    assert_null(shape_open(mlp(), settings, dim, &err));
    assert_failed(err, PECK_ARG, phrase);
}

static void senseless_shapes_are_refused(void **state)
{
    (void)state;
    refuses(SETTINGS("hidden=64-"), 4, "hidden=64-");
    refuses(SETTINGS("hidden=-3"), 4, "hidden=-3");
    refuses(SETTINGS("hidden=8-0"), 4, "hidden=8-0");
    refuses(SETTINGS("hidden=many"), 4, "hidden=many");
    refuses(SETTINGS("hidden=65537"), 4, "65536");
    refuses(SETTINGS("hidden=1-1-1-1-1-1-1-1-1-1-1-1-1-1-1-1-1"), 4, "up to 16");
    refuses(SETTINGS("dropout=1"), 4, "dropout");
    refuses(SETTINGS("activation=cosine"), 4, "activation");
    refuses(NULL, 0, "0 features");
    refuses(NULL, (size_t)1 << 40, "features");
}

/* First weights of "hidden=40-30" over 50 features. */
enum { DIM = 50, FIRST = 50 * 40, SECOND = 40 * 30, ALL = FIRST + 40 + SECOND + 30 + 31 };

static float *first_weights(const char *init, uint64_t seed)
{
    char setting[32];

    snprintf(setting, sizeof setting, "init=%s", init);
    void *const shape = shape_open(mlp(), SETTINGS("hidden=40-30", setting), DIM, &err);
    float *const w = calloc(ALL, sizeof *w);
    struct rng r;

    assert_non_null(shape);
    assert_int_equal(mlp()->n_weights(shape), ALL);
    for (size_t i = 0; i < ALL; i++)
        w[i] = 77.0f;
    rng_seed(&r, seed, 0);
    mlp()->init(shape, &r, w);
    free(shape);
    return w;
}

/* Largest size and variance of w[n]. */
static void measure(const float *w, size_t n, double *largest, double *variance)
{
    *largest = *variance = 0.0;
    for (size_t i = 0; i < n; i++) {
        *largest = fmax(*largest, fabs((double)w[i]));
        *variance += (double)w[i] * w[i] / (double)n;
    }
}

static void first_weights_are_as_asked(void **state)
{
    static const struct {
        const char *init;
        double first, second; /* variances */
        double most;          /* size in the second layer */
    } cases[] = { { "xavier", 2.0 / 90, 2.0 / 70, 0.2928 },
                  { "ranknet", 0.0, 0.01 / 3, 0.1 },
                  { "normal", 1.0, 1.0, 6.0 } };

    (void)state;
    for (size_t c = 0; c < N_OF(cases); c++) {
        float *const w = first_weights(cases[c].init, 3);
        double largest, variance;

        measure(w, FIRST, &largest, &variance);
        assert_true(fabs(variance - cases[c].first) <= 0.1 * cases[c].first);
        measure(w + FIRST, 40, &largest, &variance);
        assert_true(largest == 0.0); /* biases */
        measure(w + FIRST + 40, SECOND, &largest, &variance);
        assert_true(fabs(variance - cases[c].second) <= 0.15 * cases[c].second);
        assert_true(largest <= cases[c].most && largest > 0.9 * sqrt(cases[c].second));
        assert_true(w[ALL - 1] == 0.0f);
        free(w);
    }
}

static void biases_do_not_decay(void **state)
{
    unsigned char is_decayed[5 * 3 + 3 + 3 + 1];
    void *const shape = shape_open(mlp(), SETTINGS("hidden=3"), 5, &err);

    (void)state;
    memset(is_decayed, 9, sizeof is_decayed);
    mlp()->decayed(shape, is_decayed);
    for (size_t i = 0; i < sizeof is_decayed; i++)
        assert_int_equal(is_decayed[i], i < 15 || (i >= 18 && i < 21));
    free(shape);
}

/* With all first weights 0 and biases 1, identity, a hidden unit is 1, 0 or 1 / (1 - p). */
static void dropout_keeps_the_mean(void **state)
{
    enum { N = 20000, H = 3 };
    void *const shape = shape_open(
        mlp(), SETTINGS("hidden=3", "activation=identity", "dropout=0.25"), 1, &err);
    float w[2 * H + H + 1] = { 0, 0, 0, 1, 1, 1, 1, 0, 0, 0 };
    float *const x = random_floats(N, 1), *const s = calloc(N, sizeof *s);
    float *const scratch = calloc(N * mlp()->scratch(shape), sizeof *scratch);
    size_t n_dropped = 0;
    struct rng r;

    (void)state;
    rng_seed(&r, 1, 1);
    mlp()->scores->forward(shape, w, (struct rows){ x, N, 1, 1 }, &r, s, scratch);
    for (size_t i = 0; i < N; i++) {
        assert_true(s[i] == 0.0f || s[i] == 1.0f / 0.75f);
        n_dropped += s[i] == 0.0f;
    }
    assert_in_range(n_dropped, N / 4 - 300, N / 4 + 300);
    mlp()->scores->score(shape, w, (struct rows){ x, N, 1, 1 }, s, scratch);
    for (size_t i = 0; i < N; i++)
        assert_true(s[i] == 1.0f);
    free(shape), free(x), free(s), free(scratch);
}

/* r(x, y) = tau(w . (f(x) - f(y))) from the scores of single documents. */
static float compare(float x, float y, bool is_curved)
{
    return is_curved ? tanhf((x - y) / 2) : x - y;
}

static void check_comparisons(const float *s, size_t n, bool is_curved)
{
    for (size_t i = 0; i < n; i++) {
        assert_true(compare(s[i], s[i], is_curved) == 0.0f);
        for (size_t j = 0; j < n; j++) {
            const float ij = compare(s[i], s[j], is_curved);

            assert_true(ij == -compare(s[j], s[i], is_curved));
            for (size_t k = 0; k < n; k++)
                if (ij >= 0.0f && compare(s[j], s[k], is_curved) >= 0.0f)
                    assert_true(compare(s[i], s[k], is_curved) >= 0.0f);
        }
    }
}

/* The same weights with and without the output's curve. */
static void a_sigmoid_output_bends_the_score(void **state)
{
    enum { N = 12, D = 7 };
    const char *const output[] = { "output=linear", "output=sigmoid" };
    float *const x = random_floats(N * D, 3);
    float s[2][N];

    (void)state;
    for (int k = 0; k < 2; k++) {
        const struct model_sample sample = { .settings = SETTINGS("hidden=5", output[k]),
                                             .dim = D,
                                             .seed = 4 };
        struct peck_model *const m = sample_model(&sample);
        float *const scratch = calloc(N * mlp()->scratch(m->shape), sizeof *scratch);

        mlp()->scores->score(m->shape, m->w, (struct rows){ x, N, D, D }, s[k], scratch);
        free(scratch);
        peck_model_free(m);
    }
    for (int i = 0; i < N; i++) {
        assert_float_equal(s[1][i], 1.0f / (1.0f + expf(-s[0][i])), 1e-6f);
        assert_true(s[1][i] > 0.0f && s[1][i] < 1.0f);
    }
    free(x);
}

/* And the head has no bias: a document of nothing but zeros under units without bias
 * scores 0. */
static void directranker_is_reflexive_antisymmetric_transitive(void **state)
{
    enum { N = 12, D = 7 };

    (void)state;
    for (uint64_t seed = 0; seed < 40; seed++) {
        const struct model_sample sample = {
            .settings = SETTINGS("hidden=9-5", "head=antisymmetric"), .dim = D, .seed = seed
        };
        struct peck_model *const m = sample_model(&sample);
        float *const x = random_floats(N * D, seed + 100);
        float *const scratch = calloc(N * mlp()->scratch(m->shape), sizeof *scratch);
        float s[N];

        mlp()->scores->score(m->shape, m->w, (struct rows){ x, N, D, D }, s, scratch);
        check_comparisons(s, N, false);
        check_comparisons(s, N, true);
        memset(m->w + D * 9, 0, 9 * sizeof *m->w);
        memset(m->w + D * 9 + 9 + 9 * 5, 0, 5 * sizeof *m->w);
        memset(x, 0, D * sizeof *x);
        mlp()->scores->score(m->shape, m->w, (struct rows){ x, 1, D, D }, s, scratch);
        assert_true(s[0] == 0.0f);
        free(x), free(scratch);
        peck_model_free(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes_say_what_they_are),
        cmocka_unit_test(a_sigmoid_output_bends_the_score),
        cmocka_unit_test(senseless_shapes_are_refused),
        cmocka_unit_test(first_weights_are_as_asked),
        cmocka_unit_test(biases_do_not_decay),
        cmocka_unit_test(dropout_keeps_the_mean),
        cmocka_unit_test(directranker_is_reflexive_antisymmetric_transitive),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
