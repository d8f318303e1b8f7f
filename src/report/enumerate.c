/* enumerate.c -- a report for programs: item by item, and query by query. */
#include "format.h"

#include <math.h>

static peck_item item_of_cell(const struct peck_report *r, const struct report_cell *c)
{
    return c->is_text ? (peck_item){ .kind = PECK_ITEM_TEXT,
                                     .number = (double)NAN,
                                     .text = report_string(r, c->text) }
                      : (peck_item){ .kind = PECK_ITEM_NUMBER,
                                     .number = c->number,
                                     .decimals = c->decimals };
}

int peck_report_item(const peck_report *r, size_t i, peck_item *out)
{
    *out = (peck_item){ .number = (double)NAN };
    if (i >= r->n_items)
        return 0;
    const struct report_item *const item = &r->item[i];

    if (item->kind == REPORT_TABLE)
        *out = (peck_item){ .kind = PECK_ITEM_TABLE,
                            .number = (double)NAN,
                            .n_rows = report_rows(item),
                            .n_columns = item->n_columns };
    else if (item->kind == REPORT_COUNT)
        *out = (peck_item){ .kind = PECK_ITEM_NUMBER, .number = (double)item->count };
    else
        *out = item_of_cell(r, &item->value);
    out->is_note = item->kind == REPORT_NOTE;
    out->name = report_string(r, item->name);
    return 1;
}

int peck_report_cell(const peck_report *r, size_t table, size_t row, size_t column,
                     peck_item *out)
{
    *out = (peck_item){ .number = (double)NAN };
    if (table >= r->n_items || r->item[table].kind != REPORT_TABLE)
        return 0;
    const struct report_item *const item = &r->item[table];

    if (row >= report_rows(item) || column >= item->n_columns)
        return 0;
    *out = item_of_cell(r, &r->cell[item->first_cell + row * item->n_columns + column]);
    out->name = report_string(r, item->first_name + column);
    return 1;
}

size_t peck_report_queries(const peck_report *r)
{
    return r->n_queries;
}

peck_span peck_report_query_id(const peck_report *r, size_t query)
{
    return query < r->n_queries ? strings_get(&r->query_id, query) : (peck_span){ 0 };
}

peck_span peck_report_query_metric(const peck_report *r, size_t i)
{
    return i < r->n_query_columns ? strings_get(&r->query_column, i) : (peck_span){ 0 };
}

peck_status peck_report_query_values(const peck_report *r, const char *metric,
                                     double *value, peck_error *err)
{
    size_t c = 0;

    while (c < r->n_query_columns && !span_is(strings_get(&r->query_column, c), metric))
        c++;
    if (c == r->n_query_columns)
        return fail(err, PECK_ARG,
                    "the report has no values per query of '%.60s'; see "
                    "peck_report_query_metric",
                    metric);
    for (size_t q = 0; q < r->n_queries; q++)
        value[q] = r->query_value[q * r->n_query_columns + c];
    return PECK_OK;
}
