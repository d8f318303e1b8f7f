/* cmd_rank.c -- the documents of every query in the order of a model. */
#include "listing.h"
#include "scored.h"
#include "shared.h"

struct args {
    peck_read_options read;
    const char *match, *format, *decoder;
    uint64_t top, n_classes, budget, seed;
    int with_gaps;
};

static const char *const usage[] = { "MODEL DATA [options]", NULL };

static const struct opt rows[] = {
    { "top", 'k', OPT_COUNT, "K", "0", "only the first K documents; 0 is all",
      offsetof(struct args, top) },
    { "gaps", 0, OPT_FLAG, NULL, NULL,
      "how far each document is ahead of the next; a * marks the peaks, where the class of "
      "the documents may change",
      offsetof(struct args, with_gaps) },
    { "classes", 0, OPT_COUNT, "K", "0",
      "cut every list at its K - 1 largest gaps, peaks first; class 1 is the best",
      offsetof(struct args, n_classes) },
    { 0 }
};

static const struct opt decoding_rows[] = {
    { "decoder", 0, OPT_TEXT, "NAME[:KEY=VALUE,...]", NULL,
      "how an order comes from comparisons (`peck list decoders`); without it tree, for a "
      "model that compares, and the scores of one that scores",
      offsetof(struct args, decoder) },
    { "budget", 0, OPT_COUNT, "Q", "0",
      "comparisons in a list at most, for decoders that can choose; 0 is their own",
      offsetof(struct args, budget) },
    { "seed", 0, OPT_COUNT, "N", "0", "seed of what a decoder draws",
      offsetof(struct args, seed) },
    { 0 }
};

/* --format is the output's here, so the reader has another name. */
static const struct opt format_rows[] = {
    { "format", 0, OPT_TEXT, "tsv|trec|json", "tsv", "how to print",
      offsetof(struct args, format) },
    { "reader", 0, OPT_TEXT, "NAME", NULL,
      "the reader to use; without it the file's content and name tell (`peck list "
      "readers`)",
      offsetof(struct args, read) + offsetof(peck_read_options, format) },
    { 0 }
};

static const struct opt_group groups[] = {
    { "What is printed", rows, 0 },
    { "Comparing", decoding_rows, 0 },
    { "Reading DATA", reading_rows, offsetof(struct args, read) },
    { "Reading DATA", format_rows, 0 },
    { "Matching features", match_rows, offsetof(struct args, match) },
    { 0 }
};

static const struct example examples[] = {
    { "The best three of every query", "peck rank m.peck data.txt --top 3" },
    { "A run for TREC's tools", "peck rank m.peck data.txt --format trec > m.run" },
    { "Everybody against everybody, with a model that compares",
      "peck rank m.peck data.txt --decoder championship" },
    { "Where classes part, without labels",
      "peck rank m.peck data.txt --gaps --classes 2" },
    { 0 }
};

static peck_status print_all(const struct args *a, const struct listing_format *format,
                             const struct scored *s, const struct room *r, peck_error *err)
{
    struct listing l = { .data = s->data,
                         .order = r->order,
                         .gap = a->with_gaps ? r->gap : NULL,
                         .is_peak = r->is_peak,
                         .class_at = a->n_classes > 0 ? r->class_at : NULL };
    peck_status st = PECK_OK;

    if (format->head != NULL)
        format->head(stdout, &l);
    for (size_t i = 0; st == PECK_OK && i < s->n_queries; i++) {
        peck_dataset_query(s->data, i, &l.query);
        l.score = s->score + l.query.first;
        l.n_shown = a->top > 0 && a->top < l.query.n_docs ? (size_t)a->top : l.query.n_docs;
        st = room_order(r, &l, (size_t)a->n_classes, err);
        if (st == PECK_OK)
            format->list(stdout, &l);
    }
    return st;
}

static void tell(struct talk *t, const peck_decode_info *info)
{
    char text[128];

    if (info->n_pairs == 0)
        return;
    snprintf(text, sizeof text, "%llu comparisons, %.1f %% of the %llu pairs",
             (unsigned long long)info->n_questions,
             100.0 * (double)info->n_questions / (double)info->n_pairs,
             (unsigned long long)info->n_pairs);
    talk_note(t, text);
}

static peck_status run(struct call *c)
{
    struct args *a = c->args;
    const peck_decode_spec spec = { .decoder = a->decoder,
                                    .budget = a->budget,
                                    .seed = a->seed,
                                    .threads = a->read.threads };
    peck_decode_info info;
    const struct listing_format *format = listing_find(a->format, c->err);
    struct scored s;
    struct room r = { 0 };

    if (format == NULL)
        return PECK_ARG;
    if (c->n_words != 2)
        return refuse(c->err, PECK_ARG,
                      "rank takes MODEL and DATA; see `peck rank --help`");
    a->read.labels_optional = 1;
    peck_status st = expect_model(c, c->word[0]);

    if (st != PECK_OK)
        return st;
    st = scored_decode(&s, c, c->word[0], c->word[1], &a->read, a->match, &spec, &info);
    if (st == PECK_OK)
        st = room_open(&r, s.data, c->err);
    if (st == PECK_OK)
        st = print_all(a, format, &s, &r, c->err);
    if (st == PECK_OK)
        tell(c->talk, &info);
    room_free(&r);
    scored_free(&s);
    return st;
}

const struct verb verb_rank = {
    .name = "rank",
    .summary = "put the documents of every query in a model's order",
    .usage = usage,
    .about =
        "Prints query, rank, document and score, best first; equal scores keep the order "
        "of DATA. A document without an id is named by its place in the query, counted "
        "from 0. DATA needs no labels. With --format trec it is a TREC run, with json one "
        "object a query and "
        "line.\n\n"
        "A model that compares (`peck inspect` shows its family) has no scores: a decoder "
        "asks it for comparisons and finds an order, printed as the score n - 1 of the "
        "first of n documents down to 0, or as the decoder's own score. How many "
        "comparisons it took is said on standard error. --decoder also takes a model that "
        "scores, as a comparator that is never at odds with itself.\n\n"
        "Neighbours in a sorted list lie far apart where the class of the documents "
        "changes (DirectRanker, section 5.3). --gaps prints the differences of "
        "neighbouring scores and marks the peaks: at least twice the list's mean and not "
        "below a neighbour. --classes cuts the lists there.",
    .groups = groups,
    .examples = examples,
    .args_size = sizeof(struct args),
    .run = run,
};
