/* test_sureness.c -- how sure an order is, beside what integrals and sums say of strengths that
 * are made by hand.                                                                    */
#include "support/check.h"

#include "base/rng.h"
#include "decode/next.h"

#include <math.h>

enum { MOST = 100 };

static peck_error err;

/* Two groups: the first `top` at one strength, the others `apart` below, all of one variance;
 * covariances are its share rho, or not kept. */
struct groups {
    double t[MOST], var[MOST], cov[MOST * MOST];
    struct peck_strengths s;
};

static void make_groups(struct groups *g, uint32_t n, uint32_t top, double apart,
                        double var, double rho)
{
    for (uint32_t i = 0; i < n; i++) {
        g->t[i] = i < top ? 10.0 : 10.0 - apart; /* the middle is far from 0 */
        g->var[i] = var;
        for (uint32_t j = 0; j < n; j++)
            g->cov[i * n + j] = i == j ? var : rho * var;
    }
    g->s = (struct peck_strengths){
        .n = n, .t = g->t, .var = g->var, .cov = rho > 0.0 ? g->cov : NULL, .weight = 1
    };
}

static peck_sureness sureness_of(const struct peck_strengths *s, size_t top)
{
    const peck_question_spec spec = { .size = sizeof spec, .top = top };
    peck_sureness sure;

    assert_ok(peck_strengths_sureness(s, &spec, &sure, &err), err);
    return sure;
}

/* P(the least of m is above the largest of k others), all normal of deviation sd: the sum over
 * where that largest lies. */
static double odds_of(int m, int k, double apart, double sd)
{
    enum { STEPS = 4000 };
    const double from = -apart - 8 * sd, step = (apart + 16 * sd) / STEPS;
    double sum = 0.0;

    for (int i = 0; i < STEPS; i++) {
        const double x = from + i * step, mid = x + step / 2;

        sum +=
            (pow(bt_phi((x + step + apart) / sd), k) - pow(bt_phi((x + apart) / sd), k)) *
            pow(bt_phi(-mid / sd), m);
    }
    return sum;
}

/* At most 64 are drawn, the last 32 of the top among them; two deviations of the count of draws
 * are taken off. */
static void the_top_is_as_sure_as_it_is(void **state)
{
    static const struct {
        uint32_t n, top, m, k;
        double apart, var, rho;
    } cases[] = {
        { 2, 1, 1, 1, 1.0, 1.0, 0.0 },       { 10, 4, 4, 6, 3.0, 1.0, 0.0 },
        { 100, 50, 32, 32, 4.5, 1.0, 0.0 },  { 100, 5, 5, 59, 4.0, 1.0, 0.0 },
        { 100, 95, 32, 5, 4.0, 1.0, 0.0 },   { 10, 5, 5, 5, 7.0, 4.0, 0.0 },
        { 10, 5, 5, 5, 0.7, 0.04, 0.0 },     { 10, 4, 4, 6, 3.0, 4.0, 0.75 },
        { 64, 32, 32, 32, 2.25, 1.0, 0.75 },
    };
    static struct groups g;

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        make_groups(&g, cases[i].n, cases[i].top, cases[i].apart, cases[i].var,
                    cases[i].rho);
        const double own = sqrt(cases[i].var * (1.0 - cases[i].rho));
        const double p = odds_of((int)cases[i].m, (int)cases[i].k, cases[i].apart, own);
        const double off = sqrt(p * (1.0 - p) / 2048);
        const peck_sureness sure = sureness_of(&g.s, cases[i].top);

        if (!(fabs(sure.top - (p - 2 * off)) < 3.5 * off))
            fail_msg("case %zu: %g, not %g", i, sure.top, p - 2 * off);
        assert_int_equal(sure.is_enough, sure.top >= 0.95);
    }
}

/* None, or all, can be in no other order. */
static void a_top_of_all_is_sure(void **state)
{
    static struct groups g;

    (void)state;
    make_groups(&g, 10, 4, 0.1, 1.0, 0.0);
    const peck_sureness all = sureness_of(&g.s, 10), more = sureness_of(&g.s, 11),
                        most = sureness_of(&g.s, 9);

    assert_true(all.top == 1.0 && all.is_enough && all.questions_left == 0.0);
    assert_true(more.top == 1.0);
    assert_true(most.top < 0.5 && !most.is_enough && most.questions_left >= 1.0);
    assert_true(all.first < 0.5);
}

