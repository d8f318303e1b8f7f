/* inputs.c -- see inputs.h. */
#include "inputs.h"
#include "outputs.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MAX_FOLDS = 1000 };

peck_status expect_model(const struct call *c, const char *path)
{
    const char *const content = peck_file_content(path);
    const peck_span order = order_of_words(c);

    if (content == NULL || strcmp(content, "model") == 0 || strcmp(content, "binary") == 0)
        return PECK_OK;
    if (strstr(content, " model") != NULL)
        return refuse(c->err, PECK_FORMAT,
                      "%.200s: holds %s, and peck reads only its own; score with that "
                      "program, and judge with `peck eval DATA --scores FILE`",
                      path, content);
    return refuse(c->err, PECK_FORMAT,
                  "%.200s: holds %s%s, and a model belongs here; the order is `peck %s "
                  "%.*s`",
                  path, show_content(content),
                  strcmp(content, "text") == 0 ? ", perhaps data" : "", c->verb->name,
                  (int)order.n, order.s);
}

peck_status match_data(peck_dataset **out, const struct call *c, const peck_dataset *data,
                       const peck_model *m, const char *match)
{
    peck_match_info info;
    const peck_status st = peck_dataset_match(out, data, m, match, &info, c->err);

    if (st == PECK_OK && info.text[0] != '\0')
        talk_note(c->talk, "%s", info.text);
    return st;
}

peck_status read_judged(peck_dataset **out, const char *path,
                        const peck_read_options *options, const char *pairs,
                        peck_error *err)
{
    peck_read_options how = *options;

    how.labels_optional |= pairs != NULL;
    return peck_dataset_read(out, path, &how, err);
}

/* Data and a score for each document ---------------------------------------------------- */

static peck_status scored_data(struct scored *s, const char *data,
                               const peck_read_options *options, peck_error *err)
{
    peck_dataset_info info;
    const peck_status st = peck_dataset_read(&s->data, data, options, err);

    if (st != PECK_OK)
        return st;
    peck_dataset_describe(s->data, &info);
    s->n_queries = info.n_queries;
    s->score = calloc(info.n_docs, sizeof *s->score);
    return s->score != NULL
               ? PECK_OK
               : refuse(err, PECK_NOMEM, "out of memory for %zu scores", info.n_docs);
}

/* Tells where a model whose scores depend on the list gets lists that may be pieces: of one
 * document, or with rows of a query that stand apart. */
static void warn_of_pieces(struct talk *t, const peck_model *m, const peck_dataset *d)
{
    peck_dataset_info info;
    peck_query q;
    size_t n = 0;

    peck_dataset_describe(d, &info);
    for (size_t i = 0; i < info.n_queries; i++) {
        peck_dataset_query(d, i, &q);
        n += q.n_docs == 1;
    }
    if (n > 0)
        talk_warning(
            t,
            "%zu of %zu queries %s one document, and scores of this model depend on "
            "the list: score whole lists%s",
            n, info.n_queries, n == 1 ? "has" : "have",
            peck_model_compares(m) ? "" : ", or train with --alone");
    if (info.was_gathered)
        talk_warning(t, "a query comes back later in the data, and scores of this model "
                        "depend on the list: its rows were scored as one");
}

/* The data stays as it was read: matched, it is for the model alone. */
peck_status scored_by_model(struct scored *s, const struct call *c, const char *model,
                            const char *data, const peck_read_options *options,
                            const char *match, const peck_decode_spec *spec,
                            peck_decode_info *info)
{
    const int is_asked = spec != NULL && (spec->decoder != NULL || spec->budget > 0);
    const peck_decode_spec usual = { .threads = options->threads };

    memset(s, 0, sizeof *s);
    if (info != NULL)
        memset(info, 0, sizeof *info);
    peck_status st = peck_model_load(&s->model, model, c->err);
    const peck_model *const m = s->model;

    if (st == PECK_OK)
        st = scored_data(s, data, options, c->err);
    if (st == PECK_OK)
        st = match_data(&s->fit, c, s->data, m, match);
    if (st == PECK_OK)
        st = is_asked || peck_model_compares(m)
                 ? peck_model_rank(m, s->fit, spec != NULL ? spec : &usual, s->score, info,
                                   c->err)
                 : peck_model_score(m, s->fit, options->threads, s->score, c->err);
    if (st == PECK_OK && spec != NULL && !peck_model_scores_alone(m))
        warn_of_pieces(c->talk, m, s->data);
    return st;
}

