/* cmd_train.c -- labelled queries or preferences in, a model file out. */
#include "inputs.h"
#include "outputs.h"
#include "runlog.h"

#include <stdlib.h>
#include <string.h>

struct train_args {
    struct printing printing;
    peck_read_options read;
    struct training_options training;
    struct memory_options memory;
    const char *out, *valid, *test, *pairs, *valid_pairs, *log, *checkpoint;
    const char *rules, *unlabelled, *rules_weight, *match;
    int is_lenient, resumes, is_forced;
};

static const struct opt train_rows[] = {
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
      "ignore malformed lines of --pairs and --valid-pairs",
      offsetof(struct train_args, is_lenient) },
    { "rules", 0, OPT_TEXT, "FILE", NULL,
      "what is known of good rankings, as clauses (docs/RULES.md): penalties in addition "
      "to the labels",
      offsetof(struct train_args, rules) },
    { "unlabelled", 0, OPT_TEXT, "FILE", NULL,
      "more queries for the rules, which also count in scaling features; its labels are "
      "ignored",
      offsetof(struct train_args, unlabelled) },
    { "rules-weight", 0, OPT_TEXT, "best|auto|X", NULL,
      "how much rules count: best, unless set, is what gains most in up to six trainings, "
      "0 "
      "among them; X times their own weights; or auto, in proportion to what each gains "
      "alone on the validation data",
      offsetof(struct train_args, rules_weight) },
    { "log", 0, OPT_TEXT, "FILE", NULL, "one line of JSON per epoch",
      offsetof(struct train_args, log) },
    { "checkpoint", 0, OPT_TEXT, "FILE", NULL, "file to keep the state for --resume in",
      offsetof(struct train_args, checkpoint) },
    { "resume", 0, OPT_FLAG, NULL, NULL, "continue from --checkpoint if it exists",
      offsetof(struct train_args, resumes) },
    FORCE_ROW(struct train_args),
    { 0 }
};

/* Everything that is read before training. */
struct train_inputs {
    peck_dataset *train, *valid, *test;
    peck_dataset *fit_test; /* test with the columns of train */
    peck_prefs *pairs, *valid_pairs;
    peck_dataset *unlabelled;
    peck_rules *rules;
    double rules_weight;
};

/* option: the one that named the file.  path NULL: nothing is read. */
static peck_status read_pairs(peck_prefs **out, const char *path, const char *option,
                              const peck_dataset *about, const struct call *c)
{
    const struct train_args *a = c->args;
    peck_prefs_info info;

    if (path == NULL)
        return PECK_OK;
    const peck_status st = peck_prefs_read(out, path, about, a->is_lenient, c->err);

    if (st != PECK_OK)
        return st;
    peck_prefs_describe(*out, &info);
    if (info.n_bad > 0)
        talk_warning(c->talk, "%zu lines of %s ignored; the first is line %zu", info.n_bad,
                     option, info.first_bad_line);
    return PECK_OK;
}

/* The metrics on test data.  m NULL: all scores are equal. */
static peck_status judge_test(peck_report **out, const struct train_args *a,
                              const peck_model *m, const peck_dataset *test,
                              peck_error *err)
{
    const struct judging *j = &a->training.judging;
    const peck_judge_spec how = { .metrics = j->metrics,
                                  .convention = j->convention,
                                  .seed = j->seed,
                                  .threads = a->read.threads };
    peck_dataset_info info;
    peck_status st = PECK_OK;

    peck_dataset_describe(test, &info);
    double *score = calloc(info.n_docs, sizeof *score);

    if (score == NULL)
        return refuse(err, PECK_NOMEM, "out of memory for %zu scores", info.n_docs);
    if (m != NULL)
        st = peck_model_score(m, test, a->read.threads, score, err);
    if (st == PECK_OK)
        st = peck_evaluate_scores(out, test, score, &how, err);
    free(score);
    return st;
}

/* Whatever is wrong with metrics or test data is told before training, not after; and that
 * what is measured on data that was learnt from, or chose, proves little. */
