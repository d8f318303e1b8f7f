/* exits.h -- what an exit status means; one list for the program and its pages. */
#ifndef EXITS_H
#define EXITS_H

#include "peck.h"

enum {
    EXIT_OK = 0,
    EXIT_USAGE = 2,
    EXIT_INPUT = 3,
    EXIT_SYSTEM = 4,
    EXIT_TRAINING = 5,
    EXIT_INTERRUPTED = 130
};

struct exit_meaning {
    int code;
    const char *meaning; /* NULL ends the list */
};
extern const struct exit_meaning exit_meanings[];

int exit_code(peck_status st);

#endif
