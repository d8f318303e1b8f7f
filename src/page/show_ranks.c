/* show_ranks.c -- the leaderboard of a page, and how good the first n documents are, for each
 * n: NDCG@n and P@n.                                                                  */
#include "show.h"

#include "../base/alloc.h"
#include "../base/number.h"
#include "../base/sort.h"

#include <math.h>

enum { MOST_METRICS = 4, MOST_CUTS = 100, FEWEST_CUTS = 3 };
const double show_level = 0.05;

const char *show_figure(char room[FIGURE_ROOM], double value, int decimals)
{
    number_print(room, FIGURE_ROOM, 'f', decimals, value);
    return room;
}

/* How it is sorted; and numbers of different conventions do not compare. */
static void explain_ranks(struct text *to, const struct board *b)
{
    const peck_span metric = strings_get(&b->column, b->metric);
    peck_span first = { 0 };
    bool do_differ = false;
    char folds[64] = "";

    if (b->n_folds > 1)
        snprintf(folds, sizeof folds, " in %zu folds (the mean of their means)",
                 b->n_folds);
    html_tell(to, "how", "Every run ranked the same %zu queries%s. Sorted by %.*s, %s.",
              b->n_kept, folds, SPAN_ARGS(metric),
              b->is_error ? "smallest first" : "largest first");
    if (b->n_kept < b->n_queries)
        html_tell(to, "caution", "%zu queries are ignored: not every run has a value.",
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

/* All runs of a board beside one of them. */
struct rank_view {
    const struct board *board;
    size_t other; /* the standing of that one */
    bool to_best; /* it is the best; else the baseline */
};

static const struct run_versus *versus_of(const struct rank_view *v, size_t i)
{
    const struct standing *const s = &v->board->standing[i];

    return v->to_best ? &s->best : &s->baseline;
}

/* What is said of standing i, and how it looks (see html_cell_badge). */
static const char *verdict_of(const struct rank_view *v, size_t i, const char **css)
{
    const struct run_versus *const u = versus_of(v, i);
    const bool is_clear = u->p < show_level,
               is_better = (u->difference > 0) != v->board->is_error;

    *css = i == v->other ? (v->to_best ? "good" : "even")
           : !is_clear   ? "even"
           : is_better   ? "more"
                         : "bad";
    return i == v->other ? (v->to_best ? "best" : "baseline")
           : !is_clear   ? "no clear difference"
           : is_better   ? "significantly better"
                         : "significantly worse";
}

/* A cell "0.4012 to 0.4533". */
static void add_interval(struct text *to, struct interval v)
{
    text_add_str(to, "<td>");
    html_number(to, v.low, 4);
    text_add_str(to, " to ");
    html_number(to, v.high, 4);
}

/* "0.0312"; "<0.0001", never 0. */
static void cell_p(struct text *to, double p)
{
    if (p < 0.0001)
        text_add_str(to, "<td>&lt;0.0001");
    else
        html_cell_number(to, p, 4);
}

/* A row for each run, the best first.  What matters most stands in the first columns: a phone
 * shows no more at once. */
static void add_rank_table(struct text *to, const struct rank_view *v)
{
    /* What people look for first; the others are in the files. */
    static const char *const wanted[] = { "map", "ndcg@1", "ndcg@5", "ndcg@10", "p@10",
                                          "p@5", "err@10", "mrr",    "pairacc" };
    const struct board *const b = v->board;
    size_t column[MOST_METRICS], n = 0;
    char name[MOST_METRICS + 1][SPAN_SHOWN + 1];
    struct html_column head[7 + MOST_METRICS] = {
        { "run", NULL, true, 0 },
        { name[0], "the mean over the queries", false, b->is_error ? 1 : -1 },
        { "verdict", "better or worse: p is below 0.05", true, 0 },
        { "difference", v->to_best ? "to the best run" : "to the baseline", false, 0 },
        { "its interval", "of the difference, 95 %, of one comparison", false, 0 },
        { "p", "chance of such a difference if there were none, corrected (Holm)", false,
          0 },
        { "95 % interval", "of the mean", false, 0 },
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
        const struct run_versus *const u = versus_of(v, i);
        const char *css, *const verdict = verdict_of(v, i, &css);

        (i == 0 ? html_row_best : html_row)(to);
        html_cell_text(to, span_of(s->name));
        html_cell_number(to, s->mean, 4);
        html_cell_badge(to, css, verdict);
        if (i == v->other) {
            text_add_str(to, "<td>–<td>–<td>–");
        } else {
            text_add_str(to, "<td>");
            html_signed(to, u->difference, 4);
            add_interval(to, u->between);
            cell_p(to, u->p);
        }
        add_interval(to, s->interval);
        for (size_t c = 0; c < n; c++)
            html_cell_number(to, board_mean(b, s->at, column[c]), 4);
    }
    html_table_end(to);
}

/* What the two plots show.  The intervals are not corrected for the number of comparisons, p
 * is: the two may disagree, and this is said. */
static void explain_plots(struct text *to, const struct rank_view *v)
{
    const size_t n = v->board->n_runs - 1;

    html_tell(
        to, "how",
        "An interval of a mean says how far it may move with other queries of the "
        "same kind (95\u00a0%%, bootstrap). A difference is significant where p is below "
        "0.05 (randomisation test%s): these have a filled mark. The verdict goes by p "
        "alone.%s",
        n > 1 ? ", p corrected by Holm for all comparisons of the table" : "",
        n > 1 ? " The interval of a difference is that of one comparison, not "
                "corrected: it may miss 0 where there is no clear difference."
              : "");
}

/* Means with their intervals; differences with theirs, row beside row. */
static void plot_ranks(struct text *to, const struct rank_view *v,
                       const struct board_place *at)
{
    const struct board *const b = v->board;
    const size_t n = b->n_runs < MOST_DRAWN ? b->n_runs : MOST_DRAWN;
    const peck_span metric = strings_get(&b->column, b->metric);
    struct plot_row row[MOST_DRAWN];
    char name[SPAN_SHOWN + 32];

    for (size_t i = 0; i < n; i++) {
        const struct standing *const s = &b->standing[i];

        row[i] = (struct plot_row){ .name = span_of(s->name),
                                    .colour = s->colour,
                                    .value = s->mean,
                                    .low = s->interval.low,
                                    .high = s->interval.high };
    }
    snprintf(name, sizeof name, "%.*s", SPAN_ARGS(metric));
    html_plots(to);
    plot_rows(to, &(struct row_plot){ .title = "Means and their 95 % intervals",
                                      .x_name = name,
                                      .row = row,
                                      .n_rows = n });
    for (size_t i = 0; i < n; i++) {
        const struct run_versus *const u = versus_of(v, i);
        const char *css;

        row[i].value = i == v->other ? (double)NAN : u->difference;
        row[i].low = u->between.low;
        row[i].high = u->between.high;
        row[i].is_hollow = !(u->p < show_level);
        row[i].note = verdict_of(v, i, &css);
    }
    const char *const other = b->standing[v->other].name;

    /* A long name would not fit under the plot. */
    snprintf(name, sizeof name, "difference in %.*s%s%s", SPAN_ARGS(metric),
             strlen(other) < 24 ? " to " : "", strlen(other) < 24 ? other : "");
    if (n > 1)
        plot_rows(to,
                  &(struct row_plot){ .title = v->to_best ? "Difference to the best run"
                                                          : "Difference to the baseline",
                                      .x_name = name,
                                      .row = row,
                                      .n_rows = n,
                                      .filled = "significant",
                                      .hollow = "no clear difference",
                                      .has_zero = true });
    if (n < b->n_runs)
        html_tell(to, "how", "The best %zu of %zu runs are drawn.", n, b->n_runs);
    if (n > 1 && at->is_first)
        explain_plots(to, v);
    html_plots_end(to);
}

/* Beside the best; where the baseline is another run, a reader may choose that instead. */
void show_ranks(struct text *to, const struct board *b, const struct board_place *at,
                const peck_page_spec *spec)
{
    const bool has_two = b->baseline > 0, is_named = spec->baseline != NULL;
    char id[64];

    snprintf(id, sizeof id, "%sranks", at->prefix);
    html_section(to, at->level, id, "Leaderboard");
    explain_ranks(to, b);
    if (has_two)
        html_views(to, "Differences to");
    for (int i = 0; i < (has_two ? 2 : 1); i++) {
        const bool to_best = !has_two || is_named == (i == 1);
        const struct rank_view v = { b, to_best ? 0 : b->baseline, to_best };
        char title[128];

        snprintf(title, sizeof title, "the %s: %.100s", to_best ? "best" : "baseline",
                 b->standing[v.other].name);
        if (has_two)
            html_view(to, title, i == 0);
        add_rank_table(to, &v);
        plot_ranks(to, &v, at);
        if (has_two)
            html_view_end(to);
    }
    if (has_two)
        html_views_end(to);
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
    const size_t n_lines = b->n_runs < MOST_DRAWN ? b->n_runs : MOST_DRAWN;
    bool has_any = false;
    char id[64];

    for (size_t i = 0; i < n_lists; i++) {
        find_cuts(&all[i], b);
        has_any |= all[i].n >= FEWEST_CUTS;
    }
    if (!has_any)
        return PECK_OK;
    /* A plot for each metric, a line for each run. */
    double(*const y)[MOST_CUTS] = mem_new(n_lines, sizeof *y);

    if (y == NULL)
        return fail_memory(err, "curves", n_lines, sizeof *y);
    snprintf(id, sizeof id, "%scuts", at->prefix);
    html_section(to, at->level, id, "The first n documents");
    if (b->n_runs > PLOT_COLOURS)
        html_tell(to, "how",
                  "The best %d of %zu runs are drawn; the legend shows and hides each.",
                  PLOT_COLOURS, b->n_runs);
    html_plots(to);
    for (size_t m = 0; m < n_lists; m++) {
        const struct cut_list *const f = &all[m];
        struct series line[MOST_DRAWN];

        if (f->n < FEWEST_CUTS)
            continue;
        for (size_t i = 0; i < n_lines; i++) {
            const struct standing *const s = &b->standing[i];

            for (size_t k = 0; k < f->n; k++)
                y[i][k] = board_mean(b, s->at, f->column[k]);
            line[i] = (struct series){ .name = s->name,
                                       .colour = s->colour,
                                       .group = i,
                                       .x = f->cut,
                                       .y = y[i],
                                       .n = f->n,
                                       .has_dots = true,
                                       .is_off = i >= PLOT_COLOURS };
        }
        plot_lines(to, &(struct plot){ .title = f->title,
                                       .x_name = "first n documents",
                                       .y_name = "mean over queries",
                                       .series = line,
                                       .n_series = n_lines,
                                       .is_x_whole = true });
    }
    if (at->is_first)
        html_tell(
            to, "how",
            "How good the top of the lists is, if somebody looks at the first n "
            "documents. NDCG@n compares the gain of the first n, earlier ones counting "
            "more, with the best that was possible; P@n is the share of relevant ones "
            "among them. Higher lines are better.");
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
    const size_t i = board_run(b, name);

    return i < b->n_runs ? &b->standing[i] : NULL;
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
