/* test_next.c -- which question is asked next: beside a slow twin; what it must not ask; the
 * top; and sureness beside what is known.                                              */
#include "support/check.h"

#include "base/rng.h"
#include "decode/next.h"

#include <math.h>

enum { N = 14 };

static peck_error err;

static peck_strengths *some_strengths(uint64_t seed, size_t n_items, size_t n_answers)
{
    struct rng r;
    peck_strengths *s;
    peck_pref *const a = calloc(n_answers + 1, sizeof *a);

    rng_seed(&r, seed, 0);
    for (size_t k = 0; k < n_answers; k++) {
        const size_t i = rng_below(&r, n_items),
                     j = (i + 1 + rng_below(&r, n_items - 1)) % n_items;
        const double p = 1 / (1 + exp(0.4 * ((double)i - (double)j)));
        const int wins = rng_uniform(&r) < p;

        a[k] = (peck_pref){
            .winner = wins ? i : j, .loser = wins ? j : i, .probability = 1, .weight = 1
        };
    }
    assert_int_equal(peck_strengths_fit(&s, a, n_answers, n_items, NULL, &err), PECK_OK);
    free(a);
    return s;
}

/* G of each of N items by its definition, from the posterior before any question.  For the whole
 * order it is sharpened: to the power of 3/2, items that are all alike keeping theirs. */
static void doubts(const peck_strengths *s, size_t top, double *gain)
{
    uint32_t rank[N];
    double mean = 0.0;

    for (uint32_t i = 0; i < N; i++) {
        gain[i] = 0.0;
        rank[i] = 0;
        for (uint32_t k = 0; k < N; k++)
            rank[i] += s->t[k] > s->t[i];
    }
    for (uint32_t i = 0; i < N; i++)
        for (uint32_t j = 0; j < N; j++) {
            const double d = s->t[i] - s->t[j];
            const double both = s->cov != NULL ? s->cov[i * N + j] : 0.0;
            const double v = s->var[i] + s->var[j] - 2 * both;

            if (j != i && (top == 0 || (rank[i] < top) != (rank[j] < top)))
                gain[i] += pow(1 + d * d / v / 16, -8) / sqrt(v);
        }
    for (uint32_t i = 0; i < N; i++)
        mean += gain[i] / N;
    for (uint32_t i = 0; top == 0 && i < N; i++)
        gain[i] = pow(gain[i], 1.5) / sqrt(mean);
}

static double open_of(const peck_strengths *s, uint32_t i, uint32_t j)
{
    const double p = 1 / (1 + exp(s->t[j] - s->t[i]));

    return p * (1 - p);
}

static double worth_of(const peck_strengths *s, const double *gain, uint32_t i, uint32_t j)
{
    const double both = s->cov != NULL ? s->cov[i * N + j] : 0.0;
    const double ci = s->var[i] - both, cj = s->var[j] - both;

    return open_of(s, i, j) * (ci * ci * gain[i] + cj * cj * gain[j]);
}

static void best_pair_is_the_twins(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 10; seed++)
        for (size_t top = 0; top <= 3; top += 3) {
            peck_strengths *const s = some_strengths(seed, N, 90);
            const peck_question_spec spec = { .size = sizeof spec,
                                              .top = top,
                                              .again = -1 };
            peck_duel got;
            double worth, gain[N], best = 0;
            size_t n = 1;

            assert_int_equal(peck_strengths_next(s, &spec, &got, &worth, &n, &err),
                             PECK_OK);
            assert_int_equal(n, 1);
            doubts(s, top, gain);
            for (uint32_t i = 0; i < N; i++)
                for (uint32_t j = 0; j < i; j++)
                    best = fmax(best, worth_of(s, gain, i, j));
            assert_true(fabs(worth - best) < 1e-6 * best);
            assert_true(fabs(worth_of(s, gain, got.i, got.j) - best) < 1e-6 * best);
            peck_strengths_free(s);
        }
}

static bool has(peck_duel d, uint32_t i)
{
    return d.i == i || d.j == i;
}

/* A long interview in one batch and one by one: nobody out of play, no pair twice in a row, no
 * item three times. */