peck_status score_by_model(double *score, const struct call *c, const char *model,
                           const peck_dataset *data, const char *match, int threads)
{
    const peck_decode_spec how = { .threads = threads };
    peck_model *m = NULL;
    peck_dataset *fit = NULL;
    peck_status st = peck_model_load(&m, model, c->err);

    if (st == PECK_OK)
        st = match_data(&fit, c, data, m, match);
    if (st == PECK_OK)
        st = peck_model_compares(m) ? peck_model_rank(m, fit, &how, score, NULL, c->err)
                                    : peck_model_score(m, fit, threads, score, c->err);
    peck_dataset_free(fit);
    peck_model_free(m);
    return st;
}

peck_status scored_read(struct scored *s, const char *scores, const char *data,
                        const peck_read_options *options, peck_error *err)
{
    const char *const content = peck_file_content(scores);

    memset(s, 0, sizeof *s);
    if (content != NULL && strcmp(content, "model") == 0)
        return refuse(err, PECK_FORMAT,
                      "%.200s: is a model, and scores belong here, one number per line; "
                      "for a model write `peck eval MODEL DATA`",
                      scores);
    const peck_status st = scored_data(s, data, options, err);

    return st == PECK_OK ? peck_scores_read(s->score, scores, s->data, err) : st;
}

void scored_free(struct scored *s)
{
    free(s->score);
    peck_dataset_free(s->fit);
    peck_dataset_free(s->data);
    peck_model_free(s->model);
}

void tell_of_keeping(struct talk *talk, const peck_rules *rules, const peck_report *r)
{
    enum { SHOWN = 60 }; /* bytes of a name that a report has */
    char name[128];

    for (size_t i = 0; i < peck_rules_count(rules); i++) {
        const peck_span rule = peck_rules_name(rules, i);

        snprintf(name, sizeof name, "%.*s.queries", (int)(rule.n < SHOWN ? rule.n : SHOWN),
                 rule.s);
        if (peck_report_value(r, name) == 0.0)
            talk_note(talk,
                      "the rule '%.*s' plays no part: it speaks of no query, its weight is "
                      "0, or no order can change it; see `peck rules check`",
                      (int)rule.n, rule.s);
    }
    talk_note(talk,
              "rules: %.0f of %.0f queries in another order, %.0f without some rule, "
              "%.0f searched, not proven",
              peck_report_value(r, "turned"), peck_report_value(r, "queries"),
              peck_report_value(r, "gave_up"), peck_report_value(r, "searched_not_proven"));
}

/* Folds ---------------------------------------------------------------------------------- */

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

/* *out stays NULL where the fold has no such part. */
static peck_status read_fold_part(const peck_dataset **out, const char *folder, size_t k,
                                  const char *part, const peck_read_options *options,
                                  peck_error *err)
{
    char path[MAX_PATH];

    return fold_find(path, folder, k, part)
               ? peck_dataset_read((peck_dataset **)out, path, options, err)
               : PECK_OK;
}

