/* query_pairs.c -- one query of the training set as an objective sees it, with pairs drawn
 * where there are too many.  See train_set.h.                                            */
#include "train_set.h"
#include "../base/alloc.h"
#include "../base/rng.h"

peck_status query_scratch_init(struct query_scratch *scratch, const struct train_set *l,
                               peck_error *err)
{
    const size_t n = l->max_docs;

    *scratch =
        (struct query_scratch){ .rank = mem_new(n, sizeof *scratch->rank),
                                .bytes = mem_new(OBJECTIVE_SCRATCH(n), 1),
                                .pair = mem_new(l->max_sampled, sizeof *scratch->pair) };
    if (scratch->rank != NULL && scratch->bytes != NULL && scratch->pair != NULL)
        return PECK_OK;
    query_scratch_free(scratch);
    return fail_memory(err, "a query of documents", n, OBJECTIVE_SCRATCH(1));
}

void query_scratch_free(struct query_scratch *scratch)
{
    mem_free(scratch->rank);
    mem_free(scratch->bytes);
    mem_free(scratch->pair);
    *scratch = (struct query_scratch){ 0 };
}

/* The document of pair number `pair` among judged documents: the last whose pairs begin
 * there or before, so that those without a pair are passed over. */
static uint32_t query_pairs_owner_of(const uint64_t *before, uint32_t n, uint64_t pair)
{
    uint32_t lo = 0, hi = n;

    while (hi - lo > 1) {
        const uint32_t mid = lo + (hi - lo) / 2;

        if (before[mid] <= pair)
            lo = mid;
        else
            hi = mid;
    }
    return lo;
}

static struct pair judged_pair(const struct train_set *l, size_t q, uint64_t number)
{
    const size_t first = (size_t)l->start[q];
    const uint32_t n_judged = l->plan[q].n_judged;
    const uint32_t i = query_pairs_owner_of(l->before + first, n_judged, number);
    const uint32_t below = l->below[first + i], until = l->until[first + i];
    const uint32_t end = until < n_judged ? until : n_judged;
    const uint32_t n_run = below < end ? end - below : 0;
    const uint32_t at = (uint32_t)(number - l->before[first + i]);

    if (at < n_run)
        return (struct pair){ i, below + at, 1.0f, 1.0f };
    return (struct pair){ i, i + 1 + at - n_run, 0.5f, 1.0f };
}

/* How many of the pairs drawn have an unjudged document: as many as there are, but at most
 * half of them while there are others. */
static double open_share(const struct query_plan *plan)
{
    const double n_open = plan->n_all - (double)plan->n_judged_pairs;

    if (plan->n_judged_pairs == 0)
        return 1.0;
    return n_open > 0.5 * plan->n_all ? 0.5 : n_open / plan->n_all;
}

static void query_pairs_draw(const struct train_set *l, size_t q, struct rng *r,
                             struct pair *pair)
{
    const struct query_plan *const plan = &l->plan[q];
    const float *const weight = l->doc_weight != NULL ? l->doc_weight + l->start[q] : NULL;
    const uint32_t n_unjudged = plan->n_ranked - plan->n_judged;
    const double share = open_share(plan), scale = plan->n_all / (double)plan->n_sampled;

    for (uint64_t t = 0; t < plan->n_sampled; t++) {
        struct pair *const p = &pair[t];

        if (rng_uniform(r) < share)
            *p = (struct pair){ plan->first_open + (uint32_t)rng_below(r, plan->n_open),
                                plan->n_judged + (uint32_t)rng_below(r, n_unjudged), 1.0f,
                                1.0f };
        else
            *p = judged_pair(l, q, rng_below(r, plan->n_judged_pairs));
        p->weight = (float)scale;
        if (weight != NULL)
            p->weight *= weight[p->i] * weight[p->j];
    }
}

struct query_pairs train_set_query(const struct train_set *l, size_t q, uint64_t seed,
                                   uint64_t epoch, struct query_scratch *scratch)
{
    const struct query_plan *const plan = &l->plan[q];
    const size_t first = (size_t)l->start[q];
    struct query_pairs query = {
        .n = (uint32_t)(l->start[q + 1] - l->start[q]),
        .n_judged = plan->n_judged,
        .n_ranked = plan->n_ranked,
        .label = l->label + first,
        .from = l->from + first,
        .doc_weight = l->doc_weight != NULL ? l->doc_weight + first : NULL,
        .weight = l->weight != NULL ? l->weight[q] : 1.0f,
        .n_all = plan->n_all,
        .rank = scratch->rank,
        .scratch = scratch->bytes,
    };

    if (l->pair_start != NULL) {
        query.pair = l->pair + l->pair_start[q];
        query.n_pairs = (size_t)(l->pair_start[q + 1] - l->pair_start[q]);
    } else if (plan->n_sampled > 0) {
        struct rng r;

        rng_seed(&r, mix64(seed, epoch), q);
        query_pairs_draw(l, q, &r, scratch->pair);
        query.pair = scratch->pair;
        query.n_pairs = (size_t)plan->n_sampled;
    } else {
        query.below = l->below + first;
        query.until = l->until + first;
        query.ties_until = l->ties_until != NULL ? l->ties_until + first : NULL;
    }
    return query;
}
