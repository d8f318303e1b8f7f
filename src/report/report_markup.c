/* report_markup.c -- tables to paste into a paper (LaTeX) or a page (Markdown).  Named values
 * are a table of names and values; notes that people read follow as comments or a list.  */
#include "format.h"

/* How a language writes the pieces. */
struct markup {
    const char *begin, *head_end, *between, *row_end, *end; /* of a table and of a row */
    const char *note; /* before each line that is no table */
    void (*add)(struct text *to, peck_span s);
    void (*columns)(struct text *to, const struct peck_report *r,
                    const struct report_item *t, size_t n);
    bool columns_first; /* before the header, not behind it */
};

/* A table, or (t NULL) the two columns of named values. */
static bool is_right(const struct peck_report *r, const struct report_item *t, size_t c)
{
    return t != NULL ? c >= t->n_keys && report_is_numeric(r, t, c) : c == 1;
}

static void latex_add(struct text *to, peck_span s)
{
    for (size_t i = 0; i < s.n; i++) {
        const char c = s.s[i];

        if (c == '\\' || c == '~' || c == '^')
            text_add_str(to, c == '\\'  ? "\\textbackslash{}"
                             : c == '~' ? "\\textasciitilde{}"
                                        : "\\textasciicircum{}");
        else if (c == '<' || c == '>')
            text_printf(to, "$%c$", c);
        else if (c == '&' || c == '%' || c == '$' || c == '#' || c == '_' || c == '{' ||
                 c == '}')
            text_printf(to, "\\%c", c);
        else
            report_add_line(to, (peck_span){ &c, 1 });
    }
}

static void latex_columns(struct text *to, const struct peck_report *r,
                          const struct report_item *t, size_t n)
{
    for (size_t c = 0; c < n; c++)
        text_add_str(to, is_right(r, t, c) ? "r" : "l");
    text_add_str(to, "}\n\\hline\n");
}

static void markdown_add(struct text *to, peck_span s)
{
    for (size_t i = 0; i < s.n; i++) {
        text_add_str(to, s.s[i] == '|' || s.s[i] == '\\' || s.s[i] == '<' ? "\\" : "");
        report_add_line(to, (peck_span){ s.s + i, 1 });
    }
}

static void markdown_columns(struct text *to, const struct peck_report *r,
                             const struct report_item *t, size_t n)
{
    text_add_str(to, "|");
    for (size_t c = 0; c < n; c++)
        text_add_str(to, is_right(r, t, c) ? " ---: |" : " --- |");
    text_add_str(to, "\n");
}

static const struct markup latex = {
    "\\begin{tabular}{", "\\hline\n",   " & ", " \\\\\n", "\\hline\n\\end{tabular}\n", "% ",
    latex_add,           latex_columns, true
};
static const struct markup markdown = { "",   "", " | ",        " |\n",
                                        "",   "", markdown_add, markdown_columns,
                                        false };

/* Cells [n] of a row: names of columns, or what report_show_cell says. */
static void add_markup_row(struct text *to, const struct markup *m,
                           const struct peck_report *r, const struct report_cell *cell,
                           size_t n)
{
    struct text shown;

    text_init(&shown, SIZE_MAX / 2);
    text_add_str(to, m->columns_first ? "" : "| ");
    for (size_t c = 0; c < n; c++) {
        shown.len = 0;
        report_show_cell(&shown, r, &cell[c]);
        text_add_str(to, c > 0 ? m->between : "");
        m->add(to, (peck_span){ shown.s, shown.failed ? 0 : shown.len });
        to->failed |= shown.failed;
    }
    text_add_str(to, m->row_end);
    text_free(&shown);
}

static void add_markup_head(struct text *to, const struct markup *m,
                            const struct peck_report *r, const struct report_item *t,
                            size_t n)
{
    static const char *const of_values[] = { "name", "value" };

    text_add_str(to, m->begin);
    if (m->columns_first)
        m->columns(to, r, t, n);
    text_add_str(to, m->columns_first ? "" : "| ");
    for (size_t c = 0; c < n; c++) {
        text_add_str(to, c > 0 ? m->between : "");
        m->add(to, t != NULL ? report_string(r, t->first_name + c) : span_of(of_values[c]));
    }
    text_add_str(to, m->row_end);
    text_add_str(to, m->head_end);
    if (!m->columns_first)
        m->columns(to, r, t, n);
}

static void write_markup(const struct peck_report *r, const struct report_style *style,
                         const struct markup *m, struct text *to)
{
    const struct report_item *const end = r->item + r->n_items;

    if (report_has_values(r)) {
        add_markup_head(to, m, r, NULL, 2);
        for (const struct report_item *i = r->item; i < end; i++) {
            struct report_cell cell[2] = { { .is_text = true, .text = i->name }, i->value };

            if (i->kind == REPORT_COUNT)
                cell[1] = (struct report_cell){ .number = (double)i->count };
            if (i->kind != REPORT_TABLE && i->kind != REPORT_NOTE)
                add_markup_row(to, m, r, cell, 2);
        }
        text_add_str(to, m->end);
    }
    for (const struct report_item *i = r->item; i < end; i++) {
        const peck_span brief = i->kind == REPORT_NOTE && i->value.is_text
                                    ? report_brief(r, i, style->has_details)
                                    : (peck_span){ 0 };

        if (i->kind == REPORT_TABLE) {
            text_add_str(to, to->len > 0 ? "\n" : "");
            if (report_string(r, i->name).n > 0) {
                text_add_str(to, m->note);
                m->add(to, report_string(r, i->name));
                text_add_str(to, m->columns_first ? "\n" : ":\n\n");
            }
            add_markup_head(to, m, r, i, i->n_columns);
            for (size_t row = 0; row < report_rows(i); row++)
                add_markup_row(to, m, r, report_row(r, i, row), i->n_columns);
            text_add_str(to, m->end);
        } else if (i->is_sentence && brief.n > 0) {
            text_add_str(to, "\n");
            text_add_str(to, m->note);
            m->add(to, brief);
            text_add_str(to, "\n");
        }
    }
}

static void write_latex(const struct peck_report *r, const struct report_style *style,
                        struct text *to)
{
    write_markup(r, style, &latex, to);
}

static void write_markdown(const struct peck_report *r, const struct report_style *style,
                           struct text *to)
{
    write_markup(r, style, &markdown, to);
}

const struct report_format report_format_latex = {
    .plug = { .about = { "latex", "tables for a paper: tabular",
                         "One tabular environment a table; needs no package." } },
    .write = write_latex,
};

const struct report_format report_format_markdown = {
    .plug = { .about = { "markdown", "tables for a page in Markdown",
                         "Tables with bars, as GitHub and most others read them." } },
    .write = write_markdown,
};
