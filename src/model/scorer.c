/* scorer.c -- one thread's way to use a model: raw features in, scores out.
 *
 * An ensemble's score is the mean over its members of (s - mean) / deviation, taken over
 * the documents of the query, so that no member speaks louder than another; a member
 * that gives all documents the same score adds 0.  A committee's score is the same of its
 * models, by their shares.  A model with scales has mean and deviation from there.     */
#include "scorer.h"

#include "../base/alloc.h"

#include <math.h>

static peck_status open_scorer(struct peck_scorer **out, const struct peck_model *m,
                               const char *decoder, peck_error *err);

/* A committee looks at comparators by what they say of all pairs: the sum of a document's
 * preferences is a score that others can be added to. */
static peck_status open_parts(struct peck_scorer *s, const struct peck_model *m,
                              peck_error *err)
{
    s->part = mem_new(m->n_parts, sizeof *s->part);
    if (s->part == NULL)
        return fail_memory(err, "a scorer", m->n_parts, sizeof *s->part);
    for (size_t i = 0; i < m->n_parts; i++)
        TRY(open_scorer(&s->part[i], m->part[i], "degree", err));
    for (size_t i = 0; m->column != NULL && i < m->n_parts; i++)
        if (m->column[i] != NULL && peck_model_features(m->part[i]) > s->chosen_dim)
            s->chosen_dim = peck_model_features(m->part[i]);
    return PECK_OK;
}

static peck_status open_single(struct peck_scorer *s, const struct peck_model *m,
                               const char *decoder, peck_error *err)
{
    const size_t n_scratch = family_scratch(m->family, m->shape, SCORER_BLOCK);

    s->is_scaled = strcmp(norm_spec(m->norm), "none") != 0;
    s->scratch = mem_new(n_scratch, sizeof *s->scratch);
    if (s->scratch == NULL)
        return fail_memory(err, "a scorer", n_scratch, sizeof *s->scratch);
    return model_compares(m) ? decode_plan_open(&s->plan, decoder, err) : PECK_OK;
}

/* decoder: what a model that compares is scored by. */
static peck_status open_scorer(struct peck_scorer **out, const struct peck_model *m,
                               const char *decoder, peck_error *err)
{
    struct peck_scorer *const s = mem_new(1, sizeof *s);

    *out = NULL;
    if (s == NULL)
        return fail_memory(err, "a scorer", 1, sizeof *s);
    s->model = m;
    const peck_status st =
        m->n_parts > 0 ? open_parts(s, m, err) : open_single(s, m, decoder, err);

    if (st == PECK_OK)
        *out = s;
    else
        peck_scorer_free(s);
    return st;
}

peck_status model_prepare(const struct peck_model *m, size_t n_threads, peck_error *err)
{
    for (size_t i = 0; i < m->n_parts; i++)
        TRY(model_prepare(m->part[i], n_threads, err));
    return m->norm != NULL ? norm_prepare(m->norm, n_threads, err) : PECK_OK;
}

peck_status peck_scorer_new(peck_scorer **out, const peck_model *m, peck_error *err)
{
    *out = NULL;
    TRY(model_prepare(m, 1, err));
    return open_scorer(out, m, model_decoder(m), err);
}

void peck_scorer_free(peck_scorer *s)
{
    if (s == NULL)
        return;
    for (size_t i = 0; s->part != NULL && i < s->model->n_parts; i++)
        peck_scorer_free(s->part[i]);
    mem_free(s->part);
    mem_free(s->chosen);
    mem_free(s->scaled);
    mem_free(s->member);
    mem_free(s->sum);
    mem_free(s->scratch);
    mem_free(s->seen);
    mem_free(s->view);
    decode_plan_close(&s->plan);
    mem_free(s->order);
    mem_free(s->place);
    mem_free(s);
}

const struct peck_model *scorer_model(const struct peck_scorer *s)
{
    return s->model;
}

/* One of the arrays; a failure leaves the scorer as it was, with cap unchanged. */
static bool grow(void *array, size_t cap, size_t need, size_t size)
{
    return mem_reserve(array, &cap, need, size);
}

peck_status scorer_reserve(struct peck_scorer *s, size_t n_docs, peck_error *err)
{
    const struct peck_model *const m = s->model;
    const size_t columns = s->is_scaled ? norm_dim_out(m->norm) : 0;
    const bool compares = model_compares(m);
    const bool sums = m->n_parts > 0 || (m->n_members > 1 && !compares);

    if (n_docs <= s->cap)
        return PECK_OK;
    const size_t need = n_docs > 2 * s->cap ? n_docs : 2 * s->cap;

    for (size_t i = 0; i < m->n_parts; i++)
        TRY(scorer_reserve(s->part[i], need, err));
    if ((s->is_scaled && !grow(&s->scaled, s->cap, need, columns * sizeof *s->scaled)) ||
        (s->chosen_dim > 0 &&
         !grow(&s->chosen, s->cap, need, s->chosen_dim * sizeof *s->chosen)) ||
        (sums && !grow(&s->member, s->cap, need, sizeof *s->member)) ||
        (sums && !grow(&s->sum, s->cap, need, sizeof *s->sum)) ||
        (compares && !grow(&s->order, s->cap, need, sizeof *s->order)) ||
        (compares && !grow(&s->place, s->cap, need, sizeof *s->place)))
        return fail_memory(err, "the documents of a query", need,
                           (columns + s->chosen_dim + 2) * sizeof(float));
    s->cap = need;
    return PECK_OK;
}

