/* cmd_cv.c -- every fold trained and tested, methods side by side. */
#include "outputs.h"
#include "results.h"
#include "training.h"

#include <stdlib.h>

struct args {
    peck_read_options read;
    struct training training;
    const char **grid;
    char *methods;
    const char *match, *out_dir, *weights, *report;
    uint64_t n_folds, inner;
    int blends, as_json, is_forced;
};

static const char *const usage[] = { "DIR [options]", "FILE [options]", NULL };

/* Several methods here. */
static const struct opt method_row[] = {
    { "method", 'm', OPT_JOIN, "LIST", "lambdaneuralrank",
      "what to train, such as ridge,ranknet (`peck list methods`)",
      offsetof(struct args, methods) },
    { 0 }
};

static const struct opt rows[] = {
    { "folds", 0, OPT_COUNT, "K", "5",
      "into how many parts the queries of a FILE are dealt",
      offsetof(struct args, n_folds) },
    { "grid", 0, OPT_LIST, "KEY=A,B,C", NULL,
      "values of a setting (or of norm) to choose from, as often as needed",
      offsetof(struct args, grid) },
    { "inner", 0, OPT_COUNT, "K", "0",
      "choose from the grid by K folds of the training data; 0: by the validation data",
      offsetof(struct args, inner) },
    { "blend", 0, OPT_FLAG, NULL, NULL,
      "one more method, blend: a committee of all of LIST on each fold (`peck blend`)",
      offsetof(struct args, blends) },
    { "weights", 0, OPT_TEXT, "equal|greedy", NULL,
      "of the blend, equal unless you say so; greedy: those that do best on the validation "
      "data",
      offsetof(struct args, weights) },
    { "out-dir", 'o', OPT_TEXT, "DIR", NULL,
      "write DIR/FoldN.scores, DIR/FoldN.peck, DIR/FoldN.queries.tsv and "
      "DIR/FoldN.eval.json; with several methods DIR/METHOD/FoldN.*",
      offsetof(struct args, out_dir) },
    { "report", 0, OPT_TEXT, "OUT.html", NULL,
      "write a web page of the results (`peck report`)", offsetof(struct args, report) },
    { "json", 0, OPT_FLAG, NULL, NULL, "print JSON", offsetof(struct args, as_json) },
    FORCE_ROW(struct args),
    { 0 }
};

static const struct opt_group groups[] = {
    { "What is trained", training_rows, offsetof(struct args, training) },
    { "What is trained", method_row, 0 },
    { "Folds", rows, 0 },
    { "Reading the data", reading_rows, offsetof(struct args, read) },
    { "Matching features", match_rows, offsetof(struct args, match) },
    { 0 }
};

static const struct example examples[] = {
    { "LETOR's own folds, beside the yardstick", "peck cv -m ridge,ranknet folds" },
    { "One file, cut by query", "peck cv -m ridge --folds 3 data.txt" },
    { "Settings chosen on the validation data of each fold; scores for `peck compare`",
      "peck cv -m ridge --grid norm=zscore,query-zscore --out-dir results folds" },
    { "A committee of three kinds of model",
      "peck cv -m ridge,ranknet,mart --blend --weights greedy folds" },
    { "All of it on a web page", "peck cv -m ridge,ranknet --report page.html folds" },
    { 0 }
};

/* Files ------------------------------------------------------------------------------- */

static void list_inputs(struct input_files *in, const struct call *c)
{
    static const char *const parts[] = { "train", "vali", "valid", "test" };
    const struct args *a = c->args;
    char path[MAX_PATH];

    if (!is_folder(c->word[0])) {
        input_files_add_data(in, c->word[0], &a->read);
        return;
    }
    const size_t n = fold_count(c->word[0], "train");

    for (size_t k = 0; k <= n; k++)
        for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
            if (fold_find(path, c->word[0], k, parts[i]))
                input_files_add_data(in, path, &a->read);
}

static peck_status check_page(const struct call *c)
{
    const struct args *a = c->args;
    const struct output_file page = { a->report, "page" };
    struct input_files in = { 0 };

    list_inputs(&in, c);
    return outputs_check(c, &page, 1, &in, a->is_forced);
}

static peck_status check_method(const struct call *c, const struct results *r,
                                const char *method, size_t n_folds,
                                const struct input_files *in)
{
    const struct args *a = c->args;
    char path[MAX_PATH];
    peck_status st = PECK_OK;

    for (size_t f = 0; st == PECK_OK && f < n_folds; f++)
        for (enum fold_file i = 0; st == PECK_OK && i < N_FOLD_FILES; i++) {
            const struct output_file out[] = { { a->report, "page" },
                                               { path, fold_kinds[i].content } };

            st = results_path(path, r, method, f, i, c->err);
            if (st == PECK_OK)
                st = outputs_look(c, out, 2, in, a->is_forced);
        }
    return st;
}

