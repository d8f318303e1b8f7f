/* peck.h -- learning to rank.  The only header a program needs.
 *
 *     file -> dataset -> norm -> train -> model -> order -> report
 *
 * The sections follow that line; the last one has what few need.  Three rules hold for all
 * of them:
 *
 *   1. A call that can fail returns peck_status; *err (may be NULL) says why.
 *   2. What arrives through **out is yours until its _free, which takes NULL.
 *      Every other pointer is borrowed for the length of the call, unless the
 *      call says "kept".
 *   3. A dataset, a model, a list of preferences and rules never change once they are
 *      made, so any number of threads may share one, and use it at the same time for
 *      whatever takes it as const; who frees it waits until the others are done.  Any
 *      other object serves one thread at a time: each thread has its own peck_scorer for
 *      the model that all share.
 *
 * The library never prints, never exits and never reads the environment.
 *
 * Structs that you fill begin with `size`.  0 stands for the members of version 0.1, so
 * all zero is every default, in every version; sizeof of the struct stands for those of
 * your header, and is needed where you use one that is marked as later than 0.1:
 *
 *     peck_train_spec spec = { .size = sizeof spec };
 *
 * New members come at the end, and a library reads only what your size covers; a size
 * that it cannot know is PECK_ARG.  Structs that the library fills, and those without
 * `size` that you pass in arrays, keep their layout; those that it hands to your functions
 * may grow at the end.  So a program that was built with this header works with every later
 * library of the same major version (of 0.1, also with 0.2, ...).                   */
#ifndef PECK_H
#define PECK_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PECK_VERSION "0.1.0"
#define PECK_VERSION_NUMBER 100 /* major * 10000 + minor * 100 + patch: for #if */

#if defined(__GNUC__)
#define PECK_API __attribute__((visibility("default")))
#define PECK_MUST_CHECK __attribute__((warn_unused_result))
#else
#define PECK_API
#define PECK_MUST_CHECK
#endif

typedef struct peck_dataset peck_dataset; /* queries, documents, labels        */
typedef struct peck_prefs peck_prefs;     /* who was preferred to whom         */
typedef struct peck_rules peck_rules;     /* what an expert knows of a ranking */
typedef struct peck_model peck_model;     /* weights + normaliser + provenance */
typedef struct peck_scorer peck_scorer;   /* one thread's scratch for a model  */
typedef struct peck_report peck_report;   /* named numbers, and one per query  */
typedef struct peck_page peck_page;       /* runs, on their way to a web page   */

/* 0. What can go wrong ---------------------------------------------------- */

/* Numbers never move; new ones are appended. */
#define PECK_STATUS_MAP(V)                              \
    V(OK, 0, "ok")                                      \
    V(NOMEM, -1, "out of memory")                       \
    V(IO, -2, "cannot read or write")                   \
    V(FORMAT, -3, "malformed input")                    \
    V(ARG, -4, "an argument that makes no sense")       \
    V(SHAPE, -5, "two inputs that do not fit together") \
    V(DIVERGED, -6, "training diverged")                \
    V(STOPPED, -7, "stopped on request")                \
    V(UNSUPPORTED, -8, "left out of this build")

typedef enum peck_status {
#define PECK_STATUS_ENUM(name, number, text) PECK_##name = number,
    PECK_STATUS_MAP(PECK_STATUS_ENUM)
#undef PECK_STATUS_ENUM
} peck_status;

/* One sentence that starts with the place in the user's data when there is one
 * ("train.txt:1842: ...") and says what to do if we know. */
typedef struct peck_error {
    peck_status status;
    char text[512];
} peck_error;

/* Of the library that runs, which may be later than the header: text and number. */
PECK_API const char *peck_version(void);
PECK_API int peck_version_number(void);

/* 0: this processor does not multiply and add in one step, so that is worked out in several.
 * The results are the same, and come more slowly. */
PECK_API int peck_has_fma(void);

/* How many threads a function that is asked for so many will use.  0, which other places
 * call one per core: the processors of this process's affinity, and no more than the quota
 * of its container. */
PECK_API int peck_threads(int asked);
PECK_API const char *peck_status_text(peck_status status);
/* Makes text that came from outside fit for a terminal, as that of a peck_error is: control
 * characters (line breaks too, unless keep_lines) and bytes that are no UTF-8 become '?'. */
PECK_API void peck_text_plain(char *text, int keep_lines);

/* Whether a file of this name ("-": standard output) can be written, found out by trying: to be
 * asked before hours of work.  Nothing is left behind, and what is there stays as it is. */
PECK_API PECK_MUST_CHECK peck_status peck_output_check(const char *path, peck_error *err);
/* What is in a file, told by its first bytes, packed or not: "model", "cache" (of data),
 * "checkpoint", "page", "log" (of training), "scores", another program's as in "a LightGBM
 * model", "text" (data and all other text) or "binary"; NULL: nothing that could be lost, as there is no such file, or an empty
 * one, or no file but a device or a pipe. */
PECK_API const char *peck_file_content(const char *path);

/* A piece of text inside an object: n bytes at s, not ended by a zero byte. */
typedef struct peck_span {
    const char *s;
    size_t n;
} peck_span;

/* Bytes that the library made: yours until peck_bytes_free, which takes an empty one too.
 * A zero byte that is not counted follows the last one, so text is a string. */
typedef struct peck_bytes {
    char *s;
    size_t n;
} peck_bytes;

PECK_API void peck_bytes_free(peck_bytes *b);

/* How a call goes about its work.
 *
 * Whatever takes long has a `progress` like this one.  It hears the share of the work that is
 * done, from 0 to 1, and stops the call by returning anything but 0: the status is
 * PECK_STOPPED then, and what was to come out is as after a failure, unless the call says
 * otherwise.  It is called by one thread at a time, not always by the same one. */
typedef struct peck_work {
    size_t size; /* see "Structs that you fill" */
    int threads; /* 0: one per core                                                     */
    int (*progress)(void *ctx, double share); /* may be NULL                            */
    void *ctx;
} peck_work;

/* Ranks: processes, or threads, that share one piece of work; all make the same calls.  Each
 * function returns how many bytes have arrived: what was due, or else PECK_IO follows.  One
 * thread at a time calls them; docs/CLUSTER.md says more.  (From 0.2.) */
typedef struct peck_comm {
    size_t size; /* see "Structs that you fill" */
    int rank, n_ranks;
    void *ctx;
    int64_t (*broadcast)(void *ctx, void *data, size_t n, int root);
    int64_t (*all_gather)(void *ctx, const void *mine, void *all, const size_t *n_of);
    int64_t (*all_to_all)(void *ctx, const void *send, const size_t *n_send, void *got,
                          const size_t *n_got);
} peck_comm;

/* A metric of one's own -------------------------------------------------------
 * Whoever takes metrics by name (peck_judge_spec, peck_train_spec, peck_blend_spec) takes
 * some of yours beside them, and then knows their names. */

/* One query, ranked, the best document first. */
typedef struct peck_ranking {
    size_t query; /* its number in the data, from 0                                     */
    size_t n;     /* documents in the list                                              */
    size_t n_all; /* ... and behind them what is judged but was not retrieved (of runs) */
    const double *label;  /* n_all, as the convention has them                          */
    const double *weight; /* n_all, of the documents                                    */
    const uint32_t *doc;  /* n_all: which document of the query, from 0                 */
    size_t cut;           /* 10 for "name@10"; SIZE_MAX: nobody asked for a cut         */
} peck_ranking;

typedef struct peck_metric {
    size_t size;      /* see "Structs that you fill" */
    const char *name; /* of small letters, digits, '-' and '_'; no other metric's       */
    /* The value of one query; what is not finite leaves it out of the mean over the
     * queries, by their weights.  Several threads call it at once. */
    double (*value)(void *ctx, const peck_ranking *r);
    void *ctx;
    int is_error;  /* the smaller the better                                            */
    int takes_cut; /* "name@10" may be asked for                                        */
} peck_metric;

/* 1. file -> dataset ------------------------------------------------------ */

/* The label of a document that nobody judged ("?" in a file). */
#define PECK_UNJUDGED (-1.0f)

