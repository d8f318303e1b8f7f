/* test_plots.c -- every mark of a plot lies inside its frame, and there is one for every
 * point that can be drawn.                                                            */
#include "support/blank.h"

#include "page/plot.h"

#include <math.h>

/* A row of a plot: name, colour, value, whisker. */
#define ROW(n, c, v, from, to)                                                       \
    {                                                                                \
        .name = span_of(n), .colour = (c), .value = (v), .low = (from), .high = (to) \
    }

struct box {
    double left, top, right, bottom;
};

/* A plot of one line. */
#define ONE(line) \
    .title = "t", .x_name = "x", .y_name = "y", .series = &(line), .n_series = 1

/* The number behind `name="` in the tag at s. */
static double attribute(const char *s, const char *name)
{
    char wanted[32];

    snprintf(wanted, sizeof wanted, " %s=\"", name);
    const char *const at = strstr(s, wanted);

    assert_non_null(at);
    return strtod(at + strlen(wanted), NULL);
}

static struct box frame_of_page(void)
{
    const char *const s = strstr(page.s, "<rect class=\"frame\"");

    assert_non_null(s);
    const double x = attribute(s, "x"), y = attribute(s, "y");

    return (struct box){ x, y, x + attribute(s, "width"), y + attribute(s, "height") };
}

static void assert_inside(struct box b, double x, double y)
{
    if (!(x >= b.left && x <= b.right && y >= b.top && y <= b.bottom))
        fail_msg("(%g, %g) is outside %g..%g, %g..%g", x, y, b.left, b.right, b.top,
                 b.bottom);
}

/* Checks "M1 2L3 4M5 6"; returns how many points it has. */
static size_t check_path(struct box b, const char *d)
{
    size_t n = 0;

    while (*d == 'M' || *d == 'L') {
        char *end;
        const double x = strtod(d + 1, &end), y = strtod(end, &end);

        assert_inside(b, x, y);
        d = end;
        n++;
    }
    assert_true(*d == '"');
    return n;
}

/* Points of all lines, and dots. */
static size_t count_points(size_t *n_dots)
{
    const struct box b = frame_of_page();
    const char *at = strstr(page.s, "<g class=\"marks\">");
    const char *const end = strstr(at, "</svg>");
    size_t n = 0;

    *n_dots = 0;
    while ((at = strstr(at, "<path class=\"")) != NULL && at < end) {
        const char *const d = strstr(at, " d=\"") + 4;

        if (at[13] == 'l') {
            n += check_path(b, d);
        } else {
            char *rest;
            const double x = strtod(strstr(at, "translate(") + 10, &rest);

            assert_inside(b, x - 3, strtod(rest, NULL) - 3);
            assert_inside(b, x + 3, strtod(rest, NULL) + 3);
            ++*n_dots;
        }
        at = d;
    }
    return n;
}

static void every_point_is_inside_the_frame(void **state)
{
    static const double x[] = { 1, 2, 3, 4 }, y[] = { -1e6, 0, 2.5, 1e6 };
    const struct series line = { .name = "a", .x = x, .y = y, .n = 4, .has_dots = true };
    size_t n_dots;

    (void)state;
    plot_lines(&page, &(struct plot){ ONE(line), .is_x_whole = true });
    assert_int_equal(count_points(&n_dots), 4);
    assert_int_equal(n_dots, 4);
}

