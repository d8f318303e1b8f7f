/* report_tsv.c -- name TAB value, one a line, for pipes.  A table's cells are named
 * "row.column"; notes are for people and stay out.                                   */
#include "format.h"

static void write_tsv_cell(const struct peck_report *r, const struct report_cell *c,
                           struct text *to)
{
    text_add_str(to, "\t");
    if (c->is_text)
        report_add_line(to, report_string(r, c->text));
    else
        report_add_number(to, c->number, c->decimals);
    text_add_str(to, "\n");
}

/* The first cell of a row is its name; each of the others becomes a line. */
static void write_tsv_table(const struct peck_report *r, const struct report_item *t,
                            struct text *to)
{
    const size_t n = report_rows(t) * t->n_columns;

    for (size_t i = 0; i < n; i++) {
        const struct report_cell *const cell = &r->cell[t->first_cell + i];
        const struct report_cell *const first = cell - i % t->n_columns;

        if (cell == first)
            continue;
        if (first->is_text)
            report_add_line(to, report_string(r, first->text));
        else
            report_add_number(to, first->number, first->decimals);
        text_add_str(to, ".");
        report_add_line(to, report_string(r, t->first_name + i % t->n_columns));
        write_tsv_cell(r, cell, to);
    }
}

static void write_tsv(const struct peck_report *r, struct text *to)
{
    for (size_t i = 0; i < r->n_items; i++) {
        const struct report_item *const item = &r->item[i];

        if (item->kind == REPORT_TABLE)
            write_tsv_table(r, item, to);
        if (item->kind == REPORT_TABLE || item->kind == REPORT_NOTE)
            continue;
        report_add_line(to, report_string(r, item->name));
        if (item->kind == REPORT_COUNT)
            text_printf(to, "\t%zu\n", item->count);
        else
            write_tsv_cell(r, &item->value, to);
    }
}

const struct report_format report_format_tsv = {
    .plug = { .about = { "tsv", "name TAB value, one a line",
                         "For pipes.  A table's cells are named row.column; notes are left "
                         "out." } },
    .write = write_tsv,
};
