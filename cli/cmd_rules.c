/* cmd_rules.c -- what an expert knows, beside data: is it understood, is it kept? */
#include "outputs.h"
#include "scored.h"
#include "shared.h"

#include <string.h>

struct args {
    peck_read_options read;
    const char *match, *per_query;
    int as_json, is_forced;
};

static const char *const usage[] = { "check RULES DATA [options]",
                                     "eval RULES MODEL DATA [options]", NULL };

static const struct opt rows[] = {
    { "per-query", 0, OPT_TEXT, "FILE", NULL,
      "eval: write for each query which rules hold and their penalties",
      offsetof(struct args, per_query) },
    { "json", 0, OPT_FLAG, NULL, NULL, "print JSON", offsetof(struct args, as_json) },
    FORCE_ROW(struct args),
    { 0 }
};

static const struct opt_group groups[] = {
    { "Report", rows, 0 },
    { "Reading DATA", reading_rows, offsetof(struct args, read) },
    { "Matching features", match_rows, offsetof(struct args, match) },
    { 0 }
};

static const struct example examples[] = {
    { "How Peck understands the rules, and how many queries each is about",
      "peck rules check data.rules data.txt" },
    { "How many queries break them under a model, one line a query in a file",
      "peck rules eval data.rules m.peck data.txt --per-query rules.tsv" },
    { 0 }
};

static peck_status check(peck_report **out, const peck_rules *r, const struct call *c)
{
    const struct args *a = c->args;
    peck_dataset *data = NULL;
    peck_status st = peck_dataset_read(&data, c->word[2], &a->read, c->err);

    if (st == PECK_OK)
        st = peck_rules_check(out, r, data, c->err);
    peck_dataset_free(data);
    return st;
}

static peck_status evaluate(peck_report **out, const peck_rules *r, const struct call *c)
{
    const struct args *a = c->args;
    struct scored s;
    peck_status st = scored_open(&s, c, c->word[2], c->word[3], &a->read, a->match);

    if (st == PECK_OK)
        st = peck_rules_evaluate(out, r, s.data, s.score, c->err);
    if (st == PECK_OK && a->per_query != NULL)
        st = peck_report_write_queries(*out, a->per_query, c->err);
    scored_free(&s);
    return st;
}

static peck_status check_files(const struct call *c)
{
    const struct args *a = c->args;
    const struct output_file out = { a->per_query, "text" };
    struct input_files in = { 0 };

    for (size_t i = 1; i < c->n_words; i++)
        input_files_add_data(&in, c->word[i], &a->read);
    const peck_status st = outputs_check(c, &out, 1, &in, a->is_forced);

    return st == PECK_OK && c->n_words == 4 ? expect_model(c, c->word[2]) : st;
}

static peck_status run(struct call *c)
{
    const struct args *a = c->args;
    const int is_check = c->n_words == 3 && strcmp(c->word[0], "check") == 0;
    const int is_eval = c->n_words == 4 && strcmp(c->word[0], "eval") == 0;
    peck_rules *rules = NULL;
    peck_report *report = NULL;

    if (!is_check && !is_eval)
        return refuse(c->err, PECK_ARG,
                      "rules takes \"check RULES DATA\" or \"eval RULES MODEL DATA\"; see "
                      "`peck rules --help`");
    if (is_check && (a->per_query != NULL || a->match != NULL))
        return refuse(c->err, PECK_ARG, "--%s is for rules eval",
                      a->per_query != NULL ? "per-query" : "match");
    peck_status st = check_files(c);

    if (st == PECK_OK)
        st = peck_rules_read(&rules, c->word[1], c->err);
    if (st == PECK_OK)
        st = is_check ? check(&report, rules, c) : evaluate(&report, rules, c);
    if (st == PECK_OK)
        st = print_report(report, a->as_json, c->err);
    peck_report_free(report);
    peck_rules_free(rules);
    return st;
}

const struct verb verb_rules = {
    .name = "rules",
    .summary = "check rules against data, or count the queries that break them",
    .usage = usage,
    .about =
        "RULES is a file of clauses such as\n\n"
        "sport: forall q | q.topic_sport > 0 : exists d : top(3, d) and d.topic_sport > "
        "0\n\n"
        "(the language: docs/RULES.md). `check` shows each clause with its quantifiers in "
        "front, the size of its truth table and how many queries of DATA it speaks of. "
        "`eval` ranks DATA by MODEL and counts the queries in which each rule holds "
        "outright; the penalty is what training with --rules would see, the mean over the "
        "queries that the rule speaks of.",
    .groups = groups,
    .examples = examples,
    .args_size = sizeof(struct args),
    .run = run,
};
