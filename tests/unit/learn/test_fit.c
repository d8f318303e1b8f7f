/* test_fit.c -- which epoch is kept, and when it stops; with a learner whose weights are
 * known beforehand.                                                                  */
#include "learn/fit.h"

#include "support/check.h"
#include "support/train_setup.h"
#include "support/tasks.h"

#include <math.h>
#include <stdio.h>

/* The one weight after each epoch: documents are scored weight * x, so that the order is
 * right, open or wrong as the weight is positive, 0 or negative. */
enum { N_EPOCHS = 8 };
static const float script[N_EPOCHS] = { -1, 0, -1, 1, 2, -1, -1, -1 };
static size_t patience;

struct actor {
    const struct task *task;
    uint64_t n_played;
};

static peck_status open_actor(void *self, const struct task *task,
                              struct stopping *stopping, peck_error *err)
{
    (void)err;
    *(struct actor *)self = (struct actor){ .task = task };
    *stopping = (struct stopping){ .n_epochs = N_EPOCHS, .patience = patience };
    return PECK_OK;
}

static peck_status play(void *self, size_t epoch, struct epoch_stats *stats,
                        peck_error *err)
{
    struct actor *const a = self;

    (void)err;
    a->n_played++;
    a->task->w[0] = script[epoch - 1];
    *stats = (struct epoch_stats){ .loss = (double)epoch, .rate = 0.5 };
    return PECK_OK;
}

static size_t keep_actor(void *self, struct kept *kept)
{
    kept[0] = (struct kept){ "played", TENSOR_U64, &((struct actor *)self)->n_played, 1 };
    return 1;
}

static const struct learner actor = {
    .self_size = sizeof(struct actor),
    .open = open_actor,
    .epoch = play,
    .keep = keep_actor,
};

/* A linear model of one feature, that the actor teaches. */
struct stage {
    struct train_setup setup;
    struct recipe recipe;
    struct peck_dataset *train, *valid;
    struct fit fit;
};

static void set_stage(struct stage *s, bool has_validation, const char *metric)
{
    static const uint32_t size[] = { 3, 3 };
    static const float label[] = { 2, 1, 0, 0, 1, 2 };
    const float x[] = { 3, 2, 1, 1, 2, 3 };
    const char *const settings[] = { "norm=none", NULL };
    peck_error err = { 0 };

    s->train = task_of(size, 2, 1, label, 1);
    s->valid = task_of(size, 2, 1, label, 1);
    memcpy(s->valid->x_owned, x, sizeof x);
    train_setup_open(&s->setup, "ridge", settings, s->train,
                     has_validation ? s->valid : NULL, metric, 1);
    s->recipe = *s->setup.plan.recipe;
    s->recipe.learner = &actor;
    s->setup.plan.recipe = &s->recipe;
    assert_ok(fit_open(&s->fit, &s->setup.task, &err), err);
}

static void clear_stage(struct stage *s)
{
    fit_close(&s->fit);
    train_setup_close(&s->setup);
    peck_dataset_free(s->train);
    peck_dataset_free(s->valid);
}

/* Notes the epochs it hears of; stops at the one it is told. */
struct listener {
    size_t n, stop_at;
    bool was_best[N_EPOCHS];
};

static bool listen(void *ctx, const struct fit *f, bool is_best)
{
    struct listener *const l = ctx;

    l->was_best[l->n++] = is_best;
    assert_int_equal(f->reached[REACHED_EPOCH], l->n);
    return l->n == l->stop_at;
}

