/* cmd_decode.c -- the items of a preference list, ranked without any feature. */
#include "inputs.h"
#include "outputs.h"
#include "page.h"

#include "../ask/poll.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct decode_args {
    struct printing printing;
    uint64_t budget, seed, next, top;
    const char *decoder, *criterion;
    int is_lenient, threads;
};

static const struct opt decode_rows[] = {
    { "decoder", 'd', OPT_TEXT, "NAME", "bt",
      "how to come to an order, perhaps with settings: fuzzy:window=50 (`peck list "
      "decoders`)",
      offsetof(struct decode_args, decoder) },
    { "budget", 0, OPT_COUNT, "Q", "0",
      "maximum number of questions, where the decoder can choose; 0: its own",
      offsetof(struct decode_args, budget) },
    { "next", 0, OPT_COUNT, "N", "0",
      "print the N pairs most worth asking next, not the order (with bt)",
      offsetof(struct decode_args, next) },
    { "top", 'k', OPT_COUNT, "K", "0", "of --next: only the first K matter; 0 is all",
      offsetof(struct decode_args, top) },
    SEED_ROW(struct decode_args, seed, "the same seed gives the same order"),
    THREADS_ROW(struct decode_args),
    { 0 }
};

static const struct opt decode_form_rows[] = {
    { "criterion", 0, OPT_TEXT, "NAME", NULL, "only this list of PREFS; default: all",
      offsetof(struct decode_args, criterion) },
    { "skip-bad", 0, OPT_FLAG, NULL, NULL, "ignore malformed lines of PREFS",
      offsetof(struct decode_args, is_lenient) },
    FORMAT_ROWS(struct decode_args, printing, "table|tsv|csv|json|latex|markdown"),
    { 0 }
};

enum {
    SURPRISES = 3,          /* answers that are shown for being unlikely ... */
    MOST_ANSWERS = 1000000, /* ... where there are no more than so many */
};
#define UNLIKELY 0.25 /* P(winner above loser) after all, below which an answer surprises */
#define TOLD_APART 0.95 /* P(one above the other) from which two have ranks of their own */

/* An answer that the order contradicts. */
struct surprise {
    size_t winner, loser; /* items */
    double above;         /* P(winner above loser) after all */
};

/* One list, ranked. */
struct ranked_list {
    const peck_prefs *prefs;
    peck_span name; /* of the list; n = 0: it has none */
    peck_place *place;
    size_t n, n_parts, weakest; /* weakest: the place of the least evidence */
    size_t n_answers;
    double evidence, against; /* each preference counted once */
    peck_decode_info took;
    /* By strengths: */
    peck_strengths *strengths; /* NULL: another decoder */
    double *mean, *sd;         /* by item */
    struct surprise surprise[SURPRISES];
    size_t n_surprises;
};

static peck_span item_at(const struct ranked_list *r, size_t i)
{
    return peck_prefs_item_name(r->prefs, r->place[i].item);
}

/* How lists are printed: rows to standard output as they come, or into a table that is printed
 * at the end; then what is said of them. */
struct decode_print {
    const char *format, *mark; /* mark: before a line that is no row */
    peck_report *table;        /* NULL: tsv and json */
    FILE *notes;               /* standard output, or a buffer until the table is printed */
    char *buffer;
    size_t size;
    int has_names, has_parts;
};

static void print_surprises(FILE *to, const char *mark, const struct ranked_list *r)
{
    for (size_t k = 0; k < r->n_surprises; k++) {
        const struct surprise *const s = &r->surprise[k];

        fprintf(to, "%s%s: ", mark, k == 0 ? "surprising" : "           and");
        put_plain(to, peck_prefs_item_name(r->prefs, s->winner), ' ');
        fputs(" before ", to);
        put_plain(to, peck_prefs_item_name(r->prefs, s->loser), ' ');
        fprintf(to, ", though the other is above with P = %.2f\n", 1 - s->above);
    }
}

