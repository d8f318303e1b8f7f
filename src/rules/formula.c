/* formula.c -- formulas and terms, by recursive descent.
 *
 *   formula  = or-formulas joined by "iff" and "implies" ("and" binds most, then "or")
 *   atom     = top(k, d) | before(d, e) | same(d, e) | name(d, ...) | term [< term]
 *   term     = sums and products of numbers and d.feature
 *
 * The whole grammar stands in docs/RULES.md.  Terms and formulas share parentheses, so
 * one parser reads both and each place asks for what it needs.  Every quantifier gets a
 * variable of its own number: names are for people.                                   */
#include "parser.h"

#include "../base/alloc.h"

static peck_status parse_any(struct parser *p, uint32_t *out);

/* Words ----------------------------------------------------------------------------- */

static const char *const reserved[] = { "forall",  "exists", "not",    "and",   "or",
                                        "implies", "iff",    "true",   "false", "top",
                                        "before",  "same",   "define", "set" };
enum { N_RESERVED = sizeof reserved / sizeof *reserved };

peck_status parse_next(struct parser *p)
{
    return lex_next(&p->lex, p->err);
}

peck_status parse_sign(struct parser *p, const char *sign, const char *where)
{
    if (!lex_is_sign(&p->lex, sign))
        return COMPLAIN(p, p->lex.now.at, "'%s' is missing %s", sign, where);
    return parse_next(p);
}

static bool is_reserved(peck_span word)
{
    for (size_t i = 0; i < N_RESERVED; i++)
        if (span_is(word, reserved[i]))
            return true;
    return false;
}

peck_status parse_name(struct parser *p, const char *what, struct token *out)
{
    *out = p->lex.now;
    if (out->kind != TOKEN_NAME || out->is_quoted)
        return COMPLAIN(p, out->at, "the name of %s is missing", what);
    if (is_reserved(out->text))
        return COMPLAIN(p, out->at, "'%.*s' is a word of the language, no name for %s",
                        SPAN_ARGS(out->text), what);
    return parse_next(p);
}

peck_status parse_unknown(struct parser *p, const struct token *word, const char *what,
                          const char *const *known, size_t n, const char *advice)
{
    char typed[SPAN_SHOWN + 1];

    snprintf(typed, sizeof typed, "%.*s", SPAN_ARGS(word->text));
    const char *const near = peck_nearest(typed, known, n);

    if (near != NULL)
        return COMPLAIN(p, word->at, "unknown %s '%s'; did you mean '%s'?", what, typed,
                        near);
    return COMPLAIN(p, word->at, "unknown %s '%s'; %s", what, typed, advice);
}

/* Nodes ----------------------------------------------------------------------------- */

static peck_status add(struct parser *p, struct node node, uint32_t *out)
{
    *out = tree_add(p->rules, node);
    if (*out == NO_NODE)
        return fail_memory(p->err, "rules", p->rules->n_nodes, sizeof node);
    if (p->rules->n_nodes - p->first_node > MAX_NODES)
        return COMPLAIN(p, p->lex.now.at, "the clause is too long: more than %d parts",
                        MAX_NODES);
    return PECK_OK;
}

static peck_status join(struct parser *p, enum node_kind kind, uint32_t left,
                        uint32_t right, uint32_t *out)
{
    return add(p, (struct node){ .kind = kind, .left = left, .right = right }, out);
}

/* Makes a term that stands alone a soft truth value. */
static peck_status as_formula(struct parser *p, uint32_t *node)
{
    return is_term(p->rules->node[*node].kind) ? join(p, NODE_SOFT, *node, 0, node)
                                               : PECK_OK;
}

static peck_status as_term(struct parser *p, uint32_t node, struct place at)
{
    if (!is_term(p->rules->node[node].kind))
        return COMPLAIN(p, at, "a number is needed here, not a statement");
    return PECK_OK;
}

