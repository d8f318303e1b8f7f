/* train -- SPECIFICATION + DATA -> MODEL: one training
 *   in      method, settings, data, rules
 *   out     a model with its notes
 *   knows   base learn flow
 *   never   how a weight is changed; several trainings that are compared: select
 *   grow    a file a step: what trials choose, how rules are weighed, what is noted
 *
 * Programs come in by peck_train; select by train_knowing.                            */
#ifndef TRAIN_H
#define TRAIN_H

#include "../learn/learn.h"

enum { LONGEST_NOTE = 1 << 24 }; /* bytes */

struct training_run {
    peck_train_spec own;         /* the caller's, its data matched to train's columns */
    const peck_train_spec *spec; /* own */
    bool is_data_known;          /* its overlaps have been told of */
    size_t n_members;            /* of the ensemble, at least 1 */
    struct plan plan;
    struct pool *pool;
    struct metric_list metric;
    struct convention convention;
    /* What is learnt from, and what chooses the epoch: the caller's, or parts of it. */
    const struct peck_dataset *train, *valid;
    const struct peck_prefs *prefs, *valid_prefs;
    struct peck_dataset *fit_valid, *fit_unlabelled; /* views of the caller's; NULL: none */
    struct holdout parts;          /* those that are ours; all zero: none */
    struct peck_prefs *held_prefs; /* consistent=1: prefs, as they hold together */
    struct peck_dataset *joined;   /* train and the unlabelled queries; NULL: none */
    /* ... with labels for these by orders of an earlier trial; NULL: none. */
    struct peck_dataset *taught;
    struct peck_dataset
        *binary;          /* valid with the labels that training sees; NULL: as it is */
    peck_overlap overlap; /* of valid and train; nobody asks: zero */
    /* What tells the caller's data from others. */
    struct {
        uint64_t train, pairs, valid, valid_pairs, unlabelled;
    } fingerprint;
    struct train_data train_data;
    double *rule_weight; /* one a rule; NULL: no rules */
    struct rule_pace rule_pace;
    bool leaves_rules;       /* the training data is without rules and unlabelled queries */
    bool is_ruled;           /* the plan has what its learner sets for rules */
    const struct size *size; /* that was chosen; NULL: what the settings say */
    struct run *run;
    peck_status outcome;     /* of a run that choosing the size has made */
    struct text identity;    /* which training this is: for checkpoints */
    struct text sizes;       /* what the trial of each size found; empty: there was none */
    struct text rule_trials; /* what trials of rules found; empty: nobody asked */
    char rules_taken[64];    /* of these, the name of the one that the model comes from */
    struct text convention_note, data_note, validation_note; /* as the model tells them */
    struct notes notes;                                      /* of the model */
};

/* method + settings + size (NULL: what the settings say) -> plan */
MUST_CHECK peck_status training_plan(struct training_run *t, const struct size *size,
                                     peck_error *err);
/* plan + train + unlabelled -> norm, training data */
MUST_CHECK peck_status training_data(struct training_run *t, peck_error *err);

/* Documents that teach: below it the validation data is too small to choose a size well, and
 * the smallest is right. */
enum { FEWEST_DOCS = 20000 };

/* train_trials.c: the plan of the size that is best on the validation data, where the method
 * has several and nobody has chosen.  Where it was trained to find that out, its training data
 * and its run are there too. */
MUST_CHECK peck_status training_choose_size(struct training_run *t, peck_error *err);

/* As peck_train, by those who have looked for overlaps themselves. */
MUST_CHECK peck_status train_knowing(peck_model **out, const peck_train_spec *spec,
                                     peck_error *err);

/* Whether the numbers of a specification make sense; PECK_ARG if not. */
MUST_CHECK peck_status training_check_spec(const peck_train_spec *spec, peck_error *err);
/* The share of queries to hold out where no validation data is given; 0: none. */
double share_to_hold(double valid_split, size_t n_queries);

/* Tells a person something worth knowing. */
void training_warn(const struct training_run *t, const char *fmt, ...) PRINTF(2, 3);

/* train_trials.c: rules beside the labels, for those who have some. */
MUST_CHECK peck_status training_check_rules(const struct training_run *t, peck_error *err);
/* After the training data is made: rule_weight, by trials where they are to be found. */
MUST_CHECK peck_status training_weigh_rules(struct training_run *t, peck_error *err);
/* train_rules.c: names the rules that labels deny; finds_weights: rule_weight and rule_pace by
 * trials.  Then plan and data are those of what was chosen, and its run may be there too. */
MUST_CHECK peck_status training_find_rules(struct training_run *t, bool finds_weights,
                                           peck_error *err);
/* The labels that an order (documents, the first one first) stands for: highest for the first
 * document, falling to 0 behind the tenth. */
void labels_of_order(const uint32_t *order, size_t n, float highest, float *label);
void training_print_rules(const struct training_run *t, struct text *to);

/* train_notes.c: what a model says of where it came from. */
MUST_CHECK peck_status training_identify(struct training_run *t, peck_error *err);
/* After training: t->notes. */
MUST_CHECK peck_status training_note(struct training_run *t, peck_error *err);

#endif
