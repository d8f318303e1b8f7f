/* train_run.h -- one training from files to a file. */
#ifndef TRAIN_RUN_H
#define TRAIN_RUN_H

#include "training.h"

struct train_args {
    peck_read_options read;
    struct training training;
    const char *out, *valid, *test, *pairs, *valid_pairs, *log, *checkpoint;
    const char *rules, *unlabelled, *rules_weight, *match;
    int is_lenient, resumes, as_json, is_forced;
};

/* c->args is a struct train_args, c->word[0] the training data. */
peck_status train_run(struct call *c);

#endif