static void questions_do_not_bore(void **state)
{
    enum { ASKED = 40 };
    peck_strengths *const s = some_strengths(3, N, 60);
    unsigned char out[N] = { [2] = 1, [N - 1] = 1 };
    peck_duel asked[ASKED], batch[ASKED];
    peck_question_spec spec = { .size = sizeof spec, .is_out = out, .recent = asked };

    (void)state;
    for (size_t k = 0, n = 1; k < ASKED; k++, n = 1) {
        spec.n_recent = k;
        assert_int_equal(peck_strengths_next(s, &spec, &asked[k], NULL, &n, &err), PECK_OK);
        assert_int_equal(n, 1);
    }
    spec.n_recent = 0;
    size_t n = ASKED;

    assert_int_equal(peck_strengths_next(s, &spec, batch, NULL, &n, &err), PECK_OK);
    assert_int_equal(n, ASKED);
    for (int way = 0; way < 2; way++)
        for (size_t k = 0; k < ASKED; k++) {
            const peck_duel *const d = way == 0 ? asked : batch;

            assert_true(d[k].i != d[k].j && d[k].i < N && d[k].j < N);
            assert_false(out[d[k].i] || out[d[k].j]);
            for (uint32_t i = 0; k > 1 && i < N; i++)
                assert_false(has(d[k], i) && has(d[k - 1], i) && has(d[k - 2], i));
            if (k > 0)
                assert_false(has(d[k], d[k - 1].i) && has(d[k], d[k - 1].j));
            for (size_t m = 0; way == 1 && m < k; m++)
                assert_false(has(d[k], d[m].i) && has(d[k], d[m].j));
        }
    peck_strengths_free(s);
}

/* Two items have but one pair: it is asked again.  One has none. */
static void few_items_have_few_pairs(void **state)
{
    peck_strengths *const s = some_strengths(1, 3, 4);
    const peck_duel recent = { 0, 1 };
    unsigned char out[3] = { 0, 0, 1 };
    peck_question_spec spec = {
        .size = sizeof spec, .is_out = out, .recent = &recent, .n_recent = 1
    };
    peck_duel got[5];
    size_t n = 5;

    (void)state;
    assert_int_equal(peck_strengths_next(s, &spec, got, NULL, &n, &err), PECK_OK);
    assert_int_equal(n, 1);
    assert_true(got[0].i == 1 && got[0].j == 0); /* turned round */
    out[1] = 1;
    n = 5;
    assert_int_equal(peck_strengths_next(s, &spec, got, NULL, &n, &err), PECK_OK);
    assert_int_equal(n, 0);
    peck_strengths_free(s);
}

/* An item that nobody met among known ones comes first, with one from the middle. */
static void newcomer_meets_the_middle(void **state)
{
    peck_strengths *s;
    peck_pref a[400];
    size_t n_answers = 0, n = 1;
    peck_duel got;
    peck_sureness sure;

    (void)state;
    for (size_t i = 0; i < N - 1; i++)
        for (size_t j = i + 1; j < N - 1; j++)
            a[n_answers++] =
                (peck_pref){ .winner = i, .loser = j, .probability = 1, .weight = 1 };
    assert_int_equal(peck_strengths_fit(&s, a, n_answers, N, NULL, &err), PECK_OK);
    assert_int_equal(peck_strengths_next(s, NULL, &got, NULL, &n, &err), PECK_OK);
    assert_true(has(got, N - 1));
    const uint32_t other = got.i == N - 1 ? got.j : got.i;

    assert_true(other >= 5 && other <= 7);
    assert_int_equal(peck_strengths_sureness(s, NULL, &sure, &err), PECK_OK);
    assert_true(sure.first > 0.3 && sure.first < 0.95 && sure.questions_left >= 0);
    peck_strengths_free(s);
}

