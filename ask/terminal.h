/* terminal.h -- a poll in a terminal: a screen with keys, or lines for pipes and for readers
 * of screens.                                                                          */
#ifndef TERMINAL_H
#define TERMINAL_H

#include "poll.h"

/* Asks until the voter stops.  is_screen: standard input and output are a terminal, which is
 * left as it was whatever happens.  An interrupt is PECK_STOPPED; all answers are kept. */
PECK_MUST_CHECK peck_status terminal_ask(struct poll *p, uint32_t voter, bool is_screen,
                                         peck_error *err);

#endif
