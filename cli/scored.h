/* scored.h -- a model, the data it is to order, and the scores it gives. */
#ifndef SCORED_H
#define SCORED_H

#include "opt.h"

struct scored {
    peck_model *model;
    peck_dataset *data;
    double *score; /* one for each document, in the dataset's order */
    size_t n_docs, n_queries;
};

/* word[0] is the model, word[1] the data. */
peck_status scored_open(struct scored *s, char *const *word,
                        const peck_read_options *options, peck_error *err);
void scored_free(struct scored *s); /* also one that scored_open gave up on */

#endif
