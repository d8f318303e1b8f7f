/* table.c -- the propositions of a matrix, and its truth table. */
#include "tree.h"

#include "../base/alloc.h"

/* Documents that an atom speaks of; false: more than two. */
static bool find_vars(const struct peck_rules *r, const struct rule *rule, struct atom *a)
{
    for (uint32_t i = 0; i < rule->n_prefix; i++) {
        const uint32_t v = rule->prefix[i].var;

        if (!tree_has_var(r, a->node, v))
            continue;
        if (a->n_vars == 2)
            return false;
        a->var[a->n_vars++] = v;
    }
    return true;
}

/* before(d, e) has its first document first, whatever the prefix says. */
static void order_vars(const struct node *n, struct atom *a)
{
    if (n->kind == NODE_BEFORE) {
        a->var[0] = n->var[0];
        a->var[1] = n->var[1];
    }
}

static void find_sides(const struct peck_rules *r, const struct node *n, struct atom *a)
{
    if (a->n_vars < 2 || (n->kind != NODE_LESS && n->kind != NODE_EQUAL))
        return;
    const bool is_turned = !tree_has_var(r, n->left, a->var[0]);

    a->side[0] = a->var[is_turned];
    a->side[1] = a->var[!is_turned];
    a->is_separable =
        !tree_has_var(r, n->left, a->side[1]) && !tree_has_var(r, n->right, a->side[0]);
}

static peck_status collect(struct peck_rules *r, struct rule *rule, uint32_t at,
                           peck_error *err)
{
    const struct node *const n = &r->node[at];

    if (is_atom(n->kind)) {
        struct atom a = { .node = at, .is_ranking = is_ranking(n->kind) };

        for (uint32_t i = 0; i < rule->n_atoms; i++)
            if (tree_equal(r, rule->atom[i].node, at)) {
                r->node[at].proposition = i;
                return PECK_OK;
            }
        if (rule->n_atoms == MAX_ATOMS)
            return complain(r, rule->at, err,
                            "the rule has more than %d different statements, too many for "
                            "a truth table; split it",
                            MAX_ATOMS);
        if (!find_vars(r, rule, &a))
            return complain(r, rule->at, err,
                            "a statement of the rule compares more than two documents");
        order_vars(n, &a);
        find_sides(r, n, &a);
        r->node[at].proposition = rule->n_atoms;
        rule->atom[rule->n_atoms++] = a;
        return PECK_OK;
    }
    if (n->kind == NODE_TRUE || n->kind == NODE_FALSE)
        return PECK_OK;
    TRY(collect(r, rule, n->left, err));
    return n->kind != NODE_NOT ? collect(r, rule, r->node[at].right, err) : PECK_OK;
}

bool matrix_holds(const struct peck_rules *r, uint32_t at, uint32_t truth)
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

/* Fewer rows are cheaper, and sharper: a row of the other side leaks into each of them.
 * A tie goes to the true ones, whose penalty is exactly 0 where the clause holds. */
static bool takes_true(const struct rule *rule)
{
    if (rule->config.mixture == MIXTURE_AUTO)
        return rule->n_true <= rule->n_false;
    return rule->config.mixture == MIXTURE_TRUE;
}

peck_status rule_tabulate(struct peck_rules *r, struct rule *rule, peck_error *err)
{
    rule->n_atoms = 0;
    TRY(collect(r, rule, rule->matrix, err));
    const uint32_t all = 1u << rule->n_atoms;

    rule->n_true = 0;
    for (uint32_t t = 0; t < all; t++)
        rule->n_true += matrix_holds(r, rule->matrix, t);
    rule->n_false = all - rule->n_true;
    rule->is_of_true = takes_true(rule);
    rule->row = mem_new(all, sizeof *rule->row);
    if (rule->row == NULL)
        return fail_memory(err, "a truth table", all, sizeof *rule->row);
    for (uint32_t t = 0; t < all; t++)
        if (matrix_holds(r, rule->matrix, t) == rule->is_of_true)
            rule->row[rule->n_rows++] = (uint16_t)t;
    return PECK_OK;
}