/* All zero: every default. */
typedef struct peck_read_options {
    size_t size;               /* see "Structs that you fill" */
    const char *format;        /* a reader's name; NULL: by content and file name    */
    const char *missing;       /* nan, NULL: "error" (default), "zero", "mean";
                                * "keep": NaN, for trees to learn from               */
    const char *features;      /* a subset such as "1-40,bm25"; NULL: all            */
    const char *feature_names; /* a file of names, one a line, "3 bm25" or "bm25"    */
    const char *query_sizes;   /* a file of group sizes for data without qid;
                                * NULL: FILE.query where it exists                   */
    const char *query_weights; /* a file of "query weight" lines; NULL: all 1        */
    int threads;               /* 0: one per core                                    */
    int zero_based;            /* LETOR text counts its features from 0              */
    int labels_optional;       /* data without labels is read too: nobody judged it  */
    const char *label_column;  /* of CSV and TSV, by name or by number from 1; NULL: */
    const char *query_column;  /* by the usual names: label, relevance, rel or grade; */
    const char *doc_column;    /* query, qid or query_id; doc, docid or doc_id       */
    int (*progress)(void *ctx, double share); /* may be NULL; non-zero stops         */
    void *ctx;
    const peck_comm *comm; /* from 0.2: kept; ranks that share training and scoring, each
                            * with features of its own queries; NULL: one rank          */
} peck_read_options;

/* Reads any format that `peck list readers` names, plain, gzip or zstd; "-" is
 * standard input.  From 0.2: '*' in the name stands for anything; such files are one dataset.  options may be NULL.  Files over 1 MiB are mapped: text while it is
 * read, a cache for as long as the dataset lives.  Replace such a file by writing another
 * one and renaming it, never in place: a mapped file that is cut short is a SIGBUS. */
PECK_API PECK_MUST_CHECK peck_status peck_dataset_read(peck_dataset **out, const char *path,
                                                       const peck_read_options *options,
                                                       peck_error *err);

/* A dataset over the caller's own arrays: x holds n_docs rows of n_features, label
 * n_docs numbers (NULL: nobody judged them), docs_in_query n_queries sizes that add
 * up to n_docs.  x is kept, not copied, and must outlive the dataset; the rest is
 * copied.  Queries are named "1", "2", ... */
PECK_API PECK_MUST_CHECK peck_status peck_dataset_wrap(peck_dataset **out, const float *x,
                                                       size_t n_docs, size_t n_features,
                                                       const float *label,
                                                       const uint32_t *docs_in_query,
                                                       size_t n_queries, peck_error *err);

/* All that may be said of such arrays; as peck_dataset_wrap where all but those is zero. */
typedef struct peck_arrays {
    size_t size;    /* see "Structs that you fill" */
    const float *x; /* kept, unless copies_x                                           */
    size_t n_docs, n_features;
    const float *label;
    const uint32_t *docs_in_query;
    size_t n_queries;
    const char *const *query_id;     /* n_queries, no two the same; NULL: "1", "2", ... */
    const char *const *doc_id;       /* n_docs, "" where one has none; NULL: none       */
    const char *const *feature_name; /* n_features, no two the same; NULL: none         */
    const float *doc_weight;         /* n_docs, above 0; NULL: all 1                    */
    const float *query_weight;       /* n_queries, above 0; NULL: all 1                 */
    int copies_x;                    /* x may go after the call                         */
    int keep_missing;                /* NaN is a missing value, for trees to learn from;
                                      * else it is refused by whoever needs the features */
} peck_arrays;

PECK_API PECK_MUST_CHECK peck_status peck_dataset_make(peck_dataset **out,
                                                       const peck_arrays *arrays,
                                                       peck_error *err);

/* Writes LETOR text, CSV, TSV or the cache, by the name's ending or by `format`
 * (a writer's name; NULL: by ending).  ".gz" and ".zst" compress; "-" is standard
 * output.  Written under a temporary name and renamed, so no half file is left. */
PECK_API PECK_MUST_CHECK peck_status peck_dataset_write(const peck_dataset *d,
                                                        const char *path,
                                                        const char *format,
                                                        peck_error *err);

typedef struct peck_dataset_info {
    size_t n_docs, n_queries, n_features;
    size_t n_judged;  /* documents with a label                                */
    size_t n_missing; /* nan or NULL cells that `missing` filled or kept       */
    float max_label;  /* largest label; 0 when nothing is judged               */
    int has_doc_ids, has_doc_weights, has_query_weights, has_feature_names;
    int was_gathered;   /* rows of a query were not adjacent in the file         */
    const char *reader; /* which reader made it; "wrap" for peck_dataset_wrap    */
} peck_dataset_info;

PECK_API void peck_dataset_describe(const peck_dataset *d, peck_dataset_info *info);

/* One query: pointers into the dataset. */
typedef struct peck_query {
    peck_span id;
    const float *x;          /* n_docs rows, `stride` floats from one to the next    */
    const float *label;      /* n_docs; PECK_UNJUDGED where nobody judged            */
    const float *doc_weight; /* n_docs, or NULL: all 1                               */
    size_t n_docs, stride;
    size_t first; /* its first document's row in the dataset              */
    float weight; /* of the query                                         */
} peck_query;

PECK_API void peck_dataset_query(const peck_dataset *d, size_t query, peck_query *out);
PECK_API peck_span peck_dataset_doc_id(const peck_dataset *d, size_t row); /* n = 0: none */
PECK_API peck_span peck_dataset_feature_name(const peck_dataset *d,
                                             size_t i); /* n = 0: none */

/* Seeded folds by query, as LETOR cuts them: the queries are shuffled and dealt
 * into n_folds parts; of fold f (from 0) part f is "test", the next is "valid", the
 * rest is "train".  n_folds from 2; with 2 there is no "valid".  (From 0.2: of "shard",
 * neighbouring queries with the f-th part of the documents.) */
PECK_API PECK_MUST_CHECK peck_status peck_dataset_fold(peck_dataset **out,
                                                       const peck_dataset *d,
                                                       size_t n_folds, size_t fold,
                                                       const char *part, uint64_t seed,
                                                       peck_error *err);
/* A seeded hold-out: `share` of the queries (at least one, never all) go to *held,
 * the others to *kept. */
PECK_API PECK_MUST_CHECK peck_status peck_dataset_holdout(peck_dataset **kept,
                                                          peck_dataset **held,
                                                          const peck_dataset *d,
                                                          double share, uint64_t seed,
                                                          peck_error *err);
/* d with names for its features, name[n_features], for those who wrap arrays: each one line,
 * no two the same.  d is kept and must outlive *out, which copies nothing but the names. */
PECK_API PECK_MUST_CHECK peck_status peck_dataset_name(peck_dataset **out,
                                                       const peck_dataset *d,
                                                       const char *const *name,
                                                       peck_error *err);

/* What became of columns that were matched. */
typedef struct peck_match_info {
    int by_name;      /* otherwise by position                                       */
    size_t n_ignored; /* features of the data that nobody asked for                  */
    size_t n_absent;  /* features that a sparse file has no value of: zeros          */
    char text[512];   /* one sentence for a person, where something should be told   */
} peck_match_info;

/* The columns of d in the order of those that a model was trained on.  Everything that takes
 * a model and a dataset, or training data and others, does so by itself; this is for who
 * wants to say how, or to know.  how: "name": the order in d does not matter, features that
 * the model does not know are ignored, and missing ones are an error (PECK_SHAPE) that
 * lists them; "position": names are not looked at and the number must fit, but that the
 * last features of LETOR text may be absent, and are then 0; NULL: by name where both have
 * names, else by position.  d is kept and must outlive *out, which copies its features only
 * where they have to move.  how and info may be NULL. */
PECK_API PECK_MUST_CHECK peck_status
peck_dataset_match(peck_dataset **out, const peck_dataset *d, const peck_model *m,
                   const char *how, peck_match_info *info, peck_error *err);
/* The same for a model that is yet to be trained on `like`. */
PECK_API PECK_MUST_CHECK peck_status
peck_dataset_match_data(peck_dataset **out, const peck_dataset *d, const peck_dataset *like,
                        const char *how, peck_match_info *info, peck_error *err);
PECK_API void peck_dataset_free(peck_dataset *d);

/* What two data sets have in common. */
typedef struct peck_overlap {
    size_t n_queries; /* queries of the one that are in the other too ... */
    size_t n_docs;    /* ... and the rows of them that are                */
} peck_overlap;

/* How much of d is in `other`, so that what is measured on it proves little.  Rows count, not
 * ids: a query is in both where half of its rows or more, two different ones at least, have
 * the features of rows of one query of the other. */
PECK_API PECK_MUST_CHECK peck_status peck_dataset_overlap(peck_overlap *out,
                                                          const peck_dataset *d,
                                                          const peck_dataset *other,
                                                          peck_error *err);

/* What a person must know before training: counts, label histogram, list lengths,
 * queries that teach nothing, constant and duplicate features, missing values. */
PECK_API PECK_MUST_CHECK peck_status peck_summarise(peck_report **out,
                                                    const peck_dataset *d, int threads,
                                                    peck_error *err);
/* Number, name (f12 where there is none), least and largest value of each feature. */
PECK_API PECK_MUST_CHECK peck_status peck_list_features(peck_report **out,
                                                        const peck_dataset *d, int threads,
                                                        peck_error *err);

