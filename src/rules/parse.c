/* parse.c -- a line of a rules file: its words and signs, and by recursive descent the
 * clause, the definition or the settings that they make.
 *
 *   line     = [ NAME ":" clause { KEY VALUE }
 *              | "define" NAME "(" NAME {"," NAME} ")" ":=" formula
 *              | "set" { KEY VALUE } ] [ "#" comment ]
 *   clause   = [ "forall" "q" ( {"," NAME} | "|" formula ) ":" ] formula
 *   formula  = or-formulas joined by "iff" and "implies" ("and" binds most, then "or"),
 *              or "if" formula "then" formula
 *   atom     = top(k, d) | before(d, e) | same(d, e) | name(d, ...) | term [< term]
 *   term     = sums and products of numbers and d.feature
 *
 * The whole grammar stands in docs/RULES.md.  Terms and formulas share parentheses, so
 * one parser reads both and each place asks for what it needs.  Every quantifier gets a
 * variable of its own number: names are for people.                                   */
#include "tree.h"

#include "../base/alloc.h"
#include "../base/number.h"

enum {
    QUERY = 0, /* the variable q */
};

enum token_kind {
    TOKEN_END,    /* of the line, or a comment */
    TOKEN_NAME,   /* letters, digits, '_'; also what stands between double quotes */
    TOKEN_NUMBER, /* without a sign */
    TOKEN_SIGN,   /* ( ) , . | : := < <= > >= = != + - * / and signs for words, & => */
};

struct token {
    enum token_kind kind;
    peck_span text;
    bool is_quoted; /* a name that is no word of the language */
    double number;
    struct rule_place at;
};

/* One line at work. */
struct rule_parser {
    struct peck_rules *rules;
    peck_span line;
    struct rule_place at; /* of what comes next */
    struct token now;
    bool is_behind_term; /* a sign before it joins it to a term */
    bool has_term;       /* a term without a comparison ends before it */
    bool
        is_behind_arrow; /* ... and so it was before the => that stands before it, at ... */
    struct rule_place arrow;
    peck_error *err;
    size_t first_node; /* of this line */
    size_t depth;
    uint32_t n_vars;
    peck_span name[MAX_VARS]; /* of variables */
    uint32_t scope[MAX_VARS]; /* variables in scope, the innermost last */
    size_t n_scope;
};

#define COMPLAIN(p, place, ...) complain((p)->rules, place, (p)->err, __VA_ARGS__)

/* Messages -------------------------------------------------------------------------- */

/* A word that nobody knows, with the nearest of known[n], or with advice. */
static peck_status parse_unknown(struct rule_parser *p, const struct token *word,
                                 const char *what, const char *const *known, size_t n,
                                 const char *advice)
{
    char typed[SPAN_SHOWN + 1];

    snprintf(typed, sizeof typed, "%.*s", SPAN_ARGS(word->text));
    const char *const near = peck_nearest(typed, known, n);

    if (near != NULL)
        return COMPLAIN(p, word->at, "unknown %s '%s'; did you mean '%s'?", what, typed,
                        near);
    return COMPLAIN(p, word->at, "unknown %s '%s'; %s", what, typed, advice);
}

/* Words and signs ------------------------------------------------------------------- */

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* Whether a number begins here that leaves out the 0 before its point; d.5 is none. */
static bool is_fraction(const struct rule_parser *p, const char *s)
{
    const char before = s > p->line.s ? s[-1] : ' ';

    return *s == '.' && s + 1 < p->line.s + p->line.n && is_digit(s[1]) &&
           !is_letter(before) && !is_digit(before);
}

static bool is_word(const struct rule_parser *p, const char *word)
{
    return p->now.kind == TOKEN_NAME && !p->now.is_quoted && span_is(p->now.text, word);
}

static bool is_sign(const struct rule_parser *p, const char *sign)
{
    return p->now.kind == TOKEN_SIGN && span_is(p->now.text, sign);
}

/* All six from < and =: a > b is b < a, a <= b is not (b < a), a >= b is not (a < b). */
static const struct comparison {
    const char *sign;
    enum node_kind kind;
    bool is_turned, is_denied;
} comparisons[] = {
    { "<", NODE_LESS, false, false },   { ">", NODE_LESS, true, false },
    { "<=", NODE_LESS, true, true },    { ">=", NODE_LESS, false, true },
    { "=", NODE_EQUAL, false, false },  { "!=", NODE_EQUAL, false, true },
    { "==", NODE_EQUAL, false, false },
};

