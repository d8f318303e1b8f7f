/* committee.c -- models that are asked together.
 *
 *     score = sum over models of share * (s - mean) / deviation, over the query (scorer.c)
 *
 * Each keeps its own normaliser, family and weights.  All look at the same features, or each
 * finds its own by name among those of the committee: the first model's, then what the
 * others know besides.                                                                 */
#include "model.h"

#include "../base/alloc.h"

#include <math.h>

/* As texts print and other programs may round. */
#define SHARE_SLACK 1e-6

/* Who is meant, in messages. */
struct who {
    char text[200];
};

static struct who who_is(const char *const *name, size_t i)
{
    struct who w;

    if (name != NULL)
        snprintf(w.text, sizeof w.text, "%s", name[i]);
    else
        snprintf(w.text, sizeof w.text, "model %zu", i + 1);
    return w;
}

static peck_status check_shares(const double *share, size_t n, peck_error *err)
{
    double sum = 0.0;

    if (n == 0 || n > MOST_PARTS)
        return fail(err, PECK_ARG, "a committee of %zu models; it takes from 1 to %d", n,
                    MOST_PARTS);
    for (size_t i = 0; i < n; i++) {
        if (!(share[i] > 0.0 && share[i] <= 1.0))
            return fail(err, PECK_ARG,
                        "the share of model %zu is %g; it should be above 0 "
                        "and at most 1",
                        i + 1, share[i]);
        sum += share[i];
    }
    return fabs(sum - 1.0) <= SHARE_SLACK
               ? PECK_OK
               : fail(err, PECK_ARG, "the shares of the models add up to %g, not to 1",
                      sum);
}

static peck_status check_counts(const struct peck_model *const *part,
                                const char *const *name, size_t n, peck_error *err)
{
    const size_t wanted = peck_model_features(part[0]);

    for (size_t i = 1; i < n; i++)
        if (peck_model_features(part[i]) != wanted)
            return fail(err, PECK_SHAPE,
                        "%s takes %zu features, but %s takes %zu; the models of a "
                        "committee look at the same data",
                        who_is(name, i).text, peck_model_features(part[i]),
                        who_is(name, 0).text, wanted);
    return PECK_OK;
}

/* A name that a model does not have agrees with every other. */
static peck_status check_names(const struct peck_model *const *part,
                               const char *const *name, size_t first, size_t n,
                               peck_error *err)
{
    for (size_t i = first + 1; i < n; i++)
        for (size_t f = 0; f < part[i]->feature_name.n; f++) {
            const peck_span a = strings_get(&part[first]->feature_name, f);
            const peck_span b = strings_get(&part[i]->feature_name, f);

            if (a.n > 0 && b.n > 0 && !span_equal(a, b))
                return fail(err, PECK_SHAPE,
                            "feature %zu is '%.*s' to %s, but '%.*s' to %s; the models of "
                            "a committee look at the same data",
                            f + 1, SPAN_ARGS(b), who_is(name, i).text, SPAN_ARGS(a),
                            who_is(name, first).text);
        }
    return PECK_OK;
}

static bool copy_names(struct strings *to, const struct strings *from)
{
    for (size_t i = 0; i < from->n; i++)
        if (!strings_add(to, strings_get(from, i)))
            return false;
    return true;
}

/* All models take the same features in the same order, as far as they know. */
static peck_status take_alike(struct peck_model *m, const struct peck_model *const *part,
                              const char *const *name, size_t n, peck_error *err)
{
    size_t named = 0; /* the first model whose features have names */

    TRY(check_counts(part, name, n, err));
    while (named + 1 < n && part[named]->feature_name.n == 0)
        named++;
    TRY(check_names(part, name, named, n, err));
    m->n_inputs = peck_model_features(part[0]);
    return copy_names(&m->feature_name, &part[named]->feature_name)
               ? PECK_OK
               : fail_memory(err, "feature names", m->n_inputs, sizeof(uint64_t));
}

/* Whether every feature of every model can be found by its name. */
static peck_status can_be_found(bool *answer, const struct peck_model *const *part,
                                size_t n, peck_error *err)
{
    *answer = true;
    for (size_t i = 0; i < n && *answer; i++) {
        struct index own = { 0 };
        const int64_t n_distinct = index_distinct(&own, &part[i]->feature_name);

        index_free(&own);
        if (n_distinct == INDEX_FULL)
            return fail_memory(err, "feature names", part[i]->feature_name.n, 1);
        *answer = (size_t)n_distinct == peck_model_features(part[i]);
    }
    return PECK_OK;
}

/* Where the features of one model are among all; those that are new come last. */
static peck_status find_columns(uint32_t **out, struct index *all,
                                const struct peck_model *part, peck_error *err)
{
    const size_t n = part->feature_name.n;
    uint32_t *const column = mem_new(n, sizeof *column);
    bool is_first = true; /* they are the first ones in their order */

    if (column == NULL)
        return fail_memory(err, "the features of a committee", n, sizeof *column);
    *out = column;
    for (size_t f = 0; f < n; f++) {
        const int64_t at = index_put(all, strings_get(&part->feature_name, f));

        if (at == INDEX_FULL)
            return fail_memory(err, "the features of a committee", n, sizeof *column);
        column[f] = (uint32_t)at;
        is_first &= column[f] == f;
    }
    if (is_first) {
        mem_free(column);
        *out = NULL;
    }
    return PECK_OK;
}

static peck_status take_by_name(struct peck_model *m, const struct peck_model *const *part,
                                size_t n, peck_error *err)
{
    struct index all = { 0 };
    peck_status st = PECK_OK;

    m->column = mem_new(n, sizeof *m->column);
    if (m->column == NULL)
        return fail_memory(err, "a committee", n, sizeof *m->column);
    for (size_t i = 0; i < n && st == PECK_OK; i++)
        st = find_columns(&m->column[i], &all, part[i], err);
    m->n_inputs = all.names.n;
    if (st == PECK_OK && !copy_names(&m->feature_name, &all.names))
        st = fail_memory(err, "feature names", m->n_inputs, sizeof(uint64_t));
    index_free(&all);
    return st;
}

static peck_status settle_features(struct peck_model *m,
                                   const struct peck_model *const *part,
                                   const char *const *name, size_t n, peck_error *err)
{
    peck_error why = { PECK_OK, "" };
    const peck_status st = take_alike(m, part, name, n, &why);
    bool have_names;

    if (st == PECK_OK)
        return PECK_OK;
    TRY(can_be_found(&have_names, part, n, err));
    return st == PECK_SHAPE && have_names ? take_by_name(m, part, n, err)
                                          : fail(err, st, "%s", why.text);
}

peck_status committee_fill(struct peck_model *m, const struct peck_model *const *part,
                           const double *share, const char *const *name, size_t n,
                           peck_error *err)
{
    TRY(check_shares(share, n, err));
    m->part = mem_new(n, sizeof *m->part);
    m->share = mem_new(n, sizeof *m->share);
    if (m->part == NULL || m->share == NULL)
        return fail_memory(err, "a committee", n, sizeof *m->part);
    memcpy(m->share, share, n * sizeof *share);
    for (; m->n_parts < n; m->n_parts++)
        m->part[m->n_parts] = model_share(part[m->n_parts]);
    return settle_features(m, part, name, n, err);
}
