/* show_ranks.c -- the leaderboard of a page, and how good the first n documents are, for each
 * n: NDCG@n and P@n.                                                                  */
#include "show.h"

#include "../base/alloc.h"
#include "../base/number.h"
#include "../base/sort.h"

#include <math.h>

enum { MOST_METRICS = 4, MOST_ROWS = 40, MOST_CUTS = 100, FEWEST_CUTS = 3 };
static const double usual_level = 0.05;

const char *show_figure(char room[FIGURE_ROOM], double value, int decimals)
{
    number_print(room, FIGURE_ROOM, 'f', decimals, value);
    return room;
}

/* How to read it; and numbers of different conventions do not compare. */
static void explain_ranks(struct text *to, const struct board *b,
                          const struct board_place *at)
{
    const peck_span metric = strings_get(&b->column, b->metric);
    peck_span first = { 0 };
    bool do_differ = false;
    char folds[64] = "";

    if (b->n_folds > 1)
        snprintf(folds, sizeof folds, " in %zu folds (the mean of their means)",
                 b->n_folds);
    html_tell(
        to, "how", "Every run ranked the same %zu queries%s. Runs stand by %.*s, %s.%s",
        b->n_kept, folds, SPAN_ARGS(metric),
        b->is_error ? "the smallest first" : "the largest first",
        !at->is_first
            ? ""
            : " The interval says how far the mean may move with other queries of the "
              "same kind (95 %, bootstrap). The gap is the distance to the best run: "
              "where its interval reaches 0, or p is 0.05 or more, the two cannot be "
              "told apart on these queries (randomisation test, p corrected for the "
              "number of runs).");
    if (b->n_kept < b->n_queries)
        html_tell(to, "caution", "%zu queries are left out: not every run has a value.",
                  b->n_queries - b->n_kept);
    for (size_t i = 0; i < b->n_runs; i++) {
        const peck_span own = show_convention(b->standing[i].run);

        if (own.n == 0)
            continue;
        do_differ |= first.n > 0 && !span_equal(first, own);
        first = own;
    }
    if (do_differ)
        html_tell(to, "caution",
                  "These runs were judged by different conventions (see their "
                  "settings): their numbers do not compare.");
}

/* A cell "0.4012 to 0.4533". */
static void add_interval(struct text *to, struct interval v)
{
    text_add_str(to, "<td>");
    html_number(to, v.low, 4);
    text_add_str(to, " to ");
    html_number(to, v.high, 4);
}

/* A row for each run, the best first. */
static void add_rank_table(struct text *to, const struct board *b)
{
    /* What people look for first; the others are in the files. */
    static const char *const wanted[] = { "map", "ndcg@1", "ndcg@5", "ndcg@10", "p@10",
                                          "p@5", "err@10", "mrr",    "pairacc" };
    size_t column[MOST_METRICS], n = 0;
    char name[MOST_METRICS + 1][SPAN_SHOWN + 1];
    struct html_column head[7 + MOST_METRICS] = {
        { "run", NULL, true, 0 },
        { name[0], "the mean over the queries", false, b->is_error ? 1 : -1 },
        { "verdict", "worse: p is below 0.05", true, 0 },
        { "95 % interval", "of the mean", false, 0 },
        { "gap", "to the best run", false, 0 },
        { "its interval", "of the gap, 95 %", false, 0 },
        { "p", "chance of such a gap if there were none", false, 0 },
    };

    snprintf(name[0], sizeof name[0], "%.*s",
             SPAN_ARGS(strings_get(&b->column, b->metric)));
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted && n < MOST_METRICS; i++) {
        const size_t c = board_column(b, wanted[i]);

        if (c == b->column.n || c == b->metric)
            continue;
        column[n++] = c;
        snprintf(name[n], sizeof name[0], "%.*s", SPAN_ARGS(strings_get(&b->column, c)));
        head[6 + n] = (struct html_column){ .name = name[n] };
    }
    html_table(to, head, 7 + n);
    for (size_t i = 0; i < b->n_runs; i++) {
        const struct standing *const s = &b->standing[i];

        html_row(to);
        html_cell_text(to, span_of(s->name));
        html_cell_number(to, s->mean, 4);
        html_cell_text(to, span_of(i == 0               ? "best"
                                   : s->p < usual_level ? "worse"
                                                        : "no clear gap"));
        add_interval(to, s->interval);
        if (i == 0) {
            text_add_str(to, "<td>–<td>–<td>–");
        } else {
            text_add_str(to, "<td>");
            html_signed(to, s->difference, 4);
            add_interval(to, s->between);
            html_cell_number(to, s->p, 4);
        }
        for (size_t c = 0; c < n; c++)
            html_cell_number(to, board_mean(b, s->at, column[c]), 4);
    }
    html_table_end(to);
}

