/* exam.c -- see exam.h. */
#include "exam.h"

#include "../base/alloc.h"

#include <math.h>

enum { AT_ONCE = 256 }; /* preferences */

static bool compares(const struct seat *s)
{
    return s->sheet.view != NULL;
}

static peck_status open_trial(struct seat *s, peck_error *err)
{
    const struct exam *const e = s->sitting.exam;
    const struct peck_dataset *const d = e->data;

    s->exhibit = (struct exhibit){
        .n_queries = d->n_queries,
        .start = d->start,
        .label = s->sitting.label != NULL ? s->sitting.label : d->label,
        .score = s->score,
        .doc_weight = d->doc_weight,
        .query_weight = d->query_weight,
        .doc_id = &d->doc_id,
    };
    s->exhibit.max_label = 0.0f;
    for (size_t i = 0; i < d->n_docs; i++)
        if (s->exhibit.label[i] > s->exhibit.max_label)
            s->exhibit.max_label = s->exhibit.label[i];
    return trial_open(&s->trial, &s->exhibit, e->metric, e->convention, e->seed,
                      s->sheet.pool, err);
}

peck_status seat_open(struct seat *s, const struct task *task, const struct sitting *how,
                      peck_error *err)
{
    const struct train_data *const c = task->train_data;
    const struct peck_dataset *const d = how != NULL ? how->exam->data : c->exam.data;

    *s = (struct seat){ 0 };
    if (d == NULL)
        return PECK_OK;
    s->sitting = how != NULL
                     ? *how
                     : (struct sitting){ .exam = &c->exam,
                                         .x = { c->exam_x, d->n_docs, c->dim, c->dim } };
    TRY(sheet_open(&s->sheet, task->plan, s->sitting.x, task->pool, err));
    if (compares(s)) {
        if (s->sitting.decoder == NULL)
            s->sitting.decoder = task->plan->recipe->family->decoder;
        TRY(sorter_open(&s->sorter, &s->sheet, d->start, d->n_queries, s->sitting.place,
                        s->sitting.decoder, err));
        s->score = s->sorter.score;
    } else {
        s->score = mem_new(d->n_docs, sizeof *s->score);
        if (s->score == NULL)
            return fail_memory(err, "validation scores", d->n_docs, sizeof *s->score);
    }
    return s->sitting.exam->prefs == NULL ? open_trial(s, err) : PECK_OK;
}

/* By labels ----------------------------------------------------------------------------- */

static peck_status score(struct seat *s, peck_error *err)
{
    if (compares(s))
        return sorter_run(&s->sorter, s->sitting.exam->seed, err);
    for (size_t i = 0; i < s->sheet.x.n; i++) {
        s->score[i] = (double)s->sheet.score[i];
        if (!isfinite(s->score[i]))
            return fail(err, PECK_DIVERGED,
                        "training ran away: the score of a validation document is no "
                        "finite number; try a smaller rate or another --norm");
    }
    return PECK_OK;
}

/* By preferences ------------------------------------------------------------------------ */

/* lead[n]: what each winner is ahead of its loser. */
static void lead_of(const struct seat *s, const peck_pref *pref, size_t n, float *lead)
{
    const uint64_t *const start = s->sitting.exam->data->start;
    const uint32_t *const place = s->sitting.place;
    peck_duel duel[AT_ONCE];

    for (size_t k = 0; k < n; k++) {
        size_t row[2] = { pref[k].winner, pref[k].loser };

        for (int side = 0; place != NULL && side < 2; side++)
            row[side] = (size_t)start[pref[k].list] + place[row[side]];
        duel[k] = (peck_duel){ (uint32_t)row[0], (uint32_t)row[1] };
        if (!compares(s))
            lead[k] = s->sheet.score[row[0]] - s->sheet.score[row[1]];
    }
    if (compares(s))
        sheet_duel(&s->sheet, duel, n, lead);
}

/* The share of preferences whose winner is ahead; neither ahead: half. */
static peck_status pair_accuracy(const struct seat *s, double *share, peck_error *err)
{
    const struct peck_prefs *const p = s->sitting.exam->prefs;
    double right = 0.0, all = 0.0;
    float lead[AT_ONCE];

    for (size_t at = 0, n; at < p->n; at += n) {
        n = p->n - at < AT_ONCE ? p->n - at : AT_ONCE;
        lead_of(s, p->pref + at, n, lead);
        for (size_t k = 0; k < n; k++) {
            const double side = (double)p->pref[at + k].probability - 0.5;
            const double weight = side != 0.0 ? (double)p->pref[at + k].weight : 0.0;
            const double agrees = (double)lead[k] * side;

            if (!isfinite(lead[k]))
                return fail(err, PECK_DIVERGED,
                            "training ran away: a preference is no finite number; try a "
                            "smaller rate or another --norm");
            all += weight;
            right += weight * (agrees > 0.0 ? 1.0 : agrees == 0.0 ? 0.5 : 0.0);
        }
    }
    *share = all > 0.0 ? right / all : (double)NAN;
    return PECK_OK;
}

peck_status seat_mark(struct seat *s, const float *w, double *mark, peck_error *err)
{
    const struct exam *const e = s->sitting.exam;

    *mark = (double)NAN;
    if (e == NULL)
        return PECK_OK;
    if (s->given == NULL)
        sheet_fill(&s->sheet, w);
    for (size_t i = 0; s->given != NULL && i < s->sheet.x.n; i++)
        s->sheet.score[i] = (float)s->given[i];
    if (e->prefs != NULL)
        return pair_accuracy(s, mark, err);
    TRY(score(s, err));
    *mark = trial_judge(s->trial)->total[0];
    if (e->metric->item[0].metric->is_error)
        *mark = -*mark;
    return PECK_OK;
}

void seat_close(struct seat *s)
{
    trial_close(s->trial);
    if (!compares(s))
        mem_free(s->score);
    sorter_close(&s->sorter);
    sheet_close(&s->sheet);
    *s = (struct seat){ 0 };
}
