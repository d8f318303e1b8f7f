/* parse.c -- one line of a rules file: a clause, a definition or settings.
 *
 *   line   = [ NAME ":" clause { KEY VALUE }
 *            | "define" NAME "(" NAME {"," NAME} ")" ":=" formula
 *            | "set" { KEY VALUE } ] [ "#" comment ]
 *   clause = [ "forall" "q" ( {"," NAME} | "|" formula ) ":" ] formula               */
#include "parser.h"

#include "../base/alloc.h"

/* Behind "forall q |": which queries the rule is about, by their features alone. */
static peck_status parse_query_guard(struct parser *p, struct rule *rule)
{
    TRY(parse_next(p));
    const struct place at = p->lex.now.at;

    TRY(parse_formula(p, &rule->guard));
    rule->guard_text =
        span_trim((peck_span){ p->lex.line.s + at.at, p->lex.now.at.at - at.at });
    if (tree_has(p->rules, rule->guard, NODE_TOP, NODE_BEFORE))
        return COMPLAIN(p, at,
                        "which queries a rule is about cannot depend on the ranking; "
                        "use implies");
    return PECK_OK;
}

/* "forall q [, d] [| guard] :", which may be left out, and what follows. */
static peck_status parse_clause(struct parser *p, struct rule *rule)
{
    struct token name;

    rule->guard = NO_NODE;
    if (!lex_is_word(&p->lex, "forall"))
        return parse_formula(p, &rule->root);
    const struct lexer back = p->lex;

    TRY(parse_next(p));
    name = p->lex.now;
    if (name.kind != TOKEN_NAME || !span_is(name.text, "q")) {
        p->lex = back;
        return parse_formula(p, &rule->root);
    }
    TRY(parse_next(p));
    if (lex_is_sign(&p->lex, ",")) {
        TRY(parse_bound(p));
        return parse_body(p, true, QUERY + 1, p->n_scope, &rule->root);
    }
    if (lex_is_sign(&p->lex, "|"))
        TRY(parse_query_guard(p, rule));
    TRY(parse_sign(p, ":", "after forall q"));
    return parse_formula(p, &rule->root);
}

/* Settings -------------------------------------------------------------------------- */

/* "sigma 0.3 weight 2", to the end of the line. */
static peck_status parse_settings(struct parser *p, struct rule_config *config,
                                  const char *const *other, size_t n_other)
{
    const char *known[32];
    size_t n = 0;

    for (; n < n_other; n++)
        known[n] = other[n];
    for (const struct param *row = rule_params; row->type != PARAM_END; row++)
        known[n++] = row->key;
    while (p->lex.now.kind != TOKEN_END) {
        const struct token key = p->lex.now;
        peck_error why = { PECK_OK, "" };
        bool is_known = false;

        for (size_t i = n_other; i < n; i++)
            is_known |= lex_is_word(&p->lex, known[i]);
        if (key.kind != TOKEN_NAME)
            return COMPLAIN(p, key.at, "the clause should end here");
        if (!is_known)
            return parse_unknown(p, &key, "word", known, n, "the clause should end here");
        TRY(parse_next(p));
        const struct token value = p->lex.now;

        if (value.kind != TOKEN_NAME && value.kind != TOKEN_NUMBER)
            return COMPLAIN(p, value.at, "the value of %.*s is missing",
                            SPAN_ARGS(key.text));
        if (param_set(rule_params, config, "rules", key.text, value.text, &why) != PECK_OK)
            return COMPLAIN(p, value.at, "%.150s", why.text + strlen("rules: "));
        TRY(parse_next(p));
    }
    return PECK_OK;
}

/* Lines ----------------------------------------------------------------------------- */

static peck_status parse_rule(struct parser *p, const struct token *name,
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

static peck_status parse_params(struct parser *p, struct definition *d)
{
    struct token name;
    uint32_t var;

    TRY(parse_sign(p, "(", "after the name: define sporty(d) := ..."));
    do {
        if (d->n_params > 0)
            TRY(parse_next(p));
        TRY(parse_name(p, "a variable", &name));
        d->is_query[d->n_params++] = span_is(name.text, "q");
        TRY(parse_open_var(p, &name, &var));
        if (span_is(name.text, "q")) /* whatever its place, it is the query */
            p->n_scope--;
    } while (lex_is_sign(&p->lex, ","));
    TRY(parse_sign(p, ")", "after the variables"));
    return parse_sign(p, ":=", "before what it stands for");
}

static peck_status parse_definition(struct parser *p)
{
    struct peck_rules *const r = p->rules;
    struct definition d = { 0 };
    struct token name;

    TRY(parse_name(p, "a predicate", &name));
    d.name = name.text;
    for (size_t i = 0; i < r->n_definitions; i++)
        if (span_equal(r->definition[i].name, name.text))
            return COMPLAIN(p, name.at, "'%.*s' is defined already", SPAN_ARGS(name.text));
    if (r->n_definitions == MAX_DEFINITIONS)
        return COMPLAIN(p, name.at, "more than %d definitions", MAX_DEFINITIONS);
    TRY(parse_params(p, &d));
    TRY(parse_formula(p, &d.body));
    if (p->lex.now.kind != TOKEN_END)
        return COMPLAIN(p, p->lex.now.at, "the definition should end here");
    d.n_vars = p->n_vars;
    if (!mem_reserve(&r->definition, &r->cap_definitions, r->n_definitions + 1, sizeof d))
        return fail_memory(p->err, "rules", r->n_definitions + 1, sizeof d);
    r->definition[r->n_definitions++] = d;
    return PECK_OK;
}

peck_status parse_line(struct peck_rules *r, uint32_t line, struct rule_config *now,
                       peck_error *err)
{
    struct parser p = { .rules = r,
                        .lex = { r, r->line[line - 1], { line, 0 }, { 0 } },
                        .err = err,
                        .first_node = r->n_nodes,
                        .n_vars = 1,
                        .name = { { "q", 1 } },
                        .n_scope = 1 };

    if (p.lex.line.n > MAX_RULE_LINE)
        return complain(r, (struct place){ line, MAX_RULE_LINE }, err,
                        "a line of more than %d bytes", MAX_RULE_LINE);
    TRY(parse_next(&p));
    const struct token first = p.lex.now;

    if (first.kind == TOKEN_END)
        return PECK_OK;
    if (first.kind != TOKEN_NAME || first.is_quoted)
        return complain(r, first.at, err,
                        "a line begins with a name: \"sport: forall ...\"");
    TRY(parse_next(&p));
    if (lex_is_sign(&p.lex, ":")) {
        TRY(parse_next(&p));
        return parse_rule(&p, &first, now);
    }
    if (span_is(first.text, "define"))
        return parse_definition(&p);
    if (span_is(first.text, "set"))
        return parse_settings(&p, now, NULL, 0);
    return complain(r, p.lex.now.at, err,
                    "':' is missing after the name of the rule (or say define, or set)");
}
