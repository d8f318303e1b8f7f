/* blend.c -- models of any methods become a committee.
 *
 * Shares are equal, or found by greedy selection with replacement: the model joins whose
 * scores, added to those of all who joined before, do best on validation data; it may
 * join again.  Of all rounds the best one counts, and a share is how often a model joined
 * by then.  Caruana, Niculescu-Mizil, Crew and Ksikes, "Ensemble selection from libraries
 * of models", ICML 2004.                                                               */
#include "blend.h"
#include "../flow/evaluate.h"
#include "../flow/score.h"

#include "../base/alloc.h"
#include "../data/dataset.h"
#include "../model/model.h"

#include <inttypes.h>
#include <math.h>

/* Joinings; on small validation data the best round comes early. */
enum { ROUNDS = 50 };

struct blending {
    const peck_blend_spec *spec;
    size_t n; /* models; those of a committee count one by one */
    const struct peck_model **model;
    const char **name; /* for messages */
    double *share;
    struct scale *scale; /* of each model; NULL: over the query */
    struct judge_plan plan;
    double value; /* of the committee on the validation data; NaN: there is none */
    size_t round; /* that counts; 0: equal shares */
};

/* Opening ---------------------------------------------------------------------------- */

static size_t count_models(const peck_blend_spec *spec)
{
    size_t n = 0;

    for (size_t i = 0; i < spec->n_models; i++)
        n += spec->model[i]->n_parts > 0 ? spec->model[i]->n_parts : 1;
    return n;
}

static bool is_greedy(const char *weights)
{
    return weights != NULL && strcmp(weights, "greedy") == 0;
}

peck_status blend_check(const char *weights, bool alone, bool has_valid, peck_error *err)
{
    if (weights != NULL && !is_greedy(weights) && strcmp(weights, "equal") != 0)
        return fail(err, PECK_ARG, "weights are 'equal' or 'greedy', not '%.60s'", weights);
    if (is_greedy(weights) && !has_valid)
        return fail(err, PECK_ARG,
                    "there is no validation data to choose weights by; give some, or take "
                    "equal weights");
    if (alone && !has_valid)
        return fail(err, PECK_ARG,
                    "there is no validation data to scale the models by, which a committee "
                    "that scores alone needs; give some");
    return PECK_OK;
}

static peck_status check_alone(const struct blending *b, size_t i, peck_error *err)
{
    const char *const why = model_heeds_list(b->model[i]);
    char number[32];

    if (!b->spec->alone || why == NULL)
        return PECK_OK;
    snprintf(number, sizeof number, "model %zu", i + 1);
    return fail(err, PECK_ARG,
                "%s: its scores depend on the list (%s), so those of the committee would; "
                "train it with --alone",
                b->name[i] != NULL ? b->name[i] : number, why);
}

static peck_status blending_open(struct blending *b, peck_error *err)
{
    const peck_blend_spec *const spec = b->spec;
    const peck_judge_spec judge = { spec->metric, spec->convention, spec->seed,
                                    spec->threads };
    size_t at = 0;

    if (spec->n_models == 0)
        return fail(err, PECK_ARG, "a committee takes a model");
    TRY(blend_check(spec->weights, spec->alone, spec->valid != NULL, err));
    TRY(match_check(spec->match, err));
    b->n = count_models(spec);
    b->model = mem_new(b->n, sizeof *b->model);
    b->name = mem_new(b->n, sizeof *b->name);
    b->share = mem_new(b->n, sizeof *b->share);
    if (b->model == NULL || b->name == NULL || b->share == NULL)
        return fail_memory(err, "a committee", b->n, sizeof *b->model);
    for (size_t i = 0; i < spec->n_models; i++) {
        const struct peck_model *const m = spec->model[i];

        for (size_t k = 0; k == 0 || k < m->n_parts; k++, at++) {
            b->model[at] = m->n_parts > 0 ? m->part[k] : m;
            b->name[at] = spec->name != NULL ? spec->name[i] : NULL;
            b->share[at] = 1.0 / (double)b->n;
            TRY(check_alone(b, at, err));
        }
    }
    TRY(judge_plan_open(&b->plan, &judge, "ndcg@10", err));
    return b->plan.metrics.n == 1
               ? PECK_OK
               : fail(err, PECK_ARG, "%zu metrics; one alone can choose the shares",
                      b->plan.metrics.n);
}

static void blending_close(struct blending *b)
{
    judge_plan_close(&b->plan);
    mem_free(b->model);
    mem_free(b->name);
    mem_free(b->share);
    mem_free(b->scale);
}

/* Committees ------------------------------------------------------------------------- */

