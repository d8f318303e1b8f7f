/* html.c -- see html.h: the frame of a page, and what may stand in it. */
#include "html.h"

#include "../base/json.h"
#include "../base/number.h"

#include <math.h>

/* What stands for a byte that may not stand there itself; NULL: it may. */
static const char *entity(char c)
{
    switch (c) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return (unsigned char)c < ' ' || c == 0x7F ? " " : NULL;
    }
}

void html_escape(struct text *to, peck_span s)
{
    for (size_t i = 0; i < s.n;) {
        const char *const name = entity(s.s[i]);
        const size_t n = utf8_length(s.s + i, s.n - i);

        if (name != NULL)
            text_add_str(to, name);
        else if (n > 0)
            text_add(to, s.s + i, n);
        else
            text_add_str(to, "\xEF\xBF\xBD");
        i += n > 0 ? n : 1;
    }
}

void html_escape_str(struct text *to, const char *s)
{
    html_escape(to, span_of(s));
}

enum { NUMBER_ROOM = 400 }; /* "%.*f" of the largest double has 309 digits */

/* A minus sign where there is a hyphen: as wide as the plus. */
static void add_size(struct text *to, const char *sign, double value, int decimals)
{
    char digits[NUMBER_ROOM];
    const size_t n = number_print(digits, sizeof digits, 'f', decimals, fabs(value));

    text_add_str(to, sign);
    text_add(to, digits, n);
}

void html_number(struct text *to, double value, int decimals)
{
    if (isfinite(value))
        add_size(to, value < 0 ? "−" : "", value, decimals);
    else
        text_add_str(to, "–");
}

void html_signed(struct text *to, double value, int decimals)
{
    if (isfinite(value))
        add_size(to, value < 0 ? "−" : value > 0 ? "+" : "", value, decimals);
    else
        text_add_str(to, "–");
}

/* The page ------------------------------------------------------------------------- */

/* The browser itself is told to load nothing. */
static const char head[] =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
    "style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<link rel=\"icon\" href=\"data:,\">\n";

void html_open(struct text *to, const char *title)
{
    text_add_str(to, head);
    text_add_str(to, "<title>");
    html_escape_str(to, title);
    text_add_str(to, "</title>\n<style>\n");
    text_add_str(to, html_style);
    text_add_str(to, "</style>\n</head>\n<body>\n<main>\n<h1>");
    html_escape_str(to, title);
    text_add_str(to, "</h1>\n");
}

void html_close(struct text *to, const char *maker)
{
    text_add_str(to, "</main>\n<footer>");
    html_escape_str(to, maker);
    text_add_str(to, "</footer>\n<script>\n");
    text_add_str(to, html_script);
    text_add_str(to, "</script>\n</body>\n</html>\n");
}

void html_section(struct text *to, int level, const char *id, const char *title)
{
    text_add_str(to, "<section id=\"");
    html_escape_str(to, id);
    text_printf(to, "\">\n<h%d>", level);
    html_escape_str(to, title);
    text_printf(to, "</h%d>\n", level);
}

void html_section_end(struct text *to)
{
    text_add_str(to, "</section>\n");
}

/* Reads what html_section wrote: in all other text a quote is escaped. */
void html_links(struct text *to, const struct text *body)
{
    static const char mark[] = "<section id=\"", gap[] = "\">\n<h2>";
    const char *at = body->s;

    text_add_str(to, "<nav aria-label=\"Sections\">\n");
    while (at != NULL && (at = strstr(at, mark)) != NULL) {
        const char *const id = at + sizeof mark - 1, *const end = strchr(id, '"');
        const char *const title = end + sizeof gap - 1;

        at = end;
        if (strncmp(end, gap, sizeof gap - 1) == 0)
            text_printf(to, "<a href=\"#%.*s\">%.*s</a>\n", (int)(end - id), id,
                        (int)strcspn(title, "<"), title);
    }
    text_add_str(to, "</nav>\n");
}

