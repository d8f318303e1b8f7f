/* page.h -- a verb's tables as text for a terminal, or as a man page. */
#ifndef PAGE_H
#define PAGE_H

#include "verb.h"

void page_overview(FILE *to);
void page_overview_man(FILE *to);
void page_verb(FILE *to, const struct verb *v);
void page_verb_man(FILE *to, const struct verb *v);

/* A method, normaliser, metric, convention, ...: its text and its settings. */
void page_plug(FILE *to, peck_kind kind, const peck_plug *plug);

/* Kinds of plug as people call them; ended by a row without a name. */
struct kind_name {
    const char *name; /* "metrics" */
    const char *one;  /* "metric" */
    peck_kind kind;
};
extern const struct kind_name kind_names[];

/* Breaks text into lines of at most `width` columns, all but the first indented; starts at
 * column `at`.  An empty line parts paragraphs. */
void page_wrap(FILE *to, const char *text, int at, int indent, int width);

#endif
