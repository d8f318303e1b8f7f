/* cmd_compare.c -- two or more models, score files or TREC runs over the same data, with
 * tests.                                                                              */
#include "inputs.h"
#include "outputs.h"

#include <stdlib.h>
#include <string.h>

struct compare_args {
    struct printing printing;
    peck_read_options read;
    struct judging judging;
    uint64_t resamples;
    const char *match, *qrels;
    int is_complete;
};

static const struct opt compare_what_rows[] = {
    { "qrels", 0, OPT_TEXT, "FILE", NULL,
      "TREC judgements, query 0 document label, instead of DATA: A, B, ... are TREC runs",
      offsetof(struct compare_args, qrels) },
    { "complete", 0, OPT_FLAG, NULL, NULL,
      "with --qrels: a judged query that a run leaves out counts as an empty list; "
      "otherwise only those that all runs answer count",
      offsetof(struct compare_args, is_complete) },
    { 0 }
};

static const struct opt compare_rows[] = {
    { "resamples", 0, OPT_COUNT, "N", AS_TYPED(PECK_DEFAULT_RESAMPLES),
      "resamples of the bootstrap and of the randomisation test",
      offsetof(struct compare_args, resamples) },
    { 0 }
};

/* The same row as every judge's, with this verb's own default. */
static const struct opt compare_metric_row[] = {
    { "metric", 'M', OPT_JOIN, "LIST", PECK_DEFAULT_METRIC,
      "what to compare by, such as ndcg@10,map (`peck list metrics`)",
      offsetof(struct judging, metrics) },
    { 0 }
};

/* Several runs' scores over the same data, perhaps in folds. */
struct run_scores {
    const peck_dataset **data; /* n_folds test sets, owned */
    double **score;            /* score[run * n_folds + fold], owned */
    size_t n_folds, n_runs;
};

/* Whether the first line has the six fields of a run, "query Q0 document rank score name". */
static int is_trec_run(const char *path)
{
    char line[512], field[3][64];
    FILE *const f = fopen(path, "r");
    const int is_read = f != NULL && fgets(line, sizeof line, f) != NULL;
    double number[2];
    char text[2][64];
    const int n = is_read ? sscanf(line, "%63s %63s %63s %63s %63s %63s", field[0],
                                   field[1], field[2], text[0], text[1], field[0])
                          : 0;

    if (f != NULL)
        fclose(f);
    return n == 6 && opt_parse_real(text[0], &number[0]) &&
           opt_parse_real(text[1], &number[1]);
}

/* A run's file of fold k: its scores, or its model where there are none. */
static peck_status fold_file(char path[MAX_PATH], const char *folder, size_t k,
                             peck_error *err)
{
    const peck_status st = fold_path(path, folder, k, ".peck", err);
    const char *const model = st == PECK_OK ? peck_file_content(path) : NULL;
    char scores[MAX_PATH];

    if (st != PECK_OK || fold_path(scores, folder, k, ".scores", err) != PECK_OK)
        return PECK_ARG;
    if (model == NULL || peck_file_content(scores) != NULL)
        memcpy(path, scores, sizeof scores);
    return PECK_OK;
}

/* Fold k (from 1) of folders: Fold1/test.txt in the data's, Fold1.scores in a run's.  k = 0:
 * the words are files. */
