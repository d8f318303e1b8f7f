/* show_parts.c -- the sections of all runs: how they learnt, what only some have (decoders,
 * importance of features, rules), what they were made with, and what the words mean.    */
#include "show.h"

#include "../base/alloc.h"
#include "../base/sort.h"

#include <math.h>
#include <stddef.h>

/* Lines of a plot, plots of a section: what a reader can still tell apart. */
enum { MOST_CURVES = 16, MOST_PLOTS = 48, MOST_OTHERS = 24 };
enum { MOST_FEATURES = 15, MOST_BARS = 40 };

/* Curves: numbers of each epoch ----------------------------------------------------------- */

/* What of an epoch is drawn: the place of a number in struct epoch_point. */
enum epoch_part {
    EPOCH = offsetof(struct epoch_point, epoch),
    LOSS = offsetof(struct epoch_point, loss),
    VALID = offsetof(struct epoch_point, valid),
    TRAIN = offsetof(struct epoch_point, train),
    TRAIN_PAIRS = offsetof(struct epoch_point, train_pairs),
    VALID_PAIRS = offsetof(struct epoch_point, valid_pairs),
};

static double part_of_epoch(const struct epoch_point *p, enum epoch_part part)
{
    return *(const double *)((const char *)p + part);
}

/* Whether some curve of two epochs or more has such a number. */
static bool has_part(const struct show_run *r, enum epoch_part part)
{
    for (size_t i = 0; i < r->n_curves; i++)
        for (size_t e = 0; r->curve[i].n > 1 && e < r->curve[i].n; e++)
            if (isfinite(part_of_epoch(&r->curve[i].point[e], part)))
                return true;
    return false;
}

/* One picture of a run: one or two parts of its learning curves. */
struct drawing {
    const struct show_run *run;
    const char *title, *x_name, *y_name;
    size_t n_parts;
    enum epoch_part part[2];
    const char *dashed; /* what the second one is */
    bool has_zero;
};

/* "fold 1", "net 2", "fold 1, net 2" */
static const char *name_curve(char room[64], const struct learning_curve *l)
{
    char net[32] = "";

    if (l->member > 0)
        snprintf(net, sizeof net, "%snet %zu", l->fold > 0 ? ", " : "", l->member);
    if (l->fold > 0)
        snprintf(room, 64, "fold %zu%s", l->fold, net);
    else
        snprintf(room, 64, "%s", *net != '\0' ? net : "all");
    return room;
}

/* A line for each curve and part; the second part is dashed.  A dot marks the epoch that was
 * kept. */
static peck_status draw_curves(struct text *to, const struct drawing *d, peck_error *err)
{
    const struct show_run *const r = d->run;
    const size_t n = r->n_curves < MOST_CURVES ? r->n_curves : MOST_CURVES;
    struct series line[2 * MOST_CURVES];
    size_t n_points = 0, n_lines = 0;
    char title[256], name[MOST_CURVES][64];

    for (size_t i = 0; i < n; i++)
        n_points += r->curve[i].n;
    double *const block = mem_new(n_points, 4 * sizeof *block), *at = block;

    if (block == NULL)
        return fail_memory(err, "curves", r->n_curves, 64);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < d->n_parts; k++) {
            const struct learning_curve *const l = &r->curve[i];
            double *const x = at, *const y = at + l->n;
            size_t best = 0;

            for (size_t e = 0; e < l->n; e++) {
                x[e] = part_of_epoch(&l->point[e], EPOCH);
                y[e] = part_of_epoch(&l->point[e], d->part[k]);
                if (l->point[e].is_best)
                    best = e + 1;
            }
            line[n_lines++] =
                (struct series){ .name = k > 0 || r->n_curves == 1 ? NULL
                                                                   : name_curve(name[i], l),
                                 .colour = PLOT_PARTS + i,
                                 .group = i,
                                 .x = x,
                                 .y = y,
                                 .n = l->n,
                                 .marked = k > 0 ? 0 : best,
                                 .is_dashed = k > 0 };
            at = y + l->n;
        }
    snprintf(title, sizeof title, "%.150s: %s", r->name, d->title);
    plot_lines(to, &(struct plot){ .title = title,
                                   .x_name = d->x_name,
                                   .y_name = d->y_name,
                                   .dashed = d->dashed,
                                   .mark = r->mark,
                                   .series = line,
                                   .n_series = n_lines,
                                   .is_x_whole = true,
                                   .has_zero = d->has_zero });
    mem_free(block);
    return PECK_OK;
}

