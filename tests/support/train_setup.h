/* train_setup.h -- a plan and training data, ready for a learner. */
#ifndef TRAIN_SETUP_H
#define TRAIN_SETUP_H

#include "learn/gradient.h"

struct train_setup {
    struct plan plan;
    struct train_data train_data;
    struct pool *pool;
    struct metric_list metric;
    struct convention convention;
    float *w; /* plan.n_weights */
    struct task task;
};

/* A method with these settings on data; valid may be NULL; metric NULL: ndcg@10. */
void train_setup_open(struct train_setup *c, const char *method,
                      const char *const *settings, const struct peck_dataset *train,
                      const struct peck_dataset *valid, const char *metric, int threads);
/* The same with preferences instead of labels; both may be NULL. */
void train_setup_open_prefs(struct train_setup *c, const char *method,
                            const char *const *settings, const struct peck_dataset *train,
                            const struct peck_prefs *prefs,
                            const struct peck_dataset *valid,
                            const struct peck_prefs *valid_prefs, int threads);
void train_setup_close(struct train_setup *c);

/* gradient_take, which does not fail: the loss. */
double take_gradient(struct gradient *g, const float *w, const uint32_t *query, size_t n,
                     const struct train_step *at, float *dw);

/* All pairs of d whose labels differ, in no order, some of them told the other way round
 * with probability 0. */
struct peck_prefs *prefs_of_labels(const struct peck_dataset *d, uint64_t seed);

#define FOR_EACH_METHOD(name)                                \
    for (size_t method_ = 0; method_ < n_recipes; method_++) \
        for (const char *name = recipes[method_]->about.name; name != NULL; name = NULL)

/* Trains with those of the settings ("key=value", ended by NULL) that the method has. */
MUST_CHECK peck_status train_method(peck_model **out, const char *method,
                                    peck_train_spec spec, const char *const *settings,
                                    peck_error *err);

#endif
