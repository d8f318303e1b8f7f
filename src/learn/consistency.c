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
 * another, and must not lead round in a circle.
 *
 * What does not hold together becomes what does and is nearest in the paper's own cost, the
 * cross entropy of Eq. (1), with an output of its own for every item:
 *
 *   o = argmin sum over ties  w (-P log s - (1 - P) log(1 - s)),  s = 1 / (1 + e^-(o_a - o_b))
 *
 * Its minimum is finite where each of two items has some chance to go before the other, by
 * however many steps (Ford, American Mathematical Monthly 64, 1957); so it is looked for in
 * each of these parts, by Newton's method, whose steps are found by conjugate gradients.
 * Between parts all is certain, and stays so.                                          */
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

/* All arrays, and what all preferences say.  Needs graph_close, even where it fails. */
static peck_status graph_open(struct pref_graph *w, const peck_prefs *p, peck_error *err)
{
    const char *const what = "the check of preferences";

    *w = (struct pref_graph){ 0 };
    if (!gather_ties(w, p))
        return fail_memory(err, what, p->n, sizeof *w->tie);
    const size_t n = w->node.names.n, n_ties = w->pair.names.n;

    w->parent = arena_new(&w->arena, what, n, sizeof *w->parent);
    w->size = arena_new(&w->arena, what, n, sizeof *w->size);
    w->ahead = arena_new(&w->arena, what, n, sizeof *w->ahead);
    w->begin = arena_new(&w->arena, what, n + 1, sizeof *w->begin);
    w->next = arena_new(&w->arena, what, 2 * n_ties, sizeof *w->next);
    w->path = arena_new(&w->arena, what, n, sizeof *w->path);
    w->at = arena_new(&w->arena, what, n, sizeof *w->at);
    w->mark = arena_new(&w->arena, what, n, sizeof *w->mark);
    TRY(arena_check(&w->arena, err));
    for (uint32_t i = 0; i < n; i++) {
        w->parent[i] = i;
        w->size[i] = 1;
    }
    return PECK_OK;
}

static void graph_close(struct pref_graph *w)
{
    index_free(&w->node);
    index_free(&w->pair);
    mem_free(w->tie);
    arena_free(&w->arena);
}

peck_status peck_prefs_contradictions(const peck_prefs *p, double tolerance,
                                      peck_contradiction *out, size_t max, size_t *n_found,
                                      peck_error *err)
{
    struct contradictions f = { out, max, 0, tolerance };
    struct pref_graph w;

    *n_found = 0;
    if (!(tolerance >= 0.0))
        return fail(err, PECK_ARG, "a tolerance of %g makes no sense; give 0 or more",
                    tolerance);
    const peck_status st = graph_open(&w, p, err);

    if (st == PECK_OK) {
        follow_finite(&w, p, &f);
        list_certain(&w, p, &f);
        find_circles(&w, p, &f);
        *n_found = f.n;
    }
    graph_close(&w);
    return st;
}

/* Parts --------------------------------------------------------------------------------- */

/* The outputs, and what finding them takes; all by node. */
struct outputs_fit {
    const struct pref_graph *w;
    size_t n, n_ties;
    uint32_t *part;   /* nodes of one part each have some chance to go before the other */
    uint32_t *number; /* while parts are looked for: in the order of coming, from 1 */
    uint32_t *low;    /* the lowest number that can be reached */
    uint32_t *stack;  /* whose part is not known yet */
    double *o;        /* the outputs */
    double *slope, *step, *rest, *way, *curved, *bend; /* as outputs_step says */
    double *pull; /* by tie: its second derivative at o; 0: it is not within a part */
};

/* Whom each node has some chance to go before: next[begin[a] .. begin[a + 1]]. */
static void list_chances(struct pref_graph *w)
{
    const size_t n = w->node.names.n, n_ties = w->pair.names.n;

    memset(w->begin, 0, (n + 1) * sizeof *w->begin);
    for (int is_second = 0; is_second < 2; is_second++) {
        for (size_t i = 0; i < n_ties; i++) {
            const struct tie *const t = &w->tie[i];
            const double p = given_probability(t);

            if (p > 0.0) {
                if (is_second)
                    w->next[w->at[t->a]++] = t->b;
                else
                    w->begin[t->a + 1]++;
            }
            if (p < 1.0) {
                if (is_second)
                    w->next[w->at[t->b]++] = t->a;
                else
                    w->begin[t->b + 1]++;
            }
        }
        for (size_t i = 0; !is_second && i < n; i++) {
            w->begin[i + 1] += w->begin[i];
            w->at[i] = w->begin[i];
        }
    }
    memcpy(w->at, w->begin, n * sizeof *w->at);
}

