/* opt.h -- options are data: one row gives the flag, its parsing, the line in --help and
 * the entry in the man page.  A default is live: it is read like the user's own text. */
#ifndef OPT_H
#define OPT_H

#include "peck.h"

enum opt_type {
    OPT_END,
    OPT_FLAG,   /* int: how often it was given */
    OPT_TEXT,   /* const char *: borrowed; NULL when not given and without a default */
    OPT_CHOICE, /* the same; one of the words of arg, "a|b|c" */
    OPT_INT,    /* int, 0 or more */
    OPT_COUNT,  /* uint64_t */
    OPT_REAL,   /* double */
    OPT_LIST,   /* const char **, ended by NULL; NULL when never given */
    OPT_JOIN,   /* char *: every text given, joined by commas */
    OPT_PART    /* char *: as OPT_JOIN, each text as "name=text"; a default is only shown */
};

struct opt {
    const char *name; /* without the dashes */
    char letter;      /* 0: none */
    enum opt_type type;
    const char *arg;   /* what the value is called in help; NULL for a flag */
    const char *value; /* the default as a user would type it; NULL: none */
    const char *help;
    size_t offset; /* into the struct of the group */
};

/* Rows that belong together in help.  Ended by a group without a title. */
struct opt_group {
    const char *title;
    const struct opt *rows; /* ended by OPT_END; NULL: the parts of a convention, live */
    size_t at;              /* where the rows' struct lies in the verb's own; without rows:
                             * the char * that the parts go to */
};

/* Every option that a verb knows, and where each value goes. */
enum { OPT_MAX = 64 };
struct opt_set {
    struct opt row[OPT_MAX];
    const char *title[OPT_MAX]; /* set on the first row of a group */
    void *field[OPT_MAX];
    size_t n;
    unsigned char is_given[OPT_MAX];
    char hint[256]; /* what was understood, and how to say it; "": nothing to tell */
};

/* Adds groups whose structs lie in `base` (NULL: for help only).  A later row takes the
 * place of an earlier one of the same name, so a verb can have a default of its own. */
void opt_add(struct opt_set *set, const struct opt_group *groups, void *base);

/* Sets every default, then reads argv[0 .. argc).  Words that are no options move to the
 * front of argv and are counted in *n_words.  What scripts of before say is still
 * understood, with a hint. */
peck_status opt_parse(struct opt_set *set, const char *verb, int argc, char **argv,
                      size_t *n_words, peck_error *err);
void opt_free(const struct opt_set *set);

/* The row of this name, or -1. */
int opt_find(const struct opt_set *set, const char *name, size_t length);

/* Whether the user gave this option. */
int opt_is_given(const struct opt_set *set, const char *name);

/* A decimal number and nothing else; 0: it is none. */
int opt_parse_real(const char *text, double *value);

/* Fills *err and returns why; the command's own way to fail. */
peck_status refuse(peck_error *err, peck_status why, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

#endif
