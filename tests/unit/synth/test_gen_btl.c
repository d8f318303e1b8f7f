/* test_gen_btl.c -- the preference oracle and the lists made from it. */
#include "unit/synth/collect.h"

static void the_two_directions_add_up_to_one(void **state)
{
    const struct btl b = { .seed = 3, .c = 5.0 };

    (void)state;
    for (uint32_t i = 0; i < 200; i++)
        for (uint32_t j = 0; j < 200; j++) {
            const double h = btl_preference(&b, i, j), back = btl_preference(&b, j, i);

            assert_true(h >= 0.0 && h <= 1.0);
            assert_true(back == 1.0 - h && h == 1.0 - back);
        }
    assert_true(btl_preference(&b, 7, 7) == 0.5);
}

static void answers_are_fixed_by_pair_and_seed(void **state)
{
    const struct btl b = { .seed = 3, .c = 0.8 }, other = { .seed = 4, .c = 0.8 };
    size_t differ = 0;

    (void)state;
    for (uint32_t j = 1; j < 100; j++) {
        assert_true(btl_preference(&b, 0, j) == btl_preference(&b, 0, j));
        differ += btl_preference(&b, 0, j) != btl_preference(&other, 0, j);
    }
    assert_true(differ > 70);
}

static void each_number_of_draws_is_equally_likely(void **state)
{
    const struct btl b = { .seed = 8, .c = 0.8 };
    size_t seen[BTL_MAX_DRAWS + 1] = { 0 };

    (void)state;
    for (uint32_t j = 1; j <= 30000; j++) {
        uint32_t n = 0;
        const uint32_t wins = btl_wins(&b, 0, j, &n);

        assert_in_range(n, 1, BTL_MAX_DRAWS);
        assert_true(wins <= n);
        seen[n]++;
    }
    for (size_t n = 1; n <= BTL_MAX_DRAWS; n++)
        assert_in_range(seen[n], 1800, 2200); /* 2,000, deviation 43 */
}

/* Wins over all pairs against the sum of their probabilities, for near and far pairs. */
static void wins_follow_the_logistic_of_the_scores(void **state)
{
    const struct btl b = { .seed = 1, .c = 3.0 };
    double wins[2] = { 0 }, hoped[2] = { 0 }, all[2] = { 0 };

    (void)state;
    for (uint32_t i = 0; i < 400; i++)
        for (uint32_t j = i + 1; j < 400; j++) {
            const double gap = btl_score(&b, i) - btl_score(&b, j);
            const size_t is_far = fabs(gap) > 0.5;
            const bool is_first = gap > 0;
            uint32_t n = 0;
            const uint32_t w = btl_wins(&b, is_first ? i : j, is_first ? j : i, &n);

            wins[is_far] += w;
            all[is_far] += n;
            hoped[is_far] += n / (1.0 + exp(-b.c * fabs(gap)));
        }
    for (size_t k = 0; k < 2; k++)
        assert_true(fabs(wins[k] / all[k] - hoped[k] / all[k]) < 0.005);
    assert_true(wins[1] / all[1] > 0.85);
}

static void true_scores_are_uniform(void **state)
{
    const struct btl b = { .seed = 6, .c = 0.8 };
    size_t tenth[10] = { 0 };

    (void)state;
    for (uint32_t i = 0; i < 10000; i++)
        tenth[(size_t)(10.0 * btl_score(&b, i))]++;
    for (size_t k = 0; k < 10; k++)
        assert_in_range(tenth[k], 880, 1120);
}

