/* samples.h -- datasets for tests: made at random, and compared. */
#ifndef SAMPLES_H
#define SAMPLES_H

#include "base/rng.h"
#include "data/dataset.h"

struct sample {
    size_t n_queries, max_docs, dim; /* 1 to max_docs documents in each query */
    int n_grades;                    /* labels 0 .. n_grades - 1 */
    double unjudged;                 /* share of documents without a label */
    bool has_doc_ids, has_doc_weights, has_query_weights, has_feature_names;
};

/* Random features of mixed sizes, the same for the same seed. */
struct peck_dataset *sample_dataset(const struct sample *s, uint64_t seed);

/* Equal in all that a user can see, features bit by bit; the reader and the order of
 * the rows in the file may differ. */
void assert_same_dataset(const struct peck_dataset *a, const struct peck_dataset *b);

#endif