/* The script shows them, and hides a series whose key is clicked. */
static void values_stand_beside_the_marks(void **state)
{
    static const double x[] = { 1, 2, 3 }, y[] = { 0.25, 1.0 / 3, -2 };
    const struct series line[] = {
        { .name = "a<b", .x = x, .y = y, .n = 3, .group = 4 },
        { .x = x, .y = y, .n = 1, .group = 4, .is_dashed = true, .is_off = true },
    };
    const struct plot_row row = { .name = span_of("r"),
                                  .value = -0.5,
                                  .low = -1,
                                  .high = 0.25,
                                  .is_hollow = true,
                                  .note = "so & so" };

    (void)state;
    plot_lines(&page, &(struct plot){ .title = "t",
                                      .x_name = "step",
                                      .y_name = "loss",
                                      .dashed = "other",
                                      .mark = 3,
                                      .series = line,
                                      .n_series = 2 });
    assert_non_null(strstr(page.s, "data-x=\"step\" data-y=\"loss\""));
    assert_non_null(strstr(page.s, "<g class=\"s\" data-s=\"4\" data-x=\"1 2 3\" "
                                   "data-y=\"0.25 0.333333 -2\">"));
    assert_non_null(strstr(page.s, "<g class=\"s off\" data-s=\"4\" data-x=\"1\" "
                                   "data-y=\"0.25\" data-n=\"other\">"));
    assert_non_null(strstr(page.s, "<li data-s=\"4\"><svg"));
    assert_non_null(strstr(page.s, "a&lt;b</li>"));
    assert_non_null(strstr(page.s, "<rect class=\"b2\" width=\"12\"")); /* the run's chip */
    plot_rows(&page, &(struct row_plot){ .title = "t",
                                         .x_name = "x",
                                         .row = &row,
                                         .n_rows = 1,
                                         .filled = "clear",
                                         .hollow = "unclear" });
    assert_non_null(strstr(page.s, "data-n=\"r\" data-v=\"−0.5000 (−1.0000 to 0.2500); "
                                   "so &amp; so\""));
    assert_non_null(strstr(page.s, "unclear</li></ul>"));
}

static void what_is_no_number_leaves_a_gap(void **state)
{
    static const double x[] = { 1, 2, 3, 4, 5 };
    const double y[] = { 1, (double)NAN, 3, 1.7e308, 2 };
    const struct series line = { .x = x, .y = y, .n = 5, .marked = 3 };
    size_t n_dots;

    (void)state;
    plot_lines(&page, &(struct plot){ ONE(line) });
    assert_int_equal(count_points(&n_dots), 3);
    assert_int_equal(n_dots, 1);
    assert_null(strstr(page.s, "nan"));
    assert_null(strstr(page.s, "inf"));
    assert_null(strstr(page.s, "legend"));
}

static void log_scales_leave_out_what_they_cannot_show(void **state)
{
    static const double x[] = { 0, 10, 1e6 }, y[] = { 0.5, 0, 1e-3 };
    const struct series line = { .name = "a", .x = x, .y = y, .n = 3, .has_dots = true };
    size_t n_dots;

    (void)state;
    plot_lines(&page, &(struct plot){ ONE(line), .is_x_log = true, .is_y_log = true });
    assert_int_equal(count_points(&n_dots), 1);
    assert_int_equal(n_dots, 1);
}

static void a_plot_of_nothing_is_an_empty_frame(void **state)
{
    const double x = 1, y = (double)NAN;
    const struct series line = { .x = &x, .y = &y, .n = 1 };
    size_t n_dots;

    (void)state;
    plot_lines(&page, &(struct plot){ ONE(line) });
    assert_int_equal(count_points(&n_dots), 0);
}

/* First and last points stay; those between are thinned out. */
static void long_lines_are_thinned(void **state)
{
    enum { MANY = 10000 };
    static double x[MANY];
    const struct series line = { .x = x, .y = x, .n = MANY };
    size_t n_dots;

    (void)state;
    for (size_t i = 0; i < MANY; i++)
        x[i] = (double)i;
    plot_lines(&page, &(struct plot){ ONE(line) });
    assert_in_range(count_points(&n_dots), 100, 1000);
    assert_in_range(page.len, 1000, 20000);
}

