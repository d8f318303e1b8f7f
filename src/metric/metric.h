/* metric -- ORDER + LABELS -> NUMBER
 *   in      labels, scores and weights of documents grouped by query
 *   out     one number a metric, and one a query; tests between runs (signif.h)
 *   knows   base
 *   never   files, features, how a score was made
 *   grow    met_<name>.c + one line in metrics.def; a preset is one line in
 *           conventions.def                                                      */
#ifndef METRIC_H
#define METRIC_H

#include "../base/alloc.h"
#include "../base/plug.h"
#include "../base/pool.h"
#include "../base/strings.h"

#include <stdbool.h>
#include <stdint.h>

/* convention ----------------------------------------------------------------------
 * Everything in which two programs may differ when both print "NDCG@10".  The values
 * of each enumeration are in the order of the part's `allowed` text.               */
enum gain_rule { GAIN_EXP, GAIN_LINEAR, GAIN_LETOR, GAIN_MSLR };
enum discount_rule { DISCOUNT_LOG2, DISCOUNT_LETOR };
enum empty_rule { EMPTY_ZERO, EMPTY_ONE, EMPTY_SKIP };
enum empty_weight_rule { EMPTY_WEIGHT_QUERY, EMPTY_WEIGHT_ONE };
enum short_rule { SHORT_PAD, SHORT_ZERO };
enum short_p_rule { SHORT_P_PAD, SHORT_P_CLIP, SHORT_P_ZERO };
enum ties_rule { TIES_INPUT, TIES_RANDOM, TIES_DOCID, TIES_WORST, TIES_BEST };
enum labels_rule { LABELS_REAL, LABELS_INT, LABELS_BINARY };
enum unjudged_rule { UNJUDGED_SKIP, UNJUDGED_ZERO };
enum ap_rule { AP_ALL, AP_CUT };

struct convention {
    const struct preset *preset; /* what it started from */
    int gain, discount, empty, empty_weight, short_list, short_p, ties, labels, unjudged,
        ap;
    double rel;        /* a label from here on is relevant */
    double err_max;    /* ERR's largest grade; 0: the largest label of the data */
    int64_t depth;     /* the last rank that may be asked for; 0: any */
    int64_t top_label; /* the largest label that exponential gain takes */
};

/* A named convention; plug.params are the parts, with `standard`'s values. */
struct preset {
    struct plug plug;
    const struct preset_setting {
        const char *key, *value;
    } * parts; /* where it differs from `standard`; ended by a NULL key */
};

extern const struct preset *const conventions[];
extern const size_t n_conventions;

/* The value of part i (row i of plug.params) under this preset, as a user types it. */
const char *preset_part(const struct preset *p, size_t i);

/* "letor4", "letor4,gain=linear,ties=worst", "gain=linear" (on top of `standard`).
 * NULL and "": `standard`. */
MUST_CHECK peck_status convention_parse(struct convention *c, const char *text,
                                        peck_error *err);
/* Appends "letor4: gain=linear, discount=letor, ...": every part, for reports. */
void convention_print(const struct convention *c, struct text *to);
/* "letor4, gain=linear": the preset, and the parts that are not as it has them. */
void convention_print_brief(const struct convention *c, struct text *to);
/* The label that metrics see: as it is, cut to an integer, or 0 and 1. */
double convention_label(const struct convention *c, double label);
/* What a document of this (seen) label adds to DCG before the discount. */
double convention_gain(const struct convention *c, double label);
/* What the document at this rank (from 1) keeps of its gain. */
double convention_discount(const struct convention *c, size_t rank);
/* Whether a (seen) label is relevant. */
bool convention_relevant(const struct convention *c, double label);

/* metrics ------------------------------------------------------------------------- */

/* Pairs of documents of one query; (i, j) counts weight_i * weight_j.
 * differ + same labels = all; right + wrong + tied = differ. */
struct pairs {
    double right;        /* the larger label has the larger score */
    double wrong;        /* ... the smaller score */
    double tied;         /* labels differ, scores do not */
    double differ;       /* labels differ */
    double score_differ; /* scores differ */
    double all;
};

/* Counts the pairs of n documents that stand in the order of falling scores.
 *   grade   n; 0 for the largest label, equal for equal labels, below n_grades
 *   tree, seen, level   n_grades + 1 each; level is all zero, before and after
 * O(n log n_grades). */
struct pairs pairs_count(const double *score, const uint32_t *grade, const double *weight,
                         uint32_t n, uint32_t n_grades, double *tree, double *seen,
                         double *level);

/* One query as metrics see it: the list, best first; behind it the documents that are
 * judged but were not retrieved, which only totals and ideals know of. */
struct ranking {
    size_t query; /* its number */
    const struct convention *convention;
    uint32_t n;           /* documents in the list */
    uint32_t n_all;       /* ... and behind it */
    const double *label;  /* n_all, as the convention sees them */
    const bool *relevant; /* n_all */
    const double *weight; /* n_all */
    const uint32_t *doc;  /* n_all: the place of each among the query's documents */
    const double *dcg;    /* n: DCG of the first i + 1 documents */
    const double *ideal;  /* n_all: DCG of the first i + 1 of the best order */
    uint32_t n_relevant;  /* of n_all */
    double relevant_weight;
    double top_grade; /* ERR's largest grade */
    struct pairs pairs;
};

