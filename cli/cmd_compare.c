/* cmd_compare.c -- two or more score files over the same data, with tests. */
#include "runs.h"
#include "shared.h"

struct args {
    peck_read_options read;
    struct judging judging;
    uint64_t resamples;
    int as_json;
};

static const char *const usage[] = { "DATA A B ... [options]", NULL };

static const struct opt rows[] = { { "resamples", 0, OPT_COUNT, "N", "10000",
                                     "draws of the bootstrap and of the randomisation test",
                                     offsetof(struct args, resamples) },
                                   { "json", 0, OPT_FLAG, NULL, NULL, "print JSON",
                                     offsetof(struct args, as_json) },
                                   { 0 } };

/* The same row as every judge's, with this verb's own default. */
static const struct opt metric_row[] = {
    { "metric", 'm', OPT_JOIN, "LIST", "ndcg@10",
      "what to compare by, such as ndcg@10,map (`peck list metrics`)",
      offsetof(struct judging, metrics) },
    { 0 }
};

static const struct opt_group groups[] = {
    { "How", judging_rows, offsetof(struct args, judging) },
    { "How", metric_row, offsetof(struct args, judging) },
    { "Report", rows, 0 },
    JUDGING_PARTS(offsetof(struct args, judging.parts)),
    { "Reading DATA", reading_rows, offsetof(struct args, read) },
    { 0 }
};

static const struct example examples[] = {
    { "Is b better than a?", "peck compare data.txt a.scores b.scores" },
    { "By two measures, for a program",
      "peck compare data.txt a.scores b.scores -m ndcg@5,map --json" },
    { "Over folds: folds/Fold1/test.txt, a/Fold1.scores, b/Fold1.scores, ...",
      "peck compare folds a b" },
    { 0 }
};

static peck_status compare(peck_report **out, const struct call *c,
                           const peck_judge_spec *judge)
{
    const struct args *a = c->args;
    struct runs runs;
    peck_status st = runs_read(&runs, c->word, c->n_words, &a->read, c->err);

    if (st == PECK_OK) {
        const peck_compare_spec spec = {
            .n_folds = runs.n_folds,
            .n_runs = runs.n_runs,
            .data = runs.data,
            .name = (const char *const *)c->word + 1,
            .score = (const double *const *)runs.score,
            .judge = *judge,
            .resamples = (size_t)a->resamples,
        };
        st = peck_compare(out, &spec, c->err);
    }
    runs_free(&runs);
    return st;
}

static peck_status run(struct call *c)
{
    const struct args *a = c->args;

    if (c->n_words < 3)
        return refuse(c->err, PECK_ARG,
                      "compare takes DATA and at least two score files; see `peck compare "
                      "--help`");
    if (a->resamples == 0)
        return refuse(c->err, PECK_ARG, "--resamples takes a whole number from 1 on");
    return judge_and_print(c, compare, &a->judging, a->read.threads, a->as_json);
}

const struct verb verb_compare = {
    .name = "compare",
    .summary = "say whether one run is better than another, and how surely",
    .usage = usage,
    .about =
        "Judges every score file on DATA and compares each to the first: means, "
        "differences with 95 % bootstrap intervals by query, paired t, Wilcoxon signed "
        "rank and Fisher's randomisation test. Beyond two runs, Holm's correction holds "
        "the error of the whole family.\n\n"
        "When DATA is a folder with Fold1/test.txt, Fold2/test.txt and so on (plain, .gz "
        "or .zst), A, B, ... are folders with Fold1.scores, Fold2.scores and so on; the "
        "report then has the corrected resampled t of Nadeau and Bengio as well.",
    .groups = groups,
    .examples = examples,
    .args_size = sizeof(struct args),
    .run = run,
};
