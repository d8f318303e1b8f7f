/* show_files.c -- which files and folders make which run of a page.
 *
 * A file is known by its first bytes, its run by its name: "net.peck", "net.log" and
 * "net.queries.tsv" are the run "net" of their folder; "Fold2.peck" is the second fold of
 * the run that the folder is, and so are a folder's "queries.tsv" or "rules.json".      */
#include "show.h"

#include "../base/alloc.h"
#include "../base/folder.h"
#include "../base/json.h"
#include "../base/number.h"

#include <math.h>

enum { MAX_DEPTH = 4, MAX_PATH = 4096 };

enum file_kind { FILE_OTHER, FILE_MODEL, FILE_LOG, FILE_REPORT, FILE_TABLE };

/* "a/b/net.queries.tsv" -> "a/b/net"; a file that is all ending is its folder's. */
static peck_span stem_of(const char *path)
{
    /* Endings that say what a file holds, not whose it is. */
    static const char *const ending[] = { "peck",  "log",     "json", "jsonl", "tsv",
                                          "txt",   "queries", "eval", "rules", "decoders",
                                          "probe", "gz",      "zst",  "model", "csv" };
    const char *const slash = strrchr(path, '/');
    const char *const name = slash != NULL ? slash + 1 : path;
    const char *end = path + strlen(path);

    for (;;) {
        const char *word = end;
        bool is_ending = false;

        while (word > name && word[-1] != '.')
            word--;
        for (size_t i = 0; i < sizeof ending / sizeof *ending; i++)
            is_ending |= span_is((peck_span){ word, (size_t)(end - word) }, ending[i]);
        if (!is_ending)
            return (peck_span){ path, (size_t)(end - path) };
        if (word == name)
            return slash != NULL ? (peck_span){ path, (size_t)(slash - path) }
                                 : span_of(".");
        end = word - 1;
    }
}

/* "a/b/Fold2" -> "a/b" and 2; others stay as they are, fold 0. */
static size_t take_fold(peck_span *stem)
{
    size_t at = stem->n;
    uint64_t fold = 0;

    while (at > 0 && stem->s[at - 1] != '/')
        at--;
    const peck_span name = { stem->s + at, stem->n - at };

    if (name.n < 5 || memcmp(name.s, "Fold", 4) != 0 ||
        !number_parse_u64((peck_span){ name.s + 4, name.n - 4 }, &fold) || fold == 0)
        return 0;
    *stem = at > 1    ? (peck_span){ stem->s, at - 1 }
            : at == 1 ? (peck_span){ "/", 1 }
                      : span_of(".");
    return (size_t)fold;
}

/* Whether the bytes begin so. */
static bool has_head(peck_span s, const char *head)
{
    const size_t n = strlen(head);

    return s.n >= n && memcmp(s.s, head, n) == 0;
}

/* "query,ndcg@10,...": preferences and data may begin with a query and a comma, too. */
static bool names_metric(peck_span line)
{
    const char *const first = memchr(line.s, ',', line.n);
    char name[64];
    struct metric_list list = { 0 };

    if (first == NULL)
        return false;
    const char *const rest = first + 1;
    const size_t left = (size_t)(line.s + line.n - rest);
    const char *const end = left > 0 ? memchr(rest, ',', left) : NULL;
    const size_t n = end != NULL ? (size_t)(end - rest) : left;

    if (n == 0 || n >= sizeof name)
        return false;
    memcpy(name, rest, n);
    name[n] = '\0';
    const bool is_metric = metric_list_parse(&list, name, NULL) == PECK_OK;

    metric_list_free(&list);
    return is_metric;
}

/* By its first line; a model has eight bytes before its JSON.  is_asked: it was named. */
static enum file_kind kind_of(const struct input *in, bool is_asked)
{
    struct lines l = lines_of(in);
    peck_span line = { 0 };

    if (in->size > 9 && in->data[8] == '{')
        return FILE_MODEL;
    if (!lines_next(&l, &line))
        return FILE_OTHER;
    line = span_trim(line);
    if (has_head(line, "query\t") || has_head(line, "decoder\t") ||
        has_head(line, "decoder,") ||
        (has_head(line, "query,") && (is_asked || names_metric(line))))
        return FILE_TABLE;
    if (has_head(line, "{\"member\":"))
        return FILE_LOG;
    return has_head(line, "{") ? FILE_REPORT : FILE_OTHER;
}

/* Logs --------------------------------------------------------------------------------- */

/* NaN: there is none. */
static double number_of_key(const struct json_node *object, const char *key)
{
    const struct json_node *const v = json_get(object, key);
    double value = (double)NAN;

    return v != NULL && v->type == JSON_NUMBER && number_parse(v->text, &value)
               ? value
               : (double)NAN;
}

/* An epoch of the learning curve of its member, new or old. */
static peck_status add_epoch(struct show_run *r, size_t fold, const struct json_node *line,
                             peck_error *err)
{
    const struct json_node *const best = json_get(line, "best");
    const struct epoch_point point = {
        .epoch = number_of_key(line, "epoch"),
        .loss = number_of_key(line, "loss"),
        .valid = number_of_key(line, "valid"),
        .train = number_of_key(line, "train"),
        .train_pairs = number_of_key(line, "train_pairs"),
        .valid_pairs = number_of_key(line, "valid_pairs"),
        .is_best = best != NULL && span_is(best->text, "true"),
    };
    const double member = number_of_key(line, "member"); /* from 0 */
    const size_t number = member >= 0 && member < 1e6 ? (size_t)member + 1 : 1;
    struct learning_curve *l = NULL;

    for (size_t i = 0; i < r->n_curves && l == NULL; i++)
        if (r->curve[i].fold == fold && r->curve[i].member == number)
            l = &r->curve[i];
    if (l == NULL)
        l = show_add_curve(r, fold, number);
    return l != NULL && curve_add(l, point)
               ? PECK_OK
               : fail_memory(err, "a log", r->n_curves, sizeof point);
}

