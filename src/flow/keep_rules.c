/* keep_rules.c -- rules at serving time: scores of one list -> the order that keeps them. */
#include "evaluate.h"

#include "../base/alloc.h"
#include "../data/dataset.h"
#include "../rules/rules.h"

#include <math.h>

struct peck_enforcer {
    const struct peck_rules *rules;
    struct bound *bound;
    size_t dim;
    double *weight;    /* of each rule */
    signed char *kept; /* likewise: of the last list */
};

void peck_enforcer_free(peck_enforcer *e)
{
    if (e == NULL)
        return;
    bound_free(e->bound);
    mem_free(e->weight);
    mem_free(e->kept);
    mem_free(e);
}

peck_status peck_enforcer_new(peck_enforcer **out, const peck_rules *r,
                              const peck_dataset *d, peck_error *err)
{
    const size_t n = rules_count(r);
    struct peck_enforcer *const e = mem_new(1, sizeof *e);
    peck_status st = PECK_OK;

    *out = NULL;
    if (e == NULL)
        return fail_memory(err, "rules", 1, sizeof *e);
    e->rules = r;
    e->dim = d->dim;
    e->weight = mem_new(n, sizeof *e->weight);
    e->kept = mem_new(n, sizeof *e->kept);
    if (e->weight == NULL || e->kept == NULL)
        st = fail_memory(err, "rules", n, sizeof *e->weight);
    if (st == PECK_OK)
        st = rules_bind(&e->bound, r, &d->feature_name, d->dim, err);
    for (size_t i = 0; st == PECK_OK && i < n; i++)
        e->weight[i] = rules_config(r, i)->weight;
    if (st == PECK_OK)
        *out = e;
    else
        peck_enforcer_free(e);
    return st;
}

peck_status peck_enforce(peck_enforcer *e, const float *x, size_t n_docs, size_t stride,
                         const double *score, uint32_t *order, signed char *kept,
                         peck_enforced *info, peck_error *err)
{
    const struct scene scene = { .docs = { x, n_docs, e->dim, stride }, .id = span_of("this one") };
    struct enforced found;
    peck_enforced own = { 0 };

    if (stride < e->dim)
        return fail(err, PECK_SHAPE,
                    "rows are %zu floats apart, but the rules look at data of %zu features",
                    stride, e->dim);
    if (n_docs == 0 || n_docs > MAX_DOCS_IN_QUERY)
        return fail(err, PECK_ARG, "a list of %zu documents; from 1 to %d can be ordered",
                    n_docs, MAX_DOCS_IN_QUERY);
    for (size_t i = 0; i < n_docs; i++)
        if (!isfinite(score[i]))
            return fail(err, PECK_FORMAT,
                        "the score of document %zu (counted from 1) is no finite number",
                        i + 1);
    TRY(rules_check_scene(e->bound, &scene, err));
    TRY(rules_enforce(e->bound, &scene, e->weight, score, order, e->kept, &found, err));
    for (size_t i = 0; i < rules_count(e->rules); i++) {
        own.n_rules += e->kept[i] >= 0;
        own.n_given_up += e->kept[i] == 0;
        if (kept != NULL)
            kept[i] = e->kept[i];
    }
    own.cost = found.cost;
    own.is_turned = found.is_turned;
    own.is_proven = found.is_proven;
    if (info != NULL)
        *info = own;
    return PECK_OK;
}
