/* cmd_rank.c -- the documents of every query in the order of a model. */
#include "inputs.h"
#include "outputs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct rank_args {
    struct printing printing;
    peck_read_options read;
    const char *match, *decoder, *cuts;
    uint64_t top, n_classes, budget, seed;
    int with_gaps;
    struct keeping keeping;
    const char *per_query;
    int is_forced;
};

static const struct opt rank_rows[] = {
    FORMAT_ROWS(struct rank_args, printing, "table|tsv|trec|csv|json|latex|markdown"),
    { "top", 'k', OPT_COUNT, "K", "0", "only the first K documents; 0 is all",
      offsetof(struct rank_args, top) },
    { "gaps", 0, OPT_FLAG, NULL, NULL,
      "how far each document is ahead of the next; a * marks the peaks, where the class of "
      "the documents may change",
      offsetof(struct rank_args, with_gaps) },
    { "classes", 0, OPT_COUNT, "K", "0",
      "cut every list at its K - 1 largest gaps, peaks first; class 1 is the best",
      offsetof(struct rank_args, n_classes) },
    { "cuts", 0, OPT_TEXT, "list|all|FILE", "list",
      "where --classes cuts: each list at its own gaps; all lists at the same scores, "
      "found by the gaps of all; or at those that separate the labels of FILE best",
      offsetof(struct rank_args, cuts) },
    { "per-query", 0, OPT_TEXT, "FILE", NULL,
      "with --enforce: write for each query which rules were kept and given up, at what "
      "cost, and whether that is proven to be the best",
      offsetof(struct rank_args, per_query) },
    FORCE_ROW(struct rank_args),
    { 0 }
};

static const struct opt rank_decoding_rows[] = {
    { "decoder", 'd', OPT_TEXT, "NAME[:KEY=VALUE,...]", NULL,
      "how an order comes from comparisons (`peck list decoders`); without "
      "it " PECK_DEFAULT_DECODER ", for a "
      "model that compares, and the scores of one that scores",
      offsetof(struct rank_args, decoder) },
    { "budget", 0, OPT_COUNT, "Q", "0",
      "maximum number of comparisons per list, for decoders that can choose; 0: their own",
      offsetof(struct rank_args, budget) },
    { "seed", 0, OPT_COUNT, "N", "0", "seed of what a decoder draws",
      offsetof(struct rank_args, seed) },
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
    const double *gaps;        /* of all documents in order; NULL: differences of scores */
    const double *threshold;   /* of --cuts, one less than classes; NULL: by gaps */
    const struct ruled *ruled; /* NULL: the order is by score */
    size_t number;             /* of the query, from 0 */
};

/* Orders that keep rules. */
struct ruled {
    peck_rules *rules;
    size_t n_rules;
    uint32_t *order;     /* of all documents, within their queries */
    signed char *kept;   /* [n_queries][n_rules] */
    peck_enforced *info; /* n_queries */
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
        /* TREC's tools sort by score, whatever the rank. */
        fprintf(to, " %zu %.9g peck\n", i + 1,
                l->ruled != NULL ? (double)(l->query.n_docs - i) : l->score[l->order[i]]);
    }
}

/* "rules": what became of them in this query. */
static void json_ruled(FILE *to, const struct ruled *r, size_t query)
{
    const peck_enforced *const info = &r->info[query];
    const char *comma = "";

    fprintf(to, ", \"rules\": {\"given_up\": [");
    for (size_t i = 0; i < r->n_rules; i++)
        if (r->kept[query * r->n_rules + i] == 0) {
            fputs(comma, to);
            put_json(to, peck_rules_name(r->rules, i));
            comma = ", ";
        }
    fprintf(to, "], \"cost\": %.9g, \"proven\": %s}", info->cost,
            info->is_proven ? "true" : "false");
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
    fputc(']', to);
    if (l->ruled != NULL)
        json_ruled(to, l->ruled, l->number);
    fputs("}\n", to);
}

/* Formats that are printed query by query; the others are a table, printed at its end. */
static const struct list_format {
    const char *name;
    void (*list)(FILE *to, const struct listing *l);
} list_formats[] = { { "tsv", list_tsv }, { "trec", list_trec }, { "json", list_json } };
enum { N_LIST_FORMATS = sizeof list_formats / sizeof *list_formats };

/* The columns of list_tsv as a table. */
static void table_begin(peck_report *r, const struct listing *l)
{
    const char *column[7] = { "query", "rank", "document", "score" };
    size_t n = 4;

    if (l->with_gaps) {
        column[n++] = "gap";
        column[n++] = "peak";
    }
    if (l->with_classes)
        column[n++] = "class";
    peck_report_add_table(r, "", n, column);
}

