/* logic.c -- hard logic: what is true of one query under one order, and what a query must
 * be like for its rules to make sense.                                                */
#include "tree.h"

#include "../base/maths.h"

double term_value(const struct bound *b, uint32_t at, const struct scene *q,
                  const uint32_t *doc)
{
    const struct node *const n = &b->rules->node[at];

    switch (n->kind) {
    case NODE_NUMBER:
        return n->number;
    case NODE_FEATURE: {
        const uint32_t i = doc[n->var[0]], row = q->from != NULL ? q->from[i] : i;

        return (double)q->docs.x[row * q->docs.stride + b->column[n->mention]];
    }
    case NODE_NEG:
        return -term_value(b, n->left, q, doc);
    default:
        break;
    }
    const double left = term_value(b, n->left, q, doc);
    const double right = term_value(b, n->right, q, doc);

    switch (n->kind) {
    case NODE_ADD:
        return left + right;
    case NODE_SUB:
        return left - right;
    case NODE_MUL:
        return left * right;
    default:
        return right != 0.0 ? left / right : 0.0;
    }
}

double atom_value(const struct bound *b, uint32_t at, const struct scene *q,
                  const uint32_t *doc)
{
    const struct node *const n = &b->rules->node[at];

    if (n->kind == NODE_SAME)
        return doc[n->var[0]] == doc[n->var[1]];
    const double left = term_value(b, n->left, q, doc);

    if (n->kind == NODE_SOFT)
        return left;
    const double right = term_value(b, n->right, q, doc);

    return n->kind == NODE_LESS ? left < right : left == right;
}

/* Truth ------------------------------------------------------------------------------ */

/* One query under one order, with the documents that variables stand for. */
struct world {
    const struct bound *bound;
    const struct scene *scene;
    const uint32_t *position; /* NULL where no ranking is spoken of */
    uint32_t doc[MAX_VARS];
};

/* A quantifier looks at documents until one decides it: n^nesting of them at worst. */
static bool formula_holds(struct world *w, uint32_t at)
{
    const struct node *const n = &w->bound->rules->node[at];
    const bool is_forall = n->kind == NODE_FORALL;

    switch (n->kind) {
    case NODE_TRUE:
    case NODE_FALSE:
        return n->kind == NODE_TRUE;
    case NODE_NOT:
        return !formula_holds(w, n->left);
    case NODE_AND:
        return formula_holds(w, n->left) && formula_holds(w, n->right);
    case NODE_OR:
        return formula_holds(w, n->left) || formula_holds(w, n->right);
    case NODE_IMPLIES:
        return !formula_holds(w, n->left) || formula_holds(w, n->right);
    case NODE_IFF:
        return formula_holds(w, n->left) == formula_holds(w, n->right);
    case NODE_FORALL:
    case NODE_EXISTS:
        for (uint32_t i = 0; i < w->scene->docs.n; i++) {
            w->doc[n->var[0]] = i;
            if (formula_holds(w, n->left) != is_forall)
                return !is_forall;
        }
        return is_forall;
    case NODE_TOP:
        return (double)w->position[w->doc[n->var[0]]] < n->number;
    case NODE_BEFORE:
        return w->position[w->doc[n->var[0]]] < w->position[w->doc[n->var[1]]];
    default:
        return atom_value(w->bound, at, w->scene, w->doc) >= 0.5;
    }
}

bool rules_speak_of(const struct bound *b, size_t rule, const struct scene *q)
{
    struct world w = { .bound = b, .scene = q };
    const uint32_t guard = b->rules->rule[rule].guard;

    return guard == NO_NODE || formula_holds(&w, guard);
}

bool rules_hold(const struct bound *b, size_t rule, const struct scene *q,
                const uint32_t *position)
{
    struct world w = { .bound = b, .scene = q, .position = position };

    return formula_holds(&w, b->rules->rule[rule].root);
}

/* What a query must be like ---------------------------------------------------------- */

/* A term that stands for a truth value, over all documents it may be about. */
static peck_status check_soft(const struct bound *b, const struct rule *rule,
                              const struct atom *a, const struct scene *q, peck_error *err)
{
    const uint32_t n = (uint32_t)q->docs.n;
    const uint32_t n_first = a->n_vars > 0 ? n : 1, n_second = a->n_vars > 1 ? n : 1;
    uint32_t doc[MAX_VARS] = { 0 };

    for (uint32_t i = 0; i < n_first; i++)
        for (uint32_t j = 0; j < n_second; j++) {
            if (a->n_vars > 0)
                doc[a->var[0]] = i;
            if (a->n_vars > 1)
                doc[a->var[1]] = j;
            const double v = atom_value(b, a->node, q, doc);

            if (v >= 0.0 && v <= 1.0)
                continue;
            const struct node *const term = &b->rules->node[b->rules->node[a->node].left];
            const bool is_feature = term->kind == NODE_FEATURE;
            const peck_span name =
                is_feature ? b->rules->mention[term->mention].name : span_of("a number");

            return complain(
                b->rules, is_feature ? b->rules->mention[term->mention].at : rule->at, err,
                "%.*s stands for a truth value, but in query '%.*s' it is %g, "
                "not in [0,1]; compare it with something",
                SPAN_ARGS(name), SPAN_ARGS(q->id), v);
        }
    return PECK_OK;
}

static peck_status refuse_missing(const struct bound *b, const struct scene *q,
                                  peck_error *err)
{
    const struct peck_rules *const r = b->rules;

    for (size_t m = 0; m < r->n_mentions; m++)
        for (size_t i = 0; i < q->docs.n; i++)
            if (!isfinite(q->docs.x[i * q->docs.stride + b->column[m]]))
                return complain(r, r->mention[m].at, err,
                                "'%.*s' is missing in document %zu of query '%.*s': rules "
                                "need a number there; use --missing zero or mean",
                                SPAN_ARGS(r->mention[m].name), i + 1, SPAN_ARGS(q->id));
    return PECK_OK;
}

peck_status rules_check_scene(const struct bound *b, const struct scene *q, peck_error *err)
{
    const struct peck_rules *const r = b->rules;
    const struct rows *const x = &q->docs;

    TRY(refuse_missing(b, q, err));
    for (size_t m = 0; m < r->n_mentions; m++) {
        const float *const column = x->x + b->column[m];

        for (size_t i = 1; r->mention[m].is_of_query && i < x->n; i++)
            if (column[i * x->stride] != column[0])
                return complain(r, r->mention[m].at, err,
                                "q.%.*s is no feature of the query: in query '%.*s' it is "
                                "%g and %g",
                                SPAN_ARGS(r->mention[m].name), SPAN_ARGS(q->id),
                                (double)column[0], (double)column[i * x->stride]);
    }
    for (size_t i = 0; i < r->n_rules; i++) {
        const struct rule *const rule = &r->rule[i];

        /* Before anything of the rule is looked at, its guard included. */
        if (rule->nesting > 2 &&
            math_pow((double)x->n, rule->nesting) > (double)rule->config.most)
            return complain(r, rule->at, err,
                            "the rule has %u quantifiers, and query '%.*s' has %zu "
                            "documents: more than most=%lld combinations",
                            rule->nesting, SPAN_ARGS(q->id), x->n,
                            (long long)rule->config.most);
        if (!rules_speak_of(b, i, q))
            continue;
        for (uint32_t k = 0; k < rule->n_atoms; k++)
            if (r->node[rule->atom[k].node].kind == NODE_SOFT)
                TRY(check_soft(b, rule, &rule->atom[k], q, err));
    }
    return PECK_OK;
}
