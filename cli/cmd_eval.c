/* cmd_eval.c -- a model, scores or a TREC run against labels. */
#include "inputs.h"
#include "outputs.h"

#include <stdlib.h>
#include <string.h>

struct eval_args {
    struct printing printing;
    peck_read_options read;
    struct judging judging;
    struct keeping keeping;
    const char *match, *scores, *run, *qrels, *per_query;
    int is_complete, is_forced;
};

static const struct opt eval_rows[] = {
    { "scores", 's', OPT_TEXT, "FILE", NULL, "one number per line, in the order of DATA",
      offsetof(struct eval_args, scores) },
    { "run", 0, OPT_TEXT, "FILE", NULL, "a TREC run: query Q0 document rank score name",
      offsetof(struct eval_args, run) },
    { "qrels", 0, OPT_TEXT, "FILE", NULL, "TREC judgements: query 0 document label",
      offsetof(struct eval_args, qrels) },
    { "complete", 0, OPT_FLAG, NULL, NULL,
      "a judged query that the run leaves out counts as an empty list",
      offsetof(struct eval_args, is_complete) },
    { "per-query", 0, OPT_TEXT, "FILE", NULL, "also write every query's own values here",
      offsetof(struct eval_args, per_query) },
    FORCE_ROW(struct eval_args),
    { 0 }
};

/* Three ways to be judged: MODEL DATA, DATA --scores FILE, or --run with --qrels.  Options of
 * one way are refused in another. */
static peck_status eval_check(const struct call *c)
{
    const struct eval_args *a = c->args;
    const int is_run = a->run != NULL || a->qrels != NULL;

    if (a->match != NULL && (a->run != NULL || a->scores != NULL))
        return refuse(c->err, PECK_ARG, "--match is for MODEL DATA");
    if (is_run && (a->run == NULL || a->qrels == NULL))
        return refuse(c->err, PECK_ARG, "--run and --qrels go together; give both");
    if (is_run && (c->n_words > 0 || a->scores != NULL))
        return refuse(c->err, PECK_ARG,
                      "a run is judged by its qrels alone: leave out DATA and --scores");
    if (!is_run && a->is_complete)
        return refuse(c->err, PECK_ARG, "--complete is for --run and --qrels");
    if (is_run && (a->keeping.rules != NULL || a->keeping.enforces))
        return refuse(c->err, PECK_ARG,
                      "rules speak of features, which a run has none of: --enforce is for "
                      "MODEL DATA, or DATA --scores FILE");
    if (!is_run && c->n_words == 0)
        return refuse(c->err, PECK_ARG,
                      "missing MODEL and DATA: `peck eval MODEL DATA`, or `peck eval DATA "
                      "--scores FILE`");
    if (c->n_words > 2 || (c->n_words == 2 && a->scores != NULL))
        return refuse(c->err, PECK_ARG, "eval takes one DATA; see `peck eval --help`");
    if (c->n_words == 1 && a->scores == NULL)
        return refuse(c->err, PECK_ARG,
                      "missing a model or scores: `peck eval MODEL DATA`, or `peck eval "
                      "DATA --scores FILE`");
    peck_status st = keeping_check(&a->keeping, c->err);
    const struct output_file out = { a->per_query, "text" };
    struct input_files in = { 0 };

    if (st != PECK_OK)
        return st;
    input_files_add(&in, a->scores);
    input_files_add(&in, a->run);
    input_files_add(&in, a->qrels);
    input_files_add(&in, a->keeping.rules);
    for (size_t i = 0; i < c->n_words; i++)
        input_files_add_data(&in, c->word[i], &a->read);
    st = outputs_check(c, &out, 1, &in, a->is_forced);

    return st == PECK_OK && c->n_words == 2 ? expect_model(c, c->word[0]) : st;
}

/* What lines of name TAB value leave out and the other formats tell; and that a run need not
 * have all that was judged, nor the other way round. */
static void tell_how_judged(const struct call *c, const peck_report *r,
                            const char *convention)
{
    const struct eval_args *a = c->args;
    const double n = peck_report_value(r, "queries");
    const double empty = peck_report_value(r, "queries without a relevant document");
    const double left = peck_report_value(r, "judged queries that the run does not answer");
    const double unknown =
        peck_report_value(r, "queries of the run that are not judged, left out");
    char without[64] = "";

    if (empty > 0)
        snprintf(without, sizeof without, ", %.0f of them without a relevant document",
                 empty);
    if (!printing_has_notes(&a->printing))
        talk_note(c->talk, "convention %.300s, %.0f quer%s%s", convention, n,
                  n == 1 ? "y" : "ies", without);
    if (a->run != NULL && left > 0 && !a->is_complete)
        talk_warning(c->talk,
                     "the run answers %.0f of %.0f judged queries, and is judged by these "
                     "alone; --complete counts the others as empty lists",
                     n, n + left);
    if (a->run != NULL && unknown > 0)
        talk_warning(c->talk,
                     "%.0f quer%s of the run %s not judged in --qrels, and ignored",
                     unknown, unknown == 1 ? "y" : "ies", unknown == 1 ? "is" : "are");
}

