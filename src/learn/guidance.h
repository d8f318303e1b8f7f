/* guidance.h -- rules at work beside the labels: which queries each rule speaks of, and
 * its penalty on a query's scores.
 *
 *   sum over rules h of weight_h Phi_h,   Phi_h = mean of phi_h over the queries that the
 *                                         rule speaks of, labelled or not
 *
 * Made once and shared by all threads.  Rules look at raw features.                    */
#ifndef GUIDANCE_H
#define GUIDANCE_H

#include "../rules/rules.h"
#include "train_set.h"

struct guidance {
    const struct peck_dataset *data;
    const struct train_set *train_set;
    const struct peck_rules *rules;
    struct bound *bound;
    size_t n_rules;
    size_t *n_spoken;      /* of each rule: queries it speaks of */
    unsigned char *speaks; /* [n_queries][n_rules] */
};

/* The training set is of d. */
MUST_CHECK peck_status guidance_new(struct guidance **out, const struct peck_rules *r,
                                    const struct peck_dataset *d,
                                    const struct train_set *train_set, peck_error *err);
void guidance_free(struct guidance *g); /* takes NULL */

/* What one training makes of the rules: how much each counts. */
struct heed {
    const struct guidance *guidance; /* NULL: there are no rules */
    const double *weight;            /* n_rules; 0: left out */
};

/* Whether a rule that counts speaks of this query. */
bool heed_query(const struct heed *h, size_t query);

/* One thread's scratch memory. */
struct heed_room {
    double *weight;
    void *penalty;
};
MUST_CHECK peck_status heed_room_init(struct heed_room *r, const struct heed *h,
                                      peck_error *err);
void heed_room_free(struct heed_room *r); /* takes an all-zero one too */

/* scale times the query's part of the sum above, its derivative added to ds.  Scores are
 * in the order of the training set. */
double heed_push(const struct heed *h, size_t query, double scale, const float *s,
                 float *ds, struct heed_room *room);

#endif
