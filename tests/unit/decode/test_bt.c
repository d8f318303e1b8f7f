/* test_bt.c -- strengths by answers: the fit is where the log-posterior is flat, found here
 * slowly and by plain formulas; deviations are those of its bend.                      */
#include "support/check.h"

#include "base/rng.h"
#include "decode/bt.h"
#include "decode/bt_fit.h"
#include "support/scratch.h"

#include <math.h>

enum { MOST = 12 };

static peck_error err;

/* Answers of simulated people: ties with nu, some fractional, weights 1 or 2. */
static size_t draw_answers(struct rng *r, const double *t, uint32_t n, double nu,
                           size_t n_answers, peck_pref *to)
{
    for (size_t k = 0; k < n_answers; k++) {
        const uint32_t i = (uint32_t)rng_below(r, n);
        const uint32_t j = (i + 1 + (uint32_t)rng_below(r, n - 1)) % n;
        const double a = exp((t[i] - t[j]) / 2), z = a + 1 / a + nu;
        const double u = rng_uniform(r) * z;
        const float weight = rng_below(r, 4) == 0 ? 2.0f : 1.0f;

        to[k] = (peck_pref){ .winner = i, .loser = j, .probability = 1, .weight = weight };
        if (u < nu)
            to[k].probability = 0.5f;
        else if (u > nu + a)
            to[k] =
                (peck_pref){ .winner = j, .loser = i, .probability = 1, .weight = weight };
        if (k % 7 == 3 && to[k].probability == 1.0f)
            to[k].probability = 0.75f;
    }
    return n_answers;
}

/* The log-posterior, by the definition. */
static double posterior(const peck_pref *a, size_t n_answers, const double *t, uint32_t n,
                        const double *mean, double sd, double nu)
{
    double sum = 0.0;

    for (uint32_t i = 0; i < n; i++)
        sum -= (t[i] - mean[i]) * (t[i] - mean[i]) / (2 * sd * sd);
    for (size_t k = 0; k < n_answers; k++) {
        const double d = t[a[k].winner] - t[a[k].loser];
        const double z = exp(d / 2) + exp(-d / 2) + nu;
        const double win = log(exp(d / 2) / z), lose = log(exp(-d / 2) / z);
        const double p = (double)a[k].probability;

        sum += (double)a[k].weight * (p == 0.5 ? log(nu / z) : p * win + (1.0 - p) * lose);
    }
    return sum;
}

static void fit_is_the_peak(void **state)
{
    struct rng r;
    double t[MOST], mean[MOST], got[MOST], sd[MOST];
    peck_pref answer[60];

    (void)state;
    rng_seed(&r, 7, 0);
    for (uint32_t i = 0; i < MOST; i++) {
        t[i] = 2 * rng_normal(&r);
        mean[i] = 0.5 * rng_normal(&r);
    }
    const size_t n = draw_answers(&r, t, MOST, 0.8, 60, answer);
    peck_strengths *s;

    assert_ok(peck_strengths_fit(
                  &s, answer, n, MOST,
                  &(peck_strengths_spec){ .prior_sd = 1.7, .tie = 0.9, .prior_mean = mean },
                  &err),
              err);
    peck_strengths_read(s, got, sd);
    /* The mean of all strengths is that of the prior, which nothing else says anything of. */
    double shift = 0.0;

    for (uint32_t i = 0; i < MOST; i++)
        shift += mean[i] / MOST;
    for (uint32_t i = 0; i < MOST; i++)
        got[i] += shift;
    const double best = posterior(answer, n, got, MOST, mean, 1.7, 0.9);

    for (uint32_t i = 0; i < MOST; i++)
        for (int side = -1; side < 2; side += 2) {
            double near[MOST];

            memcpy(near, got, sizeof near);
            near[i] += side * 1e-4;
            assert_true(posterior(answer, n, near, MOST, mean, 1.7, 0.9) < best);
        }
    peck_strengths_free(s);
}

/* Minus the second derivative of the log-posterior, by differences of it: slow and obvious. */
static double bend(const peck_pref *a, size_t n_answers, const double *t, uint32_t i,
                   uint32_t j, const double *mean, double sd, double nu)
{
    const double h = 1e-3;
    double at[4];

    for (int k = 0; k < 4; k++) {
        double x[MOST];

        memcpy(x, t, sizeof x);
        x[i] += k & 1 ? h : -h;
        x[j] += k & 2 ? h : -h;
        at[k] = posterior(a, n_answers, x, MOST, mean, sd, nu);
    }
    return -(at[3] - at[1] - at[2] + at[0]) / (4 * h * h);
}