/* A line an item, best first. */
static void print_items_tsv(const struct ranked_list *r, int has_names, int has_parts)
{
    const int has_sd = r->strengths != NULL;

    for (size_t i = 0; i < r->n; i++) {
        const peck_place *p = &r->place[i];

        if (has_names) {
            put_plain(stdout, r->name, ' ');
            putchar('\t');
        }
        printf("%zu\t", p->rank);
        put_plain(stdout, item_at(r, i), ' ');
        if (has_sd)
            /* Nobody is at -0.000. */
            printf("\t%.3f\t%.3f", p->score > -0.0005 && p->score < 0 ? 0.0 : p->score,
                   r->sd[p->item]);
        else
            printf("\t%.9g", p->score);
        printf("\t%.6g\t%.6g", p->evidence, p->against);
        if (has_parts)
            printf("\t%zu", p->part + 1);
        putchar('\n');
    }
}

/* The same as rows of the table. */
static void add_items(peck_report *t, const struct ranked_list *r, int has_names,
                      int has_parts)
{
    int decimals = 0; /* evidence is a count, unless answers have weights */

    for (size_t i = 0; i < r->n; i++)
        if (fabs(r->place[i].evidence - round(r->place[i].evidence)) > 1e-6 ||
            fabs(r->place[i].against - round(r->place[i].against)) > 1e-6)
            decimals = 2;
    for (size_t i = 0; i < r->n; i++) {
        const peck_place *p = &r->place[i];
        const double score = p->score > -0.0005 && p->score < 0 ? 0.0 : p->score;

        if (has_names)
            peck_report_add_cell(t, r->name);
        peck_report_add_cell_number(t, (double)p->rank, 0);
        peck_report_add_cell(t, item_at(r, i));
        peck_report_add_cell_number(t, score, r->strengths != NULL ? 3 : 4);
        if (r->strengths != NULL)
            peck_report_add_cell_number(t, r->sd[p->item], 3);
        peck_report_add_cell_number(t, p->evidence, decimals);
        peck_report_add_cell_number(t, p->against, decimals);
        if (has_parts)
            peck_report_add_cell_number(t, (double)(p->part + 1), 0);
    }
}

/* What it took, and how much speaks against it. */
static void print_summary(const struct decode_print *how, const struct ranked_list *r)
{
    const int has_sd = r->strengths != NULL;
    FILE *const to = how->notes;

    if (has_sd) {
        print_surprises(to, how->mark, r);
        fprintf(
            to,
            "%sitems of one rank cannot be told apart from its first (P < %g); score is "
            "in log-odds, sd its deviation%s\n",
            how->mark, TOLD_APART, r->n > 2000 ? ", an estimate for so many items" : "");
    }
    fputs(how->mark, to);
    put_plain(to, r->name, ' ');
    fprintf(to, "%s%zu items, ", r->name.n > 0 ? ": " : "", r->n);
    if (has_sd)
        fprintf(to, "%.10g answers", r->evidence);
    if (has_sd && r->evidence != (double)r->n_answers)
        fprintf(to, " in %zu lines", r->n_answers);
    if (!has_sd)
        fprintf(to, "%llu questions", (unsigned long long)r->took.n_questions);
    fprintf(to, "; %.1f %% of the evidence (%.6g of %.6g) is against this order\n",
            r->evidence > 0 ? 100 * (r->against / r->evidence) : 0, r->against,
            r->evidence);
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
        printf(", \"rank\": %zu, \"score\": %.9g, ", p->rank, p->score);
        if (r->strengths != NULL)
            printf("\"sd\": %.9g, ", r->sd[p->item]);
        printf("\"evidence\": %.6g, \"against\": %.6g, \"part\": %zu}", p->evidence,
               p->against, p->part + 1);
    }
    printf("], \"parts\": %zu, \"%s\": %llu, \"evidence\": %.6g, \"against\": %.6g",
           r->n_parts, r->strengths != NULL ? "answers" : "questions",
           r->strengths != NULL ? (unsigned long long)r->n_answers
                                : (unsigned long long)r->took.n_questions,
           r->evidence, r->against);
    for (size_t k = 0; k < r->n_surprises; k++) {
        printf("%s{\"winner\": ", k == 0 ? ", \"surprising\": [" : ", ");
        put_json(stdout, peck_prefs_item_name(r->prefs, r->surprise[k].winner));
        printf(", \"loser\": ");
        put_json(stdout, peck_prefs_item_name(r->prefs, r->surprise[k].loser));
        printf(", \"above\": %.6f}", r->surprise[k].above);
    }
    printf("%s}\n", r->n_surprises > 0 ? "]" : "");
}