static peck_status deeper(struct parser *p)
{
    if (++p->depth > MAX_DEPTH)
        return COMPLAIN(p, p->lex.now.at, "nested too deep: more than %d levels",
                        MAX_DEPTH);
    return PECK_OK;
}

/* Variables ------------------------------------------------------------------------- */

peck_status parse_open_var(struct parser *p, const struct token *name, uint32_t *var)
{
    if (p->n_vars == MAX_VARS)
        return COMPLAIN(p, name->at, "more than %d variables", MAX_VARS - 1);
    *var = p->n_vars++;
    p->name[*var] = name->text;
    p->scope[p->n_scope++] = *var;
    return PECK_OK;
}

static peck_status find_var(struct parser *p, const struct token *name, uint32_t *var)
{
    char known[MAX_VARS][SPAN_SHOWN + 1];
    const char *list[MAX_VARS];

    for (size_t i = p->n_scope; i-- > 0;)
        if (span_equal(p->name[p->scope[i]], name->text)) {
            *var = p->scope[i];
            return PECK_OK;
        }
    for (size_t i = 0; i < p->n_scope; i++) {
        snprintf(known[i], sizeof known[i], "%.*s", SPAN_ARGS(p->name[p->scope[i]]));
        list[i] = known[i];
    }
    return parse_unknown(p, name, "variable", list, p->n_scope,
                         "say forall or exists first");
}

/* A document's variable between parentheses. */
static peck_status parse_var(struct parser *p, uint32_t *var)
{
    struct token name;

    TRY(parse_name(p, "a document", &name));
    TRY(find_var(p, &name, var));
    if (*var == QUERY)
        return COMPLAIN(p, name.at, "q is the query; a document is needed here");
    return PECK_OK;
}

/* Atoms ----------------------------------------------------------------------------- */

static peck_status parse_top(struct parser *p, uint32_t *out)
{
    struct node top = { .kind = NODE_TOP };

    TRY(parse_next(p));
    TRY(parse_sign(p, "(", "after top: top(3, d)"));
    const struct token k = p->lex.now;

    if (k.kind != TOKEN_NUMBER || k.number < 1 || k.number != floor(k.number))
        return COMPLAIN(p, k.at, "top(k, d) needs a whole number from 1 on");
    top.number = k.number;
    TRY(parse_next(p));
    TRY(parse_sign(p, ",", "between number and document"));
    TRY(parse_var(p, &top.var[0]));
    TRY(parse_sign(p, ")", "after top(k, d"));
    return add(p, top, out);
}

static peck_status parse_two(struct parser *p, enum node_kind kind, uint32_t *out)
{
    struct node two = { .kind = kind };

    TRY(parse_next(p));
    TRY(parse_sign(p, "(", "before the two documents"));
    TRY(parse_var(p, &two.var[0]));
    TRY(parse_sign(p, ",", "between the two documents"));
    TRY(parse_var(p, &two.var[1]));
    TRY(parse_sign(p, ")", "after the two documents"));
    if (two.var[0] == two.var[1])
        two.kind = kind == NODE_SAME ? NODE_TRUE : NODE_FALSE;
    return add(p, two, out);
}

static peck_status find_definition(struct parser *p, const struct token *name,
                                   const struct definition **out)
{
    const char *known[MAX_DEFINITIONS + 3] = { "top", "before", "same" };
    char text[MAX_DEFINITIONS][SPAN_SHOWN + 1];
    const struct peck_rules *const r = p->rules;

    for (size_t i = 0; i < r->n_definitions; i++) {
        if (span_equal(r->definition[i].name, name->text)) {
            *out = &r->definition[i];
            return PECK_OK;
        }
        snprintf(text[i], sizeof text[i], "%.*s", SPAN_ARGS(r->definition[i].name));
        known[i + 3] = text[i];
    }
    return parse_unknown(p, name, "predicate", known, r->n_definitions + 3,
                         "define it on a line above");
}

