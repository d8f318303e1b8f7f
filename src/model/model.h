/* model -- WHAT A TRAINED THING IS
 *   in      raw features of a query
 *   out     scores, or who goes before whom
 *   knows   base norm decode
 *   never   datasets, training, metrics
 *   grow    family_<name>.c + one line in families.def
 *
 * A model is a family's shape, the weights of one or more members, the normaliser, and
 * where it came from.  It never changes once made.  With several members (an ensemble
 * of seeds) each member's scores are standardised over the query and averaged, or, where
 * members compare, their preferences are averaged.  A committee is made of whole models,
 * whatever they are, and averages their standardised scores by their shares.  Where a
 * model has scales, these stand in for the query's own mean and deviation, so that the
 * score of a document can be had without the others.                                  */
#ifndef MODEL_H
#define MODEL_H

#include "../norm/norm.h"
#include "eval.h"

#include <stdatomic.h>

/* What the scores of a member, or of a model in a committee, are standardised by. */
struct scale {
    double mean, deviation; /* finite; the deviation above 0 */
};

struct peck_model {
    atomic_size_t n_owners;      /* a model never changes, so committees share theirs */
    struct strings feature_name; /* n = 0: none; else one a feature */
    struct notes notes;          /* where it came from: "method", "settings", "seed", ... */
    /* A model of its own: */
    const struct family *family;
    void *shape;
    size_t n_weights, n_members;
    float *w; /* [n_members][n_weights] */
    struct norm *norm;
    /* A committee, n_parts > 0, has none of these, but models: */
    struct peck_model **part; /* [n_parts], no committees among them */
    double *share;            /* [n_parts], above 0, 1 in all */
    size_t n_parts;
    /* Of each member, or of each part; NULL: those of the query that is scored. */
    struct scale *scale;
    size_t n_inputs; /* features of the data: what each model looks at, taken together */
    /* NULL: every model looks at all of them.  [n_parts]: NULL, the first ones; else of each
     * feature of that model where the data has it */
    uint32_t **column;
};

struct peck_model *model_new(void); /* one owner, else all zero; NULL: no memory */

/* Members that an ensemble may have. */
enum { MOST_MEMBERS = 1 << 16 };

/* Whether its weights are such as a file may hold: finite, and as its family has them;
 * PECK_FORMAT if not. */
MUST_CHECK peck_status model_check_weights(const struct peck_model *m, peck_error *err);
/* The same of the whole model, its normaliser and its parts. */
MUST_CHECK peck_status model_check(const struct peck_model *m, peck_error *err);

/* One more owner, who frees it too. */
struct peck_model *model_share(const struct peck_model *m);

/* The decoder that a model is ranked by unless somebody says; NULL: "tree". */
const char *model_decoder(const struct peck_model *m);

/* Models that a committee may have. */
enum { MOST_PARTS = 1000 };

/* Makes a new model a committee of part[n], which it shares; no committees among them.
 * Shares are above 0 and 1 in all: PECK_ARG if not.  Models that look at other features, or
 * in another order, find theirs by name; PECK_SHAPE where not all have names: name[n] says
 * who they are (NULL: "model 1", ...). */
MUST_CHECK peck_status committee_fill(struct peck_model *m,
                                      const struct peck_model *const *part,
                                      const double *share, const char *const *name,
                                      size_t n, peck_error *err);
/* The same of a committee that holds its models and shares already. */
MUST_CHECK peck_status committee_settle(struct peck_model *m, const char *const *name,
                                        peck_error *err);

/* One thread's way to use a model. */
struct peck_scorer;
const struct peck_model *scorer_model(const struct peck_scorer *s);
/* One for each of n threads, with room for lists of `longest` documents (0: it grows as lists
 * come).  to[n] is all NULL before, and closed in any case; scorers_close takes NULL. */
MUST_CHECK peck_status scorers_open(struct peck_scorer **to, size_t n,
                                    const struct peck_model *m, size_t longest,
                                    peck_error *err);
void scorers_close(struct peck_scorer **s, size_t n);
MUST_CHECK peck_status scorer_reserve(struct peck_scorer *s, size_t n_docs,
                                      peck_error *err);
/* score[docs.n], finite.  A model that scores takes neither lock nor memory after
 * scorer_reserve(n >= docs.n).  One that compares gives the search tree's order, n - 1
 * for the first document down to 0.  pool: whose workers help with the comparisons, from
 * outside any task; NULL: this thread alone.  The same bytes in either case. */
MUST_CHECK peck_status scorer_run(struct peck_scorer *s, struct rows docs,
                                  struct pool *pool, float *score, peck_error *err);

/* The same on this thread alone, as doubles. */
MUST_CHECK peck_status scorer_run_wide(struct peck_scorer *s, struct rows docs,
                                       double *score, peck_error *err);

/* Whether its family compares, and cannot score. */
bool model_compares(const struct peck_model *m);
/* Whether a score takes the comparisons of all pairs of a list: a comparator sits in the
 * committee. */
bool model_hears_pairs(const struct peck_model *m);
/* Whether it, or one of a committee, is made of trees, which ask about features. */
bool model_asks_questions(const struct peck_model *m);
/* Why the score of a document depends on the others of its list, as in "its scores depend
 * on the list: it compares documents"; NULL: it does not. */
const char *model_heeds_list(const struct peck_model *m);
/* Appends the same as a line of a report: "of each document alone". */
void model_print_scores(const struct peck_model *m, struct text *to);
/* Members or models whose scores are averaged; 0: nothing is. */
size_t model_voices(const struct peck_model *m);
/* Whether numbers of a file can be a scale. */
bool scale_fits(struct scale s);
/* Whether NaN may stand for features that are missing. */
bool model_may_miss(const struct peck_model *m);

/* Looks at the documents of a list, which can then be compared until the next look or
 * run.  For every model: one that scores prefers i to j by sigma(s_i - s_j). */
MUST_CHECK peck_status scorer_look(struct peck_scorer *s, struct rows docs,
                                   peck_error *err);
/* After scorer_look, from any number of threads at once; out as in family.h. */
void scorer_duels(const struct peck_scorer *s, const peck_duel *duel, size_t n_duels,
                  float (*out)[2]);
/* The list that was looked at, as decoders ask; item k of the decoder is document place[k]
 * (NULL: k). */
struct oracle scorer_oracle(struct peck_scorer *s, const uint32_t *place);

/* Fails with "the score of document ... overflows". */
peck_status refuse_document(size_t doc, peck_error *err);

#endif
