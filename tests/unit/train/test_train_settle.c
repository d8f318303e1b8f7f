/* test_train_settle.c -- trainings that end where RankNet's paper ends them. */
#include "support/check.h"
#include "support/tasks.h"

#define SETTINGS(...) ((const char *const[]){ __VA_ARGS__, NULL })

static const struct task_sample sample = {
    .n_queries = 30, .max_docs = 10, .dim = 4, .noise = 0.2
};

/* With next to no rate nothing moves. */
#define UNMOVED SETTINGS("epochs=50", "rate=1e-30", "decay=0", "settle=4")

static int count_epoch(void *ctx, const peck_epoch *e)
{
    (void)e;
    ++*(size_t *)ctx;
    return 0;
}

/* Epochs of a training on data that a net learns without a mistake, with rules or without. */
static size_t epochs_of(const char *const *settings, const struct task_sample *of,
                        const peck_rules *rules)
{
    struct peck_dataset *const d = task_dataset(of, 1);
    size_t n_epochs = 0;

    peck_model_free(task_train((peck_train_spec){ .method = "ranknet",
                                                  .settings = settings,
                                                  .train = d,
                                                  .rules = rules,
                                                  .rules_weight = 1.0,
                                                  .valid_split = -1,
                                                  .progress = count_epoch,
                                                  .ctx = &n_epochs }));
    peck_dataset_free(d);
    return n_epochs;
}

/* RankNet's paper stops at zero training error, and where the error stays as it is. */
static void training_ends_when_it_has_settled(void **state)
{
    const struct task_sample few = { .n_queries = 3, .max_docs = 4, .dim = 6 };

    (void)state;
    /* As many wrong pairs for 3,000 epochs cannot be: it is that there are none. */
    const size_t to_zero =
        epochs_of(SETTINGS("preset=paper", "epochs=3000", "settle=3000"), &few, NULL);

    assert_true(to_zero < 3000);
    assert_int_equal(
        epochs_of(SETTINGS("preset=paper", "epochs=3000", "settle=0"), &few, NULL), 3000);
    /* The first epoch and four like it. */
    assert_int_equal(epochs_of(UNMOVED, &sample, NULL), 5);
    assert_int_equal(
        epochs_of(SETTINGS("epochs=50", "rate=1e-30", "decay=0"), &sample, NULL), 50);
}

/* That the labels are in order, or stay out of it, says nothing of the rules. */
static void beside_rules_all_epochs_are_run(void **state)
{
    static const char text[] = "first: forall d : top(1, d) implies d.f1 > 0\n";
    peck_rules *rules = NULL;
    peck_error err;

    (void)state;
    assert_ok(peck_rules_parse(&rules, text, &err), err);
    assert_int_equal(epochs_of(UNMOVED, &sample, rules), 50);
    peck_rules_free(rules);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(training_ends_when_it_has_settled),
        cmocka_unit_test(beside_rules_all_epochs_are_run),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
