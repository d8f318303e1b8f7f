/* data -- FILE -> DATASET
 *   in      bytes of a file, read options
 *   out     one in-memory form: dense float32 rows grouped by query, with labels; lists of
 *           preferences, scores, TREC runs; parts and summaries of them; files again
 *   knows   base
 *   never   scaling, training, metrics, printing
 *   grow    read_<format>.c + one line in readers.def; write_<format>.c + writers.def  */
#ifndef DATASET_H
#define DATASET_H

#include "../base/comm.h"
#include "../base/input.h"
#include "../base/pool.h"
#include "../base/strings.h"

#include <float.h>

struct plug;

/* Limits that every reader holds from its first byte on. */
enum {
    MAX_LINE = 16 << 20,         /* bytes */
    MAX_FEATURE = 1 << 20,       /* feature index in text, columns anywhere */
    MAX_ID = 1 << 16,            /* bytes of a query or document id */
    MAX_DOCS_IN_QUERY = 1 << 30, /* order and offsets inside a query are uint32 */
};

/* The format of the cache, in its metadata under "format" (the number rises when an old reader
 * would go wrong), and what its files are called. */
#define CACHE_FORMAT "peck data 1"
#define CACHE_ENDINGS ".peckdata", ".safetensors", ".cache"

/* What may be done about a missing value. */
#define MISSING_ADVICE "use --missing zero or mean, or keep for trees (lambdamart, mart)"

/* An array is ours to free, and borrowed when it lies inside `mapped`.  Rows of a query are adjacent; row r of
 * query q is start[q] <= r < start[q + 1].  x is [n_docs][dim], no gaps; of a part, whose
 * features stay where they are, x is another's and place[] says where its queries lie; and so
 * it does where x is that of several mapped files. */
struct peck_dataset {
    size_t n_docs, n_queries, dim;
    const float *x;
    float *label;    /* n_docs; PECK_UNJUDGED or a finite number >= 0 */
    uint64_t *start; /* n_queries + 1, rising: no query is empty */
    struct strings query_id;
    struct strings doc_id; /* n = 0: none; else n_docs, "" where a document has none */
    struct strings feature_name; /* n = 0: none; else dim, "" where unnamed */
    float *doc_weight;           /* NULL: all 1; else finite, > 0 */
    float *query_weight;         /* NULL: all 1; else finite, > 0 */
    uint64_t *file_row;   /* NULL: as in the file; else row -> 0-based row of the file */
    size_t n_missing;     /* cells that --missing filled, or kept */
    uint32_t *missing_in; /* NULL, or how many of them per feature */
    float max_label;
    size_t n_judged;
    const char *reader; /* a static string */
    char *name;         /* of the file, for messages; ours */
    uint64_t *place;    /* NULL: start; else n_queries: the row of x at which each begins */
    float *x_owned;     /* what to free when x is ours */
    struct input mapped; /* keeps the cache's bytes alive; a part's is another's */
    bool is_checked;     /* every feature is known to be finite */
    bool keeps_missing;  /* the user said that features may be NaN: missing */
    bool is_sparse;      /* rows leave features out; there may be more than dim, all 0 */
    bool is_view; /* x_owned and missing_in are ours, the rest another's; feature_name as
                   * its own mark says, label as the next one does */
    bool has_own_labels;
    bool is_part; /* x and mapped are another's, the rest is ours */
    const peck_comm
        *comm; /* ranks that share the work on it, the caller's; NULL: one rank */
    size_t
        *share; /* n_ranks + 1: where the queries of each begin; NULL: all are one's own */
};

/* A label as it is stored: a finite number from 0 on, or not judged. */
static inline bool is_label(float y)
{
    return (y >= 0.0f && y <= FLT_MAX) || y == PECK_UNJUDGED;
}

/* wrap.c: texts that a program gives, n of them: one line each, and unless they may be empty
 * no two the same.  from NULL: "1", "2", ... */
struct text_rule {
    const char *what, *a_what; /* "id", "an id" */
    const char *one, *many;    /* "query", "queries": for messages */
    bool may_be_empty;
};
extern const struct text_rule feature_names;
MUST_CHECK peck_status take_texts(struct strings *to, const char *const *from, size_t n,
                                  const struct text_rule *rule, peck_error *err);

/* The queries that this rank works on, from the first to the one before the end. */
static inline size_t dataset_own_first(const struct peck_dataset *d)
{
    return d->share != NULL ? d->share[comm_rank(d->comm)] : 0;
}

static inline size_t dataset_own_end(const struct peck_dataset *d)
{
    return d->share != NULL ? d->share[comm_rank(d->comm) + 1] : d->n_queries;
}

/* Queries are dealt to n: those of part i begin with the first one whose documents begin in
 * the i-th part of all documents, or behind it. */
