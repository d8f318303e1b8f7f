/* test_active.c -- `active` on items that have true scores: never behind `fuzzy` or
 * `sampled`, far ahead where duels can be foregone, nor behind `fuzzy` where answers are
 * nearly sure; and the strengths it fits.                                             */
#include "support/oracles.h"

#include "support/check.h"

#include "base/rng.h"
#include "decode/strength.h"
#include "synth/synth.h"

#include <math.h>

static peck_status ask_btl(void *ctx, int worker, const peck_duel *duel, size_t n, float *h,
                           peck_error *err)
{
    (void)worker, (void)err;
    for (size_t k = 0; k < n; k++)
        h[k] = (float)btl_preference(ctx, duel[k].i, duel[k].j);
    return PECK_OK;
}

/* Share of pairs in the wrong order, counted one by one. */
static double pair_error(const struct btl *b, const uint32_t *order, uint32_t n)
{
    double *const score = calloc(n, sizeof *score);
    uint64_t wrong = 0;

    assert_non_null(score);
    for (uint32_t k = 0; k < n; k++)
        score[k] = btl_score(b, order[k]);
    for (uint32_t a = 0; a < n; a++)
        for (uint32_t c = a + 1; c < n; c++)
            wrong += score[a] < score[c];
    free(score);
    return (double)wrong / ((double)n * (n - 1) / 2);
}

static double error_of(const char *name, double spread, uint64_t budget)
{
    enum { ITEMS = 3000, SEEDS = 2 };
    struct decoding d = decoding_new(ITEMS);
    double sum = 0;

    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct btl b = { seed, spread };
        const struct oracle o = {
            .n = ITEMS, .ask = ask_btl, .ctx = &b, .is_symmetric = true
        };

        decode_with(&d, name, &o, seed, budget);
        sum += pair_error(&b, d.order, ITEMS);
    }
    decoding_free(&d);
    return sum / SEEDS;
}

static void active_is_never_behind(void **state)
{
    static const double spreads[] = { 0.8, 5, 20 };
    static const uint64_t budgets[] = { 60000, 200000, 600000 };
    double gain = 1;

    (void)state;
    for (size_t s = 0; s < N_OF(spreads); s++)
        for (size_t b = 0; b < N_OF(budgets); b++) {
            const double fuzzy = error_of("fuzzy", spreads[s], budgets[b]),
                         sampled = error_of("sampled", spreads[s], budgets[b]),
                         active = error_of("active", spreads[s], budgets[b]),
                         best = fmin(fuzzy, sampled);

            if (active > 1.02 * best)
                fail_msg("spread %g, %llu questions: %.4f; fuzzy %.4f, sampled %.4f",
                         spreads[s], (unsigned long long)budgets[b], active, fuzzy,
                         sampled);
            gain = fmin(gain, active / best);
        }
    assert_true(gain < 0.6);
}

/* Duels of neighbours are open, nearly all others foregone: the scale has to be found. */
static void nearly_sure_answers_are_used_as_well_as_by_merging(void **state)
{
    static const double spreads[] = { 100, 1000 };
    const uint64_t budget = 200000;

    (void)state;
    for (size_t s = 0; s < N_OF(spreads); s++) {
        const double fuzzy = error_of("fuzzy", spreads[s], budget),
                     active = error_of("active", spreads[s], budget);

        if (!(active < fuzzy))
            fail_msg("spread %g: %.5f; fuzzy %.5f", spreads[s], active, fuzzy);
    }
}

/* Preferences without noise give the strengths back. */
static void strengths_are_found(void **state)
{
    enum { ITEMS = 200, DUELS = 20 * ITEMS };
    static peck_duel duel[DUELS];
    static float h[DUELS];
    struct asker a = { 0 };
    struct strengths s;
    struct rng r;
    double true_t[ITEMS], sum = 0;
    peck_error err = { 0 };

    (void)state;
    rng_seed(&r, 3, 0);
    for (uint32_t i = 0; i < ITEMS; i++)
        sum += true_t[i] = 1.5 * rng_normal(&r);
    for (size_t k = 0; k < DUELS; k++) {
        const uint32_t i = (uint32_t)(k % ITEMS);

        duel[k] = (peck_duel){ i, (i + 1 + (uint32_t)(k / ITEMS)) % ITEMS };
        h[k] = (float)(1 / (1 + exp(true_t[duel[k].j] - true_t[i])));
    }
    assert_ok(strengths_open(&s, ITEMS, &err), err);
    strengths_fit(&s, &a, duel, h, DUELS, 300);
    for (uint32_t i = 0; i < ITEMS; i++)
        assert_true(fabs(s.t[i] - (true_t[i] - sum / ITEMS)) < 0.02);
    assert_true(s.noise < 1e-3);
    strengths_close(&s);
}

/* A row of items, each half a log-odds ahead of the next, of which a fifth is known. */
static void neighbours_tell_the_scale(void **state)
{
    enum { ITEMS = 300, NEAR = 4, STEPS = 8 };
    static peck_duel duel[NEAR * ITEMS];
    static float h[NEAR * ITEMS];
    struct asker a = { 0 };
    struct strengths s;
    size_t n = 0;
    peck_error err = { 0 };

    (void)state;
    assert_ok(strengths_open(&s, ITEMS, &err), err);
    for (uint32_t i = 0; i < ITEMS; i++) {
        s.t[i] = -0.1 * i;
        for (uint32_t k = 1; k <= NEAR && i + k < ITEMS; k++, n++) {
            duel[n] = (peck_duel){ i, i + k };
            h[n] = (float)(1 / (1 + exp(-0.5 * k)));
        }
    }
    strengths_fit(&s, &a, duel, h, n, STEPS);
    const double range = s.t[0] - s.t[ITEMS - 1];

    if (fabs(range / (0.5 * (ITEMS - 1)) - 1) > 0.05)
        fail_msg("the range is %g, and should be about %g", range, 0.5 * (ITEMS - 1));
    strengths_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(active_is_never_behind),
        cmocka_unit_test(nearly_sure_answers_are_used_as_well_as_by_merging),
        cmocka_unit_test(strengths_are_found),
        cmocka_unit_test(neighbours_tell_the_scale),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
