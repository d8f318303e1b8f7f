/* plot.c -- the pictures of a page: lines over a common x, and rows of names with a mark each,
 * bars from 0 or dots with whiskers.                                                  */
#include "plot.h"

#include "../base/maths.h"
#include "../base/json.h"
#include "../base/number.h"

#include <math.h>

/* In units of the picture, which are about the pixels of a phone. */
enum { PLOT_WIDTH = 360, PLOT_HEIGHT = 240, LETTER = 6, ROW_HEIGHT = 22 };

/* No line has more points: what lies between them cannot be seen.  No name more letters. */
enum { MOST_POINTS = 120, MOST_LETTERS = 22 };

/* Axes: steps are 1, 2 or 5 times a power of ten (Heckbert, "Nice numbers for graph labels",
 * Graphics Gems 1990) ------------------------------------------------------------------ */

/* The step that cuts a range into `wanted` parts at most. */
static double round_step(double range, size_t wanted)
{
    const double rough = range / (double)wanted,
                 power = math_pow(10, floor(math_log10(rough)));
    const double lead = rough / power;

    return power * (lead <= 1 ? 1 : lead <= 2 ? 2 : lead <= 5 ? 5 : 10);
}

/* Ticks at k * step.  A linear axis is widened to ticks at both ends, a whole one is not;
 * values that are all (nearly) the same get a tenth of their size on both sides. */
static void fit_linear(struct axis *a, size_t wanted)
{
    if (a->high - a->low <= 1e-9 * math_max(fabs(a->low), fabs(a->high)) ||
        a->high - a->low < 1e-30) {
        const double room = a->low != 0 ? 0.1 * fabs(a->low) : 1;

        a->low -= room;
        a->high += room;
    }
    double step = round_step(a->high - a->low, wanted);

    const bool is_whole = a->scale == AXIS_WHOLE;

    step = is_whole ? math_max(step, 1) : step;
    const double first = is_whole ? ceil(a->low / step) : floor(a->low / step + 1e-9);
    const double last = is_whole ? floor(a->high / step) : ceil(a->high / step - 1e-9);

    if (!is_whole) {
        a->low = first * step;
        a->high = last * step;
    }
    a->decimals = (int)math_max(0, -floor(math_log10(step) + 1e-9));
    for (double k = first; k <= last + 0.5 && a->n_ticks < AXIS_TICKS; k++)
        a->tick[a->n_ticks++] = k * step;
}

/* Whole powers of ten; where there are one or two of them, 2 and 5 times those too. */
static void fit_log(struct axis *a, size_t wanted)
{
    static const double lead[] = { 1, 2, 5 };
    const double low = math_max(a->low, 1e-300), high = math_max(a->high, low);
    const double first = floor(math_log10(low) + 1e-9),
                 last = ceil(math_log10(high) - 1e-9);
    const double top = last > first ? last : first + 1;
    const double every = ceil((top - first) / (double)wanted);

    a->low = math_pow(10, first);
    a->high = math_pow(10, top);
    a->decimals = (int)math_max(0, -first);
    for (double k = first; k <= top + 0.5; k += every)
        for (size_t i = 0; i < (top - first > 2 ? 1 : 3); i++) {
            const double v = lead[i] * math_pow(10, k);

            if (v <= a->high * (1 + 1e-9) && a->n_ticks < AXIS_TICKS)
                a->tick[a->n_ticks++] = v;
        }
}

bool axis_takes(enum axis_scale scale, double v)
{
    return v > (scale == AXIS_LOG ? 1e-300 : -1e300) && v < 1e300;
}

void axis_fit(struct axis *a, enum axis_scale scale, double low, double high, size_t wanted)
{
    a->scale = scale;
    a->low = math_min(low, high);
    a->high = math_max(low, high);
    a->n_ticks = 0;
    if (scale == AXIS_LOG)
        fit_log(a, wanted);
    else
        fit_linear(a, wanted);
}

double axis_place(const struct axis *a, double value)
{
    const double v = math_min(math_max(value, a->low), a->high);
    const double share = a->scale == AXIS_LOG
                             ? math_log(v / a->low) / math_log(a->high / a->low)
                             : (v - a->low) / (a->high - a->low);

    return a->from + share * (a->to - a->from);
}

