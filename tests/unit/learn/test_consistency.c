/* test_consistency.c -- target probabilities that can hold together. */
#include "base/rng.h"
#include "data/prefs.h"
#include "support/check.h"

#include <math.h>

#define assert_close(a, b)                                     \
    do {                                                       \
        const double a_ = (a), b_ = (b);                       \
        if (!(fabs(a_ - b_) <= 1e-12))                         \
            fail_msg("%s is %.15g, wanted %.15g", #a, a_, b_); \
    } while (0)

static double odds(double p)
{
    return log(p / (1.0 - p));
}

/* The paper's Eq. 5 as it is printed. */
static void a_chain_is_equation_5(void **state)
{
    (void)state;
    for (double a = 0.05; a < 1.0; a += 0.05)
        for (double b = 0.05; b < 1.0; b += 0.05) {
            assert_close(peck_posterior_chain(a, b), a * b / (1.0 + 2.0 * a * b - a - b));
            assert_close(odds(peck_posterior_chain(a, b)) - odds(a), odds(b));
        }
}

static void confidence_builds_and_certainty_stays(void **state)
{
    (void)state;
    assert_true(peck_posterior_chain(0.5, 0.5) == 0.5);
    assert_true(peck_posterior_chain(0.6, 0.6) > 0.6);
    assert_true(peck_posterior_chain(0.4, 0.4) < 0.4);
    assert_true(peck_posterior_chain(1.0, 0.3) == 1.0);
    assert_true(peck_posterior_chain(0.3, 0.0) == 0.0);
    assert_true(peck_posterior_chain(1.0, 1.0) == 1.0);
    assert_true(isnan(peck_posterior_chain(1.0, 0.0)));
    assert_true(isnan(peck_posterior_chain(0.5, 1.1)));
    assert_true(isnan(peck_posterior_chain(-0.1, 0.5)));
    assert_true(isnan(peck_posterior_chain(0.5, (double)NAN)));
}

static void neighbours_give_all_posteriors(void **state)
{
    static const double adjacent[] = { 0.6, 0.9, 0.3, 0.5 };
    enum { N = 5 };
    double p[N * N];
    peck_error err;

    (void)state;
    assert_ok(peck_posteriors(p, adjacent, N, &err), err);
    for (size_t i = 0; i < N; i++) {
        double chain = 0.5;

        assert_close(p[i * N + i], 0.5);
        for (size_t k = i + 1; k < N; k++) {
            chain = peck_posterior_chain(chain, adjacent[k - 1]);
            assert_close(p[i * N + k], chain);
            assert_close(p[k * N + i], 1.0 - chain);
        }
    }
}

/* The lemma: equal neighbours P give D^n / (1 + D^n), D = P / (1 - P). */
static void equal_neighbours_grow_geometrically(void **state)
{
    enum { N = 8 };
    double adjacent[N - 1], p[N * N];
    peck_error err;

    (void)state;
    for (size_t i = 0; i < N - 1; i++)
        adjacent[i] = 0.7;
    assert_ok(peck_posteriors(p, adjacent, N, &err), err);
    for (size_t n = 1; n < N; n++) {
        const double d = pow(0.7 / 0.3, (double)n);

        assert_close(p[n], d / (1.0 + d));
        assert_true(n == 1 || p[n] > p[n - 1]);
    }
}

static void certain_neighbours_are_passed_on(void **state)
{
    static const double adjacent[] = { 1.0, 0.2, 0.0 }, wrong[] = { 0.5, 1.5 };
    double p[16];
    peck_error err;

    (void)state;
    assert_ok(peck_posteriors(p, adjacent, 4, &err), err);
    assert_true(p[0 * 4 + 1] == 1.0 && p[0 * 4 + 2] == 1.0 && p[2 * 4 + 0] == 0.0);
    assert_true(p[1 * 4 + 3] == 0.0 && p[3 * 4 + 1] == 1.0);
    assert_true(isnan(p[0 * 4 + 3]) && isnan(p[3 * 4 + 0]));
    assert_int_equal(peck_posteriors(p, wrong, 3, &err), PECK_ARG);
    assert_failed(err, PECK_ARG, "posterior 2");
    assert_int_equal(peck_posteriors(p, wrong + 1, 2, &err), PECK_ARG);
    assert_failed(err, PECK_ARG, "posterior 1");
    assert_ok(peck_posteriors(p, NULL, 0, &err), err);
}

/* Contradictions ------------------------------------------------------------------- */

enum { MAX_FOUND = 16 };
static peck_contradiction found[MAX_FOUND];

static size_t contradictions(const peck_pref *pref, size_t n, double tolerance)
{
    struct peck_prefs *const p = prefs_new();
    size_t n_found = 99;
    peck_error err;

    for (size_t i = 0; i < n; i++)
        assert_true(prefs_add(p, pref[i]));
    assert_ok(peck_prefs_contradictions(p, tolerance, found, MAX_FOUND, &n_found, &err),
              err);
    peck_prefs_free(p);
    return n_found;
}

static void what_follows_is_no_contradiction(void **state)
{
    enum { N = 12 };
    double o[N];
    peck_pref pref[N * N];
    size_t n = 0;
    struct rng r;

    (void)state;
    rng_seed(&r, 4, 4);
    for (size_t i = 0; i < N; i++)
        o[i] = rng_between(&r, -2.0, 2.0);
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++)
            if (i != j && rng_below(&r, 2) == 0)
                pref[n++] = (peck_pref){ 0, i, j, (float)(1 / (1 + exp(o[j] - o[i]))), 1 };
    assert_true(n > 40);
    assert_int_equal(contradictions(pref, n, 1e-5), 0);
    pref[n / 2].probability = pref[n / 2].probability > 0.5f ? 0.1f : 0.9f;
    assert_true(contradictions(pref, n, 1e-5) > 0);
}

