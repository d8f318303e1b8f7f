/* report -- NUMBERS -> TEXT
 *   in      named numbers, tables, values per query
 *   out     aligned text for people, name TAB value for pipes, JSON for programs
 *   knows   base
 *   never   how a number was made
 *   grow    report_<format>.c + one line in formats.def                          */
#ifndef REPORT_H
#define REPORT_H

#include "../base/status.h"
#include "../base/strings.h"

/* Filling a report never fails aloud: memory trouble sticks and report_check tells. */
struct peck_report *report_new(void); /* NULL: no memory */
MUST_CHECK peck_status report_check(const struct peck_report *r, peck_error *err);

/* A named value.  Numbers print with this many decimals; NaN prints "-" (JSON: null).
 * `name` is unique in the report: peck_report_value finds it. */
void report_number(struct peck_report *r, const char *name, double value, int decimals);
void report_count(struct peck_report *r, const char *name, size_t value);
void report_text(struct peck_report *r, const char *name, const char *value);
/* Only people and JSON see a note; a pipe gets numbers alone. */
void report_note(struct peck_report *r, const char *name, const char *value);
void report_note_count(struct peck_report *r, const char *name, size_t value);

/* A table: columns first, then rows cell by cell, the first cell of a row being its
 * name (text).  In a pipe, cell (row, column) is the line "row.column TAB value". */
void report_table(struct peck_report *r, const char *title, size_t n_columns,
                  const char *const *column);
void report_cell_text(struct peck_report *r, const char *value);
void report_cell_number(struct peck_report *r, double value, int decimals);

/* Values per query: n_columns names, then value[n_queries][n_columns] (NaN: none) and
 * the queries' ids; all are copied. */
void report_queries(struct peck_report *r, size_t n_columns, const char *const *column,
                    size_t n_queries, const struct strings *id, const double *value);

#endif
