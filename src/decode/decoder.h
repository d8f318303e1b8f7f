/* decoder.h -- what a decoder is, and the asker through which it puts its questions.
 *
 * The asker counts, symmetrises, checks answers, remembers them when told to and splits
 * large batches over the pool.  A failure sticks: from then on every answer is 1/2 and the
 * oracle is left in peace, so a decoder needs no check of its own and ends as usual.   */
#ifndef DECODER_H
#define DECODER_H

#include "decode.h"

#include <stdatomic.h>

/* Answers that were given before: pair -> preference.  All calls from one thread at a time. */
struct memo;
struct memo *memo_new(uint32_t n_items); /* NULL: no memory */
/* Makes room for n pairs more, so that what memo_place returns stays where it is. */
MUST_CHECK bool memo_reserve(struct memo *m, size_t n);
/* The same pair, the lower item first. */
static inline peck_duel duel_upward(peck_duel d)
{
    return d.i < d.j ? d : (peck_duel){ d.j, d.i };
}
/* Where the preference of d.i over d.j is kept, d.i < d.j; NaN: not known yet. */
float *memo_place(struct memo *m, peck_duel d);
void memo_free(struct memo *m); /* takes NULL */

struct asker {
    const struct oracle *oracle;
    struct pool *pool; /* NULL: this thread alone */
    struct memo *memo; /* NULL: nothing is remembered */
    uint64_t n_known;  /* pairs in it */
    uint64_t seed, budget;
    bool is_ratio; /* of two answers h / (h + g) counts, not the mean; a decoder says */
    atomic_uint_fast64_t n_questions;
    atomic_int status; /* the first failure */
    peck_error *err;
};

struct decoder {
    struct plug plug;
    size_t config_size; /* at most DECODE_CONFIG_MAX */
    /* Fills out->order and out->score for two items or more.  Fails for want of memory;
     * what the oracle did wrong the asker keeps. */
    peck_status (*run)(struct asker *a, const void *config, struct decoding *out,
                       peck_error *err);
};

/* h[k] = how strongly duel[k].i is preferred to duel[k].j, the two directions averaged, or
 * in the ratio that a decoder asked for. */
void ask(struct asker *a, int worker, const peck_duel *duel, size_t n, float *h);
/* lead[k] > 0: duel[k].i goes first. */
void ask_side(struct asker *a, int worker, const peck_duel *duel, size_t n, float *lead);
/* The same from outside any task: large batches are split over the pool. */
void ask_all(struct asker *a, const peck_duel *duel, size_t n, float *h);
void ask_all_sides(struct asker *a, const peck_duel *duel, size_t n, float *lead);

/* pool_run, or a loop where there is no pool. */
void asker_run(struct asker *a, size_t n, void (*task)(void *ctx, size_t i, int worker),
               void *ctx);
int asker_workers(const struct asker *a);
/* The questions after n duels more. */
uint64_t asker_after(struct asker *a, uint64_t n);
/* Duels that the rest of the budget pays for; `otherwise` where there is no budget. */
uint64_t asker_budget(struct asker *a, uint64_t otherwise);
bool asker_failed(struct asker *a);

/* A preference as a whole number: what is gained less what is lost, in 2^-30.  Sums of
 * these are exact, so they do not depend on who adds first and nothing drifts when they
 * are taken away again. */
static inline int32_t net_of(float h)
{
    return (int32_t)((2.0 * (double)h - 1.0) * 0x1.0p30);
}

/* Scores from an order: how many items come behind. */
void decoding_from_order(struct decoding *out, uint32_t n);
/* An order from scores; equal ones keep input order. */
MUST_CHECK peck_status decoding_from_score(struct decoding *out, uint32_t n,
                                           peck_error *err);

#endif
