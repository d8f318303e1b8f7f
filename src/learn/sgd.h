/* sgd.h -- inside the learn room: descent over mini-batches of queries, for the learners
 * that are built on it.                                                             */
#ifndef SGD_H
#define SGD_H

#include "gradient.h"
#include "train_error.h"

/* The optimiser: from a gradient to the next weights, loops over flat arrays.
 *
 *   g += l2 w;   g *= min(1, clip / |g|);   then one of
 *   sgd        w -= rate g
 *   momentum   m = momentum m + g;                        w -= rate m
 *   adam       m = b1 m + (1 - b1) g,  v = b2 v + (1 - b2) g^2;
 *              w -= rate (m / (1 - b1^t)) / (sqrt(v / (1 - b2^t)) + 1e-8)
 *   and, apart from the gradient,  w -= rate decay w
 *
 * l2 and decay touch only the weights that the family marks as held down.
 * Kingma and Ba 2015 (Adam); Loshchilov and Hutter 2019 (decoupled decay).          */
enum optim_kind { OPTIM_SGD, OPTIM_MOMENTUM, OPTIM_ADAM };

struct optim_rule {
    int kind; /* enum optim_kind */
    double momentum, beta1, beta2;
    double decay, l2;
    double clip; /* largest length of the gradient; 0: any */
};

struct optim {
    struct optim_rule rule;
    size_t n;
    float *m, *v;        /* n each; NULL where the kind has none */
    unsigned char *held; /* n; 1: decay and l2 apply */
    uint64_t t;          /* steps taken */
    struct pool *pool;   /* that shares the weights of a step; NULL: nobody does */
    struct arena arena;  /* of the arrays */
};

/* All weights are held down: whoever knows better changes o->held.  Needs optim_close, even
 * where it fails. */
MUST_CHECK peck_status optim_open(struct optim *o, const struct optim_rule *rule, size_t n,
                                  peck_error *err);
void optim_reset(struct optim *o); /* forgets all steps */
/* Changes w[n]; g[n] is used up. */
void optim_step(struct optim *o, double rate, float *g, float *w);
void optim_close(struct optim *o); /* takes an all-zero one too */

enum schedule { SCHEDULE_CONSTANT, SCHEDULE_HALVING, SCHEDULE_STAIRCASE, SCHEDULE_COSINE };
enum balance { BALANCE_QUERIES, BALANCE_PAIRS };

struct sgd_config {
    int64_t epochs, batch, rules_batch, patience, stair;
    double rate, factor, warmup;
    int schedule, balance; /* the enums above */
    struct optim_rule optim;
    int64_t settle; /* of learner_sgd alone; 0: see its settings */
};

/* Rows of a learner's settings, for a configuration that begins with a sgd_config. */
/* clang-format off */
#define SGD_PARAMS \
    { "epochs", PARAM_INT, "100", "[1,1000000]", "maximum number of epochs", \
      SGD_FIELD(epochs) }, \
    { "patience", PARAM_INT, "20", "[0,1000000]", \
      "stop when the validation metric has not risen for this many epochs; 0: never", \
      SGD_FIELD(patience) }, \
    { "batch", PARAM_INT, "8", "[1,1000000]", \
      "queries per step; auto: a few, and more on large data, with rate and " \
      "decay adjusted, unless batch or rate is given", SGD_FIELD(batch) }, \
    { "rules_batch", PARAM_INT, "0", "[0,1000000]", \
      "queries without labels a step, where rules speak of them; 0: 16. With a " \
      "--rules-weight of your own an epoch has as many steps as all of them take, or up " \
      "to 32 where this is 0; else trials say how many", \
      SGD_FIELD(rules_batch) }, \
    { "rate", PARAM_FLOAT, "0.003", "(0,1000]", "learning rate", SGD_FIELD(rate) }, \
    { "schedule", PARAM_CHOICE, "constant", "constant|halving|staircase|cosine", \
      "how the rate changes: not at all; halved when an epoch's mean loss rises; times " \
      "`factor` every `stair` epochs; down to 0 along a cosine", SGD_FIELD(schedule) }, \
    { "factor", PARAM_FLOAT, "0.5", "(0,1]", "factor of schedule=staircase", \
      SGD_FIELD(factor) }, \
    { "stair", PARAM_INT, "10", "[1,1000000]", "epochs between its steps", \
      SGD_FIELD(stair) }, \
    { "warmup", PARAM_FLOAT, "0", "[0,1000000]", "epochs in which the rate rises from 0", \
      SGD_FIELD(warmup) }, \
    { "optimiser", PARAM_CHOICE, "adam", "sgd|momentum|adam", "the optimiser", \
      SGD_FIELD(optim.kind) }, \
    { "momentum", PARAM_FLOAT, "0.9", "[0,1)", "of optimiser=momentum", \
      SGD_FIELD(optim.momentum) }, \
    { "beta1", PARAM_FLOAT, "0.9", "[0,1)", "Adam: how much of the mean gradient is kept", \
      SGD_FIELD(optim.beta1) }, \
    { "beta2", PARAM_FLOAT, "0.999", "[0,1)", "Adam: how much of its mean square is kept", \
      SGD_FIELD(optim.beta2) }, \
    { "decay", PARAM_FLOAT, "0", "[0,1000]", \
      "weight decay apart from the gradient (not of biases)", SGD_FIELD(optim.decay) }, \
    { "l2", PARAM_FLOAT, "0", "[0,1000]", \
      "adds l2/2 |w|^2 to the loss (not of biases)", SGD_FIELD(optim.l2) }, \
    { "clip", PARAM_FLOAT, "0", "[0,1e9]", "longer gradients are clipped; 0: never", \
      SGD_FIELD(optim.clip) }, \
    { "balance", PARAM_CHOICE, "queries", "queries|pairs", \
      "every query counts the same, or as many times as it has pairs", SGD_FIELD(balance) }
