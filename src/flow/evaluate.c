/* evaluate.c -- scores or a run in, a report out. */
#include "evaluate.h"

#include "../base/alloc.h"
#include "../base/spec.h"
#include "../data/trec.h"
#include "../report/report.h"

#include <inttypes.h>
#include <math.h>

peck_status judge_plan_open(struct judge_plan *p, const peck_judge_spec *spec,
                            const char *usual, peck_error *err)
{
    peck_judge_spec own;

    *p = (struct judge_plan){ 0 };
    text_init(&p->words, 4096);
    text_init(&p->brief, 4096);
    TRY(SPEC_TAKE(peck_judge_spec, &own, own_metrics, spec, err));
    p->seed = own.seed;
    peck_status st = convention_parse(&p->convention, own.convention, err);

    if (st == PECK_OK)
        st = metric_list_parse_with(&p->metrics, own.metrics != NULL ? own.metrics : usual,
                                    own.own_metrics, err);
    if (st == PECK_OK)
        st = metric_list_check(&p->metrics, &p->convention, err);
    if (st == PECK_OK) {
        convention_print(&p->convention, &p->words);
        convention_print_brief(&p->convention, &p->brief);
        st =
            p->words.failed || p->brief.failed
                ? fail(err, PECK_NOMEM, "out of memory: no room for the convention's parts")
                : pool_new(&p->pool, own.threads, err);
    }
    if (st != PECK_OK)
        judge_plan_close(p);
    return st;
}

void judge_plan_close(struct judge_plan *p)
{
    metric_list_free(&p->metrics);
    text_free(&p->words);
    text_free(&p->brief);
    pool_free(p->pool);
    p->pool = NULL;
}

peck_status scored_docs_of(struct scored_docs *x, const struct peck_dataset *d,
                           const double *score, peck_error *err)
{
    *x = (struct scored_docs){ .n_queries = d->n_queries,
                               .start = d->start,
                               .label = d->label,
                               .score = score,
                               .doc_weight = d->doc_weight,
                               .query_weight = d->query_weight,
                               .doc_id = &d->doc_id,
                               .max_label = d->max_label };
    return d->n_judged > 0 ? PECK_OK
                           : fail(err, PECK_SHAPE,
                                  "no document of the data is judged; there is nothing "
                                  "to measure");
}

peck_status judge_dataset(struct verdict *out, const struct peck_dataset *d,
                          const double *score, const struct judge_plan *plan,
                          peck_error *err)
{
    struct scored_docs x;

    *out = (struct verdict){ 0 };
    TRY(scored_docs_of(&x, d, score, err));
    for (size_t i = 0; i < d->n_docs; i++)
        if (!isfinite(score[i]))
            return fail(err, PECK_FORMAT,
                        "the score of document %zu (counted from 1) is %s", i + 1,
                        isnan(score[i]) ? "not a number" : "infinite");
    return verdict_reach(out, &x, &plan->metrics, &plan->convention, plan->seed, plan->pool,
                         err);
}

/* The documents of a run, by the labels of its qrels. */
static peck_status judge_run(struct verdict *out, const struct trec *t,
                             const struct judge_plan *plan, peck_error *err)
{
    struct scored_docs x = { .n_queries = t->n_queries,
                             .start = t->start,
                             .label = t->label,
                             .score = t->score,
                             .doc_id = &t->doc_id };

    for (uint64_t i = 0; i < t->start[t->n_queries]; i++)
        x.max_label = t->label[i] > x.max_label ? t->label[i] : x.max_label;
    return verdict_reach(out, &x, &plan->metrics, &plan->convention, plan->seed, plan->pool,
                         err);
}

/* Judges and tells: d by its scores; or, where d is NULL, the documents of a run, t. */
static peck_status report_verdict(peck_report **out, const struct judge_plan *plan,
                                  const struct peck_dataset *d, const double *score,
                                  const struct trec *t, peck_error *err)
{
    const char **const name = mem_new(plan->metrics.n, sizeof *name);
    struct peck_report *r = NULL;
    struct verdict v = { 0 };
    char labels[20];
    peck_status st =
        name == NULL ? fail_memory(err, "names of metrics", plan->metrics.n, sizeof *name)
        : d != NULL  ? judge_dataset(&v, d, score, plan, err)
                     : judge_run(&v, t, plan, err);

    if (st == PECK_OK && d != NULL)
        snprintf(labels, sizeof labels, "%016" PRIx64, labels_fingerprint(d));
    if (st == PECK_OK)
        st = peck_report_new(&r, err);
    if (st == PECK_OK) {
        report_note_brief(r, "convention", plan->words.s, plan->brief.s);
        report_note_count(r, "queries", v.n_queries);
        report_note_count(r, "queries without a relevant document", v.n_empty);
        if (v.n_unjudged > 0)
            report_note_count(r, "queries without a judged document, left out",
                              v.n_unjudged);
        if (d != NULL) /* so that reports of other data can be told apart */
            report_note_brief(r, LABELS_NOTE, labels, NULL);
        /* What a run and its qrels do not share. */
        if (t != NULL && t->n_unanswered > 0)
            report_note_count(r, "judged queries that the run does not answer",
                              t->n_unanswered);
        if (t != NULL && t->n_unknown > 0)
            report_note_count(r, "queries of the run that are not judged, left out",
                              t->n_unknown);
        if (t != NULL && t->n_unjudged > 0)
            report_note_count(r, "documents of the run that are not judged", t->n_unjudged);

        /* The metrics, over all queries and per query. */
        for (size_t m = 0; m < v.n_metrics; m++) {
            name[m] = plan->metrics.item[m].name;
            report_number(r, name[m], v.total[m], 6);
        }
        report_queries(r, v.n_metrics, name, v.n_queries,
                       d != NULL ? &d->query_id : &t->query_id, v.value);
    }
    verdict_free(&v);
    mem_free(name);
    return report_finish(out, r, st, err);
}

peck_status peck_evaluate_scores(peck_report **out, const peck_dataset *d,
                                 const double *score, const peck_judge_spec *spec,
                                 peck_error *err)
{
    struct judge_plan plan;

    *out = NULL;
    TRY(judge_plan_open(&plan, spec, PECK_DEFAULT_METRICS, err));
    const peck_status st = report_verdict(out, &plan, d, score, NULL, err);

    judge_plan_close(&plan);
    return st;
}

peck_status peck_evaluate_run(peck_report **out, const char *run, const char *qrels,
                              int complete, const peck_judge_spec *spec, peck_error *err)
{
    struct judge_plan plan;
    struct trec t = { 0 };

    *out = NULL;
    TRY(judge_plan_open(&plan, spec, PECK_DEFAULT_METRICS, err));
    peck_status st = trec_read(&t, run, qrels, complete != 0, err);

    if (st == PECK_OK && t.n_queries == 0)
        st = fail(err, PECK_SHAPE, "%s: no query of the run is judged in %s", run, qrels);
    if (st == PECK_OK)
        st = report_verdict(out, &plan, NULL, NULL, &t, err);
    trec_free(&t);
    judge_plan_close(&plan);
    return st;
}
