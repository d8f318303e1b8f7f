/* scorer.c -- one thread's way to use a model: raw features in, scores or duels out.
 *
 * An ensemble's score is the mean over its members of (s - mean) / deviation, taken over
 * the documents of the query, so that no member speaks louder than another; a member
 * that gives all documents the same score adds 0.  A committee's score is the same of its
 * models, by their shares.  A model with scales has mean and deviation from there.     */
#include "model.h"

#include "../base/alloc.h"
#include "../base/finite.h"

#include <math.h>

/* Documents after which the quicker form of a model is worth making. */
enum { MANY_DOCS = 4096 };

struct peck_scorer {
    const struct peck_model *model;
    bool is_scaled;            /* the normaliser does something */
    size_t n_docs;             /* scored so far, up to MANY_DOCS */
    const void **prepared;     /* n_members: the quicker forms; NULL: none, or not yet */
    struct arena forms;        /* their memory */
    float *scratch;            /* of the family, for a block */
    struct decode_plan plan;   /* of a comparator: what makes scores of it */
    struct peck_scorer **part; /* of a committee, one a model */
    size_t chosen_dim;
    /* For `cap` documents: */
    size_t cap;
    struct arena memory;
    float *scaled;         /* [cap][columns of the normaliser] */
    float *chosen;         /* [cap][chosen_dim]: the features of one model, by its order */
    float *member;         /* [cap]: scores of one member, or of one model */
    float *narrow;         /* [cap]: scores, on their way to doubles */
    double *sum;           /* [cap]: of members or models; a comparator's scores */
    uint32_t *order;       /* [cap]: a comparator's */
    float *made;           /* of the list that was looked at: see seen_docs */
    struct duel_list list; /* ... and how it is compared */
};

/* decoder: what a model that compares is scored by. */
static peck_status open_scorer(struct peck_scorer **out, const struct peck_model *m,
                               const char *decoder, peck_error *err)
{
    struct peck_scorer *const s = mem_new(1, sizeof *s);
    const bool is_single = m->n_parts == 0;
    const size_t n_scratch =
        is_single ? EVAL_BLOCK * family_scratch(m->family, m->shape) : 0;
    peck_status st = PECK_OK;

    *out = NULL;
    if (s == NULL)
        return fail_memory(err, "a scorer", 1, sizeof *s);
    s->model = m;
    s->is_scaled = is_single && strcmp(m->norm->spec, "none") != 0;
    s->scratch = mem_new(n_scratch, sizeof *s->scratch);
    s->part = mem_new(m->n_parts, sizeof *s->part);
    if (s->scratch == NULL || s->part == NULL)
        st = fail_memory(err, "a scorer", n_scratch + m->n_parts, sizeof *s->part);
    if (st == PECK_OK && model_compares(m))
        st = decode_plan_open(&s->plan, decoder, err);
    /* A committee looks at comparators by what they say of all pairs: the sum of a
     * document's preferences is a score that others can be added to. */
    for (size_t i = 0; i < m->n_parts && st == PECK_OK; i++) {
        const size_t dim = peck_model_features(m->part[i]);

        st = open_scorer(&s->part[i], m->part[i], "degree", err);
        if (m->column != NULL && m->column[i] != NULL && dim > s->chosen_dim)
            s->chosen_dim = dim;
    }
    if (st == PECK_OK)
        *out = s;
    else
        peck_scorer_free(s);
    return st;
}

peck_status peck_scorer_new(peck_scorer **out, const peck_model *m, peck_error *err)
{
    *out = NULL;
    return open_scorer(out, m, model_decoder(m), err);
}

peck_status scorers_open(struct peck_scorer **to, size_t n, const struct peck_model *m,
                         size_t longest, peck_error *err)
{
    for (size_t i = 0; i < n; i++) {
        TRY(open_scorer(&to[i], m, model_decoder(m), err));
        TRY(scorer_reserve(to[i], longest, err));
    }
    return PECK_OK;
}

void scorers_close(struct peck_scorer **s, size_t n)
{
    for (size_t i = 0; s != NULL && i < n; i++)
        peck_scorer_free(s[i]);
}

void peck_scorer_free(peck_scorer *s)
{
    if (s == NULL)
        return;
    for (size_t i = 0; s->part != NULL && i < s->model->n_parts; i++)
        peck_scorer_free(s->part[i]);
    mem_free(s->part);
    mem_free(s->scratch);
    arena_free(&s->forms);
    arena_free(&s->memory);
    mem_free(s);
}

const struct peck_model *scorer_model(const struct peck_scorer *s)
{
    return s->model;
}

