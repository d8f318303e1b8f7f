/* cmd_cv.c -- every fold trained and tested, methods side by side. */
#include "inputs.h"
#include "origin.h"
#include "outputs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct cv_args {
    struct printing printing;
    peck_read_options read;
    struct training_options training;
    const char **grid;
    char *methods;
    const char *match, *out_dir, *weights, *report, *seeds;
    const char *pairs, *rules, *unlabelled, *rules_weight;
    uint64_t n_folds, inner;
    int blends, is_forced, is_lenient;
};

/* Several methods here. */
static const struct opt cv_method_row[] = {
    { "method", 'm', OPT_JOIN, "LIST", PECK_DEFAULT_METHOD,
      "what to train, such as ridge,ranknet (`peck list methods`)",
      offsetof(struct cv_args, methods) },
    { 0 }
};

static const struct opt cv_rows[] = {
    { "folds", 0, OPT_COUNT, "K", "5",
      "number of folds that the queries of a FILE are split into",
      offsetof(struct cv_args, n_folds) },
    { "seeds", 0, OPT_TEXT, "LIST", NULL,
      "train with each of these seeds, such as 1-5 or 1,2,7, on the same folds; prints the "
      "mean of the folds for each, and mean and standard deviation of those",
      offsetof(struct cv_args, seeds) },
    { "grid", 0, OPT_LIST, "KEY=A,B,C", NULL,
      "values of a setting (or of norm, of rules-weight, of rules.alpha and the like) to "
      "choose from, may be repeated",
      offsetof(struct cv_args, grid) },
    { "inner", 0, OPT_COUNT, "K", "0",
      "choose from the grid by K folds of the training data; 0: by the validation data",
      offsetof(struct cv_args, inner) },
    { "rules", 0, OPT_TEXT, "RULES", NULL,
      "what is known of good rankings, as clauses (docs/RULES.md): penalties in addition "
      "to the labels of every fold's training data",
      offsetof(struct cv_args, rules) },
    { "unlabelled", 0, OPT_TEXT, "QUERIES", NULL,
      "more queries for the rules, on every fold; its labels are ignored",
      offsetof(struct cv_args, unlabelled) },
    { "rules-weight", 0, OPT_TEXT, "best|auto|X", NULL,
      "how much rules count, as in `peck train`: best unless set; in --grid 0 means no "
      "rules",
      offsetof(struct cv_args, rules_weight) },
    { "pairs", 0, OPT_TEXT, "PAIRS", NULL,
      "learn from preferences between documents of FILE, not from its labels; where it "
      "has none, the share of held-out preferences that the order agrees with is reported",
      offsetof(struct cv_args, pairs) },
    { "skip-bad", 0, OPT_FLAG, NULL, NULL, "ignore malformed lines of --pairs",
      offsetof(struct cv_args, is_lenient) },
    { "blend", 0, OPT_FLAG, NULL, NULL,
      "one more method, blend: a committee of all of LIST on each fold (`peck blend`)",
      offsetof(struct cv_args, blends) },
    { "blend-weights", 0, OPT_TEXT, "equal|greedy", NULL,
      "of the blend, equal unless set; greedy: those that do best on the validation data",
      offsetof(struct cv_args, weights) },
    { "out-dir", 'o', OPT_TEXT, "DIR", NULL,
      "write DIR/FoldN.scores, DIR/FoldN.peck, DIR/FoldN.queries.tsv and "
      "DIR/FoldN.eval.json; with several methods DIR/METHOD/FoldN.*, with --seeds "
      "DIR/SeedN/...",
      offsetof(struct cv_args, out_dir) },
    { "report", 0, OPT_TEXT, "OUT.html", NULL,
      "write a web page of the results (`peck report`)", offsetof(struct cv_args, report) },
    FORCE_ROW(struct cv_args),
    { 0 }
};

/* Results --------------------------------------------------------------------------------
 * What becomes of each fold while the cross-validation runs. */

