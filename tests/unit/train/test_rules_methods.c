/* test_rules_methods.c -- rules for comparators and trees, from the outside. */
#include "base/pool.h"
#include "model/model.h"
#include "support/check.h"
#include "support/scratch.h"
#include "support/tasks.h"
#include "support/train_setup.h"

#include <stdlib.h>

#define SETTINGS(...)     \
    (const char *const[]) \
    {                     \
        __VA_ARGS__, NULL \
    }

static const char *const methods[] = { "cmpnn", "tesauro", "sortnet", "mart",
                                       "lambdamart" };

/* Topics that the labels say little of. */
struct topic_data {
    peck_dataset *train, *more, *test;
    peck_rules *rules;
};

static struct topic_data topic_data_new(void)
{
    static const char text[] =
        "sport: forall q | q.topic_sport > 0 : exists d : top(1, d) and d.topic_sport > 0\n"
        "food: forall q | q.topic_food > 0 : exists d : top(1, d) and d.topic_food > 0\n";
    struct topic_data t = { .train = topic_task("queries=6", 1),
                            .more = topic_task("queries=200", 2),
                            .test = topic_task("queries=200", 3) };
    peck_error err = { 0 };

    assert_ok(peck_rules_read(&t.rules, scratch_file("two.rules", text), &err), err);
    return t;
}

static void topic_data_free(struct topic_data *t)
{
    peck_rules_free(t->rules);
    peck_dataset_free(t->train);
    peck_dataset_free(t->more);
    peck_dataset_free(t->test);
}

static peck_model *must_train(const struct topic_data *t, const char *method,
                              const peck_rules *rules, int threads)
{
    const peck_train_spec spec = { .train = t->train,
                                   .unlabelled = rules != NULL ? t->more : NULL,
                                   .rules = rules,
                                   .rules_weight = 10.0,
                                   .valid_split = -1,
                                   .seed = 1,
                                   .threads = threads };
    peck_model *m = NULL;
    peck_error err = { 0 };

    assert_ok(train_method(
                  &m, method, spec,
                  SETTINGS("epochs=20", "max_iter=3", "rules_batch=16", "trees=150"), &err),
              err);
    return m;
}

/* The share of queries that break a rule. */
static double broken(const peck_model *m, const peck_rules *r, const peck_dataset *d)
{
    double *const score = calloc(d->n_docs, sizeof *score);
    peck_report *report = NULL;
    peck_error err = { 0 };

    assert_ok(peck_model_score(m, d, 1, score, &err), err);
    assert_ok(peck_rules_evaluate(&report, r, d, score, &err), err);
    const double share = peck_report_value(report, "broken_share");

    peck_report_free(report);
    free(score);
    return share;
}

/* On queries that nobody has seen, with rules that nobody else teaches. */
static void rules_are_kept_more_often_when_they_are_learnt(void **state)
{
    struct topic_data t = topic_data_new();

    (void)state;
    for (size_t i = 0; i < N_OF(methods); i++) {
        peck_model *const without = must_train(&t, methods[i], NULL, 1);
        peck_model *const with = must_train(&t, methods[i], t.rules, 1);
        const double before = broken(without, t.rules, t.test);
        const double after = broken(with, t.rules, t.test);

        if (!(after < 0.65 * before))
            fail_msg("%s: %g of the queries broke a rule, now %g", methods[i], before,
                     after);
        peck_model_free(with);
        peck_model_free(without);
    }
    topic_data_free(&t);
}

static void the_same_bytes_on_any_number_of_threads(void **state)
{
    struct topic_data t = topic_data_new();

    (void)state;
    for (size_t i = 0; i < N_OF(methods); i++) {
        peck_model *const one = must_train(&t, methods[i], t.rules, 1);
        peck_model *const three = must_train(&t, methods[i], t.rules, 3);

        assert_int_equal(one->n_weights, three->n_weights);
        if (memcmp(one->w, three->w, one->n_weights * sizeof *one->w) != 0)
            fail_msg("%s: other weights on three threads", methods[i]);
        peck_model_free(one);
        peck_model_free(three);
    }
    topic_data_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rules_are_kept_more_often_when_they_are_learnt),
        cmocka_unit_test(the_same_bytes_on_any_number_of_threads),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