/* A failure leaves the scorer as it was. */
peck_status scorer_reserve(struct peck_scorer *s, size_t n_docs, peck_error *err)
{
    const char *const what = "the documents of a query";
    const struct peck_model *const m = s->model;
    /* Twice as much at least, so that lists of rising length seldom ask for memory. */
    const size_t need = n_docs > 2 * s->cap ? n_docs : 2 * s->cap;
    const bool compares = model_compares(m), sums = model_voices(m) > 0;
    struct peck_scorer to = *s;
    struct arena *const a = &to.memory;

    if (n_docs <= s->cap)
        return PECK_OK;
    for (size_t i = 0; i < m->n_parts; i++)
        TRY(scorer_reserve(s->part[i], need, err));
    to.cap = need;
    to.memory = (struct arena){ 0 };
    to.list.docs.n = 0;
    to.scaled =
        arena_new(a, what, need, (s->is_scaled ? m->norm->dim_out : 0) * sizeof *to.scaled);
    to.chosen = arena_new(a, what, need, s->chosen_dim * sizeof *to.chosen);
    to.member = arena_new(a, what, sums ? need : 0, sizeof *to.member);
    to.narrow = arena_new(a, what, need, sizeof *to.narrow);
    to.sum = arena_new(a, what, sums || compares ? need : 0, sizeof *to.sum);
    to.order = arena_new(a, what, compares ? need : 0, sizeof *to.order);
    to.made = arena_new(a, "the documents of a list", need,
                        (compares ? m->n_members * eval_width(m->family, m->shape) : 1) *
                            sizeof *to.made);
    const peck_status st = arena_check(a, err);

    arena_free(st == PECK_OK ? &s->memory : a);
    if (st == PECK_OK)
        *s = to;
    return st;
}

/* Finite weights and features can still overflow on their way. */
peck_status refuse_document(size_t doc, peck_error *err)
{
    return fail(
        err, PECK_FORMAT,
        "the score of document %zu (counted from 1) overflows: its features are far "
        "beyond those the model was trained on",
        doc + 1);
}

/* As the family wants to see them. */
static struct rows scale_docs(struct peck_scorer *s, struct rows docs)
{
    if (!s->is_scaled)
        return docs;
    norm_apply(s->model->norm, docs, s->scaled);
    docs.x = s->scaled;
    docs.dim = docs.stride = s->model->norm->dim_out;
    return docs;
}

/* Comparing ------------------------------------------------------------------------- */

peck_status scorer_look(struct peck_scorer *s, struct rows docs, peck_error *err)
{
    const struct peck_model *const m = s->model;
    struct seen_docs *const seen = &s->list.docs;

    seen->n = 0;
    TRY(scorer_reserve(s, docs.n, err));
    *seen = (struct seen_docs){ .n = docs.n,
                                .n_members = m->n_members,
                                .n_weights = m->n_weights,
                                .family = m->family,
                                .shape = m->shape,
                                .w = m->w };
    if (!model_compares(m)) {
        seen->score = s->made;
        return scorer_run(s, docs, NULL, s->made, err);
    }
    seen->view = s->made;
    seen->width = eval_width(m->family, m->shape);
    if (docs.n == 0)
        return PECK_OK;
    const struct rows scaled = scale_docs(s, docs);

    for (size_t k = 0; k < m->n_members; k++) {
        float *const view = s->made + k * docs.n * seen->width;

        eval_rows(m->family, m->shape, m->w + k * m->n_weights, scaled, view, s->scratch);
        for (size_t i = 0; i < docs.n; i++)
            if (!floats_are_finite(view + i * seen->width, seen->width))
                return refuse_document(i, err);
    }
    return PECK_OK;
}

void scorer_duels(const struct peck_scorer *s, const peck_duel *duel, size_t n_duels,
                  float (*out)[2])
{
    seen_duels(&s->list.docs, duel, n_duels, out);
}

struct oracle scorer_oracle(struct peck_scorer *s, const uint32_t *place)
{
    s->list.place = place;
    return duel_list_oracle(&s->list);
}

/* Scoring --------------------------------------------------------------------------- */

/* Floats count so far without a gap. */
enum { MOST_PLACES = 1 << 24 };

/* The scores of a comparator are its decoder's. */
static peck_status run_decoder(struct peck_scorer *s, struct rows docs, struct pool *pool,
                               float *score, peck_error *err)
{
    if (docs.n > MOST_PLACES)
        return fail(err, PECK_ARG, "a list of %zu documents; at most %d can be compared",
                    docs.n, MOST_PLACES);
    TRY(scorer_look(s, docs, err));
    const struct oracle oracle = scorer_oracle(s, NULL);
    const struct decode_call call = { .plan = &s->plan, .oracle = &oracle, .pool = pool };
    struct decoding found = { .order = s->order, .score = s->sum };

    TRY(decode_run(&call, &found, err));
    for (size_t i = 0; i < docs.n; i++)
        score[i] = (float)s->sum[i];
    return PECK_OK;
}

