/* comparer.c -- how a model compares the documents of a list.
 *
 * A comparator looks at every document once and keeps its view; an ensemble of
 * comparators averages both outputs over its members, so that it is a comparator again.
 * A model that scores has the outputs sigma(s_i - s_j) and sigma(s_j - s_i).          */
#include "scorer.h"

#include "../base/alloc.h"
#include "../base/finite.h"
#include "../base/vec.h"

#include <math.h>

bool model_compares(const struct peck_model *m)
{
    return m->n_parts == 0 && m->family->compares != NULL;
}

bool model_hears_pairs(const struct peck_model *m)
{
    for (size_t i = 0; i < m->n_parts; i++)
        if (model_compares(m->part[i]))
            return true;
    return false;
}

bool model_may_miss(const struct peck_model *m)
{
    for (size_t i = 0; i < m->n_parts; i++)
        if (!model_may_miss(m->part[i]))
            return false;
    return m->n_parts > 0 ||
           (m->family->may_miss && norm_keeps_missing(norm_spec(m->norm)));
}

/* Looking --------------------------------------------------------------------------- */

/* Finite weights and features can still overflow on their way. */
peck_status refuse_document(size_t doc, peck_error *err)
{
    return fail(
        err, PECK_FORMAT,
        "the score of document %zu (counted from 1) overflows: its features are far "
        "beyond those the model was trained on",
        doc + 1);
}

static peck_status view_all(struct peck_scorer *s, struct rows scaled, peck_error *err)
{
    const struct peck_model *const m = s->model;
    const size_t size = m->family->compares->view_size(m->shape);
    float *to = s->view;

    for (size_t k = 0; k < m->n_members; k++)
        for (size_t at = 0; at < scaled.n; at += SCORER_BLOCK) {
            const struct rows block = scorer_block(scaled, at);

            m->family->compares->view(m->shape, m->w + k * m->n_weights, block, to,
                                      s->scratch);
            for (size_t i = 0; i < block.n; i++, to += size)
                if (!floats_are_finite(to, size))
                    return refuse_document(at + i, err);
        }
    return PECK_OK;
}

peck_status scorer_look(struct peck_scorer *s, struct rows docs, peck_error *err)
{
    const struct peck_model *const m = s->model;
    const bool compares = model_compares(m);
    const size_t each =
        compares ? m->n_members * m->family->compares->view_size(m->shape) : 1;

    s->n_seen = 0;
    TRY(scorer_reserve(s, docs.n, err));
    if (compares ? !mem_reserve(&s->view, &s->cap_view, docs.n * each, sizeof *s->view)
                 : !mem_reserve(&s->seen, &s->cap_seen, docs.n, sizeof *s->seen))
        return fail_memory(err, "the documents of a list", docs.n, each * sizeof(float));
    s->n_seen = docs.n;
    if (compares)
        return docs.n > 0 ? view_all(s, scorer_scale(s, docs), err) : PECK_OK;
    return scorer_run(s, docs, NULL, s->seen, err);
}

/* Comparing ------------------------------------------------------------------------- */

/* Duels worked on at a time, on the stack. */
enum { CHUNK = 256 };

static size_t chunk_of(size_t n_left)
{
    return n_left < CHUNK ? n_left : CHUNK;
}

/* out[n] of one member, n <= CHUNK. */
static void ask_member(const struct peck_scorer *s, size_t member, const peck_duel *duel,
                       size_t n, float (*out)[2])
{
    const struct peck_model *const m = s->model;
    const size_t size = m->family->compares->view_size(m->shape);

    m->family->compares->duels(m->shape, m->w + member * m->n_weights,
                               s->view + member * s->n_seen * size, duel, n, out, NULL);
}

static void ask_all_members(const struct peck_scorer *s, const peck_duel *duel, size_t n,
                            float (*out)[2])
{
    const size_t n_members = s->model->n_members;
    double sum[CHUNK][2] = { { 0.0, 0.0 } };

    for (size_t member = 0; member < n_members; member++) {
        ask_member(s, member, duel, n, out);
        for (size_t k = 0; k < n; k++) {
            sum[k][0] += (double)out[k][0];
            sum[k][1] += (double)out[k][1];
        }
    }
    for (size_t k = 0; k < n; k++) {
        out[k][0] = (float)(sum[k][0] / (double)n_members);
        out[k][1] = (float)(sum[k][1] / (double)n_members);
    }
}

static void weigh_scores(const struct peck_scorer *s, const peck_duel *duel, size_t n,
                         float (*out)[2])
{
    for (size_t k = 0; k < n; k++) {
        out[k][0] = s->seen[duel[k].i] - s->seen[duel[k].j];
        out[k][1] = -out[k][0];
    }
    vec_sigmoid(out[0], 2 * n);
}

void scorer_duels(const struct peck_scorer *s, const peck_duel *duel, size_t n_duels,
                  float (*out)[2])
{
    for (size_t n; n_duels > 0; n_duels -= n, duel += n, out += n) {
        n = chunk_of(n_duels);
        if (!model_compares(s->model))
            weigh_scores(s, duel, n, out);
        else if (s->model->n_members > 1)
            ask_all_members(s, duel, n, out);
        else
            ask_member(s, 0, duel, n, out);
    }
}

static void lead_by_outputs(const struct peck_scorer *s, const peck_duel *duel,
                            size_t n_duels, float *lead)
{
    float out[CHUNK][2];

    for (size_t n; n_duels > 0; n_duels -= n, duel += n, lead += n) {
        n = chunk_of(n_duels);
        scorer_duels(s, duel, n, out);
        for (size_t k = 0; k < n; k++)
            lead[k] = out[k][0] - out[k][1];
    }
}

void scorer_decide(const struct peck_scorer *s, const peck_duel *duel, size_t n_duels,
                   float *lead)
{
    const struct peck_model *const m = s->model;

    if (!model_compares(m))
        for (size_t k = 0; k < n_duels; k++)
            lead[k] = s->seen[duel[k].i] - s->seen[duel[k].j];
    else if (m->n_members > 1)
        lead_by_outputs(s, duel, n_duels, lead);
    else
        m->family->compares->decide(m->shape, m->w, s->view, duel, n_duels, lead);
}

/* As an oracle ---------------------------------------------------------------------- */

/* Views are finite, but weights of 1e38 can still make them meet in infinity. */
static peck_status check(const peck_duel *duel, size_t n_duels, const float *answer,
                         peck_error *err)
{
    for (size_t k = 0; k < n_duels; k++)
        if (isnan(answer[k]))
            return fail(err, PECK_FORMAT,
                        "documents %u and %u (counted from 1) cannot be compared: their "
                        "features are far beyond those the model was trained on",
                        duel[k].i + 1, duel[k].j + 1);
    return PECK_OK;
}

static peck_status decide(void *ctx, int worker, const peck_duel *duel, size_t n_duels,
                          float *lead, peck_error *err)
{
    (void)worker;
    scorer_decide(ctx, duel, n_duels, lead);
    return check(duel, n_duels, lead, err);
}

static peck_status ask(void *ctx, int worker, const peck_duel *duel, size_t n_duels,
                       float *h, peck_error *err)
{
    (void)worker;
    lead_by_outputs(ctx, duel, n_duels, h);
    for (size_t k = 0; k < n_duels; k++)
        h[k] = 0.5f + h[k] / 2;
    return check(duel, n_duels, h, err);
}

struct oracle scorer_oracle(struct peck_scorer *s)
{
    return (struct oracle){ .n = (uint32_t)s->n_seen,
                            .ask = ask,
                            .decide = decide,
                            .ctx = s,
                            .is_symmetric = true };
}