static void the_first_of_the_best_epochs_is_kept(void **state)
{
    const bool wanted[N_EPOCHS] = { true, true, false, true };
    struct listener heard = { 0 };
    struct stage s;

    (void)state;
    patience = 0;
    set_stage(&s, true, NULL);
    assert_int_equal(fit_run(&s.fit, listen, &heard, NULL), PECK_OK);
    assert_int_equal(heard.n, N_EPOCHS);
    assert_memory_equal(heard.was_best, wanted, sizeof wanted);
    assert_int_equal(s.fit.reached[REACHED_BEST], 4);
    assert_true(s.fit.best[0] == 1.0f && s.fit.w[0] == -1.0f);
    assert_true(s.fit.history[3].valid == 1.0 && s.fit.history[3].loss == 4.0);
    clear_stage(&s);
}

static void an_error_is_better_when_smaller(void **state)
{
    struct listener heard = { 0 };
    struct stage s;

    (void)state;
    patience = 0;
    set_stage(&s, true, "pairerr");
    assert_int_equal(fit_run(&s.fit, listen, &heard, NULL), PECK_OK);
    assert_int_equal(s.fit.reached[REACHED_BEST], 4);
    clear_stage(&s);
}

static void without_validation_the_last_epoch_is_kept(void **state)
{
    struct listener heard = { 0 };
    struct stage s;

    (void)state;
    patience = 2;
    set_stage(&s, false, NULL);
    assert_int_equal(fit_run(&s.fit, listen, &heard, NULL), PECK_OK);
    assert_int_equal(heard.n, N_EPOCHS);
    assert_int_equal(s.fit.reached[REACHED_BEST], N_EPOCHS);
    assert_true(isnan(s.fit.history[0].valid));
    clear_stage(&s);
}

static void patience_ends_it(void **state)
{
    struct listener heard = { 0 };
    struct stage s;

    (void)state;
    patience = 3;
    set_stage(&s, true, NULL);
    assert_int_equal(fit_run(&s.fit, listen, &heard, NULL), PECK_OK);
    assert_int_equal(heard.n, 7);
    assert_int_equal(s.fit.reached[REACHED_BEST], 4);
    clear_stage(&s);
}

static void a_listener_can_stop_it(void **state)
{
    struct listener heard = { .stop_at = 2 };
    struct stage s;

    (void)state;
    patience = 0;
    set_stage(&s, true, NULL);
    assert_int_equal(fit_run(&s.fit, listen, &heard, NULL), PECK_STOPPED);
    assert_int_equal(heard.n, 2);
    assert_int_equal(s.fit.reached[REACHED_END], 0);
    assert_true(s.fit.best[0] == 0.0f);
    clear_stage(&s);
}

static void what_is_kept_is_all_it_needs_to_go_on(void **state)
{
    struct listener heard = { .stop_at = 5 };
    struct kept from[FIT_KEPT], to[FIT_KEPT];
    struct stage a, b;

    (void)state;
    patience = 3;
    set_stage(&a, true, NULL);
    set_stage(&b, true, NULL);
    assert_int_equal(fit_run(&a.fit, listen, &heard, NULL), PECK_STOPPED);
    const size_t n = fit_keep(&a.fit, from);

    assert_int_equal(fit_keep(&b.fit, to), n);
    for (size_t i = 0; i < n; i++)
        memcpy(to[i].data, from[i].data, from[i].n * tensor_type_size(from[i].type));
    heard.stop_at = 0;
    assert_int_equal(fit_run(&b.fit, listen, &heard, NULL), PECK_OK);
    assert_int_equal(heard.n, 7); /* five before, two after */
    assert_int_equal(((struct actor *)b.fit.self)->n_played, 7);
    assert_int_equal(b.fit.reached[REACHED_BEST], 4);
    assert_true(b.fit.best[0] == 1.0f);
    clear_stage(&a);
    clear_stage(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_of_the_best_epochs_is_kept),
        cmocka_unit_test(an_error_is_better_when_smaller),
        cmocka_unit_test(without_validation_the_last_epoch_is_kept),
        cmocka_unit_test(patience_ends_it),
        cmocka_unit_test(a_listener_can_stop_it),
        cmocka_unit_test(what_is_kept_is_all_it_needs_to_go_on),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
