/* cmd_blend.c -- models of any methods become a committee, in one file. */
#include "inputs.h"
#include "outputs.h"

#include <stdlib.h>

struct blend_args {
    struct printing printing;
    peck_read_options read;
    const char *match, *out, *valid, *weights, *metric, *convention;
    uint64_t seed;
    int is_alone, is_forced;
};

static const struct opt blend_rows[] = {
    { "out", 'o', OPT_TEXT, "FILE", NULL, "the file to write the committee to",
      offsetof(struct blend_args, out) },
    { "blend-weights", 0, OPT_TEXT, "equal|greedy", "equal",
      "how much each model counts; greedy: what does best on the validation data",
      offsetof(struct blend_args, weights) },
    { "valid", 0, OPT_TEXT, "FILE", NULL, "validation data, in any format that is read",
      offsetof(struct blend_args, valid) },
    { "alone", 0, OPT_FLAG, NULL, NULL,
      "score each document by itself, whatever list it comes in: models trained with "
      "--alone, scaled by their scores of the validation data",
      offsetof(struct blend_args, is_alone) },
    { "metric", 'M', OPT_TEXT, "NAME", PECK_DEFAULT_METRIC,
      "what greedy chooses by (`peck list metrics`)", offsetof(struct blend_args, metric) },
    CONVENTION_ROW(struct blend_args, convention),
    SEED_ROW(struct blend_args, seed, "seed of random ties"),
    FORCE_ROW(struct blend_args),
    { 0 }
};

static void blend_note(void *ctx, const char *text)
{
    talk_note(ctx, "%s", text);
}

/* What would go wrong at the end goes wrong now, before models and data are read. */
static peck_status blend_check(const struct call *c)
{
    const struct blend_args *a = c->args;
    const struct output_file out = { a->out, "model" };
    struct input_files in = { 0 };

    if (a->out == NULL || c->n_words == 0)
        return refuse(c->err, PECK_ARG, "missing %s: `peck blend -o MODEL A B C ...`",
                      a->out == NULL ? "-o MODEL, the file to write"
                                     : "the models to blend");
    for (size_t i = 0; i < c->n_words; i++)
        input_files_add(&in, c->word[i]);
    input_files_add_data(&in, a->valid, &a->read);
    peck_status st = outputs_check(c, &out, 1, &in, a->is_forced);

    for (size_t i = 0; st == PECK_OK && i < c->n_words; i++)
        st = expect_model(c, c->word[i]);
    return st;
}

/* Models and validation data in, the committee out, and what it says of itself printed. */
static peck_status blend_main(struct call *c)
{
    const struct blend_args *a = c->args;
    peck_dataset *valid = NULL;
    peck_model *committee = NULL;
    peck_report *report = NULL;
    peck_status st = blend_check(c);

    if (st != PECK_OK)
        return st;
    peck_model **model = calloc(c->n_words, sizeof *model);

    if (model == NULL)
        return refuse(c->err, PECK_NOMEM, "out of memory");
    for (size_t i = 0; st == PECK_OK && i < c->n_words; i++)
        st = peck_model_load(&model[i], c->word[i], c->err);
    if (st == PECK_OK && a->valid != NULL)
        st = peck_dataset_read(&valid, a->valid, &a->read, c->err);
    const peck_blend_spec spec = { .model = (const peck_model *const *)model,
                                   .name = (const char *const *)c->word,
                                   .n_models = c->n_words,
                                   .weights = a->weights,
                                   .valid = valid,
                                   .metric = a->metric,
                                   .convention = a->convention,
                                   .alone = a->is_alone,
                                   .seed = a->seed,
                                   .threads = a->read.threads,
                                   .match = a->match,
                                   .warn = blend_note,
                                   .ctx = c->talk };

    if (st == PECK_OK)
        st = peck_blend(&committee, &spec, c->err);
    if (st == PECK_OK)
        st = peck_model_save(committee, a->out, c->err);
    if (st == PECK_OK)
        st = peck_model_describe(&report, committee, c->err);
    st = print_report(st, report, &a->printing, c);
    peck_model_free(committee);
    peck_dataset_free(valid);
    for (size_t i = 0; i < c->n_words; i++)
        peck_model_free(model[i]);
    free(model);
    return st;
}

const struct verb verb_blend = {
    .name = "blend",
    .summary = "make one model of several: a committee",
    .usage = { "-o MODEL A B C ... [options]" },
    .about =
        "The models may be of any methods. They look at the same features; where features "
        "have names, each finds its own, so they may come in another order, and not all "
        "models need to know all of them. The file scores, ranks and is judged like any "
        "other: each model's scores are standardised over the query (mean 0, deviation 1) "
        "and averaged by weight. A model that compares has the sum of a document's "
        "preferences over all others as its score. A committee among A B C counts as the "
        "models in it.\n\n"
        "So its scores depend on the list. With --alone they do not: the models, which "
        "must have been trained with --alone too, are brought to mean 0 and deviation 1 "
        "over the validation data instead.\n\n"
        "With --blend-weights greedy the model joins that does best on the validation data "
        "together with those who joined before, again and again; the best round counts, "
        "and a weight is how often a model joined (Caruana et al. 2004). On few queries "
        "that may be chance: equal weights are hard to beat.\n\n"
        "Prints what `peck inspect` prints of the committee.",
    .groups = { { "The committee", blend_rows, 0 },
                { "Printing", printing_rows, offsetof(struct blend_args, printing) },
                { "Reading FILE", reading_rows, offsetof(struct blend_args, read) },
                { "Matching features", match_rows, offsetof(struct blend_args, match) } },
    .examples = { { "Two models with equal weights",
                    "peck blend -o both.peck m.peck n.peck" },
                  { "Weights chosen on validation data",
                    "peck blend -o both.peck m.peck n.peck --valid data.txt "
                    "--blend-weights "
                    "greedy" } },
    .args_size = sizeof(struct blend_args),
    .run = blend_main,
};
