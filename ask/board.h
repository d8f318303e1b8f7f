/* board.h -- answers -> strengths, an order, how sure it is, and what is odd about it.
 *
 * A board is made once and then only read, so threads share it.  Its items are slots 0 .. n-1:
 * those in play; positions in the poll's list of items are `item[slot]`.               */
#ifndef BOARD_H
#define BOARD_H

#include "../src/base/status.h"
#include "poll.h"

/* An answer that compares two items in play. */
struct ballot {
    uint32_t left, right;      /* slots */
    uint32_t voter;            /* position in the list of voters */
    uint32_t answer;           /* its id */
    enum poll_outcome outcome; /* left, right or tie */
    int strength;
};

struct board_in {
    const uint32_t *item; /* n_slots: positions of items, rising; UINT32_MAX: see `rest` */
    size_t n_slots;
    const double *prior; /* n_slots, may be NULL: where strengths lie before any answer */
    const struct ballot *ballot; /* in the order of time */
    size_t n_ballots;
    const double *voter_weight; /* n_voters */
    size_t n_voters;
    size_t goal;
    /* Items in play that are no slot, for nobody compared them: the slots at the end that have
     * no item stand for them.  Of a voter's own board. */
    const uint32_t *rest;
    size_t n_rest;
    size_t n_pairs; /* candidates for questions wanted */
    const peck_duel *recent;
    size_t n_recent; /* slots of the last questions, newest last */
    uint64_t seed;
    int threads;
};

struct poll_board {
    int n_users;
    uint64_t revision;
    size_t n_slots;
    uint32_t *item;
    peck_strengths *strengths;
    double *mean, *sd;        /* n_slots */
    struct poll_place *place; /* item: positions, not ids */
    uint32_t *place_slot;
    size_t n_places;
    size_t n_ballots;
    double *weight; /* n_voters: what an answer of each counts */
    double *agrees; /* n_voters: answers that agree with the order, a tie being half */
    size_t *n_by;   /* n_voters: answers that compare */
    size_t n_voters;
    double first, top, all, left; /* as in poll_standing; left for all voters together */
    bool is_enough;
    size_t n_against;
    struct {
        uint32_t answer;
        double surprise;
    } odd[3]; /* the most surprising answers */
    size_t n_odd;
    uint32_t circle[3][3]; /* positions of items */
    size_t n_circles;
    peck_duel *pair;  /* slots, the pair worth most first */
    uint32_t *handed; /* how often each was asked; under the poll's lock */
    size_t n_pairs;
};

MUST_CHECK peck_status board_make(struct poll_board **out, const struct board_in *in,
                                  peck_error *err);
void board_free(struct poll_board *b); /* takes NULL */

/* The probability that strengths a and b give to another outcome than this one. */
double board_surprise(double left, double right, enum poll_outcome outcome);

/* The slot of an item (a position); UINT32_MAX: it is not on the board. */
uint32_t board_slot(const struct poll_board *b, uint32_t item);

#endif