#define SGD_FIELD(name) offsetof(struct sgd_config, name)
/* clang-format on */

struct sgd {
    const struct sgd_config *config;
    const struct task *task;
    const struct train_set *train_set;
    size_t n_epochs; /* that the schedule spans */
    uint64_t seed;   /* of batches, drawn pairs and dropout */
    struct gradient *gradient;
    struct optim optim;
    uint32_t *query, *order; /* n: those that teach; as they come this epoch */
    float *share;            /* of each query of the training set */
    size_t n;
    double all_shares; /* of the n */
    /* Rules speak of n_extra more, which teach nothing else: each step takes some of them
     * beside a batch of those that teach, which come round again when they are fewer.  An
     * epoch sees n_seen of them. */
    struct rule_penalty rule_penalty;
    uint32_t *extra, *extra_order;
    size_t n_extra, n_seen;
    size_t n_batches, n_steps; /* batches of those that teach, steps an epoch */
    uint32_t *step;            /* the queries of a step */
    double *scale;             /* of each query's penalty; NULL: no rules */
    float *dw;
    /* What halving remembers: the rate's share so far and the last epoch's loss. */
    double memory[2];
    /* With settle: training pairs in the wrong order after the last epoch, and for how many
     * epochs on end there had been as many. */
    struct train_error train_error;
    uint64_t settled[2];
    struct arena arena; /* of the arrays */
};

/* Descends on the plan's objective over l, which is the task's training set or has the same
 * documents.  target: instead of labels; NULL: labels.  Needs sgd_close, even where it
 * fails. */
MUST_CHECK peck_status sgd_open(struct sgd *s, const struct task *task,
                                const struct sgd_config *config, const struct train_set *l,
                                const float *target, struct stopping *stopping,
                                peck_error *err);
/* As it was when opened, over what the training set holds by now, with another seed.
 * anew: from the first weights of that seed; else from those that are there. */
void sgd_restart(struct sgd *s, uint64_t seed, bool anew);

/* As those of a learner; self: a struct sgd. */
MUST_CHECK peck_status sgd_epoch(void *self, size_t epoch, struct epoch_stats *stats,
                                 peck_error *err);
size_t sgd_keep(void *self, struct kept *kept);
MUST_CHECK peck_status sgd_check(void *self, size_t epochs, peck_error *err);
void sgd_close(void *self); /* takes an all-zero one too */

/* A learner's suit and shorten, where config begins with a struct sgd_config.  suit: batch,
 * rate and decay of a set that is not small; the tuned ones stay where there is little to
 * learn.  shorten: every schedule is over epochs, so a short training is a whole one. */
void sgd_suit(void *config, const struct objective *o, const struct train_set *l,
              bool has_own_decay);
void sgd_shorten(void *config, void *shape, double share);
/* A learner's `taught`: */
extern const struct preset_value sgd_taught[];

#endif
