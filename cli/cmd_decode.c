/* cmd_decode.c -- the items of a preference list, ranked without any feature. */
#include "listing.h"
#include "shared.h"

#include <stdlib.h>
#include <string.h>

struct args {
    uint64_t budget, seed;
    const char *decoder, *criterion, *format;
    int is_lenient, threads;
};

static const char *const usage[] = { "PREFS [options]", NULL };

static const struct opt rows[] = {
    { "decoder", 'd', OPT_TEXT, "NAME", "degree",
      "how to come to an order, perhaps with settings: fuzzy:window=50 (`peck list "
      "decoders`)",
      offsetof(struct args, decoder) },
    { "budget", 0, OPT_COUNT, "Q", "0",
      "questions at most, where the decoder can choose; 0 is its own",
      offsetof(struct args, budget) },
    { "seed", 0, OPT_COUNT, "N", "1", "the same seed gives the same order",
      offsetof(struct args, seed) },
    { "threads", 0, OPT_INT, "N", "0", "worker threads; 0 is one per core",
      offsetof(struct args, threads) },
    { 0 }
};

static const struct opt form_rows[] = {
    { "criterion", 0, OPT_TEXT, "NAME", NULL, "only this list of PREFS; otherwise all",
      offsetof(struct args, criterion) },
    { "skip-bad", 0, OPT_FLAG, NULL, NULL, "leave malformed lines of PREFS out",
      offsetof(struct args, is_lenient) },
    { "format", 0, OPT_TEXT, "tsv|json", "tsv", "how to print",
      offsetof(struct args, format) },
    { 0 }
};

static const struct opt_group groups[] = { { "Decoding", rows, 0 },
                                           { "Reading and printing", form_rows, 0 },
                                           { 0 } };

static const struct example examples[] = {
    { "Who is best, by votes for pairs", "peck decode votes.csv" },
    { "The order that contradicts least", "peck decode votes.csv --decoder local" },
    { "For a program", "peck decode votes.csv --format json" },
    { 0 }
};

/* One list, ranked. */
struct ranked {
    const peck_prefs *prefs;
    peck_span name; /* of the list; n = 0: it has none */
    peck_place *place;
    size_t n, n_parts, weakest; /* weakest: the place of the least evidence */
    double evidence, against;   /* each preference counted once */
    peck_decode_info took;
};

static peck_span item_at(const struct ranked *r, size_t i)
{
    return peck_prefs_item_name(r->prefs, r->place[i].item);
}

static void add_up(struct ranked *r)
{
    r->n_parts = r->weakest = 0;
    r->evidence = r->against = 0;
    for (size_t i = 0; i < r->n; i++) {
        r->evidence += r->place[i].evidence / 2;
        r->against += r->place[i].against / 2;
        r->n_parts = r->place[i].part + 1;
        if (r->place[i].evidence < r->place[r->weakest].evidence)
            r->weakest = i;
    }
}

/* Printing --------------------------------------------------------------------------- */

static void print_head(int has_names, int has_parts)
{
    printf("%srank\titem\tscore\tevidence\tagainst%s\n", has_names ? "criterion\t" : "",
           has_parts ? "\tpart" : "");
}

/* The share of the evidence that speaks against the order. */
static double share_against(const struct ranked *r)
{
    return r->evidence > 0 ? r->against / r->evidence : 0;
}

static void print_tsv(const struct ranked *r, int has_names, int has_parts)
{
    for (size_t i = 0; i < r->n; i++) {
        const peck_place *p = &r->place[i];

        if (has_names) {
            put_plain(stdout, r->name);
            putchar('\t');
        }
        printf("%zu\t", p->rank);
        put_plain(stdout, item_at(r, i));
        printf("\t%.9g\t%.6g\t%.6g", p->score, p->evidence, p->against);
        if (has_parts)
            printf("\t%zu", p->part + 1);
        putchar('\n');
    }
    printf("# ");
    if (r->name.n > 0) {
        put_plain(stdout, r->name);
        printf(": ");
    }
    printf("%zu items, %llu questions; %.1f %% of the evidence (%.6g of %.6g) is against "
           "this order\n",
           r->n, (unsigned long long)r->took.n_questions, 100 * share_against(r),
           r->against, r->evidence);
}

static void print_json(const struct ranked *r)
{
    printf("{\"criterion\": ");
    put_json(stdout, r->name);
    printf(", \"items\": [");
    for (size_t i = 0; i < r->n; i++) {
        const peck_place *p = &r->place[i];

        printf("%s{\"item\": ", i > 0 ? ", " : "");
        put_json(stdout, item_at(r, i));
        printf(", \"rank\": %zu, \"score\": %.9g, \"evidence\": %.6g, \"against\": %.6g, "
               "\"part\": %zu}",
               p->rank, p->score, p->evidence, p->against, p->part + 1);
    }
    printf("], \"parts\": %zu, \"questions\": %llu, \"evidence\": %.6g, \"against\": "
           "%.6g}\n",
           r->n_parts, (unsigned long long)r->took.n_questions, r->evidence, r->against);
}

static void warn_of_parts(const struct ranked *r, struct talk *t)
{
    char text[512];
    const peck_span weak = item_at(r, r->weakest);

    if (r->n_parts < 2)
        return;
    snprintf(text, sizeof text,
             "%.*s%sthe items fall into %zu parts that no comparison connects; each part "
             "is ranked by itself. The weakest evidence, %.6g, is that of '%.*s'",
             (int)(r->name.n < 60 ? r->name.n : 60), r->name.s != NULL ? r->name.s : "",
             r->name.n > 0 ? ": " : "", r->n_parts, r->place[r->weakest].evidence,
             (int)(weak.n < 60 ? weak.n : 60), weak.s);
    talk_warning(t, text);
}

