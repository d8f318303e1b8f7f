/* graded.h -- the frame that `net` and `poly` share: vectors uniform in [-1, 1], a
 * hidden target function, its values cut into grades of equal frequency.            */
#ifndef GRADED_H
#define GRADED_H

#include "draw.h"

/* First member of the generators' own structs. */
struct graded {
    int64_t queries, docs, dim, grades, target;
    int hide; /* enum hide */
    struct cuts cuts;
};

enum hide { HIDE_NONE, HIDE_ZERO };

/* Rows of a parameter table, for a struct whose member `g` is the frame. */
/* clang-format off */
#define GRADED_PARAMS(type)                                                                \
    { "queries", PARAM_INT, "1000", "[1,1000000000]", "queries to make",                   \
      offsetof(type, g.queries) },                                                         \
    { "docs", PARAM_INT, "50", "[1,100000000]", "documents of each query",                 \
      offsetof(type, g.docs) },                                                            \
    { "dim", PARAM_INT, "50", "[1,10000]", "features, uniform in [-1,1]",                  \
      offsetof(type, g.dim) },                                                             \
    { "grades", PARAM_INT, "6", "[2,32]", "labels 0 .. grades-1, equally frequent",        \
      offsetof(type, g.grades) },                                                          \
    { "target", PARAM_INT, "1", "[0,inf)",                                                 \
      "which target function; files that share it are samples of one task",                \
      offsetof(type, g.target) },                                                          \
    { "hide", PARAM_CHOICE, "none", "none|zero",                                           \
      "zero: documents of grade 0 are written as not judged", offsetof(type, g.hide) }
/* clang-format on */

typedef double graded_target(const void *self, const float *x);

/* Places the cut points of self's target and states the shape. */
MUST_CHECK peck_status graded_open(struct graded *g, graded_target *value, const void *self,
                                   struct shape *shape, peck_error *err);
void graded_fill(const struct graded *g, graded_target *value, const void *self,
                 uint64_t seed, size_t q, struct synth_sample *out);

#endif
