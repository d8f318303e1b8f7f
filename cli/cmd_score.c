/* cmd_score.c -- a model's score of every document. */
#include "scored.h"
#include "shared.h"

#include <string.h>

struct args {
    peck_read_options read;
    const char *out;
};

static const char *const usage[] = { "MODEL DATA [options]", NULL };

static const struct opt rows[] = { { "out", 'o', OPT_TEXT, "FILE", "-",
                                     "where to; \"-\" is standard output",
                                     offsetof(struct args, out) },
                                   { 0 } };

static const struct opt_group groups[] = { { "Output", rows, 0 },
                                           { "Reading DATA", reading_rows,
                                             offsetof(struct args, read) },
                                           { 0 } };

static const struct example examples[] = {
    { "Into a file that eval and compare read", "peck score m.peck data.txt -o m.scores" },
    { "From a pipe", "cat data.txt | peck score m.peck - | head -n 3" },
    { 0 }
};

static peck_status run(struct call *c)
{
    const struct args *a = c->args;
    struct scored s;

    if (c->n_words != 2)
        return refuse(c->err, PECK_ARG,
                      "score takes MODEL and DATA; see `peck score --help`");
    peck_status st = scored_open(&s, c->word[0], c->word[1], &a->read, c->err);

    if (st == PECK_OK) {
        st = peck_scores_write(s.score, a->out, s.data, c->err);
        if (strcmp(a->out, "-") == 0)
            st = forgive_closed_pipe(st);
    }
    scored_free(&s);
    return st;
}

const struct verb verb_score = {
    .name = "score",
    .summary = "print a model's score of every document",
    .usage = usage,
    .about =
        "Prints one number a line, in the order of DATA's own lines, with all the digits "
        "it takes to read the same number back. Labels are not looked at. DATA holds raw "
        "features: the model scales them as it did in training.",
    .groups = groups,
    .examples = examples,
    .args_size = sizeof(struct args),
    .run = run,
};
