/* contract_decoder.c -- every decoder ends with a permutation whatever the oracle says,
 * the same at any thread count; counts what it asks; refuses what is no preference; and is
 * not far from the least cost there is.                                               */
#include "support/oracles.h"

#include "support/check.h"

#include "base/sort.h"
#include "decode/decoder.h"

#include <math.h>

static struct pool *pool;

static int set_up(void **state)
{
    peck_error err = { 0 };

    (void)state;
    return pool_new(&pool, 3, &err) == PECK_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    pool_free(pool);
    return 0;
}

static const char *name_of(size_t d)
{
    return decoders[d]->about.name;
}

/* A decoding under watch ------------------------------------------------------------- */

static void assert_permutation(const char *name, const uint32_t *order, uint32_t n)
{
    bool *const seen = calloc(n + 1, 1);

    assert_non_null(seen);
    for (uint32_t k = 0; k < n; k++) {
        if (order[k] >= n || seen[order[k]])
            fail_msg("%s: %u items, place %u: no permutation", name, n, k);
        seen[order[k]] = true;
    }
    free(seen);
}

/* Sorting by falling score, equal ones in input order, gives the order. */
static void assert_scores_agree(const char *name, const struct decoding *d, uint32_t n)
{
    for (uint32_t k = 1; k < n; k++) {
        const uint32_t i = d->order[k - 1], j = d->order[k];

        if (!(d->score[i] > d->score[j] || (d->score[i] == d->score[j] && i < j)))
            fail_msg("%s: score %.17g of item %u before %.17g of %u", name, d->score[i], i,
                     d->score[j], j);
    }
}

struct trial {
    const char *spec;
    uint64_t seed, budget;
    bool is_costed, is_cached;
    struct pool *pool;
};

static peck_status try(const struct trial *t, const struct oracle *o, struct decoding *d,
                       peck_error *err)
{
    struct decode_plan plan;

    assert_ok(decode_plan_open(&plan, t->spec, err), *err);
    const struct decode_call call = { .plan = &plan,
                                      .oracle = o,
                                      .seed = t->seed,
                                      .budget = t->budget,
                                      .is_costed = t->is_costed,
                                      .is_cached = t->is_cached,
                                      .pool = t->pool };
    const peck_status st = decode_run(&call, d, err);

    return st;
}

static void decode_well(const struct trial *t, struct session *s, struct decoding *d)
{
    const uint32_t n = s->oracle.n;
    peck_error err = { 0 };

    atomic_store(&s->asked, 0);
    assert_ok(try(t, &s->oracle, d, &err), err);
    assert_permutation(t->spec, d->order, n);
    assert_scores_agree(t->spec, d, n);
}

static void assert_same(const char *name, const struct decoding *a,
                        const struct decoding *b, uint32_t n)
{
    if (memcmp(a->order, b->order, n * sizeof *a->order) != 0 ||
        memcmp(a->score, b->score, n * sizeof *a->score) != 0)
        fail_msg("%s: another order of %u items", name, n);
}

/* The contract ----------------------------------------------------------------------- */

static void check(const char *spec, const struct jury *jury, uint32_t n)
{
    struct decoding alone = decoding_new(n), many = decoding_new(n);
    struct session s;
    struct trial t = { .spec = spec, .seed = 5, .is_costed = n <= 100 };

    session_open(&s, jury, n, n);
    decode_well(&t, &s, &alone);
    const uint64_t pairs = n < 2 ? 0 : (uint64_t)n * (n - 1) / 2;
    const uint64_t costing = t.is_costed ? pairs * (jury->is_symmetric ? 1 : 2) : 0;

    assert_int_equal(s.asked, alone.n_questions + costing);
    assert_int_equal(alone.n_distinct, 0);
    if (t.is_costed)
        assert_true(fabs(alone.cost - session_cost(&s, alone.order)) < 1e-6 * (1 + n));
    else
        assert_true(isnan(alone.cost));
    t.pool = pool;
    decode_well(&t, &s, &many);
    assert_same(spec, &alone, &many, n);
    assert_int_equal(many.n_questions, alone.n_questions);
    assert_true(same_double(many.cost, alone.cost));
    /* Nothing is asked twice, and nothing else changes. */
    t.is_cached = true;
    t.is_costed = false;
    decode_well(&t, &s, &many);
    assert_same(spec, &alone, &many, n);
    assert_true(many.n_distinct <= pairs);
    assert_int_equal(s.asked, many.n_distinct * (jury->is_symmetric ? 1 : 2));
    decoding_free(&alone);
    decoding_free(&many);
}

