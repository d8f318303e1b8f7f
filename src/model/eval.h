/* eval.h -- what weights make of documents:
 *
 *     (family, shape, weights, rows) -> scores, or views;   views -> an oracle of duels,
 *     and with a decoder -> orders
 *
 * The same for weights that training still changes and for those of a finished model.
 * Rows are as the family wants to see them: scaled.                                   */
#ifndef EVAL_H
#define EVAL_H

#include "../base/alloc.h"
#include "../decode/decode.h"
#include "family.h"

/* Documents a family sees at once: their activations stay in the cache. */
enum { EVAL_BLOCK = 240 };

/* Floats that a document becomes: 1, its score, or a view. */
size_t eval_width(const struct family *f, const void *shape);
/* made[x.n][width], in blocks; scratch is that of EVAL_BLOCK documents. */
void eval_rows(const struct family *f, const void *shape, const float *w, struct rows x,
               float *made, float *scratch);

/* Documents that were looked at, and can be compared.  Nothing of it is owned. */
struct seen_docs {
    size_t n;
    const float *score; /* n; NULL: of a comparator, which has views */
    const float *view;  /* [n_members][n][width] */
    size_t width, n_members, n_weights;
    /* Of a comparator; the views are these members': */
    const struct family *family;
    const void *shape;
    const float *w; /* [n_members][n_weights] */
};

/* lead and out as in family.h, from any number of threads at once.  Scores prefer i to j by
 * sigma(s_i - s_j); an ensemble of comparators averages both outputs over its members, so
 * that it is a comparator again. */
void seen_decide(const struct seen_docs *d, const peck_duel *duel, size_t n_duels,
                 float *lead);
void seen_duels(const struct seen_docs *d, const peck_duel *duel, size_t n_duels,
                float (*out)[2]);

/* A list as decoders ask. */
struct duel_list {
    struct seen_docs docs;
    /* Of each document as the decoder counts them: where it is in docs; NULL: the same. */
    const uint32_t *place;
    bool is_training; /* what is no finite number is training's fault: PECK_DIVERGED */
    /* Called for each duel: lead is above 0 when duel.i goes first.  NULL: nobody. */
    void (*on_duel)(void *ctx, size_t query, peck_duel duel, float lead);
    void *ctx;
    size_t query;
};
/* Of a list that stays where it is. */
struct oracle duel_list_oracle(const struct duel_list *l);

/* Documents as a family wants to see them, of queries first .. end-1: in memory, or made a
 * query at a time whenever somebody looks. */
struct eval_docs {
    struct rows x; /* their rows; x.x NULL: they are made */
    const uint64_t
        *start; /* query q has rows start[q] .. start[q + 1], counted from those of
                            * query 0; NULL: nobody asks for queries */
    size_t first, end;
    /* The rows of query q, from any thread, in room[n_room] or elsewhere. */
    struct rows (*make)(const void *ctx, size_t q, float *room);
    const void *ctx;
    size_t n_room;
};

/* Scores or views of many documents, in blocks, one a worker. */
struct model_outputs {
    const struct family *family;
    const void *shape;
    struct pool *pool;
    struct eval_docs docs;
    struct rows x;  /* those of docs */
    size_t width;   /* floats that a row becomes */
    float *score;   /* x.n; NULL: the family compares */
    float *view;    /* [x.n][width], or, of rows that are made, [workers][longest][width];
                     * NULL: it scores */
    size_t longest; /* documents of a query */
    const float *w; /* of the last model_outputs_fill; the caller's */
    float *scratch; /* [workers][n_scratch] */
    float *room;    /* [workers][docs.n_room] */
    size_t n_scratch;
};

/* Lives in the memory given. */
MUST_CHECK peck_status model_outputs_open_docs(
    struct model_outputs *s, struct arena *memory, const struct family *family,
    const void *shape, const struct eval_docs *docs, struct pool *pool, peck_error *err);
/* Of rows in memory, whatever their queries. */
MUST_CHECK peck_status model_outputs_open(struct model_outputs *s, struct arena *memory,
                                          const struct family *family, const void *shape,
                                          struct rows x, struct pool *pool,
                                          peck_error *err);
/* Scores or views from w, which must stay while views are used: the same bytes on any
 * pool. */
void model_outputs_fill(struct model_outputs *s, const float *w);
/* n rows, in memory, from the first on. */
struct seen_docs model_outputs_seen(const struct model_outputs *s, size_t first, size_t n);
/* Those of query q; until this worker asks for another one. */
struct seen_docs model_outputs_query(const struct model_outputs *s, size_t q, int worker);

/* The order of every query by a net that compares.  Queries go side by side, each on one
 * thread. */
struct sorter {
    const struct model_outputs *outputs; /* of views */
    /* Of each document, counted within its query: the row it has in the outputs, counted
     * likewise; NULL: the same. */
    const uint32_t *place;
    struct decode_plan decode;
    uint32_t *order; /* [workers][longest]: of a query, counted within it */
    double *score; /* n_docs, by document; sorter_run fills those of the outputs' queries */
    /* Called for each duel that the decoder asks for, as in struct duel_list.  Several
     * queries come at once; those of one query one after another. */
    void (*on_duel)(void *ctx, size_t q, peck_duel duel, float lead);
    void *ctx;     /* of on_duel */
    uint64_t seed; /* while at work */
};

/* decoder: "tree", as decode_plan_open takes it.  Lives in the memory given. */
MUST_CHECK peck_status sorter_open(struct sorter *s, struct arena *memory,
                                   const struct model_outputs *outputs, size_t n_docs,
                                   const uint32_t *place, const char *decoder,
                                   peck_error *err);
/* s->score from the outputs as they are.  PECK_DIVERGED when a comparison is no number. */
MUST_CHECK peck_status sorter_run(struct sorter *s, uint64_t seed, peck_error *err);

#endif
