/* report_columns.c -- tables for other programs: a header, then a line a row, tabs or commas
 * between (RFC 4180).  Named values are a table of names and values; an empty line parts
 * tables; notes are for people and stay out.                                             */
#include "format.h"

#include <math.h>

/* A cell of text: where commas part the cells, quoted if it must be. */
void report_add_field(struct text *to, peck_span s, char between)
{
    const bool is_quoted = between == ',' && s.n > 0 &&
                           (memchr(s.s, ',', s.n) != NULL || memchr(s.s, '"', s.n) != NULL);

    text_add_str(to, is_quoted ? "\"" : "");
    for (size_t i = 0; i < s.n; i++) {
        report_add_line(to, (peck_span){ s.s + i, 1 });
        text_add_str(to, is_quoted && s.s[i] == '"' ? "\"" : "");
    }
    text_add_str(to, is_quoted ? "\"" : "");
}

static void add_column_cell(struct text *to, const struct peck_report *r,
                            const struct report_cell *c, char between)
{
    if (c->is_text)
        report_add_field(to, report_string(r, c->text), between);
    else if (!isnan(c->number)) /* an empty field is a missing value */
        report_add_cell(to, r, c);
}

static void write_values(const struct peck_report *r, char between, struct text *to)
{
    text_printf(to, "name%cvalue\n", between);
    for (size_t i = 0; i < r->n_items; i++) {
        const struct report_item *const item = &r->item[i];

        if (item->kind == REPORT_TABLE || item->kind == REPORT_NOTE)
            continue;
        report_add_field(to, report_string(r, item->name), between);
        text_add(to, &between, 1);
        if (item->kind == REPORT_COUNT)
            text_printf(to, "%zu", item->count);
        else
            add_column_cell(to, r, &item->value, between);
        text_add_str(to, "\n");
    }
}

static void write_separated(const struct peck_report *r, char between, struct text *to)
{
    if (report_has_values(r))
        write_values(r, between, to);
    for (size_t i = 0; i < r->n_items; i++) {
        const struct report_item *const t = &r->item[i];

        if (t->kind != REPORT_TABLE)
            continue;
        text_add_str(to, to->len > 0 ? "\n" : "");
        for (size_t c = 0; c < t->n_columns; c++) {
            text_add(to, &between, c > 0);
            report_add_field(to, report_string(r, t->first_name + c), between);
        }
        text_add_str(to, "\n");
        for (size_t row = 0; row < report_rows(t); row++) {
            for (size_t c = 0; c < t->n_columns; c++) {
                text_add(to, &between, c > 0);
                add_column_cell(to, r, &report_row(r, t, row)[c], between);
            }
            text_add_str(to, "\n");
        }
    }
}

static void write_columns(const struct peck_report *r, const struct report_style *style,
                          struct text *to)
{
    (void)style;
    write_separated(r, '\t', to);
}

static void write_csv(const struct peck_report *r, const struct report_style *style,
                      struct text *to)
{
    (void)style;
    write_separated(r, ',', to);
}

const struct report_format report_format_columns = {
    .plug = { .about = { "columns", "tables with a header, tabs between",
                         "For spreadsheets and data frames: metric, run and fold are "
                         "columns of their own." } },
    .write = write_columns,
};

const struct report_format report_format_csv = {
    .plug = { .about = { "csv", "tables with a header, commas between",
                         "As columns, by RFC 4180." } },
    .write = write_csv,
};
