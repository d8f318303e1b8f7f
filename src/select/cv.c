/* cv.c -- folds, methods and a grid in, a report out.
 *
 * The test data is looked at once, after everything has been chosen.  The report has tables
 * with a column for each method: every metric on every fold, mean and standard deviation (over
 * folds, n - 1), the same of the first metric on validation data, and what was chosen from the
 * grid.                                                                               */
#include "select.h"

#include "../base/spec.h"
#include "../base/alloc.h"
#include "../train/train.h"
#include "../learn/learn.h"
#include "../model/model.h"
#include "../report/report.h"

#include <math.h>

enum { MAX_RUNS = 100000, NAME_ROOM = 64 };

/* Opening ------------------------------------------------------------------------------ */

/* Values of a setting of rules, "rules.alpha=1,3". */
static peck_status check_rule_axis(const peck_train_spec *t, const char *axis,
                                   peck_error *err)
{
    const char *const one[] = { axis, NULL };
    struct grid grid;
    peck_status st;

    if (t->rules == NULL)
        return fail(err, PECK_ARG, "grid '%.100s': there are no rules to set it of", axis);
    TRY(grid_open(&grid, one, PECK_DEFAULT_METHOD, err));
    st = PECK_OK;
    for (size_t i = 0; i < grid.n_points && st == PECK_OK; i++) {
        peck_train_spec at = *t;
        struct point_settings chosen;
        peck_rules *own = NULL;

        st = point_settings_open(&chosen, &grid, i, PECK_DEFAULT_METHOD, NULL, NULL, err);
        if (st != PECK_OK)
            break;
        st = point_rules(&at, &chosen, &own, err);
        peck_rules_free(own);
        point_settings_close(&chosen);
    }
    grid_close(&grid);
    return st;
}

/* A setting that no method here has, or a key of the grid that nothing has. */
static peck_status refuse_setting(const struct cv *cv, const char *pair, bool is_of_grid,
                                  peck_error *err)
{
    enum { MOST = 1024 };
    const peck_span key = pair_key(pair);
    const char *known[MOST];
    char typed[SPAN_SHOWN + 1];
    peck_param p;
    size_t n = 0;

    known[n++] = "norm";
    if (is_of_grid)
        known[n++] = "rules-weight";
    for (size_t m = 0; m < cv->n_methods; m++)
        for (size_t i = 0; n < MOST && peck_param_at(PECK_METHOD, cv->method[m], i, &p);
             i++)
            known[n++] = p.key;
    snprintf(typed, sizeof typed, "%.*s", SPAN_ARGS(key));
    const char *const near = peck_nearest(typed, known, n);

    if (near != NULL)
        return fail(err, PECK_ARG,
                    "'%.60s': no method here has a setting '%s'; did you mean '%s'?", pair,
                    typed, near);
    return fail(err, PECK_ARG,
                "'%.60s': no method here has a setting '%s'; see `peck help %s`", pair,
                typed, cv->method[0]);
}