/* The mean over pairs, also of items far from each other. */
static void pairs_are_as_sure_as_they_are(void **state)
{
    static struct groups g;

    (void)state;
    for (int way = 0; way < 2; way++) {
        const uint32_t n = 12;
        double right = 0.0;

        make_groups(&g, n, 6, 0.0, 1.0, way == 0 ? 0.0 : 0.5);
        for (uint32_t i = 0; i < n; i++)
            g.t[i] = (i * 5 % n) * 1.25;
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t j = 0; j < i; j++)
                right += bt_phi(fabs(g.t[i] - g.t[j]) / sqrt(way == 0 ? 2.0 : 1.0));
        const peck_sureness sure = sureness_of(&g.s, 0);

        assert_true(fabs(sure.pairs - right / (n * (n - 1) / 2)) < 1e-7);
    }
}

/* Who is out does not count: the two that are left are one pair. */
static void who_is_out_does_not_count(void **state)
{
    static struct groups g;
    const unsigned char out[] = { 0, 1, 1, 0 };
    const peck_question_spec spec = { .size = sizeof spec, .is_out = out, .top = 1 };
    peck_sureness sure;

    (void)state;
    make_groups(&g, 4, 2, 1.0, 0.5, 0.0);
    assert_ok(peck_strengths_sureness(&g.s, &spec, &sure, &err), err);
    assert_true(fabs(sure.pairs - bt_phi(1.0)) < 1e-12);
    assert_true(fabs(sure.top - bt_phi(1.0)) < 0.06);
    g.s.n = 1; /* one is first */
    assert_ok(peck_strengths_sureness(&g.s, &spec, &sure, &err), err);
    assert_true(sure.pairs == 1.0 && sure.top == 1.0 && sure.first == 1.0);
    assert_true(sure.is_enough && sure.questions_left == 0.0);
}

/* The share of wrong pairs falls as answers to the power of -1/1.3; none more than there are
 * items counts as one an item. */
static void questions_left_follow_the_wrong_pairs(void **state)
{
    static struct groups g;

    (void)state;
    for (int k = 0; k < 2; k++) {
        make_groups(&g, 20, 10, 2.0, 1.0, 0.0);
        g.s.weight = k == 0 ? 7.0 : 300.0;
        const peck_sureness sure = sureness_of(&g.s, 0);
        const double wanted =
            (k == 0 ? 20.0 : 300.0) * (pow((1.0 - sure.pairs) / 0.05, 1.3) - 1.0);

        assert_false(sure.is_enough);
        assert_true(fabs(sure.questions_left - wanted) < 1e-6 * wanted);
    }
    make_groups(&g, 2, 1, 2.31, 1.0, 0.0); /* all but enough: one at least */
    const peck_sureness near = sureness_of(&g.s, 0);

    g.t[1] -= 0.1;
    const peck_sureness enough = sureness_of(&g.s, 0);

    assert_true(near.pairs > 0.945 && near.pairs < 0.95 && !near.is_enough);
    assert_true(near.questions_left == 1.0);
    assert_true(enough.pairs > 0.95 && enough.is_enough && enough.questions_left == 0.0);
}

static int by_rise(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Half of what would bring each item's variance down to half its squared distance from the
 * middle, in the middle one of many draws, times the root of the items in doubt. */
static void questions_left_for_a_top_are_drawn(void **state)
{
    enum { DRAWS = 20001 };
    static double left[DRAWS];
    static struct groups g;
    struct rng r;

    (void)state;
    make_groups(&g, 2, 1, 1.0, 1.0, 0.7);
    rng_seed(&r, 1, 1);
    for (size_t d = 0; d < DRAWS; d++) {
        const double gap = fabs(1.0 + sqrt(0.6) * rng_normal(&r)) / 2;

        left[d] = 2 * fmax(0.0, 2.0 / (gap * gap) - 1.0);
    }
    qsort(left, DRAWS, sizeof *left, by_rise);
    const double wanted = 0.5 * sqrt(2.0) * left[DRAWS / 2],
                 got = sureness_of(&g.s, 1).questions_left;

    if (!(got > wanted / 1.4 && got < wanted * 1.4))
        fail_msg("%g, not %g", got, wanted);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_top_is_as_sure_as_it_is),
        cmocka_unit_test(a_top_of_all_is_sure),
        cmocka_unit_test(pairs_are_as_sure_as_they_are),
        cmocka_unit_test(who_is_out_does_not_count),
        cmocka_unit_test(questions_left_follow_the_wrong_pairs),
        cmocka_unit_test(questions_left_for_a_top_are_drawn),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