/* Means with their intervals; gaps to the best with theirs. */
static void plot_ranks(struct text *to, const struct board *b)
{
    struct plot_row row[MOST_ROWS];
    const size_t n = b->n_runs < MOST_ROWS ? b->n_runs : MOST_ROWS;
    char name[SPAN_SHOWN + 32];

    for (size_t i = 0; i < n; i++) {
        const struct standing *const s = &b->standing[i];

        row[i] = (struct plot_row){ span_of(s->name), s->colour, s->mean, s->interval.low,
                                    s->interval.high };
    }
    snprintf(name, sizeof name, "%.*s", SPAN_ARGS(strings_get(&b->column, b->metric)));
    html_plots(to);
    plot_rows(to, &(struct row_plot){ .title = "Means and their 95 % intervals",
                                      .x_name = name,
                                      .row = row,
                                      .n_rows = n });
    for (size_t i = 1; i < n; i++) {
        const struct standing *const s = &b->standing[i];

        row[i].value = s->difference;
        row[i].low = s->between.low;
        row[i].high = s->between.high;
    }
    snprintf(name, sizeof name, "gap to the best in %.*s",
             SPAN_ARGS(strings_get(&b->column, b->metric)));
    if (n > 1)
        plot_rows(to, &(struct row_plot){
                          .title = "Gap to the best run: across 0 means no clear gap",
                          .x_name = name,
                          .row = row + 1,
                          .n_rows = n - 1,
                          .has_zero = true });
    html_plots_end(to);
}

void show_ranks(struct text *to, const struct board *b, const struct board_place *at)
{
    char id[64];

    snprintf(id, sizeof id, "%sranks", at->prefix);
    html_section(to, at->level, id, "Leaderboard");
    explain_ranks(to, b, at);
    add_rank_table(to, b);
    plot_ranks(to, b);
    html_section_end(to);
}

/* The first n documents ------------------------------------------------------------------ */

/* The columns "ndcg@1", "ndcg@2", ... of one metric, by rising n. */
struct cut_list {
    const char *name, *title; /* "ndcg@" */
    size_t column[MOST_CUTS];
    double cut[MOST_CUTS];
    size_t n;
};

/* Kept sorted while they are found: columns may stand in any order in a file. */
static void find_cuts(struct cut_list *f, const struct board *b)
{
    const size_t length = strlen(f->name);

    for (size_t c = 0; c < b->column.n && f->n < MOST_CUTS; c++) {
        const peck_span s = strings_get(&b->column, c);
        uint64_t cut = 0;

        if (s.n <= length || memcmp(s.s, f->name, length) != 0 ||
            !number_parse_u64((peck_span){ s.s + length, s.n - length }, &cut))
            continue;
        size_t at = f->n++;

        for (; at > 0 && f->cut[at - 1] > (double)cut; at--) {
            f->cut[at] = f->cut[at - 1];
            f->column[at] = f->column[at - 1];
        }
        f->cut[at] = (double)cut;
        f->column[at] = c;
    }
}