static void rows_show_a_dot_and_a_whisker_each(void **state)
{
    const struct plot_row row[] = { ROW("a<b", 0, 0.5, 0.4, 0.6),
                                    ROW("b", 1, 0.4, (double)NAN, (double)NAN) };

    (void)state;
    plot_rows(&page,
              &(struct row_plot){
                  .title = "t", .x_name = "x", .row = row, .n_rows = 2, .has_zero = true });
    const struct box b = frame_of_page();
    const char *const line = strstr(page.s, "<path class=\"l0\" d=\"M");

    assert_non_null(line);
    char *rest;
    const double from = strtod(line + 21, &rest), y = strtod(rest, &rest);

    assert_inside(b, from, y);
    assert_inside(b, strtod(rest + 1, NULL), y);
    assert_null(strstr(page.s, "<path class=\"l1\""));
    assert_non_null(strstr(page.s, ">a&lt;b</text>"));
    assert_non_null(strstr(page.s, ">0.0</text>"));
}

static void a_long_name_keeps_both_its_ends(void **state)
{
    const struct plot_row row[] = {
        ROW("twenty-two letters ...", 0, 0.5, 0.4, 0.6),
        ROW("\u00fcber 2500 documents, with <ties>", 1, 0.4, 0.3, 0.5),
    };

    (void)state;
    plot_rows(&page, &(struct row_plot){ .title = "t",
                                         .x_name = "a scale of a name wider than its frame",
                                         .row = row,
                                         .n_rows = 2 });
    assert_non_null(
        strstr(page.s, "<text text-anchor=\"end\" x=\"344.0\" y=\"88.0\">a scale"));
    assert_non_null(strstr(page.s, ">twenty-two letters ...</text>"));
    assert_non_null(strstr(page.s, ">\u00fcber 2500 d\u2026ith &lt;ties&gt;<title>"));
    assert_non_null(strstr(page.s, "documents, with &lt;ties&gt;</title></text>"));
}

static void bars_begin_at_zero_and_stay_inside(void **state)
{
    const struct plot_row row[] = { ROW("up", 0, 80, (double)NAN, (double)NAN),
                                    ROW("a name that is much too long to be shown", 0, -20,
                                        (double)NAN, (double)NAN),
                                    ROW("none", 0, (double)NAN, (double)NAN, (double)NAN) };
    size_t n = 0;

    (void)state;
    plot_rows(&page, &(struct row_plot){ .title = "t",
                                         .x_name = "x",
                                         .row = row,
                                         .n_rows = 3,
                                         .is_bar = true,
                                         .highest = 100 });
    const struct box b = frame_of_page();
    double begin[2], width[2];

    for (const char *at = page.s; (at = strstr(at, "<rect class=\"b0\"")) != NULL; at++) {
        assert_in_range(n, 0, 1);
        begin[n] = attribute(at, "x");
        width[n] = attribute(at, "width");
        assert_inside(b, begin[n], attribute(at, "y"));
        assert_inside(b, begin[n] + width[n], attribute(at, "y") + attribute(at, "height"));
        n++;
    }
    assert_int_equal(n, 2);
    assert_true(fabs(begin[0] - (begin[1] + width[1])) < 0.2); /* 0 */
    assert_true(fabs(width[0] - 4 * width[1]) < 0.5);
    assert_non_null(strstr(page.s, ">100</text>"));
    assert_non_null(strstr(page.s, "<title>a name that is much too long to be shown<"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_PAGE(every_point_is_inside_the_frame),
        ON_PAGE(values_stand_beside_the_marks),
        ON_PAGE(what_is_no_number_leaves_a_gap),
        ON_PAGE(log_scales_leave_out_what_they_cannot_show),
        ON_PAGE(a_plot_of_nothing_is_an_empty_frame),
        ON_PAGE(long_lines_are_thinned),
        ON_PAGE(rows_show_a_dot_and_a_whisker_each),
        ON_PAGE(a_long_name_keeps_both_its_ends),
        ON_PAGE(bars_begin_at_zero_and_stay_inside),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