/* What voice k of a model adds: sum[i] += share * (score[i] - mean) / deviation. */
static void add_voice(const struct peck_model *m, size_t k, const float *score, size_t n,
                      double share, double *sum)
{
    double total = 0.0, squares = 0.0;
    bool is_constant = true;
    struct scale by;

    if (m->scale != NULL)
        by = m->scale[k];
    else {
        for (size_t i = 0; i < n; i++) {
            total += score[i];
            is_constant &= score[i] == score[0];
        }
        if (is_constant)
            return;
        by.mean = total / (double)n;
        for (size_t i = 0; i < n; i++)
            squares += (score[i] - by.mean) * (score[i] - by.mean);
        by.deviation = sqrt(squares / (double)n);
    }
    for (size_t i = 0; i < n; i++)
        sum[i] += share * (score[i] - by.mean) / by.deviation;
}

/* The features that model k of a committee looks at. */
static struct rows part_rows(struct peck_scorer *s, size_t k, struct rows docs)
{
    const struct peck_model *const m = s->model;
    const uint32_t *const column = m->column != NULL ? m->column[k] : NULL;
    const size_t dim = peck_model_features(m->part[k]);

    if (column == NULL)
        return (struct rows){ docs.x, docs.n, dim, docs.stride };
    for (size_t i = 0; i < docs.n; i++)
        for (size_t f = 0; f < dim; f++)
            s->chosen[i * dim + f] = docs.x[i * docs.stride + column[f]];
    return (struct rows){ s->chosen, docs.n, dim, dim };
}

/* Quicker forms of the members, once there were many documents. */
static peck_status prepare_members(struct peck_scorer *s, size_t n_docs, peck_error *err)
{
    const struct peck_model *const m = s->model;

    if (s->n_docs >= MANY_DOCS || m->n_parts > 0 || m->family->scores->prepare == NULL)
        return PECK_OK;
    s->n_docs += n_docs;
    if (s->n_docs < MANY_DOCS)
        return PECK_OK;
    const void **const prepared =
        arena_new(&s->forms, "a scorer", m->n_members, sizeof *prepared);

    TRY(arena_check(&s->forms, err));
    for (size_t k = 0; k < m->n_members; k++)
        TRY(m->family->scores->prepare(m->shape, m->w + k * m->n_weights, &s->forms,
                                       &prepared[k], err));
    s->prepared = prepared;
    return PECK_OK;
}

/* score[x.n] of member k. */
static void score_member(const struct peck_scorer *s, size_t k, struct rows x, float *score)
{
    const struct peck_model *const m = s->model;
    const float *const w = m->w + k * m->n_weights;

    if (s->prepared != NULL && s->prepared[k] != NULL)
        m->family->scores->score_prepared(m->shape, w, s->prepared[k], x, score);
    else
        eval_rows(m->family, m->shape, w, x, score, s->scratch);
}

peck_status scorer_run(struct peck_scorer *s, struct rows docs, struct pool *pool,
                       float *score, peck_error *err)
{
    const struct peck_model *const m = s->model;
    const size_t n_voices = model_voices(m);

    if (docs.n == 0)
        return PECK_OK;
    if (model_compares(m))
        return run_decoder(s, docs, pool, score, err);
    TRY(scorer_reserve(s, docs.n, err));
    TRY(prepare_members(s, docs.n, err));
    const struct rows scaled = scale_docs(s, docs);

    if (n_voices == 0)
        score_member(s, 0, scaled, score);
    else
        memset(s->sum, 0, docs.n * sizeof *s->sum);
    for (size_t k = 0; k < n_voices; k++) {
        if (m->n_parts > 0)
            TRY(scorer_run(s->part[k], part_rows(s, k, docs), pool, s->member, err));
        else
            score_member(s, k, scaled, s->member);
        add_voice(m, k, s->member, docs.n, m->n_parts > 0 ? m->share[k] : 1.0, s->sum);
    }
    for (size_t i = 0; n_voices > 0 && i < docs.n; i++)
        score[i] = (float)(m->n_parts > 0 ? s->sum[i] : s->sum[i] / (double)n_voices);
    for (size_t i = 0; i < docs.n; i++)
        if (!isfinite(score[i]))
            return refuse_document(i, err);
    return PECK_OK;
}

peck_status scorer_run_wide(struct peck_scorer *s, struct rows docs, double *score,
                            peck_error *err)
{
    TRY(scorer_reserve(s, docs.n, err));
    TRY(scorer_run(s, docs, NULL, s->narrow, err));
    for (size_t i = 0; i < docs.n; i++)
        score[i] = (double)s->narrow[i];
    return PECK_OK;
}