/* What one query gives: num / den; den = 0 leaves it out. */
struct share {
    double num, den;
    bool is_unweighted; /* LightGBM's empty query: adds 1 whatever its weight */
};

enum fold {
    FOLD_MEAN,  /* sum of W num / den, over sum of W */
    FOLD_POOLED /* sum of W num, over sum of W den */
};

/* What a metric wants made ready. */
enum { NEEDS_DCG = 1, NEEDS_PAIRS = 2, NEEDS_GRADES = 4 };

/* "The whole list", for a metric without "@n". */
#define WHOLE_LIST UINT32_MAX

struct metric {
    struct plug plug;
    enum fold fold;
    bool takes_cut;     /* "@n" may follow the name */
    const char *in_all; /* how it stands in "all": "p@1,p@3"; NULL: by its name */
    bool is_error;      /* the smaller the better */
    unsigned needs;
    /* Cannot fail.  k from 1 on, or WHOLE_LIST.  Never called for a query without a
     * judged document, nor for one that `empty=skip` leaves out. */
    struct share (*value)(const struct ranking *r, uint32_t k);
    const peck_metric *own; /* the caller's, which is asked instead; NULL: it is ours */
};

extern const struct metric *const metrics[];
extern const size_t n_metrics;

/* A shelf for metrics: the value of a query that has nothing to find ... */
struct share share_of(double value);
struct share share_none(void);
/* ... under zero, one or skip. */
struct share share_empty(const struct convention *c);
/* sum[min(k, n) - 1]: a running sum at rank k; 0 when there is none. */
double sum_at(const double *sum, uint32_t n, uint32_t k);

/* "ndcg@10,map,p@5", parsed. */
enum { MAX_CUT = 1000000, MAX_METRICS = 1024, METRIC_NAME_MAX = 40 };
struct asked {
    const struct metric *metric;
    uint32_t k;
    char name[METRIC_NAME_MAX]; /* "ndcg@10" */
};
struct metric_list {
    struct asked *item;
    size_t n, cap;
    unsigned needs;
    struct own_metric *own; /* n_own metrics that the caller brought along */
    size_t n_own;
};

/* "all" stands for every metric.  What is asked for twice is there once. */
MUST_CHECK peck_status metric_list_parse(struct metric_list *list, const char *text,
                                         peck_error *err);
/* The same, with the caller's own metrics, ended by NULL; own may be NULL. */
MUST_CHECK peck_status metric_list_parse_with(struct metric_list *list, const char *text,
                                              const peck_metric *const *own,
                                              peck_error *err);
/* The one of "ndcg@10"; NULL: it is none of ours. */
const struct metric *metric_find(peck_span name);
/* The value of one query by a metric that the caller brought along. */
struct share own_metric_value(const struct metric *m, const struct ranking *r, uint32_t k);
void metric_list_free(struct metric_list *list);
/* Refuses cut-offs beyond the convention's depth. */
MUST_CHECK peck_status metric_list_check(const struct metric_list *list,
                                         const struct convention *c, peck_error *err);

/* The next word of "a, b,c"; false at the end, where *at becomes NULL. */
bool comma_next(const char **at, peck_span *word);

/* judging ------------------------------------------------------------------------- */

/* What there is to judge.  Document i of query q: start[q] <= i < start[q + 1]. */
struct scored_docs {
    size_t n_queries;
    const uint64_t *start;
    const float *label;           /* PECK_UNJUDGED where nobody judged */
    const double *score;          /* finite; -INFINITY: judged but not retrieved */
    const float *doc_weight;      /* NULL: all 1 */
    const float *query_weight;    /* NULL: all 1 */
    const struct strings *doc_id; /* NULL or n = 0: none; ties then keep input order */
    float max_label;              /* of the whole file */
};

struct verdict {
    size_t n_queries, n_metrics;
    double *value;     /* n_queries rows of n_metrics; NaN: the query is left out */
    double *total;     /* n_metrics; NaN: every query is left out */
    size_t n_unjudged; /* queries without a judged document: left out of everything */
    size_t n_empty;    /* queries with judged documents, none of them relevant */
};

/* The same bytes for any pool.  seed: of random ties. */
MUST_CHECK peck_status verdict_reach(struct verdict *out, const struct scored_docs *x,
                                     const struct metric_list *list,
                                     const struct convention *c, uint64_t seed,
                                     struct pool *pool, peck_error *err);
void verdict_free(struct verdict *v);

/* Judging the same documents again and again, as their scores change.  The judge lives in the
 * memory given.  x->score is read anew each time; *x, its arrays, list, c and pool must
 * outlive the judge. */
struct judge;
MUST_CHECK peck_status judge_open(struct judge **out, struct arena *memory,
                                  const struct scored_docs *x,
                                  const struct metric_list *list,
                                  const struct convention *c, uint64_t seed,
                                  struct pool *pool, peck_error *err);
/* Valid until the next call. */
const struct verdict *judge_verdict(struct judge *t);

#endif
