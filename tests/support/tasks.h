/* tasks.h -- data that can be learnt, for tests of training. */
#ifndef TASKS_H
#define TASKS_H

#include "data/dataset.h"

struct task_sample {
    size_t n_queries, max_docs, dim; /* max_docs/2 to max_docs documents a query */
    double noise;                    /* deviation, where the signal has about 1 */
};

/* Labels 0, 1, 2 from a weighted sum of the features and a product of two of them; which
 * weights does not depend on the seed, so two seeds are two samples of one task. */
struct peck_dataset *task_dataset(const struct task_sample *s, uint64_t seed);

/* As above from sizes and labels of one's own; features are random.  label NULL: all 1. */
struct peck_dataset *task_of(const uint32_t *size, size_t n_queries, size_t dim,
                             const float *label, uint64_t seed);

/* Of `generate topics` with two topics, sport and food; queries: "queries=N". */
struct peck_dataset *topic_task(const char *queries, uint64_t seed);

/* A model, or the end of the test. */
peck_model *task_train(peck_train_spec spec);
/* No model, and a sentence with this phrase. */
void assert_train_refused(peck_train_spec spec, peck_status why, const char *phrase);

/* NDCG@10 of scores, of a model on data; and of scores drawn at random. */
double score_quality(const struct peck_dataset *d, const double *score);
double model_quality(const peck_model *m, const struct peck_dataset *d);
double random_quality(const struct peck_dataset *d);

#endif
