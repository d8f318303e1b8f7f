/* show_learning.c -- how each run learnt: loss and metric after every epoch, and of a
 * method that chooses its pairs (sortnet) how quality and pairs grew.                 */
#include "show.h"

#include "../base/alloc.h"

#include <math.h>

/* Lines of a plot, plots of a section: what a reader can still tell apart. */
enum { MOST_CURVES = 16, MOST_PLOTS = 48 };

/* What of an epoch is drawn. */
static double epoch_of(const struct epoch_point *p)
{
    return p->epoch;
}

static double loss_of(const struct epoch_point *p)
{
    return p->loss;
}

static double valid_of(const struct epoch_point *p)
{
    return p->valid;
}

static double train_of(const struct epoch_point *p)
{
    return p->train;
}

static double train_pairs_of(const struct epoch_point *p)
{
    return p->train_pairs;
}

static double valid_pairs_of(const struct epoch_point *p)
{
    return p->valid_pairs;
}

typedef double part_of(const struct epoch_point *p);

static bool has_part(const struct show_run *r, part_of *part)
{
    for (size_t i = 0; i < r->n_curves; i++)
        for (size_t e = 0; r->curve[i].n > 1 && e < r->curve[i].n; e++)
            if (isfinite(part(&r->curve[i].point[e])))
                return true;
    return false;
}

/* One picture of a run: one or two parts of its learning curves. */
struct drawing {
    const struct show_run *run;
    const char *title, *x_name, *y_name;
    part_of *part, *other;         /* other NULL: one part */
    const char *name, *other_name; /* for the legend; NULL: none */
    struct series line[2 * MOST_CURVES];
    size_t n_lines;
    double *block; /* x and y of all lines */
};

static double *fill(double *to, const struct learning_curve *l, part_of *part)
{
    for (size_t e = 0; e < l->n; e++)
        *to++ = part(&l->point[e]);
    return to;
}

static size_t best_of(const struct learning_curve *l)
{
    size_t best = 0;

    for (size_t e = 0; e < l->n; e++)
        if (l->point[e].is_best)
            best = e + 1;
    return best;
}

static double *add_line(struct drawing *d, double *at, const struct learning_curve *l,
                        size_t i, bool is_other)
{
    double *const x = at, *const y = fill(at, l, epoch_of);

    d->line[d->n_lines++] = (struct series){ .name = i > 0      ? NULL
                                                     : is_other ? d->other_name
                                                                : d->name,
                                             .colour = i,
                                             .x = x,
                                             .y = y,
                                             .n = l->n,
                                             .marked = is_other ? 0 : best_of(l),
                                             .is_dashed = is_other };
    return fill(y, l, is_other ? d->other : d->part);
}

static bool draw_lines(struct drawing *d)
{
    const struct show_run *const r = d->run;
    const size_t n = r->n_curves < MOST_CURVES ? r->n_curves : MOST_CURVES;
    size_t n_points = 0;

    for (size_t i = 0; i < n; i++)
        n_points += r->curve[i].n;
    d->block = mem_new(n_points, 4 * sizeof *d->block);
    double *at = d->block;

    for (size_t i = 0; at != NULL && i < n; i++) {
        at = add_line(d, at, &r->curve[i], i, false);
        if (d->other != NULL)
            at = add_line(d, at, &r->curve[i], i, true);
    }
    return d->block != NULL;
}

static peck_status draw(struct text *to, struct drawing *d, bool has_zero, peck_error *err)
{
    char title[256];

    snprintf(title, sizeof title, "%.150s: %s", d->run->name, d->title);
    if (!draw_lines(d))
        return fail_memory(err, "curves", d->run->n_curves, 64);
    plot_lines(to, &(struct plot){ .title = title,
                                   .x_name = d->x_name,
                                   .y_name = d->y_name,
                                   .series = d->line,
                                   .n_series = d->n_lines,
                                   .is_x_whole = true,
                                   .has_zero = has_zero });
    mem_free(d->block);
    return PECK_OK;
}

/* Learning ------------------------------------------------------------------------------- */

static peck_status draw_learning(struct text *to, const struct show_run *r, peck_error *err)
{
    const peck_span metric = show_fact(r, "metric");
    char name[64] = "validation metric";

    if (metric.n > 0)
        snprintf(name, sizeof name, "%.*s", SPAN_ARGS(metric));
    if (has_part(r, valid_of))
        TRY(draw(to,
                 &(struct drawing){ .run = r,
                                    .title = "validation data",
                                    .x_name = "step",
                                    .y_name = name,
                                    .part = valid_of },
                 false, err));
    if (has_part(r, loss_of))
        TRY(draw(to,
                 &(struct drawing){ .run = r,
                                    .title = "training loss",
                                    .x_name = "step",
                                    .y_name = "loss",
                                    .part = loss_of },
                 false, err));
    return PECK_OK;
}

static bool chooses_pairs(const struct show_run *r)
{
    return has_part(r, train_pairs_of);
}

/* Runs that choose their pairs have a section of their own. */
static bool learns(const struct show_run *r)
{
    return !chooses_pairs(r) && (has_part(r, valid_of) || has_part(r, loss_of));
}

peck_status show_learning(struct text *to, const struct peck_page *p, peck_error *err)
{
    if (!show_any_run(p, learns))
        return PECK_OK;
    html_section(to, 2, "learning", "How each run learnt");
    html_tell(
        to, "how",
        "A line is one training: a fold, or a net of an ensemble. The dot is the step "
        "that was kept, the best on validation data. A line that still rises at its "
        "end was stopped too early; one that falls after its dot began to learn the "
        "training data by heart. A step is a pass over the data for nets, a tree for "
        "boosted trees, a strength of the penalty for linear models.");
    TRY(show_plot_runs(to, p, MOST_PLOTS, learns, draw_learning, err));
    html_section_end(to);
    return PECK_OK;
}

/* Pairs ---------------------------------------------------------------------------------- */

static peck_status draw_pair_sets(struct text *to, const struct show_run *r,
                                  peck_error *err)
{
    const peck_span metric = show_fact(r, "metric");
    char name[64] = "metric";

    if (metric.n > 0)
        snprintf(name, sizeof name, "%.*s", SPAN_ARGS(metric));
    TRY(draw(to,
             &(struct drawing){ .run = r,
                                .title = "RankQuality",
                                .x_name = "iteration",
                                .y_name = name,
                                .part = valid_of,
                                .name = "validation data",
                                .other = train_of,
                                .other_name = "training data" },
             false, err));
    return draw(to,
                &(struct drawing){ .run = r,
                                   .title = "pairs compared wrongly so far",
                                   .x_name = "iteration",
                                   .y_name = "pairs",
                                   .part = valid_pairs_of,
                                   .name = "validation data",
                                   .other = train_pairs_of,
                                   .other_name = "training data" },
                true, err);
}

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
        "mistakes. A colour is a fold.");
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