/* The answers that are least likely after all, each pair once. */
static void find_surprises(struct ranked_list *r, size_t list)
{
    peck_prefs_info info;

    peck_prefs_describe(r->prefs, &info);
    if (info.n_prefs > MOST_ANSWERS && info.n_lists == 1) {
        r->n_answers = info.n_prefs;
        return;
    }
    for (size_t k = 0; k < info.n_prefs; k++) {
        const peck_pref p = peck_prefs_at(r->prefs, k);
        const int is_won = p.probability > 0.5f;
        struct surprise s = { is_won ? p.winner : p.loser, is_won ? p.loser : p.winner, 0 };
        size_t at = r->n_surprises;

        if (p.list != list)
            continue;
        r->n_answers++;
        if (p.probability == 0.5f || r->mean[s.winner] >= r->mean[s.loser])
            continue;
        s.above = peck_strengths_above(r->strengths, s.winner, s.loser);
        for (size_t h = 0; h < r->n_surprises; h++)
            if (r->surprise[h].winner == s.winner && r->surprise[h].loser == s.loser)
                s.above = 1;
        if (s.above >= UNLIKELY ||
            (at == SURPRISES && s.above >= r->surprise[SURPRISES - 1].above))
            continue;
        if (at < SURPRISES)
            r->n_surprises++;
        else
            at--;
        for (; at > 0 && r->surprise[at - 1].above > s.above; at--)
            r->surprise[at] = r->surprise[at - 1];
        r->surprise[at] = s;
    }
}

/* By strengths: an item shares the rank of the first one that is not surely above it. */
static peck_status rank_by_strengths(const struct call *c, struct ranked_list *r,
                                     size_t list, size_t n_items)
{
    const struct decode_args *a = c->args;
    const peck_strengths_spec how = { .threads = a->threads };
    peck_status st = peck_strengths_fit_prefs(&r->strengths, r->prefs, list, &how, c->err);

    if (st == PECK_OK)
        st = peck_strengths_places(r->strengths, r->place, &r->n, c->err);
    if (st != PECK_OK)
        return st;
    r->mean = calloc(n_items, sizeof *r->mean);
    r->sd = calloc(n_items, sizeof *r->sd);
    if (r->mean == NULL || r->sd == NULL)
        return refuse(c->err, PECK_NOMEM, "out of memory for %zu items", n_items);
    peck_strengths_read(r->strengths, r->mean, r->sd);
    for (size_t k = 1, first = 0; k < r->n; k++) {
        if (r->place[k].part != r->place[first].part ||
            peck_strengths_above(r->strengths, r->place[first].item, r->place[k].item) >=
                TOLD_APART)
            first = k;
        else
            r->place[k].rank = r->place[first].rank;
    }
    find_surprises(r, list);
    return PECK_OK;
}

/* `bt` with or without settings, which are of no account where nobody is asked. */
static int is_by_strengths(const char *decoder)
{
    return strncmp(decoder, "bt", 2) == 0 && (decoder[2] == '\0' || decoder[2] == ':');
}

