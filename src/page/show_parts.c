/* show_parts.c -- what only some runs have: decoders, importance of features, rules. */
#include "show.h"

#include "../base/alloc.h"
#include "../base/sort.h"

#include <math.h>

enum { MOST_FEATURES = 15, MOST_PLOTS = 24, MOST_BARS = 40 };

/* Decoders -------------------------------------------------------------------------------- */

/* The points of one decoder, by rising number of questions, into x[n] and y[n]. */
static size_t gather_points(const struct show_run *r, peck_span decoder, double *x,
                            double *y)
{
    size_t n = 0;

    for (size_t i = 0; i < r->n_decodings; i++) {
        const struct decoder_point *const d = &r->decoding[i];

        if (!span_equal(strings_get(&r->string, d->decoder), decoder))
            continue;
        size_t at = n++;

        for (; at > 0 && x[at - 1] > d->questions; at--) {
            x[at] = x[at - 1];
            y[at] = y[at - 1];
        }
        x[at] = d->questions;
        y[at] = d->error;
    }
    return n;
}

/* One line a decoder.  One that is known at one number of questions alone, such as one that
 * asks about every pair, is a level to compare the others with, from the fewest questions on. */
static peck_status draw_decoding(struct text *to, const struct show_run *r, peck_error *err)
{
    struct series line[MOST_LINES];
    char name[MOST_LINES][SPAN_SHOWN + 1];
    struct index names = { 0 };
    struct arena a = { 0 };
    size_t n = 0;
    bool is_complete = true;

    for (size_t i = 0; is_complete && i < r->n_decodings; i++)
        is_complete =
            index_put(&names, strings_get(&r->string, r->decoding[i].decoder)) >= 0;
    for (; is_complete && n < names.names.n && n < MOST_LINES; n++) {
        const peck_span own = strings_get(&names.names, n);
        double *const x = arena_new(&a, "decoders", r->n_decodings + 1, 2 * sizeof *x);

        if (x == NULL) {
            is_complete = false;
            break;
        }
        double *const y = x + r->n_decodings + 1;

        snprintf(name[n], sizeof name[n], "%.*s", SPAN_ARGS(own));
        line[n] = (struct series){
            .name = name[n], .colour = n, .x = x, .y = y, .n = gather_points(r, own, x, y)
        };
        line[n].has_dots = line[n].n > 1;
        if (line[n].n > 1)
            continue;
        line[n].n = line[n].marked = 2;
        line[n].is_dashed = true;
        x[1] = x[0];
        y[1] = y[0];
        for (size_t i = 0; i < r->n_decodings; i++)
            if (r->decoding[i].questions < x[0])
                x[0] = r->decoding[i].questions;
    }
    if (is_complete)
        plot_lines(to, &(struct plot){ .title = r->name,
                                       .x_name = "questions asked",
                                       .y_name = "share of pairs in the wrong order",
                                       .series = line,
                                       .n_series = n,
                                       .is_x_log = true,
                                       .is_y_log = true });
    index_free(&names);
    arena_free(&a);
    return is_complete ? PECK_OK
                       : fail_memory(err, "decoders", r->n_decodings, 6 * sizeof(double));
}

static bool has_decodings(const struct show_run *r)
{
    return r->n_decodings > 0;
}

peck_status show_decoding(struct text *to, const struct peck_page *p, peck_error *err)
{
    if (!show_any_run(p, has_decodings))
        return PECK_OK;
    html_section(to, 2, "decoders", "Decoders: error against questions");
    html_tell(
        to, "how",
        "A decoder turns answers to \"does i go before j?\" into an order. Each line is "
        "one decoder: the further right, the more it asked; the lower, the fewer pairs "
        "stand in the wrong order. The best ones are low and left. A dashed line is a "
        "decoder known at one number of questions alone, such as all pairs: its dot. Both "
        "scales grow by factors of ten.");
    TRY(show_plot_runs(to, p, MOST_PLOTS, has_decodings, draw_decoding, err));
    html_section_end(to);
    return PECK_OK;
}

/* Importance ------------------------------------------------------------------------------ */