/* What would fail hours later is refused at once. */
static peck_status check_cv_spec(const struct cv *cv, peck_error *err)
{
    const peck_cv_spec *const spec = cv->spec;
    const char *const *const told[] = { spec->train->settings, spec->grid };

    if (cv->n_methods == 0 || spec->n_folds == 0)
        return fail(err, PECK_ARG, "cross-validation takes a method and a fold");
    if (cv->n_methods > MAX_RUNS / spec->n_folds)
        return fail(err, PECK_ARG, "%zu methods on %zu folds are too many", cv->n_methods,
                    spec->n_folds);
    if (spec->inner == 1)
        return fail(err, PECK_ARG, "one inner fold chooses nothing; take 2 or more");
    for (size_t m = 0; m < cv->n_methods; m++) {
        const struct plug *const plug =
            plug_find(recipes, n_recipes, "method", span_of(cv->method[m]), err);

        if (plug == NULL)
            return PECK_ARG;
        if (spec->train->alone) /* what one refuses is told before any other is trained */
            TRY(recipe_check_alone((const struct recipe *)plug, err));
        if (spec->train->rules != NULL)
            TRY(recipe_check_rules((const struct recipe *)plug, err));
        if (spec->pairs != NULL)
            TRY(recipe_check_pairs((const struct recipe *)plug, err));
        for (size_t before = 0; before < m; before++)
            if (strcmp(cv->method[m], cv->method[before]) == 0)
                return fail(err, PECK_ARG, "method '%s' is there twice", cv->method[m]);
    }
    TRY(blend_check(spec->blend, false, true, err)); /* as far as it depends on no fold */
    TRY(training_check_spec(spec->train, err));
    /* A setting that no method has is a mistake. */
    for (size_t k = 0; k < 2; k++)
        for (size_t i = 0; told[k] != NULL && told[k][i] != NULL; i++) {
            const peck_span key = pair_key(told[k][i]);
            bool is_known = key.n == 0; /* told later, by those who read it */

            if (k == 1 && is_rule_key(key)) {
                TRY(check_rule_axis(spec->train, told[k][i], err));
                is_known = true;
            }
            for (size_t m = 0; m < cv->n_methods; m++)
                is_known |= method_has(cv->method[m], key);
            if (!is_known)
                return refuse_setting(cv, told[k][i], k == 1, err);
        }
    return PECK_OK;
}

/* Validation and test data get the columns of their fold's training data; a fold without
 * validation data holds some of its training data out.  Of columns that had to be matched, and
 * of data that overlaps, the first fold is told of. */
static peck_status open_folds(struct cv *cv, peck_error *err)
{
    const peck_cv_spec *const spec = cv->spec;
    const peck_train_spec *const t = spec->train;
    bool chooses = false, is_match_told[2] = { false }, is_overlap_told[2] = { false };
    char where[32], text[OVERLAP_ROOM];

    for (size_t m = 0; m < cv->n_methods; m++)
        chooses |= cv->grid[m].n_points > 1;
    for (size_t i = 0; i < spec->n_folds; i++) {
        const peck_fold *const f = &spec->fold[i];
        struct fold_split *const p = &cv->split[i];
        const peck_dataset *const from[] = { f->valid, f->test };
        peck_dataset **const to[] = { &p->fit_valid, &p->fit_test };

        for (size_t k = f->valid == NULL; k < 2; k++) {
            peck_match_info info;

            TRY(peck_dataset_match_data(to[k], from[k], f->train, t->match, &info, err));
            if (info.text[0] != '\0' && !is_match_told[k] && t->warn != NULL) {
                t->warn(t->ctx, info.text);
                is_match_told[k] = true;
            }
        }
        const double share =
            f->valid == NULL ? share_to_hold(t->valid_split, f->train->n_queries) : 0.0;

        p->train = f->train;
        p->valid = p->fit_valid;
        if (spec->pairs != NULL) {
            p->pairs = spec->pairs[i].train;
            p->valid_pairs = spec->pairs[i].valid;
            p->test_pairs = spec->pairs[i].test;
            if (p->pairs == NULL || p->test_pairs == NULL ||
                (f->valid != NULL && p->valid_pairs == NULL))
                return fail(err, PECK_ARG, "fold %zu has data without its preferences",
                            i + 1);
        }
        if (share > 0.0) {
            TRY(holdout_take(&p->parts, f->train, p->pairs, share, t->seed, err));
            p->train = p->parts.kept;
            p->valid = p->parts.held;
            p->pairs = p->parts.kept_prefs;
            p->valid_pairs = p->parts.held_prefs;
        }
        if (chooses && spec->inner == 0 && p->valid == NULL)
            return fail(err, PECK_ARG,
                        "fold %zu has no validation data to choose from the grid by; give "
                        "it some, or inner folds",
                        i + 1);
        TRY(blend_check(spec->blend, spec->blend != NULL && t->alone, p->valid != NULL,
                        err));
    }
    for (size_t i = 0; t->warn != NULL && i < spec->n_folds; i++) {
        const peck_dataset *const train = cv->split[i].train,
                                  *const valid = cv->split[i].valid,
                                  *const test = spec->fold[i].test;
        const struct {
            const char *part, *other;
            const peck_dataset *data, *of;
            bool *was_told;
        } look[] = { { "validation", "training", valid, train, &is_overlap_told[0] },
                     { "test", "training", test, train, &is_overlap_told[1] },
                     { "test", "validation", test, valid, &is_overlap_told[1] } };

        snprintf(where, sizeof where, "fold %zu: ", i + 1);
        for (size_t k = 0; k < sizeof look / sizeof *look; k++) {
            peck_overlap both = { 0 };

            if (look[k].data != NULL && look[k].of != NULL && !*look[k].was_told)
                TRY(peck_dataset_overlap(&both, look[k].data, look[k].of, err));
            if (both.n_queries == 0)
                continue;
            overlap_print(text, where, look[k].part, look[k].data, look[k].other, &both);
            t->warn(t->ctx, text);
            *look[k].was_told = true;
        }
    }
    return PECK_OK;
}

