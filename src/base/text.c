/* text.c -- see text.h. */
#include "text.h"

#include "alloc.h"

#include <string.h>

void text_init(struct text *t, size_t max)
{
    *t = (struct text){ .max = max };
}

/* Room for n more bytes and the closing zero. */
static bool text_reserve(struct text *t, size_t n)
{
    if (t->failed || n > t->max - t->len || !mem_reserve(&t->s, &t->cap, t->len + n + 1, 1))
        t->failed = true;
    return !t->failed;
}

void text_add(struct text *t, const char *bytes, size_t n)
{
    if (!text_reserve(t, n))
        return;
    if (n > 0) /* an empty span may point nowhere */
        memcpy(t->s + t->len, bytes, n);
    t->len += n;
    t->s[t->len] = '\0';
}

void text_add_str(struct text *t, const char *s)
{
    text_add(t, s, strlen(s));
}

void text_vprintf(struct text *t, const char *fmt, va_list args)
{
    va_list again;

    va_copy(again, args);
    const int n = vsnprintf(NULL, 0, fmt, args);

    if (n >= 0 && text_reserve(t, (size_t)n)) {
        vsnprintf(t->s + t->len, (size_t)n + 1, fmt, again);
        t->len += (size_t)n;
    } else {
        t->failed = true;
    }
    va_end(again);
}

void text_printf(struct text *t, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    text_vprintf(t, fmt, args);
    va_end(args);
}

void text_free(struct text *t)
{
    mem_free(t->s);
    *t = (struct text){ 0 };
}
