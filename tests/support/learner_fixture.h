/* learner_fixture.h -- a learner at work: a training setup, and epochs one at a time. */
#ifndef LEARNER_FIXTURE_H
#define LEARNER_FIXTURE_H

#include "support/train_setup.h"

struct learner_fixture {
    struct train_setup setup;
    void *self;
    struct stopping stopping;
    size_t n_epochs; /* behind it */
};

/* As train_setup_open, without validation data. */
void fixture_open(struct learner_fixture *p, const char *method,
                  const char *const *settings, const struct peck_dataset *train,
                  const char *metric, int threads);
/* The same with preferences instead of labels; they may be NULL. */
void fixture_open_prefs(struct learner_fixture *p, const char *method,
                        const char *const *settings, const struct peck_dataset *train,
                        const struct peck_prefs *prefs, int threads);
struct epoch_stats fixture_epoch(struct learner_fixture *p); /* the next epoch */
void fixture_close(struct learner_fixture *p);

#endif
