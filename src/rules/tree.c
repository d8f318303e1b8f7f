/* tree.c -- see tree.h. */
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

/* A document is itself, and never before itself. */
static void simplify(struct node *n)
{
    if (n->kind == NODE_SAME && n->var[0] == n->var[1])
        n->kind = NODE_TRUE;
    if (n->kind == NODE_BEFORE && n->var[0] == n->var[1])
        n->kind = NODE_FALSE;
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
    simplify(&n);
    *out = tree_add(r, n);
    return *out != NO_NODE ? PECK_OK : fail_memory(err, "rules", r->n_nodes, sizeof n);
}

/* Features are the same by name; the same column under two names is two. */
static bool same_mention(const struct peck_rules *r, uint32_t a, uint32_t b)
{
    return r->mention[a].is_of_query == r->mention[b].is_of_query &&
           span_equal(r->mention[a].name, r->mention[b].name);
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
    if (m->kind == NODE_FEATURE && !same_mention(r, m->mention, n->mention))
        return false;
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
