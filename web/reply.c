/* reply.c -- what a reply is made of: see http.h. */
#include "http.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

enum {
    REPLY_TEXT = 64 << 20
}; /* bytes: an export of ten thousand items and their answers */

void reply_init(struct reply *r)
{
    *r = (struct reply){ .status = 200, .file = -1 };
    text_init(&r->text, REPLY_TEXT);
}

void reply_header(struct reply *r, const char *name, const char *value)
{
    if (r->n_headers < REPLY_HEADERS)
        r->header[r->n_headers++] = (struct reply_header){ name, value };
}

void reply_header_f(struct reply *r, const char *name, const char *fmt, ...)
{
    va_list args;

    if (r->n_values == sizeof r->value / sizeof *r->value)
        return;
    char *const to = r->value[r->n_values++];

    va_start(args, fmt);
    vsnprintf(to, REPLY_VALUE, fmt, args);
    va_end(args);
    reply_header(r, name, to);
}

void reply_free(struct reply *r)
{
    text_free(&r->text);
    if (r->file >= 0)
        close(r->file);
    r->file = -1;
}
