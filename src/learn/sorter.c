/* sorter.c -- see sorter.h. */
#include "sorter.h"

#include "../base/alloc.h"
#include "../base/rng.h"

#include <math.h>

enum { AT_ONCE = 64 }; /* duels */

/* A worker's memory. */
struct sort_scratch {
    const struct sorter *sorter;
    size_t query; /* the one at hand */
    uint32_t *order;
};

void model_outputs_duel(const struct model_outputs *s, const peck_duel *duel, size_t n,
                        float *lead)
{
    s->plan->recipe->family->compares->decide(s->plan->shape, s->w, s->view, duel, n, lead);
}

/* The oracle: documents of one query, numbered as in the data ------------------------- */

static peck_status diverged(peck_error *err)
{
    return fail(err, PECK_DIVERGED,
                "training ran away: a comparison of two documents is no finite number; try "
                "a smaller rate or another --norm");
}

/* At most AT_ONCE duels of documents as duels of rows of the query's views. */
static void place_duels(const struct sort_scratch *h, const peck_duel *duel, size_t n,
                        peck_duel *placed)
{
    const uint32_t *const place =
        h->sorter->place != NULL ? h->sorter->place + h->sorter->start[h->query] : NULL;

    for (size_t k = 0; k < n; k++)
        placed[k] =
            place != NULL ? (peck_duel){ place[duel[k].i], place[duel[k].j] } : duel[k];
}

static const float *views_of(const struct sort_scratch *h)
{
    const struct model_outputs *const outputs = h->sorter->outputs;

    return outputs->view + h->sorter->start[h->query] * outputs->width;
}

static void report_duels(const struct sort_scratch *h, const peck_duel *duel, size_t n,
                         const float *lead)
{
    for (size_t k = 0; h->sorter->on_duel != NULL && k < n; k++)
        h->sorter->on_duel(h->sorter->ctx, h->query, duel[k], lead[k]);
}

static peck_status sorter_decide(void *ctx, int worker, const peck_duel *duel, size_t n,
                                 float *lead, peck_error *err)
{
    const struct sort_scratch *const h = ctx;
    const struct plan *const plan = h->sorter->outputs->plan;
    peck_duel placed[AT_ONCE];

    (void)worker;
    for (size_t at = 0, some; at < n; at += some) {
        some = n - at < AT_ONCE ? n - at : AT_ONCE;
        place_duels(h, duel + at, some, placed);
        plan->recipe->family->compares->decide(plan->shape, h->sorter->outputs->w,
                                               views_of(h), placed, some, lead + at);
        for (size_t k = 0; k < some; k++)
            if (!isfinite(lead[at + k]))
                return diverged(err);
    }
    report_duels(h, duel, n, lead);
    return PECK_OK;
}

static peck_status sorter_ask(void *ctx, int worker, const peck_duel *duel, size_t n,
                              float *preference, peck_error *err)
{
    const struct sort_scratch *const h = ctx;
    const struct plan *const plan = h->sorter->outputs->plan;
    peck_duel placed[AT_ONCE];
    float out[AT_ONCE][2], lead[AT_ONCE];

    (void)worker;
    for (size_t at = 0, some; at < n; at += some) {
        some = n - at < AT_ONCE ? n - at : AT_ONCE;
        place_duels(h, duel + at, some, placed);
        plan->recipe->family->compares->duels(plan->shape, h->sorter->outputs->w,
                                              views_of(h), placed, some, out, NULL);
        for (size_t k = 0; k < some; k++) {
            lead[k] = out[k][0] - out[k][1];
            preference[at + k] = 0.5f + 0.5f * lead[k];
            if (!isfinite(lead[k]))
                return diverged(err);
        }
        report_duels(h, duel + at, some, lead);
    }
    return PECK_OK;
}

/* All queries --------------------------------------------------------------------------- */

static void sort_query(void *ctx, size_t q, int worker)
{
    struct sorter *const s = ctx;
    struct sort_scratch *const h = &s->scratch[worker];
    const uint64_t first = s->start[q];
    const struct oracle oracle = { .n = (uint32_t)(s->start[q + 1] - first),
                                   .ask = sorter_ask,
                                   .decide = sorter_decide,
                                   .ctx = h,
                                   .is_symmetric = true };
    const struct decode_call call = { .plan = &s->decode,
                                      .oracle = &oracle,
                                      .seed = mix64(s->seed, q) };
    struct decoding out = { .order = h->order, .score = s->score + first };
    peck_error err = { 0 };

    h->query = q;
    const peck_status st = decode_run(&call, &out, &err);

    if (st == PECK_OK)
        return;
    pool_enter(s->outputs->pool);
    if (q < s->failed) {
        s->failed = q;
        s->why = err;
        s->why.status = st;
    }
    pool_leave(s->outputs->pool);
}

peck_status sorter_open(struct sorter *s, const struct model_outputs *outputs,
                        const uint64_t *start, size_t n_queries, const uint32_t *place,
                        const char *decoder, peck_error *err)
{
    const size_t workers = (size_t)pool_size(outputs->pool);
    uint64_t most = 0;

    *s = (struct sorter){
        .outputs = outputs, .start = start, .n_queries = n_queries, .place = place
    };
    for (size_t q = 0; q < n_queries; q++)
        most = start[q + 1] - start[q] > most ? start[q + 1] - start[q] : most;
    s->score = mem_new(outputs->x.n, sizeof *s->score);
    s->scratch = mem_new(workers, sizeof *s->scratch);
    if (s->score == NULL || s->scratch == NULL)
        return fail_memory(err, "orders", outputs->x.n, sizeof *s->score);
    for (size_t i = 0; i < workers; i++) {
        s->scratch[i] =
            (struct sort_scratch){ s, 0, mem_new(most, sizeof *s->scratch[i].order) };
        if (s->scratch[i].order == NULL)
            return fail_memory(err, "orders", most, sizeof *s->scratch[i].order);
    }
    return decode_plan_open(&s->decode, decoder, err);
}

peck_status sorter_run(struct sorter *s, uint64_t seed, peck_error *err)
{
    s->seed = seed;
    s->failed = s->n_queries;
    pool_run(s->outputs->pool, s->n_queries, sort_query, s);
    if (s->failed < s->n_queries)
        return fail(err, s->why.status, "%s", s->why.text);
    return PECK_OK;
}

void sorter_close(struct sorter *s)
{
    for (int i = 0; s->scratch != NULL && i < pool_size(s->outputs->pool); i++)
        mem_free(s->scratch[i].order);
    mem_free(s->scratch);
    mem_free(s->score);
    decode_plan_close(&s->decode);
    *s = (struct sorter){ 0 };
}
