/* select -- TRAININGS -> THE BEST OF THEM
 *   in      methods, grids of settings, folds, models
 *   out     chosen models and settings, their report; a committee of models
 *   knows   base data model learn report flow
 *   never   how a model is trained or scored
 *   grow    one file a call of peck.h
 *
 * Its door is peck.h.  cv.h is what cross-validation found, for its report.           */
#ifndef CV_H
#define CV_H

#include "../flow/evaluate.h"
#include "grid.h"

/* What a fold trains on, chooses by and is tested on; kept and held are ours when we split
 * it, the others are the caller's with the columns of train. */
struct split {
    const peck_dataset *train, *valid;
    peck_dataset *kept, *held, *fit_valid, *fit_test;
};

/* One method on one fold. */
struct cell {
    peck_model *model;
    double value;  /* on the validation data; NaN: there is none */
    size_t point;  /* of the method's grid */
    size_t n_left; /* trainings that may still change the model */
};

static inline bool is_finished(const struct cell *c)
{
    return c->model != NULL && c->n_left == 0;
}

struct cv {
    const peck_cv_spec *spec;
    const char *const *method;
    size_t n_methods;
    const char **column; /* n_columns: the methods, and perhaps their committee */
    size_t n_columns;
    struct judge_plan plan;
    bool is_error;       /* the first metric: the smaller the better */
    struct grid *grid;   /* n_methods */
    struct split *split; /* n_folds */
    struct cell *cell;   /* [n_columns][n_folds] */
    size_t n_cells;      /* those of methods, which are trained */
    double *total;       /* [n_columns][n_folds][n_metrics], on the test data */
};

/* Chooses from the grids and fills every cell; PECK_STOPPED: some are finished. */
MUST_CHECK peck_status cv_train(struct cv *cv, peck_error *err);
/* The first metric on this data. */
MUST_CHECK peck_status cv_measure(double *value, const struct cv *cv, const peck_model *m,
                                  const peck_dataset *d, peck_error *err);
MUST_CHECK peck_status cv_report(peck_report **out, const struct cv *cv, peck_error *err);

#endif
