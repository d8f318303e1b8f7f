/* test_train_size.c -- the size that the validation data chooses. */
#include "model/model.h"
#include "support/check.h"
#include "support/scratch.h"
#include "support/tasks.h"

#include <math.h>

#define SETTINGS(...)     \
    (const char *const[]) \
    {                     \
        __VA_ARGS__, NULL \
    }
enum { MOST = 8, MOST_EPOCHS = 16, ROOM = 4096 };

/* Some 23,000 documents: enough to choose by.  */
static const struct task_sample many = {
    .n_queries = 500, .max_docs = 60, .dim = 3, .noise = 0.2
};
static const struct task_sample other = {
    .n_queries = 40, .max_docs = 60, .dim = 3, .noise = 0.2
};

/* What the trials told. */
struct heard {
    size_t n;
    char size[MOST][32];
    double valid[MOST];
    bool is_best[MOST], is_in_full[MOST];
    peck_epoch epoch[MOST_EPOCHS]; /* that the training told of */
    size_t n_epochs;
    size_t stop_after; /* so many sizes; 0: never */
};

static void hear_size(void *ctx, const peck_size_trial *t)
{
    struct heard *const h = ctx;

    assert_true(h->n < MOST);
    snprintf(h->size[h->n], sizeof h->size[0], "%s", t->size);
    h->valid[h->n] = t->valid;
    h->is_in_full[h->n] = t->in_full != 0;
    h->is_best[h->n++] = t->is_best != 0;
}

static int hear_epoch(void *ctx, const peck_epoch *e)
{
    struct heard *const h = ctx;

    assert_true(h->n_epochs < MOST_EPOCHS);
    h->epoch[h->n_epochs++] = *e;
    return 0;
}

static void assert_same_epochs(const struct heard *h, const struct heard *wanted)
{
    assert_int_equal(h->n_epochs, wanted->n_epochs);
    for (size_t i = 0; i < h->n_epochs; i++) {
        const peck_epoch *const a = &h->epoch[i], *const b = &wanted->epoch[i];

        assert_int_equal(a->epoch, i + 1);
        assert_int_equal(a->n_epochs, b->n_epochs);
        assert_true(a->loss == b->loss && a->rate == b->rate && a->valid == b->valid);
        assert_int_equal(a->is_best, b->is_best);
    }
}

static int is_enough(void *ctx)
{
    const struct heard *const h = ctx;

    return h->stop_after > 0 && h->n >= h->stop_after;
}

static peck_model *train(struct heard *heard, const struct peck_dataset *d,
                         const struct peck_dataset *valid, int threads,
                         const char *const *settings)
{
    peck_model *m = NULL;
    peck_error err = { 0 };

    *heard = (struct heard){ 0 };
    assert_ok(peck_train(&m,
                         &(peck_train_spec){ .method = "lambdamart",
                                             .settings = settings,
                                             .train = d,
                                             .valid = valid,
                                             .valid_split = valid == NULL ? -1 : 0,
                                             .threads = threads,
                                             .tried = hear_size,
                                             .ctx = heard },
                         &err),
              err);
    return m;
}

static const char *note(const peck_model *m, const char *key)
{
    static char text[ROOM];
    const peck_span found = notes_get(&m->notes, key);

    snprintf(text, sizeof text, "%.*s", (int)found.n, found.s);
    return text;
}

static void the_best_trial_is_trained_in_full(void **state)
{
    struct peck_dataset *const d = task_dataset(&many, 1), *const v =
                                                               task_dataset(&other, 2);
    struct heard heard, again;
    peck_model *const m = train(&heard, d, v, 1, SETTINGS("trees=12"));
    size_t best = 0;

    (void)state;
    assert_true(d->n_docs >= 20000);
    assert_int_equal(heard.n, 2); /* trees outgrow "small" */
    assert_string_equal(heard.size[0], "deep");
    assert_string_equal(heard.size[1], "deep-query");
    for (size_t i = 1; i < heard.n; i++)
        best = heard.valid[i] > heard.valid[best] ? i : best;
    for (size_t i = best + 1; i < heard.n; i++)
        assert_false(heard.is_best[i]);
    assert_true(heard.is_best[best]);
    assert_non_null(strstr(note(m, "sizes"), "deep 0."));
    assert_non_null(strstr(note(m, "settings"), "leaves=31"));
    assert_non_null(strstr(note(m, "settings"), "trees=12"));
    assert_non_null(strstr(note(m, "settings"), best == 0 ? "norm=none " : "rate=0.1 "));
    /* The same bytes at any thread count. */
    peck_model *const twin = train(&again, d, v, 3, SETTINGS("trees=12"));
    peck_error err = { 0 };

    assert_memory_equal(again.valid, heard.valid, sizeof heard.valid);
    assert_ok(peck_model_save(m, scratch_path("a.peck"), &err), err);
    assert_ok(peck_model_save(twin, scratch_path("b.peck"), &err), err);
    assert_true(files_equal(scratch_path("a.peck"), scratch_path("b.peck")));
    peck_model_free(m);
    peck_model_free(twin);
    peck_dataset_free(d);
    peck_dataset_free(v);
}

