/* train_check.c -- what may be wrong with the data of a training, and with the model that
 * came of it.                                                                         */
#include "train.h"

#include <math.h>

/* Numbers of data beyond which sums of squares leave the range of floats, sooner or later. */
#define WILD_NUMBER 1e12

/* Pairs that are better drawn than remembered one by one. */
#define MANY_PAIRS 1e9

peck_status warn_of_overlap(const peck_train_spec *to, const char *where,
                            const struct part_of_data *part,
                            const struct part_of_data *other, bool *was_told,
                            peck_error *err)
{
    peck_overlap both;
    char text[320];

    if (to->warn == NULL || *was_told || part->data == NULL || other->data == NULL)
        return PECK_OK;
    TRY(peck_dataset_overlap(&both, part->data, other->data, err));
    if (both.n_queries == 0)
        return PECK_OK;
    snprintf(
        text, sizeof text,
        "%sthe %s data shares %zu of its %zu queries with the %s data (%zu equal rows, "
        "whatever the ids): what is measured on them is too good; keep them apart",
        where, part->name, both.n_queries, part->data->n_queries, other->name, both.n_docs);
    to->warn(to->ctx, text);
    *was_told = true;
    return PECK_OK;
}

peck_status training_warn_of_overlap(const struct training *t, peck_error *err)
{
    bool was_told = t->is_data_known;

    return warn_of_overlap(t->spec, "", &(struct part_of_data){ "validation", t->valid },
                           &(struct part_of_data){ "training", t->train }, &was_told, err);
}

void training_warn_of_size(const struct training *t)
{
    const struct train_set *const l = t->train_data.train_set;
    double n_pairs = 0.0;

    for (size_t q = 0; q < l->n_queries; q++)
        n_pairs += l->plan[q].n_all;
    if (plan_keeps_pairs(&t->plan) && n_pairs > MANY_PAIRS)
        training_warn(
            t,
            "%s remembers each pair that it got wrong, a bit for each of %.2g: up "
            "to %.1f GB, and it takes long; cmpnn draws the pairs of long lists",
            t->plan.recipe->plug.about.name, n_pairs, n_pairs / 8e9);
    const double slow_from = plan_slow_from(&t->plan);

    if (slow_from > 0.0 && (double)l->n_docs * (double)t->train_data.dim > slow_from)
        training_warn(
            t,
            "%s goes over all %zu documents for every step of each of %zu weights: "
            "that takes long; ridge and ranksvm take seconds for a linear model",
            t->plan.recipe->plug.about.name, l->n_docs, t->train_data.dim);
}

peck_status training_warn_of_constant(const struct training *t, peck_error *err)
{
    const char *const method = t->plan.recipe->plug.about.name;
    bool tells_apart = false;
    char value[32];

    if (t->spec->warn == NULL || t->train_data.train_set->n_teaching == 0)
        return PECK_OK;
    for (size_t i = 0; !tells_apart && i < t->n_members; i++)
        TRY(train_data_tells_apart(&tells_apart, &t->train_data, &t->plan,
                                   run_member(t->run, i).w, err));
    if (tells_apart)
        return PECK_OK;
    if (!train_data_has_choice(&t->train_data))
        training_warn(
            t,
            "the model came out constant: no feature differs between documents of "
            "a query (--norm %s), so it ranks nothing; give features that do",
            t->plan.norm);
    else if (plan_get(&t->plan, "min_leaf", value, sizeof value))
        training_warn(
            t,
            "the model came out constant: no tree of %s tells documents of a query "
            "apart, so it ranks nothing; lower min_leaf (it is %s), or take "
            "another method",
            method, value);
    else
        training_warn(t,
                      "the model came out constant: %s gives all documents of a query the "
                      "same score, so it ranks nothing; try another --norm, more epochs or "
                      "another method",
                      method);
    return PECK_OK;
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

peck_status training_blame(const struct training *t, const char *what, peck_error *err)
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

peck_status training_check_model(const struct training *t, const struct peck_model *m,
                                 peck_error *err)
{
    char text[sizeof err->text];
    peck_error inner;

    if (model_check(m, &inner) == PECK_OK)
        return PECK_OK;
    snprintf(text, sizeof text,
             "training ran away: of the model, %.200s; use another --norm than %s",
             inner.text, t->plan.norm);
    return training_blame(t, text, err);
}
