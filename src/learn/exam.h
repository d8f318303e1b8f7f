/* exam.h -- what a net's scores or comparisons are worth: which epoch is best. */
#ifndef EXAM_H
#define EXAM_H

#include "sorter.h"

/* An exam, and where its documents lie. */
struct sitting {
    const struct exam *exam;
    struct rows x;         /* the documents, scaled */
    const uint32_t *place; /* as in struct sorter */
    const float *label;    /* instead of the data's; NULL: those */
    const char *decoder;   /* of nets that compare; NULL: the usual one */
};

/* A member's seat in an exam.  It stays where it was opened. */
struct seat {
    struct sitting sitting; /* exam NULL: there is none */
    struct sheet sheet;
    struct sorter sorter; /* of a net that compares, where labels count */
    double *score;        /* n_docs; the sorter's where there is one */
    const double *given;  /* scores that the learner keeps; NULL: the family scores */
    struct exhibit exhibit;
    struct trial *trial; /* NULL: preferences count */
};

/* how NULL: the exam of the training data. */
MUST_CHECK peck_status seat_open(struct seat *s, const struct task *task,
                                 const struct sitting *how, peck_error *err);
/* The metric under w: the more the better (an error comes negative).  NaN: no exam, or
 * nothing in it can be judged.  PECK_DIVERGED when a score is no finite number. */
MUST_CHECK peck_status seat_mark(struct seat *s, const float *w, double *mark,
                                 peck_error *err);
void seat_close(struct seat *s); /* takes an all-zero one too */

#endif
