/* validator.c -- see validator.h. */
#include "validator.h"

#include "../base/alloc.h"

#include <math.h>

enum { AT_ONCE = 256 }; /* preferences */

static bool compares(const struct validator *s)
{
    return s->outputs.view != NULL;
}

static peck_status open_judge(struct validator *s, peck_error *err)
{
    const struct validation *const e = s->spec.validation;
    const struct peck_dataset *const d = e->data;

    s->scored_docs = (struct scored_docs){
        .n_queries = d->n_queries,
        .start = d->start,
        .label = s->spec.label != NULL ? s->spec.label : d->label,
        .score = s->score,
        .doc_weight = d->doc_weight,
        .query_weight = d->query_weight,
        .doc_id = &d->doc_id,
    };
    s->scored_docs.max_label = 0.0f;
    for (size_t i = 0; i < d->n_docs; i++)
        if (s->scored_docs.label[i] > s->scored_docs.max_label)
            s->scored_docs.max_label = s->scored_docs.label[i];
    return judge_open(&s->judge, &s->scored_docs, e->metric, e->convention, e->seed,
                      s->outputs.pool, err);
}

peck_status validator_open(struct validator *s, const struct task *task,
                           const struct validator_spec *how, peck_error *err)
{
    const struct train_data *const c = task->train_data;
    const struct peck_dataset *const d =
        how != NULL ? how->validation->data : c->validation.data;

    *s = (struct validator){ 0 };
    if (d == NULL)
        return PECK_OK;
    s->spec =
        how != NULL
            ? *how
            : (struct validator_spec){ .validation = &c->validation,
                                       .x = { c->valid_x, d->n_docs, c->dim, c->dim } };
    TRY(model_outputs_open(&s->outputs, task->plan, s->spec.x, task->pool, err));
    if (compares(s)) {
        if (s->spec.decoder == NULL)
            s->spec.decoder = task->plan->recipe->family->compares->decoder;
        TRY(sorter_open(&s->sorter, &s->outputs, d->start, d->n_queries, s->spec.place,
                        s->spec.decoder, err));
        s->score = s->sorter.score;
    } else {
        s->score = mem_new(d->n_docs, sizeof *s->score);
        if (s->score == NULL)
            return fail_memory(err, "validation scores", d->n_docs, sizeof *s->score);
    }
    return s->spec.validation->prefs == NULL ? open_judge(s, err) : PECK_OK;
}

/* By labels ----------------------------------------------------------------------------- */

static peck_status validator_score(struct validator *s, peck_error *err)
{
    if (compares(s))
        return sorter_run(&s->sorter, s->spec.validation->seed, err);
    for (size_t i = 0; i < s->outputs.x.n; i++) {
        s->score[i] = (double)s->outputs.score[i];
        if (!isfinite(s->score[i]))
            return fail(err, PECK_DIVERGED,
                        "training ran away: the score of a validation document is no "
                        "finite number; try a smaller rate or another --norm");
    }
    return PECK_OK;
}

/* By preferences ------------------------------------------------------------------------ */

/* lead[n]: what each winner is ahead of its loser. */
static void lead_of(const struct validator *s, const peck_pref *pref, size_t n, float *lead)
{
    const uint64_t *const start = s->spec.validation->data->start;
    const uint32_t *const place = s->spec.place;
    peck_duel duel[AT_ONCE];

    for (size_t k = 0; k < n; k++) {
        size_t row[2] = { pref[k].winner, pref[k].loser };

        for (int side = 0; place != NULL && side < 2; side++)
            row[side] = (size_t)start[pref[k].list] + place[row[side]];
        duel[k] = (peck_duel){ (uint32_t)row[0], (uint32_t)row[1] };
        if (!compares(s))
            lead[k] = s->outputs.score[row[0]] - s->outputs.score[row[1]];
    }
    if (compares(s))
        model_outputs_duel(&s->outputs, duel, n, lead);
}

/* The share of preferences whose winner is ahead; neither ahead: half. */
static peck_status pair_accuracy(const struct validator *s, double *share, peck_error *err)
{
    const struct peck_prefs *const p = s->spec.validation->prefs;
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

peck_status validator_value(struct validator *s, const float *w, double *value,
                            peck_error *err)
{
    const struct validation *const e = s->spec.validation;

    *value = (double)NAN;
    if (e == NULL)
        return PECK_OK;
    if (s->given == NULL)
        model_outputs_fill(&s->outputs, w);
    for (size_t i = 0; s->given != NULL && i < s->outputs.x.n; i++)
        s->outputs.score[i] = (float)s->given[i];
    if (e->prefs != NULL)
        return pair_accuracy(s, value, err);
    TRY(validator_score(s, err));
    *value = judge_verdict(s->judge)->total[0];
    if (e->metric->item[0].metric->is_error)
        *value = -*value;
    return PECK_OK;
}

void validator_close(struct validator *s)
{
    judge_close(s->judge);
    if (!compares(s))
        mem_free(s->score);
    sorter_close(&s->sorter);
    model_outputs_close(&s->outputs);
    *s = (struct validator){ 0 };
}
