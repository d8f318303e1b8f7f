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
/* Foregone duels are not made up for: with a budget for nearly all pairs the season ends
 * before the money does. */
static void a_season_may_end_before_its_budget(void **state)
{
    enum { ITEMS = 15, MOST = ITEMS * (ITEMS - 1) / 2 };
    struct decoding d = decoding_new(ITEMS);
    struct btl b = { 0, 20.0 };
    const struct oracle o = { .n = ITEMS, .ask = ask_btl, .ctx = &b, .is_symmetric = true };

    (void)state;
    for (uint64_t budget = MOST - 15; budget < MOST; budget += 6) {
        decode_with(&d, "active", &o, 0, budget);
        assert_true(d.n_questions < budget && d.n_questions > budget * 8 / 10);
        assert_true(pair_error(&b, d.order, ITEMS) < 0.05);
    }
    decoding_free(&d);
}

static void strengths_are_found(void **state)
{
    enum { ITEMS = 200, DUELS = 20 * ITEMS };
    static peck_duel duel[DUELS];
    static float h[DUELS];
    struct asker a = { 0 };
    struct strengths s;
    struct arena arena = { 0 };
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
    strengths_take(&s, ITEMS, &arena);
    assert_ok(arena_check(&arena, &err), err);
    strengths_fit(&s, &a, duel, h, DUELS, 300);
    for (uint32_t i = 0; i < ITEMS; i++)
        assert_true(fabs(s.t[i] - (true_t[i] - sum / ITEMS)) < 0.02);
    assert_true(s.noise < 1e-3);
    arena_free(&arena);
}

/* A row of items, each half a log-odds ahead of the next, of which a fifth is known. */
static void neighbours_tell_the_scale(void **state)
{
    enum { ITEMS = 300, NEAR = 4, STEPS = 8 };
    static peck_duel duel[NEAR * ITEMS];
    static float h[NEAR * ITEMS];
    struct asker a = { 0 };
    struct strengths s;
    struct arena arena = { 0 };
    size_t n = 0;
    peck_error err = { 0 };

    (void)state;
    strengths_take(&s, ITEMS, &arena);
    assert_ok(arena_check(&arena, &err), err);
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
    arena_free(&arena);
}

/* Twins ------------------------------------------------------------------------------ */

enum { FEW = 60, MANY = 401 };

/* What a fit knows, and sums over duels one by one. */
struct fit {
    double t[FEW], precision[FEW], noise, doubt;
    double first[FEW], second[FEW], errors, expected, slope, bend;
};

struct answers {
    peck_duel duel[FEW * FEW];
    float h[FEW * FEW];
    size_t n;
};

static void twin_derive(struct fit *f, const struct answers *a)
{
    memset(f->first, 0, sizeof f->first);
    memset(f->second, 0, sizeof f->second);
    f->errors = f->expected = f->slope = f->bend = 0;
    for (size_t k = 0; k < a->n; k++) {
        const uint32_t i = a->duel[k].i, j = a->duel[k].j;
        const double d = f->t[i] - f->t[j], p = 1 / (1 + exp(-d)), v = p * (1 - p);
        const double off = (double)a->h[k] - p;

        f->first[i] += off, f->first[j] -= off;
        f->second[i] += v, f->second[j] += v;
        f->errors += off * off, f->expected += v;
        f->slope += off * d, f->bend += v * d * d;
    }
}

/* The scale is at most doubled, at most three times, while it grows by a twentieth. */
static void twin_widen(struct fit *f, const struct answers *a)
{
    double by = 2;

    for (int k = 0; k < 3 && by > 1.05; k++) {
        twin_derive(f, a);
        if (f->slope <= 0)
            return;
        by = fmin(2, 1 + f->slope / f->bend);
        for (uint32_t i = 0; i < FEW; i++)
            f->t[i] *= by, f->precision[i] /= by * by;
    }
}

static void twin_fit(struct fit *f, const struct answers *a, int steps)
{
    double before[FEW];

    twin_widen(f, a);
    memcpy(before, f->t, sizeof before);
    for (int k = 0; k < steps; k++) {
        double freedom = 0, sum = 0;

        twin_derive(f, a);
        for (uint32_t i = 0; i < FEW; i++)
            freedom += f->second[i] / (f->second[i] + f->noise * f->precision[i]);
        f->noise =
            fmax(1e-6, f->errors / f->expected / fmax(0.1, 1 - freedom / (double)a->n));
        for (uint32_t i = 0; i < FEW; i++) {
            const double told = f->second[i] / f->noise, known = f->precision[i];
            const double pull = f->first[i] / f->noise - known * (f->t[i] - before[i]);

            f->t[i] += fmin(1.5, fmax(-1.5, pull / (told + known)));
            sum += known * pow(f->t[i] - before[i], 2) + known / (told + known);
        }
        for (uint32_t i = 0; k < steps - 1 && i < FEW; i++)
            f->precision[i] *= fmin(1e6, fmax(1e-6, FEW / sum));
    }
    twin_derive(f, a);
    f->doubt = 4 * f->expected / (double)a->n;
    for (uint32_t i = 0; i < FEW; i++)
        f->precision[i] += f->second[i] / f->noise;
}

