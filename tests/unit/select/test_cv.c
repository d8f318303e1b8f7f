/* test_cv.c -- cross-validation: what is trained on what, chosen by what, told how. */
#include "support/check.h"
#include "support/samples.h"
#include "support/scratch.h"

#include <math.h>

enum { N_FOLDS = 3 };

static peck_dataset *part[N_FOLDS][3];
static peck_fold fold[N_FOLDS];
static peck_error err;

static int make_folds(void **state)
{
    const struct sample shape = { .n_queries = 12, .max_docs = 8, .dim = 4, .n_grades = 3 };

    (void)state;
    for (int f = 0; f < N_FOLDS; f++) {
        for (int p = 0; p < 3; p++)
            part[f][p] = sample_dataset(&shape, (uint64_t)(10 * f + p + 1));
        fold[f] = (peck_fold){ part[f][0], part[f][1], part[f][2] };
    }
    return 0;
}

static int free_folds(void **state)
{
    (void)state;
    for (int f = 0; f < N_FOLDS; f++)
        for (int p = 0; p < 3; p++)
            peck_dataset_free(part[f][p]);
    return 0;
}

static const char *const ridge[] = { "ridge", NULL };
static const char *const ranknet[] = { "ranknet", NULL };
static const char *const both[] = { "ridge", "ranknet", NULL };
static const char *const short_run[] = { "epochs=3", NULL };

/* Of the specification that spec_of made last. */
static peck_train_spec how_to_train;
static peck_judge_spec how_to_judge;

static peck_cv_spec spec_of(const char *const *methods)
{
    how_to_train = (peck_train_spec){ .settings = methods == ridge ? NULL : short_run };
    how_to_judge = (peck_judge_spec){ .threads = 1 };
    return (peck_cv_spec){ .fold = fold,
                           .n_folds = N_FOLDS,
                           .method = methods,
                           .train = &how_to_train,
                           .judge = &how_to_judge };
}

static peck_report *run(const peck_cv_spec *spec)
{
    peck_report *r = NULL;

    assert_ok(peck_cv(&r, spec, &err), err);
    return r;
}

static void refused(const peck_cv_spec *spec, peck_status why, const char *phrase)
{
    peck_report *r = NULL;

    err = (peck_error){ 0 };
    assert_int_equal(peck_cv(&r, spec, &err), why);
    assert_null(r);
    assert_failed(err, why, phrase);
}

/* What a fold should give: train, score, judge. */
static double by_hand(const char *method, const char *const *settings, const char *norm,
                      const peck_dataset *train, const peck_dataset *valid,
                      const peck_dataset *judged, const char *metric)
{
    const peck_train_spec how = { .method = method,
                                  .settings = settings,
                                  .norm = norm,
                                  .train = train,
                                  .valid = valid,
                                  .metric = "ndcg@10" };
    const peck_judge_spec judge = { .metrics = metric };
    peck_dataset_info info;
    peck_model *m = NULL;
    peck_report *r = NULL;

    peck_dataset_describe(judged, &info);
    double *const score = calloc(info.n_docs, sizeof *score);

    assert_ok(peck_train(&m, &how, &err), err);
    assert_ok(peck_model_score(m, judged, 1, score, &err), err);
    assert_ok(peck_evaluate_scores(&r, judged, score, &judge, &err), err);
    const double value = peck_report_value(r, metric);

    peck_report_free(r);
    peck_model_free(m);
    free(score);
    return value;
}

static void a_fold_is_what_training_and_judging_give(void **state)
{
    const peck_cv_spec spec = spec_of(both);
    peck_report *const r = run(&spec);

    (void)state;
    for (int f = 0; f < N_FOLDS; f++)
        for (int m = 0; m < 2; m++) {
            const char *const *set = m == 0 ? NULL : short_run;
            char name[64];

            snprintf(name, sizeof name, "map Fold%d.%s", f + 1, both[m]);
            assert_true(peck_report_value(r, name) == by_hand(both[m], set, NULL,
                                                              part[f][0], part[f][1],
                                                              part[f][2], "map"));
            snprintf(name, sizeof name, "valid ndcg@10 Fold%d.%s", f + 1, both[m]);
            assert_true(peck_report_value(r, name) == by_hand(both[m], set, NULL,
                                                              part[f][0], part[f][1],
                                                              part[f][1], "ndcg@10"));
        }
    peck_report_free(r);
}

