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
 * members compare, their preferences are averaged.                                  */
#ifndef MODEL_H
#define MODEL_H

#include "../decode/decode.h"
#include "../norm/norm.h"
#include "family.h"

/* Where a model came from: "method", "settings", "seed", ...; kept in order. */
struct notes {
    struct strings key, text;
};
MUST_CHECK bool notes_add(struct notes *n, const char *key, peck_span text);
peck_span notes_get(const struct notes *n, const char *key); /* n = 0: none */

struct peck_model {
    const struct family *family;
    void *shape;
    size_t n_weights, n_members;
    float *w; /* [n_members][n_weights] */
    struct norm *norm;
    struct strings feature_name; /* n = 0: none; else norm's dim_in */
    struct notes notes;
};

struct peck_model *model_new(void); /* all zero; NULL: no memory */

/* One thread's way to use a model. */
struct peck_scorer;
const struct peck_model *scorer_model(const struct peck_scorer *s);
MUST_CHECK peck_status scorer_reserve(struct peck_scorer *s, size_t n_docs,
                                      peck_error *err);
/* Of a model that scores, after scorer_reserve(n >= docs.n): no lock, no memory, cannot
 * fail. */
void scorer_run(struct peck_scorer *s, struct rows docs, float *score);
/* Of one that compares: the search tree's order, n - 1 for the first document down to 0. */
MUST_CHECK peck_status scorer_decode(struct peck_scorer *s, struct rows docs, float *score,
                                     peck_error *err);

/* Whether its family compares, and cannot score. */
bool model_compares(const struct peck_model *m);

/* Looks at the documents of a list, which can then be compared until the next look or
 * run.  For every model: one that scores prefers i to j by sigma(s_i - s_j). */
MUST_CHECK peck_status scorer_look(struct peck_scorer *s, struct rows docs,
                                   peck_error *err);
/* After scorer_look, from any number of threads at once; lead and out as in family.h. */
void scorer_decide(const struct peck_scorer *s, const peck_duel *duel, size_t n_duels,
                   float *lead);
void scorer_duels(const struct peck_scorer *s, const peck_duel *duel, size_t n_duels,
                  float (*out)[2]);
/* The list that was looked at, as decoders ask. */
struct oracle scorer_oracle(struct peck_scorer *s);

/* Fails with "the score of document ... overflows". */
peck_status refuse_document(size_t doc, peck_error *err);

#endif
