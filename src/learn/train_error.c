/* train_error.c -- see train_error.h. */
#include "train_error.h"

#include "../base/pool.h"

enum { AT_ONCE = 256 };

/* Duels of one query on their way: the first of each should go first. */
struct wrong_count {
    struct seen_docs docs;
    peck_duel duel[AT_ONCE];
    size_t n;
    uint64_t wrong;
};

static void wrong_count_settle(struct wrong_count *a)
{
    float lead[AT_ONCE];

    seen_decide(&a->docs, a->duel, a->n, lead);
    for (size_t k = 0; k < a->n; k++)
        a->wrong += !(lead[k] > 0.0f);
    a->n = 0;
}

static void wrong_count_put(struct wrong_count *a, uint32_t first, uint32_t second)
{
    a->duel[a->n++] = (peck_duel){ first, second };
    if (a->n == AT_ONCE)
        wrong_count_settle(a);
}

static void count_query(void *ctx, size_t at, int worker)
{
    struct train_error *const e = ctx;
    const struct train_set *const l = e->task->train_data->train_set;
    const size_t q = e->outputs.docs.first + at, first = (size_t)l->start[q];
    struct wrong_count a = { .docs = model_outputs_query(&e->outputs, q, worker) };

    if (l->pair_start == NULL)
        for (uint32_t i = 0; i < l->plan[q].n_judged; i++)
            for (uint32_t j = l->below[first + i]; j < l->until[first + i]; j++)
                wrong_count_put(&a, i, j);
    else
        for (uint64_t t = l->pair_start[q]; t < l->pair_start[q + 1]; t++) {
            const struct pair *const p = &l->pair[t];

            if (p->probability > 0.5f)
                wrong_count_put(&a, p->i, p->j);
            else if (p->probability < 0.5f)
                wrong_count_put(&a, p->j, p->i);
        }
    if (a.n > 0)
        wrong_count_settle(&a);
    e->wrong[q] = a.wrong;
}

peck_status train_error_open(struct train_error *e, const struct task *task,
                             peck_error *err)
{
    const struct train_data *const c = task->train_data;
    const struct plan *const plan = task->plan;

    *e = (struct train_error){ .task = task };
    e->wrong = arena_new(&e->arena, "pairs", c->train_set->n_queries, sizeof *e->wrong);
    TRY(arena_check(&e->arena, err));
    const struct eval_docs docs = train_data_docs(c);

    return model_outputs_open_docs(&e->outputs, &e->arena, plan->recipe->family,
                                   plan->shape, &docs, task->pool, err);
}

peck_status train_error_count(struct train_error *e, const float *w, uint64_t *wrong,
                              peck_error *err)
{
    const struct eval_docs *const docs = &e->outputs.docs;
    int64_t sum = 0;

    model_outputs_fill(&e->outputs, w);
    pool_run(e->task->pool, docs->end - docs->first, count_query, e);
    for (size_t q = docs->first; q < docs->end; q++)
        sum += (int64_t)e->wrong[q];
    TRY(comm_add(e->task->train_data->comm, &sum, 1, err));
    *wrong = (uint64_t)sum;
    return PECK_OK;
}

void train_error_close(struct train_error *e)
{
    arena_free(&e->arena);
    *e = (struct train_error){ 0 };
}
