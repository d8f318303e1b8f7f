/* enforce.h -- inside the rules room: one query whose order is to keep rules.
 *
 * Documents go by their rank, their place in the model's order.  Documents that no rule can
 * tell apart are of one kind.  Two of a kind that stand the other way round than the model
 * has them can be exchanged: every rule stays as true as it was, and no turned pair costs
 * more (s_i > s_j, k between them: (s_k - s_i)+ + (s_j - s_k)+ is at most
 * (s_k - s_j)+ + (s_i - s_k)+, and the pair itself is saved).  So of each kind the model's
 * order is kept, and an order is a way to merge the kinds.
 *
 * A pair i, j with s_i >= s_j that is turned adds s_i - s_j to sum over d of
 * s_d position_d, so the cost of an order is that sum less the model's own: it is linear
 * in the positions.                                                                   */
#ifndef ENFORCE_H
#define ENFORCE_H

#include "tree.h"

#include "../base/alloc.h"

struct lineup {
    const struct bound *bound;
    const struct scene *scene;
    uint32_t n, n_kinds;
    uint32_t *doc; /* n: the document of a rank */
    int64_t
        *score; /* n, falling to 0: the model's, in whole steps, so that sums are exact */
    uint32_t *kind;          /* n: of a rank */
    uint32_t *rep;           /* n_kinds: the first rank of a kind */
    uint32_t *count, *begin; /* n_kinds: how many there are, and where they begin in ... */
    uint32_t *member;        /* n: the ranks of kind 0, of kind 1, ... */
    struct automaton *machine; /* n_rules */
    size_t n_rules;            /* that count in this query */
    size_t n_words;            /* of what machines remember */
    struct arena memory;
};

/* A rule of up to two quantifiers that sees documents arrive, the best place first, and
 * remembers what it must.  Rules of more are asked about whole orders (`is_opaque`).
 *
 * A document arrives as a letter: what the rule knows of its features, and between which
 * of its tops it stands.  `exists` is `forall` of the opposite, denied.  Then
 *   forall d          remembers whether one was bad;
 *   forall d, e       ... and which letters there were;
 *   forall d exists e which letters there were, and which still wait for an e.          */
struct automaton {
    size_t rule;    /* its number among the rules */
    int64_t weight; /* in whole steps */
    bool is_opaque, is_denied, waits, has_top, has_before;
    uint32_t n_vars;         /* 0, 1, 2 */
    uint32_t cut[MAX_ATOMS]; /* band i: positions below cut[i]; behind them one more */
    uint32_t n_cuts;         /* those below n */
    uint32_t *type, n_types; /* of each kind */
    size_t n_letters,
        n_words;      /* letter: type (n_cuts + 1) + band; words of a set of them */
    size_t at;        /* in a memory: what was there, then what waits */
    bool *alone;      /* of a letter: itself is bad, or is its own e */
    uint64_t *before; /* of a letter: those, before it, that make it bad, or are its e */
    uint64_t *after;  /* of a letter: those, before it, whose e it is */
    uint64_t *useful; /* letters that need to be remembered */
};

/* The kinds and machines of a query; what the caller has filled: bound, scene, n, doc,
 * score, weight (in `steps`, by rule; 0: left out). */
MUST_CHECK peck_status lineup_open(struct lineup *l, const int64_t *steps, peck_error *err);
void lineup_close(struct lineup *l);

static inline uint32_t automaton_band(const struct automaton *a, uint32_t position)
{
    uint32_t band = 0;

    while (band < a->n_cuts && position >= a->cut[band])
        band++;
    return band;
}

/* A document of this kind arrives at a position; memory[n_words] of the lineup. */
void automaton_step(const struct lineup *l, size_t machine, uint64_t *memory, uint32_t kind,
                    uint32_t position);
/* What is certain whatever follows: it is broken, it is kept. */
bool automaton_is_dead(const struct lineup *l, size_t machine, const uint64_t *memory);
/* Whether it is kept, now that all documents are there. */
bool automaton_holds(const struct lineup *l, size_t machine, const uint64_t *memory);
/* What the machine's bit says, for rules of one quantifier: some document decided it. */
static inline bool automaton_bit(const uint64_t *memory, size_t machine)
{
    return memory[machine / 64] >> machine % 64 & 1;
}

/* forall d, e with `before` and without `top`: it may say of two types which goes first. */
static inline bool automaton_is_of_pairs(const struct automaton *a)
{
    return !a->is_opaque && a->n_vars == 2 && !a->waits && !a->is_denied && a->has_before &&
           !a->has_top;
}

/* Of such a machine: the second type before the first would break it. */
static inline bool automaton_forces(const struct automaton *a, uint32_t first,
                                    uint32_t second)
{
    return a->before[first * a->n_words + second / 64] >> second % 64 & 1;
}

/* The same with tops: only between some of them may the second type not go first. */
static inline bool automaton_is_of_pairs_at_top(const struct automaton *a)
{
    return !a->is_opaque && a->n_vars == 2 && !a->waits && !a->is_denied && a->has_before &&
           a->has_top;
}

/* Of such a machine: somewhere the second type before the first would break it. */
static inline bool automaton_may_force(const struct automaton *a, uint32_t first,
                                       uint32_t second)
{
    const size_t n_bands = (size_t)a->n_cuts + 1;

    for (size_t late = 0; late < n_bands; late++)
        for (size_t early = 0; early <= late; early++) {
            const size_t x = first * n_bands + late, y = second * n_bands + early;

            if (a->before[x * a->n_words + y / 64] >> y % 64 & 1)
                return true;
        }
    return false;
}

/* lattice.c: the cheapest order by layers of states, the best `width` of each kept. */
struct outcome {
    int64_t lost, cost; /* weight of the rules that are broken; sum over turned pairs */
    bool is_cut;        /* some state was left out that might have led to a better one */
    bool is_found;
};
struct limits {
    size_t width;       /* states of a layer */
    size_t work;        /* steps in all */
    int64_t lost, cost; /* no worse than these is wanted; INT64_MAX: anything */
    bool gives_up;      /* when the work is used up; else it goes on with few states */
};
/* Machines without `before` alone (others are passed over). */
MUST_CHECK peck_status lattice_by_band(const struct lineup *l, const struct limits *most,
                                       uint32_t *order, struct outcome *out,
                                       peck_error *err);
/* All machines but the opaque ones. */
MUST_CHECK peck_status lattice_by_place(const struct lineup *l, const struct limits *most,
                                        uint32_t *order, struct outcome *out,
                                        peck_error *err);

#endif
