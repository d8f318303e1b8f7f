/* clauses.h -- random clauses as trees of the tests' own, their text, and what is true of
 * them by brute force: nothing here is shared with src/rules.                         */
#ifndef CLAUSES_H
#define CLAUSES_H

#include "base/rng.h"
#include "rules/rules.h"
#include "support/check.h"
#include "support/scratch.h"

enum {
    N_FEATURES = 3,
    QUERY_FEATURE = 2,
    MAX_WORLD = 5, /* documents of a random world */
    MOST_DOCS = 7, /* ... of any */
    MAX_PARTS = 64,
    MAX_BOUND = 4
};

/* A world: documents with features (the last is the query's) and their order. */
struct tiny_world {
    uint32_t n;
    float x[MOST_DOCS * N_FEATURES];
    uint32_t position[MOST_DOCS];
    double score[MOST_DOCS]; /* gives that order */
};

enum part_kind {
    P_TOP,
    P_BEFORE,
    P_SAME,
    P_FEATURE,  /* d.f > 0.5, in one of several wordings */
    P_COMPARED, /* d.f < e.f */
    P_OF_QUERY,
    P_SOFT, /* d.f alone */
    P_TRUTH,
    P_NOT,
    P_AND,
    P_OR,
    P_IMPLIES,
    P_IFF,
    P_FORALL,
    P_EXISTS,
};

struct part {
    enum part_kind kind;
    int left, right, a, b; /* a, b: variables, counted from 0 */
    int number, wording;
};

struct clause_tree {
    struct part part[MAX_PARTS];
    int n, root, n_bound;
};

/* Making ---------------------------------------------------------------------------- */

static inline int add_part(struct clause_tree *t, struct part p)
{
    t->part[t->n] = p;
    return t->n++;
}

static inline int random_atom(struct clause_tree *t, struct rng *r, int in_scope)
{
    struct part p = { .kind = (enum part_kind)rng_below(r, P_TRUTH + 1) };

    if (in_scope == 0)
        p.kind = rng_below(r, 4) > 0 ? P_OF_QUERY : P_TRUTH;
    else if (p.kind == P_TRUTH && rng_below(r, 3) > 0)
        p.kind = P_TOP;
    p.a = in_scope > 0 ? (int)rng_below(r, (uint64_t)in_scope) : 0;
    p.b = in_scope > 0 ? (int)rng_below(r, (uint64_t)in_scope) : 0;
    p.number = (int)rng_below(r, p.kind == P_TOP ? 3 : 2) + (p.kind == P_TOP);
    p.wording = (int)rng_below(r, 4);
    return add_part(t, p);
}

static inline int random_part(struct clause_tree *t, struct rng *r, int depth, int in_scope)
{
    static const enum part_kind joins[] = { P_AND, P_OR, P_IMPLIES, P_IFF };
    const uint64_t dice = rng_below(r, 10);

    if (depth == 0 || t->n > 18 || (dice < 2 && in_scope > 0))
        return random_atom(t, r, in_scope);
    if (dice < 5 && t->n_bound < MAX_BOUND) {
        t->n_bound++;
        const int body = random_part(t, r, depth - 1, in_scope + 1);

        return add_part(t, (struct part){ .kind = rng_below(r, 2) ? P_FORALL : P_EXISTS,
                                          .left = body,
                                          .a = in_scope });
    }
    const int bound_before = t->n_bound;
    const int left = random_part(t, r, depth - 1, in_scope);

    if (dice < 6)
        return add_part(t, (struct part){ .kind = P_NOT, .left = left });
    const int right = random_part(t, r, depth - 1, in_scope);

    /* iff over quantifiers doubles them */
    const bool is_cheap = t->n_bound - bound_before < 2;
    const enum part_kind kind = joins[rng_below(r, is_cheap ? 4 : 3)];

    return add_part(t, (struct part){ .kind = kind, .left = left, .right = right });
}

static inline void random_clause(struct clause_tree *t, struct rng *r)
{
    t->n = t->n_bound = 0;
    t->root = random_part(t, r, 4, 0);
}

static inline void random_world(struct tiny_world *w, struct rng *r)
{
    uint32_t order[MAX_WORLD];

    w->n = 1 + (uint32_t)rng_below(r, MAX_WORLD);
    const float of_query = (float)rng_below(r, 2);

    for (uint32_t i = 0; i < w->n; i++) {
        for (int f = 0; f < N_FEATURES; f++)
            w->x[i * N_FEATURES + f] =
                f == QUERY_FEATURE ? of_query : (float)rng_below(r, 2);
        order[i] = i;
    }
    rng_shuffle(r, order, w->n);
    for (uint32_t i = 0; i < w->n; i++) {
        w->position[order[i]] = i;
        w->score[order[i]] = -(double)i + rng_between(r, -0.3, 0.3);
    }
}

/* Writing --------------------------------------------------------------------------- */

/* By depth: quantifiers side by side share a name, and must be told apart. */
static inline const char *var_name(int v)
{
    static const char *const names[] = { "d", "e", "doc", "other" };

    return names[v];
}

/* The same in four ways; the last needs DEFINITIONS. */
#define DEFINITIONS "define is_on1(x) := x.f1 = 1\ndefine is_on2(d) := 0.25 < -(-d.f2)\n"

