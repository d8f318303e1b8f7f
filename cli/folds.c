/* folds.c -- see folds.h. */
#include "folds.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MAX_FOLDS = 1000 };

int is_folder(const char *path)
{
    struct stat s;

    return stat(path, &s) == 0 && S_ISDIR(s.st_mode);
}

peck_status fold_path(char path[MAX_PATH], const char *folder, size_t k, const char *end,
                      peck_error *err)
{
    const int n = k > 0 ? snprintf(path, MAX_PATH, "%s/Fold%zu%s", folder, k, end)
                        : snprintf(path, MAX_PATH, "%s%s", folder, end);

    return n < MAX_PATH ? PECK_OK
                        : refuse(err, PECK_ARG, "%.100s...: the name is too long", folder);
}

int fold_find(char path[MAX_PATH], const char *folder, size_t k, const char *part)
{
    static const char *const ends[] = { ".txt", ".txt.gz", ".txt.zst" };
    char end[64];
    peck_error unused;
    struct stat s;

    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        snprintf(end, sizeof end, "/%s%s", part, ends[i]);
        if (fold_path(path, folder, k, end, &unused) == PECK_OK && stat(path, &s) == 0)
            return 1;
    }
    return 0;
}

size_t fold_count(const char *folder, const char *part)
{
    char path[MAX_PATH];
    size_t n = 0;

    while (n < MAX_FOLDS && fold_find(path, folder, n + 1, part))
        n++;
    return n;
}

/* A folder ------------------------------------------------------------------------- */

/* *out stays NULL where the fold has no such part. */
static peck_status read_part(const peck_dataset **out, const char *folder, size_t k,
                             const char *part, const peck_read_options *options,
                             peck_error *err)
{
    char path[MAX_PATH];
    peck_dataset *d = NULL;
    peck_status st = PECK_OK;

    if (fold_find(path, folder, k, part))
        st = peck_dataset_read(&d, path, options, err);
    *out = d;
    return st;
}

static peck_status read_fold(peck_fold *f, const char *folder, size_t k,
                             const peck_read_options *options, peck_error *err)
{
    peck_status st = read_part(&f->train, folder, k, "train", options, err);

    if (st == PECK_OK)
        st = read_part(&f->valid, folder, k, "vali", options, err);
    if (st == PECK_OK && f->valid == NULL)
        st = read_part(&f->valid, folder, k, "valid", options, err);
    if (st == PECK_OK)
        st = read_part(&f->test, folder, k, "test", options, err);
    if (st == PECK_OK && f->test == NULL)
        st = refuse(err, PECK_IO, "%.300s: fold %zu has train.txt and no test.txt", folder,
                    k > 0 ? k : 1);
    return st;
}

static peck_status read_folder(struct folds *f, const char *folder,
                               const peck_read_options *options, peck_error *err)
{
    const size_t n = fold_count(folder, "train");
    char path[MAX_PATH];
    peck_status st = PECK_OK;

    if (n == 0 && !fold_find(path, folder, 0, "train"))
        return refuse(err, PECK_IO, "%.300s: a folder, and it has no Fold1/train.txt",
                      folder);
    f->n = n > 0 ? n : 1;
    f->fold = calloc(f->n, sizeof *f->fold);
    if (f->fold == NULL)
        return refuse(err, PECK_NOMEM, "out of memory");
    for (size_t i = 0; st == PECK_OK && i < f->n; i++)
        st = read_fold(&f->fold[i], folder, n > 0 ? i + 1 : 0, options, err);
    return st;
}

/* A file --------------------------------------------------------------------------- */

static peck_status cut_part(const peck_dataset **out, const peck_dataset *d, size_t n,
                            size_t fold, const char *part, uint64_t seed, peck_error *err)
{
    peck_dataset *cut = NULL;
    const peck_status st = peck_dataset_fold(&cut, d, n, fold, part, seed, err);

    *out = cut;
    return st;
}

static peck_status cut_file(struct folds *f, const peck_dataset *d, size_t n, uint64_t seed,
                            peck_error *err)
{
    peck_status st = PECK_OK;

    if (n < 2 || n > MAX_FOLDS)
        return refuse(err, PECK_ARG, "--folds takes a whole number from 2 to %d",
                      MAX_FOLDS);
    f->fold = calloc(n, sizeof *f->fold);
    if (f->fold == NULL)
        return refuse(err, PECK_NOMEM, "out of memory");
    f->n = n;
    for (size_t i = 0; st == PECK_OK && i < n; i++) {
        st = cut_part(&f->fold[i].train, d, n, i, "train", seed, err);
        if (st == PECK_OK && n > 2)
            st = cut_part(&f->fold[i].valid, d, n, i, "valid", seed, err);
        if (st == PECK_OK)
            st = cut_part(&f->fold[i].test, d, n, i, "test", seed, err);
    }
    return st;
}

peck_status folds_read(struct folds *f, const char *path, const peck_read_options *options,
                       size_t n_folds, uint64_t seed, peck_error *err)
{
    peck_dataset *d = NULL;

    memset(f, 0, sizeof *f);
    if (is_folder(path))
        return read_folder(f, path, options, err);
    peck_status st = peck_dataset_read(&d, path, options, err);

    if (st == PECK_OK)
        st = cut_file(f, d, n_folds, seed, err);
    peck_dataset_free(d);
    return st;
}

void folds_free(struct folds *f)
{
    for (size_t i = 0; f->fold != NULL && i < f->n; i++) {
        peck_dataset_free((peck_dataset *)f->fold[i].train);
        peck_dataset_free((peck_dataset *)f->fold[i].valid);
        peck_dataset_free((peck_dataset *)f->fold[i].test);
    }
    free(f->fold);
}