struct cv_results {
    struct talk *talk;
    const char *folder; /* NULL: nothing is written */
    peck_page *page;    /* each fold is added to it; NULL: there is none */
    const struct call *call;
    peck_judge_spec judge; /* how queries are judged, for both */
    int has_many_methods;  /* each gets a folder of its own */
    uint64_t *seed; /* of --seeds, each with a folder of its own, owned; NULL: none */
    size_t n_seeds;
    size_t n_kept; /* folds that were written, over all methods */
};

/* The files of a fold.  The report says what it was judged by, and on what: for those who
 * read the folder later. */
enum fold_file { FOLD_SCORES, FOLD_QUERIES, FOLD_REPORT, FOLD_MODEL, N_FOLD_FILES };
static const struct fold_kind {
    const char *ending, *content; /* content: as peck_file_content has it */
} fold_kinds[N_FOLD_FILES] = {
    [FOLD_SCORES] = { ".scores", "scores" },
    [FOLD_QUERIES] = { ".queries.tsv", "text" },
    [FOLD_REPORT] = { ".eval.json", "text" },
    [FOLD_MODEL] = { ".peck", "model" },
};

/* The folder of a method's files; method NULL: where those of all methods are. */
static peck_status results_folder(char folder[MAX_PATH], const struct cv_results *r,
                                  const char *method, uint64_t seed, peck_error *err)
{
    const int has_method = r->has_many_methods && method != NULL;
    char of_seed[32] = "";

    if (r->seed != NULL)
        snprintf(of_seed, sizeof of_seed, "/Seed%llu", (unsigned long long)seed);
    const int n = snprintf(folder, MAX_PATH, "%s%s%s%s", r->folder, of_seed,
                           has_method ? "/" : "", has_method ? method : "");

    return n < MAX_PATH
               ? PECK_OK
               : refuse(err, PECK_ARG, "%.100s...: the name is too long", r->folder);
}

/* Where a file of a fold (from 0) goes. */
static peck_status results_path(char path[MAX_PATH], const struct cv_results *r,
                                const char *method, uint64_t seed, size_t fold,
                                enum fold_file what, peck_error *err)
{
    char folder[MAX_PATH];
    const peck_status st = results_folder(folder, r, method, seed, err);

    return st == PECK_OK ? fold_path(path, folder, fold + 1, fold_kinds[what].ending, err)
                         : st;
}

static peck_status make_folder(const char *path, peck_error *err)
{
    if (mkdir(path, 0777) == 0 || (errno == EEXIST && is_folder(path)))
        return PECK_OK;
    return refuse(err, PECK_IO, "%.300s: cannot make the folder: %s", path,
                  strerror(errno));
}

static int cv_progress(void *ctx, double share)
{
    return talk_progress(((struct cv_results *)ctx)->talk, share);
}

static int cv_interrupted(void *ctx)
{
    (void)ctx;
    return talk_was_interrupted();
}

static void cv_warning(void *ctx, const char *text)
{
    talk_warning(((struct cv_results *)ctx)->talk, "%s", text);
}

/* Every query by the metrics that were asked for and those that a page draws.  A convention
 * may forbid ranks as deep as theirs; then by what was asked for.  Without a label no query
 * can be judged by itself: *out stays as it is. */
static peck_status judge_queries(peck_report **out, const struct cv_results *r,
                                 const peck_fold_result *f, peck_error *err)
{
    static const char drawn[] =
        ",map,mrr,ndcg@1,ndcg@2,ndcg@3,ndcg@4,ndcg@5,ndcg@6,ndcg@7,ndcg@8,ndcg@9,ndcg@10,"
        "p@1,p@2,p@3,p@4,p@5,p@6,p@7,p@8,p@9,p@10";
    const size_t room = strlen(r->judge.metrics) + sizeof drawn;
    char *metrics = malloc(room);
    peck_judge_spec spec = r->judge;
    peck_dataset_info info;

    if (metrics == NULL)
        return refuse(err, PECK_NOMEM, "out of memory");
    peck_dataset_describe(f->test, &info);
    snprintf(metrics, room, "%s%s", r->judge.metrics, drawn);
    spec.metrics = metrics;
    peck_status st = info.n_judged > 0
                         ? peck_evaluate_scores(out, f->test, f->score, &spec, err)
                         : PECK_OK;

    if (st == PECK_ARG)
        st = peck_evaluate_scores(out, f->test, f->score, &r->judge, err);
    free(metrics);
    return st;
}

