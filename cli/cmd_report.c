/* cmd_report.c -- runs in, one web page out. */
#include "origin.h"
#include "outputs.h"

#include <stdlib.h>

struct report_args {
    const char *title, *metric, *focus, *baseline;
    uint64_t resamples, seed;
    int threads, is_forced;
};

static const struct opt report_rows[] = {
    { "metric", 'M', OPT_TEXT, "NAME", NULL,
      "what ranks the runs; default: " PECK_DEFAULT_METRIC ", or the first one they have",
      offsetof(struct report_args, metric) },
    { "focus", 0, OPT_TEXT, "NAME", NULL,
      "the run whose queries are looked at one by one; default: the best",
      offsetof(struct report_args, focus) },
    { "baseline", 0, OPT_TEXT, "NAME", NULL,
      "the run that it is compared with there, and that differences on the leaderboard can "
      "be shown to; default: the first RUN",
      offsetof(struct report_args, baseline) },
    { "title", 0, OPT_TEXT, "TEXT", "Results", "what the page is called",
      offsetof(struct report_args, title) },
    { "resamples", 0, OPT_COUNT, "N", AS_TYPED(PECK_DEFAULT_RESAMPLES),
      "resamples of the bootstrap and of the randomisation test",
      offsetof(struct report_args, resamples) },
    SEED_ROW(struct report_args, seed, "random seed of the resamples"),
    THREADS_ROW(struct report_args),
    FORCE_ROW(struct report_args),
    { 0 }
};

static peck_status report_main(struct call *c)
{
    const struct report_args *a = c->args;
    char moment[MOMENT_ROOM];
    peck_page_spec spec = { .size = sizeof spec,
                            .title = a->title,
                            .metric = a->metric,
                            .run = a->focus,
                            .baseline = a->baseline,
                            .resamples = (size_t)a->resamples,
                            .seed = a->seed,
                            .threads = a->threads,
                            .when = origin_moment(moment) };
    struct input_files in = { 0 };
    peck_page *page = NULL;

    if (c->n_words < 2)
        return refuse(
            c->err, PECK_ARG,
            "report takes OUT.html and at least one RUN; see `peck report --help`");
    if (a->resamples == 0)
        return refuse(c->err, PECK_ARG, "--resamples takes a whole number from 1 on");
    const struct output_file out = { c->word[0], "page" };

    for (size_t i = 1; i < c->n_words; i++)
        input_files_add(&in, c->word[i]);
    peck_status st = outputs_check(c, &out, 1, &in, a->is_forced);

    if (st == PECK_OK)
        st = peck_page_new(&page, c->err);
    for (size_t i = 1; st == PECK_OK && i < c->n_words; i++)
        st = peck_page_read(page, c->word[i], c->err);
    char *const command = origin_command(c);

    spec.command = command;
    if (st == PECK_OK)
        st = write_page(page, c->word[0], &spec, c);
    free(command);
    peck_page_free(page);
    return st;
}

const struct verb verb_report = {
    .name = "report",
    .summary = "show runs on one web page: which is best, and is that significant",
    .usage = { "OUT.html RUN... [options]" },
    .about =
        "Writes one HTML file that needs nothing else, neither network nor other files: a "
        "leaderboard with intervals and tests against the best run or a baseline, NDCG and "
        "precision by "
        "rank, the queries in which two runs differ most, learning curves, SortNet's "
        "pairs, decoders, importance of features, rules, and what each run was made with. "
        "What there is no file for is left out. Plots can be saved as SVG, tables as CSV "
        "and LaTeX. The page tells when it was written, by SOURCE_DATE_EPOCH where that is "
        "set.\n\n"
        "A RUN is a folder that `peck cv --out-dir` wrote (or one with such folders in "
        "it), or a file: a model, a log of `train --log`, values of `eval --per-query`, "
        "what `eval --json` or `rules eval --json` printed, or a table of decoders "
        "(docs/FORMATS.md). Files whose names differ in their endings alone are one run: "
        "net.peck, net.log, net.tsv, net.rules.json. Runs that were judged on the same "
        "queries share one leaderboard.",
    .groups = { { "The page", report_rows, 0 } },
    .examples = { { "A model and its values per query: one run, as their names are the "
                    "same",
                    "peck eval m.peck data.txt --per-query m.tsv && peck report m.html "
                    "m.peck m.tsv" },
                  { "Everything that a cross-validation left in its folder",
                    "peck cv -m ridge,ranknet --out-dir results folds && peck report "
                    "cv.html results" } },
    .args_size = sizeof(struct report_args),
    .run = report_main,
};
