/* sgd.h -- inside the learn room: descent over mini-batches of queries, for the learners
 * that are built on it.                                                             */
#ifndef SGD_H
#define SGD_H

#include "gradient.h"
#include "optim.h"

enum schedule { SCHEDULE_CONSTANT, SCHEDULE_HALVING, SCHEDULE_STAIRCASE, SCHEDULE_COSINE };
enum balance { BALANCE_QUERIES, BALANCE_PAIRS };

struct sgd_config {
    int64_t epochs, batch, rules_batch, patience, stair;
    double rate, factor, warmup;
    int schedule, balance; /* the enums above */
    struct optim_rule optim;
};

/* Rows of a learner's settings, for a configuration that has `field`, a sgd_config. */
#define SGD_PARAMS(type, field)                                                           \
    {                                                                                     \
        "epochs",      PARAM_INT,     "100",                                              \
        "[1,1000000]", "most epochs", offsetof(type, field.epochs)                        \
    },                                                                                    \
        { "patience",                                                                     \
          PARAM_INT,                                                                      \
          "20",                                                                           \
          "[0,1000000]",                                                                  \
          "stop when the validation metric has not risen for so many epochs; 0: never",   \
          offsetof(type, field.patience) },                                               \
        { "batch",                                                                        \
          PARAM_INT,                                                                      \
          "8",                                                                            \
          "[1,1000000]",                                                                  \
          "queries a step; auto: a few, and more where very many teach, at a rate and "   \
          "decay to suit, unless you give a batch or a rate",                             \
          offsetof(type, field.batch) },                                                  \
        { "rules_batch",                                                                  \
          PARAM_INT,                                                                      \
          "0",                                                                            \
          "[0,1000000]",                                                                  \
          "queries without labels a step, where rules speak of them; 0: as many as go "   \
          "into the steps that the labels take",                                          \
          offsetof(type, field.rules_batch) },                                            \
        { "rate",     PARAM_FLOAT,     "0.003",                                           \
          "(0,1000]", "learning rate", offsetof(type, field.rate) },                      \
        { "schedule",                                                                     \
          PARAM_CHOICE,                                                                   \
          "constant",                                                                     \
          "constant|halving|staircase|cosine",                                            \
          "the rate stays; is halved when an epoch's mean loss rises; is multiplied by "  \
          "`factor` every `stair` epochs; falls to 0 along a cosine",                     \
          offsetof(type, field.schedule) },                                               \
        { "factor", PARAM_FLOAT,        "0.5",                                            \
          "(0,1]",  "of the staircase", offsetof(type, field.factor) },                   \
        { "stair",       PARAM_INT,           "10",                                       \
          "[1,1000000]", "epochs on a stair", offsetof(type, field.stair) },              \
        { "warmup",                                                                       \
          PARAM_FLOAT,                                                                    \
          "0",                                                                            \
          "[0,1000000]",                                                                  \
          "epochs in which the rate rises from 0",                                        \
          offsetof(type, field.warmup) },                                                 \
        { "optimiser",         PARAM_CHOICE,          "adam",                             \
          "sgd|momentum|adam", "how a step is taken", offsetof(type, field.optim.kind) }, \
        { "momentum",                                                                     \
          PARAM_FLOAT,                                                                    \
          "0.9",                                                                          \
          "[0,1)",                                                                        \
          "of optimiser=momentum",                                                        \
          offsetof(type, field.optim.momentum) },                                         \
        { "beta1",                                                                        \
          PARAM_FLOAT,                                                                    \
          "0.9",                                                                          \
          "[0,1)",                                                                        \
          "Adam's memory of the gradient",                                                \
          offsetof(type, field.optim.beta1) },                                            \
        { "beta2",                                                                        \
          PARAM_FLOAT,                                                                    \
          "0.999",                                                                        \
          "[0,1)",                                                                        \
          "Adam's memory of its square",                                                  \
          offsetof(type, field.optim.beta2) },                                            \
        { "decay",                                                                        \
          PARAM_FLOAT,                                                                    \
          "0",                                                                            \
          "[0,1000]",                                                                     \
          "weight decay apart from the gradient (biases are spared)",                     \
          offsetof(type, field.optim.decay) },                                            \
        { "l2",                                                                           \
          PARAM_FLOAT,                                                                    \
          "0",                                                                            \
          "[0,1000]",                                                                     \
          "adds l2/2 |w|^2 to the loss (biases are "                                      \
          "spared)",                                                                      \
          offsetof(type, field.optim.l2) },                                               \
        { "clip",                                                                         \
          PARAM_FLOAT,                                                                    \
          "0",                                                                            \
          "[0,1e9]",                                                                      \
          "largest length of a gradient; 0: any",                                         \
          offsetof(type, field.optim.clip) },                                             \
    {                                                                                     \
        "balance", PARAM_CHOICE, "queries", "queries|pairs",                              \
            "every query counts the same, or as many times as it has pairs",              \
            offsetof(type, field.balance)                                                 \
    }

struct sgd {
    const struct sgd_config *config;
    const struct task *task;
    struct gradient *gradient;
    struct optim optim;
    uint32_t *query, *order; /* n: those that teach; as they come this epoch */
    float *share;            /* of each query of the training set */
    size_t n;
    /* Rules speak of n_extra more, which teach nothing else: each step takes some of them
     * beside a batch of those that teach, which come round again when they are fewer. */
    uint32_t *extra, *extra_order;
    size_t n_extra, n_batches, n_steps; /* batches of those that teach, steps an epoch */
    uint32_t *step;                     /* the queries of a step */
    double *scale;                      /* of each query's penalty; NULL: no rules */
    double all_shares;                  /* of the n */
    float *dw;
    /* What halving remembers: the rate's share so far and the last epoch's loss. */
    double memory[2];
};

/* A learner's suit, where config begins with a struct sgd_config: batch, rate and decay of a
 * set that is not small (learner_sgd.c).  The tuned ones stay where there is little to
 * learn. */
void sgd_suit(void *config, const struct objective *o, const struct train_set *l,
              bool has_own_decay);

/* Descends on `objective` over the training data.  target: instead of labels; NULL:
 * labels. */
MUST_CHECK peck_status sgd_open(struct sgd *s, const struct task *task,
                                const struct sgd_config *config,
                                const struct objective *objective,
                                const void *objective_config, const float *target,
                                struct stopping *stopping, peck_error *err);
/* As it was when opened, over what the training set holds by now and the task's seed.
 * anew: from the first weights of that seed; else from those that are there. */
void sgd_restart(struct sgd *s, bool anew);
MUST_CHECK peck_status sgd_epoch(struct sgd *s, size_t epoch, struct epoch_stats *stats,
                                 peck_error *err);
size_t sgd_keep(struct sgd *s, struct kept *kept);
/* As a learner's check. */
MUST_CHECK peck_status sgd_check(const struct sgd *s, size_t epochs, peck_error *err);
/* A learner's shorten, likewise.  Every schedule is over epochs, so a short training is a
 * whole one. */
void sgd_shorten(void *config, void *shape, double share);
void sgd_close(struct sgd *s); /* takes an all-zero one too */

#endif