/* Gauss and Jordan, without a thought. */
static void invert(double a[MOST][MOST], double to[MOST][MOST])
{
    for (size_t i = 0; i < MOST; i++)
        for (size_t j = 0; j < MOST; j++)
            to[i][j] = i == j;
    for (size_t k = 0; k < MOST; k++) {
        const double by = 1 / a[k][k];

        for (size_t j = 0; j < MOST; j++) {
            a[k][j] *= by;
            to[k][j] *= by;
        }
        for (size_t i = 0; i < MOST; i++) {
            const double off = a[i][k];

            for (size_t j = 0; i != k && j < MOST; j++) {
                a[i][j] -= off * a[k][j];
                to[i][j] -= off * to[k][j];
            }
        }
    }
}

/* Newton's method by such derivatives, and the deviations of its end. */
static void slow_newton_agrees(void **state)
{
    struct rng r;
    double t[MOST], mean[MOST], got[MOST], sd[MOST], x[MOST] = { 0 };
    double a[MOST][MOST], inverse[MOST][MOST];
    peck_pref answer[80];
    peck_strengths *s;

    (void)state;
    rng_seed(&r, 11, 0);
    for (uint32_t i = 0; i < MOST; i++) {
        t[i] = 1.5 * rng_normal(&r);
        mean[i] = 0.3 * rng_normal(&r);
    }
    const size_t n = draw_answers(&r, t, MOST, 0.6, 80, answer);

    for (int step = 0; step < 30; step++) {
        double slope[MOST];

        for (uint32_t i = 0; i < MOST; i++) {
            double up[MOST], down[MOST];

            memcpy(up, x, sizeof up);
            memcpy(down, x, sizeof down);
            up[i] += 1e-4;
            down[i] -= 1e-4;
            slope[i] = (posterior(answer, n, up, MOST, mean, 1.2, 0.7) -
                        posterior(answer, n, down, MOST, mean, 1.2, 0.7)) /
                       2e-4;
            for (uint32_t j = 0; j < MOST; j++)
                a[i][j] = bend(answer, n, x, i, j, mean, 1.2, 0.7);
        }
        invert(a, inverse);
        for (size_t i = 0; i < MOST; i++)
            for (size_t j = 0; j < MOST; j++)
                x[i] += inverse[i][j] * slope[j];
    }
    assert_ok(peck_strengths_fit(
                  &s, answer, n, MOST,
                  &(peck_strengths_spec){ .prior_sd = 1.2, .tie = 0.7, .prior_mean = mean },
                  &err),
              err);
    peck_strengths_read(s, got, sd);
    double middle = 0.0;

    for (size_t i = 0; i < MOST; i++)
        middle += x[i] / MOST;
    for (uint32_t i = 0; i < MOST; i++) {
        double row = 0.0, all = 0.0;

        for (size_t k = 0; k < MOST; k++) {
            row += inverse[i][k] / MOST;
            for (size_t j = 0; j < MOST; j++)
                all += inverse[k][j] / (MOST * MOST);
        }
        assert_true(fabs(got[i] - (x[i] - middle)) < 1e-5);
        assert_true(fabs(sd[i] * sd[i] - (inverse[i][i] - 2 * row + all)) < 1e-5);
        for (uint32_t j = 0; j < MOST; j++) {
            const double var = inverse[i][i] + inverse[j][j] - 2 * inverse[i][j];

            assert_true(i == j || fabs(bt_var(s, i, j) - var) < 1e-5);
            assert_true(fabs(peck_strengths_above(s, i, j) + peck_strengths_above(s, j, i) -
                             1) < 1e-12);
        }
    }
    peck_strengths_free(s);
}

/* The share of ties: no other nu is likelier at the mode, but for half a tie and half an answer
 * more.  (Strengths are the mode where the width is given, averages where it is found.) */
