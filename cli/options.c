/* options.c -- see options.h. */
#include "options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const struct opt reading_rows[] = {
    { "reader", 0, OPT_TEXT, "NAME", NULL,
      "how the data is read; default: by the file's content and name (`peck list readers`)",
      offsetof(peck_read_options, format) },
    { "missing", 0, OPT_TEXT, "error|zero|mean|keep", "error",
      "what to do with nan and NULL features; keep: trees learn from missing values",
      offsetof(peck_read_options, missing) },
    { "features", 0, OPT_TEXT, "LIST", NULL,
      "only these features, by number or name: 1-40,bm25",
      offsetof(peck_read_options, features) },
    { "feature-names", 0, OPT_TEXT, "FILE", NULL,
      "names of the features, one per line: \"bm25\" or \"3 bm25\"",
      offsetof(peck_read_options, feature_names) },
    { "groups", 0, OPT_TEXT, "FILE", NULL,
      "how many rows each query has, one number per line, for data without qid; default: "
      "DATA.query, if it exists",
      offsetof(peck_read_options, query_sizes) },
    { "query-weights", 0, OPT_TEXT, "FILE", NULL, "lines of \"query weight\"",
      offsetof(peck_read_options, query_weights) },
    { "label-column", 0, OPT_TEXT, "COLUMN", NULL,
      "the label's column of CSV and TSV, by name or by number from 1; default: label, "
      "relevance, rel or grade",
      offsetof(peck_read_options, label_column) },
    { "query-column", 0, OPT_TEXT, "COLUMN", NULL,
      "the query's column; default: query, qid or query_id",
      offsetof(peck_read_options, query_column) },
    { "doc-column", 0, OPT_TEXT, "COLUMN", NULL,
      "the document's column; default: doc, docid or doc_id",
      offsetof(peck_read_options, doc_column) },
    { "zero-based", 0, OPT_FLAG, NULL, NULL, "LETOR text counts its features from 0",
      offsetof(peck_read_options, zero_based) },
    THREADS_ROW(peck_read_options),
    { 0 }
};

void read_by_ranks(peck_read_options *options)
{
    options->size = sizeof *options;
    options->comm = comm_all();
}

const struct opt printing_rows[] = {
    { "format", 0, OPT_CHOICE, "table|tsv|csv|json|latex|markdown|lines", NULL,
      "how to print; without it a table on a terminal, and in a pipe lines of name TAB "
      "value",
      offsetof(struct printing, format) },
    JSON_ROW(struct printing, as_json),
    { 0 }
};

const struct opt match_rows[] = {
    { "match", 0, OPT_TEXT, "name|position", NULL,
      "how features of model and data are matched; default: by name where both have "
      "names, whatever the order, and else by position",
      0 },
    { 0 }
};

const struct opt keeping_rows[] = {
    { "rules", 0, OPT_TEXT, "FILE", NULL,
      "rules that every list is to keep; with --enforce", offsetof(struct keeping, rules) },
    { "enforce", 0, OPT_FLAG, NULL, NULL,
      "take the order nearest to that of the scores that keeps the rules",
      offsetof(struct keeping, enforces) },
    { 0 }
};

peck_status keeping_check(const struct keeping *k, peck_error *err)
{
    if ((k->rules != NULL) == (k->enforces != 0))
        return PECK_OK;
    return refuse(err, PECK_ARG,
                  k->enforces ? "--enforce needs --rules FILE"
                              : "--rules is for --enforce; `peck rules eval` counts what a "
                                "model's order keeps");
}

const struct opt judging_rows[] = {
    { "metric", 'M', OPT_JOIN, "LIST", PECK_DEFAULT_METRICS,
      "what to measure, such as ndcg@10,map; or all (`peck list metrics`)",
      offsetof(struct judging, metrics) },
    { "convention", 'c', OPT_TEXT, "NAME", PECK_DEFAULT_CONVENTION,
      "which evaluation convention to follow (`peck list conventions`)",
      offsetof(struct judging, convention) },
    SEED_ROW(struct judging, seed, "random seed"),
    { 0 }
};

const char judging_parts[] =
    "Parts of the convention; each is that of `standard` unless NAME says otherwise";

/* Told by its place from the same share on the command line. */
static const char usual_split[] = AS_TYPED(PECK_DEFAULT_VALID_SPLIT);