static void table_add(peck_report *r, const struct listing *l, int decimals)
{
    char place[16];

    for (size_t i = 0; i < l->n_shown; i++) {
        const int is_last = i + 1 == l->query.n_docs;

        peck_report_add_cell(r, l->query.id);
        peck_report_add_cell_number(r, (double)(i + 1), 0);
        peck_report_add_cell(r, doc_name_at(l, i, place));
        peck_report_add_cell_number(r, l->score[l->order[i]], decimals);
        if (l->with_gaps) {
            peck_report_add_cell_number(r, is_last ? (double)NAN : l->gap[i], decimals);
            peck_report_add_cell(r, (peck_span){ "*", !is_last && l->is_peak[i] });
        }
        if (l->with_classes)
            peck_report_add_cell_number(r, l->class_at[i], 0);
    }
}

/* The classes of one query: between its own gaps, or by the thresholds. */
static peck_status list_classes(const struct listing *l, size_t n_classes, peck_error *err)
{
    if (l->threshold == NULL)
        return peck_classes(l->gap, l->query.n_docs, n_classes, l->class_at, err);
    for (size_t i = 0; i < l->query.n_docs; i++) {
        l->class_at[i] = 1;
        while (l->class_at[i] < n_classes &&
               l->score[l->order[i]] < l->threshold[l->class_at[i] - 1])
            l->class_at[i]++;
    }
    return PECK_OK;
}

/* Query by query; the buffers are as long as the longest list. */
static peck_status print_lists(const struct call *c, const struct scored *s,
                               const struct ruled *ruled, const double *gaps,
                               const double *threshold)
{
    const struct rank_args *const a = c->args;
    const struct printing how = { .format = listing_format(&a->printing) };
    const int decimals = strcmp(how.format, "csv") == 0 ? 9 : 4;
    const struct list_format *format = list_formats;
    peck_report *table = NULL;
    peck_error *const err = c->err;
    struct listing l = { .data = s->data,
                         .ruled = ruled,
                         .with_gaps = a->with_gaps,
                         .with_classes = a->n_classes > 0,
                         .gaps = gaps,
                         .threshold = threshold };
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

    while (format < list_formats + N_LIST_FORMATS && strcmp(format->name, how.format) != 0)
        format++;
    if (st == PECK_OK && format == list_formats + N_LIST_FORMATS) {
        st = peck_report_new(&table, err);
        if (st == PECK_OK)
            table_begin(table, &l);
    } else if (st == PECK_OK && format->list == list_tsv)
        printf("query\trank\tdocument\tscore%s%s\n", l.with_gaps ? "\tgap\tpeak" : "",
               l.with_classes ? "\tclass" : "");
    for (size_t i = 0; st == PECK_OK && i < s->n_queries; i++) {
        peck_dataset_query(s->data, i, &l.query);
        const size_t n = l.query.n_docs;

        l.score = s->score + l.query.first;
        l.number = i;
        l.n_shown = a->top > 0 && a->top < n ? (size_t)a->top : n;
        if (ruled != NULL)
            memcpy(l.order, ruled->order + l.query.first, n * sizeof *l.order);
        else
            st = peck_order(l.score, n, l.order, err);
        if (st == PECK_OK && l.gaps == NULL)
            peck_gaps(l.score, l.order, n, l.gap, NULL);
        else if (st == PECK_OK && n > 0)
            memcpy(l.gap, l.gaps + l.query.first, (n - 1) * sizeof *l.gap);
        if (st == PECK_OK)
            peck_peaks(l.gap, n, l.is_peak);
        if (st == PECK_OK && l.with_classes)
            st = list_classes(&l, (size_t)a->n_classes, err);
        if (st == PECK_OK && table != NULL)
            table_add(table, &l, decimals);
        else if (st == PECK_OK)
            format->list(stdout, &l);
    }
    if (table != NULL)
        st = print_report(st, table, &how, c);
    free(l.order);
    free(l.class_at);
    free(l.gap);
    free(l.is_peak);
    return st;
}

/* What the model says of neighbours in the order of a decoder, whose scores count places
 * alone; *gaps stays NULL where the scores are the model's. */
static peck_status ask_gaps(double **gaps, const struct rank_args *a,
                            const struct scored *s, const peck_decode_info *info,
                            peck_error *err)
{
    peck_dataset_info about;

    *gaps = NULL;
    if (info->n_pairs == 0 || (!a->with_gaps && a->n_classes == 0))
        return PECK_OK;
    peck_dataset_describe(s->data, &about);
    *gaps = calloc(about.n_docs, sizeof **gaps);
    if (*gaps == NULL)
        return refuse(err, PECK_NOMEM, "out of memory for %zu gaps", about.n_docs);
    return peck_model_gaps(s->model, s->fit, s->score, *gaps, err);
}

