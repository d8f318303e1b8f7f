/* train.c -- peck_train: the steps of a training.
 *
 *     method + settings -> plan
 *     data              -> train, valid
 *     train, unlabelled -> train_data (pairs, normaliser, scaled features, rules)
 *     plan + train_data -> members' weights -> model                                 */
#include "train.h"

#include "../base/alloc.h"
#include "../base/maths.h"
#include "../base/spec.h"
#include "../flow/score.h"

#include <math.h>
#include <stdarg.h>

/* Features whose columns reach this far (root mean square) are too large for a net. */
#define WILD_SCALE 30.0

/* Probabilities that differ by less say the same. */
#define CONTRADICTION 0.1

/* Pairs that are better drawn than remembered one by one. */
#define MANY_PAIRS 1e9

/* Numbers of data beyond which sums of squares leave the range of floats, sooner or later. */
#define WILD_NUMBER 1e12

void training_warn(const struct training_run *t, const char *fmt, ...)
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

/* Plan ---------------------------------------------------------------------------------- */

peck_status training_check_spec(const peck_train_spec *spec, peck_error *err)
{
    if (isnan(spec->valid_split) || spec->valid_split >= 1.0)
        return fail(
            err, PECK_ARG,
            "valid_split is %g; give the share of queries to hold out, below 1, or a "
            "negative number for none",
            spec->valid_split);
    if (!isfinite(spec->binarise))
        return fail(err, PECK_ARG, "binarise is %g; give a label, or 0 for none",
                    spec->binarise);
    if (!isfinite(spec->rules_weight))
        return fail(err, PECK_ARG,
                    "rules_weight is %g; give a number, negative for the gains of rules",
                    spec->rules_weight);
    if (spec->ensemble > MOST_MEMBERS)
        return fail(err, PECK_ARG, "an ensemble of %zu; give up to %d members",
                    spec->ensemble, MOST_MEMBERS);
    return PECK_OK;
}

/* A plan whose scores do not depend on the list. */
static peck_status plan_alone(struct training_run *t, peck_error *err)
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

