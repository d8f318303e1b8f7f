/* compare.c -- two or more runs over the same test sets in, a report out.
 *
 * Every run is judged on every fold, or brings its values per query along; per metric the
 * queries on which all runs have a value are laid side by side, and each run is compared
 * with the first.                                                                     */
#include "../flow/evaluate.h"

#include "../base/spec.h"
#include "../base/alloc.h"
#include "../base/number.h"
#include "../base/pool.h"
#include "../metric/signif.h"
#include "../report/report.h"

#include <math.h>

enum { MAX_RESAMPLES = 10000000, MAX_RUNS = 1000 };

enum test { TEST_T, TEST_WILCOXON, TEST_FISHER, TEST_FOLDS, N_TESTS };

static const char *const test_column[N_TESTS] = { "t", "wilcoxon", "fisher", "folds-t" };
static const char *const holm_column[N_TESTS] = { "holm-t", "holm-wilcoxon", "holm-fisher",
                                                  "holm-folds-t" };

/* One run against the first. */
struct run_finding {
    double mean, difference;
    struct interval interval;
};

struct run_contest {
    const peck_compare_spec *spec;
    struct judge_plan plan;
    struct arena arena;      /* of the arrays */
    struct verdict *verdict; /* [n_runs][n_folds] */
    double *told;     /* of reports: [n_runs][n_queries][metrics]; NULL: by verdicts */
    size_t n_queries; /* over all folds */
    size_t resamples;
    bool has_weights;
    /* Refilled for each metric: */
    double *value;               /* [n_runs][n_queries]; kept ones first */
    double *difference;          /* kept queries */
    double *weight;              /* kept queries */
    size_t *start;               /* of each fold that has kept queries, and the end */
    size_t n_folds;              /* such folds */
    double *fold_mean;           /* n_folds */
    struct run_finding *finding; /* n_runs */
    double *p, *holm;            /* [N_TESTS][n_runs]; NaN for the first run */
};

/* Values per query as reports have them, for the queries of the first; a query that another
 * one does not have stays out of all. */
static peck_status take_reports(struct run_contest *c, peck_error *err)
{
    const struct report_sheet first = report_sheet(c->spec->report[0]);
    const size_t n_asked = c->plan.metrics.n;
    struct index queries = { 0 };
    peck_status st = PECK_OK;

    c->told = arena_new(&c->arena, "the runs' values",
                        c->spec->n_runs * c->n_queries * n_asked, sizeof *c->told);
    TRY(arena_check(&c->arena, err));
    if (index_distinct(&queries, first.query) == INDEX_FULL)
        st = fail_memory(err, "the queries", first.n_queries, 1);
    for (size_t i = 0; i < c->spec->n_runs * c->n_queries * n_asked; i++)
        c->told[i] = (double)NAN;
    for (size_t i = 0; st == PECK_OK && i < c->spec->n_runs * n_asked; i++) {
        const size_t run = i / n_asked, m = i % n_asked;
        const struct report_sheet s = report_sheet(c->spec->report[run]);
        const char *const name = c->plan.metrics.item[m].name;
        size_t column = 0;

        while (column < s.n_columns && !span_is(strings_get(s.column, column), name))
            column++;
        if (column == s.n_columns)
            st = fail(err, PECK_ARG, "%.200s: its report has no values per query of '%s'",
                      c->spec->name[run], name);
        for (size_t q = 0; st == PECK_OK && q < s.n_queries; q++) {
            const int64_t at = index_find(&queries, strings_get(s.query, q));

            if (at >= 0)
                c->told[(run * c->n_queries + (size_t)at) * n_asked + m] =
                    s.value[q * s.n_columns + column];
        }
    }
    index_free(&queries);
    return st;
}

