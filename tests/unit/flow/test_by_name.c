/* Models find the features of data by name: scores, orders, probes, training, folds and
 * committees are the same for data whose columns stand in another order.             */
#include "support/check.h"
#include "support/samples.h"
#include "support/scratch.h"

#include "model/model.h"

#include <math.h>

static peck_error err;

enum { DIM = 5, MOST_DOCS = 1000 };

static const struct sample shape = { .n_queries = 24,
                                     .max_docs = 12,
                                     .dim = DIM,
                                     .n_grades = 3,
                                     .has_doc_ids = true,
                                     .has_feature_names = true };
static const char *const few_trees[] = { "trees=8", "leaves=4", "min_leaf=3", NULL };

/* The columns that column[n] says, with their names or without. */
static peck_dataset *pick(const peck_dataset *d, const size_t *column, size_t n,
                          bool is_named)
{
    uint32_t all[64];
    peck_dataset *t = NULL;
    float *const x = calloc(d->n_docs * n, sizeof *x);

    for (uint32_t q = 0; q < d->n_queries; q++)
        all[q] = q;
    assert_ok(dataset_take(&t, d, all, d->n_queries, &err), err);
    strings_free(&t->feature_name);
    for (size_t f = 0; f < n; f++) {
        if (is_named)
            assert_true(
                strings_add(&t->feature_name, peck_dataset_feature_name(d, column[f])));
        for (size_t r = 0; r < d->n_docs; r++)
            x[r * n + f] = d->x[r * d->dim + column[f]];
    }
    free(t->x_owned);
    t->x = t->x_owned = x;
    t->dim = n;
    return t;
}

static const size_t as_it_is[] = { 0, 1, 2, 3, 4 }, backwards[] = { 4, 3, 2, 1, 0 },
                    last_three[] = { 4, 2, 3 };

static peck_model *train(const char *method, const peck_dataset *d)
{
    peck_model *m = NULL;

    assert_ok(peck_train(&m,
                         &(peck_train_spec){
                             .method = method,
                             .settings = strcmp(method, "mart") == 0 ? few_trees : NULL,
                             .train = d,
                             .threads = 1 },
                         &err),
              err);
    return m;
}

static void score(const peck_model *m, const peck_dataset *d, double *to)
{
    assert_true(d->n_docs <= MOST_DOCS);
    assert_ok(peck_model_score(m, d, 2, to, &err), err);
}

/* d and other get the same scores. */
static void assert_same_scores(const peck_model *m, const peck_dataset *d,
                               const peck_dataset *other)
{
    static double a[MOST_DOCS], b[MOST_DOCS];

    score(m, d, a);
    score(m, other, b);
    assert_memory_equal(a, b, d->n_docs * sizeof *a);
}

static void scores_and_orders_go_by_name(void **state)
{
    static double a[MOST_DOCS], b[MOST_DOCS];
    static const char *const methods[] = { "ridge", "mart", "cmpnn" };
    peck_dataset *const d = sample_dataset(&shape, 1);
    peck_dataset *const other = pick(d, backwards, DIM, true);

    (void)state;
    for (size_t i = 0; i < N_OF(methods); i++) {
        peck_model *const m = train(methods[i], d);

        assert_same_scores(m, d, other);
        assert_ok(peck_model_rank(m, d, NULL, a, NULL, &err), err);
        assert_ok(peck_model_rank(m, other, NULL, b, NULL, &err), err);
        assert_memory_equal(a, b, d->n_docs * sizeof *a);
        peck_model_free(m);
    }
    peck_dataset_free(other);
    peck_dataset_free(d);
}

/* The data that is asked for by position is scored by position, whatever it is called. */
static void positions_stay_where_they_are_asked_for(void **state)
{
    static double a[MOST_DOCS], b[MOST_DOCS];
    peck_dataset *const d = sample_dataset(&shape, 1);
    peck_dataset *const other = pick(d, backwards, DIM, true);
    peck_dataset *const unnamed = pick(d, backwards, DIM, false);
    peck_model *const m = train("ridge", d);
    peck_dataset *fit = NULL;
    peck_match_info info;

    (void)state;
    assert_ok(peck_dataset_match(&fit, other, m, "position", &info, &err), err);
    score(m, fit, a);
    score(m, unnamed, b);
    assert_memory_equal(a, b, d->n_docs * sizeof *a);
    score(m, d, b);
    assert_memory_not_equal(a, b, d->n_docs * sizeof *a);
    peck_dataset_free(fit);
    assert_ok(peck_dataset_match(&fit, other, m, NULL, &info, &err), err);
    assert_int_equal(info.by_name, 1);
    assert_memory_equal(fit->x, d->x, d->n_docs * DIM * sizeof *d->x);
    peck_dataset_free(fit);
    assert_span(peck_model_feature_name(m, 3), "feature-3");
    peck_model_free(m);
    peck_dataset_free(unnamed);
    peck_dataset_free(other);
    peck_dataset_free(d);
}

