/* learn -- DATASET -> MODEL
 *   in      labelled queries or preferences, rules, a method's settings, a seed
 *   out     weights
 *   knows   base data norm model decode rules metric
 *   never   files (but checkpoints), printing, argv
 *   grow    obj_<name>.c + objectives.def; learner_<name>.c + learners.def; a name for
 *           users is one line in recipes.def
 *
 *   recipe + settings -> plan;  plan + data -> train_data;  plan + train_data -> weights */
#ifndef LEARN_H
#define LEARN_H

#include "../data/dataset.h"
#include "../data/prefs.h"
#include "../metric/metric.h"
#include "../model/model.h"
#include "../norm/norm.h"
#include "rule_penalty.h"
#include "rule_truth.h"
#include "train_set.h"

/* plan: what to do ------------------------------------------------------------------
 * A method is a learner, a family and an objective under one name, with settings that
 * suit them.  A setting's key belongs to exactly one of the tables: the method's own
 * (preset, norm), the learner's, the family's, the objective's, the training set's.      */

struct learner;
struct train_data;

/* A setting that a recipe gives another default. */
struct preset_value {
    const char *key, *value;
};

struct recipe {
    struct plug plug; /* params NULL: see recipe_param */
    const struct learner *learner;
    const struct family *family;
    const struct objective *objective;        /* NULL: the learner has its own */
    const struct preset_value *tuned, *paper; /* ended by a NULL key */
};

extern const struct plug *const recipes[];
extern const size_t n_recipes;

/* The names of its learner, family and objective. */
peck_recipe recipe_parts(const struct recipe *r);

/* A larger model than preset=tuned has, for data that carries it (sizes.def). */
struct size {
    const char *method, *name;
    size_t from, below;             /* documents of training data for which it is tried */
    const struct preset_value *set; /* over those of preset=tuned */
};
/* Larger size i of a method; NULL past the end: it has none. */
const struct size *recipe_size(const struct recipe *r, size_t i);
/* How a method's sizes are tried, as its learner says. */
struct trial_rule {
    bool has_outgrown_small; /* only the larger ones are tried */
    size_t most_docs;        /* that a trial trains on, and half of all; 0: all of them */
};
struct trial_rule recipe_trial(const struct recipe *r);

/* Whether it learns from pairs, so from preferences too; else from labels. */
bool recipe_has_pairs(const struct recipe *r);
/* PECK_ARG where it learns from labels alone. */
MUST_CHECK peck_status recipe_check_pairs(const struct recipe *r, peck_error *err);
/* Whether rules can be added: it learns by gradients of scores or of preferences. */
bool recipe_takes_rules(const struct recipe *r);
/* PECK_ARG where several ranks cannot share a training. */
MUST_CHECK peck_status recipe_check_ranks(const struct recipe *r, peck_error *err);
/* PECK_ARG where they cannot. */
MUST_CHECK peck_status recipe_check_rules(const struct recipe *r, peck_error *err);

/* PECK_ARG where what it learns compares documents, and cannot score one by itself. */
MUST_CHECK peck_status recipe_check_alone(const struct recipe *r, peck_error *err);

/* Setting i of a method, over all its tables, and the default under preset=tuned; NULL
 * past the end. */
const struct param *recipe_param(const struct recipe *r, size_t i, const char **value);

/* The paper that it comes from (groups.def); NULL: none of them. */
const char *recipe_group(const char *method);

enum { N_TABLES = 5 };

struct plan {
    const struct recipe *recipe;
    const struct param *table[N_TABLES]; /* NULL: no settings */
    void *config[N_TABLES];
    const char *norm;  /* "quantile" */
    bool is_size_open; /* nobody has said which size: the data may choose */
    const void *learner, *objective;
    void *shape; /* complete after plan_shape */
    const struct train_set_config *set_config;
    size_t n_weights;  /* ... as are these */
    size_t n_kept;     /* floats that a duel keeps for the way back; 0: it scores */
    size_t n_scratch;  /* floats that a document takes on the way, there and back */
    bool has_own_leaf; /* somebody gave a min_leaf */
    bool has_own_step; /* somebody gave a batch or a rate, or wants the paper's */
    bool has_own_decay;
    bool has_own_epochs;
    struct own_loss *own_loss; /* a caller's loss of pairs; NULL: the method's */
    struct recipe *own_recipe; /* the recipe with it */
};