/* Scores whose order is the one that keeps the rules: of each query n - 1 for its first
 * document down to 0. */
static peck_status keep_rules(struct scored *s, const struct call *c,
                              const peck_rules *rules)
{
    const struct eval_args *a = c->args;
    peck_dataset_info info;
    peck_report *report = NULL;

    peck_dataset_describe(s->data, &info);
    uint32_t *const order = calloc(info.n_docs, sizeof *order);
    peck_status st = order != NULL ? PECK_OK : refuse(c->err, PECK_NOMEM, "out of memory");

    if (st == PECK_OK)
        st = peck_enforce_all(rules, s->data, s->score, a->read.threads, order, NULL, NULL,
                              &report, c->err);
    for (size_t i = 0; st == PECK_OK && i < s->n_queries; i++) {
        peck_query q;

        peck_dataset_query(s->data, i, &q);
        for (size_t place = 0; place < q.n_docs; place++)
            s->score[q.first + order[q.first + place]] = (double)(q.n_docs - 1 - place);
    }
    if (st == PECK_OK)
        tell_of_keeping(c->talk, rules, report);
    peck_report_free(report);
    free(order);
    return st;
}

/* Values per query are written before anything is printed: a full disk is told of alone. */
static peck_status eval_judge(peck_report **out, const struct call *c,
                              const peck_judge_spec *spec)
{
    const struct eval_args *a = c->args;
    struct scored s = { 0 };
    peck_rules *rules = NULL;
    peck_status st = a->keeping.rules != NULL
                         ? peck_rules_read(&rules, a->keeping.rules, c->err)
                         : PECK_OK;

    if (st == PECK_OK)
        st = a->run != NULL
                 ? peck_evaluate_run(out, a->run, a->qrels, a->is_complete, spec, c->err)
             : a->scores != NULL ? scored_read(&s, a->scores, c->word[0], &a->read, c->err)
                                 : scored_by_model(&s, c, c->word[0], c->word[1], &a->read,
                                                   a->match, NULL, NULL);
    if (st == PECK_OK && rules != NULL)
        st = keep_rules(&s, c, rules);
    if (st == PECK_OK && a->run == NULL)
        st = peck_evaluate_scores(out, s.data, s.score, spec, c->err);
    scored_free(&s);
    peck_rules_free(rules);
    if (st == PECK_OK && a->per_query != NULL)
        st = comm_follow(
            comm_speaks() ? peck_report_write_queries(*out, a->per_query, c->err) : PECK_OK,
            c->err);
    if (st == PECK_OK)
        tell_how_judged(c, *out, spec->convention);
    return st;
}

static peck_status eval_main(struct call *c)
{
    struct eval_args *a = c->args;
    const peck_status st = eval_check(c);

    if (a->scores == NULL && !a->keeping.enforces) /* rules look at the features of all */
        read_by_ranks(&a->read);
    return st == PECK_OK
               ? judge_and_print(c, eval_judge, &a->judging, a->read.threads, &a->printing)
               : st;
}

const struct verb verb_eval = {
    .name = "eval",
    .summary = "evaluate a model, scores or a TREC run against labels",
    .usage = { "MODEL DATA [options]", "DATA --scores FILE [options]",
               "--run RUN --qrels QRELS [options]" },
    .about =
        "Orders the documents of every query by score, highest first, and measures how "
        "well that order fits the labels. The scores are a model's, or come from a file "
        "that holds one number per line, in the order of DATA.\n\nMeasures differ between "
        "tools in gain, discount, queries without a relevant document, short lists and "
        "ties. A convention names all of these; the report says which one was used. "
        "Standard output gets name TAB value in a pipe; standard error then names the "
        "convention and the number of queries, unless --quiet.\n\nWith --rules and "
        "--enforce the orders are judged that `peck rank --enforce` prints: what it "
        "costs, or brings, to keep the rules.",
    .groups = { { "What is judged", eval_rows, 0 },
                { "Keeping rules", keeping_rows, offsetof(struct eval_args, keeping) },
                { "How", judging_rows, offsetof(struct eval_args, judging) },
                JUDGING_PARTS(offsetof(struct eval_args, judging.parts)),
                { "Printing", printing_rows, offsetof(struct eval_args, printing) },
                { "Reading DATA", reading_rows, offsetof(struct eval_args, read) },
                { "Matching features", match_rows, offsetof(struct eval_args, match) } },
    .examples = { { "A model on test data", "peck eval m.peck data.txt" },
                  { "The usual measures of a score file",
                    "peck eval data.txt --scores a.scores" },
                  { "By the rules of the LETOR 4.0 script, with each query's values",
                    "peck eval data.txt --scores a.scores -c letor4 -M ndcg@10,map "
                    "--per-query q.tsv" },
                  { "A preset with one part changed",
                    "peck eval data.txt -s a.scores --gain linear" },
                  { "The same model where every list keeps an expert's rules",
                    "peck eval m.peck data.txt --rules data.rules --enforce" },
                  { "A TREC run",
                    "peck eval --run run.txt --qrels qrels.txt -c trec --json" } },
    .args_size = sizeof(struct eval_args),
    .run = eval_main,
    .takes_ranks = 1,
};
