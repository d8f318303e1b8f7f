/* show_ranks.c -- the leaderboard of a page, and how good the first n documents are, for each
 * n: NDCG@n and P@n.                                                                  */
#include "show.h"

#include "../base/alloc.h"
#include "../base/number.h"

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