/* Units: from each number on, one stands for so many; below 10,000 digits are written out. */
void axis_label(const struct axis *a, double tick, struct text *to)
{
    static const struct {
        double from, one;
        const char *sign;
    } unit[] = { { 1e9, 1e9, "G" }, { 1e6, 1e6, "M" }, { 1e4, 1e3, "k" }, { 0, 1, "" } };
    char digits[64];
    size_t u = 0;

    while (fabs(tick) < unit[u].from)
        u++;
    if (unit[u].from > 0 || a->scale == AXIS_LOG)
        number_print(digits, sizeof digits, 'g', 6, fabs(tick) / unit[u].one);
    else
        number_print(digits, sizeof digits, 'f', a->decimals, fabs(tick));
    text_add_str(to, tick < 0 ? "−" : "");
    text_add_str(to, digits);
    text_add_str(to, unit[u].sign);
}

/* What all plots share: the frame, its axes, the legend --------------------------------- */

struct frame {
    struct axis x, y; /* y.n_ticks 0: it has none */
    double left, right, top, bottom, height;
    const char *title, *x_name, *y_name; /* y_name NULL: none */
    size_t mark;
};

/* The number in the names of a colour's classes. */
static size_t colour_class(size_t colour)
{
    return colour < PLOT_PARTS ? colour : PLOT_PARTS + (colour - PLOT_PARTS) % PLOT_SHADES;
}

/* With one decimal. */
static void add_coordinate(struct text *to, double v)
{
    char digits[64];

    text_add(to, digits, number_print(digits, sizeof digits, 'f', 1, v));
}

/* <TAG NAME="1.0" ...> of four coordinates. */
static void add_box(struct text *to, const char *tag, const char *const name[4],
                    const double at[4])
{
    text_add_str(to, tag);
    for (size_t i = 0; i < 4; i++) {
        text_printf(to, " %s=\"", name[i]);
        add_coordinate(to, at[i]);
        text_add_str(to, "\"");
    }
    text_add_str(to, "/>");
}

/* anchor: "start", "middle" or "end". */
static void open_text(struct text *to, const char *anchor, double x, double y)
{
    text_printf(to, "<text text-anchor=\"%s\" x=\"", anchor);
    add_coordinate(to, x);
    text_add_str(to, "\" y=\"");
    add_coordinate(to, y);
    text_add_str(to, "\">");
}

/* The lines of an axis' ticks, and their numbers. */
static void add_ticks(struct text *to, const struct frame *f, const struct axis *a)
{
    static const char *const name[] = { "x1", "y1", "x2", "y2" };
    const bool is_x = a == &f->x;

    for (size_t i = 0; i < a->n_ticks; i++) {
        const double at = axis_place(a, a->tick[i]);
        const double line[] = { is_x ? at : f->left, is_x ? f->top : at,
                                is_x ? at : f->right, is_x ? f->bottom : at };

        add_box(to, a->tick[i] == 0 ? "<line class=\"grid zero\"" : "<line class=\"grid\"",
                name, line);
        open_text(to, is_x ? "middle" : "end", is_x ? at : f->left - 6,
                  is_x ? f->bottom + 16 : at + 4);
        axis_label(a, a->tick[i], to);
        text_add_str(to, "</text>");
    }
}

/* From <figure> to where marks are drawn. */
static void frame_open(struct text *to, const struct frame *f)
{
    static const char *const name[] = { "x", "y", "width", "height" };
    const double box[] = { f->left, f->top, f->right - f->left, f->bottom - f->top };
    /* A name wider than the frame goes on to the left, where there is room. */
    const bool is_wide = (LETTER + 1) * (double)strlen(f->x_name) > f->right - f->left;

    text_add_str(to, "<figure>\n<figcaption>");
    if (f->mark > 0)
        text_printf(to,
                    "<svg class=\"chip\" viewBox=\"0 0 12 12\" aria-hidden=\"true\"><rect "
                    "class=\"b%zu\" width=\"12\" height=\"12\" rx=\"3\"/></svg>",
                    colour_class(f->mark - 1));
    html_escape_str(to, f->title);
    text_printf(to,
                "</figcaption>\n<svg class=\"plot\" viewBox=\"0 0 %d %.0f\" role=\"img\" "
                "aria-label=\"",
                PLOT_WIDTH, f->height);
    html_escape_str(to, f->title);
    text_add_str(to, "\" data-x=\"");
    html_escape_str(to, f->x_name);
    if (f->y_name != NULL) {
        text_add_str(to, "\" data-y=\"");
        html_escape_str(to, f->y_name);
    }
    text_add_str(to, "\">");
    add_ticks(to, f, &f->x);
    add_ticks(to, f, &f->y);
    add_box(to, "<rect class=\"frame\"", name, box);
    open_text(to, is_wide ? "end" : "middle", is_wide ? f->right : (f->left + f->right) / 2,
              f->bottom + 34);
    html_escape_str(to, f->x_name);
    text_add_str(to, "</text>");
    if (f->y_name != NULL) {
        text_add_str(
            to, "<text class=\"upright\" text-anchor=\"middle\" transform=\"translate(13 ");
        add_coordinate(to, (f->top + f->bottom) / 2);
        text_add_str(to, ") rotate(-90)\">");
        html_escape_str(to, f->y_name);
        text_add_str(to, "</text>");
    }
    text_add_str(to, "\n<g class=\"marks\">");
}

