/* line.h -- a metric along a line of scores: s + t d for many t at once.
 *
 * Along a line a metric of ranks is a staircase, so it is looked at, not derived.  For
 * NDCG and MAP with ties in the data's order short lists are not sorted: a document's rank
 * is the number of those above it, counted for all t in one pass, and only relevant
 * documents are asked.  Of long ones the top is picked, or they are sorted, for each t.
 * Everything else is judged one t after the other.                                    */
#ifndef LINE_H
#define LINE_H

#include "../base/alloc.h"
#include "train_metric.h"

enum { LINE_MAX = 48 }; /* values of t; a multiple of any vector's length */

struct line {
    struct train_metric *train_metric;
    struct pool *pool;
    bool is_counted;              /* else: judged one by one */
    bool is_map;                  /* else NDCG */
    uint32_t cut;                 /* ranks that count */
    double *gain;                 /* n_docs: what a document adds at rank 1; 0: nothing */
    double *discount;             /* longest query */
    double *unit;                 /* n_queries: what the query's sum is multiplied with */
    double *sum;                  /* [n_shards][LINE_MAX] */
    float *s;                     /* n_docs: for one t, where it is judged */
    struct line_scratch *scratch; /* one a worker */
    const float *base, *way;      /* while at work: s and d */
    const float *t;
    size_t n_t;
    struct arena arena;
};

/* The train_metric must outlive it. */
MUST_CHECK peck_status line_open(struct line *l, struct train_metric *r, struct pool *pool,
                                 peck_error *err);
/* value[k] for t[k], k < n <= LINE_MAX: the metric, up to a constant that is the same for
 * all.  s and d have n_docs numbers in the order of the training set. */
void line_judge(struct line *l, const float *s, const float *d, const float *t, size_t n,
                double *value);
void line_close(struct line *l); /* takes an all-zero one too */

#endif
