/* tree.h -- inside the rules room: clauses as trees, and what is made of them.
 *
 * Trees are numbers into one array of nodes.  Comparisons come in two kinds, < and =; the
 * others are these with their sides changed or under a `not`, so that what is said twice
 * in other words is one atom.                                                        */
#ifndef TREE_H
#define TREE_H

#include "rules.h"

enum {
    MAX_RULE_FILE = 1 << 20, /* bytes */
    MAX_RULE_LINE = 4096,    /* bytes */
    MAX_RULES = 256,
    MAX_DEFINITIONS = 256,
    MAX_DEPTH = 100,  /* of what is nested */
    MAX_NODES = 2000, /* of a clause, definitions written out */
    MAX_VARS = 32,    /* of a clause, the query included */
    MAX_ATOMS = 12,   /* of a clause: its truth table has 2^12 rows */
};
#define NO_NODE UINT32_MAX

enum node_kind {
    /* Formulas of formulas. */
    NODE_TRUE,
    NODE_FALSE,
    NODE_NOT, /* left */
    NODE_AND,
    NODE_OR,
    NODE_IMPLIES,
    NODE_IFF,
    NODE_FORALL, /* var[0]; left */
    NODE_EXISTS,
    /* Atoms. */
    NODE_TOP,    /* var[0] is among the first `number` */
    NODE_BEFORE, /* var[0] comes before var[1] */
    NODE_SAME,
    NODE_LESS, /* left < right, terms */
    NODE_EQUAL,
    NODE_SOFT, /* left, a term in [0,1] */
    /* Terms. */
    NODE_NUMBER,
    NODE_FEATURE, /* mention, of var[0] */
    NODE_ADD,
    NODE_SUB,
    NODE_MUL,
    NODE_DIV, /* x / 0 is 0 */
    NODE_NEG,
};

struct node {
    enum node_kind kind;
    uint32_t left, right;
    uint32_t var[2]; /* 0: the query */
    uint32_t mention;
    uint32_t proposition; /* of an atom in a matrix: which of the rule's it is */
    double number;
};

static inline bool is_term(enum node_kind kind)
{
    return kind >= NODE_NUMBER;
}

static inline bool is_atom(enum node_kind kind)
{
    return kind >= NODE_TOP && kind <= NODE_SOFT;
}

/* Where in the file: line from 1, byte from 0. */
struct rule_place {
    uint32_t line, at;
};

/* A feature that is spoken of. */
struct mention {
    peck_span name;
    bool is_of_query;
    struct rule_place at;
};

struct definition {
    peck_span name;
    uint32_t body, n_params, n_vars; /* parameters are variables 1 .. n_params */
    bool is_query[MAX_VARS];         /* parameter i + 1 is called q */
};

struct quantifier {
    bool is_forall;
    uint32_t var;
};

/* What a proposition of the matrix depends on. */
struct atom {
    uint32_t node;
    uint32_t n_vars; /* documents: 0, 1 or 2 */
    uint32_t var[2];
    bool is_ranking;
    /* A comparison of a term of one document with a term of another: whose they are. */
    bool is_separable;
    uint32_t side[2];
};

struct rule {
    peck_span name;
    struct rule_place at;
    struct rule_config config;
    uint32_t root, guard; /* as written; guard NO_NODE: every query */
    peck_span guard_text;
    uint32_t n_vars;
    peck_span var_name[MAX_VARS];
    /* Prenex form: quantifiers, then a matrix without any. */
    struct quantifier prefix[MAX_VARS];
    uint32_t n_prefix, matrix;
    uint32_t nesting; /* quantifiers inside one another: root, guard or prefix */
    struct atom atom[MAX_ATOMS];
    uint32_t n_atoms;
    /* Rows of the truth table that the mixture is made of: bit i is atom i. */
    uint16_t *row;
    size_t n_rows, n_true, n_false;
    bool is_of_true;  /* they are the true ones */
    size_t steepness; /* which of the rules' alphas is its own */
};

struct peck_rules {
    char *name, *text; /* of the file; ended by zero bytes */
    size_t n_bytes;    /* of the text */
    peck_span *line;
    struct node *node;
    struct mention *mention;
    struct definition *definition;
    struct rule *rule;
    double alpha[MAX_RULES]; /* those that differ */
    size_t n_lines, n_nodes, n_mentions, n_definitions, n_rules, n_alphas;
    size_t cap_lines, cap_nodes, cap_mentions, cap_definitions, cap_rules;
};

/* The rules and the columns of their features. */
struct bound {
    const struct peck_rules *rules;
    uint32_t *column; /* of each mention */
};

/* "rules.txt:3:14: ..." with the line and a caret under it; PECK_FORMAT. */
peck_status complain(const struct peck_rules *r, struct rule_place at, peck_error *err,
                     const char *fmt, ...) PRINTF(4, 5);

/* parse.c: one line of the file.  now[]: the settings of clauses from here on. */
MUST_CHECK peck_status parse_line(struct peck_rules *r, uint32_t line,
                                  struct rule_config *now, peck_error *err);

/* A new node; NO_NODE: no memory. */
uint32_t tree_add(struct peck_rules *r, struct node node);
/* A copy of a tree in which variable v is var[v].  Bound variables that var[] does not
 * know yet (NO_NODE) get fresh numbers from *n_vars on. */
MUST_CHECK peck_status tree_copy(struct peck_rules *r, uint32_t from, uint32_t *var,
                                 uint32_t *n_vars, uint32_t *out, peck_error *err);
bool tree_equal(const struct peck_rules *r, uint32_t a, uint32_t b);
/* Whether a node of one of these kinds, first .. last, is in it. */
bool tree_has(const struct peck_rules *r, uint32_t at, enum node_kind first,
              enum node_kind last);
/* How many quantifiers stand inside one another. */
uint32_t tree_nesting(const struct peck_rules *r, uint32_t at);
bool tree_has_var(const struct peck_rules *r, uint32_t at, uint32_t var);

/* The form that penalties are taken from. */
MUST_CHECK peck_status rule_to_prenex(struct peck_rules *r, struct rule *rule,
                                      peck_error *err);
MUST_CHECK peck_status rule_tabulate(struct peck_rules *r, struct rule *rule,
                                     peck_error *err);

/* logic.c: documents that the variables stand for; doc[0] is any one of the query. */
double term_value(const struct bound *b, uint32_t at, const struct scene *q,
                  const uint32_t *doc);
/* The truth of an atom that is no ranking predicate: 0, 1, or a soft value. */
double atom_value(const struct bound *b, uint32_t at, const struct scene *q,
                  const uint32_t *doc);

#endif
