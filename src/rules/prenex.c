/* prenex.c -- all quantifiers to the front.
 *
 * A quantifier keeps its kind when it is pulled out of an even number of negations (the
 * left side of `implies` is one) and changes it out of an odd number.  Every quantifier
 * has a variable of its own, so no name is captured; a query is never without documents,
 * so pulling over `and` and `or` keeps the truth.  `iff` over quantifiers is two
 * implications, the second with fresh variables.                                      */
#include "tree.h"

struct pulling {
    struct peck_rules *rules;
    struct rule *rule;
    peck_error *err;
};

static peck_status join(struct pulling *p, enum node_kind kind, uint32_t left,
                        uint32_t right, uint32_t *out)
{
    *out = tree_add(p->rules, (struct node){ .kind = kind, .left = left, .right = right });
    return *out != NO_NODE
               ? PECK_OK
               : fail_memory(p->err, "rules", p->rules->n_nodes, sizeof(struct node));
}

/* var[v] becomes NO_NODE for each v that is quantified in this tree. */
static void forget_bound(const struct peck_rules *r, uint32_t at, uint32_t *var)
{
    const struct node *const n = &r->node[at];

    if (n->kind == NODE_FORALL || n->kind == NODE_EXISTS)
        var[n->var[0]] = NO_NODE;
    if (n->kind >= NODE_NOT && n->kind <= NODE_EXISTS)
        forget_bound(r, n->left, var);
    if (n->kind >= NODE_AND && n->kind <= NODE_IFF)
        forget_bound(r, n->right, var);
}

/* A copy whose own quantifiers have fresh variables; free variables stay. */
static peck_status copy_afresh(struct pulling *p, uint32_t at, uint32_t *out)
{
    struct rule *const rule = p->rule;
    uint32_t var[MAX_VARS];
    const uint32_t first_new = rule->n_vars;

    for (uint32_t v = 0; v < MAX_VARS; v++)
        var[v] = v;
    forget_bound(p->rules, at, var);
    const peck_status st = tree_copy(p->rules, at, var, &rule->n_vars, out, p->err);

    if (st == PECK_FORMAT)
        return complain(p->rules, rule->at, p->err,
                        "the rule has more than %d variables once each iff is written as "
                        "two implications",
                        MAX_VARS - 1);
    for (uint32_t v = 0; v < first_new && st == PECK_OK; v++)
        if (var[v] >= first_new && var[v] != NO_NODE)
            rule->var_name[var[v]] = rule->var_name[v];
    return st;
}

static peck_status pull(struct pulling *p, uint32_t at, bool is_denied, uint32_t *out);

/* a iff b  ->  (a implies b) and (b' implies a') */
static peck_status pull_iff(struct pulling *p, struct node n, bool is_denied, uint32_t *out)
{
    uint32_t left, right;

    TRY(copy_afresh(p, n.right, &right));
    TRY(copy_afresh(p, n.left, &left));
    TRY(join(p, NODE_IMPLIES, n.left, n.right, out));
    TRY(join(p, NODE_IMPLIES, right, left, &right));
    TRY(join(p, NODE_AND, *out, right, out));
    return pull(p, *out, is_denied, out);
}

static peck_status pull(struct pulling *p, uint32_t at, bool is_denied, uint32_t *out)
{
    const struct node n = p->rules->node[at];
    struct rule *const rule = p->rule;
    uint32_t left, right;

    *out = at;
    if (!tree_has(p->rules, at, NODE_FORALL, NODE_EXISTS))
        return PECK_OK;
    switch (n.kind) {
    case NODE_FORALL:
    case NODE_EXISTS:
        rule->prefix[rule->n_prefix++] =
            (struct quantifier){ (n.kind == NODE_FORALL) != is_denied, n.var[0] };
        return pull(p, n.left, is_denied, out);
    case NODE_IFF:
        return pull_iff(p, n, is_denied, out);
    case NODE_NOT:
        TRY(pull(p, n.left, !is_denied, &left));
        return join(p, n.kind, left, 0, out);
    default: /* and, or, implies */
        TRY(pull(p, n.left, is_denied != (n.kind == NODE_IMPLIES), &left));
        TRY(pull(p, n.right, is_denied, &right));
        return join(p, n.kind, left, right, out);
    }
}

peck_status rule_to_prenex(struct peck_rules *r, struct rule *rule, peck_error *err)
{
    struct pulling p = { r, rule, err };
    uint32_t kept = 0;

    rule->n_prefix = 0;
    TRY(pull(&p, rule->root, false, &rule->matrix));
    for (uint32_t i = 0; i < rule->n_prefix; i++) /* what nothing depends on goes */
        if (tree_has_var(r, rule->matrix, rule->prefix[i].var))
            rule->prefix[kept++] = rule->prefix[i];
    rule->n_prefix = kept;
    const uint32_t root = tree_nesting(r, rule->root);
    const uint32_t guard = rule->guard != NO_NODE ? tree_nesting(r, rule->guard) : 0;

    rule->nesting = kept > root ? kept : root;
    rule->nesting = guard > rule->nesting ? guard : rule->nesting;
    return PECK_OK;
}
