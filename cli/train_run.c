/* train_run.c -- see train_run.h. */
#include "train_run.h"
#include "outputs.h"
#include "runlog.h"

#include <stdlib.h>
#include <string.h>

/* Everything that is read before training. */
struct inputs {
    peck_dataset *train, *valid, *test;
    peck_dataset *fit_test; /* test with the columns of train */
    peck_prefs *pairs, *valid_pairs;
    peck_dataset *unlabelled;
    peck_rules *rules;
};

/* option: the one that named the file.  path NULL: nothing is read. */
static peck_status read_pairs(peck_prefs **out, const char *path, const char *option,
                              const peck_dataset *about, const struct call *c)
{
    const struct train_args *a = c->args;
    peck_prefs_info info;
    char text[128];

    if (path == NULL)
        return PECK_OK;
    const peck_status st = peck_prefs_read(out, path, about, a->is_lenient, c->err);

    if (st != PECK_OK)
        return st;
    peck_prefs_describe(*out, &info);
    if (info.n_bad > 0) {
        snprintf(text, sizeof text, "%zu lines of %s left out, the first is line %zu",
                 info.n_bad, option, info.first_bad_line);
        talk_warning(c->talk, text);
    }
    return PECK_OK;
}

/* The metrics on test data.  m NULL: all scores are equal. */
static peck_status judge(peck_report **out, const struct train_args *a, const peck_model *m,
                         const peck_dataset *test, peck_error *err)
{
    const struct judging *j = &a->training.judging;
    const peck_judge_spec how = { j->metrics, j->convention, j->seed, a->read.threads };
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

/* Whatever is wrong with metrics or test data is told before training, not after. */
static peck_status rehearse(struct inputs *in, const struct call *c)
{
    const struct train_args *a = c->args;
    peck_report *unused = NULL;
    peck_match_info info;
    peck_status st = peck_dataset_match_data(&in->fit_test, in->test, in->train, a->match,
                                             &info, c->err);

    if (st == PECK_OK && info.text[0] != '\0')
        talk_note(c->talk, info.text);
    if (st == PECK_OK)
        st = judge(&unused, a, NULL, in->fit_test, c->err);
    peck_report_free(unused);
    return st;
}

/* What is measured on data that was learnt from, or chose, proves little. */
static peck_status warn_of_overlap(const struct call *c, const struct inputs *in)
{
    const char *name = "training";
    peck_overlap both = { 0 };
    peck_dataset_info info;
    char text[256];

    if (in->test == NULL)
        return PECK_OK;
    peck_status st = peck_dataset_overlap(&both, in->test, in->train, c->err);

    if (st == PECK_OK && both.n_queries == 0 && in->valid != NULL) {
        name = "validation";
        st = peck_dataset_overlap(&both, in->test, in->valid, c->err);
    }
    if (st != PECK_OK || both.n_queries == 0)
        return st;
    peck_dataset_describe(in->test, &info);
    snprintf(
        text, sizeof text,
        "the test data shares %zu of its %zu queries with the %s data (%zu equal rows, "
        "whatever the ids): what is measured on them is too good; keep them apart",
        both.n_queries, info.n_queries, name, both.n_docs);
    talk_warning(c->talk, text);
    return PECK_OK;
}

static peck_status read_inputs(struct inputs *in, const struct call *c)
{
    const struct train_args *a = c->args;
    peck_read_options unlabelled = a->read;
    peck_status st =
        a->rules != NULL ? peck_rules_read(&in->rules, a->rules, c->err) : PECK_OK;

    if (st == PECK_OK)
        st = peck_dataset_read(&in->train, c->word[0], &a->read, c->err);
    if (st == PECK_OK && a->valid != NULL)
        st = peck_dataset_read(&in->valid, a->valid, &a->read, c->err);
    if (st == PECK_OK && a->test != NULL)
        st = peck_dataset_read(&in->test, a->test, &a->read, c->err);
    if (st == PECK_OK && in->test != NULL)
        st = rehearse(in, c);
    if (st == PECK_OK)
        st = warn_of_overlap(c, in);
    if (st == PECK_OK)
        st = read_pairs(&in->pairs, a->pairs, "--pairs", in->train, c);
    if (st == PECK_OK)
        st = read_pairs(&in->valid_pairs, a->valid_pairs, "--valid-pairs", in->valid, c);
    unlabelled.labels_optional = 1;
    if (st == PECK_OK && a->unlabelled != NULL)
        st = peck_dataset_read(&in->unlabelled, a->unlabelled, &unlabelled, c->err);
    return st;
}

static void free_inputs(struct inputs *in)
{
    peck_prefs_free(in->pairs);
    peck_prefs_free(in->valid_pairs);
    peck_dataset_free(in->fit_test);
    peck_dataset_free(in->train);
    peck_dataset_free(in->valid);
    peck_dataset_free(in->test);
    peck_dataset_free(in->unlabelled);
    peck_rules_free(in->rules);
}

/* After training --------------------------------------------------------------------- */

static peck_status report(const struct train_args *a, const struct runlog *log,
                          const peck_model *m, const peck_dataset *test, peck_error *err)
{
    peck_report *r = NULL, *found = NULL;
    peck_status st = peck_report_new(&r, err);

    if (st != PECK_OK)
        return st;
    peck_report_add_text(r, "method", a->training.method);
    runlog_report(log, r);
    peck_report_add_text(r, "scores",
                         peck_model_scores_alone(m) ? "of each document alone"
                         : peck_model_compares(m)
                             ? "depend on the list"
                             : "depend on the list, unless trained with --alone");
    if (test != NULL)
        st = judge(&found, a, m, test, err);
    if (st == PECK_OK && found != NULL)
        peck_report_add_all(r, "test_", found);
    if (st == PECK_OK)
        st = print_report(r, a->as_json, err);
    peck_report_free(found);
    peck_report_free(r);
    return st;
}

/* The model is kept first, whatever else goes wrong.  A checkpoint that could not be
 * written (PECK_IO, and there is a model) is told at the end. */
static peck_status finish(peck_status st, const peck_model *m, struct runlog *log,
                          const peck_dataset *test, const struct call *c)
{
    const struct train_args *a = c->args;
    const peck_error why = *c->err;

    if (m == NULL) {
        if (st == PECK_STOPPED)
            refuse(c->err, st, "stopped before anything was learnt; nothing was written");
        return st;
    }
    const peck_status saved = peck_model_save(m, a->out, c->err);

    talk_clear(c->talk);
    if (saved != PECK_OK)
        return saved;
    if (st == PECK_STOPPED)
        return refuse(c->err, st, "stopped; the best model so far is in %.300s", a->out);
    const peck_status told = report(a, log, m, test, c->err);

    if (told == PECK_OK && st != PECK_OK)
        *c->err = why;
    return told == PECK_OK ? st : told;
}

/* Preferences, given or held out with their queries, choose by themselves. */
static const char *chosen_by(const struct train_args *a, const char *metric)
{
    return a->valid_pairs != NULL || (a->pairs != NULL && a->valid == NULL) ? "preferences"
                                                                            : metric;
}

/* "auto" is below 0; 0 stands for 1 in the specification, and is no weight. */
static peck_status rules_weight(double *weight, const struct train_args *a, peck_error *err)
{
    *weight = -1;
    if (strcmp(a->rules_weight, "auto") == 0)
        return PECK_OK;
    if (!opt_parse_real(a->rules_weight, weight) || !(*weight > 0))
        return refuse(err, PECK_ARG, "--rules-weight takes auto or a number above 0");
    return PECK_OK;
}

static peck_status train(const struct inputs *in, const char *metric, struct call *c)
{
    const struct train_args *a = c->args;
    peck_train_spec spec;
    struct runlog log;
    peck_model *model = NULL;
    peck_error log_err = { PECK_OK, "" };
    peck_status st = training_spec(&spec, &a->training, a->read.threads, c->err);

    if (st == PECK_OK)
        st = rules_weight(&spec.rules_weight, a, c->err);
    if (st == PECK_OK)
        st = runlog_open(&log, c->talk, chosen_by(a, metric), a->log, a->resumes, c->err);
    if (st != PECK_OK)
        return st;
    spec.train = in->train;
    spec.valid = in->valid;
    spec.pairs = in->pairs;
    spec.valid_pairs = in->valid_pairs;
    spec.rules = in->rules;
    spec.unlabelled = in->unlabelled;
    spec.match = a->match;
    spec.metric = metric;
    spec.checkpoint = a->checkpoint;
    spec.resume = a->resumes;
    spec.interrupted = runlog_interrupted;
    spec.progress = runlog_epoch;
    spec.warn = runlog_warning;
    spec.gained = runlog_gain;
    spec.tried = runlog_size;
    spec.ctx = &log;
    talk_catch_interrupts();
    st = peck_train(&model, &spec, c->err);
    st = finish(st, model, &log, in->fit_test, c);
    if (runlog_close(&log, &log_err) != PECK_OK && st == PECK_OK) {
        st = log_err.status;
        *c->err = log_err;
    }
    peck_model_free(model);
    return st;
}

static peck_status check_files(const struct call *c)
{
    const struct train_args *a = c->args;
    const struct output_file out[] = { { a->out, "model" },
                                       { a->checkpoint, "checkpoint" },
                                       { a->log, "log" } };
    const char *const data[] = { c->word[0], a->valid, a->test, a->unlabelled };
    struct input_files in = { 0 };

    for (size_t i = 0; i < sizeof data / sizeof *data; i++)
        input_files_add_data(&in, data[i], &a->read);
    input_files_add(&in, a->pairs);
    input_files_add(&in, a->valid_pairs);
    input_files_add(&in, a->rules);
    return outputs_check(c, out, sizeof out / sizeof *out, &in, a->is_forced);
}

peck_status train_run(struct call *c)
{
    const struct train_args *a = c->args;
    struct inputs in = { 0 };
    char *metric = first_metric(&a->training, c->err);

    if (metric == NULL)
        return PECK_NOMEM;
    peck_status st = check_files(c);

    if (st == PECK_OK)
        st = read_inputs(&in, c);
    if (st == PECK_OK)
        st = train(&in, metric, c);
    free_inputs(&in);
    free(metric);
    return st;
}
