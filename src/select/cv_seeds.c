/* cv_seeds.c -- a cross-validation once more for each seed: what training draws moves the
 * means by so much.                                                                      */
#include "select.h"

#include "../base/alloc.h"
#include "../report/report.h"

#include <math.h>

enum { MOST_SEEDS = 10000 };

/* One of several; its progress is a part of the whole. */
struct seed_run {
    const peck_cv_spec *whole;
    size_t number; /* from 0 */
};

static int seed_progress(void *ctx, double share)
{
    const struct seed_run *const s = ctx;

    return s->whole->progress(s->whole->ctx,
                              ((double)s->number + share) / (double)s->whole->n_seeds);
}

static peck_status seed_keep(void *ctx, const peck_fold_result *r, peck_error *err)
{
    const struct seed_run *const s = ctx;

    return s->whole->keep(s->whole->ctx, r, err);
}

/* A table of the seeds' reports: of each metric what a seed's folds have in the mean, and mean
 * and standard deviation (n - 1) of that. */
static void write_seeds(struct peck_report *r, struct peck_report *const *of,
                        const peck_cv_spec *spec, const char *const *column,
                        const char *title, const char *prefix)
{
    const size_t n = spec->n_seeds;
    struct report_grid t;
    char name[32];

    if (!report_find_table(of[0], title, &t))
        return;
    report_table_of(r, title, prefix, 2, t.n_columns, column);
    for (size_t row = 0; row < t.n_rows; row++) {
        if (!span_is(report_text_at(of[0], &t, row, 1), "mean"))
            continue;
        for (size_t i = 0; i < n + 2; i++) {
            snprintf(name, sizeof name, "Seed%llu",
                     (unsigned long long)(i < n ? spec->seed[i] : 0));
            report_cell_span(r, report_text_at(of[0], &t, row, 0));
            report_cell_text(r, i < n ? name : i == n ? "mean" : "sd");
            for (size_t c = 2; c < t.n_columns; c++) {
                double mean = 0.0, squares = 0.0;

                for (size_t k = 0; k < n; k++)
                    mean += report_number_at(of[k], &t, row, c) / (double)n;
                for (size_t k = 0; k < n; k++) {
                    const double off = report_number_at(of[k], &t, row, c) - mean;

                    squares += off * off;
                }
                report_cell_number(r,
                                   i < n    ? report_number_at(of[i], &t, row, c)
                                   : i == n ? mean
                                   : n > 1  ? sqrt(squares / (double)(n - 1))
                                            : (double)NAN,
                                   6);
            }
        }
    }
}

/* Folds stay as they are; what is told of the data is told once. */
peck_status cv_of_seeds(peck_report **out, const peck_cv_spec *spec, peck_error *err)
{
    struct seed_run one = { spec, 0 };
    struct peck_report *r = NULL;
    size_t n_methods = 0;
    struct arena a = { 0 };
    peck_train_spec train = *spec->train;
    peck_cv_spec at = *spec;
    peck_status st = PECK_OK;

    if (spec->n_seeds > MOST_SEEDS)
        return fail(err, PECK_ARG, "%zu seeds; at most %d", spec->n_seeds, MOST_SEEDS);
    while (spec->method != NULL && spec->method[n_methods] != NULL)
        n_methods++;
    struct peck_report **const of =
        arena_new(&a, "the seeds' reports", spec->n_seeds, sizeof *of);
    const char **const column =
        arena_new(&a, "the seeds' reports", n_methods + 4, sizeof *column);

    st = arena_check(&a, err);
    if (st != PECK_OK) {
        arena_free(&a);
        return st;
    }
    column[0] = "metric";
    column[1] = "seed";
    column[2] = PECK_DEFAULT_METHOD;
    for (size_t m = 0; m < n_methods; m++)
        column[2 + m] = spec->method[m];
    column[2 + (n_methods > 0 ? n_methods : 1)] = "blend"; /* where there is one */
    at.train = &train;
    at.progress = spec->progress != NULL ? seed_progress : NULL;
    at.keep = spec->keep != NULL ? seed_keep : NULL;
    at.ctx = &one;
    for (; st == PECK_OK && one.number < spec->n_seeds; one.number++) {
        train.seed = spec->seed[one.number];
        st = cv_once(&of[one.number], &at, err);
        train.warn = NULL;
    }
    if (st == PECK_OK)
        st = peck_report_new(&r, err);
    if (st == PECK_OK) {
        report_add_notes(r, of[0]);
        report_note_count(r, "seeds", spec->n_seeds);
        write_seeds(r, of, spec, column, "test data", "");
        write_seeds(r, of, spec, column, "validation data", "valid ");
    }
    for (size_t i = 0; i < spec->n_seeds; i++)
        peck_report_free(of[i]);
    arena_free(&a);
    return report_finish(out, r, st, err);
}
