/* complain.c -- what is wrong with rules: the place, a sentence, the line and a caret below it. */
#include "tree.h"

#include <stdarg.h>

enum { SHOWN = 90 }; /* bytes of a line that a message repeats */

/* Later bytes of a character in UTF-8 take no column. */
static bool starts_character(char c)
{
    return ((unsigned char)c & 0xC0) != 0x80;
}

static size_t count_characters(peck_span text, size_t bytes)
{
    size_t n = 0;

    for (size_t i = 0; i < bytes && i < text.n; i++)
        n += starts_character(text.s[i]);
    return n;
}

/* Below the sentence: the line, or the part of it around `at`, and a caret at that place. */
peck_status complain(const struct peck_rules *r, struct rule_place at, peck_error *err,
                     const char *fmt, ...)
{
    const peck_span line = r->line[at.line - 1];
    size_t first = line.n > SHOWN && at.at > SHOWN * 2 / 3 ? at.at - SHOWN * 2 / 3 : 0;
    char what[200];
    peck_error head;
    struct text shown;
    va_list args;

    va_start(args, fmt);
    vsnprintf(what, sizeof what, fmt, args);
    va_end(args);
    fail(&head, PECK_FORMAT, "%.60s:%u:%zu: %s", r->name, at.line,
         count_characters(line, at.at) + 1, what);
    text_init(&shown, sizeof err->text - 2 - strlen(head.text));
    while (first < line.n && !starts_character(line.s[first]))
        first++;
    size_t last = first + SHOWN < line.n ? first + SHOWN : line.n;

    while (last < line.n && !starts_character(line.s[last]))
        last++;
    const peck_span part = { line.s + first, last - first };

    text_printf(&shown, "    %s", first > 0 ? "..." : "");
    for (size_t i = 0; i < part.n; i++)
        text_add(&shown, (unsigned char)part.s[i] < ' ' ? " " : part.s + i, 1);
    text_printf(&shown, "%s\n    %*s^", last < line.n ? "..." : "",
                (int)(count_characters(part, at.at - first) + (first > 0 ? 3 : 0)), "");
    if (shown.failed)
        fail(err, PECK_FORMAT, "%s", head.text);
    else
        fail(err, PECK_FORMAT, "%s\n%s", head.text, shown.s);
    text_free(&shown);
    return PECK_FORMAT;
}
