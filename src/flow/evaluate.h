/* flow -- PECK.H -> THE ROOMS, IN TURN: the corridor
 *   in      what a program asks for: score, rank, judge, convert, generate
 *   out     scores, an order, a report, a file
 *   knows   base data norm model learn decode rules metric report synth
 *   never   what a room can do by itself; printing, argv
 *   grow    one file a call of peck.h
 *
 * Programs come in by peck.h; train, select and study score and judge by evaluate.h and
 * score.h.                                                                            */
#ifndef EVALUATE_H
#define EVALUATE_H

#include "../data/dataset.h"
#include "../metric/metric.h"

/* A judge's specification, checked. */
struct judge_plan {
    struct metric_list metrics;
    struct convention convention;
    struct text words; /* the convention in full, for a report's note of it ... */
    struct text brief; /* ... and by its name */
    uint64_t seed;
    struct pool *pool;
};

/* usual: the metrics to take where the specification names none. */
MUST_CHECK peck_status judge_plan_open(struct judge_plan *p, const peck_judge_spec *spec,
                                       const char *usual, peck_error *err);
void judge_plan_close(struct judge_plan *p); /* takes an all-zero plan too */

/* What there is to judge; PECK_SHAPE where nothing is. */
MUST_CHECK peck_status scored_docs_of(struct scored_docs *x, const struct peck_dataset *d,
                                      const double *score, peck_error *err);

MUST_CHECK peck_status judge_dataset(struct verdict *out, const struct peck_dataset *d,
                                     const double *score, const struct judge_plan *plan,
                                     peck_error *err);

#endif
