/* norm_quantile.c -- the share of the training data below x, turned into a normal of
 * deviation 1/3:
 *
 *     z(p) = Phi^-1(p) / 3,  p within [1e-7, 1 - 1e-7]
 *
 * The state is 1,000 quantiles q[i] of the training data, at p = i / 999.  Between two of
 * them z runs straight from z(i / 999) to the next; a value that several quantiles a..b
 * share gets the middle of its range, p = (a + b) / 2 / 999, so a constant column becomes
 * z(1/2) = 0.  Values outside count as the first or the last quantile.
 *
 * Finding the quantiles around x is the work.  The range of a feature is cut into equal
 * buckets, of its values or, where counts of all sizes meet, of their floats' bits; each
 * bucket knows where its quantiles begin, and few steps without branches do the rest. */
#include "norm.h"

#include "../base/alloc.h"
#include "../base/cpu.h"
#include "../base/maths.h"
#include "../base/vec.h"

#include <float.h>
#include <math.h>
#include <stdint.h>

enum { QUANTILES = 1000, LAST = QUANTILES - 1, BUCKETS = 1024 };

#define SIGMA (1.0 / 3)
#define LEAST_P 1e-7

/* The map of a feature is a polyline through knots of rising x.  A repeated value has
 * three: the float below it with the begin of its range, itself with the middle, and the
 * float above it with the end. */
struct knot {
    int32_t key; /* knot_key its x */
    float z;
};

/* Monotone: bucket = (t - low) scale, t the value or its key. */
struct buckets {
    bool by_key;
    float low, scale;
};

struct quantile_column {
    struct buckets buckets;
    float first, last;       /* outside them x is clipped */
    uint32_t top;            /* the first step of the search, a power of 2 */
    size_t knot;             /* its first one; behind its last are `top` at infinity */
    uint16_t start[BUCKETS]; /* the last knot below the bucket, 0 for none */
};

struct quantile_index {
    struct knot *knot; /* of all columns, behind the last one */
    struct quantile_column column[];
};

/* The z with Phi(z) = p, p <= 1/2.  Phi is convex below 0, so Newton's method comes down to
 * the root from 0 without passing it. */
static double normal_quantile(double p)
{
    const double root_2_pi = 2.50662827463100050242;
    double z = 0.0, step;

    do {
        step = (0.5 * math_erfc(-z / sqrt(2.0)) - p) * math_exp(0.5 * z * z) * root_2_pi;
        z -= step;
    } while (step > 1e-12);
    return z;
}

/* Where a place among the values lies, each there as often as it weighs. */
struct weighed_place {
    size_t at;    /* the value */
    double until; /* how many there are up to it and with it */
};

/* On to the value at this place, counted from 0; it must not lie before p. */
static struct weighed_place weighed_step(const struct norm_values *all, double scale,
                                         struct weighed_place p, double place)
{
    while (p.until <= place && p.at + 1 < all->n)
        p.until += scale * (double)all->weight[++p.at];
    return p;
}

/* As below, of values that are there as often as they weigh.  Weights that are shares of
 * one, or otherwise below 1 on average, count as 1 on average. */
static void weighed_quantiles(const struct norm_values *all, float *state)
{
    const double sum = vec_sum(all->weight, all->n);
    const double scale = sum < (double)all->n ? (double)all->n / sum : 1.0;
    struct weighed_place below = { 0, scale * (double)all->weight[0] };

    for (size_t i = 0; i < QUANTILES; i++) {
        const double where = (double)i / LAST * (scale * sum - 1.0);

        below = weighed_step(all, scale, below, floor(where));
        const size_t above = weighed_step(all, scale, below, floor(where) + 1.0).at;
        const double a = all->sorted[below.at], b = all->sorted[above];

        state[i] = (float)(a + (b - a) * (where - floor(where)));
    }
}

/* Between two values of the data quantiles are interpolated: type 7 of Hyndman and Fan,
 * "Sample quantiles in statistical packages", 1996. */
static void quantile_fit(const struct norm_values *all, float *state)
{
    const float *const sorted = all->sorted;
    const size_t n = all->n;

    if (all->weight != NULL) {
        weighed_quantiles(all, state);
        return;
    }
    for (size_t i = 0; i < QUANTILES; i++) {
        const double where = (double)i / LAST * (double)(n - 1);
        const size_t below = (size_t)where < n - 1 ? (size_t)where : n - 1;
        const size_t above = below + 1 < n ? below + 1 : below;
        const double a = sorted[below], b = sorted[above];

        state[i] = (float)(a + (b - a) * (where - (double)below));
    }
}

static bool quantile_fits(const float *state)
{
    for (size_t i = 0; i < LAST; i++)
        if (state[i] > state[i + 1])
            return false;
    return true;
}

