/* test_bt.c -- strengths by answers: the fit is where the log-posterior is flat, found here
 * slowly and by plain formulas; deviations are those of its bend.                      */
#include "support/check.h"

#include "base/rng.h"
#include "decode/bt.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fit_is_the_peak),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