static peck_status read_run_fold(struct run_scores *r, size_t k, const struct call *c)
{
    const struct compare_args *const a = c->args;
    const peck_read_options *const options = &a->read;
    char *const *const word = c->word;
    peck_error *const err = c->err;
    const size_t fold = k > 0 ? k - 1 : 0;
    peck_dataset *data = NULL;
    peck_dataset_info info;
    char path[MAX_PATH];
    peck_status st = peck_dataset_read(
        &data, k > 0 && fold_find(path, word[0], k, "test") ? path : word[0], options, err);

    r->data[fold] = data;
    if (st == PECK_OK)
        peck_dataset_describe(data, &info);
    for (size_t i = 0; st == PECK_OK && i < r->n_runs; i++) {
        double **const score = &r->score[i * r->n_folds + fold];

        if (k > 0)
            st = fold_file(path, word[1 + i], k, err);
        *score = calloc(info.n_docs, sizeof **score);
        if (st == PECK_OK && *score == NULL)
            st = refuse(err, PECK_NOMEM, "out of memory for %zu scores", info.n_docs);
        const char *const file = k > 0 ? path : word[1 + i];
        const char *const content = st == PECK_OK ? peck_file_content(file) : NULL;

        if (st == PECK_OK && content != NULL && strcmp(content, "model") == 0)
            st = score_by_model(*score, c, file, data, a->match, options->threads);
        else if (st == PECK_OK && content != NULL && is_trec_run(file)) /* no pipe */
            st = refuse(err, PECK_ARG,
                        "%.200s: looks like a TREC run; runs are compared by their "
                        "judgements: peck compare --qrels QRELS A B",
                        file);
        else if (st == PECK_OK)
            st = peck_scores_read(*score, file, data, err);
    }
    return st;
}

/* word[0] is the data, the others are runs. */
static peck_status read_runs(struct run_scores *r, const struct call *c)
{
    char *const *const word = c->word;
    peck_error *const err = c->err;
    const int in_folds = is_folder(word[0]);
    peck_status st = PECK_OK;

    r->n_folds = in_folds ? fold_count(word[0], "test") : 1;
    r->n_runs = c->n_words - 1;
    if (r->n_folds == 0)
        return refuse(err, PECK_IO, "%.300s: a folder, and it has no Fold1/test.txt",
                      word[0]);
    r->data = calloc(r->n_folds, sizeof *r->data);
    r->score = calloc(r->n_folds * r->n_runs, sizeof *r->score);
    if (r->data == NULL || r->score == NULL)
        return refuse(err, PECK_NOMEM, "out of memory");
    for (size_t f = 0; st == PECK_OK && f < r->n_folds; f++)
        st = read_run_fold(r, in_folds ? f + 1 : 0, c);
    return st;
}

/* In a pipe the sentence that people read goes to standard error. */
static void tell_verdict(const struct call *c, const peck_report *r)
{
    const struct compare_args *a = c->args;
    peck_item item;

    for (size_t i = 0;
         !printing_has_sentences(&a->printing) && peck_report_item(r, i, &item); i++)
        if (item.is_note && item.name.n == strlen("verdict") &&
            memcmp(item.name.s, "verdict", item.name.n) == 0)
            talk_note(c->talk, "%.*s", (int)item.text.n, item.text.s);
}

/* All words are TREC runs, judged by --qrels. */
static peck_status compare_trec(peck_report **out, const struct call *c,
                                const peck_judge_spec *judge)
{
    const struct compare_args *a = c->args;
    peck_report **const run = calloc(c->n_words, sizeof *run);
    const peck_compare_spec spec = {
        .size = sizeof spec,
        .n_folds = 1,
        .n_runs = c->n_words,
        .name = (const char *const *)c->word,
        .judge = judge,
        .resamples = (size_t)a->resamples,
        .report = (const peck_report *const *)run,
    };
    peck_status st = run != NULL ? PECK_OK : refuse(c->err, PECK_NOMEM, "out of memory");

    for (size_t i = 0; st == PECK_OK && i < c->n_words; i++) {
        st =
            peck_evaluate_run(&run[i], c->word[i], a->qrels, a->is_complete, judge, c->err);
        const double left =
            st == PECK_OK
                ? peck_report_value(run[i], "judged queries that the run does not answer")
                : 0;

        if (left > 0 && !a->is_complete)
            talk_warning(c->talk,
                         "%.200s leaves out %.0f judged quer%s; only those that all runs "
                         "answer count, unless --complete",
                         c->word[i], left, left == 1 ? "y" : "ies");
    }
    if (st == PECK_OK)
        st = peck_compare(out, &spec, c->err);
    for (size_t i = 0; run != NULL && i < c->n_words; i++)
        peck_report_free(run[i]);
    free(run);
    if (st == PECK_OK)
        tell_verdict(c, *out);
    return st;
}

/* Word 0 is the data, the others are runs; the first run is the one that all others are
 * compared with. */