/* How to make this run again, for the page.  A committee takes all methods. */
static void note_origin(peck_report *to, const struct call *c, const char *method)
{
    char *const command = origin_of_method(c, strcmp(method, "blend") == 0 ? NULL : method);

    peck_report_add_text(to, "data file", c->word[0]);
    if (command != NULL)
        peck_report_add_text(to, "command", command);
    free(command);
}

/* Called once for each fold and method, with its model and the scores of its test data: files
 * go to --out-dir, model and values per query to the page. */
static peck_status cv_keep(void *ctx, const peck_fold_result *f, peck_error *err)
{
    struct cv_results *r = ctx;
    peck_report *queries = NULL;
    char path[MAX_PATH], run[128];
    peck_status st = judge_queries(&queries, r, f, err);

    if (queries != NULL)
        note_origin(queries, r->call, f->method);
    for (enum fold_file i = 0; r->folder != NULL && st == PECK_OK && i < N_FOLD_FILES;
         i++) {
        st = results_path(path, r, f->method, f->seed, f->fold, i, err);
        if (queries == NULL && (i == FOLD_QUERIES || i == FOLD_REPORT))
            continue;
        if (st == PECK_OK)
            st = i == FOLD_SCORES    ? peck_scores_write(f->score, path, f->test, err)
                 : i == FOLD_QUERIES ? peck_report_write_queries(queries, path, err)
                 : i == FOLD_REPORT  ? peck_report_save(queries, path, "json", err)
                                     : peck_model_save(f->model, path, err);
    }
    r->n_kept += st == PECK_OK;
    snprintf(run, sizeof run, "%.90s", f->method);
    if (r->seed != NULL)
        snprintf(run, sizeof run, "%.90s seed %llu", f->method,
                 (unsigned long long)f->seed);
    if (st == PECK_OK && r->page != NULL)
        st = peck_page_add_model(r->page, run, f->fold + 1, f->model, err);
    if (st == PECK_OK && r->page != NULL && queries != NULL)
        st = peck_page_add_report(r->page, run, f->fold + 1, queries, err);
    peck_report_free(queries);
    return st;
}

/* Files ------------------------------------------------------------------------------- */