static void the_implied_probability_is_told(void **state)
{
    static const peck_pref pref[] = { { 3, 10, 20, 0.6f, 1 },
                                      { 3, 30, 20, 0.4f, 1 }, /* 20 before 30: 0.6 */
                                      { 4, 30, 10, 0.9f, 1 }, /* another list */
                                      { 3, 30, 10, 0.5f, 1 } };

    (void)state;
    assert_int_equal(contradictions(pref, N_OF(pref), 0.1), 1);
    assert_int_equal(found[0].pref, 3);
    assert_int_equal(found[0].list, 3);
    assert_int_equal(found[0].winner, 30);
    assert_int_equal(found[0].loser, 10);
    assert_true(fabs(found[0].given - 0.5) < 1e-6);
    assert_true(fabs(found[0].implied - (1.0 - peck_posterior_chain(0.6, 0.6))) < 1e-6);
    assert_int_equal(contradictions(pref, N_OF(pref), 0.25), 0);
}

static void a_certain_order_holds_together(void **state)
{
    static const peck_pref pref[] = {
        { 0, 0, 1, 1, 1 }, { 0, 1, 2, 1, 1 },    { 0, 2, 0, 0, 1 }, { 0, 2, 3, 1, 1 },
        { 0, 0, 3, 1, 1 }, { 0, 1, 4, 0.6f, 1 }, { 0, 0, 4, 1, 1 },
    };

    (void)state;
    assert_int_equal(contradictions(pref, N_OF(pref), 0.01), 0);
}

static void a_certain_circle_is_found(void **state)
{
    static const peck_pref pref[] = { { 0, 0, 1, 1, 1 },
                                      { 0, 1, 2, 1, 1 },
                                      { 0, 5, 6, 1, 1 },
                                      { 0, 0, 2, 0, 1 },
                                      { 1, 2, 0, 1, 1 } };

    (void)state;
    assert_int_equal(contradictions(pref, N_OF(pref), 0.01), 1);
    assert_int_equal(found[0].pref, 3);
    assert_true(found[0].given == 0.0 && found[0].implied == 1.0);
}

/* 0 and 2 are tied by odds, so what is certain of one is certain of the other. */
static void certainty_goes_round_through_odds(void **state)
{
    static const peck_pref circle[] = { { 0, 0, 2, 0.6f, 1 },
                                        { 0, 0, 1, 1, 1 },
                                        { 0, 1, 2, 1, 1 } };
    static const peck_pref inside[] = { { 0, 0, 1, 0.6f, 1 },
                                        { 0, 1, 2, 0.6f, 1 },
                                        { 0, 0, 2, 1, 1 } };

    (void)state;
    assert_int_equal(contradictions(circle, 3, 0.01), 1);
    assert_true(found[0].pref == 2 && found[0].given == 1.0 && found[0].implied == 0.0);
    assert_int_equal(contradictions(inside, 3, 0.01), 1);
    assert_true(found[0].pref == 2 && found[0].given == 1.0);
    assert_true(fabs(found[0].implied - peck_posterior_chain(0.6, 0.6)) < 1e-6);
}

/* 0 is first reached on the way to 1, and again when all behind it is done. */
static void who_is_reached_twice_is_no_circle(void **state)
{
    static const peck_pref pref[] = { { 0, 0, 1, 1, 1 }, { 0, 2, 0, 1, 1 } };

    (void)state;
    assert_int_equal(contradictions(pref, N_OF(pref), 0.01), 0);
}