static peck_status compare_runs(peck_report **out, const struct call *c,
                                const peck_judge_spec *judge)
{
    const struct compare_args *a = c->args;
    struct run_scores runs = { 0 };
    peck_status st = read_runs(&runs, c);
    const peck_compare_spec spec = {
        .n_folds = runs.n_folds,
        .n_runs = runs.n_runs,
        .data = runs.data,
        .name = (const char *const *)c->word + 1,
        .score = (const double *const *)runs.score,
        .judge = judge,
        .resamples = (size_t)a->resamples,
    };

    if (st == PECK_OK)
        st = peck_compare(out, &spec, c->err);
    for (size_t f = 0; runs.data != NULL && f < runs.n_folds; f++)
        peck_dataset_free((peck_dataset *)runs.data[f]);
    for (size_t i = 0; runs.score != NULL && i < runs.n_folds * runs.n_runs; i++)
        free(runs.score[i]);
    free(runs.data);
    free(runs.score);
    if (st == PECK_OK)
        tell_verdict(c, *out);
    return st;
}

static peck_status compare_main(struct call *c)
{
    const struct compare_args *a = c->args;

    if (a->qrels == NULL && a->is_complete)
        return refuse(c->err, PECK_ARG, "--complete is for --qrels");
    if (a->qrels != NULL && a->match != NULL)
        return refuse(c->err, PECK_ARG, "--match is for models, not for --qrels");
    if (a->qrels != NULL && c->n_words < 2)
        return refuse(c->err, PECK_ARG,
                      "compare --qrels takes at least two TREC runs; see `peck compare "
                      "--help`");
    if (a->qrels == NULL && c->n_words < 3)
        return refuse(
            c->err, PECK_ARG,
            "compare takes DATA and at least two models or score files; see `peck "
            "compare --help`");
    if (a->resamples == 0)
        return refuse(c->err, PECK_ARG, "--resamples takes a whole number from 1 on");
    return judge_and_print(c, a->qrels != NULL ? compare_trec : compare_runs, &a->judging,
                           a->read.threads, &a->printing);
}

const struct verb verb_compare = {
    .name = "compare",
    .summary = "test whether one run is significantly better than another",
    .usage = { "DATA A B ... [options]", "--qrels QRELS A B ... [options]" },
    .about =
        "Judges every model or score file on DATA, or every TREC run by --qrels, and "
        "compares each to the first: means, "
        "differences with 95 % bootstrap intervals by query, paired t, Wilcoxon signed "
        "rank and Fisher's randomisation test. Beyond two runs, Holm's correction holds "
        "the error of the whole family. It ends in a sentence, of several runs on the best "
        "one, where significant means that the randomisation test has p < 0.05; in a pipe "
        "it goes to standard error.\n\n"
        "When DATA is a folder with Fold1/test.txt, Fold2/test.txt and so on (plain, .gz "
        "or .zst), A, B, ... are folders with Fold1.scores (or Fold1.peck), Fold2.scores "
        "and "
        "so on; the "
        "report then has the corrected resampled t of Nadeau and Bengio as well.",
    .groups = { { "What is compared", compare_what_rows, 0 },
                { "How", judging_rows, offsetof(struct compare_args, judging) },
                { "How", compare_metric_row, offsetof(struct compare_args, judging) },
                { "Report", compare_rows, 0 },
                JUDGING_PARTS(offsetof(struct compare_args, judging.parts)),
                { "Printing", printing_rows, offsetof(struct compare_args, printing) },
                { "Reading DATA", reading_rows, offsetof(struct compare_args, read) },
                { "Matching features", match_rows, offsetof(struct compare_args, match) } },
    .examples = { { "Is b better than a?", "peck compare data.txt a.scores b.scores" },
                  { "A model beside the scores of another program",
                    "peck compare data.txt a.scores m.peck" },
                  { "By two measures, for a program",
                    "peck compare data.txt a.scores b.scores -M ndcg@5,map --json" },
                  { "Over folds: folds/Fold1/test.txt, a/Fold1.scores, b/Fold1.scores, ...",
                    "peck compare folds a b" } },
    .args_size = sizeof(struct compare_args),
    .run = compare_main,
};
