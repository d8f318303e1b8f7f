/* boost.h -- boosting of steps on pairs: what RankBoost and FRank share.
 *
 * Both hold a weight for every pair and take, round after round, the step [x_f > theta]
 * that sets the heaviest pairs right.  With potential_i = (weights of the pairs in
 * which i is the better one) - (... the worse one), that is the step with the largest
 *
 *   | sum_i potential_i [x_if > theta] |
 *
 * so pairs need not be looked at.  Every column is sorted once; a round is one pass over
 * each.                                                                              */
#ifndef BOOST_H
#define BOOST_H

#include "learner.h"

struct boost_config {
    int64_t patience, candidates;
    double shrinkage;
};

/* The rows of boost_config `field` inside struct config, for a table of settings. */
/* clang-format off */
#define BOOST_PARAMS(type, field) \
    { "patience", PARAM_INT, "0", "[0,inf)", \
      "rounds without a better validation value before it stops; 0: all rounds are done", \
      offsetof(type, field.patience) }, \
    { "candidates", PARAM_INT, "0", "[0,65536]", \
      "thresholds of a feature, at equal distances from its least to its largest value; " \
      "0: between any two neighbouring values", offsetof(type, field.candidates) }, \
    { "shrinkage", PARAM_FLOAT, "1", "(0,1]", "what a step keeps of its height", \
      offsetof(type, field.shrinkage) }
/* clang-format on */

struct boost {
    const struct task *task;
    const struct boost_config *config;
    size_t n_rounds; /* as the shape says */
    uint32_t *row;   /* n_rows: rows of the queries that teach */
    size_t n_rows;
    uint32_t *feature; /* n_features: those that have a threshold */
    size_t n_features;
    uint32_t *order;   /* [dim][n_rows]: rows by falling value; see boost.c */
    struct find *find; /* n_features: what each column has to offer */
    double *height;    /* n_docs: H, the sum of the steps so far */
    float *potential;  /* n_docs */
    double *scratch;   /* 2 (max_docs + 1) */
    size_t n_built;    /* steps that height holds */
};

MUST_CHECK peck_status boost_open(struct boost *b, const struct task *task,
                                  const struct boost_config *config,
                                  struct stopping *stopping, peck_error *err);
/* Brings height up to the first n steps of the weights: before each round, and after a
 * checkpoint was put back. */
void boost_build(struct boost *b, size_t n);
/* Whether the weights, put back from a file, are steps of so many rounds.  PECK_FORMAT. */
MUST_CHECK peck_status boost_check(const struct boost *b, size_t rounds, peck_error *err);
/* The step that the potential asks for, with height 0; false: none does anything. */
bool boost_find(struct boost *b, float *step);
/* Whether the document in this row of the training set is above a step's threshold. */
bool boost_is_above(const struct boost *b, const float *step, size_t row);
/* The place of step n, from 1, in the weights. */
float *boost_step(const struct boost *b, size_t n);
void boost_close(struct boost *b); /* takes an all-zero one too */

#endif
