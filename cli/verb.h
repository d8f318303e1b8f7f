/* cli -- WORDS -> CALLS OF PECK.H -> TEXT
 *   in      argv, signals, whether somebody looks at a terminal
 *   out     text, messages, an exit code
 *   knows   peck.h alone; the verb that asks people also ask and web
 *   never   computing: that belongs in the library
 *   grow    cmd_<verb>.c + one line in verbs.def
 *
 * verb.h is what a verb brings.  Its file reads the words, calls two or three functions of
 * peck.h and prints.                                                                  */
#ifndef VERB_H
#define VERB_H

#include "opt.h"
#include "talk.h"

/* One run of a verb. */
struct call {
    void *args;  /* the verb's own struct, filled from its options */
    char **word; /* what is no option */
    size_t n_words;
    struct talk *talk;
    peck_error *err;
    const struct verb *verb;
    char *const *given; /* all words behind the verb, as they were typed */
    size_t n_given;
    const struct opt_set *options;
};

/* Lists end at the first row that is all zero. */
struct verb {
    const char *name, *summary;
    const char *usage[4]; /* what follows "peck NAME" */
    const char *about;    /* paragraphs, parted by an empty line */
    struct opt_group groups[10];
    struct example {
        const char *what, *command;
    } examples[8];
    const char *settings; /* title of those that its files may have; NULL: there are none */
    int (*setting_at)(size_t i, peck_param *out);
    size_t args_size;
    peck_status (*run)(struct call *c);
    int takes_ranks; /* several processes can share its work: see ranks.h */
};

/* Those of verbs.def, ended by NULL. */
extern const struct verb *const verbs[];
/* The verb of this name; NULL: none. */
const struct verb *verb_find(const char *name);

/* -q, -v and -h, which every verb has. */
struct manners {
    int is_quiet, is_verbose, wants_help;
};
extern const struct opt_group manners_group[];

/* What an exit status means; one list for the program and its pages. */
enum {
    EXIT_OK = 0,
    EXIT_USAGE = 2,
    EXIT_INPUT = 3,
    EXIT_SYSTEM = 4,
    EXIT_TRAINING = 5,
    EXIT_INTERRUPTED = 130
};
extern const struct exit_meaning {
    int code;
    const char *meaning; /* NULL ends the list */
} exit_meanings[];

#endif