static const struct comparison *comparison_at(const struct rule_parser *p)
{
    for (size_t i = 0; i < sizeof comparisons / sizeof *comparisons; i++)
        if (is_sign(p, comparisons[i].sign))
            return &comparisons[i];
    return NULL;
}

/* Whether what comes next joins numbers: a comparison, + - * or /. */
static bool joins_terms(const struct rule_parser *p)
{
    return comparison_at(p) != NULL || is_sign(p, "+") || is_sign(p, "-") ||
           is_sign(p, "*") || is_sign(p, "/");
}

/* Moves to the next token. */
static peck_status parse_next(struct rule_parser *p)
{
    static const char *const signs[] = {
        "<=>", "<->", "=>", "->", "&&", "||", "==", ":=", "<=", ">=", "!=", "(", ")",
        ",",   ".",   "|",  ":",  "<",  ">",  "=",  "+",  "-",  "*",  "/",  "&", "!"
    };
    const char *const end = p->line.s + p->line.n, *s = p->line.s + p->at.at;
    struct token *const now = &p->now;
    size_t n = 0, n_quotes = 0;

    p->is_behind_term = joins_terms(p);
    p->is_behind_arrow = p->has_term && is_sign(p, "=>");
    p->arrow = now->at;
    p->has_term = false;
    while (s < end && (*s == ' ' || *s == '\t'))
        s++;
    p->at.at = (uint32_t)(s - p->line.s);
    *now = (struct token){ .kind = TOKEN_END, .at = p->at };
    if (s == end || *s == '#')
        return PECK_OK;
    if (*s == '"') {
        const char *const second = memchr(s + 1, '"', (size_t)(end - s) - 1);

        if (second == NULL || second == s + 1)
            return COMPLAIN(p, p->at, "a name in quotes ends with a second \"");
        now->kind = TOKEN_NAME;
        now->is_quoted = true;
        n = (size_t)(second - s) - 1;
        n_quotes = 2;
    } else if (is_digit(*s) || is_fraction(p, s)) {
        const char *const behind = number_read(s, &now->number);

        if (behind == NULL || behind > end || !isfinite(now->number))
            return COMPLAIN(p, p->at, "that is not a number");
        now->kind = TOKEN_NUMBER;
        n = (size_t)(behind - s);
    } else if (is_letter(*s)) {
        now->kind = TOKEN_NAME;
        while (s + n < end && (is_letter(s[n]) || is_digit(s[n])))
            n++;
    } else {
        now->kind = TOKEN_SIGN;
        for (size_t i = 0; i < sizeof signs / sizeof *signs && n == 0; i++)
            if (strlen(signs[i]) <= (size_t)(end - s) &&
                memcmp(s, signs[i], strlen(signs[i])) == 0)
                n = strlen(signs[i]);
        if (n == 0)
            return COMPLAIN(
                p, p->at,
                "a sign that has no meaning here; put a feature's name in quotes "
                "if it belongs to one");
    }
    now->text = (peck_span){ s + n_quotes / 2, n };
    p->at.at += (uint32_t)(n + n_quotes);
    return PECK_OK;
}

/* Passes over a sign that must be there; `where` ends the sentence if it is not. */
static peck_status parse_sign(struct rule_parser *p, const char *sign, const char *where)
{
    if (!is_sign(p, sign))
        return COMPLAIN(p, p->now.at, "'%s' is missing %s", sign, where);
    return parse_next(p);
}

static bool is_reserved(peck_span name)
{
    static const char *const reserved[] = { "forall",  "exists", "not",    "and",   "or",
                                            "implies", "iff",    "true",   "false", "top",
                                            "before",  "same",   "define", "set",   "if",
                                            "then",    "else" };

    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
        if (span_is(name, reserved[i]))
            return true;
    return false;
}

/* A name for `what`, "a variable": no word of the language. */
static peck_status parse_name(struct rule_parser *p, const char *what, struct token *out)
{
    *out = p->now;
    if (out->kind != TOKEN_NAME || out->is_quoted)
        return COMPLAIN(p, out->at, "the name of %s is missing", what);
    if (is_reserved(out->text))
        return COMPLAIN(p, out->at, "'%.*s' is a word of the language, no name for %s",
                        SPAN_ARGS(out->text), what);
    return parse_next(p);
}