/* All files that will be read, so that no output takes the place of one. */
static void list_fold_inputs(struct input_files *in, const struct call *c)
{
    static const char *const parts[] = { "train", "vali", "valid", "test" };
    const struct cv_args *a = c->args;
    char path[MAX_PATH];

    input_files_add(in, a->pairs);
    input_files_add(in, a->rules);
    input_files_add_data(in, a->unlabelled, &a->read);
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

/* The same of one method and seed. */
static peck_status results_open_method(const struct call *c, const struct cv_results *r,
                                       const struct input_files *in, const char *method,
                                       uint64_t seed, size_t n_folds)
{
    const struct cv_args *a = c->args;
    char path[MAX_PATH];
    peck_status st = results_folder(path, r, method, seed, c->err);

    if (st == PECK_OK)
        st = make_folder(path, c->err);
    for (size_t f = 0; f < n_folds; f++)
        for (enum fold_file i = 0; st == PECK_OK && i < N_FOLD_FILES; i++) {
            const struct output_file out[] = { { a->report, "page" },
                                               { path, fold_kinds[i].content } };

            st = results_path(path, r, method, seed, f, i, c->err);
            if (st == PECK_OK)
                st = outputs_look(c, out, 2, in, a->is_forced);
        }
    return st;
}

/* Makes the folders of --out-dir, and looks at every file that they will hold. */
static peck_status results_open(const struct call *c, const struct cv_results *r,
                                const char *const *methods, size_t n_folds)
{
    const struct cv_args *a = c->args;
    struct input_files in = { 0 };
    char path[MAX_PATH];
    size_t n_methods = 0;
    peck_status st = make_folder(r->folder, c->err);

    while (methods[n_methods] != NULL)
        n_methods++;
    n_methods += a->blends != 0; /* the last one is the committee */
    if (st == PECK_OK)
        list_fold_inputs(&in, c);
    for (size_t k = 0; k == 0 || k < r->n_seeds; k++) {
        const uint64_t seed = r->seed != NULL ? r->seed[k] : 0;

        if (st == PECK_OK)
            st = results_folder(path, r, NULL, seed, c->err);
        if (st == PECK_OK)
            st = make_folder(path, c->err);
        for (size_t m = 0; st == PECK_OK && m < n_methods; m++)
            st = results_open_method(c, r, &in, methods[m] != NULL ? methods[m] : "blend",
                                     seed, n_folds);
    }
    input_files_free(&in);
    return st;
}

/* ------------------------------------------------------------------------------------- */

/* Rules and more queries for them.  A weight that is no number is told before. */
static peck_status read_rules(peck_train_spec *spec, const struct call *c)
{
    const struct cv_args *a = c->args;
    peck_read_options unlabelled = a->read;
    peck_status st =
        rules_weight_of(&spec->rules_weight, a->rules_weight, a->rules, c->err);

    if (st == PECK_OK && a->rules == NULL && a->unlabelled != NULL)
        return refuse(c->err, PECK_ARG, "--unlabelled is for --rules FILE; give that too");
    if (st == PECK_OK && a->rules != NULL)
        st = peck_rules_read((peck_rules **)&spec->rules, a->rules, c->err);
    unlabelled.labels_optional = 1;
    if (st == PECK_OK && a->unlabelled != NULL)
        st = peck_dataset_read((peck_dataset **)&spec->unlabelled, a->unlabelled,
                               &unlabelled, c->err);
    return st;
}

/* "1-5" or "1,2,7" as numbers, each once; *seed stays NULL where it was not asked for. */
static peck_status seeds_of(uint64_t **seed, size_t *n, const char *text, peck_error *err)
{
    enum { MOST = 1000 };
    size_t used = 0;

    *seed = NULL;
    *n = 0;
    if (text == NULL)
        return PECK_OK;
    *seed = calloc(MOST, sizeof **seed);
    if (*seed == NULL)
        return refuse(err, PECK_NOMEM, "out of memory");
    for (const char *at = text; used < MOST;) {
        char *end = (char *)at;
        const int has_first = *at >= '0' && *at <= '9';
        const unsigned long long first = has_first ? strtoull(at, &end, 10) : 0;
        unsigned long long last = first;

        if (has_first && end[0] == '-' && end[1] >= '0' && end[1] <= '9')
            last = strtoull(end + 1, &end, 10);
        if (!has_first || last < first || last - first >= MOST ||
            (*end != ',' && *end != '\0'))
            break;
        for (unsigned long long s = first; s <= last && used < MOST; s++) {
            size_t k = 0;

            while (k < used && (*seed)[k] != s)
                k++;
            if (k == used)
                (*seed)[used++] = s;
        }
        if (*end == '\0') {
            *n = used;
            return PECK_OK;
        }
        at = end + 1;
    }
    return refuse(err, PECK_ARG,
                  "--seeds takes whole numbers such as 1-5 or 1,2,7, at most %d, not "
                  "'%.60s'",
                  MOST, text);
}

/* Options become the specification of peck_cv; `results` hears of each fold as it is done. */
static peck_status cross_validate(peck_report **out, const struct call *c,
                                  const struct folds *folds, const char *const *methods,
                                  peck_page *page)
{
    const struct cv_args *a = c->args;
    const struct judging *j = &a->training.judging;
    struct cv_results results = { .talk = c->talk,
                                  .folder = a->out_dir,
                                  .page = page,
                                  .call = c,
                                  .judge = { .metrics = j->metrics,
                                             .convention = j->convention,
                                             .seed = j->seed,
                                             .threads = a->read.threads },
                                  .has_many_methods = a->blends || methods[1] != NULL };
    peck_train_spec train;
    peck_status st = seeds_of(&results.seed, &results.n_seeds, a->seeds, c->err);
    const peck_cv_spec spec = {
        .size = sizeof spec,
        .fold = folds->fold,
        .n_folds = folds->n,
        .method = methods,
        .grid = a->grid,
        .inner = (size_t)a->inner,
        .blend = !a->blends           ? NULL
                 : a->weights != NULL ? a->weights
                                      : "equal",
        .train = &train,
        .judge = &results.judge,
        .progress = cv_progress,
        .keep = comm_speaks() && (a->out_dir != NULL || page != NULL) ? cv_keep : NULL,
        .ctx = &results,
        .pairs = folds->pairs,
        .seed = results.seed,
        .n_seeds = results.n_seeds,
        .comm = comm_all(),
    };
    if (st == PECK_OK)
        st = training_spec(&train, &a->training, a->read.threads, c->err);
    if (st != PECK_OK) {
        free(results.seed);
        return st;
    }
    train.interrupted = cv_interrupted;
    train.warn = cv_warning;
    train.match = a->match;
    train.ctx = &results;
    st = read_rules(&train, c);
    if (st == PECK_OK && a->out_dir != NULL && comm_speaks())
        st = results_open(c, &results, methods, folds->n);
    st = comm_follow(st, c->err);
    if (comm_all() == NULL) /* ranks would stop at different jobs */
        talk_catch_interrupts();
    if (st == PECK_OK)
        note_usual_method(c);
    if (st == PECK_OK)
        st = peck_cv(out, &spec, c->err);
    if (train.rules != NULL) /* --rules */
        peck_rules_free((peck_rules *)train.rules);
    peck_dataset_free((peck_dataset *)train.unlabelled);
    free(results.seed);
    if (st == PECK_STOPPED && a->out_dir != NULL)
        refuse(c->err, st, "stopped; %zu finished folds are in %.300s", results.n_kept,
               a->out_dir);
    return st;
}

/* Cuts "a,b" in place into a, b and NULL; NULL: out of memory, told in err. */
static const char **split_list(char *text, peck_error *err)
{
    size_t n = 1;

    for (const char *c = text; *c != '\0'; c++)
        n += *c == ',';
    const char **item = calloc(n + 1, sizeof *item);

    if (item == NULL)
        refuse(err, PECK_NOMEM, "out of memory");
    for (size_t i = 0; item != NULL && i < n; i++) {
        char *end = text + strcspn(text, ",");

        item[i] = text;
        text = end + (*end != '\0');
        *end = '\0';
    }
    return item;
}

/* The table goes to standard output even when the page cannot be written afterwards. */
static peck_status cv_main(struct call *c)
{
    const struct cv_args *a = c->args;
    const uint64_t seed = a->training.judging.seed;
    char moment[MOMENT_ROOM];
    peck_page_spec how = { .size = sizeof how,
                           .seed = seed,
                           .threads = a->read.threads,
                           .data = c->n_words == 1 ? c->word[0] : NULL,
                           .when = origin_moment(moment) };
    const struct output_file out = { a->report, "page" };
    struct input_files in = { 0 };
    struct folds folds = { 0 };
    peck_report *report = NULL;
    peck_page *page = NULL;

    if (c->n_words != 1)
        return refuse(c->err, PECK_ARG, "cv takes one DIR or FILE; see `peck cv --help`");
    if (a->is_lenient && a->pairs == NULL)
        return refuse(c->err, PECK_ARG, "--skip-bad is for --pairs");
    if (a->pairs != NULL && is_folder(c->word[0]))
        return refuse(c->err, PECK_ARG,
                      "--pairs is about the documents of one FILE, and %.200s is a "
                      "folder; give a file, which is split into --folds",
                      c->word[0]);
    if (a->weights != NULL && !a->blends)
        return refuse(c->err, PECK_ARG, "--blend-weights is for --blend");
    list_fold_inputs(&in, c);
    peck_status st = outputs_check(c, &out, 1, &in, a->is_forced);

    if (st != PECK_OK)
        return st;
    const char **methods = split_list(a->methods, c->err);

    if (methods == NULL)
        return PECK_NOMEM;
    for (size_t i = 0; st == PECK_OK && methods[i] != NULL; i++)
        st = method_name(&methods[i], c->err);
    if (st == PECK_OK)
        st = folds_read(&folds, c->word[0], &a->read, a->pairs, a->is_lenient,
                        (size_t)a->n_folds, seed, c->err);
    if (folds.n_bad > 0)
        talk_warning(c->talk, "%zu lines of --pairs ignored; the first is line %zu",
                     folds.n_bad, folds.first_bad_line);
    if (st == PECK_OK && a->report != NULL)
        st = peck_page_new(&page, c->err);
    if (st == PECK_OK)
        st = cross_validate(&report, c, &folds, methods, page);
    talk_clear(c->talk);
    st = print_report(st, report, &a->printing, c);
    char *const command = origin_command(c);

    how.command = command;
    if (st == PECK_OK && page != NULL && comm_speaks())
        st = write_page(page, a->report, &how, c);
    free(command);
    peck_page_free(page);
    folds_free(&folds);
    free(methods);
    return st;
}

const struct verb verb_cv = {
    .name = "cv",
    .summary = "train and test on every fold, methods side by side",
    .usage = { "DIR [options]", "FILE [options]" },
    .about =
        "DIR holds Fold1/train.txt, Fold1/vali.txt, Fold1/test.txt, Fold2/... as LETOR "
        "has them, each plain, .gz or .zst (or train.txt, vali.txt and test.txt alone). "
        "The queries of a FILE are split into folds by the seed, as `peck convert "
        "--folds` does.\n\nPrints every metric on every fold's test data, mean and "
        "standard deviation, a column for each method; then the same of the first metric "
        "on validation data, which chose the epochs and the settings. A setting goes to "
        "those methods that have it. Folds run side by side; the numbers do not depend on "
        "the threads. After an interrupt --out-dir holds the folds that were finished.",
    .groups = { { "What is trained", training_rows, offsetof(struct cv_args, training) },
                { "What is trained", cv_method_row, 0 },
                { "Folds", cv_rows, 0 },
                { "Printing", printing_rows, offsetof(struct cv_args, printing) },
                { "Reading the data", reading_rows, offsetof(struct cv_args, read) },
                { "Matching features", match_rows, offsetof(struct cv_args, match) } },
    .examples = { { "How much a seed of training moves the result",
                    "peck cv -m ranknet --seeds 1-3 --folds 3 data.txt" },
                  { "LETOR's own folds, next to a baseline",
                    "peck cv -m ridge,ranknet folds" },
                  { "One file, cut by query", "peck cv -m ridge --folds 3 data.txt" },
                  { "Settings chosen on the validation data of each fold; scores for `peck "
                    "compare`",
                    "peck cv -m ridge --grid norm=zscore,query-zscore --out-dir results "
                    "folds" },
                  { "A committee of three kinds of model",
                    "peck cv -m ridge,ranknet,mart --blend --blend-weights greedy folds" },
                  { "All of it on a web page",
                    "peck cv -m ridge,ranknet --report page.html folds" } },
    .args_size = sizeof(struct cv_args),
    .run = cv_main,
    .takes_ranks = 1,
};
