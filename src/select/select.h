/* select -- TRAININGS -> THE BEST OF THEM
 *   in      methods, grids of settings, folds, models
 *   out     chosen models and settings, their report; a committee of models
 *   knows   base data model learn report flow train
 *   never   how a model is trained or scored
 *   grow    one file a call of peck.h
 *
 * Its door is peck.h.                                                              */
#ifndef SELECT_H
#define SELECT_H

#include "../base/alloc.h"
#include "../base/comm.h"
#include "../base/strings.h"
#include "../data/prefs.h"
#include "../flow/evaluate.h"

/* Grids: the settings that a search tries, point by point ------------------------------ */

/* Whether a method has this setting; "norm" is one of every method. */
bool method_has(const char *method, peck_span key);
/* Whether it is a setting of rules: "rules-weight", or "rules.alpha" and the like. */
bool is_rule_key(peck_span key);
/* The key of "key=value"; n = 0 when it is nothing of the kind. */
peck_span pair_key(const char *pair);

/* One "key=a,b,c".  Its values are value[first .. first + n) of the grid. */
struct grid_axis {
    peck_span key;
    size_t first, n;
};

/* The axes that one method has, and those of rules.  Without any there is one point, where
 * nothing is set. */
struct grid {
    struct grid_axis *axis;
    size_t n_axes;
    struct strings value;
    size_t n_points;
};

MUST_CHECK peck_status grid_open(struct grid *g, const char *const *specs,
                                 const char *method, peck_error *err);
void grid_close(struct grid *g);

/* "rate=0.01 hidden=16": what a point sets. */
void grid_describe(const struct grid *g, size_t point, struct text *to);

/* What peck_train is told at a point. */
struct point_settings {
    const char **settings; /* ended by NULL */
    const char *norm;
    const char **of_rules;    /* "alpha=3", ended by NULL */
    const char *rules_weight; /* "0.3"; NULL: the grid sets none */
    char *text;               /* what they point into */
};

/* base: settings for every point, ended by NULL or NULL; those the method has not are
 * left out.  norm: unless the grid sets one. */
MUST_CHECK peck_status point_settings_open(struct point_settings *c, const struct grid *g,
                                           size_t point, const char *method,
                                           const char *const *base, const char *norm,
                                           peck_error *err);
void point_settings_close(struct point_settings *c);
/* The rules of t as the point has them; *own is to be freed.  Weight 0: a training without
 * any, and without unlabelled queries. */
MUST_CHECK peck_status point_rules(peck_train_spec *t, const struct point_settings *c,
                                   peck_rules **own, peck_error *err);

/* Committees ----------------------------------------------------------------------------- */

/* Refuses weights of no known name, and greedy ones, or models to score alone, without
 * validation data. */
MUST_CHECK peck_status blend_check(const char *weights, bool alone, bool has_valid,
                                   peck_error *err);

/* Cross-validation ------------------------------------------------------------------------ */

/* What a fold trains on, chooses by and is tested on; parts are ours when we split it, the
 * others are the caller's with the columns of train. */
struct fold_split {
    const peck_dataset *train, *valid;
    const peck_prefs *pairs, *valid_pairs, *test_pairs; /* NULL: labels */
    struct holdout parts;                               /* all zero: it is not split */
    peck_dataset *fit_valid, *fit_test;
};

/* One method on one fold. */
struct cell {
    peck_model *model;
    double value;  /* on the validation data; NaN: there is none */
    size_t point;  /* of the method's grid */
    size_t n_left; /* trainings that may still change the model */
};

struct cv {
    const peck_cv_spec *spec;
    const char *const *method;
    size_t n_methods;
    struct arena arena;  /* of the arrays below */
    const char **column; /* n_columns: the methods, and perhaps their committee */
    size_t n_columns;
    struct judge_plan plan;
    bool is_error;            /* the first metric: the smaller the better */
    bool by_pairs;            /* nobody labelled the test data: preferences judge */
    struct grid *grid;        /* n_methods */
    struct fold_split *split; /* n_folds */
    struct cell *cell;        /* [n_columns][n_folds] */
    size_t n_cells;           /* those of methods, which are trained */
    double *total;            /* [n_columns][n_folds][n_metrics], on the test data */
};

/* Open, train, blend, judge, report; the specs are taken, n_seeds is of no account.  When
 * training was stopped, folds that are finished are still judged, and handed to `keep`. */
MUST_CHECK peck_status cv_once(peck_report **out, const peck_cv_spec *spec,
                               peck_error *err);
/* The same for each of the seeds. */
MUST_CHECK peck_status cv_of_seeds(peck_report **out, const peck_cv_spec *spec,
                                   peck_error *err);

/* Chooses from the grids and fills every cell; PECK_STOPPED: some are finished. */
MUST_CHECK peck_status cv_train(struct cv *cv, peck_error *err);
/* The first metric on this data, or, by_pairs, the agreement with these preferences. */
MUST_CHECK peck_status cv_measure(double *value, const struct cv *cv, const peck_model *m,
                                  const peck_dataset *d, const peck_prefs *pairs,
                                  peck_error *err);
/* The share of preferences, by their weights, whose winner has the higher score; equal
 * scores: half. */
double agreement(const peck_prefs *p, const double *score);

#endif
