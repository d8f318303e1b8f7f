/* cv.c -- folds, methods and a grid in, a report out.
 *
 * The test data is looked at once, after everything has been chosen.                 */
#include "cv.h"
#include "blend.h"
#include "../flow/train.h"

#include "../base/alloc.h"
#include "../learn/learn.h"

#include <math.h>

enum { MAX_RUNS = 100000, MIN_QUERIES_TO_SPLIT = 10 };
static const double usual_split = 0.2;

/* Test data --------------------------------------------------------------------------- */

static peck_status judge_cell(struct cv *cv, size_t cell, double *score, peck_error *err)
{
    const peck_cv_spec *const spec = cv->spec;
    const size_t fold = cell % spec->n_folds;
    const peck_dataset *const test = spec->fold[fold].test;
    const peck_fold_result result = { cv->column[cell / spec->n_folds], fold,
                                      cv->cell[cell].model, test, score };
    struct verdict v = { 0 };
    peck_status st = peck_model_score(result.model, cv->split[fold].fit_test,
                                      pool_size(cv->plan.pool), score, err);

    if (st == PECK_OK)
        st = judge_dataset(&v, test, score, &cv->plan, err);
    if (st == PECK_OK)
        memcpy(cv->total + cell * v.n_metrics, v.total, v.n_metrics * sizeof *v.total);
    if (st == PECK_OK && spec->keep != NULL)
        st = spec->keep(spec->ctx, &result, err);
    verdict_free(&v);
    return st;
}

/* Every cell that is finished: all of them, unless training was stopped. */
static peck_status judge_all(struct cv *cv, peck_error *err)
{
    peck_status st = PECK_OK;

    for (size_t cell = 0; cell < cv->n_columns * cv->spec->n_folds && st == PECK_OK;
         cell++) {
        if (!is_finished(&cv->cell[cell]))
            continue;
        const size_t n = cv->spec->fold[cell % cv->spec->n_folds].test->n_docs;
        double *const score = mem_new(n, sizeof *score);

        st = score != NULL ? judge_cell(cv, cell, score, err)
                           : fail_memory(err, "the scores", n, sizeof *score);
        mem_free(score);
    }
    return st;
}

/* Committees -------------------------------------------------------------------------- */

static peck_status blend_fold(struct cv *cv, size_t fold, const peck_model **model,
                              peck_error *err)
{
    const peck_cv_spec *const spec = cv->spec;
    const peck_dataset *const valid = cv->split[fold].valid;
    struct cell *const to = &cv->cell[cv->n_cells + fold];
    const peck_blend_spec how = { .model = model,
                                  .name = cv->method,
                                  .n_models = cv->n_methods,
                                  .weights = spec->blend,
                                  .valid = valid,
                                  .metric = cv->plan.metrics.item[0].name,
                                  .convention = spec->judge.convention,
                                  .alone = spec->train.alone,
                                  .seed = cv->plan.seed,
                                  .threads = pool_size(cv->plan.pool) };

    for (size_t m = 0; m < cv->n_methods; m++) {
        const struct cell *const from = &cv->cell[m * spec->n_folds + fold];

        if (!is_finished(from))
            return PECK_OK;
        model[m] = from->model;
    }
    TRY(peck_blend(&to->model, &how, err));
    return valid != NULL ? cv_measure(&to->value, cv, to->model, valid, err) : PECK_OK;
}

/* Of every fold whose methods are finished. */
static peck_status blend_all(struct cv *cv, peck_error *err)
{
    const peck_model **const model = mem_new(cv->n_methods, sizeof *model);
    peck_status st = PECK_OK;

    if (model == NULL)
        return fail_memory(err, "a committee", cv->n_methods, sizeof *model);
    for (size_t f = 0; cv->spec->blend != NULL && f < cv->spec->n_folds && st == PECK_OK;
         f++)
        st = blend_fold(cv, f, model, err);
    mem_free(model);
    return st;
}

/* Opening ------------------------------------------------------------------------------ */

