/* test_decoders.c -- degree, championship, centrality, sampled, merge, pivot, active and
 * local against their definitions.                                                    */
#include "support/oracles.h"

#include "support/check.h"

#include "decode/decoder.h"
#include "decode/league.h"

#include <math.h>

enum { N = 40 };

static void close_to(double got, double want)
{
    if (!(fabs(got - want) <= 1e-7 * (1 + fabs(want))))
        fail_msg("%.12g, not %.12g", got, want);
}

static double wins(const struct session *s, uint32_t i, bool is_hard)
{
    double sum = 0;

    for (uint32_t j = 0; j < s->oracle.n; j++) {
        const double h = j != i ? session_h(s, i, j) : 0;

        sum += j == i ? 0 : is_hard ? (h > 0.5) + 0.5 * (h == 0.5) : h;
    }
    return sum;
}

static void degrees_are_sums_over_all_others(void **state)
{
    static const struct {
        const char *spec;
        bool is_hard;
    } kinds[] = { { "degree", false },
                  { "degree:count=hard", true },
                  { "championship", true } };

    (void)state;
    for (size_t k = 0; k < N_OF(kinds); k++)
        for (size_t j = 0; j < n_juries; j++)
            for (uint32_t n = 2; n <= N; n += 19) { /* even and odd */
                struct decoding d = decoding_new(n);
                struct session s;

                session_open(&s, &juries[j], n, 3);
                decode_with(&d, kinds[k].spec, &s.oracle, 1, 0);
                for (uint32_t i = 0; i < n; i++)
                    close_to(d.score[i], wins(&s, i, kinds[k].is_hard));
                assert_int_equal(d.n_questions,
                                 n * (n - 1) / 2 * (juries[j].is_symmetric ? 1 : 2));
                decoding_free(&d);
            }
}

/* Everybody has as many opponents as everybody else, and nobody the same one twice. */
static void leagues_are_fair(void **state)
{
    (void)state;
    for (uint32_t n = 2; n <= 41; n++)
        for (size_t rounds = 1; rounds <= n / 2 + 1; rounds++) {
            unsigned met[41][41] = { 0 };
            struct league *l;
            peck_error err = { 0 };

            assert_ok(league_new(&l, n, rounds, n + rounds, &err), err);
            assert_int_equal(l->n_rounds, rounds < n / 2 ? rounds : n / 2);
            for (size_t k = 0; k < l->n_rounds; k++)
                for (uint32_t p = 0; p < n; p++) {
                    const uint32_t i = league_item(l, p),
                                   j = league_item(l, (p + l->distance[k]) % n);

                    met[i][j] |= 1u << (k % 32);
                    met[j][i] |= 1u << (k % 32);
                }
            for (uint32_t i = 0; i < n; i++) {
                double opponents = 0;

                for (uint32_t j = 0; j < n; j++) {
                    opponents += met[i][j] != 0;
                    assert_true((met[i][j] & (met[i][j] - 1)) == 0);
                }
                assert_int_equal(opponents, league_opponents(l));
            }
            league_free(l);
        }
}

/* pi P, with the matrix written out. */
static void centrality_is_where_the_walk_stays(void **state)
{
    static const uint32_t sizes[] = { N - 1, N, 257 }; /* 256 places are a task */

    (void)state;
    for (size_t jury = 0; jury < n_juries; jury++)
        for (size_t k = 0; k < N_OF(sizes); k++) {
            const uint32_t n = sizes[k];
            struct decoding d = decoding_new(n);
            double pi[257], next[257];
            struct session s;

            session_open(&s, &juries[jury], n, 8);
            decode_with(&d, "centrality:iterations=7", &s.oracle, 1, 0);
            for (uint32_t i = 0; i < n; i++)
                pi[i] = 1.0 / n;
            for (int t = 0; t < 7; t++) {
                for (uint32_t i = 0; i < n; i++) {
                    next[i] = pi[i];
                    for (uint32_t j = 0; j < n; j++)
                        if (j != i)
                            next[i] += (pi[j] * session_h(&s, i, j) -
                                        pi[i] * session_h(&s, j, i)) /
                                       (n - 1);
                }
                memcpy(pi, next, sizeof pi);
            }
            for (uint32_t i = 0; i < n; i++)
                close_to(d.score[i] * n, pi[i] * n);
            decoding_free(&d);
        }
}

