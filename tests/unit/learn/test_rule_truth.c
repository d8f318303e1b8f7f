/* test_rule_truth.c -- whether the labels keep the rules, against what chance would keep. */
#include "learn/rule_truth.h"
#include "support/check.h"
#include "support/scratch.h"
#include "support/tasks.h"

#include <math.h>

enum { DOCS = 4, DIM = 4, QUERIES = 24 };

/* Queries of four documents with labels 2, 1, 0, 0.  Features: the first document, the third,
 * the fourth, and 4 to 1 but for the middle two, which are turned round. */
static struct peck_dataset *labelled(size_t n_queries)
{
    static const float row[DOCS][DIM] = {
        { 1, 0, 0, 4 }, { 0, 0, 0, 2 }, { 0, 1, 0, 3 }, { 0, 0, 1, 1 }
    };
    uint32_t size[QUERIES];
    float label[QUERIES * DOCS];

    for (size_t q = 0; q < n_queries; q++) {
        size[q] = DOCS;
        memcpy(label + q * DOCS, (const float[]){ 2, 1, 0, 0 }, DOCS * sizeof *label);
    }
    struct peck_dataset *const d = task_of(size, n_queries, DIM, label, 1);

    for (size_t q = 0; q < n_queries; q++)
        memcpy(d->x_owned + q * DOCS * DIM, row, sizeof row);
    return d;
}

static void find_truths(struct rule_truth *t, const char *text,
                        const struct peck_dataset *d)
{
    peck_rules *r = NULL;
    peck_error err = { 0 };

    assert_ok(peck_rules_read(&r, scratch_file("a.rules", text), &err), err);
    assert_ok(rule_truth_add(t, r, d, 1, &err), err);
    peck_rules_free(r);
}

static struct rule_truth truth_of(const char *text, const struct peck_dataset *d)
{
    struct rule_truth t = { 0 };

    find_truths(&t, text, d);
    return t;
}

static void labels_keep_true_rules_and_break_false_ones(void **state)
{
    struct peck_dataset *const d = labelled(QUERIES);
    const struct rule_truth good = truth_of("a: exists d : top(1, d) and d.f1 > 0\n", d),
                            bad = truth_of("a: exists d : top(1, d) and d.f2 > 0\n", d);

    (void)state;
    assert_int_equal(good.n_spoken, QUERIES);
    assert_int_equal(good.n_broken, 0);
    assert_true(good.broken == 0.0);
    assert_true(fabs(good.by_chance / QUERIES - 0.75) < 0.15);
    assert_true(good.by_chance == good.broken_by_chance);
    assert_false(rule_truth_is_doubtful(&good) || rule_truth_is_false(&good));
    assert_int_equal(bad.n_broken, QUERIES);
    assert_true(bad.broken > 0.6 * QUERIES && bad.broken <= QUERIES);
    assert_true(rule_truth_is_doubtful(&bad) && rule_truth_is_false(&bad));
    peck_dataset_free(d);
}

/* Who is third is left open, so it is drawn. */
static void equal_labels_leave_the_order_open(void **state)
{
    struct peck_dataset *const d = labelled(QUERIES);
    const struct rule_truth t = truth_of("a: exists d : top(3, d) and d.f3 > 0\n", d);

    (void)state;
    assert_true(fabs(t.broken / QUERIES - 0.5) < 0.15);
    assert_true(fabs(t.by_chance / QUERIES - 0.25) < 0.15);
    /* Half of them, but for as many draws of eight on either side. */
    assert_true(t.n_broken > QUERIES / 5 && t.n_broken < QUERIES * 3 / 5);
    peck_dataset_free(d);
}

/* One pair of six is turned round: broken everywhere, and yet far better than chance. */
static void a_rule_of_means_is_judged_by_its_penalty(void **state)
{
    static const char text[] = "a: forall d, e : d.f4 > e.f4 implies before(d, e)";
    struct peck_dataset *const d = labelled(QUERIES);
    char strict[96], mean[96];

    (void)state;
    snprintf(strict, sizeof strict, "%s\n", text);
    snprintf(mean, sizeof mean, "%s    all mean\n", text);
    const struct rule_truth hard = truth_of(strict, d), soft = truth_of(mean, d);

    assert_int_equal(hard.n_broken, QUERIES);
    assert_int_equal(soft.n_broken, QUERIES);
    assert_true(rule_truth_is_doubtful(&hard));
    assert_false(rule_truth_is_false(&hard)); /* chance keeps it nowhere: who knows */
    assert_true(soft.broken < 0.6 * soft.broken_by_chance);
    assert_false(rule_truth_is_doubtful(&soft));
    peck_dataset_free(d);
}

static void few_queries_make_no_rule_false(void **state)
{
    struct peck_dataset *const d = labelled(5);
    const struct rule_truth t = truth_of("a: exists d : top(1, d) and d.f2 > 0\n", d);

    (void)state;
    assert_true(rule_truth_is_doubtful(&t));
    assert_false(rule_truth_is_false(&t));
    peck_dataset_free(d);
}