static void every_decoder_gives_a_permutation_of_any_oracle(void **state)
{
    static const uint32_t sizes[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 13, 50, 51, 150 };

    (void)state;
    for (size_t d = 0; d < n_decoders; d++)
        for (size_t j = 0; j < n_juries; j++)
            for (size_t k = 0; k < N_OF(sizes); k++)
                check(name_of(d), &juries[j], sizes[k]);
}

static void settings_keep_the_contract(void **state)
{
    static const char *const specs[] = {
        "tree:shuffle=0",
        "fuzzy:window=1",
        "fuzzy:window=2",
        "fuzzy:window=3",
        "fuzzy:window=7",
        "fuzzy:window=7,memory=1",
        "fuzzy:window=1000,shuffle=0",
        "merge:runs=1",
        "pivot:runs=1",
        "sampled:opponents=2",
        "sampled:opponents=9",
        "active:opponents=4",
        "active:opponents=30",
        "degree:count=hard",
        "centrality:iterations=1",
        "local:start=tree,reach=1",
        "local:start=active,reach=10",
    };

    (void)state;
    for (size_t d = 0; d < N_OF(specs); d++)
        for (size_t j = 0; j < n_juries; j++)
            for (uint32_t n = 0; n <= 160; n += n < 10 ? 1 : 50)
                check(specs[d], &juries[j], n);
}

/* Those that ask less than all pairs take a list of 50,000; the others get a budget, or, if
 * they heed none, a list of 1,000. */
static void long_lists_are_ranked(void **state)
{
    static const struct {
        const char *spec;
        uint32_t n;
        uint64_t budget;
    } lists[] = {
        { "tree", 50000, 0 },
        { "fuzzy", 50000, 800000 },
        { "merge", 50000, 800000 },
        { "pivot", 50000, 1000000 },
        { "sampled", 50000, 250000 },
        { "active", 50000, 60000 },
        { "centrality", 50000, 100000 },
        { "local", 3000, 150000 },
        { "bt", 3000, 20000 },
    };

    (void)state;
    for (size_t d = 0; d < n_decoders; d++) {
        struct trial t = { .spec = name_of(d), .seed = 3 };
        uint32_t n = 1000;

        for (size_t k = 0; k < N_OF(lists); k++)
            if (strcmp(lists[k].spec, t.spec) == 0) {
                n = lists[k].n;
                t.budget = lists[k].budget;
            }
        struct decoding one = decoding_new(n), many = decoding_new(n);
        struct session s;

        session_open(&s, jury_find("random"), n, 1);
        decode_well(&t, &s, &one);
        assert_true(t.budget == 0 || one.n_questions <= t.budget);
        t.pool = pool;
        decode_well(&t, &s, &many);
        assert_same(t.spec, &one, &many, n);
        decoding_free(&one);
        decoding_free(&many);
    }
}

/* Each that can choose stays within a budget that pays for its least, and does more with
 * more. */
static void budgets_are_kept(void **state)
{
    static const char *const names[] = { "fuzzy",  "merge",      "pivot", "sampled",
                                         "active", "centrality", "local" };
    enum { N = 200 };

    (void)state;
    for (size_t k = 0; k < N_OF(names); k++) {
        uint64_t last = 0;

        for (uint64_t budget = 2500; budget < 30000; budget += 777) {
            struct decoding d = decoding_new(N);
            struct session s;

            session_open(&s, jury_find("noisy"), N, 9);
            decode_well(&(struct trial){ .spec = names[k], .seed = 1, .budget = budget },
                        &s, &d);
            if (d.n_questions > budget || d.n_questions + 4000 < last)
                fail_msg("%s: %llu questions for %llu", names[k],
                         (unsigned long long)d.n_questions, (unsigned long long)budget);
            last = d.n_questions > last ? d.n_questions : last;
            decoding_free(&d);
        }
        assert_true(last > 4000);
    }
}

/* Refusals --------------------------------------------------------------------------- */

struct liar {
    uint32_t i, j; /* whose preference ... */
    float h;       /* ... is this */
};

static peck_status lie(void *ctx, int worker, const peck_duel *duel, size_t n, float *h,
                       peck_error *err)
{
    const struct liar *const l = ctx;

    (void)worker, (void)err;
    for (size_t k = 0; k < n; k++) {
        const bool is_it = (duel[k].i == l->i && duel[k].j == l->j) ||
                           (duel[k].i == l->j && duel[k].j == l->i);

        h[k] = is_it ? l->h : 0.5f;
    }
    return PECK_OK;
}

static peck_status give_up(void *ctx, int worker, const peck_duel *duel, size_t n, float *h,
                           peck_error *err)
{
    (void)ctx, (void)worker, (void)duel, (void)n, (void)h;
    *err = (peck_error){ PECK_IO, "the oracle is asleep" };
    return PECK_IO;
}