peck_status training_plan(struct training_run *t, const struct size *size, peck_error *err)
{
    const peck_train_spec *const spec = t->spec;
    char number[32];

    TRY(plan_open(&t->plan, spec->method != NULL ? spec->method : PECK_DEFAULT_METHOD,
                  spec->settings, size, err));
    if (t->is_ruled && !t->leaves_rules)
        TRY(plan_set_ruled(&t->plan, spec->settings, err));
    if (t->taught != NULL && !t->leaves_rules && size == NULL)
        TRY(plan_set_taught(&t->plan, spec->settings, err));
    if (spec->own_loss != NULL)
        TRY(plan_own_loss(&t->plan, spec->own_loss, err));
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

/* Data ---------------------------------------------------------------------------------- */

/* *data with the columns of the training data; *fit owns what it takes. */
static peck_status match_columns(struct training_run *t, const struct peck_dataset **data,
                                 struct peck_dataset **fit, peck_error *err)
{
    peck_match_info info;

    TRY(peck_dataset_match_data(fit, *data, t->own.train, t->own.match, &info, err));
    *data = *fit;
    if (info.text[0] != '\0')
        training_warn(t, "%s", info.text);
    return PECK_OK;
}

double share_to_hold(double valid_split, size_t n_queries)
{
    if (valid_split != 0.0)
        return math_max(valid_split, 0.0);
    return n_queries < PECK_FEWEST_TO_SPLIT ? 0.0 : PECK_DEFAULT_VALID_SPLIT;
}

/* Validation data with the labels that training sees. */
static peck_status binarise_validation(struct training_run *t, peck_error *err)
{
    const struct peck_dataset *const d = t->valid;
    const double threshold = t->plan.set_config->binarise;
    float *const label = mem_new(d->n_docs, sizeof *label);

    if (label == NULL)
        return fail_memory(err, d->name, d->n_docs, sizeof *label);
    for (size_t i = 0; i < d->n_docs; i++)
        label[i] = d->label[i] == PECK_UNJUDGED ? PECK_UNJUDGED
                                                : (float)((double)d->label[i] >= threshold);
    const peck_status st = dataset_with_labels(&t->binary, d, label, err);

    mem_free(label);
    t->valid = t->binary;
    return st;
}

/* What ranks can share, and that all data is dealt to the same ones. */
static peck_status check_ranks(const struct training_run *t, peck_error *err)
{
    const peck_train_spec *const spec = t->spec;

    TRY(recipe_check_ranks(t->plan.recipe, err));
    if (spec->rules != NULL || spec->unlabelled != NULL)
        return fail(err, PECK_ARG,
                    "rules are learnt on one machine; train with one process");
    return spec->valid == NULL || spec->valid->comm == spec->train->comm
               ? PECK_OK
               : fail(err, PECK_ARG,
                      "%s: its queries are not dealt to the ranks that have "
                      "those of %s; read both with the same peck_read_options.comm",
                      spec->valid->name, spec->train->name);
}

/* Checks the data and sets train, valid, prefs and valid_prefs: the caller's, with the columns
 * of the training data, or parts of it. */
static peck_status split_data(struct training_run *t, peck_error *err)
{
    const peck_train_spec *const spec = t->spec;
    const struct peck_dataset *const train = spec->train;
    const struct recipe *const r = t->plan.recipe;
    const bool may_miss = r->family->may_miss && norm_keeps_missing(t->plan.norm);
    const double share =
        spec->valid == NULL ? share_to_hold(spec->valid_split, train->n_queries) : 0.0;

    if (spec->valid != NULL)
        TRY(match_columns(t, &t->own.valid, &t->fit_valid, err));
    if (comm_is_shared(train->comm))
        TRY(check_ranks(t, err));
    if (spec->unlabelled != NULL) {
        TRY(match_columns(t, &t->own.unlabelled, &t->fit_unlabelled, err));
        TRY(dataset_check_features(spec->unlabelled, may_miss, t->pool, err));
    }
    if (spec->match != NULL) /* also where there was nothing to match */
        TRY(match_check(spec->match, err));
    if (spec->rules != NULL)
        TRY(training_check_rules(t, err));
    if (train->dim == 0)
        return fail(err, PECK_SHAPE, "%s: there are no features to learn from",
                    train->name);
    if (spec->pairs == NULL && train->n_judged == 0)
        return fail(err, PECK_SHAPE, "%s: no document is judged; there is nothing to learn",
                    train->name);
    if (spec->pairs != NULL)
        TRY(recipe_check_pairs(r, err));
    if (spec->valid_pairs != NULL && spec->valid == NULL)
        return fail(err, PECK_ARG,
                    "validation preferences without the documents they are about");
    if (spec->valid != NULL && spec->valid->n_judged == 0 && spec->valid_pairs == NULL)
        return fail(err, PECK_SHAPE,
                    "%s: no document is judged; it cannot choose an epoch without "
                    "preferences",
                    spec->valid->name);
    TRY(dataset_check_shared(train, may_miss, t->pool, err));
    if (spec->valid != NULL)
        TRY(dataset_check_shared(spec->valid, may_miss, t->pool, err));
    if (share > 0.0)
        TRY(holdout_take(&t->parts, train, spec->pairs, share, spec->seed, err));
    t->train = share > 0.0 ? t->parts.kept : train;
    t->valid = share > 0.0 ? t->parts.held : spec->valid;
    t->prefs = share > 0.0 ? t->parts.kept_prefs : spec->pairs;
    t->valid_prefs = share > 0.0 ? t->parts.held_prefs : spec->valid_pairs;
    if (t->prefs != NULL && t->plan.set_config->consistent) {
        TRY(peck_prefs_consistent(&t->held_prefs, t->prefs, 0, err));
        t->prefs = t->held_prefs;
    }
    if (spec->warn != NULL && !t->is_data_known && t->valid != NULL)
        TRY(dataset_overlap(&t->overlap, t->valid, t->train, t->pool, err));
    TRY(dataset_fingerprint(&t->fingerprint.train, train, t->pool, err));
    if (spec->pairs != NULL)
        t->fingerprint.pairs = prefs_fingerprint(spec->pairs);
    if (spec->valid != NULL)
        TRY(dataset_fingerprint(&t->fingerprint.valid, spec->valid, t->pool, err));
    if (spec->valid_pairs != NULL)
        t->fingerprint.valid_pairs = prefs_fingerprint(spec->valid_pairs);
    if (spec->unlabelled != NULL)
        TRY(dataset_fingerprint(&t->fingerprint.unlabelled, spec->unlabelled, t->pool,
                                err));
    return t->plan.set_config->binarise > 0.0 && t->valid != NULL && t->valid_prefs == NULL
               ? binarise_validation(t, err)
               : PECK_OK;
}

/* With few labelled queries some features are constant, and a normaliser fitted to them
 * alone would let no rule speak of those. */
peck_status training_data(struct training_run *t, peck_error *err)
{
    const struct peck_dataset *d = t->train;

    if (t->spec->unlabelled != NULL && !t->leaves_rules) {
        if (t->joined == NULL)
            TRY(dataset_join(&t->joined, d, t->spec->unlabelled, err));
        d = t->taught != NULL ? t->taught : t->joined;
    }
    const struct validation validation = { .data = t->valid,
                                           .prefs = t->valid_prefs,
                                           .metric = &t->metric,
                                           .convention = &t->convention,
                                           .seed = t->spec->seed };

    const struct memory_limit limit = { t->spec->memory, t->spec->scratch };

    TRY(train_data_open(&t->train_data, &t->plan, d, t->prefs, &validation, &limit, t->pool,
                        err));
    TRY(plan_suit(&t->plan, &t->train_data, err));
    TRY(plan_shape(&t->plan, t->train_data.dim, err));
    return t->spec->rules != NULL && !t->leaves_rules
               ? train_data_add_rules(&t->train_data, t->spec->rules, err)
               : PECK_OK;
}

/* What a person should know -------------------------------------------------------------- */

/* Whether a query has documents of two labels.  Labels fall within a query; the unjudged, who
 * come last where they take part, stand for label 0. */
static bool has_labels_that_differ(const struct train_set *l)
{
    for (size_t q = 0; q < l->n_queries; q++) {
        const float *const label = l->label + l->start[q];
        const uint32_t n = l->plan[q].n_ranked;

        if (n > 1 && label[0] > 0.0f && label[0] > label[n - 1])
            return true;
    }
    return false;
}

/* What a person should know before the first epoch. */
static peck_status give_warnings(const struct training_run *t, peck_error *err)
{
    const struct train_set *const l = t->train_data.train_set;
    const char *const method = t->plan.recipe->plug.about.name;
    char shared[OVERLAP_ROOM];
    peck_contradiction first;
    size_t n = 0;

    if (t->train_data.scale > WILD_SCALE)
        training_warn(
            t,
            "features reach %.3g (root mean square) under --norm %s; training works badly "
            "with such scales: use zscore, quantile or query-zscore",
            t->train_data.scale, t->plan.norm);
    if (l->n_teaching == 0 && t->prefs == NULL && t->plan.set_config->pairs == PAIRS_UNIT &&
        has_labels_that_differ(l))
        training_warn(t, "no query has two documents whose labels differ by 1, as "
                         "pairs=unit asks; there is nothing to learn: give pairs=adjacent");
    else if (l->n_teaching == 0)
        training_warn(t, "no query has two documents of different labels; there is nothing "
                         "to learn: give labels that differ within a query");
    if (l->n_cut > 0)
        training_warn(
            t,
            "%zu queries are so long that their pairs are sampled; set sample_over=0 to "
            "take them all",
            l->n_cut);
    if (t->train_data.n_kept_pairs > MANY_PAIRS)
        training_warn(
            t,
            "%s remembers each pair that it got wrong, a bit for each of %.2g: up "
            "to %.1f GB, and it takes long; cmpnn draws the pairs of long lists",
            method, t->train_data.n_kept_pairs, t->train_data.n_kept_pairs / 8e9);
    if (t->train_data.is_slow)
        training_warn(
            t,
            "%s goes over all %zu documents for every step of each of %zu weights: "
            "that takes long; ridge and ranksvm take seconds for a linear model",
            method, l->n_docs, t->train_data.dim);
    if (t->overlap.n_queries > 0) {
        overlap_print(shared, "", "validation", t->valid, "training", &t->overlap);
        training_warn(t, "%s", shared);
    }
    if (t->spec->warn != NULL && t->spec->pairs != NULL)
        TRY(peck_prefs_contradictions(t->spec->pairs, CONTRADICTION, &first, 1, &n, err));
    if (n > 0)
        training_warn(
            t,
            "%zu preferences do not follow from the others; the first, of query '%.*s', "
            "gives P = %.3g where the others give %.3g; %s",
            n, SPAN_ARGS(strings_get(&t->spec->train->query_id, first.list)), first.given,
            first.implied,
            t->plan.set_config->consistent
                ? "the nearest that hold together are learnt"
                : "consistent=1 learns the nearest that hold together");
    return PECK_OK;
}

/* After training: a model that gives all documents of a query the same score. */
static peck_status warn_of_constant(const struct training_run *t, peck_error *err)
{
    const char *const method = t->plan.recipe->plug.about.name;
    bool has_choice;
    char value[32];

    TRY(train_data_has_choice(&has_choice, &t->train_data, err));
    if (!has_choice)
        training_warn(
            t,
            "the model came out constant: no feature differs between documents of a query "
            "(--norm %s), so it cannot rank; give features that do",
            t->plan.norm);
    else if (plan_get(&t->plan, "min_leaf", value, sizeof value))
        training_warn(
            t,
            "the model came out constant: no tree of %s tells documents of a query apart, "
            "so it cannot rank; lower min_leaf (it is %s), or take another method",
            method, value);
    else
        training_warn(t,
                      "the model came out constant: %s gives all documents of a query the "
                      "same score, so it cannot rank; try another --norm, more epochs or "
                      "another method",
                      method);
    return PECK_OK;
}

/* Members and model ---------------------------------------------------------------------- */

/* plan + training data -> members' weights */
static peck_status train_members(struct training_run *t, peck_error *err)
{
    const peck_train_spec *const spec = t->spec;
    const double **each = NULL; /* the weights of rules, the same for every member */

    TRY(training_identify(t, err));
    if (t->run != NULL) {
        run_tell(t->run, spec->progress, spec->ctx);
        return t->outcome;
    }
    if (t->rule_weight != NULL && !t->leaves_rules &&
        (each = mem_new(t->n_members, sizeof *each)) == NULL)
        return fail_memory(err, "members", t->n_members, sizeof *each);
    for (size_t i = 0; each != NULL && i < t->n_members; i++)
        each[i] = t->rule_weight;
    const peck_status st = run_members(&t->run,
                                       &(struct run_spec){ .plan = &t->plan,
                                                           .train_data = &t->train_data,
                                                           .n_members = t->n_members,
                                                           .seed = spec->seed,
                                                           .rule_weight = each,
                                                           .rule_pace = t->rule_pace,
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

/* Of the sizes above 0 among numbers of the data; high 0: there are none. */
struct size_range {
    double low, high;
};

static struct size_range range_of(const float *x, size_t n)
{
    struct size_range r = { HUGE_VAL, 0.0 };

    for (size_t i = 0; x != NULL && i < n; i++) {
        const double size = fabs((double)x[i]);

        r.high = size > r.high ? size : r.high;
        r.low = size > 0.0 && size < r.low ? size : r.low;
    }
    return r;
}

static bool is_wild(struct size_range r)
{
    return r.high > WILD_NUMBER || (r.high > 0.0 && r.low < 1.0 / WILD_NUMBER);
}

/* PECK_DIVERGED with this sentence, and what in the data is likely to blame. */
static peck_status blame_data(const struct training_run *t, const char *what,
                              peck_error *err)
{
    const struct peck_dataset *const d = t->train;
    const struct size_range query = range_of(d->query_weight, d->n_queries),
                            doc = range_of(d->doc_weight, d->n_docs),
                            label = range_of(d->label, d->n_docs);
    char cause[160] = "", text[sizeof err->text];

    if (is_wild(query) || is_wild(doc))
        snprintf(cause, sizeof cause,
                 "; the weights of the data reach from %.3g to %.3g: scale them to about 1",
                 is_wild(query) ? query.low : doc.low,
                 is_wild(query) ? query.high : doc.high);
    else if (label.high > WILD_NUMBER)
        snprintf(cause, sizeof cause, "; labels reach %.3g: scale them down", label.high);
    snprintf(text, sizeof text, "%s", what); /* it may be err's own */
    return fail(err, PECK_DIVERGED, "%.340s%s", text, cause);
}

/* Members' weights, normaliser and notes -> model.  A stopped ensemble is made of the members
 * that have learnt something. */
static peck_status fill_model(peck_model **out, struct training_run *t, peck_error *err)
{
    struct peck_model *const m = *out = model_new();
    const struct family *const family = t->plan.recipe->family;
    const struct strings *const names = &t->spec->train->feature_name;
    char text[sizeof err->text];
    peck_error why;
    size_t cells;

    if (m == NULL)
        return fail_memory(err, "the model", 1, sizeof *m);
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
    m->notes = t->notes;
    t->notes = (struct notes){ 0 };
    m->norm = t->train_data.norm;
    t->train_data.norm = NULL;
    if (model_check(m, &why) != PECK_OK) {
        snprintf(text, sizeof text,
                 "training diverged: of the model, %.200s; use another --norm than %s",
                 why.text, t->plan.norm);
        return blame_data(t, text, err);
    }

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

/* The whole ------------------------------------------------------------------------------ */

/* From specification to model; *t keeps what was taken, to be freed. */
static peck_status walk_training(peck_model **out, struct training_run *t, peck_error *err)
{
    const peck_train_spec *const spec = t->spec;
    bool has_learnt = false, tells_apart = true;

    /* Method, settings and metric -> plan. */
    TRY(training_plan(t, NULL, err));
    TRY(convention_parse(&t->convention, spec->convention, err));
    text_init(&t->convention_note, LONGEST_NOTE);
    convention_print(&t->convention, &t->convention_note);
    TRY(metric_list_parse_with(&t->metric,
                               spec->metric != NULL ? spec->metric : PECK_DEFAULT_METRIC,
                               spec->own_metrics, err));
    if (t->metric.n != 1)
        return fail(err, PECK_ARG, "%zu metrics; one alone can choose the best epoch",
                    t->metric.n);
    TRY(metric_list_check(&t->metric, &t->convention, err));

    /* Data -> what is learnt from, and what chooses the epoch and the size. */
    TRY(pool_new(&t->pool, spec->threads, err));
    TRY(split_data(t, err));
    const size_t n_docs = t->prefs != NULL ? t->train->n_docs : t->train->n_judged;

    if (t->plan.is_size_open && t->valid != NULL && n_docs >= FEWEST_DOCS)
        TRY(training_choose_size(t, err));
    if (t->run == NULL)
        TRY(training_data(t, err));
    TRY(give_warnings(t, err));
    if (spec->rules != NULL)
        TRY(training_weigh_rules(t, err));

    /* Weights -> model: also the best so far of a training that was stopped, or whose
     * checkpoint could not be written. */
    const peck_status trained = train_members(t, err);

    if (trained == PECK_DIVERGED && err != NULL)
        return blame_data(t, err->text, err);
    for (size_t i = 0; t->run != NULL && i < t->n_members; i++)
        has_learnt |= run_member(t->run, i).has_learnt;
    if ((trained != PECK_OK && trained != PECK_STOPPED && trained != PECK_IO) ||
        !has_learnt)
        return trained;
    if (trained == PECK_OK && spec->warn != NULL && t->train_data.train_set->n_teaching > 0)
        TRY(run_tells_apart(&tells_apart, t->run, err));
    if (!tells_apart)
        TRY(warn_of_constant(t, err));
    plan_lengthen(&t->plan, t->rule_pace.epochs);
    TRY(training_note(t, err));
    const peck_status made = fill_model(out, t, err);

    if (made == PECK_OK)
        return trained;
    peck_model_free(*out);
    *out = NULL;
    return made;
}

static peck_status train_by_spec(peck_model **out, const peck_train_spec *spec,
                                 bool is_data_known, peck_error *err)
{
    struct training_run t = { .spec = &t.own, .is_data_known = is_data_known };

    *out = NULL;
    TRY(SPEC_TAKE(peck_train_spec, &t.own, own_loss, spec, err));
    if (t.own.train == NULL)
        return fail(err, PECK_ARG, "there is no training data");
    TRY(training_check_spec(&t.own, err));
    t.n_members = t.own.ensemble > 0 ? t.own.ensemble : 1;
    const peck_status st = walk_training(out, &t, err);

    run_free(t.run);
    train_data_close(&t.train_data);
    plan_close(&t.plan);
    mem_free(t.rule_weight);
    text_free(&t.identity);
    text_free(&t.sizes);
    text_free(&t.rule_trials);
    text_free(&t.convention_note);
    text_free(&t.data_note);
    text_free(&t.validation_note);
    notes_free(&t.notes);
    peck_dataset_free(t.binary);
    peck_dataset_free(t.taught);
    peck_dataset_free(t.joined);
    peck_prefs_free(t.held_prefs);
    holdout_free(&t.parts);
    peck_dataset_free(t.fit_valid);
    peck_dataset_free(t.fit_unlabelled);
    metric_list_free(&t.metric);
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
