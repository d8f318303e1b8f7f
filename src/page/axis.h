/* axis.h -- a scale with round ticks; private to the room. */
#ifndef AXIS_H
#define AXIS_H

#include "../base/strings.h"

enum { AXIS_TICKS = 24 };

enum axis_scale { AXIS_LINEAR, AXIS_WHOLE, AXIS_LOG };

struct axis {
    enum axis_scale scale;
    double low, high; /* of the values it covers; ticks, too */
    double from, to;  /* where low and high lie in the picture */
    double tick[AXIS_TICKS];
    size_t n_ticks;
    int decimals; /* of the ticks' labels */
};

/* Whether a value can stand on such an axis: it is finite, and neither it nor the ends of
 * an axis around it overflow. */
bool axis_takes(enum axis_scale scale, double v);

/* Covers low .. high (that the axis takes, in either order) and cuts it into `wanted` parts at most, or
 * one or two more.  An AXIS_LINEAR ends at ticks; an AXIS_WHOLE where the values do, and it
 * has ticks at whole numbers; an AXIS_LOG takes what is above 0 and ends at powers of ten. */
void axis_fit(struct axis *a, enum axis_scale scale, double low, double high,
              size_t wanted);
/* The place of a value in the picture; never outside from .. to. */
double axis_place(const struct axis *a, double value);
/* "0.25", "1,500" as "1500", "20k", "3M". */
void axis_label(const struct axis *a, double tick, struct text *to);

#endif