/* Takes memory and judges every run on every fold. */
static peck_status contest_open(struct run_contest *c, peck_error *err)
{
    static const char *const what = "the runs' values";
    const peck_compare_spec *const spec = c->spec;
    const size_t n_runs = spec->n_runs, n_folds = spec->n_folds;
    struct arena *const a = &c->arena;

    c->resamples = spec->resamples > 0 ? spec->resamples : PECK_DEFAULT_RESAMPLES;
    for (size_t f = 0; spec->report == NULL && f < n_folds; f++) {
        c->n_queries += spec->data[f]->n_queries;
        c->has_weights |= spec->data[f]->query_weight != NULL;
    }
    if (spec->report != NULL)
        c->n_queries = report_sheet(spec->report[0]).n_queries;
    TRY(judge_plan_open(&c->plan, spec->judge, PECK_DEFAULT_METRIC, err));
    c->verdict = arena_new(a, what, n_runs * n_folds, sizeof *c->verdict);
    c->value = arena_new(a, what, n_runs * c->n_queries, sizeof *c->value);
    c->difference = arena_new(a, what, c->n_queries, sizeof *c->difference);
    c->weight = arena_new(a, what, c->n_queries, sizeof *c->weight);
    c->start = arena_new(a, what, n_folds + 1, sizeof *c->start);
    c->fold_mean = arena_new(a, what, n_folds, sizeof *c->fold_mean);
    c->finding = arena_new(a, what, n_runs, sizeof *c->finding);
    c->p = arena_new(a, what, N_TESTS * n_runs, sizeof *c->p);
    c->holm = arena_new(a, what, N_TESTS * n_runs, sizeof *c->holm);
    TRY(arena_check(a, err));
    if (spec->report != NULL)
        return take_reports(c, err);
    for (size_t i = 0; i < n_runs * n_folds; i++) {
        peck_error why = { 0 };
        const peck_status st = judge_dataset(&c->verdict[i], spec->data[i % n_folds],
                                             spec->score[i], &c->plan, &why);

        if (st != PECK_OK)
            return fail(err, st, "%.200s: %.280s", spec->name[i / n_folds], why.text);
    }
    return PECK_OK;
}

/* NaN: the query does not count. */
static double run_value(const struct run_contest *c, size_t run, size_t fold, size_t query,
                        size_t m)
{
    const struct verdict *const v = &c->verdict[run * c->spec->n_folds + fold];

    if (c->told != NULL)
        return c->told[(run * c->n_queries + query) * c->plan.metrics.n + m];
    return v->value[query * v->n_metrics + m];
}

/* Lays out the queries for which every run has a value; returns how many. */
static size_t lay_out_metric(struct run_contest *c, size_t m)
{
    size_t n = 0;

    c->n_folds = 0;
    for (size_t f = 0; f < c->spec->n_folds; f++) {
        const peck_dataset *const d = c->told == NULL ? c->spec->data[f] : NULL;
        const float *const weight = d != NULL ? d->query_weight : NULL;
        const size_t n_queries = d != NULL ? d->n_queries : c->n_queries;

        c->start[c->n_folds] = n;
        for (size_t q = 0; q < n_queries; q++) {
            bool is_complete = true;

            for (size_t run = 0; run < c->spec->n_runs; run++) {
                c->value[run * c->n_queries + n] = run_value(c, run, f, q, m);
                is_complete &= !isnan(run_value(c, run, f, q, m));
            }
            c->weight[n] = weight != NULL ? (double)weight[q] : 1.0;
            n += is_complete;
        }
        c->n_folds += n > c->start[c->n_folds];
    }
    c->start[c->n_folds] = n;
    return n;
}

/* Of the queries that were laid out, with their weights if there are any. */
static struct sample contest_sample(const struct run_contest *c, const double *d)
{
    return (struct sample){ d, c->has_weights ? c->weight : NULL, c->start, c->n_folds };
}

