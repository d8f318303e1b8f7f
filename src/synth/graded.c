/* graded.c -- see graded.h.  The cut points come from a sample that the target's seed
 * alone decides, so that every file of one target is graded alike.                 */
#include "graded.h"

#include "../base/alloc.h"

peck_status graded_open(struct graded *g, graded_target *value, const void *self,
                        struct shape *shape, peck_error *err)
{
    const size_t dim = (size_t)g->dim;
    float *const x = mem_new(dim, sizeof *x);
    double *const v = mem_new(CUT_SAMPLE, sizeof *v);
    peck_status st = PECK_OK;
    struct rng r;

    if (x == NULL || v == NULL) {
        st = fail_memory(err, "sample of the target", CUT_SAMPLE, sizeof *v);
        goto done;
    }
    rng_seed(&r, (uint64_t)g->target, STREAM_CUTS);
    for (size_t i = 0; i < CUT_SAMPLE; i++) {
        draw_row(&r, x, dim, -1.0, 1.0);
        v[i] = value(self, x);
    }
    st = cuts_place(&g->cuts, (size_t)g->grades, NULL, v, CUT_SAMPLE, err);
    *shape = (struct shape){ .n_queries = (size_t)g->queries,
                             .max_docs = (size_t)g->docs,
                             .dim = dim };
done:
    mem_free(x);
    mem_free(v);
    return st;
}

void graded_fill(const struct graded *g, graded_target *value, const void *self,
                 uint64_t seed, size_t q, struct synth_sample *out)
{
    const size_t dim = (size_t)g->dim;
    struct rng r;

    rng_seed(&r, seed, q);
    out->n = (size_t)g->docs;
    draw_row(&r, out->x, out->n * dim, -1.0, 1.0);
    for (size_t i = 0; i < out->n; i++) {
        const uint32_t grade = cuts_grade(&g->cuts, value(self, out->x + i * dim));

        out->label[i] = grade == 0 && g->hide == HIDE_ZERO ? PECK_UNJUDGED : (float)grade;
    }
}
