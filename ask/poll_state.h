/* poll_state.h -- a poll from inside: what poll.c, answers.c, fitter.c and people.c share.
 *
 * The lists mirror the file of votes and grow at their end; positions never change.  All
 * is under `lock` but what is marked as fixed.  Changes go to the file first (votes_do),
 * then `apply` takes the lock and changes the mirror: see votes.h.                     */
#ifndef POLL_STATE_H
#define POLL_STATE_H

#include "../src/base/strings.h"
#include "board.h"
#include "features.h"
#include "votes.h"

#include <pthread.h>

enum { N_RECENT = 10 };

struct item {
    struct poll_item it; /* texts lie in `block` */
    const char *key;
    bool is_set_out; /* by the owner; it.is_out is what follows from all */
    bool is_added;
    uint32_t n_out; /* voters for whom it is out of play */
    char *block;
};

/* A voter. */
struct person {
    struct poll_voter info;
    uint16_t *outs; /* by item: answers of theirs that put it out of play */
    size_t cap_outs;
    uint64_t *pair; /* what they compared, as pair_key has it */
    size_t n_pairs, cap_pairs;
    size_t n_skips;
    peck_duel recent[N_RECENT]; /* positions of items; the newest last */
    size_t n_recent;
    struct poll_question queue[2];
    uint64_t changes; /* of their answers, and of what is in play */
    struct poll_board *own;
    double own_took; /* seconds */
    bool wants_own;  /* it is old, and the fitter is to make it anew */
};

struct record {
    struct poll_answer a;
    uint32_t left, right, voter; /* positions */
    bool is_deleted;
};

struct poll {
    /* Fixed once it is open. */
    struct votes *votes;
    char *votes_path, *folder, *title;
    bool is_read_only;
    uint64_t seed;
    int threads;
    uint32_t owner;
    struct features *features; /* of the fitter's thread; NULL: none */
    pthread_t fitter;
    bool has_fitter;

    pthread_mutex_t lock;
    struct item *item;
    size_t n_items, cap_items;
    size_t n_played;   /* items when update_play looked last */
    struct index keys; /* of items */
    struct person *person;
    size_t n_persons, cap_persons;
    struct record *record;
    size_t n_records, cap_records;
    struct index asked;             /* "voter question" of every record */
    char source[POLL_MAX_NAME + 1]; /* what ITEMS is called, beside the file of votes */
    size_t goal;
    bool is_short; /* of memory, so the mirror is behind the file */

    uint64_t revision;        /* of everything */
    uint64_t data;            /* of what the board rests on */
    struct poll_board *board; /* of all; NULL: none yet */
    peck_error board_error;   /* why there is none, or none newer */
    bool is_stopping;
    pthread_cond_t has_work, has_board;
};

/* Where it is in its list, with the lock held; -1: there is none of this id. */
int64_t item_at(const struct poll *p, uint32_t id);
int64_t person_at(const struct poll *p, uint32_t id);
int64_t record_at(const struct poll *p, uint32_t id);

/* Mirrors, with the lock held; false: no memory. */
bool mirror_item(struct poll *p, const struct votes_item *i);
bool mirror_voter(struct poll *p, const struct votes_voter *v);
bool mirror_answer(struct poll *p, const struct votes_answer *a);
/* A record counts from now on (+1), or no more (-1). */
bool count_record(struct poll *p, const struct record *r, int sign);
/* What is out of play, from who says so; after any change of that. */
void update_play(struct poll *p);
/* Something changed; is_data: the board is out of date too. */
void touch(struct poll *p, bool is_data);

/* Fails when the poll can take no changes. */
MUST_CHECK peck_status poll_check(struct poll *p, peck_error *err);
MUST_CHECK peck_status fail_no_voter(uint32_t voter, peck_error *err);

static inline uint64_t pair_key(uint32_t a, uint32_t b)
{
    return a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
}

static inline bool is_comparing(enum poll_outcome o)
{
    return o == POLL_LEFT || o == POLL_RIGHT || o == POLL_TIE;
}

double poll_now(void); /* seconds of a clock that never goes back */
/* `letters` letters of base64url from the system's random source. */
MUST_CHECK peck_status poll_random(char *to, size_t letters, peck_error *err);

/* fitter.c: the thread that keeps the board of all up to date. */
MUST_CHECK peck_status fitter_start(struct poll *p, peck_error *err);
void fitter_stop(struct poll *p);
/* The board of all, or of one voter alone, to be given back; made where there is none.  Not
 * with the lock held. */
MUST_CHECK peck_status board_of(struct poll *p, uint32_t voter, struct poll_board **out,
                                peck_error *err);
void board_give_back(struct poll *p, struct poll_board *b);

/* questions.c, with the lock held: drops questions with items that are out of play, and the
 * one of this id (NULL: none); and puts one in front of the others. */
void questions_drop(struct poll *p, struct person *who, const char *id);
void questions_push(struct person *who, const struct poll_question *q);

#endif