/* One number a line in the file's own order; score[n_docs] comes back in the
 * dataset's order (they differ when rows had to be gathered). */
PECK_API PECK_MUST_CHECK peck_status peck_scores_read(double *score, const char *path,
                                                      const peck_dataset *d,
                                                      peck_error *err);
/* The way back, from the dataset's order, with the digits that give the same float again
 * (the same double, where it is no float).  "-" is standard output. */
PECK_API PECK_MUST_CHECK peck_status peck_scores_write(const double *score,
                                                       const char *path,
                                                       const peck_dataset *d,
                                                       peck_error *err);

/* Preferences --------------------------------------------------------------
 * With a dataset: a side file "query,winner,loser[,probability][,weight]" (CSV or TSV
 * with a header; documents by id, or by 0-based row in the query), CatBoost's *.pairs
 * (rows of the file) and *.grouped_pairs (rows in the query).  With d = NULL: a list
 * that stands alone, "winner,loser[,wins,losses]" or "criterion;y;z;votes".
 * skip_bad: leave malformed lines out and count them instead of failing. */
PECK_API PECK_MUST_CHECK peck_status peck_prefs_read(peck_prefs **out, const char *path,
                                                     const peck_dataset *d, int skip_bad,
                                                     peck_error *err);

typedef struct peck_prefs_info {
    size_t n_prefs, n_lists, n_items; /* lists: queries, or criteria                 */
    size_t n_bad, first_bad_line;     /* left out under skip_bad; line 0: none       */
} peck_prefs_info;

/* "winner was preferred to loser": with probability 1 unless the file says so.
 * winner and loser are rows of the dataset, or items of a list that stands alone. */
typedef struct peck_pref {
    size_t list, winner, loser;
    float probability, weight;
} peck_pref;

/* Preferences in memory; all is copied.  All zero but pref, n_prefs, and data or n_items. */
typedef struct peck_prefs_arrays {
    size_t size;           /* see "Structs that you fill" */
    const peck_pref *pref; /* probability from 0 to 1, weight above 0                  */
    size_t n_prefs;
    const peck_dataset *data; /* whose rows winner and loser are, both of one query, which
                               * `list` need not name; NULL: the list stands alone      */
    /* Of one that stands alone: */
    const char *const *item_name; /* n_items; NULL: "1", "2", ...                       */
    size_t n_items;
    const char *const *list_name; /* n_lists; NULL: "1", "2", ...                       */
    size_t n_lists;               /* 0: 1                                               */
} peck_prefs_arrays;

PECK_API PECK_MUST_CHECK peck_status peck_prefs_make(peck_prefs **out,
                                                     const peck_prefs_arrays *arrays,
                                                     peck_error *err);

/* Preferences over d's documents -> those of a part of a fold, for the dataset that
 * peck_dataset_fold makes of it. */
PECK_API PECK_MUST_CHECK peck_status peck_prefs_fold(peck_prefs **out, const peck_prefs *p,
                                                     const peck_dataset *d, size_t n_folds,
                                                     size_t fold, const char *part,
                                                     uint64_t seed, peck_error *err);

PECK_API void peck_prefs_describe(const peck_prefs *p, peck_prefs_info *info);
PECK_API peck_pref peck_prefs_at(const peck_prefs *p, size_t i);
PECK_API peck_span peck_prefs_list_name(const peck_prefs *p, size_t list);
PECK_API peck_span peck_prefs_item_name(const peck_prefs *p,
                                        size_t item); /* stand-alone only */
PECK_API PECK_MUST_CHECK peck_status peck_prefs_summarise(peck_report **out,
                                                          const peck_prefs *p,
                                                          const peck_dataset *d,
                                                          peck_error *err);
PECK_API void peck_prefs_free(peck_prefs *p);

/* 2. Data made to order ---------------------------------------------------- */

typedef struct peck_generate_spec {
    size_t size;                 /* see "Structs that you fill" */
    const char *kind;            /* "votes", "web", ...: `peck list generators`      */
    const char *const *settings; /* "key=value" strings, ended by NULL; may be NULL  */
    uint64_t seed;
    const char *path, *format; /* as in peck_dataset_write                         */
    int (*progress)(void *ctx, double share); /* may be NULL; non-zero stops         */
    void *ctx;
} peck_generate_spec;

/* Streams a synthetic data set to a file; needs memory for one query at a time. */
PECK_API PECK_MUST_CHECK peck_status peck_generate(const peck_generate_spec *spec,
                                                   peck_error *err);

/* Rules ---------------------------------------------------------------------
 * Clauses of first-order logic about the documents of a query and their places in the
 * order (docs/RULES.md).  In training they are penalties beside the labels. */

/* "-" is standard input.  What is wrong comes with line, column and a caret. */
PECK_API PECK_MUST_CHECK peck_status peck_rules_read(peck_rules **out, const char *path,
                                                     peck_error *err);
/* The same from memory: lines of text as in a file. */
PECK_API PECK_MUST_CHECK peck_status peck_rules_parse(peck_rules **out, const char *text,
                                                      peck_error *err);
/* The same rules, each with these settings ("alpha=3", ended by NULL) in place of its own. */
PECK_API PECK_MUST_CHECK peck_status peck_rules_with(peck_rules **out, const peck_rules *r,
                                                     const char *const *settings,
                                                     peck_error *err);
PECK_API void peck_rules_free(peck_rules *r);
PECK_API size_t peck_rules_count(const peck_rules *r);
PECK_API peck_span peck_rules_name(const peck_rules *r, size_t rule);
/* How Peck understands each rule: prenex form, size of the truth table, in how many queries it
 * speaks and some order keeps it, whether any ranking can change it; and which contradict each
 * other.  Per query: whether some order keeps it; each of the first 100 conflicts. */
PECK_API PECK_MUST_CHECK peck_status peck_rules_check(peck_report **out,
                                                      const peck_rules *r,
                                                      const peck_dataset *d,
                                                      peck_error *err);
/* How many queries hold each rule outright under the order of score[n_docs], and the mean
 * penalty; both per query too. */
PECK_API PECK_MUST_CHECK peck_status peck_rules_evaluate(peck_report **out,
                                                         const peck_rules *r,
                                                         const peck_dataset *d,
                                                         const double *score,
                                                         peck_error *err);

/* The same of two orders, as of a model and the one before it: each rule with both, and how
 * many queries one of them broke and the other does not. */
PECK_API PECK_MUST_CHECK peck_status
peck_rules_compare(peck_report **out, const peck_rules *r, const peck_dataset *d,
                   const double *baseline, const double *score, peck_error *err);

/* Rules at serving time: of the orders that keep the rules of the largest total weight that
 * can hold together, the one with the least sum of s_i - s_j over the pairs that it puts the
 * other way round than the scores do.  Of orders that are equal in that, the one whose first
 * document is higher by score; if that is the same, whose second is, and so on. */
typedef struct peck_enforced {
    double cost;       /* that sum                                                       */
    size_t n_rules;    /* rules that weigh more than 0 and depend on the list's order    */
    size_t n_given_up; /* ... of these, broken: no order that was found keeps all        */
    int is_turned;     /* it is not the order by score                                   */
    int is_proven;     /* 0: the list was too long for all orders; the best of a search  */
} peck_enforced;

typedef struct peck_enforcer peck_enforcer; /* one thread's rules at work */

/* Rules, kept, for lists whose rows have the features of d. */
PECK_API PECK_MUST_CHECK peck_status peck_enforcer_new(peck_enforcer **out,
                                                       const peck_rules *r,
                                                       const peck_dataset *d,
                                                       peck_error *err);
/* n_docs rows, `stride` floats from one to the next, and their scores.  order[n_docs]:
 * which document comes first, second, ...; kept[peck_rules_count] (may be NULL): 1, 0 for a
 * rule that was given up, -1 for one that plays no part: it does not speak of the list, or no
 * order of it changes the rule.  info may be NULL. */
PECK_API PECK_MUST_CHECK peck_status peck_enforce(peck_enforcer *e, const float *x,
                                                  size_t n_docs, size_t stride,
                                                  const double *score, uint32_t *order,
                                                  signed char *kept, peck_enforced *info,
                                                  peck_error *err);
PECK_API void peck_enforcer_free(peck_enforcer *e);
/* Every query of d at once.  order[n_docs]: of each query its documents, counted from 0 in
 * it, from where its rows begin.  Any of kept[n_queries][peck_rules_count], info[n_queries]
 * and out may be NULL; the report has each rule, and per query what was kept and its cost. */
PECK_API PECK_MUST_CHECK peck_status peck_enforce_all(const peck_rules *r,
                                                      const peck_dataset *d,
                                                      const double *score, int threads,
                                                      uint32_t *order, signed char *kept,
                                                      peck_enforced *info,
                                                      peck_report **out, peck_error *err);

