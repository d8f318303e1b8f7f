/* test_train_batch.c -- batch and rate that grow with the data, from the settings to the
 * model. */
#include "model/model.h"
#include "support/check.h"
#include "support/scratch.h"
#include "support/tasks.h"

#define SETTINGS(...)     \
    (const char *const[]) \
    {                     \
        __VA_ARGS__, NULL \
    }

/* Some 157,000 documents: 2.6 times what keeps the tuned batch of 4, and 10 queries a step
 * leave 150 steps. */
static const struct task_sample large = { .n_queries = 1500, .max_docs = 140, .dim = 3 };
static const struct task_sample small = { .n_queries = 150, .max_docs = 140, .dim = 3 };
#define GROWN "batch=10 rules_batch=0 rate=0.00398 "

static struct peck_dataset *data;

static int make_data(void **state)
{
    (void)state;
    data = task_dataset(&large, 1);
    return data == NULL;
}

static int free_data(void **state)
{
    (void)state;
    peck_dataset_free(data);
    return 0;
}

static peck_train_spec spec_of(const char *method, const char *const *settings)
{
    return (peck_train_spec){
        .method = method, .settings = settings, .train = data, .valid_split = -1
    };
}

static const char *settings_of(const peck_model *m)
{
    static char text[4096];
    const peck_span said = notes_get(&m->notes, "settings");

    snprintf(text, sizeof text, "%.*s", (int)said.n, said.s);
    return text;
}

static void assert_settings(const peck_model *m, const char *wanted)
{
    if (strstr(settings_of(m), wanted) == NULL)
        fail_msg("\"%s\" is not in \"%s\"", wanted, settings_of(m));
}

static void assert_same_weights(const peck_model *a, const peck_model *b)
{
    assert_int_equal(a->n_members, b->n_members);
    assert_int_equal(a->n_weights, b->n_weights);
    assert_memory_equal(a->w, b->w, a->n_members * a->n_weights * sizeof *a->w);
}

/* What a model says it was trained with can be given, and gives it again. */
static void a_grown_batch_is_shown_as_it_is_used(void **state)
{
    peck_model *const m = task_train(spec_of("ranknet", SETTINGS("hidden=0", "epochs=1")));
    peck_model *const told =
        task_train(spec_of("ranknet", SETTINGS("hidden=0", "epochs=1", "batch=10",
                                               "rate=0.00398", "decay=0.23858")));
    peck_model *const few =
        task_train(spec_of("ranknet", SETTINGS("hidden=0", "epochs=1", "batch=4")));

    (void)state;
    assert_settings(m, GROWN);
    assert_settings(told, GROWN);
    assert_settings(m, " decay=0.23858 ");
    assert_same_weights(m, told);
    assert_true(memcmp(m->w, few->w, m->n_weights * sizeof *m->w) != 0);
    peck_model_free(m);
    peck_model_free(told);
    peck_model_free(few);
}

/* Whoever gives a batch or a rate has tuned them to each other. */
static void who_gives_a_batch_or_a_rate_gets_it(void **state)
{
    static const struct {
        const char *method, *given, *settings;
    } wanted[] = {
        { "ranknet", "batch=7", "batch=7 rules_batch=0 rate=0.002 " },
        { "ranknet", "rate=0.004", "batch=4 rules_batch=0 rate=0.004 " },
        { "ranknet", "preset=paper", "batch=1 rules_batch=0 rate=0.001 " },
        { "ranknet", "optimiser=sgd", "batch=4 rules_batch=0 rate=0.002 " },
        { "ranknet", "batch=auto", GROWN },
        { "ranknet", "rate=auto", GROWN },
        { "ranknet", "decay=auto", GROWN },
        { "ranknet", "decay=0.3", GROWN },
        { "ranknet", "decay=0.3", " decay=0.3 " },
        { "listnet", "batch=auto", "batch=16 rules_batch=0 rate=0.002 " },
        { "rankprop", "batch=auto", "batch=10 rules_batch=0 rate=0.00236 " },
        { "sortnet", "max_iter=1", "batch=10 rules_batch=0 rate=0.01988 " },
        { "tesauro", "size=small", "batch=10 rules_batch=0 rate=0.01988 " },
        { "tesauro", "size=tower", "batch=10 rules_batch=0 rate=0.00994 " },
    };

    (void)state;
    for (size_t i = 0; i < N_OF(wanted); i++) {
        const bool compares = strcmp(wanted[i].method, "tesauro") == 0 ||
                              strcmp(wanted[i].method, "sortnet") == 0;
        peck_model *const m = task_train(
            spec_of(wanted[i].method, SETTINGS(wanted[i].given, "epochs=1",
                                               compares ? "hidden=2" : "hidden=0")));

        assert_settings(m, wanted[i].settings);
        peck_model_free(m);
    }
}

