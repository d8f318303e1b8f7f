/* probe.c -- how far a model's comparisons can be trusted (Rigutini et al., SortNet, 2011,
 * section V-B): the share of triples without a circle (their Table X), what another order
 * of the input changes (Table IX), what an order costs, and how many label-differing
 * pairs are told right (Table III).                                                   */
#include "../flow/evaluate.h"
#include "tally.h"

#include "../base/alloc.h"
#include "../base/maths.h"
#include "../base/rng.h"
#include "../base/spec.h"
#include "../report/report.h"

#include <math.h>

enum { MAX_SHUFFLES = 10000 };

/* Pairs of a list that are all asked: 1,414 documents and fewer.  At 10^8 pairs a worker
 * keeps 50 MB of bits. */
enum { MAX_DRAWN = 100000000 };

struct probe {
    const struct peck_model *model;
    const struct peck_dataset *data;
    size_t n_shuffles;
    uint64_t n_drawn;
    struct judge_plan judge;
    struct decode_plan plan;
    struct decode_call call;
    struct arena arena;
    double *score; /* n_docs */
    double *value; /* [1 + n_shuffles][metrics]: first of the documents as they stand */
    struct tally tally;
    peck_decode_info info;
    struct watch watch;
};

/* Checks the specification and takes memory. */
static peck_status probe_open(struct probe *p, const peck_probe_spec *spec, peck_error *err)
{
    p->n_shuffles = spec->n_shuffles > 0 ? spec->n_shuffles : PECK_DEFAULT_SHUFFLES;
    p->n_drawn = spec->n_drawn > 0 ? spec->n_drawn : PECK_DEFAULT_DRAWN;
    if (p->n_shuffles > MAX_SHUFFLES)
        return fail(err, PECK_ARG, "%zu shuffles: give 1 to %d", p->n_shuffles,
                    MAX_SHUFFLES);
    if (p->n_drawn > MAX_DRAWN)
        return fail(err, PECK_ARG, "%llu pairs of a list: give 1 to %d",
                    (unsigned long long)p->n_drawn, MAX_DRAWN);
    peck_decode_spec decode;

    TRY(SPEC_TAKE(peck_decode_spec, &decode, ctx, spec->decode, err));
    TRY(judge_plan_open(&p->judge, spec->judge, PECK_DEFAULT_METRICS, err));
    TRY(decode_plan_open(&p->plan, decode.decoder, err));
    p->call = (struct decode_call){ .plan = &p->plan,
                                    .seed = decode.seed,
                                    .budget = decode.budget,
                                    .is_cached = decode.is_cached != 0,
                                    .pool = p->judge.pool };
    const size_t n_values = (1 + p->n_shuffles) * p->judge.metrics.n;

    p->score = arena_new(&p->arena, "scores", p->data->n_docs, sizeof *p->score);
    p->value = arena_new(&p->arena, "scores", n_values, sizeof *p->value);
    return arena_check(&p->arena, err);
}

/* Counts what the model says of pairs and triples; then sorts, and judges the order, of the
 * documents as they stand (at = 0) and of every shuffle. */
static peck_status probe_all(struct probe *p, peck_error *err)
{
    watch_part(&p->watch, 0, p->n_shuffles + 2);
    TRY(tally_dataset(&p->tally, p->model, p->data, p->n_drawn, p->judge.seed,
                      p->judge.pool, &p->watch, err));
    for (size_t at = 0; at <= p->n_shuffles; at++) {
        const uint64_t shuffle = mix64(p->judge.seed, at);
        struct verdict v = { 0 };

        if (at > 0 && p->data->n_judged == 0)
            break;
        watch_part(&p->watch, at + 1, p->n_shuffles + 2);
        TRY(rank_dataset(p->model, p->data, &p->call, at > 0 ? &shuffle : NULL, &p->watch,
                         p->score, at > 0 ? NULL : &p->info, err));
        if (p->data->n_judged == 0)
            break;
        TRY(judge_dataset(&v, p->data, p->score, &p->judge, err));
        memcpy(p->value + at * v.n_metrics, v.total, v.n_metrics * sizeof *v.total);
        verdict_free(&v);
    }
    return PECK_OK;
}

