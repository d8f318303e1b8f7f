/* ask -- ITEMS, ANSWERS OF PEOPLE -> WHAT TO ASK NEXT, AN ORDER
 *   in      a list of items, a file of votes, answers to "which of these two?"
 *   out     the next question of each voter, an order with its sureness, exports
 *   knows   base
 *   never   HTTP, options; a fit of its own: strengths come from peck.h
 *   grow    what a voter can say: enum poll_outcome; a form of export: export.c
 *
 * poll.h is the door: one file of votes, open.
 *
 * Threads: any number of threads may call any function of one poll at the same time, but
 * poll_close.  What changes something returns when that is safe on the disk (SQLite, WAL,
 * synchronous FULL), or with an error and nothing changed; commits of several threads are
 * grouped.  Strengths are fitted on a thread of the poll's own, so no call waits long for
 * them: see poll_settle.
 *
 * Ownership: what a call fills is the caller's until the _free named beside it, which
 * takes an all-zero one too; after a failure it is all zero.  Texts are UTF-8 without
 * control characters and end in a zero byte; they may hold markup, which nobody has escaped.
 *
 * Ids of items, voters and answers count from 1, are never given twice and never change.
 * 0 is none.                                                                          */
#ifndef POLL_H
#define POLL_H

#include "peck.h"

#include <stdbool.h>

enum {
    POLL_MAX_ITEMS = 10000,
    POLL_MAX_VOTERS = 1000,
    POLL_MAX_NAME = 500,   /* bytes, as the following */
    POLL_MAX_TEXT = 20000, /* of an item's text */
    POLL_MAX_LINK = 2000,
    POLL_MAX_PASTE = 4 << 20, /* of what poll_add_items reads */
    POLL_TOKEN = 22,          /* letters: 128 bits in base64url */
    POLL_QUESTION = 48        /* letters of a question's id, at most: A-Z a-z 0-9 - _ */
};

struct poll;

/* Opening ------------------------------------------------------------------------------- */

struct poll_spec {
    const char *items; /* a text file, a CSV file, a folder of pictures; NULL: the items
                         * that the file of votes has */
    const char *votes; /* NULL: ITEMS.votes beside ITEMS */
    bool is_read_only; /* nothing is written, and the file of votes must be there */
    uint64_t seed;     /* of sides, and of pairs of equal worth */
    int threads;       /* of a fit; 0: one per core */
    const char
        *features; /* data with features of the items, by name or by line: a model that
                           * is trained on the answers says where the others may stand; NULL */
    /* Hears a sentence about what is worth knowing: items that came and went.  May be NULL;
     * called by poll_open alone. */
    void (*tell)(void *ctx, const char *sentence);
    void *ctx;
};

/* Opens or makes the file of votes and brings its items up to date with ITEMS: new ones are
 * added, those that are gone go out of play; answers are kept.  An owner is there always. */
PECK_MUST_CHECK peck_status poll_open(struct poll **out, const struct poll_spec *spec,
                                      peck_error *err);
/* Waits for calls under way on the poll's own threads alone.  Takes NULL. */
void poll_close(struct poll *p);

/* Where things are, as long as the poll is open. */
const char *poll_title(const struct poll *p); /* the name of ITEMS without folder, ending */
const char *poll_votes(const struct poll *p); /* path of the file of votes */
const char *poll_folder(const struct poll *p); /* the pictures' paths start from here */

/* Grows with everything that changes; the same number means that nothing did. */
uint64_t poll_revision(struct poll *p);

/* Items --------------------------------------------------------------------------------- */

struct poll_item {
    uint32_t id;
    const char *name;
    const char *text, *link; /* "": none.  A link begins with http:// or https:// */
    const char *image; /* path below poll_folder, or "": none.  Not yet checked: may lead
                        * anywhere, or be no picture */
    bool is_out;       /* out of play: by the owner, or by everyone who answered */
    bool is_gone;      /* no more in ITEMS, so out of play too */
    double rating;     /* an old one from ITEMS; NaN: none */
};

struct poll_items {
    struct poll_item *item; /* by rising id */
    size_t n;
    void *block; /* what the texts lie in */
};

PECK_MUST_CHECK peck_status poll_items(struct poll *p, struct poll_items *out,
                                       peck_error *err);
void poll_items_free(struct poll_items *items);

/* The picture of one item as in poll_item.image, into to[room]; false: it has none. */
bool poll_item_image(struct poll *p, uint32_t item, char *to, size_t room);

/* The type of a picture by its first bytes (32 are enough): "image/png", "image/jpeg",
 * "image/gif", "image/webp", "image/avif", "image/bmp"; NULL: it is none that is shown. */
const char *poll_picture_type(const void *head, size_t n);

/* Adds what was pasted: lines, a list of Markdown, CSV with a header.  Names that are there
 * already are passed over (and come back into play); *n_added may be NULL. */
