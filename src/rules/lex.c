/* lex.c -- see lex.h. */
#include "lex.h"

#include "../base/number.h"

#include <stdarg.h>

enum { SHOWN = 90 }; /* bytes of a line that a message repeats */

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* Later bytes of a character in UTF-8 take no column. */
static bool starts_character(char c)
{
    return ((unsigned char)c & 0xC0) != 0x80;
}

static size_t columns(peck_span text, size_t bytes)
{
    size_t n = 0;

    for (size_t i = 0; i < bytes && i < text.n; i++)
        n += starts_character(text.s[i]);
    return n;
}

/* The line, or the part of it around `at`, and a caret below that place. */
static void show(peck_span line, size_t at, struct text *to)
{
    size_t first = at > SHOWN * 2 / 3 ? at - SHOWN * 2 / 3 : 0;

    if (line.n <= SHOWN)
        first = 0;
    while (first < line.n && !starts_character(line.s[first]))
        first++;
    size_t last = first + SHOWN < line.n ? first + SHOWN : line.n;

    while (last < line.n && !starts_character(line.s[last]))
        last++;
    const peck_span part = { line.s + first, last - first };

    text_printf(to, "    %s", first > 0 ? "..." : "");
    for (size_t i = 0; i < part.n; i++)
        text_add(to, (unsigned char)part.s[i] < ' ' ? " " : part.s + i, 1);
    text_printf(to, "%s\n    %*s^", last < line.n ? "..." : "",
                (int)(columns(part, at - first) + (first > 0 ? 3 : 0)), "");
}

peck_status complain(const struct peck_rules *r, struct place at, peck_error *err,
                     const char *fmt, ...)
{
    const peck_span line = r->line[at.line - 1];
    char what[200];
    peck_error head;
    struct text shown;
    va_list args;

    va_start(args, fmt);
    vsnprintf(what, sizeof what, fmt, args);
    va_end(args);
    fail(&head, PECK_FORMAT, "%.60s:%u:%zu: %s", r->name, at.line, columns(line, at.at) + 1,
         what);
    text_init(&shown, sizeof err->text - 2 - strlen(head.text));
    show(line, at.at, &shown);
    if (shown.failed)
        fail(err, PECK_FORMAT, "%s", head.text);
    else
        fail(err, PECK_FORMAT, "%s\n%s", head.text, shown.s);
    text_free(&shown);
    return PECK_FORMAT;
}

bool lex_is_word(const struct lexer *l, const char *word)
{
    return l->now.kind == TOKEN_NAME && !l->now.is_quoted && span_is(l->now.text, word);
}

bool lex_is_sign(const struct lexer *l, const char *sign)
{
    return l->now.kind == TOKEN_SIGN && span_is(l->now.text, sign);
}

static void take(struct lexer *l, enum token_kind kind, size_t n)
{
    l->now.kind = kind;
    l->now.text = (peck_span){ l->line.s + l->at.at, n };
    l->at.at += (uint32_t)n;
}

static peck_status take_quoted(struct lexer *l, peck_error *err)
{
    const char *const s = l->line.s + l->at.at + 1;
    const char *const end = memchr(s, '"', l->line.n - l->at.at - 1);

    if (end == NULL || end == s)
        return complain(l->rules, l->at, err, "a name in quotes ends with a second \"");
    l->now.kind = TOKEN_NAME;
    l->now.is_quoted = true;
    l->now.text = (peck_span){ s, (size_t)(end - s) };
    l->at.at += (uint32_t)(end - s) + 2;
    return PECK_OK;
}

static peck_status take_number(struct lexer *l, peck_error *err)
{
    const char *const s = l->line.s + l->at.at;
    const char *const end = number_read(s, &l->now.number);

    if (end == NULL || end > l->line.s + l->line.n || !isfinite(l->now.number))
        return complain(l->rules, l->at, err, "that is no number");
    take(l, TOKEN_NUMBER, (size_t)(end - s));
    return PECK_OK;
}

static peck_status take_sign(struct lexer *l, peck_error *err)
{
    static const char *const signs[] = { ":=", "<=", ">=", "!=", "(", ")", ",", ".", "|",
                                         ":",  "<",  ">",  "=",  "+", "-", "*", "/" };
    const char *const s = l->line.s + l->at.at;
    const size_t left = l->line.n - l->at.at;

    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        const size_t n = strlen(signs[i]);

        if (n <= left && memcmp(s, signs[i], n) == 0) {
            take(l, TOKEN_SIGN, n);
            return PECK_OK;
        }
    }
    return complain(l->rules, l->at, err,
                    "a sign that has no meaning here; put a feature's name in quotes "
                    "if it belongs to one");
}

peck_status lex_next(struct lexer *l, peck_error *err)
{
    const char *const s = l->line.s;
    size_t n = 0;

    while (l->at.at < l->line.n && (s[l->at.at] == ' ' || s[l->at.at] == '\t'))
        l->at.at++;
    l->now = (struct token){ .kind = TOKEN_END, .at = l->at };
    if (l->at.at == l->line.n || s[l->at.at] == '#')
        return PECK_OK;
    const char first = s[l->at.at];

    if (first == '"')
        return take_quoted(l, err);
    if (is_digit(first))
        return take_number(l, err);
    if (!is_letter(first))
        return take_sign(l, err);
    while (l->at.at + n < l->line.n &&
           (is_letter(s[l->at.at + n]) || is_digit(s[l->at.at + n])))
        n++;
    take(l, TOKEN_NAME, n);
    return PECK_OK;
}
