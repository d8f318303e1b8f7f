/* validator.h -- what a net's scores or comparisons are worth: which epoch is best.  A net
 * that compares sorts every query for that.                                           */
#ifndef VALIDATOR_H
#define VALIDATOR_H

#include "../decode/decode.h"
#include "learner.h"

/* What is validated, and where its documents lie. */
struct validator_spec {
    const struct validation *validation; /* NULL: that of the training data */
    struct eval_docs docs;               /* its documents, scaled */
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
    size_t first_row;     /* of the data: the first that this rank has */
    /* Of preferences, those of each list one after another, and how each came out. */
    size_t *pref_start; /* n_queries + 1 */
    size_t *pref;
    int64_t *outcome; /* enum outcome */
    double *score;    /* n_docs, of a family that scores */
    struct scored_docs scored_docs;
    struct judge *judge; /* NULL: preferences count */
    struct arena memory; /* of all this */
};

/* how NULL: all zero. */
MUST_CHECK peck_status validator_open(struct validator *s, const struct task *task,
                                      const struct validator_spec *how, peck_error *err);
/* The metric under w: the more the better (an error comes negative).  NaN: no
 * validation data, or nothing in it can be judged.  PECK_DIVERGED when a score is no
 * finite number.  A net that compares sorts all queries where their order is judged, or where
 * sorter.on_duel looks at its duels. */
MUST_CHECK peck_status validator_value(struct validator *s, const float *w, double *value,
                                       peck_error *err);
/* The same under w, and of each query (NaN: it is left out).  Scores that a learner keeps are
 * not looked at. */
MUST_CHECK peck_status validator_query_values(struct validator *s, const float *w,
                                              double *value, double *of_query,
                                              peck_error *err);
void validator_close(struct validator *s); /* takes an all-zero one too */

#endif
