/* train_metric.h -- the training queries judged by a metric, for methods that learn
 * from the metric itself.
 *
 * Documents are judged in the data's order, so that ties are broken as a user's are.  */
#ifndef TRAIN_METRIC_H
#define TRAIN_METRIC_H

#include "learner.h"

/* The row of a setting that names the metric, for a table of settings. */
/* clang-format off */
#define TRAIN_METRIC_PARAM(type, field) \
    { "metric", PARAM_TEXT, "valid", "a metric, or valid", \
      "what is raised on the training data, such as map or ndcg@10; valid: the metric " \
      "that judges the validation data", offsetof(type, field) }
/* clang-format on */

struct train_metric {
    const struct train_data *train_data;
    struct metric_list own; /* what the setting names; n = 0: that of validation */
    const struct metric_list *metric;
    struct scored_docs scored_docs;
    float *label;  /* n_docs, in the data's order, as training sees them */
    double *score; /* n_docs, likewise */
    struct judge *judge;
    const double *value; /* n_queries, after a judgement; NaN: the query is left out */
    double sign;         /* -1 for an error */
    struct pool *pool;
    const float *given; /* while it judges: the scores */
    struct arena arena; /* of labels, scores and the judge */
};

/* metric: "valid", or a metric's name. */
MUST_CHECK peck_status train_metric_open(struct train_metric *r, const struct task *task,
                                         const char *metric, peck_error *err);
/* s[n_docs] in the order of the training set.  The more the better: an error comes
 * negative, and so do its values by query.  0 when no query can be judged. */
double train_metric_judge(struct train_metric *r, const float *s);
void train_metric_close(struct train_metric *r); /* takes an all-zero one too */

#endif
