/* grid.h -- the settings that a search tries, point by point. */
#ifndef GRID_H
#define GRID_H

#include "../base/strings.h"
#include "../base/text.h"

/* Whether a method of this name exists; otherwise a sentence (PECK_ARG). */
MUST_CHECK peck_status method_check(const char *method, peck_error *err);
/* Whether it has this setting; "norm" is one of every method. */
bool method_has(const char *method, peck_span key);
/* The key of "key=value"; n = 0 when it is nothing of the kind. */
peck_span pair_key(const char *pair);

/* One "key=a,b,c".  Its values are value[first .. first + n) of the grid. */
struct axis {
    peck_span key;
    size_t first, n;
};

/* The axes that one method has.  Without any there is one point, where nothing is set. */
struct grid {
    struct axis *axis;
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
    char *text; /* what they point into */
};

/* base: settings for every point, ended by NULL or NULL; those the method has not are
 * left out.  norm: unless the grid sets one. */
MUST_CHECK peck_status point_settings_open(struct point_settings *c, const struct grid *g,
                                           size_t point, const char *method,
                                           const char *const *base, const char *norm,
                                           peck_error *err);
void point_settings_close(struct point_settings *c);

#endif