/* name(d, e): the definition written out with its variables. */
static peck_status parse_defined(struct parser *p, const struct token *name, uint32_t *out)
{
    const struct definition *found = NULL;
    uint32_t var[MAX_VARS];

    for (size_t i = 0; i < MAX_VARS; i++)
        var[i] = NO_NODE;
    var[QUERY] = QUERY;
    TRY(find_definition(p, name, &found));
    const struct definition d = *found; /* the list may move */

    TRY(parse_sign(p, "(", "after the predicate"));
    for (uint32_t i = 0; i < d.n_params; i++) {
        if (i > 0)
            TRY(parse_sign(p, ",", "between two variables"));
        if (d.is_query[i] && !lex_is_word(&p->lex, "q"))
            return COMPLAIN(p, p->lex.now.at, "'%.*s' takes the query q here",
                            SPAN_ARGS(d.name));
        if (d.is_query[i])
            TRY(parse_next(p));
        else
            TRY(parse_var(p, &var[i + 1]));
    }
    TRY(parse_sign(p, ")", "after the last variable"));
    const uint32_t first_new = p->n_vars;
    const peck_status st = tree_copy(p->rules, d.body, var, &p->n_vars, out, p->err);

    if (st == PECK_FORMAT)
        return COMPLAIN(p, name->at, "more than %d variables", MAX_VARS - 1);
    TRY(st);
    for (uint32_t v = first_new; v < p->n_vars; v++)
        p->name[v] = span_of("x");
    if (p->rules->n_nodes - p->first_node > MAX_NODES)
        return COMPLAIN(p, name->at, "the clause is too long: more than %d parts",
                        MAX_NODES);
    return PECK_OK;
}

/* d.name */
static peck_status parse_feature(struct parser *p, const struct token *of, uint32_t *out)
{
    struct peck_rules *const r = p->rules;
    struct node feature = { .kind = NODE_FEATURE, .mention = (uint32_t)r->n_mentions };

    TRY(find_var(p, of, &feature.var[0]));
    TRY(parse_next(p));
    const struct token name = p->lex.now;

    if (name.kind != TOKEN_NAME)
        return COMPLAIN(p, name.at, "the name of a feature is missing after the point");
    if (!mem_reserve(&r->mention, &r->cap_mentions, r->n_mentions + 1, sizeof *r->mention))
        return fail_memory(p->err, "rules", r->n_mentions, sizeof *r->mention);
    r->mention[r->n_mentions++] =
        (struct mention){ name.text, feature.var[0] == QUERY, name.at };
    TRY(parse_next(p));
    return add(p, feature, out);
}

/* A name that is no word of the language: a predicate of one's own or d.feature. */
static peck_status parse_named(struct parser *p, uint32_t *out)
{
    static const char *const starts[] = { "forall", "exists", "not",    "true",
                                          "false",  "top",    "before", "same" };
    const struct token name = p->lex.now;

    TRY(parse_next(p));
    if (lex_is_sign(&p->lex, "("))
        return parse_defined(p, &name, out);
    if (lex_is_sign(&p->lex, "."))
        return parse_feature(p, &name, out);
    for (size_t i = 0; i < p->n_scope; i++)
        if (span_equal(p->name[p->scope[i]], name.text))
            return COMPLAIN(p, p->lex.now.at,
                            "'%.*s' alone says nothing; write %.*s.feature",
                            SPAN_ARGS(name.text), SPAN_ARGS(name.text));
    return parse_unknown(p, &name, "word", starts, sizeof starts / sizeof *starts,
                         "a statement begins with a predicate or d.feature");
}

static peck_status parse_quantified(struct parser *p, uint32_t *out);

static peck_status parse_constant(struct parser *p, struct node constant, uint32_t *out)
{
    TRY(parse_next(p));
    return add(p, constant, out);
}

static peck_status parse_inside(struct parser *p, uint32_t *out)
{
    TRY(deeper(p));
    TRY(parse_next(p));
    TRY(parse_any(p, out));
    TRY(parse_sign(p, ")", "at the end of what '(' began"));
    p->depth--;
    return PECK_OK;
}