/* Every file that --out-dir will hold. */
static peck_status check_results(const struct call *c, const struct results *r,
                                 const char *const *methods, size_t n_folds)
{
    const struct args *a = c->args;
    struct input_files in = { 0 };
    peck_status st = PECK_OK;

    if (a->out_dir == NULL)
        return PECK_OK;
    list_inputs(&in, c);
    for (size_t i = 0; st == PECK_OK && methods[i] != NULL; i++)
        st = check_method(c, r, methods[i], n_folds, &in);
    if (st == PECK_OK && a->blends)
        st = check_method(c, r, "blend", n_folds, &in);
    input_files_free(&in);
    return st;
}

/* ------------------------------------------------------------------------------------- */

static peck_status cross_validate(peck_report **out, const struct call *c,
                                  const struct folds *folds, const char *const *methods,
                                  peck_page *page)
{
    const struct args *a = c->args;
    const struct judging *j = &a->training.judging;
    struct results results = { .talk = c->talk,
                               .folder = a->out_dir,
                               .page = page,
                               .judge = { j->metrics, j->convention, j->seed,
                                          a->read.threads },
                               .has_many_methods = a->blends || methods[1] != NULL };
    peck_cv_spec spec = {
        .fold = folds->fold,
        .n_folds = folds->n,
        .method = methods,
        .grid = a->grid,
        .inner = (size_t)a->inner,
        .blend = !a->blends           ? NULL
                 : a->weights != NULL ? a->weights
                                      : "equal",
        .judge = results.judge,
        .progress = results_progress,
        .keep = a->out_dir != NULL || page != NULL ? results_keep : NULL,
        .ctx = &results,
    };
    peck_status st = training_spec(&spec.train, &a->training, a->read.threads, c->err);

    if (st == PECK_OK)
        st = results_open(&results, methods, a->blends, c->err);
    if (st == PECK_OK)
        st = check_results(c, &results, methods, folds->n);
    if (st != PECK_OK)
        return st;
    spec.train.interrupted = results_interrupted;
    spec.train.warn = results_warning;
    spec.train.match = a->match;
    spec.train.ctx = &results;
    talk_catch_interrupts();
    st = peck_cv(out, &spec, c->err);
    if (st == PECK_STOPPED && a->out_dir != NULL)
        refuse(c->err, st, "stopped; %zu finished folds are in %.300s", results.n_kept,
               a->out_dir);
    return st;
}

/* The report, and the page where one is asked for. */
static peck_status tell(const peck_report *report, peck_page *page, const struct call *c)
{
    const struct args *a = c->args;
    peck_status st = print_report(report, a->as_json, c->err);

    if (st == PECK_OK && page != NULL)
        st = peck_page_write(page, a->report,
                             &(peck_page_spec){ .seed = a->training.judging.seed,
                                                .threads = a->read.threads },
                             c->err);
    return st;
}

/* What would go wrong at the end goes wrong now. */
static peck_status check(const struct call *c)
{
    const struct args *a = c->args;

    if (c->n_words != 1)
        return refuse(c->err, PECK_ARG, "cv takes one DIR or FILE; see `peck cv --help`");
    if (a->weights != NULL && !a->blends)
        return refuse(c->err, PECK_ARG, "--weights is for --blend");
    return check_page(c);
}

static peck_status run(struct call *c)
{
    const struct args *a = c->args;
    struct folds folds = { 0 };
    peck_report *report = NULL;
    peck_page *page = NULL;
    peck_status st = check(c);

    if (st != PECK_OK)
        return st;
    const char **methods = split_list(a->methods, c->err);

    if (methods == NULL)
        return PECK_NOMEM;
    st = folds_read(&folds, c->word[0], &a->read, (size_t)a->n_folds,
                    a->training.judging.seed, c->err);
    if (st == PECK_OK && a->report != NULL)
        st = peck_page_new(&page, c->err);
    if (st == PECK_OK)
        st = cross_validate(&report, c, &folds, methods, page);
    talk_clear(c->talk);
    if (st == PECK_OK)
        st = tell(report, page, c);
    peck_page_free(page);
    peck_report_free(report);
    folds_free(&folds);
    free(methods);
    return st;
}

const struct verb verb_cv = {
    .name = "cv",
    .summary = "train and test on every fold, methods side by side",
    .usage = usage,
    .about =
        "DIR holds Fold1/train.txt, Fold1/vali.txt, Fold1/test.txt, Fold2/... as LETOR "
        "has them, each plain, .gz or .zst (or train.txt, vali.txt and test.txt alone). "
        "The queries of a FILE are dealt into folds by the seed, as `peck convert --folds` "
        "does.\n\n"
        "Prints every metric on every fold's test data, mean and standard deviation, a "
        "column for each method; then the same of the first metric on validation data, "
        "which chose the epochs and the settings. A setting goes to those methods that "
        "have it. Folds run side by side; the numbers do not depend on the threads. After "
        "an interrupt --out-dir holds the folds that were finished.",
    .groups = groups,
    .examples = examples,
    .args_size = sizeof(struct args),
    .run = run,
};
