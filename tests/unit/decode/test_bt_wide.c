/* test_bt_wide.c -- averages over the posterior of strengths (bt_wide.h): of one pair they are
 * an integral that is summed up here; the width is where the evidence for it is flat; and
 * variances without covariances (bt_fit.h) are right where answers make a tree.        */
#include "support/check.h"

#include "base/rng.h"
#include "decode/bt.h"
#include "decode/bt_fit.h"

#include <math.h>

static peck_error err;

static peck_pref win(size_t i, size_t j)
{
    return (peck_pref){ .winner = i, .loser = j, .probability = 1, .weight = 1 };
}

/* Two items, w wins of the first, l of the other, and ties: d = t_0 - t_1 ~ N(0, 2 sd^2) before. */
static void one_pair_is_an_integral(void **state)
{
    (void)state;
    for (int wins = 0; wins < 6; wins++)
        for (int ties = 0; ties < 2; ties++) {
            peck_pref answer[10];
            size_t n = 0;
            double t[2], sum = 0, first = 0, second = 0;
            peck_strengths *s;

            for (int k = 0; k < wins; k++)
                answer[n++] = win(0, 1);
            answer[n++] = win(1, 0);
            if (ties > 0) {
                answer[n] = win(0, 1);
                answer[n++].probability = 0.5f;
            }
            assert_ok(peck_strengths_fit(&s, answer, n, 2, NULL, &err), err);
            peck_strengths_read(s, t, NULL);
            for (int k = -40000; k <= 40000; k++) {
                const double d = k * 1e-3;
                const double z = exp(d / 2) + exp(-d / 2) + s->tie;
                const double f = exp(d / 2 * (wins - 1) - (double)n * log(z) -
                                     d * d / (4 * s->prior_sd * s->prior_sd));

                sum += f;
                first += f * d;
                second += f * d * d;
            }
            const double mean = first / sum, var = second / sum - mean * mean;

            assert_true(fabs(t[0] - t[1] - mean) < 0.01 * sqrt(var));
            assert_true(fabs(bt_var(s, 0, 1) - var) < 0.02 * var);
            peck_strengths_free(s);
        }
}

/* (n + 2) sd^2 = 2 * 4 + sum of mean^2 + var, before the mean of all is taken off. */
static void width_is_where_evidence_is_flat(void **state)
{
    enum { N = 25, ANSWERS = 150 };

    (void)state;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        const double spread = seed % 2 == 0 ? 3 : 0.7;
        double t[N], sum = 8;
        peck_pref answer[ANSWERS];
        peck_strengths *s;
        struct rng r;

        rng_seed(&r, seed, 0);
        for (int i = 0; i < N; i++)
            t[i] = spread * rng_normal(&r);
        for (int k = 0; k < ANSWERS; k++) {
            const size_t i = rng_below(&r, N), j = (i + 1 + rng_below(&r, N - 1)) % N;

            answer[k] =
                rng_uniform(&r) < 1 / (1 + exp(t[j] - t[i])) ? win(i, j) : win(j, i);
        }
        assert_ok(peck_strengths_fit(&s, answer, ANSWERS, N, NULL, &err), err);
        const double square = s->prior_sd * s->prior_sd;

        for (int i = 0; i < N; i++)
            sum += s->t[i] * s->t[i] + s->var[i] + square / N;
        assert_true(fabs(sum / ((N + 2) * square) - 1) < 0.01);
        assert_true(s->prior_sd > spread / 2 && s->prior_sd < 2 * spread);
        peck_strengths_free(s);
    }
}

enum { TREE = 9 };

/* What bt_fit.c says of q, `looks` times over, from the diagonal of A. */
static void look(const struct pair_table *pairs, const double *t, double sd, int looks,
                 double *q)
{
    double diagonal[TREE], next[TREE];

    for (uint32_t i = 0; i < pairs->n; i++)
        diagonal[i] = 1 / (sd * sd);
    for (int k = -1; k < looks; k++) {
        memcpy(next, diagonal, sizeof next);
        for (size_t e = 0; e < pairs->n_pairs; e++) {
            const uint32_t i = pairs->pair[e].i, j = pairs->pair[e].j;
            const double p = 1 / (1 + exp(t[j] - t[i])),
                         v = pairs->pair[e].weight * p * (1 - p);

            if (k < 0) {
                next[i] += v;
                next[j] += v;
                continue;
            }
            const double root = (1 + sqrt(1 + 4 * v * v / (q[i] * q[j]))) / 2;

            next[i] -= v * v / (q[j] * root);
            next[j] -= v * v / (q[i] * root);
        }
        if (k < 0)
            memcpy(diagonal, next, sizeof next);
        memcpy(q, next, sizeof next);
    }
}

/* A star has no circle: there more looks than the three that are taken end at the variances
 * that covariances have.  In a chain of pairs with many answers and few, looks go too far, but
 * never below 0 or above what the prior knows. */
static void a_tree_needs_no_covariances(void **state)
{
    (void)state;
    for (int is_chain = 0; is_chain < 2; is_chain++) {
        double t[TREE] = { 0 }, var[TREE], peak[TREE] = { 0 }, exact[TREE], q[TREE];
        double cov[TREE * TREE];
        peck_pref answer[2 * TREE];
        struct answers a = { .pref = answer };
        struct arena room = { 0 };
        struct pair_table pairs;

        for (uint32_t i = 1; i < TREE; i++) {
            answer[a.n++] = win(is_chain ? i - 1 : 0, i);
            answer[a.n++] = win(i, is_chain ? i - 1 : 0);
            answer[a.n - 1].weight = answer[a.n - 2].weight =
                is_chain && i % 3 != 0 ? 1000.0f : 1.0f;
        }
        assert_ok(pairs_gather(&pairs, &room, &a, NULL, TREE, &err), err);
        struct watch watch = { 0 };
        const struct bt_task task = { .pairs = &pairs, .prior_sd = 1.5, .watch = &watch };
        struct bt_result wide = { .t = t, .var = var };
        struct bt_result dense = { .t = peak, .var = exact, .cov = cov };

        assert_ok(bt_fit(&task, &wide, &err), err);
        assert_ok(bt_fit(&task, &dense, &err), err);
        for (uint32_t i = 0; i < TREE; i++) {
            assert_true(fabs(t[i] - peak[i]) < 1e-3);
            assert_true(fabs(cov[i * TREE + i] - exact[i]) < 1e-9);
            assert_true(var[i] > 0 && var[i] <= 1.5 * 1.5);
        }
        for (uint32_t i = 0; !is_chain && i < TREE; i++) {
            look(&pairs, t, 1.5, 3, q);
            assert_true(fabs(var[i] * q[i] - 1) < 1e-9);
            look(&pairs, peak, 1.5, 2000, q);
            assert_true(fabs(exact[i] * q[i] - 1) < 1e-6);
        }
        arena_free(&room);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_pair_is_an_integral),
        cmocka_unit_test(width_is_where_evidence_is_flat),
        cmocka_unit_test(a_tree_needs_no_covariances),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
