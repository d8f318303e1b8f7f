/* lex.h -- inside the rules room: one line of a rules file as words and signs. */
#ifndef LEX_H
#define LEX_H

#include "tree.h"

enum token_kind {
    TOKEN_END,    /* of the line, or a comment */
    TOKEN_NAME,   /* letters, digits, '_'; also what stands between double quotes */
    TOKEN_NUMBER, /* without a sign */
    TOKEN_SIGN,   /* ( ) , . | : := < <= > >= = != + - * / */
};

struct token {
    enum token_kind kind;
    peck_span text;
    bool is_quoted; /* a name that is no word of the language */
    double number;
    struct place at;
};

/* Where the reading of a line is. */
struct lexer {
    const struct peck_rules *rules;
    peck_span line;
    struct place at; /* of what comes next */
    struct token now;
};

/* Moves to the next token. */
MUST_CHECK peck_status lex_next(struct lexer *l, peck_error *err);
bool lex_is_word(const struct lexer *l, const char *word);
bool lex_is_sign(const struct lexer *l, const char *sign);

#endif
