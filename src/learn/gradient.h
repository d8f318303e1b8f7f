/* gradient.h -- loss and gradient of a batch of queries.
 *
 * The batch is cut into shards by its documents, never by the number of threads; in a set
 * of more than 60,000 documents its queries are dealt to shards that are alike.  A shard
 * stacks the rows of its queries, goes forward once, asks the objective for the derivative
 * of each query's scores, and goes back once into an array of its own.  The arrays are added
 * in shard order: the same bytes at any thread count, and on any number of ranks, which share
 * the shards (rank_batch.h).
 *
 * With a family that compares, forward and back stop at the documents' views; between
 * them each query's pairs duel (duelling.h), and, where rules speak of it, all of its
 * documents, once.                                                                    */
#ifndef GRADIENT_H
#define GRADIENT_H

#include "rule_penalty.h"
#include "learner.h"

struct gradient;

/* What is learnt by going down a gradient. */
struct gradient_spec {
    const struct family *family;
    const void *shape;
    size_t n_weights, n_kept, n_scratch; /* as in the plan */
    const struct objective *objective;   /* for duels, where the family compares */
    const void *config;                  /* the objective's */
    const struct train_set *train_set;
    const struct train_data *data; /* the features of the same documents */
    const float *share;            /* how much each query counts; 0: it teaches nothing */
    struct rule_penalty rule_penalty; /* rules; none: all zero */
    const double *scale;              /* by how much each query's penalty is multiplied */
    const float *target; /* train_set->n_docs, in place of their labels; NULL: labels */
};

/* The step of a training that a gradient is taken for. */
struct train_step {
    uint64_t seed, epoch, batch;
};

/* Memory for batches of up to max_queries queries. */
MUST_CHECK peck_status gradient_open(struct gradient **out,
                                     const struct gradient_spec *spec, size_t max_queries,
                                     struct pool *pool, peck_error *err);
/* dw[n_weights] = the gradient of  sum_q share_q L_q / m + sum_q scale_q Phi_q  over the n
 * queries given, m of which teach; *loss: the sum of the share_q L_q.  Pairs are drawn
 * from (seed, epoch, query), dropout masks from (seed, epoch, batch, shard). */
MUST_CHECK peck_status gradient_take(struct gradient *g, const float *w,
                                     const uint32_t *query, size_t n,
                                     const struct train_step *at, float *dw, double *loss,
                                     peck_error *err);
/* The sum of the scale_q Phi_q of the batch before. */
double gradient_penalty(const struct gradient *g);
void gradient_close(struct gradient *g); /* takes NULL */

#endif
