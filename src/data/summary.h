/* summary.h -- what a person must know about a dataset before training on it. */
#ifndef SUMMARY_H
#define SUMMARY_H

#include "dataset.h"

enum {
    SUMMARY_LABELS = 20,    /* distinct labels that are counted one by one */
    SUMMARY_SHORT_LIST = 10 /* documents */
};

struct feature_summary {
    float min, max;   /* of what is there; NaN: nothing is */
    size_t n_missing; /* NaN, which --missing keep let pass */
    uint64_t key;     /* the same for equal columns */
    uint32_t twin;    /* the first feature with the same values in every row; else itself */
};

struct summary {
    /* Lists. */
    size_t shortest, longest;
    double median_length, mean_length;
    size_t n_short; /* fewer than SUMMARY_SHORT_LIST documents */
    /* Labels, of judged documents alone. */
    size_t n_unjudged_queries; /* not one document is judged */
    size_t n_irrelevant;       /* queries that are judged, and no label is above 0 */
    size_t n_single_label;     /* queries whose judged documents all have the same label */
    size_t n_labels;           /* distinct; 0: more than SUMMARY_LABELS, or none */
    float label[SUMMARY_LABELS]; /* rising */
    size_t label_count[SUMMARY_LABELS];
    float label_quantile[5]; /* least, quarter, median, three quarters, largest */
    /* Features. */
    struct feature_summary *feature; /* dim */
    size_t n_constant;               /* the same value in every row */
    size_t n_twins;                  /* not constant, and equal to an earlier feature */
    size_t n_repeated_rows;          /* equal to an earlier row of their query */
};

/* Fails when a feature is infinite, or NaN that the user did not keep. */
MUST_CHECK peck_status summary_make(struct summary *out, const struct peck_dataset *d,
                                    struct pool *pool, peck_error *err);
void summary_free(struct summary *s);

static inline bool feature_is_constant(const struct feature_summary *f)
{
    return f->min == f->max && f->n_missing == 0;
}

#endif
