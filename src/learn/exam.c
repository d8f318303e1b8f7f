/* exam.c -- see exam.h. */
#include "exam.h"

#include "../base/alloc.h"

#include <math.h>

enum { BLOCK = 256 }; /* documents scored at once */

static void score_block(void *ctx, size_t i, int worker)
{
    const struct sheet *const s = ctx;
    const size_t first = i * BLOCK, left = s->x.n - first;
    struct rows x = s->x;

    x.x += first * x.stride;
    x.n = left < BLOCK ? left : BLOCK;
    s->plan->recipe->family->score(s->plan->shape, s->w, x, s->score + first,
                                   s->scratch[worker]);
}

peck_status sheet_open(struct sheet *s, const struct plan *plan, struct rows x,
                       struct pool *pool, peck_error *err)
{
    const size_t workers = (size_t)pool_size(pool);
    const size_t room = plan->recipe->family->scratch(plan->shape, BLOCK);

    *s = (struct sheet){ .plan = plan, .pool = pool, .x = x };
    s->score = mem_new(x.n, sizeof *s->score);
    s->scratch = mem_new(workers, sizeof *s->scratch);
    if (s->score == NULL || s->scratch == NULL)
        return fail_memory(err, "scores", x.n, sizeof *s->score);
    for (size_t i = 0; i < workers; i++)
        if ((s->scratch[i] = mem_new(room, sizeof **s->scratch)) == NULL)
            return fail_memory(err, "scores", room, sizeof **s->scratch);
    return PECK_OK;
}

void sheet_score(struct sheet *s, const float *w)
{
    s->w = w;
    pool_run(s->pool, (s->x.n + BLOCK - 1) / BLOCK, score_block, s);
}

void sheet_close(struct sheet *s)
{
    for (int i = 0; s->scratch != NULL && i < pool_size(s->pool); i++)
        mem_free(s->scratch[i]);
    mem_free(s->scratch);
    mem_free(s->score);
    *s = (struct sheet){ 0 };
}

peck_status seat_open(struct seat *s, const struct task *task, peck_error *err)
{
    const struct exam *const e = &task->course->exam;
    const struct peck_dataset *const d = e->data;

    *s = (struct seat){ 0 };
    if (d == NULL)
        return PECK_OK;
    const size_t dim = task->course->dim;
    const struct rows x = { task->course->exam_x, d->n_docs, dim, dim };

    TRY(sheet_open(&s->sheet, task->plan, x, task->pool, err));
    s->score = mem_new(d->n_docs, sizeof *s->score);
    if (s->score == NULL)
        return fail_memory(err, "validation scores", d->n_docs, sizeof *s->score);
    s->exhibit = (struct exhibit){ .n_queries = d->n_queries,
                                   .start = d->start,
                                   .label = d->label,
                                   .score = s->score,
                                   .doc_weight = d->doc_weight,
                                   .query_weight = d->query_weight,
                                   .doc_id = &d->doc_id,
                                   .max_label = d->max_label };
    if (e->prefs == NULL)
        TRY(trial_open(&s->trial, &s->exhibit, e->metric, e->convention, e->seed,
                       task->pool, err));
    s->exam = e;
    return PECK_OK;
}

/* The share of preferences whose winner has the larger score, equal scores half. */
static double pair_accuracy(const struct peck_prefs *p, const double *score)
{
    double right = 0.0, all = 0.0;

    for (size_t i = 0; i < p->n; i++) {
        const peck_pref *const pref = &p->pref[i];
        const double lead = score[pref->winner] - score[pref->loser];
        const double side = (double)pref->probability - 0.5;

        if (side == 0.0)
            continue;
        all += (double)pref->weight;
        right += (double)pref->weight * (lead * side > 0.0 ? 1.0 : lead == 0.0 ? 0.5 : 0.0);
    }
    return all > 0.0 ? right / all : (double)NAN;
}

peck_status seat_mark(struct seat *s, const float *w, double *mark, peck_error *err)
{
    const struct exam *const e = s->exam;

    *mark = (double)NAN;
    if (e == NULL)
        return PECK_OK;
    sheet_score(&s->sheet, w);
    for (size_t i = 0; i < e->data->n_docs; i++) {
        s->score[i] = (double)s->sheet.score[i];
        if (!isfinite(s->score[i]))
            return fail(err, PECK_DIVERGED,
                        "training ran away: the score of a validation document is no "
                        "finite number; try a smaller rate or another --norm");
    }
    if (e->prefs != NULL) {
        *mark = pair_accuracy(e->prefs, s->score);
        return PECK_OK;
    }
    *mark = trial_judge(s->trial)->total[0];
    if (e->metric->item[0].metric->is_error)
        *mark = -*mark;
    return PECK_OK;
}

void seat_close(struct seat *s)
{
    trial_close(s->trial);
    sheet_close(&s->sheet);
    mem_free(s->score);
    *s = (struct seat){ 0 };
}