static void ties_are_learnt(void **state)
{
    enum { N = 40, ANSWERS = 4000 };
    struct rng r;
    double t[N];
    peck_pref *const answer = mem_new(ANSWERS, sizeof *answer);
    peck_strengths *s;

    (void)state;
    assert_non_null(answer);
    rng_seed(&r, 3, 0);
    for (uint32_t i = 0; i < N; i++)
        t[i] = rng_normal(&r);
    draw_answers(&r, t, N, 0.8, ANSWERS, answer);
    for (size_t k = 0; k < ANSWERS; k++)
        answer[k].probability = answer[k].probability == 0.75f ? 1 : answer[k].probability;
    assert_ok(peck_strengths_fit(&s, answer, ANSWERS, N, NULL, &err), err);
    assert_true(fabs(s->tie - 0.8) < 0.1);
    assert_true(s->prior_sd > 0.9 && s->prior_sd < 1.9);
    const peck_strengths_spec given = { .prior_sd = s->prior_sd };

    peck_strengths_free(s);
    assert_ok(peck_strengths_fit(&s, answer, ANSWERS, N, &given, &err), err);
    double ties = 0.5, expected = 0.5 * s->tie / (2 + s->tie) * 2;

    for (size_t k = 0; k < ANSWERS; k++)
        ties += answer[k].probability == 0.5f ? (double)answer[k].weight : 0.0;
    for (size_t k = 0; k < s->n_pairs; k++) {
        const double d = s->t[s->pair[k].i] - s->t[s->pair[k].j];

        expected += s->pair[k].weight * s->tie / (exp(d / 2) + exp(-d / 2) + s->tie);
    }
    assert_true(fabs(ties - expected) < 1e-4);
    peck_strengths_free(s);
    mem_free(answer);
}

/* A width that is found is one that explains the strengths (MacKay): prior_sd^2 times the
 * items' worth of what is known is the sum of their squares, two items of variance 4 added to
 * both.  Answers without ties have none to find. */
static void width_explains_the_strengths(void **state)
{
    static const double spread[] = { 0.5, 1, 3 };
    enum { N = 25, ANSWERS = 300 };
    peck_pref answer[ANSWERS];
    double t[N], mean[N];

    (void)state;
    for (size_t k = 0; k < N_OF(spread); k++)
        for (int has_mean = 0; has_mean < 2; has_mean++) {
            double squares = 2 * 4.0, known = 2 + N, shift = 0.0;
            struct rng r;
            peck_strengths *s;

            rng_seed(&r, 30 + k, 0);
            for (uint32_t i = 0; i < N; i++) {
                t[i] = spread[k] * rng_normal(&r);
                mean[i] = has_mean ? t[i] / 2 : 0.0;
                shift += mean[i] / N;
            }
            draw_answers(&r, t, N, 0.0, ANSWERS, answer);
            assert_ok(peck_strengths_fit(&s, answer, ANSWERS, N,
                                         &(peck_strengths_spec){ .prior_mean = mean },
                                         &err),
                      err);
            const double var = s->prior_sd * s->prior_sd;

            /* What is read is less the mean of all: both are put back. */
            for (uint32_t i = 0; i < N; i++) {
                const double off = s->t[i] + shift - mean[i];

                squares += off * off;
                known -= (s->var[i] + var / N) / var;
            }
            assert_true(fabs(squares / known / var - 1) < 2e-3);
            assert_true(s->tie == 0.0);
            peck_strengths_free(s);
        }
}

/* Conjugate gradients come to the same strengths; variances of a tree are exact. */
static void few_and_many_items_agree(void **state)
{
    enum { N = 60 };
    struct rng r;
    double t[N], one[N], other[N], var[N], exact[N];
    peck_pref answer[8 * N];
    struct arena arena = { 0 };
    struct pair_table pairs;
    double *const cov = mem_new(N * N, sizeof *cov);

    (void)state;
    rng_seed(&r, 5, 0);
    for (uint32_t i = 0; i < N; i++)
        t[i] = rng_normal(&r);
    for (int is_tree = 0; is_tree < 2; is_tree++) {
        size_t n = draw_answers(&r, t, N, 0.5, sizeof answer / sizeof *answer, answer);

        for (uint32_t i = 1; is_tree && i < N; i++)
            answer[i - 1] = (peck_pref){
                .winner = i, .loser = rng_below(&r, i), .probability = 1, .weight = 1
            };
        n = is_tree ? N - 1 : n;
        memset(one, 0, sizeof one);
        memset(other, 0, sizeof other);
        assert_ok(pairs_gather(&pairs, &arena, &(struct answers){ .pref = answer, .n = n },
                               NULL, N, &err),
                  err);
        const struct bt_task task = { .pairs = &pairs, .prior_sd = 1.1, .tie = 0.4 };
        struct bt_result dense = { .t = one, .var = exact, .cov = cov };
        struct bt_result rough = { .t = other, .var = var };

        assert_ok(bt_fit(&task, &dense, &err), err);
        assert_ok(bt_fit(&task, &rough, &err), err);
        for (uint32_t i = 0; i < N; i++) {
            assert_true(fabs(one[i] - other[i]) < 1e-5);
            assert_true(fabs(var[i] / exact[i] - 1) < (is_tree ? 0.01 : 0.1));
        }
    }
    arena_free(&arena);
    mem_free(cov);
}

