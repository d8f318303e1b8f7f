/* validator.c -- see validator.h. */
#include "validator.h"

#include "../base/alloc.h"
#include "../base/finite.h"

#include <math.h>

enum { AT_ONCE = 256 }; /* duels */
enum outcome { DISAGREES, TIES, AGREES, IS_NO_NUMBER };

/* Validation ---------------------------------------------------------------------------- */

/* Preferences by list, in each as they come. */
static peck_status open_prefs(struct validator *s, peck_error *err)
{
    const struct peck_prefs *const p = s->spec.validation->prefs;
    const size_t n = s->spec.validation->data->n_queries;
    const char *const what = "validation preferences";

    s->pref_start = arena_new(&s->memory, what, n + 1, sizeof *s->pref_start);
    s->pref = arena_new(&s->memory, what, p->n, sizeof *s->pref);
    s->outcome = arena_new(&s->memory, what, p->n, sizeof *s->outcome);
    TRY(arena_check(&s->memory, err));
    for (size_t k = 0; k < p->n; k++)
        s->pref_start[p->pref[k].list + 1]++;
    for (size_t q = 0; q < n; q++)
        s->pref_start[q + 1] += s->pref_start[q];
    for (size_t k = 0; k < p->n; k++) /* moves the starts on to the next list's */
        s->pref[s->pref_start[p->pref[k].list]++] = k;
    memmove(s->pref_start + 1, s->pref_start, n * sizeof *s->pref_start);
    s->pref_start[0] = 0;
    return PECK_OK;
}

peck_status validator_open(struct validator *s, const struct task *task,
                           const struct validator_spec *how, peck_error *err)
{
    const struct train_data *const c = task->train_data;
    const bool is_own = how != NULL && how->validation != NULL;
    const struct validation *const e = is_own ? how->validation : &c->validation;
    const struct family *const family = task->plan->recipe->family;
    const struct peck_dataset *const d = e->data;

    *s = (struct validator){ 0 };
    if (d == NULL)
        return PECK_OK;
    s->spec = how != NULL ? *how : (struct validator_spec){ 0 };
    if (!is_own) {
        s->spec.validation = e;
        s->spec.docs = train_data_valid_docs(c);
    }
    s->first_row = (size_t)d->start[s->spec.docs.first];
    TRY(model_outputs_open_docs(&s->outputs, &s->memory, family, task->plan->shape,
                                &s->spec.docs, task->pool, err));
    if (family->scores != NULL) {
        s->score = arena_new(&s->memory, "validation scores", d->n_docs, sizeof *s->score);
        TRY(arena_check(&s->memory, err));
    } else {
        TRY(sorter_open(
            &s->sorter, &s->memory, &s->outputs, d->n_docs, s->spec.place,
            s->spec.decoder != NULL ? s->spec.decoder : family->compares->decoder, err));
    }
    if (e->prefs != NULL)
        return open_prefs(s, err);
    s->scored_docs = (struct scored_docs){
        .n_queries = d->n_queries,
        .start = d->start,
        .label = s->spec.label != NULL ? s->spec.label : d->label,
        .score = family->scores != NULL ? s->score : s->sorter.score,
        .doc_weight = d->doc_weight,
        .query_weight = d->query_weight,
        .doc_id = &d->doc_id,
    };
    for (size_t i = 0; i < d->n_docs; i++)
        if (s->scored_docs.label[i] > s->scored_docs.max_label)
            s->scored_docs.max_label = s->scored_docs.label[i];
    return judge_open(&s->judge, &s->memory, &s->scored_docs, e->metric, e->convention,
                      e->seed, task->pool, err);
}

/* The preferences of list `at` of this rank's. */
static void decide_list(void *ctx, size_t at, int worker)
{
    const struct validator *const s = ctx;
    const struct validation *const e = s->spec.validation;
    const size_t list = s->spec.docs.first + at, first = (size_t)e->data->start[list];
    const uint32_t *const place = s->spec.place;
    const size_t end = s->pref_start[list + 1];

    if (s->pref_start[list] == end)
        return;
    const struct seen_docs docs = model_outputs_query(&s->outputs, list, worker);
    peck_duel duel[AT_ONCE];
    float lead[AT_ONCE];

    for (size_t done = s->pref_start[list], n; done < end; done += n) {
        n = end - done < AT_ONCE ? end - done : AT_ONCE;
        for (size_t k = 0; k < n; k++) {
            const peck_pref *const p = &e->prefs->pref[s->pref[done + k]];
            const size_t i = p->winner, j = p->loser;

            duel[k] = place == NULL
                          ? (peck_duel){ (uint32_t)(i - first), (uint32_t)(j - first) }
                          : (peck_duel){ place[i], place[j] };
        }
        seen_decide(&docs, duel, n, lead);
        for (size_t k = 0; k < n; k++) {
            const size_t number = s->pref[done + k];
            const double side = (double)e->prefs->pref[number].probability - 0.5;
            const double agrees = (double)lead[k] * side;

            s->outcome[number] = !isfinite(lead[k]) ? IS_NO_NUMBER
                                 : agrees > 0.0     ? AGREES
                                 : agrees == 0.0    ? TIES
                                                    : DISAGREES;
        }
    }
}