static void odds_are_looked_at_behind_a_certainty(void **state)
{
    static const peck_pref pref[] = {
        { 0, 5, 6, 1, 1 }, { 0, 0, 1, 0.6f, 1 }, { 0, 1, 2, 0.6f, 1 }, { 0, 0, 2, 0.5f, 1 }
    };

    (void)state;
    assert_int_equal(contradictions(pref, N_OF(pref), 0.01), 1);
    assert_int_equal(found[0].pref, 3);
}

/* Three votes to one is 0.75, not two certainties at odds. */
static void votes_on_the_same_two_are_averaged(void **state)
{
    static const peck_pref pref[] = {
        { 0, 7, 8, 1, 3 }, { 0, 8, 7, 1, 1 }, { 0, 8, 9, 0.5f, 1 }, { 0, 7, 9, 0.75f, 2 }
    };
    static const peck_pref weightless[] = { { 0, 7, 8, 1, 0 }, { 0, 8, 7, 1, 0 } };

    (void)state;
    assert_int_equal(contradictions(pref, N_OF(pref), 1e-6), 0);
    assert_int_equal(contradictions(weightless, 2, 1e-6), 0);
}

static void more_than_there_is_room_for_are_counted(void **state)
{
    enum { N = 40 }; /* lists, each a circle of three */
    struct peck_prefs *const p = prefs_new();
    size_t n_found;
    peck_error err;

    (void)state;
    for (size_t i = 0; i < 3 * N; i++)
        assert_true(prefs_add(p, (peck_pref){ i / 3, i % 3, (i + 1) % 3, 1, 1 }));
    assert_ok(peck_prefs_contradictions(p, 0.1, found, 2, &n_found, &err), err);
    assert_int_equal(n_found, N);
    assert_ok(peck_prefs_contradictions(p, 0.1, NULL, 0, &n_found, &err), err);
    assert_int_equal(n_found, N);
    assert_int_equal(peck_prefs_contradictions(p, -1.0, NULL, 0, &n_found, &err), PECK_ARG);
    peck_prefs_free(p);
}

/* Preferences that hold together ------------------------------------------------------- */

static double chance(double o)
{
    return 1.0 / (1.0 + exp(-o));
}

/* What a list of preferences becomes. */
static struct peck_prefs *held(const peck_pref *pref, size_t n, int all)
{
    struct peck_prefs *const p = prefs_new();
    peck_prefs *out = NULL;
    peck_error err;

    for (size_t i = 0; i < n; i++)
        assert_true(prefs_add(p, pref[i]));
    assert_ok(peck_prefs_consistent(&out, p, all, &err), err);
    peck_prefs_free(p);
    return out;
}

/* Random outputs of two lists, all pairs of each: they come back to the last bit of a float. */
static void what_holds_together_stays(void **state)
{
    enum { N = 12 };
    peck_pref pref[2 * N * N];
    struct rng r;
    size_t n = 0;

    (void)state;
    rng_seed(&r, 5, 1);
    for (size_t list = 0; list < 2; list++) {
        double o[N];

        for (size_t i = 0; i < N; i++)
            o[i] = 2.0 * rng_normal(&r);
        for (size_t i = 0; i < N; i++)
            for (size_t j = 0; j < N; j++)
                if (i != j && rng_below(&r, 2) == 0)
                    pref[n++] = (peck_pref){ list, i, j, (float)chance(o[i] - o[j]),
                                             (float)(1 + rng_below(&r, 5)) };
    }
    struct peck_prefs *const out = held(pref, n, 0);

    assert_int_equal(out->n, n);
    for (size_t i = 0; i < n; i++) {
        assert_true(fabsf(out->pref[i].probability - pref[i].probability) < 1e-6f);
        assert_true(out->pref[i].weight == pref[i].weight);
        assert_true(out->pref[i].list == pref[i].list &&
                    out->pref[i].winner == pref[i].winner &&
                    out->pref[i].loser == pref[i].loser);
    }
    peck_prefs_free(out);
}

/* At the least cross entropy each item is as often ahead as was said of it, in sum; and what
 * comes out has no contradiction left.  An item that is certainly ahead changes nothing. */
