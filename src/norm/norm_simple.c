/* norm_simple.c -- the features as they are, and scaled by a formula: over the training data
 * (zscore, minmax), by themselves (log), or over the documents of a query (query,
 * query-zscore).                                                                      */
#include "norm.h"

#include "../base/cpu.h"
#include "../base/vec.h"

#include <math.h>

static void none_apply(const float *state, const void *index, struct rows in, float *out,
                       size_t out_stride)
{
    (void)state;
    (void)index;
    for (size_t i = 0; i < in.n; i++)
        memcpy(out + i * out_stride, in.x + i * in.stride, in.dim * sizeof *out);
}

const struct norm_kind norm_none = {
    .plug.about = { "none", "the features as they are",
                    "For features that are scaled already. Nets do badly on raw counts." },
    .keeps_missing = true,
    .apply = none_apply,
};

/* Over the training data ------------------------------------------------------------- */

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

/* (x - mean) / standard deviation. */
enum { MEAN, SD, ZSCORE_STATE };

/* Equal values have deviation 0, whatever rounding leaves; ratio() makes 0 of them. */
static void zscore_fit(const struct norm_values *all, float *state)
{
    const float *const x = all->sorted, *const w = all->weight;
    const size_t n = all->n;
    const double count = w != NULL ? vec_sum(w, n) : (double)n;
    const double mean = (w != NULL ? vec_dot(w, x, n) : vec_sum(x, n)) / count;
    double squares = 0.0;

    for (size_t i = 0; i < n; i++)
        squares += (w != NULL ? (double)w[i] : 1.0) * ((x[i] - mean) * (x[i] - mean));
    state[MEAN] = (float)mean;
    state[SD] = x[0] < x[n - 1] ? (float)sqrt(squares / count) : 0.0f;
}

static bool zscore_fits(const float *state)
{
    return state[SD] >= 0.0f;
}

static void zscore_apply(const float *state, const void *index, struct rows in, float *out,
                         size_t out_stride)
{
    (void)index;
    for (size_t i = 0; i < in.n; i++)
        for (size_t f = 0; f < in.dim; f++) {
            const float *const s = state + f * ZSCORE_STATE;

            out[i * out_stride + f] =
                ratio((double)in.x[i * in.stride + f] - s[MEAN], s[SD]);
        }
}

const struct norm_kind norm_zscore = {
    .plug.about = { "zscore", "mean 0 and deviation 1 over the training data",
                    "(x - mean) / standard deviation of the feature in the training data, "
                    "within 1e6 of 0." },
    .state = ZSCORE_STATE,
    .fit = zscore_fit,
    .fits = zscore_fits,
    .apply = zscore_apply,
};

/* (x - least) / (largest - least): [0, 1]; other data may lie outside. */
enum { LEAST, LARGEST, MINMAX_STATE };

static void minmax_fit(const struct norm_values *all, float *state)
{
    state[LEAST] = all->sorted[0];
    state[LARGEST] = all->sorted[all->n - 1];
}

static bool minmax_fits(const float *state)
{
    return state[LEAST] <= state[LARGEST];
}

static void minmax_apply(const float *state, const void *index, struct rows in, float *out,
                         size_t out_stride)
{
    (void)index;
    for (size_t i = 0; i < in.n; i++)
        for (size_t f = 0; f < in.dim; f++) {
            const double least = state[f * MINMAX_STATE + LEAST];

            out[i * out_stride + f] = ratio(in.x[i * in.stride + f] - least,
                                            state[f * MINMAX_STATE + LARGEST] - least);
        }
}

const struct norm_kind norm_minmax = {
    .plug.about = { "minmax", "0 to 1 over the training data",
                    "(x - min) / (max - min) of the feature in the training data. Other "
                    "data may fall outside 0 to 1, but stay within 1e6 of 0." },
    .state = MINMAX_STATE,
    .fit = minmax_fit,
    .fits = minmax_fits,
    .apply = minmax_apply,
};

/* sign(x) log(1 + |x|), for counts. */
static void log_apply(const float *state, const void *index, struct rows in, float *out,
                      size_t out_stride)
{
    (void)state;
    (void)index;
    for (size_t i = 0; i < in.n; i++) {
        const float *const x = in.x + i * in.stride;
        float *const to = out + i * out_stride;

        for (size_t f = 0; f < in.dim; f++)
            to[f] = fabsf(x[f]);
        vec_log1p(to, in.dim);
        for (size_t f = 0; f < in.dim; f++)
            to[f] = copysignf(to[f], x[f]);
    }
}

const struct norm_kind norm_log = {
    .plug.about = { "log", "sign(x) log(1 + |x|), for counts",
                    "Brings counts of all sizes together; nothing is fitted." },
    .apply = log_apply,
};