/* A setting that no method has is a slip of the pen. */
static peck_status check_pairs(const struct cv *cv, const char *const *pair,
                               peck_error *err)
{
    for (size_t i = 0; pair != NULL && pair[i] != NULL; i++) {
        const peck_span key = pair_key(pair[i]);
        bool is_known = key.n == 0; /* told later, by those who read it */

        for (size_t m = 0; m < cv->n_methods; m++)
            is_known |= method_has(cv->method[m], key);
        if (!is_known)
            return fail(err, PECK_ARG,
                        "'%.60s': no method here has a setting '%.*s'; see `peck help %s`",
                        pair[i], SPAN_ARGS(key), cv->method[0]);
    }
    return PECK_OK;
}

/* What one method refuses is told before any other is trained. */
static peck_status check_alone(const char *method, peck_error *err)
{
    const struct plug *const plug =
        plug_find(recipes, n_recipes, "method", span_of(method), err);

    return plug != NULL ? recipe_check_alone((const struct recipe *)plug, err) : PECK_ARG;
}

static peck_status check_spec(const struct cv *cv, peck_error *err)
{
    const peck_cv_spec *const spec = cv->spec;

    if (cv->n_methods == 0 || spec->n_folds == 0)
        return fail(err, PECK_ARG, "cross-validation takes a method and a fold");
    if (cv->n_methods > MAX_RUNS / spec->n_folds)
        return fail(err, PECK_ARG, "%zu methods on %zu folds are too many", cv->n_methods,
                    spec->n_folds);
    if (spec->inner == 1)
        return fail(err, PECK_ARG, "one inner fold chooses nothing; take 2 or more");
    for (size_t m = 0; m < cv->n_methods; m++) {
        TRY(method_check(cv->method[m], err));
        if (spec->train.alone)
            TRY(check_alone(cv->method[m], err));
        for (size_t before = 0; before < m; before++)
            if (strcmp(cv->method[m], cv->method[before]) == 0)
                return fail(err, PECK_ARG, "method '%s' is there twice", cv->method[m]);
    }
    TRY(training_check_spec(&spec->train, err));
    TRY(check_pairs(cv, spec->train.settings, err));
    return check_pairs(cv, spec->grid, err);
}

/* With the columns of the fold's training data.  *is_told: of the folds, one is told of. */
static peck_status match(peck_dataset **out, const peck_dataset *d, const peck_fold *f,
                         const peck_train_spec *t, bool *is_told, peck_error *err)
{
    peck_match_info info;

    TRY(peck_dataset_match_data(out, d, f->train, t->match, &info, err));
    if (info.text[0] != '\0' && !*is_told && t->warn != NULL) {
        t->warn(t->ctx, info.text);
        *is_told = true;
    }
    return PECK_OK;
}

/* A fold without validation data holds some of its training data out. */
static peck_status open_split(struct split *p, const peck_fold *f, const peck_train_spec *t,
                              bool is_told[2], peck_error *err)
{
    const double share = t->valid_split == 0 ? usual_split : t->valid_split;

    if (f->valid != NULL)
        TRY(match(&p->fit_valid, f->valid, f, t, &is_told[0], err));
    TRY(match(&p->fit_test, f->test, f, t, &is_told[1], err));
    p->train = f->train;
    p->valid = p->fit_valid;
    if (f->valid != NULL || share < 0 ||
        (t->valid_split == 0 && f->train->n_queries < MIN_QUERIES_TO_SPLIT))
        return PECK_OK;
    TRY(peck_dataset_holdout(&p->kept, &p->held, f->train, share, t->seed, err));
    p->train = p->kept;
    p->valid = p->held;
    return PECK_OK;
}