/* Learning ------------------------------------------------------------------------------- */

/* Metric and loss, as far as the run has them. */
static peck_status draw_learning(struct text *to, const struct peck_page *p,
                                 const struct show_run *r, peck_error *err)
{
    (void)p;
    const peck_span metric = show_fact(r, "metric");
    char name[64] = "validation metric";

    if (metric.n > 0)
        snprintf(name, sizeof name, "%.*s", SPAN_ARGS(metric));
    if (has_part(r, VALID))
        TRY(draw_curves(to,
                        &(struct drawing){ .run = r,
                                           .title = "validation data",
                                           .x_name = "step",
                                           .y_name = name,
                                           .n_parts = 1,
                                           .part = { VALID } },
                        err));
    if (has_part(r, LOSS))
        TRY(draw_curves(to,
                        &(struct drawing){ .run = r,
                                           .title = "training loss",
                                           .x_name = "step",
                                           .y_name = "loss",
                                           .n_parts = 1,
                                           .part = { LOSS } },
                        err));
    return PECK_OK;
}

static bool chooses_pairs(const struct show_run *r)
{
    return has_part(r, TRAIN_PAIRS);
}

/* Runs that choose their pairs have a section of their own. */
static bool learns_by_steps(const struct show_run *r)
{
    return !chooses_pairs(r) && (has_part(r, VALID) || has_part(r, LOSS));
}

peck_status show_learning(struct text *to, const struct peck_page *p, peck_error *err)
{
    if (!show_any_run(p, learns_by_steps))
        return PECK_OK;
    html_section(to, 2, "learning", "Learning curves");
    html_tell(
        to, "how",
        "A line is one training: a fold, or a net of an ensemble. The dot is the step "
        "that was kept, the best on validation data. A line that still rises at its "
        "end was stopped too early; one that falls after its dot overfits. A step is a "
        "pass over the data for nets, a tree for boosted trees, a strength of the penalty "
        "for linear models. The legend shows and hides a fold in all of these plots.");
    TRY(show_plot_runs(to, p, MOST_PLOTS, learns_by_steps, draw_learning, err));
    html_section_end(to);
    return PECK_OK;
}

/* Pairs ---------------------------------------------------------------------------------- */

/* Quality, and the sets of pairs. */
static peck_status draw_pair_sets(struct text *to, const struct show_run *r,
                                  peck_error *err)
{
    const peck_span metric = show_fact(r, "metric");
    char name[64] = "metric";

    if (metric.n > 0)
        snprintf(name, sizeof name, "%.*s", SPAN_ARGS(metric));
    TRY(draw_curves(to,
                    &(struct drawing){ .run = r,
                                       .title = "RankQuality",
                                       .x_name = "iteration",
                                       .y_name = name,
                                       .n_parts = 2,
                                       .part = { VALID, TRAIN },
                                       .dashed = "training data" },
                    err));
    return draw_curves(to,
                       &(struct drawing){ .run = r,
                                          .title = "pairs compared wrongly so far",
                                          .x_name = "iteration",
                                          .y_name = "pairs",
                                          .n_parts = 2,
                                          .part = { VALID_PAIRS, TRAIN_PAIRS },
                                          .dashed = "training data",
                                          .has_zero = true },
                       err);
}

