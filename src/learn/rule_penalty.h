/* rule_penalty.h -- rules beside the labels: which queries each rule speaks of, and its
 * penalty on a query's scores.
 *
 *   sum over rules h of weight_h Phi_h,   Phi_h = mean of phi_h over the queries that the
 *                                         rule speaks of, labelled or not
 *
 * Made once and shared by all threads.  Rules look at raw features.                    */
#ifndef RULE_PENALTY_H
#define RULE_PENALTY_H

#include "../rules/rules.h"
#include "train_set.h"

/* Rules, and the queries that each speaks of. */
struct rule_scope {
    const struct train_set *train_set;
    const struct peck_rules *rules;
    struct bound *bound; /* to x */
    float *x; /* [n_docs][dim]: features that rules mention, in the training set's
                          * order: a query's lie together */
    size_t dim;
    size_t n_rules;
    size_t *n_spoken;      /* of each rule: queries it speaks of */
    size_t *n_swayed;      /* ... and in which orders differ for it */
    unsigned char *speaks; /* [n_queries][n_rules] */
    struct arena arena;    /* of the arrays */
};

/* The training set is of d. */
MUST_CHECK peck_status rule_scope_new(struct rule_scope **out, const struct peck_rules *r,
                                      const struct peck_dataset *d,
                                      const struct train_set *train_set, peck_error *err);
void rule_scope_free(struct rule_scope *g); /* takes NULL */
/* The order of a query by score that keeps the rules (rules_enforce); weight[n_rules].  score[n_docs]
 * is in the order of the dataset; order[]: its documents, counted within the query. */
MUST_CHECK peck_status rule_scope_order(const struct rule_scope *g, size_t query,
                                        const double *weight, const double *score,
                                        uint32_t *order, peck_error *err);

/* How rules are followed, beside the weight of each. */
struct rule_pace {
    double alpha;  /* times each rule's own; 0: 1 */
    size_t steps;  /* an epoch, at most, for the sake of rules; 0: as usual */
    size_t epochs; /* at least, unless somebody said how many; 0: as usual */
    bool
        sees_all; /* each epoch goes over all queries, whatever the steps; else over as many as
                    * the usual batch has room for */
};

/* The rules of one training: how much each counts. */
struct rule_penalty {
    const struct rule_scope *rule_scope; /* NULL: there are no rules */
    const double *weight;                /* n_rules; 0: left out */
    double alpha;                        /* as in rule_pace */
};

/* Whether a rule that counts speaks of this query. */
bool rule_penalty_speaks_of(const struct rule_penalty *h, size_t query);

/* One thread's scratch memory. */
struct rule_penalty_scratch {
    double *weight;
    void *penalty;
};
struct rule_penalty_scratch rule_penalty_scratch_new(struct arena *a,
                                                     const struct rule_penalty *h);

/* scale times the query's part of the sum above, its derivative added to ds.  Scores are
 * in the order of the training set. */
double rule_penalty_add(const struct rule_penalty *h, size_t query, double scale,
                        const float *s, float *ds, struct rule_penalty_scratch *scratch);
/* The same, and bounds of the second derivatives added to h (penalty_add_newton). */
double rule_penalty_newton(const struct rule_penalty *h, size_t query, double scale,
                           const float *s, float *ds, float *dds,
                           struct rule_penalty_scratch *scratch);
/* The same where the query's documents, n of them, have leads over each other and no scores
 * (penalty_add_leads): lead[n][n], and dlead[n][n] added to. */
double rule_penalty_leads(const struct rule_penalty *h, size_t query, double scale,
                          const float *lead, float *dlead,
                          struct rule_penalty_scratch *scratch);

#endif
