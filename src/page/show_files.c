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

/* Endings that say what a file holds, not whose it is. */
static bool is_ending(peck_span s)
{
    static const char *const ending[] = { "peck",  "log",     "json", "jsonl", "tsv",
                                          "txt",   "queries", "eval", "rules", "decoders",
                                          "probe", "gz",      "zst",  "model", "csv" };

    for (size_t i = 0; i < sizeof ending / sizeof *ending; i++)
        if (span_is(s, ending[i]))
            return true;
    return false;
}

/* "a/b/net.queries.tsv" -> "a/b/net"; a file that is all ending is its folder's. */
static peck_span stem_of(const char *path)
{
    const char *const slash = strrchr(path, '/');
    const char *const name = slash != NULL ? slash + 1 : path;
    const char *end = path + strlen(path);

    for (;;) {
        const char *word = end;

        while (word > name && word[-1] != '.')
            word--;
        if (!is_ending((peck_span){ word, (size_t)(end - word) }))
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

static bool begins_with(peck_span s, const char *head)
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
    if (begins_with(line, "query\t") || begins_with(line, "decoder\t") ||
        begins_with(line, "decoder,") ||
        (begins_with(line, "query,") && (is_asked || names_metric(line))))
        return FILE_TABLE;
    if (begins_with(line, "{\"member\":"))
        return FILE_LOG;
    return begins_with(line, "{") ? FILE_REPORT : FILE_OTHER;
}

/* Logs --------------------------------------------------------------------------------- */

static double number_at(const struct json_node *object, const char *key)
{
    const struct json_node *const v = json_get(object, key);
    double value = (double)NAN;

    return v != NULL && v->type == JSON_NUMBER && number_parse(v->text, &value)
               ? value
               : (double)NAN;
}

/* The learning curve of a member (from 0), new or old; NULL: no memory. */
static struct learning_curve *curve_of(struct show_run *r, size_t fold, double member)
{
    const size_t number = member >= 0 && member < 1e6 ? (size_t)member + 1 : 1;

    for (size_t i = 0; i < r->n_curves; i++)
        if (r->curve[i].fold == fold && r->curve[i].member == number)
            return &r->curve[i];
    return show_add_curve(r, fold, number);
}

/* The last epoch that was the best so far is the one that is kept. */
static void keep_last_best(struct learning_curve *l)
{
    bool is_found = false;

    for (size_t i = l->n; i-- > 0;) {
        l->point[i].is_best &= !is_found;
        is_found |= l->point[i].is_best;
    }
}

static peck_status add_epoch(struct show_run *r, size_t fold, const struct json_node *line,
                             peck_error *err)
{
    const struct json_node *const best = json_get(line, "best");
    const struct epoch_point point = {
        .epoch = number_at(line, "epoch"),
        .loss = number_at(line, "loss"),
        .valid = number_at(line, "valid"),
        .train = number_at(line, "train"),
        .train_pairs = number_at(line, "train_pairs"),
        .valid_pairs = number_at(line, "valid_pairs"),
        .is_best = best != NULL && span_is(best->text, "true"),
    };
    struct learning_curve *const l = curve_of(r, fold, number_at(line, "member"));

    return l != NULL && curve_add(l, point)
               ? PECK_OK
               : fail_memory(err, "a log", r->n_curves, sizeof point);
}

static void forget_curves(struct show_run *r, size_t fold)
{
    size_t n = 0;

    for (size_t i = 0; i < r->n_curves; i++)
        if (r->curve[i].fold == fold)
            mem_free(r->curve[i].point);
        else
            r->curve[n++] = r->curve[i];
    r->n_curves = n;
}

/* A log says more than the history in a model, and takes its place. */
static peck_status read_log(struct show_run *r, size_t fold, const struct input *in,
                            peck_error *err)
{
    struct lines l = lines_of(in);
    peck_span line;
    char name[256];

    forget_curves(r, fold);
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
    for (size_t i = 0; i < r->n_curves; i++)
        if (r->curve[i].fold == fold)
            keep_last_best(&r->curve[i]);
    return PECK_OK;
}

/* Files -------------------------------------------------------------------------------- */

static peck_status read_report(struct show_run *r, size_t fold, enum file_kind kind,
                               const struct input *in, peck_error *err)
{
    struct peck_report *report = NULL;
    peck_status st =
        kind == FILE_TABLE
            ? report_read_tsv(&report, in, err)
            : report_read_json(&report, (peck_span){ in->data, in->size }, in->name, err);

    if (st == PECK_OK)
        st = show_add_report(r, fold, report, err);
    peck_report_free(report);
    return st;
}

static peck_status read_model(struct show_run *r, size_t fold, const char *path,
                              peck_error *err)
{
    struct peck_model *m = NULL;
    peck_status st = peck_model_load(&m, path, err);

    if (st == PECK_OK)
        st = show_add_model(r, fold, m, err);
    peck_model_free(m);
    return st;
}

static peck_status add_file(struct peck_page *p, const char *path, enum file_kind kind,
                            const struct input *in, peck_error *err)
{
    peck_span stem = stem_of(path);
    const size_t fold = take_fold(&stem);
    struct show_run *const r = show_run_at(p, stem);

    if (r == NULL)
        return fail_memory(err, "runs", p->n_runs, sizeof *r);
    p->n_files++;
    if (kind == FILE_MODEL)
        return read_model(r, fold, path, err);
    if (kind == FILE_LOG)
        return read_log(r, fold, in, err);
    return read_report(r, fold, kind, in, err);
}

/* is_asked: it was named, so it must be of use. */
static peck_status read_file(struct peck_page *p, const char *path, bool is_asked,
                             peck_error *err)
{
    struct input in = { 0 };

    TRY(input_open(&in, path, err));
    const enum file_kind kind = kind_of(&in, is_asked);
    peck_status st = PECK_OK;

    if (kind != FILE_OTHER)
        st = add_file(p, path, kind, &in, err);
    else if (is_asked)
        st = fail(err, PECK_FORMAT,
                  "%.300s: nothing that a page shows; give a model, a log of training, a "
                  "report as JSON, a file of values per query, or a folder of such",
                  path);
    input_close(&in);
    return st;
}

/* Folders ------------------------------------------------------------------------------ */

/* Data and scores lie in the same folders, and may be large: only likely names are opened. */
static bool is_likely(peck_span name)
{
    static const char *const ending[] = {
        ".peck", ".log", ".json", ".jsonl", ".tsv", ".csv"
    };

    for (size_t i = 0; i < sizeof ending / sizeof *ending; i++) {
        const size_t n = strlen(ending[i]);

        if (name.n > n && memcmp(name.s + name.n - n, ending[i], n) == 0)
            return true;
    }
    return false;
}

static peck_status read_folder(struct peck_page *p, const char *path, int depth,
                               peck_error *err);

static peck_status read_entry(struct peck_page *p, const char *folder, peck_span name,
                              int depth, peck_error *err)
{
    char path[MAX_PATH];
    const size_t n = strlen(folder);
    const char *const slash = n > 0 && folder[n - 1] == '/' ? "" : "/";

    if (snprintf(path, sizeof path, "%s%s%.*s", folder, slash, (int)name.n, name.s) >=
        MAX_PATH)
        return fail(err, PECK_ARG, "%.100s...: the name is too long", folder);
    if (is_directory(path))
        return depth < MAX_DEPTH ? read_folder(p, path, depth + 1, err) : PECK_OK;
    return is_likely(name) ? read_file(p, path, false, err) : PECK_OK;
}

static peck_status read_folder(struct peck_page *p, const char *path, int depth,
                               peck_error *err)
{
    struct strings name = { 0 };
    peck_status st = folder_list(&name, path, err);

    for (size_t i = 0; i < name.n && st == PECK_OK; i++)
        st = read_entry(p, path, strings_get(&name, i), depth, err);
    strings_free(&name);
    return st;
}

peck_status peck_page_read(peck_page *p, const char *path, peck_error *err)
{
    const size_t before = p->n_files;

    if (!is_directory(path))
        return read_file(p, path, true, err);
    TRY(read_folder(p, path, 0, err));
    if (p->n_files == before)
        return fail(err, PECK_FORMAT,
                    "%.300s: a folder without models, logs, reports or values per query",
                    path);
    return PECK_OK;
}