size_t dataset_first_dealt(const struct peck_dataset *d, size_t i, size_t n);
/* Deals the queries to ranks that have all read the same data: parts of about as many
 * documents, in the order of the ranks.  Features of other ranks' queries are never looked at;
 * a reader of text has left them out, and place[] leads nowhere. */
MUST_CHECK peck_status dataset_deal(struct peck_dataset *d, const peck_comm *comm,
                                    peck_error *err);
/* Every rank's part of what there is one of for each document (size: its bytes), to all. */
MUST_CHECK peck_status dataset_share_rows(const struct peck_dataset *d, void *all,
                                          size_t size, peck_error *err);

/* The documents of one query, how many there are, their labels; its weight and its id.
 * peck_dataset_query gives them all. */
struct rows dataset_rows(const struct peck_dataset *d, size_t query);

static inline size_t dataset_query_size(const struct peck_dataset *d, size_t query)
{
    return (size_t)(d->start[query + 1] - d->start[query]);
}

static inline const float *dataset_labels(const struct peck_dataset *d, size_t query)
{
    return d->label + d->start[query];
}

static inline float dataset_query_weight(const struct peck_dataset *d, size_t query)
{
    return d->query_weight != NULL ? d->query_weight[query] : 1.0f;
}

static inline peck_span dataset_query_id(const struct peck_dataset *d, size_t query)
{
    return strings_get(&d->query_id, query);
}

/* peck_dataset_overlap on a pool. */
MUST_CHECK peck_status dataset_overlap(peck_overlap *out, const struct peck_dataset *d,
                                       const struct peck_dataset *other, struct pool *pool,
                                       peck_error *err);
/* What is measured should be no part of what was learnt from, or chosen by: a sentence, behind
 * `where` ("fold 1: "), of the queries that d, the `part` ("test") data, shares with `other`. */
enum { OVERLAP_ROOM = 320 };
void overlap_print(char text[OVERLAP_ROOM], const char *where, const char *part,
                   const struct peck_dataset *d, const char *other,
                   const peck_overlap *both);

/* Documents of the longest query. */
size_t dataset_longest_query(const struct peck_dataset *d);

/* The features of one document. */
const float *dataset_row(const struct peck_dataset *d, size_t row);

/* An empty dataset to be filled, with a copy of its name; NULL: no memory. */
struct peck_dataset *dataset_new(const char *name);

/* Frees one of its arrays, but not one inside `mapped`, which goes with that. */
void dataset_free_array(const struct peck_dataset *d, void *array);

/* n_judged and max_label from the labels: the last step of every reader. */
void dataset_count_labels(struct peck_dataset *d);

/* Refuses infinite features, and NaN unless the user keeps missing values and the caller
 * can do with them (may_miss).  Readers of text check as they parse; a mapped cache is
 * checked by the first verb that looks at features, not on opening. */
MUST_CHECK peck_status dataset_check_features(const struct peck_dataset *d, bool may_miss,
                                              struct pool *pool, peck_error *err);

/* The same by ranks, each of its own queries. */
MUST_CHECK peck_status dataset_check_shared(const struct peck_dataset *d, bool may_miss,
                                            struct pool *pool, peck_error *err);

/* All of d in the arrays of d, which must outlive it; features, names and labels may be
 * replaced in it.  NULL: no memory. */
struct peck_dataset *dataset_view(const struct peck_dataset *d);
/* A view of d with a copy of other labels. */
MUST_CHECK peck_status dataset_with_labels(struct peck_dataset **out,
                                           const struct peck_dataset *d, const float *label,
                                           peck_error *err);

/* The given queries of d, in that order, as a dataset of its own: its rows are counted
 * anew, so file_row does not come along.  Where d is dealt to ranks the order is rising, and
 * queries stay with those who have them. */
MUST_CHECK peck_status dataset_take(struct peck_dataset **out, const struct peck_dataset *d,
                                    const uint32_t *query, size_t n_queries,
                                    peck_error *err);
/* The same as a part: features stay where they are, in d, which must outlive it. */
MUST_CHECK peck_status dataset_part(struct peck_dataset **out, const struct peck_dataset *d,
                                    const uint32_t *query, size_t n_queries,
                                    peck_error *err);

/* Features that were read and are not needed soon give their memory back, where they are
 * those of a mapped file: whoever looks again reads them again. */
void dataset_forget(const struct peck_dataset *d);
/* The same of some queries, from the first to the one before the end. */
void dataset_forget_queries(const struct peck_dataset *d, size_t first, size_t end);
/* Of a mapped file: queries are looked at here and there from now on, each after
 * dataset_expect_query, which reads it and nothing around it; or in their order, as usual. */