/* A plot for each metric that has three cuts or more; of fewer there is no line to draw. */
peck_status show_cuts(struct text *to, const struct board *b, const struct board_place *at,
                      peck_error *err)
{
    struct cut_list all[] = { { .name = "ndcg@", .title = "NDCG@n" },
                              { .name = "p@", .title = "P@n: precision" } };
    const size_t n_lists = sizeof all / sizeof *all;
    const size_t n_lines = b->n_runs < MOST_LINES ? b->n_runs : MOST_LINES;
    bool has_any = false;
    char id[64];

    for (size_t i = 0; i < n_lists; i++) {
        find_cuts(&all[i], b);
        has_any |= all[i].n >= FEWEST_CUTS;
    }
    if (!has_any)
        return PECK_OK;
    /* A plot for each metric, a line for each run. */
    double(*const y)[MOST_CUTS] = mem_new(MOST_LINES, sizeof *y);

    if (y == NULL)
        return fail_memory(err, "curves", MOST_LINES, sizeof *y);
    snprintf(id, sizeof id, "%scuts", at->prefix);
    html_section(to, at->level, id, "The first n documents");
    if (at->is_first)
        html_tell(
            to, "how",
            "How good the top of the lists is, if a reader looks at the first n "
            "documents. NDCG@n compares the gain of the first n, earlier ones counting "
            "more, with the best that was possible; P@n is the share of relevant ones "
            "among them. Higher lines are better.");
    if (b->n_runs > MOST_LINES)
        html_tell(to, "how", "The best %d of %zu runs are drawn.", MOST_LINES, b->n_runs);
    html_plots(to);
    for (size_t m = 0; m < n_lists; m++) {
        const struct cut_list *const f = &all[m];
        struct series line[MOST_LINES];

        if (f->n < FEWEST_CUTS)
            continue;
        for (size_t i = 0; i < n_lines; i++) {
            const struct standing *const s = &b->standing[i];

            for (size_t k = 0; k < f->n; k++)
                y[i][k] = board_mean(b, s->at, f->column[k]);
            line[i] = (struct series){ .name = s->name,
                                       .colour = s->colour,
                                       .x = f->cut,
                                       .y = y[i],
                                       .n = f->n,
                                       .has_dots = true };
        }
        plot_lines(to, &(struct plot){ .title = f->title,
                                       .x_name = "first n documents",
                                       .y_name = "mean over queries",
                                       .series = line,
                                       .n_series = n_lines,
                                       .is_x_whole = true });
    }
    html_plots_end(to);
    html_section_end(to);
    mem_free(y);
    return PECK_OK;
}

/* Query by query: where two runs differ, the worst first; or, of a run that stands alone, the
 * queries that it is worst at ------------------------------------------------------------ */

/* Of more queries the two ends are listed. */
enum { MOST_WORST = 400, MOST_BEST = 100 };

struct contrast {
    const struct board *board;
    const struct standing *a, *b; /* a NULL: b stands alone */
    size_t n;                     /* queries that both have */
    double *gain;                 /* of b over a, or b's value; the larger the better */
    uint32_t *query, *order;      /* order: worst first */
};

/* By name or path; NULL: it is not on this board. */
static const struct standing *find_standing(const struct board *b, const char *name)
{
    for (size_t i = 0; name != NULL && i < b->n_runs; i++)
        if (strcmp(b->standing[i].run->name, name) == 0 ||
            strcmp(b->standing[i].run->path, name) == 0)
            return &b->standing[i];
    return NULL;
}

/* The best, beside the run that was given first; that one may be the best. */
static void choose_runs(struct contrast *c, const peck_page_spec *spec)
{
    const struct board *const b = c->board;

    c->a = find_standing(b, spec->baseline);
    c->b = find_standing(b, spec->run);
    if (c->b == NULL || c->b == c->a)
        c->b = c->a == b->standing && b->n_runs > 1 ? &b->standing[1] : b->standing;
    for (size_t i = 0; c->a == NULL && i < b->n_runs; i++)
        if (b->standing[i].at == 0 && &b->standing[i] != c->b)
            c->a = &b->standing[i];
    if (c->a == NULL && b->n_runs > 1)
        c->a = c->b == b->standing ? &b->standing[1] : b->standing;
}

/* The board's metric of a run, for query q. */
static double metric_of(const struct contrast *c, const struct standing *s, size_t q)
{
    return board_value(c->board, s->at, q, c->board->metric);
}

/* How to read it, and on how many queries each run does better. */
static void explain_contrast(struct text *to, const struct contrast *c)
{
    const peck_span metric = strings_get(&c->board->column, c->board->metric);
    size_t n_up = 0, n_down = 0;

    for (size_t i = 0; i < c->n; i++) {
        n_up += c->gain[i] > 0;
        n_down += c->gain[i] < 0;
    }
    if (c->a == NULL)
        html_tell(to, "how",
                  "%.*s of every query, the worst first: this is where reading the lists "
                  "themselves pays. Click a heading to sort by it.",
                  SPAN_ARGS(metric));
    else
        html_tell(
            to, "how",
            "What %.100s gains over %.100s in %.*s: it does better on %zu queries, "
            "worse on %zu and the same on %zu. The queries that lose most come first: "
            "this is where reading the lists themselves pays. Click a heading to sort "
            "by it.",
            c->b->name, c->a->name, SPAN_ARGS(metric), n_up, n_down, c->n - n_up - n_down);
}

