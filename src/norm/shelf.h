/* shelf.h -- what several normalisers share. */
#ifndef SHELF_H
#define SHELF_H

#include "../base/view.h"

/* No value of the training data comes near it: a z-score among n rows is below sqrt(n).
 * It keeps values far outside their range finite. */
#define FAR 1e6

/* a / b bounded by FAR; 0 where b is 0: a column without spread says nothing.  NaN stays
 * what it is. */
static inline float ratio(double a, double b)
{
    const double r = b > 0.0 || a != a ? a / b : 0.0;

    return (float)(r < -FAR ? -FAR : r > FAR ? FAR : r);
}

/* Per-query statistics are kept for this many columns at a time, on the stack. */
enum { COLUMNS = 64 };

/* The mean of the values of a column that are there, and how many those are; 0: none. */
static inline double mean_of_known(struct rows in, size_t column, double *known)
{
    double sum = 0.0;

    *known = 0.0;
    for (size_t i = 0; i < in.n; i++) {
        const float x = in.x[i * in.stride + column];

        sum += x == x ? (double)x : 0.0;
        *known += x == x ? 1.0 : 0.0;
    }
    return *known > 0.0 ? sum / *known : 0.0;
}

/* Statistics of columns [from, from + n), at most COLUMNS, of a query. */
struct columns {
    struct rows in;
    size_t from, n;
    double known[COLUMNS], mean[COLUMNS]; /* values that are not NaN, and their mean */
};

/* (x - mean) / spread over the documents of a query, column by column.  `spread` tells the
 * spreads from the means; by[] is 0 before.  The sum of equal floats is exact in double for
 * any list that fits in memory, so a constant column is its mean and gives 0. */
static inline void query_columns(struct rows in, float *out, size_t out_stride,
                                 void (*spread)(const struct columns *c, double *by))
{
    for (size_t from = 0; from < in.dim; from += COLUMNS) {
        const size_t n = in.dim - from < COLUMNS ? in.dim - from : COLUMNS;
        struct columns c = { .in = in, .from = from, .n = n };
        double *const mean = c.mean, by[COLUMNS] = { 0 };

        for (size_t i = 0; i < in.n; i++)
            for (size_t f = 0; f < n; f++)
                mean[f] += in.x[i * in.stride + from + f];
        for (size_t f = 0; f < n; f++) {
            c.known[f] = (double)in.n;
            mean[f] = mean[f] == mean[f] ? mean[f] / (double)in.n
                                         : mean_of_known(in, from + f, &c.known[f]);
        }
        spread(&c, by);
        for (size_t i = 0; i < in.n; i++)
            for (size_t f = 0; f < n; f++)
                out[i * out_stride + from + f] =
                    ratio(in.x[i * in.stride + from + f] - mean[f], by[f]);
    }
}

#endif
