/* eval.c -- see eval.h. */
#include "eval.h"

#include "../base/rng.h"
#include "../base/vec.h"

#include <math.h>

/* Duels worked on at a time, on the stack. */
enum { DUELS = 256 };

size_t eval_width(const struct family *f, const void *shape)
{
    return f->compares != NULL ? f->compares->view_size(shape) : 1;
}

void eval_rows(const struct family *f, const void *shape, const float *w, struct rows x,
               float *made, float *scratch)
{
    const size_t width = eval_width(f, shape);

    for (size_t left = x.n; left > 0; left -= x.n, x.x += x.n * x.stride) {
        x.n = left < EVAL_BLOCK ? left : EVAL_BLOCK;
        if (f->compares != NULL)
            f->compares->view(shape, w, x, made, scratch);
        else
            f->scores->score(shape, w, x, made, scratch);
        made += x.n * width;
    }
}

/* Duels ----------------------------------------------------------------------------- */

void seen_duels(const struct seen_docs *d, const peck_duel *duel, size_t n_duels,
                float (*out)[2])
{
    if (d->score != NULL) {
        for (size_t k = 0; k < n_duels; k++) {
            out[k][0] = d->score[duel[k].i] - d->score[duel[k].j];
            out[k][1] = -out[k][0];
        }
        vec_sigmoid(out[0], 2 * n_duels);
        return;
    }
    if (d->n_members == 1) {
        d->family->compares->duels(d->shape, d->w, d->view, duel, n_duels, out, NULL);
        return;
    }
    for (size_t n; n_duels > 0; n_duels -= n, duel += n, out += n) {
        double sum[DUELS][2] = { { 0.0, 0.0 } };

        n = n_duels < DUELS ? n_duels : DUELS;
        for (size_t member = 0; member < d->n_members; member++) {
            d->family->compares->duels(d->shape, d->w + member * d->n_weights,
                                       d->view + member * d->n * d->width, duel, n, out,
                                       NULL);
            for (size_t k = 0; k < n; k++) {
                sum[k][0] += (double)out[k][0];
                sum[k][1] += (double)out[k][1];
            }
        }
        for (size_t k = 0; k < n; k++) {
            out[k][0] = (float)(sum[k][0] / (double)d->n_members);
            out[k][1] = (float)(sum[k][1] / (double)d->n_members);
        }
    }
}

static void lead_by_outputs(const struct seen_docs *d, const peck_duel *duel,
                            size_t n_duels, float *lead)
{
    float out[DUELS][2];

    for (size_t n; n_duels > 0; n_duels -= n, duel += n, lead += n) {
        n = n_duels < DUELS ? n_duels : DUELS;
        seen_duels(d, duel, n, out);
        for (size_t k = 0; k < n; k++)
            lead[k] = out[k][0] - out[k][1];
    }
}

void seen_decide(const struct seen_docs *d, const peck_duel *duel, size_t n_duels,
                 float *lead)
{
    if (d->score != NULL)
        for (size_t k = 0; k < n_duels; k++)
            lead[k] = d->score[duel[k].i] - d->score[duel[k].j];
    else if (d->n_members > 1)
        lead_by_outputs(d, duel, n_duels, lead);
    else
        d->family->compares->decide(d->shape, d->w, d->view, duel, n_duels, lead);
}

/* As an oracle ---------------------------------------------------------------------- */

/* lead[n] by `how`.  Views are finite, but weights of 1e38 can still make them meet in
 * infinity. */
static peck_status list_leads(const struct duel_list *l,
                              void (*how)(const struct seen_docs *, const peck_duel *,
                                          size_t, float *),
                              const peck_duel *duel, size_t n_duels, float *lead,
                              peck_error *err)
{
    peck_duel placed[DUELS];

    for (size_t n; n_duels > 0; n_duels -= n, duel += n, lead += n) {
        const peck_duel *rows = duel;

        n = n_duels;
        if (l->place != NULL) {
            n = n < DUELS ? n : DUELS;
            for (size_t k = 0; k < n; k++)
                placed[k] = (peck_duel){ l->place[duel[k].i], l->place[duel[k].j] };
            rows = placed;
        }
        how(&l->docs, rows, n, lead);
        for (size_t k = 0; k < n; k++)
            if (l->is_training && !isfinite(lead[k]))
                return fail(err, PECK_DIVERGED,
                            "training diverged: a comparison of two documents is not a "
                            "number; try a smaller rate or another --norm");
            else if (isnan(lead[k]))
                return fail(err, PECK_FORMAT,
                            "documents %u and %u (counted from 1) cannot be compared: "
                            "their features are far beyond those the model was trained on",
                            rows[k].i + 1, rows[k].j + 1);
        for (size_t k = 0; l->on_duel != NULL && k < n; k++)
            l->on_duel(l->ctx, l->query, duel[k], lead[k]);
    }
    return PECK_OK;
}