static void mean_and_deviation_are_over_folds(void **state)
{
    const peck_cv_spec spec = spec_of(ridge);
    peck_report *const r = run(&spec);
    const double a = peck_report_value(r, "map Fold1.ridge");
    const double b = peck_report_value(r, "map Fold2.ridge");
    const double c = peck_report_value(r, "map Fold3.ridge");
    const double mean = (a + b + c) / 3;
    const double sd = sqrt(
        ((a - mean) * (a - mean) + (b - mean) * (b - mean) + (c - mean) * (c - mean)) / 2);

    (void)state;
    assert_true(fabs(peck_report_value(r, "map mean.ridge") - mean) < 1e-12);
    assert_true(fabs(peck_report_value(r, "map sd.ridge") - sd) < 1e-12);
    peck_report_free(r);
}

static char *printed(const peck_report *r)
{
    const char *const path = scratch_path("report");
    FILE *const to = fopen(path, "w");
    size_t n;

    assert_non_null(to);
    assert_ok(peck_report_write(r, to, "json", &err), err);
    fclose(to);
    return file_bytes(path, &n);
}

static void the_report_is_the_same_at_any_thread_count(void **state)
{
    static const char *const grid[] = { "norm=zscore,quantile", "rate=0.01,0.1", NULL };
    char *first = NULL;

    (void)state;
    for (size_t inner = 0; inner <= 2; inner += 2) {
        for (int threads = 1; threads <= 7; threads += 3) {
            peck_cv_spec spec = spec_of(both);

            spec.grid = grid;
            spec.inner = inner;
            how_to_judge.threads = threads;
            peck_report *const r = run(&spec);
            char *const text = printed(r);

            if (first == NULL)
                first = text;
            assert_string_equal(text, first);
            if (text != first)
                free(text);
            peck_report_free(r);
        }
        free(first);
        first = NULL;
    }
}

/* The best of the grid by hand, and the point it stands for. */
static void validation_data_chooses_from_the_grid(void **state)
{
    static const char *const norms[] = { "none", "minmax", "query", "quantile" };
    static const char *const grid[] = { "norm=none,minmax,query,quantile", NULL };
    peck_cv_spec spec = spec_of(ridge);

    (void)state;
    spec.grid = grid;
    peck_report *const r = run(&spec);
    char *const text = printed(r);

    for (int f = 0; f < N_FOLDS; f++) {
        double best = -1;
        size_t at = 0;
        char name[64], chosen[128];

        for (size_t i = 0; i < N_OF(norms); i++) {
            const double v = by_hand("ridge", NULL, norms[i], part[f][0], part[f][1],
                                     part[f][1], "ndcg@10");

            if (v > best)
                best = v, at = i;
        }
        snprintf(name, sizeof name, "valid ndcg@10 Fold%d.ridge", f + 1);
        assert_true(peck_report_value(r, name) == best);
        snprintf(name, sizeof name, "ndcg@10 Fold%d.ridge", f + 1);
        assert_true(peck_report_value(r, name) == by_hand("ridge", NULL, norms[at],
                                                          part[f][0], part[f][1],
                                                          part[f][2], "ndcg@10"));
        snprintf(chosen, sizeof chosen, "{\"fold\": \"Fold%d\", \"ridge\": \"norm=%s\"}",
                 f + 1, norms[at]);
        assert_non_null(strstr(text, chosen));
    }
    free(text);
    peck_report_free(r);
}

