/* Derivatives of every family against central differences in double precision, and the
 * float family against its double twin. */
#include "support/check.h"
#include "support/models.h"
#include "support/twins.h"

#include <math.h>

enum { MOST_DOCS = 9, MOST_SETTINGS = 6 };

/* One random case. */
struct trial {
    const char *family;
    char text[MOST_SETTINGS][64];
    const char *setting[MOST_SETTINGS + 1];
    size_t n_settings, dim;
    struct rows x;
    uint64_t mask; /* seed of the dropout masks; 0: none */
};

static void set(struct trial *t, const char *key, const char *value)
{
    snprintf(t->text[t->n_settings], sizeof t->text[0], "%s=%s", key, value);
    t->setting[t->n_settings] = t->text[t->n_settings];
    t->n_settings++;
}

static const char *pick(struct rng *r, const char *const *choice, size_t n)
{
    return choice[rng_below(r, n)];
}

static void draw_mlp(struct trial *t, struct rng *r)
{
    static const char *const hidden[] = {
        "0", "1", "5", "10", "17", "4-3", "8-6-5", "20-2"
    };
    static const char *const curve[] = { "tanh", "sigmoid", "relu", "identity" };
    static const char *const head[] = { "plain", "antisymmetric" };
    static const char *const dropout[] = { "0", "0.3", "0.5" };
    static const char *const output[] = { "linear", "sigmoid" };

    t->family = "mlp";
    set(t, "hidden", pick(r, hidden, N_OF(hidden)));
    set(t, "activation", pick(r, curve, N_OF(curve)));
    set(t, "head", pick(r, head, N_OF(head)));
    set(t, "dropout", pick(r, dropout, N_OF(dropout)));
    set(t, "output", pick(r, output, N_OF(output)));
}

static void draw(struct trial *t, uint64_t seed)
{
    struct rng r;

    *t = (struct trial){ 0 };
    rng_seed(&r, seed, 1);
    if (rng_below(&r, 5) > 0) {
        draw_mlp(t, &r);
    } else {
        t->family = "linear";
        set(t, "bias", rng_below(&r, 2) > 0 ? "yes" : "no");
    }
    t->dim = 1 + rng_below(&r, 20);
    t->mask = rng_below(&r, 2) * (seed + 1);
    t->x = (struct rows){ .n = 1 + rng_below(&r, MOST_DOCS),
                          .dim = t->dim,
                          .stride = t->dim + rng_below(&r, 4) };
    t->x.x = random_floats(t->x.n * t->x.stride, seed + 7);
}

/* L = sum_i c_i s_i */
static double loss(struct twin *twin, const struct trial *t, const double *w,
                   const double *c)
{
    double s[MOST_DOCS], sum = 0.0;

    twin_forward(twin, w, t->x, t->mask, s);
    for (size_t i = 0; i < t->x.n; i++)
        sum += c[i] * s[i];
    return sum;
}

/* Richardson's step makes the difference good to h^4. */
static double difference(struct twin *twin, const struct trial *t, double *w, size_t i,
                         const double *c)
{
    const double kept = w[i], h = 1e-4;
    double slope[2];

    for (int k = 0; k < 2; k++) {
        const double step = k == 0 ? h : h / 2;

        w[i] = kept + step;
        const double up = loss(twin, t, w, c);

        w[i] = kept - step;
        slope[k] = (up - loss(twin, t, w, c)) / (2 * step);
        w[i] = kept;
    }
    return (4 * slope[1] - slope[0]) / 3;
}

/* A step over a relu's corner has no derivative: nobody can agree with it. */
static bool is_over_a_corner(struct twin *twin, const struct trial *t, double *w, size_t i,
                             const double *c)
{
    const double kept = w[i], h = 1e-4, middle = loss(twin, t, w, c);

    w[i] = kept + h;
    const double up = loss(twin, t, w, c);

    w[i] = kept - h;
    const double down = loss(twin, t, w, c);

    w[i] = kept;
    return strcmp(t->setting[1], "activation=relu") == 0 &&
           fabs(up + down - 2 * middle) > 1e-9 * (1 + fabs(middle));
}

