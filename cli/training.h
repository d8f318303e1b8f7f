/* training.h -- what the verbs that train have in common. */
#ifndef TRAINING_H
#define TRAINING_H

#include "shared.h"

struct training {
    const char *method, *norm;
    const char **settings;
    struct judging judging;
    const char *valid_split;
    double binarise;
    uint64_t ensemble;
    int is_alone;
};
extern const struct opt training_rows[]; /* into a struct training */

/* The metric that chooses, in fresh memory; NULL: out of memory, told in err. */
char *first_metric(const struct training *t, peck_error *err);

/* Fills all but data, metric and callbacks; refuses numbers that make no sense. */
peck_status training_spec(peck_train_spec *spec, const struct training *t, int threads,
                          peck_error *err);

#endif