/* A metric of errors chooses the smallest. */
static void errors_are_chosen_low(void **state)
{
    static const char *const norms[] = { "none", "query" };
    static const char *const grid[] = { "norm=none,query", NULL };
    peck_cv_spec spec = spec_of(ridge);

    (void)state;
    spec.grid = grid;
    how_to_judge.metrics = "pairerr";
    peck_report *const chosen = run(&spec);
    double each[2][N_FOLDS];

    spec.grid = NULL;
    for (int i = 0; i < 2; i++) {
        how_to_train.norm = norms[i];
        peck_report *const r = run(&spec);

        for (int f = 0; f < N_FOLDS; f++) {
            char name[64];

            snprintf(name, sizeof name, "valid pairerr Fold%d.ridge", f + 1);
            each[i][f] = peck_report_value(r, name);
        }
        peck_report_free(r);
    }
    for (int f = 0; f < N_FOLDS; f++) {
        char name[64];

        snprintf(name, sizeof name, "valid pairerr Fold%d.ridge", f + 1);
        assert_true(peck_report_value(chosen, name) == fmin(each[0][f], each[1][f]));
    }
    peck_report_free(chosen);
}

/* The mean over the inner test folds of one fold's training data. */
static double inside_by_hand(const peck_dataset *whole, const char *norm)
{
    double sum = 0;

    for (size_t k = 0; k < 3; k++) {
        peck_dataset *train, *valid, *test;

        assert_ok(peck_dataset_fold(&train, whole, 3, k, "train", 0, &err), err);
        assert_ok(peck_dataset_fold(&valid, whole, 3, k, "valid", 0, &err), err);
        assert_ok(peck_dataset_fold(&test, whole, 3, k, "test", 0, &err), err);
        sum += by_hand("ridge", NULL, norm, train, valid, test, "ndcg@10");
        peck_dataset_free(train);
        peck_dataset_free(valid);
        peck_dataset_free(test);
    }
    return sum / 3;
}

static void inner_folds_choose_from_the_grid(void **state)
{
    static const char *const norms[] = { "none", "minmax", "log", "query", "quantile" };
    static const char *const grid[] = { "norm=none,minmax,log,query,quantile", NULL };
    peck_cv_spec spec = spec_of(ridge);

    (void)state;
    spec.grid = grid;
    spec.inner = 3;
    peck_report *const r = run(&spec);
    char *const text = printed(r);

    for (int f = 0; f < N_FOLDS; f++) {
        double best = -1;
        char chosen[128] = "";

        for (size_t i = 0; i < N_OF(norms); i++) {
            const double v = inside_by_hand(part[f][0], norms[i]);

            if (v > best) {
                best = v;
                snprintf(chosen, sizeof chosen,
                         "{\"fold\": \"Fold%d\", \"ridge\": \"norm=%s\"}", f + 1, norms[i]);
            }
        }
        assert_non_null(strstr(text, chosen));
    }
    free(text);
    peck_report_free(r);
}

/* Settings that change nothing, so that all points are equal. */
static void of_equal_points_the_earlier_is_chosen(void **state)
{
    static const char *const grid[] = { "sample=7,6,5,4,3,2,1", NULL };
    static const char *const no_sampling[] = { "epochs=3", "pairs=all", NULL };

    (void)state;
    for (size_t inner = 0; inner <= 2; inner += 2)
        for (int threads = 1; threads <= 4; threads += 3) {
            peck_cv_spec spec = spec_of(ranknet);

            how_to_train.settings = no_sampling;
            spec.grid = grid;
            spec.inner = inner;
            how_to_judge.threads = threads;
            peck_report *const r = run(&spec);
            char *const text = printed(r);

            for (char *at = text; (at = strstr(at, "sample=")) != NULL; at++)
                assert_memory_equal(at, "sample=7", 8);
            assert_non_null(strstr(text, "sample=7"));
            free(text);
            peck_report_free(r);
        }
}

