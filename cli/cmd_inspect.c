/* cmd_inspect.c -- what a model file says of itself, and what differs between two. */
#include "inputs.h"
#include "outputs.h"

struct inspect_args {
    struct printing printing;
    int is_diff, is_importance, is_weights;
};

static const struct opt inspect_rows[] = {
    { "diff", 0, OPT_FLAG, NULL, NULL,
      "print what differs between two models, and the largest difference of a weight",
      offsetof(struct inspect_args, is_diff) },
    { "importance", 0, OPT_FLAG, NULL, NULL,
      "print how often a model of trees or steps asks about each feature, and that "
      "feature's share of what all questions gained in training",
      offsetof(struct inspect_args, is_importance) },
    { "weights", 0, OPT_FLAG, NULL, NULL,
      "print the weight of each feature, of a linear model; the largest first",
      offsetof(struct inspect_args, is_weights) },
    { 0 }
};

static peck_status inspect_main(struct call *c)
{
    const struct inspect_args *a = c->args;
    peck_report *report = NULL;
    peck_model *model[2] = { NULL, NULL };
    peck_status st = PECK_OK;

    if (a->is_diff + a->is_importance + a->is_weights > 1)
        return refuse(
            c->err, PECK_ARG,
            "--diff, --importance and --weights print different things; give one");
    if (c->n_words != (a->is_diff ? 2 : 1))
        return refuse(c->err, PECK_ARG, "inspect takes %s; see `peck inspect --help`",
                      a->is_diff ? "two models after --diff" : "one MODEL");
    for (size_t i = 0; st == PECK_OK && i < c->n_words; i++)
        st = expect_model(c, c->word[i]);
    for (size_t i = 0; st == PECK_OK && i < c->n_words; i++)
        st = peck_model_load(&model[i], c->word[i], c->err);
    if (st == PECK_OK)
        st = a->is_diff         ? peck_model_diff(&report, model[0], model[1], c->err)
             : a->is_importance ? peck_model_importance(&report, model[0], c->err)
             : a->is_weights    ? peck_model_weights(&report, model[0], c->err)
                                : peck_model_describe(&report, model[0], c->err);
    st = print_report(st, report, &a->printing, c);
    peck_model_free(model[0]);
    peck_model_free(model[1]);
    return st;
}

const struct verb verb_inspect = {
    .name = "inspect",
    .summary = "describe a model file, or how two differ",
    .usage = { "MODEL [--importance|--weights] [--json]", "--diff A B [--json]" },
    .about =
        "A model file holds all it takes to use and to repeat the model: method and "
        "settings, shape, normaliser, features, convention, seed and the history of its "
        "training. With --diff only what is not the same in both files is printed; "
        "nothing but a weight difference of 0 means that they give the same scores.",
    .groups = { { "Report", inspect_rows, 0 },
                { "Printing", printing_rows, offsetof(struct inspect_args, printing) } },
    .examples = { { "Method, settings, shape, history", "peck inspect m.peck" },
                  { "What boosted trees look at", "peck inspect --importance trees.peck" },
                  { "What a linear model gives each feature",
                    "peck inspect --weights m.peck" },
                  { "What another seed changed", "peck inspect --diff m.peck n.peck" } },
    .args_size = sizeof(struct inspect_args),
    .run = inspect_main,
};