PECK_MUST_CHECK peck_status poll_add_items(struct poll *p, peck_span paste, size_t *n_added,
                                           peck_error *err);
/* Takes an item out of play for everybody, or brings it back. */
PECK_MUST_CHECK peck_status poll_set_out(struct poll *p, uint32_t item, bool is_out,
                                         peck_error *err);

/* Adds the comparisons of a file (winner,loser and the other forms of `peck decode`) as
 * answers of a voter called "imported"; items that are not there are added.  The same file
 * is not taken twice. */
PECK_MUST_CHECK peck_status poll_import(struct poll *p, const char *path, size_t *n_added,
                                        peck_error *err);

/* Voters -------------------------------------------------------------------------------- */

struct poll_voter {
    uint32_t id;
    char name[POLL_MAX_NAME + 1];
    char token[POLL_TOKEN + 1];
    bool is_owner;
    bool has_finished;
    double weight; /* what the owner says that an answer of theirs counts; 1 */
    size_t n_answers;
};

struct poll_voters {
    struct poll_voter *voter; /* by rising id; the owner is the first */
    size_t n;
};

PECK_MUST_CHECK peck_status poll_voters(struct poll *p, struct poll_voters *out,
                                        peck_error *err);
void poll_voters_free(struct poll_voters *voters);

uint32_t poll_owner(const struct poll *p);
/* Whose token this is, found without telling by the time it takes how much of it was right;
 * false: nobody's.  token need not end in a zero byte. */
bool poll_find_voter(struct poll *p, peck_span token, struct poll_voter *out);
/* A new voter with a token from the system's random source.  A name that is there already
 * is PECK_ARG. */
PECK_MUST_CHECK peck_status poll_add_voter(struct poll *p, peck_span name,
                                           struct poll_voter *out, peck_error *err);
PECK_MUST_CHECK peck_status poll_set_weight(struct poll *p, uint32_t voter, double weight,
                                            peck_error *err);
/* From now on the voter may see the others' results; they may still answer. */
PECK_MUST_CHECK peck_status poll_finish(struct poll *p, uint32_t voter, peck_error *err);

/* Questions and answers ------------------------------------------------------------------ */

enum poll_outcome {
    POLL_LEFT,
    POLL_RIGHT,
    POLL_TIE,
    POLL_SKIP,
    POLL_OUT_LEFT, /* "don't know the left one": out of play for this voter */
    POLL_OUT_RIGHT,
    POLL_OUTCOMES
};
/* "left", "right", "tie", "skip", "out-left", "out-right". */
const char *poll_outcome_name(enum poll_outcome outcome);
bool poll_outcome_find(enum poll_outcome *out, peck_span name);

struct poll_question {
    char id[POLL_QUESTION + 1]; /* "": there is nothing to ask */
    uint32_t left, right;       /* items */
    bool is_again;              /* asked before, the other way round */
};

/* The question of this voter and the one after it: the same until it is answered, undone
 * or an item of it goes out of play.  Never waits for a fit. */
PECK_MUST_CHECK peck_status poll_questions(struct poll *p, uint32_t voter,
                                           struct poll_question question[2],
                                           peck_error *err);

struct poll_answer {
    uint32_t id;    /* 0 in what poll_answer is given */
    uint32_t voter; /* whose it is */
    char question[POLL_QUESTION + 1];
    uint32_t left, right;
    enum poll_outcome outcome;
    int strength; /* 1, or 2: much better */
    int64_t when; /* seconds since 1970; 0 in what poll_answer is given */
    double
        surprise; /* of poll_history: the probability that the order as it is now gives to
                      * another outcome, 0 to 1; 0 of skips */
};

/* Stores an answer.  The question need not be the present one, nor of this process: whoever
 * sends an answer again, whatever happened meanwhile, is told PECK_OK and it counts once
 * (by voter and question). */
PECK_MUST_CHECK peck_status poll_answer(struct poll *p, uint32_t voter,
                                        const struct poll_answer *answer, peck_error *err);
/* Takes back the voter's last answer, all the way to the first; the pair is asked again.
 * undone->id is 0 when there is none to take back; undone may be NULL. */
PECK_MUST_CHECK peck_status poll_undo(struct poll *p, uint32_t voter,
                                      struct poll_answer *undone, peck_error *err);
/* A voter changes their own answers, the owner anybody's; others' are PECK_ARG, as ids that
 * do not exist.  strength 0: as it was. */
PECK_MUST_CHECK peck_status poll_edit(struct poll *p, uint32_t voter, uint32_t answer,
                                      enum poll_outcome outcome, int strength,
                                      peck_error *err);
PECK_MUST_CHECK peck_status poll_delete(struct poll *p, uint32_t voter, uint32_t answer,
                                        peck_error *err);