static peck_status check_test(struct train_inputs *in, const struct call *c)
{
    const struct train_args *a = c->args;
    const char *name = "training";
    peck_overlap both = { 0 };
    peck_report *unused = NULL;
    peck_match_info match;
    peck_dataset_info info;
    peck_status st = peck_dataset_match_data(&in->fit_test, in->test, in->train, a->match,
                                             &match, c->err);

    if (st == PECK_OK && match.text[0] != '\0')
        talk_note(c->talk, "%s", match.text);
    if (st == PECK_OK)
        st = judge_test(&unused, a, NULL, in->fit_test, c->err);
    peck_report_free(unused);
    if (st == PECK_OK)
        st = peck_dataset_overlap(&both, in->test, in->train, c->err);
    if (st == PECK_OK && both.n_queries == 0 && in->valid != NULL) {
        name = "validation";
        st = peck_dataset_overlap(&both, in->test, in->valid, c->err);
    }
    if (st != PECK_OK || both.n_queries == 0)
        return st;
    peck_dataset_describe(in->test, &info);
    talk_warning(c->talk,
                 "the test data shares %zu of its %zu queries with the %s data (%zu equal "
                 "rows, whatever the ids): results on them will look too good; keep the "
                 "sets apart",
                 both.n_queries, info.n_queries, name, both.n_docs);
    return PECK_OK;
}

/* Rules first: a mistake in them is told before gigabytes of data are read.  Documents of
 * --unlabelled need no labels. */
static peck_status read_train_inputs(struct train_inputs *in, const struct call *c)
{
    const struct train_args *a = c->args;
    peck_read_options unlabelled = a->read;
    peck_status st = rules_weight_of(&in->rules_weight, a->rules_weight, a->rules, c->err);

    if (st == PECK_OK && a->rules != NULL)
        st = peck_rules_read(&in->rules, a->rules, c->err);
    if (st == PECK_OK)
        st = read_judged(&in->train, c->word[0], &a->read, a->pairs, c->err);
    if (st == PECK_OK && a->valid != NULL)
        st = read_judged(&in->valid, a->valid, &a->read, a->valid_pairs, c->err);
    if (st == PECK_OK && a->test != NULL)
        st = peck_dataset_read(&in->test, a->test, &a->read, c->err);
    if (st == PECK_OK && a->test != NULL)
        st = check_test(in, c);
    if (st == PECK_OK)
        st = read_pairs(&in->pairs, a->pairs, "--pairs", in->train, c);
    if (st == PECK_OK)
        st = read_pairs(&in->valid_pairs, a->valid_pairs, "--valid-pairs", in->valid, c);
    unlabelled.labels_optional = 1;
    if (st == PECK_OK && a->unlabelled != NULL)
        st = peck_dataset_read(&in->unlabelled, a->unlabelled, &unlabelled, c->err);
    return st;
}

/* After training ended with st.  The model is kept first, whatever else goes wrong.  The last
 * word on standard output: method, history, how scores are to be read, test metrics.  A
 * checkpoint that could not be written (PECK_IO, and there is a model) is told at the end.  Of
 * several ranks all judge the test data, and one writes. */
static peck_status keep_model(peck_status st, const peck_model *m, const struct runlog *log,
                              const peck_dataset *test, const struct call *c)
{
    const struct train_args *a = c->args;
    const peck_error why = *c->err;
    peck_report *r = NULL, *found = NULL;

    if (m == NULL) {
        if (st == PECK_STOPPED)
            refuse(c->err, st, "stopped before anything was learnt; nothing was written");
        return st;
    }
    talk_clear(c->talk);
    peck_status told =
        comm_follow(comm_speaks() ? peck_model_save(m, a->out, c->err) : PECK_OK, c->err);

    if (told != PECK_OK)
        return told;
    if (st == PECK_STOPPED)
        return refuse(c->err, st, "stopped; the best model so far is in %.300s", a->out);
    const char *const scores = peck_model_scores_alone(m) ? "of each document alone"
                               : peck_model_compares(m)
                                   ? "depend on the list"
                                   : "depend on the list, unless trained with --alone";

    told = runlog_report(&r, log, a->training.method, c->err);
    if (told != PECK_OK)
        return told;
    peck_report_add_text(r, "scores", scores);
    if (a->memory.size != NULL)
        peck_report_add_number(r, "peak_memory_mb", comm_largest(talk_peak_memory()), 0);
    if (test != NULL)
        told = judge_test(&found, a, m, test, c->err);
    if (told == PECK_OK && found != NULL)
        peck_report_add_all(r, "test_", found);
    told = print_report(told, r, &a->printing, c);
    peck_report_free(found);
    if (told == PECK_OK && st != PECK_OK)
        *c->err = why;
    return told == PECK_OK ? st : told;
}