/* No labels, one label, a query that the rule does not speak of, or cannot be read for. */
static void queries_that_say_nothing_are_passed_over(void **state)
{
    struct peck_dataset *const d = labelled(5);

    (void)state;
    for (size_t i = 0; i < DOCS; i++) {
        d->label[i] = PECK_UNJUDGED;
        d->label[DOCS + i] = 1.0f;
    }
    d->x_owned[2 * DOCS * DIM] = 7.0f;
    assert_int_equal(truth_of("a: exists d : top(1, d)\n", d).n_spoken, 3);
    assert_int_equal(
        truth_of("a: forall q | (forall d : d.f1 < 5) : exists d : top(1, d)\n", d)
            .n_spoken,
        2);
    for (size_t i = 0; i < 5 * DOCS; i++)
        d->x_owned[i * DIM] = i / DOCS == 3 ? 0.25f * (float)(i % DOCS) : 0.5f;
    assert_int_equal(truth_of("a: q.f1 < 5 and (exists d : top(1, d))\n", d).n_spoken, 2);
    peck_dataset_free(d);
}

/* Of all pairs of documents one is spoken of: what outright is 1 is that part of a mean, be the
 * rule as steep as it likes.  The rules of a file do not mind each other. */
static void a_penalty_counts_whole_positions(void **state)
{
    static const char text[] = "%s: forall d, e : d.f3 > 0.5 and e.f%d > 0.5 implies "
                               "before(d, e)%s\n";
    static const char *const ends[] = { "", "    beta 1e4 sigma 0.1 all mean",
                                        "    beta 1e4 sigma 0.1 all mean alpha 0.05",
                                        "    beta 1e4 sigma 0.1 all mean alpha 3" };
    struct peck_dataset *const d = labelled(QUERIES);

    (void)state;
    for (int other = 1; other <= 2; other++) { /* a label of 2, and one that is the same */
        struct rule_truth t[N_OF(ends)], both[2] = { { 0 } };
        char first[128], second[128], file[256];

        for (size_t k = 0; k < N_OF(ends); k++) {
            snprintf(first, sizeof first, text, "a", other, ends[k]);
            t[k] = truth_of(first, d);
            const double pairs = k == 0 ? 1.0 : DOCS * DOCS;

            assert_int_equal(t[k].n_spoken, QUERIES);
            assert_int_equal(t[k].n_broken, t[0].n_broken);
            assert_true(t[k].by_chance == t[0].by_chance);
            assert_true(fabs(pairs * t[k].broken - t[0].broken) < 1e-5);
            assert_true(fabs(pairs * t[k].broken_by_chance - t[0].broken_by_chance) < 1e-5);
        }
        assert_true(other == 2 || t[0].broken == QUERIES);
        snprintf(first, sizeof first, text, "a", other, ends[2]);
        snprintf(second, sizeof second, text, "b", other, ends[1]);
        snprintf(file, sizeof file, "%s%s", first, second);
        find_truths(both, file, d);
        assert_true(fabs(both[0].broken - t[2].broken) < 1e-5);
        assert_true(fabs(both[0].broken_by_chance - t[2].broken_by_chance) < 1e-5);
    }
    peck_dataset_free(d);
}

/* The one document that is better may be the first; a rule that is silent stops no other. */
static void only_queries_with_a_choice_and_a_word_count(void **state)
{
    struct peck_dataset *const d = labelled(2);
    struct rule_truth t[2] = { { 0 } };

    (void)state;
    d->label[1] = 0.0f;
    find_truths(t,
                "a: forall q | (exists d : d.f1 > 9) : exists d : top(1, d)\n"
                "b: exists d : top(1, d)\n",
                d);
    assert_int_equal(t[0].n_spoken, 0);
    assert_int_equal(t[1].n_spoken, 2);
    peck_dataset_free(d);
}

static void verdicts_have_bounds(void **state)
{
    static const struct {
        struct rule_truth t;
        bool is_doubtful, is_false;
    } cases[] = {
        { { 10, 2, 9, 8.0, 10.0 }, true, true },
        { { 10, 1, 9, 8.0, 10.0 }, false, false }, /* one query */
        { { 20, 2, 9, 8.0, 10.0 }, false, false }, /* a tenth of them */
        { { 21, 2, 9, 8.0, 10.0 }, false, false },
        { { 19, 2, 9, 8.0, 10.0 }, true, true },
        { { 10, 2, 9, 7.9, 10.0 }, false, false }, /* better than chance */
        { { 9, 2, 9, 8.0, 10.0 }, true, false },   /* too few to be sure */
        { { 10, 2, 9, 8.0, 1.0 }, true, false },   /* chance breaks it seldom */
        { { 10, 2, 9, 8.0, 1.1 }, true, true },
    };

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        assert_int_equal(rule_truth_is_doubtful(&cases[i].t), cases[i].is_doubtful);
        assert_int_equal(rule_truth_is_false(&cases[i].t), cases[i].is_false);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(labels_keep_true_rules_and_break_false_ones),
        cmocka_unit_test(equal_labels_leave_the_order_open),
        cmocka_unit_test(a_rule_of_means_is_judged_by_its_penalty),
        cmocka_unit_test(few_queries_make_no_rule_false),
        cmocka_unit_test(queries_that_say_nothing_are_passed_over),
        cmocka_unit_test(a_penalty_counts_whole_positions),
        cmocka_unit_test(only_queries_with_a_choice_and_a_word_count),
        cmocka_unit_test(verdicts_have_bounds),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
