/* cmd_eval.c -- a model, scores or a TREC run against labels. */
#include "outputs.h"
#include "scored.h"
#include "shared.h"

#include <string.h>

struct args {
    peck_read_options read;
    struct judging judging;
    const char *match, *scores, *run, *qrels, *per_query;
    int is_complete, as_json, is_forced;
};

static const char *const usage[] = { "MODEL DATA [options]", "DATA --scores FILE [options]",
                                     "--run RUN --qrels QRELS [options]", NULL };

static const struct opt rows[] = {
    { "scores", 's', OPT_TEXT, "FILE", NULL, "one number a line, in the order of DATA",
      offsetof(struct args, scores) },
    { "run", 0, OPT_TEXT, "FILE", NULL, "a TREC run: query Q0 document rank score name",
      offsetof(struct args, run) },
    { "qrels", 0, OPT_TEXT, "FILE", NULL, "TREC judgements: query 0 document label",
      offsetof(struct args, qrels) },
    { "complete", 0, OPT_FLAG, NULL, NULL,
      "a judged query that the run leaves out counts as an empty list",
      offsetof(struct args, is_complete) },
    { "per-query", 0, OPT_TEXT, "FILE", NULL, "also write every query's own values here",
      offsetof(struct args, per_query) },
    { "json", 0, OPT_FLAG, NULL, NULL, "print JSON", offsetof(struct args, as_json) },
    FORCE_ROW(struct args),
    { 0 }
};

static const struct opt_group groups[] = {
    { "What is judged", rows, 0 },
    { "How", judging_rows, offsetof(struct args, judging) },
    JUDGING_PARTS(offsetof(struct args, judging.parts)),
    { "Reading DATA", reading_rows, offsetof(struct args, read) },
    { "Matching features", match_rows, offsetof(struct args, match) },
    { 0 }
};

static const struct example examples[] = {
    { "A model on test data", "peck eval m.peck data.txt" },
    { "The usual measures of a score file", "peck eval data.txt --scores a.scores" },
    { "By the rules of the LETOR 4.0 script, with each query's values",
      "peck eval data.txt --scores a.scores -c letor4 -m ndcg@10,map --per-query q.tsv" },
    { "A preset with one part changed", "peck eval data.txt -s a.scores --gain linear" },
    { "A TREC run", "peck eval --run run.txt --qrels qrels.txt -c trec --json" },
    { 0 }
};

static peck_status check(const struct call *c, const struct args *a)
{
    if (a->match != NULL && (a->run != NULL || a->scores != NULL))
        return refuse(c->err, PECK_ARG, "--match is for MODEL DATA");
    if (a->run != NULL || a->qrels != NULL) {
        if (a->run == NULL || a->qrels == NULL)
            return refuse(c->err, PECK_ARG, "--run and --qrels go together");
        if (c->n_words > 0 || a->scores != NULL)
            return refuse(
                c->err, PECK_ARG,
                "a run is judged by its qrels alone: leave out DATA and --scores");
        return PECK_OK;
    }
    if (a->is_complete)
        return refuse(c->err, PECK_ARG, "--complete is for --run and --qrels");
    if (c->n_words == 0 || c->n_words > 2 || (c->n_words == 2 && a->scores != NULL))
        return refuse(c->err, PECK_ARG, "%s; see `peck eval --help`",
                      c->n_words == 0
                          ? "which data? eval takes MODEL DATA, or DATA --scores FILE"
                          : "eval takes one DATA");
    if (c->n_words == 1 && a->scores == NULL)
        return refuse(c->err, PECK_ARG,
                      "which scores? eval takes MODEL DATA, or DATA --scores FILE");
    return PECK_OK;
}

static peck_status check_files(const struct call *c, const struct args *a)
{
    const struct output_file out = { a->per_query, "text" };
    struct input_files in = { 0 };

    input_files_add(&in, a->scores);
    input_files_add(&in, a->run);
    input_files_add(&in, a->qrels);
    for (size_t i = 0; i < c->n_words; i++)
        input_files_add_data(&in, c->word[i], &a->read);
    const peck_status st = outputs_check(c, &out, 1, &in, a->is_forced);

    return st == PECK_OK && c->n_words == 2 ? expect_model(c, c->word[0]) : st;
}

