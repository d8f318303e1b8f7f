/* plot_rows.c -- names with a mark each: bars from 0, or dots with whiskers. */
#include "frame.h"

#include "../base/json.h"

#include <math.h>

enum { ROW_HEIGHT = 24, MOST_LETTERS = 26 };

/* Characters of a name, nearly. */
static size_t letters_in(peck_span s)
{
    size_t n = 0;

    for (size_t i = 0; i < s.n; i++)
        n += ((unsigned char)s.s[i] & 0xC0) != 0x80;
    return n;
}

/* Where the n-th character begins. */
static size_t letter_at(peck_span s, size_t n)
{
    size_t at = 0;

    for (size_t i = 0; i < n && at < s.n; i++) {
        const size_t length = utf8_length(s.s + at, s.n - at);

        at += length > 0 ? length : 1;
    }
    return at;
}

/* Its two ends: names often begin alike, and what tells them apart comes last. */
static void add_ends(struct text *to, peck_span s)
{
    const size_t n = letters_in(s), head = letter_at(s, MOST_LETTERS / 2),
                 tail = letter_at(s, n - (MOST_LETTERS / 2 - 1));

    html_escape(to, (peck_span){ s.s, head });
    text_add_str(to, "…");
    html_escape(to, (peck_span){ s.s + tail, s.n - tail });
}

static double name_width(const struct row_plot *p)
{
    size_t most = 4;

    for (size_t i = 0; i < p->n_rows; i++) {
        const size_t n = letters_in(p->row[i].name);

        most = n > most ? n : most;
    }
    return 12 + 7.8 * (double)(most < MOST_LETTERS ? most : MOST_LETTERS);
}

static void fit(struct frame *f, const struct row_plot *p)
{
    double low = INFINITY, high = -INFINITY;

    for (size_t i = 0; i < p->n_rows; i++) {
        const struct plot_row *const r = &p->row[i];

        if (!axis_takes(AXIS_LINEAR, r->value))
            continue;
        low = fmin(low, fmin(r->value, r->low));
        high = fmax(high, fmax(r->value, r->high));
    }
    if (!(low <= high))
        low = 0, high = 1;
    if (p->is_bar || p->has_zero) {
        low = fmin(low, 0);
        high = fmax(high, 0);
    }
    axis_fit(&f->x, AXIS_LINEAR, low, fmax(high, p->highest > 0 ? p->highest : high), 4);
}

static void add_name(struct text *to, const struct frame *f, double y, peck_span name)
{
    const bool is_cut = letters_in(name) > MOST_LETTERS;

    text_add_str(to, "<text text-anchor=\"end\" x=\"");
    frame_coordinate(to, f->left - 6);
    text_add_str(to, "\" y=\"");
    frame_coordinate(to, y + 4);
    text_add_str(to, "\">");
    if (!is_cut)
        html_escape(to, name);
    if (is_cut) {
        add_ends(to, name);
        text_add_str(to, "<title>");
        html_escape(to, name);
        text_add_str(to, "</title>");
    }
    text_add_str(to, "</text>");
}

static void add_bar(struct text *to, const struct frame *f, double y,
                    const struct plot_row *r)
{
    const double zero = axis_place(&f->x, 0), end = axis_place(&f->x, r->value);

    text_printf(to, "<rect class=\"b%zu\" x=\"", r->colour % PLOT_COLOURS);
    frame_coordinate(to, fmin(zero, end));
    text_add_str(to, "\" y=\"");
    frame_coordinate(to, y - 7);
    text_add_str(to, "\" height=\"14\" width=\"");
    frame_coordinate(to, fmax(fabs(end - zero), 0.5));
    text_add_str(to, "\"/>");
}

static void add_whisker(struct text *to, const struct frame *f, double y,
                        const struct plot_row *r)
{
    if (isfinite(r->low) && isfinite(r->high)) {
        text_printf(to, "<path class=\"l%zu\" d=\"M", r->colour % PLOT_COLOURS);
        frame_coordinate(to, axis_place(&f->x, r->low));
        text_add_str(to, " ");
        frame_coordinate(to, y);
        text_add_str(to, "H");
        frame_coordinate(to, axis_place(&f->x, r->high));
        text_add_str(to, "\"/>");
    }
    frame_dot(to, r->colour, axis_place(&f->x, r->value), y);
}

void plot_rows(struct text *to, const struct row_plot *p)
{
    const double bottom = 10 + ROW_HEIGHT * (double)p->n_rows;
    struct frame f = { .left = name_width(p),
                       .right = PLOT_WIDTH - 20,
                       .top = 6,
                       .bottom = bottom,
                       .height = bottom + 42,
                       .title = p->title,
                       .x_name = p->x_name };

    fit(&f, p);
    f.x.from = f.left + (p->is_bar ? 0 : 6);
    f.x.to = f.right - 6;
    frame_open(to, &f);
    for (size_t i = 0; i < p->n_rows; i++)
        if (axis_takes(AXIS_LINEAR, p->row[i].value))
            (p->is_bar ? add_bar : add_whisker)(
                to, &f, f.top + ROW_HEIGHT * ((double)i + 0.5), &p->row[i]);
    text_add_str(to, "</g>\n<g>");
    for (size_t i = 0; i < p->n_rows; i++)
        add_name(to, &f, f.top + ROW_HEIGHT * ((double)i + 0.5), p->row[i].name);
    frame_close(to);
    frame_legend(to, NULL, 0);
}
