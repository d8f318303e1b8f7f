/* view.h -- the only types that travel the whole corridor: views into somebody's
 * memory, borrowed, never freed.                                              */
#ifndef VIEW_H
#define VIEW_H

#include "peck.h"

#include <stdbool.h>
#include <string.h>

/* n rows of dim floats, `stride` floats from one row to the next. */
struct rows {
    const float *x;
    size_t n, dim, stride;
};

static inline peck_span span_of(const char *s)
{
    return (peck_span){ s, strlen(s) };
}

static inline bool span_equal(peck_span a, peck_span b)
{
    return a.n == b.n && (a.n == 0 || memcmp(a.s, b.s, a.n) == 0);
}

static inline bool span_is(peck_span a, const char *s)
{
    return span_equal(a, span_of(s));
}

static inline bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Without the blanks (space, tab, CR) around it. */
static inline peck_span span_trim(peck_span a)
{
    while (a.n > 0 && (*a.s == ' ' || *a.s == '\t' || *a.s == '\r'))
        a.s++, a.n--;
    while (a.n > 0 && (a.s[a.n - 1] == ' ' || a.s[a.n - 1] == '\t' || a.s[a.n - 1] == '\r'))
        a.n--;
    return a;
}

static inline bool span_is_one_line(peck_span a)
{
    return a.n == 0 || (memchr(a.s, '\n', a.n) == NULL && memchr(a.s, '\r', a.n) == NULL);
}

/* For messages: at most this many bytes of somebody's text are repeated to them.
 *     fail(err, ..., "'%.*s' is no number", SPAN_ARGS(word))                     */
enum { SPAN_SHOWN = 60 };
#define SPAN_ARGS(a) (int)((a).n < SPAN_SHOWN ? (a).n : SPAN_SHOWN), (a).s

#endif