/* Of methods that choose their pairs: an iteration is what an epoch is to others. */
peck_status show_pair_sets(struct text *to, const struct peck_page *p, peck_error *err)
{
    size_t n = 0;

    if (!show_any_run(p, chooses_pairs))
        return PECK_OK;
    html_section(to, 2, "sortnet", "SortNet: quality and pairs");
    html_tell(
        to, "how",
        "SortNet sorts the documents with the net it has, adds the pairs that came out "
        "in the wrong order to its training set, and learns again: one iteration. "
        "RankQuality is how well the lists are sorted, on training data (dashed) and on "
        "validation data; the dot is the iteration that was kept. The other picture is "
        "how the sets of pairs grow: where a line goes flat, the net makes no new "
        "mistakes. A shade is a fold.");
    for (size_t i = 0; i < p->n_runs; i++) {
        if (!chooses_pairs(&p->run[i]) || n++ >= MOST_PLOTS)
            continue;
        html_plots(to);
        TRY(draw_pair_sets(to, &p->run[i], err));
        html_plots_end(to);
    }
    html_section_end(to);
    return PECK_OK;
}

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

static bool has_colour(const struct show_run *r)
{
    return r->mark > 0;
}

/* One line a decoder.  One that is known at one number of questions alone, such as one that
 * asks about every pair, is a level to compare the others with, from the fewest questions on. */
static peck_status draw_decoding(struct text *to, const struct peck_page *p,
                                 const struct show_run *r, peck_error *err)
{
    /* Colours are those of runs, where no run has one. */
    const size_t colour = show_any_run(p, has_colour) ? PLOT_PARTS : 0;
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
        line[n] = (struct series){ .name = name[n],
                                   .colour = colour + n,
                                   .group = n,
                                   .x = x,
                                   .y = y,
                                   .n = gather_points(r, own, x, y) };
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
    TRY(show_plot_runs(to, p, MOST_OTHERS, has_decodings, draw_decoding, err));
    html_section_end(to);
    return PECK_OK;
}

/* Importance ------------------------------------------------------------------------------ */