/* The share of preferences whose winner is ahead; neither ahead: half.  of_query (may be
 * NULL): the same of each query, its weight.  Ranks decide their own lists, and all add up
 * all of them, in their order. */
static peck_status pair_accuracy(const struct validator *s, double *share, double *of_query,
                                 double *weight_of_query, peck_error *err)
{
    const struct peck_dataset *const d = s->spec.validation->data;
    const struct peck_prefs *const p = s->spec.validation->prefs;
    double right = 0.0, all = 0.0;

    memset(s->outcome, 0, p->n * sizeof *s->outcome);
    pool_run(s->outputs.pool, s->spec.docs.end - s->spec.docs.first, decide_list,
             (void *)s);
    TRY(comm_add(d->comm, s->outcome, p->n, err));
    for (size_t k = 0; k < p->n; k++) {
        const bool counts = p->pref[k].probability != 0.5f;
        const double weight = counts ? (double)p->pref[k].weight : 0.0;
        const double won = weight * (s->outcome[k] == AGREES ? 1.0
                                     : s->outcome[k] == TIES ? 0.5
                                                             : 0.0);

        if (s->outcome[k] == IS_NO_NUMBER)
            return fail(err, PECK_DIVERGED,
                        "training diverged: a preference is not a number; try a "
                        "smaller rate or another --norm");
        all += weight;
        right += won;
        if (of_query != NULL) {
            of_query[p->pref[k].list] += won;
            weight_of_query[p->pref[k].list] += weight;
        }
    }
    *share = all > 0.0 ? right / all : (double)NAN;
    return PECK_OK;
}

peck_status validator_value(struct validator *s, const float *w, double *value,
                            peck_error *err)
{
    const struct validation *const e = s->spec.validation;
    const size_t n = s->outputs.x.n;
    peck_status st = PECK_OK;

    *value = (double)NAN;
    if (e == NULL)
        return PECK_OK;
    if (s->spec.given == NULL)
        model_outputs_fill(&s->outputs, w);
    for (size_t i = 0; s->spec.given != NULL && i < n; i++)
        s->outputs.score[i] = (float)s->spec.given[s->first_row + i];
    if (e->prefs != NULL)
        TRY(pair_accuracy(s, value, NULL, NULL, err));
    /* Preferences are judged without an order; who looks at duels wants them all the same. */
    if (s->outputs.view != NULL && (e->prefs == NULL || s->sorter.on_duel != NULL)) {
        st = sorter_run(&s->sorter, e->seed, err);
        if (comm_is_shared(e->data->comm)) {
            TRY(comm_agree(e->data->comm, st, err));
            TRY(dataset_share_rows(e->data, s->sorter.score, sizeof *s->sorter.score, err));
        }
    }
    if (st != PECK_OK || e->prefs != NULL)
        return st;
    for (size_t i = 0; s->outputs.score != NULL && i < n; i++)
        s->score[s->first_row + i] = (double)s->outputs.score[i];
    if (s->outputs.score != NULL) {
        TRY(dataset_share_rows(e->data, s->score, sizeof *s->score, err));
        if (!doubles_are_finite(s->score, e->data->n_docs))
            return fail(err, PECK_DIVERGED,
                        "training diverged: the score of a validation document is not a "
                        "number; try a smaller rate or another --norm");
    }
    *value = judge_verdict(s->judge)->total[0];
    /* Higher is better for all who look at it. */
    if (e->metric->item[0].metric->is_error)
        *value = -*value;
    return PECK_OK;
}

peck_status validator_query_values(struct validator *s, const float *w, double *value,
                                   double *of_query, peck_error *err)
{
    const struct validation *const e = s->spec.validation;
    const double *const given = s->spec.given;

    s->spec.given = NULL;
    const peck_status st = validator_value(s, w, value, err);

    s->spec.given = given;
    if (st != PECK_OK || e == NULL)
        return st;
    const size_t n = e->data->n_queries;

    if (e->prefs == NULL) {
        const double *const each = judge_verdict(s->judge)->value;

        for (size_t q = 0; q < n; q++)
            of_query[q] = e->metric->item[0].metric->is_error ? -each[q] : each[q];
        return PECK_OK;
    }
    double *const weight = mem_new(n, sizeof *weight);

    if (weight == NULL)
        return fail_memory(err, "validation values", n, sizeof *weight);
    for (size_t q = 0; q < n; q++)
        of_query[q] = 0.0;
    const peck_status counted = pair_accuracy(s, value, of_query, weight, err);

    for (size_t q = 0; q < n; q++)
        of_query[q] = weight[q] > 0.0 ? of_query[q] / weight[q] : (double)NAN;
    mem_free(weight);
    return counted;
}

void validator_close(struct validator *s)
{
    arena_free(&s->memory);
    *s = (struct validator){ 0 };
}