/* Orders one list.  A preference is evidence for both items: halves add up to the whole. */
static peck_status rank_items(const struct call *c, struct ranked_list *r, size_t list,
                              size_t n_items)
{
    const struct decode_args *a = c->args;
    const peck_decode_spec how = {
        .decoder = a->decoder, .budget = a->budget, .seed = a->seed, .threads = a->threads
    };
    peck_status st;

    r->name = peck_prefs_list_name(r->prefs, list);
    if (is_by_strengths(a->decoder)) {
        /* No item: the settings are checked, nobody is asked. */
        st = peck_decode(NULL, NULL, 0, NULL, NULL, &how, NULL, c->err);
        if (st == PECK_OK)
            st = rank_by_strengths(c, r, list, n_items);
    } else {
        st = peck_decode_prefs(r->place, &r->n, r->prefs, list, &how, &r->took, c->err);
    }
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

/* The pairs to ask next, and how sure the order is without them. */
static peck_status print_next(const struct call *c, const struct ranked_list *r,
                              const struct decode_print *to)
{
    const struct decode_args *a = c->args;
    const int as_json = strcmp(to->format, "json") == 0;
    const peck_question_spec how = { .top = (size_t)a->top, .seed = a->seed };
    peck_duel *const pair = calloc(a->next, sizeof *pair);
    double *const worth = calloc(a->next, sizeof *worth);
    size_t n = (size_t)a->next;
    peck_sureness sure;
    peck_status st = pair != NULL && worth != NULL
                         ? peck_strengths_next(r->strengths, &how, pair, worth, &n, c->err)
                         : refuse(c->err, PECK_NOMEM, "out of memory for %llu pairs",
                                  (unsigned long long)a->next);

    if (st == PECK_OK)
        st = peck_strengths_sureness(r->strengths, &how, &sure, c->err);
    if (st == PECK_OK && as_json) {
        printf("{\"criterion\": ");
        put_json(stdout, r->name);
        printf(", \"next\": [");
    }
    for (size_t k = 0; st == PECK_OK && k < n; k++) {
        const peck_span left = peck_prefs_item_name(r->prefs, pair[k].i),
                        right = peck_prefs_item_name(r->prefs, pair[k].j);

        if (as_json) {
            printf("%s{\"left\": ", k > 0 ? ", " : "");
            put_json(stdout, left);
            printf(", \"right\": ");
            put_json(stdout, right);
            printf(", \"worth\": %.6g}", worth[k]);
            continue;
        }
        if (to->table != NULL) {
            if (to->has_names)
                peck_report_add_cell(to->table, r->name);
            peck_report_add_cell(to->table, left);
            peck_report_add_cell(to->table, right);
            peck_report_add_cell_number(to->table, worth[k], 4);
            continue;
        }
        if (to->has_names) {
            put_plain(stdout, r->name, ' ');
            putchar('\t');
        }
        put_plain(stdout, left, ' ');
        putchar('\t');
        put_plain(stdout, right, ' ');
        printf("\t%.4f\n", worth[k]);
    }
    if (st == PECK_OK && as_json)
        printf(
            "], \"first\": %.4f, \"top\": %.4f, \"pairs\": %.4f, \"questions_left\": %.0f, "
            "\"enough\": %s}\n",
            sure.first, sure.top, sure.pairs, sure.questions_left,
            sure.is_enough ? "true" : "false");
    else if (st == PECK_OK && sure.is_enough)
        fprintf(to->notes, "%senough: %s\n", to->mark,
                a->top > 0 ? "the first ones are certain" : "the order is certain");
    else if (st == PECK_OK)
        fprintf(to->notes, "%s%.0f %% sure %s; about %.0f questions more would do\n",
                to->mark, 100 * (a->top > 0 ? sure.top : sure.pairs),
                a->top > 0 ? "of the first ones" : "of the order of two",
                sure.questions_left);
    free(pair);
    free(worth);
    return st;
}

/* The header of what is printed row by row, or of the table. */
static peck_status decode_begin(const struct call *c, struct decode_print *to)
{
    const struct decode_args *a = c->args;
    const int has_sd = is_by_strengths(a->decoder);
    const char *column[8];
    size_t n = 0;

    if (to->has_names)
        column[n++] = "criterion";
    if (a->next > 0) {
        column[n++] = "left";
        column[n++] = "right";
        column[n++] = "worth";
    } else {
        column[n++] = "rank";
        column[n++] = "item";
        column[n++] = "score";
        if (has_sd)
            column[n++] = "sd";
        column[n++] = "evidence";
        column[n++] = "against";
        if (to->has_parts)
            column[n++] = "part";
    }
    to->notes = stdout;
    to->mark = "# ";
    for (size_t i = 0; i < n && strcmp(to->format, "tsv") == 0; i++)
        printf("%s%c", column[i], i + 1 < n ? '\t' : '\n');
    if (strcmp(to->format, "tsv") == 0 || strcmp(to->format, "json") == 0)
        return PECK_OK;
    const peck_status st = peck_report_new(&to->table, c->err);

    if (st != PECK_OK)
        return st;
    peck_report_add_table(to->table, "", n, column);
    to->mark = "";
    to->notes = open_memstream(&to->buffer, &to->size);
    return to->notes != NULL ? PECK_OK : refuse(c->err, PECK_NOMEM, "out of memory");
}

/* Prints the table, and below it for people what was said. */
static peck_status decode_end(peck_status st, const struct call *c, struct decode_print *to)
{
    const struct printing how = { .format = to->format };

    if (to->table == NULL)
        return st;
    if (to->notes == NULL || fclose(to->notes) != 0)
        st = st != PECK_OK ? st : refuse(c->err, PECK_NOMEM, "out of memory");
    st = print_report(st, to->table, &how, c);
    if (st == PECK_OK && strcmp(to->format, "table") == 0) {
        putchar('\n');
        for (char *line = to->buffer, *end; (end = strchr(line, '\n')) != NULL;
             line = end + 1) {
            *end = '\0';
            page_wrap(stdout, line, 0, 0);
        }
    }
    free(to->buffer);
    return st;
}

/* Whether a column for parts is needed is known at the end: so all lists are ranked before
 * the first is printed. */
static peck_status decode_lists(const struct call *c, const peck_prefs *p, size_t first,
                                size_t n_lists, size_t n_items)
{
    const struct decode_args *a = c->args;
    struct decode_print to = { .format = listing_format(&a->printing) };
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
        st = rank_items(c, &r[k], first + k, n_items);
        to.has_names |= r[k].name.n > 0;
        to.has_parts |= r[k].n_parts > 1;
    }
    if (st == PECK_OK)
        st = decode_begin(c, &to);
    for (size_t k = 0; st == PECK_OK && k < n_lists; k++) {
        if (a->next > 0) {
            st = print_next(c, &r[k], &to);
        } else if (strcmp(to.format, "json") == 0) {
            print_items_json(&r[k]);
        } else {
            if (to.table != NULL)
                add_items(to.table, &r[k], to.has_names, to.has_parts);
            else
                print_items_tsv(&r[k], to.has_names, to.has_parts);
            print_summary(&to, &r[k]);
        }
    }
    st = decode_end(st, c, &to);
    for (size_t k = 0; r != NULL && k < n_lists; k++) {
        free(r[k].place);
        free(r[k].mean);
        free(r[k].sd);
        peck_strengths_free(r[k].strengths);
    }
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
    if ((a->next > 0 || a->top > 0) && !is_by_strengths(a->decoder))
        return refuse(c->err, PECK_ARG, "--next and --top need --decoder bt");
    if (a->next > 1000000)
        return refuse(c->err, PECK_ARG, "--next %llu; at most 1000000 pairs",
                      (unsigned long long)a->next);
    peck_status st = read_prefs(&p, c);

    if (st != PECK_OK)
        return st;
    peck_prefs_describe(p, &info);
    if (info.n_bad > 0)
        talk_warning(c->talk, "%zu malformed line%s ignored; the first is line %zu",
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
        "PREFS says who was preferred to whom: one answer per line, winner,loser or a > "
        "b, a < b and, for a tie, a = b; or a table with a header, "
        "winner,loser[,wins,losses]; or criterion;y;z;votes, where 1 is a vote for y, -1 "
        "for z and 0 for neither; or it is the file in which `peck ask` kept its answers. "
        "Answers may contradict each other.\n\nPrints rank, item, score and its standard "
        "deviation, best first, the evidence (how much was said about the item) and how "
        "much of it is against its place. Items of one rank cannot be told apart: the "
        "first of them is above the others with P < 0.95. Lines after a # sum up and name "
        "the most surprising answers. Scores are strengths by Bradley and Terry's model: "
        "the odds of i before j are e^(score_i - score_j); beyond 2,000 items deviations "
        "are an estimate.\n\nOther decoders print their own score and no deviation; for "
        "them a pair that was preferred w times of n counts as (w + 1/2) / (n + 1), one "
        "that was never compared as 1/2. Items that no chain of comparisons connects are "
        "ranked apart, with a warning.",
    .groups = { { "Decoding", decode_rows, 0 },
                { "Reading and printing", decode_form_rows, 0 } },
    .examples = { { "Who is best, by votes for pairs", "peck decode votes.csv" },
                  { "The order that contradicts least",
                    "peck decode votes.csv --decoder local" },
                  { "What to ask next", "peck decode votes.csv --next 5" },
                  { "For a program", "peck decode votes.csv --format json" } },
    .args_size = sizeof(struct decode_args),
    .run = decode_main,
};
