/* train.c -- peck_train: the corridor of training.
 *
 *     method + settings -> plan
 *     data              -> train, valid
 *     train, unlabelled -> normaliser -> train_data (pairs, scaled features, rules)
 *     plan + train_data -> members' weights -> model                                 */
#include "train.h"
#include "score.h"

#include "../base/alloc.h"
#include "../base/spec.h"

#include <math.h>
#include <stdarg.h>

/* Features whose columns reach this far (root mean square) are no food for a net. */
#define WILD_SCALE 30.0

/* Probabilities that differ by less say the same. */
#define CONTRADICTION 0.1

void training_warn(const struct training *t, const char *fmt, ...)
{
    char text[512];
    va_list args;

    if (t->spec->warn == NULL)
        return;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    t->spec->warn(t->spec->ctx, text);
}

/* A plan whose scores do not depend on the list. */
static peck_status plan_alone(struct training *t, peck_error *err)
{
    const peck_train_spec *const spec = t->spec;
    bool has_own_norm = spec->norm != NULL; /* the user's, in one of both ways */
    struct text norm;

    TRY(recipe_check_alone(t->plan.recipe, err));
    if (!norm_heeds_query(t->plan.norm))
        return PECK_OK;
    for (size_t i = 0; spec->settings != NULL && spec->settings[i] != NULL; i++)
        has_own_norm |= strncmp(spec->settings[i], "norm=", 5) == 0;
    text_init(&norm, PARAM_TEXT_MAX);
    norm_print_alone(t->plan.norm, &norm);
    const peck_status st =
        norm.failed ? fail_memory(err, "a normaliser", 1, PARAM_TEXT_MAX)
        : has_own_norm
            ? fail(err, PECK_ARG,
                   "norm '%s' looks at the query, so the scores would depend on the list; "
                   "with --alone take '%s'",
                   t->plan.norm, norm.s)
            : plan_set(&t->plan, "norm", norm.s, err);

    text_free(&norm);
    return st;
}

peck_status training_plan(struct training *t, const struct size *size, peck_error *err)
{
    const peck_train_spec *const spec = t->spec;
    char number[32];

    TRY(plan_open(&t->plan, spec->method != NULL ? spec->method : PECK_DEFAULT_METHOD,
                  spec->settings, size, err));
    if (spec->norm != NULL)
        TRY(plan_set(&t->plan, "norm", spec->norm, err));
    if (spec->alone)
        TRY(plan_alone(t, err));
    if (spec->binarise > 0.0) {
        snprintf(number, sizeof number, "%.17g", spec->binarise);
        TRY(plan_set(&t->plan, "binarise", number, err));
    }
    return PECK_OK;
}

/* With few labelled queries some features are constant, and a normaliser fitted to them
 * alone would let no rule speak of those. */
peck_status training_data(struct training *t, peck_error *err)
{
    const struct peck_dataset *d = t->train;

    if (t->spec->unlabelled != NULL) {
        if (t->joined == NULL)
            TRY(dataset_join(&t->joined, d, t->spec->unlabelled, err));
        d = t->joined;
    }
    const struct norm_data all = { { d->x, d->n_docs, d->dim, d->dim },
                                   d->start,
                                   d->n_queries };
    const struct validation validation = { .data = t->valid,
                                           .prefs = t->valid_prefs,
                                           .metric = &t->metric,
                                           .convention = &t->convention,
                                           .seed = t->spec->seed };

    TRY(norm_fit(&t->norm, t->plan.norm, &all, t->pool, err));
    TRY(plan_shape(&t->plan, norm_dim_out(t->norm), err));
    TRY(train_data_open(&t->train_data, &t->plan, t->norm, d, t->prefs, &validation,
                        t->pool, err));
    TRY(plan_suit(&t->plan, &t->train_data, err));
    return t->spec->rules != NULL
               ? train_data_add_rules(&t->train_data, t->spec->rules, err)
               : PECK_OK;
}