/* Nodes ----------------------------------------------------------------------------- */

static peck_status new_node(struct rule_parser *p, struct node node, uint32_t *out)
{
    *out = tree_add(p->rules, node);
    if (*out == NO_NODE)
        return fail_memory(p->err, "rules", p->rules->n_nodes, sizeof node);
    if (p->rules->n_nodes - p->first_node > MAX_NODES)
        return COMPLAIN(p, p->now.at, "the clause is too long: more than %d parts",
                        MAX_NODES);
    return PECK_OK;
}

static peck_status join_nodes(struct rule_parser *p, enum node_kind kind, uint32_t left,
                              uint32_t right, uint32_t *out)
{
    return new_node(p, (struct node){ .kind = kind, .left = left, .right = right }, out);
}

/* Makes a term that stands alone a soft truth value. */
static peck_status as_formula(struct rule_parser *p, uint32_t *node)
{
    return is_term(p->rules->node[*node].kind) ? join_nodes(p, NODE_SOFT, *node, 0, node)
                                               : PECK_OK;
}

static peck_status as_term(struct rule_parser *p, uint32_t node, struct rule_place at)
{
    if (!is_term(p->rules->node[node].kind))
        return COMPLAIN(p, at, "a number is needed here, not a statement");
    return PECK_OK;
}

static peck_status go_deeper(struct rule_parser *p)
{
    if (++p->depth > MAX_DEPTH)
        return COMPLAIN(p, p->now.at, "nested too deep: more than %d levels", MAX_DEPTH);
    return PECK_OK;
}

/* Variables ------------------------------------------------------------------------- */

/* A variable that comes into scope. */
static peck_status parse_open_var(struct rule_parser *p, const struct token *name,
                                  uint32_t *var)
{
    if (p->n_vars == MAX_VARS)
        return COMPLAIN(p, name->at, "more than %d variables", MAX_VARS - 1);
    *var = p->n_vars++;
    p->name[*var] = name->text;
    p->scope[p->n_scope++] = *var;
    return PECK_OK;
}

static peck_status find_var(struct rule_parser *p, const struct token *name, uint32_t *var)
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
static peck_status parse_var(struct rule_parser *p, uint32_t *var)
{
    struct token name;

    TRY(parse_name(p, "a document", &name));
    TRY(find_var(p, &name, var));
    if (*var == QUERY)
        return COMPLAIN(p, name.at, "q is the query; a document is needed here");
    return PECK_OK;
}

/* Quantifiers ----------------------------------------------------------------------- */

static peck_status parse_connected(struct rule_parser *p, size_t level, uint32_t *out);

/* Whoever needs a term calls parse_connected, which reads both. */
static peck_status parse_formula(struct rule_parser *p, uint32_t *out)
{
    TRY(parse_connected(p, 0, out));
    return as_formula(p, out);
}

/* "d, e": variables from here on. */
static peck_status parse_bound(struct rule_parser *p)
{
    struct token name;
    uint32_t var;

    do {
        if (is_sign(p, ","))
            TRY(parse_next(p));
        TRY(parse_name(p, "a document", &name));
        if (span_is(name.text, "q"))
            return COMPLAIN(p, name.at,
                            "q is the query: say \"forall q\" once, at the beginning");
        TRY(parse_open_var(p, &name, &var));
    } while (is_sign(p, ","));
    return PECK_OK;
}

/* "[| guard] : body" for the variables from `first` on, which then leave the scope. */
static peck_status parse_body(struct rule_parser *p, bool is_forall, uint32_t first,
                              size_t scope, uint32_t *out)
{
    const uint32_t last = p->n_vars;
    uint32_t guard = NO_NODE;

    if (is_sign(p, "|")) {
        TRY(parse_next(p));
        TRY(parse_formula(p, &guard));
    }
    TRY(parse_sign(p, ":", "after the quantified variables"));
    TRY(parse_formula(p, out));
    if (guard != NO_NODE)
        TRY(join_nodes(p, is_forall ? NODE_IMPLIES : NODE_AND, guard, *out, out));
    for (uint32_t v = last; v-- > first;)
        TRY(new_node(p,
                     (struct node){ .kind = is_forall ? NODE_FORALL : NODE_EXISTS,
                                    .left = *out,
                                    .var = { v, 0 } },
                     out));
    p->n_scope = scope;
    return PECK_OK;
}

