/* plot_lines.c -- lines over a common x. */
#include "frame.h"

#include <math.h>

/* No line has more points: what lies between them cannot be seen. */
enum { MOST_POINTS = 240 };

struct range {
    double low, high; /* low > high: nothing was seen */
};

static void see(struct range *r, double v, enum axis_scale scale)
{
    if (!axis_takes(scale, v))
        return;
    r->low = fmin(r->low, v);
    r->high = fmax(r->high, v);
}

static struct range settle(struct range r)
{
    return r.low <= r.high ? r : (struct range){ 0, 1 };
}

static enum axis_scale x_scale(const struct plot *p)
{
    return p->is_x_log ? AXIS_LOG : p->is_x_whole ? AXIS_WHOLE : AXIS_LINEAR;
}

static enum axis_scale y_scale(const struct plot *p)
{
    return p->is_y_log ? AXIS_LOG : AXIS_LINEAR;
}

static void fit(struct frame *f, const struct plot *p)
{
    struct range x = { INFINITY, -INFINITY }, y = x;

    for (size_t i = 0; i < p->n_series; i++)
        for (size_t k = 0; k < p->series[i].n; k++) {
            see(&x, p->series[i].x[k], x_scale(p));
            see(&y, p->series[i].y[k], y_scale(p));
        }
    if (p->has_zero && !p->is_y_log)
        see(&y, 0, AXIS_LINEAR);
    x = settle(x);
    y = settle(y);
    axis_fit(&f->x, x_scale(p), x.low, x.high, 6);
    axis_fit(&f->y, y_scale(p), y.low, y.high, 5);
}

/* The n-th of so many points that are shown of s->n. */
static size_t shown_at(const struct series *s, size_t i, size_t n_shown)
{
    return n_shown < s->n ? i * (s->n - 1) / (n_shown - 1) : i;
}

static bool is_shown(const struct plot *p, const struct series *s, size_t k)
{
    return axis_takes(x_scale(p), s->x[k]) && axis_takes(y_scale(p), s->y[k]);
}

static void add_path(struct text *to, const struct frame *f, const struct plot *p,
                     const struct series *s)
{
    const size_t n = s->n < MOST_POINTS ? s->n : MOST_POINTS;
    bool is_drawing = false;

    text_printf(to, "<path class=\"l%zu%s\" d=\"", s->colour % PLOT_COLOURS,
                s->is_dashed ? " dashed" : "");
    for (size_t i = 0; i < n; i++) {
        const size_t k = shown_at(s, i, n);
        const bool is_point = is_shown(p, s, k);

        if (is_point) {
            text_add_str(to, is_drawing ? "L" : "M");
            frame_coordinate(to, axis_place(&f->x, s->x[k]));
            text_add_str(to, " ");
            frame_coordinate(to, axis_place(&f->y, s->y[k]));
        }
        is_drawing = is_point;
    }
    text_add_str(to, "\"/>");
}

static void add_dots(struct text *to, const struct frame *f, const struct plot *p,
                     const struct series *s)
{
    for (size_t k = 0; k < s->n; k++)
        if (is_shown(p, s, k) && (s->has_dots || s->marked == k + 1))
            frame_dot(to, s->colour, axis_place(&f->x, s->x[k]),
                      axis_place(&f->y, s->y[k]));
}

void plot_lines(struct text *to, const struct plot *p)
{
    struct frame f = { .left = 68,
                       .right = PLOT_WIDTH - 14,
                       .top = 10,
                       .bottom = PLOT_HEIGHT - 42,
                       .height = PLOT_HEIGHT,
                       .title = p->title,
                       .x_name = p->x_name,
                       .y_name = p->y_name };

    fit(&f, p);
    /* Dots at the ends stay inside. */
    f.x.from = f.left + 6;
    f.x.to = f.right - 6;
    f.y.from = f.bottom - 6;
    f.y.to = f.top + 6;
    frame_open(to, &f);
    for (size_t i = 0; i < p->n_series; i++)
        add_path(to, &f, p, &p->series[i]);
    for (size_t i = 0; i < p->n_series; i++)
        add_dots(to, &f, p, &p->series[i]);
    frame_close(to);
    frame_legend(to, p->series, p->n_series);
}