/* settings: "key=value" strings, ended by NULL; may be NULL.  size: of the method; NULL:
 * the one that the settings name, else small. */
MUST_CHECK peck_status plan_open(struct plan *p, const char *method,
                                 const char *const *settings, const struct size *size,
                                 peck_error *err);
/* A caller's loss of pairs in place of the method's; PECK_ARG where it has none. */
MUST_CHECK peck_status plan_own_loss(struct plan *p, const peck_pair_loss *given,
                                     peck_error *err);
/* The name of that loss; NULL: it is the method's. */
const char *plan_loss(const struct plan *p);
/* One more setting, over all that came before. */
MUST_CHECK peck_status plan_set(struct plan *p, const char *key, const char *value,
                                peck_error *err);
/* Whether its learner has settings for rules whose weight trials find, and they are not the
 * paper's; and sets them, over all but the user's own. */
bool plan_has_ruled(const struct plan *p);
MUST_CHECK peck_status plan_set_ruled(struct plan *p, const char *const *settings,
                                      peck_error *err);
/* Sets what its learner has for labels by orders of a model, over all but the user's own, unless
 * somebody has chosen a size or wants the paper's. */
MUST_CHECK peck_status plan_set_taught(struct plan *p, const char *const *settings,
                                       peck_error *err);
/* Gives the net its shape: dim features come in. */
MUST_CHECK peck_status plan_shape(struct plan *p, size_t dim, peck_error *err);
/* Where there is little data, lowers a min_leaf that nobody gave; where there is much,
 * raises batch and rate, if nobody gave either; says how many units hidden=70-classes has.
 * The data alone decides. */
MUST_CHECK peck_status plan_suit(struct plan *p, const struct train_data *c,
                                 peck_error *err);
/* The value of a setting as text; false: there is none of this name. */
bool plan_get(const struct plan *p, const char *key, char *value, size_t size);
/* A trial: about this share of the work, with a rate that goes about as far.  For methods
 * with sizes. */
void plan_shorten(struct plan *p, double share);
/* The settings of a training that rules made so many epochs long, if they did: what it says of
 * itself afterwards. */
void plan_lengthen(struct plan *p, size_t epochs);
/* "preset=tuned norm=zscore epochs=100 ...": every setting but the size. */
void plan_print(const struct plan *p, struct text *to);
void plan_close(struct plan *p); /* takes an all-zero one too */

/* train_data: what is learnt from -----------------------------------------------------
 * Features are normalised once.  Everything in it is shared by the members of an
 * ensemble and never changes.                                                        */

/* What tells which epoch is best. */
struct validation {
    const struct peck_dataset *data;  /* NULL: there is none */
    const struct peck_prefs *prefs;   /* over data's documents; NULL: its labels count */
    const struct metric_list *metric; /* one */
    const struct convention *convention;
    uint64_t seed; /* of random ties */
};

/* How much memory what is made of features may take; what is more goes to a file of its own,
 * which has no name and ends with the training, or is made anew when it is needed. */
struct memory_limit {
    size_t bytes;       /* 0: any number */
    const char *folder; /* where such files may lie; NULL: nowhere */
};

struct train_data {
    const struct peck_dataset *data; /* what the training set is made of */
    const struct peck_prefs *prefs;  /* ... with these; NULL: its labels */
    struct train_set *train_set;
    struct norm *norm; /* fitted to data; NULL: somebody has taken it */
    /* [own_rows][dim], in the order of the training set; NULL: the learner reads by query, or
     * the limit is below what this and valid_x would take. */
    float *x;
    size_t dim;
    struct memory_limit limit;
    bool is_made; /* memory is short: rows are made a query at a time, by whoever looks */
    const peck_comm
        *comm; /* ranks that share the training, those of data; NULL: one rank */
    /* Of several ranks, each has features of its own queries alone (dataset_own_first to
     * dataset_own_end): x and valid_x have those rows. */
    size_t own_row, own_rows; /* of the training set: the first, and how many */
    struct validation validation;
    /* [rows of own queries of validation.data][dim]; NULL: there is none, or see x, or memory is
     * limited and the learner has scores of its own. */
    float *valid_x;
    size_t valid_row, valid_rows;
    double scale; /* the largest root mean square of a column of x; 0: not measured */
    double
        n_kept_pairs; /* that the learner may remember one by one; 0: it remembers none */
    bool is_slow;     /* the learner takes long for so many documents and features */
    struct rule_scope *rule_scope; /* rules beside the training set; NULL: none */
};

