/* compare.c -- two or more runs over the same test sets in, a report out.
 *
 * Every run is judged on every fold; per metric the queries on which all runs have a
 * value are laid side by side, and each run is compared with the first.             */
#include "../flow/evaluate.h"

#include "../base/alloc.h"
#include "../metric/signif.h"
#include "../report/report.h"

#include <math.h>

enum { RESAMPLES = 10000, MAX_RESAMPLES = 10000000, MAX_RUNS = 1000 };

enum test { TEST_T, TEST_WILCOXON, TEST_FISHER, TEST_FOLDS, N_TESTS };

static const char *const test_column[N_TESTS] = { "t", "wilcoxon", "fisher", "folds-t" };
static const char *const holm_column[N_TESTS] = { "holm-t", "holm-wilcoxon", "holm-fisher",
                                                  "holm-folds-t" };

/* One run against the first. */
struct finding {
    double mean, difference;
    struct interval interval;
};

struct contest {
    const peck_compare_spec *spec;
    struct judge_plan plan;
    struct verdict *verdict; /* [n_runs][n_folds] */
    size_t n_queries;        /* over all folds */
    size_t resamples;
    bool has_weights;
    /* Refilled for each metric: */
    double *value;           /* [n_runs][n_queries]; kept ones first */
    double *difference;      /* kept queries */
    double *weight;          /* kept queries */
    size_t *start;           /* of each fold that has kept queries, and the end */
    size_t n_folds;          /* such folds */
    double *fold_mean;       /* n_folds */
    struct finding *finding; /* n_runs */
    double *p, *holm;        /* [N_TESTS][n_runs]; NaN for the first run */
};

static peck_status check_spec(const peck_compare_spec *spec, peck_error *err)
{
    if (spec->n_runs < 2 || spec->n_runs > MAX_RUNS)
        return fail(err, PECK_ARG, "%zu runs: a comparison takes 2 to %d", spec->n_runs,
                    MAX_RUNS);
    if (spec->n_folds < 1)
        return fail(err, PECK_ARG, "a comparison takes at least one test set");
    if (spec->resamples > MAX_RESAMPLES)
        return fail(err, PECK_ARG, "%zu resamples: give 1 to %d", spec->resamples,
                    MAX_RESAMPLES);
    return PECK_OK;
}

static peck_status contest_open(struct contest *c, const peck_compare_spec *spec,
                                peck_error *err)
{
    c->spec = spec;
    c->resamples = spec->resamples > 0 ? spec->resamples : RESAMPLES;
    for (size_t f = 0; f < spec->n_folds; f++) {
        c->n_queries += spec->data[f]->n_queries;
        c->has_weights |= spec->data[f]->query_weight != NULL;
    }
    TRY(judge_plan_open(&c->plan, &spec->judge, "ndcg@10", err));
    c->verdict = mem_new(spec->n_runs * spec->n_folds, sizeof *c->verdict);
    c->value = mem_new(spec->n_runs * c->n_queries, sizeof *c->value);
    c->difference = mem_new(c->n_queries, sizeof *c->difference);
    c->weight = mem_new(c->n_queries, sizeof *c->weight);
    c->start = mem_new(spec->n_folds + 1, sizeof *c->start);
    c->fold_mean = mem_new(spec->n_folds, sizeof *c->fold_mean);
    c->finding = mem_new(spec->n_runs, sizeof *c->finding);
    c->p = mem_new(N_TESTS * spec->n_runs, sizeof *c->p);
    c->holm = mem_new(N_TESTS * spec->n_runs, sizeof *c->holm);
    if (!c->verdict || !c->value || !c->difference || !c->weight || !c->start ||
        !c->fold_mean || !c->finding || !c->p || !c->holm)
        return fail_memory(err, "the runs' values", spec->n_runs * c->n_queries,
                           sizeof *c->value);
    return PECK_OK;
}

