/* cv_report.c -- what cross-validation found, as tables with a column for each method:
 * every metric on every fold, mean and standard deviation (over folds, n - 1), the same
 * of the first metric on validation data, and what was chosen from the grid.          */
#include "cv.h"

#include "../base/alloc.h"
#include "../model/model.h"
#include "../report/report.h"

#include <math.h>

enum { NAME_ROOM = METRIC_NAME_MAX + 64 };

/* The values of one row group: one number for each cell. */
struct measured {
    const char *name;
    const double *value; /* value[cell * step] */
    size_t step;
};

static double value_at(const struct cv *cv, const struct measured *v, size_t m, size_t f)
{
    return v->value[(m * cv->spec->n_folds + f) * v->step];
}

static double mean_of(const struct cv *cv, const struct measured *v, size_t m)
{
    double sum = 0;

    for (size_t f = 0; f < cv->spec->n_folds; f++)
        sum += value_at(cv, v, m, f);
    return sum / (double)cv->spec->n_folds;
}

static double deviation_of(const struct cv *cv, const struct measured *v, size_t m)
{
    const size_t n = cv->spec->n_folds;
    const double mean = mean_of(cv, v, m);
    double sum = 0;

    for (size_t f = 0; f < n; f++) {
        const double off = value_at(cv, v, m, f) - mean;

        sum += off * off;
    }
    return n > 1 ? sqrt(sum / (double)(n - 1)) : (double)NAN;
}

static void write_group(struct peck_report *r, const struct cv *cv,
                        const struct measured *v)
{
    char name[NAME_ROOM];

    for (size_t f = 0; f < cv->spec->n_folds; f++) {
        snprintf(name, sizeof name, "%s Fold%zu", v->name, f + 1);
        report_cell_text(r, name);
        for (size_t m = 0; m < cv->n_columns; m++)
            report_cell_number(r, value_at(cv, v, m, f), 6);
    }
    snprintf(name, sizeof name, "%s mean", v->name);
    report_cell_text(r, name);
    for (size_t m = 0; m < cv->n_columns; m++)
        report_cell_number(r, mean_of(cv, v, m), 6);
    snprintf(name, sizeof name, "%s sd", v->name);
    report_cell_text(r, name);
    for (size_t m = 0; m < cv->n_columns; m++)
        report_cell_number(r, deviation_of(cv, v, m), 6);
}

static bool has_valid(const struct cv *cv)
{
    bool has = false;

    for (size_t f = 0; f < cv->spec->n_folds; f++)
        has |= cv->split[f].valid != NULL;
    return has;
}

static peck_status write_valid(struct peck_report *r, const struct cv *cv, peck_error *err)
{
    char name[NAME_ROOM];
    const size_t n = cv->n_columns * cv->spec->n_folds;
    double *const value = mem_new(n, sizeof *value);
    const struct measured v = { name, value, 1 };

    if (value == NULL)
        return fail_memory(err, "the report", n, sizeof *value);
    for (size_t i = 0; i < n; i++)
        value[i] = cv->cell[i].value;
    snprintf(name, sizeof name, "valid %s", cv->plan.metrics.item[0].name);
    write_group(r, cv, &v);
    mem_free(value);
    return PECK_OK;
}

static peck_status write_chosen(struct peck_report *r, const struct cv *cv, peck_error *err)
{
    struct text text;
    peck_status st = PECK_OK;

    text_init(&text, (size_t)1 << 20);
    for (size_t f = 0; f < cv->spec->n_folds; f++) {
        char name[NAME_ROOM];

        snprintf(name, sizeof name, "chosen Fold%zu", f + 1);
        report_cell_text(r, name);
        for (size_t m = 0; m < cv->n_methods; m++) {
            text.len = 0;
            text_add_str(&text, "");
            grid_describe(&cv->grid[m], cv->cell[m * cv->spec->n_folds + f].point, &text);
            report_cell_text(r, text.failed || text.len == 0 ? "-" : text.s);
        }
    }
    if (text.failed)
        st = fail_memory(err, "what was chosen", cv->n_cells, 64);
    text_free(&text);
    return st;
}

/* What each method has in the committee of a fold; 0: it was not chosen. */
static double share_of_method(const struct cv *cv, size_t m, size_t f)
{
    const struct peck_model *const all = cv->cell[cv->n_cells + f].model;
    const struct peck_model *const own = cv->cell[m * cv->spec->n_folds + f].model;

    for (size_t i = 0; i < all->n_parts; i++)
        if (all->part[i] == own)
            return all->share[i];
    return 0.0;
}

static void write_shares(struct peck_report *r, const struct cv *cv)
{
    for (size_t f = 0; f < cv->spec->n_folds; f++) {
        char name[NAME_ROOM];

        snprintf(name, sizeof name, "share Fold%zu", f + 1);
        report_cell_text(r, name);
        for (size_t m = 0; m < cv->n_methods; m++)
            report_cell_number(r, share_of_method(cv, m, f), 4);
    }
}

static peck_status fill(struct peck_report *r, const struct cv *cv, const char **column,
                        peck_error *err)
{
    const struct metric_list *const asked = &cv->plan.metrics;

    TRY(report_convention(r, &cv->plan.convention, err));
    report_note_count(r, "folds", cv->spec->n_folds);
    report_table(r, "test data", cv->n_columns + 1, column);
    for (size_t m = 0; m < asked->n; m++)
        write_group(r, cv,
                    &(struct measured){ asked->item[m].name, cv->total + m, asked->n });
    if (has_valid(cv)) {
        report_table(r, "validation data", cv->n_columns + 1, column);
        TRY(write_valid(r, cv, err));
    }
    if (cv->spec->grid != NULL && cv->spec->grid[0] != NULL) {
        report_table(r, "chosen from the grid", cv->n_methods + 1, column);
        TRY(write_chosen(r, cv, err));
    }
    if (cv->spec->blend != NULL) {
        report_table(r, "shares in the blend", cv->n_methods + 1, column);
        write_shares(r, cv);
    }
    return report_check(r, err);
}

peck_status cv_report(peck_report **out, const struct cv *cv, peck_error *err)
{
    const char **const column = mem_new(cv->n_columns + 1, sizeof *column);
    struct peck_report *const r = report_new();
    peck_status st;

    if (column != NULL && r != NULL) {
        column[0] = "fold";
        for (size_t m = 0; m < cv->n_columns; m++)
            column[m + 1] = cv->column[m];
        st = fill(r, cv, column, err);
    } else {
        st = fail_memory(err, "the report", cv->n_columns + 1, sizeof *column);
    }
    mem_free(column);
    if (st != PECK_OK)
        peck_report_free(r);
    else
        *out = r;
    return st;
}