void dataset_scatter(const struct peck_dataset *d, bool is_scattered);
void dataset_expect_query(const struct peck_dataset *d, size_t q);

/* The queries of d, then those of `more`, whose labels and weights are forgotten. */
MUST_CHECK peck_status dataset_join(struct peck_dataset **out, const struct peck_dataset *d,
                                    const struct peck_dataset *more, peck_error *err);

/* Marks the queries that peck_dataset_fold would take. */
MUST_CHECK peck_status dataset_mark_fold(const struct peck_dataset *d, size_t n_folds,
                                         size_t fold, const char *part, uint64_t seed,
                                         bool *mark, peck_error *err);
/* Marks the queries that peck_dataset_holdout would hold out. */
MUST_CHECK peck_status dataset_mark_holdout(const struct peck_dataset *d, double share,
                                            uint64_t seed, bool *is_held, peck_error *err);
/* The queries for which mark[q] == wanted, in the dataset's order. */
MUST_CHECK peck_status dataset_take_marked(struct peck_dataset **out,
                                           const struct peck_dataset *d, const bool *mark,
                                           bool wanted, peck_error *err);
MUST_CHECK peck_status dataset_part_marked(struct peck_dataset **out,
                                           const struct peck_dataset *d, const bool *mark,
                                           bool wanted, peck_error *err);

/* fingerprint.c: a number that tells data sets apart: of features, labels, weights and the
 * sizes of the queries.  The same on any pool and any number of ranks. */
MUST_CHECK peck_status dataset_fingerprint(uint64_t *out, const struct peck_dataset *d,
                                           struct pool *pool, peck_error *err);
/* The same of all but the features. */
uint64_t frame_fingerprint(const struct peck_dataset *d);
/* The same of the features of one document. */
uint64_t row_fingerprint(const float *x, size_t dim);
/* The same of what a ranking is judged by: the labels of each query, in whatever order.  Data
 * with other features of the same documents has the same one. */
uint64_t labels_fingerprint(const struct peck_dataset *d);

/* match.c: which columns somebody asks for. */
struct wanted {
    const struct strings *name; /* n = 0: none; else dim */
    size_t dim;
    const char *has; /* for messages: "the model was trained on" */
};
/* Whether `how` is one of those that dataset_match knows. */
MUST_CHECK peck_status match_check(const char *how, peck_error *err);
/* d with the columns that are asked for, under the names that are asked for: a view, which d
 * must outlive.  how: "name", "position" or NULL, as in peck.h.  info may be NULL. */
MUST_CHECK peck_status dataset_match(struct peck_dataset **out,
                                     const struct peck_dataset *d, const struct wanted *w,
                                     const char *how, peck_match_info *info,
                                     peck_error *err);

/* builder -------------------------------------------------------------------------
 * Rows in file order, with the query of each as runs; builder_finish gathers the rows
 * of every query (in place, order within the query kept) and makes the dataset.
 * A reader that knows n in advance may fill x, label, ... itself after
 * builder_rows(), from several threads.                                           */
struct query_run {
    peck_span id;   /* points into the input, or into the builder's `text` */
    uint64_t first; /* row at which it starts; it ends where the next one does */
    size_t line;    /* for messages */
};

struct builder {
    size_t n, dim, cap;
    float *x, *label;
    float *doc_weight;   /* NULL until a reader sets has_weights before builder_rows */
    float *query_weight; /* per run, as for doc_weight (has_query_weights) */
    struct strings doc_id;
    struct query_run *run;
    size_t n_runs, cap_runs, cap_query_weight;
    bool has_weights, has_query_weights;
    struct strings feature_name;
    size_t n_missing;
    uint32_t *missing_in;
    bool keeps_missing;
};

/* Refuses a dense form that this machine's memory cannot hold, naming its size. */
MUST_CHECK peck_status builder_check_size(const char *name, size_t n, size_t dim,
                                          peck_error *err);
/* Makes room for n rows in all (zeroed); n may grow, by doubling inside. */
MUST_CHECK peck_status builder_rows(struct builder *b, size_t n, peck_error *err);
/* The next row belongs to this query: starts a run where the id changes.  `id` must stay
 * readable until builder_finish. */
MUST_CHECK peck_status builder_query(struct builder *b, peck_span id, float weight,
                                     size_t line, peck_error *err);
/* Takes everything out of b; b is empty afterwards, also on failure.  A query whose
 * weight differs between runs is refused. */
MUST_CHECK peck_status builder_finish(struct peck_dataset **out, struct builder *b,
                                      const char *name, const char *reader,
                                      peck_error *err);
void builder_free(struct builder *b);

/* Formats that can be read, in display order: the plugs of struct reader. */
extern const struct plug *const readers[];
extern const size_t n_readers;

#endif
