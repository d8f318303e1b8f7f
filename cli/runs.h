/* runs.h -- several runs' scores over the same data, perhaps in folds. */
#ifndef RUNS_H
#define RUNS_H

#include "opt.h"

struct runs {
    const peck_dataset **data; /* n_folds test sets, owned */
    double **score;            /* score[run * n_folds + fold], owned */
    size_t n_folds, n_runs;
};

/* word[0] is the data, the others are runs.  A file and score files; or a folder with
 * Fold1/test.txt, Fold2/test.txt, ... (or .gz, .zst) and folders with Fold1.scores, ... */
peck_status runs_read(struct runs *r, char *const *word, size_t n_words,
                      const peck_read_options *options, peck_error *err);
void runs_free(struct runs *r); /* also one that runs_read gave up on */

#endif