/* Tarjan's strongly connected components (SIAM Journal on Computing 1, 1972), with path[] as
 * the stack of calls: a chain may be longer than those can nest. */
static void find_parts(struct pref_graph *w, struct outputs_fit *f)
{
    uint32_t n_seen = 0, n_parts = 0;
    size_t n_stack = 0;

    for (uint32_t start = 0; start < f->n; start++) {
        size_t depth = 0;

        if (f->number[start] == 0)
            w->path[depth++] = start;
        while (depth > 0) {
            const uint32_t here = w->path[depth - 1];

            if (f->number[here] == 0) {
                f->number[here] = f->low[here] = ++n_seen;
                f->stack[n_stack++] = here;
                w->mark[here] = ON_THE_WAY;
            }
            if (w->at[here] < w->begin[here + 1]) {
                const uint32_t to = w->next[w->at[here]++];

                if (f->number[to] == 0)
                    w->path[depth++] = to;
                else if (w->mark[to] == ON_THE_WAY && f->number[to] < f->low[here])
                    f->low[here] = f->number[to];
                continue;
            }
            depth--;
            if (depth > 0 && f->low[here] < f->low[w->path[depth - 1]])
                f->low[w->path[depth - 1]] = f->low[here];
            if (f->low[here] != f->number[here])
                continue;
            for (uint32_t member = UINT32_MAX; member != here;) {
                member = f->stack[--n_stack];
                w->mark[member] = DONE;
                f->part[member] = n_parts;
            }
            n_parts++;
        }
    }
}

/* Outputs ------------------------------------------------------------------------------- */

static bool is_free(const struct outputs_fit *f, const struct tie *t)
{
    return t->w_sum > 0.0 && f->part[t->a] == f->part[t->b];
}

/* The cost at o + by step; with slope, its derivatives there and, on the diagonal, the
 * second ones: bend. */
static double outputs_cost(struct outputs_fit *f, double by, bool has_slope)
{
    double cost = 0.0;

    for (size_t i = 0; has_slope && i < f->n; i++)
        f->slope[i] = f->bend[i] = 0.0;
    for (size_t i = 0; i < f->n_ties; i++) {
        const struct tie *const t = &f->w->tie[i];

        if (has_slope)
            f->pull[i] = 0.0;
        if (!is_free(f, t))
            continue;
        const double d = f->o[t->a] - f->o[t->b] + by * (f->step[t->a] - f->step[t->b]);
        const double p = given_probability(t), s = logistic(d);

        /* log(1 + e^d) - p d, whatever the sign of d */
        cost += t->w_sum * (math_log1p(math_exp(-fabs(d))) + math_max(d, 0.0) - p * d);
        if (!has_slope)
            continue;
        f->slope[t->a] += t->w_sum * (s - p);
        f->slope[t->b] -= t->w_sum * (s - p);
        f->pull[i] = t->w_sum * s * (1.0 - s);
        f->bend[t->a] += f->pull[i];
        f->bend[t->b] += f->pull[i];
    }
    return cost;
}

/* curved = (second derivatives at o) way */
static void outputs_curve(struct outputs_fit *f)
{
    memset(f->curved, 0, f->n * sizeof *f->curved);
    for (size_t i = 0; i < f->n_ties; i++) {
        const struct tie *const t = &f->w->tie[i];

        const double pull = f->pull[i] * (f->way[t->a] - f->way[t->b]);

        f->curved[t->a] += pull;
        f->curved[t->b] -= pull;
    }
}

/* step = - (second derivatives)^-1 slope, by conjugate gradients with the diagonal as what
 * they are measured by. */
static void outputs_step(struct outputs_fit *f)
{
    double size = 0.0, first;

    for (size_t i = 0; i < f->n; i++) {
        f->step[i] = 0.0;
        f->rest[i] = -f->slope[i];
        f->way[i] = f->bend[i] > 0.0 ? f->rest[i] / f->bend[i] : 0.0;
        size += f->rest[i] * f->way[i];
    }
    first = size;
    for (size_t k = 0; k < 2 * f->n + 10 && size > 1e-18 * first; k++) {
        double bent = 0.0, next = 0.0;

        outputs_curve(f);
        for (size_t i = 0; i < f->n; i++)
            bent += f->way[i] * f->curved[i];
        if (!(bent > 0.0))
            break;
        for (size_t i = 0; i < f->n; i++) {
            f->step[i] += size / bent * f->way[i];
            f->rest[i] -= size / bent * f->curved[i];
            next += f->bend[i] > 0.0 ? f->rest[i] * f->rest[i] / f->bend[i] : 0.0;
        }
        for (size_t i = 0; i < f->n; i++)
            f->way[i] = (f->bend[i] > 0.0 ? f->rest[i] / f->bend[i] : 0.0) +
                        next / size * f->way[i];
        size = next;
    }
}