static peck_status list_decide(void *ctx, int worker, const peck_duel *duel, size_t n_duels,
                               float *lead, peck_error *err)
{
    (void)worker;
    return list_leads(ctx, seen_decide, duel, n_duels, lead, err);
}

/* h(i, j) = (1 + N_win - N_lose) / 2: with h(j, i) it adds up to 1. */
static peck_status list_ask(void *ctx, int worker, const peck_duel *duel, size_t n_duels,
                            float *h, peck_error *err)
{
    (void)worker;
    TRY(list_leads(ctx, lead_by_outputs, duel, n_duels, h, err));
    for (size_t k = 0; k < n_duels; k++)
        h[k] = 0.5f + h[k] / 2;
    return PECK_OK;
}

/* N_win / (N_win + N_lose) as a lead, twice that less 1 (Yang and Lin 2015, section II). */
static void lead_by_ratio(const struct seen_docs *d, const peck_duel *duel, size_t n_duels,
                          float *lead)
{
    float out[DUELS][2];

    for (size_t n; n_duels > 0; n_duels -= n, duel += n, lead += n) {
        n = n_duels < DUELS ? n_duels : DUELS;
        seen_duels(d, duel, n, out);
        for (size_t k = 0; k < n; k++) {
            const float both = out[k][0] + out[k][1];

            lead[k] = both != 0.0f ? (out[k][0] - out[k][1]) / both : 0.0f;
        }
    }
}

static peck_status list_ask_ratio(void *ctx, int worker, const peck_duel *duel,
                                  size_t n_duels, float *h, peck_error *err)
{
    (void)worker;
    TRY(list_leads(ctx, lead_by_ratio, duel, n_duels, h, err));
    for (size_t k = 0; k < n_duels; k++)
        h[k] = 0.5f + h[k] / 2;
    return PECK_OK;
}

struct oracle duel_list_oracle(const struct duel_list *l)
{
    return (struct oracle){ .n = (uint32_t)l->docs.n,
                            .ask = list_ask,
                            .ask_ratio = list_ask_ratio,
                            .decide = list_decide,
                            .ctx = (void *)l,
                            .is_symmetric = true };
}

/* Many documents -------------------------------------------------------------------- */

peck_status model_outputs_open_docs(struct model_outputs *s, struct arena *memory,
                                    const struct family *family, const void *shape,
                                    const struct eval_docs *docs, struct pool *pool,
                                    peck_error *err)
{
    const char *const what = "what a net makes of documents";
    const size_t workers = (size_t)pool_size(pool);
    const bool is_made = docs->x.x == NULL && docs->start != NULL;

    *s = (struct model_outputs){ .family = family,
                                 .shape = shape,
                                 .pool = pool,
                                 .docs = *docs,
                                 .x = docs->x,
                                 .width = eval_width(family, shape),
                                 .n_scratch = EVAL_BLOCK * family_scratch(family, shape) };
    for (size_t q = docs->first; docs->start != NULL && q < docs->end; q++) {
        const size_t n = (size_t)(docs->start[q + 1] - docs->start[q]);

        s->longest = n > s->longest ? n : s->longest;
    }
    if (family->compares != NULL)
        s->view = arena_new(memory, what, is_made ? workers * s->longest : docs->x.n,
                            s->width * sizeof *s->view);
    else
        s->score = arena_new(memory, what, docs->x.n, s->width * sizeof *s->score);
    if (is_made)
        s->room = arena_new(memory, what, workers, docs->n_room * sizeof *s->room);
    s->scratch = arena_new(memory, what, workers, s->n_scratch * sizeof *s->scratch);
    return arena_check(memory, err);
}

peck_status model_outputs_open(struct model_outputs *s, struct arena *memory,
                               const struct family *family, const void *shape,
                               struct rows x, struct pool *pool, peck_error *err)
{
    const struct eval_docs docs = { .x = x };

    return model_outputs_open_docs(s, memory, family, shape, &docs, pool, err);
}

