/* plot.h -- pictures of a page, as SVG inside it.
 *
 * A picture is about as wide as a phone, so that its letters are as large there as on a
 * larger screen, where several stand side by side.  All marks lie inside the frame.  The
 * values stand beside the marks, for the script of the page, which shows them.        */
#ifndef PLOT_H
#define PLOT_H

#include "html.h"

/* Colours.  A run keeps its own, 0 to PLOT_COLOURS - 1, all over a page; runs beyond those
 * share PLOT_REST.  Nothing else has these: PLOT_BAR is for bars, and PLOT_PARTS + k for the
 * k-th part of one run, such as a fold; parts beyond PLOT_SHADES begin again. */
enum { PLOT_COLOURS = 8, PLOT_REST = PLOT_COLOURS, PLOT_BAR, PLOT_PARTS, PLOT_SHADES = 6 };

/* Points in order of x.  A y that is not finite leaves a gap. */
struct series {
    const char *name; /* NULL: not in the legend */
    size_t colour;
    size_t group; /* series of one group are shown and hidden together */
    const double *x, *y;
    size_t n;
    size_t marked;  /* a point with a ring around it, from 1; 0: none */
    bool is_dashed; /* the lesser of two lines of the same colour */
    bool has_dots;  /* every point is marked */
    bool is_off;    /* hidden, until a reader asks for it */
};

struct plot {
    const char *title, *x_name, *y_name;
    const char *dashed; /* what dashed lines are; NULL: there are none to explain */
    size_t mark;        /* 1 + the colour of the run that the title names; 0: none */
    const struct series *series;
    size_t n_series;
    bool is_x_log, is_y_log;
    bool is_x_whole;
    bool has_zero; /* y begins at 0 */
};
/* Lines over a common x. */
void plot_lines(struct text *to, const struct plot *p);

struct plot_row {
    peck_span name;
    size_t colour;
    double value, low, high; /* low NaN: no whisker */
    bool is_hollow;          /* the dot is a ring */
    const char *note;        /* told with the values; NULL: nothing */
};

struct row_plot {
    const char *title, *x_name;
    size_t mark; /* as that of struct plot */
    const struct plot_row *row;
    size_t n_rows;
    const char *filled, *hollow; /* what dots and rings are; NULL: there is but one kind */
    bool is_bar;                 /* from 0, else a dot with a whisker */
    bool has_zero;               /* the axis holds 0 */
    double highest; /* the axis goes to it at least; 0: as far as the rows do */
};
/* Rows of a name and a mark, the first one on top. */
void plot_rows(struct text *to, const struct row_plot *p);

/* Axes: a scale with round ticks ---------------------------------------------------- */

enum { AXIS_TICKS = 24 };

enum axis_scale { AXIS_LINEAR, AXIS_WHOLE, AXIS_LOG };

struct axis {
    enum axis_scale scale;
    double low, high; /* of the values it covers; ticks, too */
    double from, to;  /* where low and high lie in the picture */
    double tick[AXIS_TICKS];
    size_t n_ticks;
    int decimals; /* of the ticks' labels */
};

/* Whether a value can stand on such an axis: it is finite, and neither it nor the ends of
 * an axis around it overflow. */
bool axis_takes(enum axis_scale scale, double v);

/* Covers low .. high (that the axis takes, in either order) and cuts it into `wanted` parts at most, or
 * one or two more.  An AXIS_LINEAR ends at ticks; an AXIS_WHOLE where the values do, and it
 * has ticks at whole numbers; an AXIS_LOG takes what is above 0 and ends at powers of ten. */
void axis_fit(struct axis *a, enum axis_scale scale, double low, double high,
              size_t wanted);
/* The place of a value in the picture; never outside from .. to. */
double axis_place(const struct axis *a, double value);
/* "0.25", "1,500" as "1500", "20k", "3M". */
void axis_label(const struct axis *a, double tick, struct text *to);

#endif