/* From log-odds added up along a chain, which are the answer where nothing contradicts. */
static void fit_outputs(struct pref_graph *w, struct outputs_fit *f)
{
    enum { MOST_STEPS = 100, MOST_HALVES = 60 };

    for (uint32_t i = 0; i < f->n; i++)
        consistency_head_of(w, i, &f->o[i]);
    for (int k = 0; k < MOST_STEPS; k++) {
        double cost = outputs_cost(f, 0.0, true), worst = 0.0, by = 1.0, sloped = 0.0;

        for (size_t i = 0; i < f->n; i++)
            worst =
                f->bend[i] > 0.0 ? math_max(worst, fabs(f->slope[i] / f->bend[i])) : worst;
        if (!(worst > 1e-12))
            break;
        outputs_step(f);
        for (size_t i = 0; i < f->n; i++)
            sloped += f->slope[i] * f->step[i];
        int halves = 0;

        for (; halves < MOST_HALVES; halves++, by /= 2.0)
            if (outputs_cost(f, by, false) <= cost + 1e-4 * by * sloped)
                break;
        if (halves == MOST_HALVES) /* as near as doubles come */
            break;
        for (size_t i = 0; i < f->n; i++) {
            f->o[i] += by * f->step[i];
            f->step[i] = 0.0;
        }
    }
}

static peck_status outputs_fit_open(struct outputs_fit *f, struct pref_graph *w,
                                    peck_error *err)
{
    const char *const what = "probabilities that hold together";
    struct arena *const a = &w->arena;
    const size_t n = w->node.names.n;

    *f = (struct outputs_fit){ .w = w, .n = n, .n_ties = w->pair.names.n };
    uint32_t **const count[] = { &f->part, &f->number, &f->low, &f->stack };
    double **const real[] = { &f->o,   &f->slope,  &f->step, &f->rest,
                              &f->way, &f->curved, &f->bend };

    for (size_t i = 0; i < sizeof count / sizeof *count; i++)
        *count[i] = arena_new(a, what, n, sizeof **count[i]);
    for (size_t i = 0; i < sizeof real / sizeof *real; i++)
        *real[i] = arena_new(a, what, n, sizeof **real[i]);
    f->pull = arena_new(a, what, f->n_ties, sizeof *f->pull);
    return arena_check(a, err);
}

/* P(a before b) of a tie: what the outputs say, or, between parts, what was certain. */
static double held_probability(const struct outputs_fit *f, const struct tie *t)
{
    if (isnan(given_probability(t)))
        return 0.5;
    return f->part[t->a] == f->part[t->b] ? logistic(f->o[t->a] - f->o[t->b])
                                          : given_probability(t);
}

static uint32_t consistency_find(const struct index *x, uint64_t first, uint64_t second)
{
    const uint64_t key[] = { first, second };

    return (uint32_t)index_find(x, (peck_span){ (const char *)key, sizeof key });
}

/* What is said in p, with the probabilities of its ties; false: out of memory. */
static bool add_given(struct peck_prefs *to, const peck_prefs *p,
                      const struct pref_graph *w, const struct outputs_fit *f)
{
    for (size_t k = 0; k < p->n; k++) {
        peck_pref pref = p->pref[k];
        const uint32_t a = consistency_find(&w->node, pref.list, pref.winner);
        const uint32_t b = consistency_find(&w->node, pref.list, pref.loser);
        const struct tie *const t =
            &w->tie[consistency_find(&w->pair, a < b ? a : b, a < b ? b : a)];
        const double held = held_probability(f, t);

        pref.probability = (float)(t->a == a ? held : 1.0 - held);
        if (!prefs_add(to, pref))
            return false;
    }
    return true;
}

