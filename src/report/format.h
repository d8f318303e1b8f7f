/* format.h -- what a report holds, for those who put it into words; private to the room. */
#ifndef FORMAT_H
#define FORMAT_H

#include "../base/plug.h"
#include "report.h"

#include <stdbool.h>

enum report_kind { REPORT_NUMBER, REPORT_COUNT, REPORT_TEXT, REPORT_NOTE, REPORT_TABLE };

/* A number with its decimals, or text. */
struct report_cell {
    bool is_text;
    double number;
    int decimals;
    size_t text; /* index into the report's strings */
};

struct report_item {
    enum report_kind kind;
    size_t name; /* index into the report's strings; a table's title */
    struct report_cell value;
    size_t count;
    /* A table: its columns' names are strings first_name .., its cells
     * first_cell .. + n_cells, row by row. */
    size_t n_columns, first_name, first_cell, n_cells;
};

struct peck_report {
    struct strings string;
    struct report_item *item;
    size_t n_items, cap_items;
    struct report_cell *cell;
    size_t n_cells, cap_cells;
    bool is_short_of_memory;
    /* Per query. */
    size_t n_queries, n_query_columns;
    struct strings query_column, query_id;
    double *query_value; /* [n_queries][n_query_columns] */
};

struct report_format {
    struct plug plug;
    void (*write)(const struct peck_report *r, struct text *to);
};

peck_span report_string(const struct peck_report *r, size_t i);

/* Whole rows of a table; a row that was not finished is left out. */
size_t report_rows(const struct report_item *table);

/* The number as people and pipes see it: fixed decimals, "-" for NaN. */
void report_add_number(struct text *to, double value, int decimals);

/* Text on one line of a pipe: control characters become blanks. */
void report_add_line(struct text *to, peck_span s);

/* Enough for "%.*f" of the largest double, which has 309 digits. */
enum { NUMBER_ROOM = 400 };

#endif