static void contest_close(struct contest *c)
{
    for (size_t i = 0; c->verdict != NULL && i < c->spec->n_runs * c->spec->n_folds; i++)
        verdict_free(&c->verdict[i]);
    mem_free(c->verdict);
    mem_free(c->value);
    mem_free(c->difference);
    mem_free(c->weight);
    mem_free(c->start);
    mem_free(c->fold_mean);
    mem_free(c->finding);
    mem_free(c->p);
    mem_free(c->holm);
    judge_plan_close(&c->plan);
}

static peck_status judge_all(struct contest *c, peck_error *err)
{
    for (size_t run = 0; run < c->spec->n_runs; run++)
        for (size_t f = 0; f < c->spec->n_folds; f++) {
            const size_t at = run * c->spec->n_folds + f;
            peck_error why = { 0 };
            const peck_status st = judge_dataset(&c->verdict[at], c->spec->data[f],
                                                 c->spec->score[at], &c->plan, &why);

            if (st != PECK_OK)
                return fail(err, st, "%.200s: %.280s", c->spec->name[run], why.text);
        }
    return PECK_OK;
}

static double value_of(const struct contest *c, size_t run, size_t fold, size_t query,
                       size_t m)
{
    const struct verdict *const v = &c->verdict[run * c->spec->n_folds + fold];

    return v->value[query * v->n_metrics + m];
}

/* Whether every run has a value for this query. */
static bool is_complete(const struct contest *c, size_t fold, size_t query, size_t m)
{
    for (size_t run = 0; run < c->spec->n_runs; run++)
        if (isnan(value_of(c, run, fold, query, m)))
            return false;
    return true;
}

/* Lays out the queries that all runs have; returns how many. */
static size_t gather(struct contest *c, size_t m)
{
    size_t n = 0;

    c->n_folds = 0;
    for (size_t f = 0; f < c->spec->n_folds; f++) {
        const peck_dataset *const d = c->spec->data[f];

        c->start[c->n_folds] = n;
        for (size_t q = 0; q < d->n_queries; q++) {
            if (!is_complete(c, f, q, m))
                continue;
            for (size_t run = 0; run < c->spec->n_runs; run++)
                c->value[run * c->n_queries + n] = value_of(c, run, f, q, m);
            c->weight[n++] = d->query_weight != NULL ? (double)d->query_weight[q] : 1.0;
        }
        c->n_folds += n > c->start[c->n_folds];
    }
    c->start[c->n_folds] = n;
    return n;
}

static struct sample sample_of(const struct contest *c, const double *d)
{
    return (struct sample){ d, c->has_weights ? c->weight : NULL, c->start, c->n_folds };
}

/* The mean difference of each fold on its own, for the test over folds. */
static double test_folds(struct contest *c)
{
    for (size_t f = 0; f < c->n_folds; f++) {
        struct sample one = sample_of(c, c->difference);

        one.start += f;
        one.n_folds = 1;
        c->fold_mean[f] = sample_mean(&one);
    }
    return folds_t_p(c->fold_mean, c->n_folds);
}

static peck_status compare_run(struct contest *c, size_t run, size_t n, peck_error *err)
{
    const size_t n_runs = c->spec->n_runs;
    struct finding *const found = &c->finding[run];
    const double *const value = c->value + run * c->n_queries;
    const struct sample own = sample_of(c, value), s = sample_of(c, c->difference);
    const uint64_t seed = c->plan.seed;

    for (int t = 0; t < N_TESTS; t++)
        c->p[t * n_runs + run] = (double)NAN;
    *found = (struct finding){ .difference = (double)NAN,
                               .interval = { (double)NAN, (double)NAN } };
    found->mean = n > 0 ? sample_mean(&own) : (double)NAN;
    if (run == 0 || n == 0)
        return PECK_OK;
    for (size_t i = 0; i < n; i++)
        c->difference[i] = value[i] - c->value[i];
    found->difference = sample_mean(&s);
    c->p[TEST_T * n_runs + run] = paired_t_p(c->difference, n);
    c->p[TEST_FOLDS * n_runs + run] = test_folds(c);
    TRY(wilcoxon_p(&c->p[TEST_WILCOXON * n_runs + run], c->difference, n, err));
    TRY(bootstrap_interval(&found->interval, &s, c->resamples, seed, c->plan.pool, err));
    return randomisation_p(&c->p[TEST_FISHER * n_runs + run], &s, c->resamples, seed,
                           c->plan.pool, err);
}