/* 3. train -> model -------------------------------------------------------- */

/* One epoch of one training run, for progress and logs. */
typedef struct peck_epoch {
    size_t member, n_members; /* of an ensemble, from 0                              */
    size_t epoch, n_epochs;   /* from 1; n_epochs is the most there will be          */
    double loss, rate;        /* mean training loss, learning rate                   */
    double valid;             /* the metric on validation data; NaN: there is none   */
    int is_best;              /* the best so far                                     */
    double seconds;           /* since training began                                */
    /* Of a method that chooses its pairs (sortnet), whose epochs are iterations: */
    int chooses_pairs;
    double train; /* the metric on training data; else NaN                           */
    size_t n_train_pairs, n_valid_pairs; /* chosen by the end of it                  */
    size_t n_inner;                      /* epochs within it                         */
} peck_epoch;

/* What one rule, alone beside the labels, is worth: told before training. */
typedef struct peck_rule_gain {
    const char *rule; /* its name                                                    */
    double valid;     /* the metric with this rule alone, at its best epoch          */
    double gain;      /* over training without rules                                 */
    double weight;    /* what it gets among all rules                                */
} peck_rule_gain;

/* What rules are worth as a whole: trials on the validation data before the rest begins, the
 * first without rules.  (From 0.2.) */
typedef struct peck_rules_trial {
    double weight; /* times each rule's own; 0: without rules                      */
    double alpha;  /* times each rule's own                                        */
    size_t steps;  /* an epoch, at most; 0 with a weight: labels by own orders     */
    double valid;  /* the metric at the best epoch; NaN: it diverged, or was not tried */
    double gain, error; /* over no rules: the mean of the queries, and its standard error */
    int is_best;        /* of those tried so far: rules must gain more than the noise   */
    int is_split;       /* there is no validation data: by halves of the labelled queries,
                         * at the last epoch                                            */
} peck_rules_trial;
/* "weight=1,alpha=3,steps=48", "...,labels=own-orders" or "none": 64 bytes.  (From 0.2.) */
PECK_API void peck_rules_trial_name(const peck_rules_trial *t, char *name, size_t size);

/* A method that comes in several sizes (setting `size`), of which the data chooses: one of
 * them, trained briefly before the rest begins; then, on little data, the best in full. */
typedef struct peck_size_trial {
    const char *size; /* "small", ...                                                 */
    double valid;     /* the metric on validation data at its best epoch; NaN: it ran
                       * away                                                         */
    int is_best;      /* of those tried so far                                        */
    int in_full;      /* trained like the model itself; 0: briefly                    */
} peck_size_trial;

/* What holds unless you say otherwise. */
#define PECK_DEFAULT_METHOD "lambdaneuralrank"
#define PECK_DEFAULT_DECODER "tree"
#define PECK_DEFAULT_CONVENTION "standard"
#define PECK_DEFAULT_METRIC "ndcg@10" /* where one is asked for: to choose, to compare by */
#define PECK_DEFAULT_METRICS "ndcg@1,ndcg@3,ndcg@5,ndcg@10,map,p@10,mrr,err@10,pairacc"
#define PECK_DEFAULT_VALID_SPLIT 0.2 /* the share of queries held out ... */
#define PECK_FEWEST_TO_SPLIT 10      /* ... none below so many */
#define PECK_DEFAULT_RESAMPLES 10000 /* of the bootstrap and the randomisation test */
#define PECK_DEFAULT_SHUFFLES 20     /* peck_probe: orders to start from ... */
#define PECK_DEFAULT_DRAWN 1000000   /* ... and pairs drawn from a long list */

/* A loss of pairs of one's own, in place of that of a method which goes down the slope of one:
 * of ranknet it is the mean over pairs, of lambdarank, lambdaneuralrank and lambdamart each
 * pair is weighed by what swapping the two would change in the metric. */
typedef struct peck_pair_loss {
    size_t size;      /* see "Structs that you fill" */
    const char *name; /* one line, for the model's notes: "loss"                        */
    /* d[n]: by how much the score of the document that should go first leads the other's.
     * Sets cost[n], slope[n], the derivative of each by d (0 or below, as a larger lead costs
     * no more), and for trees, where bend is not NULL, bend[n], the second one; where that is
     * below 0 it counts as 0.  Several threads call it at once. */
    void (*cost)(void *ctx, const float *d, size_t n, float *cost, float *slope,
                 float *bend);
    void *ctx;
} peck_pair_loss;

/* All zero: every default.  train (or train and pairs) must be there. */
typedef struct peck_train_spec {
    size_t size;                 /* see "Structs that you fill" */
    const char *method;          /* `peck list methods`; NULL: PECK_DEFAULT_METHOD   */
    const char *const *settings; /* "key=value", ended by NULL; may be NULL          */
    const peck_dataset *train, *valid;
    const peck_prefs *pairs;         /* over train's documents; NULL: its labels count   */
    const peck_prefs *valid_pairs;   /* the same of valid: the accuracy on them chooses  */
    const peck_rules *rules;         /* penalties beside the labels; NULL: none          */
    const peck_dataset *unlabelled;  /* queries that rules speak of too, their labels not
                                  * looked at; the normaliser sees them; NULL: none  */
    double rules_weight;             /* times each rule's own weight; 0: found by trials;
                                  * negative: by each rule's gain on the validation data */
    double valid_split;              /* without valid: the share of queries held out; 0:
                                  * PECK_DEFAULT_VALID_SPLIT; negative: none         */
    const char *norm;                /* NULL: the method's own                           */
    int alone;                       /* the model shall score each document by itself
                                  * (peck_model_scores_alone): the method's own norm without
                                  * what looks at the query, members of an ensemble scaled
                                  * by the training data.  PECK_ARG for a method that
                                  * compares, and for a norm that looks at the query     */
    const char *match;               /* of columns to those of train: peck_dataset_match */
    const char *metric, *convention; /* which epoch is best; NULL: ndcg@10, standard */
    double binarise;                 /* above 0: train on label >= binarise              */
    size_t ensemble;                 /* nets from as many seeds; 0: 1                    */
    uint64_t seed;                   /* same seed, same bytes, at any thread count       */
    int threads;                     /* 0: one per core                                  */
    const char *checkpoint;          /* a file to continue from after a crash; NULL      */
    int resume;                      /* continue from it, where it exists                */
    /* In an ensemble the calls below come from several threads, one at a time; but for
     * `interrupted`, which is asked between batches, by any thread at any time. */
    int (*interrupted)(void *ctx);                      /* may be NULL; non-zero stops  */
    int (*progress)(void *ctx, const peck_epoch *e);    /* may be NULL; non-zero stops  */
    void (*warn)(void *ctx, const char *text);          /* may be NULL; one sentence    */
    void (*gained)(void *ctx, const peck_rule_gain *g); /* may be NULL; rules_weight < 0 */
    void (*tried)(void *ctx, const peck_size_trial *t); /* may be NULL; after each size  */
    void *ctx;
    const peck_metric *const *own_metrics; /* for `metric`, ended by NULL; NULL: none   */
    const peck_pair_loss *own_loss; /* NULL: the method's                              */
    /* From 0.2: may be NULL; after each trial of rules, where rules_weight is 0. */
    void (*weighed)(void *ctx, const peck_rules_trial *t);
    /* From 0.2: bytes that what is made of the features may take; what is more is made anew
     * whenever it is needed, or lies in files without a name in the folder `scratch`.  The
     * model is the same.  0: any number. */
    size_t memory;
    const char *scratch; /* NULL: no such files                                        */
} peck_train_spec;

/* The model keeps its own copy of the normaliser: score it with raw features.  When progress
 * or interrupted stops the training, *out is the best model so far and the status is
 * PECK_STOPPED; before the first epoch is done nothing is learnt, and *out is NULL.  A
 * checkpoint that cannot be written is warned of once, and training goes on: if it cannot be
 * written in the end either, the status is PECK_IO, and *out is the model all the same. */
PECK_API PECK_MUST_CHECK peck_status peck_train(peck_model **out,
                                                const peck_train_spec *spec,
                                                peck_error *err);
PECK_API PECK_MUST_CHECK peck_status peck_model_save(const peck_model *m, const char *path,
                                                     peck_error *err);
PECK_API PECK_MUST_CHECK peck_status peck_model_load(peck_model **out, const char *path,
                                                     peck_error *err);
/* The same bytes as in such a file, in memory.  What is unpacked may be gzip or zstd, and is
 * checked as a file is: bytes from anywhere do no harm. */
PECK_API PECK_MUST_CHECK peck_status peck_model_pack(peck_bytes *out, const peck_model *m,
                                                     peck_error *err);
