/* sorter.h -- the order of every query by a net that compares, and who was compared.
 *
 * Queries go side by side, each on one thread.                                       */
#ifndef SORTER_H
#define SORTER_H

#include "../decode/decode.h"
#include "model_outputs.h"

/* Called for each duel that a decoder asks for: lead is above 0 when the net puts duel.i
 * first.  Several queries come at once; those of one query one after another. */
typedef void sorter_on_duel(void *ctx, size_t q, peck_duel duel, float lead);

struct sorter {
    const struct model_outputs *outputs; /* of views */
    const uint64_t *start;               /* n_queries + 1 */
    size_t n_queries;
    /* Of each document, counted within its query: the row it has in the outputs, counted
     * likewise; NULL: the same. */
    const uint32_t *place;
    struct decode_plan decode;
    double *score;                /* n_docs, by document; what sorter_run fills */
    struct sort_scratch *scratch; /* one a worker */
    sorter_on_duel *on_duel;      /* NULL: none */
    void *ctx;                    /* of on_duel */
    uint64_t seed;                /* while at work */
    size_t failed;                /* the first query that could not be sorted */
    peck_error why;
};

/* decoder: "tree", as decode_plan_open takes it. */
MUST_CHECK peck_status sorter_open(struct sorter *s, const struct model_outputs *outputs,
                                   const uint64_t *start, size_t n_queries,
                                   const uint32_t *place, const char *decoder,
                                   peck_error *err);
/* s->score from the outputs as they are.  PECK_DIVERGED when a comparison is no number. */
MUST_CHECK peck_status sorter_run(struct sorter *s, uint64_t seed, peck_error *err);
void sorter_close(struct sorter *s); /* takes an all-zero one too */

/* lead[n] of duels between rows of the outputs. */
void model_outputs_duel(const struct model_outputs *s, const peck_duel *duel, size_t n,
                        float *lead);

#endif
