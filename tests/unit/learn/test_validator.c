/* test_validator.c -- what validation makes of scores, by labels and by preferences. */
#include "learn/validator.h"

#include "support/check.h"
#include "support/train_setup.h"
#include "support/tasks.h"

#include <math.h>

enum { DIM = 2, N_DOCS = 6 };

/* Two queries, of four documents and of two. */
static struct peck_dataset *small_data(void)
{
    static const uint32_t size[] = { 4, 2 };
    static const float label[] = { 2, 0, 1, 0, 1, 0 };

    return task_of(size, 2, DIM, label, 3);
}

/* The value of these scores, whatever the net would say; PECK_OK or why not. */
static peck_status value_of(const double *score, const peck_pref *pref, size_t n_prefs,
                            const char *metric, double *value, peck_error *err)
{
    struct peck_dataset *const d = small_data();
    struct peck_prefs *const teach = prefs_of_labels(d, 1), *const ask = prefs_new();
    struct train_setup c;
    struct validator validator;

    for (size_t k = 0; k < n_prefs; k++)
        assert_true(prefs_add(ask, pref[k]));
    if (n_prefs > 0)
        train_setup_open_prefs(&c, "ranknet", NULL, d, teach, d, ask, 1);
    else
        train_setup_open(&c, "ranknet", NULL, d, d, metric, 1);
    assert_ok(validator_open(&validator, &c.task, NULL, err), *err);
    validator.spec.given = score;
    const peck_status st = validator_value(&validator, c.w, value, err);

    validator_close(&validator);
    train_setup_close(&c);
    peck_prefs_free(teach);
    peck_prefs_free(ask);
    peck_dataset_free(d);
    return st;
}

static double right_share(const double *score, const peck_pref *pref, size_t n)
{
    peck_error err = { 0 };
    double value;

    assert_ok(value_of(score, pref, n, NULL, &value, &err), err);
    return value;
}

static void assert_share(double got, double want)
{
    if (!(fabs(got - want) < 1e-12))
        fail_msg("%.15g, not %.15g", got, want);
}

/* Rows 0 1 2 3 and 4 5; the second and third document score the same. */
static void preferences_are_right_wrong_or_tied(void **state)
{
    static const double score[N_DOCS] = { 3, 1, 1, 0, 2, 5 };
    static const peck_pref right = { 0, 0, 1, 1, 1 }, wrong = { 1, 4, 5, 1, 1 },
                           tied = { 0, 1, 2, 1, 1 }, backwards = { 1, 4, 5, 0.25f, 1 },
                           open = { 0, 0, 3, 0.5f, 8 };

    (void)state;
    assert_share(right_share(score, &right, 1), 1.0);
    assert_share(right_share(score, &wrong, 1), 0.0);
    assert_share(right_share(score, &tied, 1), 0.5);
    assert_share(right_share(score, &backwards, 1), 1.0);
    assert_true(isnan(right_share(score, &open, 1))); /* nothing can be judged */
    const peck_pref all[] = { right, wrong, tied, backwards, open };

    assert_share(right_share(score, all, N_OF(all)), 2.5 / 4.0);
}

static void preferences_count_by_their_weight(void **state)
{
    static const double score[N_DOCS] = { 3, 1, 1, 0, 2, 5 };
    static const peck_pref pref[] = { { 0, 0, 1, 1, 4 },
                                      { 1, 4, 5, 0.75f, 3 },
                                      { 0, 2, 1, 0, 2 },
                                      { 0, 3, 0, 0.125f, 0.5f } };

    (void)state;
    assert_share(right_share(score, pref, N_OF(pref)), (4.0 + 0.5 * 2.0 + 0.5) / 9.5);
}

/* More than are looked at in one go. */
static void every_preference_is_looked_at_once(void **state)
{
    enum { MANY = 700 };
    static const double score[N_DOCS] = { 3, 1, 1, 0, 2, 5 };
    static peck_pref pref[MANY];

    (void)state;
    for (size_t k = 0; k < MANY; k++)
        pref[k] = k < 650 ? (peck_pref){ 0, 0, 1, 1, 1 } : (peck_pref){ 1, 4, 5, 1, 1 };
    assert_share(right_share(score, pref, MANY), 650.0 / MANY);
}

/* Labels 2 0 1 0 and 1 0: the second query is upside down. */
static void labels_are_judged_by_the_metric(void **state)
{
    static const double score[N_DOCS] = { 3, 1, 2, 0, 2, 5 };
    peck_error err = { 0 };
    double value;

    (void)state;
    assert_ok(value_of(score, NULL, 0, "p@1", &value, &err), err);
    assert_share(value, 0.5);
    assert_ok(value_of(score, NULL, 0, "mrr", &value, &err), err);
    assert_share(value, 0.75);
    assert_ok(value_of(score, NULL, 0, "pairerr", &value, &err), err);
    assert_true(value < 0.0); /* an error: the more the worse */
}