PECK_API PECK_MUST_CHECK peck_status peck_model_unpack(peck_model **out, const void *bytes,
                                                       size_t n, peck_error *err);
/* All zero but model and n_models: every default. */
typedef struct peck_blend_spec {
    size_t size;                    /* see "Structs that you fill" */
    const peck_model *const *model; /* n_models, of any methods; of a committee, each of
                                      * its models counts                             */
    const char *const *name;        /* n_models, for messages; NULL: "model 1", ...  */
    size_t n_models;
    const char *weights;             /* "equal" or "greedy"; NULL: equal              */
    const peck_dataset *valid;       /* greedy weights are those that do best on it   */
    const char *metric, *convention; /* ... by this; NULL: ndcg@10, standard          */
    int alone;                       /* the committee shall score each document by itself:
                                      * models that do, scaled by their scores of valid,
                                      * in place of standardised over the query       */
    uint64_t seed;                   /* of random ties                                */
    int threads;                     /* 0: one per core                               */
    const char *match; /* how valid finds the features: as in peck_dataset_match     */
    void (*warn)(void *ctx, const char *text); /* may be NULL; one sentence           */
    void *ctx;
    const peck_metric *const *own_metrics;    /* that `metric` may name, ended by NULL;
                                            * NULL: none                              */
    int (*progress)(void *ctx, double share); /* may be NULL; non-zero stops          */
} peck_blend_spec;

/* A committee of models, which is a model like any other and scores: each model's scores,
 * standardised over the query, are averaged by weight.  Of one that compares, the score of
 * a document is the sum of its preferences over all others.  "greedy": the model joins
 * that does best on `valid` together with those who joined, again and again, 50 times; the
 * best round counts, and a weight is how often a model joined.  The models may be freed
 * afterwards.  Models that were trained on other features, or on the same in another order,
 * find theirs by name: the committee's features are those of the first model, then what the
 * others know besides.  PECK_SHAPE where they differ and one has no names. */
PECK_API PECK_MUST_CHECK peck_status peck_blend(peck_model **out,
                                                const peck_blend_spec *spec,
                                                peck_error *err);
/* What the file says of itself: method, settings, shape, normaliser, seed, history. */
PECK_API PECK_MUST_CHECK peck_status peck_model_describe(peck_report **out,
                                                         const peck_model *m,
                                                         peck_error *err);
/* Which features a model of trees or steps asks about: of each feature, largest gain first,
 * the questions about it and their share of what all of them gained in training (of steps:
 * of their heights), over all members and views.  PECK_ARG for models without questions. */
PECK_API PECK_MUST_CHECK peck_status peck_model_importance(peck_report **out,
                                                           const peck_model *m,
                                                           peck_error *err);
/* The weights of a model that is a weighted sum of the features, by feature, the largest first,
 * a column for each view of the features; of several members the mean.  PECK_ARG for other
 * models.  (From 0.2.) */
PECK_API PECK_MUST_CHECK peck_status peck_model_weights(peck_report **out,
                                                        const peck_model *m,
                                                        peck_error *err);
/* What differs between two models: every line of peck_model_describe that is not the
 * same in both, as "a" and "b", and the largest difference between two weights. */
PECK_API PECK_MUST_CHECK peck_status peck_model_diff(peck_report **out, const peck_model *a,
                                                     const peck_model *b, peck_error *err);
PECK_API size_t peck_model_features(const peck_model *m);
/* What the training data called feature i; n = 0: it had no name. */
PECK_API peck_span peck_model_feature_name(const peck_model *m, size_t i);
/* Whether it compares two documents at a time, and cannot score one by itself. */
PECK_API int peck_model_compares(const peck_model *m);
/* Whether the score of a document is its own, to the last bit, whatever list it comes in.
 * Else it depends on the other documents of the list: of models whose norm looks at the
 * query (the default of most methods), of ensembles and committees, which are standardised
 * over the query, and of all that compare.  Such scores order one whole list; they do not
 * fit between lists, and of a part of a list, or of one document, they are others.
 * peck_train_spec.alone and peck_blend_spec.alone make models that score alone. */
PECK_API int peck_model_scores_alone(const peck_model *m);
PECK_API void peck_model_free(peck_model *m);

/* 4. model -> scores ------------------------------------------------------- */

/* score[n_docs], in the dataset's order.  Raw features in, found by name where model and
 * data have names (peck_dataset_match); the model scales them.  Of a
 * model that compares, the order by falling score is the one that the decoder "tree"
 * finds: n - 1 for the first of n documents down to 0.  Unless peck_model_scores_alone, a
 * score depends on all documents of the query. */
PECK_API PECK_MUST_CHECK peck_status peck_model_score(const peck_model *m,
                                                      const peck_dataset *d, int threads,
                                                      double *score, peck_error *err);
/* The same, for many documents: told how far it is, and stopped.  work may be NULL. */
PECK_API PECK_MUST_CHECK peck_status peck_model_score_watched(const peck_model *m,
                                                              const peck_dataset *d,
                                                              const peck_work *work,
                                                              double *score,
                                                              peck_error *err);
/* One query at a time, for programs that serve: a scorer is one thread's own.  The n_docs
 * rows are the whole list, which must not be cut into calls unless peck_model_scores_alone.
 * It knows no names: a row has peck_model_features(m) floats, and the one at i is the feature
 * that peck_model_feature_name(m, i) names, in the order of the training data. */
PECK_API PECK_MUST_CHECK peck_status peck_scorer_new(peck_scorer **out, const peck_model *m,
                                                     peck_error *err);
PECK_API PECK_MUST_CHECK peck_status peck_score(peck_scorer *s, const float *x,
                                                size_t n_docs, size_t stride, double *score,
                                                peck_error *err);
PECK_API void peck_scorer_free(peck_scorer *s);
/* order[n]: positions by falling score, equal scores in input order. */
PECK_API PECK_MUST_CHECK peck_status peck_order(const double *score, size_t n,
                                                uint32_t *order, peck_error *err);

/* 5. preferences -> order --------------------------------------------------- */

/* Two items that are compared: is i to go before j? */
typedef struct peck_duel {
    uint32_t i, j;
} peck_duel;

/* All zero: every default. */
typedef struct peck_decode_spec {
    size_t size;         /* see "Structs that you fill" */
    const char *decoder; /* "fuzzy:window=50": `peck list decoders`; NULL: "tree"    */
    uint64_t budget;     /* questions at most, where the decoder can choose; 0: its own */
    uint64_t seed;       /* same seed, same order, at any thread count               */
    int threads;         /* 0: one per core; of a callback, one                      */
    int is_cached;       /* ask no pair twice                                        */
    int is_costed;       /* find the cost, with n (n - 1) / 2 answers more           */
    int is_symmetric;    /* of a callback: h(i, j) = 1 - h(j, i), so one way is asked
                          * and not both                                             */
    int (*progress)(void *ctx, double share); /* may be NULL; non-zero stops         */
    void *ctx;
} peck_decode_spec;

/* What an order took, and what it is worth; over several lists the sums. */
typedef struct peck_decode_info {
    uint64_t n_questions; /* duels asked                                             */
    uint64_t n_distinct;  /* of different pairs; 0: not counted                      */
    uint64_t n_pairs;     /* all there are: n (n - 1) / 2                            */
    double cost;          /* sum of h(j, i) over i before j; NaN: not asked for      */
} peck_decode_info;

/* What a model says of duels between the n_docs documents of a list, x as for peck_score:
 * preference[k] (may be NULL) is how strongly duel[k].i goes before duel[k].j, from 0 to
 * 1; outputs[2 k] and outputs[2 k + 1] (may be NULL) are the evidence for it and against.
 * preference = 1/2 + (for - against) / 2, and for and against change places with i and j,
 * to the last bit.  A model that scores prefers by 1 / (1 + e^(s_j - s_i)). */
PECK_API PECK_MUST_CHECK peck_status peck_prefer(peck_scorer *s, const float *x,
                                                 size_t n_docs, size_t stride,
                                                 const peck_duel *duel, size_t n_duels,
                                                 float *preference, float *outputs,
                                                 peck_error *err);
/* score[n_docs], in the dataset's order: by falling score the documents of each query
 * stand as the decoder puts them.  For every model.  spec and info may be NULL. */
PECK_API PECK_MUST_CHECK peck_status peck_model_rank(const peck_model *m,
                                                     const peck_dataset *d,
                                                     const peck_decode_spec *spec,
                                                     double *score, peck_decode_info *info,
                                                     peck_error *err);

/* Writes h[k], from 0 to 1: how strongly item duel[k].i is preferred to duel[k].j.
 * Non-zero stops.  With more than one thread it is called by several at once. */
