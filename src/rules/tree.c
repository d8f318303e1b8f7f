/* tree.c -- see tree.h: trees, their prenex form and its truth table.
 *
 * A quantifier keeps its kind when it is pulled out of an even number of negations (the
 * left side of `implies` is one) and changes it out of an odd number.  Every quantifier
 * has a variable of its own, so no name is captured; a query is never without documents,
 * so pulling over `and` and `or` keeps the truth.  `iff` over quantifiers is two
 * implications, the second with fresh variables.                                      */
#include "tree.h"

#include "../base/alloc.h"

uint32_t tree_add(struct peck_rules *r, struct node node)
{
    if (!mem_reserve(&r->node, &r->cap_nodes, r->n_nodes + 1, sizeof *r->node))
        return NO_NODE;
    r->node[r->n_nodes] = node;
    return (uint32_t)r->n_nodes++;
}

/* How many children a kind has. */
static size_t n_children(enum node_kind kind)
{
    switch (kind) {
    case NODE_TRUE:
    case NODE_FALSE:
    case NODE_TOP:
    case NODE_BEFORE:
    case NODE_SAME:
    case NODE_NUMBER:
    case NODE_FEATURE:
        return 0;
    case NODE_NOT:
    case NODE_FORALL:
    case NODE_EXISTS:
    case NODE_SOFT:
    case NODE_NEG:
        return 1;
    default:
        return 2;
    }
}

static bool has_var(enum node_kind kind, size_t i)
{
    const bool has_two = kind == NODE_BEFORE || kind == NODE_SAME;

    return has_two || (i == 0 && (kind == NODE_FORALL || kind == NODE_EXISTS ||
                                  kind == NODE_TOP || kind == NODE_FEATURE));
}

peck_status tree_copy(struct peck_rules *r, uint32_t from, uint32_t *var, uint32_t *n_vars,
                      uint32_t *out, peck_error *err)
{
    struct node n = r->node[from];
    uint32_t *const child[] = { &n.left, &n.right };

    for (size_t i = 0; i < 2; i++)
        if (has_var(n.kind, i)) {
            uint32_t *const to = &var[n.var[i]];

            if (*to == NO_NODE)
                *to = (*n_vars)++;
            n.var[i] = *to;
            if (*to >= MAX_VARS)
                return fail(err, PECK_FORMAT, "more than %d variables", MAX_VARS - 1);
        }
    for (size_t i = 0; i < n_children(n.kind); i++)
        TRY(tree_copy(r, *child[i], var, n_vars, child[i], err));
    /* A document is itself, and never before itself. */
    if (n.kind == NODE_SAME && n.var[0] == n.var[1])
        n.kind = NODE_TRUE;
    if (n.kind == NODE_BEFORE && n.var[0] == n.var[1])
        n.kind = NODE_FALSE;
    *out = tree_add(r, n);
    return *out != NO_NODE ? PECK_OK : fail_memory(err, "rules", r->n_nodes, sizeof n);
}

bool tree_equal(const struct peck_rules *r, uint32_t a, uint32_t b)
{
    const struct node *const m = &r->node[a], *const n = &r->node[b];
    const size_t children = n_children(m->kind);

    if (m->kind != n->kind || m->number != n->number)
        return false;
    for (size_t i = 0; i < 2; i++)
        if (has_var(m->kind, i) && m->var[i] != n->var[i])
            return false;
    if (m->kind == NODE_FEATURE) { /* by name: the same column under two names is two */
        const struct mention *const x = &r->mention[m->mention],
                                    *const y = &r->mention[n->mention];

        return x->is_of_query == y->is_of_query && span_equal(x->name, y->name);
    }
    return (children < 1 || tree_equal(r, m->left, n->left)) &&
           (children < 2 || tree_equal(r, m->right, n->right));
}

bool tree_has(const struct peck_rules *r, uint32_t at, enum node_kind first,
              enum node_kind last)
{
    const struct node *const n = &r->node[at];
    const size_t children = n_children(n->kind);

    return (n->kind >= first && n->kind <= last) ||
           (children > 0 && tree_has(r, n->left, first, last)) ||
           (children > 1 && tree_has(r, n->right, first, last));
}

uint32_t tree_nesting(const struct peck_rules *r, uint32_t at)
{
    const struct node *const n = &r->node[at];
    const size_t children = n_children(n->kind);
    const bool is_quantifier = n->kind == NODE_FORALL || n->kind == NODE_EXISTS;
    const uint32_t left = children > 0 ? tree_nesting(r, n->left) : 0;
    const uint32_t right = children > 1 ? tree_nesting(r, n->right) : 0;

    return is_quantifier + (left > right ? left : right);
}

bool tree_has_var(const struct peck_rules *r, uint32_t at, uint32_t var)
{
    const struct node *const n = &r->node[at];
    const size_t children = n_children(n->kind);

    return (has_var(n->kind, 0) && n->var[0] == var) ||
           (has_var(n->kind, 1) && n->var[1] == var) ||
           (children > 0 && tree_has_var(r, n->left, var)) ||
           (children > 1 && tree_has_var(r, n->right, var));
}

/* Prenex form ------------------------------------------------------------------------- */

struct pulling {
    struct peck_rules *rules;
    struct rule *rule;
    peck_error *err;
};

