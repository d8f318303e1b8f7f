/* votes.h -- the file that a poll lives in: items, voters, answers, in SQLite.
 *
 * Rows are read once, when the file is opened; after that they are only written.  A file is
 * written by one process at a time, and may be read by others meanwhile.              */
#ifndef VOTES_H
#define VOTES_H

#include "../src/base/status.h"
#include "poll.h"

struct votes;

struct votes_item {
    uint32_t id;
    peck_span key, name, text, link, image;
    double rating; /* NaN: none */
    bool is_out, is_gone;
    bool is_added; /* by a person, so it need not be in ITEMS */
};

struct votes_voter {
    uint32_t id;
    peck_span name, token;
    bool is_owner, has_finished;
    double weight;
};

struct votes_answer {
    uint32_t id, voter, left, right;
    peck_span question;
    enum poll_outcome outcome;
    int strength;
    int64_t when;
    bool is_deleted;
};

/* false: there is no such library in this build, and every call says so. */
bool votes_is_built(void);

/* Makes the file where there is none, unless it is only to be read. */
MUST_CHECK peck_status votes_open(struct votes **out, const char *path, bool is_read_only,
                                  peck_error *err);
void votes_close(struct votes *v); /* takes NULL */

/* Hands over every row, by rising id; each returns what is passed on unless it is PECK_OK.
 * Spans are good for the call. */
struct votes_sink {
    peck_status (*note)(void *ctx, peck_span key, peck_span value, peck_error *err);
    peck_status (*item)(void *ctx, const struct votes_item *i, peck_error *err);
    peck_status (*voter)(void *ctx, const struct votes_voter *v, peck_error *err);
    peck_status (*answer)(void *ctx, const struct votes_answer *a, peck_error *err);
    void *ctx;
};
MUST_CHECK peck_status votes_load(struct votes *v, const struct votes_sink *sink,
                                  peck_error *err);

/* A change: `write` puts rows into the file, and once they are safe on the disk `apply` may
 * put them into memory.  Changes of several threads share a commit; both functions are
 * called by one of these threads, changes in the order in which they were written.  When
 * write or the commit fails nothing of the change is kept and apply is not called. */
struct votes_change {
    peck_status (*write)(struct votes *v, void *ctx, peck_error *err);
    void (*apply)(void *ctx);
    void *ctx;
};
MUST_CHECK peck_status votes_do(struct votes *v, const struct votes_change *change,
                                peck_error *err);

/* Inside `write` alone.  An id of 0 makes a new row, whose id is set. */
MUST_CHECK peck_status votes_put_note(struct votes *v, const char *key, const char *value,
                                      peck_error *err);
MUST_CHECK peck_status votes_put_item(struct votes *v, struct votes_item *i,
                                      peck_error *err);
MUST_CHECK peck_status votes_put_voter(struct votes *v, struct votes_voter *voter,
                                       peck_error *err);
/* A new answer; its id stays 0 if this voter has answered this question already. */
MUST_CHECK peck_status votes_add_answer(struct votes *v, struct votes_answer *a,
                                        peck_error *err);
MUST_CHECK peck_status votes_change_answer(struct votes *v, uint32_t id,
                                           enum poll_outcome outcome, int strength,
                                           bool is_deleted, peck_error *err);
/* The voter's newest answer that counts; 0: none. */
MUST_CHECK peck_status votes_last_answer(struct votes *v, uint32_t voter, uint32_t *id,
                                         peck_error *err);

#endif