static peck_status parse_quantified(struct rule_parser *p, uint32_t *out)
{
    const bool is_forall = is_word(p, "forall");
    const uint32_t first = p->n_vars;
    const size_t scope = p->n_scope;

    TRY(go_deeper(p));
    TRY(parse_next(p));
    TRY(parse_bound(p));
    TRY(parse_body(p, is_forall, first, scope, out));
    p->depth--;
    return PECK_OK;
}

/* "if a then b" is "a implies b"; b reaches as far as a quantifier's body does. */
static peck_status parse_if(struct rule_parser *p, uint32_t *out)
{
    uint32_t then;

    TRY(go_deeper(p));
    TRY(parse_next(p));
    TRY(parse_formula(p, out));
    if (!is_word(p, "then"))
        return COMPLAIN(p, p->now.at, "'then' is missing: if ... then ...");
    TRY(parse_next(p));
    TRY(parse_formula(p, &then));
    if (is_word(p, "else"))
        return COMPLAIN(p, p->now.at,
                        "there is no else; say what holds otherwise in a second rule");
    p->depth--;
    return join_nodes(p, NODE_IMPLIES, *out, then, out);
}

/* Atoms ----------------------------------------------------------------------------- */

/* top(k, d), before(d, e) or same(d, e), behind its name. */
static peck_status parse_predicate(struct rule_parser *p, enum node_kind kind,
                                   uint32_t *out)
{
    const bool is_top = kind == NODE_TOP;
    struct node n = { .kind = kind };

    TRY(parse_next(p));
    TRY(parse_sign(p, "(", is_top ? "after top: top(3, d)" : "before the two documents"));
    if (is_top) {
        n.number = p->now.number;
        if (p->now.kind != TOKEN_NUMBER || n.number < 1 || n.number != floor(n.number))
            return COMPLAIN(p, p->now.at, "top(k, d) needs a whole number from 1 on");
        TRY(parse_next(p));
    } else {
        TRY(parse_var(p, &n.var[0]));
    }
    TRY(parse_sign(p, ",",
                   is_top ? "between number and document" : "between the two documents"));
    TRY(parse_var(p, &n.var[!is_top]));
    TRY(parse_sign(p, ")", is_top ? "after top(k, d" : "after the two documents"));
    if (!is_top && n.var[0] == n.var[1])
        n.kind = kind == NODE_SAME ? NODE_TRUE : NODE_FALSE;
    return new_node(p, n, out);
}