/* Marks whom a node has a chance to go before, by however many steps. */
static void reach_from(struct pref_graph *w, uint32_t node)
{
    size_t depth = 0;

    w->mark[node] = DONE;
    w->path[depth++] = node;
    while (depth > 0) {
        const uint32_t here = w->path[--depth];

        for (uint32_t k = w->begin[here]; k < w->begin[here + 1]; k++)
            if (w->mark[w->next[k]] == UNSEEN) {
                w->mark[w->next[k]] = DONE;
                w->path[depth++] = w->next[k];
            }
    }
}

/* The list and the item that a node stands for. */
static peck_pref node_names(const struct pref_graph *w, uint32_t node)
{
    uint64_t key[2];

    memcpy(key, strings_get(&w->node.names, node).s, sizeof key);
    return (peck_pref){ .list = (size_t)key[0], .winner = (size_t)key[1] };
}

/* Lists as chains: head[i] is the first node of node i's list, next[i] the one that follows
 * it, UINT32_MAX: none; false: out of memory. */
static bool chain_lists(const struct pref_graph *w, size_t n, uint32_t *head,
                        uint32_t *next)
{
    uint32_t *const last = mem_new(n, sizeof *last); /* by list: its last node so far */
    struct index list = { 0 };
    bool fits = last != NULL;

    for (uint32_t i = 0; fits && i < n; i++) {
        const uint64_t key = node_names(w, i).list;
        const size_t n_before = list.names.n;
        const int64_t k = index_put(&list, (peck_span){ (const char *)&key, sizeof key });

        if (k == INDEX_FULL) {
            fits = false;
            break;
        }
        head[i] = i;
        next[i] = UINT32_MAX;
        if ((size_t)k < n_before) {
            head[i] = head[last[k]];
            next[last[k]] = i;
        }
        last[k] = i;
    }
    index_free(&list);
    mem_free(last);
    return fits;
}

/* Of each list every two items that a chain of preferences connects, the likelier first, of
 * equal ones who was named first; false: out of memory.  Where only one of two has any chance
 * to go first, that is certain; where neither has, nothing is known of them. */
static bool add_all(struct peck_prefs *to, struct pref_graph *w, struct outputs_fit *f)
{
    uint32_t *const head = f->number, *const next = f->low; /* both have done their work */
    bool fits = chain_lists(w, f->n, head, next);

    for (uint32_t a = 0; fits && a < f->n; a++) {
        const peck_pref first = node_names(w, a);

        for (uint32_t b = head[a]; b != UINT32_MAX; b = next[b])
            w->mark[b] = UNSEEN;
        reach_from(w, a);
        for (uint32_t b = head[a]; fits && b != UINT32_MAX; b = next[b]) {
            const double p = f->part[a] == f->part[b] ? logistic(f->o[a] - f->o[b]) : 1.0;

            if (a != b && w->mark[b] != UNSEEN && (p > 0.5 || (p == 0.5 && a < b)))
                fits =
                    prefs_add(to, (peck_pref){ first.list, first.winner,
                                               node_names(w, b).winner, (float)p, 1.0f });
        }
    }
    return fits;
}

peck_status peck_prefs_consistent(peck_prefs **out, const peck_prefs *p, int all,
                                  peck_error *err)
{
    struct contradictions nobody = { NULL, 0, 0, 0.0 };
    struct peck_prefs *const to = prefs_new();
    struct outputs_fit f;
    struct pref_graph w;
    bool fits = to != NULL;

    *out = NULL;
    for (size_t i = 0; fits && i < p->list_name.n; i++)
        fits = strings_add(&to->list_name, strings_get(&p->list_name, i));
    for (size_t i = 0; fits && i < p->item_name.n; i++)
        fits = strings_add(&to->item_name, strings_get(&p->item_name, i));
    peck_status st = graph_open(&w, p, err);

    if (st == PECK_OK)
        st = outputs_fit_open(&f, &w, err);
    if (st == PECK_OK) {
        follow_finite(&w, p, &nobody);
        list_chances(&w);
        find_parts(&w, &f);
        fit_outputs(&w, &f);
        fits = fits && (all ? add_all(to, &w, &f) : add_given(to, p, &w, &f));
    }
    graph_close(&w);
    if (st == PECK_OK && !fits)
        st = fail_memory(err, "preferences", p->n, sizeof *p->pref);
    if (st != PECK_OK) {
        peck_prefs_free(to);
        return st;
    }
    to->n_items = p->n_items;
    to->n_bad = p->n_bad;
    to->first_bad_line = p->first_bad_line;
    *out = to;
    return PECK_OK;
}
