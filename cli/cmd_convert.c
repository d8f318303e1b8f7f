/* cmd_convert.c -- one format into another, whole or one part of a fold. */
#include "inputs.h"
#include "outputs.h"

#include <string.h>

enum { MOST_SHARDS = 99999 };

struct convert_args {
    peck_read_options read;
    const char *to, *part;
    uint64_t folds, fold, seed, shards;
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
    { "shards", 0, OPT_COUNT, "N", NULL,
      "write N files of whole queries, OUT-00001-of-0000N, ..., to be read as one by "
      "'OUT-*' "
      "(docs/CLUSTER.md)",
      offsetof(struct convert_args, shards) },
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

/* OUT with the number of a shard (from 0) before its endings: "train-00001-of-00004.txt.gz" of
 * "train.txt.gz". */
static peck_status shard_path(char path[MAX_PATH], const struct call *c, size_t i)
{
    static const char *const packed[] = { ".gz", ".zst" };
    const struct convert_args *a = c->args;
    const char *const out = c->word[1], *const slash = strrchr(out, '/');
    const size_t base = slash != NULL ? (size_t)(slash - out) + 1 : 0;
    size_t n = strlen(out);

    for (size_t k = 0; k < sizeof packed / sizeof *packed; k++)
        if (n > strlen(packed[k]) && strcmp(out + n - strlen(packed[k]), packed[k]) == 0)
            n -= strlen(packed[k]);
    for (size_t k = n; k > base + 1; k--)
        if (out[k - 1] == '.') {
            n = k - 1;
            break;
        }
    return snprintf(path, MAX_PATH, "%.*s-%05zu-of-%05zu%s", (int)n, out, i + 1,
                    (size_t)a->shards, out + n) < MAX_PATH
               ? PECK_OK
               : refuse(c->err, PECK_ARG, "%.100s...: the name is too long", out);
}

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
    if (a->shards > MOST_SHARDS)
        return refuse(c->err, PECK_ARG, "--shards takes up to %d", MOST_SHARDS);
    if (a->shards > 0 && strcmp(c->word[1], "-") == 0)
        return refuse(c->err, PECK_ARG, "--shards writes files; give OUT a name");
    struct output_file out = { c->word[1], "data" };
    char path[MAX_PATH];
    peck_status st = PECK_OK;

    for (size_t i = 0; st == PECK_OK && i < (a->shards > 0 ? a->shards : 1); i++) {
        struct input_files in = { 0 };

        if (a->shards > 0)
            st = shard_path(path, c, i);
        out.path = a->shards > 0 ? path : c->word[1];
        input_files_add_data(&in, c->word[0], &a->read);
        if (st == PECK_OK)
            st = outputs_check(c, &out, 1, &in, a->is_forced);
        else
            input_files_free(&in);
    }
    return st;
}

/* Parts of whole queries, one after the other. */
static peck_status write_shards(const struct call *c, const peck_dataset *d)
{
    const struct convert_args *a = c->args;
    peck_status st = PECK_OK;
    char path[MAX_PATH];

    for (size_t i = 0; st == PECK_OK && i < a->shards; i++) {
        peck_dataset *part = NULL;

        st = shard_path(path, c, i);
        if (st == PECK_OK)
            st = peck_dataset_fold(&part, d, (size_t)a->shards, i, "shard", 0, c->err);
        if (st == PECK_OK)
            st = peck_dataset_write(part, path, a->to, c->err);
        peck_dataset_free(part);
    }
    return st;
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
    if (st == PECK_OK && a->shards > 0)
        st = write_shards(c, part != NULL ? part : whole);
    else if (st == PECK_OK)
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
        "validation and the others for training. With --shards OUT becomes several files, "
        "for processes that read a part each.",
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
