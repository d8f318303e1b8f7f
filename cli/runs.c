/* runs.c -- finds the files of a comparison and reads them. */
#include "runs.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MAX_FOLDS = 1000, MAX_PATH = 4096 };

/* folder/Fold<k><end> into path. */
static peck_status make_path(char path[MAX_PATH], const char *folder, size_t k,
                             const char *end, peck_error *err)
{
    const int n = snprintf(path, MAX_PATH, "%s/Fold%zu%s", folder, k, end);

    return n < MAX_PATH ? PECK_OK
                        : refuse(err, PECK_ARG, "%.100s...: the name is too long", folder);
}

static int is_folder(const char *path)
{
    struct stat s;

    return stat(path, &s) == 0 && S_ISDIR(s.st_mode);
}

/* The test file of fold k (from 1) in this folder; false when there is none. */
static int find_fold(char path[MAX_PATH], const char *folder, size_t k)
{
    static const char *const ends[] = { "/test.txt", "/test.txt.gz", "/test.txt.zst" };
    peck_error unused;
    struct stat s;

    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (make_path(path, folder, k, ends[i], &unused) == PECK_OK && stat(path, &s) == 0)
            return 1;
    return 0;
}

static size_t count_folds(const char *folder)
{
    char path[MAX_PATH];
    size_t n = 0;

    while (n < MAX_FOLDS && find_fold(path, folder, n + 1))
        n++;
    return n;
}

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

    if (k > 0 && find_fold(path, word[0], k))
        data = path;
    peck_status st = read_data(&r->data[fold], data, options, err);

    for (size_t i = 0; st == PECK_OK && i < r->n_runs; i++) {
        const char *scores = word[1 + i];

        if (k > 0) {
            st = make_path(path, word[1 + i], k, ".scores", err);
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
    r->n_folds = in_folds ? count_folds(word[0]) : 1;
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
