/* consistency.c -- target probabilities that can hold together.
 *
 *   P_ij = 1 / (1 + e^-(o_i - o_j)) for some outputs o, so log-odds add up along a chain:
 *   P_ik = P_ij P_jk / (P_ij P_jk + (1 - P_ij)(1 - P_jk))
 *
 * and m - 1 posteriors between neighbours give all m (m - 1) / 2.  Burges et al.,
 * "Learning to rank using gradient descent", ICML 2005, section 3.
 *
 * Whether given probabilities hold together is asked of each list.  What is said several
 * times of the same two items is one probability, the mean by weight.  Finite log-odds
 * tie items into groups with known differences (union-find with potentials); one that
 * closes a cycle must agree with them.  Certain ones (0 or 1) put one group before
 * another, and must not lead round in a circle.                                       */
#include "../base/alloc.h"
#include "../base/alloc.h"
#include "../base/maths.h"
#include "../data/prefs.h"

#include <math.h>

/* What is said of two items, in all. */
struct tie {
    uint32_t a, b;       /* nodes: the winner and the loser when it was first said */
    size_t pref;         /* where that was */
    double p_sum, w_sum; /* sums of weight P(a before b) and of weight */
};

struct pref_graph {
    struct index node; /* (list, item) */
    struct index pair; /* (node, node), the lower first; a tie each */
    struct tie *tie;
    size_t cap_tie;
    uint32_t *parent; /* by node: union-find */
    uint32_t *size;   /* by node: of the tree below it */
    double *ahead;    /* by node: log-odds over its parent */
    uint32_t *begin;  /* by node, and one more: where its certain ties begin in `next` */
    uint32_t *next;   /* certain ties, by the group that comes first */
    uint32_t *path;   /* walking: the groups on the way */
    uint32_t *at;     /* walking, by node: the next tie to follow */
    unsigned char *mark;
    struct arena arena; /* of all that goes by node or by tie */
};

/* Where contradictions go. */
struct contradictions {
    peck_contradiction *out;
    size_t max, n;
    double tolerance;
};

/* Posteriors ------------------------------------------------------------------------ */

static bool is_probability(double p)
{
    return p >= 0.0 && p <= 1.0;
}

static double log_odds(double p)
{
    return math_log(p) - math_log1p(-p);
}

static double logistic(double o)
{
    return 1.0 / (1.0 + math_exp(-o));
}

double peck_posterior_chain(double p_ij, double p_jk)
{
    if (!is_probability(p_ij) || !is_probability(p_jk))
        return NAN;
    const double both = p_ij * p_jk, none = (1.0 - p_ij) * (1.0 - p_jk);

    return both + none > 0.0 ? both / (both + none) : NAN;
}

peck_status peck_posteriors(double *p, const double *adjacent, size_t n, peck_error *err)
{
    for (size_t i = 0; i + 1 < n; i++)
        if (!is_probability(adjacent[i]))
            return fail(err, PECK_ARG, "posterior %zu is %g; it must be from 0 to 1", i + 1,
                        adjacent[i]);
    for (size_t i = 0; i < n; i++) {
        double o = 0.0; /* infinite when certain, NaN once certain both ways */

        p[i * n + i] = 0.5;
        for (size_t k = i + 1; k < n; k++) {
            o += log_odds(adjacent[k - 1]);
            p[i * n + k] = logistic(o);
            p[k * n + i] = logistic(-o);
        }
    }
    return PECK_OK;
}

/* Ties ------------------------------------------------------------------------------- */

static int64_t consistency_put(struct index *x, const uint64_t key[2])
{
    return index_put(x, (peck_span){ (const char *)key, 2 * sizeof *key });
}