static void a_fold_without_validation_data_holds_some_out(void **state)
{
    const peck_fold bare = { part[0][0], NULL, part[0][2] };
    peck_cv_spec spec = spec_of(ridge);

    (void)state;
    spec.fold = &bare;
    spec.n_folds = 1;
    peck_report *r = run(&spec);

    peck_dataset *kept, *held;

    assert_ok(peck_dataset_holdout(&kept, &held, part[0][0], 0.2, 0, &err), err);
    assert_true(peck_report_value(r, "valid ndcg@10 Fold1.ridge") ==
                by_hand("ridge", NULL, NULL, kept, held, held, "ndcg@10"));
    assert_true(peck_report_value(r, "ndcg@10 Fold1.ridge") ==
                by_hand("ridge", NULL, NULL, kept, held, part[0][2], "ndcg@10"));
    peck_dataset_free(kept);
    peck_dataset_free(held);
    assert_true(isnan(peck_report_value(r, "ndcg@10 sd.ridge")));
    peck_report_free(r);
    how_to_train.valid_split = -1;
    r = run(&spec);
    assert_true(isnan(peck_report_value(r, "valid ndcg@10 Fold1.ridge")));
    peck_report_free(r);
}

/* Committees ------------------------------------------------------------------------- */

struct blends {
    const char *weights;
    peck_model *model[N_FOLDS][2]; /* as they were kept */
    size_t n;
};

/* The committee of a fold is what peck_blend makes of its models. */
static peck_status check_blend(void *ctx, const peck_fold_result *r, peck_error *e)
{
    struct blends *const b = ctx;
    const char *const path = scratch_path("kept.peck");

    (void)e;
    assert_ok(peck_model_save(r->model, path, &err), err);
    if (strcmp(r->method, "blend") != 0) {
        assert_ok(peck_model_load(&b->model[r->fold][b->n++ / N_FOLDS], path, &err), err);
        return PECK_OK;
    }
    peck_model *m = NULL;
    const peck_blend_spec spec = { .model = (const peck_model *const *)b->model[r->fold],
                                   .n_models = 2,
                                   .weights = b->weights,
                                   .valid = part[r->fold][1],
                                   .metric = "ndcg@10" };

    b->n++;
    assert_ok(peck_blend(&m, &spec, &err), err);
    assert_ok(peck_model_save(m, scratch_path("made.peck"), &err), err);
    assert_true(files_equal(path, scratch_path("made.peck")));
    peck_model_free(m);
    return PECK_OK;
}

static void a_blend_is_one_more_method(void **state)
{
    static const char *const ways[] = { "equal", "greedy" };

    (void)state;
    for (size_t w = 0; w < N_OF(ways); w++) {
        struct blends b = { .weights = ways[w] };
        peck_cv_spec spec = spec_of(both);

        spec.blend = ways[w];
        spec.keep = check_blend;
        spec.ctx = &b;
        peck_report *const r = run(&spec);

        assert_int_equal(b.n, 3 * N_FOLDS);
        for (int f = 0; f < N_FOLDS; f++) {
            char name[2][64];

            for (int m = 0; m < 2; m++)
                snprintf(name[m], sizeof name[m], "share Fold%d.%s", f + 1, both[m]);
            assert_true(fabs(peck_report_value(r, name[0]) + peck_report_value(r, name[1]) -
                             1) < 1e-9);
            snprintf(name[0], sizeof name[0], "valid ndcg@10 Fold%d.blend", f + 1);
            assert_true(peck_report_value(r, name[0]) > 0);
            for (int m = 0; m < 2; m++)
                peck_model_free(b.model[f][m]);
        }
        assert_true(peck_report_value(r, "map mean.blend") > 0);
        peck_report_free(r);
    }
}

/* Callbacks -------------------------------------------------------------------------- */

struct seen {
    size_t n;
    double last;
    double stop_at; /* share that is done; 0: never */
    int fails;
    const char *const *method;
    size_t n_blends;
};

static peck_status keep(void *ctx, const peck_fold_result *r, peck_error *e)
{
    struct seen *const s = ctx;

    assert_string_equal(r->method, s->method[s->n / N_FOLDS]);
    assert_int_equal(r->fold, s->n % N_FOLDS);
    assert_ptr_equal(r->test, part[r->fold][2]);
    assert_non_null(r->model);
    s->n++;
    if (!s->fails)
        return PECK_OK;
    e->status = PECK_IO;
    snprintf(e->text, sizeof e->text, "no room on the shelf");
    return PECK_IO;
}

