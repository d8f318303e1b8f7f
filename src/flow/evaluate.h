/* flow -- PECK.H -> THE ROOMS, IN TURN: the corridor
 *   in      what a program asks for: judge, train, blend, rank, show, ...
 *   out     a report, a model, an order, a file, a page
 *   knows   base data norm model learn decode rules metric report html synth
 *   never   what a room can do by itself; printing, argv
 *   grow    one file a call of peck.h; a section of the page is show_<name>.c + its line in
 *           show_write.c
 *
 * Nobody includes the corridor: its door is peck.h, and headers like this one are for its
 * own files.  evaluate.h is what judging one run and comparing several share.          */
#ifndef EVALUATE_H
#define EVALUATE_H

#include "../data/dataset.h"
#include "../metric/metric.h"

/* Under this name a report has the fingerprint of the labels that it was judged by. */
#define LABELS_NOTE "fingerprint of the labels"

/* A judge's specification, checked. */
struct judge_plan {
    struct metric_list metrics;
    struct convention convention;
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

/* The convention, in full, as a note. */
MUST_CHECK peck_status report_convention(struct peck_report *r, const struct convention *c,
                                         peck_error *err);

#endif