/* Sides change with the seed, about half of them; about one in fifteen was asked before. */
static void sides_and_repeats(void **state)
{
    enum { TRIES = 600 };
    peck_strengths *const s = some_strengths(5, N, 60);
    int n_left = 0, n_again = 0;

    (void)state;
    for (uint64_t seed = 0; seed < TRIES; seed++) {
        const peck_question_spec spec = { .size = sizeof spec, .seed = seed };
        peck_duel got, twice;
        double worth, most;
        size_t n = 1;

        assert_int_equal(peck_strengths_next(s, &spec, &got, &worth, &n, &err), PECK_OK);
        assert_int_equal(peck_strengths_next(s, &spec, &twice, NULL, &n, &err), PECK_OK);
        assert_true(got.i == twice.i && got.j == twice.j);
        const peck_question_spec plain = { .size = sizeof plain,
                                           .seed = seed,
                                           .again = -1 };

        assert_int_equal(peck_strengths_next(s, &plain, &twice, &most, &n, &err), PECK_OK);
        n_left += twice.i < twice.j;
        n_again += worth < most;
    }
    assert_in_range(n_left, TRIES / 2 - 75, TRIES / 2 + 75);
    assert_in_range(n_again, TRIES / 30, TRIES / 8);
    peck_strengths_free(s);
}

/* P(set) of two items is P(i above j); the more answers, the surer and the fewer are left. */
static void sureness_is_what_it_says(void **state)
{
    peck_strengths *const two = some_strengths(2, 2, 5);
    const peck_question_spec spec = { .size = sizeof spec, .top = 1 };
    const peck_question_spec top = { .size = sizeof top, .top = 3 };
    peck_sureness sure, later;
    const double p = peck_strengths_above(two, 0, 1);

    (void)state;
    assert_int_equal(peck_strengths_sureness(two, &spec, &sure, &err), PECK_OK);
    assert_true(fabs(sure.top - fmax(p, 1 - p)) < 0.02);
    assert_true(sure.top == sure.first);
    assert_true(fabs(sure.pairs - fmax(p, 1 - p)) < 1e-12);
    peck_strengths_free(two);
    peck_strengths *const few = some_strengths(4, N, 60), *const many =
                                                              some_strengths(4, N, 6000);

    assert_int_equal(peck_strengths_sureness(few, &top, &sure, &err), PECK_OK);
    assert_int_equal(peck_strengths_sureness(many, &top, &later, &err), PECK_OK);
    assert_true(later.top > sure.top && later.pairs > sure.pairs);
    assert_true(later.questions_left < sure.questions_left);
    assert_true(sure.is_enough == (sure.top >= 0.95) &&
                later.is_enough == (later.top >= 0.95));
    peck_strengths_free(few);
    peck_strengths_free(many);
}

/* Asks somebody about 12 items until the first four are sure: what was said to be left after 40
 * questions, as a share of what was then asked; 0 where they were sure by then. */
static double left_of_asked(uint64_t seed)
{
    enum { ITEMS = 12, EARLY = 40, MOST = 1000, BATCH = 5 };
    double t[ITEMS], left = 0;
    peck_pref answer[MOST + BATCH];
    peck_duel asked[MOST + BATCH];
    peck_sureness sure = { 0 };
    size_t n = 0;
    struct rng r;

    rng_seed(&r, seed, 0);
    for (int i = 0; i < ITEMS; i++)
        t[i] = 3 * rng_normal(&r);
    while (n < MOST && !(sure.is_enough && n >= EARLY)) {
        peck_question_spec spec = { .size = sizeof spec, .top = 4, .seed = seed };
        size_t n_pairs = BATCH;
        peck_strengths *s;

        assert_ok(peck_strengths_fit(&s, answer, n, ITEMS, NULL, &err), err);
        assert_ok(peck_strengths_sureness(s, &spec, &sure, &err), err);
        if (n == EARLY)
            left = sure.questions_left;
        spec.n_recent = n < 10 ? n : 10;
        spec.recent = asked + n - spec.n_recent;
        assert_ok(peck_strengths_next(s, &spec, asked + n, NULL, &n_pairs, &err), err);
        for (; n_pairs > 0; n_pairs--, n++) {
            const peck_duel d = asked[n];
            const bool wins = rng_uniform(&r) < 1 / (1 + exp(t[d.j] - t[d.i]));

            answer[n] = (peck_pref){ .winner = wins ? d.i : d.j,
                                     .loser = wins ? d.j : d.i,
                                     .probability = 1,
                                     .weight = 1 };
        }
        peck_strengths_free(s);
    }
    return left > 0 ? left / (double)(n - EARLY) : 0;
}