/* The features of most gain, the mean over folds. */
static peck_status draw_importance(struct text *to, const struct show_run *r,
                                   peck_error *err)
{
    const struct sums *const s = &r->importance;
    const size_t n = s->name.names.n, n_shown = n < MOST_FEATURES ? n : MOST_FEATURES;
    struct plot_row row[MOST_FEATURES];
    struct arena a = { 0 };
    double *const gain = arena_new(&a, "importance", n, sizeof *gain);
    uint32_t *const order = arena_new(&a, "importance", n, sizeof *order);
    struct sort_item *const scratch = arena_new(&a, "importance", n, 2 * sizeof *scratch);
    const peck_status st = arena_check(&a, err);

    if (st == PECK_OK) {
        for (size_t i = 0; i < n; i++)
            gain[i] = s->value[i][0] / (double)s->n_folds;
        order_desc(gain, (uint32_t)n, order, scratch);
        for (size_t i = 0; i < n_shown; i++)
            row[i] = (struct plot_row){ strings_get(&s->name.names, order[i]), 0,
                                        100 * gain[order[i]], (double)NAN, (double)NAN };
        plot_rows(to, &(struct row_plot){ .title = r->name,
                                          .x_name = "share of the gain, percent",
                                          .row = row,
                                          .n_rows = n_shown,
                                          .is_bar = true });
    }
    arena_free(&a);
    return st;
}

static bool has_importance(const struct show_run *r)
{
    return r->importance.n_folds > 0;
}

peck_status show_importance(struct text *to, const struct peck_page *p, peck_error *err)
{
    if (!show_any_run(p, has_importance))
        return PECK_OK;
    html_section(to, 2, "features", "Features that matter");
    html_tell(
        to, "how",
        "What trees ask about: of everything that their questions gained in training, "
        "the share that each feature brought, the mean over folds; the first %d are "
        "shown, by number and name. Only models of trees can tell.",
        MOST_FEATURES);
    TRY(show_plot_runs(to, p, MOST_PLOTS, has_importance, draw_importance, err));
    html_section_end(to);
    return PECK_OK;
}

/* Rules ----------------------------------------------------------------------------------- */

static bool has_rules(const struct show_run *r)
{
    return r->rules.n_folds > 0;
}

/* A bar for each rule: how often it holds. */
static void draw_rules(struct text *to, const struct show_run *r)
{
    const struct sums *const s = &r->rules;
    struct plot_row row[MOST_BARS];
    size_t n = 0;

    for (size_t i = 0; i < s->name.names.n && n < MOST_BARS; i++)
        if (s->value[i][0] > 0)
            row[n++] = (struct plot_row){ strings_get(&s->name.names, i), 0,
                                          100 * s->value[i][1] / s->value[i][0],
                                          (double)NAN, (double)NAN };
    if (n > 0)
        plot_rows(to, &(struct row_plot){ .title = r->name,
                                          .x_name = "queries that keep it, percent",
                                          .row = row,
                                          .n_rows = n,
                                          .is_bar = true,
                                          .highest = 100 });
}

void show_rules(struct text *to, const struct peck_page *p)
{
    static const struct html_column head[] = {
        { "run", NULL, true, 0 },
        { "rule", NULL, true, 0 },
        { "queries", "that the rule speaks of", false, 0 },
        { "hold", "queries in which it holds outright", false, 0 },
        { "break", "queries in which it does not", false, 0 },
        { "hold %", NULL, false, 0 },
        { "penalty", "what training would see, the mean over queries", false, 0 },
    };
    size_t n_plots = 0;

    if (!show_any_run(p, has_rules))
        return;
    html_section(to, 2, "rules", "Rules that hold");
    html_tell(
        to, "how",
        "An expert's rules about good rankings, and in how many of the queries that "
        "each speaks of the run's order keeps it outright. Longer bars are better; the "
        "penalty is 0 where a rule is kept everywhere.");
    html_plots(to);
    for (size_t i = 0; i < p->n_runs; i++)
        if (has_rules(&p->run[i]) && n_plots++ < MOST_PLOTS)
            draw_rules(to, &p->run[i]);
    html_plots_end(to);
    html_table(to, head, sizeof head / sizeof *head);
    for (size_t k = 0; k < p->n_runs; k++) {
        const struct show_run *const r = &p->run[k];
        const struct sums *const s = &r->rules;

        for (size_t i = 0; i < s->name.names.n; i++) {
            const double *const v = s->value[i];

            html_row(to);
            html_cell_text(to, span_of(r->name));
            html_cell_text(to, strings_get(&s->name.names, i));
            html_cell_number(to, v[0], 0);
            html_cell_number(to, v[1], 0);
            html_cell_number(to, v[0] - v[1], 0);
            html_cell_number(to, v[0] > 0 ? 100 * v[1] / v[0] : (double)NAN, 1);
            html_cell_number(to, v[0] > 0 ? v[2] / v[0] : (double)NAN, 4);
        }
    }
    html_table_end(to);
    html_section_end(to);
}
