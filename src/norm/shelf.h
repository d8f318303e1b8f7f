/* shelf.h -- what several normalisers share. */
#ifndef SHELF_H
#define SHELF_H

#include "../base/view.h"

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

/* (x - mean) / spread over the documents of a query, column by column.  `spread` tells the
 * spreads of columns [from, from + n), at most COLUMNS, from their means.  The sum of
 * equal floats is exact in double for any list that fits in memory, so a constant column
 * is its mean and gives 0. */
static inline void query_columns(struct rows in, float *out, size_t out_stride,
                                 void (*spread)(struct rows in, size_t from, size_t n,
                                                const double *mean, double *spread))
{
    for (size_t from = 0; from < in.dim; from += COLUMNS) {
        const size_t n = in.dim - from < COLUMNS ? in.dim - from : COLUMNS;
        double mean[COLUMNS] = { 0 }, by[COLUMNS] = { 0 };

        for (size_t i = 0; i < in.n; i++)
            for (size_t f = 0; f < n; f++)
                mean[f] += in.x[i * in.stride + from + f];
        for (size_t f = 0; f < n; f++)
            mean[f] /= (double)in.n;
        spread(in, from, n, mean, by);
        for (size_t i = 0; i < in.n; i++)
            for (size_t f = 0; f < n; f++)
                out[i * out_stride + from + f] =
                    ratio(in.x[i * in.stride + from + f] - mean[f], by[f]);
    }
}

#endif