typedef int peck_ask(void *ctx, const peck_duel *duel, size_t n_duels, float *h);

/* Ranks items 0 .. n-1 by asking for preferences, in batches.  order[n]: items, the first
 * one first; score[n], by item: what the decoder ordered by.  score, spec, info may be NULL. */
PECK_API PECK_MUST_CHECK peck_status peck_decode(uint32_t *order, double *score, size_t n,
                                                 peck_ask *ask, void *ctx,
                                                 const peck_decode_spec *spec,
                                                 peck_decode_info *info, peck_error *err);

/* An item of a preference list, ranked. */
typedef struct peck_place {
    size_t item;
    size_t part;  /* from 0, the largest one: what no preference connects is ranked apart */
    size_t rank;  /* in its part, from 1                                          */
    double score; /* what the decoder ordered by                                  */
    double evidence; /* weight of the preferences that name it ...                   */
    double against;  /* ... and how much of that contradicts its place               */
} peck_place;

/* Ranks the items of one list of preferences that stand alone.  A pair that was preferred
 * w times of n counts as h = (w + 1/2) / (n + 1), so one that was never compared as 1/2.
 * place has room for all items; the first *n_places are filled, part by part in order.
 * spec and info may be NULL. */
PECK_API PECK_MUST_CHECK peck_status peck_decode_prefs(peck_place *place, size_t *n_places,
                                                       const peck_prefs *p, size_t list,
                                                       const peck_decode_spec *spec,
                                                       peck_decode_info *info,
                                                       peck_error *err);

/* Strengths of items by answers ("which of the two?"), and what to ask next.  (From 0.2.)
 *
 * An answer is a peck_pref: probability 1: the winner was chosen; exactly 1/2: a tie, by
 * Davidson's model; any other p counts as p of a win and 1 - p of a loss.  A weight of 2 counts
 * as two answers; `list` is not looked at.  Bradley and Terry's model with a normal prior:
 * log-odds of i before j = t_i - t_j.  Never changes once made, as a model. */
typedef struct peck_strengths peck_strengths;

/* All zero: every default. */
typedef struct peck_strengths_spec {
    size_t size;     /* see "Structs that you fill" */
    double prior_sd; /* of strengths before any answer; 0: found from the answers    */
    double tie;      /* Davidson's nu, above 0; else found from the answers (none: 0) */
    const double
        *prior_mean; /* n_items, may be NULL, all 0: old ratings, a model's guess */
    int threads;     /* 0: one per core                                     */
    int (*progress)(void *ctx, double share); /* may be NULL; non-zero stops         */
    void *ctx;
} peck_strengths_spec;

/* spec may be NULL.  The same bytes at any thread count. */
PECK_API PECK_MUST_CHECK peck_status peck_strengths_fit(peck_strengths **out,
                                                        const peck_pref *answer,
                                                        size_t n_answers, size_t n_items,
                                                        const peck_strengths_spec *spec,
                                                        peck_error *err);
/* The same of one list of preferences that stand alone; items are theirs, of all lists. */
PECK_API PECK_MUST_CHECK peck_status
peck_strengths_fit_prefs(peck_strengths **out, const peck_prefs *p, size_t list,
                         const peck_strengths_spec *spec, peck_error *err);
/* As peck_decode_prefs: the items that an answer names, in order; place has room for all. */
PECK_API PECK_MUST_CHECK peck_status peck_strengths_places(const peck_strengths *s,
                                                           peck_place *place,
                                                           size_t *n_places,
                                                           peck_error *err);
/* mean[n_items] and sd[n_items], each may be NULL: strength minus the mean of all, and how far
 * it may be off (Laplace's approximation; beyond 2,000 items from the diagonal alone). */
PECK_API void peck_strengths_read(const peck_strengths *s, double *mean, double *sd);
PECK_API double peck_strengths_above(const peck_strengths *s, size_t i,
                                     size_t j); /* P(i is above j) */
PECK_API void peck_strengths_free(peck_strengths *s);

/* All zero: every default. */
typedef struct peck_question_spec {
    size_t size;                 /* see "Structs that you fill" */
    size_t top;                  /* 0: the whole order counts; k: the first k, as a set */
    const unsigned char *is_out; /* n_items, may be NULL: items out of play             */
    const peck_duel *recent;     /* the last questions, newest last: not the same pair  */
    size_t n_recent;             /* ... again, no item three times in a row             */
    uint64_t seed;               /* of sides, and of which pairs are asked again        */
    double again; /* share of questions that repeat an answered pair, the sides turned, to
                   * see how consistent answers are; 0: one in fifteen; below 0: none     */
} peck_question_spec;

/* The pairs most worth asking, best first: *n_pairs at most, which becomes how many there are;
 * no pair twice.  worth (may be NULL): how much uncertainty an answer takes away, on a scale
 * of its own.  spec may be NULL. */
PECK_API PECK_MUST_CHECK peck_status peck_strengths_next(const peck_strengths *s,
                                                         const peck_question_spec *spec,
                                                         peck_duel *pair, double *worth,
                                                         size_t *n_pairs, peck_error *err);

typedef struct peck_sureness {
    double top;   /* P(the first spec->top are the true first ones, as a set; 0: first)  */
    double first; /* P(the first one is the true first one)                              */
    double pairs; /* 1 - expected share of pairs in the wrong order                      */
    double questions_left; /* expected until it is enough; 0: enough now                 */
    int is_enough;         /* of the top .95, of the whole order pairs .95               */
    int unused;            /* 0                                                          */
} peck_sureness;

PECK_API PECK_MUST_CHECK peck_status peck_strengths_sureness(const peck_strengths *s,
                                                             const peck_question_spec *spec,
                                                             peck_sureness *out,
                                                             peck_error *err);

/* 6. order -> report ------------------------------------------------------- */

typedef struct peck_judge_spec {
    size_t size;            /* see "Structs that you fill" */
    const char *metrics;    /* "ndcg@10,map"; NULL: PECK_DEFAULT_METRICS             */
    const char *convention; /* "letor4", "standard,gain=linear"; NULL: "standard"    */
    uint64_t seed;          /* of random ties, bootstrap and randomisation           */
    int threads;            /* 0: one per core                                       */
    const peck_metric *const *own_metrics; /* ended by NULL; NULL: none              */
} peck_judge_spec;

/* Judges the order that score[n_docs] (the dataset's order) gives. spec may be NULL. */
PECK_API PECK_MUST_CHECK peck_status peck_evaluate_scores(peck_report **out,
                                                          const peck_dataset *d,
                                                          const double *score,
                                                          const peck_judge_spec *spec,
                                                          peck_error *err);
/* Judges a TREC run against qrels.  complete: a judged query that the run leaves out
 * counts as an empty list; otherwise it is left out. */
PECK_API PECK_MUST_CHECK peck_status peck_evaluate_run(peck_report **out, const char *run,
                                                       const char *qrels, int complete,
                                                       const peck_judge_spec *spec,
                                                       peck_error *err);

typedef struct peck_compare_spec {
    size_t size; /* see "Structs that you fill" */
    size_t n_folds, n_runs;
    const peck_dataset *const *data; /* n_folds test sets                            */
    const char *const *name;         /* n_runs names                                 */
    const double *const *score;      /* score[run * n_folds + fold]                  */
    const peck_judge_spec *judge;    /* may be NULL; its metrics NULL: "ndcg@10"     */
    size_t resamples;                /* bootstrap and randomisation; 0: 10,000       */
    int (*progress)(void *ctx, double share); /* may be NULL; non-zero stops         */
    void *ctx;
    const peck_report *const *report; /* from 0.2: n_runs with values per query of the
                                       * judge's metrics, instead of data and scores  */
} peck_compare_spec;

/* Means, differences to the first run with 95 % bootstrap intervals, paired t, Wilcoxon
 * signed rank, Fisher randomisation; over several folds also the corrected resampled
 * t (Nadeau and Bengio); Holm's correction beyond two runs.  The note "verdict" is a
 * sentence that says what it comes to. */
PECK_API PECK_MUST_CHECK peck_status peck_compare(peck_report **out,
                                                  const peck_compare_spec *spec,
                                                  peck_error *err);

/* How far a model's comparisons can be trusted ------------------------------- */

/* All zero: every default. */
typedef struct peck_probe_spec {
    size_t size;                    /* see "Structs that you fill" */
    const peck_decode_spec *decode; /* may be NULL; its threads and is_costed are not
                                     * looked at                                     */
    const peck_judge_spec *judge;   /* may be NULL; its seed is also that of what is drawn
                                     * here                                          */
    size_t n_shuffles;              /* of the documents of every query; 0: 20        */
    uint64_t n_drawn;               /* from a list of more pairs, as many pairs and
                                     * triples are drawn; 0: 1,000,000               */
    int (*progress)(void *ctx, double share); /* may be NULL; non-zero stops         */
    void *ctx;
} peck_probe_spec;

