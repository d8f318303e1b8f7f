/* inputs.h -- data as verbs read it: with a score for each document, or in folds. */
#ifndef INPUTS_H
#define INPUTS_H

#include "options.h"

/* Fails when the word where a MODEL belongs names something else, and shows the order in
 * which the verb takes its words. */
peck_status expect_model(const struct call *c, const char *path);

/* data as the model wants it, to be freed before data is.  match: how the model's features
 * are found, as in peck_dataset_match; what a person should know of that is told. */
peck_status match_data(peck_dataset **out, const struct call *c, const peck_dataset *data,
                       const peck_model *m, const char *match);

/* Data to learn from or to choose by.  pairs: preferences about its documents, which then need no
 * labels; NULL: none. */
peck_status read_judged(peck_dataset **out, const char *path,
                        const peck_read_options *options, const char *pairs,
                        peck_error *err);

/* Data and a score for each document ---------------------------------------------------- */

struct scored {
    peck_dataset *data;
    double *score; /* one for each document, in the dataset's order */
    size_t n_queries;
    /* Of a model's: the model, and the data as it wants it; NULL: scores of a file. */
    peck_model *model;
    peck_dataset *fit;
};

/* By a model: to be judged by the order (spec NULL), or to be printed.  Then it warns where
 * scores that depend on the list are of lists that may be pieces.  A model that compares is
 * decoded; one that scores only when the specification asks for anything.  info (may be
 * NULL)->n_pairs 0: nothing was. */
peck_status scored_by_model(struct scored *s, const struct call *c, const char *model,
                            const char *data, const peck_read_options *options,
                            const char *match, const peck_decode_spec *spec,
                            peck_decode_info *info);
/* By a model, for whoever has the data: a score for each document, as the first does. */
peck_status score_by_model(double *score, const struct call *c, const char *model,
                           const peck_dataset *data, const char *match, int threads);
/* From a file. */
peck_status scored_read(struct scored *s, const char *scores, const char *data,
                        const peck_read_options *options, peck_error *err);
void scored_free(struct scored *s); /* also one that was given up on */
/* How many lists keep their rules in another order, how many give some up, and which rules play
 * no part: by the report of peck_enforce_all. */
void tell_of_keeping(struct talk *talk, const peck_rules *rules, const peck_report *r);

/* Folds ----------------------------------------------------------------------------------
 * Training, validation and test data as LETOR's folders have them: DIR/Fold1/train.txt,
 * DIR/Fold1/vali.txt, DIR/Fold1/test.txt, DIR/Fold2/..., each plain, .gz or .zst.  A folder
 * with train.txt and test.txt itself is one fold.                                     */

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
    peck_fold *fold;        /* the datasets are owned */
    peck_fold_pairs *pairs; /* ... and these; NULL: none were asked for */
    size_t n;
    size_t n_bad, first_bad_line; /* lines of the pairs that were left out */
};

/* n_folds and seed: of the cut, for a file; pairs: preferences over its documents, which then
 * need no labels; NULL: none. */
peck_status folds_read(struct folds *f, const char *path, const peck_read_options *options,
                       const char *pairs, int skip_bad, size_t n_folds, uint64_t seed,
                       peck_error *err);
void folds_free(struct folds *f); /* also one that folds_read gave up on */

#endif
