/* results.c -- see results.h. */
#include "results.h"

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

/* The report says what the fold was judged by, and on what: for those who read the folder
 * later. */
const struct fold_kind fold_kinds[N_FOLD_FILES] = {
    [FOLD_SCORES] = { ".scores", "scores" },
    [FOLD_QUERIES] = { ".queries.tsv", "text" },
    [FOLD_REPORT] = { ".eval.json", "text" },
    [FOLD_MODEL] = { ".peck", "model" },
};

peck_status results_path(char path[MAX_PATH], const struct results *r, const char *method,
                         size_t fold, enum fold_file what, peck_error *err)
{
    char folder[MAX_PATH];
    const peck_status st = name_folder(folder, r, method, err);

    return st == PECK_OK ? fold_path(path, folder, fold + 1, fold_kinds[what].ending, err)
                         : st;
}

static peck_status write_file(enum fold_file what, const char *path,
                              const peck_fold_result *f, const peck_report *queries,
                              peck_error *err)
{
    switch (what) {
    case FOLD_SCORES:
        return peck_scores_write(f->score, path, f->test, err);
    case FOLD_QUERIES:
        return peck_report_write_queries(queries, path, err);
    case FOLD_REPORT:
        return peck_report_save(queries, path, "json", err);
    default:
        return peck_model_save(f->model, path, err);
    }
}

static peck_status write_fold(const struct results *r, const peck_fold_result *f,
                              const peck_report *queries, peck_error *err)
{
    char path[MAX_PATH];
    peck_status st = PECK_OK;

    for (enum fold_file i = 0; st == PECK_OK && i < N_FOLD_FILES; i++) {
        st = results_path(path, r, f->method, f->fold, i, err);
        if (st == PECK_OK)
            st = write_file(i, path, f, queries, err);
    }
    return st;
}

/* Every query by the metrics that were asked for and those that a page draws.  A convention
 * may forbid ranks as deep as theirs; then by what was asked for. */
static peck_status judge_queries(peck_report **out, const struct results *r,
                                 const peck_fold_result *f, peck_error *err)
{
    static const char drawn[] =
        ",map,mrr,ndcg@1,ndcg@2,ndcg@3,ndcg@4,ndcg@5,ndcg@6,ndcg@7,ndcg@8,ndcg@9,ndcg@10,"
        "p@1,p@2,p@3,p@4,p@5,p@6,p@7,p@8,p@9,p@10";
    const size_t room = strlen(r->judge.metrics) + sizeof drawn;
    char *metrics = malloc(room);
    peck_judge_spec spec = r->judge;

    if (metrics == NULL)
        return refuse(err, PECK_NOMEM, "out of memory");
    snprintf(metrics, room, "%s%s", r->judge.metrics, drawn);
    spec.metrics = metrics;
    peck_status st = peck_evaluate_scores(out, f->test, f->score, &spec, err);

    if (st == PECK_ARG)
        st = peck_evaluate_scores(out, f->test, f->score, &r->judge, err);
    free(metrics);
    return st;
}

peck_status results_keep(void *ctx, const peck_fold_result *f, peck_error *err)
{
    struct results *r = ctx;
    peck_report *queries = NULL;
    peck_status st = judge_queries(&queries, r, f, err);

    if (st == PECK_OK && r->folder != NULL)
        st = write_fold(r, f, queries, err);
    r->n_kept += st == PECK_OK;
    if (st == PECK_OK && r->page != NULL)
        st = peck_page_add_model(r->page, f->method, f->fold + 1, f->model, err);
    if (st == PECK_OK && r->page != NULL)
        st = peck_page_add_report(r->page, f->method, f->fold + 1, queries, err);
    peck_report_free(queries);
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