/* What a person should know before the first epoch. */
static peck_status give_warnings(const struct training *t, peck_error *err)
{
    const struct train_set *const l = t->train_data.train_set;
    peck_contradiction first;
    size_t n = 0;

    if (t->train_data.scale > WILD_SCALE)
        training_warn(
            t,
            "features reach %.3g (root mean square) under --norm %s; training goes badly "
            "with such scales: use zscore, quantile or query-zscore",
            t->train_data.scale, t->plan.norm);
    if (l->n_teaching == 0)
        training_warn(
            t, "no query has two documents of different labels; nothing can be learnt");
    if (l->n_cut > 0)
        training_warn(
            t,
            "%zu queries are so long that their pairs are sampled; set sample_over=0 to "
            "take them all",
            l->n_cut);
    training_warn_of_size(t);
    TRY(training_warn_of_overlap(t, err));
    if (t->spec->warn != NULL && t->spec->pairs != NULL)
        TRY(peck_prefs_contradictions(t->spec->pairs, CONTRADICTION, &first, 1, &n, err));
    if (n > 0)
        training_warn(
            t,
            "%zu preferences do not follow from the others; the first, of query '%.*s', "
            "gives P = %.3g where the others give %.3g",
            n, SPAN_ARGS(strings_get(&t->spec->train->query_id, first.list)), first.given,
            first.implied);
    return PECK_OK;
}

/* plan + training data -> members' weights */
static peck_status train_members(struct training *t, peck_error *err)
{
    const peck_train_spec *const spec = t->spec;
    const double **each = NULL; /* the weights of rules, the same for every member */

    TRY(training_identify(t, err));
    if (t->rule_weight != NULL && (each = mem_new(t->n_members, sizeof *each)) == NULL)
        return fail_memory(err, "members", t->n_members, sizeof *each);
    for (size_t i = 0; each != NULL && i < t->n_members; i++)
        each[i] = t->rule_weight;
    const peck_status st = run_members(&t->run,
                                       &(struct run_spec){ .plan = &t->plan,
                                                           .train_data = &t->train_data,
                                                           .n_members = t->n_members,
                                                           .seed = spec->seed,
                                                           .rule_weight = each,
                                                           .pool = t->pool,
                                                           .checkpoint = spec->checkpoint,
                                                           .identity = t->identity.s,
                                                           .resume = spec->resume != 0,
                                                           .progress = spec->progress,
                                                           .interrupted = spec->interrupted,
                                                           .warn = spec->warn,
                                                           .ctx = spec->ctx },
                                       err);

    mem_free(each);
    return st;
}

/* Members' weights, normaliser and notes -> model.  A stopped ensemble is made of the members
 * that have learnt something. */
static peck_status fill_model(struct peck_model *m, struct training *t, peck_error *err)
{
    const struct family *const family = t->plan.recipe->family;
    const struct strings *const names = &t->spec->train->feature_name;
    size_t cells;

    m->family = family;
    m->shape = mem_new(1, family->shape_size);
    if (m->shape == NULL)
        return fail_memory(err, "the shape of the model", 1, family->shape_size);
    memcpy(m->shape, t->plan.shape, family->shape_size);

    /* Where a family says which weights are in use, the model holds no others. */
    m->n_weights = family->used == NULL ? t->plan.n_weights : 1;
    for (size_t i = 0; family->used != NULL && i < t->n_members; i++) {
        const size_t used = family->used(t->plan.shape, run_member(t->run, i).w);

        m->n_weights = used > m->n_weights ? used : m->n_weights;
    }
    if (mul_overflow(t->n_members, m->n_weights, &cells) ||
        (m->w = mem_new(cells, sizeof *m->w)) == NULL)
        return fail_memory(err, "the weights of the model", t->n_members, m->n_weights);
    for (size_t i = 0; i < t->n_members; i++) {
        const struct member member = run_member(t->run, i);

        if (member.has_learnt)
            memcpy(m->w + m->n_members++ * m->n_weights, member.w,
                   m->n_weights * sizeof *m->w);
    }
    for (size_t i = 0; i < names->n; i++)
        if (!strings_add(&m->feature_name, strings_get(names, i)))
            return fail_memory(err, "feature names", names->n, 1);
    TRY(training_note(t, &m->notes, err));
    m->norm = t->norm;
    t->norm = NULL;
    TRY(training_check_model(t, m, err));

    /* Members that score alone are averaged by their scores of the training data. */
    const size_t n_scales = t->spec->alone ? model_voices(m) : 0;
    struct peck_model one = { .family = family,
                              .shape = m->shape,
                              .n_weights = m->n_weights,
                              .n_members = 1,
                              .norm = m->norm };

    if (n_scales > 0 && (m->scale = mem_new(n_scales, sizeof *m->scale)) == NULL)
        return fail_memory(err, "members", n_scales, sizeof *m->scale);
    for (size_t i = 0; i < n_scales; i++) {
        one.w = m->w + i * m->n_weights;
        TRY(measure_scale(&m->scale[i], &one, t->train, pool_size(t->pool), err));
    }
    return PECK_OK;
}

