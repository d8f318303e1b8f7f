/* cmd_compare.c -- two or more score files over the same data, with tests. */
#include "inputs.h"
#include "outputs.h"

#include <stdlib.h>

struct compare_args {
    struct printing printing;
    peck_read_options read;
    struct judging judging;
    uint64_t resamples;
};

static const struct opt compare_rows[] = {
    { "resamples", 0, OPT_COUNT, "N", AS_TYPED(PECK_DEFAULT_RESAMPLES),
      "draws of the bootstrap and of the randomisation test",
      offsetof(struct compare_args, resamples) },
    { 0 }
};

/* The same row as every judge's, with this verb's own default. */
static const struct opt compare_metric_row[] = {
    { "metric", 'm', OPT_JOIN, "LIST", PECK_DEFAULT_METRIC,
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

/* Fold k (from 1) of folders: Fold1/test.txt in the data's, Fold1.scores in a run's.  k = 0:
 * the words are files. */
static peck_status read_run_fold(struct run_scores *r, size_t k, char *const *word,
                                 const peck_read_options *options, peck_error *err)
{
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
            st = fold_path(path, word[1 + i], k, ".scores", err);
        *score = calloc(info.n_docs, sizeof **score);
        if (st == PECK_OK && *score == NULL)
            st = refuse(err, PECK_NOMEM, "out of memory for %zu scores", info.n_docs);
        if (st == PECK_OK)
            st = peck_scores_read(*score, k > 0 ? path : word[1 + i], data, err);
    }
    return st;
}

/* word[0] is the data, the others are runs. */
static peck_status read_runs(struct run_scores *r, char *const *word, size_t n_words,
                             const peck_read_options *options, peck_error *err)
{
    const int in_folds = is_folder(word[0]);
    peck_status st = PECK_OK;

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
        st = read_run_fold(r, in_folds ? f + 1 : 0, word, options, err);
    return st;
}

/* Word 0 is the data, the others are runs; the first run is the one that all others are
 * compared with. */
static peck_status compare_runs(peck_report **out, const struct call *c,
                                const peck_judge_spec *judge)
{
    const struct compare_args *a = c->args;
    struct run_scores runs = { 0 };
    peck_status st = read_runs(&runs, c->word, c->n_words, &a->read, c->err);
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
    return st;
}

static peck_status compare_main(struct call *c)
{
    const struct compare_args *a = c->args;

    if (c->n_words < 3)
        return refuse(c->err, PECK_ARG,
                      "compare takes DATA and at least two score files; see `peck compare "
                      "--help`");
    if (a->resamples == 0)
        return refuse(c->err, PECK_ARG, "--resamples takes a whole number from 1 on");
    return judge_and_print(c, compare_runs, &a->judging, a->read.threads, &a->printing);
}

const struct verb verb_compare = {
    .name = "compare",
    .summary = "say whether one run is better than another, and how surely",
    .usage = { "DATA A B ... [options]" },
    .about =
        "Judges every score file on DATA and compares each to the first: means, "
        "differences with 95 % bootstrap intervals by query, paired t, Wilcoxon signed "
        "rank and Fisher's randomisation test. Beyond two runs, Holm's correction holds "
        "the error of the whole family.\n\n"
        "When DATA is a folder with Fold1/test.txt, Fold2/test.txt and so on (plain, .gz "
        "or .zst), A, B, ... are folders with Fold1.scores, Fold2.scores and so on; the "
        "report then has the corrected resampled t of Nadeau and Bengio as well.",
    .groups = { { "How", judging_rows, offsetof(struct compare_args, judging) },
                { "How", compare_metric_row, offsetof(struct compare_args, judging) },
                { "Report", compare_rows, 0 },
                JUDGING_PARTS(offsetof(struct compare_args, judging.parts)),
                { "Printing", printing_rows, offsetof(struct compare_args, printing) },
                { "Reading DATA", reading_rows, offsetof(struct compare_args, read) } },
    .examples = { { "Is b better than a?", "peck compare data.txt a.scores b.scores" },
                  { "By two measures, for a program",
                    "peck compare data.txt a.scores b.scores -m ndcg@5,map --json" },
                  { "Over folds: folds/Fold1/test.txt, a/Fold1.scores, b/Fold1.scores, ...",
                    "peck compare folds a b" } },
    .args_size = sizeof(struct compare_args),
    .run = compare_main,
};
