/* show_ranks.c -- the leaderboard of a page. */
#include "show.h"

#include "../base/alloc.h"
#include "../base/number.h"

#include <math.h>

enum { MOST_METRICS = 4, MOST_ROWS = 40 };
static const double usual_level = 0.05;

const char *show_figure(char room[FIGURE_ROOM], double value, int decimals)
{
    number_print(room, FIGURE_ROOM, 'f', decimals, value);
    return room;
}

/* What people look for first; the others are in the files. */
static size_t other_metrics(const struct board *b, size_t column[MOST_METRICS])
{
    static const char *const wanted[] = { "map", "ndcg@1", "ndcg@5", "ndcg@10", "p@10",
                                          "p@5", "err@10", "mrr",    "pairacc" };
    size_t n = 0;

    for (size_t i = 0; i < sizeof wanted / sizeof *wanted && n < MOST_METRICS; i++) {
        const size_t c = board_column(b, wanted[i]);

        if (c < b->column.n && c != b->metric)
            column[n++] = c;
    }
    return n;
}

static void explain(struct text *to, const struct board *b, const struct place *at)
{
    const peck_span metric = strings_get(&b->column, b->metric);
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
}

/* Numbers of different conventions do not compare. */
static void warn(struct text *to, const struct board *b)
{
    peck_span first = { 0 };

    for (size_t i = 0; i < b->n_runs; i++) {
        const peck_span own = show_convention(b->standing[i].run);

        if (own.n == 0)
            continue;
        if (first.n > 0 && !span_equal(first, own)) {
            html_tell(to, "caution",
                      "These runs were judged by different conventions (see their "
                      "settings): their numbers do not compare.");
            return;
        }
        first = own;
    }
}

static void add_interval(struct text *to, struct interval v)
{
    text_add_str(to, "<td>");
    html_number(to, v.low, 4);
    text_add_str(to, " to ");
    html_number(to, v.high, 4);
}

static void add_standing(struct text *to, const struct board *b, size_t i,
                         const size_t *column, size_t n)
{
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

static void add_table(struct text *to, const struct board *b)
{
    size_t column[MOST_METRICS];
    const size_t n = other_metrics(b, column);
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
    for (size_t c = 0; c < n; c++) {
        snprintf(name[c + 1], sizeof name[0], "%.*s",
                 SPAN_ARGS(strings_get(&b->column, column[c])));
        head[7 + c] = (struct html_column){ .name = name[c + 1] };
    }
    html_table(to, head, 7 + n);
    for (size_t i = 0; i < b->n_runs; i++)
        add_standing(to, b, i, column, n);
    html_table_end(to);
}

static void add_plots(struct text *to, const struct board *b)
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

void show_ranks(struct text *to, const struct board *b, const struct place *at)
{
    char id[64];

    snprintf(id, sizeof id, "%sranks", at->prefix);
    html_section(to, at->level, id, "Leaderboard");
    explain(to, b, at);
    warn(to, b);
    add_table(to, b);
    add_plots(to, b);
    html_section_end(to);
}