/* A budget of all pairs, or opponents enough, is the whole league. */
static void enough_opponents_are_all(void **state)
{
    static const char *const specs[] = { "sampled", "active", "sampled:opponents=39",
                                         "active:opponents=39" };

    (void)state;
    for (size_t k = 0; k < N_OF(specs); k++) {
        struct decoding d = decoding_new(N), all = decoding_new(N);
        struct session s;

        session_open(&s, jury_find("random"), N, 5);
        decode_with(&all, "degree", &s.oracle, 1, 0);
        decode_with(&d, specs[k], &s.oracle, 1, k < 2 ? N * (N - 1) / 2 : 0);
        assert_memory_equal(d.order, all.order, N * sizeof *d.order);
        decoding_free(&d);
        decoding_free(&all);
    }
}

/* Without doubt the answer is one; nothing that is drawn can change it. */
static void certain_answers_are_sorted_exactly(void **state)
{
    static const char *const specs[] = {
        "tree",   "fuzzy:window=4", "merge:runs=1",    "pivot:runs=1",
        "degree", "championship",   "local:start=tree"
    };

    (void)state;
    for (size_t k = 0; k < N_OF(specs); k++)
        for (int is_reversed = 0; is_reversed < 2; is_reversed++) {
            struct decoding d = decoding_new(N);
            struct session s;

            session_open(&s, jury_find(is_reversed ? "reversed" : "sorted"), N, 5);
            decode_with(&d, specs[k], &s.oracle, 1, 0);
            for (uint32_t i = 0; i < N; i++)
                assert_int_equal(d.order[i], is_reversed ? N - 1 - i : i);
            decoding_free(&d);
        }
}

/* Positions averaged over runs approach the degrees' order: runs are different. */
static void runs_are_averaged(void **state)
{
    static const char *const names[] = { "merge", "pivot" };

    (void)state;
    for (size_t k = 0; k < N_OF(names); k++) {
        struct decoding one = decoding_new(N), many = decoding_new(N);
        double cost_one = 0, cost_many = 0;
        char spec[32];

        for (uint64_t seed = 0; seed < 10; seed++) {
            struct session s;

            session_open(&s, jury_find("noisy"), N, seed);
            snprintf(spec, sizeof spec, "%s:runs=1", names[k]);
            decode_with(&one, spec, &s.oracle, seed, 0);
            snprintf(spec, sizeof spec, "%s:runs=200", names[k]);
            decode_with(&many, spec, &s.oracle, seed, 0);
            assert_true(many.n_questions > 150 * one.n_questions);
            cost_one += session_cost(&s, one.order);
            cost_many += session_cost(&s, many.order);
        }
        assert_true(cost_many < 0.95 * cost_one);
        decoding_free(&one);
        decoding_free(&many);
    }
}

static peck_status ask_four_fifths(void *ctx, int worker, const peck_duel *duel, size_t n,
                                   float *h, peck_error *err)
{
    (void)ctx, (void)worker, (void)err;
    for (size_t k = 0; k < n; k++)
        h[k] = duel[k].i < duel[k].j ? 0.8f : 0.2f;
    return PECK_OK;
}

/* Of two items the first is ahead in as many runs as its preference says. */
static void chance_decides_as_the_oracle_says(void **state)
{
    static const char *const specs[] = { "merge:runs=40000", "pivot:runs=40000" };
    const struct oracle o = { .n = 2, .ask = ask_four_fifths, .is_symmetric = true };

    (void)state;
    for (size_t k = 0; k < N_OF(specs); k++) {
        struct decoding d = decoding_new(2);

        decode_with(&d, specs[k], &o, 3, 0);
        if (fabs(d.score[0] - 0.8) > 0.01 || fabs(d.score[1] - 0.2) > 0.01)
            fail_msg("%s: ahead in %g and %g of the runs", specs[k], d.score[0],
                     d.score[1]);
        decoding_free(&d);
    }
}

/* Remembers what it was asked, and prefers the lower number. */
struct witness {
    peck_duel duel[2 * N * N];
    size_t n;
};

static peck_status note_down(void *ctx, int worker, const peck_duel *duel, size_t n,
                             float *h, peck_error *err)
{
    struct witness *const w = ctx;

    (void)worker, (void)err;
    for (size_t k = 0; k < n; k++) {
        assert_true(w->n < N_OF(w->duel));
        w->duel[w->n++] = duel[k];
        h[k] = duel[k].i < duel[k].j ? 0.9f : 0.1f;
    }
    return PECK_OK;
}

/* The first half of the questions is another decoder's; then comes a look around the first
 * of its order, as far as the rest pays for one around each. */
