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

/* Kinds of plug as people call them: KIND(several, one, kind). */
#define KINDS(KIND)                                  \
    KIND(methods, "method", PECK_METHOD)             \
    KIND(norms, "normaliser", PECK_NORM)             \
    KIND(conventions, "convention", PECK_CONVENTION) \
    KIND(metrics, "metric", PECK_METRIC)             \
    KIND(decoders, "decoder", PECK_DECODER)          \
    KIND(readers, "reader", PECK_READER)             \
    KIND(writers, "writer", PECK_WRITER)             \
    KIND(generators, "generator", PECK_GENERATOR)
extern const struct kind_name {
    const char *name; /* "metrics"; NULL ends the list */
    const char *one;  /* "metric" */
    peck_kind kind;
} kind_names[];

/* Breaks text into lines as wide as the terminal that they go to, 100 columns at most, and
 * 80 elsewhere; all but the first are indented; starts at column `at`.  An empty line parts
 * paragraphs. */
void page_wrap(FILE *to, const char *text, int at, int indent);

#endif
