/* report_look.c -- looking into a report: texts, tables, values per query. */
#include "format.h"

#include <math.h>

peck_span report_find_text(const struct peck_report *r, const char *name)
{
    for (size_t i = 0; i < r->n_items; i++) {
        const struct report_item *const item = &r->item[i];

        if (item->kind != REPORT_TABLE && item->value.is_text &&
            span_is(report_string(r, item->name), name))
            return report_string(r, item->value.text);
    }
    return (peck_span){ 0 };
}

bool report_find_table(const struct peck_report *r, const char *title,
                       struct report_grid *out)
{
    for (size_t i = 0; i < r->n_items; i++) {
        const struct report_item *const item = &r->item[i];

        if (item->kind != REPORT_TABLE || !span_is(report_string(r, item->name), title))
            continue;
        *out = (struct report_grid){ i, report_rows(item), item->n_columns };
        return true;
    }
    return false;
}

size_t report_find_column(const struct peck_report *r, const struct report_grid *t,
                          const char *name)
{
    size_t c = 0;

    while (c < t->n_columns &&
           !span_is(report_string(r, r->item[t->item].first_name + c), name))
        c++;
    return c;
}

/* NULL: there is none. */
static const struct report_cell *cell_at(const struct peck_report *r,
                                         const struct report_grid *t, size_t row,
                                         size_t column)
{
    return row < t->n_rows && column < t->n_columns
               ? &r->cell[r->item[t->item].first_cell + row * t->n_columns + column]
               : NULL;
}

peck_span report_text_at(const struct peck_report *r, const struct report_grid *t,
                         size_t row, size_t column)
{
    const struct report_cell *const c = cell_at(r, t, row, column);

    return c != NULL && c->is_text ? report_string(r, c->text) : (peck_span){ 0 };
}

double report_number_at(const struct peck_report *r, const struct report_grid *t,
                        size_t row, size_t column)
{
    const struct report_cell *const c = cell_at(r, t, row, column);

    return c != NULL && !c->is_text ? c->number : (double)NAN;
}

struct report_sheet report_sheet(const struct peck_report *r)
{
    return (struct report_sheet){ r->n_queries, r->n_query_columns, &r->query_column,
                                  &r->query_id, r->query_value };
}