/* The thresholds of --cuts; *threshold stays NULL where each list is cut at its own gaps. */
static peck_status find_cuts(double **threshold, const struct call *c,
                             const struct scored *s, const peck_decode_info *info)
{
    const struct rank_args *const a = c->args;
    const int is_all = strcmp(a->cuts, "all") == 0;
    const size_t n = (size_t)a->n_classes;
    peck_read_options labelled = a->read;
    struct scored own;

    *threshold = NULL;
    if (strcmp(a->cuts, "list") == 0)
        return PECK_OK;
    if (n < 2)
        return refuse(c->err, PECK_ARG,
                      "--cuts %.60s separates classes; give their number, 2 or more, with "
                      "--classes",
                      a->cuts);
    if (info->n_pairs > 0 || !peck_model_scores_alone(s->model))
        return refuse(
            c->err, PECK_ARG,
            "scores of this model mean nothing outside their list, so no threshold "
            "is for all; leave --cuts out, or train a model that scores with --alone");
    *threshold = calloc(n, sizeof **threshold);
    if (*threshold == NULL)
        return refuse(c->err, PECK_NOMEM, "out of memory for %zu thresholds", n);
    if (is_all)
        return peck_thresholds(s->data, s->score, n, 0, *threshold, c->err);
    labelled.labels_optional = 0;
    peck_status st =
        scored_by_model(&own, c, c->word[0], a->cuts, &labelled, a->match, NULL, NULL);

    if (st == PECK_OK)
        st = peck_thresholds(own.data, own.score, n, 1, *threshold, c->err);
    scored_free(&own);
    return st;
}

/* Finds orders that keep the rules. */
static peck_status enforce_rules(struct ruled *r, const struct call *c,
                                 const struct rank_args *a, const struct scored *s,
                                 peck_report **report)
{
    peck_dataset_info info;

    peck_dataset_describe(s->data, &info);
    r->n_rules = peck_rules_count(r->rules);
    r->order = calloc(info.n_docs, sizeof *r->order);
    r->kept = calloc(info.n_queries, r->n_rules);
    r->info = calloc(info.n_queries, sizeof *r->info);
    if (r->order == NULL || r->kept == NULL || r->info == NULL)
        return refuse(c->err, PECK_NOMEM, "out of memory");
    return peck_enforce_all(r->rules, s->data, s->score, a->read.threads, r->order, r->kept,
                            r->info, report, c->err);
}

/* What was given up, query by query, and where the search was not exact. */
static void tell_of_rules(struct talk *talk, const struct ruled *r, const struct scored *s,
                          const peck_report *report)
{
    enum { SHOWN = 5 };
    size_t n = 0;

    for (size_t i = 0; i < s->n_queries; i++) {
        char names[120] = "";
        peck_query q;

        for (size_t k = 0; k < r->n_rules; k++) {
            const peck_span name = peck_rules_name(r->rules, k);
            const size_t used = strlen(names);

            if (r->kept[i * r->n_rules + k] == 0)
                snprintf(names + used, sizeof names - used, "%s%.*s", used > 0 ? ", " : "",
                         (int)name.n, name.s);
        }
        if (r->info[i].n_given_up == 0 || n++ >= SHOWN)
            continue;
        peck_dataset_query(s->data, i, &q);
        talk_note(talk, "query '%.*s': %s given up: %s", (int)q.id.n, q.id.s, names,
                  r->info[i].is_proven ? "no order keeps all rules"
                                       : "searched, not proven");
    }
    if (n > SHOWN)
        talk_note(talk, "... and %zu more queries; --per-query FILE has all", n - SHOWN);
    tell_of_keeping(talk, r->rules, report);
}

/* What does not go together. */
static peck_status check_rank_rules(const struct call *c, const struct rank_args *a)
{
    const peck_status st = keeping_check(&a->keeping, c->err);

    if (st != PECK_OK)
        return st;
    if (a->per_query != NULL && !a->keeping.enforces)
        return refuse(c->err, PECK_ARG, "--per-query is for --enforce");
    if (a->keeping.enforces && (a->with_gaps || a->n_classes > 0))
        return refuse(c->err, PECK_ARG,
                      "--gaps and --classes are of the order by score; leave --enforce "
                      "out");
    return PECK_OK;
}

