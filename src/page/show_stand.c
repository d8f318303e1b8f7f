/* show_stand.c -- how the runs of a board stand: means, their intervals, and whether the best
 * one is better than the others by more than luck.
 *
 * Tests are those of `peck compare` (metric/signif.h), each run against the best.       */
#include "show.h"

#include "../base/alloc.h"

#include <math.h>

enum { MAX_RESAMPLES = 10000000 };

/* What one run of the statistics needs. */
struct stand_scratch {
    const peck_page_spec *spec;
    struct pool *pool;
    size_t resamples;
    double *mine, *difference; /* n_kept */
    size_t *start;             /* of folds that have kept queries */
    size_t n_folds;
    double *p, *holm; /* n_runs */
};

static struct sample sample_of(const struct stand_scratch *w, const double *d)
{
    return (struct sample){ d, NULL, w->start, w->n_folds };
}

static peck_status stand_scratch_open(struct stand_scratch *w, struct board *b,
                                      peck_error *err)
{
    size_t n = 0;

    w->mine = mem_new(b->n_queries, sizeof *w->mine);
    w->difference = mem_new(b->n_queries, sizeof *w->difference);
    w->start = mem_new(b->n_folds + 1, sizeof *w->start);
    w->p = mem_new(b->n_runs, sizeof *w->p);
    w->holm = mem_new(b->n_runs, sizeof *w->holm);
    if (!w->mine || !w->difference || !w->start || !w->p || !w->holm)
        return fail_memory(err, "values per query", b->n_queries, 2 * sizeof *w->mine);
    for (size_t f = 0; f < b->n_folds; f++) {
        w->start[w->n_folds] = n;
        for (size_t q = b->start[f]; q < b->start[f + 1]; q++)
            n += board_has(b, q, b->metric);
        w->n_folds += n > w->start[w->n_folds];
    }
    w->start[w->n_folds] = b->n_kept = n;
    return PECK_OK;
}

static void stand_scratch_close(struct stand_scratch *w)
{
    mem_free(w->mine);
    mem_free(w->difference);
    mem_free(w->start);
    mem_free(w->p);
    mem_free(w->holm);
}

static void gather(double *to, const struct board *b, size_t at)
{
    for (size_t q = 0; q < b->n_queries; q++)
        if (board_has(b, q, b->metric))
            *to++ = board_value(b, at, q, b->metric);
}

static peck_status find_mean(struct stand_scratch *w, const struct board *b,
                             struct standing *s, peck_error *err)
{
    const struct sample own = sample_of(w, w->mine);

    gather(w->mine, b, s->at);
    s->mean = sample_mean(&own);
    return bootstrap_interval(&s->interval, &own, w->resamples, w->spec->seed, w->pool,
                              err);
}

/* The board's first standing is the best one. */
static peck_status compare(struct stand_scratch *w, const struct board *b, size_t i,
                           peck_error *err)
{
    struct standing *const s = &b->standing[i];
    const struct sample gap = sample_of(w, w->difference);

    w->p[i] = (double)NAN;
    if (i == 0)
        return PECK_OK;
    gather(w->mine, b, b->standing[0].at);
    gather(w->difference, b, s->at);
    for (size_t q = 0; q < b->n_kept; q++)
        w->difference[q] -= w->mine[q];
    s->difference = sample_mean(&gap);
    TRY(bootstrap_interval(&s->between, &gap, w->resamples, w->spec->seed, w->pool, err));
    return randomisation_p(&w->p[i], &gap, w->resamples, w->spec->seed, w->pool, err);
}

/* Best first, those that came first before their equals. */
static void sort_standings(struct board *b)
{
    for (size_t i = 1; i < b->n_runs; i++) {
        const struct standing s = b->standing[i];
        size_t at = i;

        for (; at > 0 && (b->is_error ? b->standing[at - 1].mean > s.mean
                                      : b->standing[at - 1].mean < s.mean);
             at--)
            b->standing[at] = b->standing[at - 1];
        b->standing[at] = s;
    }
}

static peck_status rank(struct board *b, struct stand_scratch *w, peck_error *err)
{
    TRY(stand_scratch_open(w, b, err));
    if (b->n_kept == 0)
        return fail(err, PECK_SHAPE, "%.200s: no query has a value in every run",
                    b->standing[0].run->path);
    for (size_t i = 0; i < b->n_runs; i++)
        TRY(find_mean(w, b, &b->standing[i], err));
    sort_standings(b);
    for (size_t i = 0; i < b->n_runs; i++)
        TRY(compare(w, b, i, err));
    holm_correct(w->holm, w->p, b->n_runs);
    for (size_t i = 0; i < b->n_runs; i++) {
        b->standing[i].p = w->holm[i];
        b->standing[i].colour = b->n_runs > PLOT_COLOURS ? i : b->standing[i].at;
    }
    return PECK_OK;
}

peck_status board_rank(struct board *b, const peck_page_spec *spec, struct pool *pool,
                       peck_error *err)
{
    struct stand_scratch w = { .spec = spec,
                               .pool = pool,
                               .resamples = spec->resamples > 0 ? spec->resamples
                                                                : PECK_DEFAULT_RESAMPLES };

    if (w.resamples > MAX_RESAMPLES)
        return fail(err, PECK_ARG, "%zu resamples: give 1 to %d", w.resamples,
                    MAX_RESAMPLES);
    const peck_status st = rank(b, &w, err);

    stand_scratch_close(&w);
    return st;
}