/* Trees are tried on half of the queries, with a sixteenth of the trees at twice the rate;
 * nets on all of them, "small" first. */
static void a_trial_is_a_training_in_small(void **state)
{
    struct peck_dataset *const d = task_dataset(&many, 1), *const v =
                                                               task_dataset(&other, 2);
    struct peck_dataset *rest, *half;
    struct heard heard, none;
    peck_error err = { 0 };
    peck_model *m = train(&heard, d, v, 1, SETTINGS("trees=32"));
    char best[32];

    (void)state;
    peck_model_free(m);
    assert_ok(peck_dataset_holdout(&rest, &half, d, 0.5, 0, &err), err);
    m = train(&none, half, v, 1, SETTINGS("size=deep", "trees=2", "rate=0.3"));
    snprintf(best, sizeof best, "%.6g", heard.valid[0]);
    if (strstr(note(m, "history"), best) == NULL)
        fail_msg("the trial had %s, its twin %s", best, note(m, "history"));
    peck_model_free(m);
    heard = (struct heard){ 0 };
    assert_ok(peck_train(&m,
                         &(peck_train_spec){ .method = "ranknet",
                                             .settings = SETTINGS("epochs=8", "hidden=2"),
                                             .train = d,
                                             .valid = v,
                                             .tried = hear_size,
                                             .ctx = &heard },
                         &err),
              err);
    assert_true(heard.n >= 4);
    assert_string_equal(heard.size[0], "small");
    peck_model_free(m);
    /* An eighth of the epochs would be one: five at least. */
    assert_ok(peck_train(&m,
                         &(peck_train_spec){
                             .method = "ranknet",
                             .settings = SETTINGS("epochs=5", "hidden=2", "size=small"),
                             .train = d,
                             .valid = v },
                         &err),
              err);
    snprintf(best, sizeof best, "%.6g", heard.valid[0]);
    if (strstr(note(m, "history"), best) == NULL)
        fail_msg("the trial had %s, its twin %s", best, note(m, "history"));
    peck_model_free(m);
    peck_dataset_free(rest);
    peck_dataset_free(half);
    peck_dataset_free(d);
    peck_dataset_free(v);
}

/* The model of a net, of which all is heard. */
static peck_model *train_net(struct heard *heard, const struct peck_dataset *d,
                             const struct peck_dataset *valid, size_t ensemble,
                             const char *const *settings, peck_status wanted)
{
    peck_model *m = NULL;
    peck_error err = { 0 };

    assert_int_equal(peck_train(&m,
                                &(peck_train_spec){ .method = "ranknet",
                                                    .settings = settings,
                                                    .train = d,
                                                    .valid = valid,
                                                    .ensemble = ensemble,
                                                    .threads = 2,
                                                    .tried = hear_size,
                                                    .progress = hear_epoch,
                                                    .interrupted = is_enough,
                                                    .ctx = heard },
                                &err),
                     wanted);
    return m;
}

/* On little data the two best of the trials are trained in full.  The better one is the model
 * that its size has when it is named, and its epochs are told once. */