/* In blocks: a family scores each document by itself. */
static void run_member(struct peck_scorer *s, const float *w, struct rows docs,
                       float *score)
{
    const struct peck_model *const m = s->model;

    for (size_t at = 0; at < docs.n; at += SCORER_BLOCK)
        m->family->scores->score(m->shape, w, scorer_block(docs, at), score + at,
                                 s->scratch);
}

/* sum[i] += share * (score[i] - mean) / deviation */
static void add_standardised(const float *score, size_t n, double share, double *sum)
{
    double total = 0.0, squares = 0.0;
    bool is_constant = true;

    for (size_t i = 0; i < n; i++) {
        total += score[i];
        is_constant &= score[i] == score[0];
    }
    if (is_constant)
        return;
    const double mean = total / (double)n;

    for (size_t i = 0; i < n; i++)
        squares += (score[i] - mean) * (score[i] - mean);
    const double deviation = sqrt(squares / (double)n);

    for (size_t i = 0; i < n; i++)
        sum[i] += share * (score[i] - mean) / deviation;
}

/* What voice k of a model adds to the sum. */
static void add_voice(const struct peck_model *m, size_t k, const float *score, size_t n,
                      double share, double *sum)
{
    if (m->scale == NULL) {
        add_standardised(score, n, share, sum);
        return;
    }
    const struct scale by = m->scale[k];

    for (size_t i = 0; i < n; i++)
        sum[i] += share * (score[i] - by.mean) / by.deviation;
}

static peck_status check_scores(const float *score, size_t n, peck_error *err)
{
    for (size_t i = 0; i < n; i++)
        if (!isfinite(score[i]))
            return refuse_document(i, err);
    return PECK_OK;
}

static void run_ensemble(struct peck_scorer *s, struct rows docs, float *score)
{
    const struct peck_model *const m = s->model;

    memset(s->sum, 0, docs.n * sizeof *s->sum);
    for (size_t k = 0; k < m->n_members; k++) {
        run_member(s, m->w + k * m->n_weights, docs, s->member);
        add_voice(m, k, s->member, docs.n, 1.0, s->sum);
    }
    for (size_t i = 0; i < docs.n; i++)
        score[i] = (float)(s->sum[i] / (double)m->n_members);
}

/* What model k looks at. */
static struct rows choose(struct peck_scorer *s, size_t k, struct rows docs)
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

static peck_status run_committee(struct peck_scorer *s, struct rows docs, struct pool *pool,
                                 float *score, peck_error *err)
{
    const struct peck_model *const m = s->model;

    memset(s->sum, 0, docs.n * sizeof *s->sum);
    for (size_t k = 0; k < m->n_parts; k++) {
        TRY(scorer_run(s->part[k], choose(s, k, docs), pool, s->member, err));
        add_voice(m, k, s->member, docs.n, m->share[k], s->sum);
    }
    for (size_t i = 0; i < docs.n; i++)
        score[i] = (float)s->sum[i];
    return check_scores(score, docs.n, err);
}

struct rows scorer_scale(struct peck_scorer *s, struct rows docs)
{
    if (!s->is_scaled)
        return docs;
    norm_apply(s->model->norm, docs, s->scaled);
    docs.x = s->scaled;
    docs.dim = docs.stride = norm_dim_out(s->model->norm);
    return docs;
}

static peck_status run_scores(struct peck_scorer *s, struct rows docs, float *score,
                              peck_error *err)
{
    const struct rows scaled = scorer_scale(s, docs);

    if (s->model->n_members > 1)
        run_ensemble(s, scaled, score);
    else
        run_member(s, s->model->w, scaled, score);
    return check_scores(score, docs.n, err);
}

/* Floats count so far without a gap. */
enum { MOST_PLACES = 1 << 24 };

static peck_status run_decoder(struct peck_scorer *s, struct rows docs, struct pool *pool,
                               float *score, peck_error *err)
{
    if (docs.n > MOST_PLACES)
        return fail(err, PECK_ARG, "a list of %zu documents; at most %d can be compared",
                    docs.n, MOST_PLACES);
    TRY(scorer_look(s, docs, err));
    const struct oracle oracle = scorer_oracle(s);
    const struct decode_call call = { .plan = &s->plan, .oracle = &oracle, .pool = pool };
    struct decoding found = { .order = s->order, .score = s->place };

    TRY(decode_run(&call, &found, err));
    for (size_t i = 0; i < docs.n; i++)
        score[i] = (float)s->place[i];
    return PECK_OK;
}

peck_status scorer_run(struct peck_scorer *s, struct rows docs, struct pool *pool,
                       float *score, peck_error *err)
{
    if (docs.n == 0)
        return PECK_OK;
    TRY(scorer_reserve(s, docs.n, err));
    return s->model->n_parts > 0      ? run_committee(s, docs, pool, score, err)
           : model_compares(s->model) ? run_decoder(s, docs, pool, score, err)
                                      : run_scores(s, docs, score, err);
}