/* Fits the plan's normaliser. */
MUST_CHECK peck_status train_data_open(struct train_data *c, const struct plan *plan,
                                       const struct peck_dataset *train,
                                       const struct peck_prefs *prefs,
                                       const struct validation *validation,
                                       const struct memory_limit *limit, struct pool *pool,
                                       peck_error *err);
/* Rules from now on. */
MUST_CHECK peck_status train_data_add_rules(struct train_data *c,
                                            const struct peck_rules *r, peck_error *err);
/* Whether these weights, finite or not, give two documents of a query different scores, or
 * prefer one to the other. */
MUST_CHECK peck_status train_data_tells_apart(bool *out, const struct train_data *c,
                                              const struct plan *plan, const float *w,
                                              peck_error *err);
/* Whether two documents of a query differ in a feature, as the normaliser has it. */
MUST_CHECK peck_status train_data_has_choice(bool *out, const struct train_data *c,
                                             peck_error *err);
/* The documents of query q, one of this rank's own, in the order of the training set: those
 * of x, or made in room, which has train_data_room floats.  From any thread. */
struct rows train_data_query(const struct train_data *c, size_t q, float *room);
size_t train_data_room(const struct train_data *c);
/* This rank's documents of the training set, in its order, and of the validation data. */
struct eval_docs train_data_docs(const struct train_data *c);
struct eval_docs train_data_valid_docs(const struct train_data *c);
void train_data_close(struct train_data *c); /* takes an all-zero one too */

/* run: members from seeds -------------------------------------------------------------
 * Each member goes its epochs; the weights of its best epoch by validation are kept, or
 * of its last one where there is no validation data.                                     */

struct epoch_record {
    double loss, rate, valid; /* valid NaN: no validation data */
    /* Of a learner that chooses its pairs: the metric on training data (NaN: none), and the
     * pairs of training and validation data that are chosen by then. */
    double train, n_train_pairs, n_valid_pairs;
};
enum { EPOCH_NUMBERS = sizeof(struct epoch_record) / sizeof(double) };

struct member {
    const float *w; /* plan->n_weights */
    const struct epoch_record *history;
    size_t n_epochs, best; /* epochs behind it; the best one, from 1 (0: none is done) */
    bool chooses_pairs;    /* its learner does */
    bool has_learnt; /* else its weights are those it began with, or half an epoch on */
};

struct run_spec {
    const struct plan *plan;
    const struct train_data *train_data;
    size_t n_members;
    uint64_t seed;
    /* How much each rule counts, one array a member; NULL: there are no rules. */
    const double *const *rule_weight;
    struct rule_pace rule_pace;
    bool is_trial; /* all members have the same seed: what differs is the rules */
    struct pool *pool;
    const char *checkpoint; /* NULL: none */
    const char *identity;   /* what a checkpoint must be of */
    bool resume;
    int (*progress)(void *ctx, const peck_epoch *e);
    int (*interrupted)(void *ctx);
    void (*warn)(void *ctx, const char *text);
    void *ctx;
};

struct run;
/* PECK_STOPPED: *out is there all the same, with what was reached.  So it is with PECK_IO
 * when all went well but for the checkpoint, which could not be written. */
MUST_CHECK peck_status run_members(struct run **out, const struct run_spec *spec,
                                   peck_error *err);
struct member run_member(const struct run *r, size_t i);
/* The metric on the validation data, the more the better: in all (*total) and of each query
 * (NaN: it is left out), under a member's best weights or its last ones. */
MUST_CHECK peck_status run_query_values(struct run *r, size_t i, bool is_last,
                                        double *total, double *value, peck_error *err);
/* Whether a member tells two documents of a query apart: see train_data_tells_apart. */
MUST_CHECK peck_status run_tells_apart(bool *out, const struct run *r, peck_error *err);
/* Tells of all epochs of the first member, as if they came now; progress NULL: nothing. */
void run_tell(const struct run *r, int (*progress)(void *ctx, const peck_epoch *e),
              void *ctx);
void run_free(struct run *r); /* takes NULL */

#endif
