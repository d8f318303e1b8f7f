/* rule_penalty.c -- see rule_penalty.h. */
#include "rule_penalty.h"

#include "../base/alloc.h"

static struct scene rule_penalty_scene_at(const struct rule_scope *g, size_t q)
{
    return (struct scene){ .docs = dataset_rows(g->data, q),
                           .from = g->train_set->from + g->train_set->start[q],
                           .id = strings_get(&g->data->query_id, q) };
}

static peck_status rule_penalty_look(struct rule_scope *g, peck_error *err)
{
    size_t cells;

    if (mul_overflow(g->n_rules, g->data->n_queries, &cells) ||
        (g->speaks = mem_new(cells, sizeof *g->speaks)) == NULL ||
        (g->n_spoken = mem_new(g->n_rules, sizeof *g->n_spoken)) == NULL)
        return fail_memory(err, "rules", g->n_rules, g->data->n_queries);
    for (size_t q = 0; q < g->data->n_queries; q++) {
        const struct scene scene = rule_penalty_scene_at(g, q);

        TRY(rules_check_scene(g->bound, &scene, err));
        for (size_t i = 0; i < g->n_rules; i++) {
            const bool speaks = rules_speak_of(g->bound, i, &scene);

            g->speaks[q * g->n_rules + i] = speaks;
            g->n_spoken[i] += speaks;
        }
    }
    return PECK_OK;
}

peck_status rule_scope_new(struct rule_scope **out, const struct peck_rules *r,
                           const struct peck_dataset *d, const struct train_set *train_set,
                           peck_error *err)
{
    struct rule_scope *const g = mem_new(1, sizeof *g);

    *out = NULL;
    if (g == NULL)
        return fail_memory(err, "rules", 1, sizeof *g);
    *g = (struct rule_scope){
        .data = d, .train_set = train_set, .rules = r, .n_rules = rules_count(r)
    };
    peck_status st = rules_bind(&g->bound, r, &d->feature_name, d->dim, err);

    if (st == PECK_OK)
        st = rule_penalty_look(g, err);
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
    mem_free(g->n_spoken);
    mem_free(g->speaks);
    mem_free(g);
}

bool rule_penalty_speaks_of(const struct rule_penalty *h, size_t query)
{
    const struct rule_scope *const g = h->rule_scope;

    for (size_t i = 0; g != NULL && i < g->n_rules; i++)
        if (h->weight[i] > 0.0 && g->speaks[query * g->n_rules + i])
            return true;
    return false;
}

peck_status rule_penalty_scratch_init(struct rule_penalty_scratch *r,
                                      const struct rule_penalty *h, peck_error *err)
{
    const size_t most = h->rule_scope->train_set->max_docs;
    const size_t bytes = penalty_scratch(h->rule_scope->bound, most);

    *r = (struct rule_penalty_scratch){ mem_new(h->rule_scope->n_rules, sizeof *r->weight),
                                        mem_new(bytes, 1) };
    if (r->weight != NULL && r->penalty != NULL)
        return PECK_OK;
    rule_penalty_scratch_free(r);
    return fail_memory(err, "rules", bytes, 1);
}

void rule_penalty_scratch_free(struct rule_penalty_scratch *r)
{
    mem_free(r->weight);
    mem_free(r->penalty);
    *r = (struct rule_penalty_scratch){ 0 };
}

double rule_penalty_add(const struct rule_penalty *h, size_t query, double scale,
                        const float *s, float *ds, struct rule_penalty_scratch *scratch)
{
    const struct rule_scope *const g = h->rule_scope;
    const struct scene scene = rule_penalty_scene_at(g, query);

    for (size_t i = 0; i < g->n_rules; i++)
        scratch->weight[i] = g->speaks[query * g->n_rules + i]
                                 ? scale * h->weight[i] / (double)g->n_spoken[i]
                                 : 0.0;
    return penalty_add(g->bound, &scene, scratch->weight, s, ds, NULL, scratch->penalty);
}