/* For every model.  The share of consistent triples ("consistent triples"): those in which
 * it is not so that a goes before b, b before c and c before a; a tie agrees with either
 * direction.  "accuracy", "precision" and "recall" of the label-differing pairs, a tie
 * being half right; precision and recall are means over the two relations, documents
 * being taken as they stand in the data.  "comparisons" of the decoder and all "pairs".
 * Of each metric the value, and over shuffles of the documents mean, standard deviation,
 * lowest and highest ("ndcg@10.deviation").  spec may be NULL. */
PECK_API PECK_MUST_CHECK peck_status peck_probe(peck_report **out, const peck_model *m,
                                                const peck_dataset *d,
                                                const peck_probe_spec *spec,
                                                peck_error *err);

/* Cross-validation ---------------------------------------------------------- */

/* valid NULL: a share of train is held out, as peck_train does. */
typedef struct peck_fold {
    const peck_dataset *train, *valid, *test;
} peck_fold;

/* Preferences over the documents of each; valid: where the fold has validation data. */
typedef struct peck_fold_pairs {
    const peck_prefs *train, *valid, *test;
} peck_fold_pairs;

/* One method on one fold, finished; borrowed for the call. */
typedef struct peck_fold_result {
    const char *method;
    size_t fold; /* from 0 */
    const peck_model *model;
    const peck_dataset *test;
    const double *score; /* of the test documents, in the dataset's order */
    uint64_t seed;       /* that it was trained with (from 0.2) */
} peck_fold_result;

typedef struct peck_cv_spec {
    size_t size; /* see "Structs that you fill" */
    const peck_fold *fold;
    size_t n_folds;
    const char *const *method;    /* ended by NULL; NULL: peck_train's default          */
    const char *const *grid;      /* "key=a,b,c", ended by NULL; may be NULL.  "norm" is
                                * a key too; with rules "rules-weight" (0: none), and
                                * "rules.alpha" and the like, settings of all of them */
    size_t inner;                 /* from 2: folds of train that choose from the grid;
                                * 0: the validation data chooses                     */
    const peck_train_spec *train; /* how each is trained; its method, train, valid, pairs,
                                   * checkpoint and progress are not looked at.  A
                                   * setting goes to the methods that have it; may be
                                   * NULL                                            */
    const peck_judge_spec *judge; /* metrics NULL: "ndcg@10,map".  The first one chooses
                                   * epochs and settings; train's own is not looked
                                   * at; may be NULL                                 */
    const char *blend;            /* weights of a committee of all methods, as in
                                * peck_blend: one more method, "blend"; NULL: none   */
    int (*progress)(void *ctx, double share); /* may be NULL; non-zero stops         */
    /* Called at the end for each method and fold, in that order; may be NULL.  When it is
     * stopped (PECK_STOPPED), for those that were finished. */
    peck_status (*keep)(void *ctx, const peck_fold_result *r, peck_error *err);
    void *ctx; /* of progress and keep */
    const peck_fold_pairs
        *pairs;            /* n_folds: what is learnt from instead of labels.  Where no
                                   * test document has a label, the share of preferences that
                                   * the order agrees with is what chooses, and what is told;
                                   * NULL: labels                                     */
    const uint64_t *seed;  /* from 0.2: n_seeds of training, one after the other, instead
                           * of train's; the report then has a row a seed, the mean of its
                           * folds, and mean and deviation over the seeds               */
    size_t n_seeds;        /* 0: train's                                                 */
    const peck_comm *comm; /* from 0.2: ranks that deal the trainings; NULL: one rank   */
} peck_cv_spec;

/* Trains every method on every fold, judge.threads at a time, and judges it on the test
 * data, which nothing else has looked at.  The report holds, for each metric, the folds,
 * their mean and standard deviation ("ndcg@10 mean.ridge"), the same of the validation
 * data, and what was chosen from the grid.  The same at any thread count. */
PECK_API PECK_MUST_CHECK peck_status peck_cv(peck_report **out, const peck_cv_spec *spec,
                                             peck_error *err);

/* A report of one's own.  Running out of memory is told when it is written. */
PECK_API PECK_MUST_CHECK peck_status peck_report_new(peck_report **out, peck_error *err);
PECK_API void peck_report_add_number(peck_report *r, const char *name, double value,
                                     int decimals);
PECK_API void peck_report_add_text(peck_report *r, const char *name, const char *text);
/* Every number of another report, its name behind `prefix`. */
PECK_API void peck_report_add_all(peck_report *r, const char *prefix,
                                  const peck_report *from);
/* The number that goes by this name ("ndcg@10", "queries"); NaN when there is none. */
PECK_API double peck_report_value(const peck_report *r, const char *name);
/* A table, and its cells, row by row; the first of a row is its name.  (From 0.2.) */
PECK_API void peck_report_add_table(peck_report *r, const char *title, size_t n_columns,
                                    const char *const *column);
PECK_API void peck_report_add_cell(peck_report *r, peck_span text);
PECK_API void peck_report_add_cell_number(peck_report *r, double value, int decimals);
/* `format` is "text" (aligned, for people), "tsv" (name TAB value) or "json"; from 0.2 also
 * "columns" (tables with a header, tabs between), "csv", "latex" or "markdown". */
PECK_API PECK_MUST_CHECK peck_status peck_report_write(const peck_report *r, FILE *to,
                                                       const char *format, peck_error *err);
/* The same text in memory. */
PECK_API PECK_MUST_CHECK peck_status peck_report_print(peck_bytes *out,
                                                       const peck_report *r,
                                                       const char *format, peck_error *err);
/* How people want it.  (From 0.2.) */
typedef struct peck_print_spec {
    size_t size;        /* see "Structs that you fill" */
    const char *format; /* NULL: "text"                                                */
    size_t width;       /* of a terminal, that "text" is fitted to; 0: any             */
    int colours;        /* "text" with the escapes of ECMA-48                          */
    int details;        /* notes in full: every part of the convention                 */
} peck_print_spec;
PECK_API PECK_MUST_CHECK peck_status peck_report_print_as(peck_bytes *out,
                                                          const peck_report *r,
                                                          const peck_print_spec *spec,
                                                          peck_error *err);
/* The same into a file, which appears whole or not at all. */
PECK_API PECK_MUST_CHECK peck_status peck_report_save(const peck_report *r,
                                                      const char *path, const char *format,
                                                      peck_error *err);
/* What is in a report, one after the other; spans live as long as it does. */
typedef enum peck_item_kind {
    PECK_ITEM_NUMBER,
    PECK_ITEM_TEXT,
    PECK_ITEM_TABLE
} peck_item_kind;

typedef struct peck_item {
    peck_item_kind kind;
    int is_note;              /* said for people: "tsv" leaves it out                   */
    peck_span name;           /* of a table its title; of a cell that of its column     */
    peck_span text;           /* n = 0: a number or a table                             */
    double number;            /* NaN: none, or not a number that is there               */
    int decimals;             /* that "text" and "tsv" print                            */
    size_t n_rows, n_columns; /* of a table                                             */
} peck_item;

/* Item i, and a cell of the table that item i is; 0 past the end. */
PECK_API int peck_report_item(const peck_report *r, size_t i, peck_item *out);
PECK_API int peck_report_cell(const peck_report *r, size_t i, size_t row, size_t column,
                              peck_item *out);
/* Values per query: how many queries, the id of each, the names of the metrics (n = 0: past
 * the end), and value[queries] of one of them, NaN where a query is left out. */
PECK_API size_t peck_report_queries(const peck_report *r);
PECK_API peck_span peck_report_query_id(const peck_report *r, size_t query);
PECK_API peck_span peck_report_query_metric(const peck_report *r, size_t i);
PECK_API PECK_MUST_CHECK peck_status peck_report_query_values(const peck_report *r,
                                                              const char *metric,
                                                              double *value,
                                                              peck_error *err);
/* A header line, then one line a query: its id and each metric's value ("-": none).  Tabs
 * part them, or commas where the name ends in ".csv". */
PECK_API PECK_MUST_CHECK peck_status peck_report_write_queries(const peck_report *r,
                                                               const char *path,
                                                               peck_error *err);
PECK_API void peck_report_free(peck_report *r);

/* A page of results ----------------------------------------------------------
 * One HTML file that needs nothing else: who is best and whether that is luck, how each
 * run learnt, where two runs differ, what they were made with. */

PECK_API PECK_MUST_CHECK peck_status peck_page_new(peck_page **out, peck_error *err);
/* A model, a log of training, a report as JSON, a file of values per query or of decoders
 * (docs/FORMATS.md), or a folder of such.  Files of the same name but for its ending are
 * one run; so are the files FoldN.* of a folder. */