static void the_two_best_nets_are_trained_in_full(void **state)
{
    struct peck_dataset *const d = task_dataset(&many, 1), *const v =
                                                               task_dataset(&other, 2);
    struct heard heard = { 0 }, alone = { 0 }, members = { 0 };
    peck_model *const m =
        train_net(&heard, d, v, 1, SETTINGS("epochs=8", "hidden=2"), PECK_OK);
    char size[64];
    size_t first = 0, second;

    (void)state;
    assert_int_equal(heard.n, 6);
    for (size_t i = 0; i < heard.n; i++) {
        assert_int_equal(heard.is_in_full[i], i >= 4);
        first = i < 4 && heard.valid[i] > heard.valid[first] ? i : first;
    }
    second = first == 0 ? 1 : 0;
    for (size_t i = 0; i < 4; i++)
        second = i != first && heard.valid[i] > heard.valid[second] ? i : second;
    assert_string_equal(heard.size[4], heard.size[first]);
    assert_string_equal(heard.size[5], heard.size[second]);
    assert_true(heard.is_best[4]);
    assert_int_equal(heard.is_best[5], heard.valid[5] > heard.valid[4]);
    assert_non_null(strstr(note(m, "sizes"), "; in full: "));

    snprintf(size, sizeof size, "size=%s", heard.size[heard.is_best[5] ? 5 : 4]);
    peck_model *const twin =
        train_net(&alone, d, v, 1, SETTINGS("epochs=8", "hidden=2", size), PECK_OK);

    assert_int_equal(alone.n, 0);
    assert_int_equal(m->n_weights, twin->n_weights);
    assert_memory_equal(m->w, twin->w, twin->n_weights * sizeof *twin->w);
    assert_int_equal(heard.n_epochs, 8);
    assert_same_epochs(&heard, &alone);

    /* The members of an ensemble are trained when the size is known. */
    peck_model *const ensemble =
        train_net(&members, d, v, 2, SETTINGS("epochs=8", "hidden=2"), PECK_OK);

    assert_int_equal(members.n, 6);
    assert_int_equal(members.n_epochs, 16);
    assert_int_equal(ensemble->n_members, 2);
    assert_memory_equal(ensemble->w, m->w, m->n_weights * sizeof *m->w);
    peck_model_free(m);
    peck_model_free(twin);
    peck_model_free(ensemble);
    peck_dataset_free(d);
    peck_dataset_free(v);
}

/* Who stops while the second is trained keeps the first. */
static void a_stop_between_the_two_best_keeps_one(void **state)
{
    struct peck_dataset *const d = task_dataset(&many, 1), *const v =
                                                               task_dataset(&other, 2);
    struct heard heard = { .stop_after = 5 }, alone = { 0 };
    peck_model *const m =
        train_net(&heard, d, v, 1, SETTINGS("epochs=8", "hidden=2"), PECK_STOPPED);
    char size[64];

    (void)state;
    assert_int_equal(heard.n, 5);
    assert_non_null(m);
    snprintf(size, sizeof size, "size=%s", heard.size[4]);
    peck_model *const twin =
        train_net(&alone, d, v, 1, SETTINGS("epochs=8", "hidden=2", size), PECK_OK);

    assert_memory_equal(m->w, twin->w, twin->n_weights * sizeof *twin->w);
    assert_same_epochs(&heard, &alone);
    peck_model_free(m);
    peck_model_free(twin);
    peck_dataset_free(d);
    peck_dataset_free(v);
}

/* Where one size is left there is nothing to try. */
static void boosting_of_steps_goes_on_for_longer(void **state)
{
    struct peck_dataset *const d = task_dataset(&many, 1), *const v =
                                                               task_dataset(&other, 2);
    struct heard heard = { 0 };
    peck_error err = { 0 };
    peck_model *m = NULL;

    (void)state;
    assert_ok(peck_train(&m,
                         &(peck_train_spec){ .method = "rankboost",
                                             .settings = SETTINGS("rounds=3"),
                                             .train = d,
                                             .valid = v,
                                             .tried = hear_size,
                                             .ctx = &heard },
                         &err),
              err);
    assert_int_equal(heard.n, 0);
    assert_non_null(strstr(note(m, "settings"), "shrinkage=1 "));
    assert_non_null(strstr(note(m, "settings"), "rounds=3 "));
    peck_model_free(m);
    peck_dataset_free(d);
    peck_dataset_free(v);
}

static void who_names_a_size_gets_it(void **state)
{
    struct peck_dataset *const d = task_dataset(&many, 1), *const v =
                                                               task_dataset(&other, 2);
    static const char *const wanted[][2] = { { "size=small", "leaves=5 " },
                                             { "size=deep", "leaves=31" },
                                             { "preset=paper", "leaves=10" } };
    struct heard heard;

    (void)state;
    for (size_t i = 0; i < N_OF(wanted); i++) {
        peck_model *const m = train(&heard, d, v, 2, SETTINGS("trees=2", wanted[i][0]));

        assert_int_equal(heard.n, 0);
        assert_int_equal(strlen(note(m, "sizes")), 0);
        if (strstr(note(m, "settings"), wanted[i][1]) == NULL)
            fail_msg("%s gave %s", wanted[i][0], note(m, "settings"));
        peck_model_free(m);
    }
    peck_dataset_free(d);
    peck_dataset_free(v);
}

/* A setting that is given is that of every size; where all are, there is nothing to try. */
static void what_the_user_says_is_no_matter_of_size(void **state)
{
    struct peck_dataset *const d = task_dataset(&many, 1), *const v =
                                                               task_dataset(&other, 2);
    struct heard heard;

    (void)state;
    peck_model *m = train(&heard, d, v, 2, SETTINGS("trees=4", "leaves=7", "min_leaf=50"));

    assert_int_equal(heard.n, 2); /* they differ in more */
    assert_non_null(strstr(note(m, "settings"), "leaves=7"));
    assert_non_null(strstr(note(m, "settings"), "min_leaf=50"));
    peck_model_free(m);
    m = train(&heard, d, v, 2,
              SETTINGS("trees=2", "leaves=7", "min_leaf=50", "norm=none", "rate=0.1",
                       "query_share=1", "feature_share=1", "truncation=9"));
    assert_int_equal(heard.n, 0);
    peck_model_free(m);
    peck_dataset_free(d);
    peck_dataset_free(v);
}

