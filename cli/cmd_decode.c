/* cmd_decode.c -- the items of a preference list, ranked without any feature. */
#include "inputs.h"
#include "outputs.h"

#include "../ask/poll.h"

#include <stdlib.h>
#include <string.h>

struct decode_args {
    uint64_t budget, seed;
    const char *decoder, *criterion, *format;
    int is_lenient, threads;
};

static const struct opt decode_rows[] = {
    { "decoder", 'd', OPT_TEXT, "NAME", "degree",
      "how to come to an order, perhaps with settings: fuzzy:window=50 (`peck list "
      "decoders`)",
      offsetof(struct decode_args, decoder) },
    { "budget", 0, OPT_COUNT, "Q", "0",
      "questions at most, where the decoder can choose; 0 is its own",
      offsetof(struct decode_args, budget) },
    SEED_ROW(struct decode_args, seed, "the same seed gives the same order"),
    THREADS_ROW(struct decode_args),
    { 0 }
};

static const struct opt decode_form_rows[] = {
    { "criterion", 0, OPT_TEXT, "NAME", NULL, "only this list of PREFS; otherwise all",
      offsetof(struct decode_args, criterion) },
    { "skip-bad", 0, OPT_FLAG, NULL, NULL, "leave malformed lines of PREFS out",
      offsetof(struct decode_args, is_lenient) },
    { "format", 0, OPT_TEXT, "tsv|json", "tsv", "how to print",
      offsetof(struct decode_args, format) },
    { 0 }
};

/* One list, ranked. */
struct ranked_list {
    const peck_prefs *prefs;
    peck_span name; /* of the list; n = 0: it has none */
    peck_place *place;
    size_t n, n_parts, weakest; /* weakest: the place of the least evidence */
    double evidence, against;   /* each preference counted once */
    peck_decode_info took;
};

static peck_span item_at(const struct ranked_list *r, size_t i)
{
    return peck_prefs_item_name(r->prefs, r->place[i].item);
}

/* A line an item, best first; then, behind "#", what it took and how much speaks against it. */
static void print_items_tsv(const struct ranked_list *r, int has_names, int has_parts)
{
    for (size_t i = 0; i < r->n; i++) {
        const peck_place *p = &r->place[i];

        if (has_names) {
            put_plain(stdout, r->name, ' ');
            putchar('\t');
        }
        printf("%zu\t", p->rank);
        put_plain(stdout, item_at(r, i), ' ');
        printf("\t%.9g\t%.6g\t%.6g", p->score, p->evidence, p->against);
        if (has_parts)
            printf("\t%zu", p->part + 1);
        putchar('\n');
    }
    printf("# ");
    put_plain(stdout, r->name, ' ');
    printf("%s%zu items, %llu questions; %.1f %% of the evidence (%.6g of %.6g) is against "
           "this order\n",
           r->name.n > 0 ? ": " : "", r->n, (unsigned long long)r->took.n_questions,
           r->evidence > 0 ? 100 * (r->against / r->evidence) : 0, r->against, r->evidence);
}

/* One object a list and line. */
static void print_items_json(const struct ranked_list *r)
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

/* Orders one list.  A preference is evidence for both items: halves add up to the whole. */
static peck_status rank_items(const struct call *c, struct ranked_list *r, size_t list)
{
    const struct decode_args *a = c->args;
    const peck_decode_spec how = {
        .decoder = a->decoder, .budget = a->budget, .seed = a->seed, .threads = a->threads
    };

    r->name = peck_prefs_list_name(r->prefs, list);
    const peck_status st =
        peck_decode_prefs(r->place, &r->n, r->prefs, list, &how, &r->took, c->err);

    if (st != PECK_OK)
        return st;
    for (size_t i = 0; i < r->n; i++) {
        r->evidence += r->place[i].evidence / 2;
        r->against += r->place[i].against / 2;
        r->n_parts = r->place[i].part + 1;
        if (r->place[i].evidence < r->place[r->weakest].evidence)
            r->weakest = i;
    }
    if (r->n_parts > 1) {
        const peck_span weak = item_at(r, r->weakest);

        talk_warning(c->talk,
                     "%.*s%sthe items fall into %zu parts that no comparison connects; "
                     "each part is ranked by itself. The weakest evidence, %.6g, is that "
                     "of '%.*s'",
                     (int)(r->name.n < 60 ? r->name.n : 60),
                     r->name.s != NULL ? r->name.s : "", r->name.n > 0 ? ": " : "",
                     r->n_parts, r->place[r->weakest].evidence,
                     (int)(weak.n < 60 ? weak.n : 60), weak.s);
    }
    return PECK_OK;
}

/* Whether a column for parts is needed is known at the end: so all lists are ranked before
 * the first is printed. */
