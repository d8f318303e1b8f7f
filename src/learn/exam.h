/* exam.h -- scores of many documents, and what they are worth: which epoch is best. */
#ifndef EXAM_H
#define EXAM_H

#include "learner.h"

/* Memory to score n rows in blocks, one a worker. */
struct sheet {
    const struct plan *plan;
    struct pool *pool;
    struct rows x;
    float *score;    /* x.n */
    float **scratch; /* one a worker */
    const float *w;  /* while at work */
};

MUST_CHECK peck_status sheet_open(struct sheet *s, const struct plan *plan, struct rows x,
                                  struct pool *pool, peck_error *err);
/* s->score from w: the same bytes on any pool. */
void sheet_score(struct sheet *s, const float *w);
void sheet_close(struct sheet *s); /* takes an all-zero one too */

/* A member's seat in the exam. */
struct seat {
    const struct exam *exam; /* NULL: there is none */
    struct sheet sheet;
    double *score;
    struct exhibit exhibit;
    struct trial *trial;
};

MUST_CHECK peck_status seat_open(struct seat *s, const struct task *task, peck_error *err);
/* The metric under w: the more the better (an error comes negative).  NaN: no exam, or
 * nothing in it can be judged.  PECK_DIVERGED when a score is no finite number. */
MUST_CHECK peck_status seat_mark(struct seat *s, const float *w, double *mark,
                                 peck_error *err);
void seat_close(struct seat *s); /* takes an all-zero one too */

#endif
