/* rule_penalty.c -- see rule_penalty.h. */
#include "rule_penalty.h"

#include "../base/alloc.h"

/* The features that rules mention, by themselves; rules look at nothing else from then on. */
static peck_status narrow_features(struct rule_scope *g, const struct peck_dataset *d,
                                   peck_error *err)
{
    uint32_t *const from = arena_new(&g->arena, "rules", d->dim, sizeof *from);

    if (from != NULL)
        g->dim = rules_narrow(g->bound, from);
    g->x = arena_new(&g->arena, "rules", d->n_docs, g->dim * sizeof *g->x);
    TRY(arena_check(&g->arena, err));
    for (size_t q = 0; q < d->n_queries; q++) {
        const struct rows docs = dataset_rows(d, q);
        const uint32_t *const row = g->train_set->from + d->start[q];
        float *const to = g->x + d->start[q] * g->dim;

        for (size_t i = 0; i < docs.n; i++)
            for (size_t j = 0; j < g->dim; j++)
                to[i * g->dim + j] = docs.x[row[i] * docs.stride + from[j]];
    }
    return PECK_OK;
}

peck_status rule_scope_new(struct rule_scope **out, const struct peck_rules *r,
                           const struct peck_dataset *d, const struct train_set *train_set,
                           peck_error *err)
{
    const size_t n_rules = rules_count(r), n_queries = d->n_queries;
    struct rule_scope *const g = mem_new(1, sizeof *g);

    *out = NULL;
    if (g == NULL)
        return fail_memory(err, "rules", 1, sizeof *g);
    *g = (struct rule_scope){ .train_set = train_set, .rules = r, .n_rules = n_rules };
    g->n_spoken = arena_new(&g->arena, "rules", n_rules, sizeof *g->n_spoken);
    g->n_swayed = arena_new(&g->arena, "rules", n_rules, sizeof *g->n_swayed);
    g->speaks = arena_new(&g->arena, "rules", n_queries, n_rules * sizeof *g->speaks);
    peck_status st = rules_bind(&g->bound, r, &d->feature_name, d->dim, err);

    if (st == PECK_OK)
        st = arena_check(&g->arena, err);
    for (size_t q = 0; st == PECK_OK && q < n_queries; q++) {
        const struct scene scene = { .docs = dataset_rows(d, q),
                                     .from = train_set->from + train_set->start[q],
                                     .id = dataset_query_id(d, q) };

        st = rules_check_scene(g->bound, &scene, err);
        for (size_t i = 0; st == PECK_OK && i < n_rules; i++) {
            const bool speaks = rules_speak_of(g->bound, i, &scene);

            g->speaks[q * n_rules + i] = speaks;
            g->n_spoken[i] += speaks;
            g->n_swayed[i] += speaks && rules_can_sway(g->bound, i, &scene);
        }
    }
    if (st == PECK_OK)
        st = narrow_features(g, d, err);
    if (st == PECK_OK)
        *out = g;
    else
        rule_scope_free(g);
    return st;
}

void rule_scope_free(struct rule_scope *g)
{
    if (g == NULL)
        return;
    bound_free(g->bound);
    arena_free(&g->arena);
    mem_free(g);
}

/* The documents of a query, as rules see them. */
static struct rows scope_rows(const struct rule_scope *g, size_t query)
{
    const uint64_t *const start = g->train_set->start;

    return (struct rows){ g->x + start[query] * g->dim,
                          (size_t)(start[query + 1] - start[query]), g->dim, g->dim };
}

peck_status rule_scope_order(const struct rule_scope *g, size_t query, const double *weight,
                             const double *score, uint32_t *order, peck_error *err)
{
    const struct scene scene = { .docs = scope_rows(g, query) };
    const uint32_t *const from = g->train_set->from + g->train_set->start[query];
    struct arena a = { 0 };
    double *const s = arena_new(&a, "an order by rules", scene.docs.n, sizeof *s);
    signed char *const kept = arena_new(&a, "an order by rules", g->n_rules, sizeof *kept);
    struct enforced found;
    peck_status st = arena_check(&a, err);

    for (size_t i = 0; st == PECK_OK && i < scene.docs.n; i++)
        s[i] = score[train_set_row(g->train_set, query, i)];
    if (st == PECK_OK)
        st = rules_enforce(g->bound, &scene, weight, s, order, kept, &found, err);
    for (size_t i = 0; st == PECK_OK && i < scene.docs.n; i++)
        order[i] = from[order[i]];
    arena_free(&a);
    return st;
}

bool rule_penalty_speaks_of(const struct rule_penalty *h, size_t query)
{
    const struct rule_scope *const g = h->rule_scope;

    for (size_t i = 0; g != NULL && i < g->n_rules; i++)
        if (h->weight[i] > 0.0 && g->speaks[query * g->n_rules + i])
            return true;
    return false;
}

struct rule_penalty_scratch rule_penalty_scratch_new(struct arena *a,
                                                     const struct rule_penalty *h)
{
    const struct rule_scope *const g = h->rule_scope;
    const size_t bytes = penalty_scratch(g->bound, g->train_set->max_docs);

    return (struct rule_penalty_scratch){
        .weight = arena_new(a, "rules", g->n_rules, sizeof(double)),
        .penalty = arena_new(a, "rules", bytes, 1),
    };
}

/* Phi_h is a mean: each query that rule h speaks of adds phi_h / n_spoken. */
static struct scene weigh_rules(const struct rule_penalty *h, size_t query, double scale,
                                struct rule_penalty_scratch *scratch)
{
    const struct rule_scope *const g = h->rule_scope;

    for (size_t i = 0; i < g->n_rules; i++)
        scratch->weight[i] = g->speaks[query * g->n_rules + i]
                                 ? scale * h->weight[i] / (double)g->n_spoken[i]
                                 : 0.0;
    return (struct scene){ .docs = scope_rows(g, query), .alpha = h->alpha };
}

double rule_penalty_add(const struct rule_penalty *h, size_t query, double scale,
                        const float *s, float *ds, struct rule_penalty_scratch *scratch)
{
    const struct scene scene = weigh_rules(h, query, scale, scratch);

    return penalty_add(h->rule_scope->bound, &scene, scratch->weight, s, ds, NULL,
                       scratch->penalty);
}

double rule_penalty_newton(const struct rule_penalty *h, size_t query, double scale,
                           const float *s, float *ds, float *dds,
                           struct rule_penalty_scratch *scratch)
{
    const struct scene scene = weigh_rules(h, query, scale, scratch);

    return penalty_add_newton(h->rule_scope->bound, &scene, scratch->weight, s, ds, dds,
                              scratch->penalty);
}

double rule_penalty_leads(const struct rule_penalty *h, size_t query, double scale,
                          const float *lead, float *dlead,
                          struct rule_penalty_scratch *scratch)
{
    const struct scene scene = weigh_rules(h, query, scale, scratch);

    return penalty_add_leads(h->rule_scope->bound, &scene, scratch->weight, lead, dlead,
                             NULL, scratch->penalty);
}
