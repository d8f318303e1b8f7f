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

static bool copy_feature_names(struct strings *to, const struct strings *from)
{
    for (size_t i = 0; i < from->n; i++)
        if (!strings_add(to, strings_get(from, i)))
            return false;
    return true;
}

/* All models take the same features in the same order, as far as they know: a name that a
 * model does not have agrees with every other.  PECK_SHAPE: they do not. */
static peck_status take_alike(struct peck_model *m, const char *const *name,
                              peck_error *err)
{
    struct peck_model *const *const part = m->part;
    const size_t n = m->n_parts, wanted = peck_model_features(part[0]);
    size_t named = 0; /* the first model whose features have names */

    for (size_t i = 1; i < n; i++)
        if (peck_model_features(part[i]) != wanted)
            return fail(err, PECK_SHAPE,
                        "%s takes %zu features, but %s takes %zu; the models of a "
                        "committee look at the same data",
                        who_is(name, i).text, peck_model_features(part[i]),
                        who_is(name, 0).text, wanted);
    while (named + 1 < n && part[named]->feature_name.n == 0)
        named++;
    for (size_t i = named + 1; i < n; i++)
        for (size_t f = 0; f < part[i]->feature_name.n; f++) {
            const peck_span a = strings_get(&part[named]->feature_name, f);
            const peck_span b = strings_get(&part[i]->feature_name, f);

            if (a.n > 0 && b.n > 0 && !span_equal(a, b))
                return fail(err, PECK_SHAPE,
                            "feature %zu is '%.*s' to %s, but '%.*s' to %s; the models of "
                            "a committee look at the same data",
                            f + 1, SPAN_ARGS(b), who_is(name, i).text, SPAN_ARGS(a),
                            who_is(name, named).text);
        }
    m->n_inputs = wanted;
    return copy_feature_names(&m->feature_name, &part[named]->feature_name)
               ? PECK_OK
               : fail_memory(err, "feature names", m->n_inputs, sizeof(uint64_t));
}

/* Where the features of each model are among all; those that are new come last. */
static peck_status take_by_name(struct peck_model *m, peck_error *err)
{
    struct index all = { 0 };
    peck_status st = PECK_OK;

    m->column = mem_new(m->n_parts, sizeof *m->column);
    if (m->column == NULL)
        return fail_memory(err, "a committee", m->n_parts, sizeof *m->column);
    for (size_t i = 0; i < m->n_parts && st == PECK_OK; i++) {
        const struct strings *const own = &m->part[i]->feature_name;
        uint32_t *const column = m->column[i] = mem_new(own->n, sizeof *column);
        bool is_first = true; /* they are the first ones in their order */
        int64_t at = column != NULL ? 0 : INDEX_FULL;

        for (size_t f = 0; f < own->n && at != INDEX_FULL; f++) {
            if ((at = index_put(&all, strings_get(own, f))) == INDEX_FULL)
                break;
            column[f] = (uint32_t)at;
            is_first &= column[f] == f;
        }
        if (at == INDEX_FULL)
            st = fail_memory(err, "the features of a committee", own->n, sizeof *column);
        else if (is_first) {
            mem_free(column);
            m->column[i] = NULL;
        }
    }
    m->n_inputs = all.names.n;
    if (st == PECK_OK && !copy_feature_names(&m->feature_name, &all.names))
        st = fail_memory(err, "feature names", m->n_inputs, sizeof(uint64_t));
    index_free(&all);
    return st;
}

peck_status committee_settle(struct peck_model *m, const char *const *name, peck_error *err)
{
    bool have_names = true; /* every feature of every model can be found by its own */
    peck_error why = { PECK_OK, "" };
    double sum = 0.0;

    for (size_t i = 0; i < m->n_parts; i++) {
        if (!(m->share[i] > 0.0 && m->share[i] <= 1.0))
            return fail(err, PECK_ARG,
                        "the share of model %zu is %g; it should be above 0 "
                        "and at most 1",
                        i + 1, m->share[i]);
        sum += m->share[i];
    }
    if (!(fabs(sum - 1.0) <= SHARE_SLACK))
        return fail(err, PECK_ARG, "the shares of the models add up to %g, not to 1", sum);
    const peck_status st = take_alike(m, name, &why);

    if (st == PECK_OK)
        return PECK_OK;
    for (size_t i = 0; i < m->n_parts && have_names; i++) {
        struct index own = { 0 };
        const int64_t n_distinct = index_distinct(&own, &m->part[i]->feature_name);

        index_free(&own);
        if (n_distinct == INDEX_FULL)
            return fail_memory(err, "feature names", m->part[i]->feature_name.n, 1);
        have_names = (size_t)n_distinct == peck_model_features(m->part[i]);
    }
    return st == PECK_SHAPE && have_names ? take_by_name(m, err)
                                          : fail(err, st, "%s", why.text);
}

peck_status committee_fill(struct peck_model *m, const struct peck_model *const *part,
                           const double *share, const char *const *name, size_t n,
                           peck_error *err)
{
    if (n == 0 || n > MOST_PARTS)
        return fail(err, PECK_ARG, "a committee of %zu models; it takes from 1 to %d", n,
                    MOST_PARTS);
    m->part = mem_new(n, sizeof *m->part);
    m->share = mem_new(n, sizeof *m->share);
    if (m->part == NULL || m->share == NULL)
        return fail_memory(err, "a committee", n, sizeof *m->part);
    memcpy(m->share, share, n * sizeof *share);
    for (; m->n_parts < n; m->n_parts++)
        m->part[m->n_parts] = model_share(part[m->n_parts]);
    return committee_settle(m, name, err);
}