/* A dot of this colour's own form: forms help where colours do not, as on paper. */
static void add_dot(struct text *to, size_t colour, bool is_hollow, double x, double y)
{
    static const char *const form[] = { "M-3.5 0a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0-7 0z",
                                        "M-3-3h6v6h-6z", "M0-4l4 7h-8z",
                                        "M0-4.5l4.5 4.5-4.5 4.5-4.5-4.5z" };

    text_printf(to, "<path class=\"d%zu%s\" d=\"%s\" transform=\"translate(",
                colour_class(colour), is_hollow ? " hollow" : "",
                form[(colour < PLOT_PARTS ? colour : colour - PLOT_PARTS) % 4]);
    add_coordinate(to, x);
    text_add_str(to, " ");
    add_coordinate(to, y);
    text_add_str(to, ")\"/>");
}

/* Lines ------------------------------------------------------------------------------------ */

struct range {
    double low, high; /* low > high: nothing was seen */
};

/* Widens a range, if the axis takes the value. */
static void see_value(struct range *r, double v, enum axis_scale scale)
{
    if (!axis_takes(scale, v))
        return;
    r->low = math_min(r->low, v);
    r->high = math_max(r->high, v);
}

static struct range settle_range(struct range r)
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

static bool is_shown(const struct plot *p, const struct series *s, size_t k)
{
    return axis_takes(x_scale(p), s->x[k]) && axis_takes(y_scale(p), s->y[k]);
}

/* The i-th of the points that are drawn. */
static size_t drawn_point(const struct series *s, size_t i)
{
    return MOST_POINTS < s->n ? i * (s->n - 1) / (MOST_POINTS - 1) : i;
}

/* " data-x="1 2 3"": the values of the points that are drawn, to six digits. */
static void add_values(struct text *to, const char *name, const struct plot *p,
                       const struct series *s, const double *value)
{
    char digits[64];
    const char *blank = "";

    text_printf(to, " %s=\"", name);
    for (size_t i = 0; i < s->n && i < MOST_POINTS; i++) {
        const size_t k = drawn_point(s, i);

        if (!is_shown(p, s, k))
            continue;
        text_add_str(to, blank);
        text_add(to, digits, number_print(digits, sizeof digits, 'g', 6, value[k]));
        blank = " ";
    }
    text_add_str(to, "\"");
}

/* One path; a point that the axes do not take leaves a gap. */
static void add_line(struct text *to, const struct frame *f, const struct plot *p,
                     const struct series *s)
{
    bool is_drawing = false;

    text_printf(to, "<path class=\"l%zu%s\" d=\"", colour_class(s->colour),
                s->is_dashed ? " dashed" : "");
    for (size_t i = 0; i < s->n && i < MOST_POINTS; i++) {
        const size_t k = drawn_point(s, i);
        const bool is_point = is_shown(p, s, k);

        if (is_point) {
            text_add_str(to, is_drawing ? "L" : "M");
            add_coordinate(to, axis_place(&f->x, s->x[k]));
            text_add_str(to, " ");
            add_coordinate(to, axis_place(&f->y, s->y[k]));
        }
        is_drawing = is_point;
    }
    text_add_str(to, "\"/>");
}

/* A line, its dots and its values.  A reader shows and hides the series of a group. */
static void add_series(struct text *to, const struct frame *f, const struct plot *p,
                       const struct series *s)
{
    text_printf(to, "<g class=\"s%s\" data-s=\"%zu\"", s->is_off ? " off" : "", s->group);
    add_values(to, "data-x", p, s, s->x);
    add_values(to, "data-y", p, s, s->y);
    if (s->is_dashed && p->dashed != NULL) {
        text_add_str(to, " data-n=\"");
        html_escape_str(to, p->dashed);
        text_add_str(to, "\"");
    }
    text_add_str(to, ">");
    add_line(to, f, p, s);
    for (size_t k = 0; k < s->n; k++)
        if (is_shown(p, s, k) && (s->has_dots || s->marked == k + 1))
            add_dot(to, s->colour, false, axis_place(&f->x, s->x[k]),
                    axis_place(&f->y, s->y[k]));
    text_add_str(to, "</g>");
}