static size_t check_gradient(const struct trial *t, uint64_t seed)
{
    struct twin *const twin = twin_open(t->family, t->setting, t->dim);
    const size_t n = twin_n_weights(twin);
    double *const w = calloc(n, sizeof *w), *const dw = calloc(n, sizeof *dw);
    double c[MOST_DOCS];
    size_t n_checked = 0;
    struct rng r;

    rng_seed(&r, seed, 2);
    for (size_t i = 0; i < n; i++)
        w[i] = 0.5 * rng_normal(&r);
    for (size_t i = 0; i < t->x.n; i++)
        c[i] = rng_normal(&r);
    (void)loss(twin, t, w, c);
    dw[n - 1] = 3.0; /* what stands there is added to */
    twin_backward(twin, w, t->x, c, dw);
    dw[n - 1] -= 3.0;
    for (size_t k = 0; k < 25; k++) {
        const size_t i = k == 0 ? n - 1 : rng_below(&r, n);

        if (t->n_settings > 1 && is_over_a_corner(twin, t, w, i, c))
            continue;
        const double found = difference(twin, t, w, i, c);

        if (fabs(found - dw[i]) > 1e-6 * (fabs(found) + 1e-2))
            fail_msg("seed %llu, %s %s %s %s, weight %zu of %zu: %.12g, but %.12g",
                     (unsigned long long)seed, t->family, t->setting[0],
                     t->n_settings > 1 ? t->setting[1] : "",
                     t->n_settings > 1 ? t->setting[3] : "", i, n, dw[i], found);
        n_checked++;
    }
    free(w);
    free(dw);
    twin_free(twin);
    return n_checked;
}

static void derivatives_match_differences(void **state)
{
    size_t n_checked = 0;

    (void)state;
    for (uint64_t seed = 0; seed < 300; seed++) {
        struct trial t;

        draw(&t, seed);
        n_checked += check_gradient(&t, seed);
        free((void *)t.x.x);
    }
    assert_true(n_checked > 6000);
}

/* Float and double, forward and backward, masks included. */
static void check_agreement(const struct trial *t, uint64_t seed)
{
    const struct family *const f = family_named(t->family);
    peck_error err;
    void *const shape = shape_open(f, t->setting, t->dim, &err);
    struct twin *const twin = twin_open(t->family, t->setting, t->dim);
    const size_t n = twin_n_weights(twin);
    float *const w = random_floats(n, seed), *const dw = calloc(n, sizeof *dw);
    double *const wide = calloc(n, sizeof *wide), *const dwide = calloc(n, sizeof *dwide);
    float *const scratch = calloc(t->x.n * family_scratch(f, shape) + 1, sizeof *scratch);
    float s[MOST_DOCS], c[MOST_DOCS];
    double s_wide[MOST_DOCS], c_wide[MOST_DOCS];
    struct rng r;

    assert_int_equal(f->n_weights(shape), n);
    for (size_t i = 0; i < n; i++)
        wide[i] = w[i];
    for (size_t i = 0; i < t->x.n; i++)
        c_wide[i] = c[i] = (float)i - 1.5f;
    rng_seed(&r, t->mask, 0);
    family_forward(f, shape, w, t->x, t->mask != 0 ? &r : NULL, s, scratch);
    twin_forward(twin, wide, t->x, t->mask, s_wide);
    for (size_t i = 0; i < t->x.n; i++)
        assert_true(fabs(s[i] - s_wide[i]) <= 1e-4 * (1.0 + fabs(s_wide[i])));
    f->scores->backward(shape, w, t->x, c, dw, scratch);
    twin_backward(twin, wide, t->x, c_wide, dwide);
    for (size_t i = 0; i < n; i++)
        if (fabs(dw[i] - dwide[i]) > 2e-3 * (1.0 + fabs(dwide[i])))
            fail_msg("seed %llu: dw[%zu] is %.9g, but %.9g", (unsigned long long)seed, i,
                     (double)dw[i], dwide[i]);
    free(shape), free(w), free(dw), free(wide), free(dwide), free(scratch);
    twin_free(twin);
}

static void float_agrees_with_double(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 300; seed++) {
        struct trial t;

        draw(&t, seed);
        if (strcmp(t.setting[t.n_settings > 1], "activation=relu") != 0)
            check_agreement(&t, seed);
        free((void *)t.x.x);
    }
}

/* backward() leaves what forward() kept: it may be asked again. */
static void backward_can_be_repeated(void **state)
{
    struct trial t;

    (void)state;
    draw(&t, 3);
    struct twin *const twin =
        twin_open("mlp", (const char *const[]){ "hidden=6-4", "dropout=0.5", NULL }, t.dim);
    const size_t n = twin_n_weights(twin);
    double *const w = calloc(n, sizeof *w), *const dw = calloc(2 * n, sizeof *dw);
    double s[MOST_DOCS];

    twin_init(twin, 5, w);
    twin_forward(twin, w, t.x, 9, s);
    twin_backward(twin, w, t.x, s, dw);
    twin_backward(twin, w, t.x, s, dw + n);
    for (size_t i = 0; i < n; i++)
        assert_true(dw[i] == dw[n + i]);
    free(w), free(dw), free((void *)t.x.x);
    twin_free(twin);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derivatives_match_differences),
        cmocka_unit_test(float_agrees_with_double),
        cmocka_unit_test(backward_can_be_repeated),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