const struct opt training_rows[] = {
    { "method", 'm', OPT_TEXT, "METHOD", PECK_DEFAULT_METHOD,
      "what to train (`peck list methods`)", offsetof(struct training_options, method) },
    { "set", 0, OPT_LIST, "KEY=VALUE", NULL,
      "a setting of the method, may be repeated (`peck help METHOD`)",
      offsetof(struct training_options, settings) },
    { "norm", 0, OPT_TEXT, "NORM", NULL,
      "how features are scaled, perhaps two views as in quantile+query-zscore; default: "
      "the method's own (`peck list norms`)",
      offsetof(struct training_options, norm) },
    { "alone", 0, OPT_FLAG, NULL, NULL,
      "score each document by itself, whatever list it comes in: scaled without the query, "
      "an ensemble by its scores of the training data",
      offsetof(struct training_options, is_alone) },
    { "metric", 'M', OPT_JOIN, "LIST", PECK_DEFAULT_METRIC ",map",
      "the first chooses the best epoch; all are measured on test data (`peck list "
      "metrics`)",
      offsetof(struct training_options, judging.metrics) },
    CONVENTION_ROW(struct training_options, judging.convention),
    { "valid-split", 0, OPT_TEXT, "SHARE", usual_split,
      "without validation data: the share of the queries held out (0: none; none either "
      "below " AS_TYPED(PECK_FEWEST_TO_SPLIT) " queries, unless set)",
      offsetof(struct training_options, valid_split) },
    { "binarise", 0, OPT_REAL, "T", NULL, "train on label >= T instead of the labels",
      offsetof(struct training_options, binarise) },
    { "ensemble", 0, OPT_COUNT, "N", "1",
      "how many nets, from different seeds, whose "
      "scores are averaged",
      offsetof(struct training_options, ensemble) },
    SEED_ROW(struct training_options, judging.seed, "the same seed gives the same bytes"),
    { 0 }
};

void note_usual_method(const struct call *c)
{
    if (!opt_is_given(c->options, "method"))
        talk_note(c->talk,
                  "no -m given: training " PECK_DEFAULT_METHOD
                  ", the default, a net that learns to rank for NDCG; docs/METHODS.md says "
                  "which method when");
}

peck_status method_name(const char **method, peck_error *err)
{
    const peck_plug *const known = peck_method_named(*method);

    if (known != NULL)
        *method = known->name;
    else if (strchr(*method, '@') != NULL)
        return refuse(err, PECK_ARG, "-m is a method; metrics such as %.60s go with -M",
                      *method);
    return PECK_OK;
}

peck_status method_check(struct training_options *t, peck_error *err)
{
    enum { MOST = 128 };
    static const char *const options[] = { "seed",       "threads",     "metric",
                                           "valid",      "valid-split", "ensemble",
                                           "convention", "features" };
    const size_t n_options = sizeof options / sizeof *options;
    const char *known[MOST];
    size_t n_params = 0;
    peck_param p;
    const peck_status st = method_name(&t->method, err);

    if (st != PECK_OK || t->settings == NULL || t->settings[0] == NULL)
        return st;
    while (n_params + n_options < MOST &&
           peck_param_at(PECK_METHOD, t->method, n_params, &p))
        known[n_params++] = p.key;
    memcpy(known + n_params, options, sizeof options);
    for (size_t i = 0; n_params > 0 && t->settings[i] != NULL; i++) {
        const char *const text = t->settings[i];
        const size_t length = strcspn(text, "=");
        char key[64];

        snprintf(key, sizeof key, "%.*s", (int)(length < 60 ? length : 60), text);
        const char *const near = peck_nearest(key, known, n_params + n_options);

        for (size_t k = 0; k < n_options; k++)
            if (near == options[k])
                return refuse(err, PECK_ARG,
                              "%s: '%s' is not a setting; it is an option: --%s%s%.60s",
                              t->method, key, near, text[length] == '=' ? " " : "",
                              text[length] == '=' ? text + length + 1 : "");
    }
    return PECK_OK;
}