/* Options and inputs become the specification of peck_train; the log hears of every epoch. */
static peck_status train_model(const struct train_inputs *in, const char *metric,
                               struct call *c)
{
    const struct train_args *a = c->args;
    /* Preferences, given or held out with their queries, choose by themselves. */
    const int by_pairs = a->valid_pairs != NULL || (a->pairs != NULL && a->valid == NULL);
    peck_train_spec spec;
    struct runlog log;
    peck_model *model = NULL;
    peck_error log_err = { PECK_OK, "" };
    peck_status st = training_spec(&spec, &a->training, a->read.threads, c->err);

    if (st == PECK_OK)
        st = comm_follow(runlog_open(&log, c->talk, by_pairs ? "preferences" : metric,
                                     comm_speaks() ? a->log : NULL, a->resumes, c->err),
                         c->err);
    if (st != PECK_OK)
        return st;
    spec.train = in->train;
    spec.valid = in->valid;
    spec.pairs = in->pairs;
    spec.valid_pairs = in->valid_pairs;
    spec.rules = in->rules;
    spec.rules_weight = in->rules_weight;
    log.rules_weight = in->rules_weight;
    spec.unlabelled = in->unlabelled;
    spec.match = a->match;
    spec.metric = metric;
    spec.memory = a->memory.bytes;
    spec.scratch = a->memory.scratch;
    spec.checkpoint = a->checkpoint;
    spec.resume = a->resumes;
    spec.interrupted = runlog_interrupted;
    spec.progress = runlog_epoch;
    spec.warn = runlog_warning;
    spec.gained = runlog_gain;
    spec.tried = runlog_size;
    spec.weighed = runlog_rules;
    spec.ctx = &log;
    if (comm_all() == NULL) /* mpirun ends all ranks */
        talk_catch_interrupts();
    st = peck_train(&model, &spec, c->err);
    st = keep_model(st, model, &log, in->fit_test, c);
    peck_model_free(model);
    if (runlog_close(&log, &log_err) != PECK_OK && st == PECK_OK) {
        st = log_err.status;
        *c->err = log_err;
    }
    return st;
}

/* What would go wrong at the end goes wrong now. */
static peck_status train_check(const struct call *c)
{
    const struct train_args *a = c->args;
    const struct output_file out[] = { { a->out, "model" },
                                       { a->checkpoint, "checkpoint" },
                                       { a->log, "log" } };
    struct input_files in = { 0 };

    if (c->n_words == 0)
        return refuse(c->err, PECK_ARG,
                      "missing TRAIN, the data to learn from: `peck train -o MODEL TRAIN`");
    if (c->n_words > 1)
        return refuse(c->err, PECK_ARG,
                      "train takes one file of data, not also '%.60s'; the model goes with "
                      "-o, other data with --valid and --test",
                      c->word[1]);
    if (a->out == NULL)
        return refuse(c->err, PECK_ARG, "missing -o MODEL, the file to write the model to");
    if (a->is_lenient && a->pairs == NULL && a->valid_pairs == NULL)
        return refuse(c->err, PECK_ARG, "--skip-bad is for --pairs and --valid-pairs");
    if (a->valid_pairs != NULL && a->valid == NULL)
        return refuse(c->err, PECK_ARG,
                      "--valid-pairs is about documents of --valid FILE; give that too");
    if (a->resumes && a->checkpoint == NULL)
        return refuse(c->err, PECK_ARG,
                      "--resume needs --checkpoint FILE, to continue "
                      "from");
    const char *const data[] = { c->word[0], a->valid, a->test, a->unlabelled };

    for (size_t i = 0; i < sizeof data / sizeof *data; i++)
        input_files_add_data(&in, data[i], &a->read);
    input_files_add(&in, a->pairs);
    input_files_add(&in, a->valid_pairs);
    input_files_add(&in, a->rules);
    return outputs_check(c, out, sizeof out / sizeof *out, &in, a->is_forced);
}

