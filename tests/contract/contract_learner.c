/* contract_learner.c -- what every method promises, the one added tomorrow too. */
#include "learn/learn.h"
#include "support/check.h"
#include "support/train_setup.h"
#include "support/scratch.h"
#include "support/tasks.h"

#include <math.h>

static const struct task_sample small = { .n_queries = 24, .max_docs = 9, .dim = 5 };

/* Few epochs, where the method has any: the promises do not need more. */
static const char *const short_run[] = { "epochs=6", "batch=5",   "max_iter=6", "rounds=6",
                                         "trees=30", "leaves=16", NULL };
static const char *const long_run[] = { "epochs=40", "max_iter=4", "rounds=40", NULL };

static peck_model *must_train(const char *method, peck_train_spec spec,
                              const char *const *settings)
{
    peck_model *m = NULL;
    peck_error err;

    if (train_method(&m, method, spec, settings, &err) != PECK_OK)
        fail_msg("%s: %s", method, err.text);
    return m;
}

static void save(const peck_model *m, const char *path)
{
    peck_error err = { 0 };

    assert_ok(peck_model_save(m, path, &err), err);
}

static void assert_same_files(const char *a, const char *b, const char *what)
{
    if (!files_equal(a, b))
        fail_msg("%s: the models differ", what);
}

static void trains_and_beats_random(void **state)
{
    const struct task_sample task = {
        .n_queries = 60, .max_docs = 14, .dim = 6, .noise = 0.3
    };
    struct peck_dataset *const data = task_dataset(&task, 1);
    struct peck_dataset *const test = task_dataset(&task, 2);
    const double by_chance = random_quality(test);

    (void)state;
    FOR_EACH_METHOD(name)
    {
        peck_model *const m = must_train(
            name, (peck_train_spec){ .train = data, .seed = 3, .threads = 1 }, long_run);
        const double reached = model_quality(m, test);

        print_message("%s: ndcg@10 %.4f, by chance %.4f\n", name, reached, by_chance);
        if (!(reached > by_chance + 0.1))
            fail_msg("%s reaches %.4f, chance %.4f", name, reached, by_chance);
        peck_model_free(m);
    }
    peck_dataset_free(data);
    peck_dataset_free(test);
}

static void no_labels(struct peck_dataset *d)
{
    for (size_t i = 0; i < d->n_docs; i++)
        d->label[i] = PECK_UNJUDGED;
    dataset_count_labels(d);
}

/* Comparisons are enough for every method of pairs: with no label at all it learns what
 * it learns from labels, and comparisons choose the epoch. */
static void comparisons_alone_are_enough(void **state)
{
    const struct task_sample task = {
        .n_queries = 60, .max_docs = 14, .dim = 6, .noise = 0.3
    };
    struct peck_dataset *const data = task_dataset(&task, 1);
    struct peck_dataset *const valid = task_dataset(&task, 3);
    struct peck_dataset *const test = task_dataset(&task, 2);
    struct peck_prefs *const pairs = prefs_of_labels(data, 1);
    struct peck_prefs *const valid_pairs = prefs_of_labels(valid, 2);
    const double by_chance = random_quality(test);

    (void)state;
    no_labels(data);
    no_labels(valid);
    FOR_EACH_METHOD(name)
    {
        const struct recipe *const r = (const struct recipe *)recipes[method_];

        if (!recipe_has_pairs(r))
            continue;
        peck_model *const m = must_train(name,
                                         (peck_train_spec){ .train = data,
                                                            .pairs = pairs,
                                                            .valid = valid,
                                                            .valid_pairs = valid_pairs,
                                                            .seed = 3,
                                                            .threads = 1 },
                                         long_run);
        const double reached = model_quality(m, test);

        print_message("%s: ndcg@10 %.4f, by chance %.4f\n", name, reached, by_chance);
        if (!(reached > by_chance + 0.1))
            fail_msg("%s reaches %.4f, chance %.4f", name, reached, by_chance);
        peck_model_free(m);
    }
    peck_prefs_free(pairs);
    peck_prefs_free(valid_pairs);
    peck_dataset_free(data);
    peck_dataset_free(valid);
    peck_dataset_free(test);
}

static void same_seed_same_weights(void **state)
{
    /* Wide enough that the pool takes part. */
    const struct task_sample task = { .n_queries = 60, .max_docs = 60, .dim = 24 };
    const char *const settings[] = { "epochs=2",    "batch=16", "hidden=64", "hidden=64-32",
                                     "dropout=0.2", "rounds=5", "trees=12",  "leaves=99",
                                     "max_iter=2",  NULL };
    struct peck_dataset *const data = task_dataset(&task, 4);

    (void)state;
    FOR_EACH_METHOD(name)
    {
        for (size_t ensemble = 1; ensemble <= 3; ensemble += 2) {
            const int threads[] = { 1, 2, 5 };
            const char *first = NULL;

            for (size_t i = 0; i < N_OF(threads); i++) {
                char file[64];
                peck_model *const m = must_train(name,
                                                 (peck_train_spec){ .train = data,
                                                                    .seed = 5,
                                                                    .ensemble = ensemble,
                                                                    .threads = threads[i] },
                                                 settings);

                snprintf(file, sizeof file, "%s-%zu-%d.peck", name, ensemble, threads[i]);
                save(m, scratch_path(file));
                peck_model_free(m);
                if (first == NULL)
                    first = scratch_path(file);
                assert_same_files(first, scratch_path(file), file);
            }
        }
    }
    peck_dataset_free(data);
}