/* Checks, then memory for cells, grids and folds.  Where it fails, cv_close tidies up. */
static peck_status cv_open(struct cv *cv, const peck_cv_spec *spec, peck_error *err)
{
    static const char *const usual[] = { PECK_DEFAULT_METHOD, NULL };
    static const char *const what = "the folds";
    struct arena *const a = &cv->arena;

    *cv = (struct cv){ .spec = spec };
    cv->method = spec->method != NULL ? spec->method : usual;
    while (cv->method[cv->n_methods] != NULL)
        cv->n_methods++;
    TRY(check_cv_spec(cv, err));
    TRY(judge_plan_open(&cv->plan, spec->judge, PECK_DEFAULT_METRIC ",map", err));
    cv->by_pairs = spec->pairs != NULL;
    for (size_t i = 0; i < spec->n_folds; i++)
        cv->by_pairs &= spec->fold[i].test->n_judged == 0;
    cv->is_error = cv->plan.metrics.item[0].metric->is_error && !cv->by_pairs;
    cv->n_columns = cv->n_methods + (spec->blend != NULL);
    cv->n_cells = cv->n_methods * spec->n_folds;
    const size_t n_all = cv->n_columns * spec->n_folds;

    /* Grids, folds, and a cell for each method (and the committee) on each fold. */
    cv->grid = arena_new(a, what, cv->n_methods, sizeof *cv->grid);
    cv->split = arena_new(a, what, spec->n_folds, sizeof *cv->split);
    cv->column = arena_new(a, what, cv->n_columns, sizeof *cv->column);
    cv->cell = arena_new(a, what, n_all, sizeof *cv->cell);
    cv->total = arena_new(a, what, n_all * cv->plan.metrics.n, sizeof *cv->total);
    TRY(arena_check(a, err));
    for (size_t i = cv->n_cells; i < n_all; i++)
        cv->cell[i].value = (double)NAN;
    cv->column[cv->n_columns - 1] = "blend"; /* or the last method */
    for (size_t m = 0; m < cv->n_methods; m++) {
        cv->column[m] = cv->method[m];
        TRY(grid_open(&cv->grid[m], spec->grid, cv->method[m], err));
    }
    if (cv->by_pairs && spec->blend != NULL && strcmp(spec->blend, "equal") != 0)
        return fail(err, PECK_ARG,
                    "%s weights of a blend are found by labels, and the data has no "
                    "labels; take equal ones",
                    spec->blend);
    return open_folds(cv, err);
}

