/* objective.h -- losses of one query and their derivatives with respect to its scores.
 *
 * An objective never sees features, so one file serves nets, lines and trees.
 *
 * Numeric code is written in `real`: float in the product; the tests compile the same
 * source with REAL=double and compare its derivatives with finite differences.      */
#ifndef OBJECTIVE_H
#define OBJECTIVE_H

#include "../base/plug.h"
#include "../base/view.h"

#ifndef REAL
#define REAL float
#endif
typedef REAL real;

/* i should come before j with this probability; the pair counts `weight`. */
struct pair {
    uint32_t i, j;
    float probability, weight;
};

/* One query as an objective sees it.  Documents come by falling label, the unjudged
 * last, so the documents that i should precede are one run: below[i] <= j < until[i].
 * (All label-differing pairs: below[i] is where the next lower label begins, until[i]
 * is n_judged.  Adjacent classes: until[i] is the end of that class.) */
struct lesson {
    uint32_t n, n_judged;
    const float *label;            /* n, falling; PECK_UNJUDGED from n_judged on */
    const uint32_t *below, *until; /* n each; NULL: the listed pairs alone */
    const uint32_t *ties_until; /* n or NULL: (i, j), i < j < ties_until[i], as P = 1/2 */
    const struct pair *pair;    /* n_pairs listed pairs: sampled, or given by a person */
    size_t n_pairs;
    const float *doc_weight; /* n or NULL: a pair counts the product of its two */
    float weight;            /* of the query; the caller applies it */
    double n_all;            /* pairs in all, ties and listed ones included */
    uint32_t *rank;          /* n, scratch: ranks by the present scores */
    void *scratch;           /* OBJECTIVE_SCRATCH(n) bytes */
};
#define OBJECTIVE_SCRATCH(n) ((size_t)(n)*128 + 256)

struct objective {
    struct plug plug;
    size_t config_size; /* the settings, where plug.params say */
    bool is_pairwise;   /* takes listed pairs; otherwise it needs labels */
    /* Adds dL/ds to g[n] (zero before) and returns L, the mean over the query's pairs
     * (or documents).  Cannot fail, takes no memory. */
    double (*grad)(const void *config, const struct lesson *q, const real *s, real *g);
};

extern const struct plug *const objectives[];
extern const size_t n_objectives;

#endif