static void a_small_set_stays_as_it_is(void **state)
{
    struct peck_dataset *const d = task_dataset(&small, 1);
    peck_train_spec spec = spec_of("ranknet", SETTINGS("hidden=0", "epochs=2"));

    (void)state;
    spec.train = d;
    peck_model *const m = task_train(spec);

    assert_settings(m, "batch=4 rules_batch=0 rate=0.002 ");
    spec.settings = SETTINGS("hidden=0", "epochs=2", "batch=4", "rate=0.002");
    peck_model *const told = task_train(spec);

    assert_settings(m, " decay=0.3 ");
    assert_same_weights(m, told);
    peck_model_free(m);
    peck_model_free(told);
    peck_dataset_free(d);
}

static void threads_and_members_do_not_change_it(void **state)
{
    peck_train_spec spec = spec_of("ranknet", SETTINGS("hidden=24", "epochs=1"));

    (void)state;
    spec.ensemble = 2;
    spec.threads = 1;
    peck_model *const one = task_train(spec);

    spec.threads = 2;
    peck_model *const two = task_train(spec);

    assert_settings(one, GROWN);
    assert_same_weights(one, two);
    spec.ensemble = 1;
    spec.threads = 3;
    peck_model *const first = task_train(spec);

    assert_settings(first, GROWN);
    assert_memory_equal(first->w, one->w, one->n_weights * sizeof *one->w);
    peck_model_free(one);
    peck_model_free(two);
    peck_model_free(first);
}

static int stop_after_first(void *ctx, const peck_epoch *e)
{
    (void)ctx;
    return e->epoch >= 1;
}

static void a_run_goes_on_with_the_same_batch(void **state)
{
    peck_train_spec spec = spec_of("ranknet", SETTINGS("hidden=0", "epochs=3"));
    peck_model *const whole = task_train(spec);
    peck_model *half = NULL;
    peck_error err = { 0 };

    (void)state;
    spec.checkpoint = scratch_path("batch.check");
    spec.progress = stop_after_first;
    assert_int_equal(peck_train(&half, &spec, &err), PECK_STOPPED);
    peck_model_free(half);
    spec.progress = NULL;
    spec.resume = 1;
    spec.settings = SETTINGS("hidden=0", "epochs=3", "batch=4");
    assert_train_refused(spec, PECK_ARG, "a checkpoint of another training");
    spec.settings = SETTINGS("hidden=0", "epochs=3");
    peck_model *const rest = task_train(spec);

    assert_settings(rest, GROWN);
    assert_same_weights(rest, whole);
    peck_model_free(whole);
    peck_model_free(rest);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_grown_batch_is_shown_as_it_is_used),
        cmocka_unit_test(who_gives_a_batch_or_a_rate_gets_it),
        cmocka_unit_test(a_small_set_stays_as_it_is),
        cmocka_unit_test(threads_and_members_do_not_change_it),
        cmocka_unit_test(a_run_goes_on_with_the_same_batch),
    };

    return cmocka_run_group_tests(tests, make_data, free_data);
}