/* Every pair of the list once; returns how many there are. */
static size_t count_distinct(const char *const *settings, size_t items, double spread)
{
    struct synth *const s = open_kind("btl", settings, 11);
    const struct btl b = { .seed = 11, .c = spread };
    unsigned char *const seen = calloc(items * items, 1);
    size_t n = 0;

    for (size_t q = 0; q < synth_shape(s)->n_queries; q++) {
        const struct synth_sample *const made = synth_make(s, q);

        for (size_t i = 0; i < made->n; i++, n++) {
            const struct judged_pair p = made->pair[i];
            uint32_t draws = 0;

            assert_true(p.winner < items && p.loser < items && p.winner != p.loser);
            assert_true(p.wins >= p.losses);
            assert_int_equal(btl_wins(&b, p.winner, p.loser, &draws), p.wins);
            assert_int_equal(draws, p.wins + p.losses);
            assert_int_equal(seen[p.winner * items + p.loser]++, 0);
            assert_int_equal(seen[p.loser * items + p.winner]++, 0);
        }
    }
    free(seen);
    synth_free(s);
    return n;
}

static void all_pairs_are_listed_once(void **state)
{
    (void)state;
    assert_int_equal(count_distinct(SET("items=2"), 2, 0.8), 1);
    assert_int_equal(count_distinct(SET("items=3"), 3, 0.8), 3);
    assert_int_equal(count_distinct(SET("items=150"), 150, 0.8), 150 * 149 / 2);
    /* nearly sure: other answers than those of 0.8 */
    assert_int_equal(count_distinct(SET("items=40", "spread=9"), 40, 9.0), 780);
}

static void drawn_pairs_never_repeat(void **state)
{
    (void)state;
    assert_int_equal(count_distinct(SET("items=150", "pairs=1"), 150, 0.8), 1);
    assert_int_equal(count_distinct(SET("items=150", "pairs=9000"), 150, 0.8), 9000);
    assert_int_equal(count_distinct(SET("items=150", "pairs=11175"), 150, 0.8), 11175);
}

/* The pair numbers of a billion items need 59 bits. */
static void a_billion_items_are_no_trouble(void **state)
{
    struct synth *const s = open_kind("btl", SET("items=1000000000", "pairs=5000"), 2);
    uint32_t top = 0;

    (void)state;
    for (size_t q = 0; q < synth_shape(s)->n_queries; q++) {
        const struct synth_sample *const made = synth_make(s, q);

        for (size_t i = 0; i < made->n; i++) {
            assert_true(made->pair[i].winner < 1000000000);
            assert_true(made->pair[i].loser < 1000000000);
            assert_int_not_equal(made->pair[i].winner, made->pair[i].loser);
            top = made->pair[i].winner > top ? made->pair[i].winner : top;
        }
    }
    assert_true(top > 990000000);
    synth_free(s);
}

static void more_pairs_than_there_are_is_refused(void **state)
{
    struct synth *s = NULL;
    peck_error err = { 0 };

    (void)state;
    assert_int_equal(
        synth_new(&s, generator_find("btl", NULL), SET("items=4", "pairs=7"), 1, &err),
        PECK_ARG);
    assert_null(s);
    assert_non_null(strstr(err.text, "6 pairs"));
}

static void the_items_form_shows_the_true_scores(void **state)
{
    const struct btl b = { .seed = 21, .c = 0.8 };
    struct gathered g = gather("btl", SET("form=items", "items=500"), 21);

    (void)state;
    assert_int_equal(g.n_queries, 1);
    assert_int_equal(g.n, 500);
    for (uint32_t i = 0; i < 500; i++)
        assert_true(g.label[i] == (float)btl_score(&b, i) && g.x[i] == g.label[i]);
    release(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_two_directions_add_up_to_one),
        cmocka_unit_test(answers_are_fixed_by_pair_and_seed),
        cmocka_unit_test(each_number_of_draws_is_equally_likely),
        cmocka_unit_test(wins_follow_the_logistic_of_the_scores),
        cmocka_unit_test(true_scores_are_uniform),
        cmocka_unit_test(all_pairs_are_listed_once),
        cmocka_unit_test(drawn_pairs_never_repeat),
        cmocka_unit_test(a_billion_items_are_no_trouble),
        cmocka_unit_test(more_pairs_than_there_are_is_refused),
        cmocka_unit_test(the_items_form_shows_the_true_scores),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