/* Documents may lie in another order than the data's; preferences name the data's rows. */
/* Of each query, and in all: the same numbers as without. */
static void each_query_has_a_value_of_its_own(void **state)
{
    static const peck_pref pref[] = { { 0, 0, 1, 1.0f, 1.0f }, { 0, 2, 3, 1.0f, 3.0f } };
    struct peck_dataset *const d = small_data();
    struct peck_prefs *const teach = prefs_of_labels(d, 1), *const ask = prefs_new();
    peck_error err = { 0 };

    (void)state;
    for (size_t k = 0; k < N_OF(pref); k++)
        assert_true(prefs_add(ask, pref[k]));
    for (int by_prefs = 0; by_prefs < 2; by_prefs++) {
        struct train_setup c;
        struct validator v;
        double all, again, of_query[2];

        if (by_prefs)
            train_setup_open_prefs(&c, "ranknet", NULL, d, teach, d, ask, 1);
        else
            train_setup_open(&c, "ranknet", NULL, d, d, "ndcg@10", 1);
        assert_ok(validator_open(&v, &c.task, NULL, &err), err);
        for (size_t i = 0; i < c.plan.n_weights; i++)
            c.w[i] = (float)(i % 7) - 2.9f;
        assert_ok(validator_value(&v, c.w, &all, &err), err);
        assert_ok(validator_query_values(&v, c.w, &again, of_query, &err), err);
        assert_share(again, all);
        if (by_prefs) {
            assert_share(of_query[0], all);
            assert_true(isnan(of_query[1]));
        } else
            assert_share((of_query[0] + of_query[1]) / 2.0, all);
        validator_close(&v);
        train_setup_close(&c);
    }
    peck_prefs_free(teach);
    peck_prefs_free(ask);
    peck_dataset_free(d);
}

static void preferences_find_their_documents_where_they_lie(void **state)
{
    static const uint32_t place[N_DOCS] = { 2, 0, 3, 1, 1, 0 };
    static const double score[N_DOCS] = { 1, 0, 3, 2, 0, 9 }; /* where they lie */
    static const peck_pref right = { 0, 0, 3, 1, 1 }, wrong = { 0, 1, 2, 1, 1 },
                           other = { 1, 4, 5, 1, 1 };
    struct peck_dataset *const d = small_data();
    struct peck_prefs *const prefs = prefs_new();
    struct train_setup c;
    struct validator validator;
    double value;
    peck_error err = { 0 };

    (void)state;
    assert_true(prefs_add(prefs, right) && prefs_add(prefs, right) &&
                prefs_add(prefs, wrong) && prefs_add(prefs, other));
    train_setup_open_prefs(&c, "ranknet", NULL, d, prefs, d, prefs, 1);
    const struct validator_spec how = { .validation = &c.train_data.validation,
                                        .docs = train_data_valid_docs(&c.train_data),
                                        .place = place };

    assert_ok(validator_open(&validator, &c.task, &how, &err), err);
    validator.spec.given = score;
    assert_ok(validator_value(&validator, c.w, &value, &err), err);
    assert_share(value, 3.0 / 4.0);
    validator_close(&validator);
    train_setup_close(&c);
    peck_prefs_free(prefs);
    peck_dataset_free(d);
}

static void scores_that_are_no_numbers_are_refused(void **state)
{
    static const double score[N_DOCS] = { 3, 1, (double)NAN, 0, 2, 5 };
    static const peck_pref near = { 0, 2, 1, 1, 1 }, far = { 1, 4, 5, 1, 1 };
    peck_error err = { 0 };
    double value;

    (void)state;
    assert_int_equal(value_of(score, NULL, 0, "ndcg", &value, &err), PECK_DIVERGED);
    assert_failed(err, PECK_DIVERGED, "try a smaller rate");
    assert_int_equal(value_of(score, &near, 1, NULL, &value, &err), PECK_DIVERGED);
    assert_failed(err, PECK_DIVERGED, "training diverged");
    assert_ok(value_of(score, &far, 1, NULL, &value, &err), err);
}

/* A net that compares and has run away: what sorts the validation data says so. */
static void comparisons_that_are_no_numbers_are_refused(void **state)
{
    struct peck_dataset *const d = small_data();
    struct train_setup c;
    struct validator validator;
    peck_error err = { 0 };
    double value;

    (void)state;
    train_setup_open(&c, "cmpnn", NULL, d, d, "ndcg", 1);
    assert_ok(validator_open(&validator, &c.task, NULL, &err), err);
    for (size_t i = 0; i < c.plan.n_weights; i++)
        c.w[i] = NAN;
    assert_int_equal(validator_value(&validator, c.w, &value, &err), PECK_DIVERGED);
    assert_failed(err, PECK_DIVERGED, "training diverged");
    validator_close(&validator);
    train_setup_close(&c);
    peck_dataset_free(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(preferences_are_right_wrong_or_tied),
        cmocka_unit_test(preferences_count_by_their_weight),
        cmocka_unit_test(every_preference_is_looked_at_once),
        cmocka_unit_test(preferences_find_their_documents_where_they_lie),
        cmocka_unit_test(each_query_has_a_value_of_its_own),
        cmocka_unit_test(labels_are_judged_by_the_metric),
        cmocka_unit_test(scores_that_are_no_numbers_are_refused),
        cmocka_unit_test(comparisons_that_are_no_numbers_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