static double off_by(double a, double b)
{
    return fabs(a - b) / (1e-3 + fabs(b));
}

/* Duels of distances [from, to) on a circle; of kind 4 half of them. */
static void meet(struct answers *a, const double *t, uint32_t from, uint32_t to, int kind,
                 struct rng *r)
{
    a->n = 0;
    for (uint32_t d = from; d < to; d++)
        for (uint32_t i = 0; i < FEW; i += kind == 4 ? 2 : 1) {
            const uint32_t j = (i + d) % FEW;
            const double p = 1 / (1 + exp(t[j] - t[i]));

            a->duel[a->n] = (peck_duel){ i, j };
            a->h[a->n++] = (float)(kind == 0   ? rng_uniform(r) < p /* one vote */
                                   : kind == 2 ? t[i] > t[j]        /* sure */
                                   : kind == 3 ? 0.5
                                               : p);
        }
}

static void fits_equal_their_twin(void **state)
{
    static const struct {
        int kind;
        double spread, start; /* of the strengths; their share that is known before */
        uint32_t rounds[3];
        int steps[3];
    } cases[] = {
        { 0, 1.5, 0, { 5, 5, 10 }, { 40, 8, 3 } }, { 0, 6, 0, { 1, 6, 20 }, { 9, 8, 3 } },
        { 1, 3, 0.05, { 4, 4, 4 }, { 8, 8, 3 } },  { 1, 3, 0.9, { 8, 4, 4 }, { 1, 2, 3 } },
        { 2, 2, 0, { 3, 3, 3 }, { 4, 4, 4 } },     { 3, 0, 0, { 29, 0, 0 }, { 3, 0, 0 } },
        { 1, 1, 0.985, { 9, 9, 9 }, { 2, 2, 2 } }, { 4, 1, 0, { 1, 1, 1 }, { 6, 2, 2 } },
        { 2, 40, 0, { 2, 2, 2 }, { 30, 3, 3 } },
    };

    (void)state;
    for (size_t c = 0; c < N_OF(cases); c++) {
        static struct answers a;
        struct fit f = { .noise = 0.25 };
        struct asker asker = { 0 };
        struct strengths s;
        struct arena arena = { 0 };
        struct rng r;
        double t[FEW];
        uint32_t at = 1;
        peck_error err = { 0 };

        rng_seed(&r, 11, c);
        strengths_take(&s, FEW, &arena);
        assert_ok(arena_check(&arena, &err), err);
        for (uint32_t i = 0; i < FEW; i++) {
            t[i] = cases[c].spread * rng_normal(&r);
            s.t[i] = f.t[i] = cases[c].start * t[i];
            f.precision[i] = 1;
        }
        for (int k = 0; k < 3 && cases[c].steps[k] > 0; at += cases[c].rounds[k++]) {
            meet(&a, t, at, at + cases[c].rounds[k], cases[c].kind, &r);
            strengths_fit(&s, &asker, a.duel, a.h, a.n, cases[c].steps[k]);
            twin_fit(&f, &a, cases[c].steps[k]);
            double worst = fmax(off_by(s.noise, f.noise), off_by(s.doubt, f.doubt));

            for (uint32_t i = 0; i < FEW; i++)
                worst = fmax(worst, fmax(off_by(s.t[i], f.t[i]),
                                         off_by(s.precision[i], f.precision[i])));
            if (!(worst < 1e-3))
                fail_msg("case %zu, fit %d: off by %g", c, k, worst);
        }
        arena_free(&arena);
    }
}

/* A season ---------------------------------------------------------------------------- */

struct record {
    struct btl btl;
    peck_duel *duel;
    size_t n, room;
};

static peck_status ask_and_note(void *ctx, int worker, const peck_duel *duel, size_t n,
                                float *h, peck_error *err)
{
    struct record *const r = ctx;

    assert_true(r->n + n <= r->room);
    memcpy(r->duel + r->n, duel, n * sizeof *duel);
    r->n += n;
    return ask_btl(&r->btl, worker, duel, n, h, err);
}

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* How far apart two strengths may be: 1, or where so many pairs are not further apart. */
static double twin_apart(const double *t, uint32_t n, double enough)
{
    static double apart[MANY * MANY / 2];
    size_t m = 0;

    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = i + 1; j < n; j++)
            apart[m++] = fabs(t[i] - t[j]);
    qsort(apart, m, sizeof *apart, compare_doubles);
    const size_t place = (size_t)fmax(1, ceil(enough));

    return fmax(1, apart[(place < m ? place : m) - 1]);
}