static peck_status judge_scores(peck_report **out, const struct call *c,
                                const peck_judge_spec *spec)
{
    const struct args *a = c->args;
    struct scored s;
    peck_status st = a->scores != NULL
                         ? scored_read(&s, a->scores, c->word[0], &a->read, c->err)
                         : scored_open(&s, c, c->word[0], c->word[1], &a->read, a->match);

    if (st == PECK_OK)
        st = peck_evaluate_scores(out, s.data, s.score, spec, c->err);
    scored_free(&s);
    return st;
}

/* What lines of name TAB value leave out, and the other formats tell. */
static void say_how(const struct call *c, const peck_report *r, const char *convention)
{
    const double n = peck_report_value(r, "queries");
    const double empty = peck_report_value(r, "queries without a relevant document");
    char text[512], without[64] = "";

    if (empty > 0)
        snprintf(without, sizeof without, ", %.0f of them without a relevant document",
                 empty);
    snprintf(text, sizeof text, "convention %.300s, %.0f quer%s%s", convention, n,
             n == 1 ? "y" : "ies", without);
    talk_note(c->talk, text);
}

/* A run need not have all that was judged, nor the other way round. */
static void warn_of_gaps(const struct call *c, const peck_report *r)
{
    const struct args *a = c->args;
    const double n = peck_report_value(r, "queries");
    const double left = peck_report_value(r, "judged queries that the run does not answer");
    const double unknown =
        peck_report_value(r, "queries of the run that are not judged, left out");
    char text[256];

    if (left > 0 && !a->is_complete) {
        snprintf(
            text, sizeof text,
            "the run answers %.0f of %.0f judged queries, and is judged by these alone; "
            "--complete counts the others as empty lists",
            n, n + left);
        talk_warning(c->talk, text);
    }
    if (unknown > 0) {
        snprintf(text, sizeof text,
                 "%.0f quer%s of the run %s not judged in --qrels, and left out", unknown,
                 unknown == 1 ? "y" : "ies", unknown == 1 ? "is" : "are");
        talk_warning(c->talk, text);
    }
}

static peck_status judge(peck_report **out, const struct call *c,
                         const peck_judge_spec *spec)
{
    const struct args *a = c->args;
    peck_status st = a->run != NULL ? peck_evaluate_run(out, a->run, a->qrels,
                                                        a->is_complete, spec, c->err)
                                    : judge_scores(out, c, spec);

    if (st == PECK_OK && a->per_query != NULL)
        st = peck_report_write_queries(*out, a->per_query, c->err);
    if (st == PECK_OK && strcmp(report_format(a->as_json), "tsv") == 0)
        say_how(c, *out, spec->convention);
    if (st == PECK_OK && a->run != NULL)
        warn_of_gaps(c, *out);
    return st;
}

static peck_status run(struct call *c)
{
    const struct args *a = c->args;
    peck_status st = check(c, a);

    if (st == PECK_OK)
        st = check_files(c, a);
    if (st != PECK_OK)
        return st;
    return judge_and_print(c, judge, &a->judging, a->read.threads, a->as_json);
}

const struct verb verb_eval = {
    .name = "eval",
    .summary = "judge a model, scores or a TREC run against labels",
    .usage = usage,
    .about =
        "Orders the documents of every query by score, highest first, and measures how "
        "well that order fits the labels. The scores are a model's, or come from a file "
        "that holds one number a line, in the order of DATA.\n\n"
        "Measures differ between tools in gain, discount, queries without a relevant "
        "document, short lists and ties. A convention names all of these; the report "
        "says which one was used. Standard output gets name TAB value in a pipe; standard "
        "error then names the convention and the number of queries, unless --quiet.",
    .groups = groups,
    .examples = examples,
    .args_size = sizeof(struct args),
    .run = run,
};