static peck_status measure_scales(struct blending *b, peck_error *err)
{
    if (!b->spec->alone)
        return PECK_OK;
    if ((b->scale = mem_new(b->n, sizeof *b->scale)) == NULL)
        return fail_memory(err, "a committee", b->n, sizeof *b->scale);
    for (size_t i = 0; i < b->n; i++)
        TRY(measure_scale(&b->scale[i], b->model[i], b->spec->valid,
                          pool_size(b->plan.pool), err));
    return PECK_OK;
}

/* Of those with a share; freed by the caller, also where it fails. */
static peck_status gather(struct peck_model **out, const struct blending *b,
                          const double *share, peck_error *err)
{
    const struct peck_model **const part = mem_new(b->n, sizeof *part);
    const char **const name = mem_new(b->n, sizeof *name);
    double *const own = mem_new(b->n, sizeof *own);
    struct scale *const scale = mem_new(b->n, sizeof *scale);
    size_t n = 0;
    peck_status st = PECK_OK;

    *out = model_new();
    if (*out == NULL || part == NULL || name == NULL || own == NULL || scale == NULL)
        st = fail_memory(err, "a committee", b->n, sizeof *part);
    for (size_t i = 0; st == PECK_OK && i < b->n; i++)
        if (share[i] > 0.0) {
            part[n] = b->model[i];
            name[n] = b->name[i];
            if (b->scale != NULL)
                scale[n] = b->scale[i];
            own[n++] = share[i];
        }
    if (st == PECK_OK)
        st = committee_fill(*out, part, own, b->spec->name != NULL ? name : NULL, n, err);
    if (st == PECK_OK && b->scale != NULL)
        (*out)->scale = scale;
    else
        mem_free(scale);
    mem_free(part);
    mem_free(name);
    mem_free(own);
    return st;
}

/* score[n_docs] of the validation data; is_told: what a person should know of its columns. */
static peck_status score_valid(const struct blending *b, const struct peck_model *m,
                               bool is_told, double *score, peck_error *err)
{
    const peck_blend_spec *const spec = b->spec;
    struct peck_dataset *fit = NULL;
    peck_match_info info;

    TRY(peck_dataset_match(&fit, spec->valid, m, spec->match, &info, err));
    const peck_status st = peck_model_score(m, fit, pool_size(b->plan.pool), score, err);

    peck_dataset_free(fit);
    if (is_told && info.text[0] != '\0' && spec->warn != NULL)
        spec->warn(spec->ctx, info.text);
    return st;
}

static peck_status measure(struct blending *b, const struct peck_model *m, peck_error *err)
{
    const struct peck_dataset *const d = b->spec->valid;
    double *const score = mem_new(d->n_docs, sizeof *score);
    struct verdict v = { 0 };
    peck_status st = score != NULL
                         ? score_valid(b, m, true, score, err)
                         : fail_memory(err, "the scores", d->n_docs, sizeof *score);

    if (st == PECK_OK)
        st = judge_dataset(&v, d, score, &b->plan, err);
    if (st == PECK_OK)
        b->value = v.total[0];
    verdict_free(&v);
    mem_free(score);
    return st;
}

/* Greedy selection ------------------------------------------------------------------- */

struct greed {
    size_t n, n_docs;
    double *z;            /* [n][n_docs]: what a committee of that model alone says */
    double *sum, *with;   /* [n_docs]: of those who joined; with one more */
    double *alone;        /* [n]: shares of a committee of one */
    size_t *count, *best; /* [n]: how often each joined; by the best round */
    struct scored_docs scored_docs;
    struct judge *judge;
    bool is_error;
};

static peck_status score_alone(struct greed *g, const struct blending *b, size_t k,
                               peck_error *err)
{
    struct peck_model *m = NULL;

    g->alone[k] = 1.0;
    peck_status st = gather(&m, b, g->alone, err);

    g->alone[k] = 0.0;
    if (st == PECK_OK)
        st = score_valid(b, m, false, g->z + k * g->n_docs, err);
    peck_model_free(m);
    return st;
}

static peck_status greed_open(struct greed *g, const struct blending *b, peck_error *err)
{
    const struct peck_dataset *const d = b->spec->valid;
    size_t cells;

    g->n = b->n;
    g->n_docs = d->n_docs;
    g->is_error = b->plan.metrics.item[0].metric->is_error;
    if (mul_overflow(g->n, g->n_docs, &cells))
        return fail_memory(err, "the scores", g->n, g->n_docs);
    g->z = mem_new(cells, sizeof *g->z);
    g->sum = mem_new(g->n_docs, sizeof *g->sum);
    g->with = mem_new(g->n_docs, sizeof *g->with);
    g->count = mem_new(g->n, sizeof *g->count);
    g->best = mem_new(g->n, sizeof *g->best);
    g->alone = mem_new(g->n, sizeof *g->alone);
    if (!g->z || !g->sum || !g->with || !g->count || !g->best || !g->alone)
        return fail_memory(err, "the scores", cells, sizeof *g->z);
    for (size_t k = 0; k < g->n; k++)
        TRY(score_alone(g, b, k, err));
    TRY(scored_docs_of(&g->scored_docs, d, g->with, err));
    return judge_open(&g->judge, &g->scored_docs, &b->plan.metrics, &b->plan.convention,
                      b->plan.seed, b->plan.pool, err);
}

