/* The evaluator: weights that are learnt and a finished model say the same, of lists in any
 * order. */
#include "base/pool.h"
#include "support/check.h"
#include "support/models.h"

#include <math.h>

enum { N = 700, D = 5, FIRST = 37, LIST = 11, N_DUELS = LIST * LIST };

static peck_error err;

struct heard {
    size_t n;
    peck_duel last;
    float lead;
};

static void hear(void *ctx, size_t query, peck_duel duel, float lead)
{
    struct heard *const h = ctx;

    assert_int_equal(query, 3);
    *h = (struct heard){ h->n + 1, duel, lead };
}

/* Blocks on two threads give what one list at a time gives, to the last bit. */
static void live_weights_and_a_finished_model_agree(void **state)
{
    static const char *const family[] = { "mlp", "cmpnn", "trees", "pairforest" };
    float *const x = random_floats(N * D, 4);
    const struct rows all = { x, N, D, D }, list = { x + FIRST * D, LIST, D, D };
    peck_duel duel[N_DUELS];
    struct pool *pool = NULL;

    (void)state;
    assert_ok(pool_new(&pool, 2, &err), err);
    for (uint32_t k = 0; k < N_DUELS; k++)
        duel[k] = (peck_duel){ k / LIST, k % LIST };
    for (size_t f = 0; f < N_OF(family); f++) {
        struct peck_model *const m =
            sample_model(&(struct model_sample){ .family = family[f], .dim = D });
        struct model_outputs live;
        struct arena memory = { 0 };
        struct peck_scorer *s = NULL;
        float out[2][N_DUELS][2], lead[2][N_DUELS], h[2][N_DUELS];

        assert_ok(model_outputs_open(&live, &memory, m->family, m->shape, all, pool, &err),
                  err);
        model_outputs_fill(&live, m->w);
        assert_true((live.view != NULL) == model_compares(m));
        const struct seen_docs docs = model_outputs_seen(&live, FIRST, LIST);

        seen_duels(&docs, duel, N_DUELS, out[0]);
        seen_decide(&docs, duel, N_DUELS, lead[0]);
        assert_ok(peck_scorer_new(&s, m, &err), err);
        assert_ok(scorer_look(s, list, &err), err);
        scorer_duels(s, duel, N_DUELS, out[1]);
        const struct oracle oracle = scorer_oracle(s, NULL);

        assert_int_equal(oracle.n, LIST);
        assert_ok(oracle.decide(oracle.ctx, 0, duel, N_DUELS, lead[1], &err), err);
        assert_memory_equal(out[0], out[1], sizeof out[0]);
        assert_memory_equal(lead[0], lead[1], sizeof lead[0]);
        assert_ok(oracle.ask(oracle.ctx, 0, duel, N_DUELS, h[0], &err), err);
        assert_ok(oracle.ask_ratio(oracle.ctx, 0, duel, N_DUELS, h[1], &err), err);
        for (size_t k = 0; k < N_DUELS; k++) {
            const double win = (double)out[0][k][0], lose = (double)out[0][k][1];
            const double ratio = win + lose > 0 ? win / (win + lose) : 0.5;

            assert_true(fabs((double)h[0][k] - (1 + win - lose) / 2) < 1e-6);
            assert_true(fabs((double)h[1][k] - ratio) < 1e-6);
        }
        peck_scorer_free(s);
        arena_free(&memory);
        peck_model_free(m);
    }
    pool_free(pool);
    free(x);
}

/* Item k of a decoder is document place[k]; who listens hears of items. */
static void lists_may_stand_in_another_order(void **state)
{
    enum { MANY = 600 };
    static const float score[4] = { 1, 2, 4, 8 };
    static const uint32_t place[4] = { 2, 0, 3, 1 };
    struct heard heard = { 0 };
    const struct duel_list list = { .docs = { .n = 4, .score = score },
                                    .place = place,
                                    .on_duel = hear,
                                    .ctx = &heard,
                                    .query = 3 };
    const struct oracle oracle = duel_list_oracle(&list);
    peck_duel duel[MANY];
    float lead[MANY], h[MANY];

    (void)state;
    for (uint32_t k = 0; k < MANY; k++)
        duel[k] = (peck_duel){ k % 4, (k / 4 + 1) % 4 };
    assert_ok(oracle.decide(oracle.ctx, 0, duel, MANY, lead, &err), err);
    assert_int_equal(heard.n, MANY);
    assert_true(heard.last.i == duel[MANY - 1].i && heard.last.j == duel[MANY - 1].j);
    assert_true(heard.lead == lead[MANY - 1]);
    assert_ok(oracle.ask(oracle.ctx, 0, duel, MANY, h, &err), err);
    assert_int_equal(heard.n, 2 * MANY);
    for (size_t k = 0; k < MANY; k++) {
        const float apart = score[place[duel[k].i]] - score[place[duel[k].j]];
        const double win = 1 / (1 + exp(-(double)apart)), lose = 1 - win;

        assert_true(lead[k] == apart);
        assert_true(fabs((double)h[k] - (0.5 + (win - lose) / 2)) < 1e-6);
    }
}

/* Of a finished model the documents are to blame, counted as the list has them; while
 * weights are learnt it is the training, and infinity will not do either. */
static void what_is_no_number_is_refused(void **state)
{
    static const float score[3] = { 1, NAN, HUGE_VALF };
    static const uint32_t place[3] = { 2, 0, 1 };
    static const peck_duel with_nan = { 2, 1 }, infinite = { 0, 1 };
    struct duel_list list = { .docs = { .n = 3, .score = score }, .place = place };
    const struct oracle oracle = duel_list_oracle(&list);
    float lead;

    (void)state;
    assert_int_equal(oracle.decide(oracle.ctx, 0, &with_nan, 1, &lead, &err), PECK_FORMAT);
    assert_failed(err, PECK_FORMAT, "documents 2 and 1 (counted from 1)");
    assert_ok(oracle.decide(oracle.ctx, 0, &infinite, 1, &lead, &err), err);
    assert_true(lead == HUGE_VALF);
    list.is_training = true;
    assert_int_equal(oracle.decide(oracle.ctx, 0, &with_nan, 1, &lead, &err),
                     PECK_DIVERGED);
    assert_int_equal(oracle.decide(oracle.ctx, 0, &infinite, 1, &lead, &err),
                     PECK_DIVERGED);
    assert_failed(err, PECK_DIVERGED, "try a smaller rate");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(live_weights_and_a_finished_model_agree),
        cmocka_unit_test(lists_may_stand_in_another_order),
        cmocka_unit_test(what_is_no_number_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