/* DIR/Fold1, DIR/Fold2, ...; or DIR itself as the only fold.  Validation data may be missing. */
static peck_status read_folds(struct folds *f, const char *folder,
                              const peck_read_options *options, peck_error *err)
{
    const size_t n = fold_count(folder, "train");
    char path[MAX_PATH];
    peck_status st = PECK_OK;

    if (n == 0 && !fold_find(path, folder, 0, "train"))
        return refuse(err, PECK_IO,
                      "%.300s: a folder, and it has no Fold1/train.txt; give a file, or a "
                      "folder of folds",
                      folder);
    f->n = n > 0 ? n : 1;
    f->fold = calloc(f->n, sizeof *f->fold);
    if (f->fold == NULL)
        return refuse(err, PECK_NOMEM, "out of memory");
    for (size_t i = 0; st == PECK_OK && i < f->n; i++) {
        const size_t k = n > 0 ? i + 1 : 0;
        peck_fold *const to = &f->fold[i];

        st = read_fold_part(&to->train, folder, k, "train", options, err);
        if (st == PECK_OK)
            st = read_fold_part(&to->valid, folder, k, "vali", options, err);
        if (st == PECK_OK && to->valid == NULL)
            st = read_fold_part(&to->valid, folder, k, "valid", options, err);
        if (st == PECK_OK)
            st = read_fold_part(&to->test, folder, k, "test", options, err);
        if (st == PECK_OK && to->test == NULL)
            st = refuse(err, PECK_IO, "%.300s: fold %zu has train.txt and no test.txt",
                        folder, i + 1);
    }
    return st;
}

/* A folder's own folds; or the queries of one file, dealt by the seed: fold i tests on part i,
 * is validated on the next and trains on the rest. */
peck_status folds_read(struct folds *f, const char *path, const peck_read_options *options,
                       const char *pairs, int skip_bad, size_t n_folds, uint64_t seed,
                       peck_error *err)
{
    static const char *const name[] = { "train", "valid", "test" };
    peck_dataset *d = NULL;
    peck_prefs *prefs = NULL;

    memset(f, 0, sizeof *f);
    if (is_folder(path))
        return read_folds(f, path, options, err);
    peck_status st = read_judged(&d, path, options, pairs, err);

    if (st == PECK_OK && pairs != NULL)
        st = peck_prefs_read(&prefs, pairs, d, skip_bad, err);
    if (prefs != NULL) {
        peck_prefs_info info;

        peck_prefs_describe(prefs, &info);
        f->n_bad = info.n_bad;
        f->first_bad_line = info.first_bad_line;
    }

    if (st == PECK_OK && (n_folds < 2 || n_folds > MAX_FOLDS))
        st = refuse(err, PECK_ARG, "--folds takes a whole number from 2 to %d", MAX_FOLDS);
    if (st == PECK_OK && (f->fold = calloc(n_folds, sizeof *f->fold)) == NULL)
        st = refuse(err, PECK_NOMEM, "out of memory");
    if (st == PECK_OK && pairs != NULL &&
        (f->pairs = calloc(n_folds, sizeof *f->pairs)) == NULL)
        st = refuse(err, PECK_NOMEM, "out of memory");
    if (st == PECK_OK)
        f->n = n_folds;
    for (size_t i = 0; i < f->n; i++) {
        const peck_dataset **const part[] = { &f->fold[i].train, &f->fold[i].valid,
                                              &f->fold[i].test };

        for (size_t p = 0; st == PECK_OK && p < 3; p++) {
            if (p == 1 && f->n == 2) /* of two folds there is none for validation */
                continue;
            st =
                peck_dataset_fold((peck_dataset **)part[p], d, f->n, i, name[p], seed, err);
            if (st == PECK_OK && prefs != NULL) {
                const peck_prefs **const to[] = { &f->pairs[i].train, &f->pairs[i].valid,
                                                  &f->pairs[i].test };

                st = peck_prefs_fold((peck_prefs **)to[p], prefs, d, f->n, i, name[p], seed,
                                     err);
            }
        }
    }
    peck_prefs_free(prefs);
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
    for (size_t i = 0; f->pairs != NULL && i < f->n; i++) {
        peck_prefs_free((peck_prefs *)f->pairs[i].train);
        peck_prefs_free((peck_prefs *)f->pairs[i].valid);
        peck_prefs_free((peck_prefs *)f->pairs[i].test);
    }
    free(f->pairs);
    free(f->fold);
}
