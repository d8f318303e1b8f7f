/* objective.h -- losses of one query and their derivatives with respect to its scores, or
 * to what a comparator says of its pairs.
 *
 * An objective never sees features, so one file serves nets, lines and trees.
 *
 * Numeric code is written in `real`: float in the product; the tests compile the same
 * source with REAL=double and compare its derivatives with finite differences.      */
#ifndef OBJECTIVE_H
#define OBJECTIVE_H

#include "../base/plug.h"
#include "../base/view.h"
#include "../base/real.h"

/* i should come before j with this probability; the pair counts `weight`, which holds
 * the weights of the two documents already. */
struct pair {
    uint32_t i, j;
    float probability, weight;
};

/* One query as an objective sees it.  Documents come by falling label, the unjudged
 * last, so the documents that i should precede are one run: below[i] <= j < until[i].
 * (All label-differing pairs: below[i] is where the next lower label begins, until[i]
 * is n_judged, or n where unjudged documents count as negatives.  Adjacent classes:
 * until[i] is the end of that class.)
 *
 * Under explicit preferences labels are not used: n_judged is 0, no runs, and the
 * listed pairs are all there is. */
struct query_pairs {
    uint32_t n, n_judged;
    uint32_t n_ranked;             /* the first so many take part: n_judged, or n */
    const float *label;            /* n, falling; PECK_UNJUDGED from n_judged on */
    const uint32_t *from;          /* n: its place in the data's order, for ties of score */
    const uint32_t *below, *until; /* n each; NULL: the listed pairs alone */
    const uint32_t *ties_until; /* n or NULL: (i, j), i < j < ties_until[i], as P = 1/2 */
    const struct pair *pair;    /* n_pairs listed pairs: sampled, or given by a person */
    size_t n_pairs;
    const float *doc_weight; /* n or NULL: a pair of a run counts the product of its two */
    float weight;            /* of the query; the caller applies it */
    /* Pairs in all.  Weights are scaled to add up to it (a pair weighs 1 on average), and
     * so are those of a sample, which stands for all.  0: the query teaches nothing. */
    double n_all;
    uint32_t *rank; /* n, scratch: ranks by the present scores */
    void *scratch;  /* what the objective asked for, as malloc aligns it */
};

struct lambda_config;

struct objective {
    struct plug plug;
    size_t config_size; /* the settings, where plug.params say */
    bool is_pairwise;   /* learns from pairs, so from preferences too; else from labels */
    bool is_hinge;      /* pairs that are far enough apart teach nothing any more */
    /* Whether it looks at few pairs of a long list (those that touch its top), so that
     * sampling would save nothing and lose much.  NULL: no. */
    bool (*is_selective)(const void *config);
    /* Bytes of scratch that grad and newton need for a query of n documents.  NULL: none. */
    size_t (*scratch)(uint32_t n);
    /* Adds dL/ds to g[n] (zero before) and returns L: the mean over the query's pairs or
     * documents, or a sum whose terms are shares of the query's best value.  L times
     * n_all is the sum over pairs.  A query whose n_all is 0 gives 0 and leaves g
     * alone.  Cannot fail, takes no memory.  NULL: it is for families that compare. */
    double (*grad)(const void *config, const struct query_pairs *q, const real *s, real *g);
    /* As grad, and adds d2L/ds_i^2, 0 or more, to h[n] (zero before); what grad takes for
     * a constant is one here too.  NULL: it has no second derivatives. */
    double (*newton)(const void *config, const struct query_pairs *q, const real *s,
                     real *g, real *h);
    /* For families that compare: out[k] is what one says of pair[k] (see family.h), of
     * which the first should be pair[k].probability and the second the rest.  Sets dout[k]
     * to dL/dout[k] and returns L, the sum over the n pairs, each by its weight.  NULL:
     * it is for families that score. */
    double (*duels)(const void *config, const struct pair *pair, size_t n,
                    const real (*out)[2], real (*dout)[2]);
    /* Of `duels`: the metric whose change weighs a pair, ranks being those of the comparator's
     * own order; NULL, the function or what it returns: pairs have their own weights alone. */
    const struct lambda_config *(*delta)(const void *config);
    /* The same with a caller's loss of a pair (own_loss.h); NULL: it has no such loss. */
    const struct objective *own;
};

extern const struct plug *const objectives[];
extern const size_t n_objectives;

#endif
