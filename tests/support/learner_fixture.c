/* learner_fixture.c -- see learner_fixture.h. */
#include "support/learner_fixture.h"

#include "support/check.h"

static void open_learner(struct learner_fixture *p)
{
    const struct learner *const l = p->setup.plan.recipe->learner;
    peck_error err = { 0 };

    p->self = calloc(1, l->self_size);
    assert_ok(l->open(p->self, &p->setup.task, &p->stopping, &err), err);
}

void fixture_open(struct learner_fixture *p, const char *method,
                  const char *const *settings, const struct peck_dataset *train,
                  const char *metric, int threads)
{
    *p = (struct learner_fixture){ 0 };
    train_setup_open(&p->setup, method, settings, train, NULL, metric, threads);
    open_learner(p);
}

void fixture_open_prefs(struct learner_fixture *p, const char *method,
                        const char *const *settings, const struct peck_dataset *train,
                        const struct peck_prefs *prefs, int threads)
{
    *p = (struct learner_fixture){ 0 };
    train_setup_open_prefs(&p->setup, method, settings, train, prefs, NULL, NULL, threads);
    open_learner(p);
}

struct epoch_stats fixture_epoch(struct learner_fixture *p)
{
    struct epoch_stats stats = { 0 };
    peck_error err = { 0 };

    assert_ok(p->setup.plan.recipe->learner->epoch(p->self, ++p->n_epochs, &stats, &err),
              err);
    return stats;
}

void fixture_close(struct learner_fixture *p)
{
    p->setup.plan.recipe->learner->close(p->self);
    free(p->self);
    train_setup_close(&p->setup);
}