/* What all preferences say; false: out of memory. */
static bool gather_ties(struct pref_graph *w, const peck_prefs *prefs)
{
    for (size_t k = 0; k < prefs->n; k++) {
        const peck_pref *const p = &prefs->pref[k];
        const uint64_t winner[] = { p->list, p->winner }, loser[] = { p->list, p->loser };
        const int64_t a = consistency_put(&w->node, winner);
        const int64_t b = consistency_put(&w->node, loser);

        if (a == INDEX_FULL || b == INDEX_FULL)
            return false;
        const uint64_t lower = (uint64_t)(a < b ? a : b), upper = (uint64_t)(a < b ? b : a);
        const size_t n_before = w->pair.names.n;
        const int64_t i = consistency_put(&w->pair, (const uint64_t[]){ lower, upper });

        if (i == INDEX_FULL ||
            !mem_reserve(&w->tie, &w->cap_tie, (size_t)i + 1, sizeof *w->tie))
            return false;
        struct tie *const t = &w->tie[i];

        if ((size_t)i == n_before)
            *t = (struct tie){ (uint32_t)a, (uint32_t)b, k, 0.0, 0.0 };
        const double probability = (double)p->probability, weight = (double)p->weight;

        t->p_sum += weight * (t->a == (uint32_t)a ? probability : 1.0 - probability);
        t->w_sum += weight;
    }
    return true;
}

static double given_probability(const struct tie *t)
{
    const double p = t->p_sum / t->w_sum; /* NaN where nothing has any weight */

    return p < 1.0 ? p : 1.0;
}

static bool is_certain(double p)
{
    return p <= 0.0 || p >= 1.0;
}

static void consistency_tell(struct contradictions *f, const peck_prefs *prefs,
                             const struct tie *t, double implied)
{
    const peck_pref *const p = &prefs->pref[t->pref];

    if (f->n < f->max)
        f->out[f->n] = (peck_contradiction){
            t->pref, p->list, p->winner, p->loser, given_probability(t), implied
        };
    f->n++;
}

/* Groups ------------------------------------------------------------------------------ */

/* The head of a node's group, and the node's log-odds over it.
 * Small groups join large ones, so the way up has at most log2(n) steps. */
static uint32_t consistency_head_of(const struct pref_graph *w, uint32_t node,
                                    double *ahead)
{
    *ahead = 0.0;
    for (; w->parent[node] != node; node = w->parent[node])
        *ahead += w->ahead[node];
    return node;
}

/* Joins groups by finite log-odds; one within a group must agree with it. */
static void follow_finite(struct pref_graph *w, const peck_prefs *prefs,
                          struct contradictions *f)
{
    for (size_t i = 0; i < w->pair.names.n; i++) {
        const struct tie *const t = &w->tie[i];
        const double p = given_probability(t);
        double ahead_a, ahead_b;

        if (isnan(p) || is_certain(p))
            continue;
        const uint32_t x = consistency_head_of(w, t->a, &ahead_a),
                       y = consistency_head_of(w, t->b, &ahead_b);

        if (x != y) { /* o_a - o_b = odds, o_a = ahead_a + o_x, o_b = ahead_b + o_y */
            const double y_over_x = ahead_a - ahead_b - log_odds(p);
            const bool x_stays = w->size[x] >= w->size[y];
            const uint32_t stays = x_stays ? x : y, goes = x_stays ? y : x;

            w->parent[goes] = stays;
            w->size[stays] += w->size[goes];
            w->ahead[goes] = x_stays ? y_over_x : -y_over_x;
        } else if (fabs(logistic(ahead_a - ahead_b) - p) > f->tolerance) {
            consistency_tell(f, prefs, t, logistic(ahead_a - ahead_b));
        }
    }
}

/* Certainties -------------------------------------------------------------------------- */

/* The groups of a certain tie, the one that comes first first; false: it is none, or both
 * are the same. */
static bool groups_of(const struct pref_graph *w, const struct tie *t, uint32_t *from,
                      uint32_t *to, double *implied)
{
    const double p = given_probability(t);
    double ahead_a, ahead_b;
    const uint32_t x = consistency_head_of(w, t->a, &ahead_a),
                   y = consistency_head_of(w, t->b, &ahead_b);

    *implied = logistic(ahead_a - ahead_b);
    *from = p >= 1.0 ? x : y;
    *to = p >= 1.0 ? y : x;
    return !isnan(p) && is_certain(p) && x != y;
}

/* Lists the certain ties by the group that comes first; one within a group contradicts
 * what the group says. */
