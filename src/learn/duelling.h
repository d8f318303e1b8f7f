/* duelling.h -- the pairs of one query as duels of views: their loss and its derivatives.
 *
 * Documents have been looked at before (family.h: view); here each pair costs what a duel
 * costs.  Duels go some hundred at a time, in the query's order: runs, ties, listed
 * pairs.                                                                               */
#ifndef DUELLING_H
#define DUELLING_H

#include "../base/alloc.h"
#include "../model/family.h"
#include "objective.h"

enum { DUELS_AT_ONCE = 256 };

/* Bytes, behind those of lambda_scratch in a query's scratch, in which an objective that
 * weighs pairs by a metric has the net's order found. */
#define DUELLING_ORDER_BYTES(n) ((size_t)(n) * (sizeof(real) + 2 * sizeof(uint32_t)))

/* What duels are fought by. */
struct duel_rule {
    const struct family *family; /* one that compares */
    const void *shape;
    const struct objective *objective; /* one for duels */
    const void *config;
    size_t n_kept; /* floats that a duel keeps for the way back */
};

/* One thread's scratch memory. */
struct duel_scratch {
    peck_duel duel[DUELS_AT_ONCE];
    struct pair pair[DUELS_AT_ONCE];
    real out[DUELS_AT_ONCE][2], dout[DUELS_AT_ONCE][2];
    size_t n;   /* that wait */
    real *keep; /* [DUELS_AT_ONCE][kept] */
};
struct duel_scratch *duel_scratch_new(struct arena *a, const struct duel_rule *rule);

/* The loss of q, a mean over its pairs: view[q->n][view_size] as w sees its documents.
 * With dview (as view) and dw, `part` times its derivatives are added to them; NULL: the
 * loss alone. */
double duelling(const struct duel_rule *rule, const struct query_pairs *q, const real *w,
                const real *view, struct duel_scratch *scratch, real part, real *dview,
                real *dw);

/* How far each of a query's n documents goes before each other, as a difference of scores
 * would be: lead[i][j] = log(P / (1 - P)), P the preference (family.h), lead[j][i] = -lead[i][j].
 * dlead[i][j] - dlead[j][i] are derivatives by it; duelling_push adds to dview and dw what
 * comes of them. */
void duelling_leads(const struct duel_rule *rule, size_t n, const real *w, const real *view,
                    struct duel_scratch *scratch, real *lead);
void duelling_push(const struct duel_rule *rule, size_t n, const real *w, const real *view,
                   struct duel_scratch *scratch, const real *dlead, real *dview, real *dw);

#endif
