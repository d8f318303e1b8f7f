/* parser.h -- inside the rules room: what the readers of lines and of formulas share. */
#ifndef PARSER_H
#define PARSER_H

#include "lex.h"

enum { QUERY = 0 }; /* the variable q */

/* One line at work. */
struct parser {
    struct peck_rules *rules;
    struct lexer lex;
    peck_error *err;
    size_t first_node; /* of this line */
    size_t depth;
    uint32_t n_vars;
    peck_span name[MAX_VARS]; /* of variables */
    uint32_t scope[MAX_VARS]; /* variables in scope, the innermost last */
    size_t n_scope;
};

#define COMPLAIN(p, place, ...) complain((p)->rules, place, (p)->err, __VA_ARGS__)

MUST_CHECK peck_status parse_next(struct parser *p);
/* Passes over a sign that must be there; `where` ends the sentence if it is not. */
MUST_CHECK peck_status parse_sign(struct parser *p, const char *sign, const char *where);
/* A name for `what`, "a rule": no word of the language. */
MUST_CHECK peck_status parse_name(struct parser *p, const char *what, struct token *out);
/* Complains of a word that nobody knows, with the nearest of known[n], or with advice. */
peck_status parse_unknown(struct parser *p, const struct token *word, const char *what,
                          const char *const *known, size_t n, const char *advice);

/* A variable that comes into scope. */
MUST_CHECK peck_status parse_open_var(struct parser *p, const struct token *name,
                                      uint32_t *var);
/* "d, e": variables from here on. */
MUST_CHECK peck_status parse_bound(struct parser *p);
/* "[| guard] : body" for the variables from `first` on, which then leave the scope. */
MUST_CHECK peck_status parse_body(struct parser *p, bool is_forall, uint32_t first,
                                  size_t scope, uint32_t *out);
MUST_CHECK peck_status parse_formula(struct parser *p, uint32_t *out);

#endif