static void what_is_missing_is_listed(void **state)
{
    static double a[MOST_DOCS];
    peck_dataset *const d = sample_dataset(&shape, 1);
    peck_dataset *const few = pick(d, last_three, 3, true);
    peck_model *const m = train("ridge", d), *const of_few = train("ridge", few);

    (void)state;
    assert_int_equal(peck_model_score(m, few, 1, a, &err), PECK_SHAPE);
    assert_failed(err, PECK_SHAPE,
                  "of the 5 features that the model was trained on, 2 are missing: "
                  "'feature-0', 'feature-1'");
    assert_same_scores(of_few, few, d); /* d has more, and in another order */
    peck_model_free(m);
    peck_model_free(of_few);
    peck_dataset_free(few);
    peck_dataset_free(d);
}

static void probes_go_by_name(void **state)
{
    peck_dataset *const d = sample_dataset(&shape, 1);
    peck_dataset *const other = pick(d, backwards, DIM, true);
    peck_model *const m = train("ridge", d);
    peck_report *a = NULL, *b = NULL;

    (void)state;
    assert_ok(peck_probe(&a, m, d, NULL, &err), err);
    assert_ok(peck_probe(&b, m, other, NULL, &err), err);
    assert_true(peck_report_value(a, "accuracy") == peck_report_value(b, "accuracy"));
    assert_true(peck_report_value(a, "ndcg@10.mean") ==
                peck_report_value(b, "ndcg@10.mean"));
    peck_report_free(a);
    peck_report_free(b);
    peck_model_free(m);
    peck_dataset_free(other);
    peck_dataset_free(d);
}

/* Training ---------------------------------------------------------------------------- */

static const char *trained(const char *file, peck_train_spec spec)
{
    static const char *const short_run[] = { "epochs=3", NULL };
    const char *const path = scratch_path(file);
    peck_model *m = NULL;

    spec.settings = short_run;
    spec.threads = 1;
    assert_ok(peck_train(&m, &spec, &err), err);
    assert_ok(peck_model_save(m, path, &err), err);
    peck_model_free(m);
    return path;
}

struct told {
    int n;
    char text[512];
};

/* What is told of matching; that folds share their test data is no matter here. */
static void hear(void *ctx, const char *text)
{
    struct told *const t = ctx;

    if (strstr(text, "queries with the") != NULL)
        return;
    t->n++;
    snprintf(t->text, sizeof t->text, "%s", text);
}

static void validation_and_unlabelled_data_go_by_name(void **state)
{
    peck_dataset *const d = sample_dataset(&shape, 1), *const more =
                                                           sample_dataset(&shape, 2);
    peck_dataset *const other = pick(more, backwards, DIM, true);
    peck_dataset *const unnamed = pick(more, as_it_is, DIM, false);
    struct told told = { 0 };
    peck_train_spec spec = { .method = "ranknet", .train = d, .warn = hear, .ctx = &told };
    peck_model *m = NULL;

    (void)state;
    spec.valid = spec.unlabelled = more;
    const char *const a = trained("a.peck", spec);

    spec.valid = spec.unlabelled = other;
    assert_true(files_equal(a, trained("b.peck", spec)));
    assert_int_equal(told.n, 0);
    spec.valid = spec.unlabelled = unnamed;
    assert_true(files_equal(a, trained("b.peck", spec)));
    assert_int_equal(told.n, 2); /* once of each */
    assert_non_null(strstr(told.text, "by position"));
    spec.match = "position";
    assert_true(files_equal(a, trained("b.peck", spec)));
    assert_int_equal(told.n, 2);
    spec.match = "name";
    assert_int_equal(peck_train(&m, &spec, &err), PECK_SHAPE);
    spec.match = "names";
    assert_int_equal(peck_train(&m, &spec, &err), PECK_ARG);
    peck_dataset_free(unnamed);
    peck_dataset_free(other);
    peck_dataset_free(more);
    peck_dataset_free(d);
}

static double tested(const peck_fold *fold, size_t n_folds, const char *match,
                     struct told *told)
{
    static const char *const methods[] = { "ridge", NULL };
    const peck_train_spec train = { .match = match, .warn = hear, .ctx = told };
    const peck_cv_spec spec = { .fold = fold,
                                .n_folds = n_folds,
                                .method = methods,
                                .blend = "equal",
                                .train = &train };
    peck_report *r = NULL;

    assert_ok(peck_cv(&r, &spec, &err), err);
    const double value = peck_report_value(r, "ndcg@10 mean.ridge");

    peck_report_free(r);
    return value;
}

