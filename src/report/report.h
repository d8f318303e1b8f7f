/* report -- NUMBERS -> TEXT
 *   in      named numbers, tables, values per query
 *   out     aligned text for people, name TAB value for pipes, JSON, CSV, LaTeX, Markdown
 *   knows   base
 *   never   how a number was made
 *   grow    report_<format>.c + one line in formats.def                          */
#ifndef REPORT_H
#define REPORT_H

#include "../base/status.h"
#include "../base/strings.h"

/* Under this name a report has the fingerprint of the labels that it was judged by. */
#define LABELS_NOTE "fingerprint of the labels"

/* Filling a report never fails aloud: memory trouble sticks and report_check tells. */
struct peck_report *report_new(void); /* NULL: no memory */
MUST_CHECK peck_status report_check(const struct peck_report *r, peck_error *err);
/* The end of filling one: *out is r when st and report_check say so; otherwise r is freed. */
MUST_CHECK peck_status report_finish(struct peck_report **out, struct peck_report *r,
                                     peck_status st, peck_error *err);

/* A named value.  Numbers print with this many decimals; NaN prints "-" (JSON: null).
 * `name` is unique in the report: peck_report_value finds it. */
void report_number(struct peck_report *r, const char *name, double value, int decimals);
void report_count(struct peck_report *r, const char *name, size_t value);
void report_text(struct peck_report *r, const char *name, const char *value);
void report_text_span(struct peck_report *r, peck_span name, peck_span value);
/* Only people and JSON see a note; a pipe gets numbers alone. */
void report_note(struct peck_report *r, const char *name, const char *value);
void report_note_count(struct peck_report *r, const char *name, size_t value);

/* A note of which people read `brief` unless they ask for details; NULL: nothing then. */
void report_note_brief(struct peck_report *r, const char *name, const char *value,
                       const char *brief);
/* All notes of another report. */
void report_add_notes(struct peck_report *r, const struct peck_report *from);
/* A whole sentence for people; JSON has it among the notes. */
void report_sentence(struct peck_report *r, const char *name, const char *value);

/* A table: columns first, then rows cell by cell, the first cell of a row being its
 * name (text).  In a pipe, cell (row, column) is the line "row.column TAB value". */
void report_table(struct peck_report *r, const char *title, size_t n_columns,
                  const char *const *column);
/* The same with n_keys cells that name a row: "prefix" "key key.column" in a pipe. */
void report_table_of(struct peck_report *r, const char *title, const char *prefix,
                     size_t n_keys, size_t n_columns, const char *const *column);
void report_cell_text(struct peck_report *r, const char *value);
void report_cell_span(struct peck_report *r, peck_span value);
void report_cell_number(struct peck_report *r, double value, int decimals);
void report_cell_p(struct peck_report *r, double p); /* never shown as 0 */

/* Values per query: n_columns names, then value[n_queries][n_columns] (NaN: none) and
 * the queries' ids; all are copied. */
void report_queries(struct peck_report *r, size_t n_columns, const char *const *column,
                    size_t n_queries, const struct strings *id, const double *value);

/* Looking into one: what is borrowed lives as long as the report ----------------------- */

/* The text of a note or a named value; n = 0: there is none. */
peck_span report_find_text(const struct peck_report *r, const char *name);

/* A table by its title.  A column that is not there is `n_columns`. */
struct report_grid {
    size_t item; /* where it lies in the report */
    size_t n_rows, n_columns;
};
bool report_find_table(const struct peck_report *r, const char *title,
                       struct report_grid *out);
size_t report_find_column(const struct peck_report *r, const struct report_grid *t,
                          const char *name);
/* Of a cell; the other kind, or past the end: n = 0, NaN. */
peck_span report_text_at(const struct peck_report *r, const struct report_grid *t,
                         size_t row, size_t column);
double report_number_at(const struct peck_report *r, const struct report_grid *t,
                        size_t row, size_t column);

/* Values per query; n_queries 0: there are none. */
struct report_sheet {
    size_t n_queries, n_columns;
    const struct strings *column, *query;
    const double *value; /* [n_queries][n_columns]; NaN: none */
};
struct report_sheet report_sheet(const struct peck_report *r);

#endif