static void what_contradicts_is_brought_together(void **state)
{
    enum { N = 9 };

    (void)state;
    for (uint64_t seed = 0; seed < 50; seed++) {
        peck_pref pref[N * N + 1];
        double said[N + 1] = { 0 }, got[N + 1] = { 0 };
        size_t n = 0, n_found = 1;
        struct rng r;
        peck_error err;

        rng_seed(&r, seed, 2);
        for (size_t i = 0; i < N; i++)
            for (size_t j = 0; j < N; j++)
                if (i != j && (j == (i + 1) % N || rng_below(&r, 3) == 0))
                    pref[n++] = (peck_pref){ 0, i, j, (float)rng_between(&r, 0.02, 0.98),
                                             (float)rng_between(&r, 0.5, 20.0) };
        if (seed % 2 == 1)
            pref[n++] = (peck_pref){ 0, N, seed % N, 1.0f, 1.0f };
        struct peck_prefs *const out = held(pref, n, 0);

        for (size_t k = 0; k < n; k++) {
            const double w = (double)pref[k].weight, p = (double)pref[k].probability,
                         q = (double)out->pref[k].probability;

            said[pref[k].winner] += w * p;
            said[pref[k].loser] += w * (1.0 - p);
            got[pref[k].winner] += w * q;
            got[pref[k].loser] += w * (1.0 - q);
        }
        for (size_t i = 0; i <= N; i++)
            assert_true(fabs(said[i] - got[i]) < 1e-5);
        assert_ok(peck_prefs_contradictions(out, 1e-5, NULL, 0, &n_found, &err), err);
        assert_int_equal(n_found, 0);
        peck_prefs_free(out);
    }
}

/* Certainty stays where nothing speaks against it, and goes where it runs in a circle. */
static void certainty_stays_but_for_circles(void **state)
{
    static const peck_pref pref[] = { { 0, 0, 1, 1, 1 }, { 0, 1, 2, 1, 1 },
                                      { 0, 2, 0, 1, 1 }, { 0, 3, 0, 1, 2 },
                                      { 0, 4, 3, 0, 1 }, { 1, 0, 1, 1, 1 } };
    struct peck_prefs *const out = held(pref, N_OF(pref), 0);
    static const float want[] = { 0.5f, 0.5f, 0.5f, 1, 0, 1 };

    (void)state;
    for (size_t i = 0; i < N_OF(pref); i++)
        assert_true(fabsf(out->pref[i].probability - want[i]) < 1e-6f);
    peck_prefs_free(out);
    struct peck_prefs *const all = held(pref, N_OF(pref), 1);

    /* Three of the circle, item 3 before each of them and before 4, and the other list's;
     * of 4 and the circle nothing is known. */
    assert_int_equal(all->n, 3 + 3 + 1 + 1);
    for (size_t i = 0; i < all->n; i++)
        if (all->pref[i].list == 0 && all->pref[i].winner == 3)
            assert_true(all->pref[i].probability == 1.0f);
    peck_prefs_free(all);
}

/* The paper's theorem: m - 1 neighbours give all, by Eq. (5). */
static void neighbours_give_every_pair(void **state)
{
    enum { N = 40 };
    peck_pref pref[N];
    double adjacent[N - 1], p[N * N];
    struct rng r;
    peck_error err;

    (void)state;
    rng_seed(&r, 3, 3);
    for (size_t i = 0; i + 1 < N; i++) {
        pref[i] = (peck_pref){ 0, i, i + 1, (float)rng_between(&r, 0.3, 0.7), 1 };
        adjacent[i] = (double)pref[i].probability;
    }
    assert_ok(peck_posteriors(p, adjacent, N, &err), err);
    struct peck_prefs *const all = held(pref, N - 1, 1);

    assert_int_equal(all->n, N * (N - 1) / 2);
    for (size_t k = 0; k < all->n; k++) {
        const peck_pref *const t = &all->pref[k];

        assert_true(t->probability >= 0.5f);
        assert_true(fabs((double)t->probability - p[t->winner * N + t->loser]) < 1e-6);
    }
    peck_prefs_free(all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_holds_together_stays),
        cmocka_unit_test(what_contradicts_is_brought_together),
        cmocka_unit_test(certainty_stays_but_for_circles),
        cmocka_unit_test(neighbours_give_every_pair),
        cmocka_unit_test(a_chain_is_equation_5),
        cmocka_unit_test(confidence_builds_and_certainty_stays),
        cmocka_unit_test(neighbours_give_all_posteriors),
        cmocka_unit_test(equal_neighbours_grow_geometrically),
        cmocka_unit_test(certain_neighbours_are_passed_on),
        cmocka_unit_test(what_follows_is_no_contradiction),
        cmocka_unit_test(the_implied_probability_is_told),
        cmocka_unit_test(a_certain_order_holds_together),
        cmocka_unit_test(a_certain_circle_is_found),
        cmocka_unit_test(certainty_goes_round_through_odds),
        cmocka_unit_test(who_is_reached_twice_is_no_circle),
        cmocka_unit_test(odds_are_looked_at_behind_a_certainty),
        cmocka_unit_test(votes_on_the_same_two_are_averaged),
        cmocka_unit_test(more_than_there_is_room_for_are_counted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
