/* cmd_rank.c -- the documents of every query in the order of a model. */
#include "inputs.h"
#include "outputs.h"

#include <stdlib.h>
#include <string.h>

struct rank_args {
    peck_read_options read;
    const char *match, *format, *decoder;
    uint64_t top, n_classes, budget, seed;
    int with_gaps;
};

static const struct opt rank_rows[] = {
    { "top", 'k', OPT_COUNT, "K", "0", "only the first K documents; 0 is all",
      offsetof(struct rank_args, top) },
    { "gaps", 0, OPT_FLAG, NULL, NULL,
      "how far each document is ahead of the next; a * marks the peaks, where the class of "
      "the documents may change",
      offsetof(struct rank_args, with_gaps) },
    { "classes", 0, OPT_COUNT, "K", "0",
      "cut every list at its K - 1 largest gaps, peaks first; class 1 is the best",
      offsetof(struct rank_args, n_classes) },
    { 0 }
};

static const struct opt rank_decoding_rows[] = {
    { "decoder", 0, OPT_TEXT, "NAME[:KEY=VALUE,...]", NULL,
      "how an order comes from comparisons (`peck list decoders`); without "
      "it " PECK_DEFAULT_DECODER ", for a "
      "model that compares, and the scores of one that scores",
      offsetof(struct rank_args, decoder) },
    { "budget", 0, OPT_COUNT, "Q", "0",
      "comparisons in a list at most, for decoders that can choose; 0 is their own",
      offsetof(struct rank_args, budget) },
    { "seed", 0, OPT_COUNT, "N", "0", "seed of what a decoder draws",
      offsetof(struct rank_args, seed) },
    { 0 }
};

/* --format is the output's here, so the reader has another name. */
static const struct opt rank_format_rows[] = {
    { "format", 0, OPT_TEXT, "tsv|trec|json", "tsv", "how to print",
      offsetof(struct rank_args, format) },
    { "reader", 0, OPT_TEXT, "NAME", NULL,
      "the reader to use; without it the file's content and name tell (`peck list "
      "readers`)",
      offsetof(struct rank_args, read) + offsetof(peck_read_options, format) },
    { 0 }
};

/* One query's documents in order. */
struct listing {
    const peck_dataset *data;
    peck_query query;
    const double *score; /* of the query's documents, in the dataset's order */
    uint32_t *order;     /* n_docs */
    size_t n_shown;      /* the first of them */
    double *gap;         /* to the next document; n_docs - 1 */
    unsigned char *is_peak;
    uint32_t *class_at; /* n_docs */
    int with_gaps, with_classes;
};

/* Its id; a document without one goes by its place in the query, counted from 0, as in a
 * file of preferences. */
static peck_span doc_name_at(const struct listing *l, size_t rank, char place[16])
{
    const peck_span id = peck_dataset_doc_id(l->data, l->query.first + l->order[rank]);

    if (id.n > 0)
        return id;
    return (peck_span){ place,
                        (size_t)snprintf(place, 16, "%u", (unsigned)l->order[rank]) };
}

/* query, rank, document, score; then the gap to the next one ("-" for the last) and the class. */
static void list_tsv(FILE *to, const struct listing *l)
{
    char place[16];

    for (size_t i = 0; i < l->n_shown; i++) {
        put_plain(to, l->query.id, ' ');
        fprintf(to, "\t%zu\t", i + 1);
        put_plain(to, doc_name_at(l, i, place), ' ');
        fprintf(to, "\t%.9g", l->score[l->order[i]]);
        if (l->with_gaps && i + 1 < l->query.n_docs)
            fprintf(to, "\t%.9g\t%s", l->gap[i], l->is_peak[i] ? "*" : "");
        else if (l->with_gaps)
            fputs("\t-\t", to);
        if (l->with_classes)
            fprintf(to, "\t%u", (unsigned)l->class_at[i]);
        fputc('\n', to);
    }
}

/* query Q0 document rank score name: blanks part the fields, so no id may hold one. */
static void list_trec(FILE *to, const struct listing *l)
{
    char place[16];

    for (size_t i = 0; i < l->n_shown; i++) {
        put_plain(to, l->query.id, '_');
        fputs(" Q0 ", to);
        put_plain(to, doc_name_at(l, i, place), '_');
        fprintf(to, " %zu %.9g peck\n", i + 1, l->score[l->order[i]]);
    }
}

/* One object a query and line. */
static void list_json(FILE *to, const struct listing *l)
{
    fputs("{\"query\": ", to);
    put_json(to, l->query.id);
    fputs(", \"documents\": [", to);
    for (size_t i = 0; i < l->n_shown; i++) {
        const peck_span id = peck_dataset_doc_id(l->data, l->query.first + l->order[i]);

        fprintf(to, "%s{\"document\": ", i > 0 ? ", " : "");
        if (id.n > 0)
            put_json(to, id);
        else
            fprintf(to, "%u", (unsigned)l->order[i]);
        fprintf(to, ", \"score\": %.9g", l->score[l->order[i]]);
        if (l->with_gaps && i + 1 < l->query.n_docs)
            fprintf(to, ", \"gap\": %.9g, \"peak\": %s", l->gap[i],
                    l->is_peak[i] ? "true" : "false");
        if (l->with_classes)
            fprintf(to, ", \"class\": %u", (unsigned)l->class_at[i]);
        fputc('}', to);
    }
    fputs("]}\n", to);
}