struct poll_history {
    struct poll_answer *answer; /* newest first */
    size_t n;
};

/* Answers that count, of one voter or (0) of all; the newest `most` of them (0: all). */
PECK_MUST_CHECK peck_status poll_history(struct poll *p, uint32_t voter, size_t most,
                                         struct poll_history *out, peck_error *err);
void poll_history_free(struct poll_history *history);

/* What is to be found out: the first `top` items, or (0) the whole order. */
PECK_MUST_CHECK peck_status poll_set_goal(struct poll *p, size_t top, peck_error *err);
size_t poll_goal(struct poll *p);

/* Where it stands -------------------------------------------------------------------------- */

/* An item in play, ranked. */
struct poll_place {
    uint32_t item;
    uint32_t rank; /* from 1; shared with the one above where the two cannot be told apart
                       * (P(above) below .95) from the first of that rank */
    double score, sd; /* strength less the mean of all, in log-odds; its deviation */
    size_t n_answers; /* that compare it */
    size_t wins, losses, ties;
    bool
        is_guess; /* nobody compared it: its place is that of its rating or features, or none */
};

struct poll_standing {
    uint64_t revision;        /* of the answers that it rests on */
    struct poll_place *place; /* best first */
    size_t n;
    size_t n_answers;       /* that compare: no skips, nothing taken back */
    size_t n_asked;         /* with skips */
    size_t goal;            /* top 1, 5 or (0) all */
    bool is_enough;         /* for the goal */
    double left;            /* questions expected until then, of this voter */
    double share;           /* of the way there, 0 to 1 */
    double first, top, all; /* sureness of the first one, the first 5, the order of pairs */
    size_t n_against;       /* answers that the order contradicts */
    struct poll_answer *surprising; /* the three that it finds least likely, worst first */
    size_t n_surprising;
    uint32_t (*circle)[3]; /* A > B > C > A, by answers; the newest first, at most three */
    size_t n_circles;
    bool has_finished; /* of a voter */
};

/* By the answers of one voter, or (0) of all.  Who may see which is the caller's to hold. */
PECK_MUST_CHECK peck_status poll_standing(struct poll *p, uint32_t voter,
                                          struct poll_standing *out, peck_error *err);
void poll_standing_free(struct poll_standing *standing);

/* Waits until the order of all rests on every answer that is in, at most so many seconds
 * (below 0: as long as it takes). */
void poll_settle(struct poll *p, double seconds);

/* Several people ------------------------------------------------------------------------- */

struct poll_agreement {
    struct poll_agree {
        uint32_t voter;
        size_t n_answers; /* that compare */
        double share; /* of them that agree with the order of all, a tie being half; NaN: no
                       * answer */
        double weight; /* what an answer of theirs counts: the owner's weight times how well
                        * they agree, once three have answered enough to tell */
    } * voter;         /* who answered anything, by rising id */
    size_t n_voters;
    double mean; /* of the shares, by answers; NaN: nobody answered */
    /* Pairs on which they split, the most even and most answered first, at most 10. */
    struct poll_split {
        uint32_t a, b;       /* items, a above b in the order of all */
        size_t for_a, for_b; /* voters */
    } * split;
    size_t n_splits;
};

PECK_MUST_CHECK peck_status poll_agreement(struct poll *p, struct poll_agreement *out,
                                           peck_error *err);
void poll_agreement_free(struct poll_agreement *agreement);

/* Levels ------------------------------------------------------------------------------------ */

enum { POLL_MAX_LEVELS = 10 };

/* Cuts an order into at most n_levels (0: as many as the gaps suggest, at most 5) where the
 * scores have gaps: level[i] of place i counts from 0, the best.  Returns how many there are.
 * 0 when memory is short or there is nothing. */
size_t poll_levels(const struct poll_standing *s, size_t n_levels, uint32_t *level);
/* What level i of n is called: S, A, B, C ... of up to seven, else n - i. */
const char *poll_level_name(size_t i, size_t n);

/* Export ------------------------------------------------------------------------------------- */

/* The order of all in "csv", "json" or "markdown" ("md" too); to be freed by
 * poll_export_free.  json has the answers too. */
PECK_MUST_CHECK peck_status poll_export(struct poll *p, const char *form, peck_bytes *out,
                                        peck_error *err);
void poll_export_free(peck_bytes *b);

/* The answers of all as preferences: winner, loser, weights as poll_agreement has them.  What
 * `peck decode FILE.votes` ranks; items that are out of play are left out. */
PECK_MUST_CHECK peck_status poll_prefs(struct poll *p, peck_prefs **out, peck_error *err);

/* Whether the first bytes of a file say that it is a file of votes. */
bool poll_is_votes(const char *path);

/* How it works, in a sentence for the page of results. */
const char *poll_how(void);

#endif
