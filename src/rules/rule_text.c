/* rule_text.c -- a clause in prenex form, as a user could write it. */
#include "tree.h"

#include "../base/number.h"

struct printing {
    const struct peck_rules *rules;
    const struct rule *rule;
    struct text *to;
};

/* Its name, with a number where an earlier variable has the same. */
static void print_var(const struct printing *p, uint32_t var)
{
    const peck_span name = p->rule->var_name[var];
    size_t number = 1;

    for (uint32_t i = 0; i < p->rule->n_prefix && p->rule->prefix[i].var != var; i++)
        number += span_equal(p->rule->var_name[p->rule->prefix[i].var], name);
    text_add(p->to, name.s, name.n);
    if (number > 1)
        text_printf(p->to, "%zu", number);
}

static void print_number(const struct printing *p, double v)
{
    char digits[64];

    text_add(p->to, digits, number_print(digits, sizeof digits, 'g', 9, v));
}

static void print_feature(const struct printing *p, const struct node *n)
{
    const peck_span name = p->rules->mention[n->mention].name;
    bool is_word = name.n > 0;

    for (size_t i = 0; i < name.n; i++)
        is_word &= (name.s[i] >= 'a' && name.s[i] <= 'z') ||
                   (name.s[i] >= 'A' && name.s[i] <= 'Z') || name.s[i] == '_' ||
                   (i > 0 && is_digit(name.s[i]));
    print_var(p, n->var[0]);
    text_add_str(p->to, is_word ? "." : ".\"");
    text_add(p->to, name.s, name.n);
    text_add_str(p->to, is_word ? "" : "\"");
}

/* How tightly a kind binds. */
static int binding(enum node_kind kind)
{
    switch (kind) {
    case NODE_IFF:
        return 0;
    case NODE_IMPLIES:
        return 1;
    case NODE_OR:
        return 2;
    case NODE_AND:
        return 3;
    case NODE_NOT:
        return 4;
    case NODE_LESS:
    case NODE_EQUAL:
        return 5;
    case NODE_ADD:
    case NODE_SUB:
        return 6;
    case NODE_MUL:
    case NODE_DIV:
        return 7;
    case NODE_NEG:
        return 8;
    default:
        return 9;
    }
}

static const char *word_of(enum node_kind kind)
{
    switch (kind) {
    case NODE_AND:
        return " and ";
    case NODE_OR:
        return " or ";
    case NODE_IMPLIES:
        return " implies ";
    case NODE_IFF:
        return " iff ";
    case NODE_LESS:
        return " < ";
    case NODE_EQUAL:
        return " = ";
    case NODE_ADD:
        return " + ";
    case NODE_SUB:
        return " - ";
    case NODE_MUL:
        return " * ";
    default:
        return " / ";
    }
}

static void print_node(const struct printing *p, uint32_t at, int tighter);

static void print_predicate(const struct printing *p, const struct node *n)
{
    if (n->kind == NODE_TOP) {
        text_add_str(p->to, "top(");
        print_number(p, n->number);
        text_add_str(p->to, ", ");
        print_var(p, n->var[0]);
    } else {
        text_add_str(p->to, n->kind == NODE_SAME ? "same(" : "before(");
        print_var(p, n->var[0]);
        text_add_str(p->to, ", ");
        print_var(p, n->var[1]);
    }
    text_add_str(p->to, ")");
}

static void print_inside(const struct printing *p, const struct node *n)
{
    const int own = binding(n->kind);

    switch (n->kind) {
    case NODE_TRUE:
    case NODE_FALSE:
        text_add_str(p->to, n->kind == NODE_TRUE ? "true" : "false");
        return;
    case NODE_TOP:
    case NODE_BEFORE:
    case NODE_SAME:
        print_predicate(p, n);
        return;
    case NODE_NUMBER:
        print_number(p, n->number);
        return;
    case NODE_FEATURE:
        print_feature(p, n);
        return;
    case NODE_SOFT:
        print_node(p, n->left, 0);
        return;
    case NODE_NOT:
    case NODE_NEG:
        text_add_str(p->to, n->kind == NODE_NOT ? "not " : "-");
        print_node(p, n->left, own);
        return;
    default: /* "implies" groups to the right, all others to the left */
        print_node(p, n->left, own + (n->kind == NODE_IMPLIES));
        text_add_str(p->to, word_of(n->kind));
        print_node(p, n->right, own + (n->kind != NODE_IMPLIES));
    }
}

/* In parentheses where it binds less tightly than its place asks for. */
static void print_node(const struct printing *p, uint32_t at, int tighter)
{
    const struct node *const n = &p->rules->node[at];
    const bool is_loose = binding(n->kind) < tighter;

    text_add_str(p->to, is_loose ? "(" : "");
    print_inside(p, n);
    text_add_str(p->to, is_loose ? ")" : "");
}

/* "forall q | guard : " (the guard as it was written), or "forall q, " or "forall q : ". */
static void print_query(const struct printing *p)
{
    const struct rule *const x = p->rule;

    text_add_str(p->to, "forall q");
    if (x->guard != NO_NODE) {
        text_add_str(p->to, " | ");
        text_add(p->to, x->guard_text.s, x->guard_text.n);
    }
    if (x->guard != NO_NODE || x->n_prefix == 0 || !x->prefix[0].is_forall)
        text_add_str(p->to, " : ");
}

void rules_print(const struct peck_rules *r, size_t rule, struct text *to)
{
    const struct rule *const x = &r->rule[rule];
    const struct printing p = { r, x, to };
    bool goes_on = x->guard == NO_NODE; /* "forall q" may go on with ", d" */

    print_query(&p);
    for (uint32_t i = 0; i < x->n_prefix; i++) {
        const bool is_forall = x->prefix[i].is_forall;

        goes_on = i == 0 ? goes_on && is_forall : is_forall == x->prefix[i - 1].is_forall;
        if (goes_on)
            text_add_str(to, ", ");
        else
            text_printf(to, "%s%s", i > 0 ? " : " : "", is_forall ? "forall " : "exists ");
        print_var(&p, x->prefix[i].var);
    }
    if (x->n_prefix > 0)
        text_add_str(to, " : ");
    print_node(&p, x->matrix, 0);
}