static peck_status decode_lists(const struct call *c, const peck_prefs *p, size_t first,
                                size_t n_lists, size_t n_items)
{
    const struct decode_args *a = c->args;
    const int as_json = strcmp(a->format, "json") == 0;
    int has_names = 0, has_parts = 0;
    struct ranked_list *const r = calloc(n_lists, sizeof *r);
    peck_status st = r != NULL ? PECK_OK : PECK_NOMEM;

    for (size_t k = 0; r != NULL && k < n_lists; k++) {
        r[k].prefs = p;
        r[k].place = calloc(n_items, sizeof *r[k].place);
        if (r[k].place == NULL)
            st = PECK_NOMEM;
    }
    if (st != PECK_OK)
        refuse(c->err, st, "out of memory for %zu items", n_items);
    for (size_t k = 0; st == PECK_OK && k < n_lists; k++) {
        st = rank_items(c, &r[k], first + k);
        has_names |= r[k].name.n > 0;
        has_parts |= r[k].n_parts > 1;
    }
    if (st == PECK_OK && !as_json)
        printf("%srank\titem\tscore\tevidence\tagainst%s\n", has_names ? "criterion\t" : "",
               has_parts ? "\tpart" : "");
    for (size_t k = 0; st == PECK_OK && k < n_lists; k++)
        if (as_json)
            print_items_json(&r[k]);
        else
            print_items_tsv(&r[k], has_names, has_parts);
    for (size_t k = 0; r != NULL && k < n_lists; k++)
        free(r[k].place);
    free(r);
    return st;
}

/* Preferences as text, or the answers that `peck ask` kept. */
static peck_status read_prefs(peck_prefs **out, const struct call *c)
{
    const struct decode_args *a = c->args;
    const struct poll_spec votes = {
        .votes = c->word[0], .is_read_only = true, .seed = a->seed, .threads = a->threads
    };
    struct poll *poll = NULL;

    if (!poll_is_votes(c->word[0]))
        return peck_prefs_read(out, c->word[0], NULL, a->is_lenient, c->err);
    peck_status st = poll_open(&poll, &votes, c->err);

    if (st == PECK_OK)
        st = poll_prefs(poll, out, c->err);
    poll_close(poll);
    return st;
}

/* All lists of the file, or the one that --criterion names. */
static peck_status decode_main(struct call *c)
{
    const struct decode_args *a = c->args;
    peck_prefs *p = NULL;
    peck_prefs_info info;
    size_t first = 0;

    if (c->n_words != 1)
        return refuse(c->err, PECK_ARG, "decode takes one PREFS; see `peck decode --help`");
    if (strcmp(a->format, "tsv") != 0 && strcmp(a->format, "json") != 0)
        return refuse(c->err, PECK_ARG, "unknown format '%.60s'; give tsv or json",
                      a->format);
    peck_status st = read_prefs(&p, c);

    if (st != PECK_OK)
        return st;
    peck_prefs_describe(p, &info);
    if (info.n_bad > 0)
        talk_warning(c->talk, "%zu malformed line%s left out; the first is line %zu",
                     info.n_bad, info.n_bad == 1 ? "" : "s", info.first_bad_line);
    for (; a->criterion != NULL && first < info.n_lists; first++) {
        const peck_span name = peck_prefs_list_name(p, first);

        if (name.n == strlen(a->criterion) && memcmp(name.s, a->criterion, name.n) == 0)
            break;
    }
    if (a->criterion != NULL && first == info.n_lists)
        st = refuse(c->err, PECK_ARG, "%s has no criterion '%.60s'", c->word[0],
                    a->criterion);
    else
        st = decode_lists(c, p, first, a->criterion != NULL ? 1 : info.n_lists,
                          info.n_items);
    peck_prefs_free(p);
    return st;
}

const struct verb verb_decode = {
    .name = "decode",
    .summary = "rank the items of a list of preferences, without any features",
    .usage = { "PREFS [options]" },
    .about =
        "PREFS says who was preferred to whom: winner,loser[,wins,losses] with a header, "
        "or criterion;y;z;votes, where 1 is a vote for y, -1 for z and 0 for neither, or "
        "it is "
        "the file in which `peck ask` kept its answers. "
        "Preferences may contradict each other; a decoder finds an order that contradicts "
        "few of them.\n\n"
        "Prints rank, item and score, best first, the evidence (how much was said about "
        "the item) and how much of it is against its place; a last line, after a #, sums "
        "up. A pair that was preferred w times of n counts as (w + 1/2) / (n + 1), one "
        "that was never compared as 1/2. Items that no chain of comparisons connects are "
        "ranked apart, with a warning.",
    .groups = { { "Decoding", decode_rows, 0 },
                { "Reading and printing", decode_form_rows, 0 } },
    .examples = { { "Who is best, by votes for pairs", "peck decode votes.csv" },
                  { "The order that contradicts least",
                    "peck decode votes.csv --decoder local" },
                  { "For a program", "peck decode votes.csv --format json" } },
    .args_size = sizeof(struct decode_args),
    .run = decode_main,
};
