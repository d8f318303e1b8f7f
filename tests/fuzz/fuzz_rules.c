/* fuzz_rules.c -- a file of rules beside a tiny dataset: whatever is understood can be
 * checked, judged hard and soft, and printed so that it is understood again.          */
#include "memory_file.h"
#include "promise.h"

#include "rules/rules.h"

#include <math.h>
#include <string.h>

enum { N_DOCS = 3, MANY = 1 << 16 }; /* MANY: bytes of a clause in prenex form */

/* Combinations of documents times rows are bounded, or a case would take minutes. */
static bool is_quick(const peck_rules *r)
{
    for (size_t i = 0; i < rules_count(r); i++) {
        const struct rule_shape shape = rules_shape(r, i);

        if (shape.n_quantifiers > 8 || shape.n_atoms > 8 ||
            rules_config(r, i)->most > 100000)
            return false;
    }
    return true;
}

static void promise_reread(const peck_rules *r)
{
    struct text all;
    peck_rules *again = NULL;

    text_init(&all, MANY);
    for (size_t i = 0; i < rules_count(r); i++) {
        text_printf(&all, "r%zu: ", i);
        rules_print(r, i, &all);
        text_add_str(&all, "\n");
    }
    if (!all.failed) {
        memory_file("again.rules", (const uint8_t *)all.s, all.len);
        /* a guard may use definitions, and a line may grow too long */
        if (peck_rules_read(&again, "again.rules", NULL) == PECK_OK)
            promise(rules_count(again) == rules_count(r), "printed rules are as many");
    }
    peck_rules_free(again);
    text_free(&all);
}

static void promise_evaluation(const peck_rules *r, const peck_dataset *d)
{
    const double score[N_DOCS] = { 0.5, -1.0, 2.0 };
    peck_report *report = NULL;
    peck_error err = { PECK_OK, "" };
    const peck_status st = peck_rules_evaluate(&report, r, d, score, &err);

    promise_outcome(st, report, &err);
    if (st == PECK_OK) {
        const double share = peck_report_value(report, "broken_share");

        promise(share >= 0.0 && share <= 1.0, "a share is one");
    }
    peck_report_free(report);
}

/* Whatever the rules say, orders are orders, and what was kept holds. */
static void promise_enforcing(const peck_rules *r, const peck_dataset *d)
{
    const double score[N_DOCS] = { 0.5, -1.0, 2.0 };
    uint32_t order[N_DOCS] = { 9, 9, 9 };
    peck_enforced info[2];
    peck_report *report = NULL;
    peck_error err = { PECK_OK, "" };
    const peck_status st =
        peck_enforce_all(r, d, score, 1, order, NULL, info, &report, &err);

    promise_outcome(st, report, &err);
    if (st == PECK_OK) {
        promise(order[0] + order[1] == 1 && order[0] != order[1] && order[2] == 0,
                "every document has a place");
        promise(info[0].cost >= 0.0 && info[0].n_given_up <= info[0].n_rules,
                "what is told can be");
    }
    peck_report_free(report);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char text[] = "# 1 sport\n# 2 age\n# 3 query_sport\n"
                               "1 qid:a 1:1 2:3 3:1\n0 qid:a 1:0.5 2:4 3:1\n2 qid:b 2:9\n";
    const peck_read_options options = { .format = "letor", .threads = 1 };
    peck_dataset *d = NULL;
    peck_rules *r = NULL;
    peck_report *report = NULL;
    peck_error err = { PECK_OK, "" };

    memory_file("data.txt", (const uint8_t *)text, strlen(text));
    memory_file("a.rules", data, size);
    promise(peck_dataset_read(&d, "data.txt", &options, &err) == PECK_OK,
            "the dataset is fine");
    peck_status st = peck_rules_read(&r, "a.rules", &err);

    promise_outcome(st, r, &err);
    if (st == PECK_OK && is_quick(r)) {
        promise_reread(r);
        st = peck_rules_check(&report, r, d, &err);
        promise_outcome(st, report, &err);
        if (st == PECK_OK) {
            promise_evaluation(r, d);
            promise_enforcing(r, d);
        }
    }
    peck_report_free(report);
    peck_rules_free(r);
    peck_dataset_free(d);
    memory_clear();
    return 0;
}
