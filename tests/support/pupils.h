/* pupils.h -- a learner at work: a classroom, and epochs one at a time. */
#ifndef PUPILS_H
#define PUPILS_H

#include "support/courses.h"

struct pupil {
    struct classroom room;
    void *self;
    struct pace pace;
    size_t n_epochs; /* behind it */
};

/* As classroom_open, without validation data. */
void pupil_open(struct pupil *p, const char *method, const char *const *settings,
                const struct peck_dataset *train, const char *metric, int threads);
struct lap pupil_learn(struct pupil *p); /* the next epoch */
void pupil_close(struct pupil *p);

#endif