static void local_leaves_half_of_a_budget_to_its_start(void **state)
{
    enum { ODD = N - 1 }; /* rounds of a league are all of that length */
    static struct witness alone, both;
    struct oracle o = { .n = ODD, .ask = note_down, .is_symmetric = true };
    const uint64_t budget = 16 * ODD;

    (void)state;
    struct decoding start = decoding_new(ODD), d = decoding_new(ODD);

    o.ctx = &alone;
    decode_with(&start, "sampled", &o, 1, budget / 2);
    assert_int_equal(alone.n, budget / 2);
    o.ctx = &both;
    decode_with(&d, "local:start=sampled", &o, 1, budget);
    assert_true(both.n > alone.n + 8 && both.n <= budget);
    assert_memory_equal(both.duel, alone.duel, alone.n * sizeof *alone.duel);
    for (size_t k = alone.n; k < alone.n + 8; k++)
        assert_true(both.duel[k].i == start.order[0] || both.duel[k].j == start.order[0]);
    assert_true(both.duel[alone.n + 8].i != start.order[0] &&
                both.duel[alone.n + 8].j != start.order[0]);
    decoding_free(&start);
    decoding_free(&d);
}

/* No move of one item lowers the cost. */
static void local_ends_where_no_move_helps(void **state)
{
    (void)state;
    for (size_t jury = 0; jury < n_juries; jury++) {
        struct decoding d = decoding_new(N);
        struct session s;
        uint32_t order[N];

        session_open(&s, &juries[jury], N, 11);
        decode_with(&d, "local", &s.oracle, 1, 0);
        const double cost = session_cost(&s, d.order);

        for (uint32_t from = 0; from < N; from++)
            for (uint32_t to = 0; to < N; to++) {
                uint32_t n = 0;

                for (uint32_t k = 0; n < N; k++) {
                    if (n == to)
                        order[n++] = d.order[from];
                    if (k < N && k != from)
                        order[n++] = d.order[k];
                }
                assert_true(session_cost(&s, order) >= cost - 1e-6);
            }
        decoding_free(&d);
    }
}

static void local_never_worsens_a_cost(void **state)
{
    static const uint64_t reaches[] = { 1, 3, 100 };
    peck_error err = { 0 };
    const struct plug *const local =
        plug_find(decoders, n_decoders, "decoder", span_of("local"), &err);
    char name[32];

    (void)state;
    for (const char *at = local->params->allowed; sscanf(at, "%31[a-z]", name) == 1;
         at += strlen(name) + (at[strlen(name)] == '|'))
        for (uint64_t seed = 0; seed < 30; seed++) {
            const uint32_t n = 2 + (uint32_t)seed * 3;
            struct decoding start = decoding_new(n), d = decoding_new(n);
            struct session s;
            char spec[64];

            session_open(&s, &juries[seed % n_juries], n, seed);
            snprintf(spec, sizeof spec, "local:start=%s,reach=%llu", name,
                     (unsigned long long)reaches[seed % 3]);
            decode_with(&start, name, &s.oracle, seed, 0);
            decode_with(&d, spec, &s.oracle, seed, 0);
            assert_true(session_cost(&s, d.order) <= session_cost(&s, start.order) + 1e-6);
            decoding_free(&start);
            decoding_free(&d);
        }
}

/* Sides ------------------------------------------------------------------------------ */

/* Item i is worth (7 i mod n): leads are differences, of any size. */
static peck_status lead_by_worth(void *ctx, int worker, const peck_duel *duel, size_t n,
                                 float *lead, peck_error *err)
{
    const uint32_t n_items = *(const uint32_t *)ctx;

    (void)worker;
    (void)err;
    for (size_t k = 0; k < n; k++)
        lead[k] =
            100.0f * ((float)(7 * duel[k].i % n_items) - (float)(7 * duel[k].j % n_items));
    return PECK_OK;
}

static peck_status ask_nobody(void *ctx, int worker, const peck_duel *duel, size_t n,
                              float *h, peck_error *err)
{
    (void)ctx;
    (void)worker;
    (void)duel;
    (void)n;
    (void)h;
    return fail(err, PECK_ARG, "only the side was needed");
}

static peck_status lead_of_nobody(void *ctx, int worker, const peck_duel *duel, size_t n,
                                  float *lead, peck_error *err)
{
    (void)ctx;
    (void)worker;
    (void)duel;
    (void)err;
    for (size_t k = 0; k < n; k++)
        lead[k] = (float)NAN;
    return PECK_OK;
}

