/* cells.h -- delimited text with quotes (RFC 4180), one record at a time.
 *
 * Cells are views: into the input where they can be, into a block of the scanner where
 * doubled quotes had to be undone.  Either way they stay readable until cells_close and
 * are followed by bytes that number_read may look at.                                */
#ifndef CELLS_H
#define CELLS_H

#include "dataset.h"

/* A table has five columns that are not features. */
enum { MAX_CELLS = MAX_FEATURE + 5 };

struct cells {
    const struct input *in;
    const char *p, *end;
    char delimiter;
    size_t line;      /* on which the record given last begins, from 1 */
    size_t next_line; /* on which the next one does */
    peck_span *cell;  /* of the record given last; blanks around them are gone */
    size_t n, cap;
    bool is_broken; /* a quote that never closes: no further record can be told apart */
    char *plain;    /* cells without their doubled quotes, as large as the input */
    size_t plain_used;
};

/* Skips a byte order mark. */
void cells_open(struct cells *c, const struct input *in, char delimiter);

/* The next record that is not blank into cell[0 .. n); n = 0 at the end.  After
 * PECK_FORMAT the next call goes on with the following record unless is_broken. */
MUST_CHECK peck_status cells_next(struct cells *c, peck_error *err);
void cells_close(struct cells *c); /* takes an all-zero scanner too */

/* Whether a cell is this word, in upper or lower case. */
bool cell_is(peck_span cell, const char *word);

/* Whether a column of this name is taken for a label, a query, a document or a weight. */
bool column_has_role(peck_span name);

/* Whether a file's name ends so, ".gz" and ".zst" aside. */
bool file_is_called(const char *name, const char *ending);

#endif