static void fill_block(void *ctx, size_t i, int worker)
{
    const struct model_outputs *const s = ctx;
    const size_t first = i * EVAL_BLOCK, left = s->x.n - first;
    float *const made = s->view != NULL ? s->view : s->score;
    struct rows x = s->x;

    x.x += first * x.stride;
    x.n = left < EVAL_BLOCK ? left : EVAL_BLOCK;
    eval_rows(s->family, s->shape, s->w, x, made + first * s->width,
              s->scratch + (size_t)worker * s->n_scratch);
}

/* Query q, whose rows are made, to `made`. */
static void fill_query(const struct model_outputs *s, size_t q, int worker, float *made)
{
    const struct rows x =
        s->docs.make(s->docs.ctx, q, s->room + (size_t)worker * s->docs.n_room);

    eval_rows(s->family, s->shape, s->w, x, made,
              s->scratch + (size_t)worker * s->n_scratch);
}

static void score_query(void *ctx, size_t i, int worker)
{
    const struct model_outputs *const s = ctx;
    const struct eval_docs *const d = &s->docs;
    const size_t q = d->first + i;

    fill_query(s, q, worker, s->score + (d->start[q] - d->start[d->first]));
}

void model_outputs_fill(struct model_outputs *s, const float *w)
{
    s->w = w;
    if (s->room == NULL)
        pool_run(s->pool, (s->x.n + EVAL_BLOCK - 1) / EVAL_BLOCK, fill_block, s);
    else if (s->score != NULL) /* views are made when somebody asks */
        pool_run(s->pool, s->docs.end - s->docs.first, score_query, s);
}

struct seen_docs model_outputs_seen(const struct model_outputs *s, size_t first, size_t n)
{
    return (struct seen_docs){ .n = n,
                               .score = s->score != NULL ? s->score + first : NULL,
                               .view = s->view != NULL ? s->view + first * s->width : NULL,
                               .width = s->width,
                               .n_members = 1,
                               .family = s->family,
                               .shape = s->shape,
                               .w = s->w };
}

struct seen_docs model_outputs_query(const struct model_outputs *s, size_t q, int worker)
{
    const uint64_t *const start = s->docs.start;
    const size_t n = (size_t)(start[q + 1] - start[q]);
    float *const made = s->view + (size_t)worker * s->longest * s->width;

    if (s->room == NULL || s->score != NULL)
        return model_outputs_seen(s, (size_t)(start[q] - start[s->docs.first]), n);
    fill_query(s, q, worker, made);
    return model_outputs_seen(s, (size_t)worker * s->longest, n);
}

/* Sorting ------------------------------------------------------------------------------- */

peck_status sorter_open(struct sorter *s, struct arena *memory,
                        const struct model_outputs *outputs, size_t n_docs,
                        const uint32_t *place, const char *decoder, peck_error *err)
{
    const size_t workers = (size_t)pool_size(outputs->pool);

    *s = (struct sorter){ .outputs = outputs, .place = place };
    s->score = arena_new(memory, "orders", n_docs, sizeof *s->score);
    s->order = arena_new(memory, "orders", workers, outputs->longest * sizeof *s->order);
    TRY(arena_check(memory, err));
    return decode_plan_open(&s->decode, decoder, err);
}

static peck_status sort_query(void *ctx, size_t i, int worker, peck_error *err)
{
    const struct sorter *const s = ctx;
    const size_t q = s->outputs->docs.first + i;
    const size_t first = (size_t)s->outputs->docs.start[q];
    const struct duel_list list = { .docs = model_outputs_query(s->outputs, q, worker),
                                    .place = s->place != NULL ? s->place + first : NULL,
                                    .is_training = true,
                                    .on_duel = s->on_duel,
                                    .ctx = s->ctx,
                                    .query = q };
    const struct oracle oracle = duel_list_oracle(&list);
    const struct decode_call call = { .plan = &s->decode,
                                      .oracle = &oracle,
                                      .seed = mix64(s->seed, q) };
    struct decoding out = { .order = s->order + (size_t)worker * s->outputs->longest,
                            .score = s->score + first };

    return decode_run(&call, &out, err);
}

peck_status sorter_run(struct sorter *s, uint64_t seed, peck_error *err)
{
    const struct eval_docs *const d = &s->outputs->docs;

    s->seed = seed;
    return pool_try(s->outputs->pool, d->end - d->first, sort_query, s, err);
}
