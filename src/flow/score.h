/* score.h -- what scoring, ranking and probing share. */
#ifndef SCORE_H
#define SCORE_H

#include "../base/pool.h"
#include "../data/dataset.h"
#include "../model/model.h"

/* Refuses rows that are too close together, or with features that are not finite. */
MUST_CHECK peck_status check_rows(const struct peck_model *m, struct rows docs,
                                  peck_error *err);

/* Mean and deviation of a model's scores over all documents; where all scores are equal
 * the deviation is 1, so that they become 0. */
MUST_CHECK peck_status measure_scale(struct scale *out, const struct peck_model *m,
                                     const struct peck_dataset *d, int threads,
                                     peck_error *err);

/* d: matched to the model.  score[n_docs] as the decoder of `call` puts the documents of every query; its oracle is
 * not looked at, its pool must be there.  With a shuffle, a seed, the documents of each
 * query stand in another order before the decoder.  shuffle, watch and info may be NULL. */
MUST_CHECK peck_status rank_dataset(const struct peck_model *m,
                                    const struct peck_dataset *d,
                                    const struct decode_call *call, const uint64_t *shuffle,
                                    struct watch *watch, double *score,
                                    peck_decode_info *info, peck_error *err);

#endif
