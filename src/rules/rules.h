/* rules -- WHAT AN EXPERT KNOWS -> PENALTIES ON SCORES
 *   in      a text of clauses; the raw features and the scores of one query
 *   out     whether a clause holds; how far it is from holding, and the derivative of
 *           that with respect to the scores
 *   knows   base
 *   never   labels, datasets, models, printing
 *   grow    a predicate is a node kind (tree.h, tree.c): read by parse.c, printed by rules.c,
 *           true or not in logic.c, soft in penalty.c
 *
 *   text -> clauses -> prenex form -> truth table -> penalty
 *
 * Papini and Diligenti, "Learning-to-rank with prior knowledge as global constraints",
 * 2012, section 4.  The language is in docs/RULES.md.                                 */
#ifndef RULES_H
#define RULES_H

#include "../base/plug.h"
#include "../base/real.h"
#include "../base/strings.h"

/* How a clause becomes a penalty; rule_params says what the settings mean. */
enum rule_logic { LOGIC_GAUSSIAN, LOGIC_PRODUCT, LOGIC_LUKASIEWICZ, LOGIC_MINIMUM };
enum rule_mixture { MIXTURE_AUTO, MIXTURE_TRUE, MIXTURE_FALSE };
enum rule_all { ALL_MAX, ALL_MEAN };
enum rule_some { SOME_MIN, SOME_DUAL };

struct rule_config {
    double weight, sigma, alpha, beta;
    int64_t most;
    int mixture, all, some, logic; /* the enums above */
};
extern const struct param rule_params[];

size_t rules_count(const struct peck_rules *r);
peck_span rules_name(const struct peck_rules *r, size_t rule);
const struct rule_config *rules_config(const struct peck_rules *r, size_t rule);
/* The clause in prenex form, its definitions written out. */
void rules_print(const struct peck_rules *r, size_t rule, struct text *to);
/* " sigma 0.5 ...": every setting but the weight. */
void rules_print_settings(const struct peck_rules *r, size_t rule, struct text *to);

struct rule_shape {
    size_t n_quantifiers, n_atoms; /* quantifiers: over documents */
    size_t n_true, n_false;        /* rows of the truth table */
    bool is_of_true;               /* the mixture is over the true ones */
    bool is_idle;                  /* its penalty is 0 whatever the scores are */
};
struct rule_shape rules_shape(const struct peck_rules *r, size_t rule);
/* Refuses a rule that can never hold. */
MUST_CHECK peck_status rules_refuse_never(const struct peck_rules *r, peck_error *err);

/* rules + names of features -> rules that can look at documents ---------------------- */

struct bound;
/* dim features, whose names may be missing (n = 0, or "" for one).  r is kept. */
MUST_CHECK peck_status rules_bind(struct bound **out, const struct peck_rules *r,
                                  const struct strings *feature_name, size_t dim,
                                  peck_error *err);
/* From now on they look at a table of the features that they mention alone.  from[dim]: column
 * i of it is column from[i] of theirs so far.  Returns how many there are. */
size_t rules_narrow(struct bound *b, uint32_t *from);
void bound_free(struct bound *b); /* takes NULL */

/* One query as rules see it. */
struct scene {
    struct rows docs;     /* raw features */
    const uint32_t *from; /* document i is row from[i]; NULL: row i */
    peck_span id;         /* for messages */
    double alpha;         /* of soft logic: times each rule's own; 0: 1 */
};

/* No feature that rules speak of is missing, those of the query are constant in it, soft truth
 * values lie in [0,1], and the documents are not too many for a rule's quantifiers. */
MUST_CHECK peck_status rules_check_scene(const struct bound *b, const struct scene *q,
                                         peck_error *err);
/* Whether it is one of the queries that the rule is about. */
bool rules_speak_of(const struct bound *b, size_t rule, const struct scene *q);
/* Hard logic; position[i], from 0, is document i's place in the order. */
bool rules_hold(const struct bound *b, size_t rule, const struct scene *q,
                const uint32_t *position);

/* An order that keeps rules ------------------------------------------------------------ */

struct enforced {
    double cost;    /* sum over turned pairs of the difference of their scores */
    bool is_turned; /* it is not the order by score */
    bool is_proven; /* no order is better; else it is the best that a search found */
};
/* Of the orders that keep the rules of the largest total weight that can hold together, the
 * one of least cost; of equal ones that whose first document is higher in the order by
 * score, then the second, ...  weight[n_rules], in [0,1e6], 0: left out, as are rules that
 * do not speak of the query, or that no order of it can change.  score NULL: any order does,
 * and these count too.  order[n]: documents, the first one first; kept[n_rules]: 1, 0, or -1
 * where it was left out. */
MUST_CHECK peck_status rules_enforce(const struct bound *b, const struct scene *q,
                                     const double *weight, const double *score,
                                     uint32_t *order, signed char *kept,
                                     struct enforced *out, peck_error *err);
/* Whether an order can change it in this query: it has `before`, or a `top` that is shorter
 * than the list. */
bool rules_can_sway(const struct bound *b, size_t rule, const struct scene *q);

/* What orders of a query can keep: of each rule, and of rules that contradict each other. */
enum rule_reach {
    REACH_SILENT, /* it does not speak of the query */
    REACH_NEVER,
    REACH_OPEN, /* no order that was looked at keeps it */
    REACH_CAN,
};
struct clash {
    uint64_t rule[4]; /* a bit for each rule; all but one of them can hold together */
    size_t n;         /* how many they are */
};
struct clash_list {
    struct clash *clash; /* of mem_reserve */
    size_t n, cap;
};
/* reach[n_rules]: rule_reach; what contradicts itself is added to the list.  Weights play no
 * part. */
MUST_CHECK peck_status rules_reach(const struct bound *b, const struct scene *q,
                                   unsigned char *reach, struct clash_list *to,
                                   peck_error *err);

/* Soft logic ------------------------------------------------------------------------- */

/* Bytes that penalty_add needs for queries of up to max_docs documents; SIZE_MAX: more
 * than there can be. */
size_t penalty_scratch(const struct bound *b, size_t max_docs);
/* Returns sum_h weight[h] Phi_h of this query and adds its derivative by the scores to
 * g[n].  A rule of weight 0 is passed over.  phi[n_rules] (may be NULL): each Phi_h, 0
 * for what was passed over.  Cannot fail, takes no memory. */
double penalty_add(const struct bound *b, const struct scene *q, const double *weight,
                   const real *s, real *g, double *phi, void *scratch);
/* The same, and adds to h[n] numbers, 0 or more, that the second derivatives stay below: in
 * any direction v of the scores the sum bends by sum_i h_i v_i^2 at most.  Where a
 * derivative is not 0 its h is above 0. */
double penalty_add_newton(const struct bound *b, const struct scene *q,
                          const double *weight, const real *s, real *g, real *h,
                          void *scratch);
/* The same as penalty_add where nobody has scores: lead[n][n] is by how much the first
 * document goes before the second, as a difference of scores would be, lead[i][j] =
 * -lead[j][i].  dlead[n][n] (may be NULL): derivatives by each are added, to one of the two
 * places of a pair or to both. */
double penalty_add_leads(const struct bound *b, const struct scene *q, const double *weight,
                         const real *lead, real *dlead, double *phi, void *scratch);

#endif
