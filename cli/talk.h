/* talk.h -- what peck says to people: the only user of standard error. */
#ifndef TALK_H
#define TALK_H

#include "opt.h"

struct talk {
    const char *verb;      /* "eval"; NULL before there is one */
    int level;             /* below 0: errors only; above 0: the closing line always */
    int is_terminal;       /* standard error is one */
    int has_colours;       /* ... that shows colours, which nobody minds */
    int has_open_line;     /* progress stands on the present line */
    double started, shown; /* seconds */
    int is_hushed;         /* errors are kept, nothing is said */
    char error[1024];      /* the last one; "": none */
};

void talk_start(struct talk *t, const char *verb);
/* From now on nothing is said or printed: another process does. */
void talk_hush(struct talk *t);
/* "peck eval: data.txt:3: ..." */
void talk_error(struct talk *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The same with "warning: "; silent when errors alone are asked for. */
void talk_warning(struct talk *t, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* "peck rank: ...", silent as a warning is. */
void talk_note(struct talk *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* From now on an interrupt only makes talk_progress ask for a stop. */
void talk_catch_interrupts(void);
int talk_was_interrupted(void);
/* From now on a file that is cut short while it is mapped ends the command with a sentence
 * and EXIT_SYSTEM, not with a core dump. */
void talk_catch_lost_files(void);

/* A progress callback: ctx is a struct talk.  Non-zero: stop.  Shows the share on a
 * terminal, at most five times a second. */
int talk_progress(void *ctx, double share);
/* Whether a line of progress would be seen now. */
int talk_is_due(const struct talk *t);
/* Shows it in place of the one before, cut to one line of the terminal. */
void talk_line(struct talk *t, const char *text);
/* How many columns a line of progress has; SIZE_MAX: nobody knows. */
size_t talk_room(const struct talk *t);
/* Takes the line away, so that a report may have its place. */
void talk_clear(struct talk *t);

/* The most memory that this process had at once, in MB of 1024 * 1024 bytes: its own and of
 * mapped files. */
double talk_peak_memory(void);
/* "peck eval: 0.1.0, 2 threads, seed 1, 0.41 s, 612 MB": what it takes to repeat the run,
 * and what it cost. */
void talk_close(struct talk *t, const struct opt_set *set);

#endif