void html_tell(struct text *to, const char *css, const char *fmt, ...)
{
    struct text plain;
    va_list args;

    text_init(&plain, to->max);
    va_start(args, fmt);
    text_vprintf(&plain, fmt, args);
    va_end(args);
    text_printf(to, "<p class=\"%s\">", css);
    html_escape(to, (peck_span){ plain.s, plain.len });
    text_add_str(to, "</p>\n");
    to->failed |= plain.failed;
    text_free(&plain);
}

void html_facts(struct text *to, const char *css)
{
    text_printf(to, "<dl class=\"%s\">\n", css);
}

void html_fact(struct text *to, const char *name)
{
    text_add_str(to, "<dt>");
    html_escape_str(to, name);
    text_add_str(to, "<dd>");
}

void html_command(struct text *to, peck_span line)
{
    text_add_str(to, "<code class=\"command\">");
    html_escape(to, line);
    text_add_str(to, "</code>");
}

void html_facts_end(struct text *to)
{
    text_add_str(to, "</dl>\n");
}

void html_views(struct text *to, const char *label)
{
    text_add_str(to, "<div class=\"views\" data-label=\"");
    html_escape_str(to, label);
    text_add_str(to, "\">\n");
}

void html_view(struct text *to, const char *title, bool is_first)
{
    text_printf(to, "<div class=\"view\"%s data-title=\"", is_first ? "" : " hidden");
    html_escape_str(to, title);
    text_add_str(to, "\">\n");
}

void html_view_end(struct text *to)
{
    text_add_str(to, "</div>\n");
}

void html_views_end(struct text *to)
{
    text_add_str(to, "</div>\n");
}

void html_plots(struct text *to)
{
    text_add_str(to, "<div class=\"plots\">\n");
}

void html_plots_end(struct text *to)
{
    text_add_str(to, "</div>\n");
}

/* Tables --------------------------------------------------------------------------- */

/* A heading is a button: the script of the page sorts by it. */
void html_table(struct text *to, const struct html_column *column, size_t n)
{
    text_add_str(to, "<div class=\"table\"><div class=\"wide\" tabindex=\"0\" "
                     "role=\"region\" aria-label=\"Table\"><table>\n<thead><tr>");
    for (size_t i = 0; i < n; i++) {
        const struct html_column *const c = &column[i];

        text_printf(to, "<th scope=\"col\"%s%s", c->is_text ? " class=\"t\"" : "",
                    c->sorted > 0   ? " aria-sort=\"ascending\""
                    : c->sorted < 0 ? " aria-sort=\"descending\""
                                    : "");
        if (c->hint != NULL) {
            text_add_str(to, " title=\"");
            html_escape_str(to, c->hint);
            text_add_str(to, "\"");
        }
        text_add_str(to, "><button type=\"button\">");
        html_escape_str(to, c->name);
        text_add_str(to, "</button></th>");
    }
    text_add_str(to, "</tr></thead>\n<tbody>");
}

void html_row(struct text *to)
{
    text_add_str(to, "\n<tr>");
}

void html_row_best(struct text *to)
{
    text_add_str(to, "\n<tr class=\"best\">");
}

void html_cell_badge(struct text *to, const char *css, const char *text)
{
    text_printf(to, "<td class=\"t\"><span class=\"badge %s\">", css);
    html_escape_str(to, text);
    text_add_str(to, "</span>");
}

void html_cell_text(struct text *to, peck_span s)
{
    text_add_str(to, "<td class=\"t\">");
    html_escape(to, s);
}

void html_cell_number(struct text *to, double value, int decimals)
{
    text_add_str(to, "<td>");
    html_number(to, value, decimals);
}

void html_cell_signed(struct text *to, double value, int decimals)
{
    text_printf(to, "<td%s>",
                value < 0   ? " class=\"down\""
                : value > 0 ? " class=\"up\""
                            : "");
    html_signed(to, value, decimals);
}

void html_table_end(struct text *to)
{
    text_add_str(to, "\n</tbody>\n</table></div></div>\n");
}
