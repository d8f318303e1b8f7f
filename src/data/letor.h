/* letor.h -- one line of LETOR text; private to the data room. */
#ifndef LETOR_H
#define LETOR_H

#include "../base/number.h"
#include "reader.h"

/* " 12:" as it stands in a file that names every feature in turn: compared as one word,
 * it saves taking the index apart digit by digit. */
struct letor_tag {
    uint64_t bytes, mask;
    uint32_t length;
};

enum { LETOR_TAGS = 4096, LETOR_SKIPPED = UINT32_MAX };

/* What all lines of a file have in common. */
struct letor_shape {
    const char *name; /* of the file */
    size_t dim;       /* highest feature */
    const uint32_t
        *column; /* feature - 1 -> column or LETOR_SKIPPED; NULL: all, in order */
    enum missing missing;
    const struct letor_tag *tag; /* tag[i] is feature i + 1, " 1:" or " 0:" for i = 0 */
    size_t n_tags;
    size_t first;   /* how the file counts its features: from 0 or from 1 */
    bool has_label; /* lines begin with one */
};

/* A line that holds a document, cut at its comment. */
struct letor_text {
    const char *begin, *end; /* what stands before the '#' */
    peck_span doc;           /* the id in the comment; n = 0: none */
    size_t length;           /* of the whole line */
};

/* A line besides its features. */
struct letor_line {
    float label;
    peck_span query; /* n = 0: the line has no qid */
    size_t n_missing;
};

void letor_tags_fill(struct letor_tag *tag, size_t n, size_t first);

/* Whether a document begins with "index:value" or "qid:ID" instead of a label. */
bool letor_lacks_label(const struct letor_text *text);

/* The next line that holds a document; blank lines and remarks are passed over.  Both
 * passes over a file go through here, so they see the same documents. */
bool letor_next(struct lines *lines, struct letor_text *text);

static inline bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Parses a document into row (zero so far) and *line.  Bytes after the text must be
 * readable (input_open). */
MUST_CHECK peck_status letor_row(const struct letor_shape *s, const struct letor_text *text,
                                 size_t line_number, float *row, struct letor_line *line,
                                 peck_error *err);

#endif