static void another_seed_gives_another_net(void **state)
{
    struct peck_dataset *const data = task_dataset(&small, 4);

    (void)state;
    for (uint64_t seed = 1; seed <= 2; seed++) {
        peck_model *const m =
            must_train("ranknet",
                       (peck_train_spec){
                           .train = data, .seed = seed, .valid_split = -1, .threads = 1 },
                       short_run);

        save(m, scratch_path(seed == 1 ? "seed1.peck" : "seed2.peck"));
        peck_model_free(m);
    }
    assert_false(files_equal(scratch_path("seed1.peck"), scratch_path("seed2.peck")));
    peck_dataset_free(data);
}

static void save_load_scores_identical(void **state)
{
    struct peck_dataset *const data = task_dataset(&small, 6);
    double *const before = calloc(data->n_docs, sizeof *before);
    double *const after = calloc(data->n_docs, sizeof *after);
    const char *const path = scratch_path("saved.peck");
    peck_error err = { 0 };

    (void)state;
    FOR_EACH_METHOD(name)
    {
        peck_model *const m =
            must_train(name, (peck_train_spec){ .train = data, .threads = 1 }, short_run);
        peck_model *loaded = NULL;

        save(m, path);
        assert_ok(peck_model_load(&loaded, path, &err), err);
        assert_ok(peck_model_score(m, data, 1, before, &err), err);
        assert_ok(peck_model_score(loaded, data, 2, after, &err), err);
        assert_memory_equal(before, after, data->n_docs * sizeof *before);
        peck_model_free(m);
        peck_model_free(loaded);
    }
    free(before);
    free(after);
    peck_dataset_free(data);
}

/* Every method on data that has little to say: it trains, and its scores are numbers. */
static void assert_harmless(const struct peck_dataset *d)
{
    double *const score = calloc(d->n_docs, sizeof *score);
    peck_error err = { 0 };

    FOR_EACH_METHOD(name)
    {
        peck_model *const m =
            must_train(name, (peck_train_spec){ .train = d, .threads = 2 }, short_run);

        assert_ok(peck_model_score(m, d, 1, score, &err), err);
        for (size_t i = 0; i < d->n_docs; i++)
            assert_true(isfinite(score[i]));
        peck_model_free(m);
    }
    free(score);
}

static void one_doc_query_is_fine(void **state)
{
    const uint32_t size[] = { 1, 1, 4, 1 }, ones[] = { 1, 1, 1 };
    const float label[] = { 1, 0, 2, 0, 1, 0, 2 };
    struct peck_dataset *const some = task_of(size, N_OF(size), 3, label, 1);
    struct peck_dataset *const all = task_of(ones, N_OF(ones), 3, label, 1);

    (void)state;
    assert_harmless(some);
    assert_harmless(all);
    peck_dataset_free(some);
    peck_dataset_free(all);
}

static void all_labels_equal_is_fine(void **state)
{
    uint32_t size[12];

    (void)state;
    for (size_t i = 0; i < N_OF(size); i++)
        size[i] = 5;
    struct peck_dataset *const d = task_of(size, N_OF(size), 3, NULL, 2);

    assert_harmless(d);
    peck_dataset_free(d);
}

static void constant_features_are_fine(void **state)
{
    struct peck_dataset *const d = task_dataset(&small, 8);

    (void)state;
    for (size_t i = 0; i < d->n_docs * d->dim; i++)
        d->x_owned[i] = 3.0f;
    assert_harmless(d);
    peck_dataset_free(d);
}

static void unjudged_documents_are_fine(void **state)
{
    struct peck_dataset *const d = task_dataset(&small, 9);

    (void)state;
    for (size_t i = 0; i < d->n_docs; i += 3)
        d->label[i] = PECK_UNJUDGED;
    for (size_t i = d->start[1]; i < d->start[2]; i++)
        d->label[i] = PECK_UNJUDGED;
    dataset_count_labels(d);
    assert_harmless(d);
    peck_dataset_free(d);
}

/* Stopping ----------------------------------------------------------------------------- */

static int stop_after(void *ctx, const peck_epoch *e)
{
    size_t *const left = ctx;

    (void)e;
    return *left == 0 || --*left == 0;
}