static peck_status train_main(struct call *c)
{
    struct train_args *a = c->args;
    const size_t n = strcspn(a->training.judging.metrics, ",");
    struct train_inputs in = { 0 };
    char *const metric = calloc(n + 1, 1); /* the one that chooses */
    peck_status st =
        metric != NULL ? train_check(c) : refuse(c->err, PECK_NOMEM, "out of memory");

    if (st == PECK_OK)
        st = method_check(&a->training, c->err);
    if (st == PECK_OK)
        st = memory_check(&a->memory, c->err);
    if (st == PECK_OK)
        note_usual_method(c);
    read_by_ranks(&a->read);
    if (st == PECK_OK)
        st = read_train_inputs(&in, c);
    if (st == PECK_OK)
        st = train_model(&in, memcpy(metric, a->training.judging.metrics, n), c);
    peck_prefs_free(in.pairs);
    peck_prefs_free(in.valid_pairs);
    peck_dataset_free(in.fit_test);
    peck_dataset_free(in.train);
    peck_dataset_free(in.valid);
    peck_dataset_free(in.test);
    peck_dataset_free(in.unlabelled);
    if (in.rules != NULL) /* --rules */
        peck_rules_free(in.rules);
    free(metric);
    return st;
}

const struct verb verb_train = {
    .name = "train",
    .summary = "train a model on labelled lists or preferences",
    .usage = { "-o MODEL TRAIN [options]" },
    .about =
        "Learns from TRAIN, keeps the epoch that is best on validation data (by the first "
        "metric), and writes one file that holds the weights and the normaliser: score "
        "and rank it with raw features. Without --valid a share of TRAIN's queries is "
        "held out. The report has the best epoch, its validation value (the mean over the "
        "nets of an ensemble) and, with --test, the metrics there.\n\n"
        "The scores of most methods order one whole list: they depend on the other "
        "documents of the query, and so do those of ensembles; the report says it "
        "(\"scores\"). Where documents are scored one by one, or scores of several lists "
        "are put together, train with --alone.\n\n"
        "Comparisons are enough where there are no labels: --pairs says who was preferred "
        "to whom, --valid-pairs the same of the validation data. Nets that compare two "
        "documents (cmpnn, tesauro, sortnet) are judged by the order that sorting with "
        "them gives; an epoch of sortnet is one iteration, and its line in the log has "
        "the metric on the training data, the pairs found so far and the epochs "
        "within.\n\n"
        "An interrupt stops after the batch; the best model so far is written, if "
        "anything was learnt yet, and the exit status is 130. A run that was killed goes "
        "on with --resume and ends in the same bytes as one that was left alone.",
    .groups = { { "What is trained", training_rows, offsetof(struct train_args, training) },
                { "Files", train_rows, 0 },
                { "Memory", memory_rows, offsetof(struct train_args, memory) },
                { "Printing", printing_rows, offsetof(struct train_args, printing) },
                { "Reading the data", reading_rows, offsetof(struct train_args, read) },
                { "Matching features", match_rows, offsetof(struct train_args, match) } },
    .examples = { { "The default method; a fifth of the queries chooses the best epoch",
                    "peck train -o m.peck data.txt" },
                  { "RankNet as its paper has it, with data of its own to choose and to "
                    "test by",
                    "peck train -m ranknet --set preset=paper --valid data.txt --test "
                    "data.txt -o n.peck "
                    "data.txt" },
                  { "Four nets, every epoch in a log",
                    "peck train --ensemble 4 --log epochs.json -o e.peck data.txt" } },
    .args_size = sizeof(struct train_args),
    .run = train_main,
    .takes_ranks = 1,
};
