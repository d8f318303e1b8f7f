/* shelf.h -- what several normalisers share. */
#ifndef SHELF_H
#define SHELF_H

#include <stddef.h>

/* No value of the training data comes near it: a z-score among n rows is below sqrt(n).
 * It keeps values far outside their range finite. */
#define FAR 1e6

/* a / b bounded by FAR; 0 where b is 0: a column without spread says nothing. */
static inline float ratio(double a, double b)
{
    const double r = b > 0.0 ? a / b : 0.0;

    return (float)(r < -FAR ? -FAR : r > FAR ? FAR : r);
}

/* Per-query statistics are kept for this many columns at a time, on the stack. */
enum { COLUMNS = 64 };

#endif
