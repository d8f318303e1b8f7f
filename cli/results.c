/* results.c -- see results.h. */
#include "results.h"
#include "folds.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int results_progress(void *ctx, double share)
{
    return talk_progress(((struct results *)ctx)->talk, share);
}

int results_interrupted(void *ctx)
{
    (void)ctx;
    return talk_was_interrupted();
}

void results_warning(void *ctx, const char *text)
{
    talk_warning(((struct results *)ctx)->talk, text);
}

static peck_status make_folder(const char *path, peck_error *err)
{
    if (mkdir(path, 0777) == 0 || (errno == EEXIST && is_folder(path)))
        return PECK_OK;
    return refuse(err, PECK_IO, "%.300s: cannot make the folder: %s", path,
                  strerror(errno));
}

/* Where a method's files go. */
static peck_status name_folder(char folder[MAX_PATH], const struct results *r,
                               const char *method, peck_error *err)
{
    const int n =
        snprintf(folder, MAX_PATH, "%s%s%s", r->folder, r->has_many_methods ? "/" : "",
                 r->has_many_methods ? method : "");

    return n < MAX_PATH
               ? PECK_OK
               : refuse(err, PECK_ARG, "%.100s...: the name is too long", r->folder);
}

static peck_status make_own_folder(const struct results *r, const char *method,
                                   peck_error *err)
{
    char folder[MAX_PATH];
    const peck_status st = name_folder(folder, r, method, err);

    return st == PECK_OK ? make_folder(folder, err) : st;
}

peck_status results_open(const struct results *r, const char *const *methods, int blends,
                         peck_error *err)
{
    if (r->folder == NULL)
        return PECK_OK;
    peck_status st = make_folder(r->folder, err);

    for (size_t i = 0; st == PECK_OK && methods[i] != NULL; i++)
        st = make_own_folder(r, methods[i], err);
    return st == PECK_OK && blends ? make_own_folder(r, "blend", err) : st;
}

peck_status results_keep(void *ctx, const peck_fold_result *r, peck_error *err)
{
    char folder[MAX_PATH], path[MAX_PATH];
    peck_status st = name_folder(folder, ctx, r->method, err);

    if (st == PECK_OK)
        st = fold_path(path, folder, r->fold + 1, ".scores", err);
    if (st == PECK_OK)
        st = peck_scores_write(r->score, path, r->test, err);
    if (st == PECK_OK)
        st = fold_path(path, folder, r->fold + 1, ".peck", err);
    if (st == PECK_OK)
        st = peck_model_save(r->model, path, err);
    ((struct results *)ctx)->n_kept += st == PECK_OK;
    return st;
}

const char **split_list(char *text, peck_error *err)
{
    size_t n = 1;

    for (const char *c = text; *c != '\0'; c++)
        n += *c == ',';
    const char **item = calloc(n + 1, sizeof *item);

    if (item == NULL) {
        refuse(err, PECK_NOMEM, "out of memory");
        return NULL;
    }
    for (size_t i = 0; i < n; i++) {
        char *end = text + strcspn(text, ",");

        item[i] = text;
        text = end + (*end != '\0');
        *end = '\0';
    }
    return item;
}