static peck_status open_rest(struct cv *cv, peck_error *err)
{
    const peck_cv_spec *const spec = cv->spec;
    const bool blends = spec->blend != NULL;
    bool chooses = false, is_told[2] = { false, false };

    cv->n_columns = cv->n_methods + blends;
    const size_t n_all = cv->n_columns * spec->n_folds;

    cv->n_cells = cv->n_methods * spec->n_folds;
    cv->grid = mem_new(cv->n_methods, sizeof *cv->grid);
    cv->split = mem_new(spec->n_folds, sizeof *cv->split);
    cv->column = mem_new(cv->n_columns, sizeof *cv->column);
    cv->cell = mem_new(n_all, sizeof *cv->cell);
    cv->total = mem_new(n_all * cv->plan.metrics.n, sizeof *cv->total);
    if (!cv->grid || !cv->split || !cv->column || !cv->cell || !cv->total)
        return fail_memory(err, "the folds", cv->n_cells, sizeof *cv->cell);
    if (blends)
        cv->column[cv->n_methods] = "blend";
    for (size_t i = cv->n_cells; i < n_all; i++)
        cv->cell[i].value = (double)NAN;
    for (size_t m = 0; m < cv->n_methods; m++) {
        cv->column[m] = cv->method[m];
        TRY(grid_open(&cv->grid[m], spec->grid, cv->method[m], err));
        chooses |= cv->grid[m].n_points > 1;
    }
    for (size_t f = 0; f < spec->n_folds; f++) {
        TRY(open_split(&cv->split[f], &spec->fold[f], &spec->train, is_told, err));
        if (chooses && spec->inner == 0 && cv->split[f].valid == NULL)
            return fail(err, PECK_ARG,
                        "fold %zu has no validation data to choose from the grid by; give "
                        "it some, or inner folds",
                        f + 1);
        TRY(blend_check(spec->blend, blends && spec->train.alone,
                        cv->split[f].valid != NULL, err));
    }
    return PECK_OK;
}

/* Of validation and of test data, the first fold in which they overlap with another. */
static peck_status warn_of_overlaps(const struct cv *cv, peck_error *err)
{
    const peck_train_spec *const to = &cv->spec->train;
    bool is_valid_told = false, is_test_told = false;
    char where[32];

    for (size_t f = 0; f < cv->spec->n_folds; f++) {
        const struct part_of_data train = { "training", cv->split[f].train },
                                  valid = { "validation", cv->split[f].valid },
                                  test = { "test", cv->spec->fold[f].test };

        snprintf(where, sizeof where, "fold %zu: ", f + 1);
        TRY(warn_of_overlap(to, where, &valid, &train, &is_valid_told, err));
        TRY(warn_of_overlap(to, where, &test, &train, &is_test_told, err));
        TRY(warn_of_overlap(to, where, &test, &valid, &is_test_told, err));
    }
    return PECK_OK;
}

static peck_status cv_open(struct cv *cv, const peck_cv_spec *spec, peck_error *err)
{
    static const char *const usual[] = { "lambdaneuralrank", NULL };

    *cv = (struct cv){ .spec = spec };
    cv->method = spec->method != NULL ? spec->method : usual;
    while (cv->method[cv->n_methods] != NULL)
        cv->n_methods++;
    TRY(check_spec(cv, err));
    TRY(judge_plan_open(&cv->plan, &spec->judge, "ndcg@10,map", err));
    cv->is_error = cv->plan.metrics.item[0].metric->is_error;
    TRY(open_rest(cv, err));
    return warn_of_overlaps(cv, err);
}

static void cv_close(struct cv *cv)
{
    for (size_t m = 0; cv->grid != NULL && m < cv->n_methods; m++)
        grid_close(&cv->grid[m]);
    for (size_t f = 0; cv->split != NULL && f < cv->spec->n_folds; f++) {
        peck_dataset_free(cv->split[f].kept);
        peck_dataset_free(cv->split[f].held);
        peck_dataset_free(cv->split[f].fit_valid);
        peck_dataset_free(cv->split[f].fit_test);
    }
    for (size_t i = 0; cv->cell != NULL && i < cv->n_columns * cv->spec->n_folds; i++)
        peck_model_free(cv->cell[i].model);
    mem_free(cv->grid);
    mem_free(cv->split);
    mem_free(cv->column);
    mem_free(cv->cell);
    mem_free(cv->total);
    judge_plan_close(&cv->plan);
}

peck_status peck_cv(peck_report **out, const peck_cv_spec *spec, peck_error *err)
{
    struct cv cv;
    peck_status st = cv_open(&cv, spec, err);

    *out = NULL;
    if (st == PECK_OK)
        st = cv_train(&cv, err);
    if (st == PECK_OK || st == PECK_STOPPED) {
        peck_status judged = blend_all(&cv, err);

        if (judged == PECK_OK)
            judged = judge_all(&cv, err);
        st = judged != PECK_OK ? judged : st;
    }
    if (st == PECK_OK)
        st = cv_report(out, &cv, err);
    cv_close(&cv);
    return st;
}