/* From specification to model; *t keeps what was taken, to be freed. */
static peck_status walk_training(peck_model **out, struct training *t, peck_error *err)
{
    const peck_train_spec *const spec = t->spec;
    bool has_learnt = false;

    /* Method, settings and metric -> plan. */
    TRY(training_plan(t, NULL, err));
    TRY(convention_parse(&t->convention, spec->convention, err));
    TRY(metric_list_parse(&t->metric,
                          spec->metric != NULL ? spec->metric : PECK_DEFAULT_METRIC, err));
    if (t->metric.n != 1)
        return fail(err, PECK_ARG, "%zu metrics; one alone can choose the best epoch",
                    t->metric.n);
    TRY(metric_list_check(&t->metric, &t->convention, err));

    /* Data -> what is learnt from, and what chooses the epoch and the size. */
    TRY(pool_new(&t->pool, spec->threads, err));
    TRY(training_match(t, err));
    TRY(training_check_rules(t, err));
    TRY(training_split(t, err));
    TRY(training_choose_size(t, err));
    TRY(training_data(t, err));
    TRY(give_warnings(t, err));
    TRY(training_weigh_rules(t, err));

    /* Weights -> model: also the best so far of a training that was stopped, or whose
     * checkpoint could not be written. */
    const peck_status trained = train_members(t, err);

    if (trained == PECK_DIVERGED && err != NULL)
        return training_blame(t, err->text, err);
    for (size_t i = 0; t->run != NULL && i < t->n_members; i++)
        has_learnt |= run_member(t->run, i).has_learnt;
    if ((trained != PECK_OK && trained != PECK_STOPPED && trained != PECK_IO) ||
        !has_learnt)
        return trained;
    if (trained == PECK_OK)
        TRY(training_warn_of_constant(t, err));
    struct peck_model *const m = model_new();

    if (m == NULL)
        return fail_memory(err, "the model", 1, sizeof *m);
    const peck_status made = fill_model(m, t, err);

    if (made == PECK_OK)
        *out = m;
    else
        peck_model_free(m);
    return made != PECK_OK ? made : trained;
}

static peck_status train_by_spec(peck_model **out, const peck_train_spec *spec,
                                 bool is_data_known, peck_error *err)
{
    struct training t = { .spec = &t.own, .is_data_known = is_data_known };

    *out = NULL;
    TRY(SPEC_TAKE(peck_train_spec, &t.own, ctx, spec, err));
    if (t.own.train == NULL)
        return fail(err, PECK_ARG, "there is no training data");
    TRY(training_check_spec(&t.own, err));
    t.n_members = t.own.ensemble > 0 ? t.own.ensemble : 1;
    const peck_status st = walk_training(out, &t, err);

    run_free(t.run);
    train_data_close(&t.train_data);
    norm_free(t.norm);
    text_free(&t.identity);
    text_free(&t.sizes);
    peck_dataset_free(t.binary);
    mem_free(t.rule_weight);
    peck_prefs_free(t.kept_prefs);
    peck_prefs_free(t.held_prefs);
    peck_dataset_free(t.joined);
    peck_dataset_free(t.kept);
    peck_dataset_free(t.held);
    peck_dataset_free(t.fit_valid);
    peck_dataset_free(t.fit_unlabelled);
    metric_list_free(&t.metric);
    plan_close(&t.plan);
    pool_free(t.pool);
    return st;
}

peck_status train_knowing(peck_model **out, const peck_train_spec *spec, peck_error *err)
{
    return train_by_spec(out, spec, true, err);
}

peck_status peck_train(peck_model **out, const peck_train_spec *spec, peck_error *err)
{
    return train_by_spec(out, spec, false, err);
}