/* name(d, e): the definition written out with its variables. */
static peck_status parse_defined(struct rule_parser *p, const struct token *name,
                                 uint32_t *out)
{
    const struct peck_rules *const r = p->rules;
    const char *known[MAX_DEFINITIONS + 3] = { "top", "before", "same" };
    char text[MAX_DEFINITIONS][SPAN_SHOWN + 1];
    uint32_t var[MAX_VARS];
    size_t at = 0;

    for (; at < r->n_definitions && !span_equal(r->definition[at].name, name->text); at++) {
        snprintf(text[at], sizeof text[at], "%.*s", SPAN_ARGS(r->definition[at].name));
        known[at + 3] = text[at];
    }
    if (at == r->n_definitions)
        return parse_unknown(p, name, "predicate", known, at + 3,
                             "define it on a line above");
    const struct definition d = r->definition[at]; /* the list may move */

    for (size_t i = 0; i < MAX_VARS; i++)
        var[i] = i == QUERY ? QUERY : NO_NODE;
    TRY(parse_sign(p, "(", "after the predicate"));
    for (uint32_t i = 0; i < d.n_params; i++) {
        if (i > 0 && is_sign(p, ")"))
            return COMPLAIN(p, p->now.at, "'%.*s' takes %u documents, not %u",
                            SPAN_ARGS(d.name), d.n_params, i);
        if (i > 0)
            TRY(parse_sign(p, ",", "between two variables"));
        if (d.is_query[i] && !is_word(p, "q"))
            return COMPLAIN(p, p->now.at, "'%.*s' takes the query q here",
                            SPAN_ARGS(d.name));
        if (d.is_query[i])
            TRY(parse_next(p));
        else
            TRY(parse_var(p, &var[i + 1]));
    }
    if (is_sign(p, ","))
        return COMPLAIN(p, p->now.at, "'%.*s' takes %u document%s, not more",
                        SPAN_ARGS(d.name), d.n_params, d.n_params == 1 ? "" : "s");
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
static peck_status parse_feature(struct rule_parser *p, const struct token *of,
                                 uint32_t *out)
{
    struct peck_rules *const r = p->rules;
    struct node feature = { .kind = NODE_FEATURE, .mention = (uint32_t)r->n_mentions };

    TRY(find_var(p, of, &feature.var[0]));
    TRY(parse_next(p));
    const struct token name = p->now;

    if (name.kind != TOKEN_NAME)
        return COMPLAIN(p, name.at, "the name of a feature is missing after the point");
    if (!mem_reserve(&r->mention, &r->cap_mentions, r->n_mentions + 1, sizeof *r->mention))
        return fail_memory(p->err, "rules", r->n_mentions, sizeof *r->mention);
    r->mention[r->n_mentions++] =
        (struct mention){ name.text, feature.var[0] == QUERY, name.at };
    TRY(parse_next(p));
    return new_node(p, feature, out);
}

static peck_status parse_primary(struct rule_parser *p, uint32_t *out)
{
    static const char *const starts[] = { "forall", "exists", "not",  "true", "false",
                                          "top",    "before", "same", "if" };
    const bool is_true = is_word(p, "true"), is_behind_term = p->is_behind_term;
    const struct token name = p->now;

    if (is_sign(p, "(")) {
        TRY(go_deeper(p));
        TRY(parse_next(p));
        TRY(parse_connected(p, 0, out));
        TRY(parse_sign(p, ")", "at the end of what '(' began"));
        p->depth--;
        return PECK_OK;
    }
    if (name.kind == TOKEN_END)
        return COMPLAIN(p, name.at,
                        "the clause breaks off: it stands on one line, as long as it is");
    if (name.kind != TOKEN_NUMBER && (name.kind != TOKEN_NAME || name.is_quoted))
        return COMPLAIN(p, name.at, "a statement or a number is missing here");
    if (is_word(p, "forall") || is_word(p, "exists"))
        return parse_quantified(p, out);
    if (is_word(p, "if"))
        return parse_if(p, out);
    if (is_word(p, "top"))
        return parse_predicate(p, NODE_TOP, out);
    if (is_word(p, "before"))
        return parse_predicate(p, NODE_BEFORE, out);
    if (is_word(p, "same"))
        return parse_predicate(p, NODE_SAME, out);
    TRY(parse_next(p));
    if (name.kind == TOKEN_NUMBER)
        return new_node(p, (struct node){ .kind = NODE_NUMBER, .number = name.number },
                        out);
    if (is_true || span_is(name.text, "false"))
        return new_node(p, (struct node){ .kind = is_true ? NODE_TRUE : NODE_FALSE }, out);
    /* A name that is no word of the language: a predicate of one's own or d.feature. */
    if (is_sign(p, "("))
        return parse_defined(p, &name, out);
    if (is_sign(p, "."))
        return parse_feature(p, &name, out);
    for (size_t i = 0; i < p->n_scope; i++)
        if (span_equal(p->name[p->scope[i]], name.text))
            return COMPLAIN(p, p->now.at, "'%.*s' alone says nothing; write %.*s.feature",
                            SPAN_ARGS(name.text), SPAN_ARGS(name.text));
    if (is_behind_term || joins_terms(p)) { /* a number is meant, and no word is one */
        const uint32_t var = p->scope[p->n_scope - 1];

        if (is_reserved(name.text))
            return COMPLAIN(p, name.at, "a number is needed here, not '%.*s'",
                            SPAN_ARGS(name.text));
        if (var == QUERY)
            return COMPLAIN(p, name.at,
                            "unknown word '%.*s'; a feature is written q.%.*s, or d.%.*s "
                            "behind forall d :",
                            SPAN_ARGS(name.text), SPAN_ARGS(name.text),
                            SPAN_ARGS(name.text));
        return COMPLAIN(p, name.at, "unknown word '%.*s'; a feature is written %.*s.%.*s",
                        SPAN_ARGS(name.text), SPAN_ARGS(p->name[var]),
                        SPAN_ARGS(name.text));
    }
    return parse_unknown(p, &name, "word", starts, sizeof starts / sizeof *starts,
                         "a statement begins with a predicate or d.feature");
}

/* Terms and comparisons ------------------------------------------------------------- */

static peck_status parse_signed(struct rule_parser *p, uint32_t *out)
{
    if (!is_sign(p, "-"))
        return parse_primary(p, out);
    TRY(go_deeper(p));
    TRY(parse_next(p));
    const struct rule_place at = p->now.at;

    TRY(parse_signed(p, out));
    TRY(as_term(p, *out, at));
    p->depth--;
    return join_nodes(p, NODE_NEG, *out, 0, out);
}

/* One level of + - or * /. */
static peck_status parse_sum(struct rule_parser *p, bool is_product, uint32_t *out)
{
    const char *const first = is_product ? "*" : "+", *const second =
                                                          is_product ? "/" : "-";
    const enum node_kind kind = is_product ? NODE_MUL : NODE_ADD;
    const struct rule_place at = p->now.at;
    uint32_t right;

    TRY(is_product ? parse_signed(p, out) : parse_sum(p, true, out));
    while (is_sign(p, first) || is_sign(p, second)) {
        const bool is_second = is_sign(p, second);

        TRY(as_term(p, *out, at));
        TRY(parse_next(p));
        const struct rule_place there = p->now.at;

        TRY(is_product ? parse_signed(p, &right) : parse_sum(p, true, &right));
        TRY(as_term(p, right, there));
        TRY(join_nodes(p, (enum node_kind)(kind + is_second), *out, right, out));
    }
    return PECK_OK;
}

static peck_status parse_comparison(struct rule_parser *p, uint32_t *out)
{
    const struct rule_place at = p->now.at, arrow = p->arrow;
    const bool is_behind_arrow = p->is_behind_arrow;
    uint32_t right;

    TRY(parse_sum(p, false, out));
    const struct comparison *const c = comparison_at(p);

    p->has_term = c == NULL && is_term(p->rules->node[*out].kind);
    if (p->has_term && is_behind_arrow)
        return COMPLAIN(p, arrow,
                        "between two numbers '=>' may be >= or implies; say which");
    if (c == NULL)
        return PECK_OK;
    TRY(as_term(p, *out, at));
    TRY(parse_next(p));
    const struct rule_place there = p->now.at;

    TRY(parse_sum(p, false, &right));
    TRY(as_term(p, right, there));
    if (comparison_at(p) != NULL)
        return COMPLAIN(p, p->now.at, "one comparison at a time: a < b and b < c");
    TRY(join_nodes(p, c->kind, c->is_turned ? right : *out, c->is_turned ? *out : right,
                   out));
    return c->is_denied ? join_nodes(p, NODE_NOT, *out, 0, out) : PECK_OK;
}

/* Formulas -------------------------------------------------------------------------- */

static peck_status parse_not(struct rule_parser *p, uint32_t *out)
{
    if (!is_word(p, "not") && !is_sign(p, "!"))
        return parse_comparison(p, out);
    TRY(go_deeper(p));
    TRY(parse_next(p));
    TRY(parse_not(p, out));
    TRY(as_formula(p, out));
    p->depth--;
    return join_nodes(p, NODE_NOT, *out, 0, out);
}

/* From what binds least to what binds most, with the signs of other languages.  The "|"
 * behind quantified variables is read before any formula begins, so no place has two. */
static const struct connective {
    const char *word, *sign[2];
    enum node_kind kind;
} connectives[] = { { "iff", { "<=>", "<->" }, NODE_IFF },
                    { "implies", { "=>", "->" }, NODE_IMPLIES },
                    { "or", { "|", "||" }, NODE_OR },
                    { "and", { "&", "&&" }, NODE_AND } };
enum { N_CONNECTIVES = 4 };

static bool is_connective(const struct rule_parser *p, const struct connective *c)
{
    return is_word(p, c->word) || is_sign(p, c->sign[0]) || is_sign(p, c->sign[1]);
}

static peck_status parse_connected(struct rule_parser *p, size_t level, uint32_t *out)
{
    uint32_t right;

    if (level == N_CONNECTIVES)
        return parse_not(p, out);
    const struct connective *const c = &connectives[level];
    const bool is_right = c->kind == NODE_IMPLIES; /* a implies (b implies c) */

    TRY(parse_connected(p, level + 1, out));
    while (is_connective(p, c)) {
        TRY(as_formula(p, out));
        TRY(go_deeper(p));
        TRY(parse_next(p));
        TRY(parse_connected(p, is_right ? level : level + 1, &right));
        TRY(as_formula(p, &right));
        TRY(join_nodes(p, c->kind, *out, right, out));
        p->depth--;
    }
    return PECK_OK;
}

/* Lines ----------------------------------------------------------------------------- */

static const struct param *row_of(peck_span key)
{
    const struct param *row = rule_params;

    while (!span_is(key, row->key))
        row++;
    return row;
}

/* "sigma 0.3 weight=2", to the end of the line. */
static peck_status parse_settings(struct rule_parser *p, struct rule_config *config,
                                  const char *const *other, size_t n_other)
{
    const char *known[32];
    size_t n = 0;

    for (; n < n_other; n++)
        known[n] = other[n];
    for (const struct param *row = rule_params; row->type != PARAM_END; row++)
        known[n++] = row->key;
    while (p->now.kind != TOKEN_END) {
        const struct token key = p->now;
        peck_error why = { PECK_OK, "" };
        bool is_known = false;

        for (size_t i = n_other; i < n; i++)
            is_known |= is_word(p, known[i]);
        if (key.kind != TOKEN_NAME)
            return COMPLAIN(p, key.at, "the clause should end here");
        if (is_word(p, "then") || is_word(p, "else"))
            return COMPLAIN(p, key.at, "there is no 'if' before this '%.*s'",
                            SPAN_ARGS(key.text));
        if (!is_known)
            return parse_unknown(p, &key, "word", known, n, "the clause should end here");
        TRY(parse_next(p));
        if (is_sign(p, "=")) /* as settings are written elsewhere */
            TRY(parse_next(p));
        const struct token value = p->now;

        if (is_sign(p, "-")) /* no setting goes below 0 */
            return COMPLAIN(p, value.at, "%.*s cannot be below 0; it may be %s",
                            SPAN_ARGS(key.text), row_of(key.text)->allowed);
        if (value.kind != TOKEN_NAME && value.kind != TOKEN_NUMBER)
            return COMPLAIN(p, value.at, "the value of %.*s is missing; it may be %s",
                            SPAN_ARGS(key.text), row_of(key.text)->allowed);
        if (param_set(rule_params, config, "rules", key.text, value.text, &why) != PECK_OK)
            return COMPLAIN(p, value.at, "%.150s", why.text + strlen("rules: "));
        TRY(parse_next(p));
    }
    return PECK_OK;
}

/* "forall q [, d] [| guard] :", which may be left out, and what follows. */
static peck_status parse_clause(struct rule_parser *p, struct rule *rule)
{
    const struct rule_parser back = *p;

    rule->guard = NO_NODE;
    if (!is_word(p, "forall"))
        return parse_formula(p, &rule->root);
    TRY(parse_next(p));
    if (p->now.kind != TOKEN_NAME || !span_is(p->now.text, "q")) {
        *p = back;
        return parse_formula(p, &rule->root);
    }
    TRY(parse_next(p));
    if (is_sign(p, ",")) {
        TRY(parse_bound(p));
        return parse_body(p, true, QUERY + 1, p->n_scope, &rule->root);
    }
    if (is_sign(p, "|")) { /* which queries the rule is about, by their features alone */
        TRY(parse_next(p));
        const struct rule_place at = p->now.at;

        TRY(parse_formula(p, &rule->guard));
        rule->guard_text =
            span_trim((peck_span){ p->line.s + at.at, p->now.at.at - at.at });
        if (tree_has(p->rules, rule->guard, NODE_TOP, NODE_BEFORE))
            return COMPLAIN(p, at,
                            "which queries a rule is about cannot depend on the ranking; "
                            "use implies");
    }
    TRY(parse_sign(p, ":", "after forall q"));
    return parse_formula(p, &rule->root);
}

static peck_status parse_rule(struct rule_parser *p, const struct token *name,
                              const struct rule_config *now)
{
    static const char *const connecting[] = { "and", "or", "implies", "iff" };
    struct peck_rules *const r = p->rules;
    struct rule rule = { .name = name->text, .at = name->at, .config = *now };

    for (size_t i = 0; i < r->n_rules; i++)
        if (span_equal(r->rule[i].name, name->text))
            return COMPLAIN(p, name->at, "there is a rule '%.*s' already, in line %u",
                            SPAN_ARGS(name->text), r->rule[i].at.line);
    if (r->n_rules == MAX_RULES)
        return COMPLAIN(p, name->at, "more than %d rules", MAX_RULES);
    TRY(parse_clause(p, &rule));
    TRY(parse_settings(p, &rule.config, connecting, 4));
    rule.n_vars = p->n_vars;
    memcpy(rule.var_name, p->name, sizeof rule.var_name);
    if (!mem_reserve(&r->rule, &r->cap_rules, r->n_rules + 1, sizeof *r->rule))
        return fail_memory(p->err, "rules", r->n_rules + 1, sizeof *r->rule);
    r->rule[r->n_rules] = rule;
    TRY(rule_to_prenex(r, &r->rule[r->n_rules], p->err));
    TRY(rule_tabulate(r, &r->rule[r->n_rules], p->err));
    r->n_rules++;
    return PECK_OK;
}

static peck_status parse_definition(struct rule_parser *p)
{
    struct peck_rules *const r = p->rules;
    struct definition d = { 0 };
    struct token name;
    uint32_t var;

    TRY(parse_name(p, "a predicate", &name));
    d.name = name.text;
    for (size_t i = 0; i < r->n_definitions; i++)
        if (span_equal(r->definition[i].name, name.text))
            return COMPLAIN(p, name.at, "'%.*s' is defined already", SPAN_ARGS(name.text));
    if (r->n_definitions == MAX_DEFINITIONS)
        return COMPLAIN(p, name.at, "more than %d definitions", MAX_DEFINITIONS);
    TRY(parse_sign(p, "(", "after the name: define sporty(d) := ..."));
    do {
        if (d.n_params > 0)
            TRY(parse_next(p));
        TRY(parse_name(p, "a variable", &name));
        d.is_query[d.n_params++] = span_is(name.text, "q");
        TRY(parse_open_var(p, &name, &var));
        if (span_is(name.text, "q")) /* whatever its place, it is the query */
            p->n_scope--;
    } while (is_sign(p, ","));
    TRY(parse_sign(p, ")", "after the variables"));
    TRY(parse_sign(p, ":=", "before what it stands for"));
    TRY(parse_formula(p, &d.body));
    if (p->now.kind != TOKEN_END)
        return COMPLAIN(p, p->now.at, "the definition should end here");
    d.n_vars = p->n_vars;
    if (!mem_reserve(&r->definition, &r->cap_definitions, r->n_definitions + 1, sizeof d))
        return fail_memory(p->err, "rules", r->n_definitions + 1, sizeof d);
    r->definition[r->n_definitions++] = d;
    return PECK_OK;
}

peck_status parse_line(struct peck_rules *r, uint32_t line, struct rule_config *now,
                       peck_error *err)
{
    struct rule_parser p = { .rules = r,
                             .line = r->line[line - 1],
                             .at = { line, 0 },
                             .err = err,
                             .first_node = r->n_nodes,
                             .n_vars = 1,
                             .name = { { "q", 1 } },
                             .n_scope = 1 };

    if (p.line.n > MAX_RULE_LINE)
        return complain(r, (struct rule_place){ line, MAX_RULE_LINE }, err,
                        "a line of more than %d bytes", MAX_RULE_LINE);
    TRY(parse_next(&p));
    const struct token first = p.now;

    if (first.kind == TOKEN_END)
        return PECK_OK;
    if (first.kind != TOKEN_NAME || first.is_quoted)
        return complain(r, first.at, err,
                        "a line begins with a name: \"sport: forall ...\"");
    TRY(parse_next(&p));
    if (is_sign(&p, ":")) {
        TRY(parse_next(&p));
        return parse_rule(&p, &first, now);
    }
    if (span_is(first.text, "define"))
        return parse_definition(&p);
    if (span_is(first.text, "set"))
        return parse_settings(&p, now, NULL, 0);
    if (is_reserved(first.text))
        return complain(r, first.at, err,
                        "a clause stands on one line and begins with a name: \"sport: %.*s "
                        "...\"",
                        SPAN_ARGS(first.text));
    return complain(r, p.now.at, err,
                    "':' is missing after the name of the rule (or say define, or set)");
}