static void cv_close(struct cv *cv)
{
    for (size_t m = 0; cv->grid != NULL && m < cv->n_methods; m++)
        grid_close(&cv->grid[m]);
    for (size_t f = 0; cv->split != NULL && f < cv->spec->n_folds; f++) {
        holdout_free(&cv->split[f].parts);
        peck_dataset_free(cv->split[f].fit_valid);
        peck_dataset_free(cv->split[f].fit_test);
    }
    for (size_t i = 0; cv->cell != NULL && i < cv->n_columns * cv->spec->n_folds; i++)
        peck_model_free(cv->cell[i].model);
    arena_free(&cv->arena);
    judge_plan_close(&cv->plan);
}

/* Committees and test data --------------------------------------------------------------- */

/* Whether it has its last model. */
static bool is_finished(const struct cell *c)
{
    return c->model != NULL && c->n_left == 0;
}

/* A committee in every fold whose methods are finished. */
static peck_status blend_folds(struct cv *cv, peck_error *err)
{
    const peck_cv_spec *const spec = cv->spec;
    const peck_model **const model = mem_new(cv->n_methods, sizeof *model);
    peck_status st = PECK_OK;

    if (model == NULL)
        return fail_memory(err, "a committee", cv->n_methods, sizeof *model);
    for (size_t f = 0; spec->blend != NULL && f < spec->n_folds && st == PECK_OK; f++) {
        const peck_dataset *const valid = cv->split[f].valid;
        struct cell *const to = &cv->cell[cv->n_cells + f];
        const peck_blend_spec how = { .model = model,
                                      .name = cv->method,
                                      .n_models = cv->n_methods,
                                      .weights = spec->blend,
                                      .valid = cv->by_pairs ? NULL : valid,
                                      .metric = cv->plan.metrics.item[0].name,
                                      .convention = spec->judge->convention,
                                      .alone = spec->train->alone,
                                      .seed = cv->plan.seed,
                                      .threads = pool_size(cv->plan.pool),
                                      .own_metrics = spec->judge->own_metrics };
        bool are_finished = true;

        for (size_t m = 0; m < cv->n_methods; m++) {
            const struct cell *const from = &cv->cell[m * spec->n_folds + f];

            are_finished &= is_finished(from);
            model[m] = from->model;
        }
        if (are_finished)
            st = peck_blend(&to->model, &how, err);
        if (are_finished && st == PECK_OK && valid != NULL)
            st =
                cv_measure(&to->value, cv, to->model, valid, cv->split[f].valid_pairs, err);
    }
    mem_free(model);
    return st;
}

/* Every cell that is finished: all of them, unless training was stopped. */
static peck_status judge_cells(struct cv *cv, peck_error *err)
{
    const peck_cv_spec *const spec = cv->spec;
    peck_status st = PECK_OK;

    for (size_t i = 0; i < cv->n_columns * spec->n_folds && st == PECK_OK; i++) {
        const size_t fold = i % spec->n_folds;
        const peck_dataset *const test = spec->fold[fold].test;
        struct verdict v = { 0 };

        if (!is_finished(&cv->cell[i]))
            continue;
        double *const score = mem_new(test->n_docs, sizeof *score);
        const peck_fold_result result = { cv->column[i / spec->n_folds],
                                          fold,
                                          cv->cell[i].model,
                                          test,
                                          score,
                                          spec->train->seed };

        st = score != NULL ? peck_model_score(result.model, cv->split[fold].fit_test,
                                              pool_size(cv->plan.pool), score, err)
                           : fail_memory(err, "the scores", test->n_docs, sizeof *score);
        if (st == PECK_OK && cv->by_pairs)
            cv->total[i] = agreement(cv->split[fold].test_pairs, score);
        else if (st == PECK_OK)
            st = judge_dataset(&v, test, score, &cv->plan, err);
        if (st == PECK_OK && !cv->by_pairs)
            memcpy(cv->total + i * v.n_metrics, v.total, v.n_metrics * sizeof *v.total);
        if (st == PECK_OK && spec->keep != NULL)
            st = spec->keep(spec->ctx, &result, err);
        verdict_free(&v);
        mem_free(score);
    }
    return st;
}

/* Report ---------------------------------------------------------------------------------- */

