/* cmd_score.c -- a model's score of every document. */
#include "inputs.h"
#include "outputs.h"

#include <string.h>

struct score_args {
    peck_read_options read;
    const char *match, *out;
    int is_forced;
};

static const struct opt score_rows[] = { { "out", 'o', OPT_TEXT, "FILE", "-",
                                           "the file to write; \"-\" is standard output",
                                           offsetof(struct score_args, out) },
                                         FORCE_ROW(struct score_args),
                                         { 0 } };

static peck_status score_main(struct call *c)
{
    struct score_args *a = c->args;
    const peck_decode_spec usual = { .threads = a->read.threads };
    const struct output_file out = { a->out, "scores" };
    struct input_files in = { 0 };
    struct scored s = { 0 };

    if (c->n_words != 2)
        return refuse(c->err, PECK_ARG,
                      "score takes MODEL and DATA; see `peck score --help`");
    a->read.labels_optional = 1;
    read_by_ranks(&a->read);
    input_files_add(&in, c->word[0]);
    input_files_add_data(&in, c->word[1], &a->read);
    peck_status st = outputs_check(c, &out, 1, &in, a->is_forced);

    if (st == PECK_OK)
        st = expect_model(c, c->word[0]);
    if (st == PECK_OK)
        st = scored_by_model(&s, c, c->word[0], c->word[1], &a->read, a->match, &usual,
                             NULL);
    if (st == PECK_OK) {
        if (comm_speaks())
            st = peck_scores_write(s.score, a->out, s.data, c->err);
        if (strcmp(a->out, "-") == 0)
            st = forgive_closed_pipe(st);
        st = comm_follow(st, c->err);
    }
    scored_free(&s);
    return st;
}

const struct verb verb_score = {
    .name = "score",
    .summary = "print a model's score for every document",
    .usage = { "MODEL DATA [options]" },
    .about =
        "Prints one number per line, in the order of DATA's own lines, with all the "
        "digits it takes to read the same number back. Labels are ignored and may be "
        "missing. DATA holds raw features: the model scales them as it did in "
        "training.\n\nThe scores of most models depend on the other documents of the "
        "query (`peck inspect` says so): DATA then holds whole lists, and scores of "
        "different queries cannot be compared. Models of `peck train --alone` score each "
        "document by itself.",
    .groups = { { "Output", score_rows, 0 },
                { "Reading DATA", reading_rows, offsetof(struct score_args, read) },
                { "Matching features", match_rows, offsetof(struct score_args, match) } },
    .examples = { { "Into a file that eval and compare read",
                    "peck score m.peck data.txt -o m.scores" },
                  { "From a pipe", "cat data.txt | peck score m.peck - | head -n 3" } },
    .args_size = sizeof(struct score_args),
    .run = score_main,
    .takes_ranks = 1,
};
