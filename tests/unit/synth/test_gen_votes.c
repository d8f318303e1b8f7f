/* test_gen_votes.c -- pairs judged by the majority of their votes. */
#include "unit/synth/collect.h"

static int lead(const float *x, const float *y, size_t dim)
{
    int more = 0, less = 0;

    for (size_t i = 0; i < dim; i++) {
        more += x[i] > y[i];
        less += y[i] > x[i];
    }
    return more - less;
}

static void check_majority(const char *dim)
{
    struct gathered g = gather("votes", SET("pairs=2000", dim), 5);
    size_t first = 0;

    assert_int_equal(g.n, 4000);
    for (size_t q = 0; q < g.n_queries; q++) {
        const int by = lead(g.x + 2 * q * g.dim, g.x + (2 * q + 1) * g.dim, g.dim);

        assert_int_not_equal(by, 0);
        assert_true(g.label[2 * q] == (by > 0 ? 1.0f : 0.0f));
        assert_true(g.label[2 * q] + g.label[2 * q + 1] == 1.0f);
        first += by > 0;
    }
    assert_in_range(first, 900, 1100); /* 4.5 deviations of a fair coin */
    release(&g);
}

static void the_majority_of_votes_wins(void **state)
{
    (void)state;
    check_majority("dim=7");
}

static void an_even_number_of_votes_never_ends_in_a_draw(void **state)
{
    (void)state;
    check_majority("dim=4");
}

/* 81.9 % is what the best sum of scores reaches on this criterion. */
static void no_sum_of_scores_learns_it_all(void **state)
{
    struct gathered train = gather("votes", SET("pairs=10000"), 1);
    struct gathered test = gather("votes", SET("pairs=6000"), 2);
    const double share = line_accuracy(&train, &test);

    (void)state;
    assert_true(share > 0.78 && share < 0.83);
    release(&train);
    release(&test);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_majority_of_votes_wins),
        cmocka_unit_test(an_even_number_of_votes_never_ends_in_a_draw),
        cmocka_unit_test(no_sum_of_scores_learns_it_all),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
