/* train_split.c -- what is learnt from and what chooses the epoch. */
#include "train.h"

#include "../base/alloc.h"

#include <math.h>

/* *data with the columns of the training data; *fit owns what it takes. */
static peck_status match_columns(struct training *t, const struct peck_dataset **data,
                                 struct peck_dataset **fit, peck_error *err)
{
    peck_match_info info;

    if (*data == NULL)
        return PECK_OK;
    TRY(peck_dataset_match_data(fit, *data, t->own.train, t->own.match, &info, err));
    *data = *fit;
    if (info.text[0] != '\0')
        training_warn(t, "%s", info.text);
    return PECK_OK;
}

peck_status training_match(struct training *t, peck_error *err)
{
    TRY(match_check(t->own.match, err));
    TRY(match_columns(t, &t->own.valid, &t->fit_valid, err));
    return match_columns(t, &t->own.unlabelled, &t->fit_unlabelled, err);
}

double share_to_hold(double valid_split, size_t n_queries)
{
    if (valid_split != 0.0)
        return fmax(valid_split, 0.0);
    return n_queries < PECK_FEWEST_TO_SPLIT ? 0.0 : PECK_DEFAULT_VALID_SPLIT;
}

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

/* Splits the training data, by query, into what is learnt from and what chooses; preferences
 * go with their queries. */
static peck_status hold_out(struct training *t, double share, peck_error *err)
{
    const peck_train_spec *const spec = t->spec;
    const size_t n = spec->train->n_queries;
    bool *const is_held = mem_new(n, sizeof *is_held);

    if (is_held == NULL)
        return fail_memory(err, "the queries held out", n, sizeof *is_held);
    peck_status st = dataset_mark_holdout(spec->train, share, spec->seed, is_held, err);

    if (st == PECK_OK)
        st = dataset_take_marked(&t->kept, spec->train, is_held, false, err);
    if (st == PECK_OK)
        st = dataset_take_marked(&t->held, spec->train, is_held, true, err);
    t->train = t->kept;
    t->valid = t->held;
    if (st == PECK_OK && spec->pairs != NULL)
        st = prefs_take_marked(&t->kept_prefs, spec->pairs, spec->train, is_held, false,
                               err);
    if (st == PECK_OK && spec->pairs != NULL)
        st =
            prefs_take_marked(&t->held_prefs, spec->pairs, spec->train, is_held, true, err);
    t->prefs = t->kept_prefs;
    t->valid_prefs = t->held_prefs;
    mem_free(is_held);
    return st;
}

/* Validation data with the labels that training sees. */
static peck_status binarise(struct training *t, double threshold, peck_error *err)
{
    const struct peck_dataset *const d = t->valid;
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

peck_status training_split(struct training *t, peck_error *err)
{
    const struct peck_dataset *const train = t->spec->train, *const valid = t->spec->valid;
    const struct recipe *const r = t->plan.recipe;
    const double threshold = t->plan.set_config->binarise;
    const bool may_miss = r->family->may_miss && norm_keeps_missing(t->plan.norm);
    const double share =
        valid == NULL ? share_to_hold(t->spec->valid_split, train->n_queries) : 0.0;

    if (train->dim == 0)
        return fail(err, PECK_SHAPE, "%s: there are no features to learn from",
                    train->name);
    if (t->spec->pairs == NULL && train->n_judged == 0)
        return fail(err, PECK_SHAPE, "%s: no document is judged; there is nothing to learn",
                    train->name);
    if (t->spec->pairs != NULL && !recipe_has_pairs(r))
        return fail(err, PECK_ARG,
                    "%s learns from labels, not from preferences; take ranknet, "
                    "directranker or another method of pairs",
                    r->plug.about.name);
    if (t->spec->valid_pairs != NULL && valid == NULL)
        return fail(err, PECK_ARG,
                    "validation preferences without the documents they are about");
    if (valid != NULL && valid->n_judged == 0 && t->spec->valid_pairs == NULL)
        return fail(err, PECK_SHAPE,
                    "%s: no document is judged; it cannot choose an epoch without "
                    "preferences",
                    valid->name);

    /* The caller's data, or parts of it. */
    t->train = train;
    t->valid = valid;
    t->prefs = t->spec->pairs;
    t->valid_prefs = t->spec->valid_pairs;
    TRY(dataset_check_features(train, may_miss, t->pool, err));
    if (valid != NULL)
        TRY(dataset_check_features(valid, may_miss, t->pool, err));
    if (share > 0.0)
        TRY(hold_out(t, share, err));
    if (threshold > 0.0 && t->valid != NULL && t->valid_prefs == NULL)
        TRY(binarise(t, threshold, err));
    return PECK_OK;
}
