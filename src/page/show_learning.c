/* show_learning.c -- how each run learnt: loss and metric after every epoch, and of a
 * method that chooses its pairs (sortnet) how quality and pairs grew.                 */
#include "show.h"

#include "../base/alloc.h"

#include <math.h>
#include <stddef.h>

/* Lines of a plot, plots of a section: what a reader can still tell apart. */
enum { MOST_CURVES = 16, MOST_PLOTS = 48 };

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
    const char *name[2]; /* for the legend; NULL: none */
    bool has_zero;
};

/* A line for each curve and part; the second part is dashed.  A ring marks the epoch that was
 * kept. */
static peck_status draw_curves(struct text *to, const struct drawing *d, peck_error *err)
{
    const struct show_run *const r = d->run;
    const size_t n = r->n_curves < MOST_CURVES ? r->n_curves : MOST_CURVES;
    struct series line[2 * MOST_CURVES];
    size_t n_points = 0, n_lines = 0;
    char title[256];

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
            line[n_lines++] = (struct series){ .name = i > 0 ? NULL : d->name[k],
                                               .colour = i,
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
                                   .series = line,
                                   .n_series = n_lines,
                                   .is_x_whole = true,
                                   .has_zero = d->has_zero });
    mem_free(block);
    return PECK_OK;
}

/* Learning ------------------------------------------------------------------------------- */

/* Metric and loss, as far as the run has them. */
static peck_status draw_learning(struct text *to, const struct show_run *r, peck_error *err)
{
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
    html_section(to, 2, "learning", "How each run learnt");
    html_tell(
        to, "how",
        "A line is one training: a fold, or a net of an ensemble. The dot is the step "
        "that was kept, the best on validation data. A line that still rises at its "
        "end was stopped too early; one that falls after its dot began to learn the "
        "training data by heart. A step is a pass over the data for nets, a tree for "
        "boosted trees, a strength of the penalty for linear models.");
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
                                       .name = { "validation data", "training data" } },
                    err));
    return draw_curves(to,
                       &(struct drawing){ .run = r,
                                          .title = "pairs compared wrongly so far",
                                          .x_name = "iteration",
                                          .y_name = "pairs",
                                          .n_parts = 2,
                                          .part = { VALID_PAIRS, TRAIN_PAIRS },
                                          .name = { "validation data", "training data" },
                                          .has_zero = true },
                       err);
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