static peck_status keep_any(void *ctx, const peck_fold_result *r, peck_error *e)
{
    struct seen *const s = ctx;

    (void)e;
    s->n++;
    s->n_blends += strcmp(r->method, "blend") == 0;
    return PECK_OK;
}

static int progress(void *ctx, double share)
{
    struct seen *const s = ctx;

    assert_true(share >= s->last && share <= 1 + 1e-9);
    s->last = share;
    return s->stop_at > 0 && share > s->stop_at;
}

static void results_come_by_method_and_fold(void **state)
{
    struct seen s = { .method = both };
    peck_cv_spec spec = spec_of(both);

    (void)state;
    spec.keep = keep;
    spec.progress = progress;
    spec.ctx = &s;
    peck_report_free(run(&spec));
    assert_int_equal(s.n, 2 * N_FOLDS);
    assert_true(s.last > 0.5);
}

static void a_result_that_cannot_be_kept_ends_it(void **state)
{
    struct seen s = { .fails = 1, .method = both };
    peck_cv_spec spec = spec_of(both);

    (void)state;
    spec.keep = keep;
    spec.ctx = &s;
    refused(&spec, PECK_IO, "shelf");
    assert_int_equal(s.n, 1);
}

/* How many folds are kept when it is stopped after this share. */
static size_t kept_when_stopped(peck_cv_spec spec, double share)
{
    struct seen s = { .stop_at = share, .method = spec.method };

    spec.keep = keep;
    spec.progress = progress;
    spec.ctx = &s;
    refused(&spec, PECK_STOPPED, "stopped");
    return s.n;
}

static void finished_folds_are_kept_when_progress_stops_it(void **state)
{
    peck_cv_spec spec = spec_of(both);

    (void)state;
    assert_int_equal(kept_when_stopped(spec, 0.01), 0);
    assert_int_equal(kept_when_stopped(spec, 0.51), N_FOLDS); /* all of ridge */
    assert_int_equal(kept_when_stopped(spec, 0.70), N_FOLDS + 1);
    how_to_judge.threads = 2;
    assert_int_equal(kept_when_stopped(spec, 0.001), 0);
}

/* All of ridge and the first fold of ranknet: one committee. */
static void finished_folds_are_blended_when_progress_stops_it(void **state)
{
    struct seen s = { .stop_at = 0.70 };
    peck_cv_spec spec = spec_of(both);

    (void)state;
    spec.blend = "equal";
    spec.keep = keep_any;
    spec.progress = progress;
    spec.ctx = &s;
    refused(&spec, PECK_STOPPED, "stopped");
    assert_int_equal(s.n, N_FOLDS + 2);
    assert_int_equal(s.n_blends, 1);
}

static void a_fold_is_finished_when_its_whole_grid_is(void **state)
{
    static const char *const grid[] = { "hidden=2,3", NULL };
    peck_cv_spec spec = spec_of(ranknet);

    (void)state;
    spec.grid = grid;
    assert_int_equal(kept_when_stopped(spec, 0.30), 0); /* one of two points */
    assert_int_equal(kept_when_stopped(spec, 0.40), 1);
    spec.inner = 2;
    assert_int_equal(kept_when_stopped(spec, 0.90), 0); /* inner folds are no results */
}

static void count_warning(void *ctx, const char *text)
{
    (void)text;
    ++*(int *)ctx;
}

static void a_method_warns_once(void **state)
{
    const struct sample shape = { .n_queries = 12, .max_docs = 1, .dim = 2, .n_grades = 1 };
    peck_dataset *const dull = sample_dataset(&shape, 1);
    const peck_fold same[] = { { dull, dull, dull }, { dull, dull, dull } };
    peck_cv_spec spec = spec_of(ridge);
    int n = 0;

    (void)state;
    spec.fold = same;
    spec.n_folds = 2;
    how_to_train.warn = count_warning;
    how_to_train.ctx = &n;
    peck_report *r = NULL;

    assert_ok(peck_cv(&r, &spec, &err), err);
    assert_int_equal(n, 1);
    peck_report_free(r);
    peck_dataset_free(dull);
}

