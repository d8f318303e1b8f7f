/* validator.h -- what a net's scores or comparisons are worth: which epoch is best.  A net
 * that compares sorts every query for that.                                           */
#ifndef VALIDATOR_H
#define VALIDATOR_H

#include "../decode/decode.h"
#include "learner.h"

/* The order of every query by a net that compares.  Queries go side by side, each on one
 * thread. */
struct sorter {
    const struct model_outputs *outputs; /* of views */
    const uint64_t *start;               /* n_queries + 1 */
    size_t n_queries;
    /* Of each document, counted within its query: the row it has in the outputs, counted
     * likewise; NULL: the same. */
    const uint32_t *place;
    struct decode_plan decode;
    uint32_t *order; /* n_docs: of each query, counted within it */
    double *score;   /* n_docs, by document; what sorter_run fills */
    struct arena memory;
    /* Called for each duel that the decoder asks for, as in struct duel_list.  Several
     * queries come at once; those of one query one after another. */
    void (*on_duel)(void *ctx, size_t q, peck_duel duel, float lead);
    void *ctx;     /* of on_duel */
    uint64_t seed; /* while at work */
};

/* decoder: "tree", as decode_plan_open takes it. */
MUST_CHECK peck_status sorter_open(struct sorter *s, const struct model_outputs *outputs,
                                   const uint64_t *start, size_t n_queries,
                                   const uint32_t *place, const char *decoder,
                                   peck_error *err);
/* s->score from the outputs as they are.  PECK_DIVERGED when a comparison is no number. */
MUST_CHECK peck_status sorter_run(struct sorter *s, uint64_t seed, peck_error *err);
void sorter_close(struct sorter *s); /* takes an all-zero one too */

/* What is validated, and where its documents lie. */
struct validator_spec {
    const struct validation *validation; /* NULL: that of the training data */
    struct rows x;                       /* the documents, scaled */
    const uint32_t *place;               /* as in struct sorter */
    const float *label;                  /* instead of the data's; NULL: those */
    const char *decoder;                 /* of nets that compare; NULL: the usual one */
    /* Scores that the learner of a family that scores keeps, in the data's order; NULL:
     * the family is asked. */
    const double *given;
};

/* A member's validator.  It stays where it was opened. */
struct validator {
    struct validator_spec spec; /* validation NULL: there is none */
    struct model_outputs outputs;
    struct sorter sorter; /* of a net that compares */
    double *score;        /* n_docs, of a family that scores */
    struct scored_docs scored_docs;
    struct judge *judge; /* NULL: preferences count */
    struct arena memory;
};

/* how NULL: all zero. */
MUST_CHECK peck_status validator_open(struct validator *s, const struct task *task,
                                      const struct validator_spec *how, peck_error *err);
/* The metric under w: the more the better (an error comes negative).  NaN: no
 * validation data, or nothing in it can be judged.  PECK_DIVERGED when a score is no
 * finite number. */
MUST_CHECK peck_status validator_value(struct validator *s, const float *w, double *value,
                                       peck_error *err);
void validator_close(struct validator *s); /* takes an all-zero one too */

#endif