static const struct list_format {
    const char *name;
    void (*list)(FILE *to, const struct listing *l);
} list_formats[] = { { "tsv", list_tsv }, { "trec", list_trec }, { "json", list_json } };
enum { N_LIST_FORMATS = sizeof list_formats / sizeof *list_formats };

/* Query by query; the buffers are as long as the longest list. */
static peck_status print_lists(const struct rank_args *a, const struct list_format *format,
                               const struct scored *s, peck_error *err)
{
    struct listing l = { .data = s->data,
                         .with_gaps = a->with_gaps,
                         .with_classes = a->n_classes > 0 };
    size_t longest = 1;

    for (size_t i = 0; i < s->n_queries; i++) {
        peck_dataset_query(s->data, i, &l.query);
        longest = l.query.n_docs > longest ? l.query.n_docs : longest;
    }
    l.order = calloc(longest, sizeof *l.order);
    l.class_at = calloc(longest, sizeof *l.class_at);
    l.gap = calloc(longest, sizeof *l.gap);
    l.is_peak = calloc(longest, sizeof *l.is_peak);
    peck_status st =
        l.order != NULL && l.class_at != NULL && l.gap != NULL && l.is_peak != NULL
            ? PECK_OK
            : refuse(err, PECK_NOMEM, "out of memory");

    if (st == PECK_OK && format->list == list_tsv)
        printf("query\trank\tdocument\tscore%s%s\n", l.with_gaps ? "\tgap\tpeak" : "",
               l.with_classes ? "\tclass" : "");
    for (size_t i = 0; st == PECK_OK && i < s->n_queries; i++) {
        peck_dataset_query(s->data, i, &l.query);
        const size_t n = l.query.n_docs;

        l.score = s->score + l.query.first;
        l.n_shown = a->top > 0 && a->top < n ? (size_t)a->top : n;
        st = peck_order(l.score, n, l.order, err);
        if (st == PECK_OK)
            peck_gaps(l.score, l.order, n, l.gap, l.is_peak);
        if (st == PECK_OK && l.with_classes)
            st = peck_classes(l.gap, n, (size_t)a->n_classes, l.class_at, err);
        if (st == PECK_OK)
            format->list(stdout, &l);
    }
    free(l.order);
    free(l.class_at);
    free(l.gap);
    free(l.is_peak);
    return st;
}

static peck_status rank_main(struct call *c)
{
    struct rank_args *a = c->args;
    const peck_decode_spec spec = { .decoder = a->decoder,
                                    .budget = a->budget,
                                    .seed = a->seed,
                                    .threads = a->read.threads };
    peck_decode_info info;
    struct scored s = { 0 };
    size_t f = 0;

    while (f < N_LIST_FORMATS && strcmp(list_formats[f].name, a->format) != 0)
        f++;
    if (f == N_LIST_FORMATS)
        return refuse(c->err, PECK_ARG, "unknown format '%.60s'; give tsv, trec or json",
                      a->format);
    if (c->n_words != 2)
        return refuse(c->err, PECK_ARG,
                      "rank takes MODEL and DATA; see `peck rank --help`");
    a->read.labels_optional = 1;
    peck_status st = expect_model(c, c->word[0]);

    if (st == PECK_OK)
        st = scored_by_model(&s, c, c->word[0], c->word[1], &a->read, a->match, &spec,
                             &info);
    if (st == PECK_OK)
        st = print_lists(a, &list_formats[f], &s, c->err);
    if (st == PECK_OK && info.n_pairs > 0)
        talk_note(c->talk, "%llu comparisons, %.1f %% of the %llu pairs",
                  (unsigned long long)info.n_questions,
                  100.0 * (double)info.n_questions / (double)info.n_pairs,
                  (unsigned long long)info.n_pairs);
    scored_free(&s);
    return st;
}

const struct verb verb_rank = {
    .name = "rank",
    .summary = "put the documents of every query in a model's order",
    .usage = { "MODEL DATA [options]" },
    .about =
        "Prints query, rank, document and score, best first; equal scores keep the order "
        "of DATA. A document without an id is named by its place in the query, counted "
        "from 0. DATA needs no labels. With --format trec it is a TREC run, with json one "
        "object a query and line.\n\n"
        "A model that compares (`peck inspect` shows its family) has no scores: a decoder "
        "asks it for comparisons and finds an order, printed as the score n - 1 of the "
        "first of n documents down to 0, or as the decoder's own score. How many "
        "comparisons it took is said on standard error. --decoder also takes a model that "
        "scores, as a comparator that is never at odds with itself.\n\n"
        "Neighbours in a sorted list lie far apart where the class of the documents "
        "changes (DirectRanker, section 5.3). --gaps prints the differences of "
        "neighbouring scores and marks the peaks: at least twice the list's mean and not "
        "below a neighbour. --classes cuts the lists there.",
    .groups = { { "What is printed", rank_rows, 0 },
                { "Comparing", rank_decoding_rows, 0 },
                { "Reading DATA", reading_rows, offsetof(struct rank_args, read) },
                { "Reading DATA", rank_format_rows, 0 },
                { "Matching features", match_rows, offsetof(struct rank_args, match) } },
    .examples = { { "The best three of every query", "peck rank m.peck data.txt --top 3" },
                  { "A run for TREC's tools",
                    "peck rank m.peck data.txt --format trec > m.run" },
                  { "Everybody against everybody, with a model that compares",
                    "peck rank m.peck data.txt --decoder championship" },
                  { "Where classes part, without labels",
                    "peck rank m.peck data.txt --gaps --classes 2" } },
    .args_size = sizeof(struct rank_args),
    .run = rank_main,
};