/* The duels of a season of n items in out[budget], and their strengths. */
static size_t twin_season(uint32_t n, uint64_t budget, uint64_t seed, struct btl *btl,
                          peck_duel *out, double *t)
{
    uint32_t item[MANY], distance[MANY / 2], round = 0, place = 0;
    float *const h = calloc(budget, sizeof *h);
    double half = INFINITY, spread[MANY] = { 0 };
    struct asker asker = { 0 };
    struct strengths s;
    struct arena arena = { 0 };
    struct rng r;
    uint64_t asked = 0, part = 5 * n;
    peck_error err = { 0 };

    rng_seed(&r, seed, 0);
    for (uint32_t i = 0; i < n; i++)
        item[i] = i;
    for (uint32_t k = 0; k < n / 2; k++)
        distance[k] = k + 1;
    rng_shuffle(&r, item, n);
    rng_shuffle(&r, distance, n / 2);
    strengths_take(&s, n, &arena);
    assert_ok(arena_check(&arena, &err), err);
    for (;;) {
        const uint64_t begin = asked;

        while (round < n / 2 && asked < budget && asked - begin < part &&
               asked - begin < 64 * n) {
            const uint32_t d = distance[round], i = item[place], j = item[(place + d) % n];

            if (fabs(s.t[i] - s.t[j]) <= 2 * half + spread[i] + spread[j])
                out[asked++] = (peck_duel){ i, j };
            if (++place == (2 * d == n ? d : n))
                place = 0, round++;
        }
        assert_ok(ask_btl(btl, 0, out + begin, asked - begin, h, &err), err);
        const int steps = begin == 0 ? 40 : 4 * (asked - begin) < begin ? 3 : 8;
        strengths_fit(&s, &asker, out + begin, h, asked - begin, steps);
        const uint64_t left = budget - asked;
        const uint64_t more = (uint64_t)((double)asked * fmax(0.25, s.doubt));

        if (left == 0 || asked == begin)
            break;
        /* a round that has begun counts as whole, also when it has just ended */
        const double to_come = (double)n * (n / 2 - round + (place == 0));
        const double share = fmin(1, 1.1 * (double)left / to_come);

        part = left < more + more / 2 ? left : more;
        half = twin_apart(s.t, n, share * n * (n - 1) / 2) / 2;
        for (uint32_t i = 0; i < n; i++)
            spread[i] = 1 / sqrt(s.precision[i]);
    }
    memcpy(t, s.t, n * sizeof *t);
    arena_free(&arena);
    free(h);
    return asked;
}

/* Question by question: who meets whom, and when the fit is renewed. */
static void seasons_equal_their_twin(void **state)
{
    static const struct {
        uint32_t n;
        uint64_t rounds;
        double spread;
    } cases[] = { { 50, 3, 2 },    { 90, 20, 1 },    { 120, 30, 10 },
                  { 200, 9, 100 }, { MANY, 170, 1 }, { MANY, 60, 30 } };

    (void)state;
    for (size_t c = 0; c < N_OF(cases); c++) {
        const uint32_t n = cases[c].n;
        const uint64_t budget = cases[c].rounds * n + 7;
        struct record r = { .btl = { 5 + c, cases[c].spread }, .room = budget };
        const struct oracle o = {
            .n = n, .ask = ask_and_note, .ctx = &r, .is_symmetric = true
        };
        struct decoding d = decoding_new(n);
        peck_duel *const expected = calloc(budget, sizeof *expected);
        double t[MANY];

        r.duel = calloc(budget, sizeof *r.duel);
        decode_with(&d, "active", &o, c, budget);
        const size_t m = twin_season(n, budget, c, &r.btl, expected, t);

        for (size_t k = 0; k < m && k < r.n; k++)
            if (memcmp(&r.duel[k], &expected[k], sizeof *expected) != 0)
                fail_msg("case %zu, question %zu: %u and %u met, not %u and %u", c, k,
                         r.duel[k].i, r.duel[k].j, expected[k].i, expected[k].j);
        assert_int_equal(r.n, m);
        for (uint32_t i = 0; i < n; i++)
            assert_true(same_double(d.score[i], t[i]));
        free(r.duel);
        free(expected);
        decoding_free(&d);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(active_is_never_behind),
        cmocka_unit_test(nearly_sure_answers_are_used_as_well_as_by_merging),
        cmocka_unit_test(a_season_may_end_before_its_budget),
        cmocka_unit_test(strengths_are_found),
        cmocka_unit_test(neighbours_tell_the_scale),
        cmocka_unit_test(fits_equal_their_twin),
        cmocka_unit_test(seasons_equal_their_twin),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
