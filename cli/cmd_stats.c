/* cmd_stats.c -- what a data set or a list of preferences holds. */
#include "outputs.h"

struct stats_args {
    struct printing printing;
    peck_read_options read;
    const char *pairs;
    int is_lenient, lists_features;
};

static const struct opt stats_rows[] = {
    { "pairs", 0, OPT_TEXT, "FILE", NULL,
      "describe these preferences: between documents of DATA, or standing alone",
      offsetof(struct stats_args, pairs) },
    { "skip-bad", 0, OPT_FLAG, NULL, NULL,
      "ignore malformed lines of --pairs and count them",
      offsetof(struct stats_args, is_lenient) },
    { "list-features", 0, OPT_FLAG, NULL, NULL,
      "only the features: number, name (f12 where there is none), min and max",
      offsetof(struct stats_args, lists_features) },
    { 0 }
};

/* The shared row with another default: here missing values are to be counted. */
static const struct opt stats_missing_row[] = {
    { "missing", 0, OPT_TEXT, "error|zero|mean", "zero",
      "what to do with nan and NULL features; they are counted",
      offsetof(peck_read_options, missing) },
    { 0 }
};

static peck_status stats_main(struct call *c)
{
    const struct stats_args *a = c->args;
    peck_dataset *d = NULL;
    peck_prefs *p = NULL;
    peck_report *report = NULL;
    peck_status st = PECK_OK;

    if (c->n_words > 1 || (c->n_words == 0 && a->pairs == NULL))
        return refuse(c->err, PECK_ARG, "stats takes one DATA; see `peck stats --help`");
    if (a->is_lenient && a->pairs == NULL)
        return refuse(c->err, PECK_ARG, "--skip-bad is for --pairs");
    if (a->lists_features && (a->pairs != NULL || c->n_words == 0))
        return refuse(c->err, PECK_ARG, "--list-features is of DATA; leave --pairs out");
    if (c->n_words == 1)
        st = peck_dataset_read(&d, c->word[0], &a->read, c->err);
    if (st == PECK_OK && a->pairs != NULL)
        st = peck_prefs_read(&p, a->pairs, d, a->is_lenient, c->err);
    if (st == PECK_OK)
        st = p != NULL           ? peck_prefs_summarise(&report, p, d, c->err)
             : a->lists_features ? peck_list_features(&report, d, a->read.threads, c->err)
                                 : peck_summarise(&report, d, a->read.threads, c->err);
    st = print_report(st, report, &a->printing, c);
    peck_prefs_free(p);
    peck_dataset_free(d);
    return st;
}

const struct verb verb_stats = {
    .name = "stats",
    .summary = "describe a data set: look at it before training",
    .usage = { "DATA [options]", "[DATA] --pairs FILE [options]" },
    .about =
        "Counts queries, documents and features; shows the labels, the lengths of the "
        "lists, queries that teach nothing (no relevant document, one label only), "
        "constant and duplicate features, and missing values.\n\n"
        "With --pairs it describes preferences instead. Beside DATA the file has the "
        "columns query, winner, loser and perhaps probability and weight, or is one of "
        "CatBoost's *.pairs and *.grouped_pairs; without DATA it is a list of its own: "
        "winner,loser[,wins,losses] or criterion;y;z;votes.",
    .groups = { { "What is described", stats_rows, 0 },
                { "Printing", printing_rows, offsetof(struct stats_args, printing) },
                { "Reading DATA", reading_rows, offsetof(struct stats_args, read) },
                { "Reading DATA", stats_missing_row, offsetof(struct stats_args, read) } },
    .examples = { { "Before training", "peck stats data.txt" },
                  { "Names of features, for rules and --features",
                    "peck stats data.txt --list-features" },
                  { "From a pipe, for a program", "cat data.txt | peck stats - --json" },
                  { "Preferences between documents of data.txt",
                    "peck stats data.txt --pairs pairs.csv" },
                  { "A list of preferences that stands alone",
                    "peck stats --pairs votes.csv --skip-bad" } },
    .args_size = sizeof(struct stats_args),
    .run = stats_main,
};
