/* cmd_inspect.c -- what a model file says of itself, and what differs between two. */
#include "shared.h"

struct args {
    int is_diff, is_importance, as_json;
};

static const char *const usage[] = { "MODEL [--importance] [--json]", "--diff A B [--json]",
                                     NULL };

static const struct opt rows[] = {
    { "diff", 0, OPT_FLAG, NULL, NULL,
      "print what differs between two models, and the largest difference of a weight",
      offsetof(struct args, is_diff) },
    { "importance", 0, OPT_FLAG, NULL, NULL,
      "print how often a model of trees asks about each feature, and that feature's share "
      "of what all questions gained in training",
      offsetof(struct args, is_importance) },
    { "json", 0, OPT_FLAG, NULL, NULL, "print JSON", offsetof(struct args, as_json) },
    { 0 }
};

static const struct opt_group groups[] = { { "Report", rows, 0 }, { 0 } };

static const struct example examples[] = {
    { "Method, settings, shape, history", "peck inspect m.peck" },
    { "What boosted trees look at", "peck inspect --importance trees.peck" },
    { "What another seed changed", "peck inspect --diff m.peck n.peck" },
    { 0 }
};

static peck_status describe(peck_report **out, const struct call *c, int is_importance)
{
    peck_model *a = NULL, *b = NULL;
    peck_status st = peck_model_load(&a, c->word[0], c->err);

    if (st == PECK_OK && c->n_words == 2)
        st = peck_model_load(&b, c->word[1], c->err);
    if (st == PECK_OK && b != NULL)
        st = peck_model_diff(out, a, b, c->err);
    else if (st == PECK_OK)
        st = is_importance ? peck_model_importance(out, a, c->err)
                           : peck_model_describe(out, a, c->err);
    peck_model_free(a);
    peck_model_free(b);
    return st;
}

static peck_status run(struct call *c)
{
    const struct args *a = c->args;
    peck_report *report = NULL;

    if (c->n_words != (a->is_diff ? 2 : 1))
        return refuse(c->err, PECK_ARG, "inspect takes %s; see `peck inspect --help`",
                      a->is_diff ? "two models after --diff" : "one MODEL");
    peck_status st = PECK_OK;

    for (size_t i = 0; st == PECK_OK && i < c->n_words; i++)
        st = expect_model(c, c->word[i]);
    if (st == PECK_OK)
        st = describe(&report, c, a->is_importance);
    if (st == PECK_OK)
        st = print_report(report, a->as_json, c->err);
    peck_report_free(report);
    return st;
}

const struct verb verb_inspect = {
    .name = "inspect",
    .summary = "show what a model file says of itself, or how two differ",
    .usage = usage,
    .about =
        "A model file holds all it takes to use and to repeat the model: method and "
        "settings, shape, normaliser, features, convention, seed and the history of its "
        "training. With --diff only what is not the same in both files is printed; "
        "nothing but a weight difference of 0 means that they give the same scores.",
    .groups = groups,
    .examples = examples,
    .args_size = sizeof(struct args),
    .run = run,
};