/* A table of the first n_named metrics: rows of folds, mean and standard deviation (over folds,
 * n - 1), from value[cell][n_named].  row: room for [n_named][n_folds + 2][n_columns]. */
static void write_values(struct peck_report *r, const struct cv *cv, const char *title,
                         const char *const *column, const char *prefix, size_t n_named,
                         const double *value, double *row)
{
    const size_t n = cv->spec->n_folds;
    char name[NAME_ROOM];

    for (size_t k = 0; k < n_named; k++)
        for (size_t m = 0; m < cv->n_columns; m++) {
            double *const to = row + k * (n + 2) * cv->n_columns + m;
            double sum = 0, squares = 0;

            for (size_t f = 0; f < n; f++) {
                to[f * cv->n_columns] = value[(m * n + f) * n_named + k];
                sum += to[f * cv->n_columns];
            }
            const double mean = sum / (double)n;

            for (size_t f = 0; f < n; f++) {
                const double off = to[f * cv->n_columns] - mean;

                squares += off * off;
            }
            to[n * cv->n_columns] = mean;
            to[(n + 1) * cv->n_columns] =
                n > 1 ? sqrt(squares / (double)(n - 1)) : (double)NAN;
        }
    report_table_of(r, title, prefix, 2, cv->n_columns + 2, column);
    for (size_t k = 0; k < n_named; k++)
        for (size_t f = 0; f < n + 2; f++) {
            snprintf(name, sizeof name, "Fold%zu", f + 1);
            report_cell_text(r,
                             cv->by_pairs ? "preferences" : cv->plan.metrics.item[k].name);
            report_cell_text(r, f < n ? name : f == n ? "mean" : "sd");
            for (size_t m = 0; m < cv->n_columns; m++)
                report_cell_number(r, *row++, 6);
        }
}

/* How much rules count in each model where trials found it out, fold by fold. */
static void write_rules_taken(struct peck_report *r, const struct cv *cv,
                              const char *const *column)
{
    const size_t n_folds = cv->spec->n_folds;
    char name[NAME_ROOM];
    bool has_any = false;

    for (size_t i = 0; i < cv->n_cells; i++)
        has_any |= notes_get(&cv->cell[i].model->notes, "rules taken").n > 0;
    if (!has_any)
        return;
    report_table_of(r, "rules that were taken", "rules ", 1, cv->n_methods + 1, column);
    for (size_t f = 0; f < n_folds; f++) {
        snprintf(name, sizeof name, "Fold%zu", f + 1);
        report_cell_text(r, name);
        for (size_t m = 0; m < cv->n_methods; m++) {
            const peck_span taken =
                notes_get(&cv->cell[m * n_folds + f].model->notes, "rules taken");

            report_cell_span(r, taken.n > 0 ? taken : span_of("-"));
        }
    }
}

/* What each method chose from the grid, and what it has in the committee (0: it was not
 * chosen), fold by fold. */
static peck_status write_choices(struct peck_report *r, const struct cv *cv,
                                 const char *const *column, peck_error *err)
{
    const size_t n_folds = cv->spec->n_folds;
    char name[NAME_ROOM];
    struct text text;

    text_init(&text, (size_t)1 << 20);
    if (cv->spec->grid != NULL && cv->spec->grid[0] != NULL) {
        report_table_of(r, "chosen from the grid", "chosen ", 1, cv->n_methods + 1, column);
        for (size_t f = 0; f < n_folds; f++) {
            snprintf(name, sizeof name, "Fold%zu", f + 1);
            report_cell_text(r, name);
            for (size_t m = 0; m < cv->n_methods; m++) {
                text.len = 0;
                grid_describe(&cv->grid[m], cv->cell[m * n_folds + f].point, &text);
                report_cell_text(r, text.failed || text.len == 0 ? "-" : text.s);
            }
        }
    }
    const bool has_failed = text.failed;

    text_free(&text);
    if (has_failed)
        return fail_memory(err, "what was chosen", cv->n_cells, 64);
    if (cv->spec->blend == NULL)
        return PECK_OK;
    report_table_of(r, "shares in the blend", "share ", 1, cv->n_methods + 1, column);
    for (size_t f = 0; f < n_folds; f++) {
        const struct peck_model *const all = cv->cell[cv->n_cells + f].model;

        snprintf(name, sizeof name, "Fold%zu", f + 1);
        report_cell_text(r, name);
        for (size_t m = 0; m < cv->n_methods; m++) {
            double share = 0.0;

            for (size_t i = 0; i < all->n_parts; i++)
                if (all->part[i] == cv->cell[m * n_folds + f].model)
                    share = all->share[i];
            report_cell_number(r, share, 4);
        }
    }
    return PECK_OK;
}