static void list_certain(struct pref_graph *w, const peck_prefs *prefs,
                         struct contradictions *f)
{
    const size_t n = w->pair.names.n, n_nodes = w->node.names.n;
    uint32_t from, to;
    double implied;

    for (size_t i = 0; i < n; i++) {
        const double p = given_probability(&w->tie[i]);

        if (groups_of(w, &w->tie[i], &from, &to, &implied))
            w->begin[from + 1]++;
        else if (!isnan(p) && is_certain(p) && fabs(implied - p) > f->tolerance)
            consistency_tell(f, prefs, &w->tie[i], implied);
    }
    for (size_t i = 0; i < n_nodes; i++) {
        w->begin[i + 1] += w->begin[i];
        w->at[i] = w->begin[i];
    }
    for (size_t i = 0; i < n; i++)
        if (groups_of(w, &w->tie[i], &from, &to, &implied))
            w->next[w->at[from]++] = (uint32_t)i;
    for (size_t i = 0; i < n_nodes; i++)
        w->at[i] = w->begin[i];
}

enum { UNSEEN, ON_THE_WAY, DONE };

/* Goes from group to group, deep first; who comes back to a group on the way has closed a
 * circle.
 * path[] is the stack: a chain may be longer than calls can nest. */
static void find_circles(struct pref_graph *w, const peck_prefs *prefs,
                         struct contradictions *f)
{
    for (uint32_t start = 0; start < w->node.names.n; start++) {
        size_t depth = 0;

        if (w->mark[start] == UNSEEN) {
            w->path[depth++] = start;
            w->mark[start] = ON_THE_WAY;
        }
        while (depth > 0) {
            const uint32_t here = w->path[depth - 1];
            uint32_t from, to;
            double implied;

            if (w->at[here] == w->begin[here + 1]) {
                w->mark[here] = DONE;
                depth--;
                continue;
            }
            const struct tie *const t = &w->tie[w->next[w->at[here]++]];

            groups_of(w, t, &from, &to, &implied);
            if (w->mark[to] == ON_THE_WAY) {
                consistency_tell(f, prefs, t, 1.0 - given_probability(t));
            } else if (w->mark[to] == UNSEEN) {
                w->mark[to] = ON_THE_WAY;
                w->path[depth++] = to;
            }
        }
    }
}

/* The whole ---------------------------------------------------------------------------- */

peck_status peck_prefs_contradictions(const peck_prefs *p, double tolerance,
                                      peck_contradiction *out, size_t max, size_t *n_found,
                                      peck_error *err)
{
    const char *const what = "the check of preferences";
    struct contradictions f = { out, max, 0, tolerance };
    struct pref_graph w = { 0 };

    *n_found = 0;
    if (!(tolerance >= 0.0))
        return fail(err, PECK_ARG, "a tolerance of %g makes no sense; give 0 or more",
                    tolerance);
    peck_status st =
        gather_ties(&w, p) ? PECK_OK : fail_memory(err, what, p->n, sizeof *w.tie);
    const size_t n = w.node.names.n, n_ties = w.pair.names.n;

    w.parent = arena_new(&w.arena, what, n, sizeof *w.parent);
    w.size = arena_new(&w.arena, what, n, sizeof *w.size);
    w.ahead = arena_new(&w.arena, what, n, sizeof *w.ahead);
    w.begin = arena_new(&w.arena, what, n + 1, sizeof *w.begin);
    w.next = arena_new(&w.arena, what, n_ties, sizeof *w.next);
    w.path = arena_new(&w.arena, what, n, sizeof *w.path);
    w.at = arena_new(&w.arena, what, n, sizeof *w.at);
    w.mark = arena_new(&w.arena, what, n, sizeof *w.mark);
    if (st == PECK_OK)
        st = arena_check(&w.arena, err);
    for (uint32_t i = 0; st == PECK_OK && i < n; i++) {
        w.parent[i] = i;
        w.size[i] = 1;
    }
    if (st == PECK_OK) {
        follow_finite(&w, p, &f);
        list_certain(&w, p, &f);
        find_circles(&w, p, &f);
        *n_found = f.n;
    }
    index_free(&w.node);
    index_free(&w.pair);
    mem_free(w.tie);
    arena_free(&w.arena);
    return st;
}
