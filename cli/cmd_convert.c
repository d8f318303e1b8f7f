/* cmd_convert.c -- one format into another, whole or one part of a fold. */
#include "outputs.h"

#include <string.h>

struct convert_args {
    peck_read_options read;
    const char *to, *part;
    uint64_t folds, fold, seed;
    int is_of_clicks, is_forced;
};

static const struct opt convert_rows[] = {
    { "to", 't', OPT_TEXT, "FORMAT", NULL,
      "the writer to use; default: by the ending of OUT (`peck list writers`)",
      offsetof(struct convert_args, to) },
    { "clicks", 0, OPT_FLAG, NULL, NULL,
      "the labels of IN are click-through rates in [0,1]: cut them into seven equal parts, "
      "labels 0, 0.5 to 3",
      offsetof(struct convert_args, is_of_clicks) },
    FORCE_ROW(struct convert_args),
    { 0 }
};

static const struct opt convert_fold_rows[] = {
    { "folds", 0, OPT_COUNT, "K", NULL, "cut the queries into K folds and write one part",
      offsetof(struct convert_args, folds) },
    { "fold", 0, OPT_COUNT, "I", "1", "which fold, from 1 to K",
      offsetof(struct convert_args, fold) },
    { "part", 0, OPT_TEXT, "train|valid|test", "train", "which part of the fold",
      offsetof(struct convert_args, part) },
    SEED_ROW(struct convert_args, seed, "seed of the shuffle"),
    { 0 }
};

static peck_status convert_check(const struct call *c)
{
    const struct convert_args *a = c->args;

    if (c->n_words != 2)
        return refuse(c->err, PECK_ARG,
                      "convert takes IN and OUT; see `peck convert --help`");
    if (a->folds > 0 && (a->fold < 1 || a->fold > a->folds))
        return refuse(c->err, PECK_ARG, "--fold goes from 1 to %llu",
                      (unsigned long long)a->folds);
    if (a->folds == 0 && (a->fold != 1 || strcmp(a->part, "train") != 0))
        return refuse(c->err, PECK_ARG, "--fold and --part need --folds K");
    const struct output_file out = { c->word[1], "data" };
    struct input_files in = { 0 };

    input_files_add_data(&in, c->word[0], &a->read);
    return outputs_check(c, &out, 1, &in, a->is_forced);
}

/* Read, give labels of clicks, take a part of a fold, write: each only where it is asked for. */
static peck_status convert_main(struct call *c)
{
    struct convert_args *a = c->args;
    peck_dataset *read = NULL, *labelled = NULL, *part = NULL;
    peck_dataset_info info;
    peck_status st = convert_check(c);

    if (st != PECK_OK)
        return st;
    a->read.labels_optional = !a->is_of_clicks;
    st = peck_dataset_read(&read, c->word[0], &a->read, c->err);
    if (st == PECK_OK && a->is_of_clicks) {
        st = peck_dataset_clicks(&labelled, read, c->err);
    } else if (st == PECK_OK) {
        peck_dataset_describe(read, &info);
        /* A column of labels by an odd name would pass as a feature without a word. */
        if (info.n_judged == 0 &&
            (strcmp(info.reader, "csv") == 0 || strcmp(info.reader, "tsv") == 0))
            talk_note(c->talk, "no document has a label; if there is a column of labels, "
                               "name it with --label-column");
    }
    const peck_dataset *const whole = labelled != NULL ? labelled : read;

    if (st == PECK_OK && a->folds > 0)
        st = peck_dataset_fold(&part, whole, (size_t)a->folds, (size_t)a->fold - 1, a->part,
                               a->seed, c->err);
    if (st == PECK_OK)
        st = peck_dataset_write(part != NULL ? part : whole, c->word[1], a->to, c->err);
    if (strcmp(c->word[1], "-") == 0)
        st = forgive_closed_pipe(st);
    peck_dataset_free(part);
    peck_dataset_free(labelled);
    peck_dataset_free(read);
    return st;
}

const struct verb verb_convert = {
    .name = "convert",
    .summary = "change the format of a data set, or cut it into folds",
    .usage = { "IN OUT [options]" },
    .about =
        "Reads IN, whatever its format, and writes OUT: LETOR text, CSV, TSV or the "
        "binary cache. IN needs no labels. A name that ends in .gz or .zst is compressed. "
        "OUT is written completely or not at all.\n\nWith --folds the queries are "
        "shuffled and split into K parts; of fold I, part I is for testing, the next for "
        "validation and the others for training.",
    .groups = { { "Writing OUT", convert_rows, 0 },
                { "Folds by query", convert_fold_rows, 0 },
                { "Reading IN", reading_rows, offsetof(struct convert_args, read) } },
    .examples = { { "Text to the binary cache, which opens at once",
                    "peck convert data.txt data.peckdata" },
                  { "A spreadsheet of the first two features",
                    "peck convert data.txt data.csv --features 1-2" },
                  { "The test part of the second of five folds",
                    "peck convert data.txt test.txt.gz --folds 5 --fold 2 --part test" },
                  { "Click-through rates to labels",
                    "peck convert --clicks rates.csv labels.txt" },
                  { "To a pipe", "peck convert data.txt - --to csv | head -n 2" } },
    .args_size = sizeof(struct convert_args),
    .run = convert_main,
};