static int by_rising(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static void questions_left_are_about_right(void **state)
{
    enum { RUNS = 15 };
    double ratio[RUNS];
    size_t n = 0;

    (void)state;
    for (uint64_t seed = 100; n < RUNS; seed++) {
        ratio[n] = left_of_asked(seed);
        n += ratio[n] > 0;
    }
    qsort(ratio, RUNS, sizeof *ratio, by_rising);
    print_message("questions left, of those asked: %.2f in the median\n", ratio[RUNS / 2]);
    assert_true(ratio[RUNS / 2] > 0.5 && ratio[RUNS / 2] < 2);
}

/* Strengths made by hand: no two gaps are the same; `cov` is kept where is_dense. */
struct own_strengths {
    double t[N], var[N], cov[N * N];
    struct peck_strengths s;
};

static void make_strengths(struct own_strengths *o, bool is_dense)
{
    for (uint32_t i = 0; i < N; i++) {
        o->t[i] = 0.3 * (double)(i * 5 % N) + 0.01 * (double)(i * i);
        o->var[i] = 0.5 + 0.1 * (double)(i % 4);
    }
    for (uint32_t i = 0; i < N; i++)
        for (uint32_t j = 0; j < N; j++)
            o->cov[i * N + j] = i == j ? o->var[i] : 0.02 * (double)((i + j) % 3);
    o->s = (struct peck_strengths){
        .n = N, .t = o->t, .var = o->var, .cov = is_dense ? o->cov : NULL
    };
}

/* Kalman: an answer about a difference, of precision w. */
static void answer(struct own_strengths *o, uint32_t a, uint32_t b)
{
    const double w = open_of(&o->s, a, b);
    double c[N];

    if (o->s.cov == NULL) {
        const double per = w / (1 + w * (o->var[a] + o->var[b]));

        o->var[a] -= per * o->var[a] * o->var[a];
        o->var[b] -= per * o->var[b] * o->var[b];
        return;
    }
    for (uint32_t k = 0; k < N; k++)
        c[k] = o->cov[k * N + a] - o->cov[k * N + b];
    for (uint32_t i = 0; i < N; i++)
        for (uint32_t j = 0; j < N; j++)
            o->cov[i * N + j] -= w * c[i] * c[j] / (1 + w * (c[a] - c[b]));
    for (uint32_t i = 0; i < N; i++)
        o->var[i] = o->cov[i * N + i];
}

/* Each question of a batch is the best there is when those before it are answered; what was
 * given stays as it is. */
static void a_batch_foresees_its_answers(void **state)
{
    enum { ASKED = 8 };

    (void)state;
    for (int way = 0; way < 4; way++) {
        const size_t top = way % 2 == 0 ? 0 : 4;
        const peck_question_spec spec = { .size = sizeof spec, .top = top, .again = -1 };
        struct own_strengths o, twin_of;
        peck_duel got[ASKED];
        double worth[ASKED], gain[N];
        size_t n = ASKED;

        make_strengths(&o, way < 2);
        make_strengths(&twin_of, way < 2);
        doubts(&twin_of.s, top, gain);
        assert_ok(peck_strengths_next(&o.s, &spec, got, worth, &n, &err), err);
        assert_int_equal(n, ASKED);
        for (size_t k = 0; k < ASKED; k++) {
            double best = 0.0;

            for (uint32_t i = 0; i < N; i++)
                for (uint32_t j = 0; j < i; j++) {
                    bool may = true;

                    for (size_t m = 0; m < k; m++)
                        may &= !(has(got[m], i) && has(got[m], j));
                    for (int side = 0; k > 1 && side < 2; side++)
                        may &= !(has(got[k - 1], side == 0 ? i : j) &&
                                 has(got[k - 2], side == 0 ? i : j));
                    if (may)
                        best = fmax(best, worth_of(&twin_of.s, gain, i, j));
                }
            if (!(fabs(worth[k] - best) < 1e-6 * best))
                fail_msg("way %d, question %zu: %.9g, not %.9g", way, k, worth[k], best);
            assert_true(fabs(worth_of(&twin_of.s, gain, got[k].i, got[k].j) - best) <
                        1e-6 * best);
            answer(&twin_of, got[k].i, got[k].j);
        }
        make_strengths(&twin_of, way < 2);
        assert_memory_equal(o.var, twin_of.var, sizeof o.var);
        assert_memory_equal(o.cov, twin_of.cov, sizeof o.cov);
    }
}

/* Two items as strong as each other: p (1 - p) is 1/4, and each has a doubt of 1 / sd. */
static void openness_and_doubt_by_hand(void **state)
{
    double t[2] = { 0, 0 }, var[2] = { 2, 2 }, worth;
    const struct peck_strengths s = { .n = 2, .t = t, .var = var };
    const peck_question_spec spec = { .size = sizeof spec, .again = -1 };
    peck_duel got;
    size_t n = 1;

    (void)state;
    assert_ok(peck_strengths_next(&s, &spec, &got, &worth, &n, &err), err);
    assert_int_equal(n, 1);
    assert_true(fabs(worth - 0.25 * (4 / 2.0 + 4 / 2.0)) < 1e-9);
}

/* Items that met three others are known; of one that did not, the first question is put where
 * three are known and half of all. */
static void newcomers_wait_for_enough_who_are_known(void **state)
{
    (void)state;
    for (uint32_t n_known = 2; n_known <= N; n_known++) {
        const peck_question_spec spec = { .size = sizeof spec, .again = -1 };
        struct bt_pair pair[3 * N];
        struct own_strengths o;
        peck_duel got;
        double worth, gain[N], best = 0.0;
        size_t n = 1;

        make_strengths(&o, true);
        o.s.pair = pair;
        for (uint32_t i = 0; i < n_known; i++) /* each with the next three of a ring */
            for (uint32_t k = 1; k <= 3 && k < n_known; k++)
                pair[o.s.n_pairs++] = (struct bt_pair){ .i = i, .j = (i + k) % n_known };
        doubts(&o.s, 0, gain);
        for (uint32_t i = 0; i < N; i++)
            for (uint32_t j = 0; j < i; j++)
                best = fmax(best, worth_of(&o.s, gain, i, j));
        assert_ok(peck_strengths_next(&o.s, &spec, &got, &worth, &n, &err), err);
        const bool is_wanted = n_known >= 3 && 2 * n_known >= N && n_known < N;

        assert_true(fabs(worth - worth_of(&o.s, gain, got.i, got.j)) < 1e-6 * worth);
        if (!is_wanted) {
            assert_true(fabs(worth - best) < 1e-6 * best);
            continue;
        }
        /* The strongest newcomer, with whom the outcome is most open. */
        uint32_t first = n_known;
        double most = 0.0;

        for (uint32_t i = n_known; i < N; i++)
            first = o.t[i] > o.t[first] ? i : first;
        for (uint32_t j = 0; j < n_known; j++)
            most = fmax(most, open_of(&o.s, first, j));
        assert_true(has(got, first));
        assert_true((got.i == first ? got.j : got.i) < n_known);
        assert_true(fabs(open_of(&o.s, got.i, got.j) - most) < 1e-9);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(best_pair_is_the_twins),
        cmocka_unit_test(questions_do_not_bore),
        cmocka_unit_test(few_items_have_few_pairs),
        cmocka_unit_test(newcomer_meets_the_middle),
        cmocka_unit_test(sides_and_repeats),
        cmocka_unit_test(sureness_is_what_it_says),
        cmocka_unit_test(questions_left_are_about_right),
        cmocka_unit_test(a_batch_foresees_its_answers),
        cmocka_unit_test(openness_and_doubt_by_hand),
        cmocka_unit_test(newcomers_wait_for_enough_who_are_known),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
