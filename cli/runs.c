/* runs.c -- finds the files of a comparison and reads them. */
#include "runs.h"
#include "folds.h"

#include <stdlib.h>
#include <string.h>

static peck_status read_scores(double **out, const char *path, const peck_dataset *d,
                               peck_error *err)
{
    peck_dataset_info info;

    peck_dataset_describe(d, &info);
    *out = calloc(info.n_docs, sizeof **out);
    if (*out == NULL)
        return refuse(err, PECK_NOMEM, "out of memory for %zu scores", info.n_docs);
    return peck_scores_read(*out, path, d, err);
}

static peck_status read_data(const peck_dataset **out, const char *path,
                             const peck_read_options *options, peck_error *err)
{
    peck_dataset *d = NULL;
    const peck_status st = peck_dataset_read(&d, path, options, err);

    *out = d;
    return st;
}

/* Fold k (from 1) of folders, or k = 0: the words are files. */
static peck_status read_fold(struct runs *r, size_t k, char *const *word,
                             const peck_read_options *options, peck_error *err)
{
    const size_t fold = k > 0 ? k - 1 : 0;
    char path[MAX_PATH];
    const char *data = word[0];

    if (k > 0 && fold_find(path, word[0], k, "test"))
        data = path;
    peck_status st = read_data(&r->data[fold], data, options, err);

    for (size_t i = 0; st == PECK_OK && i < r->n_runs; i++) {
        const char *scores = word[1 + i];

        if (k > 0) {
            st = fold_path(path, word[1 + i], k, ".scores", err);
            scores = path;
        }
        if (st == PECK_OK)
            st = read_scores(&r->score[i * r->n_folds + fold], scores, r->data[fold], err);
    }
    return st;
}

peck_status runs_read(struct runs *r, char *const *word, size_t n_words,
                      const peck_read_options *options, peck_error *err)
{
    const int in_folds = is_folder(word[0]);
    peck_status st = PECK_OK;

    memset(r, 0, sizeof *r);
    r->n_folds = in_folds ? fold_count(word[0], "test") : 1;
    r->n_runs = n_words - 1;
    if (r->n_folds == 0)
        return refuse(err, PECK_IO, "%.300s: a folder, and it has no Fold1/test.txt",
                      word[0]);
    r->data = calloc(r->n_folds, sizeof *r->data);
    r->score = calloc(r->n_folds * r->n_runs, sizeof *r->score);
    if (r->data == NULL || r->score == NULL)
        return refuse(err, PECK_NOMEM, "out of memory");
    for (size_t f = 0; st == PECK_OK && f < r->n_folds; f++)
        st = read_fold(r, in_folds ? f + 1 : 0, word, options, err);
    return st;
}

void runs_free(struct runs *r)
{
    for (size_t f = 0; r->data != NULL && f < r->n_folds; f++)
        peck_dataset_free((peck_dataset *)r->data[f]);
    for (size_t i = 0; r->score != NULL && i < r->n_folds * r->n_runs; i++)
        free(r->score[i]);
    free(r->data);
    free(r->score);
}