static void greed_close(struct greed *g)
{
    judge_close(g->judge);
    mem_free(g->z);
    mem_free(g->sum);
    mem_free(g->with);
    mem_free(g->count);
    mem_free(g->best);
    mem_free(g->alone);
}

/* The value with model k; the larger the better, NaN where no query counts. */
static double value_with(struct greed *g, size_t k)
{
    const double *const z = g->z + k * g->n_docs;

    for (size_t i = 0; i < g->n_docs; i++)
        g->with[i] = g->sum[i] + z[i];
    const double value = judge_verdict(g->judge)->total[0];

    return g->is_error ? -value : value;
}

/* Who joins next; of equals the earlier. */
static size_t next_to_join(struct greed *g, double *value)
{
    size_t best = 0;

    for (size_t k = 0; k < g->n; k++) {
        const double v = value_with(g, k);

        if (k == 0 || v > *value) {
            best = k;
            *value = v;
        }
    }
    return best;
}

static void join(struct greed *g, struct blending *b)
{
    double top = -(double)INFINITY, value = 0.0;

    for (size_t round = 1; round <= ROUNDS; round++) {
        const size_t k = next_to_join(g, &value);

        for (size_t i = 0; i < g->n_docs; i++)
            g->sum[i] += g->z[k * g->n_docs + i];
        g->count[k]++;
        if (value > top || round == 1) {
            top = value;
            b->round = round;
            memcpy(g->best, g->count, g->n * sizeof *g->best);
        }
    }
    for (size_t k = 0; k < g->n; k++)
        b->share[k] = (double)g->best[k] / (double)b->round;
}

static peck_status choose_greedily(struct blending *b, peck_error *err)
{
    struct greed g = { 0 };
    const peck_status st = greed_open(&g, b, err);

    if (st == PECK_OK)
        join(&g, b);
    greed_close(&g);
    return st;
}

/* What it says of itself ------------------------------------------------------------- */

static peck_status note(struct notes *notes, const char *key, struct text *to,
                        peck_error *err)
{
    if (to->failed || !notes_add(notes, key, (peck_span){ to->s, to->len }))
        return fail_memory(err, "the notes of a model", 1, 1);
    to->len = 0;
    return PECK_OK;
}

static peck_status add_notes(const struct blending *b, struct notes *notes, struct text *to,
                             peck_error *err)
{
    const struct peck_dataset *const d = b->spec->valid;

    text_add_str(to, "blend");
    TRY(note(notes, "method", to, err));
    if (b->round > 0)
        text_printf(to, "greedy selection among %zu models, round %zu of %d", b->n,
                    b->round, ROUNDS);
    else
        text_add_str(to, "equal");
    TRY(note(notes, "shares", to, err));
    if (d != NULL) {
        text_printf(to, "given, %zu queries, %016" PRIx64, d->n_queries,
                    dataset_fingerprint(d));
        TRY(note(notes, "validation", to, err));
        text_add_str(to, b->plan.metrics.item[0].name);
        TRY(note(notes, "metric", to, err));
        convention_print(&b->plan.convention, to);
        TRY(note(notes, "convention", to, err));
        text_printf(to, "%.6g", b->value);
        TRY(note(notes, "valid", to, err));
    }
    text_printf(to, "peck %s", PECK_VERSION);
    return note(notes, "blended by", to, err);
}

/* The whole -------------------------------------------------------------------------- */

static peck_status walk(struct peck_model **out, struct blending *b, peck_error *err)
{
    struct text buffer;

    *out = NULL;
    TRY(blending_open(b, err));
    TRY(measure_scales(b, err));
    if (is_greedy(b->spec->weights))
        TRY(choose_greedily(b, err));
    TRY(gather(out, b, b->share, err));
    if (b->spec->valid != NULL)
        TRY(measure(b, *out, err));
    text_init(&buffer, (size_t)1 << 20);
    const peck_status st = add_notes(b, &(*out)->notes, &buffer, err);

    text_free(&buffer);
    return st;
}

peck_status peck_blend(peck_model **out, const peck_blend_spec *spec, peck_error *err)
{
    struct blending b = { .spec = spec, .value = (double)NAN };
    const peck_status st = walk(out, &b, err);

    blending_close(&b);
    if (st != PECK_OK) {
        peck_model_free(*out);
        *out = NULL;
    }
    return st;
}