/* n: the queries that were laid out. */
static peck_status compare_run(struct run_contest *c, size_t run, size_t n, peck_error *err)
{
    const size_t n_runs = c->spec->n_runs;
    struct run_finding *const found = &c->finding[run];
    const double *const value = c->value + run * c->n_queries;
    const struct sample own = contest_sample(c, value),
                        s = contest_sample(c, c->difference);
    const uint64_t seed = c->plan.seed;

    for (int k = 0; k < N_TESTS; k++)
        c->p[k * n_runs + run] = (double)NAN;
    *found = (struct run_finding){ .difference = (double)NAN,
                                   .interval = { (double)NAN, (double)NAN } };
    found->mean = n > 0 ? sample_mean(&own) : (double)NAN;
    if (run == 0 || n == 0)
        return PECK_OK;
    for (size_t i = 0; i < n; i++)
        c->difference[i] = value[i] - c->value[i];
    found->difference = sample_mean(&s);
    /* The mean difference of each fold on its own, for the test over folds. */
    for (size_t f = 0; f < c->n_folds; f++) {
        struct sample one = s;

        one.start += f;
        one.n_folds = 1;
        c->fold_mean[f] = sample_mean(&one);
    }
    c->p[TEST_T * n_runs + run] = paired_t_p(c->difference, n);
    c->p[TEST_FOLDS * n_runs + run] = folds_t_p(c->fold_mean, c->n_folds);
    TRY(wilcoxon_p(&c->p[TEST_WILCOXON * n_runs + run], c->difference, n, err));
    TRY(bootstrap_interval(&found->interval, &s, c->resamples, seed, c->plan.pool, err));
    return randomisation_p(&c->p[TEST_FISHER * n_runs + run], &s, c->resamples, seed,
                           c->plan.pool, err);
}

/* The report ---------------------------------------------------------------------- */

/* A row is named by metric and run. */
static void write_runs(struct peck_report *r, const struct run_contest *c,
                       const char *metric, int n_tests, int n_holm)
{
    const size_t n_runs = c->spec->n_runs;

    for (size_t run = 0; run < n_runs; run++) {
        const struct run_finding *const found = &c->finding[run];

        report_cell_text(r, metric);
        report_cell_text(r, c->spec->name[run]);
        report_cell_number(r, found->mean, 6);
        report_cell_number(r, found->difference, 6);
        report_cell_number(r, found->interval.low, 6);
        report_cell_number(r, found->interval.high, 6);
        for (int k = 0; k < n_tests; k++)
            report_cell_p(r, c->p[k * n_runs + run]);
        for (int k = 0; k < n_holm; k++)
            report_cell_p(r, c->holm[k * n_runs + run]);
    }
}

/* What it comes to, in one sentence: of the run, or of several the best by this metric,
 * beside the first; significant where the randomisation test says p < 0.05. */
static void write_sentence(struct peck_report *r, const struct run_contest *c,
                           const struct asked *metric)
{
    const size_t n_runs = c->spec->n_runs;
    const double sign = metric->metric->is_error ? -1.0 : 1.0;
    size_t best = 1;

    for (size_t run = 2; run < n_runs; run++)
        if (sign * c->finding[run].mean > sign * c->finding[best].mean)
            best = run;
    const struct run_finding *const found = &c->finding[best];
    const double p = (n_runs > 2 ? c->holm : c->p)[TEST_FISHER * n_runs + best];
    const bool is_clear = p < 0.05, is_negative = found->difference < 0.0;
    const double by = fabs(found->difference);
    const int decimals = by < 0.01 ? 4 : 3;
    /* "better by 0.1 (0.05 to 0.15)": the interval of what is said. */
    const bool is_turned = is_clear && is_negative;
    const double low = is_turned ? -found->interval.high : found->interval.low;
    const double high = is_turned ? -found->interval.low : found->interval.high;
    char digits[4][64];
    struct text text;

    text_init(&text, 4096);
    number_print(digits[0], sizeof digits[0], 'f', decimals,
                 is_clear ? by : found->difference);
    number_print(digits[1], sizeof digits[1], 'f', decimals, low);
    number_print(digits[2], sizeof digits[2], 'f', decimals, high);
    number_print(digits[3], sizeof digits[3], 'f', 4, p < 1e-4 ? 1e-4 : p);
    if (isnan(p))
        text_printf(&text, "%s: %s and %s cannot be compared: no query has a value of both",
                    metric->name, c->spec->name[0], c->spec->name[best]);
    else if (is_clear)
        text_printf(&text, "%s: %s%s is %s than %s by %s", metric->name,
                    c->spec->name[best], n_runs > 2 ? ", the best of the others," : "",
                    (found->difference > 0.0) == (sign > 0.0) ? "better" : "worse",
                    c->spec->name[0], digits[0]);
    else
        text_printf(&text, "%s: no significant difference between %s and %s%s: %s",
                    metric->name, c->spec->name[0], c->spec->name[best],
                    n_runs > 2 ? ", the best of the others" : "", digits[0]);
    if (!isnan(p))
        text_printf(&text, " (%s to %s), p %s %s%s", digits[1], digits[2],
                    p < 1e-4 ? "<" : "=", digits[3],
                    n_runs > 2 ? " by Holm's correction" : "");
    if (!text.failed)
        report_sentence(r, "verdict", text.s);
    text_free(&text);
}

