/* blend.c -- models of any methods become a committee.
 *
 * Shares are equal, or found by greedy selection with replacement: the model joins whose
 * scores, added to those of all who joined before, do best on validation data; it may
 * join again.  Of all rounds the best one counts, and a share is how often a model joined
 * by then.  Caruana, Niculescu-Mizil, Crew and Ksikes, "Ensemble selection from libraries
 * of models", ICML 2004.                                                               */
#include "select.h"
#include "../flow/score.h"

#include "../base/spec.h"
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
    struct arena arena;  /* of all four */
    struct judge_plan plan;
    double value; /* of the committee on the validation data; NaN: there is none */
    size_t round; /* that counts; 0: equal shares */
    struct watch watch;
};

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

/* Checks the specification; a committee among the models is taken apart. */
static peck_status blending_open(struct blending *b, peck_error *err)
{
    const peck_blend_spec *const spec = b->spec;
    const peck_judge_spec judge = { .metrics = spec->metric,
                                    .convention = spec->convention,
                                    .seed = spec->seed,
                                    .threads = spec->threads,
                                    .own_metrics = spec->own_metrics };
    size_t at = 0;

    if (spec->n_models == 0)
        return fail(err, PECK_ARG, "a committee takes a model");
    TRY(blend_check(spec->weights, spec->alone, spec->valid != NULL, err));
    TRY(match_check(spec->match, err));
    for (size_t i = 0; i < spec->n_models; i++)
        b->n += spec->model[i]->n_parts > 0 ? spec->model[i]->n_parts : 1;
    b->model = arena_new(&b->arena, "a committee", b->n, sizeof *b->model);
    b->name = arena_new(&b->arena, "a committee", b->n, sizeof *b->name);
    b->share = arena_new(&b->arena, "a committee", b->n, sizeof *b->share);
    if (spec->alone)
        b->scale = arena_new(&b->arena, "a committee", b->n, sizeof *b->scale);
    TRY(arena_check(&b->arena, err));
    for (size_t i = 0; i < spec->n_models; i++) {
        const struct peck_model *const m = spec->model[i];

        for (size_t k = 0; k == 0 || k < m->n_parts; k++, at++) {
            b->model[at] = m->n_parts > 0 ? m->part[k] : m;
            b->name[at] = spec->name != NULL ? spec->name[i] : NULL;
            b->share[at] = 1.0 / (double)b->n;
            const char *const why = model_heeds_list(b->model[at]);
            char number[32];

            snprintf(number, sizeof number, "model %zu", at + 1);
            if (spec->alone && why != NULL)
                return fail(err, PECK_ARG,
                            "%s: its scores depend on the list (%s), so those of the "
                            "committee would; train it with --alone",
                            b->name[at] != NULL ? b->name[at] : number, why);
        }
    }
    TRY(judge_plan_open(&b->plan, &judge, PECK_DEFAULT_METRIC, err));
    if (b->plan.metrics.n != 1)
        return fail(err, PECK_ARG, "%zu metrics; one alone can choose the shares",
                    b->plan.metrics.n);
    for (size_t i = 0; b->scale != NULL && i < b->n; i++)
        TRY(measure_scale(&b->scale[i], b->model[i], spec->valid, pool_size(b->plan.pool),
                          err));
    return PECK_OK;
}