static void bad_specifications_are_refused(void **state)
{
    static const char *const unknown[] = { "rigde", NULL }, *const far[] = { "qqqqqqqq",
                                                                             NULL };
    static const char *const twice[] = { "ridge", "ridge", NULL };
    static const char *const none[] = { NULL };
    static const char *const odd[] = { "nonsense=1", NULL };
    static const char *const grid[] = { "norm=none,zscore", NULL };
    static const char *const bad_value[] = { "norm=zscores", NULL };
    const peck_fold bare = { part[0][0], NULL, part[0][2] };
    peck_cv_spec spec = spec_of(unknown);

    (void)state;
    refused(&spec, PECK_ARG, "did you mean 'ridge'");
    spec = spec_of(far);
    refused(&spec, PECK_ARG, "peck list methods");
    spec = spec_of(twice);
    refused(&spec, PECK_ARG, "twice");
    spec = spec_of(none);
    refused(&spec, PECK_ARG, "a method");
    spec = spec_of(ridge);
    spec.n_folds = 0;
    refused(&spec, PECK_ARG, "a fold");
    spec = spec_of(ridge);
    spec.inner = 1;
    refused(&spec, PECK_ARG, "inner");
    spec = spec_of(ridge);
    how_to_train.settings = odd;
    refused(&spec, PECK_ARG, "nonsense");
    how_to_train.settings = NULL;
    spec.grid = odd;
    refused(&spec, PECK_ARG, "nonsense");
    spec.grid = bad_value;
    refused(&spec, PECK_ARG, "zscores");
    spec.grid = grid;
    spec.fold = &bare;
    spec.n_folds = 1;
    how_to_train.valid_split = -1;
    refused(&spec, PECK_ARG, "validation data");
    spec.grid = NULL;
    spec.blend = "greedy";
    refused(&spec, PECK_ARG, "validation data");
    spec.blend = "best";
    refused(&spec, PECK_ARG, "'best'");
    spec = spec_of(ridge);
    how_to_judge.metrics = "ndgc";
    refused(&spec, PECK_ARG, "ndgc");
}

/* Labels of d as preferences. */
static peck_prefs *prefs_of(const peck_dataset *d)
{
    enum { ROOM = 1000 };
    static peck_pref pref[ROOM];
    peck_prefs_arrays a = { .pref = pref, .data = d };
    peck_prefs *p = NULL;
    peck_dataset_info info;

    peck_dataset_describe(d, &info);
    for (size_t q = 0; q < info.n_queries; q++) {
        peck_query x;

        peck_dataset_query(d, q, &x);
        for (size_t i = 0; i < x.n_docs; i++)
            for (size_t j = 0; j < x.n_docs && a.n_prefs < ROOM; j++)
                if (x.label[i] > x.label[j])
                    pref[a.n_prefs++] = (peck_pref){ q, x.first + i, x.first + j, 1, 1 };
    }
    assert_true(a.n_prefs < ROOM);
    assert_ok(peck_prefs_make(&p, &a, &err), err);
    return p;
}

static peck_dataset *without_labels(const peck_dataset *d)
{
    float label[1000];
    peck_dataset *out = NULL;

    for (size_t i = 0; i < N_OF(label); i++)
        label[i] = PECK_UNJUDGED;
    assert_true(d->n_docs <= N_OF(label));
    assert_ok(dataset_with_labels(&out, d, label, &err), err);
    return out;
}