static inline void write_feature(const struct part *p, FILE *to)
{
    const char *const d = var_name(p->a);
    const int f = p->number + 1;

    if (p->wording == 0)
        fprintf(to, "%s.f%d > 0.5", d, f);
    else if (p->wording == 1)
        fprintf(to, "not %s.f%d <= 0.5", d, f);
    else if (p->wording == 2)
        fprintf(to, "%s.f%d * 2 - 1 = 1", d, f);
    else
        fprintf(to, "is_on%d(%s)", f, d);
}

static inline void write_atom(const struct part *p, FILE *to)
{
    switch (p->kind) {
    case P_TOP:
        fprintf(to, "top(%d, %s)", p->number, var_name(p->a));
        break;
    case P_BEFORE:
        fprintf(to, "before(%s, %s)", var_name(p->a), var_name(p->b));
        break;
    case P_SAME:
        fprintf(to, "same(%s, %s)", var_name(p->a), var_name(p->b));
        break;
    case P_FEATURE:
        write_feature(p, to);
        break;
    case P_COMPARED:
        fprintf(to, "%s.f%d %s %s.f1", var_name(p->a), p->number + 1,
                p->wording < 2 ? "<" : "!=", var_name(p->b));
        break;
    case P_OF_QUERY:
        fprintf(to, "q.f3 >= 1");
        break;
    case P_SOFT:
        fprintf(to, "%s.f%d", var_name(p->a), p->number + 1);
        break;
    default:
        fprintf(to, "%s", p->number ? "true" : "false");
    }
}

static inline void write_part(const struct clause_tree *t, int at, FILE *to)
{
    static const char *const words[] = { "and", "or", "implies", "iff" };
    const struct part *const p = &t->part[at];

    if (p->kind <= P_TRUTH) {
        write_atom(p, to);
    } else if (p->kind == P_NOT) {
        fprintf(to, "not (");
        write_part(t, p->left, to);
        fprintf(to, ")");
    } else if (p->kind >= P_FORALL) {
        fprintf(to, "(%s %s : ", p->kind == P_FORALL ? "forall" : "exists", var_name(p->a));
        write_part(t, p->left, to);
        fprintf(to, ")");
    } else {
        fprintf(to, "(");
        write_part(t, p->left, to);
        fprintf(to, ") %s (", words[p->kind - P_AND]);
        write_part(t, p->right, to);
        fprintf(to, ")");
    }
}

/* Truth by brute force --------------------------------------------------------------- */

static inline bool atom_is_true(const struct part *p, const struct tiny_world *w,
                                const uint32_t *doc)
{
    const float *const x = w->x + doc[p->a] * N_FEATURES, *const y =
                                                              w->x + doc[p->b] * N_FEATURES;

    switch (p->kind) {
    case P_TOP:
        return w->position[doc[p->a]] < (uint32_t)p->number;
    case P_BEFORE:
        return w->position[doc[p->a]] < w->position[doc[p->b]];
    case P_SAME:
        return doc[p->a] == doc[p->b];
    case P_FEATURE:
    case P_SOFT:
        return x[p->number] == 1.0f;
    case P_COMPARED:
        return p->wording < 2 ? x[p->number] < y[0] : x[p->number] != y[0];
    case P_OF_QUERY:
        return w->x[QUERY_FEATURE] == 1.0f;
    default:
        return p->number != 0;
    }
}

static inline bool is_true(const struct clause_tree *t, int at, const struct tiny_world *w,
                           uint32_t *doc)
{
    const struct part *const p = &t->part[at];

    if (p->kind <= P_TRUTH)
        return atom_is_true(p, w, doc);
    if (p->kind == P_NOT)
        return !is_true(t, p->left, w, doc);
    if (p->kind >= P_FORALL) {
        uint32_t n_true = 0;

        for (uint32_t i = 0; i < w->n; i++) {
            doc[p->a] = i;
            n_true += is_true(t, p->left, w, doc);
        }
        return p->kind == P_FORALL ? n_true == w->n : n_true > 0;
    }
    const bool left = is_true(t, p->left, w, doc), right = is_true(t, p->right, w, doc);

    return p->kind == P_AND       ? left && right
           : p->kind == P_OR      ? left || right
           : p->kind == P_IMPLIES ? !left || right
                                  : left == right;
}

static inline bool clause_is_true(const struct clause_tree *t, const struct tiny_world *w)
{
    uint32_t doc[MAX_BOUND + 1] = { 0 };

    return is_true(t, t->root, w, doc);
}

/* Reading ---------------------------------------------------------------------------- */

struct scene_rules {
    peck_rules *rules;
    struct bound *bound;
};

static inline struct scene_rules read_rules(const char *path)
{
    static const struct strings no_names = { 0 };
    struct scene_rules s;
    peck_error err = { 0 };

    assert_ok(peck_rules_read(&s.rules, path, &err), err);
    assert_ok(rules_bind(&s.bound, s.rules, &no_names, N_FEATURES, &err), err);
    return s;
}

static inline void free_rules(struct scene_rules *s)
{
    bound_free(s->bound);
    peck_rules_free(s->rules);
}

static inline struct scene scene_of(const struct tiny_world *w)
{
    return (struct scene){ .docs = { w->x, w->n, N_FEATURES, N_FEATURES },
                           .id = { "1", 1 } };
}

#endif