/* The report ------------------------------------------------------------------------- */

/* part / whole; NaN where there is nothing. */
static double share(uint64_t part, uint64_t whole)
{
    return whole > 0 ? (double)part / (double)whole : (double)NAN;
}

/* Mean and deviation (of a sample) of a metric over the shuffles.  What differs from the
 * first is averaged, so that equal values deviate by 0. */
static void report_spread(struct peck_report *r, const struct probe *p, size_t m)
{
    const size_t n = p->n_shuffles, step = p->judge.metrics.n;
    const double *const value = p->value + step + m;
    double excess = 0.0, squares = 0.0, low = INFINITY, high = -INFINITY;

    for (size_t i = 0; i < n; i++) {
        excess += value[i * step] - value[0];
        low = math_min(low, value[i * step]);
        high = math_max(high, value[i * step]);
    }
    const double mean = value[0] + excess / (double)n;

    for (size_t i = 0; i < n; i++)
        squares += (value[i * step] - mean) * (value[i * step] - mean);
    report_cell_text(r, p->judge.metrics.item[m].name);
    report_cell_number(r, p->value[m], 6);
    report_cell_number(r, mean, 6);
    report_cell_number(r, n > 1 ? sqrt(squares / (double)(n - 1)) : (double)NAN, 6);
    report_cell_number(r, isnan(mean) ? mean : low, 6);
    report_cell_number(r, isnan(mean) ? mean : high, 6);
}

/* What sorting cost, how consistent the comparisons are, and how shuffles spread. */
static void report_probe(struct peck_report *r, const struct probe *p)
{
    static const char *const column[] = { "metric",    "as given", "mean",
                                          "deviation", "lowest",   "highest" };
    const struct tally *const t = &p->tally;
    const peck_decode_info *const info = &p->info;
    char title[64];

    report_note_count(r, "queries", p->data->n_queries);
    report_note_count(r, "documents", p->data->n_docs);
    report_count(r, "comparisons", info->n_questions);
    report_count(r, "pairs", info->n_pairs);
    report_number(r, "comparisons per pair", share(info->n_questions, info->n_pairs), 6);
    if (t->n_drawn > 0)
        report_note_count(r, "lists whose pairs and triples were drawn", t->n_drawn);
    report_count(r, "triples", t->n_triples);
    report_number(r, "consistent triples", share(t->n_triples - t->n_circles, t->n_triples),
                  6);
    report_number(r, "tied pairs", share(t->n_tied, t->n_pairs), 6);
    if (p->data->n_judged == 0)
        return;
    report_count(r, "label-differing pairs", t->n_differing);
    report_number(r, "accuracy", tally_accuracy(t), 6);
    report_number(r, "precision", tally_precision(t), 6);
    report_number(r, "recall", tally_recall(t), 6);
    report_note_brief(r, "convention", p->judge.words.s, p->judge.brief.s);
    snprintf(title, sizeof title, "over %zu shuffles", p->n_shuffles);
    report_table(r, title, sizeof column / sizeof *column, column);
    for (size_t m = 0; m < p->judge.metrics.n; m++)
        report_spread(r, p, m);
}

peck_status peck_probe(peck_report **out, const peck_model *m, const peck_dataset *d,
                       const peck_probe_spec *spec, peck_error *err)
{
    peck_probe_spec own;
    struct probe p = { .model = m, .data = d };
    struct peck_dataset *fit = NULL;
    struct peck_report *r = NULL;

    *out = NULL;
    TRY(SPEC_TAKE(peck_probe_spec, &own, ctx, spec, err));
    p.watch = (struct watch){ .progress = own.progress, .ctx = own.ctx };
    peck_status st = probe_open(&p, &own, err);

    if (st == PECK_OK)
        st = peck_dataset_match(&fit, d, m, NULL, NULL, err);
    if (st == PECK_OK) {
        p.data = fit;
        st = probe_all(&p, err);
    }
    if (st == PECK_OK)
        st = peck_report_new(&r, err);
    if (st == PECK_OK)
        report_probe(r, &p);
    judge_plan_close(&p.judge);
    arena_free(&p.arena);
    peck_dataset_free(fit);
    return report_finish(out, r, st, err);
}
