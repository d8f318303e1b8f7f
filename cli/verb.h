/* cli -- WORDS -> CALLS OF PECK.H -> TEXT
 *   in      argv, signals, whether somebody looks at a terminal
 *   out     text, messages, an exit code
 *   knows   peck.h alone
 *   never   computing: that belongs in the library
 *   grow    cmd_<verb>.c + one line in verbs.def
 *
 * verb.h is what a verb brings.  Its file reads the words, calls two or three functions of
 * peck.h and prints.                                                                  */
#ifndef VERB_H
#define VERB_H

#include "opt.h"
#include "talk.h"

struct example {
    const char *what, *command; /* ended by a row without a command */
};

/* One run of a verb. */
struct call {
    void *args;  /* the verb's own struct, filled from its options */
    char **word; /* what is no option */
    size_t n_words;
    struct talk *talk;
    peck_error *err;
    const struct verb *verb;
};

struct verb {
    const char *name, *summary;
    const char *const *usage;       /* what follows "peck NAME", ended by NULL */
    const char *about;              /* paragraphs, parted by an empty line */
    const struct opt_group *groups; /* NULL: no options of its own */
    const struct example *examples;
    size_t args_size;
    peck_status (*run)(struct call *c);
};

/* In the order of the work; ended by NULL. */
extern const struct verb *const verbs[];

/* -q, -v and -h, which every verb has. */
struct manners {
    int is_quiet, is_verbose, wants_help;
};
extern const struct opt_group manners_group[];

#endif
