/* runlog.h -- follows a training: a line of progress, a log, the best epochs. */
#ifndef RUNLOG_H
#define RUNLOG_H

#include "talk.h"

enum { MOST_RULES_TRIALS = 16 };

/* What one net came to. */
struct net_epochs {
    size_t n_epochs, best_epoch; /* best_epoch 0: there is no validation data */
    double valid;                /* at its best epoch */
};

/* What a rule gains by itself, as peck_rule_gain tells. */
struct gain_alone {
    char rule[64];
    double valid, gain, weight;
};

struct runlog {
    struct talk *talk;
    const char *metric;  /* what `valid` is */
    const char *path;    /* of the log; NULL: none */
    int fd;              /* its own; -1: none */
    int resumes, is_new; /* it goes on with an old log; there was none */
    int is_short_of_memory;
    int log_error;          /* errno of the first write that failed; 0: none has */
    struct net_epochs *net; /* n_nets; NULL before the first epoch */
    size_t n_nets, n_done;
    struct gain_alone *gains; /* n_gains; NULL: none were told */
    size_t n_gains;
    peck_report *trials;                       /* of sizes; NULL: there were none */
    char size[64];                             /* the best of them */
    peck_rules_trial rules[MOST_RULES_TRIALS]; /* how much rules count, as it was tried */
    size_t n_rules;
    double rules_weight; /* of the caller's own, so that none is tried; else 0 or below */
};

/* path NULL: no log.  resumes: it goes on with what an interrupted run wrote, but for
 * epochs that are run again; else the old log goes when the first line is there. */
peck_status runlog_open(struct runlog *l, struct talk *talk, const char *metric,
                        const char *path, int resumes, peck_error *err);
/* A progress callback; ctx is a struct runlog.  Non-zero: stop. */
int runlog_epoch(void *ctx, const peck_epoch *e);
int runlog_interrupted(void *ctx);
void runlog_warning(void *ctx, const char *text);
void runlog_gain(void *ctx, const peck_rule_gain *g);
void runlog_size(void *ctx, const peck_size_trial *t);
void runlog_rules(void *ctx, const peck_rules_trial *t);
/* Method, sizes, gains and trials of rules, epochs, best epochs and the best validation value (the
 * mean of several nets). */
peck_status runlog_report(peck_report **out, const struct runlog *l, const char *method,
                          peck_error *err);
/* Fails when the log is not whole; may be called again. */
peck_status runlog_close(struct runlog *l, peck_error *err);

#endif
