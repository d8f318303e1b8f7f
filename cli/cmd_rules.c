/* cmd_rules.c -- what an expert knows, beside data: is it understood, is it kept? */
#include "inputs.h"
#include "outputs.h"

#include <string.h>

struct rules_args {
    struct printing printing;
    peck_read_options read;
    const char *match, *per_query, *before;
    int is_forced;
};

static const struct opt rules_rows[] = {
    { "per-query", 0, OPT_TEXT, "FILE", NULL,
      "write for each query which rules hold and their penalties; check: which can hold, "
      "and "
      "which contradict each other",
      offsetof(struct rules_args, per_query) },
    { "before", 0, OPT_TEXT, "MODEL", NULL,
      "eval: print before and after, before being the order of this model",
      offsetof(struct rules_args, before) },
    FORCE_ROW(struct rules_args),
    { 0 }
};

/* "check" reads rules against data alone; "eval" asks a model and counts what holds. */
static peck_status rules_main(struct call *c)
{
    const struct rules_args *a = c->args;
    const int is_check = c->n_words == 3 && strcmp(c->word[0], "check") == 0;
    const int is_eval = c->n_words == 4 && strcmp(c->word[0], "eval") == 0;
    const struct output_file out = { a->per_query, "text" };
    struct input_files in = { 0 };
    struct scored s = { 0 }, before = { 0 };
    peck_rules *rules = NULL;
    peck_report *report = NULL;

    if (!is_check && !is_eval)
        return refuse(c->err, PECK_ARG,
                      "rules takes \"check RULES DATA\" or \"eval RULES MODEL DATA\"; see "
                      "`peck rules --help`");
    if (is_check && (a->match != NULL || a->before != NULL))
        return refuse(c->err, PECK_ARG, "--%s is for rules eval",
                      a->match != NULL ? "match" : "before");
    if (a->before != NULL && strcmp(c->word[3], "-") == 0)
        return refuse(c->err, PECK_ARG,
                      "--before reads DATA twice: give a file, not standard input");
    for (size_t i = 1; i < c->n_words; i++)
        input_files_add_data(&in, c->word[i], &a->read);
    input_files_add(&in, a->before);
    peck_status st = outputs_check(c, &out, 1, &in, a->is_forced);

    if (st == PECK_OK && is_eval)
        st = expect_model(c, c->word[2]);
    if (st == PECK_OK && a->before != NULL)
        st = expect_model(c, a->before);
    if (st == PECK_OK)
        st = peck_rules_read(&rules, c->word[1], c->err);
    if (st == PECK_OK)
        st = is_check ? peck_dataset_read(&s.data, c->word[2], &a->read, c->err)
                      : scored_by_model(&s, c, c->word[2], c->word[3], &a->read, a->match,
                                        NULL, NULL);
    if (st == PECK_OK && a->before != NULL)
        st = scored_by_model(&before, c, a->before, c->word[3], &a->read, a->match, NULL,
                             NULL);
    if (st == PECK_OK)
        st = is_check ? peck_rules_check(&report, rules, s.data, c->err)
             : a->before != NULL
                 ? peck_rules_compare(&report, rules, s.data, before.score, s.score, c->err)
                 : peck_rules_evaluate(&report, rules, s.data, s.score, c->err);
    if (st == PECK_OK && a->per_query != NULL)
        st = peck_report_write_queries(report, a->per_query, c->err);
    st = print_report(st, report, &a->printing, c);
    scored_free(&s);
    scored_free(&before);
    peck_rules_free(rules);
    return st;
}

const struct verb verb_rules = {
    .name = "rules",
    .summary = "check rules against data, or count the queries that break them",
    .usage = { "check RULES DATA [options]", "eval RULES MODEL DATA [options]" },
    .about =
        "RULES is a file of clauses such as\n\nsport: forall q | q.topic_sport > 0 : "
        "exists d : top(3, d) and d.topic_sport > 0\n\n(the language: docs/RULES.md). "
        "`check` shows each clause with its quantifiers in front, the size of its truth "
        "table, how many queries of DATA it speaks of and in how many of them some order "
        "keeps it; rules that no ranking can change are remarked on, and those that "
        "contradict each other (two, or only all of a larger set) are listed with some of "
        "the queries where they do (--per-query: with all of them). `eval` ranks DATA by "
        "MODEL and counts the queries in "
        "which each rule holds outright; the penalty is what training with --rules would "
        "see, the mean over the queries that the rule speaks of. With --before it "
        "reports both before and after: `mended` counts queries in which only the new "
        "order keeps the rule, `newly_broken` those in which only the old one did.",
    .groups = { { "Report", rules_rows, 0 },
                { "Printing", printing_rows, offsetof(struct rules_args, printing) },
                { "Reading DATA", reading_rows, offsetof(struct rules_args, read) },
                { "Matching features", match_rows, offsetof(struct rules_args, match) } },
    .examples = { { "How Peck understands the rules, and how many queries each is about",
                    "peck rules check data.rules data.txt" },
                  { "How many queries break them under a model, one line per query in a "
                    "file",
                    "peck rules eval data.rules m.peck data.txt --per-query rules.tsv" },
                  { "What a model trained with the rules mends",
                    "peck rules eval data.rules m.peck data.txt --before n.peck" } },
    .settings = "Settings of a clause, written behind it (weight 2 alpha 3)",
    .setting_at = peck_rules_param_at,
    .args_size = sizeof(struct rules_args),
    .run = rules_main,
};