static void little_data_and_none_to_choose_by_stay_small(void **state)
{
    struct peck_dataset *const d = task_dataset(&many, 1), *const v =
                                                               task_dataset(&other, 2);
    struct heard heard;

    (void)state;
    peck_model *m = train(&heard, v, v, 2, SETTINGS("trees=2"));

    assert_int_equal(heard.n, 0);
    assert_non_null(strstr(note(m, "settings"), "leaves=5 "));
    peck_model_free(m);
    m = train(&heard, d, NULL, 2, SETTINGS("trees=2"));
    assert_int_equal(heard.n, 0);
    assert_non_null(strstr(note(m, "settings"), "leaves=5 "));
    peck_model_free(m);
    for (size_t i = 0; i < d->n_docs; i += 2) /* judged documents count */
        d->label[i] = PECK_UNJUDGED;
    dataset_count_labels(d);
    m = train(&heard, d, v, 2, SETTINGS("trees=2"));
    assert_int_equal(heard.n, 0);
    peck_model_free(m);
    peck_dataset_free(d);
    peck_dataset_free(v);
}

static int stop(void *ctx)
{
    (void)ctx;
    return 1;
}

static void a_stop_in_a_trial_makes_nothing(void **state)
{
    struct peck_dataset *const d = task_dataset(&many, 1), *const v =
                                                               task_dataset(&other, 2);
    peck_model *m = NULL;
    peck_error err = { 0 };

    (void)state;
    assert_int_equal(
        peck_train(&m,
                   &(peck_train_spec){
                       .method = "ranknet", .train = d, .valid = v, .interrupted = stop },
                   &err),
        PECK_STOPPED);
    assert_null(m);
    peck_dataset_free(d);
    peck_dataset_free(v);
}

/* Iterations that learn are what a trial has fewer of. */
static void sortnet_tries_its_towers(void **state)
{
    struct peck_dataset *const d = task_dataset(&many, 1), *const v =
                                                               task_dataset(&other, 2);
    const peck_train_spec spec = { .method = "sortnet",
                                   .settings = SETTINGS("max_iter=2", "epochs=1"),
                                   .train = d,
                                   .valid = v,
                                   .threads = 2 };
    static const char *const size[] = { "small", "tower", "tower-zscore", "tower-narrow" };
    struct heard heard = { 0 };
    peck_train_spec told = spec;
    peck_model *m = NULL;
    peck_error err = { 0 };
    size_t best = 0;

    (void)state;
    told.tried = hear_size;
    told.ctx = &heard;
    assert_ok(peck_train(&m, &told, &err), err);
    assert_true(heard.n >= N_OF(size));
    for (size_t i = 0; i < heard.n; i++) {
        if (i < N_OF(size))
            assert_string_equal(heard.size[i], size[i]);
        assert_true(heard.valid[i] > 0.0);
        best = heard.is_best[i] ? i : best;
    }
    const bool is_small = strcmp(heard.size[best], "small") == 0,
               is_narrow = strcmp(heard.size[best], "tower-narrow") == 0;

    assert_non_null(strstr(note(m, "settings"), "max_iter=2 "));
    assert_non_null(strstr(note(m, "settings"), is_small    ? "hidden=40 "
                                                : is_narrow ? "hidden=64-32 "
                                                            : "hidden=128-64-40 "));
    assert_non_null(strstr(note(m, "settings"), is_small ? "pairs=all" : "pairs=sampled"));
    peck_model_free(m);
    peck_dataset_free(d);
    peck_dataset_free(v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_best_trial_is_trained_in_full),
        cmocka_unit_test(a_trial_is_a_training_in_small),
        cmocka_unit_test(the_two_best_nets_are_trained_in_full),
        cmocka_unit_test(a_stop_between_the_two_best_keeps_one),
        cmocka_unit_test(boosting_of_steps_goes_on_for_longer),
        cmocka_unit_test(who_names_a_size_gets_it),
        cmocka_unit_test(what_the_user_says_is_no_matter_of_size),
        cmocka_unit_test(little_data_and_none_to_choose_by_stay_small),
        cmocka_unit_test(sortnet_tries_its_towers),
        cmocka_unit_test(a_stop_in_a_trial_makes_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