static peck_status pull_join(struct pulling *p, enum node_kind kind, uint32_t left,
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

/* Quantifiers of the tree go to the end of the prefix, outer ones before inner ones;
 * *out is what is left of it.  is_denied: it stands under an odd number of negations. */
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
    case NODE_IFF: /* a iff b  ->  (a implies b) and (b' implies a') */
        TRY(copy_afresh(p, n.right, &right));
        TRY(copy_afresh(p, n.left, &left));
        TRY(pull_join(p, NODE_IMPLIES, n.left, n.right, out));
        TRY(pull_join(p, NODE_IMPLIES, right, left, &right));
        TRY(pull_join(p, NODE_AND, *out, right, out));
        return pull(p, *out, is_denied, out);
    case NODE_NOT:
        TRY(pull(p, n.left, !is_denied, &left));
        return pull_join(p, n.kind, left, 0, out);
    default: /* and, or, implies */
        TRY(pull(p, n.left, is_denied != (n.kind == NODE_IMPLIES), &left));
        TRY(pull(p, n.right, is_denied, &right));
        return pull_join(p, n.kind, left, right, out);
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

/* Atoms and the truth table ---------------------------------------------------------- */

/* The atom at this node: which proposition of the rule it is, and what it speaks of. */
static peck_status add_atom(struct peck_rules *r, struct rule *rule, uint32_t at,
                            peck_error *err)
{
    const struct node *const n = &r->node[at];
    struct atom a = { .node = at,
                      .is_ranking = n->kind == NODE_TOP || n->kind == NODE_BEFORE };
    uint32_t same = 0;

    while (same < rule->n_atoms && !tree_equal(r, rule->atom[same].node, at))
        same++;
    r->node[at].proposition = same;
    if (same < rule->n_atoms)
        return PECK_OK;
    if (rule->n_atoms == MAX_ATOMS)
        return complain(r, rule->at, err,
                        "the rule has more than %d different statements, too many for "
                        "a truth table; split it",
                        MAX_ATOMS);
    for (uint32_t i = 0; i < rule->n_prefix; i++) {
        if (!tree_has_var(r, at, rule->prefix[i].var))
            continue;
        if (a.n_vars == 2)
            return complain(r, rule->at, err,
                            "a statement of the rule compares more than two documents");
        a.var[a.n_vars++] = rule->prefix[i].var;
    }
    if (n->kind == NODE_BEFORE) { /* its first document first, whatever the prefix says */
        a.var[0] = n->var[0];
        a.var[1] = n->var[1];
    }
    if (a.n_vars == 2 && (n->kind == NODE_LESS || n->kind == NODE_EQUAL)) {
        const bool is_turned = !tree_has_var(r, n->left, a.var[0]);

        a.side[0] = a.var[is_turned];
        a.side[1] = a.var[!is_turned];
        a.is_separable =
            !tree_has_var(r, n->left, a.side[1]) && !tree_has_var(r, n->right, a.side[0]);
    }
    rule->atom[rule->n_atoms++] = a;
    return PECK_OK;
}

static peck_status collect_atoms(struct peck_rules *r, struct rule *rule, uint32_t at,
                                 peck_error *err)
{
    const struct node *const n = &r->node[at];

    if (is_atom(n->kind))
        return add_atom(r, rule, at, err);
    if (n->kind == NODE_TRUE || n->kind == NODE_FALSE)
        return PECK_OK;
    TRY(collect_atoms(r, rule, n->left, err));
    return n->kind != NODE_NOT ? collect_atoms(r, rule, n->right, err) : PECK_OK;
}

/* Whether the matrix holds where atom i is bit i of `truth`. */
static bool matrix_holds(const struct peck_rules *r, uint32_t at, uint32_t truth)
{
    const struct node *const n = &r->node[at];

    switch (n->kind) {
    case NODE_TRUE:
    case NODE_FALSE:
        return n->kind == NODE_TRUE;
    case NODE_NOT:
        return !matrix_holds(r, n->left, truth);
    case NODE_AND:
        return matrix_holds(r, n->left, truth) && matrix_holds(r, n->right, truth);
    case NODE_OR:
        return matrix_holds(r, n->left, truth) || matrix_holds(r, n->right, truth);
    case NODE_IMPLIES:
        return !matrix_holds(r, n->left, truth) || matrix_holds(r, n->right, truth);
    case NODE_IFF:
        return matrix_holds(r, n->left, truth) == matrix_holds(r, n->right, truth);
    default:
        return truth >> n->proposition & 1;
    }
}

/* All 2^n_atoms rows, at most 4,096, are tried twice: counted, then listed. */
peck_status rule_tabulate(struct peck_rules *r, struct rule *rule, peck_error *err)
{
    rule->n_atoms = 0; /* it may be done again */
    rule->n_true = rule->n_rows = 0;
    TRY(collect_atoms(r, rule, rule->matrix, err));
    const uint32_t all = 1u << rule->n_atoms;

    for (uint32_t t = 0; t < all; t++)
        rule->n_true += matrix_holds(r, rule->matrix, t);
    rule->n_false = all - rule->n_true;
    /* Fewer rows are cheaper, and sharper: a row of the other side leaks into each of them.
     * A tie goes to the true ones, whose penalty is exactly 0 where the clause holds. */
    rule->is_of_true = rule->config.mixture == MIXTURE_AUTO
                           ? rule->n_true <= rule->n_false
                           : rule->config.mixture == MIXTURE_TRUE;
    rule->row = mem_new(all, sizeof *rule->row);
    if (rule->row == NULL)
        return fail_memory(err, "a truth table", all, sizeof *rule->row);
    for (uint32_t t = 0; t < all; t++)
        if (matrix_holds(r, rule->matrix, t) == rule->is_of_true)
            rule->row[rule->n_rows++] = (uint16_t)t;
    return PECK_OK;
}
