/* text.h -- growable text with a maximum.  Failure sticks: check once, at the end. */
#ifndef TEXT_H
#define TEXT_H

#include "status.h"

#include <stdarg.h>
#include <stdbool.h>

struct text {
    char *s; /* always ended by a zero byte once anything was added */
    size_t len, cap, max;
    bool failed; /* no memory, or over max */
};

void text_init(struct text *t, size_t max);
void text_add(struct text *t, const char *bytes, size_t n);
void text_add_str(struct text *t, const char *s);
void text_printf(struct text *t, const char *fmt, ...) PRINTF(2, 3);
void text_vprintf(struct text *t, const char *fmt, va_list args) PRINTF(2, 0);
void text_free(struct text *t);

#endif