static peck_status rank_main(struct call *c)
{
    struct rank_args *a = c->args;
    const peck_decode_spec spec = { .decoder = a->decoder,
                                    .budget = a->budget,
                                    .seed = a->seed,
                                    .threads = a->read.threads };
    peck_decode_info info;
    const struct output_file out = { a->per_query, "text" };
    struct input_files in = { 0 };
    struct scored s = { 0 };
    double *gaps = NULL, *threshold = NULL;
    struct ruled ruled = { 0 };
    peck_report *report = NULL;

    if (c->n_words != 2)
        return refuse(c->err, PECK_ARG,
                      "rank takes MODEL and DATA; see `peck rank --help`");
    a->read.labels_optional = 1;
    peck_status st = check_rank_rules(c, a);

    input_files_add(&in, c->word[0]);
    input_files_add_data(&in, c->word[1], &a->read);
    input_files_add(&in, a->keeping.rules);
    if (st == PECK_OK)
        st = outputs_check(c, &out, 1, &in, a->is_forced);
    else
        input_files_free(&in);
    if (st == PECK_OK)
        st = expect_model(c, c->word[0]);
    if (st == PECK_OK && a->keeping.rules != NULL)
        st = peck_rules_read(&ruled.rules, a->keeping.rules, c->err);
    if (st == PECK_OK)
        st = scored_by_model(&s, c, c->word[0], c->word[1], &a->read, a->match, &spec,
                             &info);
    if (st == PECK_OK && a->keeping.rules != NULL)
        st = enforce_rules(&ruled, c, a, &s, &report);
    if (st == PECK_OK && a->per_query != NULL)
        st = peck_report_write_queries(report, a->per_query, c->err);
    if (st == PECK_OK)
        st = ask_gaps(&gaps, a, &s, &info, c->err);
    if (st == PECK_OK)
        st = find_cuts(&threshold, c, &s, &info);
    if (st == PECK_OK)
        st = print_lists(c, &s, a->keeping.rules != NULL ? &ruled : NULL, gaps, threshold);
    if (st == PECK_OK && a->keeping.rules != NULL)
        tell_of_rules(c->talk, &ruled, &s, report);
    if (st == PECK_OK && info.n_pairs > 0)
        talk_note(c->talk, "%llu comparisons, %.1f %% of the %llu pairs",
                  (unsigned long long)info.n_questions,
                  100.0 * (double)info.n_questions / (double)info.n_pairs,
                  (unsigned long long)info.n_pairs);
    free(gaps);
    free(threshold);
    scored_free(&s);
    peck_report_free(report);
    peck_rules_free(ruled.rules);
    free(ruled.order);
    free(ruled.kept);
    free(ruled.info);
    return st;
}

const struct verb verb_rank = {
    .name = "rank",
    .summary = "sort the documents of every query by a model",
    .usage = { "MODEL DATA [options]" },
    .about =
        "Prints query, rank, document and score, best first, parted by tabs in a pipe; "
        "equal "
        "scores keep the order of DATA. A document without an id is named by its place in "
        "the query, counted "
        "from 0. DATA needs no labels. With --format trec it is a TREC run, with json one "
        "object a query and line.\n\nA model that compares (`peck inspect` shows its "
        "family) has no scores: a decoder asks it for comparisons and finds an order, "
        "printed as the score n - 1 of the first of n documents down to 0, or as the "
        "decoder's own score. How many comparisons it took is said on standard error. "
        "--decoder also takes a model that scores, as a comparator that is always "
        "consistent.\n\nNeighbours in a sorted list lie far apart where the class of the "
        "documents changes (DirectRanker, section 5.3). --gaps prints the differences of "
        "neighbouring scores, or what a model that compares says of the two, evidence for "
        "less against, and marks the peaks: at least twice the list's mean and not below "
        "a neighbour. --classes cuts the lists there; with --cuts all or FILE at the same "
        "scores in all lists, a classifier of documents alone.\n\nWith --rules and "
        "--enforce the order keeps rules (docs/RULES.md): of the orders that keep the "
        "rules of the largest total weight that can hold together, the one with the least "
        "sum of s_i - s_j over the pairs of documents that it turns round. Of equal ones "
        "it is that whose first document is higher in the model's order, then the second, "
        "and so on. The scores printed are still the model's (in a TREC run they fall "
        "with the rank). What was given up is said on standard error and in json; where a "
        "list is too long to look at all orders, that it was searched, not proven.",
    .groups = { { "What is printed", rank_rows, 0 },
                { "Comparing", rank_decoding_rows, 0 },
                { "Keeping rules", keeping_rows, offsetof(struct rank_args, keeping) },
                { "Reading DATA", reading_rows, offsetof(struct rank_args, read) },
                { "Matching features", match_rows, offsetof(struct rank_args, match) } },
    .examples = { { "The best three of every query", "peck rank m.peck data.txt --top 3" },
                  { "A run for TREC's tools",
                    "peck rank m.peck data.txt --format trec > m.run" },
                  { "All pairs, with a model that compares",
                    "peck rank m.peck data.txt --decoder championship" },
                  { "Where classes change, without labels",
                    "peck rank m.peck data.txt --gaps --classes 2" },
                  { "The nearest order that keeps an expert's rules",
                    "peck rank m.peck data.txt --rules data.rules --enforce" } },
    .args_size = sizeof(struct rank_args),
    .run = rank_main,
};
