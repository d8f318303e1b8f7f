/* frame.c -- see frame.h. */
#include "frame.h"

#include "../base/number.h"

#include <math.h>

void frame_coordinate(struct text *to, double v)
{
    char digits[64];

    text_add(to, digits, number_print(digits, sizeof digits, 'f', 1, v));
}

/* <tag x1=.. y1=.. x2=.. y2=../> */
static void add_line(struct text *to, const char *css, double x1, double y1, double x2,
                     double y2)
{
    const double at[] = { x1, y1, x2, y2 };
    static const char *const name[] = { "x1", "y1", "x2", "y2" };

    text_printf(to, "<line class=\"%s\"", css);
    for (size_t i = 0; i < 4; i++) {
        text_printf(to, " %s=\"", name[i]);
        frame_coordinate(to, at[i]);
        text_add_str(to, "\"");
    }
    text_add_str(to, "/>");
}

/* anchor: "start", "middle" or "end". */
static void open_text(struct text *to, const char *anchor, double x, double y)
{
    text_printf(to, "<text text-anchor=\"%s\" x=\"", anchor);
    frame_coordinate(to, x);
    text_add_str(to, "\" y=\"");
    frame_coordinate(to, y);
    text_add_str(to, "\">");
}

static void add_x_ticks(struct text *to, const struct frame *f)
{
    for (size_t i = 0; i < f->x.n_ticks; i++) {
        const double x = axis_place(&f->x, f->x.tick[i]);

        add_line(to, f->x.tick[i] == 0 ? "grid zero" : "grid", x, f->top, x, f->bottom);
        open_text(to, "middle", x, f->bottom + 16);
        axis_label(&f->x, f->x.tick[i], to);
        text_add_str(to, "</text>");
    }
}

static void add_y_ticks(struct text *to, const struct frame *f)
{
    for (size_t i = 0; i < f->y.n_ticks; i++) {
        const double y = axis_place(&f->y, f->y.tick[i]);

        add_line(to, f->y.tick[i] == 0 ? "grid zero" : "grid", f->left, y, f->right, y);
        open_text(to, "end", f->left - 6, y + 4);
        axis_label(&f->y, f->y.tick[i], to);
        text_add_str(to, "</text>");
    }
}

static void add_names(struct text *to, const struct frame *f)
{
    /* A name wider than the frame goes on to the left, where there is room. */
    const bool is_wide = (LETTER + 1) * (double)strlen(f->x_name) > f->right - f->left;

    open_text(to, is_wide ? "end" : "middle", is_wide ? f->right : (f->left + f->right) / 2,
              f->bottom + 34);
    html_escape_str(to, f->x_name);
    text_add_str(to, "</text>");
    if (f->y_name == NULL)
        return;
    text_add_str(
        to, "<text class=\"upright\" text-anchor=\"middle\" transform=\"translate(13 ");
    frame_coordinate(to, (f->top + f->bottom) / 2);
    text_add_str(to, ") rotate(-90)\">");
    html_escape_str(to, f->y_name);
    text_add_str(to, "</text>");
}

static void add_frame(struct text *to, const struct frame *f)
{
    const double at[] = { f->left, f->top, f->right - f->left, f->bottom - f->top };
    static const char *const name[] = { "x", "y", "width", "height" };

    text_add_str(to, "<rect class=\"frame\"");
    for (size_t i = 0; i < 4; i++) {
        text_printf(to, " %s=\"", name[i]);
        frame_coordinate(to, at[i]);
        text_add_str(to, "\"");
    }
    text_add_str(to, "/>");
}

void frame_open(struct text *to, const struct frame *f)
{
    text_add_str(to, "<figure>\n<figcaption>");
    html_escape_str(to, f->title);
    text_printf(to,
                "</figcaption>\n<svg class=\"plot\" viewBox=\"0 0 %d %.0f\" role=\"img\" "
                "aria-label=\"",
                PLOT_WIDTH, f->height);
    html_escape_str(to, f->title);
    text_add_str(to, "\">");
    add_x_ticks(to, f);
    add_y_ticks(to, f);
    add_frame(to, f);
    add_names(to, f);
    text_add_str(to, "\n<g class=\"marks\">");
}

void frame_close(struct text *to)
{
    text_add_str(to, "</g>\n</svg>\n");
}

/* Forms help where colours do not: a printer, an eye. */
void frame_dot(struct text *to, size_t colour, double x, double y)
{
    static const char *const form[] = { "M-3.5 0a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0-7 0z",
                                        "M-3-3h6v6h-6z", "M0-4l4 7h-8z",
                                        "M0-4.5l4.5 4.5-4.5 4.5-4.5-4.5z" };

    text_printf(to, "<path class=\"d%zu\" d=\"%s\" transform=\"translate(",
                colour % PLOT_COLOURS, form[colour % 4]);
    frame_coordinate(to, x);
    text_add_str(to, " ");
    frame_coordinate(to, y);
    text_add_str(to, ")\"/>");
}

static void add_key(struct text *to, const struct series *s)
{
    text_printf(to, "<li><svg viewBox=\"0 0 24 12\"><path class=\"l%zu%s\" d=\"M1 6h22\"/>",
                s->colour % PLOT_COLOURS, s->is_dashed ? " dashed" : "");
    if (s->has_dots)
        frame_dot(to, s->colour, 12, 6);
    text_add_str(to, "</svg>");
    html_escape_str(to, s->name);
    text_add_str(to, "</li>");
}

void frame_legend(struct text *to, const struct series *s, size_t n)
{
    size_t n_named = 0;

    for (size_t i = 0; i < n; i++) {
        if (s[i].name == NULL)
            continue;
        text_add_str(to, n_named++ == 0 ? "<ul class=\"legend\">" : "");
        add_key(to, &s[i]);
    }
    text_add_str(to, n_named > 0 ? "</ul>\n</figure>\n" : "</figure>\n");
}