/* The committee of those with a share; freed by the caller, also where it fails. */
static peck_status gather_committee(struct peck_model **out, const struct blending *b,
                                    const double *share, peck_error *err)
{
    struct arena a = { 0 };
    const struct peck_model **const part = arena_new(&a, "a committee", b->n, sizeof *part);
    const char **const name = arena_new(&a, "a committee", b->n, sizeof *name);
    double *const own = arena_new(&a, "a committee", b->n, sizeof *own);
    struct scale *scale = NULL; /* goes to the model */
    size_t n = 0;
    peck_status st = arena_check(&a, err);

    *out = model_new();
    if (st == PECK_OK && (*out == NULL || (b->scale != NULL &&
                                           (scale = mem_new(b->n, sizeof *scale)) == NULL)))
        st = fail_memory(err, "a committee", b->n, sizeof *part);
    for (size_t i = 0; st == PECK_OK && i < b->n; i++)
        if (share[i] > 0.0) {
            part[n] = b->model[i];
            name[n] = b->name[i];
            if (scale != NULL)
                scale[n] = b->scale[i];
            own[n++] = share[i];
        }
    if (st == PECK_OK)
        st = committee_fill(*out, part, own, b->spec->name != NULL ? name : NULL, n, err);
    if (st == PECK_OK)
        (*out)->scale = scale;
    else
        mem_free(scale);
    arena_free(&a);
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

/* Greedy selection with replacement: fills share[] and round. */
static peck_status choose_greedily(struct blending *b, peck_error *err)
{
    const struct peck_dataset *const d = b->spec->valid;
    const size_t n = b->n, n_docs = d->n_docs;
    const double sign = b->plan.metrics.item[0].metric->is_error ? -1.0 : 1.0;
    struct arena a = { 0 };
    /* What a committee of each model alone says of the documents; the sum of those who
     * joined; with one more. */
    double *const z = arena_new(&a, "the scores", n, n_docs * sizeof *z);
    double *const sum = arena_new(&a, "the scores", n_docs, sizeof *sum);
    double *const with = arena_new(&a, "the scores", n_docs, sizeof *with);
    double *const alone = arena_new(&a, "the scores", n, sizeof *alone); /* shares */
    /* How often each joined; by the best round. */
    size_t *const count = arena_new(&a, "the scores", n, sizeof *count);
    size_t *const best = arena_new(&a, "the scores", n, sizeof *best);
    double top = -(double)INFINITY;
    struct scored_docs scored_docs;
    struct judge *judge = NULL;
    peck_status st = arena_check(&a, err);

    /* What each model says alone. */
    for (size_t k = 0; st == PECK_OK && k < n; k++) {
        struct peck_model *m = NULL;

        alone[k] = 1.0;
        st = gather_committee(&m, b, alone, err);
        alone[k] = 0.0;
        if (st == PECK_OK)
            st = score_valid(b, m, false, z + k * n_docs, err);
        peck_model_free(m);
        if (st == PECK_OK)
            st = watch_step(&b->watch, k + 1, n + ROUNDS, err);
    }
    if (st == PECK_OK)
        st = scored_docs_of(&scored_docs, d, with, err);
    if (st == PECK_OK)
        st = judge_open(&judge, &a, &scored_docs, &b->plan.metrics, &b->plan.convention,
                        b->plan.seed, b->plan.pool, err);

    /* Rounds of joining. */
    for (size_t round = 1; st == PECK_OK && round <= ROUNDS; round++) {
        double value = 0.0; /* NaN where no query counts */
        size_t next = 0;    /* who joins; of equals the earlier */

        for (size_t k = 0; k < n; k++) {
            for (size_t i = 0; i < n_docs; i++)
                with[i] = sum[i] + z[k * n_docs + i];
            const double v = sign * judge_verdict(judge)->total[0];

            if (k == 0 || v > value) {
                next = k;
                value = v;
            }
        }
        for (size_t i = 0; i < n_docs; i++)
            sum[i] += z[next * n_docs + i];
        count[next]++;
        if (value > top || round == 1) {
            top = value;
            b->round = round;
            memcpy(best, count, n * sizeof *best);
        }
        st = watch_step(&b->watch, n + round, n + ROUNDS, err);
    }
    for (size_t k = 0; st == PECK_OK && k < n; k++)
        b->share[k] = (double)best[k] / (double)b->round;
    arena_free(&a);
    return st;
}

/* The value of the committee on the validation data. */
static peck_status measure_committee(struct blending *b, const struct peck_model *m,
                                     peck_error *err)
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

/* A note whose text `to` holds; `to` is empty again afterwards. */
static peck_status note_of_blend(struct notes *notes, const char *key, struct text *to,
                                 peck_error *err)
{
    if (to->failed || !notes_add(notes, key, (peck_span){ to->s, to->len }))
        return fail_memory(err, "the notes of a model", 1, 1);
    to->len = 0;
    return PECK_OK;
}

/* What the committee says of itself. */
static peck_status note_blend(const struct blending *b, struct notes *notes,
                              struct text *to, peck_error *err)
{
    const struct peck_dataset *const d = b->spec->valid;

    text_add_str(to, "blend");
    TRY(note_of_blend(notes, "method", to, err));
    if (b->round > 0)
        text_printf(to, "greedy selection among %zu models, round %zu of %d", b->n,
                    b->round, ROUNDS);
    else
        text_add_str(to, "equal");
    TRY(note_of_blend(notes, "shares", to, err));
    if (d != NULL) {
        uint64_t fingerprint;

        TRY(dataset_fingerprint(&fingerprint, d, b->plan.pool, err));
        text_printf(to, "given, %zu queries, %016" PRIx64, d->n_queries, fingerprint);
        TRY(note_of_blend(notes, "validation", to, err));
        text_add_str(to, b->plan.metrics.item[0].name);
        TRY(note_of_blend(notes, "metric", to, err));
        convention_print(&b->plan.convention, to);
        TRY(note_of_blend(notes, "convention", to, err));
        text_printf(to, "%.6g", b->value);
        TRY(note_of_blend(notes, "valid", to, err));
    }
    text_printf(to, "peck %s", PECK_VERSION);
    return note_of_blend(notes, "blended by", to, err);
}

/* Shares, members, value on the validation data, notes. */
static peck_status walk_blend(struct peck_model **out, struct blending *b, peck_error *err)
{
    struct text buffer;

    *out = NULL;
    TRY(blending_open(b, err));
    if (is_greedy(b->spec->weights))
        TRY(choose_greedily(b, err));
    TRY(gather_committee(out, b, b->share, err));
    if (b->spec->valid != NULL)
        TRY(measure_committee(b, *out, err));
    text_init(&buffer, (size_t)1 << 20);
    const peck_status st = note_blend(b, &(*out)->notes, &buffer, err);

    text_free(&buffer);
    return st;
}

peck_status peck_blend(peck_model **out, const peck_blend_spec *spec, peck_error *err)
{
    peck_blend_spec own;
    struct blending b = { .spec = &own, .value = (double)NAN };

    *out = NULL;
    TRY(SPEC_TAKE(peck_blend_spec, &own, progress, spec, err));
    b.watch = (struct watch){ .progress = own.progress, .ctx = own.ctx };
    const peck_status st = walk_blend(out, &b, err);

    judge_plan_close(&b.plan);
    arena_free(&b.arena);
    if (st != PECK_OK) {
        peck_model_free(*out);
        *out = NULL;
    }
    return st;
}