static peck_status parse_primary(struct parser *p, uint32_t *out)
{
    const struct lexer *const l = &p->lex;

    if (l->now.kind == TOKEN_NUMBER)
        return parse_constant(
            p, (struct node){ .kind = NODE_NUMBER, .number = l->now.number }, out);
    if (lex_is_sign(l, "("))
        return parse_inside(p, out);
    if (l->now.kind != TOKEN_NAME || l->now.is_quoted)
        return COMPLAIN(p, l->now.at, "a statement or a number is missing here");
    if (lex_is_word(l, "true") || lex_is_word(l, "false"))
        return parse_constant(
            p, (struct node){ .kind = lex_is_word(l, "true") ? NODE_TRUE : NODE_FALSE },
            out);
    if (lex_is_word(l, "forall") || lex_is_word(l, "exists"))
        return parse_quantified(p, out);
    if (lex_is_word(l, "top"))
        return parse_top(p, out);
    if (lex_is_word(l, "before"))
        return parse_two(p, NODE_BEFORE, out);
    if (lex_is_word(l, "same"))
        return parse_two(p, NODE_SAME, out);
    return parse_named(p, out);
}

/* Terms and comparisons ------------------------------------------------------------- */

static peck_status parse_signed(struct parser *p, uint32_t *out)
{
    if (!lex_is_sign(&p->lex, "-"))
        return parse_primary(p, out);
    TRY(deeper(p));
    TRY(parse_next(p));
    const struct place at = p->lex.now.at;

    TRY(parse_signed(p, out));
    TRY(as_term(p, *out, at));
    p->depth--;
    return join(p, NODE_NEG, *out, 0, out);
}

/* One level of + - or * /. */
static peck_status parse_sum(struct parser *p, bool is_product, uint32_t *out)
{
    const char *const first = is_product ? "*" : "+", *const second =
                                                          is_product ? "/" : "-";
    const enum node_kind kind = is_product ? NODE_MUL : NODE_ADD;
    const struct place at = p->lex.now.at;
    uint32_t right;

    TRY(is_product ? parse_signed(p, out) : parse_sum(p, true, out));
    while (lex_is_sign(&p->lex, first) || lex_is_sign(&p->lex, second)) {
        const bool is_second = lex_is_sign(&p->lex, second);

        TRY(as_term(p, *out, at));
        TRY(parse_next(p));
        const struct place there = p->lex.now.at;

        TRY(is_product ? parse_signed(p, &right) : parse_sum(p, true, &right));
        TRY(as_term(p, right, there));
        TRY(join(p, (enum node_kind)(kind + is_second), *out, right, out));
    }
    return PECK_OK;
}

static const struct comparison {
    const char *sign;
    enum node_kind kind;
    bool is_turned, is_denied;
} comparisons[] = {
    { "<", NODE_LESS, false, false },  { ">", NODE_LESS, true, false },
    { "<=", NODE_LESS, true, true },   { ">=", NODE_LESS, false, true },
    { "=", NODE_EQUAL, false, false }, { "!=", NODE_EQUAL, false, true },
};

static const struct comparison *comparison_at(const struct lexer *l)
{
    for (size_t i = 0; i < sizeof comparisons / sizeof *comparisons; i++)
        if (lex_is_sign(l, comparisons[i].sign))
            return &comparisons[i];
    return NULL;
}

static peck_status parse_comparison(struct parser *p, uint32_t *out)
{
    const struct place at = p->lex.now.at;
    uint32_t right;

    TRY(parse_sum(p, false, out));
    const struct comparison *const c = comparison_at(&p->lex);

    if (c == NULL)
        return PECK_OK;
    TRY(as_term(p, *out, at));
    TRY(parse_next(p));
    const struct place there = p->lex.now.at;

    TRY(parse_sum(p, false, &right));
    TRY(as_term(p, right, there));
    if (comparison_at(&p->lex) != NULL)
        return COMPLAIN(p, p->lex.now.at, "one comparison at a time: a < b and b < c");
    TRY(join(p, c->kind, c->is_turned ? right : *out, c->is_turned ? *out : right, out));
    return c->is_denied ? join(p, NODE_NOT, *out, 0, out) : PECK_OK;
}

