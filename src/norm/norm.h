/* norm -- FEATURES -> SCALED FEATURES
 *   in      raw rows of one query; for fitting, all rows of the training data, weighed
 *   out     rows of the same documents, each column in a range a net can use
 *   knows   base
 *   never   labels, datasets, models
 *   grow    norm_<name>.c + one line in norms.def
 *
 * A normaliser is one or more views side by side, named with "+":
 * "quantile+query-zscore" gives two columns for every feature.  A constant column
 * becomes 0, never NaN.  A view over the views before it, such as "rff:dim=500", adds
 * columns of its own.  Fitted state travels in the model file.
 *
 * A document of weight w is fitted to as w of them would be.  Two kinds of view do without
 * weights: those over a query's documents, since nobody weighs the documents of a query that
 * is to be ranked, and those over views, which look at a sample.                     */
#ifndef NORM_H
#define NORM_H

#include "../base/comm.h"
#include "../base/input.h"
#include "../base/plug.h"
#include "../base/pool.h"
#include "../base/tensors.h"
#include "../base/view.h"

/* A view over what the views before it make of a document (over the raw features where
 * there are none). */
struct norm_over {
    size_t config_size; /* the settings, where plug.params say */
    size_t (*columns)(const void *config);
    /* Floats of state a column, for dim columns that come in. */
    size_t (*state)(size_t dim);
    /* From some rows, at least one, to the state of all columns; what memory it needs it
     * takes itself. */
    peck_status (*fit)(const void *config, struct rows some, float *state, peck_error *err);
    /* Row by row, by products of matrices.  Cannot fail. */
    void (*apply)(const void *config, const float *state, struct rows in, float *out,
                  size_t out_stride);
};

/* All values of one feature in the training data. */
struct norm_values {
    const float *sorted; /* rising */
    const float *weight; /* of each, above 0; NULL: all 1 */
    size_t n;
};

/* One kind of view. */
struct norm_kind {
    struct plug plug;             /* params: of a view over views alone */
    const struct norm_over *over; /* NULL: of each feature by itself, as follows */
    bool keeps_missing;           /* NaN becomes NaN, and disturbs nobody else */
    bool heeds_query; /* what a document becomes depends on the others of its query */
    /* Floats of fitted state a feature; 0: nothing is fitted. */
    size_t state;
    /* From all values of one feature to its state.  NULL when state is 0. */
    void (*fit)(const struct norm_values *all, float *state);
    /* Whether finite numbers from a file can be a feature's state; NULL: any can. */
    bool (*fits)(const float *state);
    /* What apply needs beside the state to be quick, made from it once; NULL: nothing.
     * Freed by mem_free. */
    void *(*index)(const float *state, size_t dim);
    /* The rows of one query, dim columns each, to out (out_stride floats from one row
     * to the next).  Cannot fail. */
    void (*apply)(const float *state, const void *index, struct rows in, float *out,
                  size_t out_stride);
};

extern const struct plug *const norms[];
extern const size_t n_norms;

/* One of a normaliser's views. */
struct norm_view {
    const struct norm_kind *kind;
    void *config;      /* of a view over views */
    size_t at;         /* the first of its columns; a view over views sees those before */
    size_t n_rows;     /* of its state: the features, or its own columns */
    size_t state_size; /* floats of state in a row; 0: nothing is fitted */
    float *state;      /* [n_rows][state_size] */
    void *index;
};

enum { NORM_SPEC_MAX = 256 };

/* Immutable once made. */
struct norm {
    char spec[NORM_SPEC_MAX]; /* "quantile+query-zscore" */
    size_t dim_in, dim_out;   /* columns of a document */
    size_t n_views;
    struct norm_view view[];
};

/* Rows of queries: query q has rows start[q] .. start[q + 1].  start NULL: all are one. */
struct norm_data {
    struct rows all;
    const uint64_t *start;
    size_t n_queries;
    const char *name;    /* for messages; norm_fit needs none */
    const float *weight; /* of each row, above 0, for norm_fit; NULL: all 1 */
    /* Where all.x has the first row of each query; NULL: where start says.  all.n is the
     * number of rows in the queries. */
    const uint64_t *place;
    /* The file that all.x is mapped from, of which norm_apply_all forgets what it has read;
     * NULL: none. */
    const struct input *mapped;
    /* Bytes that norm_fit may take beside a column or two, forgetting what it has read; 0: any
     * number. */
    size_t memory;
    /* Ranks, each of which has the features of queries own_first to own_end - 1, the ranks'
     * one after another; NULL: one rank, which has all. */
    const peck_comm *comm;
    size_t own_first, own_end;
};

/* Fits spec ("zscore", "quantile+query-zscore") to all rows.  Same bytes on any pool and on any
 * number of ranks, which exchange columns. */
MUST_CHECK peck_status norm_fit(struct norm **out, const char *spec,
                                const struct norm_data *data, struct pool *pool,
                                peck_error *err);
/* Whether all it has fitted are numbers that a file may hold; PECK_SHAPE if not. */
MUST_CHECK peck_status norm_check(const struct norm *n, peck_error *err);
/* Whether all views of a spec take NaN for a value that is missing. */
bool norm_keeps_missing(const char *spec);
/* Whether a view of a spec, or one that it stands over, heeds the query: else a document
 * is scaled in the same way whatever list it comes in. */
bool norm_heeds_query(const char *spec);
/* Appends the spec without the views that heed the query; where no other view of features
 * is left, zscore takes their place.  "quantile+query" -> "quantile", "query-zscore+rff"
 * -> "zscore+rff". */
void norm_print_alone(const char *spec, struct text *to);
/* The feature that a column is a view of; dim_in: it is made of several. */
size_t norm_feature(const struct norm *n, size_t column);
/* One query; out is [docs.n][dim_out], no gaps.  Any thread, no memory. */
void norm_apply(const struct norm *n, struct rows docs, float *out);
/* All queries that this rank has on the pool; *out has their rows, dim_out floats each, freed
 * by mem_free.  Row i becomes that of
 * document from[i], counted within its query; from NULL: rows stay where they are. */
MUST_CHECK peck_status norm_apply_all(float **out, const struct norm *n,
                                      const struct norm_data *data, const uint32_t *from,
                                      struct pool *pool, peck_error *err);
void norm_free(struct norm *n); /* takes NULL */

/* The model file: one tensor a fitted view, "norm.<i>" F32 [dim_in, state], or [columns,
 * state] of a view over views. */
MUST_CHECK peck_status norm_write(const struct norm *n, struct tensor_list *to,
                                  peck_error *err);
MUST_CHECK peck_status norm_read(struct norm **out, const char *spec, size_t dim_in,
                                 const struct tensors *from, peck_error *err);

#endif