/* 0 is a preference; what is above 1 is none. */
static peck_status ask_too_much(void *ctx, int worker, const peck_duel *duel, size_t n,
                                float *h, peck_error *err)
{
    (void)ctx;
    (void)worker;
    (void)err;
    for (size_t k = 0; k < n; k++)
        h[k] = duel[k].i + duel[k].j == 4 ? 1.5f : 0.0f;
    return PECK_OK;
}

static void the_two_items_of_a_bad_answer_are_named(void **state)
{
    struct oracle o = { .n = 4, .ask = ask_too_much, .is_symmetric = true };
    struct decoding d = decoding_new(4);
    struct decode_plan plan;
    peck_error err = { 0 };

    (void)state;
    assert_ok(decode_plan_open(&plan, "degree", &err), err);
    assert_int_equal(
        decode_run(&(struct decode_call){ .plan = &plan, .oracle = &o }, &d, &err),
        PECK_ARG);
    assert_string_equal(
        err.text, "item 1 against item 3: the answer is 1.5; give a number from 0 to 1");
    decoding_free(&d);
}

/* A decoder runs on to its end when the oracle has failed; from then on all are equal to it,
 * whether answers are remembered or not. */
static void after_a_failure_every_answer_is_even(void **state)
{
    const peck_duel duel[] = { { 0, 1 }, { 3, 1 }, { 2, 0 } };
    struct oracle o = { .n = 4, .ask = ask_too_much, .is_symmetric = true };

    (void)state;
    for (int is_cached = 0; is_cached < 2; is_cached++) {
        peck_error err = { 0 };
        struct asker a = { .oracle = &o,
                           .memo = is_cached ? memo_new(o.n) : NULL,
                           .err = &err };
        float h[N_OF(duel)] = { 0 };

        for (int again = 0; again < 2; again++) {
            ask(&a, 0, duel, N_OF(duel), h);
            assert_true(asker_failed(&a));
            for (size_t k = 0; k < N_OF(duel); k++)
                assert_true(h[k] == 0.5f);
        }
        memo_free(a.memo);
    }
}

/* Where only the side counts, an oracle that can decide it is asked for no more. */
static void sides_are_decided_without_preferences(void **state)
{
    static const char *const specs[] = { "tree", "championship", "degree:count=hard" };
    uint32_t n = 20; /* 7 and 20 have no factor in common: all worths differ */
    struct oracle o = {
        .n = n, .ask = ask_nobody, .decide = lead_by_worth, .ctx = &n, .is_symmetric = true
    };

    (void)state;
    for (size_t k = 0; k < N_OF(specs); k++) {
        struct decoding d = decoding_new(n);

        decode_with(&d, specs[k], &o, 1, 0);
        for (uint32_t i = 0; i < n; i++)
            assert_int_equal(7 * d.order[i] % n, n - 1 - i);
        decoding_free(&d);
    }
}

static void a_lead_that_is_no_number_is_refused(void **state)
{
    struct oracle o = {
        .n = 5, .ask = ask_nobody, .decide = lead_of_nobody, .is_symmetric = true
    };
    struct decoding d = decoding_new(5);
    struct decode_plan plan;
    peck_error err = { 0 };

    (void)state;
    assert_ok(decode_plan_open(&plan, "tree:shuffle=0", &err), err);
    assert_int_equal(
        decode_run(&(struct decode_call){ .plan = &plan, .oracle = &o }, &d, &err),
        PECK_ARG);
    assert_string_equal(err.text,
                        "item 1 against item 0: the answer is nan; give a number");
    decoding_free(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(degrees_are_sums_over_all_others),
        cmocka_unit_test(leagues_are_fair),
        cmocka_unit_test(centrality_is_where_the_walk_stays),
        cmocka_unit_test(enough_opponents_are_all),
        cmocka_unit_test(certain_answers_are_sorted_exactly),
        cmocka_unit_test(runs_are_averaged),
        cmocka_unit_test(chance_decides_as_the_oracle_says),
        cmocka_unit_test(local_leaves_half_of_a_budget_to_its_start),
        cmocka_unit_test(local_ends_where_no_move_helps),
        cmocka_unit_test(local_never_worsens_a_cost),
        cmocka_unit_test(the_two_items_of_a_bad_answer_are_named),
        cmocka_unit_test(after_a_failure_every_answer_is_even),
        cmocka_unit_test(sides_are_decided_without_preferences),
        cmocka_unit_test(a_lead_that_is_no_number_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
