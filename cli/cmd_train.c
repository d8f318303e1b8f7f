/* cmd_train.c -- labelled queries or preferences in, a model file out. */
#include "outputs.h"
#include "train_run.h"

static const char *const usage[] = { "-o MODEL TRAIN [options]", NULL };

static const struct opt rows[] = {
    { "out", 'o', OPT_TEXT, "MODEL", NULL, "the file to write",
      offsetof(struct train_args, out) },
    { "valid", 0, OPT_TEXT, "FILE", NULL, "data that chooses the best epoch",
      offsetof(struct train_args, valid) },
    { "test", 0, OPT_TEXT, "FILE", NULL, "data to measure the finished model on",
      offsetof(struct train_args, test) },
    { "pairs", 0, OPT_TEXT, "FILE", NULL,
      "learn from these preferences between documents of TRAIN, not from its labels",
      offsetof(struct train_args, pairs) },
    { "valid-pairs", 0, OPT_TEXT, "FILE", NULL,
      "preferences between documents of --valid: the share of them that the model agrees "
      "with chooses the best epoch",
      offsetof(struct train_args, valid_pairs) },
    { "skip-bad", 0, OPT_FLAG, NULL, NULL,
      "leave malformed lines of --pairs and --valid-pairs out",
      offsetof(struct train_args, is_lenient) },
    { "rules", 0, OPT_TEXT, "FILE", NULL,
      "what is known of good rankings, as clauses (docs/RULES.md): penalties beside the "
      "labels",
      offsetof(struct train_args, rules) },
    { "unlabelled", 0, OPT_TEXT, "FILE", NULL,
      "more queries for the rules; labels in it are not looked at",
      offsetof(struct train_args, unlabelled) },
    { "rules-weight", 0, OPT_TEXT, "auto|X", "1",
      "how much rules count: X times their own weights, or in proportion to what each "
      "gains alone on the validation data",
      offsetof(struct train_args, rules_weight) },
    { "log", 0, OPT_TEXT, "FILE", NULL, "one line of JSON an epoch",
      offsetof(struct train_args, log) },
    { "checkpoint", 0, OPT_TEXT, "FILE", NULL, "where to keep what --resume goes on from",
      offsetof(struct train_args, checkpoint) },
    { "resume", 0, OPT_FLAG, NULL, NULL, "go on from --checkpoint if it is there",
      offsetof(struct train_args, resumes) },
    { "json", 0, OPT_FLAG, NULL, NULL, "print JSON", offsetof(struct train_args, as_json) },
    FORCE_ROW(struct train_args),
    { 0 }
};

static const struct opt_group groups[] = {
    { "What is trained", training_rows, offsetof(struct train_args, training) },
    { "Files", rows, 0 },
    { "Reading the data", reading_rows, offsetof(struct train_args, read) },
    { "Matching features", match_rows, offsetof(struct train_args, match) },
    { 0 }
};

static const struct example examples[] = {
    { "The default method; a fifth of the queries chooses the best epoch",
      "peck train -o m.peck data.txt" },
    { "RankNet as its paper has it, with data of its own to choose and to test by",
      "peck train -m ranknet --set preset=paper --valid data.txt --test data.txt -o n.peck "
      "data.txt" },
    { "Four nets, every epoch in a log",
      "peck train --ensemble 4 --log epochs.json -o e.peck data.txt" },
    { 0 }
};

static peck_status run(struct call *c)
{
    const struct train_args *a = c->args;

    if (c->n_words != 1)
        return refuse(c->err, PECK_ARG, "train takes one TRAIN; see `peck train --help`");
    if (a->out == NULL)
        return refuse(c->err, PECK_ARG, "where to? say -o MODEL");
    if (a->is_lenient && a->pairs == NULL && a->valid_pairs == NULL)
        return refuse(c->err, PECK_ARG, "--skip-bad is for --pairs and --valid-pairs");
    if (a->valid_pairs != NULL && a->valid == NULL)
        return refuse(c->err, PECK_ARG,
                      "--valid-pairs is about documents of --valid FILE; give that too");
    if (a->resumes && a->checkpoint == NULL)
        return refuse(c->err, PECK_ARG, "--resume goes on from --checkpoint FILE");
    return train_run(c);
}

const struct verb verb_train = {
    .name = "train",
    .summary = "learn a ranking from labelled lists or preferences",
    .usage = usage,
    .about =
        "Learns from TRAIN, keeps the epoch that is best on validation data (by the first "
        "metric), and writes one file that holds the weights and the normaliser: score "
        "and rank it with raw features. Without --valid a share of TRAIN's queries is "
        "held out. The report has the best epoch, its validation value (the mean over the "
        "nets of an ensemble) and, with --test, the metrics there.\n\n"
        "The scores of most methods order one whole list: they depend on the other "
        "documents "
        "of the query, and so do those of ensembles; the report says it (\"scores\"). "
        "Where "
        "documents are scored one by one, or scores of several lists are put together, "
        "train "
        "with --alone.\n\n"
        "Comparisons are enough where there are no labels: --pairs says who was preferred "
        "to "
        "whom, --valid-pairs the same of the validation data. Nets that compare two "
        "documents (cmpnn, tesauro, sortnet) are judged by the order that sorting with "
        "them "
        "gives; an epoch of sortnet is one iteration, and its line in the log has the "
        "metric "
        "on the training data, the pairs found so far and the epochs within.\n\n"
        "An interrupt stops after the batch; the best model so far is written, if anything "
        "was learnt yet, and the exit status is 130. A run that was killed goes on with "
        "--resume and ends in the "
        "same bytes as one that was left alone.",
    .groups = groups,
    .examples = examples,
    .args_size = sizeof(struct train_args),
    .run = run,
};