/* ------------------------------------------------------------------------------------ */

static void warn_of_bad_lines(const peck_prefs *p, struct talk *t)
{
    char text[128];
    peck_prefs_info info;

    peck_prefs_describe(p, &info);
    snprintf(text, sizeof text, "%zu malformed line%s left out; the first is line %zu",
             info.n_bad, info.n_bad == 1 ? "" : "s", info.first_bad_line);
    if (info.n_bad > 0)
        talk_warning(t, text);
}

static int is_named(peck_span name, const char *text)
{
    return name.n == strlen(text) && memcmp(name.s, text, name.n) == 0;
}

/* The lists to rank, first .. end. */
static peck_status choose_lists(const struct call *c, const peck_prefs *p, size_t *first,
                                size_t *end)
{
    const struct args *a = c->args;
    peck_prefs_info info;

    peck_prefs_describe(p, &info);
    *first = 0;
    *end = info.n_lists;
    if (a->criterion == NULL)
        return PECK_OK;
    while (*first < info.n_lists &&
           !is_named(peck_prefs_list_name(p, *first), a->criterion))
        ++*first;
    *end = *first + 1;
    if (*first < info.n_lists)
        return PECK_OK;
    return refuse(c->err, PECK_ARG, "%s has no criterion '%.60s'", c->word[0],
                  a->criterion);
}

static peck_status rank_list(const struct call *c, struct ranked *r, size_t list)
{
    const struct args *a = c->args;
    const peck_decode_spec how = {
        .decoder = a->decoder, .budget = a->budget, .seed = a->seed, .threads = a->threads
    };

    r->name = peck_prefs_list_name(r->prefs, list);
    const peck_status st =
        peck_decode_prefs(r->place, &r->n, r->prefs, list, &how, &r->took, c->err);

    if (st == PECK_OK) {
        add_up(r);
        warn_of_parts(r, c->talk);
    }
    return st;
}

/* Whether a column for parts is needed is known at the end: so all lists are ranked before
 * the first is printed. */
static peck_status rank_all(const struct call *c, struct ranked *r, size_t first,
                            size_t n_lists)
{
    const struct args *a = c->args;
    const int as_json = strcmp(a->format, "json") == 0;
    int has_names = 0, has_parts = 0;

    for (size_t k = 0; k < n_lists; k++) {
        const peck_status st = rank_list(c, &r[k], first + k);

        if (st != PECK_OK)
            return st;
        has_names |= r[k].name.n > 0;
        has_parts |= r[k].n_parts > 1;
    }
    if (!as_json)
        print_head(has_names, has_parts);
    for (size_t k = 0; k < n_lists; k++)
        if (as_json)
            print_json(&r[k]);
        else
            print_tsv(&r[k], has_names, has_parts);
    return PECK_OK;
}

static peck_status decode(const struct call *c, const peck_prefs *p)
{
    peck_prefs_info info;
    size_t first, end;
    peck_status st = choose_lists(c, p, &first, &end);

    if (st != PECK_OK)
        return st;
    peck_prefs_describe(p, &info);
    const size_t n_lists = end - first;
    struct ranked *r = calloc(n_lists, sizeof *r);

    for (size_t k = 0; r != NULL && k < n_lists; k++) {
        r[k].prefs = p;
        r[k].place = calloc(info.n_items, sizeof *r[k].place);
        if (r[k].place == NULL)
            st = PECK_NOMEM;
    }
    if (r == NULL || st != PECK_OK)
        st = refuse(c->err, PECK_NOMEM, "out of memory for %zu items", info.n_items);
    else
        st = rank_all(c, r, first, n_lists);
    for (size_t k = 0; r != NULL && k < n_lists; k++)
        free(r[k].place);
    free(r);
    return st;
}

static peck_status run(struct call *c)
{
    const struct args *a = c->args;
    peck_prefs *p = NULL;

    if (c->n_words != 1)
        return refuse(c->err, PECK_ARG, "decode takes one PREFS; see `peck decode --help`");
    if (strcmp(a->format, "tsv") != 0 && strcmp(a->format, "json") != 0)
        return refuse(c->err, PECK_ARG, "unknown format '%.60s'; give tsv or json",
                      a->format);
    peck_status st = peck_prefs_read(&p, c->word[0], NULL, a->is_lenient, c->err);

    if (st == PECK_OK) {
        warn_of_bad_lines(p, c->talk);
        st = decode(c, p);
    }
    peck_prefs_free(p);
    return st;
}

const struct verb verb_decode = {
    .name = "decode",
    .summary = "rank the items of a list of preferences, without any features",
    .usage = usage,
    .about =
        "PREFS says who was preferred to whom: winner,loser[,wins,losses] with a header, "
        "or "
        "criterion;y;z;votes, where 1 is a vote for y, -1 for z and 0 for neither. "
        "Preferences may contradict each other; a decoder finds an order that contradicts "
        "few of them.\n\n"
        "Prints rank, item and score, best first, the evidence (how much was said about "
        "the item) and how much of it is against its place; a last line, after a #, sums "
        "up. A pair that was preferred w times of n counts as (w + 1/2) / (n + 1), one "
        "that "
        "was never compared as 1/2. Items that no chain of comparisons connects are ranked "
        "apart, with a warning.",
    .groups = groups,
    .examples = examples,
    .args_size = sizeof(struct args),
    .run = run,
};
