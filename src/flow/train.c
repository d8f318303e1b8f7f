/* train.c -- peck_train: the corridor of training.
 *
 *     method + settings -> plan
 *     data              -> train, valid
 *     train, unlabelled -> normaliser -> train_data (pairs, scaled features, rules)
 *     plan + train_data -> members' weights -> model                                 */
#include "train.h"
#include "score.h"

#include "../base/alloc.h"

#include <math.h>
#include <stdarg.h>

#define DEFAULT_METHOD "lambdaneuralrank"
#define DEFAULT_METRIC "ndcg@10"

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

/* Whether the user chose the norm, in one of both ways. */
static bool has_own_norm(const peck_train_spec *spec)
{
    bool has = spec->norm != NULL;

    for (size_t i = 0; !has && spec->settings != NULL && spec->settings[i] != NULL; i++)
        has = strncmp(spec->settings[i], "norm=", 5) == 0;
    return has;
}

/* A plan whose scores do not depend on the list. */
static peck_status plan_alone(struct training *t, peck_error *err)
{
    struct text norm;

    TRY(recipe_check_alone(t->plan.recipe, err));
    if (!norm_heeds_query(t->plan.norm))
        return PECK_OK;
    text_init(&norm, PARAM_TEXT_MAX);
    norm_print_alone(t->plan.norm, &norm);
    const peck_status st =
        norm.failed ? fail_memory(err, "a normaliser", 1, PARAM_TEXT_MAX)
        : has_own_norm(t->spec)
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

    TRY(plan_open(&t->plan, spec->method != NULL ? spec->method : DEFAULT_METHOD,
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

/* method + settings -> plan, and what chooses the best epoch */
static peck_status make_plan(struct training *t, peck_error *err)
{
    const peck_train_spec *const spec = t->spec;

    TRY(training_plan(t, NULL, err));
    TRY(convention_parse(&t->convention, spec->convention, err));
    TRY(metric_list_parse(&t->metric, spec->metric != NULL ? spec->metric : DEFAULT_METRIC,
                          err));
    if (t->metric.n != 1)
        return fail(err, PECK_ARG, "%zu metrics; one alone can choose the best epoch",
                    t->metric.n);
    return metric_list_check(&t->metric, &t->convention, err);
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

/* Names one of the preferences that cannot hold together. */
static peck_status warn_of_contradictions(const struct training *t, peck_error *err)
{
    peck_contradiction first;
    size_t n;

    if (t->spec->warn == NULL || t->spec->pairs == NULL)
        return PECK_OK;
    TRY(peck_prefs_contradictions(t->spec->pairs, CONTRADICTION, &first, 1, &n, err));
    if (n == 0)
        return PECK_OK;
    const peck_span query = strings_get(&t->spec->train->query_id, first.list);

    training_warn(
        t,
        "%zu preferences do not follow from the others; the first, of query '%.*s', gives "
        "P = %.3g where the others give %.3g",
        n, SPAN_ARGS(query), first.given, first.implied);
    return PECK_OK;
}

/* What a person should know before the first epoch. */
static peck_status give_warnings(const struct training *t, peck_error *err)
{
    const struct train_set *const l = t->train_data.train_set;

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
    return warn_of_contradictions(t, err);
}

static peck_status run_plan(struct training *t, const double *const *rule_weight,
                            peck_error *err)
{
    const peck_train_spec *const spec = t->spec;

    return run_members(
        &t->run,
        &(struct run_spec){ .plan = &t->plan,
                            .train_data = &t->train_data,
                            .n_members = spec->ensemble > 0 ? spec->ensemble : 1,
                            .seed = spec->seed,
                            .rule_weight = rule_weight,
                            .pool = t->pool,
                            .checkpoint = spec->checkpoint,
                            .identity = t->identity.s,
                            .resume = spec->resume != 0,
                            .progress = spec->progress,
                            .interrupted = spec->interrupted,
                            .warn = spec->warn,
                            .ctx = spec->ctx },
        err);
}

/* plan + training data -> members' weights */
static peck_status train_members(struct training *t, peck_error *err)
{
    const size_t n = t->spec->ensemble > 0 ? t->spec->ensemble : 1;

    TRY(training_identify(t, err));
    if (t->rule_weight == NULL)
        return run_plan(t, NULL, err);
    const double **const each = mem_new(n, sizeof *each);

    if (each == NULL)
        return fail_memory(err, "members", n, sizeof *each);
    for (size_t i = 0; i < n; i++)
        each[i] = t->rule_weight;
    const peck_status st = run_plan(t, each, err);

    mem_free(each);
    return st;
}

/* Weights that the members need: those in use, where a family says so. */
static size_t needed_weights(const struct training *t, size_t n_members)
{
    const struct family *const f = t->plan.recipe->family;
    size_t most = 1;

    if (f->used == NULL)
        return t->plan.n_weights;
    for (size_t i = 0; i < n_members; i++) {
        const size_t used = f->used(t->plan.shape, run_member(t->run, i).w);

        most = used > most ? used : most;
    }
    return most;
}

/* A stopped ensemble is made of the members that have learnt something. */
static peck_status copy_weights(const struct training *t, struct peck_model *m,
                                peck_error *err)
{
    const size_t n = t->spec->ensemble > 0 ? t->spec->ensemble : 1;
    size_t cells;

    m->n_weights = needed_weights(t, n);
    if (mul_overflow(n, m->n_weights, &cells) ||
        (m->w = mem_new(cells, sizeof *m->w)) == NULL)
        return fail_memory(err, "the weights of the model", n, m->n_weights);
    for (size_t i = 0; i < n; i++) {
        const struct member member = run_member(t->run, i);

        if (member.has_learnt)
            memcpy(m->w + m->n_members++ * m->n_weights, member.w,
                   m->n_weights * sizeof *m->w);
    }
    return PECK_OK;
}

static peck_status fill_model(struct training *t, struct peck_model *m, peck_error *err)
{
    const struct family *const family = t->plan.recipe->family;
    const struct strings *const names = &t->spec->train->feature_name;

    m->family = family;
    m->shape = mem_new(1, family->shape_size);
    if (m->shape == NULL)
        return fail_memory(err, "the shape of the model", 1, family->shape_size);
    memcpy(m->shape, t->plan.shape, family->shape_size);
    TRY(copy_weights(t, m, err));
    for (size_t i = 0; i < names->n; i++)
        if (!strings_add(&m->feature_name, strings_get(names, i)))
            return fail_memory(err, "feature names", names->n, 1);
    TRY(training_note(t, &m->notes, err));
    m->norm = t->norm;
    t->norm = NULL;
    return PECK_OK;
}

/* Members that score alone are averaged by their scores of the training data. */
static peck_status scale_members(const struct training *t, struct peck_model *m,
                                 peck_error *err)
{
    const size_t n = t->spec->alone ? model_voices(m) : 0;

    if (n == 0)
        return PECK_OK;
    struct peck_model one = { .family = m->family,
                              .shape = m->shape,
                              .n_weights = m->n_weights,
                              .n_members = 1,
                              .norm = m->norm };

    if ((m->scale = mem_new(n, sizeof *m->scale)) == NULL)
        return fail_memory(err, "members", n, sizeof *m->scale);
    for (size_t i = 0; i < n; i++) {
        one.w = m->w + i * m->n_weights;
        TRY(measure_scale(&m->scale[i], &one, t->train, pool_size(t->pool), err));
    }
    return PECK_OK;
}

static peck_status make_model(peck_model **out, struct training *t, peck_error *err)
{
    struct peck_model *const m = model_new();

    if (m == NULL)
        return fail_memory(err, "the model", 1, sizeof *m);
    peck_status st = fill_model(t, m, err);

    if (st == PECK_OK)
        st = training_check_model(t, m, err);
    if (st == PECK_OK)
        st = scale_members(t, m, err);
    if (st == PECK_OK)
        *out = m;
    else
        peck_model_free(m);
    return st;
}

static bool has_learnt(const struct training *t)
{
    const size_t n = t->spec->ensemble > 0 ? t->spec->ensemble : 1;

    for (size_t i = 0; t->run != NULL && i < n; i++)
        if (run_member(t->run, i).has_learnt)
            return true;
    return false;
}

static peck_status walk(peck_model **out, struct training *t, peck_error *err)
{
    TRY(make_plan(t, err));
    TRY(pool_new(&t->pool, t->spec->threads, err));
    TRY(training_match(t, err));
    TRY(training_check_rules(t, err));
    TRY(training_split(t, err));
    TRY(training_choose_size(t, err));
    TRY(training_data(t, err));
    TRY(give_warnings(t, err));
    TRY(training_weigh_rules(t, err));
    const peck_status trained = train_members(t, err);

    if (trained == PECK_DIVERGED && err != NULL)
        return training_blame(t, err->text, err);
    if ((trained != PECK_OK && trained != PECK_STOPPED && trained != PECK_IO) ||
        !has_learnt(t))
        return trained;
    if (trained == PECK_OK)
        TRY(training_warn_of_constant(t, err));
    const peck_status made = make_model(out, t, err);

    return made != PECK_OK ? made : trained;
}

static void tidy(struct training *t)
{
    run_free(t->run);
    train_data_close(&t->train_data);
    norm_free(t->norm);
    text_free(&t->identity);
    text_free(&t->sizes);
    mem_free(t->binary.label);
    mem_free(t->rule_weight);
    peck_prefs_free(t->kept_prefs);
    peck_prefs_free(t->held_prefs);
    peck_dataset_free(t->joined);
    peck_dataset_free(t->kept);
    peck_dataset_free(t->held);
    peck_dataset_free(t->fit_valid);
    peck_dataset_free(t->fit_unlabelled);
    metric_list_free(&t->metric);
    plan_close(&t->plan);
    pool_free(t->pool);
}

static peck_status train(peck_model **out, const peck_train_spec *spec, bool is_data_known,
                         peck_error *err)
{
    struct training t = { .own = *spec, .spec = &t.own, .is_data_known = is_data_known };

    *out = NULL;
    if (spec->train == NULL)
        return fail(err, PECK_ARG, "there is no training data");
    TRY(training_check_spec(spec, err));
    const peck_status st = walk(out, &t, err);

    tidy(&t);
    return st;
}

peck_status train_knowing(peck_model **out, const peck_train_spec *spec, peck_error *err)
{
    return train(out, spec, true, err);
}

peck_status peck_train(peck_model **out, const peck_train_spec *spec, peck_error *err)
{
    return train(out, spec, false, err);
}
