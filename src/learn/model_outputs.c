/* model_outputs.c -- see model_outputs.h. */
#include "model_outputs.h"

#include "../base/alloc.h"

enum { BLOCK = 256 }; /* documents at once */

static void fill_block(void *ctx, size_t i, int worker)
{
    const struct model_outputs *const s = ctx;
    const struct family *const f = s->plan->recipe->family;
    const size_t first = i * BLOCK, left = s->x.n - first;
    struct rows x = s->x;

    x.x += first * x.stride;
    x.n = left < BLOCK ? left : BLOCK;
    if (s->view != NULL)
        f->compares->view(s->plan->shape, s->w, x, s->view + first * s->width,
                          s->scratch[worker]);
    else
        f->scores->score(s->plan->shape, s->w, x, s->score + first, s->scratch[worker]);
}

peck_status model_outputs_open(struct model_outputs *s, const struct plan *plan,
                               struct rows x, struct pool *pool, peck_error *err)
{
    const struct family *const f = plan->recipe->family;
    const bool scores = f->scores != NULL;
    const size_t workers = (size_t)pool_size(pool),
                 n_scratch = family_scratch(f, plan->shape, BLOCK);
    size_t cells;

    *s = (struct model_outputs){ .plan = plan, .pool = pool, .x = x };
    s->width = scores ? 1 : f->compares->view_size(plan->shape);
    float *const made =
        mul_overflow(x.n, s->width, &cells) ? NULL : mem_new(cells, sizeof *made);

    s->score = scores ? made : NULL;
    s->view = scores ? NULL : made;
    s->scratch = mem_new(workers, sizeof *s->scratch);
    if (made == NULL || s->scratch == NULL)
        return fail_memory(err, "what a net makes of documents", x.n,
                           s->width * sizeof *made);
    for (size_t i = 0; i < workers; i++)
        if ((s->scratch[i] = mem_new(n_scratch, sizeof **s->scratch)) == NULL)
            return fail_memory(err, "what a net makes of documents", n_scratch,
                               sizeof **s->scratch);
    return PECK_OK;
}

void model_outputs_fill(struct model_outputs *s, const float *w)
{
    s->w = w;
    pool_run(s->pool, (s->x.n + BLOCK - 1) / BLOCK, fill_block, s);
}

void model_outputs_close(struct model_outputs *s)
{
    for (int i = 0; s->scratch != NULL && i < pool_size(s->pool); i++)
        mem_free(s->scratch[i]);
    mem_free(s->scratch);
    mem_free(s->score);
    mem_free(s->view);
    *s = (struct model_outputs){ 0 };
}
