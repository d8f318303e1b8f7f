/* folds.h -- training, validation and test data as LETOR's folders have them:
 * DIR/Fold1/train.txt, DIR/Fold1/vali.txt, DIR/Fold1/test.txt, DIR/Fold2/..., each plain,
 * .gz or .zst.  A folder with train.txt and test.txt itself is one fold.            */
#ifndef FOLDS_H
#define FOLDS_H

#include "opt.h"

enum { MAX_PATH = 4096 };

int is_folder(const char *path);
/* folder/Fold<k><end> into path. */
peck_status fold_path(char path[MAX_PATH], const char *folder, size_t k, const char *end,
                      peck_error *err);
/* The file of this part ("train", "vali", "test") of fold k (from 1; 0: the folder itself)
 * into path; false when there is none. */
int fold_find(char path[MAX_PATH], const char *folder, size_t k, const char *part);
/* How many folds have this part: Fold1, Fold2, ... without a gap. */
size_t fold_count(const char *folder, const char *part);

/* All folds of a folder, or of a file that is cut by query. */
struct folds {
    peck_fold *fold; /* the datasets are owned */
    size_t n;
};

/* n_folds and seed: of the cut, for a file. */
peck_status folds_read(struct folds *f, const char *path, const peck_read_options *options,
                       size_t n_folds, uint64_t seed, peck_error *err);
void folds_free(struct folds *f); /* also one that folds_read gave up on */

#endif
