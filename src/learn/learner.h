/* learner.h -- inside the learn room: how weights are found.
 *
 * A learner goes from epoch to epoch; whether an epoch was good, which one is kept and
 * when to stop is fit.c's business.                                                 */
#ifndef LEARNER_H
#define LEARNER_H

#include "learn.h"

/* What a learner is given.  All of it outlives the learner. */
struct task {
    const struct plan *plan;
    const struct train_data *train_data;
    uint64_t seed;             /* of this member */
    struct pool *pool;         /* to be used by this member alone */
    float *w;                  /* plan->n_weights: read and changed */
    bool is_kept;              /* in a checkpoint, after every epoch */
    const double *rule_weight; /* of the training data's rules; NULL: there are none */
    struct rule_pace rule_pace;
    /* Asked between batches; true: leave the epoch. */
    bool (*is_stopped)(void *ctx);
    void *ctx;
};

/* How far to go; patience 0: to the end. */
struct stopping {
    size_t n_epochs, patience;
    bool is_last_best; /* every epoch makes the model better: nobody need choose */
};

/* What one epoch says of itself. */
struct epoch_stats {
    double loss, rate;
    bool is_last;   /* nothing would change any more */
    bool has_valid; /* the learner has validated w by itself: the value is valid */
    double valid;
    /* Of a learner that chooses its pairs, whose epochs are iterations: */
    double train;                       /* the validation metric on the training data */
    uint64_t n_train, n_valid, n_inner; /* pairs chosen so far, epochs within */
};

/* An array that a checkpoint must hold so that the learner can go on from there. */
struct kept {
    const char *name;
    enum tensor_type type;
    void *data;
    size_t n;
};
enum { MAX_KEPT = 8 };

/* Random streams of a member's seed: nobody draws from another's. */
enum { STREAM_INIT = 101, STREAM_ORDER, STREAM_DROPOUT, STREAM_PAIRS, STREAM_TREES };

struct learner {
    struct plug plug;   /* params: its settings, in the plan */
    size_t config_size; /* ... and their size */
    bool takes_rules;   /* it goes down a gradient, so rules can add to it */
    bool chooses_pairs; /* by itself: never sampled; it fills all of epoch_stats */
    bool is_pairwise;   /* without an objective: it learns from pairs, so from preferences
                         * too */
    bool samples_pairs; /* ... and goes over all of them: those of long lists are drawn */
    bool
        reads_by_query; /* it goes over the features once, by train_data_query: x is NULL */
    bool takes_ranks;   /* ranks can share its work: it asks train_data->comm */
    bool takes_limit;   /* it asks for rows again and again, by train_data_query and
                         * train_data_docs: where memory is short, x and valid_x are NULL */
    bool is_scale_free; /* it does not mind how far features reach */
    double slow_from;   /* documents times features from which on it takes long; 0: none */
    size_t n_idle;      /* epochs at the start that look and do not learn yet */
    size_t self_size;
    /* Rows that its min_leaf counts: documents, or pairs.  NULL: it has no min_leaf. */
    double (*leaf_rows)(const struct train_data *c);
    /* Makes batch, rate and, unless somebody gave one, decay, which are those of a small
     * set, suit what there is to learn from.  NULL: it takes no batches that grow. */
    void (*suit)(void *config, const struct objective *o, const struct train_set *l,
                 bool has_own_decay);
    struct trial_rule trial; /* how its methods' sizes are tried */
    /* What it sets over preset=tuned where trials find how much rules count, ended by a NULL
     * key; NULL: nothing. */
    const struct preset_value *ruled;
    /* The same, over that, of the trial in which orders of a model are labels of all queries; a
     * setting that the method has not is passed over. */
    const struct preset_value *taught;
    /* Settings of a trial: see plan_shorten.  NULL: its methods have no sizes to try. */
    void (*shorten)(void *config, void *shape, double share);
    /* As many epochs as rules ask for, at least; NULL: rules do not lengthen it. */
    void (*lengthen)(void *config, size_t epochs);
    /* Takes all the memory that epochs need and sets the first weights. */
    peck_status (*open)(void *self, const struct task *task, struct stopping *stopping,
                        peck_error *err);
    /* Epochs count from 1.  PECK_STOPPED when it left early. */
    peck_status (*epoch)(void *self, size_t epoch, struct epoch_stats *stats,
                         peck_error *err);
    /* Scores of the validation documents under w, in the data's order, where they come
     * about while it learns; after open the place stays the same.  For families that
     * score.  NULL, or it gives NULL: the family is asked. */
    const double *(*valid_scores)(void *self);
    /* Fills kept[MAX_KEPT] and returns how many; NULL: w is all. */
    size_t (*keep)(void *self, struct kept *kept);
    /* What keep() lists, and w, were put back from a file, all of it finite numbers and w
     * such as the family takes: whether so many epochs can have left it.  PECK_FORMAT says
     * what is wrong.  NULL: whatever is finite will do. */
    peck_status (*check)(void *self, size_t epochs, peck_error *err);
    void (*close)(void *self); /* takes a self whose open failed; NULL: nothing to do */
};

/* A min_leaf that nobody gave, where trees have so many rows. */
size_t leaf_at_most(size_t min_leaf, double n_rows);

#endif