static void folds_go_by_name(void **state)
{
    peck_dataset *const d = sample_dataset(&shape, 1), *const more =
                                                           sample_dataset(&shape, 2);
    peck_dataset *const other = pick(more, backwards, DIM, true);
    peck_dataset *const unnamed = pick(more, as_it_is, DIM, false);
    const peck_fold plain[] = { { d, more, more }, { more, d, d } };
    const peck_fold turned[] = { { d, other, other }, { other, d, d } };
    const peck_fold nameless[] = { { d, unnamed, unnamed }, { d, unnamed, unnamed } };
    struct told told = { 0 };

    (void)state;
    const double value = tested(plain, 1, NULL, &told);

    assert_true(value > 0.0);
    assert_true(tested(turned, 1, NULL, &told) == value);
    assert_false(tested(turned, 1, "position", &told) == value);
    assert_true(tested(plain, 2, NULL, &told) == tested(turned, 2, NULL, &told));
    assert_int_equal(told.n, 0);
    assert_true(tested(nameless, 2, NULL, &told) == value);
    assert_int_equal(told.n, 2); /* of validation and test data once, not of every fold */
    peck_dataset_free(unnamed);
    peck_dataset_free(other);
    peck_dataset_free(more);
    peck_dataset_free(d);
}

/* Committees ------------------------------------------------------------------------- */

static peck_model *blend(const peck_model *const *model, size_t n,
                         const peck_dataset *valid, const char *weights)
{
    peck_model *m = NULL;

    assert_ok(
        peck_blend(&m,
                   &(peck_blend_spec){
                       .model = model, .n_models = n, .valid = valid, .weights = weights },
                   &err),
        err);
    return m;
}

/* A model is the same whatever the order that it was trained in, so a committee of both
 * says what a committee of one says. */
static void models_of_a_committee_find_their_features(void **state)
{
    static double a[MOST_DOCS], b[MOST_DOCS];
    peck_dataset *const d = sample_dataset(&shape, 1);
    peck_dataset *const other = pick(d, backwards, DIM, true);
    peck_model *const first = train("ridge", d), *const second = train("ridge", other);
    peck_model *const alone = blend((const peck_model *const[]){ first }, 1, d, NULL);
    peck_model *const both =
        blend((const peck_model *const[]){ first, second }, 2, other, "equal");
    peck_model *const best =
        blend((const peck_model *const[]){ second, first }, 2, d, "greedy");

    (void)state;
    assert_int_equal(peck_model_features(both), DIM);
    assert_span(peck_model_feature_name(both, 0), "feature-0");
    score(alone, d, a);
    score(both, d, b);
    for (size_t i = 0; i < d->n_docs; i++)
        assert_true(fabs(a[i] - b[i]) < 1e-5);
    assert_same_scores(both, d, other);
    assert_same_scores(best, d, other);
    peck_model_free(best);
    peck_model_free(both);
    peck_model_free(alone);
    peck_model_free(second);
    peck_model_free(first);
    peck_dataset_free(other);
    peck_dataset_free(d);
}

/* to[n] += share * (score - mean) / deviation, over each query */
static void stand_out(const peck_dataset *d, const double *from, double share, double *to)
{
    for (size_t q = 0; q < d->n_queries; q++) {
        const size_t lo = d->start[q], hi = d->start[q + 1];
        double mean = 0.0, square = 0.0;

        for (size_t i = lo; i < hi; i++)
            mean += from[i] / (double)(hi - lo);
        for (size_t i = lo; i < hi; i++)
            square += (from[i] - mean) * (from[i] - mean) / (double)(hi - lo);
        for (size_t i = lo; i < hi && square > 1e-20; i++) /* else all are equal */
            to[i] += share * (from[i] - mean) / sqrt(square);
    }
}

/* Features are listed with their numbers, which differ, and their names. */
static double questions_about(const peck_report *r, const peck_model *m, peck_span feature)
{
    char name[64];
    size_t i = 0;

    while (!span_equal(peck_model_feature_name(m, i), feature))
        i++;
    snprintf(name, sizeof name, "%zu %.*s.questions", i + 1, SPAN_ARGS(feature));
    return peck_report_value(r, name);
}

static void assert_same_questions(const peck_model *m, const peck_model *committee)
{
    peck_report *own = NULL, *all = NULL;
    double sum = 0.0;

    assert_ok(peck_model_importance(&own, m, &err), err);
    assert_ok(peck_model_importance(&all, committee, &err), err);
    for (size_t i = 0; i < DIM; i++) {
        const peck_span name = peck_model_feature_name(m, i);
        const double n = questions_about(own, m, name);

        assert_true(questions_about(all, committee, name) == n);
        sum += n;
    }
    assert_true(sum > 0.0);
    peck_report_free(own);
    peck_report_free(all);
}