/* The features of most gain, the mean over folds. */
static peck_status draw_importance(struct text *to, const struct peck_page *p,
                                   const struct show_run *r, peck_error *err)
{
    (void)p;
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
            row[i] = (struct plot_row){ .name = strings_get(&s->name.names, order[i]),
                                        .colour = PLOT_BAR,
                                        .value = 100 * gain[order[i]],
                                        .low = (double)NAN,
                                        .high = (double)NAN };
        plot_rows(to, &(struct row_plot){ .title = r->name,
                                          .mark = r->mark,
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
    html_section(to, 2, "features", "Feature importance");
    html_tell(
        to, "how",
        "What trees ask about: of everything that their questions gained in training, "
        "the share that each feature brought, the mean over folds; the first %d are "
        "shown, by number and name. Only models of trees can tell.",
        MOST_FEATURES);
    TRY(show_plot_runs(to, p, MOST_OTHERS, has_importance, draw_importance, err));
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
            row[n++] = (struct plot_row){ .name = strings_get(&s->name.names, i),
                                          .colour = PLOT_BAR,
                                          .value = 100 * s->value[i][1] / s->value[i][0],
                                          .low = (double)NAN,
                                          .high = (double)NAN };
    if (n > 0)
        plot_rows(to, &(struct row_plot){ .title = r->name,
                                          .mark = r->mark,
                                          .x_name = "queries that keep it, percent",
                                          .row = row,
                                          .n_rows = n,
                                          .is_bar = true,
                                          .highest = 100 });
}

/* Bars of shares, then a table.  value[rule]: queries, those that keep it, sum of penalties. */
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
    html_section(to, 2, "rules", "Rules");
    html_tell(
        to, "how",
        "An expert's rules about good rankings, and in how many of the queries that "
        "each speaks of the run's order keeps it outright. Longer bars are better; the "
        "penalty is 0 where a rule is kept everywhere.");
    html_plots(to);
    for (size_t i = 0; i < p->n_runs; i++)
        if (has_rules(&p->run[i]) && n_plots++ < MOST_OTHERS)
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

/* Settings ---------------------------------------------------------------------------------- */

/* Up to the first of these bytes. */
static peck_span head_of(peck_span s, const char *stop)
{
    size_t n = 0;

    while (n < s.n && strchr(stop, s.s[n]) == NULL)
        n++;
    return (peck_span){ s.s, n };
}

/* A cell of text, "–" where there is none. */
static void cell_or_dash(struct text *to, peck_span s)
{
    html_cell_text(to, s.n > 0 ? s : span_of("–"));
}

/* What a reader asks first, a line a run. */
static void add_overview(struct text *to, const struct peck_page *p)
{
    static const struct html_column head[] = {
        { "run", NULL, true, 0 },
        { "method", NULL, true, 0 },
        { "seed", NULL, true, 0 },
        { "folds", "with values per query", false, 0 },
        { "chosen by", "the metric that chose epochs and settings", true, 0 },
        { "convention", "by which it was judged", true, 0 },
        { "training data", "its fingerprint; of the first fold", true, 0 },
    };

    html_table(to, head, sizeof head / sizeof *head);
    for (size_t i = 0; i < p->n_runs; i++) {
        const struct show_run *const r = &p->run[i];
        /* "9630 documents, 471 queries, 46 features, 20330e55..." -> the last word */
        peck_span data = head_of(show_fact(r, "data"), ";");
        size_t from = data.n;

        while (from > 0 && data.s[from - 1] != ' ')
            from--;
        if (from < data.n)
            data = (peck_span){ data.s + from, data.n - from };
        if (r->n_facts == 0 && r->n_judged == 0)
            continue;
        html_row(to);
        html_cell_text(to, span_of(r->name));
        cell_or_dash(to, show_fact(r, "method"));
        cell_or_dash(to, show_fact(r, "seed"));
        html_cell_number(to, (double)r->n_judged, 0);
        cell_or_dash(to, show_fact(r, "metric"));
        cell_or_dash(to, head_of(show_convention(r), ":"));
        cell_or_dash(to, data);
    }
    html_table_end(to);
}

/* The key and the text of a fact. */
static peck_span fact_key(const struct show_run *r, size_t i)
{
    return strings_get(&r->string, r->fact[i].key);
}

static peck_span fact_text(const struct show_run *r, size_t i)
{
    return strings_get(&r->string, r->fact[i].text);
}

/* Whether an earlier fact has the same name, and text if that matters. */
static bool was_told(const struct show_run *r, size_t i, bool minds_text)
{
    for (size_t k = 0; k < i; k++)
        if (span_equal(fact_key(r, k), fact_key(r, i)) &&
            (!minds_text || span_equal(fact_text(r, k), fact_text(r, i))))
            return true;
    return false;
}

/* All texts of one name; where folds differ, "fold 1, 3: " stands before each. */
static void print_fact(struct text *to, const struct show_run *r, size_t i)
{
    const peck_span key = fact_key(r, i);
    bool differs = false;

    for (size_t k = i; k < r->n_facts; k++)
        differs |= span_equal(fact_key(r, k), key) &&
                   !span_equal(fact_text(r, k), fact_text(r, i));
    text_add_str(to, "<dt>");
    html_escape(to, key);
    text_add_str(to, "</dt><dd>");
    for (size_t k = i; k < r->n_facts; k++) {
        const char *before = "fold ";

        if (!span_equal(fact_key(r, k), key) || was_told(r, k, true))
            continue;
        text_add_str(to, k > i ? "<br>" : "");
        for (size_t n = 0; differs && n < r->n_facts; n++)
            if (span_equal(fact_key(r, n), key) &&
                span_equal(fact_text(r, n), fact_text(r, k)) && r->fact[n].fold > 0) {
                text_printf(to, "%s%zu", before, r->fact[n].fold);
                before = ", ";
            }
        text_add_str(to, *before == ',' ? ": " : "");
        html_escape(to, fact_text(r, k));
    }
    text_add_str(to, "</dd>\n");
}

/* How a run was made comes first, how it was judged last, whichever file was read first.  That
 * it was judged by the convention it was trained by goes without saying. */
static void add_details(struct text *to, const struct show_run *r)
{
    struct text command;

    text_add_str(to, "<details><summary>");
    html_escape_str(to, r->name);
    text_add_str(to, "</summary>\n<dl>\n");
    text_init(&command, to->max);
    if (show_repeat(&command, r)) {
        html_fact(to, "repeat");
        html_command(to, (peck_span){ command.s, command.len });
        text_add_str(to, "</dd>\n");
    }
    to->failed |= command.failed;
    text_free(&command);
    text_add_str(to, "<dt>from</dt><dd>");
    html_escape_str(to, r->path);
    text_add_str(to, "</dd>\n");
    for (int is_judging = 0; is_judging < 2; is_judging++)
        for (size_t i = 0; i < r->n_facts; i++) {
            const bool is_convention = span_is(fact_key(r, i), "judged by");
            const bool is_of_judging = is_convention ||
                                       span_is(fact_key(r, i), LABELS_NOTE) ||
                                       span_is(fact_key(r, i), "data file");

            if (is_of_judging == is_judging && !was_told(r, i, false) &&
                !span_is(fact_key(r, i), "command") &&
                !(is_convention && span_equal(fact_text(r, i), show_fact(r, "convention"))))
                print_fact(to, r, i);
        }
    text_add_str(to, "</dl></details>\n");
}

void show_settings(struct text *to, const struct peck_page *p)
{
    size_t n = 0;

    for (size_t i = 0; i < p->n_runs; i++)
        n += p->run[i].n_facts + p->run[i].n_judged;
    if (n == 0)
        return;
    html_section(to, 2, "settings", "Settings, and how to repeat each run");
    html_tell(
        to, "how",
        "Open a run to see its settings in full and the command that repeats it; words in "
        "capitals stand for files whose names nobody noted. The fingerprint is a number "
        "made of the training data: where it is the same, the data was the same to the "
        "last digit.");
    add_overview(to, p);
    for (size_t i = 0; i < p->n_runs; i++)
        if (p->run[i].n_facts > 0)
            add_details(to, &p->run[i]);
    html_section_end(to);
}

/* Words ------------------------------------------------------------------------------------- */

/* An entry of the list: its name, what it is, more about it. */
static void explain_word(struct text *to, const char *name, const char *title,
                         const char *doc)
{
    text_add_str(to, "<dt>");
    html_escape_str(to, name);
    text_add_str(to, "</dt><dd>");
    html_escape_str(to, title);
    text_add_str(to, ". ");
    html_escape_str(to, doc);
    text_add_str(to, "</dd>\n");
}

/* Metrics are explained where some board has a column of them: "ndcg", "ndcg@5". */
void show_words(struct text *to, const struct boards *b)
{
    if (b->n == 0)
        return;
    html_section(to, 2, "words", "Glossary");
    text_add_str(to, "<dl>\n");
    explain_word(
        to, "query, document", "a question and what was found for it",
        "A run puts the documents of each query in an order; people have judged how "
        "relevant each one is (its label).");
    explain_word(to, "fold", "a part of the queries, kept apart for testing",
                 "The model that ranks a fold has learnt from other folds alone.");
    for (size_t m = 0; m < n_metrics; m++) {
        const peck_plug *const about = &metrics[m]->plug.about;
        bool is_used = false;

        for (size_t i = 0; i < b->n; i++)
            for (size_t c = 0; c < b->board[i].column.n; c++)
                is_used |=
                    span_is(head_of(strings_get(&b->board[i].column, c), "@"), about->name);
        if (is_used)
            explain_word(to, about->name, about->title, about->doc);
    }
    text_add_str(to, "</dl>\n");
    html_section_end(to);
}
