/* committee.c -- models that are asked together.
 *
 *     score = sum over models of share * (s - mean) / deviation, over the query (scorer.c)
 *
 * Each keeps its own normaliser, family and weights; all look at the same features.     */
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

peck_status committee_fill(struct peck_model *m, const struct peck_model *const *part,
                           const double *share, const char *const *name, size_t n,
                           peck_error *err)
{
    size_t named = 0; /* the first model whose features have names */

    TRY(check_shares(share, n, err));
    TRY(check_counts(part, name, n, err));
    while (named + 1 < n && part[named]->feature_name.n == 0)
        named++;
    TRY(check_names(part, name, named, n, err));
    m->part = mem_new(n, sizeof *m->part);
    m->share = mem_new(n, sizeof *m->share);
    if (m->part == NULL || m->share == NULL ||
        !copy_names(&m->feature_name, &part[named]->feature_name))
        return fail_memory(err, "a committee", n, sizeof *m->part);
    memcpy(m->share, share, n * sizeof *share);
    for (; m->n_parts < n; m->n_parts++)
        m->part[m->n_parts] = model_share(part[m->n_parts]);
    return PECK_OK;
}