/* The tables of test data, validation data, choices and shares. */
static peck_status cv_report(peck_report **out, const struct cv *cv, peck_error *err)
{
    const size_t n = cv->n_columns * cv->spec->n_folds;
    const size_t n_asked = cv->by_pairs ? 1 : cv->plan.metrics.n;
    struct arena a = { 0 };
    const char **const column =
        arena_new(&a, "the report", cv->n_columns + 2, sizeof *column);
    double *const valid = arena_new(&a, "the report", n, sizeof *valid);
    double *const row = arena_new(
        &a, "the report", n_asked * (cv->spec->n_folds + 2) * cv->n_columns, sizeof *row);
    struct peck_report *r = NULL;
    bool has_valid = false;
    peck_status st = arena_check(&a, err);

    if (st == PECK_OK)
        st = peck_report_new(&r, err);
    if (st == PECK_OK) {
        column[0] = "metric";
        column[1] = "fold";
        for (size_t m = 0; m < cv->n_columns; m++)
            column[m + 2] = cv->column[m];
        report_note_brief(r, "convention", cv->plan.words.s, cv->plan.brief.s);
        report_note_count(r, "folds", cv->spec->n_folds);
        write_values(r, cv, "test data", column, "", n_asked, cv->total, row);
        for (size_t f = 0; f < cv->spec->n_folds; f++)
            has_valid |= cv->split[f].valid != NULL;
        for (size_t i = 0; i < n; i++)
            valid[i] = cv->cell[i].value;
        if (has_valid)
            write_values(r, cv, "validation data", column, "valid ", 1, valid, row);
        write_rules_taken(r, cv, column + 1);
        st = write_choices(r, cv, column + 1, err);
    }
    arena_free(&a);
    return report_finish(out, r, st, err);
}

peck_status cv_once(peck_report **out, const peck_cv_spec *spec, peck_error *err)
{
    struct cv cv;
    peck_status st = cv_open(&cv, spec, err);

    if (st == PECK_OK)
        st = cv_train(&cv, err);
    if (st == PECK_OK || st == PECK_STOPPED) {
        peck_status judged = blend_folds(&cv, err);

        if (judged == PECK_OK)
            judged = judge_cells(&cv, err);
        st = judged != PECK_OK ? judged : st;
    }
    if (st == PECK_OK)
        st = cv_report(out, &cv, err);
    cv_close(&cv);
    return st;
}

peck_status peck_cv(peck_report **out, const peck_cv_spec *spec, peck_error *err)
{
    peck_cv_spec own;
    peck_train_spec train;
    peck_judge_spec judge;

    *out = NULL;
    TRY(SPEC_TAKE(peck_cv_spec, &own, ctx, spec, err));
    if (own.comm != NULL)
        TRY(comm_check(own.comm, err));
    TRY(SPEC_TAKE(peck_train_spec, &train, own_loss, own.train, err));
    TRY(SPEC_TAKE(peck_judge_spec, &judge, own_metrics, own.judge, err));
    own.train = &train;
    own.judge = &judge;
    return own.n_seeds == 0 ? cv_once(out, &own, err) : cv_of_seeds(out, &own, err);
}
