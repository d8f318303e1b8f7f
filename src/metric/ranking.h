/* ranking.h -- inside the metric room: one query put in order and made ready. */
#ifndef RANKING_H
#define RANKING_H

#include "metric.h"

#include "../base/sort.h"

/* Labels 0, 1, ... below this have their gain in a table and are sorted by counting. */
enum { SMALL_LABELS = 32 };

/* What every query of a judgement shares; nobody writes to it once it is made. */
struct judge_context {
    const struct scored_docs *scored_docs;
    const struct convention *convention;
    unsigned needs;
    uint64_t seed;
    uint32_t longest; /* documents in the longest query */
    double top_grade;
    double *discount; /* longest: of rank i + 1 */
    double gain[SMALL_LABELS];
};

/* A worker's memory, sized once for the longest query. */
struct ranking_scratch {
    void *block;
    double *score, *label, *weight, *gain, *dcg, *ideal, *tree, *seen, *level;
    struct sort_item *item; /* two for each document */
    uint32_t *kept, *order, *spare, *grade;
    bool *relevant;
};

MUST_CHECK peck_status ranking_scratch_open(struct ranking_scratch *d, size_t longest,
                                            peck_error *err);
void ranking_scratch_close(struct ranking_scratch *d);

/* false: nobody judged a document of this query. */
bool ranking_build(struct ranking *r, struct ranking_scratch *d,
                   const struct judge_context *context, size_t query);

/* Counts the pairs of n documents that stand in the order of falling scores.
 *   grade   n; 0 for the largest label, equal for equal labels, below n_grades
 *   tree, seen, level   n_grades + 1 each; level is all zero, before and after
 * O(n log n_grades). */
struct pairs pairs_count(const double *score, const uint32_t *grade, const double *weight,
                         uint32_t n, uint32_t n_grades, double *tree, double *seen,
                         double *level);

#endif
