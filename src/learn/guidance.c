/* guidance.c -- see guidance.h. */
#include "guidance.h"

#include "../base/alloc.h"

static struct scene scene_at(const struct guidance *g, size_t q)
{
    return (struct scene){ .docs = dataset_rows(g->data, q),
                           .from = g->train_set->from + g->train_set->start[q],
                           .id = strings_get(&g->data->query_id, q) };
}

static peck_status look(struct guidance *g, peck_error *err)
{
    size_t cells;

    if (mul_overflow(g->n_rules, g->data->n_queries, &cells) ||
        (g->speaks = mem_new(cells, sizeof *g->speaks)) == NULL ||
        (g->n_spoken = mem_new(g->n_rules, sizeof *g->n_spoken)) == NULL)
        return fail_memory(err, "rules", g->n_rules, g->data->n_queries);
    for (size_t q = 0; q < g->data->n_queries; q++) {
        const struct scene scene = scene_at(g, q);

        TRY(rules_check_scene(g->bound, &scene, err));
        for (size_t i = 0; i < g->n_rules; i++) {
            const bool speaks = rules_speak_of(g->bound, i, &scene);

            g->speaks[q * g->n_rules + i] = speaks;
            g->n_spoken[i] += speaks;
        }
    }
    return PECK_OK;
}

peck_status guidance_new(struct guidance **out, const struct peck_rules *r,
                         const struct peck_dataset *d, const struct train_set *train_set,
                         peck_error *err)
{
    struct guidance *const g = mem_new(1, sizeof *g);

    *out = NULL;
    if (g == NULL)
        return fail_memory(err, "rules", 1, sizeof *g);
    *g = (struct guidance){
        .data = d, .train_set = train_set, .rules = r, .n_rules = rules_count(r)
    };
    peck_status st = rules_bind(&g->bound, r, &d->feature_name, d->dim, err);

    if (st == PECK_OK)
        st = look(g, err);
    if (st == PECK_OK)
        *out = g;
    else
        guidance_free(g);
    return st;
}

void guidance_free(struct guidance *g)
{
    if (g == NULL)
        return;
    bound_free(g->bound);
    mem_free(g->n_spoken);
    mem_free(g->speaks);
    mem_free(g);
}

bool heed_query(const struct heed *h, size_t query)
{
    const struct guidance *const g = h->guidance;

    for (size_t i = 0; g != NULL && i < g->n_rules; i++)
        if (h->weight[i] > 0.0 && g->speaks[query * g->n_rules + i])
            return true;
    return false;
}

peck_status heed_room_init(struct heed_room *r, const struct heed *h, peck_error *err)
{
    const size_t most = h->guidance->train_set->max_docs;
    const size_t bytes = penalty_scratch(h->guidance->bound, most);

    *r = (struct heed_room){ mem_new(h->guidance->n_rules, sizeof *r->weight),
                             mem_new(bytes, 1) };
    if (r->weight != NULL && r->penalty != NULL)
        return PECK_OK;
    heed_room_free(r);
    return fail_memory(err, "rules", bytes, 1);
}

void heed_room_free(struct heed_room *r)
{
    mem_free(r->weight);
    mem_free(r->penalty);
    *r = (struct heed_room){ 0 };
}

double heed_push(const struct heed *h, size_t query, double scale, const float *s,
                 float *ds, struct heed_room *room)
{
    const struct guidance *const g = h->guidance;
    const struct scene scene = scene_at(g, query);

    for (size_t i = 0; i < g->n_rules; i++)
        room->weight[i] = g->speaks[query * g->n_rules + i]
                              ? scale * h->weight[i] / (double)g->n_spoken[i]
                              : 0.0;
    return penalty_add(g->bound, &scene, room->weight, s, ds, NULL, room->penalty);
}
