/* report_tsv.c -- name TAB value, one a line, for pipes.  A table's cells are named
 * "row.column"; notes are for people and stay out.                                   */
#include "format.h"

static void write_tsv_cell(const struct peck_report *r, const struct report_cell *c,
                           struct text *to)
{
    text_add_str(to, "\t");
    report_add_cell(to, r, c);
    text_add_str(to, "\n");
}

/* The keys of a row are its name; each of the other cells becomes a line. */
static void write_tsv_table(const struct peck_report *r, const struct report_item *t,
                            struct text *to)
{
    for (size_t row = 0; row < report_rows(t); row++) {
        const struct report_cell *const cell = report_row(r, t, row);

        for (size_t c = t->n_keys; c < t->n_columns; c++) {
            report_add_line(to, report_string(r, t->prefix));
            for (size_t k = 0; k < t->n_keys; k++) {
                text_add_str(to, k > 0 ? " " : "");
                report_add_cell(to, r, &cell[k]);
            }
            text_add_str(to, ".");
            report_add_line(to, report_string(r, t->first_name + c));
            write_tsv_cell(r, &cell[c], to);
        }
    }
}

static void write_tsv(const struct peck_report *r, const struct report_style *style,
                      struct text *to)
{
    (void)style;
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
    .plug = { .about = { "tsv", "name TAB value, one per line",
                         "For pipes.  A table's cells are named row.column; notes are left "
                         "out." } },
    .write = write_tsv,
};