/* Where nobody labelled anything, preferences teach, choose and judge. */
static void preferences_take_the_place_of_labels(void **state)
{
    peck_fold bare[N_FOLDS];
    peck_fold_pairs pairs[N_FOLDS];
    peck_cv_spec spec = spec_of(ranknet);

    (void)state;
    for (int f = 0; f < N_FOLDS; f++) {
        const peck_dataset **const to[] = { &bare[f].train, &bare[f].valid, &bare[f].test };
        const peck_prefs **const of[] = { &pairs[f].train, &pairs[f].valid,
                                          &pairs[f].test };

        for (int p = 0; p < 3; p++) {
            *of[p] = prefs_of(part[f][p]);
            *to[p] = without_labels(part[f][p]);
        }
    }
    spec.size = sizeof spec;
    spec.fold = bare;
    spec.pairs = pairs;
    peck_report *const r = run(&spec);

    for (int f = 0; f < N_FOLDS; f++) {
        const peck_train_spec how = { .method = "ranknet",
                                      .settings = short_run,
                                      .train = bare[f].train,
                                      .pairs = pairs[f].train,
                                      .valid = bare[f].valid,
                                      .valid_pairs = pairs[f].valid };
        peck_model *m = NULL;
        peck_prefs_info info;
        double score[1000], right = 0.0;
        char name[64];

        assert_ok(peck_train(&m, &how, &err), err);
        assert_ok(peck_model_score(m, bare[f].test, 1, score, &err), err);
        peck_prefs_describe(pairs[f].test, &info);
        for (size_t i = 0; i < info.n_prefs; i++) {
            const peck_pref p = peck_prefs_at(pairs[f].test, i);

            right += score[p.winner] > score[p.loser]    ? 1.0
                     : score[p.winner] == score[p.loser] ? 0.5
                                                         : 0.0;
        }
        snprintf(name, sizeof name, "preferences Fold%d.ranknet", f + 1);
        assert_true(fabs(peck_report_value(r, name) - right / (double)info.n_prefs) <
                    1e-12);
        peck_model_free(m);
    }
    peck_report_free(r);
    spec.fold = fold; /* with labels they judge */
    peck_report *const labelled = run(&spec);

    assert_true(isnan(peck_report_value(labelled, "preferences Fold1.ranknet")));
    assert_true(peck_report_value(labelled, "ndcg@10 Fold1.ranknet") > 0.0);
    peck_report_free(labelled);
    spec.method = (const char *const[]){ "listnet", NULL };
    refused(&spec, PECK_ARG, "learns from labels");
    for (int f = 0; f < N_FOLDS; f++) {
        const peck_dataset *const d[] = { bare[f].train, bare[f].valid, bare[f].test };
        const peck_prefs *const p[] = { pairs[f].train, pairs[f].valid, pairs[f].test };

        for (int k = 0; k < 3; k++) {
            peck_dataset_free((peck_dataset *)d[k]);
            peck_prefs_free((peck_prefs *)p[k]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fold_is_what_training_and_judging_give),
        cmocka_unit_test(mean_and_deviation_are_over_folds),
        cmocka_unit_test(the_report_is_the_same_at_any_thread_count),
        cmocka_unit_test(validation_data_chooses_from_the_grid),
        cmocka_unit_test(errors_are_chosen_low),
        cmocka_unit_test(inner_folds_choose_from_the_grid),
        cmocka_unit_test(of_equal_points_the_earlier_is_chosen),
        cmocka_unit_test(a_fold_without_validation_data_holds_some_out),
        cmocka_unit_test(a_blend_is_one_more_method),
        cmocka_unit_test(results_come_by_method_and_fold),
        cmocka_unit_test(a_result_that_cannot_be_kept_ends_it),
        cmocka_unit_test(finished_folds_are_kept_when_progress_stops_it),
        cmocka_unit_test(finished_folds_are_blended_when_progress_stops_it),
        cmocka_unit_test(a_fold_is_finished_when_its_whole_grid_is),
        cmocka_unit_test(a_method_warns_once),
        cmocka_unit_test(preferences_take_the_place_of_labels),
        cmocka_unit_test(bad_specifications_are_refused),
    };

    return cmocka_run_group_tests(tests, make_folds, free_folds);
}
