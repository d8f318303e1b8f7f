/* pupils.c -- see pupils.h. */
#include "support/pupils.h"

#include "support/check.h"

void pupil_open(struct pupil *p, const char *method, const char *const *settings,
                const struct peck_dataset *train, const char *metric, int threads)
{
    peck_error err = { 0 };

    *p = (struct pupil){ 0 };
    classroom_open(&p->room, method, settings, train, NULL, metric, threads);
    const struct learner *const l = p->room.plan.recipe->learner;

    p->self = calloc(1, l->self_size);
    assert_ok(l->open(p->self, &p->room.task, &p->pace, &err), err);
}

struct lap pupil_learn(struct pupil *p)
{
    struct lap lap = { 0 };
    peck_error err = { 0 };

    assert_ok(p->room.plan.recipe->learner->epoch(p->self, ++p->n_epochs, &lap, &err), err);
    return lap;
}

void pupil_close(struct pupil *p)
{
    p->room.plan.recipe->learner->close(p->self);
    free(p->self);
    classroom_close(&p->room);
}
