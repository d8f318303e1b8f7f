/* draw.h -- what several generators need: short numbers, and grades from cut points. */
#ifndef DRAW_H
#define DRAW_H

#include "../base/rng.h"
#include "synth.h"

/* Streams of the target's seed; sample streams are numbered by query from 0 up, so
 * these stay clear of them when seed and target are the same number. */
#define STREAM_TARGET UINT64_MAX     /* weights, means, ... */
#define STREAM_CUTS (UINT64_MAX - 1) /* documents that place the cut points */

/* v rounded to this many parts of one (1e4: four decimals), so that text stays short
 * and float32 and text agree. */
float draw_round(double v, double parts);

/* x[0..dim) uniform in [lo, hi], six decimals. */
void draw_row(struct rng *r, float *x, size_t dim, double lo, double hi);

/* About normal (the sum of four uniform 16-bit numbers: mean 0, deviation 1, nothing
 * beyond 3.47), from a single draw: several times faster than rng_normal. */
double draw_bell(struct rng *r);

/* Cut points: value v has grade |{ k : at[k] <= v }|. */
enum { MAX_GRADES = 32, CUT_SAMPLE = 20000 };
struct cuts {
    size_t n_grades;
    double at[MAX_GRADES - 1]; /* n_grades - 1, rising */
};

/* Places the cuts so that a share[g] of value[0..n) gets grade g.  share NULL: equal
 * shares. */
MUST_CHECK peck_status cuts_place(struct cuts *c, size_t n_grades, const double *share,
                                  const double *value, size_t n, peck_error *err);
uint32_t cuts_grade(const struct cuts *c, double v);

#endif
