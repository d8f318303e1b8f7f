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
    bool is_p; /* a p-value: never shown as 0 */
    double number;
    int decimals;
    size_t text; /* index into the report's strings */
};

struct report_item {
    enum report_kind kind;
    size_t name; /* index into the report's strings; a table's title */
    struct report_cell value;
    size_t count;
    /* Of a note: what people read unless they ask for details. */
    enum report_brief { BRIEF_SAME, BRIEF_OTHER, BRIEF_NONE } brief;
    size_t brief_text;
    bool is_sentence; /* a note that says its name itself */
    /* A table: its columns' names are strings first_name .., its cells
     * first_cell .. + n_cells, row by row.  The first n_keys cells name the row, in a pipe
     * behind `prefix`. */
    size_t n_columns, first_name, first_cell, n_cells, n_keys, prefix;
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

/* How people want it. */
struct report_style {
    size_t width; /* columns of the terminal; 0: as many as it takes */
    bool has_colours, has_details;
};

struct report_format {
    struct plug plug;
    void (*write)(const struct peck_report *r, const struct report_style *style,
                  struct text *to);
};

peck_span report_string(const struct peck_report *r, size_t i);

/* Whole rows of a table; a row that was not finished is left out. */
size_t report_rows(const struct report_item *table);

const struct report_cell *report_row(const struct peck_report *r,
                                     const struct report_item *table, size_t row);

/* The number as people and pipes see it: fixed decimals, "-" for NaN. */
void report_add_number(struct text *to, double value, int decimals);
/* The same of a cell, for a pipe: a p-value that these decimals show as 0 as 3.1e-09. */
void report_add_cell(struct text *to, const struct peck_report *r,
                     const struct report_cell *c);
/* ... and for people, who read "<0.0001". */
void report_show_cell(struct text *to, const struct peck_report *r,
                      const struct report_cell *c);
/* A field of text: where commas part fields, quoted if it must be. */
void report_add_field(struct text *to, peck_span s, char between);
/* Whether every cell of a column is a number. */
bool report_is_numeric(const struct peck_report *r, const struct report_item *table,
                       size_t column);
/* What a person reads of an item that is no table; n = 0: it is left out. */
peck_span report_brief(const struct peck_report *r, const struct report_item *item,
                       bool has_details);
/* Whether a named value, no note, comes before any table: those are a table of their own
 * where there are tables alone. */
bool report_has_values(const struct peck_report *r);

/* Text on one line of a pipe: control characters become blanks. */
void report_add_line(struct text *to, peck_span s);

/* Enough for "%.*f" of the largest double, which has 309 digits. */
enum { NUMBER_ROOM = 400 };

#endif
