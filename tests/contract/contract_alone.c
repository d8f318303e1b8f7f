/* contract_alone.c -- what a model says of its scores is what they do: those of a model that
 * scores alone are the same to the bit whatever list a document comes in, those of any other
 * model are not.  For every method, every normaliser, ensembles and committees.        */
#include "learn/learn.h"
#include "support/check.h"
#include "support/scratch.h"
#include "support/tasks.h"

#include <math.h>

#define FOR_EACH_METHOD(name)                                \
    for (size_t method_ = 0; method_ < n_recipes; method_++) \
        for (const char *name = recipes[method_]->about.name; name != NULL; name = NULL)

enum { MAX_SETTINGS = 12, MAX_LIST = 400 };

static peck_error err;
static struct peck_dataset *data, *test;

/* Little to do, and trees that do split on it. */
static const char *const few[] = { "epochs=4", "max_iter=3", "rounds=6",   "trees=12",
                                   "leaves=4", "min_leaf=2", "restarts=1", NULL };

static int set_up(void **state)
{
    const struct task_sample task = { .n_queries = 24, .max_docs = 12, .dim = 5 };
    /* Longer than the blocks that families see at once. */
    const uint32_t size[] = { 1, 7, 330, 3, 12 };

    (void)state;
    data = task_dataset(&task, 1);
    test = task_of(size, N_OF(size), 5, NULL, 2);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    peck_dataset_free(data);
    peck_dataset_free(test);
    return 0;
}

static bool has_setting(const char *method, const char *pair)
{
    peck_param row;

    for (size_t i = 0; peck_param_at(PECK_METHOD, method, i, &row); i++)
        if (strncmp(row.key, pair, strlen(row.key)) == 0 && pair[strlen(row.key)] == '=')
            return true;
    return false;
}

static peck_status train(peck_model **out, const char *method, const char *preset,
                         peck_train_spec spec)
{
    const char *own[MAX_SETTINGS + 2] = { preset };
    size_t n = preset != NULL;

    for (size_t i = 0; few[i] != NULL; i++)
        if (has_setting(method, few[i]))
            own[n++] = few[i];
    spec.method = method;
    spec.settings = own;
    spec.train = data;
    spec.threads = 1;
    err = (peck_error){ 0 };
    return peck_train(out, &spec, &err);
}

static peck_model *must_train(const char *method, const char *preset, peck_train_spec spec)
{
    peck_model *m = NULL;

    if (train(&m, method, preset, spec) != PECK_OK)
        fail_msg("%s: %s", method, err.text);
    return m;
}

/* Whether each document has one score: in its list, among three, and by itself. */
static bool is_alone(const peck_model *m)
{
    double whole[MAX_LIST], part[MAX_LIST];
    peck_scorer *s = NULL;
    bool same = true;

    assert_ok(peck_scorer_new(&s, m, &err), err);
    for (size_t q = 0; q < test->n_queries; q++)
        for (size_t size = 1; size <= 3; size += 2) {
            const float *const x = test->x + test->start[q] * test->dim;
            const size_t n = (size_t)(test->start[q + 1] - test->start[q]);

            assert_ok(peck_score(s, x, n, test->dim, whole, &err), err);
            for (size_t at = 0; at < n; at += size)
                assert_ok(peck_score(s, x + at * test->dim, n - at < size ? n - at : size,
                                     test->dim, part + at, &err),
                          err);
            same &= memcmp(whole, part, n * sizeof *whole) == 0;
        }
    peck_scorer_free(s);
    return same;
}

/* The same of the model that comes back from a file. */
static void says_what_it_does(const peck_model *m, const char *what)
{
    const char *const path = scratch_path("m.peck");
    peck_model *again = NULL;

    assert_ok(peck_model_save(m, path, &err), err);
    assert_ok(peck_model_load(&again, path, &err), err);
    if (is_alone(m) != (peck_model_scores_alone(m) != 0) ||
        is_alone(again) != (peck_model_scores_alone(again) != 0) ||
        is_alone(m) != is_alone(again))
        fail_msg("%s: says %d, does %d; from a file it says %d, does %d", what,
                 peck_model_scores_alone(m), is_alone(m), peck_model_scores_alone(again),
                 is_alone(again));
    peck_model_free(again);
}

static void every_method_says_what_it_does(void **state)
{
    size_t n_alone = 0, n_not = 0;

    (void)state;
    FOR_EACH_METHOD(name)
    {
        for (size_t ensemble = 1; ensemble <= 2; ensemble++)
            for (int paper = 0; paper < 2; paper++) {
                peck_model *const m = must_train(name, paper ? "preset=paper" : NULL,
                                                 (peck_train_spec){ .ensemble = ensemble });

                says_what_it_does(m, name);
                *(peck_model_scores_alone(m) ? &n_alone : &n_not) += 1;
                assert_true(ensemble == 1 || !peck_model_scores_alone(m));
                peck_model_free(m);
            }
    }
    assert_true(n_alone > 5 && n_not > 20);
}

