/* model_outputs.h -- what a model makes of many documents: their scores, or their views
 * where it compares.                                                                   */
#ifndef MODEL_OUTPUTS_H
#define MODEL_OUTPUTS_H

#include "learner.h"

/* Memory for n rows, in blocks, one a worker. */
struct model_outputs {
    const struct plan *plan;
    struct pool *pool;
    struct rows x;
    size_t width;    /* floats that a row becomes: 1, or a view */
    float *score;    /* x.n; NULL: the family compares */
    float *view;     /* [x.n][width]; NULL: it scores */
    float **scratch; /* one a worker */
    const float *w;  /* of the last model_outputs_fill; the caller's */
};

MUST_CHECK peck_status model_outputs_open(struct model_outputs *s, const struct plan *plan,
                                          struct rows x, struct pool *pool,
                                          peck_error *err);
/* Scores or views from w, which must stay while views are used: the same bytes on any
 * pool. */
void model_outputs_fill(struct model_outputs *s, const float *w);
void model_outputs_close(struct model_outputs *s); /* takes an all-zero one too */

#endif