/* Notes, then a table with a row for each metric and run. */
static peck_status compare_all(struct peck_report *r, struct run_contest *c,
                               peck_error *err)
{
    const size_t n_runs = c->spec->n_runs, n_asked = c->plan.metrics.n;
    const int n_tests = c->spec->n_folds > 1 ? N_TESTS : TEST_FOLDS;
    const int n_holm = n_runs > 2 ? n_tests : 0;
    const char *column[6 + 2 * N_TESTS] = { "metric",     "run", "mean",
                                            "difference", "low", "high" };
    struct watch watch = { .progress = c->spec->progress, .ctx = c->spec->ctx };
    size_t n_columns = 6;

    report_note_brief(r, "convention", c->plan.words.s, c->plan.brief.s);
    report_note_count(r, "queries", c->n_queries);
    if (c->spec->n_folds > 1)
        report_note_count(r, "folds", c->spec->n_folds);
    report_note_count(r, "resamples", c->resamples);
    report_note(r, "difference",
                "to the first run; low and high: its 95 % bootstrap "
                "interval; the other columns are p-values");
    for (size_t m = 0; m < n_asked; m++) {
        const struct asked *const a = &c->plan.metrics.item[m];

        if (a->metric->fold == FOLD_POOLED)
            report_note(r, a->name, "compared by its mean over queries, not pooled");
    }

    /* Tests over folds need folds, and Holm's correction a third run. */
    for (int k = 0; k < n_tests; k++)
        column[n_columns++] = test_column[k];
    for (int k = 0; k < n_holm; k++)
        column[n_columns++] = holm_column[k];
    report_table_of(r, "comparison", "", 2, n_columns, column);
    for (size_t m = 0; m < n_asked; m++) {
        const size_t n = lay_out_metric(c, m);

        for (size_t run = 0; run < n_runs; run++) {
            TRY(compare_run(c, run, n, err));
            TRY(watch_step(&watch, m * n_runs + run + 1, n_asked * n_runs, err));
        }
        for (int k = 0; k < N_TESTS; k++)
            holm_correct(c->holm + k * n_runs, c->p + k * n_runs, n_runs);
        write_runs(r, c, c->plan.metrics.item[m].name, n_tests, n_holm);
        if (m == 0)
            write_sentence(r, c, &c->plan.metrics.item[m]);
    }
    return PECK_OK;
}

peck_status peck_compare(peck_report **out, const peck_compare_spec *given, peck_error *err)
{
    peck_compare_spec own, *const spec = &own;
    struct run_contest c = { .spec = spec };
    struct peck_report *r = NULL;

    *out = NULL;
    TRY(SPEC_TAKE(peck_compare_spec, spec, ctx, given, err));
    if (spec->n_runs < 2 || spec->n_runs > MAX_RUNS)
        return fail(err, PECK_ARG, "%zu runs: a comparison takes 2 to %d", spec->n_runs,
                    MAX_RUNS);
    if (spec->report != NULL)
        spec->n_folds = 1;
    if (spec->n_folds < 1)
        return fail(err, PECK_ARG, "a comparison takes at least one test set");
    if (spec->resamples > MAX_RESAMPLES)
        return fail(err, PECK_ARG, "%zu resamples: give 1 to %d", spec->resamples,
                    MAX_RESAMPLES);
    peck_status st = contest_open(&c, err);

    if (st == PECK_OK)
        st = peck_report_new(&r, err);
    if (st == PECK_OK)
        st = compare_all(r, &c, err);
    for (size_t i = 0; c.verdict != NULL && i < spec->n_runs * spec->n_folds; i++)
        verdict_free(&c.verdict[i]);
    arena_free(&c.arena);
    judge_plan_close(&c.plan);
    return report_finish(out, r, st, err);
}
