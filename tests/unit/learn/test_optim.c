/* test_optim.c -- steps against the formulas, in double. */
#include "learn/sgd.h"

#include "support/check.h"

#include <math.h>

enum { N = 37, STEPS = 7 }; /* more than two vectors and a rest */

static const float start[N] = { 1.0f, -2.0f, 0.5f, 0.0f, 3.0f };

/* The gradient at step t: anything that changes sign and size. */
static void gradient(float *g, int t)
{
    for (int i = 0; i < N; i++)
        g[i] = (float)(sin(1.3 * (i + 1) * (t + 1)) * (i + 1));
}

static void assert_close(const float *w, const double *wanted)
{
    for (int i = 0; i < N; i++)
        if (!(fabs((double)w[i] - wanted[i]) < 2e-6 * (1.0 + fabs(wanted[i]))))
            fail_msg("weight %d is %.9g, not %.9g", i, (double)w[i], wanted[i]);
}

/* Takes STEPS steps with the code under test. */
static void walk(const struct optim_rule *rule, const unsigned char *held, double rate,
                 float *w)
{
    struct optim o;
    float g[N];

    memcpy(w, start, sizeof start);
    assert_int_equal(optim_open(&o, rule, N, NULL), PECK_OK);
    if (held != NULL)
        memcpy(o.held, held, N);
    for (int t = 0; t < STEPS; t++) {
        gradient(g, t);
        optim_step(&o, rate, g, w);
    }
    assert_int_equal(o.t, STEPS);
    optim_close(&o);
}

static void sgd_goes_down_the_gradient(void **state)
{
    const struct optim_rule rule = { .kind = OPTIM_SGD };
    double wanted[N];
    float w[N], g[N];

    (void)state;
    walk(&rule, NULL, 0.1, w);
    for (int i = 0; i < N; i++)
        wanted[i] = (double)start[i];
    for (int t = 0; t < STEPS; t++) {
        gradient(g, t);
        for (int i = 0; i < N; i++)
            wanted[i] -= 0.1 * (double)g[i];
    }
    assert_close(w, wanted);
}

static void momentum_remembers_old_gradients(void **state)
{
    const struct optim_rule rule = { .kind = OPTIM_MOMENTUM, .momentum = 0.8 };
    double wanted[N], m[N] = { 0 };
    float w[N], g[N];

    (void)state;
    walk(&rule, NULL, 0.05, w);
    for (int i = 0; i < N; i++)
        wanted[i] = (double)start[i];
    for (int t = 0; t < STEPS; t++) {
        gradient(g, t);
        for (int i = 0; i < N; i++) {
            m[i] = 0.8 * m[i] + (double)g[i];
            wanted[i] -= 0.05 * m[i];
        }
    }
    assert_close(w, wanted);
}

static void adam_follows_its_paper(void **state)
{
    const struct optim_rule rule = { .kind = OPTIM_ADAM, .beta1 = 0.9, .beta2 = 0.99 };
    double wanted[N], m[N] = { 0 }, v[N] = { 0 };
    float w[N], g[N];

    (void)state;
    walk(&rule, NULL, 0.02, w);
    for (int i = 0; i < N; i++)
        wanted[i] = (double)start[i];
    for (int t = 1; t <= STEPS; t++) {
        gradient(g, t - 1);
        for (int i = 0; i < N; i++) {
            const double gi = (double)g[i];

            m[i] = 0.9 * m[i] + 0.1 * gi;
            v[i] = 0.99 * v[i] + 0.01 * gi * gi;
            wanted[i] -= 0.02 * (m[i] / (1 - pow(0.9, t))) /
                         (sqrt(v[i] / (1 - pow(0.99, t))) + 1e-8);
        }
    }
    assert_close(w, wanted);
}

static void adam_starts_with_steps_of_the_rate(void **state)
{
    const struct optim_rule rule = { .kind = OPTIM_ADAM, .beta1 = 0.9, .beta2 = 0.999 };
    struct optim o;
    float w[N] = { 0 }, g[N] = { 1e-3f, -1.0f, 1e3f, -7.0f, 2.0f };

    (void)state;
    assert_int_equal(optim_open(&o, &rule, N, NULL), PECK_OK);
    optim_step(&o, 0.01, g, w);
    assert_close(w, (const double[N]){ -0.01, 0.01, -0.01, 0.01, -0.01 });
    optim_close(&o);
}

static void decay_and_l2_spare_what_is_not_held(void **state)
{
    const unsigned char held[N] = { 1, 0, 1, 0, 1 };
    const struct optim_rule decay = { .kind = OPTIM_SGD, .decay = 0.5 };
    const struct optim_rule l2 = { .kind = OPTIM_SGD, .l2 = 0.5 };
    const struct optim_rule *const rules[] = { &decay, &l2 };

    (void)state;
    for (size_t r = 0; r < N_OF(rules); r++) {
        struct optim o;
        float w[N], g[N] = { 0 };

        memcpy(w, start, sizeof start);
        assert_int_equal(optim_open(&o, rules[r], N, NULL), PECK_OK);
        memcpy(o.held, held, N);
        optim_step(&o, 0.1, g, w);
        for (int i = 0; i < N; i++) {
            const double kept = held[i] ? 0.95 : 1.0;

            assert_true(fabs((double)w[i] - kept * (double)start[i]) < 1e-6);
        }
        optim_close(&o);
    }
}

static void decay_is_apart_from_adams_memory(void **state)
{
    const struct optim_rule rule = {
        .kind = OPTIM_ADAM, .beta1 = 0.9, .beta2 = 0.999, .decay = 0.5
    };
    struct optim o;
    float w[N], g[N] = { 0 };

    (void)state;
    memcpy(w, start, sizeof start);
    assert_int_equal(optim_open(&o, &rule, N, NULL), PECK_OK);
    optim_step(&o, 0.1, g, w);
    for (int i = 0; i < N; i++) {
        assert_true(fabs((double)w[i] - 0.95 * (double)start[i]) < 1e-6);
        assert_true(o.m[i] == 0.0f && o.v[i] == 0.0f);
    }
    optim_close(&o);
}

static void clip_shortens_long_gradients_alone(void **state)
{
    const struct optim_rule rule = { .kind = OPTIM_SGD, .clip = 5.0 };
    struct optim o;
    float w[N] = { 0 }, longer[N] = { 6, 8, 0, 0, 0 }, shorter[N] = { 3, 0, 0, 0, 0 };

    (void)state;
    assert_int_equal(optim_open(&o, &rule, N, NULL), PECK_OK);
    optim_step(&o, 1.0, longer, w);
    assert_close(w, (const double[N]){ -3, -4 });
    optim_step(&o, 1.0, shorter, w);
    assert_close(w, (const double[N]){ -6, -4 });
    optim_close(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sgd_goes_down_the_gradient),
        cmocka_unit_test(momentum_remembers_old_gradients),
        cmocka_unit_test(adam_follows_its_paper),
        cmocka_unit_test(adam_starts_with_steps_of_the_rate),
        cmocka_unit_test(decay_and_l2_spare_what_is_not_held),
        cmocka_unit_test(decay_is_apart_from_adams_memory),
        cmocka_unit_test(clip_shortens_long_gradients_alone),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