/* Over the documents of a query ------------------------------------------------------ */

/* Per-query statistics are kept for this many columns at a time, on the stack. */
enum { COLUMNS = 64 };

/* The sum of the values of a column that are there, and how many those are. */
static double sum_known(struct rows in, size_t column, double *known)
{
    double sum = 0.0;

    *known = 0.0;
    for (size_t i = 0; i < in.n; i++) {
        const float x = in.x[i * in.stride + column];

        sum += x == x ? (double)x : 0.0;
        *known += x == x ? 1.0 : 0.0;
    }
    return sum;
}

/* Statistics of columns [from, from + n), at most COLUMNS, of a query. */
struct query_columns {
    struct rows in;
    size_t from, n;
    double known[COLUMNS], mean[COLUMNS]; /* values that are not NaN, and their mean */
};

/* (x - mean) / spread over the documents of a query, column by column.  `spread` tells the
 * spreads from the means; by[] is 0 before.  The sum of equal floats is exact in double for
 * any list that fits in memory, so a constant column is its mean and gives 0. */
static inline ALWAYS_INLINE void scale_columns(struct rows in, float *out,
                                               size_t out_stride,
                                               void (*spread)(const struct query_columns *c,
                                                              double *by))
{
    for (size_t from = 0; from < in.dim; from += COLUMNS) {
        const size_t n = in.dim - from < COLUMNS ? in.dim - from : COLUMNS;
        struct query_columns c = { .in = in, .from = from, .n = n };
        double *const mean = c.mean, by[COLUMNS] = { 0 };

        for (size_t i = 0; i < in.n; i++)
            for (size_t f = 0; f < n; f++)
                mean[f] += in.x[i * in.stride + from + f];
        for (size_t f = 0; f < n; f++) {
            c.known[f] = (double)in.n;
            if (mean[f] != mean[f]) /* some are missing: those that are not */
                mean[f] = sum_known(in, from + f, &c.known[f]);
            mean[f] = c.known[f] > 0.0 ? mean[f] / c.known[f] : 0.0;
        }
        spread(&c, by);
        for (size_t i = 0; i < in.n; i++)
            for (size_t f = 0; f < n; f++)
                out[i * out_stride + from + f] =
                    ratio(in.x[i * in.stride + from + f] - mean[f], by[f]);
    }
}

/* The largest absolute values: (x - m) / max |x|, eq. (5) of Rigutini, Papini, Maggini and
 * Scarselli, "SortNet: learning to rank by a neural preference function", 2011. */
static void query_spread(const struct query_columns *c, double *by)
{
    for (size_t i = 0; i < c->in.n; i++)
        for (size_t f = 0; f < c->n; f++) {
            const double x = fabs((double)c->in.x[i * c->in.stride + c->from + f]);

            by[f] = x > by[f] ? x : by[f];
        }
}

static void query_apply(const float *state, const void *index, struct rows in, float *out,
                        size_t out_stride)
{
    (void)state;
    (void)index;
    scale_columns(in, out, out_stride, query_spread);
}

const struct norm_kind norm_query = {
    .plug.about = { "query", "within the query: minus the mean, divided by the largest |x|",
                    "Minus the mean of the query's documents, over their largest absolute "
                    "value; a feature that does not vary in the query becomes 0. Eq. (5) "
                    "of SortNet, Rigutini et al. 2011." },
    .keeps_missing = true,
    .heeds_query = true,
    .apply = query_apply,
};

/* Standard deviations, over the documents that have a value. */
static void query_zscore_spread(const struct query_columns *c, double *by)
{
    for (size_t i = 0; i < c->in.n; i++)
        for (size_t f = 0; f < c->n; f++) {
            const double d = c->in.x[i * c->in.stride + c->from + f] - c->mean[f];

            by[f] += d == d ? d * d : 0.0;
        }
    for (size_t f = 0; f < c->n; f++)
        by[f] = c->known[f] > 0.0 ? sqrt(by[f] / c->known[f]) : 0.0;
}

static void query_zscore_apply(const float *state, const void *index, struct rows in,
                               float *out, size_t out_stride)
{
    (void)state;
    (void)index;
    scale_columns(in, out, out_stride, query_zscore_spread);
}

const struct norm_kind norm_query_zscore = {
    .plug.about = { "query-zscore", "mean 0 and deviation 1 within the query",
                    "(x - mean) / standard deviation over the documents of the query; a "
                    "feature that does not vary in the query becomes 0." },
    .keeps_missing = true,
    .heeds_query = true,
    .apply = query_zscore_apply,
};