/* A key for each series that has a name, and one for what dashed lines are. */
static void add_legend(struct text *to, const struct plot *p)
{
    size_t n = 0;

    for (size_t i = 0; i < p->n_series; i++) {
        const struct series *const s = &p->series[i];

        if (s->name == NULL)
            continue;
        text_add_str(to, n++ == 0 ? "<ul class=\"legend\">" : "");
        text_printf(to,
                    "<li data-s=\"%zu\"%s><svg viewBox=\"0 0 24 12\" "
                    "aria-hidden=\"true\"><path class=\"l%zu%s\" d=\"M1 6h22\"/>",
                    s->group, s->is_off ? " class=\"off\"" : "", colour_class(s->colour),
                    s->is_dashed ? " dashed" : "");
        if (s->has_dots)
            add_dot(to, s->colour, false, 12, 6);
        text_add_str(to, "</svg>");
        html_escape_str(to, s->name);
        text_add_str(to, "</li>");
    }
    if (p->dashed != NULL) {
        text_add_str(to, n++ == 0 ? "<ul class=\"legend\">" : "");
        text_printf(to,
                    "<li><svg viewBox=\"0 0 24 12\" aria-hidden=\"true\"><path "
                    "class=\"l%d dashed\" d=\"M1 6h22\"/></svg>",
                    PLOT_PARTS);
        html_escape_str(to, p->dashed);
        text_add_str(to, "</li>");
    }
    text_add_str(to, n > 0 ? "</ul>\n" : "");
}

/* Ranges of both axes first, then lines and their dots, and the legend below the picture. */
void plot_lines(struct text *to, const struct plot *p)
{
    struct frame f = { .left = 58,
                       .right = PLOT_WIDTH - 10,
                       .top = 8,
                       .bottom = PLOT_HEIGHT - 40,
                       .height = PLOT_HEIGHT,
                       .title = p->title,
                       .x_name = p->x_name,
                       .y_name = p->y_name,
                       .mark = p->mark };
    struct range x = { INFINITY, -INFINITY }, y = x;

    for (size_t i = 0; i < p->n_series; i++)
        for (size_t k = 0; k < p->series[i].n; k++) {
            see_value(&x, p->series[i].x[k], x_scale(p));
            see_value(&y, p->series[i].y[k], y_scale(p));
        }
    if (p->has_zero && !p->is_y_log)
        see_value(&y, 0, AXIS_LINEAR);
    x = settle_range(x);
    y = settle_range(y);
    axis_fit(&f.x, x_scale(p), x.low, x.high, 6);
    axis_fit(&f.y, y_scale(p), y.low, y.high, 5);
    /* Dots at the ends stay inside. */
    f.x.from = f.left + 6;
    f.x.to = f.right - 6;
    f.y.from = f.bottom - 6;
    f.y.to = f.top + 6;

    frame_open(to, &f);
    for (size_t i = 0; i < p->n_series; i++)
        add_series(to, &f, p, &p->series[i]);
    text_add_str(to, "</g>\n</svg>\n");
    add_legend(to, p);
    text_add_str(to, "</figure>\n");
}

/* Rows ------------------------------------------------------------------------------------- */

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

/* Of a long name its two ends: names often begin alike, and what tells them apart comes
 * last. */
static void add_row_name(struct text *to, const struct frame *f, double y, peck_span s)
{
    const size_t n = letters_in(s);

    open_text(to, "end", f->left - 6, y + 4);
    if (n > MOST_LETTERS) {
        const size_t head = letter_at(s, MOST_LETTERS / 2),
                     tail = letter_at(s, n - (MOST_LETTERS / 2 - 1));

        html_escape(to, (peck_span){ s.s, head });
        text_add_str(to, "…");
        html_escape(to, (peck_span){ s.s + tail, s.n - tail });
        text_add_str(to, "<title>");
    }
    html_escape(to, s);
    text_add_str(to, n > MOST_LETTERS ? "</title></text>" : "</text>");
}

static void add_bar(struct text *to, const struct frame *f, double y,
                    const struct plot_row *r)
{
    const double zero = axis_place(&f->x, 0), end = axis_place(&f->x, r->value);

    text_printf(to, "<rect class=\"b%zu\" x=\"", colour_class(r->colour));
    add_coordinate(to, math_min(zero, end));
    text_add_str(to, "\" y=\"");
    add_coordinate(to, y - 7);
    text_add_str(to, "\" height=\"14\" width=\"");
    add_coordinate(to, math_max(fabs(end - zero), 0.5));
    text_add_str(to, "\"/>");
}