static void models_of_a_committee_may_know_some_features(void **state)
{
    static double each[MOST_DOCS], want[MOST_DOCS], got[MOST_DOCS];
    peck_dataset *const d = sample_dataset(&shape, 1);
    peck_dataset *const few = pick(d, last_three, 3, true);
    peck_dataset *const other = pick(d, backwards, DIM, true);
    peck_model *const part[] = { train("ridge", few), train("mart", d) };
    peck_model *const m = blend((const peck_model *const *)part, 2, NULL, NULL);
    const char *const path = scratch_path("some.peck");
    peck_model *again = NULL, *third = NULL;

    (void)state;
    assert_int_equal(peck_model_features(m), DIM);
    assert_span(peck_model_feature_name(m, 0), "feature-4"); /* as the first model has it */
    assert_span(peck_model_feature_name(m, 3), "feature-0");
    for (size_t i = 0; i < 2; i++) {
        score(part[i], d, each);
        stand_out(d, each, 0.5, want);
    }
    score(m, d, got);
    for (size_t i = 0; i < d->n_docs; i++)
        assert_true(fabs(got[i] - want[i]) < 1e-5);
    assert_same_scores(m, d, other);
    assert_ok(peck_model_save(m, path, &err), err);
    assert_ok(peck_model_load(&again, path, &err), err);
    score(again, other, want);
    assert_memory_equal(want, got, d->n_docs * sizeof *got);
    /* and what is made of it */
    third = blend((const peck_model *const[]){ again, part[1] }, 2, NULL, NULL);
    assert_int_equal(peck_model_features(third), DIM);
    assert_same_scores(third, d, other);
    assert_same_questions(part[1], again);
    peck_model_free(third);
    peck_model_free(again);
    peck_model_free(m);
    for (size_t i = 0; i < 2; i++)
        peck_model_free(part[i]);
    peck_dataset_free(other);
    peck_dataset_free(few);
    peck_dataset_free(d);
}

/* One query at a time, rows stand in the order of the committee. */
static void a_scorer_takes_rows_in_the_order_of_the_model(void **state)
{
    static double want[MOST_DOCS];
    peck_dataset *const d = sample_dataset(&shape, 1), *fit = NULL;
    peck_dataset *const few = pick(d, last_three, 3, true);
    peck_model *const part[] = { train("ridge", few), train("ridge", d) };
    peck_model *const m = blend((const peck_model *const *)part, 2, NULL, NULL);
    peck_scorer *s = NULL;
    double got[16];

    (void)state;
    score(m, d, want);
    assert_ok(peck_dataset_match(&fit, d, m, "name", NULL, &err), err);
    assert_ok(peck_scorer_new(&s, m, &err), err);
    for (size_t i = 0; i < d->n_queries; i++) {
        peck_query q;

        peck_dataset_query(fit, i, &q);
        assert_ok(peck_score(s, q.x, q.n_docs, q.stride, got, &err), err);
        for (size_t k = 0; k < q.n_docs; k++)
            assert_true(want[q.first + k] == got[k]);
    }
    peck_scorer_free(s);
    peck_dataset_free(fit);
    peck_model_free(m);
    for (size_t i = 0; i < 2; i++)
        peck_model_free(part[i]);
    peck_dataset_free(few);
    peck_dataset_free(d);
}

static void models_without_names_must_take_as_many_features(void **state)
{
    peck_dataset *const d = sample_dataset(&shape, 1);
    peck_dataset *const few = pick(d, last_three, 3, false);
    peck_model *const part[] = { train("ridge", d), train("ridge", few) };
    peck_model *m = NULL;

    (void)state;
    assert_int_equal(
        peck_blend(
            &m,
            &(peck_blend_spec){ .model = (const peck_model *const *)part, .n_models = 2 },
            &err),
        PECK_SHAPE);
    assert_failed(err, PECK_SHAPE, "model 2 takes 3 features, but model 1 takes 5");
    for (size_t i = 0; i < 2; i++)
        peck_model_free(part[i]);
    peck_dataset_free(few);
    peck_dataset_free(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scores_and_orders_go_by_name),
        cmocka_unit_test(positions_stay_where_they_are_asked_for),
        cmocka_unit_test(what_is_missing_is_listed),
        cmocka_unit_test(probes_go_by_name),
        cmocka_unit_test(validation_and_unlabelled_data_go_by_name),
        cmocka_unit_test(folds_go_by_name),
        cmocka_unit_test(models_of_a_committee_find_their_features),
        cmocka_unit_test(models_of_a_committee_may_know_some_features),
        cmocka_unit_test(a_scorer_takes_rows_in_the_order_of_the_model),
        cmocka_unit_test(models_without_names_must_take_as_many_features),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
