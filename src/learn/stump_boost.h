/* stump_boost.h -- boosting of steps on pairs: what RankBoost and FRank share.
 *
 * Both hold a weight for every pair and take, round after round, the step [x_f > theta]
 * that sets the heaviest pairs right.  With potential_i = (weights of the pairs in
 * which i is the better one) - (... the worse one), that is the step with the largest
 *
 *   | sum_i potential_i [x_if > theta] |
 *
 * so pairs need not be looked at.  Every column is sorted once; a round is one pass over
 * each.                                                                              */
#ifndef STUMP_BOOST_H
#define STUMP_BOOST_H

#include "../base/alloc.h"
#include "learner.h"

struct stump_boost_config {
    int64_t patience, candidates;
    double shrinkage;
};

/* The rows of stump_boost_config `field` inside `type`, for a table of settings. */
/* clang-format off */
#define STUMP_BOOST_PARAMS(type, field) \
    { "patience", PARAM_INT, "0", "[0,inf)", \
      "rounds without a better validation value before it stops; 0: all rounds are done", \
      offsetof(type, field.patience) }, \
    { "candidates", PARAM_INT, "0", "[0,65536]", \
      "thresholds of a feature, at equal distances from its min to its max; " \
      "0: between any two neighbouring values", offsetof(type, field.candidates) }, \
    { "shrinkage", PARAM_FLOAT, "1", "(0,1]", "what a step keeps of its height", \
      offsetof(type, field.shrinkage) }
/* clang-format on */

struct stump_boost {
    const struct task *task;
    const struct stump_boost_config *config;
    size_t n_rounds; /* as the shape says */
    uint32_t *row;   /* n_rows: rows of the queries that teach */
    size_t n_rows;
    uint32_t *feature; /* n_features: those that have a threshold */
    size_t n_features;
    uint32_t *order;   /* [dim][n_rows]: rows by falling value; see stump_boost.c */
    struct find *find; /* n_features: what each column has to offer */
    double *height;    /* n_docs: H, the sum of the steps so far */
    float *potential;  /* n_docs */
    double *scratch;   /* [workers][4 (max_docs + 1)] */
    size_t n_built;    /* steps that height holds */
    size_t width;      /* columns that are looked through at once */
    struct arena arena;
};

MUST_CHECK peck_status stump_boost_open(struct stump_boost *b, const struct task *task,
                                        const struct stump_boost_config *config,
                                        struct stopping *stopping, peck_error *err);
/* Brings height up to the first n steps of the weights: before each round, and after a
 * checkpoint was put back. */
void stump_boost_build(struct stump_boost *b, size_t n);
/* Whether the weights, put back from a file, are steps of so many rounds.  PECK_FORMAT. */
MUST_CHECK peck_status stump_boost_check(const struct stump_boost *b, size_t rounds,
                                         peck_error *err);
/* The step that the potential asks for, with height 0; false: none does anything. */
bool stump_boost_find(struct stump_boost *b, float *step);
/* above[n_docs]: 1 for the documents of the training set above a step's threshold, else 0. */
void stump_boost_above(const struct stump_boost *b, const float *step, float *above);
/* The place of step n, from 1, in the weights. */
float *stump_boost_step(const struct stump_boost *b, size_t n);
void stump_boost_close(struct stump_boost *b); /* takes an all-zero one too */

#endif