peck_status rules_weight_of(double *out, const char *word, const char *rules,
                            peck_error *err)
{
    *out = word != NULL && strcmp(word, "auto") == 0 ? -1 : 0;
    if (word != NULL && rules == NULL)
        return refuse(err, PECK_ARG, "--rules-weight is for --rules FILE; give that too");
    if (word == NULL || strcmp(word, "best") == 0 || *out < 0)
        return PECK_OK;
    return opt_parse_real(word, out) && *out > 0
               ? PECK_OK
               : refuse(err, PECK_ARG,
                        "--rules-weight takes best, auto or a number above 0; to train "
                        "without rules leave --rules out");
}

const struct opt memory_rows[] = {
    { "memory", 0, OPT_TEXT, "SIZE", NULL,
      "how much memory may be taken by what is made of the features, such as 2G or 500M; "
      "the rest is made anew when it is needed, or goes to --scratch; the model is the "
      "same, and the report has the peak",
      offsetof(struct memory_options, size) },
    { "scratch", 0, OPT_TEXT, "DIR", NULL,
      "with --memory: the folder of temporary files, on a disk; default: $TMPDIR, or /tmp",
      offsetof(struct memory_options, scratch) },
    { 0 }
};

/* "1.5G": a number above 0 and K, M, G or T, powers of 1024, perhaps with B or iB. */
static int parse_size(const char *text, size_t *bytes)
{
    static const char units[] = "kmgt";
    const size_t n = strcspn(text, "kmgtKMGT");
    char number[32];
    double value;

    if (n == 0 || n >= sizeof number || text[n] == '\0')
        return 0;
    snprintf(number, sizeof number, "%.*s", (int)n, text);
    const char *const unit = strchr(units, text[n] | 0x20), *const rest = text + n + 1;

    if ((*rest != '\0' && strcmp(rest, "B") != 0 && strcmp(rest, "iB") != 0) ||
        !opt_parse_real(number, &value) || !(value > 0))
        return 0;
    for (const char *u = units; u <= unit; u++)
        value *= 1024;
    *bytes = value < 0x1p62 ? (size_t)value : 0;
    return *bytes > 0;
}

peck_status memory_check(struct memory_options *m, peck_error *err)
{
    const char *const usual = getenv("TMPDIR");
    struct stat st;

    if (m->size == NULL)
        return m->scratch == NULL
                   ? PECK_OK
                   : refuse(err, PECK_ARG, "--scratch is for --memory SIZE; give both");
    if (!parse_size(m->size, &m->bytes))
        return refuse(
            err, PECK_ARG,
            "--memory takes a size with its unit, such as 500M or 2G, not '%.60s'",
            m->size);
    if (m->scratch == NULL)
        m->scratch = usual != NULL && usual[0] != '\0' ? usual : "/tmp";
    const int is_there = stat(m->scratch, &st) == 0,
              is_folder = is_there && S_ISDIR(st.st_mode);

    if (is_there && !is_folder)
        errno = ENOTDIR;
    return is_folder && access(m->scratch, W_OK | X_OK) == 0
               ? PECK_OK
               : refuse(err, PECK_IO,
                        "%.300s: cannot hold temporary files: %s; give another folder to "
                        "--scratch",
                        m->scratch, strerror(errno));
}

/* The usual share is left to the library, which knows when a set is too small; one that
 * somebody asked for is obeyed, and a negative one asks for none. */
peck_status training_spec(peck_train_spec *spec, const struct training_options *t,
                          int threads, peck_error *err)
{
    double split = 0;

    if (t->valid_split != usual_split) {
        if (!opt_parse_real(t->valid_split, &split))
            return refuse(err, PECK_ARG, "--valid-split takes a number, not '%.60s'",
                          t->valid_split);
        if (!(split >= 0 && split < 1))
            return refuse(err, PECK_ARG, "--valid-split takes a share from 0 to below 1");
        split = split == 0 ? -1 : split;
    }
    if (t->binarise < 0)
        return refuse(err, PECK_ARG, "--binarise takes a label above 0");
    if (t->ensemble < 1)
        return refuse(err, PECK_ARG, "--ensemble takes a whole number from 1 on");
    *spec = (peck_train_spec){
        .size = sizeof *spec,
        .method = t->method,
        .settings = t->settings,
        .valid_split = split,
        .norm = t->norm,
        .alone = t->is_alone,
        .convention = t->judging.convention,
        .binarise = t->binarise,
        .ensemble = (size_t)t->ensemble,
        .seed = t->judging.seed,
        .threads = threads,
    };
    return PECK_OK;
}