/* The report ---------------------------------------------------------------------- */

static int tests_shown(const struct contest *c)
{
    return c->spec->n_folds > 1 ? N_TESTS : TEST_FOLDS;
}

static bool shows_holm(const struct contest *c)
{
    return c->spec->n_runs > 2;
}

static void open_table(struct peck_report *r, const struct contest *c)
{
    const char *column[5 + 2 * N_TESTS] = { "run", "mean", "difference", "low", "high" };
    size_t n_columns = 5;

    for (int t = 0; t < tests_shown(c); t++)
        column[n_columns++] = test_column[t];
    for (int t = 0; shows_holm(c) && t < tests_shown(c); t++)
        column[n_columns++] = holm_column[t];
    report_table(r, "comparison", n_columns, column);
}

/* A row's name holds metric and run, so that a pipe's lines are told apart. */
static void write_rows(struct peck_report *r, const struct contest *c, const char *metric)
{
    const size_t n_runs = c->spec->n_runs;

    for (size_t run = 0; run < n_runs; run++) {
        const struct finding *const found = &c->finding[run];
        char name[METRIC_NAME_MAX + 256];

        snprintf(name, sizeof name, "%s %.250s", metric, c->spec->name[run]);
        report_cell_text(r, name);
        report_cell_number(r, found->mean, 6);
        report_cell_number(r, found->difference, 6);
        report_cell_number(r, found->interval.low, 6);
        report_cell_number(r, found->interval.high, 6);
        for (int t = 0; t < tests_shown(c); t++)
            report_cell_number(r, c->p[t * n_runs + run], 6);
        for (int t = 0; shows_holm(c) && t < tests_shown(c); t++)
            report_cell_number(r, c->holm[t * n_runs + run], 6);
    }
}

static void write_notes(struct peck_report *r, const struct contest *c)
{
    report_note_count(r, "queries", c->n_queries);
    if (c->spec->n_folds > 1)
        report_note_count(r, "folds", c->spec->n_folds);
    report_note_count(r, "resamples", c->resamples);
    report_note(r, "difference",
                "to the first run; low and high: its 95 % bootstrap "
                "interval; the other columns are p values");
    for (size_t m = 0; m < c->plan.metrics.n; m++) {
        const struct asked *const a = &c->plan.metrics.item[m];

        if (a->metric->fold == FOLD_POOLED)
            report_note(r, a->name, "compared by its mean over queries, not pooled");
    }
}

static peck_status compare_all(struct peck_report *r, struct contest *c, peck_error *err)
{
    const size_t n_runs = c->spec->n_runs;

    TRY(report_convention(r, &c->plan.convention, err));
    write_notes(r, c);
    open_table(r, c);
    for (size_t m = 0; m < c->plan.metrics.n; m++) {
        const size_t n = gather(c, m);

        for (size_t run = 0; run < n_runs; run++)
            TRY(compare_run(c, run, n, err));
        for (int t = 0; t < N_TESTS; t++)
            holm_correct(c->holm + t * n_runs, c->p + t * n_runs, n_runs);
        write_rows(r, c, c->plan.metrics.item[m].name);
    }
    return report_check(r, err);
}

peck_status peck_compare(peck_report **out, const peck_compare_spec *spec, peck_error *err)
{
    struct contest c = { 0 };
    struct peck_report *r = NULL;

    *out = NULL;
    TRY(check_spec(spec, err));
    peck_status st = contest_open(&c, spec, err);

    if (st == PECK_OK)
        st = judge_all(&c, err);
    if (st == PECK_OK && (r = report_new()) == NULL)
        st = fail(err, PECK_NOMEM, "out of memory: no room for the report");
    if (st == PECK_OK)
        st = compare_all(r, &c, err);
    if (st == PECK_OK)
        *out = r;
    else
        peck_report_free(r);
    contest_close(&c);
    return st;
}
