/* apart.c -- whether weights tell the documents of a query apart: a model that does not
 * ranks nothing.                                                                      */
#include "learner.h"

#include "../base/alloc.h"

enum { BLOCK = 256 }; /* documents at once */

struct looking {
    const struct family *family;
    const void *shape;
    const float *w;
    float *made; /* [BLOCK] scores, or views */
    float *scratch;
};

/* Whether a net that compares prefers one of two neighbours. */
static bool has_preference(const struct looking *l, size_t n)
{
    peck_duel duel[BLOCK];
    float lead[BLOCK];

    for (size_t i = 0; i + 1 < n; i++)
        duel[i] = (peck_duel){ (uint32_t)i, (uint32_t)i + 1 };
    l->family->compares->decide(l->shape, l->w, l->made, duel, n - 1, lead);
    for (size_t i = 0; i + 1 < n; i++)
        if (lead[i] != 0.0f)
            return true;
    return false;
}

static bool block_differs(const struct looking *l, struct rows x)
{
    if (l->family->compares != NULL) {
        l->family->compares->view(l->shape, l->w, x, l->made, l->scratch);
        return has_preference(l, x.n);
    }
    l->family->scores->score(l->shape, l->w, x, l->made, l->scratch);
    for (size_t i = 1; i < x.n; i++)
        if (l->made[i] != l->made[0])
            return true;
    return false;
}

/* Blocks share a document with the one before, so that none stands alone. */
static bool any_differs(const struct looking *l, const struct train_data *c)
{
    const struct train_set *const all = c->train_set;

    for (size_t q = 0; q < all->n_queries; q++)
        for (size_t at = (size_t)all->start[q]; at + 1 < all->start[q + 1];
             at += BLOCK - 1) {
            const size_t left = (size_t)all->start[q + 1] - at;

            if (block_differs(l,
                              (struct rows){ c->x + at * c->dim,
                                             left < BLOCK ? left : BLOCK, c->dim, c->dim }))
                return true;
        }
    return false;
}

peck_status train_data_tells_apart(bool *out, const struct train_data *c,
                                   const struct plan *plan, const float *w, peck_error *err)
{
    const struct family *const f = plan->recipe->family;
    const size_t width = f->compares != NULL ? f->compares->view_size(plan->shape) : 1;
    const size_t n_scratch = family_scratch(f, plan->shape, BLOCK);
    struct looking l = { .family = f,
                         .shape = plan->shape,
                         .w = w,
                         .made = mem_new(BLOCK * width, sizeof *l.made),
                         .scratch = mem_new(n_scratch, sizeof *l.scratch) };
    const bool fits = l.made != NULL && l.scratch != NULL;

    *out = fits && any_differs(&l, c);
    mem_free(l.made);
    mem_free(l.scratch);
    return fits ? PECK_OK
                : fail_memory(err, "what a net makes of documents", BLOCK,
                              width * sizeof *l.made);
}

bool train_data_has_choice(const struct train_data *c)
{
    const struct train_set *const l = c->train_set;

    for (size_t q = 0; q < l->n_queries; q++)
        for (size_t i = (size_t)l->start[q] + 1; i < l->start[q + 1]; i++)
            if (memcmp(c->x + i * c->dim, c->x + l->start[q] * c->dim,
                       c->dim * sizeof *c->x) != 0)
                return true;
    return false;
}