static void bad_answers_are_refused(void **state)
{
    static const float bad[] = { NAN, INFINITY, -INFINITY, -0.001f, 1.001f };

    (void)state;
    for (size_t d = 0; d < n_decoders; d++)
        for (size_t k = 0; k < N_OF(bad); k++)
            for (int symmetric = 0; symmetric < 2; symmetric++) {
                struct decoding out = decoding_new(30);
                struct liar liar = { 0, 1, bad[k] };
                const struct oracle o = {
                    .n = 2, .ask = lie, .ctx = &liar, .is_symmetric = symmetric
                };
                peck_error err = { 0 };
                const struct trial t = { .spec = name_of(d),
                                         .pool = k == 0 ? pool : NULL,
                                         .is_cached = k == 1 };

                assert_int_equal(try(&t, &o, &out, &err), PECK_ARG);
                assert_failed(err, PECK_ARG, "give a number from 0 to 1");
                assert_failed(err, PECK_ARG, "item 1");
                decoding_free(&out);
            }
}

static void an_oracle_that_fails_is_quoted(void **state)
{
    (void)state;
    for (size_t d = 0; d < n_decoders; d++) {
        struct decoding out = decoding_new(500);
        const struct oracle o = { .n = 500, .ask = give_up, .is_symmetric = true };
        peck_error err = { 0 };
        const struct trial t = { .spec = name_of(d), .pool = d % 2 == 0 ? pool : NULL };

        assert_int_equal(try(&t, &o, &out, &err), PECK_IO);
        assert_failed(err, PECK_IO, "the oracle is asleep");
        assert_permutation(t.spec, out.order, 500);
        decoding_free(&out);
    }
}

static void names_and_settings_are_checked(void **state)
{
    struct decode_plan plan;
    peck_error err = { 0 };

    (void)state;
    assert_int_equal(decode_plan_open(&plan, "fuzy", &err), PECK_ARG);
    assert_failed(err, PECK_ARG, "unknown decoder 'fuzy'; did you mean 'fuzzy'?");
    assert_null(plan.decoder);
    assert_int_equal(decode_plan_open(&plan, "fuzzy:windw=3", &err), PECK_ARG);
    assert_failed(err, PECK_ARG, "did you mean 'window'?");
    assert_int_equal(decode_plan_open(&plan, "fuzzy:window=0", &err), PECK_ARG);
    assert_int_equal(decode_plan_open(&plan, "fuzzy:window", &err), PECK_ARG);
    assert_failed(err, PECK_ARG, "write key=value");
    assert_int_equal(decode_plan_open(&plan, "championship:runs=3", &err), PECK_ARG);
    assert_ok(decode_plan_open(&plan, NULL, &err), err);
    for (size_t d = 0; d < n_decoders; d++) {
        assert_ok(decode_plan_open(&plan, name_of(d), &err), err);
        assert_ptr_equal((const void *)plan.decoder, (const void *)decoders[d]);
        assert_in_range(plan.decoder->config_size, 1, DECODE_CONFIG_MAX);
    }
}

/* Worth ------------------------------------------------------------------------------ */

/* 1,000 oracles of 8 to 14 items, h uniform in [0, 1): the mean cost is within 1.5 times
 * the exact minimum's, and no cost above 3 times. */
static void no_decoder_is_far_from_the_least_cost(void **state)
{
    enum { TRIALS = 1000 };
    double sum[32] = { 0 }, least_sum = 0;

    (void)state;
    for (uint64_t seed = 0; seed < TRIALS; seed++) {
        const uint32_t n = 8 + (uint32_t)(seed % 7);
        struct decoding d = decoding_new(n);
        struct session s;

        session_open(&s, jury_find("random"), n, seed);
        const double least = session_least_cost(&s);

        least_sum += least;
        for (size_t k = 0; k < n_decoders; k++) {
            decode_with(&d, name_of(k), &s.oracle, seed, 0);
            const double cost = session_cost(&s, d.order);

            if (cost > 3 * least || cost < least - 1e-9)
                fail_msg("%s: a cost of %g, not %g", name_of(k), cost, least);
            sum[k] += cost;
        }
        decoding_free(&d);
    }
    for (size_t k = 0; k < n_decoders; k++) {
        print_message("%-12s %.4f x the least cost\n", name_of(k), sum[k] / least_sum);
        assert_true(sum[k] <= 1.5 * least_sum);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_decoder_gives_a_permutation_of_any_oracle),
        cmocka_unit_test(settings_keep_the_contract),
        cmocka_unit_test(long_lists_are_ranked),
        cmocka_unit_test(budgets_are_kept),
        cmocka_unit_test(bad_answers_are_refused),
        cmocka_unit_test(an_oracle_that_fails_is_quoted),
        cmocka_unit_test(names_and_settings_are_checked),
        cmocka_unit_test(no_decoder_is_far_from_the_least_cost),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