static void stops_when_callback_says_so(void **state)
{
    struct peck_dataset *const data = task_dataset(&small, 10);
    double *const score = calloc(data->n_docs, sizeof *score);

    (void)state;
    FOR_EACH_METHOD(name)
    {
        size_t left = 2; /* the first iteration of sortnet learns nothing */
        peck_model *m = NULL;
        peck_error err;
        const peck_status st = train_method(
            &m, name,
            (peck_train_spec){
                .train = data, .threads = 1, .progress = stop_after, .ctx = &left },
            long_run, &err);

        assert_int_equal(st, PECK_STOPPED);
        assert_failed(err, PECK_STOPPED, "best model so far");
        assert_non_null(m);
        assert_ok(peck_model_score(m, data, 1, score, &err), err);
        peck_model_free(m);
    }
    free(score);
    peck_dataset_free(data);
}

/* Runs to the end in one go, and in pieces of `piece` epochs. */
static void train_in_pieces(const char *name, peck_train_spec spec, size_t piece)
{
    const char *const whole = scratch_path("whole.peck"), *const last =
                                                              scratch_path("last.peck");
    peck_model *m = must_train(name, spec, short_run);
    peck_error err;
    peck_status st;
    size_t n_pieces = 0;

    save(m, whole);
    peck_model_free(m);
    spec.checkpoint = scratch_path("checkpoint");
    spec.progress = stop_after;
    remove(spec.checkpoint);
    do {
        size_t left = piece;

        spec.ctx = &left;
        st = train_method(&m, name, spec, short_run, &err);
        spec.resume = 1;
        if (st != PECK_OK && st != PECK_STOPPED)
            fail_msg("%s: %s", name, err.text);
        if (st == PECK_OK)
            save(m, last);
        peck_model_free(m);
        assert_true(++n_pieces < 100);
    } while (st == PECK_STOPPED);
    assert_true(n_pieces > 1);
    assert_same_files(whole, last, name);
}

static void goes_on_from_a_checkpoint_to_the_same_bytes(void **state)
{
    struct peck_dataset *const data = task_dataset(&small, 11);

    (void)state;
    FOR_EACH_METHOD(name)
    {
        train_in_pieces(name, (peck_train_spec){ .train = data, .seed = 3, .threads = 1 },
                        2);
        train_in_pieces(
            name,
            (peck_train_spec){ .train = data, .seed = 3, .threads = 2, .ensemble = 3 }, 4);
    }
    peck_dataset_free(data);
}

/* Papers ------------------------------------------------------------------------------- */

static void both_presets_train(void **state)
{
    struct peck_dataset *const data = task_dataset(&small, 12);
    const char *const presets[][6] = {
        { "preset=tuned", "epochs=3", "max_iter=2", "rounds=3", "trees=3", NULL },
        { "preset=paper", "epochs=3", "max_iter=2", "rounds=3", "trees=3", NULL }
    };

    (void)state;
    FOR_EACH_METHOD(name)
    {
        for (size_t i = 0; i < N_OF(presets); i++)
            peck_model_free(must_train(
                name, (peck_train_spec){ .train = data, .threads = 1 }, presets[i]));
    }
    peck_dataset_free(data);
}

static void every_method_names_its_source(void **state)
{
    (void)state;
    for (size_t i = 0; i < n_recipes; i++) {
        assert_true(strlen(recipes[i]->about.title) > 10);
        assert_true(strlen(recipes[i]->about.doc) > 100);
        assert_true(strstr(recipes[i]->about.doc, " 19") != NULL ||
                    strstr(recipes[i]->about.doc, " 20") != NULL);
    }
}

static void every_setting_has_one_owner_and_a_default_that_fits(void **state)
{
    (void)state;
    for (size_t m = 0; m < n_recipes; m++) {
        const char *const name = recipes[m]->about.name;
        peck_param a, b;

        for (size_t i = 0; peck_param_at(PECK_METHOD, name, i, &a); i++) {
            char pair[256];
            struct plan plan;
            peck_error err = { 0 };

            for (size_t j = 0; j < i && peck_param_at(PECK_METHOD, name, j, &b); j++)
                if (strcmp(a.key, b.key) == 0)
                    fail_msg("%s: two settings are called %s", name, a.key);
            snprintf(pair, sizeof pair, "%s=%s", a.key, a.value);
            assert_ok(
                plan_open(&plan, name, (const char *const[]){ pair, NULL }, NULL, &err),
                err);
            plan_close(&plan);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trains_and_beats_random),
        cmocka_unit_test(comparisons_alone_are_enough),
        cmocka_unit_test(same_seed_same_weights),
        cmocka_unit_test(another_seed_gives_another_net),
        cmocka_unit_test(save_load_scores_identical),
        cmocka_unit_test(one_doc_query_is_fine),
        cmocka_unit_test(all_labels_equal_is_fine),
        cmocka_unit_test(constant_features_are_fine),
        cmocka_unit_test(unjudged_documents_are_fine),
        cmocka_unit_test(stops_when_callback_says_so),
        cmocka_unit_test(goes_on_from_a_checkpoint_to_the_same_bytes),
        cmocka_unit_test(both_presets_train),
        cmocka_unit_test(every_method_names_its_source),
        cmocka_unit_test(every_setting_has_one_owner_and_a_default_that_fits),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