/* The worst first; of very many queries the two ends. */
static void add_query_table(struct text *to, const struct contrast *c)
{
    const bool is_cut = c->n > MOST_WORST + MOST_BEST;
    struct html_column head[5];
    size_t n = 0;

    head[n++] = (struct html_column){ "query", NULL, true, 0 };
    if (c->board->n_folds > 1)
        head[n++] = (struct html_column){ "fold", NULL, false, 0 };
    if (c->a != NULL)
        head[n++] = (struct html_column){ c->a->name, NULL, false, 0 };
    head[n++] = (struct html_column){ c->b->name, NULL, false, c->a == NULL };
    if (c->a != NULL)
        head[n++] =
            (struct html_column){ "gain", "of the last run over the one before", false, 1 };
    html_table(to, head, n);
    for (size_t i = 0; i < c->n; i++) {
        const size_t q = c->query[c->order[i]];
        size_t fold;
        const peck_span id = board_query(c->board, q, &fold);

        if (is_cut && i >= MOST_WORST && i < c->n - MOST_BEST)
            continue;
        html_row(to);
        html_cell_text(to, id);
        if (c->board->n_folds > 1)
            html_cell_number(to, (double)fold, 0);
        if (c->a != NULL)
            html_cell_number(to, metric_of(c, c->a, q), 4);
        html_cell_number(to, metric_of(c, c->b, q), 4);
        if (c->a != NULL)
            html_cell_signed(to, c->gain[c->order[i]], 4);
    }
    html_table_end(to);
    html_plots_end(to);
    if (is_cut)
        html_tell(to, "how", "Listed are the %d worst and the %d best of %zu queries.",
                  MOST_WORST, MOST_BEST, c->n);
}

/* gain(q) = sign (b(q) - a(q)), or sign b(q) of a run that stands alone; sign is -1 for
 * errors, so that more is better. */
peck_status show_queries(struct text *to, const struct board *b,
                         const struct board_place *at, const peck_page_spec *spec,
                         peck_error *err)
{
    static const char *const what = "differences";
    const double sign = b->is_error ? -1 : 1;
    struct arena arena = { 0 };
    struct contrast c = { .board = b };
    char id[64], title[256];

    c.gain = arena_new(&arena, what, b->n_queries, sizeof *c.gain);
    c.query = arena_new(&arena, what, b->n_queries, sizeof *c.query);
    c.order = arena_new(&arena, what, b->n_queries, sizeof *c.order);
    /* x and y of the line; before that, y is the loss to sort by. */
    double *const x = arena_new(&arena, what, b->n_queries, 2 * sizeof *x);
    struct sort_item *const scratch =
        arena_new(&arena, what, b->n_queries, 2 * sizeof *scratch);
    const peck_status st = arena_check(&arena, err);

    if (st != PECK_OK) {
        arena_free(&arena);
        return st;
    }

    /* Gains of the queries that both runs have, worst first. */
    choose_runs(&c, spec);
    double *const y = x + b->n_queries;

    for (size_t q = 0; q < b->n_queries; q++) {
        const double theirs = c.a != NULL ? metric_of(&c, c.a, q) : 0;
        const double gain = sign * (metric_of(&c, c.b, q) - theirs);

        if (isnan(gain))
            continue;
        c.query[c.n] = (uint32_t)q;
        y[c.n] = -gain;
        c.gain[c.n++] = gain;
    }
    order_desc(y, (uint32_t)c.n, c.order, scratch);
    for (size_t i = 0; i < c.n; i++) {
        x[i] = (double)(i + 1);
        y[i] = c.gain[c.order[i]];
    }
    const struct series line = {
        .colour = c.b->colour, .x = x, .y = y, .n = c.n, .has_dots = c.n < 60
    };

    snprintf(id, sizeof id, "%squeries", at->prefix);
    if (c.a != NULL)
        snprintf(title, sizeof title, "Query by query: %.100s against %.100s", c.b->name,
                 c.a->name);
    else
        snprintf(title, sizeof title, "Query by query: %.100s", c.b->name);
    html_section(to, at->level, id, title);
    explain_contrast(to, &c);
    html_plots(to);
    plot_lines(to, &(struct plot){ .title = c.a != NULL ? "Gain of each query, sorted"
                                                        : "Value of each query, sorted",
                                   .x_name = "queries, worst first",
                                   .y_name = c.a != NULL ? "gain" : "value",
                                   .series = &line,
                                   .n_series = 1,
                                   .is_x_whole = true,
                                   .has_zero = true });
    add_query_table(to, &c);
    html_section_end(to);
    arena_free(&arena);
    return PECK_OK;
}
