/* train_set.h -- what there is to learn from a dataset: each query's documents by falling
 * label (or by what is preferred to them), and the pairs that an objective compares.
 *
 * Made once, before the first epoch, and shared by all threads; each thread brings
 * scratch memory.  Features are the caller's: it lays them out in the training set's
 * order (train_set_row).                                                               */
#ifndef TRAIN_SET_H
#define TRAIN_SET_H

#include "../data/dataset.h"
#include "../base/alloc.h"
#include "../data/prefs.h"
#include "objective.h"

enum pair_set { PAIRS_ALL, PAIRS_ADJACENT, PAIRS_SAMPLED, PAIRS_UNIT };

/* Settings; train_set_params says what they mean.  Without pairs those stay 0. */
struct train_set_config {
    int pairs; /* enum pair_set */
    int64_t sample, sample_over;
    int ties, unlabelled; /* 0 or 1 */
    double binarise;
    int consistent; /* 0 or 1 */
};
const struct param *train_set_params(bool has_pairs);

/* How the pairs of one query are come by. */
struct query_plan {
    uint32_t n_judged, n_ranked;
    uint32_t first_open, n_open; /* documents whose run holds the unjudged ones */
    uint64_t n_judged_pairs;     /* by label, without those that hold the unjudged */
    uint64_t n_sampled;          /* pairs to draw in an epoch; 0: all are taken */
    double n_all;                /* as in struct query_pairs */
};

struct train_set {
    size_t n_queries, n_docs;
    uint32_t max_docs;       /* of a query */
    size_t max_sampled;      /* pairs drawn for a query at most */
    size_t n_teaching;       /* queries from which there is something to learn */
    size_t n_cut;            /* queries so long that their pairs are sampled unasked */
    const uint64_t *start;   /* the dataset's: query q has rows start[q] .. start[q + 1] */
    const float *weight;     /* the dataset's, of queries; NULL: all 1 */
    struct query_plan *plan; /* n_queries */
    uint32_t *from;          /* n_docs: row of the training set -> place in its query */
    float *label;            /* n_docs, falling within a query */
    float *doc_weight;       /* n_docs or NULL */
    uint32_t *below, *until, *ties_until; /* n_docs or NULL: places in the query */
    uint64_t *before;     /* n_docs or NULL: judged pairs of the documents before it */
    struct pair *pair;    /* listed pairs, by query, then by i, then by j; i < j */
    size_t pair_cap;      /* places of pair */
    uint64_t *pair_start; /* n_queries + 1, or NULL: there are none */
    struct arena arena;   /* all of its arrays but pair */
};

/* d must outlive the training set.  With prefs (may be NULL) the pairs are those, with
 * their probabilities and weights, and labels are not looked at: they must be
 * preferences over d's documents.  Documents then come by falling balance of wins and
 * losses, those without a preference last, and pairs by their two places: whoever lists
 * all pairs whose labels differ, in whatever order, gets the training set of those
 * labels. */
MUST_CHECK peck_status train_set_new(struct train_set **out, const struct peck_dataset *d,
                                     const struct peck_prefs *prefs,
                                     const struct train_set_config *config,
                                     peck_error *err);
/* The same on a pool. */
MUST_CHECK peck_status train_set_new_on(struct pool *pool, struct train_set **out,
                                        const struct peck_dataset *d,
                                        const struct peck_prefs *prefs,
                                        const struct train_set_config *config,
                                        peck_error *err);
/* The same documents, and listed pairs of its own: none yet.  d must outlive it. */
MUST_CHECK peck_status train_set_new_listed(struct train_set **out,
                                            const struct train_set *of, peck_error *err);
void train_set_free(struct train_set *l); /* takes NULL */

/* Different labels of judged documents; no more are counted. */
enum { TRAIN_SET_MOST_CLASSES = 1000 };
size_t train_set_classes(const struct train_set *l);
/* PECK_SHAPE when a preference is not about documents of one query of d. */
MUST_CHECK peck_status train_set_check_prefs(const struct peck_dataset *d,
                                             const struct peck_prefs *prefs,
                                             peck_error *err);
/* Brings the weights of q's listed pairs to 1 on average, and sets its n_all. */
void train_set_scale_pairs(struct train_set *l, size_t q);

/* The dataset's row of document i of query q: features go in that order. */
static inline size_t train_set_row(const struct train_set *l, size_t q, size_t i)
{
    return (size_t)l->start[q] + l->from[l->start[q] + i];
}

/* One thread's scratch memory, for any query. */
struct query_scratch {
    struct arena arena;
    uint32_t *rank;
    void *bytes; /* what the objective asks for */
    struct pair *pair;
};
/* o: the objective that is asked; NULL: none. */
MUST_CHECK peck_status query_scratch_init(struct query_scratch *scratch,
                                          const struct train_set *l,
                                          const struct objective *o, peck_error *err);
void query_scratch_free(struct query_scratch *scratch); /* takes an all-zero one too */

/* Query q as an objective sees it, good until the next call with that scratch.  Pairs
 * that are drawn depend on (seed, epoch, q) alone.  Takes no memory, cannot fail. */
struct query_pairs train_set_query(const struct train_set *l, size_t q, uint64_t seed,
                                   uint64_t epoch, struct query_scratch *scratch);

#endif