/* Whole numbers in the order of the floats, and back; -0 must have become 0 before. */
static inline int32_t knot_key(float x)
{
    int32_t bits;

    memcpy(&bits, &x, sizeof bits);
    return bits ^ (bits >> 31 & INT32_MAX);
}

static inline float x_of(struct knot k)
{
    const int32_t bits = k.key ^ (k.key >> 31 & INT32_MAX);
    float x;

    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline float bucket_place(bool by_key, float x)
{
    return by_key ? (float)knot_key(x) : x;
}

static inline int32_t bucket_of(const struct buckets *by, float x)
{
    return (int32_t)((bucket_place(by->by_key, x) - by->low) * by->scale);
}

/* All in one bucket where floats cannot count them.
 * Half a bucket less than there are, so that rounding never reaches one too many. */
static struct buckets make_buckets(bool by_key, float first, float last)
{
    const float low = bucket_place(by_key, first), width = bucket_place(by_key, last) - low;
    const float scale = (BUCKETS - 0.5f) / width;

    return (struct buckets){ by_key, low, isfinite(scale) ? scale : 0.0f };
}

/* The most knots in one bucket. */
static uint32_t fullest(const struct buckets *by, const struct knot *knot, size_t n)
{
    uint32_t most = 0, here = 0;

    for (size_t i = 0; i < n; i++) {
        const bool is_same =
            i > 0 && bucket_of(by, x_of(knot[i])) == bucket_of(by, x_of(knot[i - 1]));

        here = is_same ? here + 1 : 1;
        most = here > most ? here : most;
    }
    return most;
}

/* Where neighbours are further apart than a float can tell, one comes in between. */
static size_t add_knot(struct knot *knot, size_t n, float x, float z)
{
    const float before = n > 0 ? x_of(knot[n - 1]) : 0.0f;

    if (n > 0 && x <= before)
        return n;
    if (n > 0 && !isfinite(x - before)) {
        knot[n] = (struct knot){ knot_key(0.5f * before + 0.5f * x + 0.0f),
                                 0.5f * (knot[n - 1].z + z) };
        n++;
    }
    knot[n] = (struct knot){ knot_key(x + 0.0f), z };
    return n + 1;
}

/* The next float; from 0 to one of full precision, as arithmetic on others is slow. */
static float next_above(float x)
{
    const float next = nextafterf(x, INFINITY), up = x + FLT_MIN;

    return next > up ? next : up;
}

/* The knots of a feature, half[h] = z(h / 2 / 999); returns how many.  The outermost
 * quantiles bound the range, so nothing lies below the first or above the last. */
static size_t tie_knots(struct knot *knot, const float *state, const float *half)
{
    size_t n = 0;

    for (size_t a = 0, b; a < QUANTILES; a = b + 1) {
        const float x = state[a] + 0.0f;

        for (b = a; b < LAST && state[b + 1] == x;)
            b++;
        if (0 < a && a < b)
            n = add_knot(knot, n, -next_above(-x), half[2 * a]);
        n = add_knot(knot, n, x, half[a + b]);
        if (a < b && b < LAST && next_above(x) < state[b + 1])
            n = add_knot(knot, n, next_above(x), half[2 * b]);
    }
    return n;
}

/* From any knot at or below x, steps top, top / 2, ... 1 reach the last one at or below
 * it when it is at most 2 top - 1 knots away. */
static void index_column(struct quantile_column *c, const struct knot *knot, size_t n)
{
    const float first = x_of(knot[0]), last = x_of(knot[n - 1]);
    const struct buckets by_value = make_buckets(false, first, last);
    const struct buckets by_key = make_buckets(true, first, last);
    const uint32_t in_value = fullest(&by_value, knot, n);
    const uint32_t in_key = fullest(&by_key, knot, n);
    const uint32_t most = in_key < in_value ? in_key : in_value;

    c->buckets = in_key < in_value ? by_key : by_value;
    c->first = first;
    c->last = last;
    for (c->top = 2; 2 * c->top - 1 < most;)
        c->top *= 2;
    size_t i = 0;

    for (int32_t b = 0; b < BUCKETS; b++) {
        while (i < n && bucket_of(&c->buckets, x_of(knot[i])) < b)
            i++;
        c->start[b] = (uint16_t)(i > 0 ? i - 1 : 0);
    }
}

static void *quantile_make_index(const float *state, size_t dim)
{
    const size_t most = 3 * QUANTILES; /* knots of a column, with those behind */
    struct quantile_index *const q =
        mem_new(1, sizeof *q + dim * (sizeof *q->column + most * sizeof *q->knot));
    float half[2 * LAST + 1];
    size_t used = 0;

    if (q == NULL)
        return NULL;
    half[LAST] = 0.0f;
    for (size_t h = 0; h < LAST; h++) { /* z(h / 2 / 999) */
        const double p = (double)h / (2.0 * LAST);

        half[h] = (float)(SIGMA * normal_quantile(p > LEAST_P ? p : LEAST_P));
        half[2 * LAST - h] = -half[h];
    }
    q->knot = (struct knot *)(q->column + dim);
    for (size_t f = 0; f < dim; f++) {
        struct quantile_column *const c = &q->column[f];
        const size_t n = tie_knots(q->knot + used, state + f * QUANTILES, half);

        index_column(c, q->knot + used, n);
        c->knot = used;
        used += n;
        for (size_t i = 0; i < c->top; i++)
            q->knot[used++] = (struct knot){ knot_key(INFINITY), half[2 * LAST] };
    }
    return q;
}

/* Documents of one column at a time, step by step: each step alone is short enough for a
 * processor to have many documents at work at once, and all but the search are vectors. */
enum { BLOCK = 128 };

struct quantile_block {
    float x[BLOCK];
    int32_t key[BLOCK], bucket[BLOCK];
    struct knot around[BLOCK][2]; /* the last at or below x, and the next */
};

static inline ALWAYS_INLINE void clip_block(const struct quantile_column *c,
                                            struct quantile_block *b, size_t n)
{
    const struct buckets by = c->buckets;
    const float first = c->first, last = c->last;

    for (size_t i = 0; i < n; i++) {
        const float above = b->x[i] < first ? first : b->x[i];

        b->x[i] = above > last ? last : above;
        b->key[i] = knot_key(b->x[i]);
    }
    for (size_t i = 0; i < n; i++)
        b->bucket[i] = bucket_of(&by, b->x[i]);
}

/* All starts first, so that their knots are on the way while others are looked at.  Masks
 * instead of choices: compilers make no branch of them, which no processor could foretell
 * here. */
static inline ALWAYS_INLINE void search_knots(const struct quantile_column *c,
                                              const struct knot *knot, size_t top,
                                              struct quantile_block *b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        b->bucket[i] = c->start[b->bucket[i]];
        __builtin_prefetch(knot + b->bucket[i]);
    }
    for (size_t i = 0; i < n; i++) {
        const struct knot *k = knot + b->bucket[i];

        for (size_t step = top; step > 0; step /= 2)
            k += step & -(size_t)(k[step].key <= b->key[i]);
        memcpy(b->around[i], k, sizeof b->around[i]);
    }
}