/* A log says more than the history in a model, and takes its place.  The last epoch that was
 * the best so far is the one that is kept. */
static peck_status read_curves(struct show_run *r, size_t fold, const struct input *in,
                               peck_error *err)
{
    struct lines l = lines_of(in);
    peck_span line;
    size_t n = 0;
    char name[256];

    for (size_t i = 0; i < r->n_curves; i++)
        if (r->curve[i].fold == fold)
            mem_free(r->curve[i].point);
        else
            r->curve[n++] = r->curve[i];
    r->n_curves = n;
    while (lines_next(&l, &line)) {
        struct json j;

        line = span_trim(line);
        if (line.n == 0)
            continue;
        snprintf(name, sizeof name, "%.200s:%zu", in->name, l.number);
        peck_status st = json_parse(&j, line, name, err);

        if (st == PECK_OK && j.node->type != JSON_OBJECT)
            st = fail(err, PECK_FORMAT, "%s: no line of a log", name);
        if (st == PECK_OK)
            st = add_epoch(r, fold, j.node, err);
        json_free(&j);
        TRY(st);
    }
    for (size_t i = 0; i < r->n_curves; i++) {
        bool is_found = false;

        for (size_t e = r->curve[i].n; r->curve[i].fold == fold && e-- > 0;) {
            r->curve[i].point[e].is_best &= !is_found;
            is_found |= r->curve[i].point[e].is_best;
        }
    }
    return PECK_OK;
}

/* Files and folders ---------------------------------------------------------------------- */

/* is_asked: it was named, so it must be of use. */
static peck_status read_run_file(struct peck_page *p, const char *path, bool is_asked,
                                 peck_error *err)
{
    peck_span stem = stem_of(path);
    const size_t fold = take_fold(&stem);
    struct peck_report *report = NULL;
    struct peck_model *m = NULL;
    struct show_run *r = NULL;
    struct input in = { 0 };

    TRY(input_open(&in, path, err));
    const enum file_kind kind = kind_of(&in, is_asked);
    peck_status st = PECK_OK;

    if (kind == FILE_OTHER && is_asked)
        st = fail(err, PECK_FORMAT,
                  "%.300s: nothing that a page shows; give a model, a log of training, a "
                  "report as JSON, a file of values per query, or a folder of such",
                  path);
    else if (kind != FILE_OTHER && (r = show_run_at(p, stem)) == NULL)
        st = fail_memory(err, "runs", p->n_runs, sizeof *r);
    p->n_files += r != NULL;
    if (r != NULL && kind == FILE_MODEL) {
        st = peck_model_load(&m, path, err);
        if (st == PECK_OK)
            st = show_add_model(r, fold, m, err);
    } else if (r != NULL && kind == FILE_LOG)
        st = read_curves(r, fold, &in, err);
    else if (r != NULL) {
        st = kind == FILE_TABLE
                 ? report_read_tsv(&report, &in, err)
                 : report_read_json(&report, (peck_span){ in.data, in.size }, in.name, err);
        if (st == PECK_OK)
            st = show_add_report(r, fold, report, err);
    }
    peck_model_free(m);
    peck_report_free(report);
    input_close(&in);
    return st;
}

/* Data and scores lie in the same folders, and may be large: only likely names are opened. */
static peck_status read_run_folder(struct peck_page *p, const char *folder, int depth,
                                   peck_error *err)
{
    static const char *const ending[] = {
        ".peck", ".log", ".json", ".jsonl", ".tsv", ".csv"
    };
    const size_t length = strlen(folder);
    const char *const slash = length > 0 && folder[length - 1] == '/' ? "" : "/";
    struct strings names = { 0 };
    char path[MAX_PATH];
    peck_status st = folder_list(&names, folder, err);

    for (size_t i = 0; i < names.n && st == PECK_OK; i++) {
        const peck_span name = strings_get(&names, i);
        bool is_likely = false;

        for (size_t k = 0; k < sizeof ending / sizeof *ending; k++) {
            const size_t n = strlen(ending[k]);

            is_likely |= name.n > n && memcmp(name.s + name.n - n, ending[k], n) == 0;
        }
        if (snprintf(path, sizeof path, "%s%s%.*s", folder, slash, (int)name.n, name.s) >=
            MAX_PATH)
            st = fail(err, PECK_ARG, "%.100s...: the name is too long", folder);
        else if (is_directory(path))
            st = depth < MAX_DEPTH ? read_run_folder(p, path, depth + 1, err) : PECK_OK;
        else if (is_likely)
            st = read_run_file(p, path, false, err);
    }
    strings_free(&names);
    return st;
}

peck_status peck_page_read(peck_page *p, const char *path, peck_error *err)
{
    const size_t before = p->n_files;

    if (!is_directory(path))
        return read_run_file(p, path, true, err);
    TRY(read_run_folder(p, path, 0, err));
    if (p->n_files == before)
        return fail(err, PECK_FORMAT,
                    "%.300s: a folder without models, logs, reports or values per query",
                    path);
    return PECK_OK;
}