static void threads_do_not_matter(void **state)
{
    enum { N = 2500, ANSWERS = 30000 };
    struct rng r;
    double *const t = mem_new(6 * N, sizeof *t);
    peck_pref *const answer = mem_new(ANSWERS, sizeof *answer);

    (void)state;
    assert_non_null(t);
    assert_non_null(answer);
    rng_seed(&r, 9, 0);
    for (uint32_t i = 0; i < N; i++)
        t[i] = rng_normal(&r);
    for (uint32_t n = 400; n <= N; n += N - 400) { /* dense, and not */
        draw_answers(&r, t, n, 0.3, ANSWERS, answer);
        for (int threads = 1; threads <= 3; threads += 2) {
            double *const mean = t + (threads == 1 ? 1 : 3) * N;
            peck_strengths *s;

            assert_ok(peck_strengths_fit(&s, answer, ANSWERS, n,
                                         &(peck_strengths_spec){ .threads = threads },
                                         &err),
                      err);
            peck_strengths_read(s, mean, mean + N);
            peck_strengths_free(s);
        }
        assert_memory_equal(t + N, t + 3 * N, n * sizeof *t);
        assert_memory_equal(t + 2 * N, t + 4 * N, n * sizeof *t);
    }
    mem_free(t);
    mem_free(answer);
}

/* Nothing is known: all are equal, and as uncertain as the prior. */
static void no_answer_is_fine(void **state)
{
    double mean[3], sd[3];
    peck_strengths *s;

    (void)state;
    assert_ok(
        peck_strengths_fit(&s, NULL, 0, 3, &(peck_strengths_spec){ .prior_sd = 2 }, &err),
        err);
    peck_strengths_read(s, mean, sd);
    for (int i = 0; i < 3; i++) {
        assert_true(fabs(mean[i]) < 1e-12);
        assert_true(fabs(sd[i] * sd[i] - 4.0 * 2 / 3) < 1e-9);
    }
    assert_true(fabs(peck_strengths_above(s, 0, 2) - 0.5) < 1e-12);
    peck_strengths_free(s);
    assert_ok(peck_strengths_fit(&s, NULL, 0, 0, NULL, &err), err);
    peck_strengths_free(s);
    /* One answer, again and again: finite. */
    peck_pref same[50];

    for (size_t k = 0; k < 50; k++)
        same[k] = (peck_pref){ .winner = 2, .loser = 1, .probability = 1, .weight = 1 };
    assert_ok(peck_strengths_fit(&s, same, 50, 3, NULL, &err), err);
    peck_strengths_read(s, mean, sd);
    assert_true(mean[2] > 0.5 && mean[2] < 20 && fabs(mean[2] + mean[1]) < 1e-6);
    assert_true(peck_strengths_above(s, 2, 1) > 0.95);
    peck_strengths_free(s);
}

static void bad_answers_are_refused(void **state)
{
    static const double off[2] = { 0, NAN };
    const struct {
        peck_pref answer;
        peck_strengths_spec spec;
        const char *says;
    } bad[] = {
        { { 0, 0, 2, 1, 1 }, { 0 }, "answer 1: item 2" },
        { { 0, 1, 1, 1, 1 }, { 0 }, "itself" },
        { { 0, 0, 1, 1.5f, 1 }, { 0 }, "probability" },
        { { 0, 0, 1, NAN, 1 }, { 0 }, "probability" },
        { { 0, 0, 1, 1, 0 }, { 0 }, "weight" },
        { { 0, 0, 1, 1, INFINITY }, { 0 }, "weight" },
        { { 0, 0, 1, 1, 1 }, { .prior_sd = -1 }, "prior_sd" },
        { { 0, 0, 1, 1, 1 }, { .tie = NAN }, "tie" },
        { { 0, 0, 1, 1, 1 }, { .prior_mean = off }, "prior_mean" },
    };

    (void)state;
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        peck_strengths *s = (peck_strengths *)&err;
        const peck_status st =
            peck_strengths_fit(&s, &bad[k].answer, 1, 2, &bad[k].spec, &err);

        assert_null(s);
        assert_failure(st, &err, PECK_ARG, bad[k].says);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fit_is_the_peak),
        cmocka_unit_test(slow_newton_agrees),
        cmocka_unit_test(ties_are_learnt),
        cmocka_unit_test(width_explains_the_strengths),
        cmocka_unit_test(few_and_many_items_agree),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(no_answer_is_fine),
        cmocka_unit_test(bad_answers_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
