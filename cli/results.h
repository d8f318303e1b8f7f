/* results.h -- what becomes of each fold of a cross-validation while it runs. */
#ifndef RESULTS_H
#define RESULTS_H

#include "folds.h"
#include "talk.h"

struct results {
    struct talk *talk;
    const char *folder;    /* NULL: nothing is written */
    peck_page *page;       /* each fold is added to it; NULL: there is none */
    peck_judge_spec judge; /* how queries are judged, for both */
    int has_many_methods;  /* each gets a folder of its own */
    size_t n_kept;         /* folds that were written, over all methods */
};

/* The files of a fold. */
enum fold_file { FOLD_SCORES, FOLD_QUERIES, FOLD_REPORT, FOLD_MODEL, N_FOLD_FILES };
struct fold_kind {
    const char *ending, *content; /* content: as peck_file_content has it */
};
extern const struct fold_kind fold_kinds[N_FOLD_FILES];
/* Where one of them goes; fold from 0. */
peck_status results_path(char path[MAX_PATH], const struct results *r, const char *method,
                         size_t fold, enum fold_file what, peck_error *err);

/* Makes the folders; blends: that of the committee, too. */
peck_status results_open(const struct results *r, const char *const *methods, int blends,
                         peck_error *err);
/* Callbacks of peck_cv and its training; ctx is a struct results. */
int results_progress(void *ctx, double share);
int results_interrupted(void *ctx);
void results_warning(void *ctx, const char *text);
peck_status results_keep(void *ctx, const peck_fold_result *r, peck_error *err);

/* Cuts "a,b" in place into a, b and NULL; NULL: out of memory, told in err. */
const char **split_list(char *text, peck_error *err);

#endif
