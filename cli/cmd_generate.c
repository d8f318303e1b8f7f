/* cmd_generate.c -- data made to order. */
#include "outputs.h"

#include <string.h>

struct generate_args {
    const char **settings;
    const char *out, *to;
    uint64_t seed;
    int is_forced;
};

static const struct opt generate_rows[] = {
    { "out", 'o', OPT_TEXT, "OUT", NULL, "the file to write; \"-\" is standard output",
      offsetof(struct generate_args, out) },
    { "set", 0, OPT_LIST, "KEY=VALUE", NULL,
      "a setting of the kind, may be repeated (`peck help KIND`)",
      offsetof(struct generate_args, settings) },
    SEED_ROW(struct generate_args, seed, "the same seed gives the same bytes"),
    { "to", 't', OPT_TEXT, "FORMAT", NULL,
      "the writer to use; default: by the ending of OUT (`peck list writers`)",
      offsetof(struct generate_args, to) },
    FORCE_ROW(struct generate_args),
    { 0 }
};

static peck_status generate_main(struct call *c)
{
    const struct generate_args *a = c->args;

    if (c->n_words != 1)
        return refuse(c->err, PECK_ARG,
                      "generate takes one KIND; `peck list generators` names them");
    if (a->out == NULL)
        return refuse(c->err, PECK_ARG,
                      "missing -o OUT, the file to write (\"-o -\" is standard output)");
    const struct output_file out = { a->out, "data" };
    peck_status st = outputs_check(c, &out, 1, &(struct input_files){ 0 }, a->is_forced);

    if (st != PECK_OK)
        return st;
    talk_catch_interrupts();
    const peck_generate_spec spec = {
        .kind = c->word[0],
        .settings = a->settings,
        .seed = a->seed,
        .path = a->out,
        .format = a->to,
        .progress = talk_progress,
        .ctx = c->talk,
    };
    st = peck_generate(&spec, c->err);
    return strcmp(a->out, "-") == 0 ? forgive_closed_pipe(st) : st;
}

const struct verb verb_generate = {
    .name = "generate",
    .summary = "make a synthetic data set of any size",
    .usage = { "KIND -o OUT [options]" },
    .about =
        "Writes a synthetic data set of the given KIND (`peck list generators`), one "
        "query at a time, so that only the disk limits its size. The same kind, settings "
        "and seed give the same bytes everywhere.",
    .groups = { { "What is made", generate_rows, 0 } },
    .examples = { { "A set that looks like web search",
                    "peck generate web --set queries=20 -o web.txt" },
                  { "Another one, as a spreadsheet in a pipe",
                    "peck generate web --set queries=2 --seed 7 -o - --to csv | head -n "
                    "3" },
                  { "What there is to set", "peck help web" } },
    .args_size = sizeof(struct generate_args),
    .run = generate_main,
};