PECK_API PECK_MUST_CHECK peck_status peck_page_read(peck_page *p, const char *path,
                                                    peck_error *err);
/* The same from memory, for the run of this name; fold from 1, 0: there are no folds.
 * What is needed is copied. */
PECK_API PECK_MUST_CHECK peck_status peck_page_add_model(peck_page *p, const char *run,
                                                         size_t fold, const peck_model *m,
                                                         peck_error *err);
/* Values per query and the convention (peck_evaluate_*), rules (peck_rules_evaluate). */
PECK_API PECK_MUST_CHECK peck_status peck_page_add_report(peck_page *p, const char *run,
                                                          size_t fold, const peck_report *r,
                                                          peck_error *err);

/* All zero: every default. */
typedef struct peck_page_spec {
    size_t size;                /* see "Structs that you fill" */
    const char *title;          /* NULL: "Results"                                     */
    const char *metric;         /* that ranks the runs; NULL: ndcg@10, or the first one */
    const char *run, *baseline; /* whose queries are set against whose; NULL: the best
                                 * run, and the first one that was given               */
    size_t resamples;           /* of intervals and tests; 0: 10,000                   */
    uint64_t seed;              /* of the same                                         */
    int threads;                /* 0: one per core                                     */
    int (*progress)(void *ctx, double share); /* may be NULL; non-zero stops         */
    void *ctx;
    const char *data, *command, *when; /* from 0.2: where the page comes from, told as it
                                        * stands: name of the data, command line, moment */
} peck_page_spec;

/* Under a temporary name, then renamed; "-" is standard output.  The same runs give the
 * same bytes.  spec may be NULL. */
PECK_API PECK_MUST_CHECK peck_status peck_page_write(peck_page *p, const char *path,
                                                     const peck_page_spec *spec,
                                                     peck_error *err);
PECK_API void peck_page_free(peck_page *p);

/* 7. What this build offers (feeds help texts, bindings, contract tests) --- */

typedef enum peck_kind {
    PECK_READER,
    PECK_WRITER,
    PECK_GENERATOR,
    PECK_METRIC,
    PECK_CONVENTION,
    PECK_NORM,
    PECK_METHOD,
    PECK_DECODER
} peck_kind;

typedef struct peck_plug {
    const char *name, *title, *doc;
} peck_plug;

typedef struct peck_param {
    const char *key, *value, *help; /* value: the default                              */
    const char *type;               /* "int", "float" or "choice"                      */
    const char *allowed;            /* "[0,inf)"; of a choice "exp|linear"             */
} peck_param;

PECK_API const peck_plug *peck_plug_at(peck_kind kind, size_t i); /* NULL past the end */
/* The method, however its name is written: "LambdaMART", "Coordinate Ascent"; NULL: none. */
PECK_API const peck_plug *peck_method_named(const char *name);
/* The paper that a method comes from, or is compared with in; NULL: none of those that are
 * here as a whole. */
PECK_API const char *peck_method_group(const char *method);
/* A method is a name for a learner, the family of its models and what it is trained for. */
typedef struct peck_recipe {
    const char *learner, *family, *objective; /* objective NULL: the learner has its own */
} peck_recipe;
/* What a method is a name for; returns 0 when there is no such method. */
PECK_API int peck_method_recipe(const char *method, peck_recipe *out);
/* Whether rules can be added to it (peck_train_spec): it learns by gradients. */
PECK_API int peck_method_takes_rules(const char *method);
/* Whether its models compare two documents at a time, as peck_model_compares has it; known
 * before anything is trained.  0 also when there is no such method. */
PECK_API int peck_method_compares(const char *method);
/* Setting i of a plug; returns 0 past the end.  A convention's parts are its settings. */
PECK_API int peck_param_at(peck_kind kind, const char *name, size_t i, peck_param *out);
/* Setting i of a rule, as it stands behind a clause; returns 0 past the end.  (From 0.2.) */
PECK_API int peck_rules_param_at(size_t i, peck_param *out);

/* 8. Rarities: what few programs need ---------------------------------------- */

/* Click-through rates as labels: rates in [0,1] are cut into 7 equal parts, 0, 0.5 .. 3
 * (Papini and Diligenti 2012, section 5).  What is not judged stays so. */
PECK_API PECK_MUST_CHECK peck_status peck_dataset_clicks(peck_dataset **out,
                                                         const peck_dataset *d,
                                                         peck_error *err);

/* Class boundaries from the scores alone (DirectRanker, section 5.3): gap[n - 1] is what
 * the document at position i is ahead of the one at i + 1.  is_peak[n - 1] (may be NULL)
 * marks the gaps that are at least twice the list's mean and not below a neighbour. */
PECK_API void peck_gaps(const double *score, const uint32_t *order, size_t n, double *gap,
                        unsigned char *is_peak);
/* The same of the queries of d by what the model itself says: gap[n_docs], of each query in
 * the order by falling score, r(x_i, x_(i+1)) of a document and the next, the difference of
 * its scores for one that scores and the evidence for less that against for one that
 * compares; below 0 where the order is at odds with it.  NaN for the last of a query.  score:
 * by whatever the documents were ordered, a decoder's too.  (From 0.2.) */
PECK_API PECK_MUST_CHECK peck_status peck_model_gaps(const peck_model *m,
                                                     const peck_dataset *d,
                                                     const double *score, double *gap,
                                                     peck_error *err);
/* is_peak of gap[n - 1], as above.  (From 0.2.) */
PECK_API void peck_peaks(const double *gap, size_t n, unsigned char *is_peak);
/* Cuts a list of n at its n_classes - 1 largest gaps that are not below a neighbour, then at
 * the largest of the others (of equal ones the earlier): class_at[n] counts from 1, the best
 * class.  A list that is too short has fewer. */
PECK_API PECK_MUST_CHECK peck_status peck_classes(const double *gap, size_t n,
                                                  size_t n_classes, uint32_t *class_at,
                                                  peck_error *err);
/* One set of thresholds for all lists, falling: threshold[n_classes - 1]; a document whose
 * score is below k of them is of class k + 1.  Scores must mean the same in every list:
 * peck_model_scores_alone.  by_labels: those that put most documents of d into the class of
 * their label, the largest first (as many labels as classes, at least two).  Otherwise without
 * labels: each list is cut at its gaps by peck_classes, and threshold k is the median of the
 * lists' cuts k, each counting by its gap.  (From 0.2.) */
PECK_API PECK_MUST_CHECK peck_status peck_thresholds(const peck_dataset *d,
                                                     const double *score, size_t n_classes,
                                                     int by_labels, double *threshold,
                                                     peck_error *err);

/* Probabilities that can hold together (Burges et al. 2005, section 3): log-odds add up.
 * P(i before k) from P(i before j) and P(j before k); NaN where nothing follows, for one
 * is certain (1) and the other certain of the opposite (0). */
PECK_API double peck_posterior_chain(double p_ij, double p_jk);
/* All posteriors of n items from the n - 1 between neighbours, adjacent[i] being that of
 * item i before item i + 1.  p is n x n: p[i * n + j] that of i before j; NaN as above. */
PECK_API PECK_MUST_CHECK peck_status peck_posteriors(double *p, const double *adjacent,
                                                     size_t n, peck_error *err);

typedef struct peck_contradiction {
    size_t pref;                /* the preference that said it first              */
    size_t list, winner, loser; /* as in peck_pref                                */
    double given, implied;      /* P(winner before loser): said, and what follows */
} peck_contradiction;

/* What is given but does not follow from the rest, by more than `tolerance`: the first
 * `max` of them, and how many there are.  What is said several times of the same two
 * counts as its mean by weight. */
PECK_API PECK_MUST_CHECK peck_status peck_prefs_contradictions(const peck_prefs *p,
                                                               double tolerance,
                                                               peck_contradiction *out,
                                                               size_t max, size_t *n_found,
                                                               peck_error *err);

/* Preferences whose probabilities hold together: of each list those nearest to what
 * is given, by the cross entropy of RankNet's Eq. (1), so what holds together already comes
 * back as it is.  Order and weights stay.  all: instead every two items of a list of which
 * something follows, each pair once, the likelier first, weight 1: m - 1 adjacency posteriors
 * give all m (m - 1) / 2, but for two that are certain to go before a third, or behind it. */
PECK_API PECK_MUST_CHECK peck_status peck_prefs_consistent(peck_prefs **out,
                                                           const peck_prefs *p, int all,
                                                           peck_error *err);

/* The known name nearest to `name`, or NULL when none is near: "did you mean". */
PECK_API const char *peck_nearest(const char *name, const char *const *known,
                                  size_t n_known);

#ifdef __cplusplus
}
#endif
#endif
