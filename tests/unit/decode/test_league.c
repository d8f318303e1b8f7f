/* test_league.c -- a long league in which few duels are more than a draw: those alone are
 * played, and the scores are the same to the last bit.                                */
#include "decode/decode.h"
#include "support/check.h"

#include "base/rng.h"

enum { N = 2100, NEAR = 4 }; /* items; each was compared with so many before it */

/* h(i, j), i > j, of those who were compared: i - j is among these; the last one was compared
 * with everyone, more duels than are asked at a time. */
static const uint32_t apart[NEAR] = { 1, 30, 1049, 2000 };

static float told(uint32_t i, uint32_t j)
{
    struct rng r;

    for (size_t k = 0; k < NEAR; k++)
        if (i == N - 1 || i - j == apart[k]) {
            rng_seed(&r, i, j);
            return (float)rng_uniform(&r);
        }
    return 0.5f;
}

static peck_status ask(void *ctx, int worker, const peck_duel *duel, size_t n, float *h,
                       peck_error *err)
{
    (void)ctx, (void)worker, (void)err;
    for (size_t k = 0; k < n; k++)
        h[k] = duel[k].i > duel[k].j ? told(duel[k].i, duel[k].j)
                                     : 1.0f - told(duel[k].j, duel[k].i);
    return PECK_OK;
}

static size_t known(void *ctx, uint32_t i, uint32_t *other)
{
    size_t n = 0;

    (void)ctx;
    for (uint32_t j = 0; i == N - 1 && j < i; j++)
        other[n++] = j;
    for (size_t k = NEAR; i < N - 1 && k-- > 0;)
        if (i >= apart[k])
            other[n++] = i - apart[k];
    return n;
}

static uint64_t play(const char *spec, const struct oracle *oracle, double *score)
{
    static uint32_t order[N];
    struct decode_plan plan;
    struct decoding out = { .order = order, .score = score };
    peck_error err = { 0 };

    assert_ok(decode_plan_open(&plan, spec, &err), err);
    assert_ok(
        decode_run(&(struct decode_call){ .plan = &plan, .oracle = oracle }, &out, &err),
        err);
    return out.n_questions;
}

static void draws_need_not_be_played(void **state)
{
    static const char *const specs[] = { "degree", "degree:count=hard" };
    static double every[N], some[N];
    struct oracle oracle = { .n = N, .ask = ask, .is_symmetric = true };
    uint64_t n_known = N - 1;

    (void)state;
    for (size_t k = 0; k < NEAR; k++)
        n_known += N - 1 - apart[k];
    for (size_t i = 0; i < N_OF(specs); i++) {
        oracle.known = NULL;
        assert_int_equal(play(specs[i], &oracle, every), (uint64_t)N * (N - 1) / 2);
        oracle.known = known;
        assert_int_equal(play(specs[i], &oracle, some), n_known);
        assert_memory_equal(every, some, sizeof every);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(draws_need_not_be_played) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