static void every_method_is_alone_on_request_or_refuses(void **state)
{
    size_t n_refused = 0;

    (void)state;
    FOR_EACH_METHOD(name)
    {
        const struct recipe *const r = (const struct recipe *)recipes[method_];

        for (size_t ensemble = 1; ensemble <= 3; ensemble += 2)
            for (int paper = 0; paper < 2; paper++) {
                const peck_train_spec spec = { .ensemble = ensemble, .alone = 1 };
                const char *const preset = paper ? "preset=paper" : NULL;

                if (r->family->compares != NULL) {
                    peck_model *none = NULL;

                    assert_int_equal(train(&none, name, preset, spec), PECK_ARG);
                    assert_failed(err, PECK_ARG, name);
                    assert_failed(err, PECK_ARG, "compares documents");
                    assert_null(none);
                    n_refused++;
                    continue;
                }
                peck_model *const m = must_train(name, preset, spec);

                if (!peck_model_scores_alone(m))
                    fail_msg("%s: %s", name, model_heeds_list(m));
                says_what_it_does(m, name);
                peck_model_free(m);
            }
    }
    assert_int_equal(n_refused, 4 * 5); /* cmpnn, tesauro, sortnet, mhr-bc, pairforest */
}

/* Without the request nothing else is trained: what a method learns alone by itself is the
 * same with and without it. */
static void alone_changes_nothing_where_all_is_alone(void **state)
{
    const char *const a = scratch_path("a.peck"), *const b = scratch_path("b.peck");

    (void)state;
    for (int alone = 0; alone < 2; alone++) {
        peck_model *const m =
            must_train("directranker", NULL, (peck_train_spec){ .alone = alone });

        assert_ok(peck_model_save(m, alone ? b : a, &err), err);
        peck_model_free(m);
    }
    assert_true(files_equal(a, b));
}

static void every_norm_says_what_it_does(void **state)
{
    static const char *const around[][2] = {
        { "", "" }, { "", "+rff:dim=9" }, { "none+", "" }, { "", "+zscore" }
    };
    char spec[64];

    (void)state;
    for (size_t i = 0; i < n_norms; i++)
        for (size_t k = 0; k < N_OF(around); k++) {
            peck_model *m = NULL;

            snprintf(spec, sizeof spec, "%s%s%s", around[k][0], norms[i]->about.name,
                     around[k][1]);
            if (train(&m, "ridge", NULL, (peck_train_spec){ .norm = spec }) != PECK_OK) {
                assert_failed(err, PECK_ARG, "twice"); /* rff+rff, none+none */
                continue;
            }
            says_what_it_does(m, spec);
            assert_int_equal(peck_model_scores_alone(m), strstr(spec, "query") == NULL);
            peck_model_free(m);
            const peck_status st =
                train(&m, "ridge", NULL, (peck_train_spec){ .norm = spec, .alone = 1 });

            assert_int_equal(st, strstr(spec, "query") == NULL ? PECK_OK : PECK_ARG);
            peck_model_free(m);
        }
}

/* Members that speak in other units: what a scale is for. */
static void committees_say_what_they_do(void **state)
{
    static const char *const method[] = { "ridge", "mart", "ranknet" };
    enum { N_MODELS = N_OF(method) };
    peck_model *model[N_MODELS];

    (void)state;
    for (size_t i = 0; i < N_MODELS; i++)
        model[i] =
            must_train(method[i], NULL, (peck_train_spec){ .ensemble = i + 1, .alone = 1 });
    for (int greedy = 0; greedy < 2; greedy++)
        for (int alone = 0; alone < 2; alone++) {
            peck_model *m = NULL;

            assert_ok(
                peck_blend(&m,
                           &(peck_blend_spec){ .model = (const peck_model *const *)model,
                                               .n_models = N_MODELS,
                                               .weights = greedy ? "greedy" : "equal",
                                               .valid = data,
                                               .alone = alone,
                                               .threads = 1 },
                           &err),
                err);
            assert_int_equal(peck_model_scores_alone(m), alone);
            says_what_it_does(m, alone ? "committee alone" : "committee");
            peck_model_free(m);
        }
    for (size_t i = 0; i < N_MODELS; i++)
        peck_model_free(model[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_method_says_what_it_does),
        cmocka_unit_test(every_method_is_alone_on_request_or_refuses),
        cmocka_unit_test(alone_changes_nothing_where_all_is_alone),
        cmocka_unit_test(every_norm_says_what_it_does),
        cmocka_unit_test(committees_say_what_they_do),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
