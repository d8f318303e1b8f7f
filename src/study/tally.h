/* study -- DATA, MODELS, RUNS -> WHAT THEY ARE LIKE
 *   in      datasets, preferences, models, scores, rules
 *   out     a report
 *   knows   base data metric model report rules flow
 *   never   training, choosing
 *   grow    one file a call of peck.h
 *
 * Its door is peck.h.  tally.h: what a model says of the pairs and triples of lists.  A list
 * of at most `most` pairs is asked for all of them; of a longer one as many pairs and triples
 * are drawn.                                                                          */
#ifndef TALLY_H
#define TALLY_H

#include "../flow/score.h"

/* Of one list, or of all together. */
struct tally {
    uint64_t n_pairs, n_tied;      /* asked; neither goes first */
    uint64_t n_triples, n_circles; /* looked at; a before b before c before a */
    uint64_t n_differing;          /* pairs asked whose labels differ */
    uint64_t n_drawn;              /* lists that were drawn from */
    /* Weight of label-differing pairs, the first document being the one that stands
     * first in the data: [the first has the larger label][... was preferred].  A tie is
     * half a preference for each. */
    double weight[2][2];
};

/* Over all queries, in their order: the same at any pool size. */
MUST_CHECK peck_status tally_dataset(struct tally *out, const struct peck_model *m,
                                     const struct peck_dataset *d, uint64_t most,
                                     uint64_t seed, struct pool *pool, struct watch *watch,
                                     peck_error *err);

/* Of the label-differing pairs; NaN: there are none.  Precision and recall are the means
 * over the two relations, "goes before" and "goes behind": how many of the pairs said to
 * be so are, and how many of those that are were said to be. */
double tally_accuracy(const struct tally *t);
double tally_precision(const struct tally *t);
double tally_recall(const struct tally *t);

#endif
