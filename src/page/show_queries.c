/* show_queries.c -- where two runs differ, query by query, the worst first; or, of a run
 * that stands alone, the queries that it is worst at.                                  */
#include "show.h"

#include "../base/alloc.h"
#include "../base/sort.h"

#include <math.h>

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