static void add_whisker(struct text *to, const struct frame *f, double y,
                        const struct plot_row *r)
{
    if (isfinite(r->low) && isfinite(r->high)) {
        text_printf(to, "<path class=\"l%zu\" d=\"M", colour_class(r->colour));
        add_coordinate(to, axis_place(&f->x, r->low));
        text_add_str(to, " ");
        add_coordinate(to, y);
        text_add_str(to, "H");
        add_coordinate(to, axis_place(&f->x, r->high));
        text_add_str(to, "\"/>");
    }
    add_dot(to, r->colour, r->is_hollow, axis_place(&f->x, r->value), y);
}

/* A row's mark, its name and its values: "0.7048 (0.6645 to 0.7446); p 0.7495". */
static void add_row(struct text *to, const struct frame *f, double y, bool is_bar,
                    const struct plot_row *r)
{
    text_add_str(to, "<g class=\"s\" data-n=\"");
    html_escape(to, r->name);
    text_add_str(to, "\" data-v=\"");
    html_number(to, r->value, is_bar ? 1 : 4);
    if (isfinite(r->low) && isfinite(r->high)) {
        text_add_str(to, " (");
        html_number(to, r->low, 4);
        text_add_str(to, " to ");
        html_number(to, r->high, 4);
        text_add_str(to, ")");
    }
    if (r->note != NULL) {
        text_add_str(to, "; ");
        html_escape_str(to, r->note);
    }
    text_add_str(to, "\">");
    (is_bar ? add_bar : add_whisker)(to, f, y, r);
    text_add_str(to, "</g>");
}

/* As high as there are rows; the frame begins where the longest name ends. */
void plot_rows(struct text *to, const struct row_plot *p)
{
    const double bottom = 10 + ROW_HEIGHT * (double)p->n_rows;
    struct frame f = { .right = PLOT_WIDTH - 16,
                       .top = 6,
                       .bottom = bottom,
                       .height = bottom + 40,
                       .title = p->title,
                       .x_name = p->x_name,
                       .mark = p->mark };
    double low = INFINITY, high = -INFINITY;
    size_t widest = 4; /* name, in letters */

    for (size_t i = 0; i < p->n_rows; i++) {
        const struct plot_row *const r = &p->row[i];
        const size_t n = letters_in(r->name);

        widest = n > widest ? n : widest;
        if (!axis_takes(AXIS_LINEAR, r->value))
            continue;
        low = math_min(low, math_min(r->value, r->low));
        high = math_max(high, math_max(r->value, r->high));
    }
    if (!(low <= high))
        low = 0, high = 1;
    if (p->is_bar || p->has_zero) {
        low = math_min(low, 0);
        high = math_max(high, 0);
    }
    axis_fit(&f.x, AXIS_LINEAR, low, math_max(high, p->highest > 0 ? p->highest : high), 4);
    f.left = 12 + 7 * (double)(widest < MOST_LETTERS ? widest : MOST_LETTERS);
    f.x.from = f.left + (p->is_bar ? 0 : 6);
    f.x.to = f.right - 6;

    /* Marks, then names. */
    frame_open(to, &f);
    for (size_t i = 0; i < p->n_rows; i++)
        if (axis_takes(AXIS_LINEAR, p->row[i].value))
            add_row(to, &f, f.top + ROW_HEIGHT * ((double)i + 0.5), p->is_bar, &p->row[i]);
    text_add_str(to, "</g>\n<g>");
    for (size_t i = 0; i < p->n_rows; i++)
        add_row_name(to, &f, f.top + ROW_HEIGHT * ((double)i + 0.5), p->row[i].name);
    text_add_str(to, "</g>\n</svg>\n");
    const char *const kind[] = { p->filled, p->hollow };

    text_add_str(to, p->filled != NULL ? "<ul class=\"legend\">" : "");
    for (size_t i = 0; p->filled != NULL && i < 2; i++) {
        text_add_str(to, "<li><svg viewBox=\"0 0 24 12\" aria-hidden=\"true\">");
        add_dot(to, PLOT_PARTS, i == 1, 12, 6);
        text_add_str(to, "</svg>");
        html_escape_str(to, kind[i]);
        text_add_str(to, "</li>");
    }
    text_add_str(to, p->filled != NULL ? "</ul>\n</figure>\n" : "</figure>\n");
}