/* The straight line between the two knots, in place of x. */
static inline ALWAYS_INLINE void draw_between(struct quantile_block *b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct knot from = b->around[i][0], to = b->around[i][1];
        const float share = (b->x[i] - x_of(from)) / (x_of(to) - x_of(from));
        const float z = from.z + share * (to.z - from.z);

        b->x[i] = z < to.z ? z : to.z;
    }
}

/* Column f.  Most take two to four steps; known beforehand, they need no loop. */
static inline ALWAYS_INLINE void map_body(const struct quantile_index *q, size_t f,
                                          const struct rows *in, float *out,
                                          size_t out_stride)
{
    const struct quantile_column *const c = &q->column[f];
    const struct knot *const knot = q->knot + c->knot;
    struct quantile_block b;

    for (size_t at = 0, n; at < in->n; at += n) {
        n = in->n - at < BLOCK ? in->n - at : BLOCK;
        for (size_t i = 0; i < n; i++)
            b.x[i] = in->x[(at + i) * in->stride + f] + 0.0f;
        clip_block(c, &b, n);
        if (c->top == 2)
            search_knots(c, knot, 2, &b, n);
        else if (c->top == 4)
            search_knots(c, knot, 4, &b, n);
        else if (c->top == 8)
            search_knots(c, knot, 8, &b, n);
        else
            search_knots(c, knot, c->top, &b, n);
        draw_between(&b, n);
        for (size_t i = 0; i < n; i++)
            out[(at + i) * out_stride + f] = b.x[i];
    }
}
CPU_VERSIONS(map,
             (const struct quantile_index *q, size_t f, const struct rows *in, float *out,
              size_t out_stride),
             (q, f, in, out, out_stride))

static void quantile_apply(const float *state, const void *index, struct rows in,
                           float *out, size_t out_stride)
{
    (void)state;
    for (size_t f = 0; f < in.dim; f++)
        map(index, f, &in, out, out_stride);
}

const struct norm_kind norm_quantile = {
    .plug
        .about = { "quantile", "to a normal of deviation 1/3, by rank in the training data",
                   "1,000 quantiles of each feature in the training data are mapped to "
                   "those "
                   "of a normal distribution of deviation 1/3, straight lines in between; "
                   "values outside count as the nearest. Values that repeat get the middle "
                   "of their range. After DirectRanker, Koeppel et al. 2019." },
    .state = QUANTILES,
    .fit = quantile_fit,
    .fits = quantile_fits,
    .index = quantile_make_index,
    .apply = quantile_apply,
};