/* Formulas -------------------------------------------------------------------------- */

static peck_status parse_not(struct parser *p, uint32_t *out)
{
    if (!lex_is_word(&p->lex, "not"))
        return parse_comparison(p, out);
    TRY(deeper(p));
    TRY(parse_next(p));
    TRY(parse_not(p, out));
    TRY(as_formula(p, out));
    p->depth--;
    return join(p, NODE_NOT, *out, 0, out);
}

/* From what binds least to what binds most. */
static const struct connective {
    const char *word;
    enum node_kind kind;
} connectives[] = {
    { "iff", NODE_IFF }, { "implies", NODE_IMPLIES }, { "or", NODE_OR }, { "and", NODE_AND }
};
enum { N_CONNECTIVES = 4 };

static peck_status parse_connected(struct parser *p, size_t level, uint32_t *out)
{
    uint32_t right;

    if (level == N_CONNECTIVES)
        return parse_not(p, out);
    const struct connective *const c = &connectives[level];
    const bool is_right = c->kind == NODE_IMPLIES; /* a implies (b implies c) */

    TRY(parse_connected(p, level + 1, out));
    while (lex_is_word(&p->lex, c->word)) {
        TRY(as_formula(p, out));
        TRY(deeper(p));
        TRY(parse_next(p));
        TRY(parse_connected(p, is_right ? level : level + 1, &right));
        TRY(as_formula(p, &right));
        TRY(join(p, c->kind, *out, right, out));
        p->depth--;
    }
    return PECK_OK;
}

/* A formula, or a term: whoever needs a formula says as_formula. */
static peck_status parse_any(struct parser *p, uint32_t *out)
{
    return parse_connected(p, 0, out);
}

peck_status parse_formula(struct parser *p, uint32_t *out)
{
    TRY(parse_any(p, out));
    return as_formula(p, out);
}

/* Quantifiers ----------------------------------------------------------------------- */

peck_status parse_bound(struct parser *p)
{
    struct token name;
    uint32_t var;

    do {
        if (lex_is_sign(&p->lex, ","))
            TRY(parse_next(p));
        TRY(parse_name(p, "a document", &name));
        if (span_is(name.text, "q"))
            return COMPLAIN(p, name.at,
                            "q is the query: say \"forall q\" once, at the beginning");
        TRY(parse_open_var(p, &name, &var));
    } while (lex_is_sign(&p->lex, ","));
    return PECK_OK;
}

peck_status parse_body(struct parser *p, bool is_forall, uint32_t first, size_t scope,
                       uint32_t *out)
{
    const uint32_t last = p->n_vars;
    uint32_t guard = NO_NODE;

    if (lex_is_sign(&p->lex, "|")) {
        TRY(parse_next(p));
        TRY(parse_formula(p, &guard));
    }
    TRY(parse_sign(p, ":", "after the quantified variables"));
    TRY(parse_formula(p, out));
    if (guard != NO_NODE)
        TRY(join(p, is_forall ? NODE_IMPLIES : NODE_AND, guard, *out, out));
    for (uint32_t v = last; v-- > first;)
        TRY(add(p,
                (struct node){ .kind = is_forall ? NODE_FORALL : NODE_EXISTS,
                               .left = *out,
                               .var = { v, 0 } },
                out));
    p->n_scope = scope;
    return PECK_OK;
}

static peck_status parse_quantified(struct parser *p, uint32_t *out)
{
    const bool is_forall = lex_is_word(&p->lex, "forall");
    const uint32_t first = p->n_vars;
    const size_t scope = p->n_scope;

    TRY(deeper(p));
    TRY(parse_next(p));
    TRY(parse_bound(p));
    TRY(parse_body(p, is_forall, first, scope, out));
    p->depth--;
    return PECK_OK;
}
